"""The first table of the README: loans of a German bank, with cards of rules beside other models.

Sex is left out: a bank may not use it. Errors are means of five times three folds. The card that
the README prints is made from all loans, and obeys a monotone statement.
"""

import textwrap
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
CARD = "card"
TITLES = {
    "card 10": "atomlearn, card of 10 rules",
    "card 20": "atomlearn, card of 20 rules",
    "card 10, stated": f"atomlearn, card of 10 rules, “{STATEMENT}”",
    "atomlearn": "atomlearn, full model",
    "atomlearn, stated": f"atomlearn, full model, “{STATEMENT}”",
    "EBM": "EBM",
    "CatBoost": "CatBoost",
    "LightGBM": "LightGBM",
    "histogram boosting": "histogram boosting",
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
    found: dict[str, Step] = {name: partial(measure_loans, name) for name in makers()}
    return found | {CARD: print_card}


def measure_loans(name: str) -> dict[str, float]:
    warnings.filterwarnings("ignore")
    X, y = read()
    if name.startswith((OURS, "card")):
        warm_up(X, y)
    return measure(makers()[name], X, y)


def print_card() -> dict[str, str]:
    """The card of the README as text, and the proof of its statement."""
    X, y = read()
    card = makers()["card 10, stated"](X).fit(X, y)
    return {"text": str(card.scorecard()), "proof": str(card.check_rules(X, y))}


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
        chances = model.predict_proba(X.iloc[test])
        own = chances[np.arange(len(test)), np.searchsorted(model.classes_, y[test])]
        errors.append((model.classes_[chances.argmax(axis=1)] != y[test]).mean())
        losses.append(-np.log(np.maximum(own, 1e-15)).mean())
    return {
        "error": float(np.mean(errors)),
        "deviation": float(np.std(errors)),
        "log_loss": float(np.mean(losses)),
        "fit_seconds": float(np.mean(times)),
    }


def of_credit(records: Records) -> str:
    """The section of the page."""
    results = {name: one for name, one in records.results().items() if name != CARD}
    rows = [
        (TITLES[name], percent(one["error"]), f"{one['log_loss']:.3f}",
         seconds(one["fit_seconds"]))
        for name, one in sorted(results.items(), key=lambda item: list(TITLES).index(item[0]))
    ]  # fmt: skip
    return table(("", "error", "log-loss", "time of a fit"), rows)


def of_readme(records: Records) -> str:
    """The card, its error beside that of other models, and the proof of its statement."""
    results = records.results()
    if CARD not in results:
        return ""
    every = ("card 10, stated", "atomlearn", "EBM", "CatBoost", "LightGBM", "forest", "logistic")
    shown = [name for name in every if name in results]
    head = ("loans not seen before", "this card", *(TITLES[name] for name in shown[1:]))
    errors, losses = (
        [say(results[name][key]) for name in shown]
        for key, say in (("error", percent), ("log_loss", lambda loss: f"{loss:.3f}"))
    )
    figures = table(head, [("error", *errors), ("log-loss", *losses)])
    card, proof = (_wrapped(results[CARD][part]) for part in ("text", "proof"))
    return f"```\n{card}\n```\n\n{figures}\n\n```\n{proof}\n```"


def _wrapped(text: str) -> str:
    """Return the text with long lines broken, the rest of each indented as its beginning."""
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(line, 100, subsequent_indent=indent, drop_whitespace=True) or [""]
    return "\n".join(lines)
