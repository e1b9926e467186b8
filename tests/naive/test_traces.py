"""Trace constraints can be enforced, and what they are good for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.naive import Embedding, InconsistentError, Script, consistent, is_model, seeded
from tests.naive.strategies import embedded, prepared, problems, seeds, terms


def constraints_hold(problem, atoms, witnesses):
    _, positives, negatives = problem
    return all(
        naive.positive_constraint_holds(d, e, atoms, witnesses) for d, e in positives
    ) and all(naive.negative_constraint_holds(a, b, atoms, witnesses) for a, b in negatives)


@given(problems(), seeds)
def test_theorem_7_constraints_can_be_enforced_on_sets(problem, seed):
    atoms, witnesses = prepared(problem, seed)
    assert constraints_hold(problem, atoms, witnesses)
    assert all(naive.is_closed(S, problem[1]) for S in witnesses)


@given(problems(), seeds, st.booleans())
def test_theorem_7_constraints_can_be_enforced_on_the_graph(problem, seed, separated):
    graph = embedded(problem, seed, separated=separated)
    assert all(graph.Tr(e) <= graph.Tr(d) for d, e in graph.positives)
    assert not any(graph.Tr(b) <= graph.Tr(a) for a, b in graph.negatives)


@given(problems(), seeds, st.data())
def test_witnesses_that_are_not_closed_are_mended(problem, seed, data):
    """The branch Γ = ∅ of Algorithm 2: a pass ends with its constraints enforced all the same."""
    constants, positives, negatives = problem
    n = len(constants)
    atoms = data.draw(st.lists(terms(n), max_size=4))
    witnesses = data.draw(st.lists(terms(n), min_size=1, max_size=4))
    state = naive.enforce_traces(atoms, witnesses, positives, negatives, seeded(seed))
    assert constraints_hold(problem, *state)
    assert all(old <= new for old, new in zip(witnesses, state[1], strict=False))


def test_branch_gamma_empty_adds_the_edge():
    a, b = frozenset("a"), frozenset("b")
    atoms, witnesses = naive.enforce_positive([a], [b], [(a, b)], Script(0))
    assert (atoms, witnesses) == ([a], [frozenset("ab")])


@given(problems(), seeds)
def test_enforcement_alone_satisfies_the_negatives(problem, seed):
    """Section 2.7: "all negative relations are already satisfied in M"."""
    atoms, _ = prepared(problem, seed)
    assert is_model(atoms, [], problem[2])


INCONSISTENT_THROUGH_A_TERM = (  # c1 < b, c2 < b, ¬(c1 ⊙ c2 < b)
    ["b", "c1", "c2"],
    [(frozenset({"c1"}), frozenset("b")), (frozenset({"c2"}), frozenset("b"))],
    [(frozenset({"c1", "c2"}), frozenset("b"))],
)


def test_edges_miss_an_inconsistency_through_a_term():
    """Section 2.6 says edges decide consistency; they do not (ALGEBRA 4.8)."""
    graph = Embedding(*INCONSISTENT_THROUGH_A_TERM)
    naive.enforce_reversed_negatives(graph)
    assert naive.reversed_relations_hold(graph)
    assert not consistent(*INCONSISTENT_THROUGH_A_TERM[1:])


def test_inconsistency_is_raised():
    _, positives, negatives = INCONSISTENT_THROUGH_A_TERM
    with pytest.raises(InconsistentError):
        naive.enforce_trace_constraints(Embedding(*INCONSISTENT_THROUGH_A_TERM), seeded(0))
    with pytest.raises(InconsistentError):
        naive.enforce_negative_trace_constraints(Embedding(*INCONSISTENT_THROUGH_A_TERM), seeded(0))
    with pytest.raises(InconsistentError):
        naive.enforce_traces([], [], positives, negatives, seeded(0))


@given(problems())
def test_edges_report_no_inconsistency_that_is_none(problem):
    graph = Embedding(*problem)
    naive.enforce_reversed_negatives(graph)
    assert naive.reversed_relations_hold(graph)
