"""The names of the constants, in order: what terms, relations, atoms and models refer to."""

import os
from collections.abc import Iterable, Sequence

from atomlearn.errors import (
    DuplicateConstant,
    ForeignConstant,
    InvalidName,
    NameNotText,
    NameTooLong,
    UnknownConstant,
    nearest,
)

MAX_NAME = 4096
"""Characters in a name. Longer ones are nearly always a file read by mistake."""
MAKE_IT_FIRST = "; make it first with algebra.constant(...)"
"""What can be done in Python about a name that is not known."""


class Vocabulary:
    """Names and their indices; it only ever grows.

    Constants belong to one algebra, and so to one vocabulary. A copy (made by ``copy`` or through
    ``pickle``) is kin: both have the same ``lineage``, and constants pass between them as long as
    index and name agree. A vocabulary read from a file has no lineage. It knows its constants by
    name only, and takes those of any algebra.

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
        """All names, by index (not to be changed)."""
        return self._names

    def extend(self, names: Sequence[str]) -> range:
        """Add all of the names, or none if one of them is not fit; returns their indices."""
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
        """The index of a name that is there."""
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
        """Do these indices mean the same constants in both?"""
        if other is self:
            return True
        if other.lineage != self.lineage:
            return False
        n = min(len(self), len(other))
        return all(i < n and self._names[i] == other._names[i] for i in indices)

    def adopt(self, other: "Vocabulary", indices: tuple[int, ...]) -> tuple[int, ...]:
        """The indices here of constants there, if they may come here at all."""
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
        """A copy that grows on its own, and is kin."""
        return _restore(list(self._names), self.lineage)


def check_name(name: object) -> None:
    """Raise unless ``name`` can name a constant."""
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
