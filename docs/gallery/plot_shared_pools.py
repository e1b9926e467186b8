"""
Pools shared between two learners
=================================

Two learners have seen different images of bars. They exchange pins, not images: each keeps what its
own images do not contradict.
"""

import matplotlib.pyplot as plt

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars

shape = (6, 6)
X, y = vertical_bars(2160, shape=shape, random_state=0)
new = X[160:], y[160:]
settings = {"random_state": 0, "evidence": "strict", "max_epochs": 10}
ann = AlgebraicClassifier(**settings).fit(X[:80], y[:80])
bob = AlgebraicClassifier(**settings).fit(X[80:160], y[80:160])
errors = {"Ann alone": 1 - ann.score(*new), "Bob alone": 1 - bob.score(*new)}
merged = ann.merge(bob, X=X[:80], y=y[:80])
errors["Ann with Bob's pins"] = 1 - ann.score(*new)
both = AlgebraicClassifier(**settings).fit(X[:160], y[:160])
errors["all images in one place"] = 1 - both.score(*new)
for label, counts in merged.items():
    print(f"{'bar' if label else 'no bar'}: {counts}")

figure, axis = plt.subplots(figsize=(6, 2.6), layout="constrained")
axis.barh(list(errors), list(errors.values()), color=["#9ecae1", "#9ecae1", "#3182bd", "grey"])
axis.invert_yaxis()
axis.set_xlabel("error on new images")
plt.show()
