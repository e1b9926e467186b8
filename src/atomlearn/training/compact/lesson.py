"""What a card learns from: rows made for it, and what the full model says of them.

Rows are made by exchanging some columns between training rows of one class, and the full model
tells their probabilities (Buciluă, Caruana and Niculescu-Mizil, "Model compression", 2006).

Each fold has a lesson of its own, by a full model that has not seen the rows of the fold.
(Probabilities that the full model gave to held-out rows make cards that are as good, but each of
them knows the rows of the other folds: the estimate would be two points too low.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import containing
from atomlearn.logic.comparison import by_gain
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, Rows, append, no_lists, pack_row, take
from atomlearn.sets.words import transpose
from atomlearn.training.boosting.ensemble import WeightedAtoms
from atomlearn.typing import Floats, Integers

MOST_ROWS, MOST_CELLS = 5000, 1 << 19
"""Maximum number of rows that cards are measured on, and of rows times classes."""
FEWEST_MADE, MOST_MADE, MADE = 1000, 3000, 3
"""Three times as many rows are made as there are training rows, within these bounds."""
LOWEST = 30.0
"""Scores are at most this much below the highest, so that they are finite."""
EXCHANGED = 0.2
"""Share of the columns of a row that are taken from another row."""
MOST_WEIGHTED = 500
"""Maximum number of weighted atoms, those of the largest weights, among the candidates."""
MOST_COVER, MOST_SEARCHED = 40, 2000
"""Maximum number of strict atoms of a class among the candidates, and of those they are from."""


class Candidates(NamedTuple):
    """Atoms that rules may be made of; ``of_class`` is the class of strict atoms, else -1."""

    atoms: Lists
    of_class: Integers


class Lesson(NamedTuple):
    """What a full model says of rows that were made for a card to learn from."""

    scores: npt.NDArray[np.float32]
    """Scores of the rows, ``(n_rows, n_classes)``; of a number one, on the scale of the loss."""
    candidates: Candidates


@dataclass(frozen=True)
class Teacher:
    """All that a card is made of: training rows, and the full model's view of other rows."""

    rows: Rows
    labels: Integers
    weights: Floats
    fold: Integers
    """Fold of each row; ``NEVER`` if nothing was learned without it."""
    columns: Integers
    """The column of each literal."""
    seed: int
    first: int = 0
    """Number of the first lesson, on which the rows that are made depend."""
    targets: Floats | None = None
    """The numbers to predict, if the labels are intervals of these."""
    lessons: tuple[Lesson, ...] = ()
    """Lessons by what was learned without each fold, and in the end by the full model."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.lessons[-1].scores.shape[1]

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.lessons) - 1

    def without_folds(self) -> "Teacher":
        """Return the teacher with the lesson of the full model only: nothing is measured."""
        return replace(self, first=self.first + self.n_folds, lessons=self.lessons[-1:])

    def learned_from(self, f: int) -> Integers:
        """Return the rows that lesson ``f`` may know: all but those of its fold."""
        if f == self.n_folds:
            return np.arange(len(self))
        return np.flatnonzero(self.fold != f)

    def n_made(self, f: int, is_last: bool) -> int:
        """Return the number of rows of lesson ``f``."""
        n = len(self) if is_last else int((self.fold != f).sum())
        return n_made(n) if n else 0

    def made(self, f: int, is_last: bool) -> Rows:
        """Return the rows of lesson ``f``; they are the same on every machine."""
        ours = np.arange(len(self)) if is_last else np.flatnonzero(self.fold != f)
        seed = (self.seed + 1 + self.first + f) % (1 << 63)
        return exchanged(self.rows[ours], self.labels[ours], self.weights[ours], self.columns, seed)


def n_made(n_rows: int) -> int:
    """Return the number of rows that are made from so many training rows."""
    return int(np.clip(MADE * n_rows, FEWEST_MADE, MOST_MADE))


class FullModel(NamedTuple):
    """A full model that gives a lesson: its scores of rows, and its atoms."""

    score: Callable[[Rows], Floats]
    strict: Sequence[Lists]
    weighted: WeightedAtoms | None


def thinning(n_rows: int, n_classes: int) -> int:
    """Return the ``n`` for which every ``n``-th row is taught."""
    most = max(500, min(MOST_ROWS, MOST_CELLS // n_classes))
    return max(1, -(-n_rows // most))


def teach(teacher: Teacher, models: Sequence[FullModel], n_classes: int) -> Teacher:
    """Return the teacher with lessons by the models learned without each fold, and by the last."""
    step = thinning(len(teacher), n_classes)
    teacher = replace(
        teacher,
        rows=np.ascontiguousarray(teacher.rows[::step]),
        labels=teacher.labels[::step].copy(),  # a view would keep all of them
        weights=teacher.weights[::step].copy(),
        fold=teacher.fold[::step].copy(),
        targets=None if teacher.targets is None else teacher.targets[::step],
    )
    lessons = []
    for f, model in enumerate(models):
        is_last = f == len(models) - 1
        ours = np.arange(len(teacher)) if is_last else np.flatnonzero(teacher.fold != f)
        rows, labels = teacher.rows[ours], teacher.labels[ours]
        candidates = find_candidates(model.weighted, model.strict, rows, labels)
        scores = model.score(teacher.made(f, is_last))
        if n_classes > 1:  # only differences count
            scores = np.maximum(scores - scores.max(axis=1, keepdims=True), -LOWEST)
        finite = scores.astype(np.float32)
        lessons.append(Lesson(finite, candidates))
    return replace(teacher, lessons=tuple(lessons))


def exchanged(rows: Rows, labels: Integers, weights: Floats, columns: Integers, seed: int) -> Rows:
    """Make rows by exchanging some columns of each row with another row of the same class.

    >>> rows = packed.from_indices([[0, 2], [1, 3]], 4)
    >>> made = exchanged(rows, np.zeros(2, dtype=int), np.ones(2), np.array([0, 0, 1, 1]), seed=0)
    >>> sorted(set(made[:, 0].tolist())), len(made)
    ([5, 6, 9, 10], 1000)
    """
    n = n_made(len(rows))
    n_columns = int(columns.max(initial=0)) + 1
    share = np.cumsum(weights) / weights.sum()
    places = (np.arange(n) + 0.5) / n  # evenly, so that each row is there about as often
    first = np.minimum(np.searchsorted(share, places), len(rows) - 1)
    order = np.argsort(_noise(seed, n), kind="stable")  # a permutation within each class
    second = np.empty_like(first)
    for k in np.unique(labels):
        ours = np.flatnonzero(labels[first] == k)
        second[ours] = first[order[labels[first[order]] == k]]
    made = np.empty((n, rows.shape[1]), dtype=np.uint64)
    limit = np.uint64(int(EXCHANGED * 2**64))
    for start in range(0, n, 500):  # a wide table takes much memory unpacked
        part = slice(start, start + 500)
        size = len(made[part])
        noise = _noise(seed ^ 0x5DEECE66D, size * n_columns, (start + 1) << 32)
        moved = noise.reshape(size, n_columns) < limit
        mask = np.zeros((size, rows.shape[1] * 64), dtype=np.bool_)
        mask[:, : len(columns)] = moved[:, columns]
        taken = packed.pack(mask)[:, : rows.shape[1]]
        made[part] = (rows[first[part]] & ~taken) | (rows[second[part]] & taken)
    return made


def _noise(seed: int, n: int, start: int = 0) -> npt.NDArray[np.uint64]:
    """Return random numbers that stay the same with every version of NumPy (SplitMix64).

    A saved model makes the same rows again when it is loaded.
    """
    with np.errstate(over="ignore"):
        x = np.arange(1, n + 1, dtype=np.uint64) + np.uint64(start % (1 << 63))
        x = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed % (1 << 63))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def find_candidates(
    weighted: WeightedAtoms | None, strict: Sequence[Lists], rows: Rows, labels: Integers
) -> Candidates:
    """Choose the atoms that rules may be made of.

    These are the weighted atoms of the largest weights, and of the strict atoms of each class those
    that exclude most of the ``rows`` of other classes, one after the other.
    """
    atoms, of_class = no_lists(), np.zeros(0, dtype=np.int64)
    if weighted is not None and len(weighted):
        atoms = weighted.heaviest(MOST_WEIGHTED).atoms
        of_class = np.full(atoms.n, -1)
    columns = transpose(rows, rows.shape[1] * 64) if any(ours.n for ours in strict) else rows
    for k, ours in enumerate(strict):
        if not ours.n:
            continue
        order = np.argsort(np.diff(ours.starts), kind="stable")[:MOST_SEARCHED]
        ours = take(ours, np.sort(order))
        others = pack_row(labels != k)
        missed = ~containing(ours, columns) & others
        chosen = by_gain(missed, np.diff(ours.starts), others, MOST_COVER)
        atoms = append(atoms, take(ours, np.array(chosen, dtype=np.int64)))
        of_class = np.concatenate([of_class, np.full(len(chosen), k)])
    return Candidates(atoms, of_class)
