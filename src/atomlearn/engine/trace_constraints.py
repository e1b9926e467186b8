"""Algorithms 1 and 2: atoms are added to the master until all trace constraints hold.

Every atom added is a singleton ``{c}``, one bit. ``traces`` holds ``Tr(c)`` of all constants, so
that ``Tr(x)`` of a term is the intersection over its constants.
"""

import numpy as np

from atomlearn.engine.state import Dual
from atomlearn.sets.jit import allocating_helper, allocating_kernel, helper
from atomlearn.sets.random import Stream, below
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import FULL, ONE, ZERO, bit_of, lowest, put, select, size, tail

HOLD = -1
"""Return value of both algorithms when all constraints hold."""


@allocating_kernel
def enforce_negative(
    left: Rows, right: Rows, dual: Dual, singles: Rows, traces: Rows, rng: Stream
) -> int:
    """Make ``Tr(b) ⊄ Tr(a)`` for each ``¬(a < b)`` (Algorithm 1).

    Returns a relation that no witness separates, so that one can be added, or ``HOLD``.
    """
    above_a = np.empty(traces.shape[1], dtype=np.uint64)
    above_b = np.empty(traces.shape[1], dtype=np.uint64)
    known = -1  # the relation whose Tr(b) is still right: pinning relations share their terms
    for j in range(left.shape[0]):
        trace_of(left, j, dual.witnesses.shape[0], traces, above_a)
        if known < 0 or not same_row(right, j, known):
            trace_of(right, j, dual.witnesses.shape[0], traces, above_b)
            known = j
        if (above_b & ~above_a).any():
            continue
        c = strongly_discriminant_constant(left[j], above_b, dual, rng)
        if c < 0:
            return j
        put(singles, c)
        traces[c] &= dual.witnesses_of[c]
        known = -1
    return HOLD


@helper
def same_row(table: Rows, i: int, j: int) -> bool:
    """Return whether two rows are equal."""
    differing = ZERO
    for w in range(table.shape[1]):
        differing |= table[i, w] ^ table[j, w]
    return differing == ZERO


@allocating_helper
def strongly_discriminant_constant(a: Rows, above_b: Rows, dual: Dual, rng: Stream) -> int:
    """Return a constant of ``a`` outside some witness above ``b``, or ``-1`` if there is none."""
    candidates = above_b.copy()
    todo = size(candidates)
    while todo > 0:
        zeta = select(candidates, below(rng, todo))
        candidates[zeta >> 6] &= ~bit_of(zeta)
        todo -= 1
        outside = a & ~dual.witnesses[zeta]
        n = size(outside)
        if n > 0:
            return select(outside, below(rng, n))
    return -1


@allocating_kernel
def enforce_positive(
    left: Rows, right: Rows, dual: Dual, singles: Rows, traces: Rows, rng: Stream
) -> int:
    """Make ``Tr(e) ⊂ Tr(d)`` for each ``d < e`` (Algorithm 2).

    Returns a relation under which some witness is not closed (the paper's edge ``ζ → [d]``, which
    closed witnesses never need), or ``HOLD``.
    """
    above_d = np.empty(traces.shape[1], dtype=np.uint64)
    above_e = np.empty(traces.shape[1], dtype=np.uint64)
    for i in range(left.shape[0]):
        trace_of(left, i, dual.witnesses.shape[0], traces, above_d)
        trace_of(right, i, dual.witnesses.shape[0], traces, above_e)
        excess = above_e & ~above_d
        todo = size(excess)
        while todo > 0:
            zeta = select(excess, below(rng, todo))
            outside = right[i] & ~dual.witnesses[zeta]
            n = size(outside)
            if n == 0:
                return i
            c = select(outside, below(rng, n))
            put(singles, c)
            traces[c] &= dual.witnesses_of[c]
            # What the new atom takes from Tr(d), if it lies below d, it takes from Tr(e) too.
            excess &= dual.witnesses_of[c]
            todo = size(excess)
    return HOLD


@helper
def trace_of(terms: Rows, i: int, n_witnesses: int, traces: Rows, out: Rows) -> None:
    """Write ``Tr(x)`` of the ``i``-th term."""
    for t in range(out.shape[0]):
        out[t] = FULL
    if out.shape[0] > 0:
        out[-1] = tail(n_witnesses)
    for w in range(terms.shape[1]):
        word = terms[i, w]
        while word != ZERO:
            c = w * 64 + lowest(word)
            word &= word - ONE
            for t in range(out.shape[0]):
                out[t] &= traces[c, t]
