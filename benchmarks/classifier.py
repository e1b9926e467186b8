"""Questions of one kind each: few examples, wrong labels, one digit, many classes.

small: 5-fold error of four small sets, three shuffles. noise: digits with wrong labels. parity:
even or odd bars from 2,000 images, also with symmetries. few: MNIST pixels (black above 25), few
examples, 10,000 test images. one: a digit against the rest. edges: 10,000 images, pixels alone and
with two edge maps. columns: tables with 200 columns of noise added. many: 6,000 rows in 10 to 300
classes. batches: Adult, learned batch after batch. The forest has 100 trees.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import bar_parity
from atomlearn.tables.images import translations
from atomlearn_paper.images import mnist
from benchmarks import large, tables
from benchmarks.fitting import Split, all_figures, error_and_seconds, mean, warm_up
from benchmarks.peers import OURS, SmallNetwork, is_number, mlp, svm
from benchmarks.record import Step

SMALL = {
    "digits 8×8": load_digits,
    "breast cancer": load_breast_cancer,
    "wine": load_wine,
    "iris": load_iris,
}
WRONG = (0.0, 0.05, 0.1, 0.2)
FEW = (50, 100, 200, 500, 1000, 2000)
CLASSES = (10, 30, 100, 300)
ROWS = 6000
WITH_NOISE = ("vehicle", "satellite", "credit-data")
BATCHES = {"1,000": 1000, "3,000": 3000, "8,000": 8000, "all, by `fit`": None}
SEEDS = range(3)
Make = Callable[[int], Any]


def ours(seed: int, **options: Any) -> AlgebraicClassifier:
    return AlgebraicClassifier(random_state=seed, **options)


def translated(seed: int) -> AlgebraicClassifier:
    return ours(seed, symmetries=translations((28, 28)))


def permuted(seed: int) -> AlgebraicClassifier:
    """Eight permutations of rows and columns, which parity does not see."""
    grid = np.arange(100).reshape(10, 10)
    rng = np.random.default_rng(0)
    moves = [grid[rng.permutation(10)][:, rng.permutation(10)].ravel() for _ in range(8)]
    return ours(seed, symmetries=moves)


def forest(seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(100, random_state=seed)


BOTH: dict[str, Make] = {OURS: ours, "forest": forest}
WITH_TRANSLATIONS: dict[str, Make] = BOTH | {
    "with image_shape": lambda seed: ours(seed, image_shape=(28, 28)),
    "with translations": translated,
    "SVM": lambda seed: svm(),
    "MLP": mlp,
    "small network": SmallNetwork,
}
WITH_PERMUTATIONS: dict[str, Make] = BOTH | {"with symmetries": permuted}


def steps() -> dict[str, Step]:
    found: dict[str, Step] = {}
    for name, load in SMALL.items():
        found |= {f"small/{name}/{who}": partial(small, load, make) for who, make in BOTH.items()}
    for share in WRONG:
        found |= {f"noise/{share:.0%}/{w}": partial(noise, share, m) for w, m in BOTH.items()}
    for who, make in WITH_PERMUTATIONS.items():
        found[f"parity/2,000 images/{who}"] = partial(parity, make)
    for n in FEW:
        found |= {f"few/{n}/{who}": partial(few, n, m) for who, m in WITH_TRANSLATIONS.items()}
    for digit in (3, 5, 8):
        found |= {f"one/{digit}/{who}": partial(one, digit, make) for who, make in BOTH.items()}
    found["edges/pixels/atomlearn"] = partial(edges, np.asarray)
    found["edges/pixels and edge maps/atomlearn"] = partial(edges, with_edges)
    for name in WITH_NOISE:
        found |= {f"columns/{name}/{w}": partial(columns, name, 0, m) for w, m in BOTH.items()}
        more = f"columns/{name}, 200 columns more"
        found |= {f"{more}/{w}": partial(columns, name, 200, m) for w, m in BOTH.items()}
    for n in CLASSES:
        found |= {f"many/{n}/{who}": partial(many, n, make) for who, make in BOTH.items()}
    found |= {f"batches/{name}/{OURS}": partial(batches, rows) for name, rows in BATCHES.items()}
    return found


def averaged(make: Make, splits: list[tuple[int, Split]]) -> dict[str, float]:
    """Mean figures over splits, each with the seed of its classifier."""
    warnings.filterwarnings("ignore")
    warm_up(*splits[0][1][:2])
    return mean([error_and_seconds(make(seed), split) for seed, split in splits])


def folds(X: np.ndarray, y: np.ndarray, seed: int, labels: np.ndarray | None = None) -> list[Split]:
    """Five splits; ``labels`` stand in for the classes of training rows."""
    known = y if labels is None else labels
    split = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
    return [(X[a], known[a], X[b], y[b]) for a, b in split]


def small(load: Callable[..., Any], make: Make, seeds: range = SEEDS) -> dict[str, float]:
    X, y = load(return_X_y=True)
    return averaged(make, [(seed, split) for seed in seeds for split in folds(X, y, seed)])


def noise(share: float, make: Make) -> dict[str, float]:
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(7)
    wrong = rng.random(len(y)) < share
    labels = np.where(wrong, (y + rng.integers(1, 10, len(y))) % 10, y)
    return averaged(make, [(0, split) for split in folds(X, y, 0, labels)])


def parity(make: Make, seeds: range = SEEDS) -> dict[str, float]:
    splits = [
        (seed, (*bar_parity(2000, random_state=seed), *bar_parity(10_000, random_state=100 + seed)))
        for seed in seeds
    ]
    return averaged(make, splits)


def few(n: int, make: Make, seeds: range = SEEDS) -> dict[str, float]:
    images = mnist()
    splits: list[tuple[int, Split]] = []
    for seed in seeds:
        some = np.random.default_rng(seed).choice(len(images.labels), n, replace=False)
        test = images.test_pixels, images.test_labels
        splits.append((seed, (images.pixels[some], images.labels[some], *test)))
    return averaged(make, splits)


def one(digit: int, make: Make) -> dict[str, float]:
    images = mnist()
    y, y_test = images.labels == digit, images.test_labels == digit
    return averaged(make, [(0, (images.pixels, y, images.test_pixels, y_test))])


def with_edges(pixels: np.ndarray) -> np.ndarray:
    """The pixels, and where each differs from its left and from its upper neighbour."""
    grid = pixels.reshape(-1, 28, 28)
    left, up = np.zeros_like(grid), np.zeros_like(grid)
    left[:, :, 1:] = grid[:, :, 1:] != grid[:, :, :-1]
    up[:, 1:] = grid[:, 1:] != grid[:, :-1]
    return np.hstack([part.reshape(len(pixels), -1) for part in (grid, left, up)])


def edges(see: Callable[[np.ndarray], np.ndarray], make: Make = ours) -> dict[str, float]:
    images = mnist()
    X, y = images.pixels[:10_000], images.labels[:10_000]
    return averaged(make, [(0, (see(X), y, see(images.test_pixels), images.test_labels))])


def columns(name: str, n_noise: int, make: Make) -> dict[str, float]:
    """A table with its categories as numbers, and normally distributed columns added; 3-fold."""
    frame, y = tables.read(tables.folder() / f"{name}.parquet")
    numbers = frame.apply(lambda one: one if is_number(one) else pd.factorize(one)[0]).fillna(-1)
    noise = np.random.default_rng(0).normal(size=(len(y), n_noise))
    X = np.hstack([numbers.to_numpy(np.float64), noise])
    split = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    return averaged(make, [(0, (X[a], y[a], X[b], y[b])) for a, b in split])


def many(classes: int, make: Make, rows: int = ROWS) -> dict[str, Any]:
    """Round clouds that overlap: ten numbers a row, as many rows again to test."""
    X, y = make_blobs(2 * rows, 10, centers=classes, cluster_std=2.0, random_state=0)
    y = np.char.add("class ", y.astype(str))  # so many numbers would be refused as a target
    split = X[:rows], y[:rows], X[rows:], y[rows:]
    warm_up(*split[:2])
    return all_figures(make(0), split)


class InBatches(AlgebraicClassifier):
    """The classifier, learning from so many rows at a time."""

    rows = 1000

    def fit(self, X: Any, y: np.ndarray) -> "InBatches":
        for start in range(0, len(y), self.rows):
            some = slice(start, start + self.rows)
            self.partial_fit(X.iloc[some], y[some], classes=np.unique(y))
        return self


def batches(rows: int | None, n_train: int = 32_561) -> dict[str, float]:
    """Adult in the order of its rows."""

    def make(seed: int) -> AlgebraicClassifier:
        if rows is None:
            return ours(seed)
        model = InBatches(random_state=seed)
        model.rows = rows
        return model

    return averaged(make, [(0, large.table("adult", n_train))])
