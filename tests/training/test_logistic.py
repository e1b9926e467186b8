"""Exponentials and logarithms of our own are as good as the library's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.training.boosting.losses import (
    LOG_LOSS,
    exponentials,
    held_out_loss,
    log,
    powers_for,
)
from atomlearn.training.scores import softmax
from tests.sets.strategies import KERNELS

pytestmark = KERNELS


@given(st.lists(st.floats(-800, 0), max_size=20))
def test_exponentials(powers):
    found = powers_for(len(powers))
    found.x[:] = powers
    exponentials(found, len(powers))
    expected = [math.exp(power) for power in powers]
    assert found.x.tolist() == pytest.approx(expected, rel=1e-14, abs=1e-300)


@given(st.floats(1e-300, 1e300))
def test_log(x):
    assert log(x) == pytest.approx(math.log(x), rel=1e-14, abs=1e-14)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_probabilities_and_loss(seed, n_columns):
    rng = np.random.default_rng(seed)
    scores, weights = rng.normal(size=(20, n_columns), scale=5), rng.random(20) + 0.1
    labels = rng.integers(max(2, n_columns), size=20)
    counted = np.flatnonzero(rng.random(20) < 0.7)
    p = np.zeros((n_columns, 20))
    by_class = np.ascontiguousarray(scores.T)
    loss = held_out_loss(
        LOG_LOSS, by_class, labels.astype(float), weights, counted, p, powers_for(20)
    )
    p = p.T
    whole = softmax(scores if n_columns > 1 else np.hstack([np.zeros((20, 1)), scores]))
    assert np.allclose(p[: len(counted)], (whole if n_columns > 1 else whole[:, 1:])[counted])
    own = np.maximum(whole[np.arange(20), labels][counted], 1e-12)
    expected = np.average(-np.log(own), weights=weights[counted]) if len(counted) else 0.0
    assert loss == pytest.approx(expected)
