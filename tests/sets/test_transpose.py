"""Transposition against its definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.sets.words import flip, transpose
from tests.sets.strategies import KERNELS, as_int, families, to_rows, to_sets, words

pytestmark = KERNELS


@given(families())
def test_transpose_tells_which_rows_hold_a_member(family):
    n, sets = family
    matrix = to_rows(sets, n)
    across = transpose(matrix, n)
    assert across.shape == (n, (len(sets) + 63) // 64)
    assert to_sets(across) == [frozenset(k for k, s in enumerate(sets) if i in s) for i in range(n)]
    assert np.array_equal(transpose(across, len(sets)), matrix)


@given(st.lists(words, min_size=64, max_size=64))
def test_flip_of_a_block(block):
    flipped = np.array(block, dtype=np.uint64)
    flip(flipped)
    column = [[word >> i & 1 for word in block] for i in range(64)]
    assert [as_int([word]) for word in flipped] == [
        sum(bit << r for r, bit in enumerate(bits)) for bits in column
    ]
