"""The twins against the oracle: other orders of chance, the same algorithms."""

from collections import Counter
from functools import partial

import pytest
from hypothesis import assume, given

from tests import naive
from tests.engine import twins
from tests.engine.strategies import problems, singletons, small, states
from tests.sets.strategies import SplitMix, seeds

ORACLES = {
    ("guided", False): naive.guided_sparse_crossing,
    ("blind", False): naive.sparse_crossing,
    ("blind", True): partial(naive.sparse_crossing_by_the_text, needed=True),
    ("fewest", False): partial(naive.sparse_crossing_by_the_text, fewest=True),
    ("fewest", True): partial(naive.sparse_crossing_by_the_text, fewest=True, needed=True),
}


@pytest.mark.parametrize("way", ORACLES)
@given(states(small), seeds)
def test_crossing_in_slots_is_the_crossing_of_the_oracle(way, state, seed):
    draws, needed = way
    atoms = [*singletons(state.singles), *state.composites]
    singles, slots = set(state.singles), list(state.composites)
    for a, b in state.problem.positives:
        chance, twin = SplitMix(seed), SplitMix(seed)
        expected = ORACLES[way](atoms, state.witnesses, a, b, chance.choose)
        twins.cross_until(
            10**9, 0, [(a, b)], state.witnesses, singles, slots, twin.choose, draws, needed=needed
        )
        atoms = [*singletons(singles), *filter(None, slots)]
        assert Counter(atoms) == Counter(expected)


@given(states(small), seeds)
def test_new_atoms_as_partners_give_atoms_that_keep_all_traces(state, seed):
    everything = frozenset().union(*state.witnesses, *state.composites, state.singles)
    before = [*singletons(state.singles), *state.composites]
    for a, b in state.problem.positives:
        after = naive.sparse_crossing_by_the_text(
            before, state.witnesses, a, b, SplitMix(seed).choose, renewed=True, needed=True
        )
        assert not naive.dis(a, b, after)
        for c in (frozenset({one}) for one in everything):
            kept, old = (naive.trace_of(c, many, state.witnesses) for many in (after, before))
            assert kept == old
        before = after


@given(problems, seeds)
def test_reduced_dual_separates_and_each_witness_was_needed_when_it_came(problem, seed):
    assume(problem.negatives)
    witnesses = [naive.closure(b, problem.positives) for _, b in problem.negatives]
    order = SplitMix(seed).permutation(len(problem.negatives))
    kept = twins.reduce_dual(witnesses, problem.negatives, order, SplitMix(seed).choose)
    assert all(any(naive.separates(s, a, b) for s in kept) for a, b in problem.negatives)
    assert len(kept) <= len(problem.negatives) and set(kept) <= set(witnesses)
