"""Rounds of gradient boosting, whose leaves are weighted atoms.

In each round a small tree for every class is grown on a batch of rows (:mod:`.trees`), and each
leaf gets a Newton step times the learning rate as its weight (J. Friedman, "Greedy function
approximation", 2001). The atom of a leaf consists of the sides of the splits that its rows do *not*
take: exactly the rows of the leaf miss it. Held-out rows say when to stop.

Mathematical libraries round ``exp`` and ``log`` differently in the last digit, and trees that
depend on a sum of such numbers would depend on the library. The functions here use nothing but IEEE
arithmetic, so models are the same on every machine.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import kernel
from atomlearn.sets.random import Seed, Stream, draw, draw_first, stream
from atomlearn.sets.rows import Rows, pack
from atomlearn.sets.words import ONE, ZERO, lowest, size, transpose
from atomlearn.training.boosting.trees import (
    ANY_SIGN,
    Quantisation,
    Signs,
    Splits,
    add_to_leaves,
    grow_tree,
    informative_columns,
    leaves_of,
    only,
    quantisation_for,
    quantised,
    rows_of,
    side_signs,
    sign_of,
    sum_leaves,
)
from atomlearn.training.settings import Stopping
from atomlearn.typing import Bits, Floats, Integers

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_FLOOR = -700.0
_BIAS, _MANTISSA = 1023, 52
_TERMS = tuple(1.0 / math.factorial(i) for i in range(13, -1, -1))
_SMALLEST = 1e-12


@kernel
def exponentials(x: Floats) -> None:
    """Replace numbers that are not positive by ``e`` to their power.

    Passes without branches become vector instructions, several times faster than one number at a
    time.

    >>> x = np.array([-1.0, 0.0])
    >>> exponentials(x)
    >>> bool(abs(x[0] - math.exp(-1.0)) < 1e-15), float(x[1])
    (True, 1.0)
    """
    exponents = np.empty(x.shape[0], dtype=np.int64)
    for j in range(x.shape[0]):
        power = max(x[j], _FLOOR)
        k = math.floor(power * _LOG2E + 0.5)
        x[j] = (power - k * _LN2_HIGH) - k * _LN2_LOW
        exponents[j] = (np.int64(np.int32(k)) + _BIAS) << _MANTISSA
    scale = exponents.view(np.float64)
    for j in range(x.shape[0]):
        rest, series = x[j], _TERMS[0]
        for i in range(1, len(_TERMS)):
            series = series * rest + _TERMS[i]
        x[j] = series * scale[j]


@kernel
def log(x: float) -> float:
    """Return the logarithm of a positive number.

    >>> abs(log(0.3) - math.log(0.3)) < 1e-14
    True
    """
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.7071067811865476:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    t = (mantissa - 1.0) / (mantissa + 1.0)
    square, series = t * t, 0.0
    for i in range(25, 0, -2):
        series = series * square + 1.0 / i
    return 2.0 * t * series + exponent * (_LN2_HIGH + _LN2_LOW)


@kernel
def write_probabilities(scores: Floats, which: Integers, out: Floats) -> None:
    """Write a softmax over the classes of some rows; scores are by class and row.

    For a single class it is the probability of the second of two. The rows of a class are
    contiguous in memory: with many classes, class by class is several times faster than row by row.
    """
    n_classes, n = scores.shape[0], which.shape[0]
    power = np.empty(n)
    if n_classes == 1:
        for j in range(n):
            power[j] = -abs(scores[0, which[j]])
        exponentials(power)
        for j in range(n):
            likely = 1.0 if scores[0, which[j]] > 0 else power[j]
            out[0, which[j]] = likely / (1.0 + power[j])
        return
    highest, total = np.full(n, -np.inf), np.zeros(n)
    for k in range(n_classes):
        for j in range(n):
            highest[j] = max(highest[j], scores[k, which[j]])
    for k in range(n_classes):
        for j in range(n):
            power[j] = scores[k, which[j]] - highest[j]
        exponentials(power)
        for j in range(n):
            out[k, which[j]] = power[j]
            total[j] += power[j]
    for k in range(n_classes):
        for j in range(n):
            out[k, which[j]] /= total[j]


@kernel
def held_out_loss(
    scores: Floats, labels: Integers, weights: Floats, held: Integers, probability: Floats
) -> float:
    """Return the mean log-loss of some rows; their probabilities are written on the way."""
    write_probabilities(scores, held, probability)
    loss, total = 0.0, 0.0
    for i in held:
        if scores.shape[0] == 1:
            own = probability[0, i] if labels[i] == 1 else 1.0 - probability[0, i]
        else:
            own = probability[labels[i], i]
        loss -= weights[i] * log(max(own, _SMALLEST))
        total += weights[i]
    return loss / total if total > 0 else 0.0


_NONE = np.zeros(0, dtype=np.int64)

USUAL_ROWS, USUAL_CLASSES = 4000, 2
"""Number of rows and classes for which the learning rate is that of the recipe."""
SMALLEST_RATE, LARGEST_RATE = 0.06, 0.4
"""Bounds of the learning rate."""
FEWEST_STEPS = 4.0
"""Minimum product of rounds and learning rate, if the number of rounds is limited."""
MANY_CLASSES = 30
"""With more classes than this, there are fewer rounds."""
DETAILED = {32: 40.0, 128: 40.0, 512: 20.0}
"""Larger trees that are tried: the number of leaves, and the largest product of the number of
rounds and the learning rate with such trees."""
MOST_TREES, FEWEST_DETAILED_STEPS = 4000, 15.0
"""Maximum number of larger trees, of all classes together, and the product of rounds and learning
rate that has to be possible with as many."""
ROWS_PER_LEAF = 64
"""Larger trees are tried if there are this many rows for each leaf."""
WORDS_PER_LEAF = 4
"""The batch of a larger tree may have this many words of 64 rows for each leaf."""
DETAILED_RATE, DETAILED_ROWS, DETAILED_RATES = 0.1, 60_000, (0.05, 0.2)
"""Learning rate of larger trees for a number of rows, and its bounds: on images, from half a rate
the loss was 3 % lower, whatever they showed."""


STOPPING = Stopping(patience=25, progress=0.998)
"""Stopping rule of rounds of boosting."""


@dataclass(frozen=True)
class BoostingRecipe:
    """The parameters of gradient boosting."""

    rounds: int = 500
    max_leaves: int = 8
    """Largest number of leaves of a tree."""
    learning_rate: float = 0.085
    """Share of the Newton step that is taken: smaller steps need more rounds, and generalise
    better."""
    many_features: int = 64
    """Number of columns up to which a tree may use half of them; beyond it the share falls with the
    square root of their number."""
    only_informative: bool = False
    """Use only columns that are informative about the classes on their own."""
    l2_regularization: float = 1.0
    min_hessian: float = 0.2
    """Minimum sum of Hessians in a leaf: about one undecided row."""
    stopping: Stopping = STOPPING
    max_batch: int = 512
    """Largest number of words of 64 rows in the batch of a tree."""
    tolerance: float = 0.005
    """Fewer rounds are as good if their loss exceeds the lowest by at most this share."""
    gradient_levels: int = 31
    hessian_levels: int = 15
    """Numbers of levels to which gradients and Hessians of a row of mean weight are quantised.
    (With 7 and 3 a round is a little faster, but models are larger: noise is fitted.)"""

    def max_features(self, n_columns: int) -> int:
        """Return the number of columns that a tree may use; random subsets reduce overfitting.

        >>> [BoostingRecipe().max_features(n) for n in (9, 64, 256, 784)]
        [5, 32, 64, 112]
        """
        return math.ceil(0.5 * math.sqrt(n_columns * min(n_columns, self.many_features)))

    def fewest(self, losses: Sequence[float]) -> int:
        """Return the smallest number of rounds that is about as good as the best.

        >>> BoostingRecipe().fewest([0.7, 0.5, 0.401, 0.4, 0.45])
        2
        """
        return int(np.argmax(np.array(losses) <= (1 + self.tolerance) * min(losses)))


def recipe_for(n_rows: int, n_classes: int, max_rounds: int | None) -> BoostingRecipe:
    """Return the recipe for this many rows and classes.

    With many rows, larger steps are as accurate, and need fewer atoms; with many classes small
    steps would take too long.
    """
    usual = BoostingRecipe()
    root = math.sqrt(n_rows / USUAL_ROWS)
    learning_rate = usual.learning_rate * root * math.sqrt(math.sqrt(root))
    learning_rate = max(learning_rate, SMALLEST_RATE) * math.sqrt(
        math.sqrt(n_classes / USUAL_CLASSES)
    )
    rounds = int(usual.rounds * math.sqrt(min(1.0, MANY_CLASSES / n_classes)))
    if max_rounds is not None:  # fewer rounds need larger steps
        rounds = min(rounds, max_rounds)
        learning_rate = max(learning_rate, FEWEST_STEPS / rounds)
    return replace(usual, learning_rate=min(learning_rate, LARGEST_RATE), rounds=rounds)


def detailed_recipes(usual: BoostingRecipe, n_rows: int, n_classes: int) -> list[BoostingRecipe]:
    """Return recipes with larger trees, where there are enough rows for them.

    >>> few, many = (detailed_recipes(BoostingRecipe(), 20_000, n) for n in (2, 100))
    >>> [recipe.max_leaves for recipe in few], [recipe.max_leaves for recipe in many]
    ([32, 128], [32])
    """
    smallest, largest = DETAILED_RATES
    rate = min(max(smallest, DETAILED_RATE * math.sqrt(n_rows / DETAILED_ROWS)), largest)
    most = min(usual.rounds, MOST_TREES // n_classes)
    rate = max(rate, min(FEWEST_DETAILED_STEPS / max(most, 1), LARGEST_RATE))
    return [
        replace(
            usual,
            max_leaves=n,
            rounds=min(most, int(steps / rate)),
            max_batch=max(usual.max_batch, WORDS_PER_LEAF * n),
            learning_rate=rate,
        )
        for n, steps in DETAILED.items()
        if n_rows >= ROWS_PER_LEAF * n * max(1.0, n_classes / MANY_CLASSES)
    ]


class Trees(NamedTuple):
    """The leaves of the trees of one round.

    A leaf has the sides that lead to it, padded with ``-1``, the column of the scores that it adds
    to, and its weight.
    """

    path: npt.NDArray[np.int32]
    column: Integers
    weight: Floats

    def trimmed(self) -> "Trees":
        """Return the same trees without padding that no path needs."""
        deepest = int((self.path >= 0).sum(axis=1).max(initial=0))
        return self._replace(path=self.path[:, :deepest].copy())


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

    For two classes one score is enough: that of the second. Boosting can continue from scores to
    ``start`` from, which other atoms give; without, it begins with the ``priors``. The ``signs``
    that weights may have, by class and literal, make the scores monotone.
    """

    def __init__(
        self,
        splits: Splits,
        labels: Integers,
        weights: Floats,
        n_classes: int,
        learned: Bits,
        held: Integers,
        seed: Seed,
        recipe: BoostingRecipe,
        start: Floats | None = None,
        signs: Signs | None = None,
        priors: Sequence[Prior] = (),
    ) -> None:
        self.splits = splits
        if recipe.only_informative:
            columns = informative_columns(splits, labels, learned, n_classes)
            self.splits = only(splits, columns)
        self.labels = labels
        self.weights = weights
        self.n_classes = n_classes
        self.recipe = recipe
        self.rng: Stream = stream(seed)
        self.held = held
        padded = np.zeros(splits.has.shape[1] * 64, dtype=np.bool_)
        padded[: len(learned)] = learned
        self.learned: Rows = pack(padded[None])[0]
        mass = np.bincount(labels[learned], weights[learned], minlength=n_classes) + 0.5
        self.offset: Floats = np.log(mass / mass[0])
        scores = np.broadcast_to(self.offset[:, None], (n_classes, len(labels)))
        if start is not None:
            self.offset, scores = np.zeros(n_classes), (start - start[:, :1]).T
        self.priors = [(one, one.weight(labels, weights, learned)) for one in priors]
        if self.priors and start is None:
            scores = scores.copy()
            for prior, weight in self.priors:
                # Of two classes only the second has a score.
                own, sign = (1, 2 * prior.k - 1) if n_classes == 2 else (prior.k, 1)
                scores[own] += sign * weight * prior.met
        elif start is not None:
            self.priors = []
        self.start: Floats = scores if n_classes > 2 else scores[1:]
        n_scores = len(self.start)
        self.signs: Signs = np.full((n_scores, len(self.splits.group), 2), ANY_SIGN, dtype=np.uint8)
        if signs is not None:
            ours = signs if n_scores > 1 else signs[1:]
            self.signs = np.stack([side_signs(self.splits, one) for one in ours])
        self.scores: Floats = self.start.copy(order="C")
        self.probability = np.empty_like(self.scores)
        self.rounds: list[Trees] = []
        self.quantisation = quantisation_for(weights, recipe.gradient_levels, recipe.hessian_levels)
        self.losses: list[float] = []
        self._judge()

    def run_round(self) -> float:
        """Run one more round, and return the loss on held-out rows."""
        recipe = self.recipe
        found = boost_round(
            self.splits.has,
            self.splits.group,
            self.signs,
            recipe.max_features(self.splits.n_columns),
            self.labels,
            self.weights,
            self.learned,
            recipe.max_batch,
            self.scores,
            self.probability,
            self.quantisation,
            self.rng,
            recipe.max_leaves,
            recipe.learning_rate,
            recipe.l2_regularization,
            recipe.min_hessian,
        )
        self.rounds.append(found.trimmed())
        self._judge()
        return self.losses[-1]

    def held_scores(self, n_rounds: int) -> Floats:
        """Return the scores of the held-out rows after the first rounds, by class."""
        has, held = self.splits.has, np.ascontiguousarray(self.start[:, self.held])
        is_held = np.zeros(has.shape[1] * 64, dtype=np.bool_)
        is_held[self.held] = True
        rows = rows_of(has, np.arange(len(has)), pack(is_held[None])[0])
        add_rounds(self.rounds[:n_rounds], transpose(rows, len(has)), held)
        return np.vstack([np.zeros((self.n_classes - len(held), held.shape[1])), held]).T

    def _judge(self) -> None:
        """Record the loss on held-out rows."""
        self.losses.append(
            held_out_loss(self.scores, self.labels, self.weights, self.held, self.probability)
        )


def add_rounds(rounds: Sequence[Trees], has: Rows, scores: Floats) -> None:
    """Add the leaf weights of some rounds to the scores of rows, by class and row."""
    for found in rounds:
        add_round(found.path, found.column, found.weight, has, scores)


@kernel
def add_round(
    path: npt.NDArray[Any], column: Integers, weight: Floats, has: Rows, scores: Floats
) -> None:
    """Add the leaf weights of one round, in which the leaves of a tree are contiguous."""
    start = 0
    while start < column.shape[0]:
        end = start + 1
        while end < column.shape[0] and column[end] == column[start]:
            end += 1
        add_to_leaves(leaves_of(path[start:end], has), weight[start:end], scores[column[start]])
        start = end


@kernel
def boost_round(
    has: Rows,
    group: Integers,
    signs: Signs,
    max_features: int,
    labels: Integers,
    weights: Floats,
    learned: Rows,
    max_batch: int,
    scores: Floats,
    probability: Floats,
    quantisation: Quantisation,
    rng: Stream,
    max_leaves: int,
    learning_rate: float,
    l2_regularization: float,
    min_hessian: float,
) -> Trees:
    """Run one round: for each score, grow a tree on a batch of rows and add its leaf weights."""
    batch = draw_batch(learned, max_batch, rng)
    candidates = draw_columns(group, max_features, rng)
    members = members_of(batch)
    write_probabilities(scores, members, probability)
    rows = rows_of(has, candidates, batch)
    n_columns = scores.shape[0]
    path = np.empty((n_columns * max_leaves, max(max_leaves - 1, 1)), dtype=np.int32)
    column = np.empty(n_columns * max_leaves, dtype=np.int64)
    weight = np.empty(n_columns * max_leaves)
    sums = np.empty((2, max_leaves))
    place = np.empty(members.shape[0], dtype=np.int64)
    gradient, hessian = np.empty_like(place), np.empty_like(place)
    n = 0
    for k in range(n_columns):
        own = k if n_columns > 1 else 1
        # Rows whose gradient is quantised to zero are left out: with many classes, these are most.
        n_left = 0
        for j in range(members.shape[0]):
            i = members[j]
            p = probability[k, i]
            residual = (1.0 if labels[i] == own else 0.0) - p
            first, second = quantised(
                weights[i] * residual, weights[i] * p * (1.0 - p), quantisation, rng
            )
            if first != 0 or second != 0:
                place[n_left], gradient[n_left], hessian[n_left] = j, first, second
                n_left += 1
        found = grow_tree(
            rows, place[:n_left], candidates, gradient[:n_left], hessian[:n_left],
            signs[k][candidates], quantisation, max_leaves, l2_regularization, min_hessian,
        )  # fmt: skip
        n_leaves = found.shape[0]
        if n_leaves == 1:
            continue
        leaves = leaves_of(found, has)
        sum_leaves(leaves, batch, labels, own, weights, probability[k], sums)
        first = n
        for j in range(n_leaves):
            step = learning_rate * sums[0, j] / (sums[1, j] + l2_regularization)
            allowed = ANY_SIGN
            for d in range(path.shape[1]):
                side = found[j, d] if d < found.shape[1] else -1
                path[n, d] = side
                if side >= 0:
                    allowed &= signs[k, side >> 1, side & 1]
            if allowed & sign_of(step):  # other leaves have no weight
                leaves[n - first], weight[n], column[n] = leaves[j], step, k
                n += 1
        add_to_leaves(leaves[: n - first], weight[first:n], scores[k])
    return Trees(path[:n], column[:n], weight[:n])


@kernel
def draw_batch(learned: Rows, max_batch: int, rng: Stream) -> Rows:
    """Draw five of eight rows that are learned from, in at most ``max_batch`` words."""
    batch = np.zeros_like(learned)
    words = np.arange(learned.shape[0])
    if words.shape[0] > max_batch:
        draw_first(rng, words, max_batch)
        words = words[:max_batch]
    for w in words:
        batch[w] = learned[w] & (draw(rng) | (draw(rng) & draw(rng)))
    return batch


@kernel
def draw_columns(group: Integers, max_features: int, rng: Stream) -> Integers:
    """Draw the splits of some columns at random."""
    columns = np.arange(group.max() + 1 if group.shape[0] else 0)
    draw_first(rng, columns, max_features)
    is_drawn = np.zeros(columns.shape[0], dtype=np.bool_)
    for c in columns[:max_features]:
        is_drawn[c] = True
    return np.flatnonzero(is_drawn[group])


@kernel
def members_of(row: Rows) -> Integers:
    """Return the members of a row, in order."""
    members = np.empty(size(row), dtype=np.int64)
    n = 0
    for w in range(row.shape[0]):
        word = row[w]
        while word != ZERO:
            members[n] = w * 64 + lowest(word)
            n += 1
            word &= word - ONE
    return members
