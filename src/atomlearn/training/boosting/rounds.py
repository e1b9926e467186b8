"""Probabilities from scores, with arithmetic that gives the same bits on every machine.

Mathematical libraries round ``exp`` and ``log`` differently in the last digit, and atoms that are
chosen by a sum of such numbers would depend on the library. These use nothing but IEEE arithmetic.

Rounds that find weighted atoms.

In each round a batch of rows shows what is still wrong with the predictions; guided crossing finds
atoms that explain it, and each gets the weight of one damped Newton step (gradient boosting: J.
Friedman, "Greedy function approximation", 2001). Rows outside the training set say when to stop.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import kernel
from atomlearn.sets.random import Seed, Stream, draw, draw_first, stream
from atomlearn.sets.rows import Lists, Rows, pack, take, united
from atomlearn.sets.words import ONE, ZERO, lowest, size, transpose
from atomlearn.training.boosting.ensemble import WeightedAtoms
from atomlearn.training.boosting.trees import (
    Alternatives,
    Steps,
    add_to_cells,
    cells_of,
    grow,
    informative_columns,
    only,
    rounded,
    rows_of,
    steps_for,
    sum_cells,
)
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

    In passes without branches, which become vector instructions: several times faster than one
    number at a time.

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
    """The logarithm of a positive number.

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
    """A softmax over the classes of some rows; scores are by class and row.

    Of a single class, the probability of the second of two. Class by class, all rows of a class
    side by side in memory: with many classes that is several times faster than row by row.
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
    """Mean log-loss of some rows; their probabilities are written on the way."""
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
"""Rows and classes for which the rate is that of the recipe ..."""
SMALLEST_RATE, LARGEST_RATE = 0.06, 0.4
"""... and what it is kept between."""
FEWEST_STEPS = 4.0
"""Rounds times rate, at least, if the number of rounds is limited."""
MANY_CLASSES = 30
"""With more classes, rounds are fewer."""
DETAILED = {32: 400, 128: 200, 512: 100}
"""Atoms of a class in one round that are tried, each with the most rounds, if there are rows ..."""
ROWS_PER_ATOM = 64
"""... so many for each ..."""
WORDS_PER_ATOM = 8
"""... with so many words of a batch for each ..."""
DETAILED_ROWS, DETAILED_RATES = 60_000, (0.1, 0.2)
"""... and a rate between these, the larger from so many rows on."""


@dataclass(frozen=True)
class WeightedRecipe:
    """How weighted atoms are found."""

    rounds: int = 500
    atoms: int = 8
    """Atoms of a class in one round."""
    rate: float = 0.085
    """Share of the Newton step that is taken: smaller steps need more rounds, and err less."""
    many_columns: int = 64
    """A round may use half of the columns; of more than this, as many as the square root grows,
    ..."""
    only_informative: bool = False
    """... and perhaps only those that say something about the classes on their own."""
    ridge: float = 1.0
    least: float = 0.2
    """Curvature that the rows of a cell must have: about one undecided row."""
    patience: int = 25
    progress: float = 0.998
    """Stop after ``patience`` rounds in which the loss has not come below this part of the best."""
    largest: int = 512
    """Words of 64 rows in a batch, at most."""
    tolerance: float = 0.005
    """By how much more loss, as a share of the lowest, fewer rounds are as good."""
    slope_steps: int = 31
    curvature_steps: int = 15
    """Into how many steps slope and curvature of a row of mean weight are rounded. (With 7 and 3 a
    round is a little faster, but models are larger: noise looks as if it could be explained.)"""

    def offered(self, n_columns: int) -> int:
        """The number of columns that a round may use: fewer, and other ones each time, err less.

        >>> [WeightedRecipe().offered(n) for n in (9, 64, 256, 784)]
        [5, 32, 64, 112]
        """
        return math.ceil(0.5 * math.sqrt(n_columns * min(n_columns, self.many_columns)))

    def has_stalled(self, losses: Sequence[float]) -> bool:
        """Have held-out rows stopped getting better? The first loss is that of no round."""
        if len(losses) > self.rounds:
            return True
        if len(losses) <= self.patience:
            return False
        before = min(losses[: -self.patience])
        return min(losses[-self.patience :]) >= self.progress * before

    def fewest(self, losses: Sequence[float]) -> int:
        """The fewest rounds that are about as good as the best number.

        >>> WeightedRecipe().fewest([0.7, 0.5, 0.401, 0.4, 0.45])
        2
        """
        return int(np.argmax(np.array(losses) <= (1 + self.tolerance) * min(losses)))


def recipe_for(n_rows: int, n_classes: int, max_rounds: int | None) -> WeightedRecipe:
    """The recipe for so many rows and classes.

    With many rows, larger steps err no more, and need fewer atoms; with many classes small ones
    would take long.
    """
    usual = WeightedRecipe()
    root = math.sqrt(n_rows / USUAL_ROWS)
    rate = usual.rate * root * math.sqrt(math.sqrt(root))
    rate = max(rate, SMALLEST_RATE) * math.sqrt(math.sqrt(n_classes / USUAL_CLASSES))
    rounds = int(usual.rounds * math.sqrt(min(1.0, MANY_CLASSES / n_classes)))
    if max_rounds is not None:  # few rounds have to go as far in larger steps
        rounds = min(rounds, max_rounds)
        rate = max(rate, FEWEST_STEPS / rounds)
    return replace(usual, rate=min(rate, LARGEST_RATE), rounds=rounds)


def detailed_recipes(usual: WeightedRecipe, n_rows: int) -> list[WeightedRecipe]:
    """Recipes with more atoms a round, as far as there are rows enough for them.

    >>> [recipe.atoms for recipe in detailed_recipes(WeightedRecipe(), 20_000)]
    [32, 128]
    """
    smallest, largest = DETAILED_RATES
    rate = max(smallest, largest * math.sqrt(min(1.0, n_rows / DETAILED_ROWS)))
    return [
        replace(
            usual,
            atoms=n,
            rounds=min(usual.rounds, rounds),
            largest=max(usual.largest, WORDS_PER_ATOM * n),
            rate=rate,
        )
        for n, rounds in DETAILED.items()
        if n_rows >= ROWS_PER_ATOM * n
    ]


class Found(NamedTuple):
    """The atoms of one round: the sides that lead to each, padded with ``-1``, and the weights."""

    path: npt.NDArray[np.int32]
    column: Integers
    weight: Floats

    def trimmed(self) -> "Found":
        """The same without padding that no path needs: most are far shorter than they could be."""
        deepest = int((self.path >= 0).sum(axis=1).max(initial=0))
        return self._replace(path=self.path[:, :deepest].copy())


class WeightedLearner:
    """Finds weighted atoms on the rows that are ``learned``, and judges them by those ``held`` out.

    For two classes one score is enough: that of the second.
    """

    def __init__(
        self,
        alternatives: Alternatives,
        labels: Integers,
        weights: Floats,
        n_classes: int,
        learned: Bits,
        held: Integers,
        seed: Seed,
        recipe: WeightedRecipe,
        start: Floats | None = None,
    ) -> None:
        self.alternatives = alternatives
        if recipe.only_informative:
            columns = informative_columns(alternatives, labels, learned, n_classes)
            self.alternatives = only(alternatives, columns)
        self.labels = labels
        self.weights = weights
        self.n_classes = n_classes
        self.recipe = recipe
        self.rng: Stream = stream(seed)
        self.held = held
        padded = np.zeros(alternatives.has.shape[1] * 64, dtype=np.bool_)
        padded[: len(learned)] = learned
        self.learned: Rows = pack(padded[None])[0]
        mass = np.bincount(labels[learned], weights[learned], minlength=n_classes) + 0.5
        self.offset: Floats = np.log(mass / mass[0])
        scores = np.broadcast_to(self.offset[:, None], (n_classes, len(labels)))
        if start is not None:  # what other atoms say already
            self.offset, scores = np.zeros(n_classes), (start - start[:, :1]).T
        self.start: Floats = scores if n_classes > 2 else scores[1:]
        self.scores: Floats = self.start.copy(order="C")
        self.probability = np.empty_like(self.scores)
        self.rounds: list[Found] = []
        self.steps = steps_for(weights, recipe.slope_steps, recipe.curvature_steps)
        self.losses: list[float] = []
        self._judge()

    def run_round(self) -> float:
        """Find the atoms of one more round; the loss on held-out rows."""
        recipe = self.recipe
        found = find_atoms(
            self.alternatives.has,
            self.alternatives.group,
            recipe.offered(self.alternatives.n_columns),
            self.labels,
            self.weights,
            self.learned,
            recipe.largest,
            self.scores,
            self.probability,
            self.steps,
            self.rng,
            recipe.atoms,
            recipe.rate,
            recipe.ridge,
            recipe.least,
        )
        self.rounds.append(found.trimmed())
        self._judge()
        return self.losses[-1]

    @property
    def is_done(self) -> bool:
        """Has it stopped getting better?"""
        return self.recipe.has_stalled(self.losses)

    def atoms(self, n_rounds: int, part: float = 1.0) -> WeightedAtoms:
        """The atoms of the first rounds, with this part of their weights."""
        rounds = self.rounds[:n_rounds]
        classes = np.concatenate([_NONE, *(found.column for found in rounds)])
        weights = part * np.concatenate([np.zeros(0), *(found.weight for found in rounds)])
        if self.n_classes == 2:  # what speaks for the second class is a cost of the first
            classes = (weights < 0).astype(np.int64)
            weights = -np.abs(weights)
        return WeightedAtoms(self._atoms(rounds), classes, weights, part * self.offset)

    def held_scores(self, n_rounds: int) -> Floats:
        """What the first rounds say of the held-out rows, by class."""
        has, held = self.alternatives.has, np.ascontiguousarray(self.start[:, self.held])
        is_held = np.zeros(has.shape[1] * 64, dtype=np.bool_)
        is_held[self.held] = True
        rows = rows_of(has, np.arange(len(has)), pack(is_held[None])[0])
        add_rounds(self.rounds[:n_rounds], transpose(rows, len(has)), held)
        return np.vstack([np.zeros((self.n_classes - len(held), held.shape[1])), held]).T

    def _judge(self) -> None:
        """Note the loss on held-out rows."""
        self.losses.append(
            held_out_loss(self.scores, self.labels, self.weights, self.held, self.probability)
        )

    def _atoms(self, rounds: Sequence[Found]) -> Lists:
        """The literals that a row of each cell does not have."""
        depths = np.concatenate([_NONE, *((found.path >= 0).sum(axis=1) for found in rounds)])
        taken = np.concatenate([_NONE, *(found.path[found.path >= 0] for found in rounds)])
        missed = take(self.alternatives.sides, taken ^ 1)  # who has one side misses the other
        atom = np.repeat(np.repeat(np.arange(len(depths)), depths), np.diff(missed.starts))
        return united(atom, missed.constants, len(depths))


def add_rounds(rounds: Sequence[Found], has: Rows, scores: Floats) -> None:
    """Add what some rounds found to the scores of rows, by class and row."""
    for found in rounds:
        add_round(found.path, found.column, found.weight, has, scores)


@kernel
def add_round(
    path: npt.NDArray[Any], column: Integers, weight: Floats, has: Rows, scores: Floats
) -> None:
    """The same for one round, whose atoms of a class are side by side."""
    start = 0
    while start < column.shape[0]:
        end = start + 1
        while end < column.shape[0] and column[end] == column[start]:
            end += 1
        add_to_cells(cells_of(path[start:end], has), weight[start:end], scores[column[start]])
        start = end


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
    steps: Steps,
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
    write_probabilities(scores, members, probability)
    rows = rows_of(has, offered, batch)
    n_columns = scores.shape[0]
    path = np.empty((n_columns * most, max(most - 1, 1)), dtype=np.int32)
    column = np.empty(n_columns * most, dtype=np.int64)
    weight = np.empty(n_columns * most)
    sums = np.empty((2, most))
    place = np.empty(members.shape[0], dtype=np.int64)
    slope, curvature = np.empty_like(place), np.empty_like(place)
    n = 0
    for k in range(n_columns):
        own = k if n_columns > 1 else 1
        # Rows whose gradient is rounded to nothing are left out: of many classes, most.
        n_left = 0
        for j in range(members.shape[0]):
            i = members[j]
            p = probability[k, i]
            wrong = (1.0 if labels[i] == own else 0.0) - p
            first, second = rounded(weights[i] * wrong, weights[i] * p * (1.0 - p), steps, rng)
            if first != 0 or second != 0:
                place[n_left], slope[n_left], curvature[n_left] = j, first, second
                n_left += 1
        found = grow(
            rows, place[:n_left], offered, slope[:n_left], curvature[:n_left], steps,
            most, ridge, least,
        )  # fmt: skip
        n_cells = found.shape[0]
        if n_cells == 1:
            continue
        cells = cells_of(found, has)
        sum_cells(cells, batch, labels, own, weights, probability[k], sums)
        for j in range(n_cells):
            for d in range(path.shape[1]):
                path[n + j, d] = found[j, d] if d < found.shape[1] else -1
            column[n + j] = k
            weight[n + j] = rate * sums[0, j] / (sums[1, j] + ridge)
        add_to_cells(cells, weight[n : n + n_cells], scores[k])
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
