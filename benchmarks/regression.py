"""Numbers to predict: atomlearn beside forests, boosting, ridge regression, and small models.

The rule that chose the targets, before anything was measured: of each table in
``$ATOMLEARN_DATA/tables``, the number column with the most different values, the first of several,
if it has at least 30. Rows without the target are left out; the class column is one more feature.
Further tables are the diabetes data and the three Friedman problems of scikit-learn. Every method
is fitted as it comes, on one core, on the same three folds of at most 4,000 rows.
"""

import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import KFold

from benchmarks.markdown import percent, seconds, table
from benchmarks.peers import OURS, REGRESSORS
from benchmarks.record import SEED, Records, Step
from benchmarks.tables import FOLDS, ROWS, folder

LEAST_VALUES = 30
CARD, COVERAGE = 20, 0.9
TARGETS = {
    "adult": "fnlwgt",
    "anneal": "width",
    "cells": "angle_ch_1",
    "contraceptive": "Wife_age",
    "covtype": "Horizontal_Distance_To_Fire_Points",
    "credit-data": "Price",
    "dermatology": "Age",
    "diamonds-cut": "price",
    "glass": "RI",
    "heart-disease": "cholesterol",
    "hepatitis": "sgot",
    "hypothyroid": "FTI",
    "ionosphere": "V28",
    "mammographic": "Age",
    "musk": "V108",
    "page-blocks": "Blackand",
    "penguins": "bill_length_mm",
    "phoneme": "x2",
    "pima-missing": "pedigree",
    "satellite": "x.12",
    "segment": "Hue-mean",
    "shuttle": "V6",
    "sonar": "V42",
    "spam": "capitalAve",
    "titanic": "age",
    "vehicle": "Sc.Var.maxis",
    "vowel": "V2",
    "wine-quality": "density",
    "yeast": "mcg",
}
"""What the rule gives (:func:`chosen`)."""
MADE: dict[str, Callable[[], Any]] = {
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    "friedman1": lambda: datasets.make_friedman1(2000, noise=1.0, random_state=SEED),
    "friedman2": lambda: datasets.make_friedman2(2000, noise=125.0, random_state=SEED),
    "friedman3": lambda: datasets.make_friedman3(2000, noise=0.1, random_state=SEED),
}


def chosen() -> dict[str, str]:
    """Return the target that the rule gives for each table that has one."""
    found = {}
    for path in sorted(folder().glob("*.parquet")):
        table = pd.read_parquet(path).drop(columns="target")
        counts = table.select_dtypes("number").nunique()
        if len(counts) and counts.max() >= LEAST_VALUES:
            found[path.stem] = str(counts.idxmax())
    return found


def steps() -> dict[str, Step]:
    """A step for each table and method, those of one method after the other, the slow ones last."""
    there = [name for name in TARGETS if (folder() / f"{name}.parquet").exists()]
    return {
        f"{name}/{method}": partial(measure_table, name, method)
        for method in REGRESSORS
        for name in (*MADE, *there)
    }


def measure_table(name: str, method: str) -> dict[str, Any]:
    """Measure one method on one table; the kernels are loaded before the clock starts."""
    warnings.filterwarnings("ignore")
    X, y = read(name)
    if method == OURS:
        order = np.random.default_rng(SEED).permutation(len(y))[:200]
        measure(method, X.iloc[order].reset_index(drop=True), y[order])
    return measure(method, X, y)


def read(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of at most so many rows, and its numbers."""
    if name in MADE:
        data, y = MADE[name]()
        table = pd.DataFrame(data)
    else:
        table = pd.read_parquet(folder() / f"{name}.parquet").dropna(subset=TARGETS[name])
        if len(table) > ROWS:
            table = table.sample(ROWS, random_state=SEED)
        table = table.reset_index(drop=True)
        table["target"] = table["target"].astype(str).astype("category")
        y = table.pop(TARGETS[name]).to_numpy(dtype=np.float64)
    for column in table.select_dtypes("number"):
        table[column] = table[column].astype(np.float64)
    table.columns = [f"c{i}" for i in range(table.shape[1])]
    return table, y


def measure(method: str, X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
    """R² and errors over all folds, mean CPU seconds and size; for ours intervals and a card."""
    found, card, ends = np.zeros(len(y)), np.zeros(len(y)), np.zeros((len(y), 2))
    extra: list[dict[str, float]] = []
    for train, test in KFold(FOLDS, shuffle=True, random_state=SEED).split(X):
        model = REGRESSORS[method](X)
        start = time.process_time()
        model.fit(X.iloc[train], y[train])
        fitted = time.process_time()
        found[test] = model.predict(X.iloc[test])
        figures = {"fit_seconds": fitted - start, "predict_seconds": time.process_time() - fitted}
        if method == OURS:
            ends[test] = model.predict_interval(X.iloc[test], COVERAGE)
            figures |= sizes(model)
            start = time.process_time()
            small = model.compact(CARD)
            figures["card_seconds"] = time.process_time() - start
            card[test] = small.predict(X.iloc[test])
        extra.append(figures)
    result = errors_of(y, found) | {
        key: float(np.mean([one[key] for one in extra])) for key in extra[0]
    }
    if method == OURS:
        inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
        width = np.median(np.diff(ends, axis=1)) / max(float(y.std()), 1e-300)
        result |= {
            "coverage": float(inside.mean()),
            "width": float(width),
            "card": errors_of(y, card),
        }
    return result


def errors_of(y: np.ndarray, found: np.ndarray) -> dict[str, Any]:
    """R² of the predictions of all folds together, and the mean absolute error."""
    spread = float(((y - y.mean()) ** 2).sum())
    return {
        "r2": 1.0 - float(((y - found) ** 2).sum()) / spread,
        "mae": float(np.abs(y - found).mean()),
    }


def sizes(model: Any) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as where:
        path = Path(where) / "model.atoms"
        model.save(path)
        return {"atoms": float(model.learned_.deciding().n_atoms), "bytes": path.stat().st_size}


FULL = (OURS, "forest", "LightGBM", "CatBoost", "EBM", "ridge")
SMALL = ("card 20", "tree 20", "FIGS 20")


def of_regression(records: Records) -> str:
    """Full models and small ones side by side, each on the tables that all of them have."""
    results = {name: one for name, one in records.nested().items() if OURS in one}
    for one in results.values():
        one["card 20"] = {**one[OURS]["card"], "fit_seconds": one[OURS]["card_seconds"]}
    ours = [one[OURS] for one in results.values()]
    covered = [one["coverage"] for one in ours]
    parts = [_compared(results, FULL), "Models of at most 20 atoms, leaves or splits:"]
    parts += [_compared(results, SMALL)]
    parts.append(
        f"Intervals of atomlearn with a coverage of {COVERAGE:.0%}: on the mean over "
        f"{len(ours)} tables they have {percent(float(np.mean(covered)))} of the numbers, from "
        f"{percent(min(covered))} to {percent(max(covered))}."
    )
    methods = [m for m in (*FULL, *SMALL) if any(m in one for one in results.values())]
    rows = [
        (name, TARGETS.get(name, ""), *(f"{one[m]['r2']:.3f}" if m in one else "" for m in methods),
         f"{one[OURS]['coverage']:.3f}", f"{one[OURS]['atoms']:,.0f}",
         f"{one[OURS]['bytes'] / 1000:,.0f}")
        for name, one in results.items()
    ]  # fmt: skip
    head = ("table", "target", *methods, "inside", "atoms", "file, kB")
    parts.append("R² of each table; the last three columns are of atomlearn in full.")
    return "\n\n".join([*parts, table(head, rows)])


def _compared(results: dict[str, dict[str, Any]], names: tuple[str, ...]) -> str:
    """Means of the methods that every table has; then of all methods, on the tables they share."""
    measured = [m for m in names if any(m in one for one in results.values())]
    everywhere = [m for m in measured if all(m in one for one in results.values())]
    parts = [_means(list(results.values()), everywhere)]
    shared = [one for one in results.values() if set(measured) <= one.keys()]
    if everywhere != measured and shared:
        late = " and ".join(m for m in measured if m not in everywhere)
        parts.append(f"The {len(shared)} tables on which {late} was run too:")
        parts.append(_means(shared, measured))
    return "\n\n".join(parts)


def _means(results: list[dict[str, Any]], methods: list[str]) -> str:
    def figures(key: str) -> pd.DataFrame:
        return pd.DataFrame([{m: one[m][key] for m in methods} for one in results])

    lines = {
        "mean rank by R²": figures("r2").rank(axis=1, ascending=False).mean(),
        "mean rank by absolute error": figures("mae").rank(axis=1).mean(),
        "mean R², at least 0": figures("r2").clip(lower=0).mean(),
    }
    rows = [(name, *(f"{one[m]:.3f}" for m in methods)) for name, one in lines.items()]
    times = figures("fit_seconds").median()
    rows.append(("median time of a fit", *(seconds(times[m]) for m in methods)))
    return table((f"{len(results)} tables", *methods), rows)
