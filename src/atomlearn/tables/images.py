"""Columns that are the pixels of an image, and maps of columns such as translations."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import InvalidParameter
from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.literals import Literal
from atomlearn.typing import Floats, Integers

Map = Integers
"""A map of columns: column ``j`` of the new row is column ``map[j]`` of the old; ``-1`` is a blank.
"""


def translations(shape: tuple[int, int], distance: int = 1, diagonal: bool = False) -> list[Map]:
    """Return the maps that move images up, down, left and right.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    distance : int, default=1
        Maximum number of pixels.
    diagonal : bool, default=False
        Whether images are also moved diagonally.

    Returns
    -------
    list of ndarray
        The maps of columns, in which ``-1`` is a blank pixel.

    Examples
    --------
    >>> [m.tolist() for m in translations((1, 3))]
    [[1, 2, -1], [-1, 0, 1]]
    """
    height, width = shape
    grid = _grid(shape)
    steps = range(-distance, distance + 1)
    maps = []
    for down in steps:
        for right in steps:
            if (down, right) == (0, 0) or (not diagonal and down and right):
                continue
            if abs(down) >= height or abs(right) >= width:
                continue
            moved = np.full_like(grid, -1)
            moved[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = (
                grid[max(-down, 0) : height - max(down, 0), max(-right, 0) : width - max(right, 0)]
            )
            maps.append(moved.ravel())
    return maps


def reflections(shape: tuple[int, int]) -> list[Map]:
    """Return the maps that reflect images left to right, and upside down.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The maps of columns.

    Examples
    --------
    >>> [m.tolist() for m in reflections((1, 3))]
    [[2, 1, 0], [0, 1, 2]]
    """
    grid = _grid(shape)
    return [grid[:, ::-1].ravel(), grid[::-1].ravel()]


def rotations(shape: tuple[int, int]) -> list[Map]:
    """Return the maps that rotate images.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The map for 180 degrees, and for 90 and 270 degrees if images are square.

    Examples
    --------
    >>> len(rotations((2, 2))), len(rotations((2, 3)))
    (3, 1)
    """
    grid = _grid(shape)
    turns = (1, 2, 3) if shape[0] == shape[1] else (2,)
    return [np.rot90(grid, turn).ravel() for turn in turns]


def row_swaps(shape: tuple[int, int]) -> list[Map]:
    """Return the swaps of neighbouring rows, which generate all permutations of the rows.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The maps of columns.

    Examples
    --------
    >>> [m.tolist() for m in row_swaps((2, 2))]
    [[2, 3, 0, 1]]
    """
    grid = _grid(shape)
    return [grid[_swapped(shape[0], i)].ravel() for i in range(shape[0] - 1)]


def column_swaps(shape: tuple[int, int]) -> list[Map]:
    """Return the swaps of neighbouring columns, which generate all permutations of the columns.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The maps of columns.

    Examples
    --------
    >>> [m.tolist() for m in column_swaps((2, 2))]
    [[1, 0, 3, 2]]
    """
    grid = _grid(shape)
    return [grid[:, _swapped(shape[1], j)].ravel() for j in range(shape[1] - 1)]


def generated(generators: Sequence[Sequence[int]], n: int, random_state: int = 0) -> list[Map]:
    """Return random products of generators, to be used as ``symmetries`` of a classifier.

    Parameters
    ----------
    generators : sequence of sequences of int
        Maps of columns, which are permutations.
    n : int
        Number of products.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    list of ndarray
        The products.

    Examples
    --------
    >>> maps = generated([*row_swaps((3, 3)), *column_swaps((3, 3))], n=8)
    >>> len(maps), sorted(maps[0].tolist()) == list(range(9))
    (8, True)
    """
    maps = [np.asarray(one, dtype=np.int64) for one in generators]
    if not maps or any((one < 0).any() for one in maps):
        raise InvalidParameter(
            "generators must be permutations: what leaves the image cannot come back"
        )
    rng = np.random.default_rng(random_state)
    products = []
    for _ in range(n):
        product = np.arange(len(maps[0]))
        for k in rng.integers(len(maps), size=len(maps) ** 2):  # enough to mix well
            product = product[maps[k]]
        products.append(product)
    return products


def _grid(shape: tuple[int, int]) -> Map:
    return np.arange(shape[0] * shape[1]).reshape(shape)


def _swapped(n: int, i: int) -> Map:
    order = np.arange(n)
    order[[i, i + 1]] = order[[i + 1, i]]
    return order


def permuted(X: npt.NDArray[Any], column_map: Map, blank: Any = 0) -> npt.NDArray[Any]:
    """Apply a symmetry to the rows of a dense table.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    column_map : ndarray of int
        The map of columns.
    blank : object, default=0
        Value of columns that the map leaves blank.

    Returns
    -------
    ndarray
        The table after the symmetry.

    Examples
    --------
    >>> permuted(np.array([[1, 2, 3, 4]]), column_swaps((2, 2))[0]).tolist()
    [[2, 1, 4, 3]]
    """
    out = X[:, np.maximum(column_map, 0)].copy()
    out[:, column_map < 0] = blank
    return out


def check_maps(symmetries: Iterable[Sequence[int]] | None, n_columns: int) -> list[Map]:
    """Return the symmetries as arrays; raise an error that names an invalid one."""
    maps = []
    for i, symmetry in enumerate(symmetries or []):
        column_map = np.asarray(symmetry)
        if column_map.shape != (n_columns,) or column_map.dtype.kind not in "iu":
            raise InvalidParameter(
                f"symmetries[{i}] must have one column index for each of the {n_columns} columns"
            )
        if column_map.min() < -1 or column_map.max() >= n_columns:
            raise InvalidParameter(f"symmetries[{i}] names a column that is not there")
        maps.append(column_map.astype(np.int64))
    return maps


FAINT = 0.1
"""A lowest cut of at most this share of the highest separates ink from a blank pixel."""


def image_of(row: Rows, literals: Sequence[Literal], shape: tuple[int, int]) -> Floats:
    """Return a packed row as an image; a pixel is as dark as the share of its cuts below it."""
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
    """Return the literals of an image with the rows and columns of their pixels, counted from 1.

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
    """Return the cut between a blank pixel and ink: the only one, or one far below the others."""
    if not isinstance(column, NumberColumn) or not column.cuts:
        return None
    first, last = column.cuts[0], column.cuts[-1]
    return first if len(column.cuts) == 1 or 0 <= first <= FAINT * last else None


def greys_of(
    atoms: Iterable[Iterable[Literal]], columns: Sequence[Column], n_pixels: int
) -> Floats:
    """Return each atom as an image: how dark its pixels are where it holds, and ``nan`` elsewhere.

    Darkness is from 0 to 1. A literal allows some of the steps between the cuts of its pixel; the
    middle of these is drawn. So ``≤ 15.5`` of 16 steps is grey, and only ``≤ 0.5`` nearly white.

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
    """Return the steps between the cuts that a literal allows, from 0 (light) to 1 (dark)."""
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
    """Return whether the literal says that its pixel is dark, or ``None`` if it says neither."""
    if literal.operator in (">", "<="):
        return literal.operator == ">"
    if literal.operator == "=" and isinstance(literal.value, bool | np.bool_):
        return bool(literal.value)
    return None
