"""Symmetries of a problem as maps of its columns: what may be done to a row, keeping its label."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Map = npt.NDArray[np.int64]
"""Column ``j`` of the new row is column ``map[j]`` of the old; ``-1`` stands for a blank."""


def translations(shape: tuple[int, int], distance: int = 1, diagonal: bool = False) -> list[Map]:
    """Images moved by up to ``distance`` pixels up, down, left and right.

    >>> [m.tolist() for m in translations((1, 3))]
    [[1, 2, -1], [-1, 0, 1]]
    """
    height, width = shape
    grid = np.arange(height * width).reshape(height, width)
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


def permuted(X: npt.NDArray[Any], column_map: Map, blank: Any = 0) -> npt.NDArray[Any]:
    """The rows of a dense table after a symmetry."""
    out = X[:, np.maximum(column_map, 0)].copy()
    out[:, column_map < 0] = blank
    return out


def check_maps(symmetries: Iterable[Sequence[int]] | None, n_columns: int) -> list[Map]:
    """The symmetries as arrays, or an error that says which is not one."""
    maps = []
    for i, symmetry in enumerate(symmetries or []):
        column_map = np.asarray(symmetry)
        if column_map.shape != (n_columns,) or column_map.dtype.kind not in "iu":
            raise ValueError(
                f"symmetries[{i}] must have one column index for each of the {n_columns} columns"
            )
        if column_map.min() < -1 or column_map.max() >= n_columns:
            raise ValueError(f"symmetries[{i}] names a column that is not there")
        maps.append(column_map.astype(np.int64))
    return maps
