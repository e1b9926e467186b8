"""Ordered classes: thresholds beside the unordered fit, LightGBM and proportional odds.

Labels are numbers from the lowest class on. The distance of a prediction is the number of classes
that it is off. The model of ordered classes predicts the median of its probabilities, the others
the most probable class; a second table has all of them predict the median.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from atomlearn import AlgebraicClassifier
from atomlearn.training.scores import median_of
from benchmarks.fitting import warm_up
from benchmarks.markdown import percent, seconds, table
from benchmarks.peers import light, logistic
from benchmarks.record import SEED, Records, Step
from benchmarks.tables import FOLDS, ROWS, folder

TABLES = {
    "wine-quality": list("3456789"),
    "contraceptive": list("132"),  # none, short-term, long-term
    "diamonds-cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "car": ["unacc", "acc", "good", "vgood"],
    "adult": ["no diploma", "HS-grad", "Some-college", "associate", "Bachelors", "advanced"],
    "breast-cancer-wisconsin": [str(n) for n in range(1, 11)],
}
"""The classes of each table, from the lowest to the highest."""
TARGETS = {
    "wine-quality": "quality",
    "contraceptive": "method: none, short-term, long-term",
    "diamonds-cut": "cut",
    "car": "acceptability",
    "adult": "education in six levels",
    "breast-cancer-wisconsin": "thickness of the clump, 1 to 10",
}
EDUCATION = [*["no diploma"] * 8, "HS-grad", "Some-college", *["associate"] * 2, "Bachelors",
             *["advanced"] * 3]  # fmt: skip
"""The level of each ``education-num``, from 1 on."""
RIDGE = 1.0


class ProportionalOdds(ClassifierMixin, BaseEstimator):
    """P(y <= k) = expit(cut[k] - x b), with the penalty of scikit-learn's logistic regression."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "ProportionalOdds":
        X = np.asarray(X.todense() if hasattr(X, "todense") else X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        n, p, k = *X.shape, len(self.classes_)
        rows = np.arange(n)

        def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
            gaps = np.exp(w[p + 1 :])
            cuts = w[p] + np.concatenate([[0.0], np.cumsum(gaps)])
            below = np.zeros((n, k + 1))
            below[:, -1] = 1.0
            below[:, 1:-1] = expit(cuts - (X @ w[:p])[:, None])
            slope = below * (1.0 - below)
            own = np.maximum(below[rows, codes + 1] - below[rows, codes], 1e-12)
            up, down = slope[rows, codes + 1] / own, slope[rows, codes] / own
            by_cut = np.bincount(codes, up, k)[:-1] - np.bincount(codes - 1 + k * (codes == 0),
                                                                  down, k)[:-1]  # fmt: skip
            later = np.cumsum(by_cut[::-1])[::-1]
            gradient = np.concatenate([X.T @ (up - down) + RIDGE * w[:p], [-later[0]],
                                       -later[1:] * gaps])  # fmt: skip
            return -np.log(own).sum() + RIDGE / 2 * w[:p] @ w[:p], gradient

        start = np.concatenate([np.zeros(p), [-1.0], np.zeros(k - 2)])
        self.found_ = minimize(objective, start, jac=True, method="L-BFGS-B").x
        self.n_features_in_ = p
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        X = np.asarray(X.todense() if hasattr(X, "todense") else X)
        p, w = self.n_features_in_, self.found_
        cuts = w[p] + np.concatenate([[0.0], np.cumsum(np.exp(w[p + 1 :]))])
        below = expit(cuts - (X @ w[:p])[:, None])
        edges = np.zeros((len(X), 1))
        return np.diff(np.hstack([edges, below, edges + 1.0]), axis=1)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def proportional(X: pd.DataFrame) -> Any:
    pipeline = logistic(X)
    return pipeline.set_params(logisticregression=ProportionalOdds())


METHODS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "ordered": lambda X: AlgebraicClassifier(ordered=True, random_state=SEED),
    "unordered": lambda X: AlgebraicClassifier(ordered=False, random_state=SEED),
    "LightGBM": light,
    "proportional odds": proportional,
}


def steps() -> dict[str, Step]:
    return {
        f"{name}/{method}": partial(measure_file, name, method)
        for name in TABLES
        if (folder() / f"{name}.parquet").exists()
        for method in METHODS
    }


def measure_file(name: str, method: str) -> dict[str, float]:
    warnings.filterwarnings("ignore")
    X, y = read(name)
    if method in ("ordered", "unordered"):
        warm_up(X, y)
    return measure(METHODS[method], X, y)


def read(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of at most so many rows, its classes as numbers; none has fewer rows than folds."""
    rows = pd.read_parquet(folder() / f"{name}.parquet")
    if name == "adult":
        rows["income"] = rows["target"]
        rows["target"] = [EDUCATION[n - 1] for n in rows.pop("education-num")]
        rows = rows.drop(columns="education")
    elif name == "breast-cancer-wisconsin":
        rows["class"] = rows["target"]
        rows["target"] = rows.pop("Cl.thickness").astype(str)
    if len(rows) > ROWS:
        rows = rows.sample(ROWS, random_state=SEED).reset_index(drop=True)
    y = rows.pop("target").astype(str)
    kept = y.map(y.value_counts()).to_numpy() >= FOLDS
    for column in rows.select_dtypes("number"):
        rows[column] = rows[column].astype(np.float64)
    rows.columns = [f"c{i}" for i in range(rows.shape[1])]
    place = {label: k for k, label in enumerate(TABLES[name])}
    return rows[kept].reset_index(drop=True), y[kept].map(place).to_numpy().astype(int)


def measure(
    make: Callable[[pd.DataFrame], Any], X: pd.DataFrame, y: np.ndarray
) -> dict[str, float]:
    """Figures of the predictions, of the medians and of the probabilities, over all folds."""
    labels, median = np.empty_like(y), np.empty_like(y)
    own, times = np.empty(len(y)), []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        start = time.process_time()
        model = make(X).fit(X.iloc[train], y[train])
        times.append(time.process_time() - start)
        chances = model.predict_proba(X.iloc[test])
        labels[test] = model.predict(X.iloc[test])
        median[test] = model.classes_[median_of(chances)]
        own[test] = chances[np.arange(len(test)), np.searchsorted(model.classes_, y[test])]
    return {
        "error": float((labels != y).mean()),
        "distance": float(np.abs(labels - y).mean()),
        "median_error": float((median != y).mean()),
        "median_distance": float(np.abs(median - y).mean()),
        "log_loss": float(-np.log(np.maximum(own, 1e-15)).mean()),
        "fit_seconds": float(np.mean(times)),
        "n_classes": len(np.unique(y)),
        "n_rows": len(y),
    }


def of_ordered(records: Records) -> str:
    """The section of the page: mean distance, error and log-loss of each table."""
    results = {name: one for name, one in records.nested().items() if set(one) == set(METHODS)}
    if not results:
        return ""

    def part(title: str, key: str, say: Callable[[float], str]) -> str:
        rows = [
            (f"{name}: {TARGETS[name]}", *(say(one[method][key]) for method in METHODS))
            for name, one in results.items()
        ]
        means = [np.mean([one[method][key] for one in results.values()]) for method in METHODS]
        return table((title, *METHODS), [*rows, ("mean", *map(say, means))])

    return "\n\n".join(
        [
            part("mean distance, in classes", "distance", "{:.3f}".format),
            part("error", "error", percent),
            part("log-loss", "log_loss", "{:.3f}".format),
            part("mean distance if all predict the median", "median_distance", "{:.3f}".format),
            part("time of a fit", "fit_seconds", seconds),
        ]
    )
