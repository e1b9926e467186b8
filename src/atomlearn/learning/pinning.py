"""Algorithm 6 for the engine: pinning terms, kept between epochs as the atoms they came from.

The pinning term of an atom is the set of the constants that do not hold it, so the atom is the
same knowledge in fewer bits, and ``T_φ ⊇ b`` is ``φ ∩ b = ∅``. Pins are hypotheses: a pin that the
positive relations of a batch contradict is dropped, and only that.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.bits.jit import kernel
from atomlearn.bits.random import Stream, sample
from atomlearn.bits.rows import Rows
from atomlearn.learning.discriminant import contradicted
from atomlearn.learning.lists import Lists, append, no_lists, take, to_lists, to_rows
from atomlearn.learning.misses import Blocks, count_misses
from atomlearn.learning.state import Positives

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_S29 = np.uint64(29)


class Pins(NamedTuple):
    """What a pool holds of each pin."""

    atoms: Lists
    born: npt.NDArray[np.int32]
    hashes: npt.NDArray[np.uint64]


class Pool:
    """Distinct pins in the order they came, each with the epoch it was born in.

    >>> from atomlearn.bits import rows
    >>> pool = Pool(n_constants=4)
    >>> pool.add(rows.from_indices([[0, 3], [1, 3], [0, 3]], 4), epoch=0)
    2
    >>> len(pool), pool.born.tolist()
    (2, [0, 0])
    """

    def __init__(self, n_constants: int) -> None:
        self.n_constants = n_constants
        self._pins = Pins(no_lists(), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint64))
        self._hash_set: set[int] = set()

    @classmethod
    def of(cls, n_constants: int, atoms: Lists, born: npt.NDArray[np.int32]) -> "Pool":
        """A pool of pins that are known to be distinct."""
        pool = cls(n_constants)
        pool._pins = Pins(atoms, born, hash_lists(atoms))
        return pool

    def __len__(self) -> int:
        return len(self.born)

    @property
    def atoms(self) -> Lists:
        """The pins, as the atoms they came from."""
        return self._pins.atoms

    @property
    def born(self) -> npt.NDArray[np.int32]:
        """The epoch each pin is from."""
        return self._pins.born

    def add(self, atoms: Rows, epoch: int) -> int:
        """Remember the atoms that are new; how many they were."""
        return self.add_lists(to_lists(np.ascontiguousarray(atoms)), epoch)

    def add_lists(self, atoms: Lists, epoch: int) -> int:
        """Remember the atoms that are new; how many they were."""
        hashes = hash_lists(atoms)
        known = self._known()
        fresh = {key: k for k, key in enumerate(hashes.tolist()) if key not in known}
        which = np.sort(np.fromiter(fresh.values(), dtype=np.int64, count=len(fresh)))
        self._pins = Pins(  # at once, so that an interruption leaves the old or the new
            append(self.atoms, take(atoms, which)),
            np.concatenate([self.born, np.full(len(which), epoch, dtype=np.int32)]),
            np.concatenate([self._pins.hashes, hashes[which]]),
        )
        known.update(fresh)
        return len(which)

    def drop(self, which: npt.NDArray[np.bool_]) -> int:
        """Forget the marked pins; how many they were."""
        gone = int(which.sum())
        if gone:
            kept = np.flatnonzero(~which)
            known, old = self._known(), self._pins.hashes[which].tolist()
            self._pins = Pins(take(self.atoms, kept), self.born[kept], self._pins.hashes[kept])
            known.difference_update(old)
        return gone

    def drop_contradicted(self, positives: Positives) -> int:
        """Forget the pins whose pinning term is not closed under these relations."""
        return self.drop(contradicted(self.atoms, positives.left_of, positives.right_of))

    def sample(self, rng: Stream, size: int) -> Lists:
        """Some pins at random, each at most once."""
        return take(self.atoms, sample(rng, len(self), size))

    def misses(self, blocks: Blocks, n_examples: int) -> npt.NDArray[np.int32]:
        """The pool read as atoms: how many each example misses."""
        return count_misses(self.atoms, blocks, n_examples)

    def _known(self) -> set[int]:
        """The hashes of all pins, made anew if an interruption left them behind."""
        if len(self._hash_set) != len(self):
            self._hash_set = set(self._pins.hashes.tolist())
        return self._hash_set

    def rows(self) -> Rows:
        """The pins as packed atoms."""
        return to_rows(self.atoms, self.n_constants)

    def merge(self, others: Iterable["Pool"]) -> int:
        """Take over what other pools know, their pins after ours; how many were new."""
        before = len(self)
        for other in others:
            for epoch in np.unique(other.born):
                which = np.flatnonzero(other.born == epoch)
                self.add_lists(take(other.atoms, which), int(epoch))
        return len(self) - before


@kernel
def hash_lists(atoms: Lists) -> npt.NDArray[np.uint64]:
    """A word for each list that tells lists apart (FNV-1a, mixed)."""
    n = atoms.starts.shape[0] - 1
    out = np.empty(n, dtype=np.uint64)
    for k in range(n):
        value = _BASIS
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            value = (value ^ np.uint64(atoms.constants[p])) * _PRIME
            value ^= value >> _S29
        out[k] = value * _MIX
    return out
