"""Definitions of the constants of a model, from its atoms."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.engine.misses import containing
from atomlearn.errors import UnknownConstant, nearest
from atomlearn.logic.comparison import Measure, compare, measure, most_telling
from atomlearn.logic.definition import Definition
from atomlearn.logic.formulas import Clause, Pairs, complements
from atomlearn.logic.minimise import Space
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import lists_of
from atomlearn.typing import Bits

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model
    from atomlearn.algebra.relations import Relation
    from atomlearn.algebra.terms import Term

from atomlearn.logic.comparison import Conjecture, Grid, conjecture

MOST_CLAUSES = 50


@dataclass(frozen=True, repr=False)
class ConstantDefinition(Definition):
    """The definition of a constant of a model.

    Attributes
    ----------
    model : Model
        The model.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> type(alg.freest().definition("v")).__name__
    'ConstantDefinition'
    """

    model: "Model" = field(repr=False, compare=False, kw_only=True)

    def evaluate(self, X: Any) -> Bits:
        """Evaluate the formula exactly on each term.

        Parameters
        ----------
        X : iterable of Term or str, or array of bool
            Terms, or names of constants separated by blanks, or a table of truth values with a
            column for each constant of the model.

        Returns
        -------
        ndarray of bool
            Whether the formula is true for each term.
        """
        truth = _truth(self.model, X)
        names = {name: i for i, name in enumerate(self.model.names)}
        return super().evaluate(truth[:, [names[str(name)] for name in self.space.literals]])


def define_constant(
    model: "Model",
    constant: "str | Term",
    *,
    complementary: Pairs = (),
    grid: Grid | Sequence[Sequence[Hashable]] | None = None,
    relations: "Iterable[Relation]" = (),
    max_clauses: int | None = MOST_CLAUSES,
) -> ConstantDefinition:
    """Return the definition of a constant: ``v < I ⇔ ∧ over atoms ∨ over constants``.

    ``complementary`` are pairs of constants of which every term of interest has exactly one;
    ``grid`` the names of the pixels, row by row, if the constants are those of an image. With more
    than ``max_clauses`` atoms the definition is partial: the atoms that exclude most
    counterexamples of the ``relations``, or the smallest atoms if there are no relations.

    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "c1", "c2", "c3", "c4"])
    >>> from atomlearn.logic.exact import ExactAtomization
    >>> from atomlearn.logic.formulas import Has
    >>> bar = Has("c1") & Has("c2") | Has("c3") & Has("c4")
    >>> model = ExactAtomization(bar).model(alg, "v")
    >>> print(define_constant(model, "v", grid=[["c2", "c3"], ["c1", "c4"]]))
    v if some column with all rows black:
          (c1 and c2)
       or (c3 and c4)
    """
    term = model.term(constant)
    complement = complements(complementary)
    _check_names(model, complement)
    clauses = _clauses(model, term)
    examples = [r for r in relations if r.left == term]
    chosen = list(range(len(clauses)))
    measured: Measure | None = None
    place = grid if grid is None or isinstance(grid, Grid) else Grid.of(grid, complement)
    found: Conjecture | None = None
    if examples:
        of_class = np.array([r.positive for r in examples])
        truth = _truth(model, [r.right for r in examples])
        held = _held(clauses, truth, list(model.names))
        if place is not None:
            by_name: dict[Hashable, Bits] = dict(zip(model.names, truth.T, strict=True))
            found = conjecture(place, by_name, of_class, lambda e: compare(model, e, str(term)))
        if max_clauses is not None and len(clauses) > max_clauses:
            sizes = np.array([len(clause) for clause in clauses])
            others = packed.pack(~of_class[None])[0]
            chosen = most_telling(packed.pack(~held), sizes, others, max_clauses)
        measured = measure(np.logical_and.reduce(held[chosen], axis=0), of_class)
    chosen = chosen[:max_clauses]
    kept = tuple(clauses[i] for i in chosen)
    mentioned = {name for clause in kept for name in clause.literals}
    used = [name for name in model.names if name in mentioned]
    return ConstantDefinition(
        str(term),
        kept,
        measured=measured,
        total=len(clauses),
        space=Space.paired(used, complement),
        grid=place,
        conjecture=found,
        negations=_negations(complementary),
        model=model,
    )


def _clauses(model: "Model", term: "Term") -> list[Clause[str]]:
    """Return the atoms of the term as clauses over the other constants, smallest first."""
    own = set(term.indices)
    atoms = sorted(model.atoms_of(term), key=lambda atom: (len(atom), atom.indices))
    names = model.names
    return [Clause(tuple(names[i] for i in atom.indices if i not in own)) for atom in atoms]


def _held(clauses: list[Clause[str]], truth: Bits, names: list[str]) -> Bits:
    """Return which examples have one of the constants of each clause, as clauses × examples."""
    place = {name: i for i, name in enumerate(names)}
    atoms = lists_of([[place[name] for name in clause.literals] for clause in clauses])
    return packed.unpack(containing(atoms, packed.pack(truth.T)), len(truth))


def _truth(model: "Model", X: Any) -> Bits:
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        if X.ndim != 2 or X.shape[1] != model.n_constants:
            raise ValueError(
                f"a table of shape {X.shape} does not tell the truth of {model.n_constants} "
                "constants: one column for each is needed"
            )
        return X.astype(np.bool_)
    out = np.zeros((len(X), model.n_constants), dtype=np.bool_)
    for i, one in enumerate(X):
        out[i, list(model.term(one).indices)] = True
    return out


def _check_names(model: "Model", complement: dict[Hashable, Hashable]) -> None:
    known = set(model.names)
    unknown = [name for name in complement if name not in known]
    if unknown:
        raise UnknownConstant(
            f"complementary names {unknown[0]!r}, which the model does not have"
            f"{nearest(unknown[0], model.names)}"
        )


def _negations(complementary: Pairs) -> dict[Hashable, Hashable]:
    """Return the second of each pair with the first, of which it is written as the negation."""
    first: dict[Hashable, Hashable] = {}
    for one, other in complements(complementary).items():
        if one not in first:
            first[other] = one
    return first
