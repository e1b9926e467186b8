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

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.state import Dual, Master, Positives
from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.random import Stream, below
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import (
    FIRST,
    FULL,
    ONE,
    ZERO,
    bit_of,
    clear,
    lowest,
    nth,
    popcount,
    put,
    select,
    size,
    tail,
)  # fmt: skip
from atomlearn.typing import Bits, Integers

NONE = 1 << 62
"""The name of no atom."""

DRAWS = ("guided", "blind", "fewest")
"""The ways to draw a partner; a kernel is given the position."""


class Work(NamedTuple):
    """The arrays that crossing writes to besides the master."""

    row: Rows
    """The row of the atom ``φ`` that is replaced, its trace, and its sides."""
    trace: Rows
    left: Rows
    right: Rows
    uncovered: Rows
    """``Δ``: the witnesses that the successors of ``φ`` have still to miss."""
    violates: Rows
    is_below: Rows
    """For the 64 relations of one word: those an atom violates, and whose right side holds it."""
    partners: Rows
    """The composite atoms of the current ``b``."""
    missing: Rows
    """By witness, the composite atoms that miss it."""
    discriminant: Integers


class Untried(NamedTuple):
    """What blind draws have left of the atoms of ``b``: composites, and singletons."""

    composites: Rows
    singles: Rows


class Used(NamedTuple):
    """By partner, whether it was used, and what the traces of all its ``φ`` share."""

    composites: Bits
    singles: Bits
    shared: Rows
    shared_singles: Rows


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
    room, n_constants, n_words = len(master.atoms), len(positives.left_of), len(master.singles)
    n_traces = master.traces.shape[1]
    by_atom = (room + 63) // 64
    tables = (master.atoms, master.traces, master.lefts, master.rights)
    row, trace, left, right = (np.empty(table.shape[1], dtype=np.uint64) for table in tables)
    violates, is_below = np.empty((2, room), dtype=np.uint64)
    work = Work(
        row,
        trace,
        left,
        right,
        np.empty_like(trace),
        violates,
        is_below,
        np.zeros(by_atom, dtype=np.uint64),
        np.zeros((len(dual.witnesses), by_atom), dtype=np.uint64),
        np.empty(room + n_constants, dtype=np.int64),
    )
    # A way of drawing that is not asked for has no arrays, and is not compiled.
    untried = best = used = None
    if DRAWS[draws] == "blind":
        untried = Untried(np.zeros_like(work.partners), np.zeros_like(master.singles))
    elif DRAWS[draws] == "fewest":
        best = np.empty(64 * n_words + room, dtype=np.int64)
    if needed:
        used = Used(
            np.zeros(room, dtype=np.bool_),
            np.zeros(n_constants, dtype=np.bool_),
            np.empty((room, n_traces), dtype=np.uint64),
            np.empty((n_constants, n_traces), dtype=np.uint64),
        )
    place: tuple[int, ...] = (first, 0, master.n, 0, 0, 0, 0, 0, 0, 0, 0)
    while True:
        place = cross_some(
            place, limit, positives, dual, master, rng, budget, renewed, work, untried, best, used
        )
        if not place[-1]:
            return place[0], master._replace(n=place[2]), place[7]
        master = master._replace(
            atoms=_twice(master.atoms),
            traces=_twice(master.traces),
            lefts=_twice(master.lefts),
            rights=_twice(master.rights),
        )
        work = work._replace(
            violates=_twice(work.violates),
            is_below=_twice(work.is_below),
            partners=_twice(work.partners),
            missing=np.ascontiguousarray(_twice(work.missing.T).T),
            discriminant=_twice(work.discriminant),
        )
        if untried is not None:
            untried = untried._replace(composites=_twice(untried.composites))
        if best is not None:
            best = _twice(best)
        if used is not None:
            used = used._replace(composites=_twice(used.composites), shared=_twice(used.shared))


def _twice(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same rows with room for as many more."""
    return np.concatenate([table, np.zeros_like(table)])


@kernel
def cross_some(
    place: tuple[int, ...],
    limit: int,
    positives: Positives,
    dual: Dual,
    master: Master,
    rng: Stream,
    budget: int,
    renewed: bool,
    work: Work,
    untried: Untried | None,
    best: Integers | None,
    used: Used | None,
) -> tuple[int, ...]:
    """Cross relations until that is done, or there is no room for another atom.

    ``place`` says where to continue: at a relation, or in the middle of one. Returns the place that
    is reached.
    """
    left, right, left_of, right_of = positives
    witnesses, witnesses_of = dual
    singles, atoms, traces, lefts, rights, _ = master
    uncovered, violates, is_below, partners = (
        work.uncovered, work.violates, work.is_below, work.partners
    )  # fmt: skip
    i, j, n, n_dis, n_before, n_partners, n_first, words, spent, replaced, resumed = place
    word, violated = i >> 6, FULL
    if not resumed:
        word = -1
        for k in range(n):
            note_missing(k, traces, work.missing)

    while i < right.shape[0]:
        if not resumed:
            if n > limit or spent > budget:
                break
            if i >> 6 != word:
                word = i >> 6
                violated = ZERO
                for k in range(n):
                    violated |= note_sides(k, word, lefts, rights, is_below, violates)

            # A = dis(a, b), before any atom is replaced.
            n_dis = 0
            spent += left.shape[1]
            for w in range(left.shape[1]):
                outside = left[i, w] & singles[w] & ~right[i, w]
                while outside != ZERO:
                    work.discriminant[n_dis] = -1 - (w * 64 + lowest(outside))
                    n_dis += 1
                    outside &= outside - ONE
            if violated & bit_of(i) != ZERO:
                for k in range(n):
                    if violates[k] & bit_of(i) != ZERO:
                        work.discriminant[n_dis] = k
                        n_dis += 1
            if n_dis == 0:
                i += 1
                continue

            # B = GLᵃ(b), fixed too: the successors do not count as atoms of b until all are there,
            # unless B is renewed.
            n_before = n_partners = n
            spent += 2 * n
            for q in range((n + 63) >> 6):
                partners[q] = ZERO
            for k in range(n):
                partners[k >> 6] |= ((is_below[k] >> np.uint64(i & 63)) & ONE) << np.uint64(k & 63)
            j = 0

        while j < n_dis:
            phi = work.discriminant[j]
            if not resumed:
                of_trace, of_left, of_right, own = traces, lefts, rights, phi
                if phi >= 0:
                    copy(atoms, phi, work.row)
                else:
                    of_trace, of_left, of_right, own = witnesses_of, left_of, right_of, -1 - phi
                    singles[own >> 6] &= ~bit_of(own)
                    clear(work.row)
                    put(work.row, own)
                copy(of_trace, own, work.trace)
                copy(of_left, own, work.left)
                copy(of_right, own, work.right)

                # Δ: the witnesses that the successors of φ have still to miss.
                complement(work.trace, witnesses.shape[0], uncovered)
                replaced = 0
                n_first = n
                if untried is not None:
                    for q in range((n_partners + 63) >> 6):
                        untried.composites[q] = partners[q]
                    for w in range(singles.shape[0]):
                        untried.singles[w] = right[i, w] & singles[w]
            resumed = 0
            todo = size(uncovered)
            while todo > 0 or replaced == 0:
                if n == atoms.shape[0]:
                    return (
                        i, j, n, n_dis, n_before, n_partners, n_first, words, spent, replaced, 1
                    )  # fmt: skip
                spent += 2 * (singles.shape[0] + (n_partners >> 6)) + 4 * traces.shape[1]
                if untried is not None:
                    epsilon = draw_untried(untried.composites, n_partners, untried.singles, rng)
                elif best is not None:
                    epsilon = draw_best(
                        right, i, singles, partners, n_partners, dual, traces, uncovered, best, rng
                    )
                else:
                    zeta = select(uncovered, below(rng, todo)) if todo > 0 else -1
                    epsilon = draw_partner(
                        right, i, singles, partners, n_partners, witnesses, work.missing, zeta, rng
                    )
                if epsilon == NONE:
                    break
                of_trace, of_left, of_right, own = traces, lefts, rights, epsilon
                if epsilon < 0:
                    of_trace, of_left, of_right, own = (
                        witnesses_of, left_of, right_of, -1 - epsilon
                    )  # fmt: skip
                if untried is not None and todo > 0 and n_missed(uncovered, of_trace, own) == 0:
                    continue
                psi = phi  # the first successor takes the place of φ
                if replaced or phi < 0:
                    psi = n
                    n += 1
                replaced = 1
                if used is not None:
                    if epsilon >= 0:
                        note_shared(own, used.composites, work.trace, used.shared)
                    else:
                        note_shared(own, used.singles, work.trace, used.shared_singles)
                for w in range(atoms.shape[1]):
                    atoms[psi, w] = work.row[w] | (atoms[own, w] if epsilon >= 0 else ZERO)
                if epsilon < 0:
                    atoms[psi, own >> 6] |= bit_of(own)
                # Relations of earlier words are done with: their bits are never read again.
                join(work.left, of_left, own, word, lefts, psi)
                join(work.right, of_right, own, word, rights, psi)
                keep_common(uncovered, of_trace, own)
                for w in range(traces.shape[1]):
                    traces[psi, w] = work.trace[w] | of_trace[own, w]
                if psi == phi:
                    unnote_missing(psi, work.trace, traces, work.missing)
                else:
                    note_missing(psi, traces, work.missing)
                words += atoms.shape[1] + traces.shape[1] + 2 * (rights.shape[1] - word)
                todo = size(uncovered)
            if todo > 0:
                return (-1 - i, j, n, 0, 0, 0, 0, words, spent, 0, 0)
            if replaced == 0 and phi >= 0:  # b has no atoms, and φ says nothing: it goes
                remove(phi, atoms, lefts, rights)
            if renewed:
                if replaced and phi >= 0:
                    partners[phi >> 6] |= bit_of(phi)
                for k in range(n_first, n):
                    if k & 63 == 0:
                        partners[k >> 6] = ZERO
                    partners[k >> 6] |= bit_of(k)
                n_partners = n
            j += 1

        if used is not None:  # an ε' only where the successors of ε alone would change its trace
            for k in range(n_partners):
                if used.composites[k]:
                    used.composites[k] = False
                    if within(used.shared, k, traces, k):
                        copy(traces, k, work.trace)
                        for w in range(traces.shape[1]):
                            traces[k, w] = FULL
                        if traces.shape[1] > 0:
                            traces[k, -1] = tail(witnesses.shape[0])
                        unnote_missing(k, work.trace, traces, work.missing)
                        remove(k, atoms, lefts, rights)
                        is_below[k] = violates[k] = ZERO
            for c in range(used.singles.shape[0]):
                if used.singles[c]:
                    used.singles[c] = False
                    if within(used.shared_singles, c, witnesses_of, c):
                        singles[c >> 6] &= ~bit_of(c)

        for m in range(n_dis + n - n_before):
            k = work.discriminant[m] if m < n_dis else n_before + m - n_dis
            if k >= 0:
                violated |= note_sides(k, word, lefts, rights, is_below, violates)
        i += 1
    return (i, 0, n, 0, 0, 0, 0, words, spent, 0, 0)


@helper
def note_sides(
    k: int, word: int, lefts: Rows, rights: Rows, is_below: Rows, violates: Rows
) -> np.uint64:
    """Note the relations of a word whose right side holds an atom; return those it violates."""
    is_below[k] = rights[k, word]
    violates[k] = lefts[k, word] & ~rights[k, word]
    return violates[k]


@helper
def remove(k: int, atoms: Rows, lefts: Rows, rights: Rows) -> None:
    """Empty an atom, and take it out of all relations."""
    for w in range(atoms.shape[1]):
        atoms[k, w] = ZERO
    for w in range(lefts.shape[1]):
        lefts[k, w] = rights[k, w] = ZERO


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
    fitting = FIRST
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


@helper
def draw_best(
    right: Rows,
    i: int,
    singles: Rows,
    partners: Rows,
    n: int,
    dual: Dual,
    traces: Rows,
    uncovered: Rows,
    found: Integers,
    rng: Stream,
) -> int:
    """Draw an ``ε`` below ``b`` that misses most witnesses of ``Δ``, uniformly among the best."""
    best = 1 if size(uncovered) > 0 else 0  # one that misses none does not help
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


@helper
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
