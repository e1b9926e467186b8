"""Cells that stand for all that a column tells apart, and rows made of them.

A model knows a number only by the cuts it lies between. Each such interval is a *state* of the
column, and so is each category; for a page each state gets one cell that stands for it.
"""

import math
import statistics
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from atomlearn.export.description import json_value
from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.numbers import MOST_EXACT, exact_numbers

LARGEST = sys.float_info.max


def cells_of(column: Column) -> list[Any]:
    """One cell for each state of a column; ``None``, the missing cell, is last if it is a state.

    >>> cells_of(NumberColumn(0, "age", (17.5, 64.5), has_missing=True))
    [10, 40, 90, None]
    """
    missing = [None] if column.has_missing else []
    if not isinstance(column, NumberColumn):
        return [*map(json_value, column.categories), *missing]
    if column.is_boolean:
        return [0, 1, *missing]
    return [*_numbers(column.cuts, column.values), *missing]


def _numbers(cuts: Sequence[float], values: Sequence[float]) -> list[float]:
    """One number from each interval between cuts, and every value that has a literal of its own."""
    if any(isinstance(cut, int) for cut in cuts):
        return _large_numbers(cuts, values)
    are_whole = all((2 * cut) % 2 == 1 for cut in cuts) and all(v == int(v) for v in values)
    found = set(map(_plain, values))
    for low, high in pairwise(_ends(cuts, are_whole)):
        number = shortest_between(low, high)
        if number in found and not are_whole:
            number = shortest_between(number, high)  # the interval without the value
        found.add(number)
    return sorted(found)


def _large_numbers(cuts: Sequence[float], values: Sequence[float]) -> list[float]:
    """The same of integers so large that floating point has no number between two cuts: a cut
    is itself the largest number of its interval."""
    step = max(1, int(cuts[-1] - cuts[0]) // len(cuts))
    last = int(cuts[-1]) + step
    found = set(values)
    for low, high in pairwise([int(cuts[0]) - step, *cuts, last]):
        below = range(math.ceil(high) - 1, math.floor(low), -1)
        found.update([n for n in (high, *below[: len(values)]) if n not in values][:1])
    return sorted(found)


def _ends(cuts: Sequence[float], are_whole: bool) -> list[float]:
    """The cuts, one number below them and one above."""
    if not cuts:
        return [-0.5, 0.5]
    gap = statistics.median(high - low for low, high in pairwise(cuts)) if len(cuts) > 1 else 0.0
    # Cuts may lie so close that nothing fits beyond the last but a larger step.
    least = cuts[-1] / 100 - cuts[0] / 100 if len(cuts) > 1 else max(abs(cuts[0]), 1.0)
    gap = max(gap, least, 8 * math.ulp(max(map(abs, cuts))))
    low, high = max(cuts[0] - gap, -LARGEST), min(cuts[-1] + gap, LARGEST)
    if low < 0 < cuts[0]:  # what is never negative should not become so
        low = -0.5 if are_whole else 0.0
    return [low, *cuts, high]


def shortest_between(low: float, high: float) -> float:
    """The number between these, near the middle, that has the fewest digits.

    >>> shortest_between(2.45, 2.6), shortest_between(3.5, 4.5), shortest_between(17.5, 64.5)
    (2.5, 4, 40)
    >>> shortest_between(1e308, 1.7e308), shortest_between(-1.7e308, 1.7e308)
    (1.3e+308, 0)
    """
    middle = (low + high) / 2
    if math.isinf(middle):
        middle = low / 2 + high / 2
    if not low < middle < high:
        return _plain(high)  # neighbours: a number is not above its own cut
    digits = -math.floor(math.log10(min(high - low, LARGEST)))
    for n in range(digits, digits + 20):
        with suppress(OverflowError):  # the nearest round number may be too large
            rounded = round(middle, n)
            if low < rounded < high:
                return _plain(rounded)
    return middle


def _plain(number: float) -> float:
    """Write a whole number as 4, not as 4.0, if it is exact as a floating-point number."""
    is_whole = abs(number) <= MOST_EXACT and float(number).is_integer()
    return int(number) if is_whole else number


def rows_of(rows: Rows, encoder: LiteralEncoder) -> list[list[Any]]:
    """Packed rows as cells, which have the same literals."""
    truth = unpack(rows, len(encoder.literals_))
    ends = np.cumsum([0, *(column.n_literals for column in encoder.columns_)])
    bounds = np.searchsorted(encoder.kept_, ends)
    columns = []
    for j, column in enumerate(encoder.columns_):
        kept = encoder.kept_[bounds[j] : bounds[j + 1]] - ends[j]
        columns.append(_column_cells(column, truth[:, bounds[j] : bounds[j + 1]], kept))
    return [list(row) for row in zip(*columns, strict=True)]


def _column_cells(column: Column, truth: Any, kept: Any) -> list[Any]:
    cells = cells_of(column)
    states = _encoded(column, cells)[:, kept]
    weights = 1 << np.arange(states.shape[1], dtype=object)
    known: dict[int, Any] = {}
    for cell, key in zip(cells, (states.astype(object) @ weights).tolist(), strict=True):
        known.setdefault(key, cell)
    keys = (truth.astype(object) @ weights).tolist() if len(kept) else [0] * len(truth)
    return [known.get(key) for key in keys]


def _encoded(column: Column, cells: Sequence[Any]) -> Any:
    if isinstance(column, NumberColumn):
        return column.encode(exact_numbers(np.array(cells, dtype=object)))
    values = np.empty(len(cells), dtype=object)
    values[:] = [*column.categories, *([None] if column.has_missing else [])]
    return column.encode(values)
