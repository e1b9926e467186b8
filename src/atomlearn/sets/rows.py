"""Sets of small integers as rows of ``uint64`` words (NumPy only, no compilation).

A matrix of sets has one row a set and ``width(n)`` words a row; member ``i`` is bit ``i % 64`` of
word ``i // 64``. Bits beyond the universe are always zero, so rows compare and hash as they are.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.typing import Bits, Integers

Rows = npt.NDArray[np.uint64]
"""A matrix of sets: ``(n_sets, words)``; also one row alone."""

WORD = 64


def width(n: int) -> int:
    """Return the number of words that hold ``n`` bits.

    >>> width(0), width(1), width(64), width(65)
    (0, 1, 1, 2)
    """
    return (n + WORD - 1) // WORD


def empty(n_rows: int, n: int) -> Rows:
    """Return ``n_rows`` empty sets over a universe of ``n``."""
    return np.zeros((n_rows, width(n)), dtype=np.uint64)


def row(members: Iterable[int], n: int) -> Rows:
    """Return one set as a row.

    >>> row([0, 3], 8)
    array([9], dtype=uint64)
    """
    return from_indices([list(members)], n)[0]


def from_indices(sets: Sequence[Sequence[int]], n: int) -> Rows:
    """Return many sets of indices as rows."""
    sizes = [len(s) for s in sets]
    members = np.fromiter((i for s in sets for i in s), dtype=np.int64, count=sum(sizes))
    return from_pairs(np.repeat(np.arange(len(sets)), sizes), members, len(sets), n)


def from_pairs(
    which: npt.NDArray[np.integer], members: npt.NDArray[np.integer], n_rows: int, n: int
) -> Rows:
    """Return rows in which ``members[i]`` is added to row ``which[i]``.

    >>> from_pairs(np.array([0, 0, 1]), np.array([0, 3, 1]), 2, 8).tolist()
    [[9], [2]]
    """
    rows = empty(n_rows, n)
    words = which * rows.shape[1] + members // WORD
    np.bitwise_or.at(rows.reshape(-1), words, np.uint64(1) << (members % WORD).astype(np.uint64))
    return rows


def pack(matrix: Bits) -> Rows:
    """Return rows from a boolean matrix ``(n_sets, n)``.

    >>> pack(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    n_rows, n = matrix.shape
    octets = np.zeros((n_rows, width(n) * 8), dtype=np.uint8)
    octets[:, : (n + 7) // 8] = np.packbits(matrix, axis=1, bitorder="little")
    return octets.view("<u8").astype(np.uint64, copy=False)


def without_full(rows: Rows, n: int) -> Rows:
    """Return the sets that lack a member: an atom of all ``n`` (the paper's 0) decides nothing."""
    some: Rows = rows[(rows != full(n)).any(axis=1)]
    return some


def pack_row(which: Bits) -> Rows:
    """Return one set as a row, from a truth value for each member."""
    return pack(which[None, :])[0]


def unpack(rows: Rows, n: int) -> Bits:
    """Return the boolean matrix of some rows; the inverse of :func:`pack`."""
    octets = np.ascontiguousarray(rows, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=n, bitorder="little").astype(np.bool_)


def members(one: Rows) -> Integers:
    """Return the members of one row, ascending.

    >>> members(row([70, 2], 80)).tolist()
    [2, 70]
    """
    return np.flatnonzero(unpack(one, one.size * WORD))


def count(rows: Rows) -> Integers:
    """Return the size of each set (along the last axis)."""
    return np.bitwise_count(rows).sum(axis=-1, dtype=np.int64)


def full(n: int) -> Rows:
    """Return the row with all ``n`` members.

    >>> full(66).tolist() == [2**64 - 1, 3]
    True
    """
    one = np.full(width(n), ~np.uint64(0), dtype=np.uint64)
    if n % WORD:
        one[-1] = (np.uint64(1) << np.uint64(n % WORD)) - np.uint64(1)
    return one


def complement(rows: Rows, n: int) -> Rows:
    """Return the complement of each set."""
    return ~rows & full(n)


def union(rows: Rows) -> Rows:
    """Return the union of all rows."""
    return np.bitwise_or.reduce(rows, axis=0)


def meets(rows: Rows, one: Rows) -> Bits:
    """Return which rows share a member with ``one``."""
    return np.asarray((rows & one).any(axis=-1))


def within(rows: Rows, one: Rows) -> Bits:
    """Return which rows are subsets of ``one``."""
    return np.asarray(~(rows & ~one).any(axis=-1))


def distinct(rows: Rows) -> Rows:
    """Return the distinct rows, in the order of their first occurrence."""
    if rows.shape[0] < 2 or rows.shape[1] == 0:
        return rows[:1]
    keys = np.ascontiguousarray(rows).view([("", np.uint64)] * rows.shape[1]).ravel()
    first = np.unique(keys, return_index=True)[1]
    return rows[np.sort(first)]


class Lists(NamedTuple):
    """Sets as lists: set ``k`` is ``constants[starts[k]:starts[k + 1]]``, ascending."""

    starts: Integers
    constants: npt.NDArray[np.int32]

    @property
    def n(self) -> int:
        """Number of sets."""
        return len(self.starts) - 1

    def members(self, k: int, below: int) -> list[int]:
        """Return the members of set ``k`` that are less than a number: an atom's literals, say."""
        return [
            c for c in self.constants[self.starts[k] : self.starts[k + 1]].tolist() if c < below
        ]

    def each(self, below: int) -> list[list[int]]:
        """Return those members of all sets.

        >>> Lists(np.array([0, 1, 3]), np.array([0, 0, 9], dtype=np.int32)).each(below=9)
        [[0], [0]]
        """
        return [self.members(k, below) for k in range(self.n)]


def lists_of(sets: Sequence[Sequence[int]]) -> Lists:
    """Return the lists of some sets.

    >>> lists_of([[0, 2], [], [1]])
    Lists(starts=array([0, 2, 2, 3]), constants=array([0, 2, 1], dtype=int32))
    """
    starts = _starts(np.fromiter(map(len, sets), np.int64, len(sets)))
    return Lists(starts, np.fromiter(chain.from_iterable(sets), np.int32, int(starts[-1])))


def no_lists() -> Lists:
    """Return lists of no set at all."""
    return lists_of([])


SETS_AT_ONCE = 1 << 14
"""Number of sets that are taken at a time, which bounds the memory for indices of members."""


def take(lists: Lists, which: Integers) -> Lists:
    """Return some of the sets, in the given order."""
    first = lists.starts[which]
    sizes = lists.starts[which + 1] - first
    starts = _starts(sizes)
    constants = np.empty(starts[-1], dtype=np.int32)
    for start in range(0, len(which), SETS_AT_ONCE):
        some = slice(start, start + SETS_AT_ONCE)
        bounds = starts[start : start + SETS_AT_ONCE + 1]
        places = np.arange(bounds[0], bounds[-1])
        places += np.repeat(first[some] - bounds[:-1], sizes[some])
        constants[bounds[0] : bounds[-1]] = lists.constants[places]
    return Lists(starts, constants)


def append(*lists: Lists) -> Lists:
    """Concatenate lists of sets."""
    ends = np.cumsum([0, *(ours.starts[-1] for ours in lists)])
    starts = [ours.starts[1:] + end for ours, end in zip(lists, ends, strict=False)]
    return Lists(
        np.concatenate([np.zeros(1, dtype=np.int64), *starts]),
        np.concatenate([np.zeros(0, dtype=np.int32), *(ours.constants for ours in lists)]),
    )


def united(which: Integers, constants: npt.NDArray[np.int32], n_lists: int) -> Lists:
    """Return lists of the constants that are added to each, in any order, some more than once.

    >>> united(np.array([2, 0, 2, 2]), np.array([7, 3, 1, 7], dtype=np.int32), 3)
    Lists(starts=array([0, 1, 1, 3]), constants=array([3, 1, 7], dtype=int32))
    """
    n_constants = int(constants.max(initial=0)) + 1
    pairs = np.sort(which * n_constants + constants)  # np.unique hashes, which is far slower here
    pairs = pairs[np.concatenate([np.ones(len(pairs[:1]), dtype=np.bool_), np.diff(pairs) > 0])]
    sizes = np.bincount(pairs // n_constants, minlength=n_lists)
    return Lists(_starts(sizes), (pairs % n_constants).astype(np.int32))


def to_rows(lists: Lists, n: int) -> Rows:
    """Return the sets as packed rows over ``n`` elements."""
    which = np.repeat(np.arange(lists.n), np.diff(lists.starts))
    return from_pairs(which, lists.constants, lists.n, n)


def to_lists(rows: Rows) -> Lists:
    """Return packed rows as lists."""
    from atomlearn.sets.words import write_members  # compiled: loaded by who needs it

    starts = _starts(count(rows))
    constants = np.empty(starts[-1], dtype=np.int32)
    write_members(rows, constants)
    return Lists(starts, constants)


def _starts(sizes: Integers) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
