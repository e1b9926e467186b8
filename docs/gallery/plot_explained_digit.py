"""
Why this digit?
===============

For the most probable classes, the pixels of atoms that the image misses, in red. Red marks what does
not fit the digit.
"""

from sklearn.datasets import load_digits

from atomlearn import AlgebraicClassifier

X, y = load_digits(return_X_y=True)
keep = y < 4
clf = AlgebraicClassifier(random_state=0, image_shape=(8, 8), max_epochs=5, evidence="strict")
clf.fit(X[keep][:400], y[keep][:400])
figure = clf.explain(X[keep][500]).plot()
