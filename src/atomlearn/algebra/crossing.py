"""Full Crossing: enforce ``a < b`` at the smallest loss of freedom (section 2.7; Theorem 6)."""

import numpy as np

from atomlearn.algebra.order import redundant
from atomlearn.algebra.size import check_size
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Rows


def full_crossing(
    atoms: Rows, left: Rows, right: Rows, n: int, limit: int | None, what: str
) -> Rows:
    """Replace each atom of ``left`` that ``right`` lacks by its unions with the atoms of ``right``.

    The paper also renews the atoms of ``right`` (``χ' → χ``), which changes nothing in bits. If
    ``atoms`` had no redundant ones, the result has none: a new atom may be redundant, but no old
    one becomes so, since whatever new lies within it is a union of what lay within it before.

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
