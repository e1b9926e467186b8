"""Contradictions between training rows in classifier files."""

from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.files.reading import Value
from atomlearn.tables.distinct_rows import RowConflict

MOST_CONFLICTS, MOST_ROWS = 200, 50
"""Contradictions that are saved, and rows of each."""


def conflicts_as_json(
    conflicts: list[RowConflict], classes: npt.NDArray[Any]
) -> list[dict[str, Any]]:
    """The first contradictions: row numbers, and labels by their place among the classes."""
    return [
        {
            "rows": one.rows[:MOST_ROWS].tolist(),
            "labels": np.searchsorted(classes, one.labels[:MOST_ROWS]).tolist(),
            "kept": int(np.searchsorted(classes, one.kept)),
        }
        for one in conflicts[:MOST_CONFLICTS]
    ]


def conflicts_in(told: Value | None, classes: npt.NDArray[Any]) -> list[RowConflict]:
    """The contradictions of a file; older files have none."""
    if told is None:
        return []
    told.need(len(told.items()) <= MOST_CONFLICTS, f"has more than {MOST_CONFLICTS}")
    return [_conflict(one, classes) for one in told.items()]


def _conflict(told: Value, classes: npt.NDArray[Any]) -> RowConflict:
    n, high = len(told["rows"].items()), len(classes) - 1
    told["rows"].need(n <= MOST_ROWS, f"has more than {MOST_ROWS} rows")
    return RowConflict(
        told["rows"].integers(n, high=1 << 53),
        classes[told["labels"].integers(n, high=high)],
        classes[told["kept"].integer(high=high)],
    )
