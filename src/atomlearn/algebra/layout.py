"""The relations of an algebra as arrays."""

from functools import cached_property
from typing import TYPE_CHECKING

from atomlearn.algebra.conflicts import Conflict
from atomlearn.algebra.relations import IndexLists, PackedRelations, Relation

if TYPE_CHECKING:
    from atomlearn.algebra.closure import Implications


class Layout:
    """The relations as arrays, each form made when first needed, until a relation is added."""

    def __init__(
        self, n: int, positive: tuple[Relation, ...], negative: tuple[Relation, ...]
    ) -> None:
        self.n = n
        self.positive = positive
        self.negative = negative

    @cached_property
    def denied_left(self) -> IndexLists:
        """The left sides of the negative relations."""
        return IndexLists.of([r.left for r in self.negative])

    @cached_property
    def denied_right(self) -> IndexLists:
        """Their right sides."""
        return IndexLists.of([r.right for r in self.negative])

    @cached_property
    def asserted_left(self) -> IndexLists:
        """The left sides of the positive relations."""
        return IndexLists.of([r.left for r in self.positive])

    @cached_property
    def asserted_right(self) -> IndexLists:
        """Their right sides."""
        return IndexLists.of([r.right for r in self.positive])

    @cached_property
    def rules(self) -> "Implications":
        """The positive relations, ready for chaining."""
        from atomlearn.algebra.closure import implications

        return implications(self.asserted_left, self.asserted_right, self.n)

    @cached_property
    def packed(self) -> PackedRelations:
        """All relations as bit rows."""
        return PackedRelations(
            self.n,
            self.asserted_left.rows(self.n),
            self.asserted_right.rows(self.n),
            self.denied_left.rows(self.n),
            self.denied_right.rows(self.n),
        )

    def conflicts(self) -> list[Conflict]:
        """The negative relations that fail, in order, each explained."""
        from atomlearn.algebra.closure import follow

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
        from atomlearn.algebra.closure import follow

        left, right = IndexLists.of([relation.left]), IndexLists.of([relation.right])
        return bool(follow(self.rules, left, right)[0])

    def broken_by(self, relation: Relation) -> Conflict | None:
        """The first negative relation to fail once the positive ``relation`` is added, if any."""
        from atomlearn.algebra.closure import follow

        twin = Layout(self.n, (*self.positive, relation), ())
        fails = follow(twin.rules, self.denied_left, self.denied_right).nonzero()[0]
        return twin._explain(self.negative[fails[0]]) if len(fails) else None
