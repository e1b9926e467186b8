"""Large tables in full: AlgebraicClassifier beside a forest and LightGBM, on one core.

    ATOMLEARN_DATA=folder python -m benchmarks.large [adult letter covtype mnist grey] [--out here]

adult: 32,561 rows, tested on the other 16,281. letter: 20,000 rows, 26 classes; covtype: 581,012
rows; a third of each is held out. mnist: pixels, black above 25; grey: the same pixels as they are,
0 to 255. Each runs in a process of its own, which says how much memory it needed. Results are added
to ``large.json``; ``large.md`` is made from it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import load_mnist
from atomlearn_paper.images import BLACK
from benchmarks.tables import METHODS, OURS, SEED, sizes

Split = tuple[Any, np.ndarray, Any, np.ndarray]


def table(name: str, n_train: int | None = None) -> Split:
    """Training and test rows: the first so many, or two thirds of them at random."""
    frame = pd.read_parquet(Path(os.environ["ATOMLEARN_DATA"]) / "tables" / f"{name}.parquet")
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
    "adult": lambda: table("adult", 32_561),
    "letter": lambda: table("letter"),
    "covtype": lambda: table("covtype"),
    "mnist": lambda: images(grey=False),
    "grey": lambda: images(grey=True),
}


def measure(name: str, method: str) -> dict[str, Any]:
    warnings.filterwarnings("ignore")
    X, y, X_test, y_test = TABLES[name]()
    if method == OURS:  # kernels are loaded before the clock starts
        some = np.arange(300)
        few = X.iloc[some] if hasattr(X, "iloc") else X[some]
        AlgebraicClassifier(max_epochs=2, random_state=SEED).fit(few, y[some])
    before = memory()
    model = METHODS[method](X if hasattr(X, "iloc") else pd.DataFrame(X[:1]))
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    said = model.predict_proba(X_test)
    done = time.process_time()
    own = said[np.arange(len(y_test)), np.searchsorted(model.classes_, y_test)]
    result = {
        "error": float((model.classes_[said.argmax(axis=1)] != y_test).mean()),
        "log_loss": float(-np.log(np.maximum(own, 1e-15)).mean()),
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "more_memory_mb": memory() - before,
    }
    if method == OURS:
        result |= sizes(model) | {"evidence": str(model.evidence_)}
    return result


def memory() -> float:
    """The most that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def markdown(results: dict[str, dict[str, dict[str, Any]]]) -> str:
    columns = "table", "method", "error %", "log-loss", "fit, CPU s", "predict, CPU s"
    columns += "memory, MB", "atoms", "file, MB"
    rows = [columns, ("---",) * len(columns)]
    for name, methods in results.items():
        for method, one in methods.items():
            ours = (
                (f"{one['atoms']:,}", f"{one['bytes'] / 1e6:.1f}") if method == OURS else ("", "")
            )
            rows.append(
                (
                    name,
                    method,
                    f"{100 * one['error']:.2f}",
                    f"{one['log_loss']:.3f}",
                    f"{one['fit_seconds']:.1f}",
                    f"{one['predict_seconds']:.2f}",
                    f"{one['more_memory_mb']:,.0f}",
                    *ours,
                )
            )
    lines = ["Large tables in full, one core, seed 0; `python -m benchmarks.large`.", ""]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(TABLES)}; all if none")
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    parser.add_argument("--methods", default=f"{OURS},forest,LightGBM")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.names[0], options.one)))
        return
    path = options.out / "large.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    for name in options.names or TABLES:
        for method in options.methods.split(","):
            command = [sys.executable, "-m", "benchmarks.large", name, "--one", method]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name}, {method}: {done.stderr.strip()[-2000:]}")
            results.setdefault(name, {})[method] = json.loads(done.stdout.splitlines()[-1])
            print(name, method, results[name][method], flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "large.md").write_text(markdown(results))


if __name__ == "__main__":
    main()
