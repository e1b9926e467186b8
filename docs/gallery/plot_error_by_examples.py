"""
Error against examples
======================

Vertical bars in images of 8 × 8 pixels, and how many images it takes to learn what a bar is: as it
is, with symmetries, and beside a random forest.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars
from atomlearn.tables import column_swaps, row_swaps

shape = (8, 8)
maps = column_swaps(shape) + row_swaps(shape)
X, y = vertical_bars(400, shape=shape, random_state=0)
X_new, y_new = vertical_bars(2000, shape=shape, random_state=1)
settings = {"random_state": 0, "evidence": "strict", "max_epochs": 10}
methods = {
    "atomlearn": AlgebraicClassifier(**settings),
    "with symmetries": AlgebraicClassifier(**settings, symmetries=maps),
    "random forest": RandomForestClassifier(100, random_state=0),
}
sizes = [50, 100, 200, 400]
figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for name, method in methods.items():
    errors = [1 - method.fit(X[:n], y[:n]).score(X_new, y_new) for n in sizes]
    axis.plot(sizes, errors, marker="o", label=name)
axis.set(xscale="log", xlabel="images", ylabel="error on new images", ylim=(0, None))
axis.set_xticks(sizes, [str(n) for n in sizes])
axis.minorticks_off()
axis.legend()
plt.show()
