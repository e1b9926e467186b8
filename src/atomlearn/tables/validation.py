"""Validation of input: tables of any library, the kinds of their columns, and labels."""

import contextlib
import datetime
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from atomlearn.errors import AtomlearnError, InvalidTable, InvalidTarget, MissingExtra, nearest
from atomlearn.tables.numbers import (
    MOST_EXACT,
    Numbers,
    exact_numbers,
    has_large_integers,
    is_missing,
)
from atomlearn.typing import Bits, Integers, Objects

MANY, FEW_ROWS = 50, 5
"""A target with more than ``MANY`` distinct numbers as labels, and on average fewer than
``FEW_ROWS`` rows of each, is taken for regression."""
TOO_MANY = 1000
"""A target with more labels than this that are numbers is taken for regression in any case."""

_INSTEAD = (
    "bin it first (as pandas.qcut does, into low, medium and high), use a regressor "
    "(AlgebraicRegressor; on the command line --regress), or, if each "
    "number does name a class, "
)


def pandas_for(what: str) -> Any:
    """Return pandas, or raise an error that names what needs it."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra(f"{what} needs pandas: pip install pandas") from None
    return pd


def refuse_missing_labels(y: Any) -> None:
    """Raise an error that names the first row without a label, which scikit-learn does not name."""
    # In a list of text NumPy would make "nan" of a missing label.
    labels = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if labels.ndim != 1 or labels.dtype.kind not in "Of":
        return
    rows = np.flatnonzero(is_missing(labels))
    if len(rows):
        raise InvalidTable(
            f"Input y contains NaN: row {rows[0]} has no label ({len(rows):,} such); remove these "
            "rows"
        )


def refuse_half_characters(texts: Iterable[Any], what: str) -> None:
    """Refuse text with half of a surrogate pair: it is no character, and no file can store it."""
    for text in texts:
        try:
            str(text).encode()
        except UnicodeEncodeError:
            raise InvalidTable(
                f"{what}, {text!r}, has half of a character (a lone surrogate): read the table "
                "with the right encoding"
            ) from None


def check_targets(targets: Any, max_classes: int | None) -> None:
    """Refuse a target that is no column of labels, or looks like a number to be predicted."""
    try:
        kind = type_of_target(targets, input_name="y")
    except TypeError as error:  # labels of bytes
        raise InvalidTarget(str(error)) from None
    if kind not in ("binary", "multiclass") and not kind.startswith("continuous"):
        raise InvalidTarget(
            f"Unknown label type: {kind}. y must be one column of labels, text or whole numbers, "
            "without missing ones"
        )
    check_labels(*np.unique(targets, return_counts=True), max_classes=max_classes)


def check_labels(labels: npt.NDArray[Any], counts: Integers, max_classes: int | None) -> None:
    """Refuse distinct labels that look like numbers to be predicted, given their row counts."""
    refuse_half_characters(labels.tolist() if labels.dtype.kind in "UO" else (), "a label")
    n, n_rows = len(labels), int(counts.sum())
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        raise InvalidTarget(
            f"Unknown label type: continuous. y holds numbers with fractions: {_INSTEAD}make it "
            "text"
        )
    if max_classes is not None:
        if n > max_classes:
            raise InvalidTarget(f"y has {n:,} different labels, and max_classes={max_classes:,}")
        return
    if (n > TOO_MANY or (n > MANY and n_rows < FEW_ROWS * n)) and are_numbers(labels):
        raise InvalidTarget(
            f"y looks like a number to be predicted: {n:,} different numbers in {n_rows:,} rows, "
            f"from {labels[0]} on. A classifier would learn each as a class of its own: "
            f"{_INSTEAD}pass max_classes={n} (on the command line --max-classes {n})"
        )


def are_numbers(labels: npt.NDArray[Any]) -> bool:
    """Return whether all labels are numbers, or text that reads as one.

    >>> are_numbers(np.array(["12", "3.5"])), are_numbers(np.array(["12", "b"]))
    (True, False)
    """
    if labels.dtype.kind in "iuf":
        return True
    if labels.dtype.kind == "b":
        return False
    try:
        labels.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


NO_TIMES = (
    "column {!r} holds dates or times: turn them into numbers first, such as days since a date or "
    "the day of the week"
)


class NamedArray(np.ndarray):
    """An array with column names: a minimal data frame."""

    column_names: list[str]

    @classmethod
    def of(cls, rows: npt.NDArray[Any], names: list[str]) -> "NamedArray":
        """Return an array with these column names."""
        array = rows.view(cls)
        array.column_names = names
        return array

    def __array_finalize__(self, other: Any) -> None:
        self.column_names = getattr(other, "column_names", [])


def plain_table(X: Any, names: list[str] | None) -> Any:
    """Convert a table so that scikit-learn keeps its types; ``names`` are the columns, if known."""
    if isinstance(X, Mapping) and not sparse.issparse(X):  # some sparse matrices are both
        raise InvalidTable(
            "X is a dictionary: put one row into a list, as in predict([row]), and make columns a "
            "data frame, as in pandas.DataFrame(X)"
        )
    if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
        raise InvalidTable("X is a lazy frame, which has no rows yet: give X.collect()")
    if getattr(X, "ndim", None) == 2 and hasattr(X, "columns") and not len(X.columns):
        raise InvalidTable("X has no columns")
    if isinstance(X, list | tuple) and len(X) and all(isinstance(row, Mapping) for row in X):
        return from_records(X, names)
    refuse_times(X)
    return _with_exact_integers(_without_categoricals(without_arrow(X)))


def from_records(records: Any, names: list[str] | None = None) -> NamedArray:
    """Return rows given as dictionaries as an array.

    A missing key is a missing value; a key that no row has is an error.

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
    """Return whether it is a pandas or polars frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and not sparse.issparse(X)


def refuse_times(X: Any) -> None:
    """Raise an error that names a column of dates, before it is mixed with numbers."""
    if not is_frame(X):
        return
    for name, one in zip(X.columns, X.dtypes, strict=True):
        if str(one).lower().startswith(("date", "time", "duration", "period")):
            raise InvalidTable(NO_TIMES.format(name))


def declared_categories(X: Any) -> Bits | None:
    """Return which columns of a pandas or polars frame are declared to be categories."""
    if not is_frame(X):
        return None
    names = [str(one).lower() for one in X.dtypes]
    declared = ("category", "categorical", "enum", "dictionary")
    return np.array([name.startswith(declared) for name in names])


def declared_kinds(X: Any) -> list[str | None] | None:
    """Return the declared kind of each column of a frame: categories, truth values or ``None``.

    NumPy would convert truth values beside numbers to numbers.
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
    elif hasattr(X, "isna") and _is_arrow(getattr(X, "dtype", None)):  # types of polars: Int64
        return _without_arrow(X)
    return X


def _is_arrow(dtype: Any) -> bool:
    """Return whether it is a type of Arrow, or a nullable one of pandas: ``Int64``, ``boolean``."""
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
    """Return a table whose integers beyond 2**53 stay integers beside columns of another type.

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


Kind = OneOf["number", "boolean", "category"]

_NUMBERS = (int, float, np.number, np.bool_, Decimal)
_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def read_table(estimator: BaseEstimator, X: Any, reset: bool, y: Any = "no_validation") -> Any:
    """Check the input; mixed data frames become arrays of objects."""
    is_plain = not reset and isinstance(y, str)
    if is_plain and (known := _known_numbers(estimator, X)) is not None:
        refuse_infinity(known, column_names(estimator))
        return known
    X = plain_table(X, None if reset else column_names(estimator))
    names = X.column_names if isinstance(X, NamedArray) else None
    with warnings.catch_warnings(), refusing():
        y = without_arrow(y)
        refuse_missing_labels(y)
        if names is not None:
            X = X.view(np.ndarray)
            warnings.filterwarnings("ignore", "X does not have valid feature names")
        checked = validate_data(
            estimator,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=None,
            ensure_all_finite=False,  # checked below, with the row and the column
        )
    if names is not None:
        _take_names(estimator, names, reset)
    if reset:
        refuse_half_characters(getattr(estimator, "feature_names_in_", ()), "the name of a column")
    refuse_infinity(checked if isinstance(y, str) else checked[0], column_names(estimator))
    return checked


def _known_numbers(estimator: BaseEstimator, X: Any) -> npt.NDArray[Any] | None:
    """Return a table that is known to be sound at a glance, or ``None`` if it has to be examined.

    These are frames of floating-point numbers with the columns that ``fit`` saw, and arrays of
    numbers if it saw no names. To examine a frame of one row takes longer than to predict it.
    """
    names = getattr(estimator, "feature_names_in_", None)
    if type(X) is np.ndarray:
        are_known = names is None and X.ndim == 2 and X.dtype.kind in "biuf"
    else:
        are_known = (
            names is not None
            and hasattr(X, "isetitem")
            and X.columns.tolist() == names.tolist()
            and all(isinstance(one, np.dtype) and one.kind == "f" for one in set(X.dtypes))
        )
    if not are_known or len(X) == 0 or X.shape[1] != estimator.n_features_in_:
        return None
    return np.asarray(X)


@contextmanager
def refusing() -> Iterator[None]:
    """Convert scikit-learn's errors about input to ours."""
    try:
        yield
    except AtomlearnError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidTable(str(error)) from None


def column_names(estimator: BaseEstimator) -> list[str]:
    """Return the names of the columns, or ``x0``, ``x1`` and so on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def table_columns(X: Any) -> list[str]:
    """Return the names of the columns of a table that no estimator has seen yet."""
    names = getattr(X, "columns", getattr(X, "column_names", None))
    if names is not None:
        return [str(name) for name in names]
    return [f"x{j}" for j in range(np.shape(X)[1])]


def _take_names(estimator: BaseEstimator, names: list[str], reset: bool) -> None:
    if reset:
        estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    known = column_names(estimator)
    if names == known:
        return
    absent = [name for name in known if name not in names]
    odd = [name for name in names if name not in known]
    if absent or odd:
        hint = nearest(absent[0], odd) if absent else nearest(odd[0], known)
        raise InvalidTable(
            f"columns that are not there: {absent[:10]}; not known: {odd[:10]}{hint}"
        )
    raise InvalidTable(f"the columns should be in the order {known[:20]}, not {names[:20]}")


def refuse_infinity(table: Any, names: list[str]) -> None:
    """Raise an error that names the place of an infinite number: no cut lies beyond it."""
    if table.dtype.kind == "O":
        found = _infinite_objects(table)
    elif table.dtype.kind == "f":
        values = table.data if sparse.issparse(table) else table
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(values.sum()) or not np.isinf(values).any():
                return
        found = _infinite_numbers(table)
    else:
        return
    for row, column in found:
        raise InvalidTable(
            f"Input X contains infinity: row {row}, column {names[column]!r}; "
            "replace it by a number or by a missing value"
        )


def _infinite_numbers(table: Any) -> Iterator[tuple[int, int]]:
    if sparse.issparse(table):
        table = table.tocoo()
        for k in np.flatnonzero(np.isinf(table.data)):
            yield int(table.row[k]), int(table.col[k])
        return
    for row, column in np.argwhere(np.isinf(table)):
        yield int(row), int(column)


def _infinite_objects(table: Any) -> Iterator[tuple[int, int]]:
    infinite = {float("inf"), float("-inf")}
    for j in range(table.shape[1]):
        values = table[:, j].tolist()
        with contextlib.suppress(TypeError):  # a value that has no hash
            if infinite.isdisjoint(values):
                continue
        for i, value in enumerate(values):
            if isinstance(value, float | np.floating | Decimal) and value in infinite:
                yield i, j


def column_kind(table: Any, j: int, name: str) -> Kind:
    """Return the kind of a column; for one of objects it depends on the values."""
    kind = table.dtype.kind
    if kind in "iuf":
        return "number"
    if kind == "b":
        return "boolean"
    if kind in "US":
        return "category"
    return kind_of(object_column(table, j), name) or "number"


def kind_of(column: Objects, name: str) -> Kind | None:
    """Return the kind of some objects, or ``None`` if all are missing."""
    values = column[~is_missing(column)]
    types = set(map(type, values.tolist()))
    if not types:
        return None
    if any(issubclass(t, _TIMES) for t in types):
        raise InvalidTable(NO_TIMES.format(name))
    if all(issubclass(t, bool | np.bool_) for t in types):
        return "boolean"
    return "number" if all(issubclass(t, _NUMBERS) for t in types) else "category"


def column_kinds(X: Any, names: Sequence[str]) -> list[Kind | None]:
    """Return the kind of each column of a frame or an array, or ``None`` if all is missing."""
    refuse_times(X)
    declared = declared_categories(X)
    if declared is not None:
        cells = (X.iloc[:, j] if hasattr(X, "iloc") else X[:, j] for j in range(X.shape[1]))
        return [
            "category" if is_declared else _kind_of_cells(np.asarray(column), name)
            for column, is_declared, name in zip(cells, declared, names, strict=True)
        ]
    if sparse.issparse(X) or X.dtype.kind in "iub":
        return [column_kind(X, 0, "")] * X.shape[1]
    return [_kind_of_cells(np.asarray(X[:, j]), names[j]) for j in range(X.shape[1])]


def _kind_of_cells(cells: npt.NDArray[Any], name: str) -> Kind | None:
    if cells.dtype.kind == "O":
        return kind_of(cells, name)
    if cells.dtype.kind == "f" and len(cells) and np.isnan(cells[0]) and np.isnan(cells).all():
        return None
    return column_kind(cells[:, None], 0, name)


def number_column(table: Any, j: int, name: str) -> Numbers:
    """Return a column as numbers that lose no digit; see :mod:`atomlearn.tables.numbers`."""
    column = np.asarray(_dense_column(table, j))
    try:
        return exact_numbers(column if column.dtype.kind in "biuf" else column.astype(object))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTable(
            f"column {name!r} held numbers when it was learned from, and now: "
            f"{_first_text(column) or error}"
        ) from None


def _first_text(column: Objects) -> str:
    """Say which row of a column is not a number."""
    for i, value in enumerate(column.tolist()):
        try:
            exact_numbers(np.array([value], dtype=object))
        except (TypeError, ValueError, OverflowError):
            return f"row {i} has {value!r}"
    return ""


def object_column(table: Any, j: int) -> Objects:
    """Return a column as Python objects."""
    return np.asarray(_dense_column(table, j), dtype=object)


def _dense_column(table: Any, j: int) -> Any:
    """Return a column of an array, or of a sparse table by columns, which is fast to read."""
    if not sparse.issparse(table):
        return table[:, j]
    ours = slice(table.indptr[j], table.indptr[j + 1])
    column = np.zeros(table.shape[0], dtype=table.dtype)
    column[table.indices[ours]] = table.data[ours]
    return column


def refuse_unhashable(values: Objects, name: str) -> None:
    """Raise an error that names the type of a value that cannot be a category, such as a list."""
    odd = next((v for v in values.tolist() if type(v).__hash__ is None), None)
    if odd is not None:
        raise InvalidTable(
            f"column {name!r} holds a {type(odd).__name__}; "
            "a value must be a number, a string or the like"
        ) from None


def one_row(x: Any) -> Any:
    """Return a table of one row, given as an array, list, dictionary, series or such a table."""
    if isinstance(x, Mapping) and not sparse.issparse(x):
        return [x]
    if hasattr(x, "to_frame") and getattr(x, "ndim", 1) == 1:  # a pandas row: names in its index
        x = x.to_frame().T
    elif not hasattr(x, "shape"):
        x = np.array(x, dtype=object)
    if len(x.shape) == 1:
        x = np.asarray(x).reshape(1, -1)
    if len(x.shape) != 2:
        raise InvalidTable(f"a row has one value a column; here are {len(x.shape)} dimensions")
    if x.shape[0] != 1:
        raise InvalidTable(f"one row is explained at a time, not {x.shape[0]}")
    return x
