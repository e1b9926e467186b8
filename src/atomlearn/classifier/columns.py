"""Columns of a table: what kind each is, and the literals it gives rise to."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.literals import Literal

Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NumberColumn:
    """Ordered values, cut at quantiles of the training data: above and not above each cut."""

    index: int
    name: str
    cuts: tuple[float, ...]
    may_miss: bool

    @classmethod
    def fit(
        cls, index: int, name: str, values: Floats, weights: Floats, n_cuts: int
    ) -> "NumberColumn":
        """Choose at most ``n_cuts`` cuts, halfway between two values that do occur."""
        missing = np.isnan(values)
        known, weight = values[~missing], weights[~missing]
        if len(known) == 0:
            return cls(index, name, (), bool(missing.any()))
        distinct, where = np.unique(known, return_inverse=True)
        cumulative = np.cumsum(np.bincount(where, weights=weight))
        levels = np.arange(1, n_cuts + 1) / (n_cuts + 1) * cumulative[-1]
        # The last value at or below each quantile; a cut lies between it and the next.
        at = np.unique(np.searchsorted(cumulative, levels * (1 - 1e-12)))
        at = np.unique(np.minimum(at, len(distinct) - 2)) if len(distinct) > 1 else at[:0]
        cuts = tuple(float(distinct[i] / 2 + distinct[i + 1] / 2) for i in at)
        return cls(index, name, cuts, bool(missing.any()))

    def literals(self) -> list[Literal]:
        """Two for each cut, and two more if values may be missing."""
        both = [
            Literal(self.index, self.name, operator, cut)
            for cut in self.cuts
            for operator in (">", "<=")
        ]
        return both + _missing(self.index, self.name, self.may_miss)

    def encode(self, values: Floats) -> Bits:
        """Rows × literals."""
        missing = np.isnan(values)
        above = values[:, None] > np.array(self.cuts)[None, :]
        bits = np.stack([above, ~above & ~missing[:, None]], axis=2).reshape(len(values), -1)
        return _with_missing(bits, missing, self.may_miss)


@dataclass(frozen=True)
class CategoryColumn:
    """Unordered values: which one it is, and which it is not."""

    index: int
    name: str
    categories: tuple[Any, ...]
    may_miss: bool

    @classmethod
    def fit(cls, index: int, name: str, values: npt.NDArray[np.object_]) -> "CategoryColumn":
        """Remember the values that occur, in order."""
        missing = is_missing(values)
        seen = sorted(set(values[~missing].tolist()), key=lambda v: (str(type(v)), v))
        return cls(index, name, tuple(seen), bool(missing.any()))

    def literals(self) -> list[Literal]:
        """``=`` and ``!=`` for each category."""
        both = [
            Literal(self.index, self.name, operator, category)
            for category in self.categories
            for operator in ("=", "!=")
        ]
        return both + _missing(self.index, self.name, self.may_miss)

    def encode(self, values: npt.NDArray[np.object_]) -> Bits:
        """Rows × literals; a category never seen is none of those that were."""
        missing = is_missing(values)
        index = {category: i for i, category in enumerate(self.categories)}
        code = np.array(
            [-1 if m else index.get(v, -1) for v, m in zip(values, missing, strict=True)]
        )
        equal = code[:, None] == np.arange(len(self.categories))[None, :]
        bits = np.stack([equal, ~equal & ~missing[:, None]], axis=2).reshape(len(values), -1)
        return _with_missing(bits, missing, self.may_miss)


Column = NumberColumn | CategoryColumn


def is_missing(values: npt.NDArray[np.object_]) -> Bits:
    """``None``, ``nan`` and the like (what is not equal to itself)."""
    return np.array([_absent(v) for v in values], dtype=np.bool_)


def _absent(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA refuses to be a truth value
        return True


def _missing(index: int, name: str, may_miss: bool) -> list[Literal]:
    if not may_miss:
        return []
    return [Literal(index, name, "missing", None), Literal(index, name, "present", None)]


def _with_missing(bits: Bits, missing: Bits, may_miss: bool) -> Bits:
    return np.column_stack([bits, missing, ~missing]) if may_miss else bits
