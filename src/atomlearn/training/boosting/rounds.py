"""Rounds of gradient boosting, whose leaves are weighted atoms.

In each round a small tree for every class is grown on a batch of rows (:mod:`.trees`), and each
leaf gets a Newton step times the learning rate as its weight (J. Friedman, "Greedy function
approximation", 2001). The atom of a leaf consists of the sides of the splits that its rows do *not*
take: exactly the rows of the leaf miss it. Held-out rows say when to stop.

What the gradient is of, and what held-out rows are judged by, is a matter of the loss
(:mod:`.losses`).
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import helper, kernel, unrolled_kernel
from atomlearn.sets.random import Seed, Stream, draw, draw_first, stream
from atomlearn.sets.rows import Rows, pack
from atomlearn.sets.words import FIRST, ONE, ZERO, lowest, transpose
from atomlearn.training.boosting.losses import (
    CLASSES,
    LOG_LOSS,
    ORDERED,
    QUANTILE,
    Loss,
    Powers,
    held_out_loss,
    leaf_quantile,
    powers_for,
    predict_numbers,
    start_of,
    write_class_gradients,
    write_number_gradients,
    write_predictions,
)
from atomlearn.training.boosting.recipe import BoostingRecipe
from atomlearn.training.boosting.trees import (
    ANY_SIGN,
    LEAF_WORDS,
    Growth,
    Paths,
    Places,
    Quantisation,
    Signs,
    Splits,
    add_to_leaves,
    grow_tree,
    growth_for,
    informative_columns,
    only,
    quantisation_for,
    quantisation_of,
    quantised,
    rows_of,
    side_signs,
    sign_of,
    sort_by_leaf,
    sum_leaves,
    write_paths,
    write_places,
    write_rows_of,
)
from atomlearn.typing import Bits, Floats, Integers

LARGEST_STEP = 4.0
"""Largest weight of a leaf for a number, on the scale of the loss: a few times its spread, or a
large factor."""
AT_ONCE = 10
"""Maximum number of rounds of a fold before the folds are compared, and of rounds whose paths are
read at a time."""


class Trees(NamedTuple):
    """The leaves of the trees of one round.

    A leaf has the sides that lead to it, the column of the scores that it adds to, and its weight.
    """

    sides: npt.NDArray[np.int32]
    """The sides of all leaves, one leaf after the other, but for those that a leaf begins with as
    the one before it does: most of them."""
    shared: npt.NDArray[np.int16]
    """The number of sides that each leaf shares with the one before it."""
    depth: npt.NDArray[np.int16]
    """The number of sides of each leaf."""
    column: Integers
    weight: Floats

    @classmethod
    def of(cls, path: Paths, column: Integers, weight: Floats) -> "Trees":
        """Return the leaves whose sides are rows of ``path``, padded with ``-1``."""
        is_side = path >= 0
        depth = is_side.sum(axis=1, dtype=np.int16)
        shared = np.zeros(len(path), dtype=np.int16)
        shared[1:] = (path[1:] == path[:-1]).argmin(axis=1)
        own = is_side & (np.arange(path.shape[1]) >= shared[:, None])
        return cls(path[own], shared, depth, column.copy(), weight.copy())

    @classmethod
    def joined(cls, rounds: "Sequence[Trees]") -> "Trees":
        """Return the leaves of some rounds, one round after the other."""
        return cls(*(np.concatenate(parts) for parts in zip(*rounds, strict=True)))

    @property
    def path(self) -> Paths:
        """The sides of each leaf in a row, padded with ``-1``."""
        place = np.arange(int(self.depth.max(initial=0)))
        is_side = place < self.depth[:, None]
        own = is_side & (place >= self.shared[:, None])
        path = np.full(is_side.shape, -1, dtype=np.int32)
        path[own] = self.sides
        last = np.maximum.accumulate(np.where(own, np.arange(len(path))[:, None], 0), axis=0)
        return np.where(is_side, path[last, place], np.int32(-1))


class Prior(NamedTuple):
    """What is believed of some rows before boosting begins: their class, or that it is not."""

    met: Bits
    """The rows that it is about."""
    atom: tuple[int, ...]
    """The atom that exactly these rows miss."""
    k: int
    negated: bool
    n_rows: float
    """Number of rows that the belief is worth."""

    def weight(self, labels: Integers, weights: Floats, learned: Bits) -> float:
        """Return the change of the log-odds: as if so many rows more had been seen.

        Rows that contradict the belief reduce it, down to nothing.
        """
        is_so = (labels == self.k) != self.negated
        every, ours = weights * learned, weights * (learned & self.met)
        shares = [
            (float((one * is_so).sum()) + n + 0.5) / (float(one.sum()) + n + 1.0)
            for one, n in ((ours, self.n_rows), (every, 0.0))
        ]
        inside, outside = (math.log(share / (1.0 - share)) for share in shares)
        return max(0.0, inside - outside) * (-1.0 if self.negated else 1.0)


class Booster:
    """Gradient boosting on the rows ``learned``, evaluated on those ``held`` out.

    The ``targets`` are labels or, with another ``loss``, numbers on its scale, which have one
    score. For two classes one score is enough: that of the second. Of ordered classes each
    threshold has one: the score of the class above it less that of the class below. Boosting can
    continue from scores to ``start`` from, which other atoms give; without, it begins with the
    ``priors``. The ``signs`` that weights may have, by class and literal, make the scores monotone;
    of ordered classes, those of the highest hold for every threshold.
    """

    def __init__(
        self,
        splits: Splits,
        targets: npt.NDArray[Any],
        weights: Floats,
        n_classes: int,
        learned: Bits,
        held: Integers,
        seed: Seed,
        recipe: BoostingRecipe,
        start: Floats | None = None,
        signs: Signs | None = None,
        priors: Sequence[Prior] = (),
        loss: Loss = LOG_LOSS,
    ) -> None:
        self.splits = splits
        of_classes = loss.kind in (CLASSES, ORDERED)
        labels: Integers = (
            targets.astype(np.int64, copy=False) if of_classes else levels_of(targets)
        )
        if recipe.only_informative:
            columns = informative_columns(splits, labels, learned, int(labels.max()) + 1)
            self.splits = only(splits, columns)
        self.loss = loss
        self.targets: Floats = targets.astype(np.float64, copy=False)
        self.weights = weights
        self.n_classes = n_classes
        self.recipe = recipe
        self.rng: Stream = stream(seed)
        self.held = held
        padded = np.zeros(splits.has.shape[1] * 64, dtype=np.bool_)
        padded[: len(learned)] = learned
        self.learned: Rows = pack(padded[None])[0]
        self.offset: Floats = np.zeros(n_classes)
        if start is not None:
            scores = (start - start[:, :1]).T if of_classes else start.T
        else:
            if of_classes:
                mass = np.bincount(labels[learned], weights[learned], minlength=n_classes) + 0.5
                self.offset = np.log(mass / mass[0])
            elif learned.any():
                first = start_of(loss, self.targets[learned], weights[learned])
                self.offset = np.array([first])
            scores = np.broadcast_to(self.offset[:, None], (n_classes, len(targets)))
        self.priors = [(one, one.weight(labels, weights, learned)) for one in priors]
        if self.priors and start is None:
            scores = scores.copy()
            for prior, weight in self.priors:
                # Of two classes only the second has a score.
                own, sign = (1, 2 * prior.k - 1) if n_classes == 2 else (prior.k, 1)
                scores[own] += sign * weight * prior.met
        elif start is not None:
            self.priors = []
        if loss.kind == ORDERED:
            scores = np.diff(scores, axis=0)
        self.scores: Floats = np.array(scores[1:] if n_classes == 2 else scores, order="C")
        self.held_start: Floats = self.scores[:, held]
        n_scores = len(self.scores)
        self.signs: Signs = np.full((n_scores, len(self.splits.group), 2), ANY_SIGN, dtype=np.uint8)
        if signs is not None:
            ours = signs[1:] if n_classes == 2 else signs
            if loss.kind == ORDERED:
                ours = np.repeat(signs[-1:], n_scores, axis=0)
            self.signs = np.stack([side_signs(self.splits, one) for one in ours])
        self.rounds: list[Trees] = []
        self.quantisation = quantisation_for(weights, recipe.gradient_levels, recipe.hessian_levels)
        self.losses: list[float] = []
        self._make_room()
        self._judge()

    def _make_room(self) -> None:
        """Make the arrays that rounds write to."""
        n, n_words = len(self.targets), self.splits.has.shape[1]
        most, n_splits = self.recipe.max_leaves, len(self.splits.group)
        n_columns, in_batch = self.splits.n_columns, min(n, 64 * self.recipe.max_batch)
        slope, bend, residual, weight = np.empty((4, in_batch))
        self.work = Work(
            np.empty(n_words, dtype=np.int64),
            np.empty(n_columns, dtype=np.int64),
            np.empty(n_columns, dtype=np.bool_),
            np.empty(n_words, dtype=np.uint64),
            np.empty(in_batch, dtype=np.int64),
            slope,
            bend,
            np.empty((2, most)),
            np.empty(64 * n_words, dtype=np.int16),
            np.empty((max(most, 2), LEAF_WORDS), dtype=np.uint64),
            residual,
            weight,
        )
        self.growth = growth_for(in_batch, n_splits, most)
        self.powers = powers_for(max(len(self.held), in_batch))
        self.prediction = np.empty((len(self.scores), max(len(self.held), in_batch)))

    def run_round(self) -> float:
        """Run one more round, and return the loss on held-out rows."""
        recipe, loss, most, work = self.recipe, self.loss, self.recipe.max_leaves, self.work
        path = np.empty((len(self.scores) * most, max(most - 1, 1)), dtype=np.int32)
        column, weight = np.empty(len(path), dtype=np.int64), np.empty(len(path))
        max_features = recipe.max_features(len(work.columns))
        n_members, n_candidates = draw_round(
            self.learned, recipe.max_batch, self.splits.group, max_features, self.rng, work,
            self.growth.candidates,
        )  # fmt: skip
        members, quantisation = work.members[:n_members], self.quantisation
        if loss.kind in (CLASSES, ORDERED):
            write_predictions(loss, self.scores, members, self.prediction, self.powers)
        else:
            quantisation = follow_numbers(
                loss, self.scores, members, self.prediction, self.powers, self.targets,
                self.weights, work.slope, work.bend, quantisation,
            )  # fmt: skip
        n = boost_round(
            self.splits.has,
            n_candidates,
            self.signs,
            loss.kind,
            self.targets,
            self.weights,
            members,
            self.scores,
            self.prediction,
            quantisation,
            self.rng,
            recipe.learning_rate,
            recipe.l2_regularization,
            recipe.min_hessian,
            work,
            self.growth,
            path,
            column,
            weight,
        )
        if loss.kind == QUANTILE and n:
            n = weigh_quantiles(
                loss.quantile, n, self.targets, self.weights, members, self.signs,
                recipe.learning_rate, recipe.l2_regularization, work, self.growth, path, column,
                weight, self.scores,
            )  # fmt: skip
        self.rounds.append(Trees.of(path[:n], column[:n], weight[:n]))
        self._judge()
        return self.losses[-1]

    def close(self) -> None:
        """Drop the arrays that rounds write to, after the last one."""
        del self.scores, self.prediction, self.work, self.growth, self.powers

    def held_scores(self, n_rounds: int) -> Floats:
        """Return the scores of the held-out rows after the first rounds, by class."""
        has, held = self.splits.has, self.held_start.copy()
        is_held = np.zeros(has.shape[1] * 64, dtype=np.bool_)
        is_held[self.held] = True
        rows = rows_of(has, np.arange(len(has)), pack(is_held[None])[0])
        add_rounds(self.rounds[:n_rounds], transpose(rows, len(has)), held)
        if self.loss.kind == ORDERED:
            held = np.cumsum(held, axis=0)
        return np.vstack([np.zeros((self.n_classes - len(held), held.shape[1])), held]).T

    def _judge(self) -> None:
        """Record the loss on held-out rows."""
        self.losses.append(
            held_out_loss(
                self.loss,
                self.scores,
                self.targets,
                self.weights,
                self.held,
                self.prediction,
                self.powers,
            )
        )


LEVELS = 8
"""Number of classes that a number is divided into to find informative columns."""


def levels_of(targets: Floats) -> Integers:
    """Return which of several intervals, with about as many rows each, each number is in.

    >>> levels_of(np.array([5.0, 1.0, 1.0])).tolist()
    [1, 0, 0]
    """
    edges = np.unique(np.quantile(targets, np.arange(1, LEVELS) / LEVELS, method="lower"))
    levels = np.unique(np.searchsorted(edges, targets), return_inverse=True)[1]
    return np.asarray(levels, dtype=np.int64)


def add_rounds(rounds: Sequence[Trees], has: Rows, scores: Floats) -> None:
    """Add the leaf weights of some rounds to the scores of rows, by class and row."""
    place = np.empty(64 * has.shape[1], dtype=np.int16)
    for i in range(0, len(rounds), AT_ONCE):
        some, end = rounds[i : i + AT_ONCE], 0
        path = Trees.joined(some).path
        reached = np.empty((path.shape[1] + 1, LEAF_WORDS), dtype=np.uint64)
        for found in some:
            start, end = end, end + len(found.column)
            add_round(path[start:end], found.column, found.weight, has, reached, place, scores)


@kernel
def add_round(
    path: Paths,
    column: Integers,
    weight: Floats,
    has: Rows,
    reached: Rows,
    place: Places,
    scores: Floats,
) -> None:
    """Add the leaf weights of one round, in which the leaves of a tree are contiguous."""
    start = FIRST
    while start < column.shape[0]:
        end = start + 1
        while end < column.shape[0] and column[end] == column[start]:
            end += 1
        write_places(path, start, end - start, has, reached, place)
        add_to_leaves(place, weight, start, scores, column[start])
        start = end


class Work(NamedTuple):
    """The arrays that a round of boosting writes to."""

    words: Integers
    columns: Integers
    is_drawn: Bits
    batch: Rows
    """The rows that the trees of a round are grown on."""
    members: Integers
    slope: Floats
    bend: Floats
    sums: Floats
    place: Places
    reached: Rows
    residual: Floats
    weight: Floats


@unrolled_kernel
def boost_round(
    has: Rows,
    n_candidates: int,
    signs: Signs,
    kind: int,
    targets: Floats,
    weights: Floats,
    members: Integers,
    scores: Floats,
    prediction: Floats,
    quantisation: Quantisation,
    rng: Stream,
    learning_rate: float,
    l2_regularization: float,
    min_hessian: float,
    work: Work,
    growth: Growth,
    path: Paths,
    column: Integers,
    weight: Floats,
) -> int:
    """Run one round: for each score, grow a tree on a batch of rows and add its leaf weights.

    Writes the path, column and weight of each leaf, and returns the number of leaves. The gradients
    of a number are given. With a loss of quantiles its leaves are still to be weighed.
    """
    place, batch, slope, bend, sums = work.place, work.batch, work.slope, work.bend, work.sums
    write_rows_of(has, growth.candidates, n_candidates, batch, growth.rows, growth.block)
    n_columns, width, n = scores.shape[0], (n_candidates + 63) >> 6, FIRST
    is_number = kind != CLASSES and kind != ORDERED
    for k in range(n_columns):
        if not is_number:
            own = 1 if n_columns == 1 and kind == CLASSES else k
            write_class_gradients(kind, own, targets, weights, prediction[k], members, slope, bend)
        # Rows whose gradient is quantised to zero are left out: with many classes, these are most.
        n_left = FIRST
        for j in range(members.shape[0]):
            level, other = quantised(slope[j], bend[j], quantisation, rng)
            if level != 0 or other != 0:
                growth.place[n_left] = j * width
                growth.gradient[n_left], growth.hessian[n_left] = level, other
                n_left += 1
        for m in range(n_candidates):
            for side in range(2):
                growth.signs[m, side] = signs[k, growth.candidates[m], side]
        n_leaves = grow_tree(
            n_left, n_candidates, quantisation, sums.shape[1], l2_regularization,
            min_hessian, growth,
        )  # fmt: skip
        if n_leaves == 1:
            continue
        write_paths(n_leaves, growth, path, n)
        write_places(path, n, n_leaves, has, work.reached, place)
        sum_leaves(place, n_leaves, members, slope, bend, sums)
        if kind == QUANTILE:
            return n_leaves
        n = weigh_leaves(
            is_number, k, n_leaves, sums, signs, learning_rate, l2_regularization, place, path,
            column, weight, n, scores,
        )  # fmt: skip
    return n


@helper
def weigh_leaves(
    is_number: bool,
    k: int,
    n_leaves: int,
    sums: Floats,
    signs: Signs,
    learning_rate: float,
    l2_regularization: float,
    place: Places,
    path: Paths,
    column: Integers,
    weight: Floats,
    first: int,
    scores: Floats,
) -> int:
    """Add the weights of the leaves of a tree to a score, from the first path on.

    Returns where the paths end: leaves whose weight would have another sign are left out.
    """
    n = first
    for j in range(n_leaves):
        step = learning_rate * sums[0, j] / (sums[1, j] + l2_regularization)
        if is_number:
            step = step if step > -LARGEST_STEP else -LARGEST_STEP
            step = step if step < LARGEST_STEP else LARGEST_STEP
        allowed = ANY_SIGN
        for d in range(path.shape[1]):
            side = path[n, d] = path[first + j, d]
            if side >= 0:
                allowed &= signs[k, side >> 1, side & 1]
        sums[0, j] = 0.0
        if allowed & sign_of(step):  # other leaves have no weight
            sums[0, j] = weight[n] = step
            column[n] = k
            n += 1
    add_to_leaves(place, sums[0], FIRST, scores, k)
    return n


@unrolled_kernel
def follow_numbers(
    loss: Loss,
    scores: Floats,
    members: Integers,
    prediction: Floats,
    powers: Powers,
    targets: Floats,
    weights: Floats,
    slope: Floats,
    bend: Floats,
    before: Quantisation,
) -> Quantisation:
    """Predict numbers, write the gradients of their loss, and return a quantisation of these."""
    predict_numbers(loss, scores, members, prediction, powers)
    write_number_gradients(loss, targets, weights, prediction[0], members, slope, bend)
    return quantisation_of(slope, bend, members.shape[0], before)


@kernel
def weigh_quantiles(
    level: float,
    n_leaves: int,
    targets: Floats,
    weights: Floats,
    members: Integers,
    signs: Signs,
    learning_rate: float,
    l2_regularization: float,
    work: Work,
    growth: Growth,
    path: Paths,
    column: Integers,
    weight: Floats,
    scores: Floats,
) -> int:
    """Weigh the leaves of a tree by the quantile of the residuals of their rows."""
    place, sums = work.place, work.sums
    sort_by_leaf(place, n_leaves, members, growth)
    for j in range(n_leaves):
        sums[0, j] = sums[1, j] * leaf_quantile(
            growth.others, growth.start[j], growth.end[j], level, targets, weights, scores[0],
            work.residual, work.weight,
        )  # fmt: skip
    return weigh_leaves(
        True, 0, n_leaves, sums, signs, learning_rate, l2_regularization, place, path, column,
        weight, FIRST, scores,
    )  # fmt: skip


@kernel
def draw_round(
    learned: Rows,
    max_batch: int,
    group: Integers,
    max_features: int,
    rng: Stream,
    work: Work,
    drawn: Integers,
) -> tuple[int, int]:
    """Draw the rows and the splits of a round, and return the number of each."""
    n_members = draw_batch(learned, max_batch, rng, work)
    return n_members, draw_columns(group, max_features, rng, work, drawn)


@helper
def draw_batch(learned: Rows, max_batch: int, rng: Stream, work: Work) -> int:
    """Draw five of eight rows that are learned from, in at most ``max_batch`` words."""
    words, batch, members = work.words, work.batch, work.members
    n_words = learned.shape[0]
    for w in range(n_words):
        words[w] = w
        batch[w] = ZERO
    if n_words > max_batch:
        draw_first(rng, words, max_batch)
        n_words = max_batch
    for j in range(n_words):
        w = words[j]
        batch[w] = learned[w] & (draw(rng) | (draw(rng) & draw(rng)))
    n = 0
    for w in range(learned.shape[0]):
        word = batch[w]
        while word != ZERO:
            members[n] = w * 64 + lowest(word)
            n += 1
            word &= word - ONE
    return n


@helper
def draw_columns(
    group: Integers, max_features: int, rng: Stream, work: Work, drawn: Integers
) -> int:
    """Draw the splits of some columns at random, and return their number."""
    for c in range(work.columns.shape[0]):
        work.columns[c] = c
        work.is_drawn[c] = False
    draw_first(rng, work.columns, max_features)
    for j in range(max_features):
        work.is_drawn[work.columns[j]] = True
    n = 0
    for a in range(group.shape[0]):
        if work.is_drawn[group[a]]:
            drawn[n] = a
            n += 1
    return n
