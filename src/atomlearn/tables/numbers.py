"""Numbers of a column, compared exactly.

A column is an array of floating-point numbers, with ``nan`` for missing ones. Integers beyond 2**53
would lose digits that way, so a column that has some is kept as 64-bit integers or, where values
are missing or larger still, as Python objects. A cut may be of either kind; comparisons are exact.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.typing import Bits

MOST_EXACT = 1 << 53
"""Whole numbers up to this one are exact as floating-point numbers."""
MOST_INTEGER = 1 << 64
"""Integers in tables are hardly ever larger; a float beyond is compared with floats."""
ROUND_DIGITS = 6
"""Significant digits of a cut, unless neighbouring values need more."""

Number = float | int
Numbers = npt.NDArray[Any]


def is_missing(values: npt.NDArray[Any]) -> Bits:
    """Which values are missing: ``None``, ``nan``, and anything that is not equal to itself."""
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


def exact_numbers(cells: npt.NDArray[Any]) -> Numbers:
    """The cells as numbers that lose no digit; cells that are no numbers raise ``ValueError``.

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
    """Does an array or a list of cells have an integer that floating point does not represent?"""
    kind = getattr(cells, "dtype", np.dtype(object)).kind
    if kind in "iu":
        return bool(cells.size and (cells.max() > MOST_EXACT or cells.min() < -MOST_EXACT))
    if kind != "O":
        return False
    return any(
        not -MOST_EXACT <= cell <= MOST_EXACT
        for cell in cells
        if type(cell) is int or isinstance(cell, np.integer)
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
    """The number that a text is, if it is one: a large whole one as an integer.

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
    """Which values are above each cut, ``(n_cuts, n_values)``; missing ones are not.

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
    """Which values are equal to each number, ``(n_numbers, n_values)``."""
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
    """The next lower number that a cell could be: beyond 2**53 that is an integer.

    >>> just_below(2.0), just_below(10**18), just_below(1e18)
    (1.9999999999999998, 999999999999999999, 999999999999999999)
    """
    most = math.inf if isinstance(number, int) else MOST_INTEGER
    if MOST_EXACT < abs(number) <= most:
        return int(number) - 1
    return math.nextafter(number, -math.inf)


def float_below(cut: Number) -> float:
    """The largest floating-point number that is not above the cut: floats compare to it alike."""
    try:
        number = float(cut)
    except OverflowError:
        return math.inf if cut > 0 else -math.inf
    return math.nextafter(number, -math.inf) if number > cut else number


def cut_between(low: Number, high: Number) -> Number:
    """A cut that separates two neighbouring values: at least ``low``, and less than ``high``.

    It lies about halfway and has few digits, so that it is written as it is.

    >>> cut_between(1.4, 3.0), cut_between(0.1 + 0.2, 0.3000000000000001)
    (2.2, 0.30000000000000004)
    >>> cut_between(10**18, 10**18 + 1), cut_between(1.0e308, 1.7e308)
    (1000000000000000000, 1.35e+308)
    """
    if isinstance(low, int) and isinstance(high, int):
        return (low + high) // 2
    middle = float(low) / 2 + float(high) / 2 + 0.0
    if not low <= middle < high:
        return low
    first, last = low / 2 + middle / 2, middle / 2 + high / 2
    for digits in range(ROUND_DIGITS, 17):
        rounded = float(f"{middle:.{digits}g}")
        if first <= rounded <= last and low <= rounded < high:
            return rounded + 0.0  # without the sign of a zero
    return middle
