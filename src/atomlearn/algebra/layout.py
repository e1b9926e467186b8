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
        from atomlearn.algebra.derivation import derivation

        used = derivation(self.rules, relation.left.indices, relation.right.indices)
        return Conflict(relation, tuple(self.positive[i] for i in used.tolist()))

    def forbids(self, relation: Relation) -> bool:
        """Would ``left < right``, added, break a negative relation?"""
        from atomlearn.algebra.closure import follow

        twin = Layout(self.n, (*self.positive, ~relation), ())
        return bool(follow(twin.rules, self.denied_left, self.denied_right).any())
