"""Folds: what is learned without a fold is evaluated on it.

A row that occurs several times is dealt several times, each time with a part of its weight. So a
row that recurs is met again when it has been learned from, as it will be in practice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from atomlearn.training.examples import Examples, by_label
from atomlearn.typing import Bits, Floats, Integers

MANY_FOLDS, FEW_FOLDS = 5, 3
SMALL = 5000
"""Sets of at most so many examples have many folds, because each row counts ..."""
HUGE = 200_000
"""... and of more than so many examples one fold alone judges as well as all."""

NEVER = -1
"""The fold of a row that is never held out: the only one of its class."""
EVERY = -2
"""Used in place of a fold if no row is held out."""


@dataclass(frozen=True)
class Dealt:
    """Examples with all the labels that they had, dealt into folds."""

    n_folds: int
    example: Integers
    label: Integers
    weight: Floats
    fold: Integers

    def __len__(self) -> int:
        return len(self.example)

    def held(self, f: int) -> Integers:
        """The examples of fold ``f``, without duplicates."""
        return np.unique(self.example[self.fold == f])

    def learned(self, f: int, examples: Examples) -> Bits:
        """Mask of the training examples when fold ``f`` is held out."""
        ours = (self.fold != f) & (self.label == examples.labels[self.example])
        learned = np.zeros(len(examples), dtype=np.bool_)
        learned[self.example[ours]] = True
        return learned

    def some(self, which: Integers, n_examples: int) -> "Dealt":
        """The folds of some of the examples."""
        place = np.full(n_examples, -1)
        place[which] = np.arange(len(which))
        kept = place[self.example] >= 0
        example = place[self.example[kept]]
        return Dealt(self.n_folds, example, self.label[kept], self.weight[kept], self.fold[kept])

    def extended(self, more: "Dealt") -> "Dealt":
        """These and some more, in the same folds."""
        pairs = [
            np.concatenate([getattr(self, name), getattr(more, name)])
            for name in ("example", "label", "weight", "fold")
        ]
        return Dealt(self.n_folds, *pairs)


def folds_for(n_rows: int) -> int:
    """Number of folds for a number of rows."""
    if n_rows <= SMALL:
        return MANY_FOLDS
    return FEW_FOLDS if n_rows <= HUGE else 1


def deal(
    examples: Examples, n_folds: int, rng: np.random.Generator, most: int | None = None
) -> Dealt:
    """Deal the examples of each class evenly; with no folds, none is ever held out, and a single
    fold has as many rows as one of many.

    All folds together have about ``most`` rows: the others are never held out.
    """
    which = np.concatenate([np.arange(len(examples)), examples.dissent.examples])
    label = np.concatenate([examples.labels, examples.dissent.labels])
    weight = np.concatenate([examples.weights, examples.dissent.weights])
    often = examples.weights if examples.copies is None else examples.copies
    often = np.concatenate([often, examples.dissent.copies])
    copies = np.clip(np.rint(often), 1, max(n_folds, 1)).astype(np.int64)
    unit = np.repeat(np.arange(len(which)), copies)
    nth = np.arange(len(unit)) - np.repeat(np.cumsum(copies) - copies, copies)
    n_shares = n_folds if n_folds > 1 else MANY_FOLDS
    if most is not None:
        n_held = len(unit) * n_folds // n_shares
        n_shares *= max(1, -(-n_held // most))
    place = np.full(len(which), NEVER)
    for k, ours in enumerate(by_label(label, examples.n_classes)) if n_folds else ():
        if copies[ours].sum() > 1:
            place[rng.permutation(ours)] = np.arange(len(ours)) + k
    fold = np.where(place[unit] == NEVER, NEVER, (place[unit] + nth) % n_shares)
    fold[fold >= n_folds] = NEVER
    return Dealt(n_folds, which[unit], label[unit], (weight / copies)[unit], fold)


def joined_folds(dealt: Sequence[Dealt], sizes: Sequence[int]) -> Dealt:
    """Concatenate the folds of several sets of examples of the given sizes."""
    joint = dealt[0]
    for one, first in zip(dealt[1:], np.cumsum(sizes), strict=False):
        joint = joint.extended(replace(one, example=one.example + first))
    return joint


def row_keys(rows: npt.NDArray[np.uint64], rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    """A random number for each row that depends on nothing but the row."""
    factors = rng.integers(1 << 63, size=rows.shape[1], dtype=np.uint64)
    keys = (rows * (factors * np.uint64(2) + np.uint64(1))).sum(axis=1, dtype=np.uint64)
    keys ^= keys >> np.uint64(32)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    return keys ^ (keys >> np.uint64(29))
