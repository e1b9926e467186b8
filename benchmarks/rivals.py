"""Seconds of one core to an error on MNIST digits 5 and 8, beside a forest and logistic regression.

Cut-offs come from training images; the test set tells when the error is reached.
"""

import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from atomlearn.learning.concept import Concept, Sampler
from atomlearn.learning.misses import blocks_of
from benchmarks.images import mnist, n_constants, terms
from benchmarks.mnist import smooth_cut, split

DIGITS = (5, 8)
TARGET = 0.011
LIMIT = 30.0


def measure(quick: bool) -> dict[str, float]:
    images = mnist()
    figures: dict[str, float] = {}
    for digit in DIGITS[:1] if quick else DIGITS:
        y, y_test = images.labels == digit, images.test_labels == digit
        seconds, error = learn_until_target(images, digit)
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


def learn_until_target(images, digit: int) -> tuple[float, float]:
    n = n_constants(images.pixels)
    held, variants, spared = split(images, 0, False)
    test = blocks_of(terms(images.test_pixels), n)
    concept = Concept(n, n - 1, 0)
    sampler = Sampler(concept, variants, images.labels[~spared] == digit)
    seconds, error = 0.0, 1.0
    while error > TARGET and seconds < LIMIT:
        start = time.process_time()
        for _ in range(5):
            sampler.run_epoch()
        held_misses = concept.misses(held, int(spared.sum()))
        cut = smooth_cut(held_misses, images.labels[spared] == digit)
        seconds += time.process_time() - start
        said = concept.misses(test, len(images.test_labels)) <= cut
        error = float(np.mean(said != (images.test_labels == digit)))
    return seconds, error
