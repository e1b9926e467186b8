"""Problems for the engine: relations as sets, and what the kernels need as rows."""

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from atomlearn.engine.protocol import PackedRelations
from atomlearn.engine.state import Dual, Master, Positives, dual_of, master_of, positives_of
from atomlearn.sets.rows import Lists, to_lists
from tests.naive import Relation, Term, closure, conflicts, distinct
from tests.sets.strategies import random_sets, seeds, to_rows, to_sets


class Problem(NamedTuple):
    """Relations over the constants ``0 .. n - 1``."""

    n: int
    positives: list[Relation]
    negatives: list[Relation]


def consistent(problem: Problem) -> Problem:
    """The problem without the negative relations that the positive ones contradict."""
    wrong = conflicts(problem.positives, problem.negatives)
    return problem._replace(negatives=[r for r in problem.negatives if r not in wrong])


def random_problem(seed: int, n: int, n_positive: int, n_negative: int) -> Problem:
    """Several left-hand constants, terms on both sides, and a few relations of any form."""
    chance = random.Random(seed)
    heads = range(max(1, n // 4))

    def relation() -> Relation:
        if chance.random() < 0.1:
            return term(range(n), 2), term(range(n), 4)
        b = term(range(len(heads), n), 4)
        return term(heads, 2), b | term(heads, 1) if chance.random() < 0.1 else b

    def term(constants: Sequence[int], most: int) -> Term:
        return frozenset(chance.sample(constants, min(len(constants), chance.randint(1, most))))

    positives = [relation() for _ in range(n_positive)]
    return Problem(n, positives, [relation() for _ in range(n_negative)])


def branching_problem() -> tuple[Problem, list[Term]]:
    """A problem and a dual for which one constant grows to more than a thousand atoms."""
    right = random_sets(1, 10, 70, 0.2)
    positives = [(frozenset({0}), term - {0}) for term in right]
    witnesses = [closure(s, positives) for s in random_sets(2, 100, 70, 0.15)]
    return Problem(70, positives, []), witnesses


def terms(n: int, most: int = 4) -> st.SearchStrategy[Term]:
    return st.frozensets(st.integers(0, n - 1), min_size=1, max_size=min(n, most))


@st.composite
def _small(draw):
    n = draw(st.integers(2, 8))
    relations = st.lists(st.tuples(terms(n, 3), terms(n)), max_size=6)
    return Problem(n, draw(relations), draw(relations))


small = _small()
"""Any relations over at most 8 constants."""

wide = st.builds(
    random_problem, seeds, st.sampled_from([64, 65, 100, 130]), st.integers(0, 30), st.just(40)
)
"""Rows of several words."""

long = st.builds(
    random_problem, seeds, st.integers(8, 20), st.sampled_from([64, 65, 130, 300]), st.just(100)
)
"""Relations for several words of 64."""

any_problem = small | wide | long
problems = any_problem.map(consistent)


def relation_rows(problem: Problem) -> PackedRelations:
    """The problem as the engine takes it."""
    sides = [
        [r[side] for r in rs] for rs in (problem.positives, problem.negatives) for side in (0, 1)
    ]
    return PackedRelations(problem.n, *(to_rows(side, problem.n) for side in sides))


def positive_rows(positives: Sequence[Relation], n: int) -> Positives:
    return positives_of(
        to_rows([a for a, _ in positives], n), to_rows([b for _, b in positives], n), n
    )


def dual_rows(witnesses: Sequence[Term], n: int) -> Dual:
    return dual_of(to_rows(witnesses, n), n)


def lists_of(sets: Sequence[Term], n: int) -> Lists:
    return to_lists(to_rows(sets, n))


def sets_of_lists(lists: Lists) -> list[Term]:
    starts = lists.starts.tolist()
    return [frozenset(lists.constants[s:e].tolist()) for s, e in itertools.pairwise(starts)]


def random_terms(seed: int, count: int, n: int) -> list[Term]:
    """Small terms, none empty."""
    return [s or frozenset({0}) for s in random_sets(seed, count, n, min(0.5, 3 / n))]


def closed_pins(problem: Problem, seed: int, count: int) -> list[Term]:
    """Distinct atoms, none empty, whose pinning terms are closed under the positive relations."""
    everything = frozenset(range(problem.n))
    some = random_sets(seed, count, problem.n, 0.6)
    pins = distinct(everything - closure(s, problem.positives) for s in some)
    return [pin for pin in pins if pin]


class State(NamedTuple):
    """A master and its dual in sets: the twin of the tuples of the kernels."""

    problem: Problem
    witnesses: list[Term]
    singles: frozenset[int]
    composites: list[Term]

    @property
    def atoms(self) -> list[Term]:
        """The composites, then the singletons."""
        return [*self.composites, *singletons(self.singles)]

    def rows(self) -> tuple[Positives, Dual, Master]:
        n = self.problem.n
        positives, dual = positive_rows(self.problem.positives, n), dual_rows(self.witnesses, n)
        singles, composites = to_rows([self.singles], n)[0], to_rows(self.composites, n)
        return positives, dual, master_of(singles, composites, positives, dual)


@st.composite
def states(draw, relations=problems, sound=True):
    """A master on its way. If ``sound``, it meets all trace constraints: closed witnesses, and an
    atom in every constant; if not, anything goes.
    """
    problem = draw(relations)
    everything = frozenset(range(problem.n))
    seed, n_witnesses = draw(seeds), draw(st.sampled_from([70, 64, 5, 1, 0]))
    witnesses = random_sets(seed, n_witnesses, problem.n, draw(st.sampled_from([0.1, 0.6])))
    composites = random_terms(seed + 1, draw(st.sampled_from([10, 70, 1, 0])), problem.n)
    if sound:
        witnesses = [closure(s, problem.positives) for s in witnesses]
        return State(problem, witnesses, everything, composites)
    (singles,) = random_sets(seed + 2, 1, problem.n, draw(st.sampled_from([0.0, 0.3, 0.7])))
    return State(problem, witnesses, singles, composites)


def singletons(constants: Iterable[int]) -> list[Term]:
    """One atom a constant."""
    return [frozenset({c}) for c in sorted(constants)]


def composites_of(master: Master) -> list[Term]:
    return to_sets(master.atoms[: master.n])


def singles_of(master: Master) -> Term:
    return to_sets(master.singles[None])[0]
