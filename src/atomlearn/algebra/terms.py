"""Constants and terms, and how they are written as text."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from atomlearn.errors import (
    DuplicateConstant,
    EmptyTerm,
    ForeignConstant,
    InvalidName,
    NameNotText,
    NameTooLong,
    NotARelation,
    NotATerm,
    RelationSyntaxError,
    UnknownConstant,
    nearest,
)
from atomlearn.markup import visible as visible

if TYPE_CHECKING:
    from atomlearn.algebra.relations import Relation

ParsedRelation = tuple[list[str], bool, list[str]]
"""The left names, whether the relation is positive, and the right names."""

SIGNLIKE = frozenset(["!", "not", "Not", "NOT", "~", "¬", "="])
"""Names that read like a part of ``!<`` or ``<=`` and are therefore written in quotes."""

_TOKEN = re.compile(
    r"""(?P<blank>\s+) | (?P<sign>!?<=?) | (?P<comment>\#) | (?P<quoted>["'])
      | (?P<bare>[^\s<\#"]+)""",
    re.VERBOSE,
)
"""The beginning of a token; a pattern for a whole quoted name would backtrack everywhere."""

_BARE = re.compile(r"""[^\s<\#"'=][^\s<\#"]*""")

_INDICES = re.compile(r"""\(\s*[^\s,()<\#"]+(\s*,\s*[^\s,()<\#"]+)*\s*\)(?=[\s<!\#]|$)""")
"""The indices of a constant, which may have blanks between them: ``Q(1, 2)`` is ``Q(1,2)``."""

_SPACED = re.compile(r"\([^()\s]*\s")


def write_name(name: str) -> str:
    r"""Return a name as it stands in a file, quoted if necessary.

    >>> print(write_name("c1"), write_name("top left"), write_name('5"'))
    c1 "top left" "5\""
    """
    if name.isprintable() and _BARE.fullmatch(name) and name not in SIGNLIKE:
        # A line with the word for or a brace may have variables, and an open parenthesis could take
        # in the name that follows.
        opened = name.find("(")
        if name != "for" and "{" not in name and (opened < 0 or ")" in name[opened:]):
            return name
    return visible(json.dumps(name, ensure_ascii=False))


def write_names(names: list[str] | tuple[str, ...]) -> str:
    """Return names separated by blanks."""
    return " ".join(map(write_name, names))


def parse_names(text: str) -> list[str]:
    """Return the names in a text.

    >>> parse_names('c1 "top left" c2')
    ['c1', 'top left', 'c2']
    """
    names: list[str] = []
    for kind, token, column in _tokens(text):
        if kind == "sign":
            raise syntax_error(f"{token} where only names were expected", text, column)
        names.append(token)
    return names


def parse_relation(text: str) -> ParsedRelation | None:
    """Return the relation in a text, or ``None`` if it has only blanks and a comment.

    >>> parse_relation("v !< c4 c5  # no bar")
    (['v'], False, ['c4', 'c5'])
    """
    plain = _parse_plain(text)
    if plain is not None:
        return plain
    sides: tuple[list[str], list[str]] = ([], [])
    sign: str | None = None
    for kind, token, column in _tokens(text):
        if kind != "sign":
            sides[sign is not None].append(token)
        elif sign is not None:
            raise syntax_error(
                "a second < in one relation; write one relation a line", text, column
            )
        elif not sides[0]:
            raise syntax_error(f"no name before {token}", text, column)
        else:
            sign = token
    if sign is None:
        if not sides[0]:
            return None
        raise syntax_error("no < or !< between two lists of names", text, len(text.rstrip()))
    if not sides[1]:
        raise syntax_error(f"no name after {sign}", text, len(text.rstrip()))
    return sides[0], not sign.startswith("!"), sides[1]


def _parse_plain(text: str) -> ParsedRelation | None:
    """Parse text without quotes and comments several times faster; else return ``None``."""
    if text.count("<") != 1 or '"' in text or "'" in text or "#" in text:
        return None
    if "(" in text and _SPACED.search(text):
        return None
    before, after = text.split("<")
    positive = not before.endswith("!")
    left = (before if positive else before[:-1]).split()
    right = after.removeprefix("=").split()
    return (left, positive, right) if left and right else None


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield names (unquoted) and signs, with their columns from 0."""
    at, after_name = 0, False
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None  # every character begins one
        kind, end = str(match.lastgroup), match.end()
        if after_name and kind in ("quoted", "bare", "comment"):
            raise syntax_error(
                f"{text[at]} inside a name; put the whole name in quotes, "
                "or a blank before what follows it",
                text,
                at,
            )
        if kind == "comment":
            return
        if kind == "quoted":
            name, end = quoted_name(text, at)
            yield kind, name, at
        elif kind == "bare":
            opened = text.find("(", at, end)
            indices = _INDICES.match(text, opened) if opened > at else None
            if indices is not None:
                end = indices.end()
                yield kind, text[at:opened] + re.sub(r"\s+", "", indices.group()), at
            else:
                end -= text.startswith("!<", end - 1)
                yield kind, text[at:end], at
        elif kind != "blank":
            yield kind, text[at:end], at
        at, after_name = end, kind in ("quoted", "bare")


def quoted_name(text: str, at: int) -> tuple[str, int]:
    """Return the quoted name that begins at a position, and where it ends."""
    end = _end_of_quoted(text, at)
    return _unquote(text[at:end], text, at), end


def _end_of_quoted(text: str, at: int) -> int:
    """Return the position at which a quoted name ends."""
    end = at
    while True:
        end = text.find(text[at], end + 1)
        if end < 0:
            raise syntax_error("a quoted name that does not end", text, at)
        before = end - 1
        while text[before] == "\\":
            before -= 1
        if (end - before) % 2:  # an even number of backslashes, which escape each other
            return end + 1


def _unquote(token: str, text: str, column: int) -> str:
    inner = token[1:-1]
    if token[0] == "'":
        as_json = {"\\'": "'", '"': '\\"'}
        inner = re.sub(
            r"\\.|\"", lambda m: as_json.get(m.group(), m.group()), inner, flags=re.DOTALL
        )
    try:
        name = json.loads(f'"{inner}"', strict=False)
    except ValueError:
        raise syntax_error(
            "an escape in a quoted name that JSON does not have", text, column
        ) from None
    if not name:
        raise syntax_error("an empty name", text, column)
    return str(name)


def syntax_error(problem: str, text: str, column: int) -> RelationSyntaxError:
    """Return an error that names the column (from 0) and shows the text."""
    shown = text.strip()
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return RelationSyntaxError(f"column {column + 1}: {problem}: {shown!r}")


MAX_NAME = 4096
"""Maximum number of characters in a name; a longer one is nearly always a file read by mistake."""
MAKE_IT_FIRST = "; make it first with algebra.constant(...)"
"""The end of a message about an unknown name, for users of the Python interface."""


class Vocabulary:
    """Names of constants and their indices, which only grow.

    Constants belong to one algebra, and so to one vocabulary. A copy (made by ``copy`` or through
    ``pickle``) has the same ``lineage``, and constants can be used with both as long as index and
    name agree. A vocabulary read from a file has no lineage: it matches constants of any algebra by
    name.

    Parameters
    ----------
    names : iterable of str, default=()
        The names to start with.
    by_name : bool, default=False
        Whether constants of other vocabularies are matched by name.

    Examples
    --------
    >>> names = Vocabulary(["a", "b"])
    >>> names.index("b"), len(names)
    (1, 2)
    """

    __slots__ = ("_index", "_names", "lineage")

    def __init__(self, names: Iterable[str] = (), *, by_name: bool = False) -> None:
        self._names: list[str] = []
        self._index: dict[str, int] = {}
        self.lineage: bytes | None = None if by_name else os.urandom(16)
        self.extend(list(names))

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self._names, self.lineage)

    @property
    def names(self) -> Sequence[str]:
        """All names, by index; the sequence must not be changed."""
        return self._names

    def extend(self, names: Sequence[str]) -> range:
        """Add names: all of them, or none if one is invalid.

        Parameters
        ----------
        names : sequence of str
            The names, which must be new.

        Returns
        -------
        range
            The indices of the new names.
        """
        first = len(self._names)
        fresh: dict[str, int] = {}
        for name in names:
            check_name(name)
            if name in self._index or name in fresh:
                raise DuplicateConstant(
                    f"there is already a constant {_short(name)}; "
                    f"get it with algebra[{_short(name)}]"
                )
            fresh[name] = first + len(fresh)
        self._names.extend(fresh)
        self._index.update(fresh)
        return range(first, first + len(fresh))

    def index(self, name: str) -> int:
        """Return the index of a known name.

        Parameters
        ----------
        name : str
            The name.

        Raises
        ------
        UnknownConstant
            If there is no constant of this name.
        """
        if not isinstance(name, str):
            raise NameNotText(f"a name is text, not {type(name).__name__}: {_short(name)}")
        try:
            return self._index[name]
        except KeyError:
            raise UnknownConstant(
                f"there is no constant {_short(name)}{self._hint(name)}"
            ) from None

    def _hint(self, name: str) -> str:
        return nearest(name, self._names) or ("" if self.lineage is None else MAKE_IT_FIRST)

    def is_kin(self, other: "Vocabulary", indices: Iterable[int]) -> bool:
        """Return whether indices refer to the same constants in two vocabularies.

        Parameters
        ----------
        other : Vocabulary
            The other vocabulary.
        indices : iterable of int
            Indices of constants.
        """
        if other is self:
            return True
        if other.lineage != self.lineage:
            return False
        n = min(len(self), len(other))
        return all(i < n and self._names[i] == other._names[i] for i in indices)

    def adopt(self, other: "Vocabulary", indices: tuple[int, ...]) -> tuple[int, ...]:
        """Return the indices in this vocabulary of constants of another one.

        Parameters
        ----------
        other : Vocabulary
            The vocabulary of the constants.
        indices : tuple of int
            Their indices in it.

        Raises
        ------
        ForeignConstant
            If the constants belong to another algebra.
        """
        if self.is_kin(other, indices):
            return indices
        if self.lineage is None:
            return tuple(sorted(self.index(other.names[i]) for i in indices))
        names = " ".join(_short(other.names[i]) for i in indices[:3])
        raise ForeignConstant(
            f"{names} is of another algebra; make terms and relations from the constants "
            "of the one algebra they are used with"
        )

    def fork(self) -> "Vocabulary":
        """Return a copy of the same lineage that grows on its own."""
        return _restore(list(self._names), self.lineage)


def check_name(name: object) -> None:
    """Raise an error unless ``name`` can be the name of a constant."""
    if not isinstance(name, str):
        raise NameNotText(
            f"a name is text, not {type(name).__name__}: {_short(name)}; use str(...) if meant"
        )
    if not name:
        raise InvalidName("a name has at least one character")
    if len(name) > MAX_NAME:
        raise NameTooLong(
            f"a name of {len(name):,} characters ({_short(name)}); at most {MAX_NAME:,} are allowed"
        )
    if not name.isascii():
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InvalidName(f"the name {_short(name)} is not valid Unicode text") from None


def _restore(names: list[str], lineage: bytes | None) -> Vocabulary:
    vocabulary = Vocabulary.__new__(Vocabulary)
    vocabulary._names = names
    vocabulary._index = {name: i for i, name in enumerate(names)}
    vocabulary.lineage = lineage
    return vocabulary


def _short(name: object) -> str:
    shown = ascii(name) if isinstance(name, str) and not name.isprintable() else repr(name)
    return shown if len(shown) <= 60 else f"{shown[:56]}...{shown[-1]}"


class Term:
    """A merge of constants; terms are equal when they are made of the same constants.

    Terms are made by an algebra (:meth:`Algebra.term`) and by ``|``.

    Parameters
    ----------
    vocabulary : Vocabulary
        The names of the constants.
    indices : tuple of int
        The constants by index, sorted and distinct.

    Examples
    --------
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
        """Create a term; an algebra does this."""
        if not indices:
            raise EmptyTerm("a term has at least one constant")
        object.__setattr__(self, "_vocabulary", vocabulary)
        object.__setattr__(self, "_indices", indices)

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary that the indices refer to."""
        return self._vocabulary

    @property
    def indices(self) -> tuple[int, ...]:
        """Indices of the constants, ascending."""
        return self._indices

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the constants, in the order of the algebra."""
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

    def __lt__(self, other: object) -> "Relation":
        raise NotARelation(
            "in Python a relation is written with <=, as in a <= b | c, and its negation ~(a <= b)"
        )

    __gt__ = __lt__

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
        """Return whether this term contains a constant, or every constant of another term."""
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
    """A named constant, which is the smallest term.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> Algebra().constant("v").name
    'v'
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """Name of the constant."""
        return self._vocabulary.names[self._indices[0]]


def make_term(vocabulary: Vocabulary, constants: "str | Term | Iterable[str | Term]") -> Term:
    """Return a term from text (names separated by blanks), or from names, constants and terms."""
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
