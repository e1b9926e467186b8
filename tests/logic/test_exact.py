"""Exact atomizations against truth tables, the naive map index, and the paper by name."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from atomlearn import Algebra, ModelTooLarge
from atomlearn.errors import UnknownConstant
from atomlearn.logic.exact import MOST_SIBLINGS, ExactAtomization
from atomlearn.logic.formulas import (
    FALSE,
    TRUE,
    And,
    Has,
    Not,
    Odd,
    Or,
    complements,
    exists,
    forall,
)
from tests.logic.oracle import ABSENT, NAMES, exact_atoms, formulas, images, is_true, worlds

PAIRS = [(name, ABSENT[name]) for name in NAMES]


def black(i, j):
    return Has(("b", i, j))


def pixel_pairs(height, width):
    return [(("b", i, j), ("w", i, j)) for i in range(height) for j in range(width)]


def bars(height, width):
    """The paper's ``∨_j ∧_i (c_ijb < I)``."""
    return exists(range(width), lambda j: forall(range(height), lambda i: black(i, j)))


@given(formulas())
def test_atoms_are_the_formula_and_nothing_else(formula):
    exact = ExactAtomization(formula, PAIRS)
    atoms = list(exact)
    for image in images(formula.constants()):
        assert all(atom & image for atom in atoms) == is_true(formula, image)


@given(formulas())
def test_atoms_are_those_of_the_naive_map_index(formula):
    exact = ExactAtomization(formula, PAIRS)
    atoms, naive = list(exact), exact_atoms(formula)
    assert len(set(atoms)) == len(atoms) == exact.count() <= max(1, exact.bound)
    if not any(isinstance(part, Odd) for part in walk(formula)):
        assert set(atoms) == naive
    for atom in exact.sample(4, random_state=1):
        assert atom in exact and atom in set(atoms)


def walk(formula):
    yield formula
    for part in getattr(formula, "parts", [getattr(formula, "part", None)]):
        if part is not None:
            yield from walk(part)


@given(formulas(NAMES[:4]), st.data())
def test_questions_about_any_set_of_constants(formula, data):
    exact = ExactAtomization(formula, PAIRS)
    assume(exact.constants)
    atoms = list(exact)
    asked = data.draw(st.lists(st.sets(st.sampled_from(exact.constants)), min_size=1, max_size=20))
    sets = np.array([[name in one for name in exact.constants] for one in asked])
    plain = np.array([not any(ABSENT[name] in one for name in one) for one in asked])
    assert [one in exact for one in asked] == [frozenset(one) in atoms for one in asked]
    assert exact.are_atoms(sets).tolist() == [frozenset(one) in atoms for one in asked]
    assert exact.lie_within_atoms(sets).tolist() == [any(one <= a for a in atoms) for one in asked]
    within = np.array([any(atom <= one for atom in atoms) for one in asked])
    assert (exact.follow(sets)[plain] == within[plain]).all()


@given(formulas(NAMES[:5]))
def test_atoms_of_a_constant_meet_the_reverted_atoms_of_its_inverse(formula):
    exact = ExactAtomization(formula, PAIRS)
    inverse = exact.inverse()
    assert all(atom & exact.reverted(other) for atom, other in product(list(exact), list(inverse)))


@given(formulas(monotone=True))
def test_the_model_means_the_formula(formula):
    algebra = Algebra(["v", *NAMES])
    model = ExactAtomization(formula).model(algebra, "v")
    for world in worlds(NAMES)[1:]:
        assert model.holds(algebra["v"] <= algebra.term(sorted(world))) == is_true(formula, world)
    assert model.irredundant().n_atoms == model.n_atoms


def test_true_and_false():
    assert list(ExactAtomization(TRUE)) == [] and ExactAtomization(TRUE).sample(3) == []
    assert list(ExactAtomization(FALSE)) == [frozenset()]
    contradiction = ExactAtomization(Has("c1") & ~Has("c1"), PAIRS)
    assert set(contradiction) == {frozenset(["c1"]), frozenset(["C1"])}
    assert list(ExactAtomization(Has("c1") | ~Has("c1"), PAIRS)) == []


# -- the paper's worked formulas, by name


def test_vertical_bars_3_by_2_have_9_atoms():
    """Section 3.1: each atom is in a black pixel of column 1 and one of column 2."""
    exact = ExactAtomization(bars(3, 2))
    assert exact.count() == 9
    assert set(exact) == {
        frozenset([("b", i, 0), ("b", k, 1)]) for i, k in product(range(3), repeat=2)
    }


def test_vertical_bars_2_by_2_are_the_toy_problem():
    """Section 3.1: 4 atoms, those that Sparse Crossing found."""
    toy = (Has("c1") & Has("c2")) | (Has("c3") & Has("c4"))
    assert set(ExactAtomization(toy)) == {
        frozenset(atom.split()) for atom in ("c1 c4", "c1 c3", "c2 c3", "c2 c4")
    }


def test_vertical_bars_15_by_15_have_15_to_the_15_atoms():
    """Section 3.2: counted, sampled and asked, never listed."""
    exact = ExactAtomization(bars(15, 15), pixel_pairs(15, 15))
    assert exact.count() == 15**15
    for atom in exact.sample(20, random_state=3):
        assert len(atom) == 15 and {j for _, _, j in atom} == set(range(15))
        assert atom in exact
        one = next(iter(atom))
        assert atom - {one} not in exact and (atom - {one}) | {("w", *one[1:])} not in exact
    assert exact.sample(5, random_state=3) == exact.sample(5, random_state=3)
    assert exact.sample(5, random_state=3) != exact.sample(5, random_state=4)
    with pytest.raises(ModelTooLarge, match="437,893,890,380,859,375"):
        exact.model(Algebra(["v"]), "v")


def test_the_inverse_of_bars_is_a_white_pixel_in_every_column():
    """``¬h``: one atom a column, all its white pixels."""
    exact = ExactAtomization(bars(4, 3), pixel_pairs(4, 3)).inverse()
    assert set(exact) == {frozenset(("w", i, j) for i in range(4)) for j in range(3)}


@pytest.mark.parametrize("d", [2, 3, 4, 10, 15])
def test_even_and_odd_bars(d):
    """Section 3.2: all white pixels of some bars and one black pixel of each of the others."""
    bar = [forall(range(d), lambda i, j=j: black(i, j)) for j in range(d)]
    exact = ExactAtomization(Odd(tuple(bar)), pixel_pairs(d, d))
    even, odd = ((d + 1) ** d + (d - 1) ** d) // 2, ((d + 1) ** d - (d - 1) ** d) // 2
    assert exact.count() == even and exact.inverse().count() == odd
    for atom in exact.sample(10):
        white = {j for colour, _, j in atom if colour == "w"}
        assert len(white) % 2 == 0
        for j in range(d):
            own = [(colour, i) for colour, i, k in atom if k == j]
            assert len(own) == (d if j in white else 1)
    if d <= 3:
        assert len(set(exact)) == even


def test_the_chain_of_five_indices():
    """``∨_a ∧_b ∨_c ¬∧_d ∨_e g``: at most ``B^A E^(ACD)`` atoms, of at most ``ACD`` constants; the
    inverse at most ``A (CD)^B``, of at most ``BE``."""
    A, B, C, D, E = 2, 2, 2, 1, 2

    def g(*index):
        return Has(index)

    chain = exists(
        range(A),
        lambda a: forall(
            range(B),
            lambda b: exists(
                range(C),
                lambda c: Not(
                    forall(range(D), lambda d: exists(range(E), lambda e: g(a, b, c, d, e)))
                ),
            ),
        ),
    )
    pairs = [(i, ("not", *i)) for i in product(*map(range, (A, B, C, D, E)))]
    exact = ExactAtomization(chain, pairs)
    assert exact.count() == exact.bound == (B * E ** (C * D)) ** A <= B**A * E ** (A * C * D)
    assert max(map(len, exact)) <= A * C * D
    inverse = exact.inverse()
    assert inverse.count() == inverse.bound == A * (C * D) ** B
    assert max(map(len, inverse)) <= B * E
    assert all(x & exact.reverted(y) for x, y in product(list(exact), list(inverse)))


def test_an_index_extended_by_false_clauses():
    """``[∨_i ∧_j a_ij] ∧ [∨_u b_u]`` is the same with clauses that are always false added."""
    a = exists(range(2), lambda i: forall(range(2), lambda j: Has(f"a{i}{j}")))
    b = exists(range(3), lambda u: Has(f"b{u}"))
    extended = And((Or((a, *[FALSE] * 3)), Or((FALSE, FALSE, b))))
    assert set(ExactAtomization(extended)) == set(ExactAtomization(a & b))
    assert ExactAtomization(a & b).count() == 4 + 1


# -- what can go wrong


def test_a_negation_needs_a_complement():
    with pytest.raises(UnknownConstant, match="what stands for the absence of 'a'"):
        ExactAtomization(~Has("a"))
    with pytest.raises(ValueError, match="'a' has two complements"):
        complements([("a", "b"), ("a", "c")])


def test_too_many_to_be_listed():
    parts = tuple(Has(f"a{i}") & Has(f"a{i + 1}") for i in range(40))  # constants are shared
    exact = ExactAtomization(Or(parts))
    assert exact.bound == 2**40
    with pytest.raises(ModelTooLarge, match=r"1,099,511,627,776 clauses.*sample"):
        exact.count()
    for atom in exact.sample(3):
        assert atom in exact


def test_many_parts_are_listed_one_by_one():
    n = MOST_SIBLINGS + 1
    exact = ExactAtomization(And(tuple(Has(i) for i in range(n))))
    assert exact.count() == n


def test_a_model_needs_its_constants():
    with pytest.raises(UnknownConstant, match="no constant 'a'"):
        ExactAtomization(Has("a")).model(Algebra(["v"]), "v")
