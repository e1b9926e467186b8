"""Real tables of at most 4,000 rows: atomlearn beside forests, boosting, logistic regression.

``$ATOMLEARN_DATA/tables`` holds one Parquet file a table, with the column ``target``. Every method
is fitted with its defaults, on one core, on the same three folds.
"""

import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.fitting import sizes, warm_up
from benchmarks.peers import METHODS, OURS, SLOW
from benchmarks.record import SEED, Step

ROWS = 4000
FOLDS = 3
MOST_CLASSES = 10


def folder() -> Path:
    return Path(os.environ.get("ATOMLEARN_DATA", "")) / "tables"


def steps() -> dict[str, Step]:
    """A step for each table and method, those of one method after the other, the slow ones last."""
    paths = sorted(folder().glob("*.parquet"))
    return {
        f"{path.stem}/{method}": partial(measure_file, path, method)
        for method in METHODS
        for path in paths
        if method not in SLOW or n_classes(path) <= MOST_CLASSES
    }


def n_classes(path: Path) -> int:
    return int(pd.read_parquet(path, columns=["target"])["target"].nunique())


def measure_file(path: Path, method: str) -> dict[str, Any]:
    warnings.filterwarnings("ignore")
    X, y = read(path)
    if method == OURS:
        warm_up(X, y)
    return measure(method, X, y)


def read(path: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of at most so many rows, without classes of fewer rows than folds."""
    table = pd.read_parquet(path)
    if len(table) > ROWS:
        table = table.sample(ROWS, random_state=SEED).reset_index(drop=True)
    y = table.pop("target").astype(str)
    kept = y.map(y.value_counts()).to_numpy() >= FOLDS
    for name in table.select_dtypes("number"):  # a forest cannot read numbers that pandas keeps
        table[name] = table[name].astype(np.float64)
    table.columns = [f"c{i}" for i in range(table.shape[1])]  # LightGBM wants plain names
    return table[kept].reset_index(drop=True), y[kept].to_numpy()


def measure(
    method: str, X: pd.DataFrame, y: np.ndarray, make: Callable[[pd.DataFrame], Any] | None = None
) -> dict[str, Any]:
    """Error, log-loss and CPU seconds of a fit, over all folds; for ours also sizes."""
    classes = np.unique(y)
    chances = np.full((len(y), len(classes)), 1e-15)
    seconds, predicting, extra = [], [], []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        model = (make or METHODS[method])(X)
        start = time.process_time()
        model.fit(X.iloc[train], y[train])
        fitted = time.process_time()
        found = model.predict_proba(X.iloc[test])
        seconds.append(fitted - start)
        predicting.append(time.process_time() - fitted)
        place = np.searchsorted(classes, np.asarray(model.classes_, dtype=classes.dtype))
        chances[np.ix_(test, place)] = np.maximum(found, 1e-15)
        if method == OURS:
            extra.append(sizes(model))
    chances /= chances.sum(axis=1, keepdims=True)
    own = chances[np.arange(len(y)), np.searchsorted(classes, y)]
    result: dict[str, Any] = {
        "error": float((classes[chances.argmax(axis=1)] != y).mean()),
        "log_loss": float(-np.log(own).mean()),
        "fit_seconds": float(np.mean(seconds)),
        "predict_seconds": float(np.mean(predicting)),
    }
    for key in extra[0] if extra else ():
        values = [one[key] for one in extra]
        result[key] = values if isinstance(values[0], str) else float(np.mean(values))
    return result
