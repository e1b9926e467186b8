"""
How many rules are enough?
==========================

A compact model says what each number of rules costs, on rows that were held out while learning. The
dashed line is the full model.
"""

from sklearn.datasets import load_breast_cancer

from atomlearn import AlgebraicClassifier

X, y = load_breast_cancer(return_X_y=True)
clf = AlgebraicClassifier(random_state=0).fit(X, y)
figure = clf.sizes_.plot()
