"""How far a time limit is overrun: ``python -m benchmarks.limits`` prints it, in two minutes."""

import time
import warnings

import numpy as np

from atomlearn import AlgebraicClassifier

CASES = [
    # rows, columns, classes, time limit
    (100, 5, 2, 0.5),
    (20_000, 5, 300, 2),
    (20_000, 5, 1000, 2),
    (20_000, 5, 3000, 2),
    (20_000, 5, 3000, 10),
    (100_000, 20, 2, 0.01),
    (100_000, 20, 2, 1),
    (100_000, 20, 2, 5),
    (100_000, 5, 3000, 5),
    (1_000_000, 5, 2, 2),
    (1_000_000, 5, 2, 10),
    (1_000_000, 5, 300, 10),
    (1_000_000, 5, 3000, 10),
]


def table(n_rows, n_columns, n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    return rng.normal(size=(n_rows, n_columns)) + rng.normal(size=(n_classes, n_columns))[y], y


class Timed(AlgebraicClassifier):
    def _in_memory(self, *arguments):
        self.start = time.monotonic()
        data = super()._in_memory(*arguments)
        self.read = time.monotonic() - self.start
        return data


def fit(n_rows, n_columns, n_classes, limit):
    """Seconds until the table was read, and in all; and classes without atoms."""
    model = Timed(random_state=0, time_limit=limit, max_classes=n_classes)
    model.fit(*table(n_rows, n_columns, n_classes))
    return model.read, time.monotonic() - model.start, model.learned_.epochs.count(0)


def main():
    warnings.simplefilter("ignore")  # classes without atoms, which the table tells
    for case in [(500, 5, 3, 1), (6000, 5, 40, 1)]:
        fit(*case)  # compiles
    print("| rows | columns | classes | limit | reading | seconds | classes without atoms |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for n_rows, n_columns, n_classes, limit in CASES:
        read, seconds, none = fit(n_rows, n_columns, n_classes, limit)
        print(
            f"| {n_rows:,} | {n_columns} | {n_classes:,} | {limit} | {read:.1f} | {seconds:.1f} "
            f"| {none:,} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
