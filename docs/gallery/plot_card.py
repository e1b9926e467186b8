"""
A scorecard
===========

Ten rules with points are the whole model. To predict, add up the points of the rules that apply.
"""

from sklearn.datasets import load_breast_cancer

from atomlearn import AlgebraicClassifier

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target_names[cancer.target]
clf = AlgebraicClassifier(max_atoms=10, random_state=0).fit(X, y)
card = clf.scorecard()
card

# %%
# The same as a picture:

figure = card.plot()
