"""What definitions claim of new rows, beside what they do on a third of the table set aside.

    python -m benchmarks.definitions folder-of-parquet-files [--splits 4]

Each file has a column ``target``. Printed are the errors of all definitions, averaged over classes
and splits: on training rows, as claimed of rows not learned from, and on the third set aside.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier

LARGEST = 1500
"""Rows of the tables that are tried."""


def errors(table: pd.DataFrame, seed: int) -> list[tuple[float, float, float]]:
    table = table.sample(frac=1, random_state=seed).reset_index(drop=True)
    X, y, n = table.drop(columns="target"), table["target"], len(table) * 2 // 3
    model = AlgebraicClassifier(random_state=seed).fit(X[:n], y[:n])
    found = []
    for label in model.classes_:
        one = model.definition(label)
        new = (one.evaluate(X[n:]) != (y[n:] == label)).mean()
        found.append((one.error, one.held_out.error, float(new)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--splits", type=int, default=4)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    means = []
    for path in sorted(options.folder.glob("*.parquet")):
        table = pd.read_parquet(path)
        if len(table) <= LARGEST:
            splits = [errors(table, seed) for seed in range(options.splits)]
            means.append(np.mean([one for split in splits for one in split], axis=0))
            print(path.stem, *(f"{value:.1%}" for value in means[-1]), flush=True)
    print(f"mean of {len(means)} tables", *(f"{v:.1%}" for v in np.mean(means, axis=0)))


if __name__ == "__main__":
    main()
