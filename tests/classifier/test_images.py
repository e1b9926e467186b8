"""Images: translations and distortions are tried, and kept if held-out rows say so."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_digits

from atomlearn import AlgebraicClassifier
from atomlearn.classifier.fitting import (
    DISTORTIONS,
    FEWEST_DISTORTIONS,
    IMAGES_MADE,
    MOST_TRIED,
    moves_to_try,
)
from atomlearn.tables import distortions, translations

SHAPE = (10, 10)


def digits(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits of 8 × 8 pixels, each somewhere on the image."""
    small, y = load_digits(return_X_y=True)
    X = np.zeros((n, *SHAPE))
    for i, (top, left) in enumerate(np.random.default_rng(0).integers(0, 3, (n, 2))):
        X[i, top : top + 8, left : left + 8] = small[i].reshape(8, 8)
    return X.reshape(n, -1), y[:n]


def dots(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Dots anywhere; the class depends on the very place of one."""
    X = np.random.default_rng(0).integers(0, 2, (n, SHAPE[0] * SHAPE[1]))
    return X, X[:, 14]


def turned(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits of 8 × 8 pixels, each turned, stretched and moved in its own way."""
    X, y = load_digits(return_X_y=True)
    moves = np.array(distortions((8, 8), n, random_state=1))
    some = np.take_along_axis(X[:n], np.maximum(moves, 0), axis=1)
    return np.where(moves >= 0, some, 0), y[:n]


@pytest.mark.parametrize(
    ("images", "rounds", "n_maps"), [(digits, 20, 4), (dots, 20, 0), (turned, 40, 4 + DISTORTIONS)]
)
def test_images_are_moved_if_that_lowers_the_held_out_loss(images, rounds, n_maps):
    X, y = images(200)
    shape = (math.isqrt(X.shape[1]),) * 2
    given = (translations(shape) + distortions(shape, DISTORTIONS))[:n_maps]
    tried, told = (
        AlgebraicClassifier(random_state=0, max_epochs=rounds, image_shape=shape, symmetries=one)
        for one in (None, given)
    )
    assert np.array_equal(tried.fit(X, y).predict_proba(X), told.fit(X, y).predict_proba(X))
    assert tried.symmetries is None


def test_many_images_are_not_distorted():
    model = AlgebraicClassifier(image_shape=SHAPE)
    n = IMAGES_MADE // FEWEST_DISTORTIONS
    lengths = [len(moves_to_try(model, 100, rows)) for rows in (1, n, n + n // 10)]
    assert lengths == [4 + DISTORTIONS, 4 + FEWEST_DISTORTIONS, 4]
    assert n <= MOST_TRIED  # so that all are tried on


def test_distortions_are_maps_of_the_image_that_leave_its_middle_where_it_is():
    maps = distortions((28, 28), 200)
    assert all(one.shape == (784,) and one.min() >= -1 and one.max() < 784 for one in maps)
    assert np.array_equal(maps, distortions((28, 28), 200))
    rows, columns = np.divmod(np.array([one[14 * 28 + 14] for one in maps]), 28)
    assert np.abs(rows - 14).max() <= 4 and np.abs(columns - 14).max() <= 4
    assert len({one.tobytes() for one in maps}) == 200
