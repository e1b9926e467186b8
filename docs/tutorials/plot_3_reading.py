"""
Reading and debugging a model
=============================

Why was this row predicted so? Which training rows look wrong? What does the model lean on that it
should not? A model of atoms can be asked.
"""

# %%
# A table with two faults that are common in practice: some labels are wrong, and one column, `form`,
# gives the answer away for part of the rows (an artefact of how they were collected).

import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier

rng = np.random.default_rng(1)
n = 400
X = pd.DataFrame(
    {
        "pressure": rng.normal(120, 15, n).round(),
        "cholesterol": rng.normal(200, 30, n).round(),
        "age": rng.integers(30, 80, n),
    }
)
ill = (X["pressure"] > 125) & (X["age"] > 50)
X["form"] = np.where(ill & (rng.random(n) < 0.95), "B", "A")
y = np.where(ill, "ill", "well")
wrong = rng.choice(n, 12, replace=False)
y[wrong] = np.where(y[wrong] == "ill", "well", "ill")

clf = AlgebraicClassifier(random_state=0).fit(X, y)
print(f"estimated error {clf.estimated_error_:.1%}")

# %%
# Which columns it leans on
# -------------------------
# The column `form` should not matter, and does, if less than the others. This is how a leak shows:

print(pd.Series(clf.feature_importances_, index=X.columns).sort_values(ascending=False).round(2))

# %%
# Every atom that uses it can be listed:

atoms = clf.atoms_frame()
leaking = atoms[atoms["atom"].str.contains("form")]
print(f"{len(leaking)} of {len(atoms)} atoms use it")
leaking.sort_values("size")[["class", "atom", "size"]].head()

# %%
# Without that column the model has to find the reason:

honest = X.drop(columns="form")
clf = AlgebraicClassifier(random_state=0).fit(honest, y)
print(clf.definition("ill"))

# %%
# Which rows look wrong
# ---------------------
# ``hardest`` gives the training rows whose own class is the least probable, each with an
# explanation. Here is the first:

print(clf.hardest(1)[0])

# %%
# By the probability of their own class, the rows can be ranked too. How many of the first twelve are
# among the labels that were changed?

own = clf.predict_proba(honest)[np.arange(n), np.searchsorted(clf.classes_, y)]
suspects = np.argsort(own)[:12]
print(f"{len(set(suspects) & set(wrong))} of the 12 most doubtful rows have wrong labels")

# %%
# They are the ringed ones, on the wrong side of a line:

import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for label, rows in honest.groupby(y):
    axis.scatter(rows["pressure"], rows["age"], s=12, label=label)
doubtful = honest.iloc[suspects]
axis.scatter(doubtful["pressure"], doubtful["age"], s=90, facecolors="none", edgecolors="black")
axis.set(xlabel="pressure", ylabel="age")
axis.legend()
plt.show()

# %%
# Why a row is what it is
# -----------------------
# The atoms that a row misses, with what each costs in log-odds. They are the whole reason: the score
# is their sum.

print(clf.explain(honest.iloc[int(wrong[0])], max_atoms=3))

# %%
# How far to trust the probabilities
# ----------------------------------
# They are calibrated on held-out rows. On new rows from the same source, with the same share of wrong
# labels left out, the error among confident predictions should be small:

new = pd.DataFrame(
    {
        "pressure": rng.normal(120, 15, 2000).round(),
        "cholesterol": rng.normal(200, 30, 2000).round(),
        "age": rng.integers(30, 80, 2000),
    }
)
truth = np.where((new["pressure"] > 125) & (new["age"] > 50), "ill", "well")
confidence = clf.predict_proba(new).max(axis=1)
right = clf.predict(new) == truth
for low, high in [(0.5, 0.8), (0.8, 0.95), (0.95, 1.0)]:
    rows = (confidence > low) & (confidence <= high)
    print(f"confidence {low} to {high}: {rows.sum()} rows, {right[rows].mean():.1%} right")
