"""Training examples of several classes, and predictions on held-out ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import Blocks, blocks_of
from atomlearn.engine.symmetries import Symmetries
from atomlearn.sets.rows import Lists, Rows
from atomlearn.training.calibration import Calibration, calibrate
from atomlearn.training.rules import HardRules
from atomlearn.typing import Floats, Integers


@dataclass(frozen=True)
class Unseen:
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
    """Which examples they are of, while these are known."""

    @classmethod
    def none(cls, n_classes: int) -> "Unseen":
        """Predictions on no examples."""
        nothing = np.zeros(0)
        return cls(np.zeros((0, n_classes)), np.zeros(0, dtype=np.int64), nothing, nothing)

    def __len__(self) -> int:
        return len(self.labels)

    def thinned(self, most: int) -> "Unseen":
        """At most so many of them, evenly spaced."""
        step = -(-len(self) // most)
        if step <= 1:
            return self
        return Unseen(
            self.ratios[::step],
            self.labels[::step],
            self.weights[::step],
            self.shares[::step],
            None if self.weighted is None else self.weighted[::step],
            None if self.examples is None else self.examples[::step],
        )

    def renumbered(self, numbers: Integers) -> "Unseen":
        """The same of examples that have these numbers elsewhere."""
        return replace(self, examples=None if self.examples is None else numbers[self.examples])

    def calibrate(self) -> Calibration:
        """Fit the calibration to them; once, however often it is asked for."""
        return self._calibration

    @cached_property
    def _calibration(self) -> Calibration:
        return calibrate(self.ratios, self.labels, self.shares)

    def error_and_loss(
        self, calibration: Calibration, prior: Floats | float = 0.0
    ) -> tuple[float, float]:
        """Share of wrong predictions if the ``prior`` is added to scores, and mean loss without."""
        p = calibration.probabilities(self.ratios)
        share = self.weights / self.weights.sum()
        own = p[np.arange(len(self)), self.labels]
        wrong = (calibration.scores(self.ratios) + prior).argmax(axis=1) != self.labels
        return float((share * wrong).sum()), float(-(share * np.log(own + 1e-12)).sum())


class HeldOut(NamedTuple):
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
    """How often each example occurs, with the label that is learned from; if it is not known, as
    often as it weighs."""
    numbers: Integers | None = None
    """The number of each example in the table as given, if it is known; -1 if it is in none."""

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def by_class(self) -> list[Integers]:
        """The examples of each class: looked for once, since there may be thousands of classes."""
        return by_label(self.labels, self.n_classes)

    @property
    def total_weight(self) -> float:
        """What all examples weigh, with all labels that they had."""
        return float(self.weights.sum() + self.dissent.weights.sum())

    def some(self, which: Integers) -> "Examples":
        """Some of the examples."""
        place = np.full(len(self), -1)
        place[which] = np.arange(len(which))
        kept = place[self.dissent.examples] >= 0
        return replace(
            self,
            variants=np.ascontiguousarray(self.variants[:, which]),
            labels=self.labels[which],
            weights=self.weights[which],
            numbers=None if self.numbers is None else self.numbers[which],
            copies=None if self.copies is None else self.copies[which],
            dissent=Dissent(
                place[self.dissent.examples[kept]],
                self.dissent.labels[kept],
                self.dissent.weights[kept],
                self.dissent.copies[kept],
            ),
        )

    def extended(self, rows: Rows, labels: Integers, weights: Floats | None = None) -> "Examples":
        """These examples and some more; symmetries do not apply to the new ones."""
        if len(labels) == 0:
            return self
        weights = np.ones(len(labels)) if weights is None else weights
        more = np.broadcast_to(rows, (len(self.variants), *rows.shape))
        return replace(
            self,
            variants=np.concatenate([self.variants, more], axis=1),
            labels=np.concatenate([self.labels, labels]),
            weights=np.concatenate([self.weights, weights]),
            copies=None
            if self.copies is None
            else np.concatenate([self.copies, np.ones(len(labels))]),
            numbers=None
            if self.numbers is None
            else np.concatenate([self.numbers, np.full(len(labels), -1)]),
        )

    def blocks(self) -> Blocks:
        """The examples themselves, transposed for counting misses."""
        return blocks_of(self.variants[0], self.n_constants)

    def unseen(self, ratios: Floats, weighted: Floats | None = None) -> Unseen:
        """Predictions on these examples, repeated for each of their labels."""
        which = np.concatenate([np.arange(len(self)), self.dissent.examples])
        weights = np.concatenate([self.weights, self.dissent.weights])
        total = np.bincount(which, weights=weights, minlength=len(self))
        return Unseen(
            ratios[which],
            np.concatenate([self.labels, self.dissent.labels]),
            weights,
            weights / np.maximum(total, 1.0)[which],
            None if weighted is None else weighted[which],
        )


def by_label(labels: Integers, n_classes: int) -> list[Integers]:
    """The places of each label, in ascending order.

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
    """The arrays as one, if there are all of them."""
    return None if any(one is None for one in arrays) else np.concatenate(arrays)
