"""The two memories, by brute force over closed sets, and the paper's own example."""

import pickle
from itertools import product

import pytest
from hypothesis import given

from atomlearn import Algebra, InconsistentRelations, ModelTooLarge
from tests import naive
from tests.algebra.problems import model_of, problems, relation, sets_of

pytestmark = pytest.mark.kernels


@given(problems(negatives=0))
def test_freest_is_the_complements_of_meet_irreducible_closed_sets(problem):
    freest = problem.algebra().freest()
    assert sets_of(freest) == set(naive.freest_atoms(problem.names, problem.positives))
    assert freest.redundant_atoms == ()


@given(problems(most=4))
def test_freest_answers_yes_only_to_what_follows(problem):
    problem.negatives = [n for n in problem.negatives if not naive.entails(problem.positives, *n)]
    alg = problem.algebra()
    freest, least = alg.freest(), alg.least_free()
    for a in naive.terms_over(problem.names):
        for b in naive.terms_over(problem.names):
            asked = relation(alg, (a, b))
            assert freest.holds(asked) == naive.entails(problem.positives, a, b)
    assert all(freest.holds(r) and least.holds(r) for r in alg.relations)
    assert freest.is_freer_than(least)


@given(problems(most=4))
def test_positive_relations_follow_from_positive_ones_alone(problem):
    """Theorem 4: negative relations that can hold entail no positive one."""
    problem.negatives = [n for n in problem.negatives if not naive.entails(problem.positives, *n)]
    alg = problem.algebra()
    without = Algebra(problem.names)
    without.add(relation(without, pair) for pair in problem.positives)
    assert alg.freest() == without.freest()
    # the freest model of the positives satisfies the negatives, so nothing more can be entailed
    assert all(alg.freest().holds(r) for r in alg.negative)


@given(problems())
def test_least_free_is_the_paper_s_memory(problem):
    alg = problem.algebra()
    if naive.consistent(problem.positives, problem.negatives):
        expected = naive.least_free_atoms(problem.names, problem.positives, problem.negatives)
        assert sets_of(alg.least_free()) == set(expected)
    else:
        for refuse in (alg.least_free, alg.freest):
            with pytest.raises(InconsistentRelations) as raised:
                refuse()
            assert raised.value.conflicts == alg.conflicts()


def toy():
    """Section 2.1: c1 bottom left, c2 top left, c3 top right, c4 bottom right; c5-c8 in white."""
    alg = Algebra(["v", *(f"c{i}" for i in range(1, 9))])
    for text in (
        "v < c1 c2 c7 c8",
        "v < c3 c4 c5 c6",
        "v !< c2 c4 c5 c7",
        "v !< c3 c5 c6 c8",
        "v !< c4 c5 c6 c7",
    ):
        alg.add(alg.relation(text))
    return alg


def test_freest_model_of_the_toy():
    """Figure 7: v, one constant of either image; and the constants' own."""
    pixels = {frozenset({f"c{i}"}) for i in range(1, 9)}
    bars = product(["c1", "c2", "c7", "c8"], ["c3", "c4", "c5", "c6"])
    expected = {frozenset({"v", *pair}) for pair in bars}
    assert len(expected) == 16
    assert sets_of(toy().freest()) == expected | pixels


def test_least_free_model_of_the_toy():
    """Figure 8: three atoms, each in four pixels and v."""
    least = toy().least_free()
    assert sets_of(least) == {
        frozenset(["v", "c1", "c3", "c6", "c8"]),
        frozenset(["v", "c1", "c2", "c4", "c7"]),
        frozenset(["v", "c1", "c2", "c3", "c8"]),
    }


def test_between_the_memories_lies_the_definition_of_a_bar():
    """Figure 9: four atoms; with them the 16 images are told apart as bar and no bar."""
    alg = toy()
    names = list(alg.names)
    four = [{"v", "c1", "c3"}, {"v", "c1", "c4"}, {"v", "c2", "c3"}, {"v", "c2", "c4"}]
    learned = model_of(names, four, alg)
    assert all(learned.holds(r) for r in alg.relations)
    assert alg.freest().is_freer_than(learned)
    v = alg["v"]
    for black in product([True, False], repeat=4):
        image = alg.term([f"c{i + 1}" if b else f"c{i + 5}" for i, b in enumerate(black)])
        has_bar = (black[0] and black[1]) or (black[2] and black[3])
        assert learned.holds(v <= image) == has_bar


def test_the_least_free_memory_says_more_than_it_must():
    """ALGEBRA: with a, b, x and only ¬(a < b) the construction also separates x from b."""
    alg = Algebra(["a", "b", "x"])
    a, b, x = alg
    alg.add(~(a <= b))
    assert not alg.entails(~(x <= b))
    assert alg.least_free().holds(~(x <= b))


def test_what_would_explode_is_refused_with_an_estimate():
    alg = Algebra(["v", *(f"c{i}" for i in range(460))])
    alg.add(alg["v"] <= alg.term([f"c{i}" for i in range(230)]))
    alg.add(alg["v"] <= alg.term([f"c{i}" for i in range(230, 460)]))
    with pytest.raises(ModelTooLarge, match=r"max_atoms=53360") as raised:
        alg.freest()
    assert raised.value.estimate == 460 + 230 * 230 and raised.value.limit == 50_000
    twin = pickle.loads(pickle.dumps(raised.value))
    assert (str(twin), twin.limit) == (str(raised.value), 50_000)
    small = Algebra(["v", "a", "b", "c", "d"])
    small.add(small.relation("v < a b"), small.relation("v < c d"))
    with pytest.raises(ModelTooLarge):
        small.freest(max_atoms=7)
    assert small.freest(max_atoms=8).n_atoms == 8
    model = small.freest()
    with pytest.raises(ModelTooLarge):
        model.cross(small["a"], small.term("b c d"), max_atoms=3)
    small.add(small.relation("a !< b"), small.relation("a !< c"))
    with pytest.raises(ModelTooLarge):
        small.least_free(max_atoms=1)
    assert small.least_free(max_atoms=2).n_atoms == 2


def test_an_algebra_without_relations_or_constants():
    alg = Algebra()
    assert alg.freest().n_atoms == alg.least_free().n_atoms == 0
    assert alg.conflicts() == []
    alone = Algebra(["a"])
    assert [atom.constants for atom in alone.freest().atoms] == [("a",)]
    assert alone.least_free().n_atoms == 0
