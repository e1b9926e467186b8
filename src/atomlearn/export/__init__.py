"""A classifier as a program of its own: SQL, JavaScript, C or Python that needs nothing of ours."""

from atomlearn.export.programs import KINDS, export_source

__all__ = ["KINDS", "export_source"]
