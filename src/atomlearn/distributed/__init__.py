"""Data that no one machine holds (``fit``), or not in memory (``fit_batches``)."""

from atomlearn.distributed.fitting import fit, fit_batches

__all__ = ["fit", "fit_batches"]
