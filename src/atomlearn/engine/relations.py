"""The relations that the engine learns from, as packed rows, and limits of what they may need."""

from dataclasses import dataclass

from atomlearn.errors import ModelTooLarge
from atomlearn.sets.rows import Rows, width


@dataclass(frozen=True, eq=False)
class PackedRelations:
    """All relations of an algebra as bit rows, the input of the learning engine.

    Each side is ``(n_relations, width(n_constants))``, C-contiguous: row ``i`` of ``positive_left``
    and ``positive_right`` are the two terms of the ``i``-th positive relation.
    """

    n_constants: int
    positive_left: Rows
    positive_right: Rows
    negative_left: Rows
    negative_right: Rows


DEFAULT_LIMIT = 50_000
"""Default limit of the number of atoms; a crossing then takes some seconds on one core."""

DEFAULT_BYTES = 2 << 30
"""Default limit of the bytes for the rows of a model, or for learning one."""


def check_size(n_atoms: int, n_constants: int, limit: int | None, what: str) -> None:
    """Raise an error if there would be more atoms than ``limit`` (``None``: the default).

    >>> check_size(10**9, 10, None, "crossing a < b")
    Traceback (most recent call last):
    ...
    atomlearn.errors.ModelTooLarge: crossing a < b would make up to 1,000,000,000 atoms ...
    """
    allowed = DEFAULT_LIMIT if limit is None else limit
    n_bytes = 8 * n_atoms * width(n_constants)
    if n_atoms > allowed or (limit is None and n_bytes > DEFAULT_BYTES):
        raise ModelTooLarge(
            f"{what} would make up to {n_atoms:,} atoms over {n_constants:,} constants "
            f"({n_bytes / 2**20:,.0f} MiB); the limit is {allowed:,} atoms: raise it with "
            f"max_atoms={n_atoms}, or use learn(), which keeps models small",
            estimate=n_atoms,
            limit=allowed,
        )


def check_learning(
    n_positive: int, n_negative: int, n_constants: int, max_bytes: int | None
) -> None:
    """Raise an error if learning would take more memory than ``max_bytes``.

    Relations are bit rows over the constants, and columns over the relations: both grow with the
    product of the two numbers, however short the relations are.

    >>> check_learning(100_000, 0, 100_000, None)
    Traceback (most recent call last):
    ...
    atomlearn.errors.ModelTooLarge: learning from 100,000 relations over 100,000 constants ...
    """
    row, allowed = width(n_constants), DEFAULT_BYTES if max_bytes is None else max_bytes
    # The sides of the relations, shuffled or closed, twice; their columns; an atom a constant.
    n_words = 4 * (n_positive + n_negative) * row + 3 * n_constants * row
    n_words += n_constants * (2 * width(n_positive) + width(n_negative))
    if 8 * n_words > allowed:
        raise ModelTooLarge(
            f"learning from {n_positive + n_negative:,} relations over {n_constants:,} constants "
            f"takes up to about {8 * n_words / 2**20:,.0f} MiB of memory; the limit is "
            f"{allowed / 2**20:,.0f} MiB: raise it with max_bytes={8 * n_words}, or leave out "
            "constants and relations that are not needed",
            estimate=8 * n_words,
            limit=allowed,
        )
