"""Full Crossing, freedom and redundancy of atoms, exactly (sections 2.7 and 3.4; Theorems 3, 5, 6).

A model is as free as another if it satisfies the other's pinning relations ``¬(c < T_φ)`` (Theorem
3). In bits: every atom ``φ`` of the other is the union of atoms within it. An atom is redundant
(Theorem 5) if it is the union of smaller atoms of its own model, so one kernel decides both.
"""

import numpy as np

from atomlearn.engine.protocol import PackedRelations, check_size
from atomlearn.sets import rows as bits
from atomlearn.sets.closing import Implications, close_each
from atomlearn.sets.jit import allocating_kernel
from atomlearn.sets.rows import Lists, Rows, to_rows
from atomlearn.sets.words import ZERO
from atomlearn.typing import Bits


def covered(outer: Rows, inner: Rows) -> Bits:
    """Return which rows of ``outer`` are unions of rows of ``inner``.

    >>> outer, inner = bits.from_indices([[0, 1], [0, 2]], 3), bits.from_indices([[0], [1]], 3)
    >>> covered(outer, inner).tolist()
    [True, False]
    """
    return _covered(outer, inner, False)


def redundant(atoms: Rows, among: Rows | None = None) -> Bits:
    """Return which atoms are unions of strictly smaller ones ``among`` others (or each other).

    >>> redundant(bits.from_indices([[0, 1], [0], [1], [2, 1]], 3)).tolist()
    [True, False, False, False]
    """
    return _covered(atoms, atoms if among is None else among, True)


def irredundant(atoms: Rows) -> Rows:
    """Return the atoms that are not redundant; the others can be dropped at once."""
    return atoms[~redundant(atoms)]


def as_free(atoms: Rows, other: Rows, n: int) -> bool:
    """Return whether the model of ``atoms`` satisfies every negative relation of the ``other``."""
    return bool(covered(bits.without_full(other, n), atoms).all())


@allocating_kernel
def _covered(outer: Rows, inner: Rows, strictly: bool) -> Bits:
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


def full_crossing(
    atoms: Rows, left: Rows, right: Rows, n: int, limit: int | None, what: str
) -> Rows:
    """Replace each atom of ``left`` that ``right`` lacks by its unions with the atoms of ``right``.

    The paper also renews the atoms of ``right`` (``χ' → χ``), which changes nothing in bits. If
    ``atoms`` had no redundant ones, the result has none: a new atom may be redundant, but no old
    one becomes so, since any new atom within it is a union of atoms that were within it before.

    >>> crossed = full_crossing(bits.from_indices([[0], [1], [2]], 3), bits.row([0], 3),
    ...                         bits.row([1, 2], 3), 3, limit=None, what="a < b c")
    >>> [bits.members(atom).tolist() for atom in crossed]
    [[1], [2], [0, 1], [0, 2]]
    """
    in_left, in_right = bits.meets(atoms, left), bits.meets(atoms, right)
    moved = in_left & ~in_right
    if not moved.any():
        return atoms
    kept, crossed, partners = atoms[~moved], atoms[moved], atoms[in_right]
    check_size(len(kept) + len(crossed) * len(partners), n, limit, f"crossing {what}")
    unions = (crossed[:, None, :] | partners[None, :, :]).reshape(-1, atoms.shape[1])
    unions = bits.distinct(unions)
    everything = bits.distinct(np.concatenate([kept, unions]))
    fresh = everything[len(kept) :]
    return np.concatenate([kept, fresh[~redundant(fresh, everything)]])


def freest(relations: PackedRelations, limit: int | None) -> Rows:
    """Start with one atom for each constant and apply Full Crossing to every positive relation.

    Redundant atoms are removed as they arise, which leaves exactly the complements of the
    meet-irreducible closed sets.
    """
    n = relations.n_constants
    check_size(n, n, limit, "the freest model")
    atoms = bits.from_indices([[c] for c in range(n)], n)
    pairs = list(zip(relations.positive_left, relations.positive_right, strict=True))
    for i, (left, right) in enumerate(pairs, start=1):
        what = f"positive relation {i} of {len(pairs)}"
        atoms = full_crossing(atoms, left, right, n, limit, what)
    return atoms


def least_free(rights: Lists, rules: Implications, n: int, limit: int | None) -> Rows:
    """Return the complement of the closure of each right side ``b`` of a negative relation."""
    check_size(rights.n, n, limit, "the least-free memory")
    closed = to_rows(close_each(rules, rights), n)
    return np.ascontiguousarray(bits.distinct(bits.complement(closed, n)))
