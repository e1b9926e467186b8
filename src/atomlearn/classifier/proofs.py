"""Proofs of statements from the atoms that decide, and the direct evaluation of rows.

A proof does not trust how the model was learned. It reads the atoms or rules that decide, one by
one, and looks at the literals of the column and at the sign of the weight. Rows are evaluated cell
by cell, without the literals of the encoder.
"""

import hashlib
import json
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.scorecard import signed
from atomlearn.errors import InvalidRule
from atomlearn.tables.columns import NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.literals import ColumnName, Literal
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.rules import Bound, Condition, MonotoneStatement, Rule, Statement
from atomlearn.tables.statements import (
    always_within,
    are_possible,
    broken_by,
    effective_cases,
    impossible_together,
    rules_before,
)
from atomlearn.tables.validation import number_column, object_column
from atomlearn.training.data import HardRule
from atomlearn.training.learned import Deciding, Learned
from atomlearn.typing import Bits, Integers

PROVED, BROKEN, BELIEVED = "proved", "broken", "may be overruled"
TESTED = "only tested"
MOST_LISTED = 200
"""Maximum number of atoms that a proof lists."""
MOST_STEPS = 20
"""Maximum number of values of a column that each row is tried with."""


def prove_monotone(
    classifier: Any, statement: MonotoneStatement
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the verdict on a monotone statement, why, and the atoms that have the column."""
    learned, encoder = classifier.learned_, classifier.encoder_
    labels = classifier.labels_of_rules()
    k = labels.index(statement.label)
    column = next(one for one in encoder.columns_ if one.name == statement.column)
    up = 1 if statement.rises else -1
    broken, listed, n_atoms = [], [], 0
    for text, changes, weights in _deciding(
        learned, encoder.literals_, labels, column.index, column.name
    ):
        n_atoms += 1
        if not changes:
            continue
        listed.append(text)
        # As the column rises, the score of the class may only rise against each other score; of
        # ordered classes each may only rise against the one below.
        others = weights if len(labels) > 1 else [0.0]  # the score of a number is the only one
        gaps = [weights[k] - other for other in others]
        if learned.rules.ordered:
            gaps = [one - other for other, one in pairwise(weights)]
        if any(up * way * gap < 0 for way in changes for gap in gaps):
            broken.append(text)
    bounds = always_within(learned.rules.rules)
    for one in (*learned.rules.rules, *learned.rules.soft):
        if not are_possible([encoder.literals_[i] for i in one.literals]):
            continue  # no row meets it
        for i in one.literals:
            way = encoder.literals_[i].direction(column.index, column.name)
            if broken_by(statement, way, one, k, *bounds, learned.rules.ordered):
                broken.append(f"the rule '{classifier.rules_[one.rule]}'")
    what = "rules of the scorecard" if learned.card is not None else "atoms"
    never = "never falls" if statement.rises else "never rises"
    up_or_down = "rises" if statement.rises else "falls"
    against = "" if len(labels) == 1 else " or raises the score of another class"
    follows = (
        f"The scores are sums of these and of constants, and the probability of {statement.label} "
        f"rises with its own score and falls with the others, so it {never} as {statement.column} "
        "rises."
        if len(labels) > 1
        else "The prediction is the sum of these and of a constant, or rises with it, so it "
        f"{never} as {statement.column} rises."
    )
    if learned.rules.ordered:
        against = f", or that of a class relative to those below it, up to {labels[0]}"
        follows = (
            "The scores are sums of these and of constants. Each class gains on all below it, so "
            f"the probability to be above a threshold {never} as {statement.column} rises, at each "
            "threshold."
        )
    proof = [
        f"{len(listed):,} of the {n_atoms:,} {what} that decide have a condition on "
        f"{statement.column}. All were checked: as {statement.column} {up_or_down} and all else "
        f"stays, none lowers the score of {statement.label}{against}.",
        follows,
    ]
    if learned.rules.rules and len(labels) == 1:
        proof.append(
            "A rule that limits it from above can only cease to apply on the way up, and one that "
            "limits it from below can only begin to, unless a limit of all rows is as close."
        )
    elif learned.rules.rules:
        proof.append(
            f"Each rule that excludes {statement.label} can only cease to apply on the way, and "
            "each that excludes another class can only begin to."
            if not learned.rules.ordered
            else "On the way, each rule on the column that excludes the highest classes can only "
            "cease to apply, and each that excludes the lowest can only begin to."
        )
    if broken:
        several = f" and {len(broken) - 1:,} more" if len(broken) > 1 else ""
        return BROKEN, (f"It is broken by {broken[0]}{several}.",), tuple(broken[:MOST_LISTED])
    proof.append("A missing value is not compared.")
    return PROVED, tuple(proof), tuple(listed[:MOST_LISTED])


def _deciding(
    learned: Learned, literals: Sequence[Literal], labels: Sequence[Any], column: int, name: str
) -> Iterator[tuple[str, set[int], list[float]]]:
    """Yield all that decides: its text, how it can change, and its weight for each class.

    The change is 1 if a row can come to meet a rule, or to miss an atom, as the column rises, and
    -1 if it can cease to; there is none if it does not depend on the column.
    """

    def ways(ours: Sequence[Literal]) -> set[int]:
        found = {one.direction(column, name) for one in ours} - {None}
        return {-1, 1} if 0 in found else {way for way in found if way is not None}

    deciding = learned.deciding()
    if (card := deciding.card) is not None:
        for rule, points in zip(card.rules, card.points.tolist(), strict=True):
            text = " and ".join(" or ".join(str(literals[i]) for i in one) for one in rule)
            told = ", ".join(
                f"{label} {signed(n)}" for label, n in zip(labels, points, strict=True) if n
            )
            changes = ways([literals[i] for one in rule for i in one])
            yield f"if {text}: {told}", changes, points
        return
    if learned.rules.ordered and not deciding.slope:
        yield from _of_thresholds(deciding, literals, labels, ways)
        return
    for k, atoms, weights, is_strict in deciding.by_class():
        lists = atoms.each(below=len(literals))
        for constants, weight in zip(lists, weights.tolist(), strict=True):
            ours = [literals[i] for i in constants]
            kind = "strict, " * is_strict
            text = " or ".join(map(str, ours))
            told = f"without {text}: {kind}{labels[k]} {signed(round(weight, 4))}"
            # A literal that becomes true ends the miss of its atom.
            amounts = [weight if j == k else 0.0 for j in range(len(labels))]
            yield told, {-way for way in ways(ours)}, amounts


def _of_thresholds(
    deciding: Deciding,
    literals: Sequence[Literal],
    labels: Sequence[Any],
    ways: Callable[[Sequence[Literal]], set[int]],
) -> Iterator[tuple[str, set[int], list[float]]]:
    """Yield the weighted atoms of ordered classes, each once: a threshold is about several."""
    amounts: dict[tuple[int, ...], list[float]] = {}
    for k, atoms, weights, _ in deciding.by_class():
        lists = atoms.each(below=len(literals))
        for constants, weight in zip(lists, weights.tolist(), strict=True):
            amounts.setdefault(tuple(constants), [0.0] * len(labels))[k] += weight
    for members, found in amounts.items():
        ours = [literals[i] for i in members]
        told = ", ".join(
            f"{label} {signed(round(one, 4))}"
            for label, one in zip(labels, found, strict=True)
            if one
        )
        yield f"without {' or '.join(map(str, ours))}: {told}", {-way for way in ways(ours)}, found


def prove_rule(classifier: Any, r: int, rule: Rule) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the verdict on a rule, why, and the conjunctions that it was compiled to."""
    learned, literals = classifier.learned_, classifier.encoder_.literals_
    labels = classifier.labels_of_rules()
    every = learned.rules.rules if rule.weight is None else learned.rules.soft
    ours = [one for one in every if one.rule == r]
    compiled = tuple(" and ".join(str(literals[i]) for i in one.literals) for one in ours)
    if rule.weight is not None:
        about = f"It was worth {rule.weight:g} rows before anything was learned."
        return BELIEVED, (about, "Examples may overrule it."), compiled
    if not ours and not effective_cases(rule, classifier.rules_, len(labels)):
        given = _gives_way(classifier, rule, len(labels))
        return PROVED, ("It never applies.", *given), compiled
    if isinstance(rule.label, Bound):
        if not ours or not _is_within(classifier, rule, rule.label, ours):
            return BROKEN, ("The model has other bounds.",), compiled
        text = (
            f"Where it applies, the prediction is cut off so that {rule.label}, whatever the atoms "
            "add up to.",
        )
        return PROVED, (*text, *_gives_way(classifier, rule, len(labels))), compiled
    excluded = sorted({labels[k] for one in ours for k in one.forbidden}, key=str)
    wanted = {rule.label} if rule.negated else set(labels) - {rule.label}
    if set(excluded) != wanted or not ours:
        why = f"It excludes {excluded} instead of {sorted(wanted, key=str)}."
        return BROKEN, (why,), compiled
    together = impossible_together(r, learned.rules, literals)
    if together:
        others = " and ".join(f"'{classifier.rules_[i]}'" for i in together if i != r)
        whose = f"Rows that also meet {others}" if others else "Rows that meet it"
        which = "none of these rules is" if others else "it is not"
        why = (
            f"{whose} would be left without a class. For them {which} obeyed, because something "
            "has to be predicted."
        )
        return BROKEN, (why,), compiled
    proof = [
        f"Where it applies, the score of {', '.join(map(str, excluded))} is minus infinity, "
        "whatever the atoms add up to, so the probability is exactly 0.",
    ]
    proof += _gives_way(classifier, rule, len(labels))
    if together is None:
        proof.append(
            "It is not obeyed by rows that several rules leave without a class. There are too "
            "many combinations of rules to prove that there are no such rows."
        )
        return TESTED, tuple(proof), compiled
    return PROVED, tuple(proof), compiled


def _is_within(classifier: Any, rule: Rule, bound: Bound, ours: Sequence[HardRule]) -> bool:
    """Return whether a number is within a bound wherever a rule applies, by these conjunctions."""
    literals = classifier.encoder_.literals_
    cases = effective_cases(rule, classifier.rules_, 1)
    for numbers in classifier.encoder_.literal_numbers(cases):
        has = [literals[i] for i in numbers]
        met = [
            one
            for one in ours
            if all(any(mine.implies(literals[i]) for mine in has) for i in one.literals)
        ]
        low = max((one.low for one in met), default=-math.inf)
        high = min((one.high for one in met), default=math.inf)
        if are_possible(has) and (low < bound.low or high > bound.high):
            return False
    return True


def _gives_way(classifier: Any, rule: Rule, n_classes: int) -> list[str]:
    before = rules_before(rule, classifier.rules_, n_classes)
    listed = ", ".join(f"'{one}'" for one in before)
    return [f"It gives way to {listed}."] if before else []


class Cells:
    """The cells of a table, evaluated one condition at a time and without literals."""

    def __init__(self, values: Any, encoder: LiteralEncoder) -> None:
        self.table, self.encoder = values, encoder
        self.columns = {column.name: column for column in encoder.columns_}

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def digest(self) -> str:
        """Return the fingerprint of the rows."""
        digest = hashlib.sha256()
        for name in self.columns:
            digest.update(json.dumps([name, *map(str, self.cells(name))]).encode("utf-8"))
        return digest.hexdigest()

    def cells(self, name: str) -> list[Any]:
        """Return the cells of a column, ``None`` where one is missing."""
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            values = number_column(self.table, column.index, name)
        else:
            values = object_column(self.table, column.index)
        gone = is_missing(values).tolist()
        return [None if gone[i] else one for i, one in enumerate(values.tolist())]

    def met_by(self, rule: Rule) -> Bits:
        """Return the rows that meet the conditions of a rule."""
        met = np.zeros(len(self), dtype=np.bool_)
        for case in rule.cases():
            every = np.ones(len(self), dtype=np.bool_)
            met |= np.logical_and.reduce([every, *(self.holds(one) for one in case)])
        return met

    def before(self, rule: Rule, statements: Sequence[Statement], n_classes: int) -> Bits:
        """Return the rows in which a rule decides that this one gives way to."""
        met = np.zeros(len(self), dtype=np.bool_)
        for other in rules_before(rule, statements, n_classes):
            met |= self.met_by(other)
        return met

    def holds(self, condition: Condition) -> Bits:
        """Return the rows that meet a simple condition."""
        ours = self.cells(condition.column)
        if condition.operator in ("missing", "known"):
            return np.array([(one is None) == (condition.operator == "missing") for one in ours])
        others = [condition.value] * len(ours)
        if isinstance(condition.value, ColumnName):
            others = self.cells(str(condition.value))
        elif condition.operator in ("=", "!="):
            literal = self.columns[condition.column].literals_of([condition])[0]
            others = [literal.value] * len(ours)
            if isinstance(literal.value, bool) and literal.operator == "=":
                condition = Condition(condition.column, "=", str(literal.value))
        compare = _COMPARED[condition.operator]
        pairs = zip(ours, others, strict=True)
        return np.array([None not in (a, b) and bool(compare(a, b)) for a, b in pairs], np.bool_)


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}


def states_of_number(column: Any) -> list[float]:
    """Return ascending values of a number column, one between each two cuts, at most 20."""
    if not isinstance(column, NumberColumn):
        raise InvalidRule(f"{column.name} holds no numbers")
    if column.is_boolean:
        return [0.0, 1.0]
    marks = sorted({float(one) for one in (*column.cuts, *column.values)})
    if not marks:
        return []
    middle = [(a + b) / 2 for a, b in pairwise(marks)]
    values = sorted({marks[0] - 1, *marks, *middle, marks[-1] + 1})
    step = max(1, -(-len(values) // MOST_STEPS))
    return values[::step]


def rows_against(statement: MonotoneStatement, cells: Cells, labels: npt.NDArray[Any]) -> Integers:
    """Return rows that differ from another in one column only, and whose labels go the wrong way.

    Of two such rows the one with more of the column is not of the class, and the other one is; or
    it has less of the number that rises with the column.
    """
    values = cells.cells(statement.column)
    others = [cells.cells(name) for name in cells.columns if name != statement.column]
    groups: dict[Any, list[int]] = {}
    for i, key in enumerate(zip(*others, strict=True)) if others else enumerate([()] * len(values)):
        if values[i] is not None:
            groups.setdefault(key, []).append(i)
    found: set[int] = set()
    sign = 1 if statement.rises else -1
    is_number = labels.dtype.kind == "f" and statement.label not in labels.tolist()
    for rows in groups.values():
        if is_number:
            for i in rows:
                against = [j for j in rows if (values[j] - values[i]) * sign > 0]
                wrong = [j for j in against if labels[j] < labels[i]]
                found |= {i, *wrong} if wrong else set()
            continue
        ours = [i for i in rows if labels[i] == statement.label]
        rest = [i for i in rows if labels[i] != statement.label]
        if not ours or not rest:
            continue
        lowest, highest = min(sign * values[i] for i in ours), max(sign * values[i] for i in rest)
        found |= {i for i in ours if sign * values[i] < highest}
        found |= {i for i in rest if sign * values[i] > lowest}
    return np.array(sorted(found), dtype=np.int64)
