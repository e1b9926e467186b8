"""Packed rows inside compiled code: counting and picking members, transposing matrices."""

from typing import cast

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import helper, kernel, unrolled_kernel
from atomlearn.sets.memory import ROWS_AT_ONCE, room_for
from atomlearn.sets.rows import Rows
from atomlearn.typing import Floats, Integers

ONE = np.uint64(1)
ZERO = np.uint64(0)
FULL = ~np.uint64(0)
FIRST = cast(int, np.int64(0))
"""Zero as a number like any other. To Numba a literal is a type of its own, for which it would
compile helpers once more."""

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@helper
def popcount(word: np.uint64) -> int:
    """Count the members of one word (LLVM compiles this idiom to one instruction)."""
    word = word - ((word >> _S1) & _M1)
    word = (word & _M2) + ((word >> _S2) & _M2)
    word = (word + (word >> _S4)) & _M4
    return np.int64((word * _H01) >> _S56)  # type: ignore[return-value]


@helper
def lowest(word: np.uint64) -> int:
    """Return the smallest member of a word that is not empty."""
    return popcount((word & (~word + ONE)) - ONE)


@helper
def nth(word: np.uint64, n: int) -> int:
    """Return the member of a word with ``n`` smaller ones."""
    for _ in range(n):
        word &= word - ONE
    return lowest(word)


@helper
def bit_of(i: int) -> np.uint64:
    """Return the word with the bit of ``i`` alone."""
    return ONE << np.uint64(i & 63)


@helper
def tail(n: int) -> np.uint64:
    """Return the bits in use of the last word of a row over ``n`` (all if ``n`` fills it)."""
    return (ONE << np.uint64(n & 63)) - ONE if n & 63 else FULL


@helper
def has(row: Rows, i: int) -> bool:
    """Return whether ``i`` is in the row."""
    return row[i >> 6] & bit_of(i) != ZERO


@helper
def clear(row: Rows) -> None:
    """Empty the row."""
    for w in range(row.shape[0]):
        row[w] = ZERO


@helper
def copy_row(source: Rows, i: int, target: Rows, j: int) -> None:
    """Copy row ``i`` of a matrix to row ``j`` of another (a slice would compile for seconds)."""
    for w in range(source.shape[1]):
        target[j, w] = source[i, w]


@helper
def put(row: Rows, i: int) -> None:
    """Add ``i`` to the row."""
    row[i >> 6] |= bit_of(i)


@kernel
def size(row: Rows) -> int:
    """Count the members of a row."""
    total = 0
    for w in range(row.shape[0]):
        total += popcount(row[w])
    return total


@helper
def select(row: Rows, n: int) -> int:
    """Return the member of a row with ``n`` smaller ones, or ``-1`` if there are too few."""
    for w in range(row.shape[0]):
        inside = popcount(row[w])
        if n < inside:
            return w * 64 + nth(row[w], n)
        n -= inside
    return -1


def sum_members(rows: Rows, values: Floats) -> Floats:
    """Add up the values of the members of each row, in order."""
    sums = np.zeros(len(rows))
    add_members(rows, values, sums)
    return sums


@kernel
def add_members(rows: Rows, values: Floats, sums: Floats) -> None:
    """Add to each sum the values of the members of a row, in order."""
    for i in range(rows.shape[0]):
        for w in range(rows.shape[1]):
            word = rows[i, w]
            while word != ZERO:
                sums[i] += values[w * 64 + lowest(word)]
                word &= word - ONE


def greedy_cover(rows: Rows, sizes: Integers, members: Rows, most: int) -> Integers:
    """Choose up to ``most`` rows, each with most of the ``members`` that no earlier one has.

    Of rows with equally many, the first of the smallest ``sizes`` is chosen.
    """
    chosen = np.empty(min(most, len(rows)), dtype=np.int64)
    bound = np.full(len(rows), 64 * len(members))
    return chosen[: choose_greedily(rows, sizes, members.copy(), bound, chosen)]


@kernel
def choose_greedily(
    rows: Rows, sizes: Integers, left: Rows, bound: Integers, chosen: Integers
) -> int:
    """Choose rows until nothing is ``left``, and return their number.

    The ``bound`` of a row is at least the number of members that it would add.
    """
    for n in range(chosen.shape[0]):
        best, gained = -1, 0
        for k in range(rows.shape[0]):
            if bound[k] == 0 or bound[k] < gained:
                continue
            bound[k] = 0  # it only falls as rows are chosen, so most need not be counted again
            for w in range(left.shape[0]):
                bound[k] += popcount(rows[k, w] & left[w])
            if bound[k] > gained or (bound[k] == gained > 0 and sizes[k] < sizes[best]):
                best, gained = k, bound[k]
        if best < 0:
            return n
        chosen[n] = best
        for w in range(left.shape[0]):
            left[w] &= ~rows[best, w]
    return chosen.shape[0]


@kernel
def write_members(rows: Rows, out: npt.NDArray[np.int32]) -> None:
    """Write the members of each row in turn."""
    p = 0
    for k in range(rows.shape[0]):
        for w in range(rows.shape[1]):
            word = rows[k, w]
            while word != ZERO:
                out[p] = w * 64 + lowest(word)
                p += 1
                word &= word - ONE


def transpose(rows: Rows, n: int) -> Rows:
    """Return the matrix with one row for each of the ``n`` members: the rows that contain it.

    >>> from atomlearn.sets.rows import from_indices, members
    >>> [members(r).tolist() for r in transpose(from_indices([[0, 2], [2]], 3), 3)]
    [[0], [], [0, 1]]
    """
    out = room_for(n, len(rows))
    transpose_into(rows, out, np.empty(64, dtype=np.uint64))
    return out


def transpose_some(rows: Rows, which: Integers | None, n: int) -> Rows:
    """Return the transpose of some rows, or of all, which are not copied as a whole."""
    out = room_for(n, len(rows) if which is None else len(which))
    for start in range(0, 64 * out.shape[1], ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        part = transpose(rows[some if which is None else which[some]], n)
        out[:, start // 64 : start // 64 + part.shape[1]] = part
    return out


@unrolled_kernel
def transpose_into(rows: Rows, out: Rows, block: Rows) -> None:
    """Write the transpose of ``rows`` to ``out`` (which has a row for each member)."""
    for top in range(0, rows.shape[0], 64):
        left = rows.shape[0] - top
        height = left if left < 64 else 64
        for w in range(rows.shape[1]):
            for r in range(height):
                block[r] = rows[top + r, w]
            for r in range(height, 64):
                block[r] = np.uint64(0)
            flip(block)
            left = out.shape[0] - w * 64
            for r in range(left if left < 64 else 64):
                out[w * 64 + r, top >> 6] = block[r]


@helper
def flip(block: Rows) -> None:
    """Transpose one block of 64 words in place: swap halves, quarters, and so on to single bits."""
    step = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while step != 0:
        k = 0
        while k < 64:
            shift = np.uint64(step)
            moved = ((block[k] >> shift) ^ block[k + step]) & mask
            block[k] ^= moved << shift
            block[k + step] ^= moved
            k = (k + step + 1) & ~step
        step >>= 1
        mask = mask ^ (mask << np.uint64(step))
