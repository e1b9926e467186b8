"""Numbers of a column, compared exactly, and the cuts between them.

A column is an array of floating-point numbers, with ``nan`` for missing ones. Integers beyond 2**53
would lose digits that way, so a column that has some is kept as 64-bit integers or, where values
are missing or larger still, as Python objects. A cut may be of either kind; comparisons are exact.

Cuts are made at quantiles, and where the classes change. Both work on a histogram of the column:
the values that occur, in order, with their weights. So neither the order of the rows matters, nor
whether a row occurs twice or has weight 2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import helper, kernel
from atomlearn.typing import Bits, Floats, Integers

MOST_EXACT = 1 << 53
"""Whole numbers up to this one are exact as floating-point numbers."""
MOST_INTEGER = 1 << 64
"""Integers in tables are hardly ever larger; a float above this is compared with floats."""
Number = float | int
Numbers = npt.NDArray[Any]


def is_missing(values: npt.NDArray[Any]) -> Bits:
    """Return which values are missing: ``None``, ``nan``, and any value not equal to itself."""
    if values.dtype.kind in "biu":
        return np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind == "f":
        return np.isnan(values)
    try:
        nothing: Any = None
        return np.asarray((values == nothing) | (values != values), dtype=np.bool_)
    except (TypeError, ValueError):  # pandas.NA refuses to be a truth value
        return np.array([_absent(v) for v in values], dtype=np.bool_)


def _absent(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True
    except ValueError:  # an array, which is no value at all but not absent either
        return False


def is_greater(first: Numbers, second: Numbers) -> Bits:
    """Return whether each number of one column is greater than that of another, exactly.

    >>> is_greater(np.array([2**53 + 1]), np.array([2.0**53])).tolist()
    [True]
    """
    if first.dtype == second.dtype and first.dtype.kind in "iuf":
        return np.asarray(first > second)
    pairs = zip(first.tolist(), second.tolist(), strict=True)  # Python compares exactly
    return np.array([None not in both and both[0] > both[1] for both in pairs], dtype=np.bool_)


def exact_numbers(cells: npt.NDArray[Any]) -> Numbers:
    """Return the cells as numbers that lose no digit; other cells raise ``ValueError``.

    >>> exact_numbers(np.array([1, None, 2.5], dtype=object)).tolist()
    [1.0, nan, 2.5]
    >>> exact_numbers(np.array([2**53 + 1, None], dtype=object)).tolist()
    [9007199254740993, None]
    >>> exact_numbers(np.array([2**53 + 1, 3])).dtype
    dtype('int64')
    """
    if cells.dtype.kind in "bf":
        return cells.astype(np.float64)
    if cells.dtype.kind in "iu":
        return cells if has_large_integers(cells) else cells.astype(np.float64)
    missing = is_missing(cells)
    known = cells[~missing]
    if has_large_integers(known):
        return _as_integers(cells, missing)
    values = np.full(len(cells), np.nan)
    values[~missing] = known.astype(np.float64)
    return values


def has_large_integers(cells: Any) -> bool:
    """Return whether some cell is an integer that floating point does not represent."""
    kind = getattr(cells, "dtype", np.dtype(object)).kind
    if kind in "iu":
        return bool(cells.size and (cells.max() > MOST_EXACT or cells.min() < -MOST_EXACT))
    if kind != "O":
        return False
    integers = tuple(t for t in set(map(type, cells)) if t is int or issubclass(t, np.integer))
    return bool(integers) and any(
        not -MOST_EXACT <= cell <= MOST_EXACT for cell in cells if type(cell) in integers
    )


def _as_integers(cells: npt.NDArray[Any], missing: Bits) -> Numbers:
    plain = [None if gone else _plain(cell) for cell, gone in zip(cells, missing, strict=True)]
    integers = [cell for cell in plain if isinstance(cell, int)]
    if len(integers) == len(plain):
        for dtype in (np.int64, np.uint64):
            info = np.iinfo(dtype)
            if info.min <= min(integers) and max(integers) <= info.max:
                return np.array(integers, dtype=dtype)
    out = np.empty(len(plain), dtype=object)
    out[:] = plain
    return out


def _plain(cell: Any) -> Number:
    if isinstance(cell, int | np.integer):
        return int(cell)
    return float(cell)


def number_in(text: str) -> Number | None:
    """Return the number that a text is, if it is one: a large whole one as an integer.

    >>> number_in("1.50"), number_in("9007199254740993"), number_in("1_0"), number_in("red")
    (1.5, 9007199254740993, None, None)
    """
    if "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    if abs(number) < MOST_EXACT:
        return number
    try:
        return int(text)
    except ValueError:
        return number


def above(values: Numbers, cuts: Sequence[Number]) -> Bits:
    """Return which values are above each cut, ``(n_cuts, n_values)``; missing ones are not.

    >>> above(np.array([2**53, 2**53 + 1]), [2**53, 0.5]).tolist()
    [[False, True], [True, True]]
    """
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            return np.greater(values, np.array([float_below(cut) for cut in cuts])[:, None])
    if values.dtype.kind in "iu":
        return _stacked([values > math.floor(cut) for cut in cuts], len(values))
    known = ~is_missing(values)
    return _stacked([_each(values, known, lambda v, cut=cut: v > cut) for cut in cuts], len(values))


def equal(values: Numbers, numbers: Sequence[Number]) -> Bits:
    """Return which values are equal to each number, ``(n_numbers, n_values)``."""
    if values.dtype.kind == "f" and all(abs(one) <= MOST_EXACT for one in numbers):
        return np.equal(values, np.array(numbers, dtype=np.float64)[:, None])
    if values.dtype.kind in "iu":
        never = np.zeros(len(values), dtype=np.bool_)
        is_whole = [one == math.floor(one) for one in numbers]
        return _stacked(
            [
                values == math.floor(one) if whole else never
                for one, whole in zip(numbers, is_whole, strict=True)
            ],
            len(values),
        )
    known = ~is_missing(values)
    return _stacked([_each(values, known, lambda v, x=x: v == x) for x in numbers], len(values))


def _each(values: Numbers, known: Bits, test: Any) -> Bits:
    out = np.zeros(len(values), dtype=np.bool_)
    out[known] = [bool(test(value)) for value in values[known].tolist()]
    return out


def _stacked(lines: list[Bits], n: int) -> Bits:
    return np.stack(lines) if lines else np.zeros((0, n), dtype=np.bool_)


def just_below(number: Number) -> Number:
    """Return the next lower number that a cell could be: beyond 2**53 that is an integer.

    >>> just_below(2.0), just_below(10**18), just_below(1e18)
    (1.9999999999999998, 999999999999999999, 999999999999999999)
    """
    most = math.inf if isinstance(number, int) else MOST_INTEGER
    if MOST_EXACT < abs(number) <= most:
        return int(number) - 1
    return math.nextafter(number, -math.inf)


def float_below(cut: Number) -> float:
    """Return the largest float not above the cut, to which floats compare as to the cut."""
    try:
        number = float(cut)
    except OverflowError:
        return math.inf if cut > 0 else -math.inf
    return math.nextafter(number, -math.inf) if number > cut else number


def cut_between(low: Number, high: Number, are_whole: bool = False) -> Number:
    """Return a cut between two neighbouring values: at least ``low``, and less than ``high``.

    It is the number of the fewest digits in the middle half between the values, and the one nearest
    to the middle among these. If all values of the column ``are_whole``, so is the cut.

    >>> cut_between(1.9, 3.0), cut_between(0.1 + 0.2, 0.3000000000000001)
    (2.5, 0.30000000000000004)
    >>> cut_between(15.0, 16.0, are_whole=True), cut_between(110.0, 290.0, are_whole=True)
    (15.0, 200.0)
    >>> cut_between(10**18, 10**18 + 1), cut_between(1.0e308, 1.7e308)
    (1000000000000000000, 1.3e+308)
    """
    if isinstance(low, int) and isinstance(high, int):
        return (low + high) // 2
    last: Number = high
    if are_whole and abs(low) < MOST_EXACT and abs(high) < MOST_EXACT:
        last = high - 1.0
    middle = float(low) / 2 + float(last) / 2 + 0.0
    if not low <= middle < high:
        return low
    if last != high:
        middle = math.floor(middle) + 0.0
    near, far = low / 2 + middle / 2, middle / 2 + last / 2
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if near <= rounded <= far and low <= rounded < high:
            return rounded + 0.0  # without the sign of a zero
    return middle


FEWEST_VALUES, MOST_VALUES = 3, 10
"""Minimum and maximum number of distinct whole numbers of a column for a literal for each."""
OFTEN = 5.0
"""Minimum average number of rows for each of these whole numbers."""
SMALLEST_LEAF = 5.0
"""Minimum number of rows on each side of a tree's cut."""
FINEST = 4096
"""Maximum number of quantiles, unless there are more values."""
MOST_BINS = 4096
"""Maximum number of bins of a tree; neighbouring values are merged."""
MOST_CELLS = 1 << 18
"""Maximum product of bins and classes."""


@dataclass(frozen=True)
class Histogram:
    """The distinct values in order, their weights, and the value of each row."""

    values: Numbers
    weights: Floats
    where: Integers
    row_weights: Floats

    @classmethod
    def of(cls, known: Numbers, weights: Floats) -> "Histogram":
        """Return the histogram of numbers without missing values."""
        values = np.unique(known)
        # Looked up, not sorted along: most columns have few values, and then this is quick.
        where = np.searchsorted(values, known)
        total = np.bincount(where, weights, len(values)).astype(np.float64)
        return cls(values, total, where, weights)

    def cuts(self, after: Integers) -> list[Number]:
        """Return the cuts after these values, each between a value and the next."""
        lows, highs = self.values[after].tolist(), self.values[after + 1].tolist()
        are_whole = self.values.dtype.kind == "f" and bool((self.values % 1 == 0).all())
        pairs = zip(lows, highs, strict=True)
        return [cut_between(low, high, are_whole) for low, high in pairs]


def whole_values(histogram: Histogram) -> tuple[int, ...]:
    """Return the values of a column of few whole numbers, which may be category codes; else none.

    Two values need none: one cut separates them.

    >>> whole_values(Histogram.of(np.repeat([1.0, 2.0, 3.0], 5), np.ones(15)))
    (1, 2, 3)
    """
    values = histogram.values
    is_few = FEWEST_VALUES <= len(values) <= MOST_VALUES
    if not is_few or histogram.weights.sum() < OFTEN * len(values):
        return ()
    whole = [value for value in values.tolist() if value == value // 1]
    # Beyond 2**53 a floating-point number is a rounded one, which names nothing.
    if len(whole) < len(values) or (values.dtype.kind == "f" and abs(values).max() > MOST_EXACT):
        return ()
    return tuple(map(int, whole))


def quantile_cuts(histogram: Histogram, most: int) -> Integers:
    """Return indices of values after which to cut, so that intervals have about equal weight."""
    n = len(histogram.values)
    if n < 2:
        return np.zeros(0, dtype=np.int64)
    most = min(most, max(n, FINEST))
    cumulative = np.cumsum(histogram.weights)
    levels = np.arange(1, most + 1) / (most + 1) * cumulative[-1]
    # The last value at or below each quantile; a cut lies between it and the next.
    at = np.searchsorted(cumulative, levels * (1 - 1e-12))
    return np.unique(np.minimum(at, n - 2)).astype(np.int64)


def tree_cuts(histogram: Histogram, classes: Integers | Floats, most: int) -> Integers:
    """Return indices of values after which a small decision tree on this column alone would cut.

    A number from 0 to 1 in place of a class is the share of a row that is in the second of two
    classes: the Gini impurity of these is twice the variance of the number, and a constant.

    >>> column = Histogram.of(np.repeat([0.0, 1.0, 2.0, 7.0], 5), np.ones(20))
    >>> tree_cuts(column, np.repeat([0, 0, 1, 1], 5), most=1).tolist()        # after 1.0
    [1]
    """
    total = histogram.weights.sum()
    if len(histogram.values) < 2 or total < 2 * SMALLEST_LEAF:
        return np.zeros(0, dtype=np.int64)
    most = min(most, len(histogram.values) - 1)
    is_number = classes.dtype.kind == "f"
    n_classes = 2 if is_number else int(classes.max()) + 1
    bin_of = _bins(histogram, min(MOST_BINS, max(2, MOST_CELLS // n_classes)))
    bins, n_bins = bin_of[histogram.where], int(bin_of[-1]) + 1
    counts: Floats
    if is_number:
        shares = (1.0 - classes, classes)
        weights = [np.bincount(bins, histogram.row_weights * one, n_bins) for one in shares]
        counts = np.stack(weights, axis=1)
    else:
        cells = bins * n_classes + classes
        counts = np.bincount(cells, histogram.row_weights, n_bins * n_classes).astype(np.float64)
        counts = counts.reshape(n_bins, n_classes)
    before = np.zeros((n_bins + 1, n_classes))
    np.cumsum(counts, axis=0, out=before[1:])
    first, last, cut, last_bins = np.zeros((4, most + 1), dtype=np.int64)
    smallest = SMALLEST_LEAF * (1 - 1e-9)
    n = grow_tree(before, smallest, first, last, np.zeros(most + 1), cut, last_bins)
    last_bins = last_bins[:n]
    return np.unique(np.searchsorted(bin_of, last_bins, side="right")).astype(np.int64) - 1


@kernel
def grow_tree(
    before: Floats,
    smallest: float,
    first: Integers,
    last: Integers,
    gain: Floats,
    cut: Integers,
    found: Integers,
) -> int:
    """Cut a row of bins repeatedly where Gini impurity falls most.

    ``before`` has the weight of each class before each bin, and in the end of all. Writes the bin
    before each cut, and returns the number of cuts, which there is one array more room for. A side
    has at least the weight ``smallest``.
    """
    last[0] = before.shape[0] - 1
    gain[0], cut[0] = best_cut(before, first[0], last[0], smallest)
    n = 0
    while n < found.shape[0] - 1:
        part = 0
        for i in range(1, n + 1):
            if gain[i] > gain[part]:
                part = i
        if gain[part] <= 0.0:
            break
        found[n] = cut[part] - 1
        n += 1
        first[n], last[n], last[part] = cut[part], last[part], cut[part]
        gain[part], cut[part] = best_cut(before, first[part], last[part], smallest)
        gain[n], cut[n] = best_cut(before, first[n], last[n], smallest)
    return n


@helper
def best_cut(before: Floats, first: int, last: int, smallest: float) -> tuple[float, int]:
    """Return the decrease of impurity by the best cut of some bins, and the bin before it."""
    n_classes = before.shape[1]
    total, whole = 0.0, 0.0
    for k in range(n_classes):
        own = before[last, k] - before[first, k]
        total += own
        whole += own * own
    best, cut = 1e-9 * total, -1  # what rounding may pretend is no gain
    for b in range(first + 1, last):
        left, left_squares, right_squares = 0.0, 0.0, 0.0
        for k in range(n_classes):
            own, rest = before[b, k] - before[first, k], before[last, k] - before[b, k]
            left += own
            left_squares += own * own
            right_squares += rest * rest
        if left < smallest or total - left < smallest:
            continue
        gain = left_squares / left + right_squares / (total - left) - whole / total
        if gain > best:
            best, cut = gain, b
    return (best if cut >= 0 else 0.0), cut


def _bins(histogram: Histogram, most: int) -> Integers:
    """Return the bin of each value: its own, or one of about equal weight if there are too many."""
    n = len(histogram.values)
    if n <= most:
        return np.arange(n)
    before = np.cumsum(histogram.weights) - histogram.weights
    return np.floor(before / histogram.weights.sum() * most).astype(np.int64)
