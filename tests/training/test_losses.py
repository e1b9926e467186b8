"""Losses of boosting against what is written in books: gradients, quantiles, deviances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.training.boosting.losses import (
    CURVATURE,
    LOG_LOSS,
    LOSSES,
    POISSON,
    QUANTILE,
    SQUARED,
    Loss,
    held_out_loss,
    leaf_quantile,
    powers_for,
    row_loss,
    scale_of,
    start_of,
    write_number_gradients,
    write_predictions,
)
from atomlearn.training.boosting.trees import Quantisation, quantisation_of
from tests.sets.strategies import KERNELS

pytestmark = KERNELS

NOTHING = Quantisation(1.0, 1.0, 1.0, 1.0, 6, 4)
NUMBERS = [Loss(SQUARED), Loss(POISSON), Loss(QUANTILE), Loss(QUANTILE, 0.9)]
SEEDS = st.integers(0, 2**32 - 1)


def some_rows(loss, seed, n=25):
    """Targets, scores, weights, and some of the rows."""
    rng = np.random.default_rng(seed)
    targets = rng.poisson(1.5, n).astype(float) if loss.kind == POISSON else rng.normal(size=n)
    which = np.flatnonzero(rng.random(n) < 0.8)
    return targets, rng.normal(size=n).round(1), rng.random(n) + 0.1, which


def naive_loss(loss, target, prediction):
    """The loss of one row, by the definition."""
    if loss.kind == SQUARED:
        return (target - prediction) ** 2
    if loss.kind == QUANTILE:
        return max(
            loss.quantile * (target - prediction), (loss.quantile - 1) * (target - prediction)
        )
    log_part = target * math.log(target / prediction) if target else 0.0
    return log_part - (target - prediction)


@pytest.mark.parametrize("loss", NUMBERS, ids=str)
@given(seed=SEEDS)
def test_gradients_are_slopes_of_the_loss(loss, seed):
    targets, scores, weights, which = some_rows(loss, seed)
    prediction, gradient, hessian = np.zeros((1, 25)), np.zeros(25), np.zeros(25)
    write_predictions(loss, scores[None], which, prediction, powers_for(25))
    write_number_gradients(loss, targets, weights, prediction[0], which, gradient, hessian)

    def of_score(i, score):
        return naive_loss(loss, targets[i], math.exp(score) if loss.kind == POISSON else score)

    step = 1e-4
    factor = {SQUARED: CURVATURE / 2, POISSON: CURVATURE, QUANTILE: 1.0}[loss.kind]
    for j, i in enumerate(which):
        up, here, down = (of_score(i, scores[i] + d) for d in (step, 0.0, -step))
        if loss.kind == QUANTILE and abs(targets[i] - scores[i]) <= step:
            continue
        slope = -factor * weights[i] * (up - down) / (2 * step)
        assert gradient[j] == pytest.approx(slope, rel=1e-3, abs=1e-5)
        if loss.kind != QUANTILE:  # the Hessian of a quantile loss is a convention
            bend = factor * weights[i] * (up + down - 2 * here) / step**2
            assert hessian[j] == pytest.approx(bend, rel=1e-2, abs=1e-5)
    assert (hessian[: len(which)] > 0).all()


@pytest.mark.parametrize("loss", NUMBERS, ids=str)
@given(seed=SEEDS)
def test_the_held_out_loss_is_the_weighted_mean(loss, seed):
    targets, scores, weights, which = some_rows(loss, seed)
    found = held_out_loss(
        loss, scores[None], targets, weights, which, np.zeros((1, 25)), powers_for(25)
    )
    predicted = np.exp(scores) if loss.kind == POISSON else scores
    each = [naive_loss(loss, *pair) for pair in zip(targets, predicted, strict=True)]
    wanted = np.average(np.array(each)[which], weights=weights[which]) if len(which) else 0.0
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert row_loss(loss, targets[0], predicted[0]) >= 0


@pytest.mark.parametrize("loss", NUMBERS, ids=str)
@given(seed=SEEDS)
def test_the_first_score_is_the_best_constant(loss, seed):
    targets, _, weights, _ = some_rows(loss, seed)
    best = start_of(loss, targets, weights)
    every = np.arange(25)

    def mean(score):
        scores = np.full((1, 25), score)
        out, powers = np.zeros((1, 25)), powers_for(25)
        return held_out_loss(loss, scores, targets, weights, every, out, powers)

    assert all(mean(best) <= mean(best + d) + 1e-12 for d in (-0.5, -0.01, 0.01, 0.5))


@given(SEEDS, st.floats(0.05, 0.95))
def test_the_quantile_of_a_leaf(seed, level):
    rng = np.random.default_rng(seed)
    residual, weights = rng.normal(size=70).round(1), rng.integers(1, 4, 70).astype(float)
    member = rng.random(70) < 0.5
    which, room = np.flatnonzero(member), np.empty((2, 70))
    found = leaf_quantile(which, 0, len(which), level, residual, weights, np.zeros(70), *room)
    repeated = np.repeat(residual[member], weights[member].astype(int))
    if not len(repeated):
        assert found == 0.0
        return
    share = np.mean(repeated <= found), np.mean(repeated < found)
    assert share[0] >= level - 1e-9 and share[1] <= level + 1e-9 and found in repeated


@pytest.mark.parametrize("size", [1e-90, 1e-9, 1.0, 1e12, 1e90])
@given(seed=SEEDS)
def test_numbers_of_any_size_come_to_one_scale(size, seed):
    rng = np.random.default_rng(seed)
    targets = size * (rng.random(30) + 0.5)
    for loss in NUMBERS:
        scale = scale_of(loss, targets, np.ones(30))
        assert math.frexp(scale.unit)[0] == 0.5  # a power of two
        there = scale.to_scale(targets)
        typical = there.mean() if loss.kind == POISSON else there.std()
        assert 0.5 <= typical <= 2.0
        assert np.allclose(there * scale.unit + scale.center, targets, rtol=1e-12)


def test_a_constant_has_a_scale():
    assert scale_of(Loss(SQUARED), np.full(3, 7.5), np.ones(3)) == (7.5, 1.0)
    assert scale_of(Loss(POISSON), np.zeros(3), np.ones(3)) == (0.0, 1.0)
    assert set(LOSSES) == {"squared", "absolute", "poisson", "quantile"}


@given(SEEDS, st.floats(1e-6, 1e6))
def test_quantisation_follows_the_gradients(seed, size):
    rng = np.random.default_rng(seed)
    gradient, hessian = size * rng.standard_t(2, size=200), np.full(200, size)
    before = quantisation_of(np.ones(1), np.ones(1), 1, NOTHING)
    found = quantisation_of(gradient, hessian, 200, before)
    typical = math.sqrt((gradient**2).mean())
    assert found.gradient == pytest.approx(typical / 8)
    most = (1 << (found.gradient_bits - 1)) - 1
    assert np.abs(gradient).max() <= found.gradient * most  # t: none is cut off
    assert found.hessian * ((1 << found.hessian_bits) - 1) >= size
    zeros = np.zeros(200)
    assert quantisation_of(zeros, zeros, 200, before) == before


def test_log_loss_is_that_of_the_class():
    probability = np.zeros((1, 1))
    found = held_out_loss(
        LOG_LOSS, np.zeros((1, 1)), np.ones(1), np.ones(1), np.zeros(1, np.int64), probability,
        powers_for(1),
    )  # fmt: skip
    assert found == pytest.approx(math.log(2)) and probability[0, 0] == 0.5
