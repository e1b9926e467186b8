"""Closure under implications ``right ⊆ S ⇒ left ⊆ S``, by forward chaining.

A positive relation ``a < b`` is such an implication: a term that contains all of ``b`` contains all
of ``a``. So ``R⁺`` entails ``a < b`` exactly when ``a`` lies in the closure of ``b``.

One set after the other is closed in linear time with the counters of Dowling and Gallier,
"Linear-time algorithms for testing the satisfiability of propositional Horn formulae", J. Logic
Programming 1 (1984): one for each implication, of the members of ``right`` still missing. Many
dense sets are closed together in :func:`close_rows`, which is faster by orders of magnitude there:
they are kept transposed, so that one AND for each member of ``right`` tries 64 sets.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.rows import Lists, Rows, lists_of, take
from atomlearn.sets.words import FIRST, FULL, ONE, ZERO, lowest, transpose
from atomlearn.typing import Bits, Integers

Constants = npt.NDArray[np.int32]


class Implications(NamedTuple):
    """Implications laid out for chaining.

    >>> rules = implications(lists_of([[2], [3]]), lists_of([[0, 1], [2]]), 4)
    >>> close(rules, [0, 1]).tolist()
    [0, 1, 2, 3]
    """

    left: Lists
    right: Lists
    watch_at: Integers
    watch: Integers
    """For each constant, the implications that have it on the right."""
    needs: Integers
    """For each implication, the number of constants on its right side."""


def implications(left: Lists, right: Lists, n: int) -> Implications:
    """Return implications over ``n`` constants."""
    needs = np.diff(right.starts)
    which = np.repeat(np.arange(right.n), needs)
    order = np.argsort(right.constants, kind="stable")
    watch_at = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(right.constants, minlength=n), out=watch_at[1:])
    return Implications(left, right, watch_at, which[order], needs)


def close(rules: Implications, start: Sequence[int]) -> Constants:
    """Return the closure of one set, ascending."""
    return close_each(rules, lists_of([start])).constants


class Workspace(NamedTuple):
    """The arrays that chaining writes to; they are as large as the algebra, so they are reused."""

    trail: Integers
    """The constants reached, in order."""
    inside: Bits
    reason: Integers
    """For each constant, the relation that added it; -1 if it was there from the start."""
    fired: Integers
    """The relations in the order in which they were applied."""
    active: Bits
    """Which relations may be applied."""
    missing: Integers


def workspace(rules: Implications) -> Workspace:
    """Return a fresh workspace."""
    n_constants, n_relations = len(rules.watch_at) - 1, len(rules.needs)
    return Workspace(
        np.empty(n_constants, dtype=np.int64),
        np.zeros(n_constants, dtype=np.bool_),
        np.full(n_constants, -1, dtype=np.int64),
        np.empty(n_relations, dtype=np.int64),
        np.ones(n_relations, dtype=np.bool_),
        rules.needs.copy(),
    )


@helper
def chain(
    rules: Implications, start: Constants, first: int, last: int, work: Workspace
) -> tuple[int, int]:
    """Reach all that a part of ``start`` implies.

    Returns the number of constants and of relations applied.
    """
    n = 0
    for i in range(first, last):
        c = start[i]
        if not work.inside[c]:
            work.inside[c] = True
            work.trail[n] = c
            n += 1
    done = 0
    n_fired = 0
    while done < n:
        c = work.trail[done]
        done += 1
        for k in range(rules.watch_at[c], rules.watch_at[c + 1]):
            r = rules.watch[k]
            work.missing[r] -= 1
            if work.missing[r] == 0 and work.active[r]:
                work.fired[n_fired] = r
                n_fired += 1
                for m in range(rules.left.starts[r], rules.left.starts[r + 1]):
                    d = rules.left.constants[m]
                    if not work.inside[d]:
                        work.inside[d] = True
                        work.reason[d] = r
                        work.trail[n] = d
                        n += 1
    return n, n_fired


@helper
def forget(rules: Implications, n: int, work: Workspace) -> None:
    """Undo a chaining that reached ``n`` constants, touching only what it touched."""
    for i in range(n):
        c = work.trail[i]
        work.inside[c] = False
        work.reason[c] = -1
        for k in range(rules.watch_at[c], rules.watch_at[c + 1]):
            work.missing[rules.watch[k]] = rules.needs[rules.watch[k]]


def close_each(rules: Implications, sets: Lists) -> Lists:
    """Return the closure of each of many sets."""
    work, starts = workspace(rules), np.zeros(sets.n + 1, dtype=np.int64)
    n_constants = len(work.inside)
    closed = np.empty(n_constants + len(sets.constants), dtype=np.int32)
    done = close_some(rules, sets, 0, work, starts, closed)
    while done < sets.n:  # there is no room for another closure
        closed = np.concatenate([closed, np.empty_like(closed)])
        done = close_some(rules, sets, done, work, starts, closed)
    which = np.repeat(np.arange(sets.n), np.diff(starts))
    in_order = np.sort(which * n_constants + closed[: starts[-1]])
    return Lists(starts, (in_order - which * n_constants).astype(np.int32))


@kernel
def close_some(
    rules: Implications,
    sets: Lists,
    s: int,
    work: Workspace,
    starts: Integers,
    closed: Constants,
) -> int:
    """Write the closures of sets from ``s`` on while there is room, and return the next set."""
    while s + 1 < starts.shape[0] and starts[s] + work.inside.shape[0] <= closed.shape[0]:
        n, _ = chain(rules, sets.constants, sets.starts[s], sets.starts[s + 1], work)
        for i in range(n):
            closed[starts[s] + i] = work.trail[i]
        starts[s + 1] = starts[s] + n
        forget(rules, n, work)
        s += 1
    return s


def follow(rules: Implications, left: Lists, right: Lists) -> Bits:
    """Return for each pair whether ``left < right`` follows."""
    follows = np.ones(right.n, dtype=np.bool_)
    note_following(rules, left, right, workspace(rules), follows)
    return follows


@kernel
def note_following(
    rules: Implications, left: Lists, right: Lists, work: Workspace, follows: Bits
) -> None:
    """Write which pairs do not follow."""
    for s in range(follows.shape[0]):
        n, _ = chain(rules, right.constants, right.starts[s], right.starts[s + 1], work)
        for g in range(left.starts[s], left.starts[s + 1]):
            if not work.inside[left.constants[g]]:
                follows[s] = False
                break
        forget(rules, n, work)


def close_rows(sets: Rows, left: Rows, right: Rows, n: int) -> Rows:
    """Return the closure of each set under the implications ``right[i] ⇒ left[i]``.

    The sets are over ``n`` elements.

    >>> from atomlearn.sets import rows
    >>> left, right = rows.from_indices([[2], [3]], 4), rows.from_indices([[0, 1], [2]], 4)
    >>> closed = close_rows(rows.from_indices([[0, 1], [0]], 4), left, right, 4)
    >>> [rows.members(s).tolist() for s in closed]
    [[0, 1, 2, 3], [0]]
    """
    if len(sets) == 0 or len(left) == 0:
        return sets.copy()
    containing = transpose(sets, n)
    fires = np.empty(containing.shape[1], dtype=np.uint64)
    has_grown = chain_columns(containing, left, right, fires)
    return transpose(containing, len(sets)) if has_grown else sets.copy()


@kernel
def chain_columns(containing: Rows, left: Rows, right: Rows, fires: Rows) -> bool:
    """Add to the transposed sets what the implications require; return whether any was added."""
    n_words = right.shape[1]
    grown = False
    changed = True
    while changed:
        changed = False
        for i in range(right.shape[0]):
            for q in range(fires.shape[0]):
                fires[q] = FULL
            left_over = FULL
            for w in range(n_words):
                word = right[i, w]
                while word != ZERO and left_over != ZERO:
                    c = w * 64 + lowest(word)
                    word &= word - ONE
                    left_over = ZERO
                    for q in range(fires.shape[0]):
                        fires[q] &= containing[c, q]
                        left_over |= fires[q]
                if left_over == ZERO:
                    break
            if left_over == ZERO:
                continue
            for w in range(n_words):
                word = left[i, w]
                while word != ZERO:
                    c = w * 64 + lowest(word)
                    word &= word - ONE
                    for q in range(fires.shape[0]):
                        changed |= fires[q] & ~containing[c, q] != ZERO
                        containing[c, q] |= fires[q]
        grown |= changed
    return grown


def derivation(rules: Implications, left: Sequence[int], right: Sequence[int]) -> Integers:
    """Return the numbers of relations that force ``left < right``, which has to follow.

    >>> from atomlearn.sets.rows import lists_of
    >>> rules = implications(lists_of([[2], [3], [2, 3]]), lists_of([[0], [2], [0, 1]]), 4)
    >>> derivation(rules, [3], [0, 1]).tolist()
    [2]
    """
    start, goal = np.asarray(right, dtype=np.int32), np.asarray(left, dtype=np.int32)
    used = reached_through(rules, start, goal)
    if len(used) < 2:
        return used
    # What is left is small beside all relations, and so is relabelled to be chained quickly.
    lefts, rights = take(rules.left, used), take(rules.right, used)
    parts = [start, goal, lefts.constants, rights.constants]
    labels, relabelled = np.unique(np.concatenate(parts), return_inverse=True)
    cuts = np.cumsum([len(part) for part in parts[:-1]])
    start, goal, on_left, on_right = np.split(relabelled.astype(np.int32), cuts)
    small = implications(Lists(lefts.starts, on_left), Lists(rights.starts, on_right), len(labels))
    thin: Integers = used[thinned(small, start, goal)]
    return thin


def reached_through(rules: Implications, start: Constants, goal: Constants) -> Integers:
    """Return the relations that added the goal and, recursively, what they needed."""
    work = workspace(rules)
    needed, used = np.zeros_like(work.inside), np.zeros_like(work.active)
    n = trace_back(rules, start, goal, work, needed, used)
    return work.fired[:n][used[:n]]


@kernel
def trace_back(
    rules: Implications,
    start: Constants,
    goal: Constants,
    work: Workspace,
    needed: Bits,
    used: Bits,
) -> int:
    """Write which of the relations that were applied the goal needs, and return their number."""
    _, n_fired = chain(rules, start, FIRST, start.shape[0], work)
    for c in goal:
        needed[c] = True
    for f in range(n_fired - 1, -1, -1):
        r = work.fired[f]
        for m in range(rules.left.starts[r], rules.left.starts[r + 1]):
            if needed[rules.left.constants[m]] and work.reason[rules.left.constants[m]] == r:
                used[f] = True
                break
        if used[f]:
            for m in range(rules.right.starts[r], rules.right.starts[r + 1]):
                needed[rules.right.constants[m]] = True
    return n_fired


def thinned(rules: Implications, start: Constants, goal: Constants) -> Integers:
    """Leave out relations one by one while the goal is still reached; return the rest in order."""
    work = workspace(rules)
    sources, source, stack = np.empty((3, len(work.inside)), dtype=np.int64)
    proof = Proof(np.zeros_like(work.active), sources, source, stack, np.empty_like(work.inside))
    n = thin(rules, start, goal, work, proof)
    return work.fired[:n].copy()


class Proof(NamedTuple):
    """The arrays that finding relations which cannot be left out writes to."""

    proven: Bits
    sources: Integers
    """By constant, the number of active relations that add it."""
    source: Integers
    """One of them."""
    stack: Integers
    seen: Bits


@kernel
def thin(
    rules: Implications, start: Constants, goal: Constants, work: Workspace, proof: Proof
) -> int:
    """Leave out relations one by one; return the number of those applied in the end."""
    first, last = FIRST, start.shape[0]
    prove(rules, start, goal, work.active, proof)
    for r in range(work.active.shape[0] - 1, -1, -1):
        if proof.proven[r]:
            continue
        work.active[r] = False
        n, _ = chain(rules, start, first, last, work)
        for c in goal:
            if not work.inside[c]:
                work.active[r] = True
                break
        forget(rules, n, work)
        if not work.active[r]:
            prove(rules, start, goal, work.active, proof)
    return chain(rules, start, first, last, work)[1]


@helper
def prove(
    rules: Implications, start: Constants, goal: Constants, active: Bits, proof: Proof
) -> None:
    """Mark relations that cannot be left out: the only ones that add something needed.

    Long chains, where every relation is needed, are proven at once and not tried one by one.
    """
    proven, sources, source, stack, seen = proof
    for c in range(seen.shape[0]):
        sources[c], seen[c] = 0, False
    for r in range(active.shape[0]):
        if active[r]:
            for m in range(rules.left.starts[r], rules.left.starts[r + 1]):
                sources[rules.left.constants[m]] += 1
                source[rules.left.constants[m]] = r
    for c in start:
        sources[c] = 0
    top = 0
    for c in goal:
        if not seen[c]:
            seen[c] = True
            stack[top] = c
            top += 1
    while top > 0:
        top -= 1
        c = stack[top]
        if sources[c] == 1:
            r = source[c]
            proven[r] = True
            for m in range(rules.right.starts[r], rules.right.starts[r + 1]):
                d = rules.right.constants[m]
                if not seen[d]:
                    seen[d] = True
                    stack[top] = d
                    top += 1
