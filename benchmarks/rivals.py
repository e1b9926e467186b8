"""Seconds of one core to an error on MNIST digits 5 and 8, beside a forest and logistic regression.

Cut-offs come from training images; the test set tells when the error is reached.
"""

import time
from collections.abc import Sequence

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from atomlearn.engine.concept import Recipe
from atomlearn_paper.images import mnist, smooth_cut
from atomlearn_paper.mnist import learner, split

TARGET = 0.011


def measure(digits: Sequence[int] = (5, 8), limit: float = 30.0) -> dict[str, float]:
    """``limit``: seconds after which it is given up."""
    images = mnist()
    figures: dict[str, float] = {}
    for digit in digits:
        y, y_test = images.labels == digit, images.test_labels == digit
        seconds, error = learn_until_target(digit, limit)
        figures[f"digit {digit}: s to {TARGET:.1%} error"] = seconds
        figures[f"digit {digit}: error there, %"] = 100 * error
        for name, rival in (("forest", RandomForestClassifier(100, random_state=0)),
                            ("logistic regression", LogisticRegression(max_iter=200))):  # fmt: skip
            start = time.process_time()
            rival.fit(images.pixels, y)
            figures[f"digit {digit}: {name}, s"] = time.process_time() - start
            figures[f"digit {digit}: {name}, error %"] = 100 * float(
                (rival.predict(images.test_pixels) != y_test).mean()
            )
    return figures


def learn_until_target(digit: int, limit: float) -> tuple[float, float]:
    data = split(0)
    concept, sampler = learner(data, digit, 0, Recipe())
    is_held = data.images.labels[data.spared] == digit
    is_test = data.images.test_labels == digit
    seconds, error = 0.0, 1.0
    while error > TARGET and seconds < limit:
        start = time.process_time()
        for _ in range(5):
            sampler.run_epoch()
        cut = smooth_cut(concept.misses(data.held, len(is_held)), is_held)
        seconds += time.process_time() - start
        error = float(np.mean((concept.misses(data.test, len(is_test)) <= cut) != is_test))
    return seconds, error
