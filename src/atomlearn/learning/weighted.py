"""Weighted atoms: what missing one adds to the log-odds of a class.

Atoms are found round by round. In each round a batch of rows shows what is still wrong with the
predictions; guided crossing finds atoms that explain it, and each gets the weight of one damped
Newton step (gradient boosting: J. Friedman, "Greedy function approximation", 2001). Rows outside
the training set say when to stop.
"""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from atomlearn.bits.jit import kernel
from atomlearn.bits.random import Seed, Stream, draw, sample, stream
from atomlearn.bits.rows import Rows, pack
from atomlearn.bits.words import ZERO
from atomlearn.learning.examples import Examples
from atomlearn.learning.folds import Dealt
from atomlearn.learning.guided_crossing import (
    Alternatives,
    Planes,
    add_to_cells,
    grow,
    sum_cells,
    to_planes,
)
from atomlearn.learning.lists import Lists, take
from atomlearn.learning.logistic import log_loss, probabilities
from atomlearn.learning.rounds import Rounds
from atomlearn.learning.weighted_atoms import WeightedAtoms, merged

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


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


@dataclass
class Round:
    """The atoms of one round."""

    path: list[Integers] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)


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
        self.rounds: list[Round] = []
        self.losses: list[float] = []
        self._judge()

    def run_round(self) -> float:
        """Find the atoms of one more round; the loss on the rows that are not learned from."""
        batch, offered = self._batch(), self._offered()
        done = Round()
        for column in range(self.scores.shape[1]):
            self._improve(column, batch, offered, done)
        self.rounds.append(done)
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
        path = [one for done in rounds for one in done.path]
        columns = np.array([k for done in rounds for k in done.classes], dtype=np.int64)
        weights = part * np.array([w for done in rounds for w in done.weights])
        classes = columns
        if self.n_classes == 2:  # what speaks for the second class is a cost of the first
            classes = (weights < 0).astype(np.int64)
            weights = -np.abs(weights)
        return WeightedAtoms(self._atoms(path), classes, weights, part * self.offset)

    def _improve(self, column: int, batch: Rows, offered: Integers, done: Round) -> None:
        """Find atoms for what is wrong with one score, and correct it."""
        recipe, p = self.recipe, self.probability[:, column]
        own = self.labels == (column if self.n_classes > 2 else 1)
        slope = self.weights * (own - p)
        curvature = self.weights * (p * (1.0 - p))
        cells = grow(
            batch,
            self.alternatives.has,
            offered,
            self._planes(slope, curvature),
            recipe.atoms,
            recipe.ridge,
            recipe.least,
        )
        if len(cells.path) == 1:
            return
        sums = np.zeros((2, len(cells.path)))
        sum_cells(cells.rows, batch, slope, sums[0])
        sum_cells(cells.rows, batch, curvature, sums[1])
        steps = recipe.rate * sums[0] / (sums[1] + recipe.ridge)
        corrected = np.ascontiguousarray(self.scores[:, column])
        add_to_cells(cells.rows, steps, corrected)
        self.scores[:, column] = corrected
        done.path += [path[path >= 0] for path in cells.path]
        done.classes += [column] * len(steps)
        done.weights += steps.tolist()

    def _planes(self, slope: Floats, curvature: Floats) -> Planes:
        typical = float(self.weights.mean())
        noise = random_pairs(self.rng, len(slope))
        slope_unit = typical / self.recipe.slope_steps
        return to_planes(
            slope, curvature, noise, slope_unit, typical / (4 * self.recipe.curvature_steps)
        )

    def _batch(self) -> Rows:
        """Five of eight rows that are learned from, at random; of very many, some words of rows."""
        batch = np.empty_like(self.learned)
        random_words(self.rng, batch)
        batch &= self.learned
        if len(batch) > self.recipe.largest:
            rest = np.ones(len(batch), dtype=np.bool_)
            rest[sample(self.rng, len(batch), self.recipe.largest)] = False
            batch[rest] = ZERO
        return batch

    def _offered(self) -> Integers:
        """The alternatives of some columns."""
        group = self.alternatives.group
        n_groups = int(group.max(initial=-1)) + 1
        chosen = sample(self.rng, n_groups, int(np.ceil(self.recipe.offered * n_groups)))
        return np.flatnonzero(np.isin(group, chosen))

    def _judge(self) -> None:
        """Note the loss on the held-out rows, and what is said of them if it is the best so far."""
        probabilities(self.scores, self.probability)
        loss = log_loss(self.probability, self.labels, self.weights, self.held)
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
def random_words(rng: Stream, out: Rows) -> None:
    """Words in which each bit is set with probability 5/8."""
    for w in range(out.shape[0]):
        out[w] = draw(rng) | (draw(rng) & draw(rng))


@kernel
def random_pairs(rng: Stream, n: int) -> Integers:
    """Two random numbers below 2**16 for each of ``n``."""
    out = np.empty((n, 2), dtype=np.int64)
    for i in range(n):
        word = draw(rng)
        out[i, 0] = np.int64(word & np.uint64(0xFFFF))
        out[i, 1] = np.int64((word >> np.uint64(16)) & np.uint64(0xFFFF))
    return out


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
