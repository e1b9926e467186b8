"""Images: translations are tried, and kept if held-out rows say so."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from atomlearn import AlgebraicClassifier
from atomlearn.tables import translations

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


@pytest.mark.parametrize(("images", "moves"), [(digits, True), (dots, False)])
def test_translations_are_kept_if_they_lower_the_held_out_loss(images, moves):
    X, y = images(200)
    given = translations(SHAPE) if moves else []
    tried, told = (
        AlgebraicClassifier(random_state=0, max_epochs=40, image_shape=SHAPE, symmetries=one)
        for one in (None, given)
    )
    assert np.array_equal(tried.fit(X, y).predict_proba(X), told.fit(X, y).predict_proba(X))
    assert tried.symmetries is None
