"""Misses to probabilities: the fit is the minimum it should be, and little data changes little."""

import numpy as np
import pytest

from atomlearn.training.scores import DEFAULT_SLOPE, Calibration, calibrate, log_ratio, softmax


def penalised_loss(calibration, ratios, labels, weights):
    p = calibration.probabilities(ratios)[np.arange(len(labels)), labels]
    prior = 0.5 * (calibration.slope - DEFAULT_SLOPE) ** 2 + 0.5 * (calibration.offset**2).sum()
    return -(weights * np.log(p)).sum() + prior


@pytest.mark.parametrize("seed", range(5))
def test_no_small_step_from_the_fit_is_better(seed):
    rng = np.random.default_rng(seed)
    ratios, labels = rng.normal(-1, 1, (200, 3)), rng.integers(0, 3, 200)
    ratios[np.arange(200), labels] -= 1.5
    weights = rng.uniform(0.1, 1, 200)
    fitted = calibrate(ratios, labels, weights)
    best = penalised_loss(fitted, ratios, labels, weights)
    for step in (0.05, -0.05):
        steeper = Calibration(fitted.slope + step, fitted.offset)
        assert penalised_loss(steeper, ratios, labels, weights) > best
        for k in range(3):
            moved = Calibration(fitted.slope, fitted.offset + step * np.eye(3)[k])
            assert penalised_loss(moved, ratios, labels, weights) > best


def test_without_examples_the_default_holds():
    fitted = calibrate(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0))
    assert fitted.slope == DEFAULT_SLOPE
    assert (fitted.offset == 0).all()


def test_an_example_that_recurs_counts_once():
    rng = np.random.default_rng(1)
    ratios, labels = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    often = calibrate(ratios, labels, rng.integers(1, 200, 40).astype(float))
    once = calibrate(ratios, labels, np.ones(40))
    assert (often.slope, often.offset.tolist()) == (once.slope, once.offset.tolist())


def test_fewer_misses_are_more_probable_and_rows_sum_to_one():
    ratios = log_ratio(np.array([[0, 50], [30, 5]], dtype=np.int32), np.array([40.0, 40.0]))
    p = Calibration(2.0, np.zeros(2)).probabilities(ratios)
    assert p.sum(axis=1) == pytest.approx([1, 1])
    assert p[0, 0] > 0.99
    assert p[1, 1] > 0.9


def test_softmax_of_huge_scores_is_finite():
    assert softmax(np.array([[1e4, -1e4, 0.0]])).tolist() == [[1.0, 0.0, 0.0]]
