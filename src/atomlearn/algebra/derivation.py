"""Why a relation follows: positive relations in firing order, of which none can be left out.

The shortest such list would be NP-hard to find. This one is short because it starts from what the
goal was actually reached through, and is then thinned until nothing in it is idle.
"""

from collections.abc import Sequence

import numpy as np

from atomlearn.algebra.closure import (
    Flags,
    Implications,
    Indices,
    chain,
    forget,
    implications,
    workspace,
)
from atomlearn.algebra.relations import IndexLists
from atomlearn.sets.jit import kernel


def derivation(rules: Implications, left: Sequence[int], right: Sequence[int]) -> Indices:
    """The numbers of relations that force ``left < right``, which has to follow.

    >>> lists = IndexLists.from_indices
    >>> rules = implications(lists([[2], [3], [2, 3]]), lists([[0], [2], [0, 1]]), 4)
    >>> derivation(rules, [3], [0, 1]).tolist()
    [2]
    """
    start, goal = np.asarray(right, dtype=np.int64), np.asarray(left, dtype=np.int64)
    used = reached_through(rules, start, goal)
    if len(used) < 2:
        return used
    # What is left is small beside all relations, and so is relabelled to be chained quickly.
    lefts = _only(rules.left_at, rules.left, used)
    rights = _only(rules.right_at, rules.right, used)
    labels, relabelled = np.unique(
        np.concatenate([start, goal, lefts.members, rights.members]), return_inverse=True
    )
    cuts = np.cumsum([len(start), len(goal), len(lefts.members)])
    start, goal, left_members, right_members = np.split(relabelled.astype(np.int64), cuts)
    small = implications(
        IndexLists(lefts.offsets, left_members),
        IndexLists(rights.offsets, right_members),
        len(labels),
    )
    thin: Indices = used[thinned(small, start, goal)]
    return thin


def _only(at: Indices, members: Indices, which: Indices) -> IndexLists:
    offsets = np.zeros(len(which) + 1, dtype=np.int64)
    sizes = at[which + 1] - at[which]
    np.cumsum(sizes, out=offsets[1:])
    picked = np.arange(offsets[-1]) + np.repeat(at[which] - offsets[:-1], sizes)
    return IndexLists(offsets, members[picked])


@kernel
def reached_through(rules: Implications, start: Indices, goal: Indices) -> Indices:
    """The relations that brought the goal in, and those that brought in what these needed, ..."""
    work = workspace(rules)
    _, n_fired = chain(rules, start, work)
    needed = np.zeros(work.inside.shape[0], dtype=np.bool_)
    for c in goal:
        needed[c] = True
    used = np.zeros(n_fired, dtype=np.bool_)
    for f in range(n_fired - 1, -1, -1):
        r = work.fired[f]
        for m in range(rules.left_at[r], rules.left_at[r + 1]):
            if needed[rules.left[m]] and work.reason[rules.left[m]] == r:
                used[f] = True
                break
        if used[f]:
            for m in range(rules.right_at[r], rules.right_at[r + 1]):
                needed[rules.right[m]] = True
    return work.fired[:n_fired][used]


@kernel
def thinned(rules: Implications, start: Indices, goal: Indices) -> Indices:
    """Leave out relations one by one while the goal is still reached; the rest in firing order."""
    work = workspace(rules)
    proven = np.zeros(rules.needs.shape[0], dtype=np.bool_)
    prove(rules, start, goal, work.active, proven)
    for r in range(proven.shape[0] - 1, -1, -1):
        if proven[r]:
            continue
        work.active[r] = False
        n, _ = chain(rules, start, work)
        for c in goal:
            if not work.inside[c]:
                work.active[r] = True
                break
        forget(rules, n, work)
        if not work.active[r]:
            prove(rules, start, goal, work.active, proven)
    _, n_fired = chain(rules, start, work)
    return work.fired[:n_fired].copy()


@kernel
def prove(rules: Implications, start: Indices, goal: Indices, active: Flags, proven: Flags) -> None:
    """Mark relations that cannot be left out: the only ones to bring in something needed.

    Long chains, where every relation is needed, are proven at once and not tried one by one.
    """
    n_constants = rules.watch_at.shape[0] - 1
    sources = np.zeros(n_constants, dtype=np.int64)
    source = np.zeros(n_constants, dtype=np.int64)
    for r in range(active.shape[0]):
        if active[r]:
            for m in range(rules.left_at[r], rules.left_at[r + 1]):
                sources[rules.left[m]] += 1
                source[rules.left[m]] = r
    for c in start:
        sources[c] = 0
    stack = np.empty(n_constants, dtype=np.int64)
    seen = np.zeros(n_constants, dtype=np.bool_)
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
            for m in range(rules.right_at[r], rules.right_at[r + 1]):
                d = rules.right[m]
                if not seen[d]:
                    seen[d] = True
                    stack[top] = d
                    top += 1
