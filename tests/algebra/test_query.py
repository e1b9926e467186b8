"""Follows, contradicted or open: against all models of thousands of small sets of relations."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from atomlearn import Algebra, InconsistentRelations
from tests import naive
from tests.algebra.problems import Problem, names_of, pairs, problems, relation

SETS = 4000
OPPOSITE = {"follows": "contradicted", "contradicted": "follows", "open": "open"}


def some(rng, names, most):
    return frozenset(rng.sample(names, rng.randint(1, most)))


def random_problem(rng):
    names = list("abcde"[: rng.randint(2, 5)])
    most = min(3, len(names))

    def some_pairs(n):
        return [(some(rng, names, most), some(rng, names, most)) for _ in range(rng.randint(0, n))]

    return Problem(names, some_pairs(4), some_pairs(3)), some_pairs(1) or [
        (frozenset(names[:1]), frozenset(names[1:]))
    ]


def test_thousands_of_random_sets_against_all_models():
    rng = random.Random(0)
    seen = dict.fromkeys(OPPOSITE, 0)
    for _ in range(SETS):
        problem, (pair,) = random_problem(rng)
        alg = problem.algebra()
        if naive.conflicts(problem.positives, problem.negatives):
            with pytest.raises(InconsistentRelations):
                alg.query(relation(alg, pair))
            continue
        wanted = naive.verdict(problem.names, problem.positives, problem.negatives, *pair)
        seen[wanted] += 1
        assert alg.query(relation(alg, pair)).verdict == wanted
        assert alg.query(~relation(alg, pair)).verdict == OPPOSITE[wanted]
    assert min(seen.values()) > 100, seen


@given(problems(), st.data())
def test_the_derivation_proves_the_verdict(problem, data):
    alg = problem.algebra()
    assume(not alg.conflicts())
    pair = data.draw(pairs(problem.names))
    asked = relation(alg, pair)
    answer = alg.query(asked)
    steps = [(names_of(r.left), names_of(r.right)) for r in answer.derivation]
    if answer.verdict == "follows":
        assert set(answer.derivation) <= set(alg.positive)
        assert naive.entails(steps, *pair) and answer.conflict is None
        for i in range(len(steps)):
            assert not naive.entails(steps[:i] + steps[i + 1 :], *pair)
    elif answer.verdict == "contradicted":
        broken = answer.conflict.relation
        assert broken in alg.negative and asked in answer.derivation
        assert set(answer.derivation) <= {*alg.positive, asked}
        assert naive.entails(steps, names_of(broken.left), names_of(broken.right))
    else:
        assert steps == [] and answer.conflict is None


def test_what_it_says():
    alg = Algebra(["a", "b", "c"])
    a, b, c = alg
    alg.add(a <= b, ~(a <= c))
    assert str(alg.query(a <= b | c)) == "follows, because:\n  a < b"
    assert str(alg.query(~(a <= b))) == "contradicted, because a < b follows from:\n  a < b"
    assert str(alg.query(a <= a | b)) == "follows: in a < a b the right side contains the left"
    assert str(alg.query(~(b <= c))).startswith("follows: if b < c held,\na !< c fails, because:")
    assert str(alg.query(c <= a)) == "open"
