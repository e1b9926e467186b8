"""Relations between terms, what follows from them, what contradicts them, and queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from atomlearn.algebra.terms import Term, make_term, parse_relation
from atomlearn.engine.protocol import PackedRelations
from atomlearn.errors import NotARelation, RelationAsTruthValue, RelationSyntaxError
from atomlearn.markup import Displayed
from atomlearn.sets.rows import Lists, lists_of, to_rows

if TYPE_CHECKING:
    from atomlearn.algebra.terms import Vocabulary
    from atomlearn.sets.closing import Implications


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


class Line(NamedTuple):
    """A line of a relation file.

    Parameters
    ----------
    number : int
        The number of the line, from 1.
    text : str, default=""
        Its text if it has variables or sets; a plain relation is its own text.

    Examples
    --------
    >>> Line(3, "f(x) < S for x in row").number
    3
    """

    number: int
    text: str = ""


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
