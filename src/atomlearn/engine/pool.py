"""Algorithm 6 for the engine: pinning terms, kept between epochs as the atoms they came from.

The pinning term of an atom is the set of the constants that do not hold it, so the atom is the same
knowledge in fewer bits, and ``T_φ ⊇ b`` is ``φ ∩ b = ∅``. Pins are hypotheses: a pin that the
positive relations of a batch contradict is dropped, and only that.

In files, pin ``k`` has the constants ``atoms.npy[offsets.npy[k]:offsets.npy[k + 1]]``; ``born.npy``
tells its epoch and ``source.npy`` its source in ``sources.json``. A file may have several pools
over the same constants: ``class_offsets.npy`` has the first pin of each. A pool to share
(``.atoms``, kind ``pool``) is the only one of its file, and ``pool.json`` has the names of its
constants.
"""

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import Blocks, contradicted, count_misses
from atomlearn.engine.state import Positives, positives_of
from atomlearn.engine.symmetries import NEVER, moved
from atomlearn.errors import DifferentConstants
from atomlearn.files.container import Container
from atomlearn.files.load import INT32, Members, Value, save
from atomlearn.sets.jit import kernel
from atomlearn.sets.random import Stream, sample
from atomlearn.sets.rows import Lists, Rows, append, empty, no_lists, take, to_lists
from atomlearn.sets.words import bit_of
from atomlearn.typing import Bits, Integers

if TYPE_CHECKING:
    from pathlib import Path

    from atomlearn.algebra.algebra import Algebra

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_S29 = np.uint64(29)


@dataclass(frozen=True)
class Source:
    """The data that a pin was learned from.

    Parameters
    ----------
    name : str, default=""
        Name of the data.
    digest : str, default=""
        A digest of the data: equal examples have equal digests.
    examples : int, default=0
        Number of examples.

    Examples
    --------
    >>> Source("north", examples=200).examples
    200
    """

    name: str = ""
    digest: str = ""
    examples: int = 0


class Provenance(NamedTuple):
    """Where a pin comes from: the data and the epoch."""

    source: Source
    epoch: int


class Merged(NamedTuple):
    """The result of merging other pools into one.

    Attributes
    ----------
    new : int
        Number of pins that were added.
    known : int
        Number of pins that were in the pool already, or more than once in the others.
    dropped : int
        Number of pins that the relations contradict, or that share no constant with this pool.

    Examples
    --------
    >>> Merged(new=812, known=31, dropped=640).new
    812
    """

    new: int
    known: int
    dropped: int


class Pins(NamedTuple):
    """The arrays of a pool."""

    atoms: Lists
    born: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]
    hashes: npt.NDArray[np.uint64]

    def some(self, which: Integers) -> "Pins":
        """Return some of the pins, in ascending order."""
        if len(which) == len(self.born):
            return self
        return Pins(
            take(self.atoms, which), self.born[which], self.source[which], self.hashes[which]
        )


class Pool:
    """Distinct pins in the order they were added, each with its epoch and data.

    Parameters
    ----------
    n_constants : int
        Number of constants.
    names : sequence of str, default=None
        Names of the constants, by which pools of different algebras are matched.

    Examples
    --------
    >>> from atomlearn.sets import rows
    >>> pool = Pool(n_constants=4)
    >>> pool.add(rows.from_indices([[0, 3], [1, 3], [0, 3]], 4), epoch=0)
    2
    >>> len(pool), pool.born.tolist()
    (2, [0, 0])
    """

    def __init__(self, n_constants: int, names: Sequence[str] | None = None) -> None:
        self.n_constants = n_constants
        self.names = None if names is None else tuple(names)
        """Names of the constants, for merging pools of other algebras."""
        self.sources: list[Source] = [Source()]
        """The data that pins come from; the last is the current one."""
        none = np.zeros(0, dtype=np.int32)
        self._pins = Pins(no_lists(), none, none, np.zeros(0, dtype=np.uint64))
        self._hash_set: set[int] = set()

    @classmethod
    def of(
        cls,
        n_constants: int,
        atoms: Lists,
        born: npt.NDArray[np.int32],
        source: npt.NDArray[np.int32] | None = None,
        sources: Sequence[Source] = (Source(),),
        names: Sequence[str] | None = None,
    ) -> "Pool":
        """Return a pool of pins that are known to be distinct.

        Parameters
        ----------
        n_constants : int
            Number of constants.
        atoms : Lists
            The pins, as atoms.
        born : ndarray of int32
            The epoch of each pin.
        source : ndarray of int32, default=None
            The index in ``sources`` of each pin's data.
        sources : sequence of Source, default=(Source(),)
            The data that pins were learned from.
        names : sequence of str, default=None
            Names of the constants.
        """
        pool = cls(n_constants, names)
        pool.sources = list(sources)
        source = np.zeros(len(born), dtype=np.int32) if source is None else source
        pool._pins = Pins(atoms, born, source, hash_lists(atoms))
        return pool

    def __len__(self) -> int:
        return len(self.born)

    def __repr__(self) -> str:
        return f"<Pool: {len(self):,} pins over {self.n_constants:,} constants>"

    def copy(self, names: Sequence[str] | None = None) -> "Pool":
        """Return a copy of the pool.

        Parameters
        ----------
        names : sequence of str, default=None
            Other names for the constants.
        """
        other = copy.copy(self)
        other.sources, other._hash_set = list(self.sources), set()
        other.names = self.names if names is None else tuple(names)
        return other

    @property
    def atoms(self) -> Lists:
        """Pins, as atoms."""
        return self._pins.atoms

    @property
    def born(self) -> npt.NDArray[np.int32]:
        """Epoch of each pin."""
        return self._pins.born

    @property
    def source(self) -> npt.NDArray[np.int32]:
        """Index in ``sources`` of each pin's data."""
        return self._pins.source

    def provenance(self, k: int) -> Provenance:
        """Return the data and the epoch of a pin.

        Parameters
        ----------
        k : int
            Index of the pin.
        """
        return Provenance(self.sources[self.source[k]], int(self.born[k]))

    def learn_from(self, source: Source) -> None:
        """Set the data of the pins that are added from now on.

        Parameters
        ----------
        source : Source
            The data.
        """
        if source in self.sources:
            i = self.sources.index(source)
            order = [*range(i), *range(i + 1, len(self.sources)), i]  # it becomes the last
            place = np.argsort(order).astype(np.int32)
            self._pins = self._pins._replace(source=place[self.source])
            self.sources = [self.sources[j] for j in order]
        elif (self.source == len(self.sources) - 1).any():
            self.sources.append(source)
        else:
            self.sources[-1] = source  # nothing is from the last one: no need to remember it

    def add(self, atoms: Rows, epoch: int) -> int:
        """Add the atoms that are new.

        Parameters
        ----------
        atoms : ndarray of uint64
            Packed rows.
        epoch : int
            The epoch they were learned in.

        Returns
        -------
        int
            The number of new atoms.
        """
        return self.add_lists(to_lists(np.ascontiguousarray(atoms)), epoch)

    def add_lists(self, atoms: Lists, epoch: int) -> int:
        """Add the atoms that are new.

        Parameters
        ----------
        atoms : Lists
            The atoms as lists of constants.
        epoch : int
            The epoch they were learned in.

        Returns
        -------
        int
            The number of new atoms.
        """
        n = atoms.n
        born = np.full(n, epoch, dtype=np.int32)
        source = np.full(n, len(self.sources) - 1, dtype=np.int32)
        return self._add(Pins(atoms, born, source, hash_lists(atoms)))

    def _add(self, pins: Pins) -> int:
        known, n = self._known(), len(pins.hashes)
        first = dict(zip(reversed(pins.hashes.tolist()), range(n - 1, -1, -1), strict=True))
        fresh = first.keys() - known
        which = np.array(sorted(first[key] for key in fresh), dtype=np.int64)
        ours, new = self._pins, pins.some(which)
        self._pins = Pins(  # at once, so that an interruption leaves the old or the new
            append(ours.atoms, new.atoms),
            np.concatenate([ours.born, new.born]),
            np.concatenate([ours.source, new.source]),
            np.concatenate([ours.hashes, new.hashes]),
        )
        known.update(fresh)
        return len(which)

    def drop(self, which: Bits) -> int:
        """Drop the marked pins.

        Parameters
        ----------
        which : ndarray of bool
            The pins to drop.

        Returns
        -------
        int
            The number of pins dropped.
        """
        gone = int(which.sum())
        if gone:
            self._hash_set = set()  # made again if it is needed
            self._pins = self._pins.some(np.flatnonzero(~which))
        return gone

    def keep(self, which: Integers) -> int:
        """Keep only some pins.

        Parameters
        ----------
        which : ndarray of int64
            Indices of the pins to keep.

        Returns
        -------
        int
            The number of pins dropped.
        """
        others = np.ones(len(self), dtype=np.bool_)
        others[which] = False
        return self.drop(others)

    def drop_contradicted(self, positives: Positives) -> int:
        """Drop the pins whose pinning term is not closed under some relations.

        Parameters
        ----------
        positives : Positives
            The positive relations.

        Returns
        -------
        int
            The number of pins dropped.
        """
        return self.drop(contradicted(self.atoms, positives.left_of, positives.right_of))

    def sample(self, rng: Stream, size: int) -> Lists:
        """Return a random sample of pins, drawn without replacement.

        Parameters
        ----------
        rng : Stream
            The random stream.
        size : int
            Number of pins.
        """
        return take(self.atoms, sample(rng, len(self), size))

    def misses(self, blocks: Blocks, n_examples: int) -> npt.NDArray[np.int32]:
        """Count the pins that each example misses.

        Parameters
        ----------
        blocks : ndarray of uint64
            The examples as packed rows, transposed.
        n_examples : int
            Number of examples.

        Returns
        -------
        ndarray of int32
            The number of misses of each example.
        """
        return count_misses(self.atoms, blocks, n_examples)

    def _known(self) -> set[int]:
        """Return the hashes of all pins, recomputed if an interruption left them outdated."""
        if len(self._hash_set) != len(self):
            self._hash_set = set(self._pins.hashes.tolist())
        return self._hash_set

    def rows(self) -> Rows:
        """Return the pins as packed atoms."""
        packed = empty(len(self), self.n_constants)
        write_rows(self.atoms, packed)
        return packed

    def merge(self, *others: "Pool", relations: "Positives | Algebra | None" = None) -> Merged:
        """Add the pins of other pools, without those that some relations contradict.

        Parameters
        ----------
        *others : Pool
            The other pools. Constants are matched by name; a pin is restricted to the constants of
            this pool.
        relations : Positives or Algebra, default=None
            The relations that pins must not contradict.

        Returns
        -------
        Merged
            The number of new, known and dropped pins.

        Examples
        --------
        >>> from atomlearn.sets import rows
        >>> ours, theirs = Pool(2, ["a", "b"]), Pool(2, ["b", "c"])
        >>> theirs.add(rows.from_indices([[0], [0, 1], [1]], 2), epoch=7)
        3
        >>> ours.merge(theirs)
        Merged(new=1, known=1, dropped=1)
        >>> ours.provenance(0).epoch
        7
        """
        positives = _positives(relations)
        new = dropped = total = 0
        for other in others:
            pins, atoms = other._pins, self._translate(other)
            if atoms is not pins.atoms:
                pins = pins._replace(atoms=atoms, hashes=hash_lists(atoms))
            place = self._add_sources(other.sources)
            if not len(other):
                continue
            kept = np.diff(atoms.starts) > 0
            if positives is not None:
                kept &= ~contradicted(atoms, positives.left_of, positives.right_of)
            which = np.flatnonzero(kept)
            new += self._add(pins._replace(source=place[pins.source]).some(which))
            total, dropped = total + len(other), dropped + len(other) - len(which)
        return Merged(new, total - new - dropped, dropped)

    def save(self, path: "str | Path") -> None:
        """Write the pool to a file that :func:`atomlearn.load` reads, for others to merge.

        Parameters
        ----------
        path : str or Path
            The file to write.
        """
        write_pool(self, path)

    def _translate(self, other: "Pool") -> Lists:
        """Return the atoms of another pool over the constants of this one."""
        if self.names is None or other.names is None:
            if self.n_constants != other.n_constants:
                raise DifferentConstants(
                    f"pools over {self.n_constants:,} and {other.n_constants:,} constants can only "
                    "be merged by name: give both names"
                )
            return other.atoms
        if self.names == other.names:
            return other.atoms
        index = {name: i for i, name in enumerate(self.names)}
        places = np.array([index.get(name, NEVER) for name in other.names], dtype=np.int32)
        if (places == NEVER).all():
            raise DifferentConstants("the pools have no constant in common")
        return moved(other.atoms, places)

    def _add_sources(self, sources: Sequence[Source]) -> npt.NDArray[np.int32]:
        """Return the indices of these sources in this pool; new ones go before the current one."""
        now = self.sources[-1]
        fresh = [one for one in dict.fromkeys(sources) if one not in self.sources]
        if fresh:
            last = len(self.sources) - 1
            moved = np.where(self.source == last, last + len(fresh), self.source)
            self._pins = self._pins._replace(source=moved.astype(np.int32))
            self.sources = [*self.sources[:-1], *fresh, now]
        return np.array([self.sources.index(one) for one in sources], dtype=np.int32)


def _positives(relations: "Positives | Algebra | None") -> Positives | None:
    if relations is None or isinstance(relations, Positives):
        return relations
    packed = relations.packed()
    return positives_of(packed.positive_left, packed.positive_right, packed.n_constants)


@kernel
def write_rows(atoms: Lists, out: Rows) -> None:
    """Write lists as packed rows; a formal problem has millions of constants in its pins."""
    for k in range(out.shape[0]):
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            out[k, c >> 6] |= bit_of(c)


def hash_lists(atoms: Lists) -> npt.NDArray[np.uint64]:
    """Return a 64-bit hash of each list."""
    hashes = np.empty(atoms.n, dtype=np.uint64)
    write_hashes(atoms, hashes)
    return hashes


@kernel
def write_hashes(atoms: Lists, out: npt.NDArray[np.uint64]) -> None:
    """Write the hash of each list (FNV-1a, mixed)."""
    for k in range(out.shape[0]):
        value = _BASIS
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            value = (value ^ np.uint64(atoms.constants[p])) * _PRIME
            value ^= value >> _S29
        out[k] = value * _MIX


KIND, VERSION = "pool", 1


def write_pool(pool: Pool, path: str | Path) -> None:
    """Write a pool to a file."""
    file = Container(KIND, VERSION, {"pins": len(pool), "constants": pool.n_constants})
    names = None if pool.names is None else list(pool.names)
    file.add_json("pool.json", {"n_constants": pool.n_constants, "names": names})
    add_pools(file, [pool])
    save(file, path, lambda read: len(read) == len(pool) and read.names == pool.names)


def get_pool(file: Members) -> Pool:
    """Read a pool."""
    state = file.json("pool.json")
    n_constants = state["n_constants"].integer(high=INT32)
    names = state.given("names")
    file.spend(n_constants // 8, f"a row over {n_constants:,} constants")
    (pool,) = pools_in(file, n_constants, 1)
    return pool if names is None else pool.copy(names=names.texts(n_constants))


def add_pools(file: Container, pools: Sequence[Pool]) -> None:
    """Add several pools over the same constants: all atoms, and the first atom of each pool."""
    atoms = no_lists()
    for pool in pools:
        atoms = append(atoms, pool.atoms)
    file.add_array("atoms.npy", atoms.constants)
    file.add_array("offsets.npy", atoms.starts)
    file.add_array("class_offsets.npy", np.cumsum([0, *map(len, pools)]))
    file.add_array("born.npy", np.concatenate([pool.born for pool in pools]))
    file.add_array("source.npy", np.concatenate([pool.source for pool in pools]))
    file.add_json("sources.json", [[asdict(source) for source in pool.sources] for pool in pools])


def pools_in(file: Members, n_constants: int, n_pools: int) -> list[Pool]:
    """Read the pools of a file; older files have no sources."""
    atoms = file.lists("offsets.npy", "atoms.npy", n_constants)
    n = atoms.n
    born = file.integers("born.npy", n, high=INT32).astype(np.int32)
    source = np.zeros(n, dtype=np.int32)
    sources = [[Source()] for _ in range(n_pools)]
    if "sources.json" in file:
        sources = [_sources(ours) for ours in file.json("sources.json").items(n_pools)]
        source = file.integers("source.npy", n, high=INT32).astype(np.int32)
    bounds = file.integers("class_offsets.npy", n_pools + 1, high=n)
    in_order = bounds[0] == 0 and bounds[-1] == n and (bounds[1:] >= bounds[:-1]).all()
    file.need(in_order, "it does not fit offsets.npy")
    pools = []
    for k in range(n_pools):
        which = np.arange(bounds[k], bounds[k + 1])
        known = (source[which] < len(sources[k])).all()
        file.need(known, "an atom is from a source that sources.json does not have")
        pools.append(
            Pool.of(n_constants, take(atoms, which), born[which], source[which], sources[k])
        )
    return pools


def _sources(saved: Value) -> list[Source]:
    sources = [
        Source(one["name"].text(), one["digest"].text(), one["examples"].integer())
        for one in saved.items()
    ]
    saved.need(sources, "is empty: there is no source of pins")
    return sources


def add_lists(file: Container, name: str, atoms: Lists) -> None:
    """Add the members of a list of atoms."""
    file.add_array(f"{name}_starts.npy", atoms.starts)
    file.add_array(f"{name}_constants.npy", atoms.constants)
