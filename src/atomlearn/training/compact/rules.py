"""The rules that a card may have: sides of splits, and conjunctions of them.

A row that misses an atom has the opposite side of each of its literals, so an atom is a rule.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Rows, pack_row
from atomlearn.sets.words import transpose
from atomlearn.training.boosting.trees import ANY_SIGN, Signs, Splits, side_signs
from atomlearn.training.compact.card import Condition, Conjunction
from atomlearn.training.compact.lesson import Lesson
from atomlearn.typing import Bits, Integers

FEWEST_ROWS = 3
"""Minimum number of rows that meet a rule, and that do not."""


class Sides:
    """The sides of all splits: sets of literals of one column, each with its opposite."""

    def __init__(
        self, splits: Splits, rows: Rows, n_literals: int, signs: Signs | None = None
    ) -> None:
        self.n_literals = n_literals
        self.signs: Signs | None = None
        """The signs that the weight of a rule with each side may have, by class."""
        if signs is not None:
            self.signs = np.stack([side_signs(splits, one).ravel() for one in signs])
        constants = splits.sides.constants.tolist()
        self.literals: list[Condition] = [
            tuple(constants[a:b]) for a, b in pairwise(splits.sides.starts.tolist())
        ]
        self.bits = self.of(rows)
        """The training rows that have each side, by which conditions imply each other."""
        self.column = np.repeat(splits.group, 2)
        self.place = {one: i for i, one in enumerate(self.literals)}
        self._same = {
            (int(column), bits.tobytes()): i
            for i, (column, bits) in reversed(
                list(enumerate(zip(self.column, self.bits, strict=True)))
            )
        }
        self.column_of = {
            literal: column
            for one, column in zip(self.literals, self.column.tolist(), strict=True)
            for literal in one
        }
        self.absent: dict[int, int] = {}
        """The literal of each column that says that the value is missing, if there is one."""
        for one in self.literals:
            if len(one) == 2:
                alone = [literal for literal in one if (literal,) not in self.place]
                missing = alone[0] if len(alone) == 1 else self._shared(one)
                self.absent[self.column_of[missing]] = missing

    def of(self, rows: Rows) -> Rows:
        """Return the packed set of the rows that have each side."""
        having = transpose(rows, rows.shape[1] * 64)
        bits = having[[one[0] for one in self.literals]] if self.literals else having[:0]
        for i, one in enumerate(self.literals):
            for literal in one[1:]:
                bits[i] |= having[literal]
        return bits

    def _shared(self, pair: Condition) -> int:
        """Return the literal of a pair that other pairs of the column have too, else the last."""
        ours = [one for one in self.literals if len(one) == 2 and one != pair]
        return next((i for i in pair if any(i in one for one in ours)), pair[-1])

    def rule(self, atom: Sequence[int]) -> tuple[int, ...] | None:
        """Return the sides that a row has if it misses the atom, if there are such sides."""
        by_column: dict[int, list[int]] = {}
        for literal in atom:
            if literal not in self.column_of:
                return None
            by_column.setdefault(self.column_of[literal], []).append(literal)
        found: list[int] = []
        for column, ours in by_column.items():
            whole = self.place.get(tuple(sorted(ours)))
            if whole is not None:
                found.append(whole ^ 1)
                continue
            missing = self.absent.get(column)
            for literal in ours:
                if literal == missing:
                    continue
                both = () if missing not in ours else (missing,)
                side = self.place.get(tuple(sorted((literal, *both))))
                if side is None:
                    return None
                found.append(side ^ 1)
        return self.simplified(found)

    def allowed(self, rules: Sequence[tuple[int, ...]], n_classes: int) -> Signs:
        """Return the signs that the weights of each rule may have, ``(n_classes, n_rules)``."""
        if self.signs is None or not rules:
            return np.full((n_classes, len(rules)), ANY_SIGN, dtype=np.uint8)
        return np.stack(
            [np.bitwise_and.reduce(self.signs[:, list(one)], axis=1) for one in rules], axis=1
        )

    def simplified(self, rule: Sequence[int]) -> tuple[int, ...]:
        """Drop conditions that another one of the same column implies, and join what is one."""
        sides = sorted(set(rule))
        if len({int(self.column[side]) for side in sides}) == len(sides):
            return tuple(sides)

        def is_implied(a: int) -> bool:
            return any(
                self.column[a] == self.column[b]
                and not (self.bits[b] & ~self.bits[a]).any()
                and (b < a or bool((self.bits[a] & ~self.bits[b]).any()))
                for b in sides
                if b != a
            )

        kept = [side for side in sides if not is_implied(side)]
        columns = [int(self.column[side]) for side in kept]
        for column in {one for one in columns if columns.count(one) > 1}:
            ours = [side for side in kept if self.column[side] == column]
            both = np.bitwise_and.reduce(self.bits[ours], axis=0)
            same = self._same.get((column, both.tobytes()))
            if same is not None:  # what is neither b nor o is x
                kept = [side for side in kept if side not in ours] + [same]
        return tuple(sorted(kept))

    def conditions(self, rule: Sequence[int]) -> Conjunction:
        """Return the rule in literals."""
        return tuple(self.literals[side] for side in rule)

    def atom(self, rule: Conjunction) -> list[int]:
        """Return the atom that a row misses if it meets the rule."""
        opposite = [self.literals[self.place[one] ^ 1] for one in rule]
        return sorted({literal for one in opposite for literal in one})


class Choice(NamedTuple):
    """Rules as sides, and which rows meet each; ``cover`` are those of an exact card, if any."""

    rules: list[tuple[int, ...]]
    met: Bits
    cover: list[tuple[tuple[int, ...], int]]
    """Rules of the cover, and the class that each excludes."""


def find_choice(
    sides: Sides, lesson: Lesson, made_rows: Rows, rows: Rows, labels: Integers
) -> Choice:
    """Return the rules of all candidates and single sides, none of which equals another.

    Strict atoms of the training ``rows`` may make an exact card.
    """
    candidates, n = lesson.candidates, len(made_rows)
    made, given = sides.of(made_rows), sides.of(rows)
    # The last constant is the class.
    found = [sides.rule(atom) for atom in candidates.atoms.each(below=sides.n_literals)]
    singles: list[tuple[int, ...]] = [(i,) for i in range(len(sides.literals))]
    known: dict[bytes, int] = {}
    rules: list[tuple[int, ...]] = []
    every = packed.full(n)
    for rule in sorted([*singles, *filter(None, found)], key=len):
        ours = np.bitwise_and.reduce(made[list(rule)], axis=0)
        # A side says as much as its opposite: only one of them is a rule.
        same = ours if ours[0] & np.uint64(1) else ~ours & every
        key = same.tobytes()
        if key not in known:
            known[key] = len(rules)
            rules.append(rule)
    met = np.empty((len(rules), made.shape[1]), dtype=np.uint64)
    for i, one in enumerate(rules):
        met[i] = np.bitwise_and.reduce(made[list(one)], axis=0)
    counts = packed.count(met)
    useful = np.flatnonzero((counts >= FEWEST_ROWS) & (counts <= n - FEWEST_ROWS))
    cover = _cover(candidates.of_class, found, given, labels, lesson.scores.shape[1])
    return Choice([rules[i] for i in useful], packed.unpack(met[useful], n), cover)


def _cover(
    of_class: Integers,
    rules: Sequence[tuple[int, ...] | None],
    given: Rows,
    labels: Integers,
    n_classes: int,
) -> list[tuple[tuple[int, ...], int]]:
    """Return strict atoms that exclude every row from every other class, but for one class.

    What no other class's atoms exclude is of the class whose atoms are most: it needs none.
    ``given`` has the training rows that have each side.
    """
    each: list[list[tuple[tuple[int, ...], int]] | None] = []
    for k in range(n_classes):
        own, left = pack_row(labels == k), pack_row(labels != k)
        ours = list[tuple[tuple[int, ...], int]]()
        for atom in np.flatnonzero(of_class == k).tolist():
            rule = rules[atom]
            met = np.bitwise_and.reduce(given[list(rule)], axis=0) if rule else left & ~left
            if rule and not (met & own).any() and (met & left).any():
                left &= ~met
                ours.append((rule, k))
        each.append(None if left.any() else ours)
    open_ = [k for k, ours in enumerate(each) if ours is None]
    if len(open_) > 1:
        return []
    spared = open_[0] if open_ else max(range(n_classes), key=lambda k: len(each[k] or ()))
    return [one for k, ours in enumerate(each) if k != spared for one in ours or ()]
