"""Gradient boosting on folds, and on one more batch.

Boosting runs without each fold in turn, all folds round by round together: their rows decide how
many rounds are best. Then that number of rounds is run with all rows, and only these atoms are
kept.

For one more batch, rounds continue from the scores that the known atoms give the rows of the batch,
and those of a sample of earlier rows, so that what is new is distinguished from noise in this
batch. A part of the batch is held out and decides when to stop; if no round helps, no atom is
added."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from atomlearn.engine.misses import blocks_of
from atomlearn.sets.rows import Rows
from atomlearn.training.boosting.ensemble import WeightedAtoms, merged
from atomlearn.training.boosting.rounds import (
    Booster,
    BoostingRecipe,
    detailed_recipes,
    recipe_for,
)
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.data import EVERY, SMALL, Examples, FoldAssignment
from atomlearn.training.scores import has_lost
from atomlearn.training.settings import Clock, run_rounds
from atomlearn.typing import Floats, Integers

AT_ONCE = 10
"""Maximum number of rounds of a fold before the folds are compared. The first comparisons come
sooner, so that all folds have atoms if time is short."""
TRIAL, TRIAL_RATE = 15, 0.2
"""Number of rounds, and their learning rate, after which the losses of two recipes are compared."""
CLEARLY = 0.9
"""A recipe is clearly better if its loss is below this share of the other's."""
HELD_OUT = 5
"""One row in this many of a batch is held out."""
MAX_ATOMS = 200_000
"""Largest number of weighted atoms after a batch; those of the smallest weights are dropped."""


@dataclass(frozen=True)
class BoostedFolds:
    """Weighted atoms learned with all rows, and the scores of held-out rows without them."""

    atoms: WeightedAtoms
    scores: Floats
    """Scores of the rows ``held`` out, ``(n_rows, n_classes)``."""
    held: Integers
    loss: float
    parts: list[WeightedAtoms]
    """Weighted atoms learned without each fold."""


def boost_folds(
    examples: Examples,
    splits: Splits,
    dealt: FoldAssignment,
    seed: np.random.SeedSequence,
    clock: Clock,
    rival: float,
) -> BoostedFolds:
    """Boost without each fold in turn, then with all rows; ``rival`` is the loss of strict atoms.

    ``splits`` are of the rows that were dealt, followed by their images under each symmetry: these
    are learned from too, but never held out.
    """
    *seeds, last = seed.spawn(dealt.n_folds + 1)
    n_variants = len(examples.variants)
    label, fold = np.tile(dealt.label, n_variants), np.tile(dealt.fold, n_variants)
    weight = np.tile(dealt.weight / n_variants, n_variants)

    def booster(f: int, own: np.random.SeedSequence, recipe: BoostingRecipe) -> Booster:
        held = np.flatnonzero(dealt.fold == f)
        return Booster(splits, label, weight, examples.n_classes, fold != f, held, own, recipe)

    usual = recipe_for(len(label), examples.n_classes, clock.settings.max_epochs)
    recipes = [usual, *detailed_recipes(usual, len(label))]
    recipe, tried = _choose_recipe(recipes, lambda one: booster(0, seeds[0], one), clock)
    if splits.n_columns > recipe.many_features:
        judges = seeds if len(label) <= SMALL else seeds[:1]  # of few rows all have to judge
        recipe = _choose_columns(
            recipe, lambda one: [booster(f, own, one) for f, own in enumerate(judges)], clock
        )
    folds = [booster(f, own, recipe) for f, own in enumerate(seeds)]
    if tried is not None and tried.recipe == recipe:
        folds[0] = tried  # it has had its first rounds
    losses = _boost(folds, clock, rival)
    n_rounds = recipe.fewest(losses)
    part = 1.0 / len(folds)
    parts = [one.atoms(n_rounds, part) for one in folds]
    found = parts  # put together if there is no time for all rows at once
    if not clock.over():
        whole = booster(EVERY, last, recipe)
        _run(whole, n_rounds, clock)
        if len(whole.rounds) == n_rounds:
            found = [whole.atoms(n_rounds)]
    atoms = merged(found)
    held = np.concatenate([one.held for one in folds])
    order = np.argsort(held, kind="stable")
    scores = np.concatenate([one.held_scores(n_rounds) for one in folds])[order]
    return BoostedFolds(atoms, scores, held[order], losses[n_rounds], parts)


def _choose_recipe(
    recipes: Sequence[BoostingRecipe],
    booster: Callable[[BoostingRecipe], Booster],
    clock: Clock,
) -> tuple[BoostingRecipe, Booster | None]:
    """Try the recipes on one fold: more leaves in a tree, as long as that is clearly better.

    Returns the recipe and the booster that tried it, if there was a choice.
    """
    chosen, tried, best = recipes[0], None, np.inf
    for recipe in recipes if len(recipes) > 1 else ():
        trial = booster(replace(recipe, learning_rate=TRIAL_RATE))
        _run(trial, TRIAL, clock)
        if trial.losses[-1] > CLEARLY * best:
            break
        chosen, tried, best = recipe, trial, trial.losses[-1]
    return chosen, tried


def _choose_columns(
    recipe: BoostingRecipe,
    boosters: Callable[[BoostingRecipe], list[Booster]],
    clock: Clock,
) -> BoostingRecipe:
    """Leave out columns that are not informative on their own, if that is clearly better."""
    fewer = replace(recipe, only_informative=True)
    every, some = (boosters(replace(one, learning_rate=TRIAL_RATE)) for one in (recipe, fewer))
    if not all(
        0 < b.splits.n_columns < a.splits.n_columns for a, b in zip(every, some, strict=True)
    ):
        return recipe
    for trial in (*every, *some):
        _run(trial, TRIAL, clock)
    losses = [sum(one.losses[-1] for one in trials) for trials in (every, some)]
    return fewer if losses[1] <= CLEARLY * losses[0] else recipe


def _boost(
    folds: Sequence[Booster], clock: Clock, rival: float, at_once: int = AT_ONCE
) -> list[float]:
    """Run rounds of all folds while that helps, and return the mean loss after each round.

    ``rival`` is the loss of strict atoms: boosting that stays far behind it is given up.
    """
    recipe = folds[0].recipe
    mass = np.array([one.weights[one.held].sum() for one in folds])

    def losses() -> list[float]:
        n_known = min(len(one.losses) for one in folds)
        known = np.array([one.losses[:n_known] for one in folds])
        return np.average(known, axis=0, weights=mass).tolist()

    def next_round() -> bool:
        n_rounds = len(losses()) - 1
        if n_rounds >= recipe.rounds or has_lost(losses(), recipe.learning_rate, rival):
            return False
        target = min(n_rounds + min(max(1, n_rounds), at_once), recipe.rounds)
        Parallel(n_jobs=clock.settings.n_jobs, require="sharedmem")(
            delayed(_run)(one, target, clock) for one in folds
        )
        return True

    run_rounds(next_round, losses, recipe.stopping, clock.over)
    return losses()


def _run(booster: Booster, n_rounds: int, clock: Clock) -> None:
    """Run the booster up to ``n_rounds`` rounds, unless it is ended before."""
    while len(booster.rounds) < n_rounds and not clock.over():
        booster.run_round()


class EarlierRows(NamedTuple):
    """A sample of the rows of earlier batches."""

    rows: Rows
    labels: Integers
    weights: Floats
    """Weights relative to those of the batch: their mean is one."""
    n_seen: int
    """Number of earlier rows that the sample stands for."""

    def share(self, n_new: int) -> float:
        """Return the share of all rows so far that the sample and ``n_new`` rows make up."""
        return min(1.0, (n_new + len(self.labels)) / max(1, n_new + self.n_seen))


def boost_batch(
    known: WeightedAtoms,
    factor: float,
    examples: Examples,
    earlier: EarlierRows,
    find_splits: Callable[[Rows], Splits],
    seed: np.random.SeedSequence,
    clock: Clock,
    rival: float = np.inf,
) -> WeightedAtoms:
    """Return the known atoms and new ones, which correct ``factor`` times the scores of the known.

    ``rival`` is the loss of strict atoms: boosting that stays far behind it is given up.
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
    if not held.any() or (labels == labels[0]).all():  # there is only one class
        return known
    shown = examples.variants[:, which].reshape(-1, examples.variants.shape[2])
    said = known.scores(blocks_of(shown, examples.n_constants), len(shown))
    recipe = recipe_for(len(shown), examples.n_classes, clock.settings.max_epochs)
    booster = Booster(
        find_splits(shown),
        np.tile(labels, n_variants),
        np.tile(weights / n_variants, n_variants),
        examples.n_classes,
        np.tile(~held[which], n_variants),
        np.flatnonzero(held[which]),  # images under symmetries are never held out
        own,
        recipe,
        factor * said if len(known) else None,
    )
    n_rounds = recipe.fewest(_boost([booster], clock, rival, at_once=1))
    if not len(known):
        return booster.atoms(n_rounds, 1.0 / factor)
    # A small batch after many others counts by its share of the rows.
    new = booster.atoms(n_rounds, earlier.share(n_new) / factor)
    return merged([known, new]).heaviest(MAX_ATOMS)
