"""The twins against the oracle: other orders of chance, the same algorithms."""

from collections import Counter

import pytest
from hypothesis import assume, given

from tests import naive
from tests.engine import twins
from tests.engine.strategies import problems, singletons, small, states
from tests.sets.strategies import SplitMix, seeds


@pytest.mark.parametrize("blind", [False, True])
@given(states(small), seeds)
def test_crossing_in_slots_is_the_crossing_of_the_oracle(blind, state, seed):
    cross = naive.sparse_crossing if blind else naive.guided_sparse_crossing
    atoms = [*singletons(state.singles), *state.composites]
    singles, slots = set(state.singles), list(state.composites)
    for a, b in state.problem.positives:
        expected = cross(atoms, state.witnesses, a, b, SplitMix(seed).choose)
        twins.cross_until(
            10**9, 0, [(a, b)], state.witnesses, singles, slots, SplitMix(seed).choose, blind
        )
        atoms = [*singletons(singles), *filter(None, slots)]
        assert Counter(atoms) == Counter(expected)


@given(problems, seeds)
def test_reduced_dual_separates_and_each_witness_was_needed_when_it_came(problem, seed):
    assume(problem.negatives)
    witnesses = [naive.closure(b, problem.positives) for _, b in problem.negatives]
    order = SplitMix(seed).permutation(len(problem.negatives))
    kept = twins.reduce_dual(witnesses, problem.negatives, order, SplitMix(seed).choose)
    assert all(any(naive.separates(s, a, b) for s in kept) for a, b in problem.negatives)
    assert len(kept) <= len(problem.negatives) and set(kept) <= set(witnesses)
