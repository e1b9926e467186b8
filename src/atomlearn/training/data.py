"""Training data: examples and their folds, predictions on held-out rows, and hard rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import Blocks, blocks_of
from atomlearn.engine.symmetries import Symmetries
from atomlearn.sets import rows as packed
from atomlearn.sets.memory import ROWS_AT_ONCE, room
from atomlearn.sets.rows import Lists, Rows
from atomlearn.training.boosting.losses import LOG_LOSS, Loss
from atomlearn.training.boosting.rounds import Prior
from atomlearn.training.boosting.trees import POSITIVE, Signs
from atomlearn.training.scores import Calibration, calibrate, error_and_loss
from atomlearn.typing import Bits, Floats, Integers

FORBIDDEN = 100.0
"""Penalty of an excluded class on held-out rows; predictions use minus infinity."""


class HardRule(NamedTuple):
    """One conjunction of a rule: a rule with "or" has several."""

    literals: tuple[int, ...]
    """The rule applies to rows for which all of these are true."""
    forbidden: tuple[int, ...]
    """Classes that are impossible where the rule applies."""
    label: int | None = None
    """The only possible class, if the rule names one."""
    implied: tuple[int, ...] = ()
    """All literals that are true where the rule applies."""
    rule: int = 0
    """The number of the rule among all that were given."""
    low: float = -np.inf
    high: float = np.inf
    """Bounds of a number where the rule applies."""


class SoftRule(NamedTuple):
    """One conjunction of a rule that examples may overrule."""

    literals: tuple[int, ...]
    """The rule is about rows for which all of these are true."""
    atom: tuple[int, ...]
    """The literals of which all other rows have one."""
    k: int
    negated: bool
    n_rows: float
    """Number of rows that the rule is worth."""
    rule: int = 0
    """The number of the rule among all that were given."""


@dataclass(frozen=True)
class HardRules:
    """Rules and monotone statements that every prediction obeys.

    >>> rules = HardRules([HardRule((0, 2), (1,))], n_classes=2)
    >>> rules.forbidden_of(packed.from_indices([[0], [0, 2]], 4)).tolist()
    [[False, False], [False, True]]
    """

    rules: Sequence[HardRule] = ()
    n_classes: int = 0
    signs: Signs | None = None
    """The signs that a weight for each class may have where a literal is a condition, ``(n_classes,
    n_constants)``; ``None`` if all may have any. If every weight has such a sign, the scores are
    monotone: a rule with the condition ``debt > 5`` can only speak for the class that rises with
    debt, one with ``debt ≤ 5`` only against it."""
    soft: Sequence[SoftRule] = ()
    n_given: int = 0
    """Number of statements that were given, of which rules and monotone statements are made."""
    ordered: bool = False
    """Whether the classes are ordered: a chain of more than two, each above those before it."""

    def __bool__(self) -> bool:
        return len(self.rules) > 0

    def priors_of(self, variants: npt.NDArray[np.uint64]) -> list[Prior]:
        """Return what the soft rules say of packed examples and their images."""
        rows = variants.reshape(-1, variants.shape[-1]) if self.soft else variants
        return [
            Prior(meets(rows, one.literals), one.atom, one.k, one.negated, one.n_rows)
            for one in self.soft
        ]

    def usable(self, k: int) -> Rows | None:
        """Return the literals that strict atoms of a class may have, or ``None`` if it is all.

        To miss an atom is evidence against the class, so its literals must speak for the class.
        """
        if self.signs is None:
            return None
        return packed.pack((self.signs[k : k + 1] & POSITIVE) > 0)[0]

    def met_by(self, rows: Rows) -> Bits:
        """Return which rules each packed row meets the conditions of, ``(n_rows, n_rules)``."""
        met = np.zeros((len(rows), len(self.rules)), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            met[:, r] = meets(rows, rule.literals)
        return met

    def by_statement(self, met: Bits) -> Bits:
        """Return which of the statements that were given each row meets the conditions of."""
        found = np.zeros((len(met), self.n_given), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            found[:, rule.rule] |= met[:, r]
        return found

    def forbidden_of(self, rows: Rows) -> Bits:
        """Return which classes are impossible for each packed row."""
        return self.forbidden_by(self.met_by(rows))

    def forbidden_in(self, blocks: Blocks, n: int) -> Bits:
        """Return which classes are impossible for rows that are transposed."""
        return self.forbidden_by(self._met_in(blocks, n))

    def _met_in(self, blocks: Blocks, n: int) -> Bits:
        """Return which rules transposed rows meet the conditions of."""
        met = np.zeros((n, len(self.rules)), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            words = np.bitwise_and.reduce(blocks[:, list(rule.literals)], axis=1)
            met[:, r] = packed.unpack(words.reshape(1, -1), words.size * 64)[0, :n]
        return met

    def forbidden_by(self, met: Bits) -> Bits:
        """Return which classes are excluded by the rules that each row meets.

        Where rules leave no class possible they are not obeyed, because some class must be
        predicted.
        """
        forbidden = np.zeros((len(met), self.n_classes), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            forbidden[np.ix_(np.flatnonzero(met[:, r]), np.array(rule.forbidden, np.int64))] = True
        forbidden[forbidden.all(axis=1)] = False
        return forbidden

    def bounds_of(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the lowest and the highest number that the rules allow for each packed row.

        >>> both = [HardRule((0,), (), low=2.0), HardRule((), (), high=9.0)]
        >>> rules = HardRules(both, n_classes=1)
        >>> rules.bounds_of(packed.from_indices([[0], [1]], 2))
        (array([  2., -inf]), array([9., 9.]))
        """
        return self.bounds_by(self.met_by(rows))

    def bounds_in(self, blocks: Blocks, n: int) -> tuple[Floats, Floats]:
        """Return the bounds of numbers for rows that are transposed."""
        return self.bounds_by(self._met_in(blocks, n))

    def bounds_by(self, met: Bits) -> tuple[Floats, Floats]:
        """Return the bounds of numbers, given the rules that each row meets."""
        low, high = np.full(len(met), -np.inf), np.full(len(met), np.inf)
        for r, rule in enumerate(self.rules):
            low[met[:, r]] = np.maximum(low[met[:, r]], rule.low)
            high[met[:, r]] = np.minimum(high[met[:, r]], rule.high)
        return low, high

    def decide(self, rows: Rows, is_true: Bits, k: int) -> Bits:
        """Return whether each packed row is of class ``k``, by rules or else by ``is_true``."""
        if not self:
            return is_true
        forbidden = self.forbidden_of(rows)
        forced = forbidden.sum(axis=1) == self.n_classes - 1
        return np.where(forced | forbidden[:, k], ~forbidden[:, k], is_true)

    def terms(self, n_constants: int) -> tuple[Rows, Integers]:
        """Return for rules that name a class the literals that they imply, and the class."""
        positive = [rule for rule in self.rules if rule.label is not None]
        rows = packed.from_indices([list(rule.implied) for rule in positive], n_constants)
        return rows, np.array([rule.label for rule in positive], dtype=np.int64)


def meets(rows: Rows, literals: Sequence[int]) -> Bits:
    """Return which packed rows have all of these literals."""
    term = packed.row(literals, rows.shape[1] * 64)
    found = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        found[some] = ((rows[some] & term) == term).all(axis=1)
    return found


@dataclass(frozen=True)
class HeldOutPredictions:
    """Predictions on held-out examples."""

    ratios: Floats
    labels: Integers
    weights: Floats
    """Weights for errors and losses."""
    shares: Floats
    """Weights for the calibration: at most one for each distinct example."""
    weighted: Floats | None = None
    """Scores of weighted atoms, ``(n_examples, n_classes)``, if there are any."""
    examples: Integers | None = None
    """Indices of the examples, while these are known."""

    @classmethod
    def none(cls, n_classes: int) -> "HeldOutPredictions":
        """Return predictions on no examples."""
        nothing = np.zeros(0)
        return cls(np.zeros((0, n_classes)), np.zeros(0, dtype=np.int64), nothing, nothing)

    def __len__(self) -> int:
        return len(self.labels)

    def thinned(self, most: int) -> "HeldOutPredictions":
        """Return at most ``most`` of the predictions, evenly spaced."""
        step = -(-len(self) // most)
        if step <= 1:
            return self
        return HeldOutPredictions(
            self.ratios[::step],
            self.labels[::step],
            self.weights[::step],
            self.shares[::step],
            None if self.weighted is None else self.weighted[::step],
            None if self.examples is None else self.examples[::step],
        )

    def extended(self, new: "HeldOutPredictions", most: int) -> "HeldOutPredictions":
        """Return these predictions and new ones, the most recent ``most`` of them."""
        if new.weighted is not None and self.weighted is None:
            return new
        both = None
        if new.weighted is not None and self.weighted is not None:
            both = np.concatenate([self.weighted, new.weighted])[-most:]
        return HeldOutPredictions(
            np.concatenate([self.ratios, new.ratios])[-most:],
            np.concatenate([self.labels, new.labels])[-most:],
            np.concatenate([self.weights, new.weights])[-most:],
            np.concatenate([self.shares, new.shares])[-most:],
            both,
        )

    def renumbered(self, numbers: Integers) -> "HeldOutPredictions":
        """Return the same predictions with other numbers for the examples."""
        return replace(self, examples=None if self.examples is None else numbers[self.examples])

    def calibrate(self) -> Calibration:
        """Return the calibration fitted to these predictions, which is computed once."""
        return self._calibration

    @cached_property
    def _calibration(self) -> Calibration:
        return calibrate(self.ratios, self.labels, self.shares)

    def error_and_loss(
        self, calibration: Calibration, prior: Floats | float = 0.0, ordered: bool = False
    ) -> tuple[float, float]:
        """Return the error, with the ``prior`` added to scores, and the mean loss without it."""
        scores = calibration.scores(self.ratios)
        return error_and_loss(scores, self.labels, self.weights, prior, ordered)


class FoldAtoms(NamedTuple):
    """Atoms of each class that were learned without some examples."""

    atoms: list[Lists]
    examples: Integers


class Dissent(NamedTuple):
    """Other labels of examples that occur with several, their weights, and how often they occur."""

    examples: Integers
    labels: Integers
    weights: Floats
    copies: Floats


NO_RULES = HardRules()
NO_DISSENT = Dissent(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class Examples:
    """Distinct examples as packed terms: ``(n_variants, n, words)``, with labels and weights."""

    variants: npt.NDArray[np.uint64]
    labels: Integers
    weights: Floats
    n_constants: int
    n_classes: int
    dissent: Dissent = NO_DISSENT
    """Labels that are not learned from, but count as errors if they are not predicted."""
    symmetries: Symmetries | None = None
    """Maps of constants that keep the labels: pins are moved by them."""
    rules: HardRules = NO_RULES
    """Rules that every prediction obeys."""
    copies: Floats | None = None
    """Number of times that each example occurs with the label that is learned from; by default its
    weight."""
    numbers: Integers | None = None
    """The number of each example in the table as given, if it is known; -1 if it is in none."""
    targets: Floats | None = None
    """The numbers to predict, on the scale of the ``loss``; then there is one class only."""
    loss: Loss = LOG_LOSS

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def by_class(self) -> list[Integers]:
        """Examples of each class, computed once since there may be thousands of classes."""
        return by_label(self.labels, self.n_classes)

    @property
    def n_concepts(self) -> int:
        """Number of concepts that strict atoms are learned of: see :meth:`examples_of`."""
        return self.n_classes * (2 if self.rules.ordered else 1)

    def examples_of(self, concept: int) -> Bits:
        """Return which examples a concept has: those of a class, or on one side of a threshold.

        Concept ``k`` has class ``k`` or, if classes are ordered, it and all above it; then there
        are as many others, which have a class and all below it. What holds for all classes from one
        on has no counterexample, and is left out.
        """
        if not self.rules.ordered:
            return np.asarray(self.labels == concept)
        k = concept % self.n_classes
        return np.asarray(self.labels >= k if concept < self.n_classes else self.labels <= k)

    @property
    def total_weight(self) -> float:
        """Total weight of all examples, with all labels that they had."""
        return float(self.weights.sum() + self.dissent.weights.sum())

    def some(self, which: Integers) -> "Examples":
        """Return some of the examples."""
        place = np.full(len(self), -1)
        place[which] = np.arange(len(which))
        kept = place[self.dissent.examples] >= 0
        return replace(
            self,
            variants=_taken(self.variants, which),
            labels=self.labels[which],
            weights=self.weights[which],
            numbers=None if self.numbers is None else self.numbers[which],
            copies=None if self.copies is None else self.copies[which],
            targets=None if self.targets is None else self.targets[which],
            dissent=Dissent(
                place[self.dissent.examples[kept]],
                self.dissent.labels[kept],
                self.dissent.weights[kept],
                self.dissent.copies[kept],
            ),
        )

    def extended(
        self,
        rows: Rows,
        labels: Integers,
        weights: Floats | None = None,
        targets: Floats | None = None,
    ) -> "Examples":
        """Return these examples and some more; symmetries do not apply to the new ones."""
        if len(labels) == 0:
            return self
        weights = np.ones(len(labels)) if weights is None else weights
        variants = _taken(self.variants, np.arange(len(self)), len(rows))
        variants[:, len(self) :] = rows
        return replace(
            self,
            variants=variants,
            labels=np.concatenate([self.labels, labels]),
            weights=np.concatenate([self.weights, weights]),
            copies=None
            if self.copies is None
            else np.concatenate([self.copies, np.ones(len(labels))]),
            numbers=None
            if self.numbers is None
            else np.concatenate([self.numbers, np.full(len(labels), -1)]),
            targets=None
            if self.targets is None or targets is None
            else np.concatenate([self.targets, targets]),
        )

    def blocks(self) -> Blocks:
        """Return the examples themselves, transposed for counting misses."""
        return blocks_of(self.variants[0], self.n_constants)

    def held_out(self, ratios: Floats, weighted: Floats | None = None) -> HeldOutPredictions:
        """Return predictions on these examples, repeated for each of their labels."""
        which = np.concatenate([np.arange(len(self)), self.dissent.examples])
        weights = np.concatenate([self.weights, self.dissent.weights])
        total = np.bincount(which, weights=weights, minlength=len(self))
        return HeldOutPredictions(
            ratios[which],
            np.concatenate([self.labels, self.dissent.labels]),
            weights,
            weights / np.maximum(total, 1.0)[which],
            None if weighted is None else weighted[which],
        )


def _taken(
    variants: npt.NDArray[np.uint64], which: Integers, more: int = 0
) -> npt.NDArray[np.uint64]:
    """Return some examples in all variants, and room for some more."""
    taken: npt.NDArray[np.uint64] = room((len(variants), len(which) + more, variants.shape[2]))
    for start in range(0, len(which), ROWS_AT_ONCE):
        some = which[start : start + ROWS_AT_ONCE]
        taken[:, start : start + len(some)] = variants[:, some]
    return taken


def by_label(labels: Integers, n_classes: int) -> list[Integers]:
    """Return the indices of each label, in ascending order.

    >>> [places.tolist() for places in by_label(np.array([1, 0, 1]), 3)]
    [[1], [0, 2], []]
    """
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, n_classes)))


def joined(sets: Sequence[Examples]) -> Examples:
    """Concatenate sets of examples."""
    first = np.cumsum([0, *map(len, sets)])
    dissents = [
        one.dissent._replace(examples=one.dissent.examples + start)
        for one, start in zip(sets, first, strict=False)
    ]
    return replace(
        sets[0],
        variants=np.concatenate([one.variants for one in sets], axis=1),
        labels=np.concatenate([one.labels for one in sets]),
        weights=np.concatenate([one.weights for one in sets]),
        dissent=Dissent(*(np.concatenate(column) for column in zip(*dissents, strict=True))),
        copies=_concatenated([one.copies for one in sets]),
        numbers=_concatenated([one.numbers for one in sets]),
    )


def _concatenated(arrays: Sequence[Any]) -> Any:
    """Concatenate the arrays, or return ``None`` if one is missing."""
    return None if any(one is None for one in arrays) else np.concatenate(arrays)


FOLDS = {1_000: 5, 10_000: 3}
"""Number of folds for at most so many examples: of few rows each one counts. Of more, one fold is
held out, which is as accurate as all."""
FEWER, MANY = 3, 4_000
"""Maximum number of folds where there are more examples times classes than this: every fold takes
time for each class."""
SINGLE = 5
"""A single fold has one of so many rows."""
SMALL, SMALL_CLASS = 5000, 1250
"""With at most this many examples, in all or of each class on average, all of them are learned from
at every epoch."""

NEVER = -1
"""The fold of a row that is never held out: the only one of its class."""
EVERY = -2
"""The fold to hold out if no row is held out."""


@dataclass(frozen=True)
class FoldAssignment:
    """Examples with all the labels that they had, assigned to folds."""

    n_folds: int
    example: Integers
    label: Integers
    weight: Floats
    fold: Integers

    def __len__(self) -> int:
        return len(self.example)

    def held(self, f: int) -> Integers:
        """Return the examples of fold ``f``, without duplicates."""
        return np.unique(self.example[self.fold == f])

    def learned(self, f: int, examples: Examples) -> Bits:
        """Return a mask of the training examples when fold ``f`` is held out."""
        ours = (self.fold != f) & (self.label == examples.labels[self.example])
        learned = np.zeros(len(examples), dtype=np.bool_)
        learned[self.example[ours]] = True
        return learned

    def some(self, which: Integers, n_examples: int) -> "FoldAssignment":
        """Return the folds of some of the examples."""
        place = np.full(n_examples, -1)
        place[which] = np.arange(len(which))
        kept = place[self.example] >= 0
        example = place[self.example[kept]]
        return FoldAssignment(
            self.n_folds, example, self.label[kept], self.weight[kept], self.fold[kept]
        )

    def extended(self, more: "FoldAssignment") -> "FoldAssignment":
        """Return these folds and those of more examples."""
        pairs = [
            np.concatenate([getattr(self, name), getattr(more, name)])
            for name in ("example", "label", "weight", "fold")
        ]
        return FoldAssignment(self.n_folds, *pairs)


def is_small(n_rows: int, n_classes: int) -> bool:
    """Return whether there are few examples, or few of each class.

    >>> is_small(6000, 2), is_small(6000, 300)
    (False, True)
    """
    return n_rows <= max(SMALL, SMALL_CLASS * n_classes)


def folds_for(n_rows: int, n_classes: int) -> int:
    """Return the number of folds for a number of rows and classes.

    >>> folds_for(800, 2), folds_for(800, 10), folds_for(9000, 2), folds_for(10**6, 2)
    (5, 3, 3, 1)
    """
    n_folds = next((n for most, n in FOLDS.items() if n_rows <= most), 1)
    return min(n_folds, FEWER) if n_rows * n_classes > MANY else n_folds


def deal(
    examples: Examples, n_folds: int, rng: np.random.Generator, most: int | None = None
) -> FoldAssignment:
    """Assign the examples of each class evenly to folds.

    With no folds, none is ever held out; a single fold has as many rows as one of many. All folds
    together have about ``most`` rows: the others are never held out.
    """
    which = np.concatenate([np.arange(len(examples)), examples.dissent.examples])
    label = np.concatenate([examples.labels, examples.dissent.labels])
    weight = np.concatenate([examples.weights, examples.dissent.weights])
    often = examples.weights if examples.copies is None else examples.copies
    often = np.concatenate([often, examples.dissent.copies])
    n_shares = n_folds if n_folds > 1 else SINGLE
    # A row that recurs is learned from in all shares but one, where it is held out.
    copies = np.clip(np.rint(often), 1, n_shares if n_folds else 1).astype(np.int64)
    unit = np.repeat(np.arange(len(which)), copies)
    nth = np.arange(len(unit)) - np.repeat(np.cumsum(copies) - copies, copies)
    if most is not None:
        n_held = len(unit) * n_folds // n_shares
        n_shares *= max(1, -(-n_held // most))
    place = np.full(len(which), NEVER)
    for k, ours in enumerate(by_label(label, examples.n_classes)) if n_folds else ():
        if copies[ours].sum() > 1:
            place[rng.permutation(ours)] = np.arange(len(ours)) + k
    fold = np.where(place[unit] == NEVER, NEVER, (place[unit] + nth) % n_shares)
    fold[fold >= n_folds] = NEVER
    return FoldAssignment(n_folds, which[unit], label[unit], (weight / copies)[unit], fold)


def joined_folds(dealt: Sequence[FoldAssignment], sizes: Sequence[int]) -> FoldAssignment:
    """Concatenate the folds of several sets of examples of the given sizes."""
    joint = dealt[0]
    for one, first in zip(dealt[1:], np.cumsum(sizes), strict=False):
        joint = joint.extended(replace(one, example=one.example + first))
    return joint


def row_keys(rows: npt.NDArray[np.uint64], rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    """Return a random number for each row that depends on the row alone."""
    factors: Rows = rng.integers(1 << 63, size=(rows.shape[1],), dtype=np.uint64)
    factors = factors * np.uint64(2) + np.uint64(1)
    keys = np.zeros(len(rows), dtype=np.uint64)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        keys[some] = (rows[some] * factors).sum(axis=1, dtype=np.uint64)
    keys ^= keys >> np.uint64(32)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    return keys ^ (keys >> np.uint64(29))


def groups_of(order: Integers, differs: Bits) -> tuple[Integers, Integers]:
    """Return the first row of each group, and the group of each row.

    ``order`` has the groups side by side, and ``differs`` tells where a new one begins.
    """
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(differs) - 1
    return order[differs], group
