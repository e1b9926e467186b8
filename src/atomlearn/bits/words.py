"""Counting and picking members of a packed row inside compiled code, without unpacking it."""

import numpy as np

from atomlearn.bits.jit import kernel

ONE = np.uint64(1)
ZERO = np.uint64(0)
FULL = ~np.uint64(0)

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@kernel
def popcount(word):  # type: ignore[no-untyped-def]
    """Members in one word (LLVM turns this idiom into the processor's own instruction)."""
    word = word - ((word >> _S1) & _M1)
    word = (word & _M2) + ((word >> _S2) & _M2)
    word = (word + (word >> _S4)) & _M4
    return np.int64((word * _H01) >> _S56)


@kernel
def lowest(word):  # type: ignore[no-untyped-def]
    """The smallest member of a word that is not empty."""
    return popcount((word & (~word + ONE)) - ONE)


@kernel
def nth(word, n):  # type: ignore[no-untyped-def]
    """The member of a word with ``n`` smaller ones."""
    for _ in range(n):
        word &= word - ONE
    return lowest(word)


@kernel
def has(row, i):  # type: ignore[no-untyped-def]
    """Is ``i`` in the row?"""
    return (row[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO


@kernel
def put(row, i):  # type: ignore[no-untyped-def]
    """Add ``i`` to the row."""
    row[i >> 6] |= ONE << np.uint64(i & 63)


@kernel
def size(row):  # type: ignore[no-untyped-def]
    """Members of a row."""
    total = 0
    for w in range(row.shape[0]):
        total += popcount(row[w])
    return total


@kernel
def select(row, n):  # type: ignore[no-untyped-def]
    """The member of a row with ``n`` smaller ones; ``-1`` if there are not so many."""
    for w in range(row.shape[0]):
        inside = popcount(row[w])
        if n < inside:
            return w * 64 + nth(row[w], n)
        n -= inside
    return -1
