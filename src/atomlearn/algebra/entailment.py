"""What follows from the relations of an algebra, and a derivation that shows why."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from atomlearn.algebra.relations import Conflict, Relation
from atomlearn.engine.relations import PackedRelations
from atomlearn.sets.closing import Constants, Implications, chain, forget, implications, workspace
from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Lists, lists_of, take, to_rows
from atomlearn.typing import Bits, Integers

if TYPE_CHECKING:
    from atomlearn.sets.closing import Implications


def derivation(rules: Implications, left: Sequence[int], right: Sequence[int]) -> Integers:
    """The numbers of relations that force ``left < right``, which has to follow.

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


@kernel
def reached_through(rules: Implications, start: Constants, goal: Constants) -> Integers:
    """The relations that brought the goal in, and those that brought in what these needed, ..."""
    work = workspace(rules)
    _, n_fired = chain(rules, start, work)
    needed = np.zeros(work.inside.shape[0], dtype=np.bool_)
    for c in goal:
        needed[c] = True
    used = np.zeros(n_fired, dtype=np.bool_)
    for f in range(n_fired - 1, -1, -1):
        r = work.fired[f]
        for m in range(rules.left.starts[r], rules.left.starts[r + 1]):
            if needed[rules.left.constants[m]] and work.reason[rules.left.constants[m]] == r:
                used[f] = True
                break
        if used[f]:
            for m in range(rules.right.starts[r], rules.right.starts[r + 1]):
                needed[rules.right.constants[m]] = True
    return work.fired[:n_fired][used]


@kernel
def thinned(rules: Implications, start: Constants, goal: Constants) -> Integers:
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
def prove(
    rules: Implications, start: Constants, goal: Constants, active: Bits, proven: Bits
) -> None:
    """Mark relations that cannot be left out: the only ones to bring in something needed.

    Long chains, where every relation is needed, are proven at once and not tried one by one.
    """
    n_constants = rules.watch_at.shape[0] - 1
    sources = np.zeros(n_constants, dtype=np.int64)
    source = np.zeros(n_constants, dtype=np.int64)
    for r in range(active.shape[0]):
        if active[r]:
            for m in range(rules.left.starts[r], rules.left.starts[r + 1]):
                sources[rules.left.constants[m]] += 1
                source[rules.left.constants[m]] = r
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
            for m in range(rules.right.starts[r], rules.right.starts[r + 1]):
                d = rules.right.constants[m]
                if not seen[d]:
                    seen[d] = True
                    stack[top] = d
                    top += 1


class Layout:
    """The relations as arrays, each form made when first needed, until a relation is added."""

    def __init__(
        self, n: int, positive: tuple[Relation, ...], negative: tuple[Relation, ...] = ()
    ) -> None:
        self.n = n
        self.positive = positive
        self.negative = negative

    @cached_property
    def asserted(self) -> tuple[Lists, Lists]:
        """The left and the right sides of the positive relations."""
        return _sides(self.positive)

    @cached_property
    def denied(self) -> tuple[Lists, Lists]:
        """The left and the right sides of the negative relations."""
        return _sides(self.negative)

    @cached_property
    def rules(self) -> "Implications":
        """The positive relations, ready for chaining."""
        from atomlearn.sets.closing import implications

        return implications(*self.asserted, self.n)

    @cached_property
    def packed(self) -> PackedRelations:
        """All relations as bit rows."""
        sides = (*self.asserted, *self.denied)
        return PackedRelations(self.n, *(to_rows(side, self.n) for side in sides))

    def conflicts(self) -> list[Conflict]:
        """The negative relations that fail, in order, each explained."""
        from atomlearn.sets.closing import follow

        fails = follow(self.rules, *self.denied)
        return [self._explain(self.negative[i]) for i in fails.nonzero()[0].tolist()]

    def _explain(self, relation: Relation) -> Conflict:
        return Conflict(relation, self.derivation(relation))

    def derivation(self, relation: Relation) -> tuple[Relation, ...]:
        """The positive relations that force ``left < right``, which has to follow."""
        used = derivation(self.rules, relation.left.indices, relation.right.indices)
        return tuple(self.positive[i] for i in used.tolist())

    def follows(self, relation: Relation) -> bool:
        """Do the positive relations force ``left < right``?"""
        from atomlearn.sets.closing import follow

        return bool(follow(self.rules, *_sides([relation]))[0])

    def broken_by(self, relation: Relation) -> Conflict | None:
        """The first negative relation to fail once the positive ``relation`` is added, if any."""
        from atomlearn.sets.closing import follow

        twin = Layout(self.n, (*self.positive, relation))
        fails = follow(twin.rules, *self.denied).nonzero()[0]
        return twin._explain(self.negative[fails[0]]) if len(fails) else None


def _sides(relations: Sequence[Relation]) -> tuple[Lists, Lists]:
    return lists_of([r.left.indices for r in relations]), lists_of(
        [r.right.indices for r in relations]
    )
