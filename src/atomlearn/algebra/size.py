"""How large an exact model may become before we ask."""

from atomlearn.bits.rows import width
from atomlearn.errors import ModelTooLarge

DEFAULT_LIMIT = 50_000
"""Atoms: some seconds for a crossing on one core."""

DEFAULT_BYTES = 2 << 30


def check_size(n_atoms: int, n_constants: int, limit: int | None, what: str) -> None:
    """Refuse to go on if there would be more atoms than ``limit`` (``None``: the default).

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
            f"limit={n_atoms}, or use learn(), which keeps models small",
            estimate=n_atoms,
            limit=allowed,
        )
