"""Tables as they are given: checked as scikit-learn does, then read column by column."""

import datetime
import warnings
from decimal import Decimal
from typing import Any
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from atomlearn.classifier.columns import Bits, Floats, Objects, is_missing

Kind = OneOf["number", "boolean", "category"]

_NUMBERS = (int, float, np.number, np.bool_, Decimal)
_NO_TIMES = (
    "column {!r} holds dates or times: turn them into numbers first, such as days since a date or "
    "the day of the week"
)
_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


class NamedArray(np.ndarray):
    """An array whose columns have names: a data frame for those who have no such library."""

    column_names: list[str]

    @classmethod
    def of(cls, rows: npt.NDArray[Any], names: list[str]) -> "NamedArray":
        """Give names to the columns."""
        array = rows.view(cls)
        array.column_names = names
        return array

    def __array_finalize__(self, other: Any) -> None:
        self.column_names = getattr(other, "column_names", [])


def read_table(estimator: BaseEstimator, X: Any, reset: bool, y: Any = "no_validation") -> Any:
    """Check the input; mixed data frames become arrays of objects."""
    refuse_times(X)
    X = _without_categoricals(X)
    names = X.column_names if isinstance(X, NamedArray) else None
    with warnings.catch_warnings():
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
            ensure_all_finite="allow-nan",
        )
    if names is not None:
        if reset:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        elif names != column_names(estimator):
            raise ValueError(f"the columns should be {column_names(estimator)}, not {names}")
    return checked


def column_names(estimator: BaseEstimator) -> list[str]:
    """The names of the columns, or ``x0``, ``x1``, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def refuse_times(X: Any) -> None:
    """Say which column of a frame holds dates, before they are mixed with numbers."""
    types = getattr(X, "dtypes", None)
    if types is None or not hasattr(X, "columns"):
        return
    for name, one in zip(X.columns, types, strict=True):
        if str(one).lower().startswith(("date", "time", "duration", "period")):
            raise ValueError(_NO_TIMES.format(name))


def declared_categories(X: Any) -> Bits | None:
    """Which columns of a pandas or polars frame are declared to be categories."""
    types = getattr(X, "dtypes", None)
    if types is None or sparse.issparse(X) or not hasattr(X, "columns"):
        return None
    names = [str(one).lower() for one in types]
    return np.array([name.startswith(("category", "categorical", "enum")) for name in names])


def _without_categoricals(X: Any) -> Any:
    """Categories of a pandas frame as objects, where scikit-learn would make numbers of them.

    It looks for a common type of all columns if one is boolean, and finds a number.
    """
    marked = declared_categories(X)
    if marked is None or not marked.any() or not hasattr(X, "astype"):
        return X
    if not any(str(one) == "bool" for one in X.dtypes):
        return X
    return X.astype({name: object for name, one in zip(X.columns, marked, strict=True) if one})


def column_kind(table: Any, j: int, name: str) -> Kind:
    """What a column holds; of one of objects it depends on what is in it."""
    kind = table.dtype.kind
    if kind in "iuf":
        return "number"
    if kind == "b":
        return "boolean"
    if kind in "US":
        return "category"
    column = object_column(table, j)
    values = column[~is_missing(column)]
    types = {type(v) for v in values}
    if any(issubclass(t, _TIMES) for t in types):
        raise ValueError(_NO_TIMES.format(name))
    if types and all(issubclass(t, bool | np.bool_) for t in types):
        return "boolean"
    return "number" if all(issubclass(t, _NUMBERS) for t in types) else "category"


def number_column(table: Any, j: int, name: str) -> Floats:
    """A column as floating-point numbers, missing values as ``nan``."""
    column = table[:, [j]].toarray().ravel() if sparse.issparse(table) else table[:, j]
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    column = np.asarray(column, dtype=object)
    missing = is_missing(column)
    values = np.full(len(column), np.nan)
    try:
        values[~missing] = column[~missing].astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {name!r} held numbers when it was learned from, and now: {error}"
        ) from None
    return values


def object_column(table: Any, j: int) -> Objects:
    """A column as Python objects."""
    column = table[:, [j]].toarray().ravel() if sparse.issparse(table) else table[:, j]
    return np.asarray(column, dtype=object)


def one_row(x: Any) -> Any:
    """A table of one row, from a row as an array, a list, a series or such a table."""
    if hasattr(x, "to_frame") and getattr(x, "ndim", 1) == 1:  # a pandas row: names in its index
        x = x.to_frame().T
    elif not hasattr(x, "shape"):
        x = np.array(x, dtype=object)
    if len(x.shape) == 1:
        x = np.asarray(x).reshape(1, -1)
    if x.shape[0] != 1:
        raise ValueError(f"one row is explained at a time, not {x.shape[0]}")
    return x
