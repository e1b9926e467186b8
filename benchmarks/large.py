"""Large tables in full: atomlearn beside a forest and LightGBM.

adult: 32,561 rows, tested on the other 16,281. letter: 20,000 rows, 26 classes; covtype: 581,012
rows; a third of each is held out. mnist: pixels, black above 25; grey: the same pixels as they are,
0 to 255; translations: the black pixels, with moves by a pixel as symmetries.
partitions: rows of covtype in so many partitions of a Dask frame.
"""

import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier, distributed
from atomlearn.datasets import load_mnist
from atomlearn.tables.images import translations
from atomlearn_paper.images import BLACK
from benchmarks.fitting import Split, all_figures, warm_up
from benchmarks.peers import METHODS, OURS
from benchmarks.record import SEED, Step

PARTITIONS = (1, 4, 16)
COMPARED = (OURS, "forest", "LightGBM")


def table(name: str, n_train: int | None = None) -> Split:
    """Training and test rows: the first so many, or two thirds of them at random."""
    path = Path(os.environ.get("ATOMLEARN_DATA", "")) / "tables" / f"{name}.parquet"
    frame = pd.read_parquet(path)
    y = frame.pop("target").astype(str).to_numpy()
    frame.columns = [f"c{i}" for i in range(frame.shape[1])]
    order = np.arange(len(y)) if n_train else np.random.default_rng(SEED).permutation(len(y))
    train, test = np.split(order, [n_train or len(y) - len(y) // 3])
    return frame.iloc[train], y[train], frame.iloc[test], y[test]


def images(grey: bool) -> Split:
    X, y, X_test, y_test = load_mnist()
    if not grey:
        X, X_test = X > BLACK, X_test > BLACK
    return X.astype(np.uint8), y, X_test.astype(np.uint8), y_test


TABLES: dict[str, Callable[[], Split]] = {
    "adult": partial(table, "adult", 32_561),
    "letter": partial(table, "letter"),
    "covtype": partial(table, "covtype"),
    "mnist": partial(images, grey=False),
    "grey": partial(images, grey=True),
}


def steps() -> dict[str, Step]:
    found: dict[str, Step] = {
        f"{name}/{method}": partial(measure, load, method)
        for name, load in TABLES.items()
        for method in COMPARED
    }
    found[f"translations/{OURS}"] = with_translations
    return found | {
        f"covtype, {n} partitions/{OURS}": partial(in_partitions, n) for n in PARTITIONS
    }


def measure(
    load: Callable[[], Split], method: str, make: Callable[[pd.DataFrame], Any] | None = None
) -> dict[str, Any]:
    warnings.filterwarnings("ignore")
    split = load()
    X, y = split[:2]
    if method == OURS:
        warm_up(X, y)
    make = make or METHODS[method]
    return all_figures(make(X if hasattr(X, "iloc") else pd.DataFrame(X[:1])), split)


def with_translations() -> dict[str, Any]:
    split = images(grey=False)
    warm_up(*split[:2])
    moves = translations((28, 28))
    return all_figures(AlgebraicClassifier(random_state=SEED, symmetries=moves), split)


class InPartitions(AlgebraicClassifier):
    """The classifier, learning from partitions of a Dask frame, in threads of this process."""

    n_partitions = 1

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "InPartitions":
        from dask.dataframe import from_pandas

        frame = from_pandas(X.reset_index(drop=True), npartitions=self.n_partitions, sort=False)
        target = from_pandas(pd.Series(y), npartitions=self.n_partitions, sort=False)
        distributed.fit(frame, target, estimator=self)
        return self


def in_partitions(n: int, load: Callable[[], Split] = TABLES["covtype"]) -> dict[str, Any]:
    split = load()
    warm_up(*split[:2])
    model = InPartitions(random_state=SEED)
    model.n_partitions = n
    return all_figures(model, split)
