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
from atomlearn.sets import rows
from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.random import Stream, below, permutation
from atomlearn.sets.rows import Rows, to_lists
from atomlearn.sets.words import (
    ONE,
    ZERO,
    bit_of,
    has,
    lowest,
    popcount,
    put,
    select,
    size,
    tail,
    transpose,
)
from atomlearn.typing import Integers

WHOLE_ROWS = 48
"""Number of kept atoms of a constant after which its remaining witnesses are checked one by one."""


def reduce(traces: Rows, dual: Dual, master: Master, rng: Stream) -> Master:
    """Delete the atoms that no constant ``c`` needs for its trace ``traces[c]``."""
    n_constants, n_traces = traces.shape
    holders = transpose(master.atoms[: master.n], n_constants)  # the composite atoms of c
    having = transpose(master.traces[: master.n], len(dual.witnesses))  # those with ξ in the trace
    kept, fitting = np.zeros((2, holders.shape[1]), dtype=np.uint64)
    excess, kept_singles = np.empty(n_traces, dtype=np.uint64), np.zeros_like(master.singles)
    order = permutation(rng, n_constants)
    choose_kept(
        order, traces, dual, master, holders, having, kept, kept_singles, fitting, excess, rng
    )
    among = rows.members(kept)
    for table in (master.atoms, master.traces, master.lefts, master.rights):
        table[: len(among)] = table[among]
    return master._replace(singles=kept_singles, n=len(among))


@kernel
def choose_kept(
    order: Integers,
    traces: Rows,
    dual: Dual,
    master: Master,
    holders: Rows,
    having: Rows,
    kept: Rows,
    kept_singles: Rows,
    fitting: Rows,
    excess: Rows,
    rng: Stream,
) -> None:
    """Add atoms to those kept, ``Q``, until they give each constant its trace, in this order.

    The ``excess`` of a constant is ``W_c \\ Tr(c)``.
    """
    n_traces, n_words = traces.shape[1], kept.shape[0]
    n_witnesses = dual.witnesses.shape[0]
    for c in order:
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
