"""Which atoms cover which: the order of models, and redundancy (Theorems 3 and 5), exactly.

A model is as free as another if it satisfies the other's pinning relations ``¬(c < T_φ)`` (Theorem
3). In bits: every atom ``φ`` of the other is the union of atoms within it. An atom is redundant
(Theorem 5) if it is the union of smaller atoms of its own model, so one kernel decides both.
"""

import numpy as np
import numpy.typing as npt

from atomlearn.sets import rows as bits
from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import ZERO


def covered(outer: Rows, inner: Rows) -> npt.NDArray[np.bool_]:
    """Which rows of ``outer`` are the union of rows of ``inner`` that lie within them?

    >>> outer, inner = bits.from_indices([[0, 1], [0, 2]], 3), bits.from_indices([[0], [1]], 3)
    >>> covered(outer, inner).tolist()
    [True, False]
    """
    return _covered(outer, inner, False)


def redundant(atoms: Rows, among: Rows | None = None) -> npt.NDArray[np.bool_]:
    """Which atoms are the union of strictly smaller ones ``among`` others (or each other)?

    >>> redundant(bits.from_indices([[0, 1], [0], [1], [2, 1]], 3)).tolist()
    [True, False, False, False]
    """
    return _covered(atoms, atoms if among is None else among, True)


def irredundant(atoms: Rows) -> Rows:
    """The atoms that are not redundant. All others can go at once: what covers them stays."""
    return atoms[~redundant(atoms)]


def tells_apart(atoms: Rows, n: int) -> Rows:
    """Without the atom that all ``n`` constants contain (the paper's 0), which decides nothing."""
    apart: Rows = atoms[(atoms != bits.full(n)).any(axis=1)]
    return apart


def as_free(atoms: Rows, other: Rows, n: int) -> bool:
    """Does the model of ``atoms`` satisfy every negative relation of the ``other``?"""
    return bool(covered(tells_apart(other, n), atoms).all())


@kernel
def _covered(outer: Rows, inner: Rows, strictly: bool) -> npt.NDArray[np.bool_]:
    width = outer.shape[1]
    found = np.zeros(outer.shape[0], dtype=np.bool_)
    union = np.empty(width, dtype=np.uint64)
    for i in range(outer.shape[0]):
        union[:] = ZERO
        for j in range(inner.shape[0]):
            within = True
            for w in range(width):
                if inner[j, w] & ~outer[i, w] != ZERO:
                    within = False
                    break
            if not within:
                continue
            if strictly:
                equal = True
                for w in range(width):
                    if inner[j, w] != outer[i, w]:
                        equal = False
                        break
                if equal:
                    continue
            for w in range(width):
                union[w] |= inner[j, w]
        found[i] = True
        for w in range(width):
            if union[w] != outer[i, w]:
                found[i] = False
                break
    return found
