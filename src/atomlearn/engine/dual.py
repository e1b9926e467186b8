"""The dual: witnesses that separate the negative relations (Algorithm 5 and the covers).

A witness for ``¬(a < b)`` is a closed set that holds ``b`` and not all of ``a``: the closure of
``b``, or the pinning term of an atom that misses ``b`` and has a constant of ``a``.
"""

from typing import Literal

import numpy as np

from atomlearn.engine.misses import discriminants
from atomlearn.sets import rows
from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.random import Stream, below, permutation
from atomlearn.sets.rows import Lists, Rows, complement, distinct, to_lists
from atomlearn.sets.words import (
    FULL,
    ZERO,
    bit_of,
    copy_row,
    has,
    popcount,
    put,
    select,
    size,
    tail,
    transpose,
)
from atomlearn.typing import Integers

Cover = Literal["lazy", "greedy", "reduced", "every"]
"""How witnesses are chosen; see :class:`~atomlearn.engine.protocol.Protocol`."""


def cover(
    left: Rows, closed: Rows, pins: Lists, n_constants: int, rng: Stream, way: Cover = "lazy"
) -> Rows:
    """Choose witnesses for the negative relations ``¬(left[j] < closed[j])``.

    ``closed`` are the right-hand sides, closed under the positive relations; ``pins`` are atoms
    whose pinning terms are closed too. ``"greedy"`` takes the pins that separate most: few
    witnesses, and therefore a small master that can be read. ``"every"`` is the paper: a witness
    for each relation, then Algorithm 5.
    """
    separated = discriminants(pins, transpose(left, n_constants), transpose(closed, n_constants))
    separated_by = transpose(separated, len(left))
    chosen = np.empty(len(left), dtype=np.int64)
    if way == "every":
        draw_each(separated_by, chosen, rng)
    else:
        order, done = permutation(rng, len(left)), rows.row([], len(left))
        is_greedy = way == "greedy"
        n = lazy_cover(order, left, closed, separated, separated_by, is_greedy, done, chosen, rng)
        chosen = chosen[:n]
    witnesses = np.empty((len(chosen), closed.shape[1]), dtype=np.uint64)
    write_witnesses(chosen, closed, pins, n_constants, witnesses)
    if way == "every":
        witnesses = distinct(witnesses)
    if way in ("every", "reduced"):
        witnesses = reduce_dual(left, closed, witnesses, n_constants, rng)
    return witnesses


@kernel
def draw_each(separated_by: Rows, chosen: Integers, rng: Stream) -> None:
    """Draw a witness for each relation, from the pins that separate it and its own closure."""
    for j in range(separated_by.shape[0]):
        n_pins = size(separated_by[j])
        pick = below(rng, n_pins + 1)
        chosen[j] = select(separated_by[j], pick) if pick < n_pins else -1 - j


@kernel
def lazy_cover(
    order: Integers,
    left: Rows,
    closed: Rows,
    separated: Rows,
    separated_by: Rows,
    greedy: bool,
    done: Rows,
    chosen: Integers,
    rng: Stream,
) -> int:
    """Find a witness for each negative relation, in order, that no earlier witness separates.

    ``separated`` (pins × negatives) tells what a pin separates, ``separated_by`` is its transpose.
    The witness is drawn among the pins that separate the relation and the closure of its own right
    side. Writes what is ``chosen``, pin ``k`` as ``k``, the closure of relation ``j`` as
    ``-1 - j``, and returns how many there are.
    """
    n_chosen = 0
    for j in order:
        if has(done, j):
            continue
        n_pins = size(separated_by[j])
        pick = below(rng, n_pins + 1)
        if greedy and n_pins > 0:
            pick = most_separating(j, n_pins, separated, separated_by, done)
        if pick < n_pins:
            k = select(separated_by[j], pick)
            for w in range(done.shape[0]):
                done[w] |= separated[k, w]
            chosen[n_chosen] = k
        else:
            for i in range(left.shape[0]):
                if separates(closed, j, left, closed, i):
                    put(done, i)
            chosen[n_chosen] = -1 - j
        n_chosen += 1
    return n_chosen


@helper
def most_separating(j: int, n_pins: int, separated: Rows, separated_by: Rows, done: Rows) -> int:
    """Return the pin separating relation ``j`` that separates most relations not yet done."""
    best, most = 0, -1
    for pick in range(n_pins):
        k = select(separated_by[j], pick)
        new = 0
        for w in range(done.shape[0]):
            new += popcount(separated[k, w] & ~done[w])
        if new > most:
            best, most = pick, new
    return best


@helper
def separates(witnesses: Rows, z: int, left: Rows, right: Rows, i: int) -> bool:
    """Return whether the witness contains the right side of relation ``i`` but not the left."""
    outside = ZERO
    for w in range(witnesses.shape[1]):
        if right[i, w] & ~witnesses[z, w] != ZERO:
            return False
        outside |= left[i, w] & ~witnesses[z, w]
    return outside != ZERO


@kernel
def write_witnesses(
    chosen: Integers, closed: Rows, pins: Lists, n_constants: int, out: Rows
) -> None:
    """Write the closures and pinning terms that were chosen."""
    for z in range(chosen.shape[0]):
        k = chosen[z]
        if k < 0:
            copy_row(closed, -1 - k, out, z)
            continue
        for w in range(out.shape[1]):
            out[z, w] = FULL
        out[z, -1] = tail(n_constants)
        for p in range(pins.starts[k], pins.starts[k + 1]):
            c = pins.constants[p]
            out[z, c >> 6] &= ~bit_of(c)


def reduce_dual(left: Rows, right: Rows, witnesses: Rows, n_constants: int, rng: Stream) -> Rows:
    """Keep just enough witnesses for each negative relation, in random order (Algorithm 5)."""
    outside = to_lists(complement(witnesses, n_constants))
    separated = discriminants(outside, transpose(left, n_constants), transpose(right, n_constants))
    order = permutation(rng, len(left))
    return witnesses[keep_one_each(order, transpose(separated, len(left)), rng)]


def keep_one_each(order: Integers, by: Rows, rng: Stream) -> Integers:
    """Keep at least one member of each row: where none is kept yet, one at random."""
    kept = np.zeros(by.shape[1], dtype=np.uint64)
    add_one_each(order, by, kept, rng)
    return rows.members(kept)


@kernel
def add_one_each(order: Integers, by: Rows, kept: Rows, rng: Stream) -> None:
    """Add a member of each row to those kept, drawn at random, unless one is kept already."""
    for j in order:
        common = ZERO
        for w in range(kept.shape[0]):
            common |= by[j, w] & kept[w]
        if common == ZERO:
            n = size(by[j])
            if n > 0:
                put(kept, select(by[j], below(rng, n)))
