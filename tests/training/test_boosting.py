"""Gradient boosting: without each fold in turn, judged by its rows, then with all rows."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from atomlearn.engine.misses import blocks_of
from atomlearn.sets import rows
from atomlearn.sets.rows import to_lists
from atomlearn.training.boosting import ensemble
from atomlearn.training.boosting.ensemble import WeightedAtoms, boost_folds
from atomlearn.training.boosting.recipe import BoostingRecipe, detailed_recipes, recipe_for
from atomlearn.training.boosting.rounds import Booster
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.data import Examples, deal
from atomlearn.training.scores import has_lost
from atomlearn.training.settings import Clock, Settings, Stopping

N_COLUMNS = 6


def splits_of(truths):
    """Literal ``2 j`` says that column ``j`` is true, ``2 j + 1`` that it is not."""
    sides = to_lists(rows.from_indices([[i] for i in range(2 * N_COLUMNS)], 2 * N_COLUMNS + 1))
    return Splits(rows.pack(truths.T), sides, np.arange(N_COLUMNS))


@pytest.fixture(params=[2, 3])
def problem(request):
    """Rows of six truths; classes follow the first two, with exceptions."""
    rng = np.random.default_rng(0)
    truths = np.unique(rng.random((400, 12)) < 0.5, axis=0)[:, :N_COLUMNS]
    truths = truths[rng.permutation(len(truths))]
    labels = (truths[:, 0].astype(int) + truths[:, 1]) % request.param
    wrong = rng.random(len(labels)) < 0.15
    labels[wrong] = rng.integers(request.param, size=wrong.sum())
    literals = np.stack([truths, ~truths], axis=2).reshape(len(truths), -1)
    packed = rows.pack(np.column_stack([literals, np.zeros(len(truths), dtype=bool)]))
    weights = np.ones(len(labels))
    examples = Examples(packed[None], labels, weights, 2 * N_COLUMNS + 1, request.param)
    return examples, truths


def learned(problem, clock=None, **settings):
    examples, truths = problem
    dealt = deal(examples, 5, np.random.default_rng(0))
    splits = splits_of(truths[dealt.example])
    clock = clock or Clock(Settings(**settings))
    return dealt, boost_folds(examples, splits, dealt, np.random.SeedSequence(0), clock, np.inf)


def test_scores_of_held_out_rows_are_those_of_the_atoms(problem):
    examples, truths = problem
    held = np.arange(len(truths)) % 3 == 0
    booster = Booster(
        splits_of(truths),
        examples.labels,
        examples.weights,
        examples.n_classes,
        ~held,
        np.flatnonzero(held),
        0,
        BoostingRecipe(),
    )
    for _ in range(12):
        booster.run_round()
    blocks = blocks_of(examples.variants[0], examples.n_constants)
    for n_rounds in (0, 5, 12):
        by_atoms = WeightedAtoms.of(booster, n_rounds).scores(blocks, len(truths))[held]
        scores = booster.held_scores(n_rounds)
        # Only differences between classes count; of two classes one has all the weights.
        np.testing.assert_allclose(by_atoms - by_atoms[:, :1], scores - scores[:, :1], atol=1e-12)


def test_the_atoms_are_those_of_one_model_not_of_every_fold(problem):
    _, found = learned(problem)
    largest = max(len(part) for part in found.parts)
    assert 0 < len(found.atoms) <= 1.5 * largest < sum(len(part) for part in found.parts)


def test_the_number_of_jobs_does_not_matter(problem):
    one, two = (learned(problem, n_jobs=n)[1] for n in (1, 2))
    assert (one.scores == two.scores).all() and (one.atoms.weights == two.atoms.weights).all()


def test_a_time_limit_leaves_what_the_folds_have(problem):
    class Limited(Clock):
        checks = 0

        def over(self):
            self.checks += 1
            return self.checks > 40

    _, found = learned(problem, Limited(Settings()))
    assert len(found.atoms) > 0
    np.testing.assert_allclose(
        found.atoms.weights.sum(), sum(part.weights.sum() for part in found.parts)
    )


def test_fewer_rounds_are_enough_if_the_loss_is_close():
    recipe = BoostingRecipe(tolerance=0.01)
    assert recipe.fewest([1.0, 0.506, 0.505, 0.5, 0.6]) == 2
    assert recipe.fewest([0.5]) == 0
    stopping = Stopping(patience=3, progress=0.998)
    assert not stopping.is_over([1.0, 0.9, 0.8])
    assert stopping.is_over([1.0, 0.5, 0.5, 0.5, 0.5])


def test_the_learning_rate_grows_with_rows_and_classes():
    rates = [recipe_for(n, 2, None).learning_rate for n in (10, 4000, 30_000, 10**6)]
    assert 0.01 < rates[0] < rates[1] < rates[2] == rates[3] <= 0.5
    assert recipe_for(10, 2, 7).rounds == 7
    assert recipe_for(10, 2, 20).learning_rate > rates[0]  # few rounds need larger steps
    assert recipe_for(10, 300, None).rounds < recipe_for(10, 30, None).rounds
    assert recipe_for(4000, 30, None).learning_rate > rates[1]


class Runner:
    """A booster whose loss falls in a straight line to its end."""

    def __init__(self, recipe, after_first_steps, end):
        first = math.ceil(ensemble.FIRST_STEPS / recipe.learning_rate)
        there = [1.0, after_first_steps, end, end]
        self.planned = np.interp(range(recipe.rounds + 1), [0, first, 2 * first, 10**6], there)
        self.recipe, self.losses, self.rounds = recipe, [1.0], []
        self.weights, self.held = np.ones(1), np.zeros(1, dtype=np.int64)
        self.splits = SimpleNamespace(n_columns=8)

    def run_round(self):
        self.rounds.append(None)
        self.losses.append(self.planned[len(self.rounds)])


def race(first_and_end):
    """A race of recipes with these losses after the first steps and at their ends, by leaves."""
    return ensemble._Race(
        lambda fold, seed, recipe: Runner(recipe, *first_and_end(recipe)),
        np.random.SeedSequence(0).spawn(1),
        Clock(Settings()),
    )


@pytest.mark.parametrize(
    ("losses", "chosen", "runs"),
    [
        ({16: (0.5, 0.3), 32: (0.495, 0.1)}, 16, "first"),  # not ahead after the first steps
        ({16: (0.5, 0.3), 32: (0.49, 0.299)}, 16, "end"),  # ahead, but no better in the end
        ({16: (0.5, 0.3), 32: (0.49, 0.28), 128: (0.485, 0.1)}, 32, "end"),
        ({16: (1.0, 0.3), 32: (0.8, 0.4), 128: (0.5, 0.4)}, 128, "first"),  # clearly ahead
    ],
)
def test_larger_trees_are_chosen_if_held_out_rows_are_in_favour(losses, chosen, runs):
    tried = race(lambda recipe: losses.get(recipe.max_leaves, (1.0, 1.0)))
    usual = recipe_for(10**5, 2, None)
    found = tried.choose_leaves(usual, 10**5, 2)
    assert found.max_leaves == chosen
    (booster,) = tried.boosters(found, 1)  # what it has learned is not learned again
    first = math.ceil(ensemble.FIRST_STEPS / found.learning_rate)
    assert (len(booster.rounds) == first) == (runs == "first")
    assert list(tried.made) == [found]


def test_trees_use_all_columns_if_held_out_rows_are_in_favour():
    usual = recipe_for(1000, 2, None)
    wider = replace(usual, share=1.0)
    for end, chosen in ((0.2, wider), (0.3, usual)):
        tried = race(lambda recipe, end=end: (0.4, end) if recipe == wider else (0.5, 0.3))
        assert tried.choose_columns(usual, wider, 1) == chosen
    same = race(lambda recipe: (0.5, 0.3))
    assert same.choose_columns(usual, replace(usual, l2_regularization=2.0), 1) == usual


def test_trees_of_many_leaves_need_many_rows():
    usual = recipe_for(10**6, 2, None)
    assert [len(detailed_recipes(usual, n, 2)) for n in (1000, 3000, 10**6)] == [0, 1, 3]
    assert all(one.rounds <= 7 for one in detailed_recipes(recipe_for(10**6, 2, 7), 10**6, 2))


@pytest.mark.parametrize("problem", [2], indirect=True)
def test_images_under_symmetries_are_learned_from_and_never_held_out(problem):
    examples, truths = problem
    turned = truths[:, ::-1]
    literals = np.stack([turned, ~turned], axis=2).reshape(len(turned), -1)
    moved = rows.pack(np.column_stack([literals, np.zeros(len(turned), dtype=bool)]))
    both = replace(examples, variants=np.stack([examples.variants[0], moved]))
    dealt = deal(both, 5, np.random.default_rng(0))
    shown = np.concatenate([truths[dealt.example], turned[dealt.example]])
    seed, clock = np.random.SeedSequence(0), Clock(Settings(max_epochs=60))
    found = boost_folds(both, splits_of(shown), dealt, seed, clock, np.inf)
    assert found.scores.shape == (len(dealt), 2) and found.held.max() < len(dealt)

    def right(atoms):
        """The share of turned rows that are classified as the rows themselves are."""
        said = atoms.scores(blocks_of(moved, both.n_constants), len(moved)).argmax(axis=1)
        return (said == both.labels).mean()

    assert right(found.atoms) > right(learned(problem, max_epochs=60)[1].atoms) + 0.1


def test_boosting_that_is_far_behind_is_given_up():
    assert not has_lost([9.0], 0.5, 1.0)  # the first rounds tell nothing
    assert not has_lost([9.0] * 13, 0.5, 3.0) and has_lost([9.0] * 13, 0.5, 2.0)
    assert not has_lost([9.0] * 13, 0.1, 2.0)  # a small learning rate takes longer
    assert has_lost([9.0] * 13 + [1.6] * 190, 0.5, 1.0)
    assert not has_lost([9.0] * 300, 0.5, np.inf)
