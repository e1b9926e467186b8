"""Whole numbers that name their rows: a model that learns them knows the rows by heart.

Measurements repeat by chance. Of ``n`` values drawn evenly from ``m`` possible ones, about
``n² / 2m`` pairs are equal, and more if they are drawn unevenly; numbers that hardly ever repeat
where they should were given out, one to each row.
"""

import re
import warnings

import numpy as np

from atomlearn.tables.numbers import Numbers, is_missing

FEWEST_ROWS = 100
"""Tables with fewer rows are not checked for identifiers."""
EXPECTED = 20.0
"""A column is only judged if at least this many pairs of equal values are expected by chance."""
REPEATED = 0.1
"""An identifier has at most this share of the repetitions that are expected by chance."""
OF_ROWS = 0.01
"""An identifier repeats a value in at most this share of the rows."""
_NAMED = re.compile(r"(?:^|[\W_])(?:(?i:id|uid|identifier|key))$|[a-z](?:Id|ID|Key)$")


def is_identifier(values: Numbers, name: str = "") -> bool:
    """Does a column of numbers have another whole number in (nearly) every row, as if given out?

    Of numbers of very many digits that cannot be told; then the ``name`` of the column has to.

    >>> is_identifier(np.arange(1000.0, 1200.0)), is_identifier(np.arange(200.0) % 90)
    (True, False)
    """
    n = len(values)
    if n < FEWEST_ROWS or is_missing(values[:10]).any() or not _whole(values[:10]):
        return False
    if is_missing(values).any() or not _whole(values):
        return False
    distinct = np.unique(values)
    low, high = distinct[[0, -1]].tolist()  # integers of any length are subtracted exactly
    repeated = n - len(distinct)
    if repeated > OF_ROWS * n or high - low < (1 - OF_ROWS) * (n - 1):
        return False
    if _NAMED.search(name):
        return True
    possible = (high - low) / float(np.diff(distinct).min()) + 1  # identifiers may go in steps
    expected = n * (n - 1) / (2 * possible)
    return bool(expected >= EXPECTED and repeated <= REPEATED * expected)


def warn_of_identifier(values: Numbers, name: str) -> None:
    """Warn if the numbers of a column seem to name its rows."""
    if is_identifier(values, name):
        warnings.warn(
            f"column {name!r} has a different whole number in every row, or nearly so: drop the "
            "column if it is an identifier",
            stacklevel=3,
        )


def _whole(values: Numbers) -> bool:
    return values.dtype.kind in "iu" or bool((values % 1 == 0).all())
