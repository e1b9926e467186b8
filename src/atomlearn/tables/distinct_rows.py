"""Rows of a training table as distinct examples: duplicates joined, contradictions resolved."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.markup import Displayed
from atomlearn.sets.rows import Rows
from atomlearn.training.examples import Dissent
from atomlearn.training.folds import row_keys
from atomlearn.typing import Floats, Integers

FEW_DISTINCT = 50
"""Of fewer different rows, a weight is taken for a number of rows."""


@dataclass(frozen=True, repr=False)
class RowConflict(Displayed):
    """Rows with the same literals and different labels; the label with the most weight is kept."""

    rows: Integers
    labels: npt.NDArray[Any]
    kept: Any

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:5])) + (", ..." if len(self.rows) > 5 else "")
        labels = ", ".join(map(str, sorted(set(self.labels.tolist()))))
        return f"rows {shown} look the same but are labelled {labels}; kept as {self.kept}"


@dataclass(frozen=True)
class DistinctRows:
    """The different rows in an order that does not depend on how they were given."""

    first: Integers
    """Where each stands in the table."""
    labels: Integers
    weights: Floats
    """What the rows with the label that was kept weigh."""
    copies: Floats
    """How often such a row recurs: it is held out as often, each time in another fold."""
    dissent: Dissent
    scale: float
    """What weights were divided by."""
    conflicts: list[RowConflict]


def distinct_rows(
    packed: Rows,
    labels: Integers,
    weights: Floats,
    class_weights: Floats,
) -> DistinctRows:
    """Join equal rows. Their label is that of the most weight; of equal ones the commoner class.

    Weights are relative to the median of all rows. That a row weighs more does not make it recur:
    if it were held out in one fold and learned from in another, no error could be estimated. Only
    of few different rows, most of which recur, a weight is taken for a number of rows.
    """
    n_classes = len(class_weights)
    first, group = _groups(packed)
    # The labels that each distinct row has, and what they weigh: not a table with a column for each
    # of perhaps thousands of classes.
    pairs, whose = np.unique(group * n_classes + labels, return_inverse=True)
    where, other = np.divmod(pairs, n_classes)
    mass: Floats = np.bincount(whose, weights, len(pairs)).astype(np.float64)
    common = np.bincount(other, mass, n_classes)
    best = np.lexsort((-other, common[other], mass * class_weights[other], where))
    best = best[np.searchsorted(where[best], np.arange(len(first)), side="right") - 1]
    label, kept = other[best], mass[best]
    disputed = np.flatnonzero(np.bincount(where[mass > 0], minlength=len(first)) > 1)
    conflicts = _conflicts(disputed, group, labels, label) if len(disputed) else []
    rest = np.setdiff1d(np.flatnonzero(mass), best)
    scale, copies = 1.0, mass
    if len(first) >= FEW_DISTINCT:
        scale = float(np.median(kept))
        counts = np.bincount(whose[weights > 0], minlength=len(pairs))
        copies = np.floor(counts / np.median(counts[best]))
    dissent = Dissent(where[rest], other[rest], mass[rest] / scale, copies[rest])
    return DistinctRows(first, label, kept / scale, copies[best], dissent, scale, conflicts)


def _groups(packed: Rows) -> tuple[Integers, Integers]:
    """Where each different row first stands, and which of these each row is.

    Rows are ordered by a key of 64 bits, and, should two rows ever share one, by themselves.
    """
    keys = row_keys(packed, np.random.default_rng(0))
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(packed[first[group]], packed):
        whole = np.ascontiguousarray(packed).view([("", np.uint64)] * packed.shape[1]).ravel()
        _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    return first, group


def _conflicts(
    disputed: Integers,
    group: Integers,
    labels: Integers,
    kept: Integers,
) -> list[RowConflict]:
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.stack([disputed, disputed + 1]))
    return [
        RowConflict(order[start:stop], labels[order[start:stop]], int(kept[g]))
        for g, start, stop in zip(disputed, *bounds, strict=True)
    ]
