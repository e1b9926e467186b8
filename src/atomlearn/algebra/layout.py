"""The relations of an algebra as arrays."""

from functools import cached_property
from typing import TYPE_CHECKING

from atomlearn.algebra.conflicts import Conflict
from atomlearn.algebra.relations import PackedRelations, Relation
from atomlearn.sets.lists import Lists, lists_of, to_rows

if TYPE_CHECKING:
    from atomlearn.sets.closing import Implications


class Layout:
    """The relations as arrays, each form made when first needed, until a relation is added."""

    def __init__(
        self, n: int, positive: tuple[Relation, ...], negative: tuple[Relation, ...]
    ) -> None:
        self.n = n
        self.positive = positive
        self.negative = negative

    @cached_property
    def denied_left(self) -> Lists:
        """The left sides of the negative relations."""
        return lists_of([r.left.indices for r in self.negative])

    @cached_property
    def denied_right(self) -> Lists:
        """Their right sides."""
        return lists_of([r.right.indices for r in self.negative])

    @cached_property
    def asserted_left(self) -> Lists:
        """The left sides of the positive relations."""
        return lists_of([r.left.indices for r in self.positive])

    @cached_property
    def asserted_right(self) -> Lists:
        """Their right sides."""
        return lists_of([r.right.indices for r in self.positive])

    @cached_property
    def rules(self) -> "Implications":
        """The positive relations, ready for chaining."""
        from atomlearn.sets.closing import implications

        return implications(self.asserted_left, self.asserted_right, self.n)

    @cached_property
    def packed(self) -> PackedRelations:
        """All relations as bit rows."""
        return PackedRelations(
            self.n,
            to_rows(self.asserted_left, self.n),
            to_rows(self.asserted_right, self.n),
            to_rows(self.denied_left, self.n),
            to_rows(self.denied_right, self.n),
        )

    def conflicts(self) -> list[Conflict]:
        """The negative relations that fail, in order, each explained."""
        from atomlearn.sets.closing import follow

        fails = follow(self.rules, self.denied_left, self.denied_right)
        return [self._explain(self.negative[i]) for i in fails.nonzero()[0].tolist()]

    def _explain(self, relation: Relation) -> Conflict:
        return Conflict(relation, self.derivation(relation))

    def derivation(self, relation: Relation) -> tuple[Relation, ...]:
        """The positive relations that force ``left < right``, which has to follow."""
        from atomlearn.algebra.derivation import derivation

        used = derivation(self.rules, relation.left.indices, relation.right.indices)
        return tuple(self.positive[i] for i in used.tolist())

    def follows(self, relation: Relation) -> bool:
        """Do the positive relations force ``left < right``?"""
        from atomlearn.sets.closing import follow

        left, right = lists_of([relation.left.indices]), lists_of([relation.right.indices])
        return bool(follow(self.rules, left, right)[0])

    def broken_by(self, relation: Relation) -> Conflict | None:
        """The first negative relation to fail once the positive ``relation`` is added, if any."""
        from atomlearn.sets.closing import follow

        twin = Layout(self.n, (*self.positive, relation), ())
        fails = follow(twin.rules, self.denied_left, self.denied_right).nonzero()[0]
        return twin._explain(self.negative[fails[0]]) if len(fails) else None
