"""Compact models of 5, 10, 20 and 40 rules beside other models that can be read.

The tables are those of ``tables`` with at most seven classes, with the same rows and folds. A
decision tree has as many leaves as there are rules. FIGS, RuleFit and RIPPER read categories as
columns of zeros and ones, and missing numbers as the median; RuleFit and RIPPER, which have two
classes only, are slow and run at 10 and 20 rules. An explainable boosting machine (EBM), whose
curves can be read too, is a reference on the tables with two classes and at most 60 columns; with
more it takes minutes a fit. FasterRisk and GOSDT need an older NumPy and scikit-learn than
atomlearn does, so they cannot be installed beside it.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from atomlearn import AlgebraicClassifier
from benchmarks.fitting import warm_up
from benchmarks.frontier import SIZES
from benchmarks.peers import METHODS, OURS, dense
from benchmarks.record import SEED, Step
from benchmarks.tables import FOLDS, folder, n_classes, read

SLOW_SIZES = (10, 20)
MOST_CLASSES = 7
MOST_COLUMNS = 60
REFERENCES = ("forest", "LightGBM", "logistic")

Models = Iterator[tuple[str, Any, dict[str, float]]]
Fitted = Callable[[pd.DataFrame, np.ndarray, int], Models]
"""A function that yields the name of each method, the fitted model, and its figures."""


def steps() -> dict[str, Step]:
    paths = [path for path in sorted(folder().glob("*.parquet")) if n_classes(path) <= MOST_CLASSES]
    return {
        f"{path.stem}/{side}": partial(measure_file, path, side) for side in SIDES for path in paths
    }


def measure_file(path: Path, side: str) -> dict[str, dict[str, Any]]:
    warnings.filterwarnings("ignore")
    X, y = read(path)
    if side == OURS:
        warm_up(X, y)
        AlgebraicClassifier(max_atoms=2, max_epochs=2, random_state=SEED).fit(X[:300], y[:300])
    return measure(X, y, SIDES[side])


def measure(X: pd.DataFrame, y: np.ndarray, fitted: Fitted) -> dict[str, dict[str, Any]]:
    """Error, log-loss and seconds of each method over all folds; of ours also literals a rule."""
    classes = np.unique(y)
    found: dict[str, list[dict[str, Any]]] = {}
    chances: dict[str, np.ndarray] = {}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        rows, labels, held = X.iloc[train], y[train], X.iloc[test]
        for name, model, figures in fitted(rows, labels, len(classes)):
            said = chances.setdefault(name, np.full((len(y), len(classes)), 1e-15))
            place = np.searchsorted(classes, model.classes_)
            said[np.ix_(test, place)] = np.clip(model.predict_proba(held), 1e-15, 1.0)
            found.setdefault(name, []).append(figures)
    own = np.searchsorted(classes, y)
    result = {}
    for name, said in chances.items():
        said = said / said.sum(axis=1, keepdims=True)
        result[name] = {
            "error": float((said.argmax(axis=1) != own).mean()),
            "log_loss": float(-np.log(said[np.arange(len(y)), own]).mean()),
            **{key: float(np.mean([one[key] for one in found[name]])) for key in found[name][0]},
        }
    return result


def ours(X: pd.DataFrame, y: np.ndarray, n_classes: int) -> Models:
    """Yield the full model and its cards, with their figures."""
    start = time.process_time()
    full = METHODS[OURS](X).fit(X, y)
    seconds = time.process_time() - start
    yield "full", full, {"seconds": seconds, "rules": full.learned_.deciding().n_atoms}
    for size in SIZES:
        start = time.process_time()
        card = full.compact(size)
        scorecard = card.scorecard()
        yield (
            f"{OURS} {size}",
            card,
            {
                "seconds": time.process_time() - start,
                "rules": len(scorecard),
                "literals": float(np.mean([len(rule) for rule in card.learned_.card.rules])),
                "estimated_error": card.estimated_error_ or 0.0,
                "estimated_loss": card.learned_.card_size.loss,
            },
        )


def peers(X: pd.DataFrame, y: np.ndarray, n_classes: int) -> Models:
    """Yield the name of each peer, the fitted model, and its time."""
    for name in REFERENCES:
        yield (name, *_timed(METHODS[name](X), X, y))
    if n_classes == 2 and X.shape[1] <= MOST_COLUMNS:
        yield ("EBM", *_timed(_ebm(), X, y))
    for size in SIZES:
        tree = DecisionTreeClassifier(max_leaf_nodes=size, random_state=SEED)
        yield (f"tree {size}", *_timed(make_pipeline(dense(X), tree), X, y))
        yield (f"FIGS {size}", *_timed(make_pipeline(dense(X), _figs(size)), X, y))
        if n_classes == 2 and size in SLOW_SIZES:
            for name, make in SLOW.items():
                yield (f"{name} {size}", *_timed(_Binary(dense(X), make(size)), X, y))


SIDES: dict[str, Fitted] = {OURS: ours, "peers": peers}


def _timed(model: Any, X: pd.DataFrame, y: np.ndarray) -> tuple[Any, dict[str, float]]:
    start = time.process_time()
    model.fit(X, y)
    return model, {"seconds": time.process_time() - start}


def _figs(size: int) -> Any:
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=size, random_state=SEED)


def _ebm() -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=SEED, n_jobs=1)


def _rulefit(size: int) -> Any:
    from imodels import RuleFitClassifier

    return RuleFitClassifier(max_rules=size, include_linear=False, random_state=SEED)


def _ripper(size: int) -> Any:
    from wittgenstein import RIPPER

    return RIPPER(max_rules=size, random_state=SEED)


SLOW: dict[str, Callable[[int], Any]] = {"RuleFit": _rulefit, "RIPPER": _ripper}


class _Binary:
    """A peer that wants dense numbers and the labels 0 and 1."""

    def __init__(self, columns: Any, model: Any) -> None:
        self.columns, self.model = columns, model

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "_Binary":
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model.fit(np.asarray(self.columns.fit_transform(X)), codes)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.model.predict_proba(np.asarray(self.columns.transform(X))))
