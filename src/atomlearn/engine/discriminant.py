"""Which relations does an atom discriminate? ``φ ∈ dis(a, b)`` for many of both at once.

Atoms are small and relations many, so atoms are lists of constants and relations are transposed:
the relations whose side holds ``φ`` are the OR of one row for each constant of ``φ``.
"""

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import Blocks, hold
from atomlearn.sets.jit import kernel
from atomlearn.sets.lists import Lists
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import ZERO


def discriminants(atoms: Lists, left_of: Rows, right_of: Rows) -> Rows:
    """Atoms × relations: the relations that each atom discriminates."""
    out = np.empty((atoms.n, left_of.shape[1]), dtype=np.uint64)
    discriminate(atoms, left_of, right_of[None], _occupied(left_of), out)
    return out


def contradicted(atoms: Lists, left_of: Rows, right_of: Rows) -> npt.NDArray[np.bool_]:
    """Which atoms discriminate any of the (positive) relations, and so contradict it."""
    out = np.empty(atoms.n, dtype=np.bool_)
    discriminate_any(atoms, left_of, right_of[None], _occupied(left_of), out)
    return out


def _occupied(rows: Rows) -> npt.NDArray[np.bool_]:
    return np.asarray(rows.any(axis=1))


@kernel
def discriminate(
    atoms: Lists, left_of: Rows, right_of: Blocks, on_left: npt.NDArray[np.bool_], out: Rows
) -> None:
    """Write for each atom the bitset of the relations it discriminates."""
    below_right = np.empty(out.shape[1], dtype=np.uint64)
    for k in range(out.shape[0]):
        hold(atoms, k, right_of, 0, below_right)
        for w in range(out.shape[1]):
            out[k, w] = ZERO
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            if on_left[c]:
                for w in range(out.shape[1]):
                    out[k, w] |= left_of[c, w]
        for w in range(out.shape[1]):
            out[k, w] &= ~below_right[w]


@kernel
def discriminate_any(
    atoms: Lists,
    left_of: Rows,
    right_of: Blocks,
    on_left: npt.NDArray[np.bool_],
    out: npt.NDArray[np.bool_],
) -> None:
    """Write for each atom whether it discriminates any relation."""
    below_right = np.empty(left_of.shape[1], dtype=np.uint64)
    for k in range(out.shape[0]):
        hold(atoms, k, right_of, 0, below_right)
        found = ZERO
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            if on_left[c]:
                for w in range(below_right.shape[0]):
                    found |= left_of[c, w] & ~below_right[w]
        out[k] = found != ZERO
