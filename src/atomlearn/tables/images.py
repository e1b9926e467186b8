"""The pixels of rows and atoms, derived from their literals."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.literals import Literal

Floats = npt.NDArray[np.float64]


def image_of(row: Rows, literals: Sequence[Literal], shape: tuple[int, int]) -> Floats:
    """A packed row as an image; a pixel's darkness is the share of its cuts that it exceeds."""
    has = unpack(row, len(literals))
    above, cuts = np.zeros(shape[0] * shape[1]), np.zeros(shape[0] * shape[1])
    for i, literal in enumerate(literals):
        if is_dark(literal) is not None:
            cuts[literal.column] += 1
            above[literal.column] += bool(has[i]) == is_dark(literal)
    return (above / np.maximum(cuts, 1)).reshape(shape)


def pixels_of(
    atoms: Iterable[Iterable[Literal]], n_pixels: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The pixels that each atom wants dark, and those it wants light.

    >>> black, white = pixels_of([[Literal(0, "x0", ">", 0.5), Literal(1, "x1", "<=", 0.5)]], 2)
    >>> black.tolist(), white.tolist()
    ([[True, False]], [[False, True]])
    """
    listed = [list(atom) for atom in atoms]
    black = np.zeros((len(listed), n_pixels), dtype=np.bool_)
    white = np.zeros((len(listed), n_pixels), dtype=np.bool_)
    for i, atom in enumerate(listed):
        for literal in atom:
            dark = is_dark(literal)
            if dark is not None:
                (black if dark else white)[i, literal.column] = True
    return black, white


def is_dark(literal: Literal) -> bool | None:
    """Does the literal say that its pixel is dark? ``None`` if it says neither."""
    if literal.operator in (">", "<="):
        return literal.operator == ">"
    if literal.operator == "=" and isinstance(literal.value, bool | np.bool_):
        return bool(literal.value)
    return None
