"""Export of a classifier as a program in SQL, JavaScript, C or Python that needs no atomlearn."""

from atomlearn.export.programs import KINDS, export_source

__all__ = ["KINDS", "export_source"]
