"""Columns of categories none of which was there in training: nearly always of another type."""

import warnings
from numbers import Number
from typing import Any

import numpy as np

from atomlearn.errors import UnseenCategories
from atomlearn.tables.columns import CategoryColumn
from atomlearn.tables.numbers import is_missing
from atomlearn.typing import Bits, Objects

MANY_ROWS = 10
"""Rows from which on it is no chance that all values are new, if they are of a known type."""


class UnseenColumns:
    """Looks at the categories of a table, part by part, and warns in the end."""

    def __init__(self) -> None:
        self._new: dict[int, list[Any]] = {}
        self._columns: dict[int, CategoryColumn] = {}
        self._known: set[int] = set()

    def look(self, column: CategoryColumn, values: Objects, encoded: Bits) -> None:
        """Look at some cells of a column, and at their literals."""
        n = len(column.categories)
        if n == 0 or column.index in self._known:
            return
        if encoded[:, :n].any():
            self._known.add(column.index)
            self._new.pop(column.index, None)
            return
        new = values[~is_missing(values)].tolist()
        if new:
            self._columns[column.index] = column
            self._new.setdefault(column.index, []).extend(new)

    def warn(self, stacklevel: int = 2) -> None:
        """Warn of each column in which every known value is new."""
        for index, new in self._new.items():
            column = self._columns[index]
            was = {type_name(category) for category in column.categories}
            now = {type_name(value) for value in new}
            if was.isdisjoint(now):
                why = (
                    f"it was learned from {_listed(was)} such as {column.categories[0]!r} and now "
                    f"has {_listed(now)} such as {new[0]!r}: convert it to what it was"
                )
            elif len(new) >= MANY_ROWS:
                why = f"learned were values such as {column.categories[0]!r}, now {new[0]!r}"
            else:
                continue
            warnings.warn(
                f"column {column.name!r}: none of its {len(new):,} values was seen in training, so "
                f"it tells nothing; {why}",
                UnseenCategories,
                stacklevel=stacklevel + 1,
            )


def type_name(value: Any) -> str:
    """Text, numbers, truth values or the name of the type.

    >>> type_name("10"), type_name(10), type_name(True)
    ('text', 'numbers', 'truth values')
    """
    if isinstance(value, bool | np.bool_):
        return "truth values"
    if isinstance(value, str):
        return "text"
    return "numbers" if isinstance(value, Number | np.number) else type(value).__name__


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
