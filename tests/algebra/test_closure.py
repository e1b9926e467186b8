"""Entailment, conflicts and derivations against brute force over all terms."""

import random
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from atomlearn import Algebra, Conflict
from tests import naive
from tests.algebra.problems import NAMES, names_of, pairs, problems, relation, sets

pytestmark = pytest.mark.kernels


@given(problems())
def test_closures_of_all_terms(problem):
    alg = problem.algebra()
    terms = naive.terms_over(problem.names)
    closed = alg.closures(alg.term(sorted(t)) for t in terms)
    assert list(map(names_of, closed)) == [naive.closure(t, problem.positives) for t in terms]
    assert alg.closure(closed[0]) == closed[0]


@given(problems(), st.data())
def test_entails_is_truth_in_every_model_of_the_relations(problem, data):
    alg = problem.algebra()
    pair = data.draw(pairs(problem.names))
    # a model of R⁺ is a set of closed pinning terms, so one closed set refutes what does not follow
    refuted = any(
        pair[1] <= closed and not pair[0] <= closed
        for closed in naive.closed_sets(problem.names, problem.positives)
    )
    assert alg.entails(relation(alg, pair)) == (not refuted)


@given(problems(most=4), st.data())
def test_entailed_negatives_are_those_whose_denial_has_no_model(problem, data):
    alg = problem.algebra()
    pair = data.draw(pairs(problem.names))
    denial = [*problem.positives, pair]
    has_model = naive.consistent(denial, problem.negatives)
    assert alg.entails(~relation(alg, pair)) == (not has_model)


@given(problems(negatives=8))
def test_conflicts_are_found_and_explained(problem):
    alg = problem.algebra()
    conflicts = alg.conflicts()
    failing = {(names_of(c.relation.left), names_of(c.relation.right)) for c in conflicts}
    assert failing == set(naive.conflicts(problem.positives, problem.negatives))
    assert len(conflicts) == len(failing)
    for conflict in conflicts:
        assert not conflict.relation.positive
        assert_derivation(conflict, set(problem.positives))


def assert_derivation(conflict, positives):
    """It fires in order, reaches the goal, uses what is there, and nothing can be left out."""
    goal, start = names_of(conflict.relation.left), names_of(conflict.relation.right)
    steps = [(names_of(r.left), names_of(r.right)) for r in conflict.derivation]
    assert set(steps) <= positives
    reached = start
    for left, right in steps:
        assert right <= reached
        reached |= left
    assert goal <= reached
    for i in range(len(steps)):
        assert not goal <= naive.closure(start, steps[:i] + steps[i + 1 :])


@st.composite
def goals_reached_in_many_ways(draw):
    """Relations with wide left sides that overlap, and all that a term implies as the goal."""
    positives = draw(
        st.lists(st.tuples(sets(NAMES, 5), sets(NAMES, 2)), min_size=4, max_size=12, unique=True)
    )
    start = draw(sets(NAMES, 2))
    return positives, naive.closure(start, positives) - start, start


@given(goals_reached_in_many_ways())
def test_nothing_idle_stays_in_a_derivation(drawn):
    positives, goal, start = drawn
    assume(len(goal) > 1)
    alg = Algebra(NAMES)
    alg.add(relation(alg, pair) for pair in positives)
    alg.add(~relation(alg, (goal, start)))
    (conflict,) = alg.conflicts()
    assert_derivation(conflict, set(positives))


def test_what_another_relation_makes_idle_is_left_out():
    alg = Algebra(NAMES)
    for text in ("b < a", "b c < a", "d < c", "e < a", "b c d !< a"):
        alg.add(alg.relation(text))
    (conflict,) = alg.conflicts()
    assert [str(r) for r in conflict.derivation] == ["b c < a", "d < c"]


def test_a_relation_that_fails_by_itself():
    alg = Algebra(["a", "b"])
    alg.add(~(alg["a"] <= alg.term("a b")))
    assert alg.conflicts() == [Conflict(alg.relations[0], ())]
    assert "by itself" in str(alg.conflicts()[0])


def test_a_relation_and_its_negation():
    alg = Algebra(["a", "b"])
    a, b = alg
    alg.add(a <= b, ~(a <= b))
    assert alg.conflicts() == [Conflict(~(a <= b), (a <= b,))]


def test_answers_follow_what_is_added():
    alg = Algebra(["a", "b", "c"])
    a, b, c = alg
    assert not alg.entails(a <= b)
    alg.add(a <= b)
    assert alg.entails(a <= b)
    d = alg.constant("d")
    assert not alg.entails(a <= c) and not alg.entails(d <= a)
    alg.add(d <= a)
    assert alg.entails(d <= b | c)
    assert names_of(alg.closure(b)) == {"a", "b", "d"}


@pytest.mark.slow
def test_thousands_of_relations_answer_quickly():
    rng = random.Random(0)
    n = 400 if is_disabled() else 4000
    alg = Algebra(f"c{i}" for i in range(n))
    constants = list(alg)

    def term(size):
        return alg.term(rng.sample(constants, size))

    alg.add(
        [term(1) <= term(1) for _ in range(n // 2)],
        [term(1) <= term(2) for _ in range(n)],
        [~(term(1) <= term(n // 40)) for _ in range(n // 2)],
    )
    seconds = []
    for _ in range(3):  # the first may compile
        began = time.perf_counter()
        conflicts = alg.conflicts()
        alg.entails(constants[0] <= term(30))
        seconds.append(time.perf_counter() - began)
        alg.add(term(1) <= term(2))
    assert is_disabled() or min(seconds) < 1.0
    assert len(conflicts) > 10 and max(len(c.derivation) for c in conflicts) > 3
    for conflict in conflicts[:20]:
        assert_derivation(conflict, {(names_of(r.left), names_of(r.right)) for r in alg.positive})


@pytest.mark.slow
def test_a_long_chain_is_explained_whole():
    n = 300 if is_disabled() else 3000
    alg = Algebra(f"c{i}" for i in range(n))
    c = list(alg)
    alg.add([c[i] <= c[i + 1] for i in range(n - 1)], ~(c[0] <= c[-1]))
    (conflict,) = alg.conflicts()
    assert list(conflict.derivation) == [c[i] <= c[i + 1] for i in range(n - 2, -1, -1)]


def is_disabled():
    import numba

    return bool(numba.config.DISABLE_JIT)
