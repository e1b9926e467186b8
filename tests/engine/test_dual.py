"""Lazy cover and Algorithm 5 against their twins, choice by choice."""

import numpy as np
import pytest
from hypothesis import assume, given

from atomlearn.engine.dual import cover, reduce_dual
from tests import naive
from tests.engine import twins
from tests.engine.strategies import closed_pins, lists_of, problems
from tests.sets.strategies import KERNELS, seeds, to_rows, to_sets, twin_streams

pytestmark = KERNELS


def closed_negatives(problem):
    return [(a, naive.closure(b, problem.positives)) for a, b in problem.negatives]


def side(relations, which, n):
    return to_rows([r[which] for r in relations], n)


@given(problems, seeds)
def test_cover_is_the_lazy_cover_of_the_oracle(problem, seed):
    n, negatives = problem.n, closed_negatives(problem)
    pins = closed_pins(problem, seed, 20)
    stream, twin = twin_streams(seed)
    witnesses = cover(side(negatives, 0, n), side(negatives, 1, n), lists_of(pins, n), n, stream)

    order, of_witness = twin.permutation(len(negatives)), []

    def close(b):  # asked for just before a witness is chosen
        of_witness.append(True)
        return b

    def choose(options):
        return twin.choose(options) if of_witness and of_witness.pop() else order.pop(0)

    terms = [naive.pinning_term(pin, range(n)) for pin in pins]
    assert to_sets(witnesses) == naive.lazy_cover(negatives, terms, choose, close)
    assert twin.agrees(stream)


@given(problems, seeds)
def test_reduce_dual_is_algorithm_5(problem, seed):
    n, negatives = problem.n, closed_negatives(problem)
    assume(negatives)
    witnesses = [b for _, b in negatives]
    witnesses += [naive.pinning_term(pin, range(n)) for pin in closed_pins(problem, seed, 20)]
    stream, twin = twin_streams(seed)
    kept = reduce_dual(
        side(negatives, 0, n), side(negatives, 1, n), to_rows(witnesses, n), n, stream
    )
    order = twin.permutation(len(negatives))
    assert to_sets(kept) == twins.reduce_dual(witnesses, negatives, order, twin.choose)
    assert twin.agrees(stream)


@given(problems, seeds)
def test_every_relation_gets_a_witness_and_algorithm_5_keeps_what_is_needed(problem, seed):
    n, negatives = problem.n, closed_negatives(problem)
    pins = closed_pins(problem, seed, 20)
    stream, twin = twin_streams(seed)
    sides = side(negatives, 0, n), side(negatives, 1, n)
    witnesses = cover(*sides, lists_of(pins, n), n, stream, "every")
    terms = [naive.pinning_term(pin, range(n)) for pin in pins]
    drawn = [
        twin.choose([*(t for t in terms if naive.separates(t, a, b)), b]) for a, b in negatives
    ]
    order = twin.permutation(len(negatives))
    expected = twins.reduce_dual(naive.distinct(drawn), negatives, order, twin.choose)
    assert to_sets(witnesses) == expected
    assert twin.agrees(stream)


@pytest.mark.parametrize("n", [1, 64, 65])
def test_no_negative_relation_needs_no_witness(n):
    nothing, (stream, _) = to_rows([], n), twin_streams(0)
    assert len(cover(nothing, nothing, lists_of([{0}], n), n, stream)) == 0
    assert len(reduce_dual(nothing, nothing, to_rows([{0}], n), n, stream)) == 0


def test_every_witness_of_a_relation_is_drawn_sometime():
    pins = lists_of([{0, 2}, {0, 3}, {1}], 4)  # the last says nothing of the relation
    drawn = {
        to_sets(cover(to_rows([{0}], 4), to_rows([{1}], 4), pins, 4, np.array([s], np.uint64)))[0]
        for s in range(40)
    }
    assert drawn == {frozenset({1}), frozenset({1, 3}), frozenset({1, 2})}
