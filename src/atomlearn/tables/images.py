"""The pixels of rows and atoms, derived from their literals."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.literals import Literal
from atomlearn.typing import Floats

FAINT = 0.1
"""A lowest cut of at most this share of the highest tells ink from a blank pixel."""


def image_of(row: Rows, literals: Sequence[Literal], shape: tuple[int, int]) -> Floats:
    """A packed row as an image; a pixel's darkness is the share of its cuts that it exceeds."""
    has = unpack(row, len(literals))
    above, cuts = np.zeros(shape[0] * shape[1]), np.zeros(shape[0] * shape[1])
    for i, literal in enumerate(literals):
        if is_dark(literal) is not None:
            cuts[literal.column] += 1
            above[literal.column] += bool(has[i]) == is_dark(literal)
    return (above / np.maximum(cuts, 1)).reshape(shape)


def placed(
    literals: Sequence[Literal], columns: Sequence[Column], shape: tuple[int, int] | None
) -> list[Literal]:
    """The literals of an image with the rows and columns of their pixels, counted from 1.

    >>> from atomlearn.tables.columns import NumberColumn
    >>> pixels = [NumberColumn(j, f"x{j}", (0.5, 7.5), False) for j in range(4)]
    >>> [str(one) for one in placed(pixels[2].literals(), pixels, (2, 2))[:3]]
    ['row 2, column 1 is ink', 'row 2, column 1 is blank', 'row 2, column 1 > 7.5']
    """
    if shape is None:
        return list(literals)
    blank = {column.index: _blank(column) for column in columns}
    return [
        replace(
            one,
            place=f"row {one.column // shape[1] + 1}, column {one.column % shape[1] + 1}",
            is_ink=is_dark(one) is not None
            and (isinstance(one.value, bool) or one.value == blank[one.column]),
        )
        for one in literals
    ]


def _blank(column: Column) -> float | None:
    """The cut between a blank pixel and ink: the only one, or one that is far below the others."""
    if not isinstance(column, NumberColumn) or not column.cuts:
        return None
    first, last = column.cuts[0], column.cuts[-1]
    return first if len(column.cuts) == 1 or 0 <= first <= FAINT * last else None


def greys_of(
    atoms: Iterable[Iterable[Literal]], columns: Sequence[Column], n_pixels: int
) -> Floats:
    """Each atom as an image: how dark the pixels that it speaks of are where it holds, from 0 to 1,
    and ``nan`` elsewhere.

    A literal allows some of the steps between the cuts of its pixel; the middle of these is drawn.
    So ``≤ 15.5`` of 16 steps is grey, and only ``≤ 0.5`` nearly white.

    >>> from atomlearn.tables.columns import NumberColumn
    >>> pixels = [NumberColumn(j, f"x{j}", (0.5, 7.5), False) for j in range(2)]
    >>> x0, x1 = pixels[0].literals(), pixels[1].literals()
    >>> greys_of([[x0[0], x1[1]], [x0[3]]], pixels, 2).tolist()
    [[0.75, 0.0], [0.25, nan]]
    """
    listed = [list(atom) for atom in atoms]
    greys = np.full((len(listed), n_pixels), np.nan)
    for i, atom in enumerate(listed):
        for j in dict.fromkeys(literal.column for literal in atom):
            steps = [_steps(one, columns[j]) for one in atom if one.column == j]
            allowed = [step for some in steps if some is not None for step in some]
            if allowed:
                greys[i, j] = float(np.mean(allowed))
    return greys


def _steps(literal: Literal, column: Column) -> Floats | None:
    """The steps between the cuts that a literal allows, from 0 (light) to 1 (dark)."""
    dark = is_dark(literal)
    if dark is None or not isinstance(column, NumberColumn):
        return None
    if isinstance(literal.value, bool):
        return np.array([1.0 if dark else 0.0])
    cuts = np.array(column.cuts)
    steps = np.arange(len(cuts) + 1) / max(1, len(cuts))
    below = int((cuts <= literal.value).sum())
    return steps[below:] if dark else steps[:below]


def is_dark(literal: Literal) -> bool | None:
    """Does the literal say that its pixel is dark? ``None`` if it says neither."""
    if literal.operator in (">", "<="):
        return literal.operator == ">"
    if literal.operator == "=" and isinstance(literal.value, bool | np.bool_):
        return bool(literal.value)
    return None
