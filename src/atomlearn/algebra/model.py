"""Models: sets of atoms, which answer every question about terms."""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.algebra.relations import Relation, adopt_relation, make_relation
from atomlearn.algebra.terms import Constant, Term, Vocabulary, make_term
from atomlearn.algebra.text import write_names
from atomlearn.errors import DifferentConstants, InvalidAtoms, UnknownConstant
from atomlearn.markup import MOST_ROWS, Displayed, in_notebook, table
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Rows
from atomlearn.typing import Bits

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.logic.conjecture import Grid
    from atomlearn.logic.define import ConstantDefinition
    from atomlearn.logic.formulas import Pairs


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


def pinning_terms(vocabulary: Vocabulary, atoms: Rows, n: int) -> list[Term]:
    """The pinning term of each atom."""
    outside = bits.complement(bits.without_full(atoms, n), n)
    return [Term(vocabulary, tuple(bits.members(row).tolist())) for row in outside]


def pinning_relations(vocabulary: Vocabulary, atoms: Rows, n: int) -> list[Relation]:
    """All pinning relations, atom by atom."""
    atoms = bits.without_full(atoms, n)
    return [
        Relation(Constant(vocabulary, (c,)), term, positive=False)
        for atom, term in zip(atoms, pinning_terms(vocabulary, atoms, n), strict=True)
        for c in bits.members(atom).tolist()
    ]


def pinned_atoms(terms: Iterable[Term], n: int) -> Rows:
    """The atoms with these pinning terms."""
    return bits.complement(bits.from_indices([term.indices for term in terms], n), n)


class Model(Displayed):
    """A semilattice given by its atoms: ``a < b`` holds when every atom of ``a`` is one of ``b``.

    Models come from :meth:`Algebra.learn`, :meth:`~Algebra.freest`, :meth:`~Algebra.least_free` and
    from files. They do not change. Two are equal when the same relations hold in both, decided
    exactly, whatever their atoms and whichever algebras they come from, if the constants have the
    same names.

    >>> from atomlearn import Algebra
    >>> alg = Algebra()
    >>> v, a, b = alg.constants("v", "a", "b")
    >>> alg.add(v <= a | b)
    >>> model = alg.freest()
    >>> model
    <Model: 4 atoms over 3 constants>
    >>> model.holds(v <= a | b), model.holds(v <= a)
    (True, False)
    >>> model.discriminant(v, a)
    (Atom('v b'),)
    """

    def __init__(
        self, algebra: "Algebra | Vocabulary", rows: Rows, n_constants: int | None = None
    ) -> None:
        """Row ``i`` of ``rows`` is the set of constants that contain the ``i``-th atom.

        ``n_constants`` tells how many of the algebra's constants the rows are about, if it has
        grown since. Atoms given twice are kept once; a row without constants is no atom.
        """
        vocabulary = algebra if isinstance(algebra, Vocabulary) else algebra.vocabulary
        n = len(vocabulary) if n_constants is None else n_constants
        rows = np.ascontiguousarray(rows, dtype=np.uint64)
        if rows.ndim != 2 or rows.shape[1] != bits.width(n) or n > len(vocabulary):
            raise InvalidAtoms(
                f"rows of shape {rows.shape} cannot be atoms over {n} constants: "
                f"(n_atoms, {bits.width(n)}) is needed"
            )
        if n % bits.WORD and bool((rows[:, -1] & ~bits.full(n)[-1]).any()):
            raise InvalidAtoms(f"rows with bits beyond the {n} constants")
        rows = _distinct(rows)
        rows.setflags(write=False)
        self._vocabulary = vocabulary
        self._n = n
        self._rows = rows

    @classmethod
    def from_pinning_terms(cls, algebra: "Algebra | Vocabulary", terms: Iterable[Term]) -> "Model":
        """The model whose atoms have these pinning terms: the inverse of :meth:`pinning_terms`."""
        vocabulary = algebra if isinstance(algebra, Vocabulary) else algebra.vocabulary
        own = [make_term(vocabulary, term) for term in terms]
        return cls(vocabulary, pinned_atoms(own, len(vocabulary)))

    # -- what it is made of

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the algebra it comes from."""
        return self._vocabulary

    @property
    def rows(self) -> Rows:
        """The atoms as packed rows, read-only, for other code that computes with bits."""
        return self._rows

    @property
    def n_constants(self) -> int:
        """Number of constants."""
        return self._n

    @property
    def n_atoms(self) -> int:
        """Number of atoms."""
        return len(self._rows)

    @property
    def names(self) -> Sequence[str]:
        """Names of the constants."""
        return self._vocabulary.names[: self._n]

    @property
    def constants(self) -> list[Constant]:
        """The constants."""
        return [Constant(self._vocabulary, (i,)) for i in range(self._n)]

    def term(self, constants: "str | Term | Iterable[str | Term]") -> Term:
        """A term over its constants, as :meth:`Algebra.term`."""
        return make_term(self._vocabulary, constants)

    def relation(self, text: str) -> Relation:
        """A relation over its constants, as :meth:`Algebra.relation`."""
        return make_relation(self._vocabulary, text)

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms."""
        return self._atoms(self._rows)

    # -- what it says

    def holds(self, relation: Relation) -> bool:
        """Is the relation true in this model?"""
        relation = adopt_relation(self._vocabulary, relation)
        apart = bool(self._discriminates(relation.left, relation.right).any())
        return apart != relation.positive

    def atoms_of(self, term: Term) -> tuple[Atom, ...]:
        """The atoms of a constant or term: those of any of its constants."""
        return self._atoms(self._rows[bits.meets(self._rows, self._row(term))])

    def discriminant(self, left: Term, right: Term) -> tuple[Atom, ...]:
        """The atoms of ``left`` that ``right`` lacks: why ``left < right`` does not hold."""
        return self._atoms(self._rows[self._discriminates(left, right)])

    def definition(
        self,
        constant: "str | Term",
        *,
        complementary: "Pairs" = (),
        grid: "Grid | Sequence[Sequence[Hashable]] | None" = None,
        relations: Iterable[Relation] = (),
        max_clauses: int | None = 50,
    ) -> "ConstantDefinition":
        """A constant as a formula over the others, to be read and evaluated.

        Parameters
        ----------
        constant
            The constant, or a term.
        complementary
            Pairs of constants of which every term that is asked about has exactly one.
        grid
            Names of the constants row by row, if they are the pixels of an image.
        relations
            Examples on which the definition is measured, and by which clauses are chosen.
        max_clauses
            With more atoms than this the definition is partial: the atoms that exclude most
            counterexamples of ``relations``, or without any the smallest.

        Examples
        --------
        >>> from atomlearn import Algebra
        >>> alg = Algebra(["v", "a", "b"])
        >>> alg.add(alg["v"] <= alg.term("a b"))
        >>> print(alg.freest().definition("v"))
        v if
              a
          and b
        """
        from atomlearn.logic.define import define_constant

        return define_constant(
            self,
            constant,
            complementary=complementary,
            grid=grid,
            relations=relations,
            max_clauses=max_clauses,
        )

    # -- compared with others

    def is_freer_than(self, other: "Model") -> bool:
        """Is every negative relation of the ``other`` true here too? (Also if both are equal.)

        Decided exactly, through the other's pinning relations (Theorem 3).
        """
        from atomlearn.engine.full_crossing import as_free

        return as_free(self._rows, self._aligned(other), self._n)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        if set(self.names) != set(other.names):
            return False
        return self._theory == other._theory

    def __hash__(self) -> int:
        return hash(self._theory)

    def __or__(self, other: "Model") -> "Model":
        """The model with the atoms of both: what either separates is separated (proof of Theorem
        4)."""
        if not isinstance(other, Model):
            return NotImplemented
        return self.with_atoms(np.concatenate([self._rows, self._aligned(other)]))

    # -- made into others

    def restrict(self, constants: "str | Term | Iterable[str | Term]") -> "Model":
        """The model restricted to these constants; all relations between them are kept."""
        indices = self._known(self.term(constants))
        inside = bits.unpack(self._rows, self._n)[:, list(indices)]
        names = [self.names[i] for i in indices]
        return Model(Vocabulary(names, by_name=True), bits.pack(inside))

    @property
    def redundant_atoms(self) -> tuple[Atom, ...]:
        """The atoms that can be left out (Theorem 5): unions of smaller atoms.

        The atom that all constants contain, the paper's 0, decides no relation between terms. As in
        the theorem it counts as redundant only if smaller atoms make it up.
        """
        from atomlearn.engine.full_crossing import redundant

        return self._atoms(self._rows[redundant(self._rows)])

    def irredundant(self) -> "Model":
        """The same model without redundant atoms: the smallest set of atoms for it."""
        from atomlearn.engine.full_crossing import irredundant

        return self.with_atoms(irredundant(self._rows))

    def cross(self, left: Term, right: Term, *, max_atoms: int | None = None) -> "Model":
        """Full Crossing of ``left`` into ``right``: the freest way to ``left < right``.

        Raises :class:`~atomlearn.errors.ModelTooLarge` before there are more than ``max_atoms``.
        """
        from atomlearn.engine.full_crossing import full_crossing

        crossed = full_crossing(
            self._rows, self._row(left), self._row(right), self._n, max_atoms, f"{left} < {right}"
        )
        return self.with_atoms(crossed)

    def pinning_terms(self) -> list[Term]:
        """For each atom, the merge of all constants that do not contain it (Algorithm 6).

        The atom that all constants contain has none.
        """
        return pinning_terms(self._vocabulary, self._rows, self._n)

    def pinning_relations(self) -> list[Relation]:
        """Negative relations that capture every negative relation of the model (Algorithm 6)."""
        return pinning_relations(self._vocabulary, self._rows, self._n)

    def with_atoms(self, atoms: Rows) -> "Model":
        """The model over the same constants with these atoms, given as packed rows."""
        return Model(self._vocabulary, atoms, self._n)

    def save(self, path: "str | Path") -> None:
        """Write the model to a file for ``atomlearn.load``, atomically."""
        from atomlearn.algebra.files import write_model

        write_model(self, path)

    # -- inside

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._vocabulary, self._rows, self._n)

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, memo: object) -> "Model":
        return self

    def __repr__(self) -> str:
        atoms = "1 atom" if self.n_atoms == 1 else f"{self.n_atoms} atoms"
        return f"<Model: {atoms} over {self._n} constants>"

    def _html(self) -> str:
        about = (
            f"<p><strong>Model</strong> of {self.n_atoms:,} atoms over {self._n:,} constants</p>"
        )
        smallest = np.argsort(bits.count(self._rows), kind="stable")[: MOST_ROWS + 1]
        shown = self._atoms(self._rows[smallest])
        left = self.n_atoms - MOST_ROWS
        more = f"<p>... and {left:,} more</p>" if left > 0 else ""
        return about + Atoms(shown[:MOST_ROWS])._html() + more

    def _atoms(self, rows: Rows) -> Atoms:
        return Atoms(
            Atom(self._vocabulary, tuple(np.flatnonzero(row).tolist()))
            for block in np.array_split(rows, len(rows) // 1024 + 1)  # unpacked is 8 times larger
            for row in bits.unpack(block, self._n)
        )

    def _known(self, term: Term) -> tuple[int, ...]:
        indices = make_term(self._vocabulary, term).indices
        if indices[-1] >= self._n:
            late = self._vocabulary.names[indices[-1]]
            raise UnknownConstant(
                f"the constant {late!r} was made after this model, which says nothing about it"
            )
        return indices

    def _row(self, term: Term) -> Rows:
        return bits.row(self._known(term), self._n)

    def _discriminates(self, left: Term, right: Term) -> Bits:
        return bits.meets(self._rows, self._row(left)) & ~bits.meets(self._rows, self._row(right))

    def _aligned(self, other: "Model") -> Rows:
        """The other's atoms with the constants in the order of this model."""
        if other._vocabulary is self._vocabulary and other._n == self._n:
            return other._rows
        mine, theirs = list(self.names), list(other.names)
        if mine == theirs:
            return other._rows
        if set(mine) != set(theirs):
            odd = sorted(set(mine) ^ set(theirs))[:3]
            raise DifferentConstants(
                f"the models are not over the same constants (only one has {', '.join(odd)}); "
                "restrict() both to those they share"
            )
        at = {name: i for i, name in enumerate(theirs)}
        return bits.pack(bits.unpack(other._rows, self._n)[:, [at[name] for name in mine]])

    @cached_property
    def _theory(self) -> frozenset[frozenset[str]]:
        """The irredundant atoms but the paper's 0, which tells nothing apart: one set a theory."""
        from atomlearn.engine.full_crossing import irredundant

        atoms = self._atoms(irredundant(bits.without_full(self._rows, self._n)))
        return frozenset(frozenset(atom.constants) for atom in atoms)


def _distinct(rows: Rows) -> Rows:
    """The different rows that are not empty, first come first; a copy."""
    rows = rows[rows.any(axis=1)] if rows.shape[1] else rows[:0]
    first = {row.tobytes(): i for i, row in reversed(list(enumerate(rows)))}
    return rows[sorted(first.values())] if len(first) < len(rows) else rows.copy()
