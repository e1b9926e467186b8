"""Algorithm 4: atom set reduction that keeps the trace of every constant.

Constants are reviewed in random order. For each, atoms are added to the set ``Q`` of the kept until
``Q`` alone gives the constant its trace; atoms outside ``Q`` are deleted at the end.

The paper's other scheme (section 2.8), :func:`discriminating`, keeps just enough atoms for the
negative relations. It may only be used when everything is embedded.
"""

import numpy as np

from atomlearn.engine.dual import keep_one_each
from atomlearn.engine.misses import discriminants
from atomlearn.engine.state import Dual, Master
from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.random import Stream, below, permutation, shuffle
from atomlearn.sets.rows import Rows, to_lists
from atomlearn.sets.words import (
    ONE,
    ZERO,
    bit_of,
    copy_row,
    has,
    lowest,
    popcount,
    put,
    select,
    size,
    tail,
    transpose,
    transpose_into,
)
from atomlearn.typing import Integers

WHOLE_ROWS = 48
"""Number of kept atoms of a constant after which its remaining witnesses are checked one by one."""


@kernel
def reduce(traces: Rows, dual: Dual, master: Master, rng: Stream) -> Master:
    """Delete the atoms that no constant ``c`` needs for its trace ``traces[c]``."""
    n_constants, n_traces = traces.shape
    n_witnesses = dual.witnesses.shape[0]
    n_words = (master.n + 63) >> 6
    holders = np.zeros((n_constants, n_words), dtype=np.uint64)  # the composite atoms of c
    transpose_into(master.atoms[: master.n], holders)
    having = np.zeros((n_witnesses, n_words), dtype=np.uint64)  # those with ξ in the trace
    transpose_into(master.traces[: master.n], having)

    kept = np.zeros(n_words, dtype=np.uint64)  # Q
    kept_singles = np.zeros(master.singles.shape[0], dtype=np.uint64)
    fitting = np.empty(n_words, dtype=np.uint64)
    excess = np.empty(n_traces, dtype=np.uint64)  # W_c \ Tr(c)
    order = np.arange(n_constants)
    shuffle(rng, order)
    for m in range(n_constants):
        c = int(order[m])
        for t in range(n_traces):
            excess[t] = ~traces[c, t]
        if n_traces > 0:
            excess[-1] &= tail(n_witnesses)
        remove_reached(holders[c], kept, master.traces, having, fitting, excess)
        todo = size(excess)
        while todo > 0:
            xi = select(excess, below(rng, todo))
            n_fitting = 0
            for q in range(n_words):
                fitting[q] = holders[c, q] & ~having[xi, q]
                n_fitting += popcount(fitting[q])
            alone = has(master.singles, c) and not has(dual.witnesses_of[c], xi)
            pick = below(rng, n_fitting + 1 if alone else n_fitting)
            if pick == n_fitting:
                put(kept_singles, c)
                for t in range(n_traces):
                    excess[t] &= dual.witnesses_of[c, t]
            else:
                k = select(fitting, pick)
                put(kept, k)
                for t in range(n_traces):
                    excess[t] &= master.traces[k, t]
            todo = size(excess)

    n = 0
    for k in range(master.n):
        if has(kept, k):
            if n != k:
                copy_row(master.atoms, k, master.atoms, n)
                copy_row(master.traces, k, master.traces, n)
                copy_row(master.lefts, k, master.lefts, n)
                copy_row(master.rights, k, master.rights, n)
            n += 1
    return Master(kept_singles, master.atoms, master.traces, master.lefts, master.rights, n)


@helper
def remove_reached(
    holders: Rows, kept: Rows, traces: Rows, having: Rows, both: Rows, excess: Rows
) -> None:
    """Remove from the excess of a constant the witnesses that some kept atom of it misses.

    The first kept atoms leave few witnesses; each of these is then compared with the other atoms.
    """
    q, done = 0, 0
    while q < holders.shape[0] and done < WHOLE_ROWS:
        word = holders[q] & kept[q]
        while word != ZERO:
            k = q * 64 + lowest(word)
            word &= word - ONE
            done += 1
            for t in range(excess.shape[0]):
                excess[t] &= traces[k, t]
        q += 1
    for r in range(q, holders.shape[0]):
        both[r] = holders[r] & kept[r]
    for t in range(excess.shape[0]):
        left = excess[t]
        while left != ZERO:
            xi = lowest(left)
            left &= left - ONE
            for r in range(q, holders.shape[0]):
                if both[r] & ~having[t * 64 + xi, r] != ZERO:
                    excess[t] &= ~bit_of(xi)
                    break


def discriminating(atoms: Rows, left: Rows, right: Rows, n_constants: int, rng: Stream) -> Integers:
    """Choose just enough atoms that each ``¬(left[j] < right[j])`` is discriminated by one."""
    separated = discriminants(
        to_lists(atoms), transpose(left, n_constants), transpose(right, n_constants)
    )
    return keep_one_each(permutation(rng, len(left)), transpose(separated, len(left)), rng)
