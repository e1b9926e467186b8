"""AlgebraicClassifier beside RandomForestClassifier(100), both as they come, on the same columns.

    [ATOMLEARN_DATA=folder] python -m benchmarks.classifier [tables few noise parity mnist ...]

tables: 5-fold error of four small sets, three shuffles. few: MNIST pixels (black above 25), few
examples, 10,000 test images. noise: digits with wrong labels. parity: even or odd bars from 2,000
images, also with symmetries. mnist, mnist-translations: all 60,000 images, ten classes. one: a
digit against the rest, CPU seconds. edges: 10,000 images, pixels alone and with two edge maps.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import bar_parity
from atomlearn.tables.column_maps import translations
from atomlearn_paper.images import mnist

SMALL = {
    "digits 8×8": load_digits,
    "breast cancer": load_breast_cancer,
    "wine": load_wine,
    "iris": load_iris,
}


def ours(seed: int, **options) -> AlgebraicClassifier:
    return AlgebraicClassifier(random_state=seed, n_jobs=2, **options)


def forest(seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(100, random_state=seed, n_jobs=2)


def report(what: str, results: dict[str, tuple[float, float]]) -> None:
    line = "  ".join(
        f"{name} {error:.2%} ({seconds:.1f} s)" for name, (error, seconds) in results.items()
    )
    print(f"{what:36s} {line}", flush=True)


def fit_and_test(model, X, y, X_test, y_test) -> tuple[float, float]:
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    return float((model.predict(X_test) != y_test).mean()), seconds


def average(runs: list[tuple[float, float]]) -> tuple[float, float]:
    return float(np.mean([error for error, _ in runs])), float(np.mean([s for _, s in runs]))


def tables() -> None:
    for name, load in SMALL.items():
        X, y = load(return_X_y=True)
        runs: dict[str, list] = {"atomlearn": [], "forest": []}
        for seed in range(3):
            for a, b in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
                runs["atomlearn"].append(fit_and_test(ours(seed), X[a], y[a], X[b], y[b]))
                runs["forest"].append(fit_and_test(forest(seed), X[a], y[a], X[b], y[b]))
        report(name, {who: average(done) for who, done in runs.items()})


def few() -> None:
    images = mnist()
    moves = translations((28, 28))
    for n in (50, 100, 200, 500, 1000, 2000):
        runs: dict[str, list] = {"atomlearn": [], "with translations": [], "forest": []}
        for seed in range(3):
            some = np.random.default_rng(seed).choice(len(images.labels), n, replace=False)
            data = images.pixels[some], images.labels[some], images.test_pixels, images.test_labels
            runs["atomlearn"].append(fit_and_test(ours(seed), *data))
            runs["with translations"].append(fit_and_test(ours(seed, symmetries=moves), *data))
            runs["forest"].append(fit_and_test(forest(seed), *data))
        report(f"MNIST, {n} examples", {who: average(done) for who, done in runs.items()})


def noise() -> None:
    X, y = load_digits(return_X_y=True)
    for share in (0.0, 0.05, 0.1, 0.2):
        runs: dict[str, list] = {"atomlearn": [], "forest": []}
        rng = np.random.default_rng(7)
        for a, b in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            labels = y[a].copy()
            wrong = rng.random(len(a)) < share
            labels[wrong] = (labels[wrong] + rng.integers(1, 10, wrong.sum())) % 10
            for who, make in (("atomlearn", ours), ("forest", forest)):
                runs[who].append(fit_and_test(make(0), X[a], labels, X[b], y[b]))
        report(
            f"digits 8×8, {share:.0%} wrong labels", {w: average(done) for w, done in runs.items()}
        )


def parity() -> None:
    grid = np.arange(100).reshape(10, 10)
    rng = np.random.default_rng(0)
    moves = [grid[rng.permutation(10)][:, rng.permutation(10)].ravel() for _ in range(8)]
    runs: dict[str, list] = {"atomlearn": [], "with symmetries": [], "forest": []}
    for seed in range(3):
        data = *bar_parity(2000, random_state=seed), *bar_parity(10_000, random_state=100 + seed)
        runs["atomlearn"].append(fit_and_test(ours(seed), *data))
        runs["with symmetries"].append(fit_and_test(ours(seed, symmetries=moves), *data))
        runs["forest"].append(fit_and_test(forest(seed), *data))
    report("even/odd bars 10×10, 2,000 images", {who: average(done) for who, done in runs.items()})


def whole_mnist(**options) -> None:
    images = mnist()
    data = images.pixels, images.labels, images.test_pixels, images.test_labels
    model = ours(0, **options)
    results = {"atomlearn": fit_and_test(model, *data)}
    start = time.perf_counter()
    model.predict(images.test_pixels)
    report(f"MNIST, ten classes {list(options)}", results)
    print(f"  predict 10,000 images: {time.perf_counter() - start:.3f} s")


def one() -> None:
    """CPU seconds, so that what else the machine does matters little."""
    images = mnist()
    for digit in (3, 5, 8):
        y, y_test = images.labels == digit, images.test_labels == digit
        data = images.pixels, y, images.test_pixels, y_test
        results = {}
        for who, make in (("atomlearn", AlgebraicClassifier), ("forest", RandomForestClassifier)):
            start = time.process_time()
            error, _ = fit_and_test(make(random_state=0), *data)
            results[who] = error, time.process_time() - start
        report(f"MNIST, {digit} against the rest, CPU", results)


def with_edges(pixels: np.ndarray) -> np.ndarray:
    """The pixels, and where each differs from its left and from its upper neighbour."""
    grid = pixels.reshape(-1, 28, 28)
    left, up = np.zeros_like(grid), np.zeros_like(grid)
    left[:, :, 1:] = grid[:, :, 1:] != grid[:, :, :-1]
    up[:, 1:] = grid[:, 1:] != grid[:, :-1]
    return np.hstack([part.reshape(len(pixels), -1) for part in (grid, left, up)])


def edges() -> None:
    images = mnist()
    pixels, labels = images.pixels[:10_000], images.labels[:10_000]
    results = {}
    for name, see in (("pixels", np.asarray), ("with edge maps", with_edges)):
        data = see(pixels), labels, see(images.test_pixels), images.test_labels
        results[name] = fit_and_test(ours(0), *data)
    report("MNIST, 10,000 examples", results)


PARTS: dict[str, Callable[[], None]] = {
    "tables": tables,
    "noise": noise,
    "parity": parity,
    "few": few,
    "one": one,
    "edges": edges,
    "mnist": whole_mnist,
    "mnist-translations": lambda: whole_mnist(symmetries=translations((28, 28)), time_limit=300),
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
