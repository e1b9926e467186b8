"""Cards of several sizes, and their measures on held-out rows.

The card of a fold learns from a full model that has not seen the rows of the fold, and is measured
on them. The exact card is taken where it is allowed and held-out rows agree.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from atomlearn.engine.misses import blocks_of
from atomlearn.sets.rows import Rows
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.compact.card import MAX_POINTS, Card, with_prior
from atomlearn.training.compact.lesson import Teacher
from atomlearn.training.compact.rules import Sides
from atomlearn.training.compact.search import distil
from atomlearn.training.data import FORBIDDEN, HardRules, HeldOutPredictions
from atomlearn.training.scores import SMALLEST, decided, one_thread, softmax
from atomlearn.typing import Floats, Integers

SIZES = (1, 2, 3, 5, 8, 13, 20, 30, 40, 60, 80, 120, 160, 200)
"""Numbers of rules that are measured."""
LARGEST, EACH_CLASS = 40, 4
"""Unless a number is given, a card has at most 40 rules, or 4 for each class if that is more."""
MEASURED, MANY_ROWS = 3, 500
"""Number of folds on which cards are measured, if there are more than so many rows."""
EXACT = 0
"""Key of the exact card among the sizes."""
_ENDLESS = 1 << 30


class Size(NamedTuple):
    """Error and log-loss of a model on held-out rows, with their standard errors."""

    n_atoms: int
    error: float
    error_sd: float
    loss: float
    loss_sd: float
    is_full: bool = False
    n_rows: int = 0


class Compact(NamedTuple):
    """Cards of several sizes with their measures on held-out rows."""

    cards: dict[int, Card]
    sizes: tuple[Size, ...]
    """Measures of the cards of each size; none without folds."""
    held_out: dict[int, HeldOutPredictions]
    """Predictions on held-out rows by the cards of each size."""


def sizes_for(max_atoms: int | None, n_classes: int) -> tuple[int, ...]:
    """Return the sizes to measure, up to a maximum.

    >>> sizes_for(10, 2), sizes_for(None, 2)[-1], sizes_for(None, 26)[-1]
    ((1, 2, 3, 5, 8, 10), 40, 104)
    """
    most = max(LARGEST, EACH_CLASS * n_classes) if max_atoms is None else max_atoms
    return tuple(sorted({*(size for size in SIZES if size < most), most}))


def find_cards(
    teacher: Teacher,
    find_splits: Callable[[Rows], Splits],
    sizes: Sequence[int],
    max_points: int = MAX_POINTS,
    prior: Floats | float = 0.0,
    rules: HardRules | None = None,
) -> Compact:
    """Distil cards of all sizes, and measure cards of the same sizes on the rows of each fold."""
    with one_thread():
        return _find_cards(teacher, find_splits, sizes, max_points, prior, rules)


def _find_cards(
    teacher: Teacher,
    find_splits: Callable[[Rows], Splits],
    sizes: Sequence[int],
    max_points: int,
    prior: Floats | float,
    rules: HardRules | None,
) -> Compact:
    measured = _Measured(teacher, sizes, prior, rules)
    signs = None if rules is None else rules.signs
    sides = Sides(find_splits(teacher.rows), teacher.rows, len(teacher.columns), signs)
    last = teacher.n_folds
    for f in [*range(n_measured(teacher)), last]:
        ours = teacher.learned_from(f)
        rows, labels = teacher.rows[ours], teacher.labels[ours]
        made = teacher.made(f, f == last)
        cards, exact = distil(teacher.lessons[f], made, sides, rows, labels, sizes, max_points)
        if f < last:
            measured.add(f, cards, exact)
    for size in sizes:
        if exact is not None and measured.prefers_exact(size, len(exact)):
            cards[size] = exact
    cards = {size: with_prior(card, prior) for size, card in cards.items()}
    if not len(measured):
        return Compact(cards, (), {})
    return Compact(
        cards,
        tuple(measured.size(size, len(cards[size])) for size in sizes),
        {size: measured.held_out(size) for size in sizes},
    )


def n_measured(teacher: Teacher) -> int:
    """Return the number of folds on which cards are measured."""
    return teacher.n_folds if len(teacher) <= MANY_ROWS else min(MEASURED, teacher.n_folds)


class _Measured:
    """Scores of the cards of each size on the rows of the folds that they were made without."""

    def __init__(
        self,
        teacher: Teacher,
        sizes: Sequence[int],
        prior: Floats | float,
        rules: HardRules | None,
    ) -> None:
        self.prior, self.rules = prior, rules
        known = (teacher.fold >= 0) & (teacher.fold < n_measured(teacher))
        self.rows, self.fold = teacher.rows[known], teacher.fold[known]
        self.labels, self.weights = teacher.labels[known], teacher.weights[known]
        shape = (len(self.labels), teacher.n_classes)
        self.scores = {size: np.zeros(shape) for size in (*sizes, EXACT)}
        self.exact = 0
        """Largest number of rules of the exact cards of the folds; infinite if one has none."""

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, fold: int, cards: dict[int, Card], exact: Card | None) -> None:
        """Score the rows of a fold with its cards."""
        held = np.flatnonzero(self.fold == fold)
        rows = self.rows[held]
        blocks = blocks_of(rows, rows.shape[1] * 64)
        self.exact = max(self.exact, _ENDLESS if exact is None else len(exact))
        forbidden = self.rules.forbidden_of(rows) if self.rules else None
        for size, card in (cards if exact is None else {**cards, EXACT: exact}).items():
            scores = card.scores(blocks, len(rows))
            if forbidden is not None:
                scores[forbidden] = -FORBIDDEN
            self.scores[size][held] = scores

    def prefers_exact(self, size: int, n_rules: int) -> bool:
        """Return whether an exact card is allowed and as good, within one standard error."""
        if max(self.exact, n_rules) > size or not len(self):
            return False
        exact, other = self.size(EXACT, 0), self.size(size, 0)
        if exact.loss > other.loss + other.loss_sd or exact.error > other.error + other.error_sd:
            return False
        self.scores[size] = self.scores[EXACT]
        return True

    def size(self, size: int, n_atoms: int) -> Size:
        """Return the measures of the cards of a size."""
        ordered = self.rules is not None and self.rules.ordered
        return measures(
            n_atoms, self.scores[size], self.labels, self.weights, self.prior, ordered=ordered
        )

    def held_out(self, size: int) -> HeldOutPredictions:
        """Return the predictions by the cards of a size."""
        none = np.zeros((len(self), 0))
        weights = self.weights
        return HeldOutPredictions(none, self.labels, weights, weights, self.scores[size])


def measures(
    n_atoms: int,
    scores: Floats,
    labels: Integers,
    weights: Floats,
    prior: Floats | float = 0.0,
    is_full: bool = False,
    ordered: bool = False,
) -> Size:
    """Return error and log-loss of scores, with standard errors; errors are with the ``prior``."""
    own = softmax(scores)[np.arange(len(labels)), labels]
    wrong = (decided(scores + prior, ordered) != labels).astype(np.float64)
    loss = -np.log(np.maximum(own, SMALLEST))
    share = weights / weights.sum()
    several = 1.0 / float((share**2).sum())  # effective number of rows

    def summary(values: Floats) -> tuple[float, float]:
        mean = float((share * values).sum())
        spread = float((share * (values - mean) ** 2).sum())
        return mean, float(np.sqrt(spread / max(several - 1.0, 1.0)))

    return Size(n_atoms, *summary(wrong), *summary(loss), is_full, len(wrong))


def fewest(sizes: Sequence[int], measures: Sequence[Size]) -> int:
    """Return the fewest rules whose loss is within one standard error of the lowest.

    >>> fewest([5, 20], [Size(5, 0.11, 0.01, 0.32, 0.02), Size(20, 0.1, 0.01, 0.31, 0.02)])
    5
    """
    cards = [one for one in measures if not one.is_full]
    if not cards:
        return sizes[-1]
    best = min(cards, key=lambda one: one.loss)
    return next(
        size for size, one in zip(sizes, cards, strict=True) if one.loss <= best.loss + best.loss_sd
    )
