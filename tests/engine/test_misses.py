"""Misses counted in planes against counting one by one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from atomlearn.engine.misses import BLOCK, blocks_of, count_misses, missed_by
from tests.engine.strategies import lists_of
from tests.sets.strategies import KERNELS, families, random_sets, to_rows

pytestmark = KERNELS


def misses(atoms, examples, n):
    blocks = blocks_of(to_rows(examples, n), n)
    return count_misses(lists_of(atoms, n), blocks, len(examples))


@given(
    st.sampled_from([1, 3, 64, 65, 130]),
    families(counts=[0, 1, 14, 15, 16, 17, 30, 31, 65]),
    families(),
)
@example(3, (3, []), (3, [frozenset({0})]))
@example(3, (3, [frozenset({0})]), (3, []))
@example(3, (3, [frozenset()] * 16), (3, [frozenset({0, 1, 2}), frozenset()]))
def test_misses(n, atoms, examples):
    atoms, examples = ([frozenset(c % n for c in s) for s in f[1]] for f in (atoms, examples))
    counts = misses(atoms, examples, n)
    assert counts.dtype == np.int32
    assert counts.tolist() == [sum(not atom & x for atom in atoms) for x in examples]
    missed = missed_by(lists_of(atoms, n), blocks_of(to_rows(examples, n), n), len(examples))
    assert missed.tolist() == [sum(not atom & x for x in examples) for atom in atoms]


@pytest.mark.parametrize("n_examples", [2047, 2048, 2049, 4100])
def test_more_examples_than_a_block(n_examples):
    assert BLOCK * 64 == 2048
    examples = random_sets(1, n_examples, 70, 0.2)
    atoms = random_sets(2, 40, 70, 0.05)
    expected = [sum(not atom & x for atom in atoms) for x in examples]
    assert misses(atoms, examples, 70).tolist() == expected


@pytest.mark.parametrize("n_atoms", [15, 16, 255, 256, 700])
def test_all_examples_miss_all_atoms(n_atoms):
    examples = [frozenset({0}), frozenset(), frozenset({0, 1})]
    assert misses([frozenset({1})] * n_atoms, examples, 2).tolist() == [n_atoms, n_atoms, 0]
