"""All minimal conflicts of relations, the smallest repairs, and what a withdrawal changes.

A minimal conflict is one negative relation and a minimal set of positive ones from which its
negation follows. All of them are enumerated by withdrawing, one after the other, the relations of
those that are known, and deciding exactly, by closure, whether a conflict is left (Reiter, "A
theory of diagnosis from first principles", Artificial Intelligence 32, 1987; the order in which
members are withdrawn or kept visits each combination once). A repair is a set of relations that
meets every conflict. The smallest are found from the conflicts that are known so far: a set that
meets these and leaves another conflict makes that one known, too (implicit hitting sets, as in
Liffiton and others, "Fast, flexible MUS enumeration", Constraints 21, 2016).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from atomlearn.algebra.relations import Conflict, Layout, Relation
from atomlearn.algebra.terms import Term
from atomlearn.markup import Displayed
from atomlearn.sets.rows import lists_of, take

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra


class AllConflicts(Sequence[Conflict]):
    """Every minimal conflict of an algebra, found as they are asked for.

    Iterating finds one after the other; ``len`` and an index from the end need them all, of which
    there can be exponentially many.

    Parameters
    ----------
    layout : Layout
        The relations.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b", "c", "d"])
    >>> a, b, c, d = alg
    >>> alg.add(a <= b, b <= d, a <= c, c <= d, ~(a <= d))
    >>> [[str(r) for r in conflict.derivation] for conflict in alg.conflicts(all=True)]
    [['b < d', 'a < b'], ['c < d', 'a < c']]
    """

    def __init__(self, layout: Layout) -> None:
        self._found: list[Conflict] = []
        self._more = _conflicts(layout)

    def __iter__(self) -> Iterator[Conflict]:
        at = 0
        while at < len(self._found) or self._find(at + 1):
            yield self._found[at]
            at += 1

    def __len__(self) -> int:
        self._find(None)
        return len(self._found)

    def __bool__(self) -> bool:
        return self._find(1)

    @overload
    def __getitem__(self, at: int) -> Conflict: ...
    @overload
    def __getitem__(self, at: slice) -> list[Conflict]: ...
    def __getitem__(self, at: Any) -> Any:
        last = at.stop if isinstance(at, slice) else at + 1
        first = at.start if isinstance(at, slice) else at
        negative = any(bound is not None and bound < 0 for bound in (first, last))
        self._find(None if negative else last)
        return self._found[at]

    def __repr__(self) -> str:
        return f"<AllConflicts: {len(self._found)} found so far>"

    def _find(self, n: int | None) -> bool:
        """Find conflicts until there are ``n``; return whether there are as many."""
        while n is None or len(self._found) < n:
            conflict = next(self._more, None)
            if conflict is None:
                return n is None
            self._found.append(conflict)
        return True


def _conflicts(layout: Layout) -> Iterator[Conflict]:
    for conflict in layout.conflicts():
        for used in derivations(layout, conflict.relation):
            yield Conflict(conflict.relation, tuple(layout.positive[i] for i in used))


def derivations(layout: Layout, relation: Relation) -> Iterator[tuple[int, ...]]:
    """Yield every minimal set of positive relations that forces ``left < right``, by number.

    A branch is a set of withdrawn relations and one of relations that stay. Below it lie the
    derivations that have none of the first and all of the second, so no branch is visited twice.
    What stays besides is told as a part of a list that branches share: derivations may be long.
    """
    search = _Search(layout, relation)
    known: dict[frozenset[int], None] = {}
    branches = [(frozenset[int](), frozenset[int](), islice(list[int](), 0))]
    while branches:
        withdrawn, kept, stay = branches.pop()
        found = next((one for one in known if one.isdisjoint(withdrawn)), None)
        if found is None:
            used = search.without(withdrawn)
            if used is None:
                continue
            found = frozenset(used)
            known[found] = None
            yield used
        kept = kept.union(stay)
        free = sorted(found - kept)
        for i in reversed(range(len(free))):
            branches.append((withdrawn | {free[i]}, kept, islice(free, i)))


class _Search:
    """Derivations of one relation from those that can matter for it."""

    def __init__(self, layout: Layout, relation: Relation) -> None:
        from atomlearn.sets.closing import close

        self.n = layout.n
        self.left, self.right = relation.left.indices, relation.right.indices
        closed = set(close(layout.rules, self.right).tolist())
        applied = [
            (i, set(r.left.indices), set(r.right.indices))
            for i, r in enumerate(layout.positive)
            if closed.issuperset(r.right.indices)
        ]
        needed, size = set(self.left), -1
        while size < len(needed):
            size = len(needed)
            for _, left, right in applied:
                if left & needed:
                    needed |= right
        self.numbers = np.array([i for i, left, _ in applied if left & needed], dtype=np.int64)
        self.lefts, self.rights = (take(side, self.numbers) for side in layout.asserted)

    def without(self, withdrawn: frozenset[int]) -> tuple[int, ...] | None:
        """Return a minimal derivation without some relations, or ``None`` if there is none."""
        from atomlearn.sets.closing import derivation, follow, implications

        rest = np.flatnonzero(~np.isin(self.numbers, list(withdrawn)))
        rules = implications(take(self.lefts, rest), take(self.rights, rest), self.n)
        if not follow(rules, lists_of([self.left]), lists_of([self.right]))[0]:
            return None
        used = derivation(rules, self.left, self.right)
        return tuple(self.numbers[rest[used]].tolist())


@dataclass(frozen=True, repr=False)
class Repair(Displayed):
    """A smallest set of relations without which the others are consistent.

    Attributes
    ----------
    withdrawn : tuple of Relation
        The relations to withdraw.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b"])
    >>> alg.add(alg.relation("a < b"), alg.relation("a !< b"))
    >>> print(*alg.repairs(), sep="; ")
    withdraw a < b; withdraw a !< b
    """

    withdrawn: tuple[Relation, ...]

    def __str__(self) -> str:
        return "withdraw " + ", ".join(map(str, self.withdrawn))


def smallest_repairs(algebra: "Algebra") -> Iterator[Repair]:
    """Yield all repairs with the fewest relations, each verified by closure."""
    order = {relation: i for i, relation in enumerate(algebra.relations)}
    known = [_members(conflict) for conflict in algebra.conflicts()]
    if not known:
        return
    done: set[frozenset[Relation]] = set()
    size = 1
    while True:
        learned = False
        for withdrawn in hitting_sets(known, size, order):
            if withdrawn in done:
                continue
            left = algebra.without(*withdrawn).conflicts()
            if left:
                known.extend(_members(conflict) for conflict in left)
                learned = True
                break
            done.add(withdrawn)
            yield Repair(tuple(sorted(withdrawn, key=order.__getitem__)))
        if not learned:
            if done:
                return
            size += 1


def hitting_sets(
    sets: Sequence[frozenset[Relation]], size: int, order: dict[Relation, int]
) -> Iterator[frozenset[Relation]]:
    """Yield all sets of ``size`` relations that meet each of the sets, none of them twice."""
    branches = [(frozenset[Relation](), frozenset[Relation](), islice(list[Relation](), 0))]
    while branches:
        chosen, kept, stay = branches.pop()
        missed = [one for one in sets if chosen.isdisjoint(one)]
        if not missed:
            if len(chosen) == size:
                yield chosen
            continue
        if _n_disjoint(missed) > size - len(chosen):
            continue
        kept = kept.union(stay)
        free = sorted(missed[0] - kept, key=order.__getitem__)
        for i in reversed(range(len(free))):
            branches.append((chosen | {free[i]}, kept, islice(free, i)))


def _n_disjoint(sets: Iterable[frozenset[Relation]]) -> int:
    """Return the size of some collection of disjoint sets: as many members are needed at least."""
    met: frozenset[Relation] = frozenset()
    n = 0
    for one in sets:
        if met.isdisjoint(one):
            met, n = met | one, n + 1
    return n


def _members(conflict: Conflict) -> frozenset[Relation]:
    return frozenset((conflict.relation, *conflict.derivation))


@dataclass(frozen=True, repr=False)
class WhatIf(Displayed):
    """What changes if relations are withdrawn.

    Attributes
    ----------
    withdrawn : tuple of Relation
        The relations that are withdrawn.
    resolved : tuple of Conflict
        Conflicts that are gone: their negative relations hold, or are withdrawn.
    conflicts : tuple of Conflict
        Conflicts that are left.
    lost : tuple of Relation
        What no longer follows: for each constant and each right side of a relation, what was below
        it and is not any more, unless a smaller term shows the same.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b", "c"])
    >>> a, b, c = alg
    >>> alg.add(a <= b, b <= c)
    >>> print(alg.what_if(a <= b))
    without a < b:
    no longer follows: a < b
    no longer follows: a < c
    """

    withdrawn: tuple[Relation, ...]
    resolved: tuple[Conflict, ...]
    conflicts: tuple[Conflict, ...]
    lost: tuple[Relation, ...]

    def __str__(self) -> str:
        lines = [f"without {', '.join(map(str, self.withdrawn))}:"]
        lines += [f"resolved: {conflict.relation}" for conflict in self.resolved]
        lines += [f"still: {conflict}" for conflict in self.conflicts]
        lines += [f"no longer follows: {relation}" for relation in self.lost]
        return "\n".join(lines if len(lines) > 1 else [*lines, "nothing changes"])


def what_if(algebra: "Algebra", withdrawn: tuple[Relation, ...]) -> WhatIf:
    """Compare an algebra with itself without some relations."""
    rest = algebra.without(*withdrawn)
    before, after = algebra.conflicts(), rest.conflicts()
    left = {conflict.relation for conflict in after}
    terms: list[Term] = list(dict.fromkeys([*algebra, *(r.right for r in algebra.positive)]))
    lost: dict[Term, frozenset[int]] = {}
    closed = zip(terms, algebra.closures(terms), rest.closures(terms), strict=True)
    for term, all_below, still_below in sorted(closed, key=lambda one: len(one[0])):
        gone = frozenset(all_below.indices) - frozenset(still_below.indices)
        parts = (lost.get(constant, frozenset()) for constant in term) if len(term) > 1 else ()
        if gone := gone.difference(*parts):
            lost[term] = gone
    return WhatIf(
        withdrawn,
        tuple(conflict for conflict in before if conflict.relation not in left),
        tuple(after),
        tuple(
            Relation(Term(algebra.vocabulary, tuple(sorted(gone))), term)
            for term, gone in lost.items()
        ),
    )
