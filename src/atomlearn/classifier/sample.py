"""A bounded sample of the training rows, on which definitions and explanations are measured."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from atomlearn.sets.rows import Rows, pack
from atomlearn.sets.words import transpose
from atomlearn.training.examples import by_label
from atomlearn.training.folds import row_keys
from atomlearn.training.weighted_batch import Earlier
from atomlearn.typing import Bits, Floats, Integers

LARGEST = 2000
FEWEST = 20
"""Rows kept in total, and the minimum for each class."""


@dataclass(frozen=True, repr=False)
class TrainingSample:
    """Distinct rows, for each class those with the smallest hash keys.

    A key depends on the row alone. So the sample is uniform, does not depend on the order of the
    rows, and can be extended at any time.
    """

    rows: Rows
    labels: Integers
    totals: Integers
    """Number of rows of each class that were seen."""
    numbers: Integers
    """The number of each row in the table as given, in all batches together; -1 if not known."""
    chances: Floats
    """The probability of its label when the row was held out; ``nan`` if it never was."""

    def __repr__(self) -> str:
        return f"<TrainingSample: {len(self.rows):,} rows of {len(self.totals):,} classes>"

    @classmethod
    def empty(cls, width: int, n_classes: int) -> "TrainingSample":
        """An empty sample."""
        none = np.zeros(0, dtype=np.int64)
        rows, totals = np.zeros((0, width), np.uint64), np.zeros(n_classes, np.int64)
        return cls(rows, none, totals, none, none.astype(np.float64))

    def extended(
        self,
        rows: Rows,
        labels: Integers,
        numbers: Integers | None = None,
        chances: Floats | None = None,
    ) -> "TrainingSample":
        """The sample with more rows; of equal rows the newer one counts."""
        n_classes, n = len(self.totals), len(labels)
        totals = self.totals + np.bincount(labels, minlength=n_classes)
        quota = max(FEWEST, LARGEST // n_classes)
        numbers = np.full(n, -1) if numbers is None else numbers
        chances = np.full(n, np.nan) if chances is None else chances
        rows = np.concatenate([rows, self.rows])
        labels = np.concatenate([labels, self.labels])
        keys = row_keys(rows, np.random.default_rng(0))
        _, order = np.unique(keys, return_index=True)  # ascending, the newer of equal ones
        which = np.concatenate([order[ours[:quota]] for ours in by_label(labels[order], n_classes)])
        return TrainingSample(
            rows[which],
            labels[which],
            totals,
            np.concatenate([numbers, self.numbers])[which],
            np.concatenate([chances, self.chances])[which],
        )

    def weights(self) -> Floats:
        """Row weights: each class counts by its rows seen, not by its rows sampled."""
        drawn = np.bincount(self.labels, minlength=len(self.totals))
        weights: Floats = (self.totals / np.maximum(drawn, 1))[self.labels]
        return weights

    def earlier(self) -> Earlier:
        """The sample as what came before a batch."""
        weights = self.weights()
        mean = weights.mean() if len(weights) else 1.0
        return Earlier(self.rows, self.labels, weights / mean, int(self.totals.sum()))

    def columns(self) -> Rows:
        """For each constant, the packed set of the rows that have it."""
        return self._columns

    @cached_property
    def _columns(self) -> Rows:
        return transpose(self.rows, self.rows.shape[1] * 64)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_columns"}


def subset(which: Bits) -> Rows:
    """Some of the rows, packed like a column."""
    return pack(which[None, :])[0]
