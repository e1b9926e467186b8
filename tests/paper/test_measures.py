"""Rates, cut-offs and tallies against the obvious way to compute them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.problems import queens
from atomlearn.sets import rows
from atomlearn_paper.controls import Control, Position, Propagated, Remembering, Rules
from atomlearn_paper.images import n_constants, rates, terms
from atomlearn_paper.mnist import best_cut
from atomlearn_paper.parity import seed_of

labelled = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=30)


@given(labelled)
def test_the_best_cut_has_the_fewest_errors(examples):
    misses = np.array([m for m, _ in examples])
    true = np.array([t for _, t in examples])
    cut = best_cut(misses, true)
    errors = {c: ((misses <= c) != true).sum() for c in np.unique(misses)}
    assert errors[cut] == min(errors.values())


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_rates_are_counts_over_counts(pairs):
    said, true = np.array([s for s, _ in pairs]), np.array([t for _, t in pairs])
    found = rates(said, true)
    false_positives = sum(s and not t for s, t in pairs)
    false_negatives = sum(t and not s for s, t in pairs)
    assert found["error"] == pytest.approx((false_positives + false_negatives) / len(pairs))
    assert found["fpr"] == pytest.approx(false_positives / max(1, (~true).sum()))
    assert found["fnr"] == pytest.approx(false_negatives / max(1, true.sum()))


def test_an_image_has_one_of_two_constants_for_each_pixel():
    pixels = np.array([[True, False, True]])
    assert rows.members(terms(pixels)[0]).tolist() == [0, 2, 4]
    assert n_constants(pixels) == 7


def test_every_batch_has_a_seed_of_its_own():
    seeds = {seed_of(seed, epoch) for seed in range(5) for epoch in [*range(300), 2**31]}
    assert len(seeds) == 5 * 301


@pytest.mark.parametrize("seed", range(12))
def test_the_rules_of_the_controls_are_the_closure_of_the_algebra(seed):
    """Queens on a few squares: what follows by integers is what follows by relations."""
    size, rng = 5, np.random.default_rng(seed)
    placed = rng.choice(size * size, rng.integers(1, 4), replace=False)
    names = [queens.square_name(*divmod(int(k), size)) for k in placed]
    rules = Rules(size)
    position = rules.close(Position(), rules.fixed(names))
    algebra = queens.rules(size)
    term = algebra.term(["U", *(f"Q{name}" for name in names)])
    closed = {algebra.names[i] for i in algebra.closure(term).indices}
    squares = [queens.square_name(*divmod(k, size)) for k in range(size * size)]
    contradictory = any(f"Q{s}" in closed and f"E{s}" in closed for s in squares)
    assert (position is None) == contradictory
    if position is not None:
        for k, s in enumerate(squares):
            assert bool(position.queens >> k & 1) == (f"Q{s}" in closed)
            assert bool(position.empty >> k & 1) == (f"E{s}" in closed)


@pytest.mark.parametrize("make", [Control, Propagated, Remembering])
def test_controls_show_complete_and_legal_boards_only(make):
    control = make(6, ["b1"], 0)
    boards = [board for _ in range(200) for board in control.attempt()]
    assert boards
    for board in boards:
        assert len(set(board)) == 6 and "b1" in board and queens.is_legal(6, board)
