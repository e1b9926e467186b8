"""Closure under positive relations, by forward chaining with counters, in linear time.

A positive relation ``a < b`` is an implication: a term that contains all of ``b`` contains all of
``a``. So ``R⁺`` entails ``a < b`` exactly when ``a`` lies in the closure of ``b``. The counters are
those of Dowling and Gallier, "Linear-time algorithms for testing the satisfiability of
propositional Horn formulae", J. Logic Programming 1 (1984): one for each relation, of the constants
of its right side that are still missing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.algebra.relations import IndexLists
from atomlearn.sets.jit import kernel

Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Implications(NamedTuple):
    """The positive relations of an algebra as arrays: index lists with offsets.

    >>> left, right = IndexLists.from_indices([[2], [3]]), IndexLists.from_indices([[0, 1], [2]])
    >>> rules = implications(left, right, 4)
    >>> close(rules, [0, 1]).tolist()
    [0, 1, 2, 3]
    """

    left_at: Indices
    left: Indices
    right_at: Indices
    right: Indices
    watch_at: Indices
    """For each constant, the relations that have it on the right."""
    watch: Indices
    needs: Indices
    """For each relation, how many constants it has on the right."""


def implications(left: IndexLists, right: IndexLists, n_constants: int) -> Implications:
    """Lay relations out for chaining."""
    needs = np.diff(right.offsets)
    which = np.repeat(np.arange(len(right)), needs)
    order = np.argsort(right.members, kind="stable")
    watch_at = np.zeros(n_constants + 1, dtype=np.int64)
    np.cumsum(np.bincount(right.members, minlength=n_constants), out=watch_at[1:])
    return Implications(
        left.offsets, left.members, right.offsets, right.members, watch_at, which[order], needs
    )


def close(rules: Implications, start: Sequence[int]) -> Indices:
    """The closure of one set, ascending."""
    return close_each(rules, IndexLists.from_indices([start])).members


def close_each(rules: Implications, starts: IndexLists) -> IndexLists:
    """The closure of each of many sets, ascending."""
    return IndexLists(*_close_each(rules, starts.offsets, starts.members))


def follow(rules: Implications, left: IndexLists, right: IndexLists) -> Flags:
    """For each pair, does ``left < right`` follow?"""
    return _follow(rules, left.offsets, left.members, right.offsets, right.members)


class Workspace(NamedTuple):
    """What a chaining writes to; as large as the algebra, so one serves for many chainings."""

    trail: Indices
    """The constants reached, in the order they were."""
    inside: Flags
    reason: Indices
    """For each constant, the relation that brought it in; -1 if it was there from the start."""
    fired: Indices
    """The relations in the order they fired."""
    active: Flags
    """Relations that are not active do not fire."""
    missing: Indices


@kernel
def workspace(rules: Implications) -> Workspace:
    """A fresh workspace."""
    n_constants, n_relations = rules.watch_at.shape[0] - 1, rules.needs.shape[0]
    return Workspace(
        np.empty(n_constants, dtype=np.int64),
        np.zeros(n_constants, dtype=np.bool_),
        np.full(n_constants, -1, dtype=np.int64),
        np.empty(n_relations, dtype=np.int64),
        np.ones(n_relations, dtype=np.bool_),
        rules.needs.copy(),
    )


@kernel
def chain(rules: Implications, start: Indices, work: Workspace) -> tuple[int, int]:
    """Reach all that ``start`` implies; returns how many constants that is, and how many fired."""
    n = 0
    for c in start:
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
                for m in range(rules.left_at[r], rules.left_at[r + 1]):
                    d = rules.left[m]
                    if not work.inside[d]:
                        work.inside[d] = True
                        work.reason[d] = r
                        work.trail[n] = d
                        n += 1
    return n, n_fired


@kernel
def forget(rules: Implications, n: int, work: Workspace) -> None:
    """Undo a chaining that reached ``n`` constants, touching only what it touched."""
    for i in range(n):
        c = work.trail[i]
        work.inside[c] = False
        work.reason[c] = -1
        for k in range(rules.watch_at[c], rules.watch_at[c + 1]):
            work.missing[rules.watch[k]] = rules.needs[rules.watch[k]]


@kernel
def _close_each(rules: Implications, at: Indices, members: Indices) -> tuple[Indices, Indices]:
    work = workspace(rules)
    closed_at = np.zeros(at.shape[0], dtype=np.int64)
    closed = np.empty(max(16, members.shape[0]), dtype=np.int64)
    for s in range(at.shape[0] - 1):
        n, _ = chain(rules, members[at[s] : at[s + 1]], work)
        first = closed_at[s]
        closed_at[s + 1] = first + n
        if first + n > closed.shape[0]:
            larger = np.empty(2 * (first + n), dtype=np.int64)
            larger[:first] = closed[:first]
            closed = larger
        closed[first : first + n] = np.sort(work.trail[:n])
        forget(rules, n, work)
    return closed_at, closed[: closed_at[-1]].copy()


@kernel
def _follow(
    rules: Implications, left_at: Indices, left: Indices, right_at: Indices, right: Indices
) -> Flags:
    work = workspace(rules)
    follows = np.ones(right_at.shape[0] - 1, dtype=np.bool_)
    for s in range(right_at.shape[0] - 1):
        n, _ = chain(rules, right[right_at[s] : right_at[s + 1]], work)
        for g in range(left_at[s], left_at[s + 1]):
            if not work.inside[left[g]]:
                follows[s] = False
                break
        forget(rules, n, work)
    return follows
