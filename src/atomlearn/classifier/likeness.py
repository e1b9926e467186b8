"""Atoms that say nearly the same are told as one.

A row that misses ``x > 3 or y > 2`` also misses ``x > 3``, and nearly always ``x > 3.1 or y > 2``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, Rows, to_rows
from atomlearn.tables.literals import Literal
from atomlearn.typing import Bits, Floats

ALIKE = 0.6
"""Atoms with a column in common are alike if of the rows that miss either this share misses both.
"""
CANDIDATES = 100
"""Atoms that may stand for others; of many those with the largest values."""
LENGTH = 0.3
"""Each literal more is worth that much less: short atoms are told first."""


class Group(NamedTuple):
    """An atom that stands for itself and those like it."""

    atom: int
    members: Bits


class Likeness:
    """Which atoms are alike: one implies the other, or about the same rows miss them.

    ``missing`` has the packed set of the sampled rows that miss each atom.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.sets.rows import to_lists
    >>> literals = [Literal(0, "x", ">", 3.0), Literal(0, "x", ">", 4.0), Literal(1, "y", ">", 2.0)]
    >>> atoms = to_lists(rows.from_indices([[1], [0, 2], [2]], 4))
    >>> Likeness(atoms, literals, rows.from_indices([[0, 1, 2], [0], [3]], 4)).to(0).tolist()
    [True, True, False]
    """

    def __init__(self, atoms: Lists, literals: Sequence[Literal], missing: Rows) -> None:
        n = len(literals) + 1
        self.sets = to_rows(atoms, n)
        self.closed = np.zeros_like(self.sets)
        implying = _implying(np.unique(atoms.constants), literals, n)
        whose = np.repeat(np.arange(atoms.n), np.diff(atoms.starts))
        for a, c in zip(whose.tolist(), atoms.constants.tolist(), strict=True):
            self.closed[a] |= implying[c]
        named = atoms.constants < len(literals)  # the last constant is the class itself
        columns = np.array([literals[c].column for c in atoms.constants[named]], dtype=np.int64)
        used, place = np.unique(columns, return_inverse=True)
        self.columns = np.zeros((atoms.n, len(used)), dtype=np.bool_)
        self.columns[whose[named], place] = True
        self.missing, self.counts = missing, packed.count(missing)

    def to(self, a: int) -> Bits:
        """The atoms like this one, itself among them."""
        implied = ~(self.sets & ~self.closed[a]).any(axis=1)
        implies = ~(self.sets[a] & ~self.closed).any(axis=1)
        both = packed.count(self.missing & self.missing[a])
        either = self.counts + self.counts[a] - both
        shared = self.columns[:, self.columns[a]].any(axis=1)
        return implied | implies | (shared & (both >= ALIKE * either))


def tell_apart(
    likeness: Likeness, values: Floats, sizes: Floats, most: int, add_up: bool = True
) -> list[Group]:
    """At most ``most`` atoms that are not alike, those with the largest values, short ones first.

    The values of atoms that are alike ``add_up``, or count one by one; they may be negative.
    """
    if most == 0 or not len(values):
        return []
    lengths = 1.0 + LENGTH * (sizes - 1.0)
    order = np.argsort(-np.abs(values) / lengths, kind="stable")[: max(CANDIDATES, most)]
    alike = np.stack([likeness.to(int(a)) for a in order])
    left = np.ones(len(values), dtype=np.bool_)
    groups: list[Group] = []
    while len(groups) < most and left[order].any():
        each = alike @ (values * left) if add_up else values[order]
        total = np.abs(each) / lengths[order] * left[order]
        best = int(total.argmax())
        if total[best] <= 0:
            break
        groups.append(Group(int(order[best]), alike[best] & left))
        left &= ~alike[best]
    return groups


def _implying(
    used: npt.NDArray[np.int32], literals: Sequence[Literal], n: int
) -> dict[int, packed.Rows]:
    """For each constant used, the constants that imply it."""
    of_column: dict[int, list[int]] = {}
    for c in used.tolist():
        if c < len(literals):
            of_column.setdefault(literals[c].column, []).append(c)
    sets = {c: packed.from_indices([[c]], n)[0] for c in used.tolist()}
    for ours in of_column.values():
        for c in ours:
            implying = [b for b in ours if literals[b].implies(literals[c])]
            sets[c] = packed.from_indices([implying], n)[0]
    return sets
