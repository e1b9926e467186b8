"""Weighted atoms: what missing one adds to the log-odds of a class.

They are found without each fold in turn, all folds round by round together. The rows of the folds
say how many rounds are best; so many are then made with all rows, and only these atoms are kept.

Weighted atoms batch after batch: what is known stays, and new atoms correct it.

Rounds go on from the scores that the known atoms give the rows of the batch, and those of a sample
of earlier rows, so that what is new to the batch is told from what is only peculiar to it. A part
of the batch is not learned from and says when to stop; if nothing helps there, nothing is added.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from atomlearn.engine.misses import blocks_of
from atomlearn.sets.rows import Rows, no_lists
from atomlearn.training.boosting.ensemble import WeightedAtoms, merged
from atomlearn.training.boosting.rounds import (
    WeightedLearner,
    WeightedRecipe,
    detailed_recipes,
    recipe_for,
)
from atomlearn.training.boosting.trees import Alternatives
from atomlearn.training.data import EVERY, SMALL, Dealt, Examples
from atomlearn.training.settings import Clock
from atomlearn.typing import Floats, Integers

AT_ONCE = 10
"""Rounds of a fold before the folds are compared, at most; at first fewer, so that all folds know
something if time is short."""

RACE = {6.0: 4.0, 12.0: 2.5, 24.0: 1.5}
"""From so many rounds times their rate on, a loss that is so many times the rival's is given up:
with small steps a good model is as far behind at first as a poor one."""

TRIAL, TRIAL_RATE = 15, 0.2
"""Rounds after which the losses of two recipes are compared, at the same rate, ..."""
CLEARLY = 0.9
"""... and the share of the loss of the first that the other must come below."""


@dataclass(frozen=True)
class WeightedFolds:
    """What was found with all rows, and what was said of the rows of each fold without them."""

    atoms: WeightedAtoms
    scores: Floats
    """Of the rows ``held`` out, ``(n_rows, n_classes)``."""
    held: Integers
    loss: float
    parts: list[WeightedAtoms]
    """What was found without each fold."""


def learn_weighted(
    examples: Examples,
    alternatives: Alternatives,
    dealt: Dealt,
    seed: np.random.SeedSequence,
    clock: Clock,
    rival: float,
) -> WeightedFolds:
    """Find weighted atoms without each fold in turn, then with all rows; ``rival`` is the loss of
    strict atoms.

    ``alternatives`` are of the rows that were dealt, followed by what each symmetry makes of them:
    those are learned from too, but never held out.
    """
    *seeds, last = seed.spawn(dealt.n_folds + 1)
    n_variants = len(examples.variants)
    label, fold = np.tile(dealt.label, n_variants), np.tile(dealt.fold, n_variants)
    weight = np.tile(dealt.weight / n_variants, n_variants)

    def learner(f: int, own: np.random.SeedSequence, recipe: WeightedRecipe) -> WeightedLearner:
        held = np.flatnonzero(dealt.fold == f)
        return WeightedLearner(
            alternatives, label, weight, examples.n_classes, fold != f, held, own, recipe
        )

    usual = recipe_for(len(label), examples.n_classes, clock.settings.max_epochs)
    recipes = [usual, *detailed_recipes(usual, len(label))]
    recipe, tried = _choose_recipe(recipes, lambda one: learner(0, seeds[0], one), clock)
    if alternatives.n_columns > recipe.many_columns:
        judges = seeds if len(label) <= SMALL else seeds[:1]  # of few rows all have to judge
        recipe = _choose_columns(
            recipe, lambda one: [learner(f, own, one) for f, own in enumerate(judges)], clock
        )
    folds = [learner(f, own, recipe) for f, own in enumerate(seeds)]
    if tried is not None and tried.recipe == recipe:
        folds[0] = tried  # it has had its first rounds
    losses = _learn_folds(folds, recipe, clock, rival)
    n_rounds = recipe.fewest(losses)
    part = 1.0 / len(folds)
    parts = [one.atoms(n_rounds, part) for one in folds]
    found = parts  # put together if there is no time for all rows at once
    if not clock.over():
        whole = learner(EVERY, last, recipe)
        _run(whole, n_rounds, clock)
        if len(whole.rounds) == n_rounds:
            found = [whole.atoms(n_rounds)]
    atoms = merged(found)
    held = np.concatenate([one.held for one in folds])
    order = np.argsort(held, kind="stable")
    scores = np.concatenate([one.held_scores(n_rounds) for one in folds])[order]
    return WeightedFolds(atoms, scores, held[order], losses[n_rounds], parts)


def has_lost(losses: Sequence[float], rate: float, rival: float) -> bool:
    """Are the losses so far behind the rival's that more rounds are of no use?"""
    way = rate * (len(losses) - 1)
    allowed = min([np.inf, *(times for least, times in RACE.items() if least <= way)])
    return losses[-1] > allowed * rival


def _choose_recipe(
    recipes: Sequence[WeightedRecipe],
    learner: Callable[[WeightedRecipe], WeightedLearner],
    clock: Clock,
) -> tuple[WeightedRecipe, WeightedLearner | None]:
    """Try the recipes on one fold: more atoms a round, as long as that is clearly better.

    Returned are the recipe and what has tried it, if there was a choice.
    """
    chosen, tried, best = recipes[0], None, np.inf
    for recipe in recipes if len(recipes) > 1 else ():
        trial = learner(replace(recipe, rate=TRIAL_RATE))
        _run(trial, TRIAL, clock)
        if trial.losses[-1] > CLEARLY * best:
            break
        chosen, tried, best = recipe, trial, trial.losses[-1]
    return chosen, tried


def _choose_columns(
    recipe: WeightedRecipe,
    learners: Callable[[WeightedRecipe], list[WeightedLearner]],
    clock: Clock,
) -> WeightedRecipe:
    """Leave out columns that say nothing on their own, if that is clearly better."""
    fewer = replace(recipe, only_informative=True)
    every, some = (learners(replace(one, rate=TRIAL_RATE)) for one in (recipe, fewer))
    if not all(
        0 < b.alternatives.n_columns < a.alternatives.n_columns
        for a, b in zip(every, some, strict=True)
    ):
        return recipe
    for trial in (*every, *some):
        _run(trial, TRIAL, clock)
    losses = [sum(one.losses[-1] for one in trials) for trials in (every, some)]
    return fewer if losses[1] <= CLEARLY * losses[0] else recipe


def _learn_folds(
    folds: list[WeightedLearner], recipe: WeightedRecipe, clock: Clock, rival: float
) -> list[float]:
    """Let all folds find atoms while that helps; the mean loss after each round."""
    mass = np.array([one.weights[one.held].sum() for one in folds])
    losses: list[float] = []
    while True:
        n_known = min(len(one.losses) for one in folds)
        known = np.array([one.losses[:n_known] for one in folds])
        losses = np.average(known, axis=0, weights=mass).tolist()
        n_rounds = n_known - 1
        if has_lost(losses, recipe.rate, rival) or recipe.has_stalled(losses) or clock.over():
            return losses
        target = min(n_rounds + min(max(1, n_rounds), AT_ONCE), recipe.rounds)
        Parallel(n_jobs=clock.settings.n_jobs, require="sharedmem")(
            delayed(_run)(one, target, clock) for one in folds
        )


def _run(learner: WeightedLearner, n_rounds: int, clock: Clock) -> None:
    """Bring it to so many rounds, if it is not ended before."""
    while len(learner.rounds) < n_rounds and not clock.over():
        learner.run_round()


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
