"""Tables as terms: each row becomes the set of the literals that are true of it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from atomlearn.bits import rows as packed
from atomlearn.bits.rows import Rows
from atomlearn.classifier.columns import Bits, CategoryColumn, Column, Floats, NumberColumn
from atomlearn.classifier.literals import Literal

CHUNK = 16_384
"""Rows encoded at a time, so that the unpacked bits stay small."""

BUDGET = 2048
"""Cuts that all number columns may have together ..."""

MOST_CUTS = 15
"""... and each of them."""


class LiteralEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn numbers, categories, booleans and missing values into literals.

    Numbers are cut at quantiles; each cut gives two literals, above it and not above it.
    Literals that are always true, always false, or the same as another on all training rows are
    left out, so that constant and repeated columns cost nothing.

    >>> encoder = LiteralEncoder().fit([[1.0], [2.0], [4.0]])
    >>> encoder.get_feature_names_out().tolist()
    ['x0 > 1.5', 'x0 ≤ 1.5', 'x0 > 3', 'x0 ≤ 3']
    >>> encoder.transform([[3.0]]).astype(int)
    array([[1, 0, 0, 1]])
    """

    def __init__(self, *, max_cuts: int | None = None) -> None:
        self.max_cuts = max_cuts

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "LiteralEncoder":
        """Choose cuts and categories, and drop the literals that tell nothing."""
        table = read_table(self, X, reset=True)
        weights = _check_sample_weight(sample_weight, table, dtype=np.float64)
        if not (weights > 0).any():
            raise ValueError("all sample weights are zero: nothing is left to learn from")
        return self.fit_table(table[weights > 0], weights[weights > 0], column_names(self))

    def fit_table(self, table: Any, weights: Floats, names: Sequence[str]) -> "LiteralEncoder":
        """The same for a table that has been checked."""
        numbers = [column_is_number(table, j) for j in range(table.shape[1])]
        n_cuts = self._cuts(sum(numbers))
        self.columns_: list[Column] = [
            NumberColumn.fit(j, names[j], number_column(table, j), weights, n_cuts)
            if numbers[j]
            else CategoryColumn.fit(j, names[j], object_column(table, j))
            for j in range(table.shape[1])
        ]
        self.kept_ = self._telling(table)
        everything = [literal for column in self.columns_ for literal in column.literals()]
        self.literals_: list[Literal] = [everything[i] for i in self.kept_]
        return self

    def transform(self, X: Any) -> Bits:
        """The truth of each literal for each row, as booleans."""
        check_is_fitted(self)
        return packed.unpack(self.pack(read_table(self, X, reset=False)), len(self.literals_))

    def pack(self, table: Any, extra: int = 0) -> Rows:
        """The same of a checked table, as packed rows with room for ``extra`` constants more."""
        n = len(self.literals_) + extra
        out = packed.empty(table.shape[0], n)
        for start, bits in self._chunks(table):
            wide = np.zeros((len(bits), n), dtype=np.bool_)
            wide[:, : len(self.literals_)] = bits[:, self.kept_]
            out[start : start + len(bits)] = packed.pack(wide)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The literals as text."""
        check_is_fitted(self)
        return np.array([str(literal) for literal in self.literals_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _cuts(self, n_numbers: int) -> int:
        if self.max_cuts is not None:
            if self.max_cuts < 1:
                raise ValueError(f"max_cuts must be at least 1, not {self.max_cuts}")
            return self.max_cuts
        return int(np.clip(BUDGET // max(1, n_numbers), 1, MOST_CUTS))

    def _chunks(self, table: Any) -> Iterator[tuple[int, Bits]]:
        for start in range(0, table.shape[0], CHUNK):
            part = table[start : start + CHUNK]
            if sparse.issparse(part):
                part = part.toarray()
            parts = [
                column.encode(number_column(part, column.index))
                if isinstance(column, NumberColumn)
                else column.encode(object_column(part, column.index))
                for column in self.columns_
            ]
            empty = np.zeros((part.shape[0], 0), dtype=np.bool_)
            yield start, np.hstack([empty, *parts])

    def _telling(self, table: Any) -> npt.NDArray[np.int64]:
        """Literals that are neither constant nor the same as an earlier one, on all rows."""
        digests: list[list[bytes]] = []
        total: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)
        for _, bits in self._chunks(table):
            octets = np.packbits(bits, axis=0)
            digests.append([octets[:, i].tobytes() for i in range(octets.shape[1])])
            total = total + bits.sum(axis=0)
        seen: set[tuple[bytes, ...]] = set()
        kept = []
        for i, digest in enumerate(zip(*digests, strict=True)):
            if 0 < total[i] < table.shape[0] and digest not in seen:
                seen.add(digest)
                kept.append(i)
        return np.array(kept, dtype=np.int64)


def read_table(estimator: BaseEstimator, X: Any, reset: bool) -> Any:
    """Check the input as scikit-learn does; mixed data frames become arrays of objects."""
    return validate_data(
        estimator, X, reset=reset, accept_sparse="csr", dtype=None, ensure_all_finite="allow-nan"
    )


def column_names(estimator: BaseEstimator) -> list[str]:
    """The names of the columns, or ``x0``, ``x1``, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def column_is_number(table: Any, j: int) -> bool:
    """Numbers and booleans are; of a column of objects it depends on what is in it."""
    if table.dtype.kind in "biuf":
        return True
    if table.dtype.kind in "US":
        return False
    values = [v for v in table[:, j] if not (v is None or v != v)]
    return all(isinstance(v, int | float | np.number | np.bool_) for v in values)


def number_column(table: Any, j: int) -> Floats:
    """A column as floating-point numbers, missing values as ``nan``."""
    column = table[:, [j]].toarray().ravel() if sparse.issparse(table) else table[:, j]
    return (
        np.array([np.nan if v is None else v for v in column], dtype=np.float64)
        if (column.dtype == object)
        else column.astype(np.float64)
    )


def object_column(table: Any, j: int) -> npt.NDArray[np.object_]:
    """A column as Python objects."""
    return np.asarray(table[:, j], dtype=object)
