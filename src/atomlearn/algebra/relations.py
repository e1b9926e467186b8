"""Relations between terms: ``a <= b`` ("a is contained in b") and its negation."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from atomlearn.algebra.syntax import parse_relation
from atomlearn.algebra.terms import Term, make_term
from atomlearn.errors import NotARelation, RelationAsTruthValue, RelationSyntaxError
from atomlearn.sets.rows import Rows

if TYPE_CHECKING:
    from atomlearn.algebra.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, repr=False)
class Relation:
    """``left < right`` if positive, else its negation. A statement, not a truth value.

    >>> from atomlearn import Algebra
    >>> a, b, c = Algebra().constants("a", "b", "c")
    >>> ~(a <= b | c)
    Relation('a !< b c')
    >>> ~~(a <= b) == (a <= b)
    True
    >>> a <= b <= c
    Traceback (most recent call last):
    ...
    atomlearn.errors.RelationAsTruthValue: 'a < b' is a relation, not true or false: ...
    """

    left: Term
    right: Term
    positive: bool = True

    def __invert__(self) -> "Relation":
        return Relation(self.left, self.right, not self.positive)

    def __bool__(self) -> NoReturn:
        raise RelationAsTruthValue(
            f"{str(self)!r} is a relation, not true or false: ask algebra.entails(...) or "
            "model.holds(...); instead of a <= b <= c write two relations, a <= b and b <= c; "
            "instead of 'not' write ~"
        )

    def __str__(self) -> str:
        return f"{self.left} {'<' if self.positive else '!<'} {self.right}"

    def __repr__(self) -> str:
        return f"Relation({str(self)!r})"


@dataclass(frozen=True, eq=False)
class PackedRelations:
    """All relations of an algebra as bit rows: what a learning engine takes.

    Each side is ``(n_relations, width(n_constants))``, C-contiguous: row ``i`` of ``positive_left``
    and ``positive_right`` are the two terms of the ``i``-th positive relation.
    """

    n_constants: int
    positive_left: Rows
    positive_right: Rows
    negative_left: Rows
    negative_right: Rows


def make_relation(vocabulary: "Vocabulary", text: str) -> Relation:
    """The relation that a text such as ``v < c1 c2`` states."""
    if not isinstance(text, str):
        raise NotARelation(f"expected text such as 'a < b c', not {type(text).__name__}: {text!r}")
    parsed = parse_relation(text)
    if parsed is None:
        raise RelationSyntaxError(f"no relation in {text!r}; write for example 'a < b c'")
    left, positive, right = parsed
    return Relation(make_term(vocabulary, left), make_term(vocabulary, right), positive)


def adopt_relation(vocabulary: "Vocabulary", relation: object) -> Relation:
    """The relation with its terms in this vocabulary."""
    if not isinstance(relation, Relation):
        hint = "; make one from text with .relation(...)" if isinstance(relation, str) else ""
        raise NotARelation(
            f"expected a relation such as a <= b, not {type(relation).__name__}: {relation!r}{hint}"
        )
    if relation.left.vocabulary is vocabulary and relation.right.vocabulary is vocabulary:
        return relation
    return Relation(
        make_term(vocabulary, relation.left),
        make_term(vocabulary, relation.right),
        relation.positive,
    )


def flatten(relations: Iterable[object]) -> list[object]:
    """Relations given one by one, in lists, or by generators, as one list."""
    flat: list[object] = []
    for item in relations:
        if isinstance(item, Iterable) and not isinstance(item, str | bytes | Term):
            flat.extend(item)
        else:
            flat.append(item)
    return flat
