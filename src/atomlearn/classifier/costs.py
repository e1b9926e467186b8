"""The cost, in log-odds, of the weighted atoms that a row misses.

Many weighted atoms say nearly the same: a row that misses ``x > 3 or y > 2`` also misses ``x > 4``.
Such atoms are listed as one, and their costs are added up.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import containing
from atomlearn.sets import rows as packed
from atomlearn.sets.lists import Lists, take, to_rows
from atomlearn.tables.literals import Literal
from atomlearn.training.learned import Learned

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]


class Costs(NamedTuple):
    """Missed atoms of a class, each with its cost; a negative cost is evidence for the class."""

    atoms: Lists
    costs: Floats
    n_missed: int
    """Number of missed atoms before grouping."""
    n_atoms: int
    """Number of weighted atoms of the class."""


def costs_of(learned: Learned, k: int, has: Bits, literals: Sequence[Literal]) -> Costs:
    """The cost of the weighted atoms of class ``k`` for a row that ``has`` these constants."""
    weighted = learned.weighted
    assert weighted is not None
    ours = np.flatnonzero(weighted.classes == k)
    missed = ours[~held(take(weighted.atoms, ours), has)]
    costs = -learned.evidence.weighted * weighted.weights[missed]
    atoms = take(weighted.atoms, missed)
    first, group = grouped(atoms, literals)
    total: Floats = np.zeros(len(first))
    np.add.at(total, group, costs)
    return Costs(take(atoms, first), total, len(missed), len(ours))


def held(atoms: Lists, has: Bits) -> Bits:
    """Which of the atoms a row has."""
    return np.asarray(containing(atoms, packed.pack(has[:, None]))[:, 0] != 0)


def grouped(
    atoms: Lists, literals: Sequence[Literal]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The strongest atoms, and for each atom one of them whose miss implies that it is missed.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.sets.lists import to_lists
    >>> literals = [Literal(0, "x", ">", 3.0), Literal(0, "x", ">", 4.0), Literal(1, "y", ">", 2.0)]
    >>> atoms = to_lists(rows.from_indices([[1], [0, 2], [1, 2]], 4))
    >>> first, group = grouped(atoms, literals)
    >>> first.tolist(), group.tolist()                     # missing x > 3 or y > 2 is missing all
    ([1], [0, 0, 0])
    """
    n_atoms, n = atoms.n, len(literals) + 1
    implying = _implying(np.unique(atoms.constants), literals, n)
    sets = to_rows(atoms, n)
    closed = np.zeros_like(sets)
    for a in range(n_atoms):
        for c in atoms.constants[atoms.starts[a] : atoms.starts[a + 1]]:
            closed[a] |= implying[int(c)]
    left = np.argsort(-packed.count(closed), kind="stable")
    first: list[int] = []
    group = np.zeros(n_atoms, dtype=np.int64)
    while len(left):
        widest = left[0]
        below = ~(sets[left] & ~closed[widest]).any(axis=1)
        group[left[below]] = len(first)
        first.append(int(widest))
        left = left[~below]
    return np.array(first, dtype=np.int64), group


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
