"""Weighted atoms: what missing one adds to the log-odds of a class.

Atoms are found round by round. In each round a batch of rows shows what is still wrong with the
predictions; guided crossing finds atoms that explain it, and each gets the weight of one damped
Newton step (gradient boosting: J. Friedman, "Greedy function approximation", 2001). Rows outside
the training set say when to stop.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from atomlearn.engine.guided_crossing import (
    Alternatives,
    Planes,
    add_to_cells,
    empty_planes,
    grow,
    sum_cells,
    write_planes,
)
from atomlearn.sets.jit import kernel
from atomlearn.sets.lists import Lists, take
from atomlearn.sets.random import Seed, Stream, draw, draw_first, stream
from atomlearn.sets.rows import Rows, pack
from atomlearn.sets.words import ONE, ZERO, lowest, size
from atomlearn.training.examples import Examples
from atomlearn.training.folds import Dealt
from atomlearn.training.logistic import held_out_loss, write_probabilities
from atomlearn.training.rounds import Rounds
from atomlearn.training.weighted_atoms import WeightedAtoms, merged

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class WeightedRecipe:
    """How weighted atoms are found."""

    rounds: int = 500
    atoms: int = 8
    """Atoms of a class in one round."""
    rate: float = 0.12
    """Share of the Newton step that is taken: smaller steps need more rounds, and err less."""
    offered: float = 0.5
    """Share of the columns that a round may use."""
    ridge: float = 1.0
    least: float = 0.5
    """Curvature that the rows of a cell must have: about two undecided rows."""
    patience: int = 25
    progress: float = 0.998
    """Stop after ``patience`` rounds in which the loss has not come below this part of the best."""
    largest: int = 512
    """Words of 64 rows in a batch, at most."""
    slope_steps: int = 31
    curvature_steps: int = 15
    """Into how many steps slope and curvature of a row of mean weight are rounded."""


class Found(NamedTuple):
    """The atoms of one round: the sides that lead to each, padded with ``-1``, and the weights."""

    path: Integers
    column: Integers
    weight: Floats


class WeightedLearner:
    """Finds weighted atoms on the rows that are ``learned``, and judges them by the others.

    For two classes one score is enough: that of the second.
    """

    def __init__(
        self,
        alternatives: Alternatives,
        labels: Integers,
        weights: Floats,
        n_classes: int,
        learned: Bits,
        seed: Seed,
        recipe: WeightedRecipe,
        start: Floats | None = None,
    ) -> None:
        self.alternatives = alternatives
        self.labels = labels
        self.weights = weights
        self.n_classes = n_classes
        self.recipe = recipe
        self.rng: Stream = stream(seed)
        self.held = np.flatnonzero(~learned)
        padded = np.zeros(alternatives.has.shape[1] * 64, dtype=np.bool_)
        padded[: len(learned)] = learned
        self.learned: Rows = pack(padded[None])[0]
        mass = np.bincount(labels[learned], weights[learned], minlength=n_classes) + 0.5
        self.offset: Floats = np.log(mass / mass[0])
        scores = np.tile(self.offset, (len(labels), 1))
        if start is not None:  # what other atoms say already
            self.offset, scores = np.zeros(n_classes), start - start[:, :1]
        self.scores: Floats = scores if n_classes > 2 else scores[:, 1:].copy()
        self.probability = np.empty_like(self.scores)
        self.rounds: list[Found] = []
        self.planes = empty_planes(weights, recipe.slope_steps, recipe.curvature_steps)
        self.losses: list[float] = []
        self._judge()

    def run_round(self) -> float:
        """Find the atoms of one more round; the loss on the rows that are not learned from."""
        recipe, n_groups = self.recipe, int(self.alternatives.group.max(initial=-1)) + 1
        found = find_atoms(
            self.alternatives.has,
            self.alternatives.group,
            math.ceil(recipe.offered * n_groups),
            self.labels,
            self.weights,
            self.learned,
            recipe.largest,
            self.scores,
            self.probability,
            self.planes,
            self.rng,
            recipe.atoms,
            recipe.rate,
            recipe.ridge,
            recipe.least,
        )
        self.rounds.append(found)
        self._judge()
        return self.losses[-1]

    @property
    def is_done(self) -> bool:
        """Has it stopped getting better?"""
        losses, patience = self.losses, self.recipe.patience
        if len(losses) > self.recipe.rounds:
            return True
        if len(losses) <= patience:
            return False
        before = min(losses[:-patience])
        return min(losses[-patience:]) >= self.recipe.progress * before

    def best(self, part: float = 1.0) -> WeightedAtoms:
        """The atoms up to the best round, with this part of their weights."""
        rounds = self.rounds[: int(np.argmin(self.losses))]
        paths = [path[path >= 0] for found in rounds for path in found.path]
        classes = np.concatenate([_NONE, *(found.column for found in rounds)])
        weights = part * np.concatenate([np.zeros(0), *(found.weight for found in rounds)])
        if self.n_classes == 2:  # what speaks for the second class is a cost of the first
            classes = (weights < 0).astype(np.int64)
            weights = -np.abs(weights)
        return WeightedAtoms(self._atoms(paths), classes, weights, part * self.offset)

    def _judge(self) -> None:
        """Note the loss on the held-out rows, and what is said of them if it is the best so far."""
        loss = held_out_loss(self.scores, self.labels, self.weights, self.held, self.probability)
        if not self.losses or loss < min(self.losses):
            scores = self.scores[self.held]
            none = np.zeros((len(scores), self.n_classes - scores.shape[1]))
            self.held_scores: Floats = np.hstack([none, scores])
        self.losses.append(loss)

    def _atoms(self, paths: list[Integers]) -> Lists:
        """The literals that a row of each cell does not have."""
        other = [path ^ 1 for path in paths]  # a row that has one side misses the other
        starts = np.concatenate([[0], np.cumsum([len(path) for path in other])]).astype(np.int64)
        flat = np.concatenate(other) if other else np.zeros(0, dtype=np.int64)
        sides = take(self.alternatives.sides, flat)
        bounds = sides.starts[starts]
        parts = [np.unique(sides.constants[a:b]) for a, b in pairwise(bounds)]
        ends = np.concatenate([[0], np.cumsum([len(one) for one in parts])]).astype(np.int64)
        constants = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        return Lists(ends, constants.astype(np.int32))


@kernel
def find_atoms(
    has: Rows,
    group: Integers,
    n_offered: int,
    labels: Integers,
    weights: Floats,
    learned: Rows,
    largest: int,
    scores: Floats,
    probability: Floats,
    planes: Planes,
    rng: Stream,
    most: int,
    rate: float,
    ridge: float,
    least: float,
) -> Found:
    """One round: for each score, find atoms that explain what is wrong with it, and correct it."""
    batch = draw_batch(learned, largest, rng)
    offered = draw_columns(group, n_offered, rng)
    members = members_of(batch)
    for i in members:
        write_probabilities(scores, i, probability)
    n_columns = scores.shape[1]
    path = np.empty((n_columns * most, max(most - 1, 1)), dtype=np.int64)
    column = np.empty(n_columns * most, dtype=np.int64)
    weight = np.empty(n_columns * most)
    sums = np.empty((2, most))
    n = 0
    for k in range(n_columns):
        own = k if n_columns > 1 else 1
        for i in members:
            p = probability[i, k]
            slope = weights[i] * ((1.0 if labels[i] == own else 0.0) - p)
            write_planes(i, slope, weights[i] * p * (1.0 - p), planes, rng)
        cells = grow(batch, has, offered, planes, most, ridge, least)
        n_cells = cells.path.shape[0]
        if n_cells == 1:
            continue
        sum_cells(cells.rows, batch, labels, own, weights, probability[:, k], sums)
        for j in range(n_cells):
            path[n + j] = cells.path[j]
            column[n + j] = k
            weight[n + j] = rate * sums[0, j] / (sums[1, j] + ridge)
        add_to_cells(cells.rows, weight[n : n + n_cells], scores, k)
        n += n_cells
    return Found(path[:n], column[:n], weight[:n])


@kernel
def draw_batch(learned: Rows, largest: int, rng: Stream) -> Rows:
    """Five of eight rows that are learned from; of very many, those of ``largest`` words."""
    batch = np.zeros_like(learned)
    words = np.arange(learned.shape[0])
    if words.shape[0] > largest:
        draw_first(rng, words, largest)
        words = words[:largest]
    for w in words:
        batch[w] = learned[w] & (draw(rng) | (draw(rng) & draw(rng)))
    return batch


@kernel
def draw_columns(group: Integers, n_offered: int, rng: Stream) -> Integers:
    """The alternatives of some columns."""
    columns = np.arange(group.max() + 1 if group.shape[0] else 0)
    draw_first(rng, columns, n_offered)
    is_offered = np.zeros(columns.shape[0], dtype=np.bool_)
    for c in columns[:n_offered]:
        is_offered[c] = True
    return np.flatnonzero(is_offered[group])


@kernel
def members_of(row: Rows) -> Integers:
    """The members of a row, in order."""
    members = np.empty(size(row), dtype=np.int64)
    n = 0
    for w in range(row.shape[0]):
        word = row[w]
        while word != ZERO:
            members[n] = w * 64 + lowest(word)
            n += 1
            word &= word - ONE
    return members


@dataclass(frozen=True)
class WeightedFolds:
    """What was found without each fold, put together, and what it says of the fold's rows."""

    atoms: WeightedAtoms
    scores: Floats
    """Of the rows ``held`` out, ``(n_rows, n_classes)``."""
    held: Integers
    loss: float
    parts: list[WeightedAtoms]
    """What was found without each fold, before it was put together."""


RACE = {10: 4.0, 25: 2.5, 50: 1.8, 100: 1.4, 200: 1.2}
"""After so many rounds a loss that is so many times the rival's is given up."""


def learn_weighted(
    examples: Examples,
    alternatives: Alternatives,
    dealt: Dealt,
    seed: np.random.SeedSequence,
    rounds: Rounds,
    rival: float,
) -> WeightedFolds:
    """Find weighted atoms without each fold in turn; ``rival`` is the loss of strict atoms.

    ``alternatives`` are of the rows that were dealt.
    """
    recipe = WeightedRecipe()
    if rounds.settings.max_epochs is not None:
        recipe = replace(recipe, rounds=min(recipe.rounds, rounds.settings.max_epochs))

    def without(f: int, own: np.random.SeedSequence) -> WeightedLearner:
        learner = WeightedLearner(
            alternatives,
            dealt.label,
            dealt.weight,
            examples.n_classes,
            dealt.fold != f,
            own,
            recipe,
        )
        while not learner.is_done and not rounds.over():
            loss = learner.run_round()
            if loss > RACE.get(len(learner.rounds), np.inf) * rival:
                break
        return learner

    learners = Parallel(n_jobs=rounds.settings.n_jobs, require="sharedmem")(
        delayed(without)(f, own) for f, own in enumerate(seed.spawn(dealt.n_folds))
    )
    held = np.concatenate([learner.held for learner in learners])
    order = np.argsort(held, kind="stable")
    scores = np.concatenate([learner.held_scores for learner in learners])[order]
    losses = [min(learner.losses) for learner in learners]
    mass = [dealt.weight[learner.held].sum() for learner in learners]
    parts = [learner.best(1.0 / dealt.n_folds) for learner in learners]
    loss = float(np.average(losses, weights=mass))
    return WeightedFolds(merged(parts), scores, held[order], loss, parts)
