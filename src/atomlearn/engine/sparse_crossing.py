"""Algorithm 3: Sparse Crossing of ``a`` into ``b``.

Each atom ``φ`` of ``dis(a, b)`` is replaced by atoms ``ψ = φ ∪ ε`` with ``ε < b``, as few as keep
the trace of ``φ``: every witness ``ζ ∉ Tr(φ)`` must be missed by one of the chosen ``ε``. The
paper draws ``ε`` blindly, each once, and keeps those that help. A guided draw takes an uncovered
``ζ`` first, then an ``ε`` that misses it, so that every draw helps; the third way takes an ``ε``
that misses most of them. In bit form the paper's ``ε'`` is ``ε`` itself.

Two more readings of the paper are parameters: ``renewed`` looks up the atoms of ``b`` again for
each ``φ``, with those just made; ``needed`` deletes an ``ε`` whose successors alone keep its trace.

An atom is named by a number: composite atom ``k`` by ``k``, singleton ``{c}`` by ``-1 - c``.
"""

import numpy as np

from atomlearn.engine.state import Dual, Master, Positives
from atomlearn.sets.jit import allocating_helper, helper, kernel
from atomlearn.sets.random import Stream, below
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import (
    FULL,
    ONE,
    ZERO,
    bit_of,
    clear,
    copy_row,
    lowest,
    nth,
    popcount,
    put,
    select,
    size,
    tail,
)  # fmt: skip
from atomlearn.typing import Bits

NONE = 1 << 62
"""The name of no atom."""

DRAWS = ("guided", "blind", "fewest")
"""The ways to draw a partner; a kernel is given the position."""


@kernel
def cross_until(
    limit: int,
    first: int,
    positives: Positives,
    dual: Dual,
    master: Master,
    rng: Stream,
    budget: int,
    draws: int,
    renewed: bool,
    needed: bool,
) -> tuple[int, Master, int]:
    """Cross the positive relations from ``first`` on, until there are more than ``limit`` atoms.

    Crossing also pauses after about ``budget`` words; continuing from there gives the same atoms as
    without a pause. Returns the relation to continue with (the number of relations when none is
    left; ``-1 - i`` if the trace constraint of relation ``i`` does not hold), the master, whose
    arrays may have grown, and the number of words written.
    """
    left, right, left_of, right_of = positives
    witnesses, witnesses_of = dual
    singles, atoms, traces, lefts, rights, n = master
    room = atoms.shape[0]
    phi_row = np.empty(atoms.shape[1], dtype=np.uint64)
    phi_trace = np.empty(traces.shape[1], dtype=np.uint64)
    phi_left = np.empty(lefts.shape[1], dtype=np.uint64)
    phi_right = np.empty(rights.shape[1], dtype=np.uint64)
    uncovered = np.empty(traces.shape[1], dtype=np.uint64)
    # For the 64 relations of one word: those an atom violates, and those whose right side holds it.
    violates = np.empty(room, dtype=np.uint64)
    is_below = np.empty(room, dtype=np.uint64)
    # By witness, the composite atoms that miss it; and the composite atoms of the current b.
    missing = np.zeros((witnesses.shape[0], (room + 63) >> 6), dtype=np.uint64)
    for k in range(n):
        note_missing(k, traces, missing)
    partners = np.zeros((room + 63) >> 6, dtype=np.uint64)
    # What blind draws have left of the atoms of b: composites, and singletons.
    untried = np.zeros((room + 63) >> 6, dtype=np.uint64)
    untried_singles = np.zeros(singles.shape[0], dtype=np.uint64)
    discriminant = np.empty(room + left_of.shape[0], dtype=np.int64)
    # By partner, whether it was used, and what the traces of all its φ share.
    used = np.zeros(room if needed else 0, dtype=np.bool_)
    used_singles = np.zeros(left_of.shape[0] if needed else 0, dtype=np.bool_)
    shared = np.empty((room if needed else 1, traces.shape[1]), dtype=np.uint64)
    shared_singles = np.empty((used_singles.shape[0], traces.shape[1]), dtype=np.uint64)
    blind = draws == 1
    words = 0
    work = 0
    word = -1
    violated = ZERO

    for i in range(first, right.shape[0]):
        if n > limit or work > budget:
            return i, Master(singles, atoms, traces, lefts, rights, n), words
        if i >> 6 != word:
            word = i >> 6
            violated = ZERO
            for k in range(n):
                is_below[k] = rights[k, word]
                violates[k] = lefts[k, word] & ~rights[k, word]
                violated |= violates[k]

        # A = dis(a, b), before any atom is replaced.
        n_dis = 0
        work += left.shape[1]
        for w in range(left.shape[1]):
            outside = left[i, w] & singles[w] & ~right[i, w]
            while outside != ZERO:
                discriminant[n_dis] = -1 - (w * 64 + lowest(outside))
                n_dis += 1
                outside &= outside - ONE
        if violated & bit_of(i) != ZERO:
            for k in range(n):
                if violates[k] & bit_of(i) != ZERO:
                    discriminant[n_dis] = k
                    n_dis += 1
        if n_dis == 0:
            continue

        # B = GLᵃ(b), fixed too: the successors do not count as atoms of b until all are there,
        # unless B is renewed.
        n_before = n_partners = n
        work += 2 * n
        for q in range((n + 63) >> 6):
            partners[q] = ZERO
        for k in range(n):
            partners[k >> 6] |= ((is_below[k] >> np.uint64(i & 63)) & ONE) << np.uint64(k & 63)

        for j in range(n_dis):
            phi = discriminant[j]
            if phi >= 0:
                copy(atoms, phi, phi_row)
                copy(traces, phi, phi_trace)
                copy(lefts, phi, phi_left)
                copy(rights, phi, phi_right)
            else:
                c = -1 - phi
                singles[c >> 6] &= ~bit_of(c)
                clear(phi_row)
                put(phi_row, c)
                copy(witnesses_of, c, phi_trace)
                copy(left_of, c, phi_left)
                copy(right_of, c, phi_right)

            # Δ: the witnesses that the successors of φ have still to miss.
            complement(phi_trace, witnesses.shape[0], uncovered)
            todo = size(uncovered)
            replaced = False
            n_first = n
            if blind:
                for q in range((n_partners + 63) >> 6):
                    untried[q] = partners[q]
                for w in range(singles.shape[0]):
                    untried_singles[w] = right[i, w] & singles[w]
            while todo > 0 or not replaced:
                work += 2 * (singles.shape[0] + (n_partners >> 6)) + 4 * traces.shape[1]
                if blind:
                    epsilon = draw_untried(untried, n_partners, untried_singles, rng)
                elif draws == 2:
                    epsilon = draw_best(
                        right, i, singles, partners, n_partners, dual, traces, uncovered, rng
                    )
                else:
                    zeta = select(uncovered, below(rng, todo)) if todo > 0 else -1
                    epsilon = draw_partner(
                        right, i, singles, partners, n_partners, witnesses, missing, zeta, rng
                    )
                if epsilon == NONE:
                    break
                if blind and todo > 0:
                    helps = (
                        misses_any(uncovered, traces, epsilon)
                        if epsilon >= 0
                        else misses_any(uncovered, witnesses_of, -1 - epsilon)
                    )
                    if not helps:
                        continue
                if replaced or phi < 0:
                    if n == room:
                        room *= 2
                        atoms, traces = taller(atoms), taller(traces)
                        lefts, rights = taller(lefts), taller(rights)
                        violates, is_below = longer(violates, room), longer(is_below, room)
                        missing = wider(missing, (room + 63) >> 6)
                        partners = longer(partners, (room + 63) >> 6)
                        untried = longer(untried, (room + 63) >> 6)
                        if needed:
                            shared = taller(shared)
                            more = np.zeros(room, dtype=np.bool_)
                            for k in range(used.shape[0]):  # a slice would compile for seconds
                                more[k] = used[k]
                            used = more
                    psi = n
                    n += 1
                else:
                    psi = phi  # the first successor takes the place of φ
                replaced = True
                if needed:
                    if epsilon >= 0:
                        note_shared(epsilon, used, phi_trace, shared)
                    else:
                        note_shared(-1 - epsilon, used_singles, phi_trace, shared_singles)
                # Relations of earlier words are done with: their bits are never read again.
                if epsilon >= 0:
                    join(phi_row, atoms, epsilon, 0, atoms, psi)
                    join(phi_trace, traces, epsilon, 0, traces, psi)
                    join(phi_left, lefts, epsilon, word, lefts, psi)
                    join(phi_right, rights, epsilon, word, rights, psi)
                    keep_common(uncovered, traces, epsilon)
                else:
                    c = -1 - epsilon
                    for w in range(phi_row.shape[0]):
                        atoms[psi, w] = phi_row[w]
                    atoms[psi, c >> 6] |= bit_of(c)
                    join(phi_trace, witnesses_of, c, 0, traces, psi)
                    join(phi_left, left_of, c, word, lefts, psi)
                    join(phi_right, right_of, c, word, rights, psi)
                    keep_common(uncovered, witnesses_of, c)
                if psi == phi:
                    unnote_missing(psi, phi_trace, traces, missing)
                else:
                    note_missing(psi, traces, missing)
                words += atoms.shape[1] + traces.shape[1] + 2 * (rights.shape[1] - word)
                todo = size(uncovered)
            if todo > 0:
                return -1 - i, Master(singles, atoms, traces, lefts, rights, n), words
            if not replaced and phi >= 0:  # b has no atoms, and φ says nothing: it goes
                for w in range(atoms.shape[1]):
                    atoms[phi, w] = ZERO
                for w in range(lefts.shape[1]):
                    lefts[phi, w] = ZERO
                    rights[phi, w] = ZERO
            if renewed:
                if replaced and phi >= 0:
                    partners[phi >> 6] |= bit_of(phi)
                for k in range(n_first, n):
                    if k & 63 == 0:
                        partners[k >> 6] = ZERO
                    partners[k >> 6] |= bit_of(k)
                n_partners = n

        if needed:  # an ε' only where the successors of ε alone would change its trace
            for k in range(n_partners):
                if used[k]:
                    used[k] = False
                    if within(shared, k, traces, k):
                        copy(traces, k, phi_trace)
                        for w in range(traces.shape[1]):
                            traces[k, w] = FULL
                        if traces.shape[1] > 0:
                            traces[k, -1] = tail(witnesses.shape[0])
                        unnote_missing(k, phi_trace, traces, missing)
                        for w in range(atoms.shape[1]):
                            atoms[k, w] = ZERO
                        for w in range(lefts.shape[1]):
                            lefts[k, w] = ZERO
                            rights[k, w] = ZERO
                        is_below[k] = violates[k] = ZERO
            for c in range(used_singles.shape[0]):
                if used_singles[c]:
                    used_singles[c] = False
                    if within(shared_singles, c, witnesses_of, c):
                        singles[c >> 6] &= ~bit_of(c)

        for j in range(n_dis + n - n_before):
            k = discriminant[j] if j < n_dis else n_before + j - n_dis
            if k >= 0:
                is_below[k] = rights[k, word]
                violates[k] = lefts[k, word] & ~rights[k, word]
                violated |= violates[k]
        if discriminant.shape[0] < room + left_of.shape[0]:
            discriminant = np.empty(room + left_of.shape[0], dtype=np.int64)
    return right.shape[0], Master(singles, atoms, traces, lefts, rights, n), words


@helper
def draw_partner(
    right: Rows,
    i: int,
    singles: Rows,
    partners: Rows,
    n: int,
    witnesses: Rows,
    missing: Rows,
    zeta: int,
    rng: Stream,
) -> int:
    """Draw an ``ε`` below ``b`` that misses ``ζ`` (any, if there is no ``ζ``), uniformly."""
    fitting = 0
    for w in range(singles.shape[0]):
        fitting += popcount(fitting_singles(right, i, singles, witnesses, zeta, w))
    n_singles = fitting
    for q in range((n + 63) >> 6):
        fitting += popcount(partners[q] & missing[zeta, q] if zeta >= 0 else partners[q])
    if fitting == 0:
        return NONE
    pick = below(rng, fitting)
    if pick < n_singles:
        for w in range(singles.shape[0]):
            word = fitting_singles(right, i, singles, witnesses, zeta, w)
            inside = popcount(word)
            if pick < inside:
                return -1 - (w * 64 + nth(word, pick))
            pick -= inside
    pick -= n_singles
    for q in range((n + 63) >> 6):
        word = partners[q] & missing[zeta, q] if zeta >= 0 else partners[q]
        inside = popcount(word)
        if pick < inside:
            return q * 64 + nth(word, pick)
        pick -= inside
    return NONE


@helper
def draw_untried(untried: Rows, n: int, singles: Rows, rng: Stream) -> int:
    """Draw an atom that was not drawn yet, and remove it."""
    n_singles = size(singles)
    left = n_singles
    for q in range((n + 63) >> 6):
        left += popcount(untried[q])
    if left == 0:
        return NONE
    pick = below(rng, left)
    if pick < n_singles:
        c = select(singles, pick)
        singles[c >> 6] &= ~bit_of(c)
        return -1 - c
    k = select(untried, pick - n_singles)
    untried[k >> 6] &= ~bit_of(k)
    return k


@allocating_helper
def draw_best(
    right: Rows,
    i: int,
    singles: Rows,
    partners: Rows,
    n: int,
    dual: Dual,
    traces: Rows,
    uncovered: Rows,
    rng: Stream,
) -> int:
    """Draw an ``ε`` below ``b`` that misses most witnesses of ``Δ``, uniformly among the best."""
    best = 1 if size(uncovered) > 0 else 0  # one that misses none does not help
    found = np.empty(64 * singles.shape[0] + n, dtype=np.int64)
    n_best = 0
    for w in range(singles.shape[0] + ((n + 63) >> 6)):
        q = w - singles.shape[0]
        word = partners[q] if q >= 0 else right[i, w] & singles[w]
        while word != ZERO:
            k = (q if q >= 0 else w) * 64 + lowest(word)
            word &= word - ONE
            missed = n_missed(uncovered, traces if q >= 0 else dual.witnesses_of, k)
            if missed > best:
                best, n_best = missed, 0
            if missed == best:
                found[n_best] = k if q >= 0 else -1 - k
                n_best += 1
    return found[below(rng, n_best)] if n_best > 0 else NONE


@helper
def n_missed(uncovered: Rows, table: Rows, k: int) -> int:
    """Count the witnesses of ``Δ`` outside the trace ``table[k]``."""
    missed = 0
    for w in range(uncovered.shape[0]):
        missed += popcount(uncovered[w] & ~table[k, w])
    return missed


@helper
def note_shared(k: int, used: Bits, trace: Rows, shared: Rows) -> None:
    """Note that a partner was used for an atom with this trace."""
    for w in range(trace.shape[0]):
        shared[k, w] = shared[k, w] & trace[w] if used[k] else trace[w]
    used[k] = True


@helper
def within(table: Rows, i: int, other: Rows, j: int) -> bool:
    """Return whether one row is a part of another."""
    outside = ZERO
    for w in range(table.shape[1]):
        outside |= table[i, w] & ~other[j, w]
    return outside == ZERO


@helper
def misses_any(uncovered: Rows, table: Rows, k: int) -> bool:
    """Return whether any witness of ``Δ`` is outside the trace ``table[k]``."""
    missed = ZERO
    for w in range(uncovered.shape[0]):
        missed |= uncovered[w] & ~table[k, w]
    return missed != ZERO


@helper
def fitting_singles(
    right: Rows, i: int, singles: Rows, witnesses: Rows, zeta: int, w: int
) -> np.uint64:
    """Return one word of the singletons ``{c}`` with ``c`` in ``b`` and outside witness ``ζ``."""
    word = right[i, w] & singles[w]
    return word & ~witnesses[zeta, w] if zeta >= 0 else word


@helper
def note_missing(k: int, traces: Rows, missing: Rows) -> None:
    """Add atom ``k`` to the entry of every witness outside its trace."""
    for w in range(traces.shape[1]):
        rest = ~traces[k, w]
        if w == traces.shape[1] - 1:
            rest &= tail(missing.shape[0])
        while rest != ZERO:
            missing[w * 64 + lowest(rest), k >> 6] |= bit_of(k)
            rest &= rest - ONE


@helper
def unnote_missing(k: int, before: Rows, traces: Rows, missing: Rows) -> None:
    """Remove atom ``k`` from the entries of witnesses that have joined its trace."""
    for w in range(traces.shape[1]):
        rest = traces[k, w] & ~before[w]
        while rest != ZERO:
            missing[w * 64 + lowest(rest), k >> 6] &= ~bit_of(k)
            rest &= rest - ONE


@kernel
def complement(trace: Rows, n_witnesses: int, out: Rows) -> None:
    """Write the witnesses that are not in the trace."""
    for w in range(out.shape[0]):
        out[w] = ~trace[w]
    if out.shape[0] > 0:
        out[-1] &= tail(n_witnesses)


@helper
def copy(table: Rows, k: int, out: Rows) -> None:
    """Write row ``k`` of a table."""
    for w in range(out.shape[0]):
        out[w] = table[k, w]


@helper
def join(row: Rows, table: Rows, k: int, start: int, out: Rows, m: int) -> None:
    """Write ``row ∪ table[k]`` to ``out[m]`` from word ``start`` on."""
    for w in range(start, row.shape[0]):
        out[m, w] = row[w] | table[k, w]


@helper
def keep_common(row: Rows, table: Rows, k: int) -> None:
    """Intersect the row with ``table[k]``."""
    for w in range(row.shape[0]):
        row[w] &= table[k, w]


@allocating_helper
def taller(table: Rows) -> Rows:
    """Return the same rows with room for twice as many."""
    more = np.empty((2 * table.shape[0], table.shape[1]), dtype=np.uint64)
    for k in range(table.shape[0]):
        copy_row(table, k, more, k)
    return more


@allocating_helper
def longer(row: Rows, n: int) -> Rows:
    """Return the same words with room for ``n``."""
    more = np.empty(n, dtype=np.uint64)
    for w in range(row.shape[0]):
        more[w] = row[w]
    return more


@allocating_helper
def wider(table: Rows, n_words: int) -> Rows:
    """Return the same sets over a larger universe."""
    more = np.zeros((table.shape[0], n_words), dtype=np.uint64)
    for k in range(table.shape[0]):
        copy_row(table, k, more, k)
    return more
