"""Epochs over rules: a model every time, pins that are closed, files to resume from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra, InconsistentRelations
from atomlearn.engine.epoch import prepare
from atomlearn.engine.epochs import choose_witnesses, close_pins
from atomlearn.engine.protocol import PackedRelations
from atomlearn.errors import DifferentConstants
from atomlearn.sets import rows
from atomlearn.sets.random import stream
from tests import naive
from tests.sets.strategies import to_rows, to_sets


def small_algebra(
    text: str = "v < a b; v < b c; v !< a c; s < a b c; a s !< u s; b < u a",
) -> Algebra:
    algebra = Algebra(["u", "s", "v", "a", "b", "c"])
    algebra.add(algebra.relation(line) for line in text.split(";"))
    return algebra


@pytest.mark.parametrize("focus", [None, "s"])
def test_every_epoch_gives_a_model_of_all_relations(focus):
    algebra = small_algebra()
    for epoch in algebra.epochs(random_state=1, focus=focus, max_epochs=12):
        assert all(epoch.model.holds(relation) for relation in algebra.relations)
        assert algebra.freest().is_freer_than(epoch.model)


def test_the_same_seed_gives_the_same_epochs_and_another_seed_others():
    def run(seed):
        epochs = small_algebra().epochs(random_state=seed, max_epochs=6)
        return [[sorted(atom.constants) for atom in epoch.model.atoms] for epoch in epochs]

    assert run(3) == run(3)
    assert any(run(3) != run(seed) for seed in range(4, 8))


def test_idle_epochs_take_other_relations_over_the_same_constants():
    rules = small_algebra("v < a b; v !< a c")
    game = rules.copy()
    game.add(game.relation("s < a"))
    epochs = game.epochs(random_state=0)
    assert not epochs.run(rules).model.holds(game.relation("s < a"))
    assert epochs.run().model.holds(game.relation("s < a"))
    with pytest.raises(DifferentConstants):
        epochs.run(Algebra(["x"]))


def test_a_contradiction_put_in_is_refused_and_changes_nothing():
    algebra = small_algebra()
    epochs = algebra.epochs(random_state=0)
    next(epochs)
    before = (epochs.number, len(epochs.pool), epochs.rng.copy())
    wrong = algebra.copy()
    wrong.add(wrong.relation("v < a c"))
    with pytest.raises(InconsistentRelations):
        epochs.run(wrong)
    assert (epochs.number, len(epochs.pool)) == before[:2]
    assert (epochs.rng == before[2]).all()


def test_the_oldest_pins_are_forgotten_first():
    epochs = small_algebra().epochs(random_state=0, max_pins=5)
    for _ in range(6):
        next(epochs)
    assert len(epochs.pool) <= 5
    assert epochs.pool.born.max() == 6


@given(st.integers(0, 10_000))
def test_closed_pins_are_closed_and_contain_the_originals(seed):
    n, batch, pins = small_batch(seed)
    positives = list(
        zip(to_sets(batch.positives.left), to_sets(batch.positives.right), strict=True)
    )
    everything = frozenset(range(n))
    expected = {naive.closure(everything - pin, positives) for pin in to_sets(pins)} - {everything}
    assert {everything - atom for atom in to_sets(close_pins(pins, batch))} == expected


@given(st.integers(0, 10_000))
def test_witnesses_separate_all_negatives_and_at_most_one_that_can_hold_the_focus_does(seed):
    n, batch, pins = small_batch(seed)
    focus = rows.row([0], n)
    witnesses = to_sets(choose_witnesses(batch, close_pins(pins, batch), focus, stream(seed)))
    for a, b in zip(to_sets(batch.left), to_sets(batch.closed), strict=True):
        assert any(b <= w and not a <= w for w in witnesses)
    about = [b for b in to_sets(batch.closed) if 0 in b]
    own = [w for w in witnesses if 0 in w and w not in about]
    assert len(own) <= 1


def small_batch(seed, n=8):
    """Random relations made ready for an epoch, and random pins."""
    rng = np.random.default_rng(seed)

    def sets(count, size):
        return to_rows([set(rng.choice(n, size, replace=False).tolist()) for _ in range(count)], n)

    relations = PackedRelations(n, sets(3, 1), sets(3, 2), sets(5, 1), sets(5, 3))
    return n, prepare(relations, stream(seed)), sets(6, 3)
