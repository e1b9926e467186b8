"""Count the atoms that each example misses, by which the paper decides (its *misses*).

Examples are transposed and cut into blocks of 32 words, so that the rows of a block that one atom
needs are short, contiguous and stay in cache for all atoms. The counts are bit-sliced: one bit
plane for each power of two, added to for 64 examples at a time.

The relations that an atom discriminates, ``φ ∈ dis(a, b)``, are computed for many of both at once.
Atoms are small and relations many, so atoms are lists of constants and relations are transposed:
the relations whose side contains ``φ`` are the OR of one row for each constant of ``φ``."""

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.memory import room
from atomlearn.sets.rows import Lists, Rows
from atomlearn.sets.words import ONE, ZERO, clear, lowest, size, transpose_into
from atomlearn.typing import Bits, Floats, Integers

BLOCK = 32
"""Number of words in a block, for 2,048 examples."""

PLANES = 28
"""Number of bit planes of a count, which stays below ``2 ** PLANES``."""

Blocks = npt.NDArray[np.uint64]
"""Transposed examples of shape ``(n_blocks, n_constants, BLOCK)``."""


def blocks_of(examples: Rows, n_constants: int) -> Blocks:
    """Transpose packed examples into blocks."""
    n_blocks = (len(examples) + BLOCK * 64 - 1) // (BLOCK * 64)
    blocks = room((n_blocks, n_constants, BLOCK))
    square = np.empty(64, dtype=np.uint64)
    for b, block in enumerate(blocks):
        transpose_into(examples[b * BLOCK * 64 : (b + 1) * BLOCK * 64], block, square)
    return blocks


def count_misses(atoms: Lists, blocks: Blocks, n_examples: int) -> npt.NDArray[np.int32]:
    """Return for each example the number of atoms none of whose constants it has.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.sets.rows import to_lists
    >>> atoms = to_lists(rows.from_indices([[0, 1], [2]], 3))
    >>> count_misses(atoms, blocks_of(rows.from_indices([[0], [1, 2], []], 3), 3), 3).tolist()
    [1, 0, 2]
    """
    counts = np.zeros(len(blocks) * BLOCK * 64, dtype=np.int32)
    held, carry = np.empty((2, BLOCK), dtype=np.uint64)
    small = np.zeros((4, BLOCK), dtype=np.uint64)  # counts up to 15, added to the planes in one go
    planes = np.empty((PLANES, BLOCK), dtype=np.uint64)
    add_misses(atoms, blocks, counts, held, carry, small, planes)
    return counts[:n_examples]


def missed_by(atoms: Lists, blocks: Blocks, n_examples: int) -> Integers:
    """Return for each atom the number of examples that miss it."""
    held_by = np.zeros(atoms.n, dtype=np.int64)
    add_holders(atoms, blocks, held_by, np.empty(BLOCK, dtype=np.uint64))
    return n_examples - held_by


def containing(atoms: Lists, columns: Rows) -> Rows:
    """Return for each atom the packed set of the examples that have one of its constants.

    ``columns`` are the examples transposed: for each constant, those that have it.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.sets.rows import lists_of
    >>> columns = rows.from_indices([[0], [1], [1]], 2)
    >>> containing(lists_of([[0, 1], [2]]), columns).tolist()
    [[3], [2]]
    """
    out = np.empty((atoms.n, columns.shape[1]), dtype=np.uint64)
    hold_each(atoms, columns[None], out)
    return out


def typical_misses(misses: npt.NDArray[np.int32], labels: Integers) -> Floats:
    """Return the median number of misses of the counterexamples of each class.

    ``misses`` are by example and class.

    >>> typical_misses(np.array([[0, 5], [4, 0], [6, 0]]), np.array([0, 1, 1])).tolist()
    [5.0, 5.0]
    """
    others = [misses[labels != k, k] for k in range(misses.shape[1])]
    return np.array([float(np.median(ours)) if len(ours) else 0.0 for ours in others])


@helper
def hold(atoms: Lists, k: int, blocks: Blocks, b: int, held: Rows) -> None:
    """Write the examples of a block that have one of the constants of atom ``k``."""
    for w in range(held.shape[0]):
        held[w] = ZERO
    for p in range(atoms.starts[k], atoms.starts[k + 1]):
        c = atoms.constants[p]
        for w in range(held.shape[0]):
            held[w] |= blocks[b, c, w]


@kernel
def hold_each(atoms: Lists, blocks: Blocks, out: Rows) -> None:
    """Write for each atom the examples of the only block that have one of its constants."""
    only = blocks.shape[0] - 1
    for k in range(out.shape[0]):
        hold(atoms, k, blocks, only, out[k])


@kernel
def add_misses(
    atoms: Lists,
    blocks: Blocks,
    counts: npt.NDArray[np.int32],
    held: Rows,
    carry: Rows,
    small: Rows,
    planes: Rows,
) -> None:
    """Add to the counts, block by block."""
    n_atoms = atoms.starts.shape[0] - 1
    for b in range(blocks.shape[0]):
        for q in range(PLANES):
            for w in range(BLOCK):
                planes[q, w] = ZERO
        pending = 0
        for k in range(n_atoms):
            hold(atoms, k, blocks, b, held)
            for w in range(BLOCK):  # add one for each example that misses
                ones = ~held[w]
                twos = small[0, w] & ones
                fours = small[1, w] & twos
                eights = small[2, w] & fours
                small[0, w] ^= ones
                small[1, w] ^= twos
                small[2, w] ^= fours
                small[3, w] ^= eights
            pending += 1
            if pending == 15 or k == n_atoms - 1:
                add_small(small, planes, carry)
                pending = 0
        for w in range(BLOCK):
            for q in range(PLANES):
                word = planes[q, w]
                while word != ZERO:
                    counts[(b * BLOCK + w) * 64 + lowest(word)] += 1 << q
                    word &= word - ONE


@kernel
def add_holders(atoms: Lists, blocks: Blocks, counts: Integers, held: Rows) -> None:
    """Add for each atom the number of examples that have one of its constants."""
    for b in range(blocks.shape[0]):
        for k in range(counts.shape[0]):
            hold(atoms, k, blocks, b, held)
            counts[k] += size(held)


@helper
def add_small(small: Rows, planes: Rows, carry: Rows) -> None:
    """Add the small counters to the planes and clear them."""
    clear(carry)
    for q in range(small.shape[0]):
        for w in range(BLOCK):
            plane, bit = planes[q, w], small[q, w]
            planes[q, w] = plane ^ bit ^ carry[w]
            carry[w] = (plane & bit) | (carry[w] & (plane | bit))
            small[q, w] = ZERO
    q = small.shape[0]
    left = ~ZERO
    while left != ZERO:
        left = ZERO
        for w in range(BLOCK):
            overflow = planes[q, w] & carry[w]
            planes[q, w] ^= carry[w]
            carry[w] = overflow
            left |= overflow
        q += 1


def discriminants(atoms: Lists, left_of: Rows, right_of: Rows) -> Rows:
    """Return the relations that each atom discriminates, as an array of atoms × relations."""
    out = np.empty((atoms.n, left_of.shape[1]), dtype=np.uint64)
    held = np.empty(left_of.shape[1], dtype=np.uint64)
    discriminate(atoms, left_of, right_of[None], _occupied(left_of), held, out)
    return out


def contradicted(atoms: Lists, left_of: Rows, right_of: Rows) -> Bits:
    """Return which atoms discriminate any of the positive relations, and thereby contradict it."""
    out = np.empty(atoms.n, dtype=np.bool_)
    held = np.empty(left_of.shape[1], dtype=np.uint64)
    discriminate_any(atoms, left_of, right_of[None], _occupied(left_of), held, out)
    return out


def _occupied(rows: Rows) -> Bits:
    return np.asarray(rows.any(axis=1))


@kernel
def discriminate(
    atoms: Lists, left_of: Rows, right_of: Blocks, on_left: Bits, below_right: Rows, out: Rows
) -> None:
    """Write for each atom the bitset of the relations it discriminates."""
    only = right_of.shape[0] - 1
    for k in range(out.shape[0]):
        hold(atoms, k, right_of, only, below_right)
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
    atoms: Lists, left_of: Rows, right_of: Blocks, on_left: Bits, below_right: Rows, out: Bits
) -> None:
    """Write for each atom whether it discriminates any relation."""
    only = right_of.shape[0] - 1
    for k in range(out.shape[0]):
        hold(atoms, k, right_of, only, below_right)
        found = ZERO
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            if on_left[c]:
                for w in range(below_right.shape[0]):
                    found |= left_of[c, w] & ~below_right[w]
        out[k] = found != ZERO
