"""Columns that say something about the classes on their own.

A round that may use any of hundreds of columns often uses one that only looks useful by chance. A
chi-squared test of each cut against the classes finds the columns that do more than that. A column
that matters only together with others fails the test too, so held-out rows decide whether the rest
is left out.
"""

import numpy as np
from scipy.special import chdtri

from atomlearn.engine.guided_crossing import Alternatives
from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Rows, count, pack, take
from atomlearn.sets.words import popcount
from atomlearn.typing import Bits, Floats, Integers

CHANCE = 0.001
"""The chance that a column of noise passes, whatever its number of cuts."""


def informative_columns(
    alternatives: Alternatives, labels: Integers, learned: Bits, n_classes: int
) -> Integers:
    """The columns of which a cut tells classes apart better than chance, on the rows learned."""
    is_class = labels == np.arange(n_classes)[:, None]
    members = pack(np.ascontiguousarray(is_class & learned))
    statistic = chi_squared(count_common(alternatives.has, members), members)
    n_cuts = np.bincount(alternatives.group)
    best = np.zeros(len(n_cuts))
    np.maximum.at(best, alternatives.group, statistic)
    present = np.unique(labels[learned])
    if len(present) < 2:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(best > chdtri(len(present) - 1, CHANCE / np.maximum(n_cuts, 1)))


def chi_squared(having: Integers, members: Rows) -> Floats:
    """Pearson's statistic of each alternative against the classes; ``having`` are its rows."""
    of_class = count(members)
    share = having.sum(axis=1, keepdims=True) / max(1, of_class.sum())
    expected = share * of_class
    rest = of_class - expected
    off = (having - expected) ** 2
    terms = off / np.where(expected > 0, expected, 1.0) + off / np.where(rest > 0, rest, 1.0)
    return np.asarray(terms.sum(axis=1), dtype=np.float64)


def only(alternatives: Alternatives, columns: Integers) -> Alternatives:
    """The alternatives of some columns."""
    kept = np.flatnonzero(np.isin(alternatives.group, columns))
    sides = take(alternatives.sides, np.column_stack([2 * kept, 2 * kept + 1]).ravel())
    group = np.unique(alternatives.group[kept], return_inverse=True)[1]
    return Alternatives(alternatives.has[kept], sides, group.astype(np.int64))


@kernel
def count_common(first: Rows, second: Rows) -> Integers:
    """The number of members that each row of one matrix shares with each row of another."""
    out = np.zeros((first.shape[0], second.shape[0]), dtype=np.int64)
    for a in range(first.shape[0]):
        for k in range(second.shape[0]):
            for w in range(first.shape[1]):
                out[a, k] += popcount(first[a, w] & second[k, w])
    return out
