"""What follows from the relations of an algebra, and a derivation that shows why."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from atomlearn.algebra.relations import Conflict, Relation
from atomlearn.engine.relations import PackedRelations
from atomlearn.sets.rows import Lists, lists_of, to_rows

if TYPE_CHECKING:
    from atomlearn.sets.closing import Implications


class Layout:
    """The relations as arrays, each computed when first needed, until a relation is added."""

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
        """Return the negative relations that fail, in order, each with a derivation."""
        from atomlearn.sets.closing import follow

        fails = follow(self.rules, *self.denied)
        return [self._explain(self.negative[i]) for i in fails.nonzero()[0].tolist()]

    def _explain(self, relation: Relation) -> Conflict:
        return Conflict(relation, self.derivation(relation))

    def derivation(self, relation: Relation) -> tuple[Relation, ...]:
        """Return the positive relations that force ``left < right``, which has to follow."""
        from atomlearn.sets.closing import derivation

        used = derivation(self.rules, relation.left.indices, relation.right.indices)
        return tuple(self.positive[i] for i in used.tolist())

    def follows(self, relation: Relation) -> bool:
        """Return whether the positive relations force ``left < right``."""
        from atomlearn.sets.closing import follow

        return bool(follow(self.rules, *_sides([relation]))[0])

    def broken_by(self, relation: Relation) -> Conflict | None:
        """Return the first negative relation that fails once the positive ``relation`` is added."""
        from atomlearn.sets.closing import follow

        twin = Layout(self.n, (*self.positive, relation))
        fails = follow(twin.rules, *self.denied).nonzero()[0]
        return twin._explain(self.negative[fails[0]]) if len(fails) else None


def _sides(relations: Sequence[Relation]) -> tuple[Lists, Lists]:
    return lists_of([r.left.indices for r in relations]), lists_of(
        [r.right.indices for r in relations]
    )
