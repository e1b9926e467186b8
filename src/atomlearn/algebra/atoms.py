"""Atoms. An atom is known by its upper segment: the constants that contain it."""

from typing import Any

from atomlearn.algebra.syntax import write_names
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.markup import MOST_ROWS, in_notebook, table


class Atom:
    """An atom of a model, by value: equal when the same constants contain it.

    >>> from atomlearn import Algebra
    >>> alg = Algebra()
    >>> v, a, b = alg.constants("v", "a", "b")
    >>> alg.add(v <= a | b)
    >>> atom = alg.freest().atoms_of(v)[0]
    >>> atom.constants
    ('v', 'a')
    >>> "a" in atom, len(atom)
    (True, 2)
    """

    __slots__ = ("_indices", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, indices: tuple[int, ...]) -> None:
        """Atoms are made by models; ``indices`` are sorted and distinct."""
        self._vocabulary = vocabulary
        self._indices = indices

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of the constants that contain the atom."""
        names = self._vocabulary.names
        return tuple(names[i] for i in self._indices)

    @property
    def indices(self) -> tuple[int, ...]:
        """The same constants by index, ascending."""
        return self._indices

    def is_larger_than(self, other: "Atom") -> bool:
        """Is it in every constant that the ``other`` is in? (Also if equal.)"""
        return set(other.constants) <= set(self.constants)

    def __contains__(self, name: object) -> bool:
        return name in self.constants

    def __len__(self) -> int:
        return len(self._indices)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Atom):
            return NotImplemented
        if self._vocabulary is other._vocabulary:
            return self._indices == other._indices
        return set(self.constants) == set(other.constants)

    def __hash__(self) -> int:
        return hash(frozenset(self.constants))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._vocabulary, self._indices)

    def __copy__(self) -> "Atom":
        return self

    def __deepcopy__(self, memo: object) -> "Atom":
        return self

    def __str__(self) -> str:
        return write_names(self.constants)

    def __repr__(self) -> str:
        return f"Atom({str(self)!r})"


class Atoms(tuple[Atom, ...]):
    """Atoms of a model, which a notebook displays as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return in_notebook(self._html())

    def _html(self) -> str:
        rows = [[len(atom), str(atom)] for atom in sorted(self, key=lambda a: (len(a), a.indices))]
        more = f"<p>... and {len(rows) - MOST_ROWS:,} more</p>" if len(rows) > MOST_ROWS else ""
        return table(["size", "in the constants"], rows[:MOST_ROWS], numbers=[0]) + more
