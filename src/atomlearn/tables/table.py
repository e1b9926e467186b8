"""Tables as they are given: checked as scikit-learn does, then read column by column."""

import datetime
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from atomlearn.errors import AtomlearnError, InvalidTable, nearest
from atomlearn.tables.frames import (
    NO_TIMES,
    NamedArray,
    declared_categories,
    plain_table,
    refuse_times,
    without_arrow,
)
from atomlearn.tables.numbers import Numbers, exact_numbers, is_missing
from atomlearn.tables.targets import refuse_half_characters, refuse_missing_labels
from atomlearn.typing import Objects

Kind = OneOf["number", "boolean", "category"]

_NUMBERS = (int, float, np.number, np.bool_, Decimal)
_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def read_table(estimator: BaseEstimator, X: Any, reset: bool, y: Any = "no_validation") -> Any:
    """Check the input; mixed data frames become arrays of objects."""
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


@contextmanager
def refusing() -> Iterator[None]:
    """What scikit-learn complains of as an error of ours."""
    try:
        yield
    except AtomlearnError:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidTable(str(error)) from None


def column_names(estimator: BaseEstimator) -> list[str]:
    """The names of the columns, or ``x0``, ``x1``, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(estimator.n_features_in_)]
    return [str(name) for name in names]


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
    """Say where a table has an infinite number: no cut lies beyond it."""
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
        for i, value in enumerate(table[:, j].tolist()):
            if isinstance(value, float | np.floating | Decimal) and value in infinite:
                yield i, j


def column_kind(table: Any, j: int, name: str) -> Kind:
    """What a column holds; of one of objects it depends on what is in it."""
    kind = table.dtype.kind
    if kind in "iuf":
        return "number"
    if kind == "b":
        return "boolean"
    if kind in "US":
        return "category"
    return kind_of(object_column(table, j), name) or "number"


def kind_of(column: Objects, name: str) -> Kind | None:
    """What some objects are; ``None`` if all are missing."""
    values = column[~is_missing(column)]
    types = {type(v) for v in values}
    if not types:
        return None
    if any(issubclass(t, _TIMES) for t in types):
        raise InvalidTable(NO_TIMES.format(name))
    if all(issubclass(t, bool | np.bool_) for t in types):
        return "boolean"
    return "number" if all(issubclass(t, _NUMBERS) for t in types) else "category"


def column_kinds(X: Any, names: Sequence[str]) -> list[Kind | None]:
    """What each column of a frame or an array holds, as it is given; ``None`` if all is missing."""
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
    """A column as numbers that lose no digit; see :mod:`atomlearn.tables.numbers`."""
    column = np.asarray(_dense_column(table, j))
    try:
        return exact_numbers(column if column.dtype.kind in "biuf" else column.astype(object))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTable(
            f"column {name!r} held numbers when it was learned from, and now: {error}"
        ) from None


def object_column(table: Any, j: int) -> Objects:
    """A column as Python objects."""
    return np.asarray(_dense_column(table, j), dtype=object)


def _dense_column(table: Any, j: int) -> Any:
    """A column of an array, or of a sparse table by columns, which is read in no time this way."""
    if not sparse.issparse(table):
        return table[:, j]
    ours = slice(table.indptr[j], table.indptr[j + 1])
    column = np.zeros(table.shape[0], dtype=table.dtype)
    column[table.indices[ours]] = table.data[ours]
    return column


def one_row(x: Any) -> Any:
    """A table of one row, from a row as an array, list, dictionary, series or such a table."""
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
