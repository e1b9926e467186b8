"""
Evidence from held-out rows
===========================

Every row is held out of one fold while it is learned from. These predictions decide when to stop and
which atoms to use, and give an error estimate without a test set. How near is it to the error on new
rows?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification

from atomlearn import AlgebraicClassifier

figure, axis = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
most = 0.0
for flip in (0.0, 0.1, 0.2, 0.3):
    X, y = make_classification(1500, 6, n_informative=4, flip_y=flip, random_state=3)
    clf = AlgebraicClassifier(random_state=0, max_epochs=40).fit(X[:300], y[:300])
    error = 1 - clf.score(X[300:], y[300:])
    chosen = str(clf.evidence_).split(";")[0]
    axis.scatter(clf.estimated_error_, error, label=f"noise {flip}: {chosen}")
    most = max(most, error, clf.estimated_error_)
axis.plot([0, 1.1 * most], [0, 1.1 * most], color="grey", ls=":")
axis.set(xlabel="estimated while learning", ylabel="on 1,200 new rows", title="error")
axis.legend()
plt.show()
