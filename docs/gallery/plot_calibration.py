"""
Calibration beside a forest
===========================

Of all rows that are given 80 %, are 80 % right? Probabilities are calibrated on held-out rows as
part of the fit.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss

from atomlearn import AlgebraicClassifier

X, y = make_classification(4000, 10, n_informative=5, flip_y=0.15, random_state=0)
figure, axis = plt.subplots(figsize=(5, 4.5), layout="constrained")
for name, method in {
    "atomlearn": AlgebraicClassifier(random_state=0, max_epochs=60),
    "random forest": RandomForestClassifier(200, random_state=0),
}.items():
    p = method.fit(X[:1000], y[:1000]).predict_proba(X[1000:])[:, 1]
    right, given = calibration_curve(y[1000:], p, n_bins=10, strategy="quantile")
    axis.plot(given, right, marker="o", label=f"{name}, log-loss {log_loss(y[1000:], p):.3f}")
axis.plot([0, 1], [0, 1], color="grey", ls=":")
axis.set(xlabel="predicted probability", ylabel="share of the class")
axis.legend()
plt.show()
