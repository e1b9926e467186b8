"""Models: sets of atoms, which answer every question about terms."""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.algebra.relations import Relation, adopt_relation, make_relation
from atomlearn.algebra.terms import Constant, Term, Vocabulary, make_term, write_names
from atomlearn.errors import DifferentConstants, InvalidAtoms, InvalidParameter, UnknownConstant
from atomlearn.markup import MOST_ROWS, Displayed, in_notebook, table
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Rows
from atomlearn.typing import Bits

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.algebra.contexts import Context
    from atomlearn.algebra.implications import Implication, Kind
    from atomlearn.logic.comparison import Grid
    from atomlearn.logic.define import ConstantDefinition
    from atomlearn.logic.formulas import Pairs


class Atom:
    """An atom of a model; atoms are equal when the same constants contain them.

    Parameters
    ----------
    vocabulary : Vocabulary
        The names of the constants.
    indices : tuple of int
        The constants that contain the atom, sorted and distinct.

    Examples
    --------
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
        """Create an atom; models do this."""
        self._vocabulary = vocabulary
        self._indices = indices

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the constants that contain the atom."""
        names = self._vocabulary.names
        return tuple(names[i] for i in self._indices)

    @property
    def indices(self) -> tuple[int, ...]:
        """Indices of the constants that contain the atom, ascending."""
        return self._indices

    def is_larger_than(self, other: "Atom") -> bool:
        """Return whether this atom is in every constant that another is in (larger, or equal).

        Parameters
        ----------
        other : Atom
            The other atom.
        """
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
    """A tuple of atoms, which a notebook displays as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return in_notebook(self._html())

    def _html(self) -> str:
        rows = [[len(atom), str(atom)] for atom in sorted(self, key=lambda a: (len(a), a.indices))]
        more = f"<p>... and {len(rows) - MOST_ROWS:,} more</p>" if len(rows) > MOST_ROWS else ""
        return table(["size", "in the constants"], rows[:MOST_ROWS], numbers=[0]) + more


def pinning_terms(vocabulary: Vocabulary, atoms: Rows, n: int) -> list[Term]:
    """Return the pinning term of each atom."""
    outside = bits.complement(bits.without_full(atoms, n), n)
    return [Term(vocabulary, tuple(bits.members(row).tolist())) for row in outside]


def pinning_relations(vocabulary: Vocabulary, atoms: Rows, n: int) -> list[Relation]:
    """Return all pinning relations, atom by atom."""
    atoms = bits.without_full(atoms, n)
    return [
        Relation(Constant(vocabulary, (c,)), term, positive=False)
        for atom, term in zip(atoms, pinning_terms(vocabulary, atoms, n), strict=True)
        for c in bits.members(atom).tolist()
    ]


def pinned_atoms(terms: Iterable[Term], n: int) -> Rows:
    """Return the atoms that have these pinning terms."""
    return bits.complement(bits.from_indices([term.indices for term in terms], n), n)


class Model(Displayed):
    """A semilattice given by its atoms, which decides every relation.

    ``a < b`` holds when every atom of ``a`` is one of ``b``. Models come from
    :meth:`Algebra.learn`, :meth:`~Algebra.freest`, :meth:`~Algebra.least_free` and from files, and
    do not change. Two are equal when the same relations hold in both, decided exactly, whatever
    their atoms and whichever algebras they come from, if the constants have the same names.

    Parameters
    ----------
    algebra : Algebra or Vocabulary
        The constants.
    rows : ndarray of uint64
        Packed rows, each the set of the constants that contain an atom. Atoms given twice are kept
        once; a row without constants is no atom.
    n_constants : int, default=None
        Number of constants of the algebra that the rows are about, if it has grown since.

    Examples
    --------
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
        """Create a model from packed rows."""
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
        """Return the model whose atoms have these pinning terms, the inverse of `pinning_terms`.

        Parameters
        ----------
        algebra : Algebra or Vocabulary
            The constants.
        terms : iterable of Term
            The pinning terms.
        """
        vocabulary = algebra if isinstance(algebra, Vocabulary) else algebra.vocabulary
        own = [make_term(vocabulary, term) for term in terms]
        return cls(vocabulary, pinned_atoms(own, len(vocabulary)))

    # -- what it is made of

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of the algebra that the model comes from."""
        return self._vocabulary

    @property
    def rows(self) -> Rows:
        """Atoms as packed rows, read-only, for code that computes with bits."""
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
        """Constants of the model."""
        return [Constant(self._vocabulary, (i,)) for i in range(self._n)]

    def term(self, constants: "str | Term | Iterable[str | Term]") -> Term:
        """Return a term over the constants of the model, as :meth:`Algebra.term` does.

        Parameters
        ----------
        constants : str, Term or iterable of these
            Text with names separated by blanks, or exact names, constants or terms.
        """
        return make_term(self._vocabulary, constants)

    def relation(self, text: str) -> Relation:
        """Return a relation over the constants of the model, as :meth:`Algebra.relation` does.

        Parameters
        ----------
        text : str
            The relation as text, such as ``"v < c1 c2"``.
        """
        return make_relation(self._vocabulary, text)

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """Atoms of the model."""
        return self._atoms(self._rows)

    # -- what it says

    def holds(self, relation: Relation) -> bool:
        """Return whether a relation is true in this model.

        Parameters
        ----------
        relation : Relation
            A relation over constants of the model.
        """
        relation = adopt_relation(self._vocabulary, relation)
        apart = bool(self._discriminates(relation.left, relation.right).any())
        return apart != relation.positive

    def atoms_of(self, term: Term) -> tuple[Atom, ...]:
        """Return the atoms of a constant or term.

        Parameters
        ----------
        term : Term
            The term, whose atoms are those of all its constants.
        """
        return self._atoms(self._rows[bits.meets(self._rows, self._row(term))])

    def discriminant(self, left: Term, right: Term) -> tuple[Atom, ...]:
        """Return the atoms of one term that another lacks: they show why ``left < right`` fails.

        Parameters
        ----------
        left : Term
            The term whose atoms are returned.
        right : Term
            The term that lacks them.

        Returns
        -------
        tuple of Atom
            The atoms; there are none if ``left < right`` holds.
        """
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
        """Express a constant as a formula over the others, to be read and evaluated.

        Parameters
        ----------
        constant : str or Term
            The constant, or a term.
        complementary : iterable of pairs or mapping, default=()
            Pairs of constants of which every term of interest has exactly one.
        grid : Grid or list of lists, default=None
            Names of the constants row by row, if they are the pixels of an image.
        relations : iterable of Relation, default=()
            Examples on which the definition is measured, and by which clauses are chosen.
        max_clauses : int or None, default=50
            With more atoms than this the definition is partial: the atoms that exclude most
            counterexamples of ``relations``, or the smallest atoms if there are no relations.

        Returns
        -------
        ConstantDefinition
            The formula, in several forms.

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
        """Return whether all negative relations of another model are true in this one too.

        This is decided exactly, through the other's pinning relations (Theorem 3).

        Parameters
        ----------
        other : Model
            A model over the same constants.
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
        """Return the model with the atoms of both, which separates what either does (Theorem 4)."""
        if not isinstance(other, Model):
            return NotImplemented
        return self.with_atoms(np.concatenate([self._rows, self._aligned(other)]))

    # -- made into others

    def restrict(self, constants: "str | Term | Iterable[str | Term]") -> "Model":
        """Return the model restricted to some constants; all relations between them are kept.

        Parameters
        ----------
        constants : str, Term or iterable of these
            The constants to keep.
        """
        indices = self._known(self.term(constants))
        inside = bits.unpack(self._rows, self._n)[:, list(indices)]
        names = [self.names[i] for i in indices]
        return Model(Vocabulary(names, by_name=True), bits.pack(inside))

    @property
    def redundant_atoms(self) -> tuple[Atom, ...]:
        """Atoms that are unions of smaller atoms and can be left out (Theorem 5).

        The atom that all constants contain, the paper's 0, decides no relation between terms. As in
        the theorem it counts as redundant only if smaller atoms make it up.
        """
        from atomlearn.engine.full_crossing import redundant

        return self._atoms(self._rows[redundant(self._rows)])

    def irredundant(self) -> "Model":
        """Return the same model without redundant atoms: the smallest set of atoms for it."""
        from atomlearn.engine.full_crossing import irredundant

        return self.with_atoms(irredundant(self._rows))

    def cross(self, left: Term, right: Term, *, max_atoms: int | None = None) -> "Model":
        """Apply Full Crossing, the freest way to make ``left < right`` hold.

        Parameters
        ----------
        left : Term
            The left side of the relation.
        right : Term
            The right side of the relation.
        max_atoms : int, default=None
            Maximum number of atoms.

        Returns
        -------
        Model
            The model after crossing.

        Raises
        ------
        ModelTooLarge
            Before there are more than ``max_atoms``.
        """
        from atomlearn.engine.full_crossing import full_crossing

        crossed = full_crossing(
            self._rows, self._row(left), self._row(right), self._n, max_atoms, f"{left} < {right}"
        )
        return self.with_atoms(crossed)

    def pinning_terms(self) -> list[Term]:
        """Return for each atom the merge of all constants that do not contain it (Algorithm 6).

        The atom that all constants contain has no pinning term.
        """
        return pinning_terms(self._vocabulary, self._rows, self._n)

    def pinning_relations(self) -> list[Relation]:
        """Return negative relations that imply all those of the model (Algorithm 6)."""
        return pinning_relations(self._vocabulary, self._rows, self._n)

    def with_atoms(self, atoms: Rows) -> "Model":
        """Return the model with other atoms over the same constants.

        Parameters
        ----------
        atoms : ndarray of uint64
            Packed rows, each the set of the constants that contain an atom.
        """
        return Model(self._vocabulary, atoms, self._n)

    def implications(self, kind: "Kind" = "canonical") -> "list[Implication]":
        """Return the fewest implications from which all positive relations of the model follow.

        Parameters
        ----------
        kind : {"canonical", "short"}, default="canonical"
            The canonical base of Guigues and Duquenne, or one with as many implications of which no
            name can be left out.

        Returns
        -------
        list of Implication
            The base.

        Raises
        ------
        ModelTooLarge
            If the model has too many closed sets to be visited.

        Examples
        --------
        >>> from atomlearn import Algebra
        >>> alg = Algebra(["v", "a", "b"])
        >>> alg.add(alg.relation("v < a b"))
        >>> print(*alg.freest().implications())
        a b → v
        """
        # The atom that all constants contain decides nothing about terms, which are never empty.
        rows = bits.without_full(self._rows, self._n) if self._n > 1 else self._rows
        return self.with_atoms(rows).to_context().implications(kind)

    def to_context(self, path: "str | Path | None" = None) -> "Context":
        """Return the model as a formal context: atoms are objects with the attributes they lack.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write it to: CSV if it ends with ``.csv``, else Burmeister's format.

        Returns
        -------
        Context
            The context.

        Examples
        --------
        >>> from atomlearn import Algebra
        >>> Algebra(["a", "b"]).freest().to_context()
        <Context: 2 objects, 2 attributes>
        """
        from atomlearn.algebra.contexts import Context

        context = Context.from_model(self)
        if path is not None:
            context.write(path)
        return context

    def save(self, path: "str | Path") -> None:
        """Write the model atomically to a file for :func:`atomlearn.load`.

        Parameters
        ----------
        path : str or Path
            The file to write, usually with the ending ``.atoms``.
        """
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

    def _aligned(self, other: object) -> Rows:
        """Return the other's atoms with the constants in the order of this model."""
        if not isinstance(other, Model):
            raise InvalidParameter(
                f"a model is compared with a model, not with {type(other).__name__}; an algebra "
                "has learn(), freest() and least_free()"
            )
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
        """The irredundant atoms without the paper's 0: equal sets mean equal models."""
        from atomlearn.engine.full_crossing import irredundant

        atoms = self._atoms(irredundant(bits.without_full(self._rows, self._n)))
        return frozenset(frozenset(atom.constants) for atom in atoms)


def _distinct(rows: Rows) -> Rows:
    """Return a copy of the distinct rows that are not empty, in the order of first occurrence."""
    rows = rows[rows.any(axis=1)] if rows.shape[1] else rows[:0]
    first = {row.tobytes(): i for i, row in reversed(list(enumerate(rows)))}
    return rows[sorted(first.values())] if len(first) < len(rows) else rows.copy()
