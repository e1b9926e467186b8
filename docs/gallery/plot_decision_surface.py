"""
Decision surfaces
=================

Two moons, seen by atoms of one and two columns. With noise the classifier turns from strict atoms,
which hold for every example, to weighted ones, and the probabilities become softer.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from atomlearn import AlgebraicClassifier

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for axis, noise in zip(axes, (0.1, 0.35), strict=True):
    X, y = make_moons(300, noise=noise, random_state=0)
    clf = AlgebraicClassifier(random_state=0).fit(X, y)
    x, z = np.meshgrid(np.linspace(-2, 3, 150), np.linspace(-1.5, 2, 150))
    p = clf.predict_proba(np.column_stack([x.ravel(), z.ravel()]))[:, 1].reshape(x.shape)
    axis.contourf(x, z, p, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.7)
    axis.scatter(*X.T, c=y, cmap="RdBu_r", s=12, edgecolors="k", linewidths=0.3)
    axis.set_title(f"noise {noise}: {str(clf.evidence_).split(';')[0]} atoms")
plt.show()
