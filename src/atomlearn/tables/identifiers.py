"""Whole numbers that name their rows: a model that learns them knows the rows by heart.

Measurements repeat by chance. Of ``n`` values drawn evenly from ``m`` possible ones, about
``n² / 2m`` pairs are equal, and more if they are drawn unevenly; numbers that hardly ever repeat
where they should were given out, one to each row.
"""

import re
import warnings

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FEWEST_ROWS = 100
"""In a smaller table nothing can be said."""
EXPECTED = 20.0
"""Equal pairs that there should be by chance ..."""
REPEATED = 0.1
"""... and the share of them that there is at most."""
OF_ROWS = 0.01
"""Share of the rows that may repeat a value."""
_NAMED = re.compile(r"(?:^|[\W_])(?:(?i:id|uid|identifier|key))$|[a-z](?:Id|ID|Key)$")


def is_identifier(values: Floats, name: str = "") -> bool:
    """Does a column of numbers have another whole number in (nearly) every row, as if given out?

    Of numbers of very many digits that cannot be told; then the ``name`` of the column has to.

    >>> is_identifier(np.arange(1000.0, 1200.0)), is_identifier(np.arange(200.0) % 90)
    (True, False)
    """
    n = len(values)
    if n < FEWEST_ROWS or not (np.isfinite(values[:10]).all() and _whole(values[:10])):
        return False
    low, high = values.min(), values.max()
    if not (np.isfinite([low, high]).all() and high - low >= (1 - OF_ROWS) * (n - 1)):
        return False  # a value is missing, or there are too few for all rows
    if not _whole(values):
        return False
    distinct = np.unique(values)
    repeated = n - len(distinct)
    if repeated > OF_ROWS * n:
        return False
    if _NAMED.search(name):
        return True
    possible = (high - low) / float(np.diff(distinct).min()) + 1  # identifiers may go in steps
    expected = n * (n - 1) / (2 * possible)
    return bool(expected >= EXPECTED and repeated <= REPEATED * expected)


def warn_of_identifier(values: Floats, name: str) -> None:
    """Warn if the numbers of a column seem to name its rows."""
    if is_identifier(values, name):
        warnings.warn(
            f"column {name!r} has a different whole number in every row, or nearly so: drop the "
            "column if it is an identifier",
            stacklevel=3,
        )


def _whole(values: Floats) -> bool:
    return bool((values == np.floor(values)).all())
