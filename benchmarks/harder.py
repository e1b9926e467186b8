"""Images that are harder than digits, made of MNIST, and tables at several sizes.

pairs: two digits side by side, the larger of which is the class. clutter: a digit among scraps of
others. rotated: digits turned by up to 60 degrees. levels: digits in four shades of grey.
Each image is 28 × 28; as many training images as the name says, and 10,000 to test. The sizes of
tables are those of the training rows, the rest is for tests, 20,000 rows at most.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.ndimage import affine_transform

from atomlearn.datasets import load_mnist
from benchmarks.fitting import Split
from benchmarks.large import COMPARED, measure, table
from benchmarks.record import SEED, Step

IMAGES = (5000, 20_000)
TABLES = {"letter": (2000, 6000), "satellite": (1000, 4000), "covtype": (5000, 40_000)}
MOST_TESTED = 20_000
SIDE = 28
Made = tuple[np.ndarray, np.ndarray]


def pairs(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Made:
    other = rng.permutation(len(y))
    return np.concatenate([X[:, :, ::2], X[other][:, :, ::2]], axis=2), np.maximum(y, y[other])


def clutter(X: np.ndarray, y: np.ndarray, rng: np.random.Generator, scraps: int = 4) -> Made:
    size, found = 9, X.copy()
    for _ in range(scraps):
        other = rng.permutation(len(y))
        corner = rng.integers(0, SIDE - size, (len(y), 4))
        for i, (top, left, down, right) in enumerate(corner):
            scrap = X[other[i], 6 + top // 2 : 6 + top // 2 + size, left : left + size]
            place = found[i, down : down + size, right : right + size]
            np.maximum(place, scrap, out=place)
    return found, y


def rotated(X: np.ndarray, y: np.ndarray, rng: np.random.Generator, most: float = 60.0) -> Made:
    middle, found = (SIDE - 1) / 2, np.empty_like(X)
    for i, angle in enumerate(np.deg2rad(rng.uniform(-most, most, len(y)))):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        found[i] = affine_transform(X[i], turn, middle - turn @ [middle, middle], order=1)
    return found, y


def levels(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Made:
    return X // 64 * 64, y


KINDS: dict[str, Callable[..., Made]] = {
    "pairs": pairs,
    "clutter": clutter,
    "rotated": rotated,
    "levels": levels,
}


def images(kind: str, n: int) -> Split:
    """Training and test images of a kind, as rows of pixels."""
    X, y, X_test, y_test = load_mnist()
    rng = np.random.default_rng(SEED)
    some = rng.permutation(len(y))[:n]
    found: list[np.ndarray] = []
    for side, labels in ((X[some], y[some]), (X_test, y_test)):
        made, kinds = KINDS[kind](side.reshape(-1, SIDE, SIDE), labels, rng)
        found += [made.reshape(len(made), -1), kinds]
    return found[0], found[1], found[2], found[3]


def rows(name: str, n: int) -> Split:
    """So many rows of a table to learn from, and others to test."""
    X, y, X_test, y_test = table(name)
    return X.iloc[:n], y[:n], X_test.iloc[:MOST_TESTED], y_test[:MOST_TESTED]


def steps() -> dict[str, Step]:
    cases = {f"{kind} {n:,}": partial(images, kind, n) for kind in KINDS for n in IMAGES}
    cases |= {f"{name} {n:,}": partial(rows, name, n) for name, ns in TABLES.items() for n in ns}
    return {
        f"{case}/{method}": partial(measure, load, method)
        for case, load in cases.items()
        for method in COMPARED
    }
