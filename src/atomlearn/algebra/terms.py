"""Constants and terms. A term is a merge of constants: idempotent, commutative, associative."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from atomlearn.algebra.syntax import parse_names, write_names
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.errors import EmptyTerm, ForeignConstant, NotATerm

if TYPE_CHECKING:
    from atomlearn.algebra.relations import Relation


class Term:
    """A merge of constants, by value: equal when made of the same constants.

    >>> from atomlearn import Algebra
    >>> a, b, c = Algebra().constants("a", "b", "c")
    >>> a | b | a
    Term('a b')
    >>> (a | b) == (b | a), a in (a | b), len(a | b)
    (True, True, 2)
    >>> a <= b | c
    Relation('a < b c')
    """

    # The sorted indices, not a row of bits: an algebra may have a million constants. Rows are
    # made in bulk where something is computed with them.
    __slots__ = ("_indices", "_vocabulary")
    _indices: tuple[int, ...]
    _vocabulary: Vocabulary

    def __init__(self, vocabulary: Vocabulary, indices: tuple[int, ...]) -> None:
        """Terms are made by an algebra or from terms; ``indices`` are sorted and distinct."""
        if not indices:
            raise EmptyTerm("a term has at least one constant")
        object.__setattr__(self, "_vocabulary", vocabulary)
        object.__setattr__(self, "_indices", indices)

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that the indices refer to."""
        return self._vocabulary

    @property
    def indices(self) -> tuple[int, ...]:
        """The constants by index, ascending."""
        return self._indices

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of the constants, in the order of the algebra."""
        names = self._vocabulary.names
        return tuple(names[i] for i in self._indices)

    def __or__(self, other: "Term") -> "Term":
        if not isinstance(other, Term):
            return NotImplemented
        _check_kin(self, other)
        return Term(self._vocabulary, tuple(sorted({*self._indices, *other._indices})))

    def __le__(self, other: "Term") -> "Relation":
        from atomlearn.algebra.relations import Relation

        if not isinstance(other, Term):
            return NotImplemented
        _check_kin(self, other)
        return Relation(self, other)

    def __ge__(self, other: "Term") -> "Relation":
        if not isinstance(other, Term):
            return NotImplemented
        return other.__le__(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Term):
            return NotImplemented
        return self._indices == other._indices and self._vocabulary.is_kin(
            other._vocabulary, self._indices
        )

    def __hash__(self) -> int:
        return hash(self._indices)

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> "Iterator[Constant]":
        return (Constant(self._vocabulary, (i,)) for i in self._indices)

    def __contains__(self, item: object) -> bool:
        """Is a constant (or every constant of a term) among those that this term is made of?"""
        if not isinstance(item, Term):
            raise NotATerm(f"a term is made of constants, not of {type(item).__name__}: {item!r}")
        _check_kin(self, item)
        return set(item._indices) <= set(self._indices)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a term cannot be changed; merge it with | into a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a term cannot be changed")

    def __copy__(self) -> "Term":
        return self

    def __deepcopy__(self, memo: object) -> "Term":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._vocabulary, self._indices)

    def __str__(self) -> str:
        return write_names(self.constants)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class Constant(Term):
    """A named constant: the smallest term.

    >>> from atomlearn import Algebra
    >>> Algebra().constant("v").name
    'v'
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its name."""
        return self._vocabulary.names[self._indices[0]]


def make_term(vocabulary: Vocabulary, constants: "str | Term | Iterable[str | Term]") -> Term:
    """A term from text (names separated by blanks), or from exact names, constants and terms."""
    if isinstance(constants, str):
        return Term(vocabulary, _indices(vocabulary, parse_names(constants)))
    if isinstance(constants, Term):
        return Term(vocabulary, vocabulary.adopt(constants.vocabulary, constants.indices))
    if not isinstance(constants, Iterable):
        raise NotATerm(
            f"a term is made from text or names, not {type(constants).__name__}: {constants!r}"
        )
    indices: set[int] = set()
    for item in constants:
        if isinstance(item, Term):
            indices.update(vocabulary.adopt(item.vocabulary, item.indices))
        else:
            indices.add(vocabulary.index(item))
    return Term(vocabulary, tuple(sorted(indices)))


def _indices(vocabulary: Vocabulary, names: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted({vocabulary.index(name) for name in names}))


def _check_kin(one: Term, other: Term) -> None:
    if not one.vocabulary.is_kin(other.vocabulary, other.indices):
        raise ForeignConstant(
            f"{one} and {other} are of two algebras; constants of two algebras do not mix"
        )
