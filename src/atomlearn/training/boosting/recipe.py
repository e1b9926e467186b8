"""The parameters of gradient boosting: how many rounds, of how large trees, in how large steps.

What suits a table depends on its rows and classes. Larger trees are tried, and held-out rows decide
(:mod:`.ensemble`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from atomlearn.training.settings import Stopping

USUAL_ROWS, USUAL_CLASSES = 4000, 2
"""Number of rows and classes for which the learning rate is that of the recipe."""
USUAL_RATES, LARGEST_RATE = (0.06, 0.1), 0.4
"""Bounds of the learning rate for any number of rows, and of every learning rate."""
FEWEST_ROWS = 300
"""Of fewer rows a tree never uses all columns: random subsets reduce overfitting."""
LARGER_TREES, LARGER = 1500, 16
"""From this many rows on, the trees for classes have so many leaves."""
FEWEST_STEPS = 4.0
"""Minimum product of rounds and learning rate, if the number of rounds is limited."""
NUMBER_SHARE, NUMBER_ROUNDS, NUMBER_RATE = 0.75, 700, 0.7
"""For a number: the share of the columns that a tree may use, the maximum number of rounds, and a
factor of the learning rate."""
FEW_NUMBERS, FEW_LEAVES = 500, 4
"""With fewer rows than this, a tree for a number has so many leaves."""
MANY_CLASSES, MANY_SHARE = 30, 0.3
"""With more classes than this, there are fewer rounds, with more regularization, and trees that may
use this share of the columns: each class has few rows, and rounds take long."""
DETAILED = {32: 40.0, 128: 40.0, 512: 20.0}
"""Larger trees that are tried: the number of leaves, and the largest product of the number of
rounds and the learning rate with such trees."""
MOST_TREES, FEWEST_DETAILED_STEPS = 12_000, 15.0
"""Maximum number of larger trees, of all classes together, and the product of rounds and learning
rate that has to be possible with as many."""
ROWS_PER_LEAF = 64
"""Larger trees are tried if there are this many rows for each leaf."""
WORDS_PER_LEAF = 8
"""The batch of a larger tree may have this many words of 64 rows for each leaf."""
DETAILED_RATE, DETAILED_ROWS, DETAILED_RATES = 0.1, 15_000, (0.07, 0.12)
"""Learning rate of larger trees for a number of rows, and its bounds."""


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
    share: float = 0.5
    """Share of the columns that a tree may use."""
    fewest_features: int = 6
    """Number of columns that every tree may use, if there are as many: of fewer, one alone may
    decide."""
    many_features: int = 64
    """Number of columns up to which that is so; beyond it the share falls with the square root of
    their number."""
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

        >>> [BoostingRecipe().max_features(n) for n in (4, 9, 64, 256, 784)]
        [4, 6, 32, 64, 112]
        """
        usual = math.ceil(self.share * math.sqrt(n_columns * min(n_columns, self.many_features)))
        return min(n_columns, max(usual, self.fewest_features))

    def fewest(self, losses: Sequence[float]) -> int:
        """Return the smallest number of rounds that is about as good as the best.

        >>> BoostingRecipe().fewest([0.7, 0.5, 0.401, 0.4, 0.45])
        2
        """
        return int(np.argmax(np.array(losses) <= (1 + self.tolerance) * min(losses)))


def recipe_for(n_rows: int, n_classes: int, max_rounds: int | None) -> BoostingRecipe:
    """Return the recipe for this many rows and classes; of a number there is one.

    With many rows, larger steps are as accurate, and need fewer atoms; with many classes small
    steps would take too long.
    """
    usual = BoostingRecipe()
    if is_number := n_classes == 1:
        usual = replace(usual, share=NUMBER_SHARE, rounds=NUMBER_ROUNDS)
        if n_rows < FEW_NUMBERS:
            usual = replace(usual, max_leaves=FEW_LEAVES)
    elif n_rows >= LARGER_TREES and n_classes <= MANY_CLASSES:
        usual = replace(usual, max_leaves=LARGER)
    n_classes = max(n_classes, USUAL_CLASSES)
    root = math.sqrt(n_rows / USUAL_ROWS)
    learning_rate = usual.learning_rate * root * math.sqrt(math.sqrt(root))
    smallest, largest = USUAL_RATES
    learning_rate = min(max(learning_rate, smallest), largest)
    many = max(1.0, n_classes / MANY_CLASSES)
    may_use_all = n_rows >= FEWEST_ROWS and n_classes <= MANY_CLASSES
    # With hundreds of classes there is no time for small steps.
    learning_rate *= math.sqrt(many * math.sqrt(math.sqrt(n_classes / many / USUAL_CLASSES)))
    learning_rate *= NUMBER_RATE if is_number else 1.0
    rounds = int(usual.rounds / many)
    if max_rounds is not None:  # fewer rounds need larger steps
        rounds = min(rounds, max_rounds)
        learning_rate = max(learning_rate, FEWEST_STEPS / rounds)
    return replace(
        usual,
        share=MANY_SHARE if n_classes > MANY_CLASSES else usual.share,
        fewest_features=usual.fewest_features if may_use_all else 1,
        learning_rate=min(learning_rate, LARGEST_RATE),
        rounds=rounds,
        l2_regularization=usual.l2_regularization * many,
    )


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
