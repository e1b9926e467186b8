"""Products of models, and the smallest sets of atoms that satisfy the relations."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from atomlearn.algebra.model import Model
from atomlearn.algebra.terms import Vocabulary
from atomlearn.errors import ModelTooLarge
from atomlearn.sets import rows

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.algebra.relations import Relation


def product(*models: Model) -> Model:
    """Return the direct product of models, over the constants of all of them.

    Parameters
    ----------
    *models : Model
        The factors. Constants are matched by name; one that a factor does not have is its smallest
        element there.

    Returns
    -------
    Model
        The product, in which a relation holds if it holds in every factor.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> one, other = Algebra(["a", "b"]), Algebra(["b", "c"])
    >>> one.add(one.relation("a < b"))
    >>> both = product(one.freest(), other.freest())
    >>> both.holds(both.relation("a < b")), both.holds(both.relation("c < b"))
    (True, False)
    """
    names = list(dict.fromkeys(name for model in models for name in model.names))
    at = {name: i for i, name in enumerate(names)}
    parts = [np.zeros((0, len(names)), dtype=bool)]
    for model in models:
        part = np.zeros((model.n_atoms, len(names)), dtype=bool)
        part[:, [at[name] for name in model.names]] = rows.unpack(model.rows, model.n_constants)
        parts.append(part)
    return Model(Vocabulary(names, by_name=True), rows.pack(np.concatenate(parts)))


def factors(model: Model) -> list[Model]:
    """Split a model into models of one atom each, of which it is the product.

    Parameters
    ----------
    model : Model
        The model, whose redundant atoms are left out.

    Returns
    -------
    list of Model
        The factors.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b"])
    >>> alg.add(alg.relation("a < b"))
    >>> [factor.atoms[0].constants for factor in factors(alg.freest())]
    [('b',), ('a', 'b')]
    """
    few = model.irredundant()
    return [Model(few.vocabulary, few.rows[k : k + 1], few.n_constants) for k in range(few.n_atoms)]


Indices = frozenset[int]

MOST = 100_000
"""Default limit for the number of subsets."""


def irreducible_subsets(algebra: "Algebra", *, max_subsets: int = MOST) -> Iterator[Model]:
    """List all irreducible models made of atoms of the freest model, smallest first.

    Parameters
    ----------
    algebra : Algebra
        The relations to satisfy.
    max_subsets : int, default=100000
        Maximum number of sets of atoms.

    Yields
    ------
    Model
        A model that satisfies all relations, and would not without any of its atoms.

    Raises
    ------
    ModelTooLarge
        Before there are more than ``max_subsets``.

    Examples
    --------
    >>> from atomlearn.problems import Choices, one_of_each
    >>> coin = Choices(one_of_each([["heads", "tails"]]))
    >>> game = coin.algebra(given=[])
    >>> shown = [
    ...     {side for side in coin.yes if model.holds(game[side] <= game["U"] | game["S"])}
    ...     for model in irreducible_subsets(game)
    ... ]
    >>> {"heads"} in shown, {"tails"} in shown, {"heads", "tails"} in shown
    (True, True, False)
    """
    freest = algebra.freest()
    needed = [_discriminating(freest, relation) for relation in algebra.negative]
    subsets = minimal_hitting_sets(needed, max_subsets)
    for chosen in sorted(subsets, key=lambda s: (len(s), sorted(s))):
        yield Model(algebra, freest.rows[sorted(chosen)], freest.n_constants)


def is_irreducible(model: Model, algebra: "Algebra") -> bool:
    """Decide whether a model satisfies all relations, and would not without any of its atoms.

    Parameters
    ----------
    model : Model
        The model to test.
    algebra : Algebra
        The relations to satisfy.

    Returns
    -------
    bool
        Whether the model is irreducible.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"), alg.relation("v !< a"))
    >>> [is_irreducible(model, alg) for model in (alg.freest(), next(irreducible_subsets(alg)))]
    [False, True]
    """
    if not all(model.holds(relation) for relation in algebra.relations):
        return False
    alone: set[int] = set()
    for relation in algebra.negative:
        atoms = _discriminating(model, relation)
        alone |= atoms if len(atoms) == 1 else frozenset()
    return len(alone) == model.n_atoms


def minimal_hitting_sets(sets: Iterable[Indices], most: int = MOST) -> list[Indices]:
    """List all minimal sets that share an element with every given set (Berge's algorithm).

    >>> sorted(map(sorted, minimal_hitting_sets([frozenset({1, 2}), frozenset({2, 3})])))
    [[1, 3], [2]]
    """
    found: list[Indices] = [frozenset()]
    for one in sorted(set(sets), key=lambda s: (len(s), sorted(s))):
        hit = [f for f in found if f & one]
        longer = {f | {x} for f in found if not f & one for x in one}
        new = {g for g in longer if not any(h < g for h in hit)}
        found = hit + [g for g in new if not any(other < g for other in new)]
        if len(found) > most:
            text = f"there are more than {most:,} irreducible subsets of atoms: raise max_subsets"
            raise ModelTooLarge(text, estimate=len(found), limit=most)
    return found


def _discriminating(model: Model, relation: "Relation") -> Indices:
    n = model.n_constants
    left, right = (rows.row(side.indices, n) for side in (relation.left, relation.right))
    which = rows.meets(model.rows, left) & ~rows.meets(model.rows, right)
    return frozenset(np.flatnonzero(which).tolist())
