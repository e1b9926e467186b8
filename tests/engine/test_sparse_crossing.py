"""Algorithm 3 against its twin, choice by choice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.engine.sparse_crossing import DRAWS, cross_until
from tests import naive
from tests.engine import twins
from tests.engine.strategies import (
    State,
    any_problem,
    branching_problem,
    composites_of,
    random_problem,
    singles_of,
    states,
)
from tests.sets.strategies import KERNELS, seeds, to_sets, twin_streams

pytestmark = KERNELS

limits = st.sampled_from([0, 5, 30, 300])
budgets = st.sampled_from([0, 50, 1000])
ENOUGH = 1000
UNPAUSED = 1 << 60
GUIDED = ("guided", False, False)
ways = st.tuples(st.sampled_from(DRAWS), st.booleans(), st.booleans())


def cross_both(state, seed, limit, budget=UNPAUSED, way=GUIDED):
    """Cross the relations with the kernel and with the twin, and compare at every stop."""
    positives, dual, master = state.rows()
    stream, twin = twin_streams(seed)
    relations = state.problem.positives
    singles, slots = set(state.singles), list(state.composites)
    first, more = 0, limit
    while 0 <= first < len(relations) and len(slots) < ENOUGH:
        start = first
        first, master, words = crossed(more, start, positives, dual, master, stream, budget, way)
        try:
            expected, made = twins.cross_until(
                more, start, relations, state.witnesses, singles, slots, twin.choose, *way
            )
        except naive.NoPartnerError:
            assert first < 0
            assert twin.agrees(stream)
            break
        assert first == expected
        assert composites_of(master) == slots
        assert singles_of(master) == singles
        assert twin.agrees(stream)
        assert_cached(master, state, first)
        assert (words > 0) == (made > 0)
        more = len(slots) + limit
    return master


def crossed(limit, first, positives, dual, master, stream, budget, way=GUIDED):
    """Until a reduction is due, with a pause whenever the budget is used up."""
    words = 0
    draws, renewed, needed = DRAWS.index(way[0]), *way[1:]
    while True:
        first, master, more = cross_until(
            limit, first, positives, dual, master, stream, budget, draws, renewed, needed
        )
        words += more
        if not 0 <= first < len(positives.left) or master.n > limit:
            return first, master, words


def assert_cached(master, state, first):
    """Traces, and sides from the word of the next relation on, are what the constants say."""
    word = first // 64
    full = set(range(len(state.witnesses)))
    for k, atom in enumerate(composites_of(master)):
        assert to_sets(master.traces[[k]])[0] == (
            naive.trace(atom, state.witnesses) if atom else full
        )
    for cached, side in [(master.lefts, 0), (master.rights, 1)]:
        terms = [r[side] for r in state.problem.positives][word * 64 :]
        assert to_sets(cached[: master.n, word:]) == [
            naive.trace(atom, terms) for atom in composites_of(master)
        ]


@given(states(any_problem), seeds, limits, ways)
def test_cross_until_is_algorithm_3(state, seed, limit, way):
    cross_both(state, seed, limit, way=way)


@given(states(any_problem), seeds, limits, budgets)
def test_pauses_change_nothing(state, seed, limit, budget):
    cross_both(state, seed, limit, budget)


@given(states(any_problem, sound=False), seeds, limits, ways)
def test_a_trace_constraint_that_does_not_hold_is_reported(state, seed, limit, way):
    cross_both(state, seed, limit, way=way)


def test_a_relation_without_partners_is_named():
    problem = random_problem(0, 8, 0, 0)._replace(
        positives=[(frozenset({5}), frozenset({6})), (frozenset({0}), frozenset({1}))]
    )
    state = State(problem, [frozenset({1})], frozenset({0, 5, 6}), [])
    positives, dual, master = state.rows()
    crossed = cross_until(
        10, 0, positives, dual, master, twin_streams(0)[0], UNPAUSED, 0, False, False
    )
    assert crossed[0] == -1 - 1


def test_an_atom_that_says_nothing_vanishes_if_it_has_no_partner():
    problem = random_problem(0, 4, 0, 0)._replace(positives=[(frozenset({0}), frozenset({1}))])
    state = State(problem, [frozenset({0, 1})], frozenset({2}), [frozenset({0, 3}), frozenset({3})])
    master = cross_both(state, 0, 10)
    assert composites_of(master) == [frozenset(), frozenset({3})]


@pytest.mark.parametrize("budget", [UNPAUSED, 1000])
def test_arrays_grow_with_the_atoms(budget):
    problem, witnesses = branching_problem()
    everything = frozenset(range(problem.n))
    state = State(problem, witnesses, everything, [])
    master = cross_both(
        state, 5, 10**9, budget, way=("blind" if budget == UNPAUSED else "guided", False, False)
    )
    assert master.n > 1024 and len(master.atoms) == 2048
