"""Lists of constants against Python's sets."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.sets.rows import append, no_lists, take, to_lists, to_rows, united
from tests.engine.strategies import sets_of_lists
from tests.sets import strategies as bits
from tests.sets.strategies import KERNELS, families

pytestmark = KERNELS


@given(families())
def test_rows_become_lists_and_lists_become_rows(family):
    n, sets = family
    matrix = bits.to_rows(sets, n)
    lists = to_lists(matrix)
    assert [lists.constants[s:e].tolist() for s, e in pairwise(lists.starts)] == [
        sorted(s) for s in sets
    ]
    assert lists.starts.dtype == np.int64 and lists.constants.dtype == np.int32
    assert np.array_equal(to_rows(lists, n), matrix)


@given(families(), families(), st.data())
def test_take_and_append(family, other, data):
    n, sets = family
    m, more = other
    lists, others = to_lists(bits.to_rows(sets, n)), to_lists(bits.to_rows(more, m))
    which = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=9)) if sets else []
    taken = take(lists, np.array(which, dtype=np.int64))
    assert sets_of_lists(taken) == [sets[k] for k in which]
    assert sets_of_lists(append(lists, others)) == [*sets, *more]
    assert sets_of_lists(append(no_lists(), others)) == more
    assert sets_of_lists(append(lists, no_lists())) == sets


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 200)), max_size=30))
def test_constants_that_are_added_one_by_one(pairs):
    which = np.array([k for k, _ in pairs], dtype=np.int64)
    constants = np.array([constant for _, constant in pairs], dtype=np.int32)
    lists = united(which, constants, 6)
    expected = [sorted({c for i, c in pairs if i == k}) for k in range(6)]
    assert [lists.constants[s:e].tolist() for s, e in pairwise(lists.starts)] == expected
