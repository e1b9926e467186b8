"""Symmetries as maps of columns: changes of a row that keep its label."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import InvalidParameter
from atomlearn.typing import Integers

Map = Integers
"""Column ``j`` of the new row is column ``map[j]`` of the old; ``-1`` stands for a blank."""


def translations(shape: tuple[int, int], distance: int = 1, diagonal: bool = False) -> list[Map]:
    """Images moved by up to ``distance`` pixels up, down, left and right.

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
    """Images reflected left to right, and upside down.

    >>> [m.tolist() for m in reflections((1, 3))]
    [[2, 1, 0], [0, 1, 2]]
    """
    grid = _grid(shape)
    return [grid[:, ::-1].ravel(), grid[::-1].ravel()]


def rotations(shape: tuple[int, int]) -> list[Map]:
    """Images rotated by 180 degrees, and by 90 and 270 degrees if they are square.

    >>> len(rotations((2, 2))), len(rotations((2, 3)))
    (3, 1)
    """
    grid = _grid(shape)
    turns = (1, 2, 3) if shape[0] == shape[1] else (2,)
    return [np.rot90(grid, turn).ravel() for turn in turns]


def row_swaps(shape: tuple[int, int]) -> list[Map]:
    """Swaps of neighbouring rows, which generate all permutations of the rows.

    >>> [m.tolist() for m in row_swaps((2, 2))]
    [[2, 3, 0, 1]]
    """
    grid = _grid(shape)
    return [grid[_swapped(shape[0], i)].ravel() for i in range(shape[0] - 1)]


def column_swaps(shape: tuple[int, int]) -> list[Map]:
    """Swaps of neighbouring columns, which generate all permutations of the columns.

    >>> [m.tolist() for m in column_swaps((2, 2))]
    [[1, 0, 3, 2]]
    """
    grid = _grid(shape)
    return [grid[:, _swapped(shape[1], j)].ravel() for j in range(shape[1] - 1)]


def generated(generators: Sequence[Sequence[int]], n: int, random_state: int = 0) -> list[Map]:
    """Random products of generators, to be used as ``symmetries`` of a classifier.

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

    >>> permuted(np.array([[1, 2, 3, 4]]), column_swaps((2, 2))[0]).tolist()
    [[2, 1, 4, 3]]
    """
    out = X[:, np.maximum(column_map, 0)].copy()
    out[:, column_map < 0] = blank
    return out


def check_maps(symmetries: Iterable[Sequence[int]] | None, n_columns: int) -> list[Map]:
    """The symmetries as arrays; raises an error that names an invalid one."""
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
