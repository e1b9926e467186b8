"""The memory that reading a file may take: a small multiple of the file's size."""

import math
import os
from pathlib import Path

from atomlearn.errors import UnsafeFile

TIMES = 32
"""Allowed memory as a multiple of the file's size."""
FLOOR = 256 << 20
"""Allowed memory in any case: sparse atoms are small in a file and large as rows of bits."""
VARIABLE = "ATOMLEARN_MAX_BYTES"
"""The environment variable with the user's own limit."""


class Budget:
    """The memory that a file may still take; to be asked before allocating.

    >>> budget = Budget("m.atoms", 1000)
    >>> budget.spend(10**6, "the names")
    >>> budget.spend(10**12, "the atoms")
    Traceback (most recent call last):
    ...
    atomlearn.errors.UnsafeFile: m.atoms: the atoms would bring the memory it takes to ...
    """

    def __init__(self, path: str, size: float = math.inf) -> None:
        self.path, self.size = path, size
        own = os.environ.get(VARIABLE, "")
        self.allowed = float(own) if own.isdecimal() else max(FLOOR, TIMES * size)
        self.spent = 0

    @classmethod
    def of(cls, path: str | Path) -> "Budget":
        """The budget of a file on disk."""
        return cls(str(path), Path(path).stat().st_size)

    def spend(self, n_bytes: int, what: str) -> None:
        """Raise an error if this many more bytes exceed the budget."""
        self.spent += n_bytes
        if self.spent > self.allowed:
            raise UnsafeFile(
                f"{self.path}: {what} would bring the memory it takes to "
                f"{self.spent / 2**20:,.0f} MiB; a file of {self.size:,} bytes may take "
                f"{self.allowed / 2**20:,.0f} MiB. If you trust it, set {VARIABLE} to more"
            )
