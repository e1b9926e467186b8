"""Contradictions between training rows, or of rows with rules, in classifier files."""

from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.files.load import Value
from atomlearn.tables.distinct_rows import RowConflict
from atomlearn.tables.rule_checks import RuleConflict
from atomlearn.tables.rules import Rule
from atomlearn.typing import Integers

MOST_CONFLICTS, MOST_ROWS = 10_000, 100_000
"""Contradictions that are saved, and rows of each: so many that in practice it is all of them."""


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
    kept = told["kept"].integer(high=len(classes) - 1)
    return RowConflict(*_rows(told, classes), classes[kept])


def _rows(told: Value, classes: npt.NDArray[Any]) -> tuple[Integers, npt.NDArray[Any]]:
    """Row numbers and labels."""
    n = len(told["rows"].items())
    told["rows"].need(n <= MOST_ROWS, f"has more than {MOST_ROWS} rows")
    labels = told["labels"].integers(n, high=len(classes) - 1)
    return told["rows"].integers(n, high=1 << 53), classes[labels]


def rule_conflicts_as_json(
    conflicts: list[RuleConflict], rules: list[Rule], classes: npt.NDArray[Any]
) -> list[dict[str, Any]]:
    """The rows that rules contradict: of each rule by its number, the first ones."""
    return [
        {
            "rule": rules.index(one.rule),
            "rows": one.rows[:MOST_ROWS].tolist(),
            "labels": np.searchsorted(classes, one.labels[:MOST_ROWS]).tolist(),
        }
        for one in conflicts[:MOST_CONFLICTS]
    ]


def rule_conflicts_in(
    told: Value | None, rules: list[Rule], classes: npt.NDArray[Any]
) -> list[RuleConflict]:
    """The rows of a file that rules contradict; older files have none."""
    if told is None:
        return []
    told.need(len(told.items()) <= MOST_CONFLICTS, f"has more than {MOST_CONFLICTS}")
    return [
        RuleConflict(rules[one["rule"].integer(high=len(rules) - 1)], *_rows(one, classes))
        for one in told.items()
    ]
