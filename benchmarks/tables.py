"""Real tables: AlgebraicClassifier beside a forest, LightGBM and logistic regression.

    ATOMLEARN_DATA=folder python -m benchmarks.tables [--rows 4000] [--only name,name] [--out here]

``folder/tables`` holds one Parquet file a table, with the column ``target``. Each table is cut to
at most ``--rows`` rows, and every method is fitted as it comes, on one core, on the same three
folds. Written are ``tables.json`` (every figure) and ``tables.md`` (a table for the documentation).
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import atomlearn
from atomlearn import AlgebraicClassifier

FOLDS = 3
SEED = 0
OURS = "atomlearn"
PEERS = ("forest", "LightGBM", "logistic")
CLOSE = 2.0
"""Points of error behind the best peer that count as behind."""


def is_number(column: pd.Series) -> bool:
    return column.dtype.kind in "fiub"


def forest(X: pd.DataFrame) -> Any:
    others = [name for name in X if not is_number(X[name])]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2)
    columns = make_column_transformer((encoder, others), remainder="passthrough")
    return make_pipeline(columns, RandomForestClassifier(200, random_state=SEED))


def logistic(X: pd.DataFrame) -> Any:
    numbers = [name for name in X if is_number(X[name])]
    others = [name for name in X if not is_number(X[name])]
    scaled = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((scaled, numbers), (one_hot, others))
    return make_pipeline(columns, LogisticRegression(max_iter=500))


def light(X: pd.DataFrame) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=SEED, n_jobs=1, verbose=-1)


def ours(X: pd.DataFrame) -> AlgebraicClassifier:
    return AlgebraicClassifier(random_state=SEED)


METHODS: dict[str, Callable[[pd.DataFrame], Any]] = {
    OURS: ours,
    "forest": forest,
    "LightGBM": light,
    "logistic": logistic,
}


def read(path: Path, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of at most so many rows, without classes of fewer rows than folds."""
    table = pd.read_parquet(path)
    if len(table) > rows:
        table = table.sample(rows, random_state=SEED).reset_index(drop=True)
    y = table.pop("target").astype(str)
    kept = y.map(y.value_counts()).to_numpy() >= FOLDS
    for name in table.select_dtypes("number"):  # a forest cannot read numbers that pandas keeps
        table[name] = table[name].astype(np.float64)
    table.columns = [f"c{i}" for i in range(table.shape[1])]  # LightGBM wants plain names
    return table[kept].reset_index(drop=True), y[kept].to_numpy()


def measure(method: str, X: pd.DataFrame, y: np.ndarray) -> dict[str, float]:
    """Error, log-loss and CPU seconds of a fit, over all folds; for ours also sizes."""
    classes = np.unique(y)
    chances = np.full((len(y), len(classes)), 1e-15)
    seconds, predicting, extra = [], [], []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        model = METHODS[method](X)
        start = time.process_time()
        model.fit(X.iloc[train], y[train])
        fitted = time.process_time()
        found = model.predict_proba(X.iloc[test])
        seconds.append(fitted - start)
        predicting.append(time.process_time() - fitted)
        place = np.searchsorted(classes, model.classes_)
        chances[np.ix_(test, place)] = np.maximum(found, 1e-15)
        if method == OURS:
            extra.append(sizes(model))
    chances /= chances.sum(axis=1, keepdims=True)
    own = chances[np.arange(len(y)), np.searchsorted(classes, y)]
    result = {
        "error": float((classes[chances.argmax(axis=1)] != y).mean()),
        "log_loss": float(-np.log(own).mean()),
        "fit_seconds": float(np.mean(seconds)),
        "predict_seconds": float(np.mean(predicting)),
    }
    for key in extra[0] if extra else ():
        values = [one[key] for one in extra]
        result[key] = values if isinstance(values[0], str) else float(np.mean(values))
    return result


def sizes(model: AlgebraicClassifier) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.atoms"
        model.save(path)
        n_bytes = path.stat().st_size
    learned = model.learned_
    counted = sum(map(len, learned.pools))
    weighted = 0 if learned.weighted is None else len(learned.weighted)
    return {
        "atoms": {"strict": counted, "weighted": weighted}.get(
            model.evidence_.chosen, counted + weighted
        ),
        "bytes": n_bytes,
        "estimated_error": model.estimated_error_ or 0.0,
        "evidence": model.evidence_.chosen,
    }


def summary(results: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, float]]:
    """Means over the tables, and how often a method is clearly behind the best peer."""
    names = list(results)
    ranks = {
        key: np.array(
            [pd.Series([results[n][m][key] for m in METHODS]).rank().to_numpy() for n in names]
        ).mean(axis=0)
        for key in ("error", "log_loss")
    }
    told = {}
    for i, method in enumerate(METHODS):
        mine = [results[name][method] for name in names]
        best = [min(results[name][peer]["error"] for peer in PEERS) for name in names]
        behind = [one["error"] - b for one, b in zip(mine, best, strict=True)]
        told[method] = {
            "mean error %": 100 * float(np.mean([one["error"] for one in mine])),
            "mean log-loss": float(np.mean([one["log_loss"] for one in mine])),
            "mean rank by error": float(ranks["error"][i]),
            "mean rank by log-loss": float(ranks["log_loss"][i]),
            f"tables more than {CLOSE:g} points behind the best peer": int(
                sum(100 * b > CLOSE for b in behind)
            ),
            "median CPU seconds of a fit": float(np.median([one["fit_seconds"] for one in mine])),
        }
    return told


def markdown(report: dict[str, Any]) -> str:
    told, results = report["summary"], report["tables"]
    lines = [
        f"{len(results)} tables of at most {report['rows']:,} rows, {FOLDS}-fold, seed {SEED}; "
        f"{report['command']}; {report['versions']}.",
        "",
        "| | " + " | ".join(METHODS) + " |",
        "|---|" + "---|" * len(METHODS),
    ]
    for key in told[OURS]:
        row = [told[method][key] for method in METHODS]
        lines.append(f"| {key} | " + " | ".join(f"{x:.4g}" for x in row) + " |")
    lines += [
        "",
        "| table | "
        + " | ".join(f"{m}: error %, log-loss" for m in METHODS)
        + " | evidence | atoms | kB | seconds |",
        "|---|" + "---|" * (len(METHODS) + 4),
    ]
    for name, one in results.items():
        cells = [f"{100 * one[m]['error']:.2f}, {one[m]['log_loss']:.3f}" for m in METHODS]
        mine = one[OURS]
        kinds = "/".join(dict.fromkeys(mine["evidence"]))
        lines.append(
            f"| {name} | " + " | ".join(cells) + f" | {kinds} | {mine['atoms']:,.0f} | "
            f"{mine['bytes'] / 1000:,.0f} | {mine['fit_seconds']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--only", help="names of tables, with commas between")
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    options = parser.parse_args()
    folder = Path(os.environ.get("ATOMLEARN_DATA", "")) / "tables"
    wanted = set(options.only.split(",")) if options.only else None
    paths = [p for p in sorted(folder.glob("*.parquet")) if wanted is None or p.stem in wanted]
    if not paths:
        sys.exit(f"no tables in {folder}: set ATOMLEARN_DATA to the folder that holds 'tables'")
    warnings.filterwarnings("ignore")
    results: dict[str, dict[str, dict[str, Any]]] = {}
    for path in paths:
        X, y = read(path, options.rows)
        results[path.stem] = {method: measure(method, X, y) for method in METHODS}
        told = "  ".join(
            f"{m} {100 * r['error']:.2f} % {r['log_loss']:.3f} {r['fit_seconds']:.2f} s"
            for m, r in results[path.stem].items()
        )
        print(f"{path.stem:24s} {told}", flush=True)
    report = {
        "rows": options.rows,
        "command": f"`python -m benchmarks.tables --rows {options.rows}`",
        "versions": f"atomlearn {atomlearn.__version__}, scikit-learn {sklearn.__version__}, "
        f"Python {platform.python_version()}",
        "summary": summary(results),
        "tables": results,
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "tables.json").write_text(json.dumps(report, indent=1) + "\n")
    (options.out / "tables.md").write_text(markdown(report))
    print(json.dumps(report["summary"], indent=1))


if __name__ == "__main__":
    main()
