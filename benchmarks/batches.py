"""Batches: what merging helps, and the choice of atoms; ``python -m benchmarks.batches`` prints it.

Digits are learned apart from different rows and then merged. Of noisy numbers the log-loss is that
of strict atoms, of weighted ones, and of what held-out rows choose.
"""

import copy

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss

from atomlearn import AlgebraicClassifier


def merged() -> dict[str, float]:
    """Errors of two classifiers of digits, and of both together."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    first = AlgebraicClassifier(random_state=0, evidence="strict")
    first.partial_fit(X[:400], y[:400], classes=range(10))
    second = copy.deepcopy(first).partial_fit(X[800:1200], y[800:1200])
    first.partial_fit(X[400:800], y[400:800])
    figures = {
        "one": 1 - first.score(X[1200:], y[1200:]),
        "another": 1 - second.score(X[1200:], y[1200:]),
    }
    first.merge(second, X=X[:800], y=y[:800])
    return figures | {"merged": 1 - first.score(X[1200:], y[1200:])}


def noisy(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    score = X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.7 * rng.normal(size=n)
    return X, np.digitize(score, [-0.3, 0.6])


def chosen(rows: int) -> dict[str, float]:
    """Log-loss after batches of so many rows, by kind of atoms."""
    X, y = noisy(3000, 0)
    new, new_y = noisy(3000, 1)
    figures = {}
    for kind in ("auto", "strict", "weighted"):
        classifier = AlgebraicClassifier(random_state=0, evidence=kind)
        for i in range(0, len(y), rows):
            classifier.partial_fit(X[i : i + rows], y[i : i + rows], classes=[0, 1, 2])
        figures[kind] = float(log_loss(new_y, classifier.predict_proba(new)))
    return figures


if __name__ == "__main__":
    print("errors of digits:", merged())
    for rows in (100, 1000):
        print(f"log-loss after batches of {rows} rows:", chosen(rows))
