"""The theorems on entailment and on the freest and least free models."""

from itertools import chain, combinations

from hypothesis import assume, given
from hypothesis import strategies as st

from tests import naive
from tests.naive import closure, consistent, entails, holds, is_freer, is_model, seeded, terms_over
from tests.naive.strategies import models, prepared, problems, seeds, terms


def all_models(constants):
    """Every model over the constants: every set of atoms."""
    atoms = terms_over(constants)
    sizes = (combinations(atoms, k) for k in range(len(atoms) + 1))
    return [list(chosen) for chosen in chain.from_iterable(sizes)]


MODELS_OF_THREE = all_models(range(3))
THREE = st.lists(st.tuples(terms(3), terms(3)), max_size=3)


@given(THREE, THREE)
def test_consistent_iff_there_is_a_model(positives, negatives):
    found = any(is_model(atoms, positives, negatives) for atoms in MODELS_OF_THREE)
    assert consistent(positives, negatives) == found


@given(THREE, THREE, terms(3), terms(3))
def test_theorem_4_negatives_entail_nothing_positive(positives, negatives, a, b):
    assume(consistent(positives, negatives))
    followed = all(
        holds(atoms, a, b) for atoms in MODELS_OF_THREE if is_model(atoms, positives, negatives)
    )
    assert followed == entails(positives, a, b)


@given(problems(), st.data())
def test_closure_is_the_least_closed_set(problem, data):
    constants, positives, _ = problem
    S = data.draw(terms(len(constants)))
    above = [closed for closed in naive.closed_sets(constants, positives) if closed >= S]
    assert closure(S, positives) == frozenset.intersection(*above)


@given(problems())
def test_freest_model_two_ways(problem):
    constants, positives, _ = problem
    by_crossing = naive.freest_by_crossing(constants, positives)
    assert set(by_crossing) == set(naive.freest_atoms(constants, positives))


@given(problems(most=5))
def test_freest_model_holds_what_is_entailed(problem):
    constants, positives, _ = problem
    atoms = naive.freest_atoms(constants, positives)
    for a in terms_over(constants):
        for b in terms_over(constants):
            assert holds(atoms, a, b) == entails(positives, a, b)


@given(problems(most=4), seeds)
def test_every_learned_model_is_less_free_than_the_freest(problem, seed):
    constants, positives, _ = problem
    atoms, witnesses = prepared(problem, seed)
    for a, b in positives:
        atoms = naive.sparse_crossing(atoms, witnesses, a, b, seeded(seed))
    assert is_freer(naive.freest_atoms(constants, positives), atoms, constants)


@given(problems())
def test_least_free_model_two_ways(problem):
    _, positives, negatives = problem
    atoms = naive.least_free_atoms(*problem)
    assert set(naive.memory(*problem)) == set(atoms)
    assert is_model(atoms, positives, negatives)


def test_least_free_is_not_what_the_paper_says():
    """It separates x from b though nothing asks for it (ALGEBRA 4.12)."""
    a, b, x = map(frozenset, "abx")
    atoms = naive.least_free_atoms("abx", [], [(a, b)])
    assert not holds(atoms, x, b)


@given(models())
def test_theorem_5_redundant_atoms_change_nothing(model):
    constants, atoms = model
    kept = naive.irredundant(atoms)
    assert is_freer(kept, atoms, constants)  # fewer atoms are never freer, so they are the same


@given(models(most=4))
def test_theorem_5_other_atoms_are_needed(model):
    """Except an atom of all constants, which Theorem 5 forgets: its pinning term is empty."""
    constants, atoms = model
    atoms = naive.irredundant(atoms)
    for atom in atoms:
        rest = [other for other in atoms if other != atom]
        assert is_freer(rest, atoms, constants) == (atom == frozenset(constants))


def test_atom_of_all_constants_is_not_redundant_and_not_needed():
    everything = frozenset("ab")
    assert not naive.redundant(everything, [everything])
    assert is_freer([], [everything], "ab")


@given(models(most=4), st.lists(terms(4), max_size=6))
def test_theorem_3_pinning_relations_keep_what_is_separated(model, others):
    constants, atoms = range(4), model[1]
    relations = naive.pinning_relations(atoms, constants)
    keeps = not any(holds(others, c, pin) for c, pin in relations)
    assert keeps == is_freer(others, atoms, constants)
