"""
Labels with noise
=================

A share of the training labels is flipped. Strict atoms have to hold for every row, wrong ones
included, and suffer; weighted atoms may have exceptions. By default, held-out rows choose.
"""

import matplotlib.pyplot as plt
import numpy as np

from atomlearn import AlgebraicClassifier


def rows(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    return X, (X[:, 0] > 0.5) & (X[:, 1] > 0.3), rng


X_new, y_new, _ = rows(2000, 1)
shares = [0.0, 0.1, 0.2, 0.3]
figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for evidence in ("strict", "weighted", "auto"):
    errors = []
    for share in shares:
        X, y, rng = rows(300, 0)
        noisy = np.where(rng.random(300) < share, ~y, y)
        clf = AlgebraicClassifier(random_state=0, evidence=evidence, max_epochs=50)
        errors.append(1 - clf.fit(X, noisy).score(X_new, y_new))
    axis.plot(shares, errors, marker="o", label=evidence, ls="--" if evidence == "auto" else "-")
axis.set(xlabel="share of wrong labels", ylabel="error on new rows, true labels", ylim=(0, None))
axis.legend(title="evidence")
plt.show()
