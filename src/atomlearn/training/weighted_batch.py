"""Weighted atoms batch after batch: what is known stays, and new atoms correct it.

Rounds go on from the scores that the known atoms give the rows of the batch, and those of a sample
of earlier rows, so that what is new to the batch is told from what is only peculiar to it. A part
of the batch is not learned from and says when to stop; if nothing helps there, nothing is added.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from atomlearn.engine.guided_crossing import Alternatives
from atomlearn.engine.misses import blocks_of
from atomlearn.sets.rows import Rows, no_lists
from atomlearn.training.clock import Clock
from atomlearn.training.examples import Examples
from atomlearn.training.weighted import has_lost
from atomlearn.training.weighted_atoms import WeightedAtoms, merged
from atomlearn.training.weighted_rounds import WeightedLearner, recipe_for
from atomlearn.typing import Floats, Integers

HELD_OUT = 5
"""One row of so many is not learned from."""
MOST_ATOMS = 200_000
"""Beyond so many atoms the lightest are forgotten."""


class Earlier(NamedTuple):
    """A sample of the rows that came before."""

    rows: Rows
    labels: Integers
    weights: Floats
    """Relative to those of the batch: one in the mean."""
    n_seen: int
    """Of so many rows."""

    def share(self, n_new: int) -> float:
        """How many of all rows so far are learned from: the sample, and ``n_new`` of the batch."""
        return min(1.0, (n_new + len(self.labels)) / max(1, n_new + self.n_seen))


def no_weighted_atoms(n_classes: int) -> WeightedAtoms:
    """Nothing known yet."""
    none = np.zeros(0)
    return WeightedAtoms(no_lists(), none.astype(np.int64), none, np.zeros(n_classes))


def learn_weighted_batch(
    known: WeightedAtoms,
    factor: float,
    examples: Examples,
    earlier: Earlier,
    find_alternatives: Callable[[Rows], Alternatives],
    seed: np.random.SeedSequence,
    clock: Clock,
    rival: float = np.inf,
) -> WeightedAtoms:
    """The known atoms and new ones; ``factor`` times their scores is what new ones correct.

    ``rival`` is the loss of strict atoms: what stays far behind it is given up.
    """
    n_new = len(examples)
    examples = examples.extended(earlier.rows, earlier.labels, earlier.weights)
    n_variants = len(examples.variants)
    which = np.concatenate([np.arange(len(examples)), examples.dissent.examples])
    labels = np.concatenate([examples.labels, examples.dissent.labels])
    weights = np.concatenate([examples.weights, examples.dissent.weights])
    step = clock.thinning(n_variants * len(which) * examples.n_classes)
    which, labels, weights = which[::step], labels[::step], weights[::step]
    choosing, own = seed.spawn(2)
    held = np.zeros(len(examples), dtype=np.bool_)
    held[np.random.default_rng(choosing).permutation(n_new)[: n_new // HELD_OUT]] = True
    if not held.any() or (labels == labels[0]).all():  # one class alone has nothing to tell apart
        return known
    shown = examples.variants[:, which].reshape(-1, examples.variants.shape[2])
    said = known.scores(blocks_of(shown, examples.n_constants), len(shown))
    recipe = recipe_for(len(shown), examples.n_classes, clock.settings.max_epochs)
    learner = WeightedLearner(
        find_alternatives(shown),
        np.tile(labels, n_variants),
        np.tile(weights / n_variants, n_variants),
        examples.n_classes,
        np.tile(~held[which], n_variants),
        np.flatnonzero(held[which]),  # what symmetries make of rows is never held out
        own,
        recipe,
        factor * said if len(known) else None,
    )
    while not (learner.is_done or clock.over()):
        if has_lost(learner.losses, recipe.rate, rival):
            break
        learner.run_round()
    n_rounds = recipe.fewest(learner.losses)
    if not len(known):
        return learner.atoms(n_rounds, 1.0 / factor)
    # A small batch after many others is one voice of many.
    new = learner.atoms(n_rounds, earlier.share(n_new) / factor)
    return merged([known, new]).heaviest(MOST_ATOMS)
