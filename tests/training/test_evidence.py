"""Strict or weighted: what held-out rows decide, and when strict atoms are given up."""

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.training.scores import WORTH, Evidence, adds_nothing, sizes_of, weigh_evidence
from atomlearn.training.settings import Settings
from atomlearn.training.strict import FIRST_ROUND, GLANCE, epochs_of_rounds

SIZES = {"strict": 10, "weighted": 20, "both": 30}


def scores_of(labels, strength, rng):
    """Scores that favour the right one of two classes, more or less."""
    right = strength * np.where(labels == 1, 1.0, -1.0) + rng.normal(size=len(labels))
    return np.column_stack([np.zeros(len(labels)), right])


@pytest.fixture
def held_out():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=500)
    return labels, np.ones(500), rng


def test_strict_atoms_that_add_nothing_are_found_out(held_out):
    labels, weights, rng = held_out
    good, noise = scores_of(labels, 1.0, rng), scores_of(labels, 0.0, rng)
    assert adds_nothing(weigh_evidence(noise, good, labels, weights, SIZES), 0.1)
    other = scores_of(labels, 0.7, rng)
    assert not adds_nothing(weigh_evidence(other, good, labels, weights, SIZES), 0.1)
    assert not adds_nothing(weigh_evidence(good, None, labels, weights, SIZES), 0.1)
    assert not adds_nothing(Evidence(), 0.1)


@pytest.mark.slow
def test_strict_atoms_get_few_epochs_where_classes_overlap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    noisy = X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=400) > 0
    chosen = AlgebraicClassifier(random_state=0).fit(X, noisy)
    assert chosen.evidence_.chosen == "weighted"
    assert set(chosen.evidence_.losses) == {"strict", "weighted", "both"}
    assert len(chosen.history_) <= 2 * (2 * GLANCE)  # of two classes, at most two rounds


def test_many_rows_have_a_whole_round_before_strict_atoms_are_given_up():
    """Their batches are small at first, and a few epochs say little."""
    assert epochs_of_rounds(False, 2, 3, Settings())[0] == FIRST_ROUND
    assert epochs_of_rounds(True, 2, 5, Settings())[0] == GLANCE < FIRST_ROUND


def test_many_classes_have_fewer_epochs_each():
    few, many = (epochs_of_rounds(False, n, 3, Settings())[-1] for n in (10, 300))
    assert 10 * few < 300 * many < 0.6 * 300 * few  # the work grows more slowly than classes
    assert epochs_of_rounds(False, 300, 3, Settings(max_epochs=60))[-1] == 20


def test_scores_of_factor_zero_do_not_decide():
    """Strict scores that are always wrong get the factor 0: that is not a mean of both."""
    labels = np.arange(400) % 2
    right = np.eye(2)[labels] * 2.0
    wrong = np.where(np.arange(400)[:, None] % 5, -right, right)
    right = np.where(np.arange(400)[:, None] % 7, right, -right)
    for strict, weighted, kind in ((wrong, right, "weighted"), (right, wrong, "strict")):
        sizes = {"strict": 9, "weighted": 9, "both": 1}
        found = weigh_evidence(strict, weighted, labels, np.ones(400), sizes)
        assert found.chosen == kind and 0.0 in (found.strict, found.weighted)


def test_strict_atoms_are_not_given_up_while_learning_expects_more():
    assert sizes_of(50, 9) == {"strict": 50, "weighted": 9, "both": 59}
    going = sizes_of(50, 9, expects_more=True)
    assert going["strict"] < going["both"] < going["weighted"]


def test_strict_atoms_of_few_rows_are_not_given_up():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    noisy = X[:, 0] + 1.5 * rng.normal(size=60) > 0
    few = AlgebraicClassifier(random_state=0, max_epochs=60).fit(X, noisy)
    assert few.evidence_.losses["both"] >= (1 - WORTH) * few.evidence_.losses["weighted"]
    assert len(few.learned_.rounds) > 1


def test_of_kinds_with_equal_losses_none_with_many_more_errors_is_chosen():
    """Calibration counts a row once that recurs; what it costs to err there shows in the errors."""
    labels, weights = np.array([0, 1, 1]), np.array([1.0, 1.0, 8.0])
    strict = np.array([[4.0, 0.0], [0.0, 4.0], [0.01, 0.0]])  # narrowly wrong where it counts
    weighted = np.array([[4.0, 0.0], [0.0, 4.0], [0.0, 0.01]])
    found = weigh_evidence(strict, weighted, labels, weights, sizes_of(1, 100))
    assert found.errors["strict"] == 0.8
    assert found.chosen != "strict"
