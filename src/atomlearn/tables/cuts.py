"""Cuts of a number column: at quantiles, and where the classes change.

Both work on a histogram of the column: the values that occur, in order, with their weights. So
neither the order of the rows matters, nor whether a row occurs twice or has weight 2.
"""

from dataclasses import dataclass

import numpy as np

from atomlearn.sets.jit import kernel
from atomlearn.tables.numbers import MOST_EXACT, Number, Numbers, cut_between
from atomlearn.typing import Floats, Integers

FEWEST_VALUES, MOST_VALUES = 3, 10
"""Maximum number of whole numbers that get a literal each."""
OFTEN = 5.0
"""Minimum average number of rows for each of them."""
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
        """The histogram of numbers without missing values."""
        values = np.unique(known)
        # Looked up, not sorted along: most columns have few values, and then this is quick.
        where = np.searchsorted(values, known)
        total = np.bincount(where, weights, len(values)).astype(np.float64)
        return cls(values, total, where, weights)

    def cuts(self, after: Integers) -> list[Number]:
        """The cuts after these values, each between a value and the next."""
        lows, highs = self.values[after].tolist(), self.values[after + 1].tolist()
        return [cut_between(low, high) for low, high in zip(lows, highs, strict=True)]


def whole_values(histogram: Histogram) -> tuple[int, ...]:
    """The values of a column of few whole numbers, which may be codes of categories; else none.

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
    """Indices of values after which to cut, so that intervals have about equal weight."""
    n = len(histogram.values)
    if n < 2:
        return np.zeros(0, dtype=np.int64)
    most = min(most, max(n, FINEST))
    cumulative = np.cumsum(histogram.weights)
    levels = np.arange(1, most + 1) / (most + 1) * cumulative[-1]
    # The last value at or below each quantile; a cut lies between it and the next.
    at = np.searchsorted(cumulative, levels * (1 - 1e-12))
    return np.unique(np.minimum(at, n - 2)).astype(np.int64)


def tree_cuts(histogram: Histogram, classes: Integers, most: int) -> Integers:
    """Indices of values after which a small decision tree on this column alone would cut.

    >>> column = Histogram.of(np.repeat([0.0, 1.0, 2.0, 7.0], 5), np.ones(20))
    >>> tree_cuts(column, np.repeat([0, 0, 1, 1], 5), most=1).tolist()        # after 1.0
    [1]
    """
    total = histogram.weights.sum()
    if len(histogram.values) < 2 or total < 2 * SMALLEST_LEAF:
        return np.zeros(0, dtype=np.int64)
    most = min(most, len(histogram.values) - 1)
    n_classes = int(classes.max()) + 1
    bin_of = _bins(histogram, min(MOST_BINS, max(2, MOST_CELLS // n_classes)))
    cells = bin_of[histogram.where] * n_classes + classes
    n_bins = int(bin_of[-1]) + 1
    counts = np.bincount(cells, histogram.row_weights, n_bins * n_classes).astype(np.float64)
    last_bins = grow_tree(counts.reshape(n_bins, n_classes), most, SMALLEST_LEAF * (1 - 1e-9))
    return np.unique(np.searchsorted(bin_of, last_bins, side="right")).astype(np.int64) - 1


@kernel
def grow_tree(counts: Floats, most: int, smallest: float) -> Integers:
    """Cut a row of bins, ``(n_bins, n_classes)``, where Gini impurity falls most, again and again.

    Returned is the bin before each cut. A side has at least the weight ``smallest``.
    """
    n_bins, n_classes = counts.shape
    before = np.zeros((n_bins + 1, n_classes))
    for b in range(n_bins):
        for k in range(n_classes):
            before[b + 1, k] = before[b, k] + counts[b, k]
    first = np.zeros(most + 1, dtype=np.int64)
    last = np.full(most + 1, n_bins, dtype=np.int64)
    gain, cut = np.zeros(most + 1), np.zeros(most + 1, dtype=np.int64)
    gain[0], cut[0] = best_cut(before, 0, n_bins, smallest)
    found = np.empty(most, dtype=np.int64)
    n = 0
    while n < most:
        part = int(np.argmax(gain[: n + 1]))
        if gain[part] <= 0.0:
            break
        found[n] = cut[part] - 1
        n += 1
        first[n], last[n], last[part] = cut[part], last[part], cut[part]
        for i in (part, n):
            gain[i], cut[i] = best_cut(before, first[i], last[i], smallest)
    return found[:n]


@kernel
def best_cut(before: Floats, first: int, last: int, smallest: float) -> tuple[float, int]:
    """By how much the best cut of some bins makes them purer, and the bin that it is before."""
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
    """The bin of each value: its own, or one of about equal weight if there are too many values."""
    n = len(histogram.values)
    if n <= most:
        return np.arange(n)
    before = np.cumsum(histogram.weights) - histogram.weights
    return np.floor(before / histogram.weights.sum() * most).astype(np.int64)
