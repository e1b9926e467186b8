"""What reductions and covers keep."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.naive import InconsistentError, Script, closure, seeded
from tests.naive.strategies import constant_traces, models, problems, seeds, terms


@given(models(most=5), st.lists(terms(5), max_size=6), seeds)
def test_reduction_keeps_the_traces(model, witnesses, seed):
    _, atoms = model
    kept = naive.reduce(atoms, witnesses, range(5), seeded(seed))
    assert not Counter(kept) - Counter(atoms)
    assert constant_traces(range(5), kept, witnesses) == constant_traces(range(5), atoms, witnesses)


def test_reduction_keeps_one_of_two_equal_atoms():
    atom, other = frozenset("a"), frozenset("b")
    kept = naive.reduce([atom, atom], [other], "ab", Script("b", "a", 0, 1))
    assert kept == [atom]


@given(problems(), seeds, st.data())
def test_covers_separate_every_negative(problem, seed, data):
    constants, positives, negatives = problem
    closed = naive.closed_sets(constants, positives)
    candidates = data.draw(st.lists(st.sampled_from(closed), max_size=5))
    witnesses = naive.lazy_cover(
        negatives, candidates, seeded(seed), lambda S: closure(S, positives)
    )
    own = [closure(b, positives) for _, b in negatives]
    assert set(witnesses) <= {*candidates, *own}
    reduced = naive.dual_reduction(candidates + own, negatives, seeded(seed))
    for cover in (witnesses, reduced):
        assert len(cover) <= len(negatives)
        for a, b in negatives:
            assert any(naive.separates(S, a, b) for S in cover)


def test_covers_skip_what_is_covered():
    a, b, c = map(frozenset, "abc")
    negatives = [(a, b), (a, c)]
    both, only_b = frozenset("bc"), b
    assert naive.lazy_cover(negatives, [only_b, both], Script(0, 1, 1)) == [both]
    assert naive.lazy_cover(negatives, [only_b, both], Script(0, 0, 1, 2)) == [b, c]
    assert naive.dual_reduction([only_b, both], negatives, Script(1, 1, 0)) == [both]
    with pytest.raises(InconsistentError):
        naive.dual_reduction([only_b], negatives, Script(0, 0, 1))
    with pytest.raises(InconsistentError):
        naive.lazy_cover([(a, b)], [], Script(0), lambda S: S | a)
