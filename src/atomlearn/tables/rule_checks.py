"""Do rules make sense together? Checked before anything is learned."""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy.typing as npt

from atomlearn.algebra.algebra import Algebra
from atomlearn.errors import ContradictoryRules, DoubtfulRule
from atomlearn.markup import Displayed
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.literals import Literal
from atomlearn.tables.numbers import just_below
from atomlearn.tables.rules import Rule
from atomlearn.training.rules import HardRule, HardRules
from atomlearn.typing import Integers

MOST_STEPS = 10_000
"""Combinations of rules that are looked at for places where no class is possible."""


@dataclass(frozen=True, repr=False)
class RuleConflict(Displayed):
    """Training rows that a rule contradicts: they were left out, because the rule wins."""

    rule: Rule
    rows: Integers
    labels: npt.NDArray[Any]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:5])) + (", ..." if len(self.rows) > 5 else "")
        labels = ", ".join(map(str, sorted(set(self.labels.tolist()), key=str)))
        return f"{len(self.rows)} row(s) labelled {labels} contradict '{self.rule}': rows {shown}"


def compile_rules(
    rules: Sequence[Rule], encoder: LiteralEncoder, classes: npt.NDArray[Any], check: bool = True
) -> HardRules:
    """The rules for the engine, after checking them; contradictory ones raise an error.

    The encoder must have been fitted with the conditions of the rules.
    """
    labels = classes.tolist()
    place = {label: k for k, label in enumerate(labels)}
    of_column: dict[int, list[int]] = {}
    for i, literal in enumerate(encoder.literals_ if rules else ()):
        of_column.setdefault(literal.column, []).append(i)
    hard = []
    all_numbers = encoder.literal_numbers([rule.conditions for rule in rules])
    for rule, numbers in zip(rules, all_numbers, strict=True):
        implied = _implied(numbers, encoder.literals_, of_column)
        k = place[rule.label]
        others = tuple(j for j in range(len(labels)) if j != k)
        forbidden, label = ((k,), None) if rule.negated else (others, k)
        hard.append(HardRule(tuple(numbers), forbidden, label, tuple(implied)))
    if check:
        literals = [[encoder.literals_[i] for i in one.literals] for one in hard]
        checks = _Checks(rules, hard, literals)
        checks.raise_contradictions(labels)
        checks.warn(len(labels))
    return HardRules(hard, len(labels))


def _implied(
    numbers: Sequence[int], literals: Sequence[Literal], of_column: dict[int, list[int]]
) -> list[int]:
    """The literals that are true of every row that has all of these.

    Of many cuts only the strongest in each direction is compared, since it implies the others, and
    excluded values are compared as a set: a rule may have thousands of conditions.
    """
    found = set(numbers)
    for column, (strongest, without) in _by_column([literals[i] for i in numbers]).items():
        for i in of_column[column]:
            other = literals[i]
            if any(one.implies(other) for one in strongest) or (
                without and (other.operator == "present" or _excludes(other, without))
            ):
                found.add(i)
    return sorted(found)


def _excludes(literal: Literal, without: set[Any]) -> bool:
    return literal.operator == "not in" and without.issuperset(literal.value)


def _by_column(literals: Iterable[Literal]) -> dict[int, tuple[list[Literal], set[Any]]]:
    """For each column the literals that imply all others of their kind, and excluded values."""
    found: dict[int, tuple[dict[Any, Literal], set[Any]]] = {}
    for one in literals:
        best, without = found.setdefault(one.column, ({}, set()))
        if one.operator == "!=":
            without.add(one.value)
            continue
        kind = (one.operator, one.value) if one.operator == "=" else one.operator
        if kind not in best or one.implies(best[kind]):
            best[kind] = one
    return {column: (list(best.values()), without) for column, (best, without) in found.items()}


class _Checks:
    """Rules beside each other."""

    def __init__(
        self, rules: Sequence[Rule], hard: Sequence[HardRule], literals: list[list[Literal]]
    ) -> None:
        self.rules, self.hard, self.literals = rules, hard, literals
        self.can_be_met = [_are_possible(ours) for ours in literals]

    def raise_contradictions(self, labels: Sequence[Any]) -> None:
        """Raise an error for two rules that cannot both hold for a row that meets both."""
        for i, j in self._pairs():
            label = self.hard[i].label
            if label is not None and label in self.hard[j].forbidden:
                algebra = self._algebra(i, j, str(labels[label]))
                raise ContradictoryRules((self.rules[i], self.rules[j]), algebra.conflicts())

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Rules that some row could meet both of."""
        n = len(self.rules)
        for i in range(n):
            for j in range(n):
                if i != j and _are_possible(self.literals[i] + self.literals[j]):
                    yield i, j

    def _algebra(self, i: int, j: int, label: str) -> Algebra:
        """The two rules as relations: a positive one, and a negative one that it makes fail.

        ``not k if L`` is ¬(k < everything that a row with L can have).
        """
        algebra = Algebra()
        every = dict.fromkeys(self.literals[i] + self.literals[j])
        k = algebra.constants(f"class {label}")[0]
        constants = dict(zip(every, algebra.constants(*map(str, every)), strict=True))
        first = algebra.term([constants[one] for one in self.literals[i]])
        allowed = [one for one in every if _are_possible([one, *self.literals[j]])]
        second = algebra.term([constants[one] for one in allowed])
        algebra.add(k <= first, ~(k <= second))
        return algebra

    def warn(self, n_classes: int) -> None:
        """Warn of rules that do nothing, and of places where no class is possible."""
        for i, rule in enumerate(self.rules):
            if not self.can_be_met[i]:
                _warn(f"no row can meet '{rule}': its conditions exclude each other")
            elif self._follows(i):
                _warn(f"'{rule}' follows from the other rules and can be left out")
        empty = self._nowhere(n_classes)
        if empty:
            listed = ", ".join(f"'{self.rules[i]}'" for i in empty)
            _warn(
                f"{listed} together leave no class possible for rows that meet all of them; there "
                "they are not obeyed"
            )

    def _follows(self, i: int) -> bool:
        """Do other rules forbid all that this one forbids, wherever it applies?"""
        stronger = [
            self.hard[j].forbidden
            for j in range(len(self.rules))
            if j != i and self._covers(j, i) and not (self._covers(i, j) and j > i)
        ]
        return set(self.hard[i].forbidden) <= {k for ours in stronger for k in ours}

    def _covers(self, j: int, i: int) -> bool:
        """Does every row that meets rule ``i`` meet rule ``j``?"""
        return all(any(own.implies(one) for own in self.literals[i]) for one in self.literals[j])

    def _nowhere(self, n_classes: int) -> list[int]:
        """Rules that some row could meet all of and that together forbid every class."""
        forbidding = [
            [i for i, one in enumerate(self.hard) if k in one.forbidden and self.can_be_met[i]]
            for k in range(n_classes)
        ]
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        for _ in range(MOST_STEPS):
            if not stack:
                return []
            k, chosen = stack.pop()
            if k == n_classes:
                return sorted(set(chosen))
            for i in forbidding[k]:
                several = sorted({*chosen, i})
                if _are_possible([one for r in several for one in self.literals[r]]):
                    stack.append((k + 1, tuple(several)))
        return []


def warn_of_unmet(rules: Sequence[Rule], met: Integers) -> None:
    """Warn of rules whose conditions no training row meets."""
    for rule, count in zip(rules, met.tolist(), strict=True):
        if count == 0:
            _warn(f"no training row meets the conditions of '{rule}'")


def _are_possible(literals: Sequence[Literal]) -> bool:
    """Can one row have all of these? Of statements about single columns it is enough that no two
    exclude each other.
    """
    for strongest, without in _by_column(literals).values():
        equal = [one for one in strongest if one.operator == "="]
        if len(equal) > 1 or any(one.value in without for one in equal):
            return False
        if without and any(one.operator == "missing" for one in strongest):
            return False
        bounds: dict[str, Any] = {one.operator: one.value for one in strongest}
        low, high = bounds.get(">", -math.inf), bounds.get("<=", math.inf)
        # Between "at least 5" and "at most 5" there is nothing but 5.
        if high in without and just_below(high) <= low:
            return False
        pairs = permutations(strongest, 2)
        if any(one.implies(other.negated()) for one, other in pairs):
            return False
    return True


def _warn(message: str) -> None:
    warnings.warn(message, DoubtfulRule, stacklevel=2)
