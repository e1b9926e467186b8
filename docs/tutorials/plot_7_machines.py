"""
More than one machine
=====================

Cores, batches from disk, and parts of the data on several machines. The model does not depend on the
number of cores or workers.
"""

# %%
# Cores
# -----
# ``n_jobs`` never changes the model:

import numpy as np
from sklearn.datasets import make_classification

from atomlearn import AlgebraicClassifier

X, y = make_classification(600, 8, n_informative=5, random_state=0)
X_new, y_new, X, y = X[400:], y[400:], X[:400], y[:400]
one = AlgebraicClassifier(random_state=0, max_epochs=10).fit(X, y)
two = AlgebraicClassifier(random_state=0, max_epochs=10, n_jobs=2).fit(X, y)
print(np.array_equal(one.predict_proba(X_new), two.predict_proba(X_new)))

# %%
# Batches
# -------
# Data that do not fit into memory are read batch by batch; here from arrays, else from CSV or Parquet
# (``read_batches``). While the packed rows, a bit for each literal, fit into 512 MiB, the model is that of
# ``fit``; beyond that the batches are packed to disk and learned from in turn.

from atomlearn.distributed import fit_batches
from atomlearn.tables import ArrayBatches

packed = fit_batches(ArrayBatches(X, y, rows=100), random_state=0, max_epochs=10)
print(
    f"accuracy in memory {one.score(X_new, y_new):.3f}, from batches {packed.score(X_new, y_new):.3f}"
)

# %%
# Machines
# --------
# A Dask collection is packed where it is, and learned from as a whole up to the same size. Beyond it, each
# partition learns by itself, and they exchange pins: what no partition's examples contradict is known to
# all. On a cluster, make a ``dask.distributed.Client`` first; without one, Dask runs in this process.

import dask.array as da

from atomlearn.distributed import fit

parts = da.from_array(X, chunks=(200, 8))
labels = da.from_array(y, chunks=200)
spread = fit(parts, labels, random_state=0, max_epochs=10)
print(f"accuracy {spread.score(X_new, y_new):.3f}")

# %%
# Merging by hand
# ---------------
# Two sites that may not share rows can share pins. What the rows at hand contradict is dropped and
# counted.

from atomlearn.datasets import vertical_bars

images, has_bar = vertical_bars(2200, shape=(6, 6), random_state=0)
strict = {"random_state": 0, "max_epochs": 10, "evidence": "strict"}
here = AlgebraicClassifier(**strict).fit(images[:100], has_bar[:100])
there = AlgebraicClassifier(**strict).fit(images[100:200], has_bar[100:200])
before = here.score(images[200:], has_bar[200:])
print(here.merge(there, X=images[:100], y=has_bar[:100]))
after = here.score(images[200:], has_bar[200:])
print(f"accuracy before {before:.3f}, after {after:.3f}")

# %%
# What was measured here: the table learned from in three ways, and the images before and after the
# merge.

import matplotlib.pyplot as plt

ways = {
    "memory": one.score(X_new, y_new),
    "batches": packed.score(X_new, y_new),
    "partitions": spread.score(X_new, y_new),
    "one site": before,
    "two sites": after,
}
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
axis.bar(list(ways), list(ways.values()), color=["C0"] * 3 + ["C1"] * 2)
axis.set(ylabel="accuracy", ylim=(0.5, 1))
plt.show()
