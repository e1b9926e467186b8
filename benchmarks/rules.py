"""Error against the number of examples, with none, half and all of the rules told.

``python -m benchmarks.rules [bars|formula|parity|car|mushroom]``; tables are in ``ATOMLEARN_DATA``.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars

SIZES = (50, 100, 200, 400)
SEEDS = range(3)


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
    return *table("car", n, seed), ["unacc if Safety = low", "unacc if Persons = 2"]


def mushroom(n, seed):
    """Mushrooms of the UCI table: bad smells are poisonous, and so are green spores."""
    rules = ["p if Odor != a and Odor != l and Odor != n", "p if Spore-print-color = r"]
    return *table("mushroom", n, seed), rules


def table(name, n, seed):
    rows = pd.read_parquet(Path(os.environ["ATOMLEARN_DATA"]) / "tables" / f"{name}.parquet")
    y = rows.pop("target").astype(str).to_numpy()
    order = np.random.default_rng(seed).permutation(len(y))[:n]
    return rows.iloc[order], y[order]


def run(problem):
    print(f"\n{problem.__name__}: {problem.__doc__}")
    print("examples |  none  |  half  |  all")
    for size in SIZES:
        errors = [[], [], []]
        for seed in SEEDS:
            X, y, rules = problem(size + 5000, seed)
            told = ([], rules[: len(rules) // 2], rules)
            train, test = slice(0, size), slice(size, None)
            for ours, some in zip(errors, told, strict=True):
                clf = AlgebraicClassifier(random_state=seed, rules=some or None)
                ours.append(1 - clf.fit(X[train], y[train]).score(X[test], y[test]))
        print(f"{size:8d} | " + " | ".join(f"{np.mean(ours):6.2%}" for ours in errors), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    chosen = sys.argv[1:] or ["bars", "formula", "parity", "car", "mushroom"]
    for problem in (bars, formula, parity, car, mushroom):
        if problem.__name__ in chosen:
            run(problem)
