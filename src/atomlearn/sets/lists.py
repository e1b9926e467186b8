"""Atoms as lists of constants, one after the other: what is short to read for small atoms."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Rows, width
from atomlearn.sets.words import ONE, ZERO, bit_of, lowest, popcount


class Lists(NamedTuple):
    """Atom ``k`` is ``constants[starts[k]:starts[k + 1]]``, ascending."""

    starts: npt.NDArray[np.int64]
    constants: npt.NDArray[np.int32]


def no_lists() -> Lists:
    """No atom at all."""
    return Lists(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))


def take(atoms: Lists, which: npt.NDArray[np.int64]) -> Lists:
    """Some of the atoms, in the given order."""
    sizes = atoms.starts[which + 1] - atoms.starts[which]
    starts = np.zeros(len(which) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    constants = np.empty(starts[-1], dtype=np.int32)
    gather(atoms, which, Lists(starts, constants))
    return Lists(starts, constants)


def append(atoms: Lists, more: Lists) -> Lists:
    """All of these and all of those."""
    starts = np.concatenate([atoms.starts, atoms.starts[-1] + more.starts[1:]])
    return Lists(starts, np.concatenate([atoms.constants, more.constants]))


def to_rows(atoms: Lists, n_constants: int) -> Rows:
    """The atoms as packed rows."""
    rows = np.zeros((len(atoms.starts) - 1, width(n_constants)), dtype=np.uint64)
    fill(atoms, rows)
    return rows


@kernel
def to_lists(rows: Rows) -> Lists:
    """Packed rows as lists."""
    n = rows.shape[0]
    starts = np.zeros(n + 1, dtype=np.int64)
    for k in range(n):
        starts[k + 1] = starts[k]
        for w in range(rows.shape[1]):
            starts[k + 1] += popcount(rows[k, w])
    constants = np.empty(starts[n], dtype=np.int32)
    p = 0
    for k in range(n):
        for w in range(rows.shape[1]):
            word = rows[k, w]
            while word != ZERO:
                constants[p] = w * 64 + lowest(word)
                p += 1
                word &= word - ONE
    return Lists(starts, constants)


@kernel
def gather(atoms: Lists, which: npt.NDArray[np.int64], out: Lists) -> None:
    """Copy the chosen lists to where ``out.starts`` has room for them."""
    for m in range(which.shape[0]):
        p = out.starts[m]
        for q in range(atoms.starts[which[m]], atoms.starts[which[m] + 1]):
            out.constants[p] = atoms.constants[q]
            p += 1


@kernel
def fill(atoms: Lists, rows: Rows) -> None:
    """Set the bits of each list in its row."""
    for k in range(rows.shape[0]):
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            rows[k, c >> 6] |= bit_of(c)
