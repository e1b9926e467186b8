"""Rows against Python's sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.sets import rows
from tests.sets.strategies import as_int, families, mask, to_rows, to_sets


@given(families())
def test_sets_become_rows_and_rows_become_sets(family):
    n, sets = family
    matrix = to_rows(sets, n)
    assert matrix.shape == (len(sets), (n + 63) // 64) and matrix.dtype == np.uint64
    assert [as_int(row) for row in matrix] == [mask(s) for s in sets]
    assert [rows.members(row).tolist() for row in matrix] == [sorted(s) for s in sets]
    assert rows.count(matrix).tolist() == [len(s) for s in sets]
    assert all(np.array_equal(rows.row(s, n), row) for s, row in zip(sets, matrix, strict=True))


@given(families())
def test_boolean_matrices_are_packed_and_unpacked(family):
    n, sets = family
    matrix = np.array([[i in s for i in range(n)] for s in sets], bool).reshape(len(sets), n)
    packed = rows.pack(matrix)
    assert packed.dtype == np.uint64
    assert np.array_equal(packed, to_rows(sets, n))
    assert np.array_equal(rows.unpack(packed, n), matrix)


@given(st.integers(0, 200), st.integers(0, 5))
def test_empty_and_full_rows(n, n_rows):
    assert as_int(rows.full(n)) == mask(range(n))
    assert rows.empty(n_rows, n).shape == (n_rows, rows.width(n)) == (n_rows, len(rows.full(n)))
    assert not rows.empty(n_rows, n).any()


@given(families(), st.data())
def test_set_operations(family, data):
    n, sets = family
    one = frozenset(data.draw(st.sets(st.sampled_from(range(n))))) if n else frozenset()
    matrix, row = to_rows(sets, n), rows.row(one, n)
    assert to_sets(rows.complement(matrix, n)) == [frozenset(range(n)) - s for s in sets]
    assert as_int(rows.union(matrix)) == mask(frozenset().union(*sets))
    assert rows.meets(matrix, row).tolist() == [bool(s & one) for s in sets]
    assert rows.within(matrix, row).tolist() == [s <= one for s in sets]


@given(families(sizes=[0, 1, 2, 3, 65, 130]), st.data())
def test_distinct_rows_stay_in_order_of_appearance(family, data):
    n, sets = family
    repeated = data.draw(st.lists(st.sampled_from(sets), max_size=20)) if sets else []
    assert to_sets(rows.distinct(to_rows(repeated, n))) == list(dict.fromkeys(repeated))
