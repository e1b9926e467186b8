"""Learning from Dask collections: data that no one machine holds."""

from atomlearn.distributed.fitting import fit

__all__ = ["fit"]
