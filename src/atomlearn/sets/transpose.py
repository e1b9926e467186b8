"""Transposition of bit matrices in blocks of 64 × 64 (Warren, *Hacker's Delight*, section 7-3)."""

import numpy as np

from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Rows, empty


def transpose(rows: Rows, n: int) -> Rows:
    """The matrix with one row for each of the ``n`` members, telling which rows hold it.

    >>> from atomlearn.sets.rows import from_indices, members
    >>> [members(r).tolist() for r in transpose(from_indices([[0, 2], [2]], 3), 3)]
    [[0], [], [0, 1]]
    """
    out = empty(n, len(rows))
    transpose_into(rows, out)
    return out


@kernel
def transpose_into(rows: Rows, out: Rows) -> None:
    """Write the transpose of ``rows`` to ``out`` (which has a row for each member)."""
    block = np.empty(64, dtype=np.uint64)
    for top in range(0, rows.shape[0], 64):
        height = min(64, rows.shape[0] - top)
        for w in range(rows.shape[1]):
            for r in range(height):
                block[r] = rows[top + r, w]
            for r in range(height, 64):
                block[r] = np.uint64(0)
            flip(block)
            for r in range(min(64, out.shape[0] - w * 64)):
                out[w * 64 + r, top >> 6] = block[r]


@kernel
def flip(block: Rows) -> None:
    """Transpose one block of 64 words in place: swap halves, quarters, ... single bits."""
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
