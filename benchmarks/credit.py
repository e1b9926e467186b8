"""The first table of the README: loans of a German bank, with cards of rules beside other models.

Sex is left out, as a bank has to. The error is the mean of five times three folds; the monotone
statement of the README is obeyed by the cards and by the full model of the last lines.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import load_german_credit
from atomlearn.errors import DataNotFound
from benchmarks.fitting import warm_up
from benchmarks.markdown import percent, seconds, table
from benchmarks.peers import METHODS, OURS
from benchmarks.record import SEED, Records, Step

FOLDS, REPEATS = 3, 5
STATEMENT = "bad rises with months"
TITLES = {
    "card 10": "atomlearn, card of 10 rules",
    "card 20": "atomlearn, card of 20 rules",
    "card 10, stated": f"atomlearn, card of 10 rules, “{STATEMENT}”",
    "atomlearn": "atomlearn, full model",
    "atomlearn, stated": f"atomlearn, full model, “{STATEMENT}”",
    "LightGBM": "LightGBM",
    "forest": "random forest",
    "logistic": "logistic regression",
}


def read() -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_german_credit()
    X = X.drop(columns="sex")
    others = [name for name in X if X[name].dtype.kind not in "if"]
    return X.astype(dict.fromkeys(others, "category")), y.to_numpy()


def makers() -> dict[str, Callable[[pd.DataFrame], Any]]:
    def ours(X: pd.DataFrame, **settings: Any) -> AlgebraicClassifier:
        return AlgebraicClassifier(random_state=SEED, **settings)

    cards = {f"card {n}": partial(ours, max_atoms=n) for n in (10, 20)}
    stated = {
        "card 10, stated": partial(ours, max_atoms=10, rules=[STATEMENT]),
        "atomlearn, stated": partial(ours, rules=[STATEMENT]),
    }
    return cards | stated | METHODS


def steps() -> dict[str, Step]:
    try:
        load_german_credit()
    except DataNotFound:
        return {}
    return {name: partial(measure_loans, name) for name in makers()}


def measure_loans(name: str) -> dict[str, float]:
    warnings.filterwarnings("ignore")
    X, y = read()
    if name.startswith((OURS, "card")):
        warm_up(X, y)
    return measure(makers()[name], X, y)


def measure(
    make: Callable[[pd.DataFrame], Any], X: pd.DataFrame, y: np.ndarray, repeats: int = REPEATS
) -> dict[str, float]:
    """Mean error and log-loss, the standard deviation of the error, and CPU seconds of a fit."""
    errors, losses, times = [], [], []
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    for train, test in folds.split(X, y):
        start = time.process_time()
        model = make(X).fit(X.iloc[train], y[train])
        times.append(time.process_time() - start)
        said = model.predict_proba(X.iloc[test])
        own = said[np.arange(len(test)), np.searchsorted(model.classes_, y[test])]
        errors.append((model.classes_[said.argmax(axis=1)] != y[test]).mean())
        losses.append(-np.log(np.maximum(own, 1e-15)).mean())
    return {
        "error": float(np.mean(errors)),
        "deviation": float(np.std(errors)),
        "log_loss": float(np.mean(losses)),
        "fit_seconds": float(np.mean(times)),
    }


def of_credit(records: Records) -> str:
    """The section of the page."""
    results = records.results()
    rows = [
        (TITLES.get(name, name), percent(one["error"]), f"{one['log_loss']:.3f}",
         seconds(one["fit_seconds"]))
        for name, one in sorted(results.items(), key=lambda item: list(TITLES).index(item[0]))
    ]  # fmt: skip
    return table(("", "error", "log-loss", "time of a fit"), rows)
