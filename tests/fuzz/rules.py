"""Random rules, and what they say of a row: the obvious way, in plain Python."""

import operator
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from atomlearn.tables.numbers import number_in
from atomlearn.tables.rules import Condition, Rule
from tests.fuzz.tables import Column

COMPARE = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Test:
    """What is asked of one column, with the value that is meant."""

    __test__ = False

    column: str
    sign: str
    value: Any = None
    is_bare: bool = False
    """Whether text is written without quotes, though it reads as a number."""

    def is_met(self, row: Row) -> bool:
        """A missing value meets no comparison."""
        cell = row[self.column]
        if self.sign in ("missing", "known"):
            return (cell is None) == (self.sign == "missing")
        return cell is not None and bool(COMPARE[self.sign](cell, self.value))

    def condition(self) -> Condition:
        """The same as atomlearn has it."""
        if self.is_bare:
            number = number_in(self.value)
            return Condition(self.column, self.sign, number, self.value)
        written = str(self.value) if isinstance(self.value, bool) else ""
        return Condition(self.column, self.sign, self.value, written)


@dataclass(frozen=True)
class Told:
    """One rule as it is meant."""

    label: Any
    negated: bool
    tests: tuple[Test, ...]

    def is_met(self, row: Row) -> bool:
        return all(test.is_met(row) for test in self.tests)

    def rule(self) -> Rule:
        """The same as atomlearn has it."""
        return Rule(self.label, self.negated, tuple(test.condition() for test in self.tests))


def possible(told: Sequence[Told], labels: Sequence[Any], row: Row) -> list[bool] | None:
    """Which labels the rules allow a row; ``None`` if they allow none, and are not obeyed."""
    allowed = [True] * len(labels)
    for one in told:
        if one.is_met(row):
            allowed = [
                was and ((label == one.label) != one.negated)
                for was, label in zip(allowed, labels, strict=True)
            ]
    return allowed if any(allowed) else None


def draw_rules(
    columns: Sequence[Column], labels: Sequence[Any], chance: random.Random
) -> list[Told]:
    """One to four random rules; they may contradict each other."""
    return [
        Told(
            chance.choice(list(labels)),
            chance.random() < 0.65,
            tuple(
                _test(chance.choice(columns), chance) for _ in range(chance.choice((1, 1, 2, 3)))
            ),
        )
        for _ in range(chance.choice((1, 1, 2, 3, 4)))
    ]


def _test(column: Column, chance: random.Random) -> Test:
    if chance.random() < 0.1:
        return Test(column.name, chance.choice(("missing", "known")))
    is_ordered = column.kind in ("float", "integer")
    sign = chance.choice(tuple(COMPARE) if is_ordered else ("=", "=", "!="))
    value = chance.choice(column.values if chance.random() < 0.7 else column.beyond or (True,))
    number = number_in(value) if isinstance(value, str) else None
    reads_as_number = number is not None and abs(number) < 1e300 and value == value.strip()
    return Test(column.name, sign, value, reads_as_number and chance.random() < 0.5)
