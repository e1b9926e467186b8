"""A classifier as a program of its own: SQL, JavaScript, C or Python that needs nothing of ours."""

from atomlearn.export.sources import KINDS, export_source

__all__ = ["KINDS", "export_source"]
