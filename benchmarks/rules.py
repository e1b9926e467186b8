"""What statements are worth: rules for few examples, and monotone statements on real tables.

Rules: the error against the number of examples, with none, half and all of the rules given.

Monotone statements: what a person who knows the subject would say of three tables, written down
before anything was measured. LightGBM and scikit-learn's histogram boosting take the same
constraints, and an explainable boosting machine (EBM) too. A *violation* is a pair of rows that
differ in one column and whose probabilities go the wrong way, of a million random pairs.
"""

import os
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars
from benchmarks.markdown import percent, table
from benchmarks.record import SEED, Records, Step

SIZES = (50, 100, 200, 400)
SEEDS = range(3)
FOLDS = 3
DRAWS = 10
PAIRS = 1_000_000
SPLITS = 10
SMALL = ("heart-disease", "pima-missing")
"""Tables on which one division into folds says little: a point is three rows of heart-disease."""
STATEMENTS = {
    "credit-data": ("bad", {"Seniority": -1, "Income": -1, "Assets": -1, "Debt": 1, "Amount": 1}),
    "heart-disease": (
        "1",
        {"age": 1, "rest SBP": 1, "cholesterol": 1, "ST by exercise": 1,
         "major vessels colored": 1, "max HR": -1},
    ),
    "pima-missing": ("pos", {"glucose": 1, "mass": 1, "age": 1, "pedigree": 1, "pregnant": 1}),
}  # fmt: skip
"""A class of each table, and the direction in which its probability goes with some columns."""


def bars(n, seed):
    """Images of 6 × 6 pixels; a rule for each column of a bar."""
    side = 6
    X, y = vertical_bars(n, shape=(side, side), noise=0.3, random_state=seed)
    X, y = X.reshape(n, -1), np.where(y, "bar", "none")
    columns = [[f"x{row * side + column}" for row in range(side)] for column in range(side)]
    rules = [f"bar if {' and '.join(f'{x} = true' for x in column)}" for column in columns]
    return X, y, rules


def formula(n, seed):
    """A formula of four terms over 16 truth values; a rule for each term."""
    terms = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10)]
    X = np.random.default_rng(seed).random((n, 16)) < 0.5
    y = np.any([X[:, term].all(axis=1) for term in terms], axis=0)
    rules = [f"in if {' and '.join(f'x{j} = true' for j in term)}" for term in terms]
    return X, np.where(y, "in", "out"), rules


def parity(n, seed):
    """Is the number of black bars odd? Two bars of three pixels, six pixels of noise; 16 rules."""
    X = np.random.default_rng(seed).random((n, 12)) < 0.7
    first, second = X[:, :3].all(axis=1), X[:, 3:6].all(axis=1)
    bars = [" and ".join(f"x{j} = true" for j in bar) for bar in (range(3), range(3, 6))]
    rules = [f"odd if {bars[0]} and x{j} = false" for j in range(3, 6)]
    rules += [f"odd if {bars[1]} and x{j} = false" for j in range(3)]
    rules += [f"even if x{i} = false and x{j} = false" for i in range(3) for j in range(3, 6)]
    rules += [f"even if {bars[0]} and {bars[1]}"]
    rules = [rules[i] for i in np.random.default_rng(0).permutation(len(rules))]
    return X, np.where(first != second, "odd", "even"), rules


def car(n, seed):
    """Cars of the UCI table: what is unsafe, or seats two, is never acceptable."""
    return *some_rows("car", n, seed), ["unacc if Safety = low", "unacc if Persons = 2"]


def mushroom(n, seed):
    """Mushrooms of the UCI table: bad smells are poisonous, and so are green spores."""
    rules = ["p if Odor != a and Odor != l and Odor != n", "p if Spore-print-color = r"]
    return *some_rows("mushroom", n, seed), rules


def folder() -> Path:
    return Path(os.environ.get("ATOMLEARN_DATA", "")) / "tables"


def some_rows(name, n, seed):
    rows = pd.read_parquet(folder() / f"{name}.parquet")
    y = rows.pop("target").astype(str).to_numpy()
    order = np.random.default_rng(seed).permutation(len(y))[:n]
    return rows.iloc[order], y[order]


PROBLEMS = {one.__name__: one for one in (bars, formula, parity, car, mushroom)}


def steps() -> dict[str, Step]:
    found: dict[str, Step] = {
        f"rules/{name}": partial(with_rules, one)
        for name, one in PROBLEMS.items()
        if name not in ("car", "mushroom") or (folder() / f"{name}.parquet").exists()
    }
    there = [name for name in STATEMENTS if (folder() / f"{name}.parquet").exists()]
    found |= {f"monotone/{name}": partial(monotone, name) for name in there}
    found |= {f"splits/{name}": partial(many_splits, name) for name in there if name in SMALL}
    return found | {f"few/{name}": partial(few, name) for name in there}


def with_rules(
    problem: Callable[[int, int], Any], sizes: Sequence[int] = SIZES, n_test: int = 5000
) -> dict[str, list[float]]:
    """Mean errors by the number of examples: without rules, with half of them, and with all."""
    warnings.filterwarnings("ignore")
    found = {}
    for size in sizes:
        errors: list[list[float]] = [[], [], []]
        for seed in SEEDS:
            X, y, rules = problem(size + n_test, seed)
            train, test = slice(0, size), slice(size, None)
            for ours, some in zip(errors, ([], rules[: len(rules) // 2], rules), strict=True):
                clf = AlgebraicClassifier(random_state=seed, rules=some or None)
                ours.append(1 - clf.fit(X[train], y[train]).score(X[test], y[test]))
        found[str(size)] = [float(np.mean(ours)) for ours in errors]
    return found


def stated(name: str) -> list[str]:
    label, ways = STATEMENTS[name]
    return [f"{label} {'rises' if way > 0 else 'falls'} with {one}" for one, way in ways.items()]


def read(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table, and whether each row is of the class that the statements are about."""
    rows = pd.read_parquet(folder() / f"{name}.parquet")
    is_so = rows.pop("target").astype(str).to_numpy() == STATEMENTS[name][0]
    for column in rows.select_dtypes("number"):
        rows[column] = rows[column].astype(np.float64)
    return rows, is_so


def methods(name: str, columns: Sequence[str]) -> dict[str, Callable[[bool], Any]]:
    """Makers of models, each with or without the statements."""
    ways = [STATEMENTS[name][1].get(one, 0) for one in columns]
    label = STATEMENTS[name][0]
    rules = [one.replace(label, "True", 1) for one in stated(name)]
    return {
        "atomlearn": lambda with_rules: AlgebraicClassifier(
            random_state=SEED, rules=rules if with_rules else None
        ),
        "atomlearn, 20 rules": lambda with_rules: AlgebraicClassifier(
            random_state=SEED, max_atoms=20, rules=rules if with_rules else None
        ),
        "LightGBM": lambda with_rules: _light(ways if with_rules else None),
        "histogram boosting": lambda with_rules: HistGradientBoostingClassifier(
            random_state=SEED,
            categorical_features="from_dtype",
            monotonic_cst=ways if with_rules else None,
        ),
        "EBM": lambda with_rules: _ebm(ways if with_rules else None),
    }


def _light(ways: list[int] | None) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=SEED, n_jobs=1, verbose=-1, monotone_constraints=ways)


def _ebm(ways: list[int] | None) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=SEED, n_jobs=1, monotone_constraints=ways)


def monotone(
    name: str, n_pairs: int = PAIRS, only: Sequence[str] | None = None
) -> dict[str, dict[str, float]]:
    """Error, log-loss, time and violations of each method, free and with the statements."""
    warnings.filterwarnings("ignore")
    X, y = read(name)
    found = {}
    for method, make in methods(name, X.columns).items():
        if only is not None and method not in only:
            continue
        for with_rules in (False, True):
            chances, seconds, broken = np.zeros(len(y)), [], 0
            splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y)
            for fold, (train, test) in enumerate(splits):
                start = time.process_time()
                model = make(with_rules).fit(X.iloc[train], y[train])
                seconds.append(time.process_time() - start)
                chances[test] = model.predict_proba(X.iloc[test])[:, 1]
                if fold == 0:
                    broken = violations(model, X.iloc[test], STATEMENTS[name][1], n_pairs)
            own = np.clip(np.where(y, chances, 1 - chances), 1e-15, 1)
            found[f"{method}, stated" if with_rules else method] = {
                "error": float(((chances > 0.5) != y).mean()),
                "log_loss": float(-np.log(own).mean()),
                "fit_seconds": float(np.mean(seconds)),
                "violations": float(broken),
                "pairs": float(n_pairs),
            }
    return found


def many_splits(name: str, n_splits: int = SPLITS) -> dict[str, dict[str, float]]:
    """Mean error free and with the statements over several divisions into folds, and how sure."""
    warnings.filterwarnings("ignore")
    X, y = read(name)
    found = {}
    for method, make in methods(name, X.columns).items():
        if not method.startswith("atomlearn"):
            continue
        errors = np.zeros((2, n_splits))
        for seed in range(n_splits):
            folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
            for train, test in folds.split(X, y):
                for with_rules in (False, True):
                    model = make(with_rules).fit(X.iloc[train], y[train])
                    errors[int(with_rules), seed] += (model.predict(X.iloc[test]) != y[test]).sum()
        errors /= len(y)
        change = errors[1] - errors[0]
        found[method] = {
            "free": float(errors[0].mean()),
            "stated": float(errors[1].mean()),
            "difference": float(change.mean()),
            "standard_error": float(change.std(ddof=1) / np.sqrt(n_splits)),
        }
    return found


def violations(model: Any, X: pd.DataFrame, ways: dict[str, int], n_pairs: int) -> int:
    """Pairs of rows that differ in one column, and whose probabilities go the wrong way."""
    rng = np.random.default_rng(SEED)
    broken = 0
    for column, way in ways.items():
        n = n_pairs // len(ways)
        low = X.iloc[rng.integers(0, len(X), n)].reset_index(drop=True)
        high = low.copy()
        first, second = (rng.choice(X[column].dropna(), n) for _ in range(2))
        low[column], high[column] = np.minimum(first, second), np.maximum(first, second)
        change = model.predict_proba(high)[:, 1] - model.predict_proba(low)[:, 1]
        broken += int((way * change < 0).sum())
    return broken


def few(name: str, sizes: Sequence[int] = SIZES, n_draws: int = DRAWS) -> dict[str, Any]:
    """Error and log-loss from few rows, free and with the statements, on the rows not drawn."""
    warnings.filterwarnings("ignore")
    X, y = read(name)
    rules = [one.replace(STATEMENTS[name][0], "True", 1) for one in stated(name)]
    found: dict[str, Any] = {}
    for size in sizes:
        if size > len(y) // 2:
            continue
        for with_rules in (False, True):
            errors, losses = [], []
            for draw in range(n_draws):
                train, test = train_test_split(
                    np.arange(len(y)), train_size=size, stratify=y, random_state=draw
                )
                clf = AlgebraicClassifier(random_state=draw, rules=rules if with_rules else None)
                chances = clf.fit(X.iloc[train], y[train]).predict_proba(X.iloc[test])[:, 1]
                own = np.clip(np.where(y[test], chances, 1 - chances), 1e-15, 1)
                errors.append(((chances > 0.5) != y[test]).mean())
                losses.append(-np.log(own).mean())
            key = "stated" if with_rules else "free"
            found.setdefault(str(size), {})[key] = {
                "error": float(np.mean(errors)),
                "log_loss": float(np.mean(losses)),
            }
    return found


def of_rules(records: Records) -> str:
    """The section of the page: monotone statements, few rows, and rules."""
    parts = []
    for name, one in records.results("monotone").items():
        rows = [
            (method, percent(figures["error"]), f"{figures['log_loss']:.3f}",
             f"{figures['violations']:,.0f}", f"{figures['fit_seconds']:.2f}")
            for method, figures in one.items()
        ]  # fmt: skip
        head = ("", "error", "log-loss", "violations", "CPU s")
        parts.append(f"**{name}**: {'; '.join(stated(name))}\n\n{table(head, rows)}")
    again = [
        (name, method, percent(figures["free"]), percent(figures["stated"]),
         f"{100 * figures['difference']:+.2f} ± {100 * figures['standard_error']:.2f}")
        for name, one in records.results("splits").items()
        for method, figures in one.items()
    ]  # fmt: skip
    if again:
        head = ("table", "", "error, free", "stated", "difference in points, standard error")
        parts.append(
            f"Small tables once more, mean of {SPLITS} divisions into folds:\n\n"
            + table(head, again)
        )
    few_rows = [
        (name, size, percent(both["free"]["error"]), percent(both["stated"]["error"]),
         f"{both['free']['log_loss']:.3f}", f"{both['stated']['log_loss']:.3f}")
        for name, sizes in records.results("few").items()
        for size, both in sizes.items()
    ]  # fmt: skip
    if few_rows:
        head = ("table", "rows", "error, free", "stated", "log-loss, free", "stated")
        parts.append(
            f"Few rows, mean of {DRAWS} draws, on the rows that were not drawn:\n\n"
            + table(head, few_rows)
        )
    rows = [
        (name, size, *map(percent, errors))
        for name, sizes in records.results("rules").items()
        for size, errors in sizes.items()
    ]
    if rows:
        head = ("problem", "examples", "no rules", "half of them", "all")
        parts.append(
            "Hard rules, mean of three draws, on 5,000 other rows (or what a table has left):\n\n"
            + table(head, rows)
        )
    return "\n\n".join(parts)
