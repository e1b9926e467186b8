"""Counting and picking members against Python's integers and sets."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from atomlearn.sets import words
from tests.sets.strategies import KERNELS, as_int, families, mask, to_rows
from tests.sets.strategies import words as any_word

pytestmark = KERNELS


@given(any_word)
def test_popcount_lowest_and_nth(word):
    assert words.popcount(np.uint64(word)) == word.bit_count()
    assume(word)
    assert words.lowest(np.uint64(word)) == (word & -word).bit_length() - 1
    members = [i for i in range(64) if word >> i & 1]
    assert [words.nth(np.uint64(word), m) for m in range(len(members))] == members


@given(st.integers(0, 300))
def test_bit_of_and_tail(n):
    assert int(words.bit_of(n)) == 1 << n % 64
    used = n - (n - 1) // 64 * 64 if n else 64
    assert int(words.tail(n)) == mask(range(used))


@given(families(sizes=[1, 2, 63, 64, 65, 128, 130], counts=[1]), st.data())
def test_has_put_size_and_select(family, data):
    n, (members,) = family
    row = to_rows([members], n)[0]
    assert words.size(row) == len(members)
    assert [words.has(row, i) for i in range(n)] == [i in members for i in range(n)]
    in_order = [*sorted(members), -1, -1]
    assert [words.select(row, m) for m in range(len(in_order))] == in_order
    i = data.draw(st.integers(0, n - 1))
    words.put(row, i)
    assert as_int(row) == mask(members | {i})


@given(families(counts=[2]))
def test_clear_and_copy_row(family):
    n, sets = family
    matrix, target = to_rows(sets, n), to_rows([[], [], []], n)
    words.copy_row(matrix, 1, target, 2)
    assert [as_int(row) for row in target] == [0, 0, mask(sets[1])]
    words.clear(matrix[1])
    assert [as_int(row) for row in matrix] == [mask(sets[0]), 0]


def test_rows_of_no_words():
    nothing = np.zeros(0, dtype=np.uint64)
    assert words.size(nothing) == 0 and words.select(nothing, 0) == -1


@given(families(), st.data())
def test_values_of_members_are_added_up(family, data):
    n, sets = family
    values = np.array([data.draw(st.integers(-9, 9)) for _ in range(n)], dtype=np.float64)
    found = words.sum_members(to_rows(sets, n), values)
    assert found.tolist() == [sum(values[i] for i in members) for members in sets]
