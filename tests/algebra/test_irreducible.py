"""Irreducible subsets of the freest model's atoms, and direct products, against brute force."""

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from atomlearn import Algebra
from atomlearn.algebra import factors, irreducible_subsets, is_irreducible, product
from atomlearn.algebra.decomposition import minimal_hitting_sets
from atomlearn.errors import ModelTooLarge
from atomlearn.problems import Choices, one_of_each
from tests.engine.strategies import consistent, small
from tests.engine.test_protocol import algebra_of


def atom_sets(models):
    return {frozenset(frozenset(atom.constants) for atom in model.atoms) for model in models}


@given(small.map(consistent))
def test_irreducible_subsets_are_all_minimal_models_within_the_freest(problem):
    algebra = algebra_of(problem)
    freest = algebra.freest()
    assume(freest.n_atoms <= 9)
    names = [frozenset(atom.constants) for atom in freest.atoms]

    def holds(chosen):
        return all(
            any(a & set(r.left.constants) and not a & set(r.right.constants) for a in chosen)
            for r in algebra.negative
        )

    models = [
        frozenset(chosen)
        for size in range(len(names) + 1)
        for chosen in combinations(names, size)
        if holds(chosen)
    ]
    wanted = {model for model in models if not any(other < model for other in models)}
    found = list(irreducible_subsets(algebra))
    assert atom_sets(found) == wanted
    assert all(is_irreducible(model, algebra) for model in found)
    assert is_irreducible(freest, algebra) == (frozenset(names) in wanted)


@pytest.mark.parametrize(
    ("groups", "solutions"),
    [
        ([["h", "t"]], [{"h"}, {"t"}]),
        ([["r", "g", "b"]], [{"r"}, {"g"}, {"b"}]),
        ([["a1", "a2"], ["b1", "b2"], ["a1", "b1"], ["a2", "b2"]], [{"a1", "b2"}, {"a2", "b1"}]),
    ],
)
def test_every_solution_is_an_irreducible_subset_and_nothing_else_is_shown(groups, solutions):
    choices = Choices(one_of_each(groups))
    game = choices.algebra([])
    solved = game["U"] | game["S"]
    shown = [
        frozenset(name for name in choices.yes if model.holds(game[name] <= solved))
        for model in irreducible_subsets(game)
    ]
    assert {s for s in shown if s} == set(map(frozenset, solutions))


def test_too_many_subsets_are_refused():
    with pytest.raises(ModelTooLarge, match="more than 10 irreducible"):
        minimal_hitting_sets([frozenset({2 * k, 2 * k + 1}) for k in range(8)], 10)


@given(small.map(consistent), small.map(consistent), st.integers(0, 5))
def test_a_relation_holds_in_a_product_if_it_holds_in_every_factor(first, second, seed):
    n = min(first.n, second.n)
    one, other = (algebra_of(p).learn(random_state=seed) for p in (first, second))
    both = product(one, other)
    for a in range(n):
        for b in range(n):
            text = f"c{a} < c{b}"
            expected = all(m.holds(m.relation(text)) for m in (one, other))
            assert both.holds(both.relation(text)) == expected


@given(small.map(consistent))
def test_a_model_is_the_product_of_its_factors(problem):
    model = algebra_of(problem).freest()
    parts = factors(model)
    assert all(part.n_atoms == 1 for part in parts)
    assert product(*parts) == model or not parts


def test_constants_of_one_factor_only():
    one, other = Algebra(["a", "b"]), Algebra(["c"])
    both = product(one.freest(), other.freest())
    assert list(both.names) == ["a", "b", "c"]
    assert not both.holds(both.relation("c < a b")) and not both.holds(both.relation("a < b c"))
