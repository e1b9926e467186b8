"""Scores of weighted atoms against sums over Python's sets."""

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.engine.misses import blocks_of
from atomlearn.sets import rows
from atomlearn.sets.rows import lists_of
from atomlearn.training.boosting import ensemble
from atomlearn.training.boosting.ensemble import WeightedAtoms, in_shared_order
from tests.sets.strategies import KERNELS

pytestmark = KERNELS


@given(st.sampled_from([1, 2, 63, 64, 65, 130, 2047, 2048, 2049]), st.integers(0, 2**32))
def test_an_example_gets_the_weights_of_the_atoms_that_it_misses(n_examples, seed):
    rng = np.random.default_rng(seed)
    n_constants, n_atoms, n_classes = 9, 7, 3
    has = rng.random((n_examples, n_constants)) < 0.4
    member = rng.random((n_atoms, n_constants)) < 0.3
    classes = rng.integers(n_classes, size=n_atoms)
    weights, offset = rng.integers(-9, 9, n_atoms).astype(float), np.arange(float(n_classes))
    atoms = WeightedAtoms(
        lists_of([np.flatnonzero(atom).tolist() for atom in member]), classes, weights, offset
    )
    expected = np.tile(offset, (n_examples, 1))
    for k in range(n_atoms):
        expected[~has[:, member[k]].any(axis=1), classes[k]] += weights[k]
    for few in (ensemble.FEW_CONSTANTS, 0):  # constants as they are, and shared ones first
        with mock.patch.object(ensemble, "FEW_CONSTANTS", few):
            found = atoms.scores(blocks_of(rows.pack(has), n_constants), n_examples)
        assert np.array_equal(found, expected)


@given(st.lists(st.lists(st.integers(0, 12), unique=True, max_size=6), max_size=12))
def test_an_atom_begins_with_what_it_shares_with_the_one_before(atoms):
    found, shared = in_shared_order(lists_of(atoms))
    lines = [line.tolist() for line in np.split(found.constants, found.starts[1:-1])][: len(atoms)]
    assert [sorted(line) for line in lines] == [sorted(atom) for atom in atoms]
    for k, n in enumerate(shared):
        before = lines[k - 1] if k else []
        assert lines[k][:n] == before[:n]  # of a tree, all that they share


def test_atoms_of_the_smallest_weights_are_dropped_first():
    weights = np.array([1.0, -3.0, 0.1, 2.0])
    atoms = WeightedAtoms(lists_of([[0], [1], [2], [3]]), np.arange(4), weights, np.zeros(4))
    fewer = atoms.heaviest(2)
    assert fewer.classes.tolist() == [1, 3] and fewer.weights.tolist() == [-3.0, 2.0]
    assert fewer.atoms.constants.tolist() == [1, 3]
    assert atoms.heaviest(4) is atoms
