"""Columns that are informative on their own: the test, and which columns it leaves out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from atomlearn import AlgebraicClassifier
from atomlearn.sets import rows
from atomlearn.sets.rows import lists_of, take
from atomlearn.training.boosting.trees import (
    Splits,
    chi_squared,
    count_common,
    informative_columns,
    only,
)


def splits_of(truths, group):
    sides = lists_of([[i] for i in range(2 * truths.shape[1])])
    return Splits(rows.pack(truths.T), sides, np.asarray(group))


@pytest.mark.kernels
@given(st.integers(0, 2**32 - 1))
def test_the_statistic_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    truths, labels = rng.random((90, 4)) < 0.4, rng.integers(3, size=90)
    members = rows.pack(labels == np.arange(3)[:, None])
    having = count_common(rows.pack(truths.T), members)
    for line, found in zip(truths.T, chi_squared(having, members), strict=True):
        table = [[(line[labels == k] == side).sum() for k in range(3)] for side in (True, False)]
        assert found == pytest.approx(chi2_contingency(table, correction=False).statistic)


def test_noise_fails_and_signal_passes():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=600)
    signal = (rng.random(600) < 0.3 + 0.4 * labels)[:, None]
    truths = np.hstack([signal, rng.random((600, 100)) < 0.5])
    splits = splits_of(truths, np.arange(101))
    found = informative_columns(splits, labels, np.ones(600, dtype=bool), 2)
    assert 0 in found and len(found) < 15
    nobody = informative_columns(splits, labels, labels == 1, 2)
    assert len(nobody) == 0  # one class alone has nothing to tell apart
    some = only(splits, np.array([0, 7]))
    assert (rows.unpack(some.has, 600) == truths.T[[0, 7]]).all()
    assert take(some.sides, np.arange(4)).constants.tolist() == [0, 1, 14, 15]
    assert some.group.tolist() == [0, 1]


def test_columns_of_noise_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 154))
    y = X[:, :4].sum(axis=1) + 0.5 * rng.normal(size=600) > 0
    classifier = AlgebraicClassifier(random_state=0, evidence="weighted", max_epochs=100).fit(X, y)
    used = np.flatnonzero(classifier.feature_importances_)
    assert {0, 1, 2, 3} <= set(used.tolist()) and len(used) < 40
