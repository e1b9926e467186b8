"""Relations between terms, what contradicts them, and the answers to queries."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn

from atomlearn.algebra.terms import Term, make_term
from atomlearn.algebra.text import parse_relation
from atomlearn.errors import NotARelation, RelationAsTruthValue, RelationSyntaxError
from atomlearn.markup import Displayed

if TYPE_CHECKING:
    from atomlearn.algebra.terms import Vocabulary


@dataclass(frozen=True, slots=True, repr=False)
class Relation:
    """A statement ``left < right`` between terms, or its negation; it is not a truth value.

    Parameters
    ----------
    left : Term
        The left side.
    right : Term
        The right side.
    positive : bool, default=True
        Whether the relation is asserted; otherwise it is denied.

    Examples
    --------
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


def make_relation(vocabulary: "Vocabulary", text: str) -> Relation:
    """Return the relation that a text such as ``v < c1 c2`` states."""
    if not isinstance(text, str):
        raise NotARelation(f"expected text such as 'a < b c', not {type(text).__name__}: {text!r}")
    parsed = parse_relation(text)
    if parsed is None:
        raise RelationSyntaxError(f"no relation in {text!r}; write for example 'a < b c'")
    left, positive, right = parsed
    return Relation(make_term(vocabulary, left), make_term(vocabulary, right), positive)


def adopt_relation(vocabulary: "Vocabulary", relation: object) -> Relation:
    """Return the relation with its terms in this vocabulary."""
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
    """Return relations given one by one, in lists, or by generators, as one list."""
    flat: list[object] = []
    for item in relations:
        if isinstance(item, Iterable) and not isinstance(item, str | bytes | Term):
            flat.extend(item)
        else:
            flat.append(item)
    return flat


@dataclass(frozen=True, repr=False)
class Conflict(Displayed):
    """A negative relation that cannot hold, and a derivation of what it denies.

    Attributes
    ----------
    relation : Relation
        The negative relation.
    derivation : tuple of Relation
        Positive relations in the order in which they are applied. None of them can be left out,
        though another derivation may be shorter. It is empty if the relation fails by itself.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra()
    >>> a, b, c = alg.constants("a", "b", "c")
    >>> alg.add(a <= b, b <= c, ~(a <= c))
    >>> print(*alg.conflicts())
    a !< c fails, because:
      b < c
      a < b
    """

    relation: Relation
    derivation: tuple[Relation, ...]

    def __str__(self) -> str:
        if not self.derivation:
            return f"{self.relation} fails by itself: the right side contains the left"
        return f"{self.relation} fails, because:" + "".join(f"\n  {r}" for r in self.derivation)


Verdict = Literal["follows", "contradicted", "open"]


@dataclass(frozen=True, repr=False)
class QueryResult(Displayed):
    """An answer of :meth:`Algebra.query`: whether a relation follows, and why.

    It *follows* if it holds in every model of the relations and is *contradicted* if it holds in
    none; otherwise it is *open*: it holds in some models and not in others.

    Attributes
    ----------
    relation : Relation
        The relation that was asked about.
    verdict : {"follows", "contradicted", "open"}
        The answer.
    derivation : tuple of Relation
        Positive relations in the order in which they are applied; none can be left out.
    conflict : Conflict or None
        The negative relation that fails once the positive form of ``relation`` is added, if that is
        the reason. The derivation is then that of the conflict, and contains the added relation.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b", "c"])
    >>> a, b, c = alg
    >>> alg.add(a <= b, ~(a <= c))
    >>> print(alg.query(b <= c))
    contradicted: if b < c held,
    a !< c fails, because:
      b < c
      a < b
    """

    relation: Relation
    verdict: Verdict
    derivation: tuple[Relation, ...] = ()
    conflict: Conflict | None = None

    def __str__(self) -> str:
        if self.verdict == "open":
            return "open"
        positive = self.relation if self.relation.positive else ~self.relation
        if self.conflict is not None:
            return f"{self.verdict}: if {positive} held,\n{self.conflict}"
        if not self.derivation:
            return f"{self.verdict}: in {positive} the right side contains the left"
        because = "because" if self.relation.positive else f"because {positive} follows from"
        return f"{self.verdict}, {because}:" + "".join(f"\n  {r}" for r in self.derivation)
