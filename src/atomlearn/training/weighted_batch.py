"""Weighted atoms batch after batch: what is known stays, and new atoms correct it.

Rounds go on from the scores that the known atoms give the rows of the batch. A part of the batch is
not learned from and says when to stop; if nothing helps there, nothing is added.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from atomlearn.engine.guided_crossing import Alternatives
from atomlearn.sets.lists import no_lists
from atomlearn.sets.rows import Rows
from atomlearn.training.clock import Clock
from atomlearn.training.examples import Examples
from atomlearn.training.weighted_atoms import WeightedAtoms, merged
from atomlearn.training.weighted_rounds import WeightedLearner, recipe_for

Floats = npt.NDArray[np.float64]

HELD_OUT = 5
"""One row of so many is not learned from."""


def no_weighted_atoms(n_classes: int) -> WeightedAtoms:
    """Nothing known yet."""
    none = np.zeros(0)
    return WeightedAtoms(no_lists(), none.astype(np.int64), none, np.zeros(n_classes))


def learn_weighted_batch(
    known: WeightedAtoms,
    factor: float,
    said: Floats,
    examples: Examples,
    find_alternatives: Callable[[Rows], Alternatives],
    seed: np.random.SeedSequence,
    clock: Clock,
) -> WeightedAtoms:
    """The known atoms and new ones; ``said`` are the scores of the examples so far.

    The scores are those in force: ``factor`` times what the weights add up to.
    """
    which = np.concatenate([np.arange(len(examples)), examples.dissent.examples])
    labels = np.concatenate([examples.labels, examples.dissent.labels])
    weights = np.concatenate([examples.weights, examples.dissent.weights])
    choosing, own = seed.spawn(2)
    held = np.zeros(len(examples), dtype=np.bool_)
    order = np.random.default_rng(choosing).permutation(len(examples))
    held[order[: len(examples) // HELD_OUT]] = True
    if examples.n_classes < 2 or not held.any():
        return known
    recipe = recipe_for(len(which), examples.n_classes, clock.settings.max_epochs)
    learner = WeightedLearner(
        find_alternatives(examples.variants[0][which]),
        labels,
        weights,
        examples.n_classes,
        ~held[which],
        np.flatnonzero(held[which]),
        own,
        recipe,
        said[which] if len(known) else None,
    )
    while not learner.is_done and not clock.over():
        learner.run_round()
    return merged([known, learner.atoms(recipe.fewest(learner.losses), 1.0 / factor)])
