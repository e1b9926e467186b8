"""
From a CSV file to a model you can read
=======================================

A table of penguins is written to a CSV file, read, learned from, and read back as rules. Nothing is
tuned. At the end the same is done on the command line.
"""

# %%
# The table
# ---------
# Numbers, categories and missing values may stand side by side. Here is a table of 240 birds, made
# up so that the example needs no download: three species, which differ in bill and flipper, and
# live on different islands.

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
species = rng.choice(["Adelie", "Chinstrap", "Gentoo"], 240)
typical = pd.DataFrame(
    {
        "bill length": [38.8, 48.8, 47.5],
        "bill depth": [18.3, 18.4, 15.0],
        "flipper": [190, 196, 217],
    },
    index=["Adelie", "Chinstrap", "Gentoo"],
)
birds = typical.loc[species].reset_index(drop=True)
birds += rng.normal(size=birds.shape) * [2.6, 1.1, 6.5]
birds["island"] = [
    rng.choice(["Biscoe", "Torgersen"])
    if one == "Adelie"
    else {"Chinstrap": "Dream"}.get(one, "Biscoe")
    for one in species
]
birds = birds.round(1).mask(rng.random(birds.shape) < 0.03)
birds["species"] = species

folder = Path(tempfile.mkdtemp())
birds.to_csv(folder / "birds.csv", index=False)
birds.head()

# %%
# Two of its columns. The colours are what is to be learned:

import matplotlib.pyplot as plt

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for name, rows in birds.groupby("species"):
    axis.scatter(rows["bill length"], rows["flipper"], label=name)
axis.set(xlabel="bill length", ylabel="flipper")
axis.legend()
plt.show()

# %%
# Learn
# -----
# A third of the rows is kept for testing. Missing values need no treatment: `island is missing` is a
# condition like any other.

from sklearn.model_selection import train_test_split

from atomlearn import AlgebraicClassifier

table = pd.read_csv(folder / "birds.csv")
X, y = table.drop(columns="species"), table["species"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, random_state=0)
clf = AlgebraicClassifier(random_state=0).fit(X_train, y_train)
print(f"error on test rows   {1 - clf.score(X_test, y_test):.1%}")
print(f"estimated in the fit {clf.estimated_error_:.1%}")

# %%
# The estimate comes from rows that were held out while learning, so it can be had without a test
# set. The classifier also says which kind of atoms it uses, and why:

print(clf.evidence_)

# %%
# Read a class
# ------------
# A class as a short formula. The measures on *held-out* rows are those to trust. The formula is an
# approximation: predictions use all atoms.

print(clf.definition("Gentoo", "short"))

# %%
# The model on one page
# ---------------------
# ``compact`` makes a scorecard of the classifier: a few short rules with whole points, which are all
# that decides. The last line says what that costs, on rows that were held out.

card = clf.compact("auto")
card.scorecard()

# %%
# It is a classifier like any other:

print(f"error of the card on test rows {1 - card.score(X_test, y_test):.1%}")
print(card.explain(X_test.iloc[0]))

# %%
# Which columns matter to the full model:

print(pd.Series(clf.feature_importances_, index=X.columns).sort_values(ascending=False).round(2))

# %%
# Read a prediction
# -----------------
# The full model gives reasons as well: for each class the atoms that the row misses, those that cost
# most first. Missing an atom speaks against the class.

print(clf.explain(X_test.iloc[0], max_atoms=2))

# %%
# Every atom is in a data frame, to be sorted and searched:

clf.atoms_frame().head()

# %%
# Save it
# -------
# The file is a zip of JSON and plain arrays. Loading it runs no code.

from atomlearn import load

clf.save(folder / "birds.atoms")
same = load(folder / "birds.atoms")
print((same.predict(X_test) == clf.predict(X_test)).all())

# %%
# On the command line
# -------------------
# The same without writing Python. In a terminal, `atomlearn fit birds.csv --target species -o
# birds.atoms`; here the command is started from Python.

import subprocess
import sys


def run(*arguments):
    command = [sys.executable, "-m", "atomlearn", *arguments]
    print(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)


run(
    "fit",
    "birds.csv",
    "--target",
    "species",
    "-o",
    "cli.atoms",
    "--seed",
    "0",
    "--max-epochs",
    "20",
)
run("explain", "cli.atoms", "--row", "3", "--max-atoms", "1")
