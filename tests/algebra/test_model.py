"""Models against brute force: what holds, the order of models, redundancy, pinning."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra, Model
from atomlearn.errors import DifferentConstants, InvalidAtoms, NotARelation, UnknownConstant
from atomlearn.sets import rows as bits
from tests import naive
from tests.algebra.problems import (
    model_of,
    names_of,
    pairs,
    relation,
    sets,
    sets_of,
    universes_with_atoms,
)

pytestmark = pytest.mark.kernels


def same_theory(one, two, names, empty=False):
    """Do the same relations hold, tried one by one? ``empty``: also against the empty merge."""
    terms = naive.terms_over(names)
    rights = naive.subsets(names) if empty else terms
    return all(naive.holds(one, a, b) == naive.holds(two, a, b) for a in terms for b in rights)


@given(universes_with_atoms(), st.data())
def test_holds_atoms_and_discriminant(universe, data):
    names, atoms = universe
    model = model_of(names, atoms)
    a, b = data.draw(pairs(names))
    asked = relation(model, (a, b))
    assert model.holds(asked) == naive.holds(atoms, a, b)
    assert model.holds(~asked) != model.holds(asked)
    found = {frozenset(atom.constants) for atom in model.discriminant(asked.left, asked.right)}
    assert found == {atoms[i] for i in naive.dis(a, b, atoms)}
    of = {frozenset(atom.constants) for atom in model.atoms_of(asked.left)}
    assert of == {atoms[i] for i in naive.atoms_of(a, atoms)}
    assert model.n_atoms == len(model.atoms) == len(set(atoms))


@given(universes_with_atoms(most=4, models=2))
def test_freer_and_equal_are_decided_exactly(universe):
    names, one, two = universe
    alg = Algebra(names)
    m, n = model_of(names, one, alg), model_of(names, two, alg)
    assert m.is_freer_than(n) == naive.is_freer(one, two, names)
    assert (m == n) == same_theory(one, two, names)
    if m == n:
        assert hash(m) == hash(n)
        assert m.is_freer_than(n) and n.is_freer_than(m)


@given(universes_with_atoms(most=4))
def test_redundant_atoms_are_those_that_can_go(universe):
    """Theorem 5. With the empty merge among the terms, as its proof has it for the paper's 0."""
    names, atoms = universe
    atoms = naive.distinct(atoms)
    model = model_of(names, atoms)
    can_go = {
        atom
        for atom in atoms
        if same_theory(atoms, [x for x in atoms if x != atom], names, empty=True)
    }
    assert {frozenset(atom.constants) for atom in model.redundant_atoms} == can_go
    slim = model.irredundant()
    assert sets_of(slim) == set(atoms) - can_go == set(naive.irredundant(atoms))
    assert slim == model and hash(slim) == hash(model)
    assert slim.redundant_atoms == ()


@given(universes_with_atoms(most=4, models=2))
def test_pinning_captures_what_a_model_tells_apart(universe):
    """Theorem 3 and Algorithm 6."""
    names, one, two = universe
    alg = Algebra(names)
    m, n = model_of(names, one, alg), model_of(names, two, alg)
    pinning = m.pinning_relations()
    found = {(names_of(r.left), names_of(r.right)) for r in pinning}
    assert found == set(naive.pinning_relations(one, names))
    assert all(not r.positive and m.holds(r) for r in pinning)
    if all(n.holds(r) for r in pinning):
        assert n.is_freer_than(m)  # iv
        for phi in set(one) - {frozenset(names)}:  # iii
            assert any(eta <= phi for eta in two)
    assert all(n.holds(r) for r in pinning) == naive.is_freer(two, one, names)


@given(universes_with_atoms())
def test_back_from_pinning_terms(universe):
    names, atoms = universe
    alg = Algebra(names)
    model = model_of(names, atoms, alg)
    back = Model.from_pinning_terms(alg, model.pinning_terms())
    assert back == model
    assert sets_of(back) == set(atoms) - {frozenset(names)}


@given(universes_with_atoms(most=4, models=2))
def test_union_keeps_what_either_tells_apart(universe):
    names, one, two = universe
    both = model_of(names, one) | model_of(names, two)
    assert sets_of(both) == set(one) | set(two)
    for a in naive.terms_over(names):
        for b in naive.terms_over(names):
            expected = naive.holds(one, a, b) and naive.holds(two, a, b)
            assert both.holds(relation(both, (a, b))) == expected


@given(universes_with_atoms(), st.data())
def test_restriction_answers_the_same(universe, data):
    names, atoms = universe
    model = model_of(names, atoms)
    some = data.draw(sets(names))
    part = model.restrict(sorted(some))
    assert set(part.names) == some
    assert sets_of(part) == {atom & some for atom in atoms} - {frozenset()}
    a, b = data.draw(pairs(sorted(some)))
    asked = relation(model, (a, b))
    assert part.holds(asked) == model.holds(asked)
    assert model.restrict(list(names)) == model


@given(universes_with_atoms(most=4), st.data())
def test_full_crossing_enforces_one_relation_and_no_more(universe, data):
    """Theorem 6: what holds after is what the relations before and the new one entail."""
    names, atoms = universe
    model = model_of(names, atoms)
    d, e = data.draw(pairs(names))
    asked = relation(model, (d, e))
    crossed = model.cross(asked.left, asked.right)
    assert crossed.holds(asked)
    assert model.is_freer_than(crossed)
    terms = naive.terms_over(names)
    before = [(a, b) for a in terms for b in terms if naive.holds(atoms, a, b)]
    for a in terms:
        for b in terms:
            expected = naive.entails([*before, (d, e)], a, b)
            assert crossed.holds(relation(model, (a, b))) == expected
    assert crossed == model_of(names, naive.full_crossing(atoms, d, e))
    if not model.redundant_atoms:
        assert crossed.redundant_atoms == ()


def test_models_of_two_algebras_compare_by_name():
    one = model_of(["a", "b", "c"], [{"a"}, {"b", "c"}])
    two = model_of(["c", "b", "a"], [{"b", "c"}, {"a"}])
    assert one == two and hash(one) == hash(two)
    assert one.is_freer_than(two) and two.is_freer_than(one)
    assert (one | two).n_atoms == 2
    other = model_of(["a", "b"], [{"a"}])
    assert one != other
    assert one != "a model"
    with pytest.raises(DifferentConstants, match="c"):
        one.is_freer_than(other)
    with pytest.raises(DifferentConstants):
        one | other
    with pytest.raises(TypeError):
        one | "a model"


def test_a_model_says_nothing_of_later_constants():
    alg = Algebra(["a", "b"])
    model = alg.freest()
    late = alg.constant("late")
    with pytest.raises(UnknownConstant, match="late"):
        model.holds(late <= alg["a"])
    assert model.names == ["a", "b"] and model.n_constants == 2
    assert model.holds(~(alg["a"] <= alg["b"]))
    assert len(alg.freest().names) == 3


def test_it_is_a_value():
    model = model_of(["a", "b"], [{"a"}, {"a", "b"}])
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin == model and twin.atoms == model.atoms
    assert {model, model.irredundant()} == {model}
    assert repr(model) == "<Model: 2 atoms over 2 constants>"
    atom = model.atoms[1]
    assert pickle.loads(pickle.dumps(atom)) == atom == copy.deepcopy(atom)
    assert atom != "a b" and copy.copy(atom) == atom
    assert model.constants[0] == model.term("a")
    assert atom != model.atoms[0] and atom.is_larger_than(model.atoms[0])
    assert not model.atoms[0].is_larger_than(atom)
    assert repr(atom) == "Atom('a b')" and len({atom, pickle.loads(pickle.dumps(atom))}) == 1
    with pytest.raises(ValueError, match="read-only"):
        model.rows[0, 0] = 0


def test_rows_that_are_no_atoms():
    alg = Algebra(["a", "b"])
    with pytest.raises(InvalidAtoms, match="shape"):
        Model(alg, np.zeros((1, 2), dtype=np.uint64))
    with pytest.raises(InvalidAtoms, match="beyond"):
        Model(alg, np.array([[4]], dtype=np.uint64))
    repeated = Model(alg, np.array([[1], [0], [1], [2]], dtype=np.uint64))
    assert [atom.constants for atom in repeated.atoms] == [("a",), ("b",)]
    assert Model(alg, bits.empty(0, 2)).holds(alg["a"] <= alg["b"])


def test_only_relations_are_asked():
    alg = Algebra(["a", "b"])
    for wrong in ("a < b", True, alg["a"]):
        with pytest.raises(NotARelation):
            alg.freest().holds(wrong)
