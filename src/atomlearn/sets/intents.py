"""Closed and pseudo-closed sets of a formal context, as packed rows.

The *intents* of a context are the intersections of the rows of its objects. They are listed by
Close-by-One: Kuznetsov, "A fast algorithm for computing all intersections of objects in a finite
semi-lattice", Automatic Documentation and Mathematical Linguistics 27 (1993). Extents are packed,
too, so an attribute is added with one AND for 64 objects, and each intent is reached once, by its
attributes in order.

The pseudo-closed sets are the premises of the canonical base (Guigues and Duquenne 1986). They and
the intents are the sets that are closed under the base except for premises equal to the set itself,
and are visited in lectic order by Next Closure: Ganter, "Two basic algorithms in concept analysis"
(1984).
"""

import numpy as np

from atomlearn.sets.jit import allocating_kernel, helper
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import ONE, ZERO


@allocating_kernel
def list_intents(columns: Rows, everyone: Rows, n_words: int, limit: int) -> Rows:
    """Return all intents, or ``limit + 1`` of them if there are more.

    ``columns`` has for each attribute the packed set of its objects, ``everyone`` all objects.
    """
    n = columns.shape[0]
    found = np.zeros((16, n_words), dtype=np.uint64)
    extents = np.zeros((n + 1, everyone.shape[0]), dtype=np.uint64)
    intents = np.zeros((n + 1, n_words), dtype=np.uint64)
    untried = np.zeros(n + 1, dtype=np.int64)
    extents[0] = everyone
    for j in range(n):
        if inside(everyone, columns[j]):
            intents[0, j >> 6] |= ONE << np.uint64(j & 63)
    found[0] = intents[0]
    n_found = 1
    depth = 0
    while depth >= 0 and n_found <= limit:
        j = untried[depth]
        if j == n:
            depth -= 1
            continue
        untried[depth] = j + 1
        if intents[depth, j >> 6] >> np.uint64(j & 63) & ONE != ZERO:
            continue
        for w in range(everyone.shape[0]):
            extents[depth + 1, w] = extents[depth, w] & columns[j, w]
        if not add_shared(columns, extents[depth + 1], intents[depth], intents[depth + 1], j):
            continue
        depth += 1
        untried[depth] = j + 1
        if n_found == found.shape[0]:
            larger = np.zeros((2 * n_found, n_words), dtype=np.uint64)
            larger[:n_found] = found
            found = larger
        found[n_found] = intents[depth]
        n_found += 1
    return found[:n_found].copy()


@helper
def inside(one: Rows, other: Rows) -> bool:
    """Return whether one row is a subset of another."""
    for w in range(one.shape[0]):  # noqa: SIM110 (all() of a generator is slow when compiled)
        if one[w] & ~other[w] != ZERO:
            return False
    return True


@helper
def add_shared(columns: Rows, extent: Rows, before: Rows, intent: Rows, j: int) -> bool:
    """Write the intent of an extent; return False if it has a new attribute before ``j``."""
    for w in range(intent.shape[0]):
        intent[w] = before[w]
    for i in range(columns.shape[0]):
        bit = ONE << np.uint64(i & 63)
        if before[i >> 6] & bit == ZERO and inside(extent, columns[i]):
            if i < j:
                return False
            intent[i >> 6] |= bit
    return True


@allocating_kernel
def close_in_context(columns: Rows, everyone: Rows, row: Rows) -> Rows:
    """Return the attributes that all objects with the attributes of a row have."""
    extent = everyone.copy()
    for j in range(columns.shape[0]):
        if row[j >> 6] >> np.uint64(j & 63) & ONE != ZERO:
            extent &= columns[j]
    closed = row.copy()
    add_shared(columns, extent, row, closed, 0)
    return closed


@helper
def preclose(row: Rows, premises: Rows, conclusions: Rows) -> None:
    """Add to a row the conclusions of all premises that are smaller than it."""
    changed = True
    while changed:
        changed = False
        for r in range(premises.shape[0]):
            if inside(premises[r], row) and not inside(row, premises[r]):
                for w in range(row.shape[0]):
                    if conclusions[r, w] & ~row[w] != ZERO:
                        row[w] |= conclusions[r, w]
                        changed = True


@allocating_kernel
def next_preclosed(row: Rows, n: int, premises: Rows, conclusions: Rows) -> bool:
    """Replace a row by the next set in lectic order that premises leave as it is; False if none."""
    smaller = row.copy()
    tried = np.empty_like(row)
    for j in range(n - 1, -1, -1):
        word, bit = j >> 6, ONE << np.uint64(j & 63)
        if smaller[word] & bit != ZERO:
            smaller[word] &= ~bit
            continue
        tried[:] = smaller
        tried[word] |= bit
        preclose(tried, premises, conclusions)
        first_new = True
        for w in range(word + 1):
            new = tried[w] & ~smaller[w]
            if new & (bit - ONE if w == word else ~ZERO) != ZERO:
                first_new = False
        if first_new:
            row[:] = tried
            return True
    return False


@allocating_kernel
def canonical_base(columns: Rows, everyone: Rows, n_words: int, limit: int) -> tuple[Rows, Rows]:
    """Return the premises of the canonical base and their closures.

    Stops after ``limit`` sets, and then returns no rows of a width of zero.
    """
    n = columns.shape[0]
    premises = np.zeros((16, n_words), dtype=np.uint64)
    closures = np.zeros((16, n_words), dtype=np.uint64)
    k = 0
    row = np.zeros(n_words, dtype=np.uint64)
    for _ in range(limit):
        closed = close_in_context(columns, everyone, row)
        if not inside(closed, row):
            if k == premises.shape[0]:
                more, wider = (
                    np.zeros((2 * k, n_words), np.uint64),
                    np.zeros((2 * k, n_words), np.uint64),
                )
                more[:k], wider[:k] = premises, closures
                premises, closures = more, wider
            premises[k], closures[k] = row, closed
            k += 1
        if not next_preclosed(row, n, premises[:k], closures[:k]):
            return premises[:k].copy(), closures[:k].copy()
    return premises[:0, :0].copy(), closures[:0, :0].copy()
