"""Random small problems, as an algebra and as the plain sets of the oracle."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st

from atomlearn import Algebra, Model, Relation, Term
from atomlearn.sets import rows as bits

NAMES = ["a", "b", "c", "d", "e", "f", "g"]

Names = frozenset[str]
Pair = tuple[Names, Names]


@dataclass
class Problem:
    names: list[str]
    positives: list[Pair]
    negatives: list[Pair]

    def algebra(self) -> Algebra:
        alg = Algebra(self.names)
        alg.add(relation(alg, pair) for pair in self.positives)
        alg.add(~relation(alg, pair) for pair in self.negatives)
        return alg


def relation(alg: Algebra | Model, pair: Pair) -> Relation:
    return alg.term(sorted(pair[0])) <= alg.term(sorted(pair[1]))


def names_of(term: Term) -> Names:
    return frozenset(term.constants)


def sets_of(model: Model) -> set[Names]:
    return {frozenset(atom.constants) for atom in model.atoms}


def model_of(names: list[str], atoms: Iterable[Names], alg: Algebra | None = None) -> Model:
    rows = bits.from_indices([sorted(map(names.index, atom)) for atom in atoms], len(names))
    return Model(alg or Algebra(names), rows)


def universes(most: int = 7, least: int = 1) -> st.SearchStrategy[list[str]]:
    return st.integers(least, most).map(lambda n: NAMES[:n])


def sets(names: list[str], most: int | None = None) -> st.SearchStrategy[Names]:
    return st.frozensets(st.sampled_from(names), min_size=1, max_size=most or len(names))


def pairs(names: list[str]) -> st.SearchStrategy[Pair]:
    return st.tuples(sets(names, 2), sets(names, 3))


@st.composite
def problems(draw, most=7, positives=6, negatives=5):
    names = draw(universes(most))
    return Problem(
        names,
        draw(st.lists(pairs(names), max_size=positives)),
        draw(st.lists(pairs(names), max_size=negatives)),
    )


@st.composite
def universes_with_atoms(draw, most=5, models=1):
    """Names, and the atoms of one model or more over them."""
    names = draw(universes(most))
    return names, *(draw(st.lists(sets(names), max_size=6)) for _ in range(models))
