"""Prepare data frames and lists of dictionaries for scikit-learn's checks."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from atomlearn.errors import InvalidTable
from atomlearn.tables.numbers import MOST_EXACT, has_large_integers
from atomlearn.typing import Bits

NO_TIMES = (
    "column {!r} holds dates or times: turn them into numbers first, such as days since a date or "
    "the day of the week"
)


class NamedArray(np.ndarray):
    """An array with column names: a minimal data frame."""

    column_names: list[str]

    @classmethod
    def of(cls, rows: npt.NDArray[Any], names: list[str]) -> "NamedArray":
        """An array with these column names."""
        array = rows.view(cls)
        array.column_names = names
        return array

    def __array_finalize__(self, other: Any) -> None:
        self.column_names = getattr(other, "column_names", [])


def plain_table(X: Any, names: list[str] | None) -> Any:
    """Convert a table so that scikit-learn keeps its types; ``names`` are the columns, if known."""
    if isinstance(X, Mapping) and not sparse.issparse(X):  # some sparse matrices are both
        raise InvalidTable("one row as a dictionary: put it into a list, as in predict([row])")
    if isinstance(X, list | tuple) and len(X) and all(isinstance(row, Mapping) for row in X):
        return from_records(X, names)
    refuse_times(X)
    return _with_exact_integers(_without_categoricals(without_arrow(X)))


def from_records(records: Any, names: list[str] | None = None) -> NamedArray:
    """Rows given as dictionaries. A missing key is a missing value; a key that no row has is an
    error.

    >>> from_records([{"a": 1, "b": "x"}, {"b": "y"}]).tolist()
    [[1, 'x'], [None, 'y']]
    """
    found = [str(key) for key in dict.fromkeys(key for row in records for key in row)]
    wanted = found if names is None else names
    absent = [name for name in wanted if name not in found]
    if absent or not wanted:
        raise InvalidTable(f"no row has a value of {absent[:10]}; there are {found[:20]}")
    rows = np.empty((len(records), len(wanted)), dtype=object)
    for i, row in enumerate(records):
        by_name = {str(key): value for key, value in row.items()}
        rows[i] = [by_name.get(name) for name in wanted]
    return NamedArray.of(rows, wanted)


def is_frame(X: Any) -> bool:
    """Is it a pandas or polars frame?"""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and not sparse.issparse(X)


def refuse_times(X: Any) -> None:
    """Raise an error that names a column of dates, before it is mixed with numbers."""
    if not is_frame(X):
        return
    for name, one in zip(X.columns, X.dtypes, strict=True):
        if str(one).lower().startswith(("date", "time", "duration", "period")):
            raise InvalidTable(NO_TIMES.format(name))


def declared_categories(X: Any) -> Bits | None:
    """Which columns of a pandas or polars frame are declared to be categories."""
    if not is_frame(X):
        return None
    names = [str(one).lower() for one in X.dtypes]
    declared = ("category", "categorical", "enum", "dictionary")
    return np.array([name.startswith(declared) for name in names])


def declared_kinds(X: Any) -> list[str | None] | None:
    """What the columns of a frame are declared to be: categories or truth values, else ``None``.

    NumPy would make numbers of truth values that stand beside numbers.
    """
    marked = declared_categories(X)
    if marked is None:
        return None
    are_truths = (str(one).lower().startswith("bool") for one in X.dtypes)
    return [
        "category" if is_category else "boolean" if is_truth else None
        for is_category, is_truth in zip(marked, are_truths, strict=True)
    ]


def without_arrow(X: Any) -> Any:
    """Convert columns of a pandas frame or series that Arrow or pandas holds to NumPy.

    Otherwise scikit-learn would look for a common type of all columns, and convert text to numbers.
    """
    if is_frame(X) and hasattr(X, "isetitem") and any(map(_is_arrow, X.dtypes)):
        X = X.copy(deep=False)
        for j, dtype in enumerate(X.dtypes):
            if _is_arrow(dtype):
                X.isetitem(j, _without_arrow(X.iloc[:, j]))
    elif _is_arrow(getattr(X, "dtype", None)):
        return _without_arrow(X)
    return X


def _is_arrow(dtype: Any) -> bool:
    """Also numbers and truth values of pandas that may be missing: ``Int64``, ``boolean``."""
    name = str(dtype)
    return name.endswith("[pyarrow]") or re.fullmatch(r"(Float|U?Int)\d+|boolean", name) is not None


def _without_arrow(series: Any) -> npt.NDArray[Any]:
    kind = getattr(series.dtype, "kind", "O")
    missing = series.isna().to_numpy()
    if kind in "biuf" and not missing.any():
        return np.asarray(series.to_numpy(), dtype=getattr(series.dtype, "numpy_dtype", None))
    if kind == "f" or (kind in "iu" and not has_large_integers(series.dropna().to_numpy(object))):
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    values = np.asarray(series.to_numpy(dtype=object)).copy()
    values[missing] = None
    return values


def _without_categoricals(X: Any) -> Any:
    """Convert categories of a pandas frame to objects.

    scikit-learn looks for a common type of all columns, and would make floating-point numbers of
    categories that are integers or truth values.
    """
    marked = declared_categories(X)
    if marked is None or not marked.any() or not hasattr(X, "astype"):
        return X
    return X.astype({name: object for name, one in zip(X.columns, marked, strict=True) if one})


def _with_exact_integers(X: Any) -> Any:
    """A table whose integers beyond 2**53 stay integers beside columns of another type.

    NumPy would convert all columns to floating point, and round them.
    """
    if isinstance(X, list | tuple):
        return _list_with_integers(X)
    if not is_frame(X):
        return X
    cells = [X.iloc[:, j] if hasattr(X, "iloc") else X[:, j] for j in range(X.shape[1])]
    large = [_has_large_integers(column) for column in cells]
    if not any(large):
        return X
    is_alone = len({str(one.dtype) for one in cells}) == 1
    if is_alone and not any(getattr(one, "null_count", int)() for one in cells):
        return X
    if hasattr(X, "isetitem"):
        X = X.copy(deep=False)
        for j in np.flatnonzero(large).tolist():
            X.isetitem(j, cells[j].astype(object))
        return X
    rows = np.empty(X.shape, dtype=object)
    for j, column in enumerate(cells):
        rows[:, j] = column.to_list()
    return NamedArray.of(rows, list(X.columns))


def _has_large_integers(column: Any) -> bool:
    if not str(column.dtype).lower().startswith(("int64", "uint64")):
        return False
    known = column.drop_nulls() if hasattr(column, "drop_nulls") else column  # polars, pandas
    return has_large_integers(np.asarray(known))


def _list_with_integers(rows: Any) -> Any:
    try:
        table = np.asarray(rows)
    except (TypeError, ValueError, OverflowError):  # scikit-learn will say what is wrong
        return rows
    if table.dtype.kind != "f" or not (np.abs(table) > MOST_EXACT).any():
        return rows
    exact = np.array(rows, dtype=object)
    return exact if has_large_integers(exact.ravel()) else rows
