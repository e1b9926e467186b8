"""Algorithms 1 and 2 against the oracle, choice by choice."""

import numpy as np
from hypothesis import given

from atomlearn.engine.state import constant_traces
from atomlearn.engine.trace_constraints import HOLD, enforce_negative, enforce_positive, trace_of
from tests import naive
from tests.engine.strategies import any_problem, singles_of, states
from tests.sets.strategies import KERNELS, seeds, to_rows, to_sets, twin_streams

pytestmark = KERNELS

any_state = states(any_problem, sound=False)


def expected_traces(n, atoms, witnesses):
    return [naive.trace_of(frozenset({c}), atoms, witnesses) for c in range(n)]


@given(any_state)
def test_traces_of_constants_and_terms(state):
    problem, witnesses = state.problem, state.witnesses
    _, dual, master = state.rows()
    traces = constant_traces(master, dual)
    assert to_sets(traces) == expected_traces(problem.n, state.atoms, witnesses)
    terms = [b for _, b in problem.positives]
    out = np.empty((len(terms), traces.shape[1]), dtype=np.uint64)
    for i in range(len(terms)):
        trace_of(to_rows(terms, problem.n), i, len(witnesses), traces, out[i])
    assert to_sets(out) == [naive.trace_of(b, state.atoms, witnesses) for b in terms]


@given(any_state, seeds)
def test_enforce_negative_is_algorithm_1(state, seed):
    problem, witnesses = state.problem, state.witnesses
    left = to_rows([a for a, _ in problem.negatives], problem.n)
    right = to_rows([b for _, b in problem.negatives], problem.n)
    _, dual, master = state.rows()
    traces = constant_traces(master, dual)
    stream, twin = twin_streams(seed)
    lacking = enforce_negative(left, right, dual, master.singles, traces, stream)

    done = problem.negatives if lacking == HOLD else problem.negatives[:lacking]
    atoms, same = naive.enforce_negative(state.atoms, witnesses, done, twin.choose)
    assert same == witnesses
    if lacking != HOLD:
        a, b = problem.negatives[lacking]
        assert not naive.negative_constraint_holds(a, b, atoms, witnesses)
        nothing = naive.strongly_discriminant_constant(a, b, atoms, witnesses, twin.choose)
        assert nothing is None
    assert twin.agrees(stream)
    added = singles_of(master) - state.singles
    assert sorted(added) == sorted(c for atom in atoms[len(state.atoms) :] for c in atom)
    assert to_sets(traces) == expected_traces(problem.n, atoms, witnesses)


@given(any_state, seeds)
def test_enforce_positive_is_algorithm_2(state, seed):
    problem, witnesses = state.problem, state.witnesses
    positives, dual, master = state.rows()
    traces = constant_traces(master, dual)
    stream, twin = twin_streams(seed)
    loose = enforce_positive(positives.left, positives.right, dual, master.singles, traces, stream)
    done = problem.positives if loose == HOLD else problem.positives[:loose]
    atoms, same = naive.enforce_positive(state.atoms, witnesses, done, twin.choose)
    assert same == witnesses
    if loose == HOLD:
        assert twin.agrees(stream)
        added = singles_of(master) - state.singles
        assert sorted(added) == sorted(c for atom in atoms[len(state.atoms) :] for c in atom)
        assert to_sets(traces) == expected_traces(problem.n, atoms, witnesses)
    else:
        d, e = problem.positives[loose]
        _, changed = naive.enforce_positive(atoms, witnesses, [(d, e)], twin.choose)
        assert changed != witnesses


@given(states(any_problem), seeds)
def test_closed_witnesses_and_an_atom_in_every_constant_need_nothing_more(state, seed):
    positives, dual, master = state.rows()
    stream, twin = twin_streams(seed)
    traces = constant_traces(master, dual)
    assert np.array_equal(traces, dual.witnesses_of)
    sides = positives.left, positives.right
    assert enforce_positive(*sides, dual, master.singles, traces, stream) == HOLD
    assert singles_of(master) == state.singles and twin.agrees(stream)
