"""Many sets as lists of their members, one after the other: short to read where sets are small."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Rows


class Lists(NamedTuple):
    """Set ``k`` is ``constants[starts[k]:starts[k + 1]]``, ascending."""

    starts: npt.NDArray[np.int64]
    constants: npt.NDArray[np.int32]

    @property
    def n(self) -> int:
        """How many sets there are."""
        return len(self.starts) - 1


def lists_of(sets: Sequence[Sequence[int]]) -> Lists:
    """The lists of some sets.

    >>> lists_of([[0, 2], [], [1]])
    Lists(starts=array([0, 2, 2, 3]), constants=array([0, 2, 1], dtype=int32))
    """
    starts = _starts(np.fromiter(map(len, sets), np.int64, len(sets)))
    return Lists(starts, np.fromiter(chain.from_iterable(sets), np.int32, int(starts[-1])))


def no_lists() -> Lists:
    """No set at all."""
    return lists_of([])


def take(lists: Lists, which: npt.NDArray[np.int64]) -> Lists:
    """Some of the sets, in the given order."""
    first = lists.starts[which]
    sizes = lists.starts[which + 1] - first
    starts = _starts(sizes)
    return Lists(
        starts, lists.constants[np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)]
    )


def append(lists: Lists, more: Lists) -> Lists:
    """All of these and all of those."""
    starts = np.concatenate([lists.starts, lists.starts[-1] + more.starts[1:]])
    return Lists(starts, np.concatenate([lists.constants, more.constants]))


def united(which: npt.NDArray[np.int64], constants: npt.NDArray[np.int32], n_lists: int) -> Lists:
    """Lists of the constants that are added to each, in any order, some more than once.

    >>> united(np.array([2, 0, 2, 2]), np.array([7, 3, 1, 7], dtype=np.int32), 3)
    Lists(starts=array([0, 1, 1, 3]), constants=array([3, 1, 7], dtype=int32))
    """
    n_constants = int(constants.max(initial=0)) + 1
    pairs = np.unique(which * n_constants + constants)
    sizes = np.bincount(pairs // n_constants, minlength=n_lists)
    return Lists(_starts(sizes), (pairs % n_constants).astype(np.int32))


def to_rows(lists: Lists, n: int) -> Rows:
    """The sets as packed rows over ``n`` elements."""
    which = np.repeat(np.arange(lists.n), np.diff(lists.starts))
    return bits.from_pairs(which, lists.constants, lists.n, n)


def to_lists(rows: Rows) -> Lists:
    """Packed rows as lists."""
    from atomlearn.sets.words import write_members  # compiled: loaded by who needs it

    starts = _starts(bits.count(rows))
    constants = np.empty(starts[-1], dtype=np.int32)
    write_members(rows, constants)
    return Lists(starts, constants)


def _starts(sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
