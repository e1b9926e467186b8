"""Columns of a table: what kind each is, and the literals it gives rise to."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.literals import Literal
from atomlearn.errors import InvalidTable

Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Objects = npt.NDArray[np.object_]


@dataclass(frozen=True)
class NumberColumn:
    """Ordered values, cut at quantiles of the training data: above and not above each cut."""

    index: int
    name: str
    cuts: tuple[float, ...]
    may_miss: bool
    is_boolean: bool = False

    @classmethod
    def fit(
        cls,
        index: int,
        name: str,
        values: Floats,
        weights: Floats,
        n_cuts: int,
        is_boolean: bool = False,
    ) -> "NumberColumn":
        """Choose at most ``n_cuts`` cuts, halfway between two values that do occur."""
        missing = np.isnan(values)
        known, weight = values[~missing], weights[~missing]
        if len(known) == 0:
            return cls(index, name, (), bool(missing.any()), is_boolean)
        distinct = np.unique(known)
        # Looked up, not sorted along: most columns have few values, and then this is quick.
        where = np.searchsorted(distinct, known)
        cumulative = np.cumsum(np.bincount(where, weights=weight))
        levels = np.arange(1, n_cuts + 1) / (n_cuts + 1) * cumulative[-1]
        # The last value at or below each quantile; a cut lies between it and the next.
        at = np.unique(np.searchsorted(cumulative, levels * (1 - 1e-12)))
        at = np.unique(np.minimum(at, len(distinct) - 2)) if len(distinct) > 1 else at[:0]
        cuts = tuple(float(distinct[i] / 2 + distinct[i + 1] / 2) for i in at)
        return cls(index, name, cuts, bool(missing.any()), is_boolean)

    @property
    def n_literals(self) -> int:
        """How many literals it has."""
        return 2 * len(self.cuts) + 2 * self.may_miss

    def literals(self) -> list[Literal]:
        """Two for each cut, and two more if values may be missing."""
        if self.is_boolean:
            both = [Literal(self.index, self.name, "=", value) for value in (True, False)]
            both *= len(self.cuts)
        else:
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
    def fit(
        cls, index: int, name: str, values: Objects, weights: Floats, most: int
    ) -> "CategoryColumn":
        """Remember the values that occur, in order; of too many only the commonest."""
        missing = is_missing(values)
        known = values[~missing].tolist()
        try:
            weight = dict.fromkeys(known, 0.0)
        except TypeError:
            odd = next(v for v in known if type(v).__hash__ is None)
            raise InvalidTable(
                f"column {name!r} holds a {type(odd).__name__}; "
                "a value must be a number, a string or the like"
            ) from None
        for value, w in zip(known, weights[~missing].tolist(), strict=True):
            weight[value] += w
        seen = sorted(weight, key=_by_type)
        if len(seen) > most:
            warnings.warn(
                f"column {name!r} has {len(seen):,} different values; the {most:,} commonest are "
                "told apart, the others are 'none of them' (drop the column if it only names rows)",
                stacklevel=2,
            )
            seen = sorted(sorted(seen, key=lambda v: -weight[v])[:most], key=_by_type)
        return cls(index, name, tuple(seen), bool(missing.any()))

    @property
    def n_literals(self) -> int:
        """How many literals it has."""
        return 2 * len(self.categories) + 2 * self.may_miss

    def literals(self) -> list[Literal]:
        """``=`` for each category, then ``!=``."""
        both = [
            Literal(self.index, self.name, operator, category)
            for operator in ("=", "!=")
            for category in self.categories
        ]
        return both + _missing(self.index, self.name, self.may_miss)

    def encode(self, values: Objects) -> Bits:
        """Rows × literals; a category never seen is none of those that were."""
        missing = is_missing(values)
        index = {category: i for i, category in enumerate(self.categories)}
        try:
            code = np.array(
                [-1 if m else index.get(v, -1) for v, m in zip(values, missing, strict=True)],
                dtype=np.int64,
            )
        except TypeError:
            raise InvalidTable(
                f"column {self.name!r} holds values that are no categories"
            ) from None
        equal = code[:, None] == np.arange(len(self.categories))[None, :]
        bits = np.hstack([equal, ~equal & ~missing[:, None]])
        return _with_missing(bits, missing, self.may_miss)


Column = NumberColumn | CategoryColumn


def is_missing(values: Objects) -> Bits:
    """``None``, ``nan`` and the like (what is not equal to itself)."""
    try:
        nothing: Any = None
        return np.asarray((values == nothing) | (values != values), dtype=np.bool_)
    except (TypeError, ValueError):  # pandas.NA refuses to be a truth value
        return np.array([_absent(v) for v in values], dtype=np.bool_)


def _absent(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True
    except ValueError:  # an array, which is no value at all but not absent either
        return False


def _by_type(value: Any) -> tuple[str, Any]:
    kind = type(value).__name__
    return kind, value if isinstance(value, int | float | str | bytes) else str(value)


def _missing(index: int, name: str, may_miss: bool) -> list[Literal]:
    if not may_miss:
        return []
    return [Literal(index, name, "missing", None), Literal(index, name, "present", None)]


def _with_missing(bits: Bits, missing: Bits, may_miss: bool) -> Bits:
    return np.column_stack([bits, missing, ~missing]) if may_miss else bits
