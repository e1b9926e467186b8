"""Classifiers that learn apart and share their pins."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.errors import DifferentConstants
from atomlearn.sets import rows
from tests.engine.strategies import sets_of_lists


@pytest.fixture(scope="module")
def data():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


@pytest.fixture
def pair(data, tmp_path):
    """Two classifiers with the same cuts that have learned from different rows."""
    X, y = data
    first = AlgebraicClassifier(random_state=0, evidence="strict")
    first.partial_fit(X[:400], y[:400], classes=range(10))
    first.save(tmp_path / "first.atoms")
    second = atomlearn.load(tmp_path / "first.atoms")
    return first.partial_fit(X[400:800], y[400:800]), second.partial_fit(X[800:1200], y[800:1200])


def test_what_others_learned_is_checked_and_counted(pair, data):
    X, y = data
    first, second = pair
    told = first.merge(second, X=X[:800], y=y[:800])
    for merged, pool in zip(told.values(), second.learned_.pools, strict=True):
        assert sum(merged) == len(pool)
        assert merged.new > 0 and merged.dropped > 0
    first.partial_fit(X[:400], y[:400])  # and it can go on


def test_no_row_that_is_at_hand_contradicts_what_is_believed(pair, data):
    X, y = data
    first, second = pair
    first.merge(second, X=X[:800], y=y[:800])
    bits = rows.unpack(first._packed(X[:800]), len(first.encoder_.literals_) + 1)
    ones = [frozenset(np.flatnonzero(row)) for row in bits[y[:800] == 3]]
    for atom in sets_of_lists(first.pool(3).atoms):
        assert all(atom & one for one in ones)


def test_by_file_and_pool_by_pool(pair, tmp_path):
    first, second = pair
    second.save(tmp_path / "second.atoms")
    second.pool(7).save(tmp_path / "seven.atoms")
    before = list(map(len, first.learned_.pools))
    told = first.merge(tmp_path / "seven.atoms")
    assert list(told) == [7]
    after = list(map(len, first.learned_.pools))
    assert [k for k in range(10) if before[k] != after[k]] == [7]
    again = first.merge(str(tmp_path / "second.atoms"), second.pool(7))
    assert again[7].new == 0 and again[8].new > 0


def test_what_cannot_be_merged(pair, data):
    X, y = data
    first, second = pair
    letters = AlgebraicClassifier(random_state=0, max_epochs=2).fit(
        X[:99], (y[:99] > 4).astype(str)
    )
    with pytest.raises(DifferentConstants, match="none of the others knows"):
        first.merge(letters)
    with pytest.raises(TypeError, match="is merged, not 5"):
        first.merge(5)
    with pytest.raises(ValueError, match="not one of the classes"):
        first.pool("seven")
    with pytest.raises(ValueError, match="not among the classes"):
        first.merge(second, X=X[:2], y=[0, 11])
