"""Forward chaining on many sets against the oracle on one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.sets.closing import close_rows
from tests.naive import closure
from tests.sets.strategies import KERNELS, random_sets, seeds, to_rows, to_sets

pytestmark = KERNELS


@given(
    seeds,
    st.sampled_from([1, 4, 8, 64, 65, 130]),
    st.sampled_from([0, 1, 3, 64, 70, 130]),
    st.sampled_from([0, 1, 5, 20, 70]),
    st.integers(0, 4),
)
def test_close_rows(seed, n, n_sets, n_rules, members):
    sets = random_sets(seed, n_sets, n, 0.3)
    lefts = random_sets(seed + 1, n_rules, n, min(1.0, 2 / n))
    rights = random_sets(seed + 2, n_rules, n, min(1.0, members / n))
    given_sets = to_rows(sets, n)
    closed = close_rows(given_sets, to_rows(lefts, n), to_rows(rights, n), n)
    rules = list(zip(lefts, rights, strict=True))
    assert to_sets(closed) == [closure(s, rules) for s in sets]
    assert to_sets(given_sets) == sets
    assert not np.shares_memory(closed, given_sets)


def test_a_long_chain_against_the_order_of_the_rules():
    lefts, rights = [{i + 1} for i in reversed(range(99))], [{i} for i in reversed(range(99))]
    closed = close_rows(to_rows([{0}, {50}], 100), to_rows(lefts, 100), to_rows(rights, 100), 100)
    assert to_sets(closed) == [frozenset(range(100)), frozenset(range(50, 100))]
