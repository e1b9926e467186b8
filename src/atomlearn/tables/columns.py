"""Columns of a table: their kinds and their literals.

Categories are grouped by their class rates: they are ordered along the first principal direction of
these rates (Coppersmith, Hong, Hosking 1999), which for two classes is the order of the rates, and
the order is cut at quantiles. A row must not find its own label in the group it is put in: rates
are shrunk towards that of all rows, a rare category gets the rate of all rows, and there are no
groups at all unless the categories differ by clearly more than chance."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np

from atomlearn.errors import DoubtfulRule, InvalidRule, InvalidTable, nearest
from atomlearn.files.load import LARGEST
from atomlearn.tables.literals import ColumnName, Literal, Operator
from atomlearn.tables.numbers import (
    MOST_EXACT,
    Histogram,
    Number,
    Numbers,
    above,
    equal,
    is_greater,
    is_missing,
    just_below,
    number_in,
    quantile_cuts,
    tree_cuts,
    whole_values,
)
from atomlearn.tables.rules import Condition
from atomlearn.tables.validation import refuse_half_characters, refuse_unhashable
from atomlearn.typing import Bits, Floats, Integers, Objects

FEWEST_GROUPED = 13
"""Minimum number of categories for groups; fewer are handled well one by one."""
MOST_GROUPS = 3
"""Maximum number of groups of a column."""
PSEUDO_ROWS = 10.0
"""Smoothing: number of rows with average class rates that are added to each category."""
RARE = 3.0
"""Weight below which a category counts as average."""
BEYOND_CHANCE = 2.0
"""Groups are made if the chi-square of the categories exceeds its expectation by this factor."""


def find_groups(codes: Integers, classes: Integers, weights: Floats, n: int) -> list[Integers]:
    """Return sets of categories, given the category of each row (-1 is none of the ``n``).

    Each is the side of its cut without average categories, so that an unseen category is treated as
    an average one.
    """
    ours = codes >= 0
    codes, classes, weights = codes[ours], classes[ours], weights[ours]
    if n < FEWEST_GROUPED or len(codes) == 0:
        return []
    n_classes = int(classes.max()) + 1
    cells = np.bincount(codes * n_classes + classes, weights, n * n_classes)
    counts = cells.reshape(n, n_classes).astype(np.float64)
    if not _differ(counts):
        return []
    scores = _scores(counts)
    order = Histogram.of(scores[codes], weights)
    edges = order.values[quantile_cuts(order, MOST_GROUPS)]
    groups = [np.flatnonzero(scores <= edge if edge < 0 else scores > edge) for edge in edges]
    return [group for group in groups if len(group) > 1]


def _differ(counts: Floats) -> bool:
    """Return whether the class rates of the categories differ by clearly more than chance."""
    rows, present = counts.sum(axis=1), counts.sum(axis=0) > 0
    counts = counts[rows > 0][:, present]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    chi_square = float((np.square(counts - expected) / expected).sum())
    return freedom > 0 and chi_square > BEYOND_CHANCE * freedom


def _scores(counts: Floats) -> Floats:
    """Return the position of each category in the order; average ones are at 0."""
    rows = counts.sum(axis=1)
    average = counts.sum(axis=0) / counts.sum()
    rates = (counts + PSEUDO_ROWS * average) / (rows + PSEUDO_ROWS)[:, None] - average
    rates[rows < RARE] = 0
    direction = np.linalg.svd(np.sqrt(rows)[:, None] * rates, full_matrices=False)[2][0]
    size = np.abs(direction)
    sign = np.sign(direction[size > 1e-6 * size.max()][0])
    # Rounded, so that equal rates stay equal, whatever the order of the sums.
    scores: Floats = np.round(rates @ direction * sign, 9) + 0.0
    return scores


@dataclass(frozen=True)
class CutShare:
    """The number of cuts of each kind that a number column may have."""

    quantiles: int
    tree: int = 0
    values: bool = True
    """Whether a few whole numbers also get a literal each."""


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers, cut at quantiles of the training data and where the classes change.

    A column of few whole numbers also has literals for each value.

    >>> [str(one) for one in NumberColumn(0, "pclass", (1.5,), False, values=(1, 2)).literals()]
    ['pclass = 1', 'pclass ≠ 1', 'pclass = 2', 'pclass ≠ 2', 'pclass > 1.5', 'pclass ≤ 1.5']
    """

    index: int
    name: str
    cuts: tuple[Number, ...]
    has_missing: bool
    is_boolean: bool = False
    values: tuple[Number, ...] = ()
    others: tuple[str, ...] = ()
    """Columns that rules compare this one with."""

    @classmethod
    def fit(
        cls,
        index: int,
        name: str,
        values: Numbers,
        weights: Floats,
        share: CutShare,
        is_boolean: bool = False,
        classes: Integers | Floats | None = None,
    ) -> "NumberColumn":
        """Choose cuts, each between two neighbouring values; also by ``classes``, if given."""
        missing = is_missing(values)
        any_missing = bool(missing.any())
        known = ~missing
        histogram = Histogram.of(values[known], weights[known])
        after = quantile_cuts(histogram, share.quantiles)
        if classes is not None and share.tree and len(after) + 1 < len(histogram.values):
            after = np.union1d(after, tree_cuts(histogram, classes[known], share.tree))
        cuts = tuple([0.5] * len(after) if is_boolean else histogram.cuts(after))
        told_apart = whole_values(histogram) if share.values else ()
        return cls(index, name, cuts, any_missing, is_boolean, told_apart)

    def with_conditions(self, conditions: Sequence[Condition]) -> "NumberColumn":
        """Return the column with the cuts and the values that rules need."""
        asked = self.literals_of(conditions)
        are_missing = [one.operator in ("missing", "present") for one in asked]
        named = [one for one, is_state in zip(asked, are_missing, strict=True) if not is_state]
        cuts = {0.5} if self.is_boolean and named else set()
        values = set()
        others = [one.value for one in named if isinstance(one.value, ColumnName)]
        named = [one for one in named if not isinstance(one.value, ColumnName)]
        if not self.is_boolean:
            cuts = {one.value for one in named if one.operator in (">", "<=")}
            values = {one.value for one in named if one.operator in ("=", "!=")}
        return replace(
            self,
            cuts=tuple(sorted({*self.cuts, *cuts})),
            values=tuple(sorted({*self.values, *values})),
            has_missing=self.has_missing or any(are_missing),
            others=tuple(dict.fromkeys([*self.others, *map(str, others)])),
        )

    def literals_of(self, conditions: Sequence[Condition]) -> list[Literal]:
        """Return the literals of rules about this column; cuts lie just beside their numbers."""
        return [self._literal(condition) for condition in conditions]

    def _literal(self, condition: Condition) -> Literal:
        value, operator = condition.value, condition.operator
        if operator in ("missing", "known"):
            return Literal(
                self.index, self.name, "missing" if operator == "missing" else "present", None
            )
        if self.is_boolean:
            told = condition.text.lower() if isinstance(value, str) else f"{value:g}"
            truth = {"true": True, "false": False, "1": True, "0": False}.get(told)
            if truth is not None and operator in (">=", "<="):  # false comes before true
                if truth != (operator == ">="):
                    return Literal(self.index, self.name, "present", None)
                operator = "="
            if truth is None or operator not in ("=", "!="):
                raise InvalidRule(
                    f"{self.name} is true or false: use '= true' or '= false', not '{condition}'"
                )
            return Literal(self.index, self.name, "=", truth == (operator == "="))
        if operator in ("in", "not in"):
            raise InvalidRule(f"{self.name} holds numbers: use > >= < <= = !=, not '{condition}'")
        if isinstance(value, ColumnName):
            if value == self.name:
                raise InvalidRule(f"{self.name} is compared with itself")
            return Literal(self.index, self.name, ">" if operator == ">" else "<=", value)
        if isinstance(value, str) or not math.isfinite(value):
            raise InvalidRule(f"{self.name} holds numbers, and {value!r} is none: '{condition}'")
        below = just_below(value)
        if below < -LARGEST:
            raise InvalidRule(f"{self.name}: no number is below {condition.written}")
        match operator:
            case ">":
                return Literal(self.index, self.name, ">", value)
            case ">=":
                return Literal(self.index, self.name, ">", below)
            case "<=":
                return Literal(self.index, self.name, "<=", value)
            case "<":
                return Literal(self.index, self.name, "<=", below)
        exact = int(value) if value == value // 1 and abs(value) < MOST_EXACT else value
        return Literal(self.index, self.name, "=" if operator == "=" else "!=", exact)

    @property
    def n_literals(self) -> int:
        """Number of literals."""
        n_pairs = len(self.values) + len(self.cuts) + len(self.others)
        return 2 * n_pairs + 2 * self.has_missing

    def literals(self) -> list[Literal]:
        """Return two literals for each value, two for each cut, and two for missing values.

        Of literals that agree on all rows the encoder keeps the first: ``pclass = 3``, not ``pclass
        > 2.5``.
        """
        if self.is_boolean:
            both = [Literal(self.index, self.name, "=", value) for value in (True, False)]
            both *= len(self.cuts)
        else:
            equal: tuple[Operator, ...] = ("=", "!=")
            order: tuple[Operator, ...] = (">", "<=")
            both = [
                Literal(self.index, self.name, operator, value)
                for values, operators in ((self.values, equal), (self.cuts, order))
                for value in values
                for operator in operators
            ]
            both += [
                Literal(self.index, self.name, operator, ColumnName(other))
                for other in self.others
                for operator in order
            ]
        return both + _missing(self.index, self.name, self.has_missing)

    def encode(self, values: Numbers, others: Sequence[Numbers] = ()) -> Bits:
        """Return the truth of each literal for each row.

        Comparisons with ``others`` are false if these are not given.
        """
        missing = is_missing(values)
        # Literal by literal, as they are packed later on: each is one stretch of memory.
        has = above(values, self.cuts)
        if self.values:
            has = np.concatenate([equal(values, self.values), has])
        bits = np.zeros((self.n_literals, len(values)), dtype=np.bool_)
        n = 2 * len(has)
        bits[0:n:2], bits[1:n:2] = has, ~(has | missing)
        if not others:  # as if they were missing
            n += 2 * len(self.others)
        for other in others:
            both_known = ~(missing | is_missing(other))
            bits[n] = is_greater(values, other) & both_known
            bits[n + 1] = ~bits[n] & both_known
            n += 2
        if self.has_missing:
            bits[n], bits[n + 1] = missing, ~missing
        return bits.T


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """A column of categories, with literals for each category, its negation, and groups."""

    index: int
    name: str
    categories: tuple[Any, ...]
    has_missing: bool
    groups: tuple[tuple[int, ...], ...] = ()
    """Groups, each as the indices of its categories."""

    @classmethod
    def fit(
        cls,
        index: int,
        name: str,
        values: Objects,
        weights: Floats,
        most: int,
        classes: Integers | None = None,
    ) -> "CategoryColumn":
        """Collect the most frequent categories, and group them by ``classes``, if given."""
        missing = is_missing(values)
        known = values[~missing].tolist()
        try:
            weight = dict.fromkeys(known, 0.0)
        except TypeError:
            refuse_unhashable(values, name)
            raise
        for value, w in zip(known, weights[~missing].tolist(), strict=True):
            weight[value] += w
        # A scalar of NumPy is written otherwise than the same value in Python, which is in files.
        plain = ((v.item() if isinstance(v, np.generic) else v, w) for v, w in weight.items())
        weight = dict(plain)
        seen = sorted(weight, key=_by_type)
        refuse_half_characters(seen, f"a value of column {name!r}")
        if len(seen) > most:
            warnings.warn(
                f"column {name!r} has {len(seen):,} different values; only the {most:,} most "
                "frequent are used (drop the column if it is an identifier)",
                stacklevel=2,
            )
            seen = sorted(sorted(seen, key=lambda v: -weight[v])[:most], key=_by_type)
        column = cls(index, name, tuple(seen), bool(missing.any()))
        if classes is None:
            return column
        groups = find_groups(column._codes(values, missing), classes, weights, len(seen))
        return replace(column, groups=tuple(tuple(group.tolist()) for group in groups))

    def with_conditions(self, conditions: Sequence[Condition]) -> "CategoryColumn":
        """Return the column with the categories that rules need."""
        asked = self.literals_of(conditions)
        named = [one.value for one in asked if one.operator in ("=", "!=")]
        several = [one.value for one in asked if one.operator in ("in", "not in")]
        has_missing = self.has_missing or len(named) + len(several) < len(asked)
        everything = [*self.categories, *named, *(one for group in several for one in group)]
        categories = tuple(dict.fromkeys(everything))
        for one in categories[len(self.categories) :]:
            if isinstance(one, str) and (meant := nearest(one, self.categories)):
                warnings.warn(
                    f"a rule names {one!r}, which no training row has in column {self.name!r}"
                    f"{meant}",
                    DoubtfulRule,
                    stacklevel=2,
                )
        place = {category: i for i, category in enumerate(categories)}
        groups = [tuple(sorted(place[one] for one in group)) for group in several]
        groups = list(dict.fromkeys([*self.groups, *groups]))
        return replace(self, categories=categories, has_missing=has_missing, groups=tuple(groups))

    def literals_of(self, conditions: Sequence[Condition]) -> list[Literal]:
        """Return the literals of rules about this column; unseen categories have its type."""
        numbers = {one: one for one in self.categories if _is_number(one)}
        texts = {str(one): one for one in self.categories if not _is_number(one)}
        if any(isinstance(one, bool) for one in self.categories):
            texts = {"True": True, "true": True, "False": False, "false": False} | texts
        return [self._literal(condition, numbers, texts) for condition in conditions]

    def _literal(
        self, condition: Condition, numbers: dict[Any, Any], texts: dict[str, Any]
    ) -> Literal:
        if condition.operator in ("missing", "known"):
            state: Operator = "missing" if condition.operator == "missing" else "present"
            return Literal(self.index, self.name, state, None)
        if condition.operator in ("in", "not in"):
            each = [Condition(condition.column, "=", one) for one in condition.value]
            found = {self._literal(one, numbers, texts).value for one in each}
            known = {category: i for i, category in enumerate(self.categories)}
            ordered = tuple(sorted(found, key=lambda one: known.get(one, len(known))))
            side: Operator = "in" if condition.operator == "in" else "not in"
            return Literal(self.index, self.name, side, ordered)
        if condition.operator not in ("=", "!="):
            raise InvalidRule(f"{self.name} holds categories: use = or !=, not '{condition}'")
        operator: Operator = "=" if condition.operator == "=" else "!="
        # Text is compared as it is written, a number by its value, even if it is in quotes.
        value: Any = condition.text
        number, is_quoted = number_in(value), isinstance(condition.value, str)
        if number is not None and number in numbers and not (is_quoted and value in texts):
            value = numbers[number]
        elif number is not None and numbers and not is_quoted and value not in texts:
            value = int(number) if number == number // 1 else number
        value = texts.get(value, value)
        return self._about(operator, value)

    def _about(self, operator: Operator, category: Any) -> Literal:
        is_truth = isinstance(category, bool)
        return Literal(self.index, self.name, operator, category, has_others=is_truth)

    @property
    def n_literals(self) -> int:
        """Number of literals."""
        return 2 * len(self.categories) + 2 * len(self.groups) + 2 * self.has_missing

    def literals(self) -> list[Literal]:
        """Return ``=`` for each category, then ``!=``, then the groups."""
        equal: tuple[Operator, ...] = ("=", "!=")
        both = [
            self._about(operator, category) for operator in equal for category in self.categories
        ]
        groups = [tuple(self.categories[i] for i in group) for group in self.groups]
        sides: tuple[Operator, ...] = ("in", "not in")
        both += [Literal(self.index, self.name, side, group) for side in sides for group in groups]
        return both + _missing(self.index, self.name, self.has_missing)

    def encode(self, values: Objects) -> Bits:
        """Return the truth of each literal for each row; an unseen category equals none."""
        missing = is_missing(values)
        code, known = self._codes(values, missing), ~missing[:, None]
        equal = code[:, None] == np.arange(len(self.categories))[None, :]
        member = np.zeros((len(self.categories) + 1, len(self.groups)), dtype=np.bool_)
        for g, group in enumerate(self.groups):
            member[list(group), g] = True
        inside = member[code]  # none of the categories is the last row
        bits = np.hstack([equal, ~equal & known, inside, ~inside & known])
        return np.column_stack([bits, missing, ~missing]) if self.has_missing else bits

    def _codes(self, values: Objects, missing: Bits) -> Integers:
        """Return the index of each value among the categories, -1 if it is not one of them."""
        index = {category: i for i, category in enumerate(self.categories)}
        try:
            code = np.fromiter(map(index.get, values, repeat(-1)), np.int64, len(values))
        except TypeError:
            raise InvalidTable(
                f"column {self.name!r} holds values that cannot be categories, such as lists"
            ) from None
        code[missing] = -1
        return code


Column = NumberColumn | CategoryColumn


def _is_number(category: Any) -> bool:
    return isinstance(category, int | float | np.number) and not isinstance(category, bool)


def _by_type(value: Any) -> tuple[str, Any]:
    kind = type(value).__name__
    return kind, value if isinstance(value, int | float | str | bytes) else str(value)


def _missing(index: int, name: str, has_missing: bool) -> list[Literal]:
    if not has_missing:
        return []
    return [Literal(index, name, "missing", None), Literal(index, name, "present", None)]
