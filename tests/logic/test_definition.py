"""Definitions of constants: every form against the model itself, on every term there is."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra, Model
from atomlearn.errors import FormulaTooLarge, UnknownConstant
from atomlearn.logic.comparison import Grid, measure, most_telling
from atomlearn.logic.define import define_constant
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Has, Not, exists, forall
from atomlearn.sets import rows
from tests.logic.oracle import is_true

NAMES = [f"c{i}" for i in range(1, 9)]
PAIRS = [(f"c{i}", f"c{i + 4}") for i in range(1, 5)]
GRID = [["c2", "c3"], ["c1", "c4"]]
IMAGES = [[pair[1 - bit] for pair, bit in zip(PAIRS, bits, strict=True)]
          for bits in product([0, 1], repeat=4)]  # fmt: skip


def model_of(sets):
    """A model in which ``v``, the first constant, has these atoms."""
    atoms = [[0, *sorted(one)] for one in sets]
    return Model(Algebra(["v", *NAMES]), rows.from_indices(atoms, 9))


atoms_of_v = st.lists(st.sets(st.integers(1, 8), max_size=5), max_size=7)


@given(atoms_of_v)
def test_every_form_is_what_the_model_says(sets):
    model = model_of(sets)
    told = define_constant(model, "v")
    forms = [told.cnf, told.dnf, told.minimal, told.factored, told.shortest]
    v = model.term("v")
    terms = [
        [name for name, there in zip(NAMES, bits, strict=True) if there]
        for bits in product([False, True], repeat=8)
    ][1:]
    expected = [model.holds(v <= model.term(term)) for term in terms]
    assert told.evaluate(terms).tolist() == expected
    truth = {name: np.array([name in term for term in terms]) for name in NAMES}
    for form in forms:
        assert np.broadcast_to(form.evaluate(truth), len(terms)).tolist() == expected
    assert told.shortest.size() <= told.minimal.size() <= told.cnf.size()


@given(atoms_of_v)
def test_with_complements_every_form_is_right_of_every_image(sets):
    model = model_of(sets)
    told = define_constant(model, "v", complementary=PAIRS, grid=GRID)
    v = model.term("v")
    expected = [model.holds(v <= model.term(image)) for image in IMAGES]
    assert told.evaluate(IMAGES).tolist() == expected
    for form in (told.cnf, told.dnf, told.minimal, told.factored, told.shortest):
        assert [is_true(form, set(image)) for image in IMAGES] == expected
        assert all(leaf.constant in {"c1", "c2", "c3", "c4"} for leaf in form.leaves())
    assert told.minimal.size() <= define_constant(model, "v").minimal.size()


@given(atoms_of_v)
def test_python_and_sympy_decide_the_same(sets):
    model = model_of(sets)
    told = define_constant(model, "v", complementary=PAIRS)
    expected = told.evaluate(IMAGES).tolist()
    space = {}
    exec(told.to_python(), space)
    assert [bool(space["is_v"](set(image))) for image in IMAGES] == expected
    formula = told.to_sympy()
    values = [
        formula.subs({str(s): str(s) in image for s in formula.free_symbols}) for image in IMAGES
    ]
    assert [bool(value) for value in values] == expected


def test_the_toy_problem_is_a_vertical_bar():
    """What the paper derives: some column with all rows black."""
    toy = (Has("c1") & Has("c2")) | (Has("c3") & Has("c4"))
    model = ExactAtomization(toy).model(Algebra(["v", *NAMES]), "v")
    told = model.definition("v", complementary=PAIRS, grid=GRID)
    assert told.sentence == "some column with all rows black"
    assert told.to_text() == (
        "v if some column with all rows black:\n      (c1 and c2)\n   or (c3 and c4)"
    )
    assert str(told.cnf) == "(c1 or c3) and (c1 or c4) and (c2 or c3) and (c2 or c4)"
    assert str(told.dnf) == str(told.minimal) == "(c1 and c2) or (c3 and c4)"
    assert told.to_latex() == (
        "\\begin{aligned}\nv \\iff & (c_{1} \\land c_{2}) \\\\\n  & \\lor (c_{3} \\land c_{4})\n"
        "\\end{aligned}"
    )
    assert not told.is_partial and told.coverage is None


@pytest.mark.parametrize("seed", range(3))
def test_a_bar_learned_from_all_images_is_said_to_be_one(seed):
    algebra = Algebra(["v", *NAMES])
    v = algebra["v"]
    for image in IMAGES:
        has_bar = {"c1", "c2"} <= set(image) or {"c3", "c4"} <= set(image)
        relation = v <= algebra.term(image)
        algebra.add(relation if has_bar else ~relation)
    model = algebra.learn(random_state=seed)
    told = model.definition("v", complementary=PAIRS, grid=GRID, relations=algebra.relations)
    assert told.sentence == "some column with all rows black"
    assert (told.coverage, told.exclusion, told.error, told.rows_measured) == (1, 1, 0, 16)


def line_model(formula, height=3, width=2):
    names = [f"{colour}{i}{j}" for colour in "bw" for i in range(height) for j in range(width)]
    pairs = list(zip(names[: height * width], names[height * width :], strict=True))
    grid = [[f"b{i}{j}" for j in range(width)] for i in range(height)]
    exact = ExactAtomization(formula, pairs)
    model = exact.model(Algebra(["v", *names]), "v")
    return model.definition("v", complementary=pairs, grid=grid).sentence


def black(i, j):
    return Has(f"b{i}{j}")


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        (exists(range(2), lambda j: forall(range(3), lambda i: black(i, j))),
         "some column with all rows black"),
        (exists(range(3), lambda i: forall(range(2), lambda j: Not(black(i, j)))),
         "some row with all columns white"),
        (forall(range(2), lambda j: exists(range(3), lambda i: Not(black(i, j)))),
         "every column with some row white"),
        (forall(range(3), lambda i: exists(range(2), lambda j: black(i, j))),
         "every row with some column black"),
        (forall(range(3), lambda i: black(i, 1)), "column 2 with all rows black"),
        (exists([0, 2], lambda i: forall(range(2), lambda j: black(i, j))),
         "row 1 or 3 with all columns black"),
        (forall(range(3), lambda i: forall(range(2), lambda j: black(i, j))), "all pixels black"),
        (exists(range(3), lambda i: exists(range(2), lambda j: black(i, j))), "some pixel black"),
        (black(0, 0) | black(1, 1), None),
        (black(0, 0) & Not(black(1, 1)), None),
    ],
)  # fmt: skip
def test_sentences_about_lines(formula, sentence):
    assert line_model(formula) == sentence


def test_always_and_never():
    assert str(define_constant(model_of([]), "v")) == "v if\n  always"
    never = define_constant(model_of([set()]), "v")
    assert "never" in str(never) and not never.evaluate(IMAGES).any()


def test_a_part_of_a_large_model_says_so():
    """The most telling clauses by the examples, or the smallest without any."""
    algebra = Algebra(["v", *NAMES])
    v = algebra["v"]
    whole = ExactAtomization(forall(NAMES, Has)).model(algebra, "v")
    algebra.add(~(v <= algebra.term(NAMES[1:])), v <= algebra.term(NAMES))
    algebra.add(~(v <= algebra.term(NAMES[:-1])))
    blind = whole.definition("v", max_clauses=3)
    assert len(blind.clauses) == 3 and blind.is_partial and "3 of 8 atoms" in str(blind)
    told = whole.definition("v", max_clauses=2, relations=algebra.relations)
    assert {clause.literals for clause in told.clauses} == {("c1",), ("c8",)}
    assert (told.coverage, told.exclusion, told.error) == (1, 1, 0) and told.is_partial
    half = whole.definition("v", max_clauses=1, relations=algebra.relations)
    assert half.exclusion == 0.5 and half.error == pytest.approx(1 / 3)
    assert "covers 100.0% of the class, excludes 50.0% of the others" in str(half)
    assert half.to_dict()["is_partial"] and half.to_dict()["error"] == half.error


def test_what_explodes_is_left_in_its_first_form():
    names = [f"x{i}" for i in range(60)]
    algebra = Algebra(["v", *names])
    atoms = [[0, *range(k + 1, k + 4)] for k in range(0, 60, 3)]
    told = Model(algebra, rows.from_indices(atoms, 61)).definition("v")
    with pytest.raises(FormulaTooLarge, match="use the conjunctive form"):
        _ = told.dnf
    assert told.minimal == told.cnf and told.cnf.size() == 60


def test_definitions_are_values():
    model = model_of([{1, 2}, {3}])
    assert define_constant(model, "v") == define_constant(model, model.term("v"))
    assert define_constant(model, "v") != define_constant(model, "c1")


def test_wrong_questions():
    model = model_of([{1, 2}])
    with pytest.raises(UnknownConstant, match="names 'x'"):
        define_constant(model, "v", complementary=[("c1", "x")])
    with pytest.raises(ValueError, match="does not tell the truth of 9 constants"):
        define_constant(model, "v").evaluate(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="all of the same length"):
        Grid.of([["a"], ["b", "c"]])
    assert define_constant(model, "v").evaluate(np.ones((2, 9))).all()


def test_the_most_telling_atoms():
    missed = np.array([[0b0011], [0b0110], [0b0001], [0b1111_0000]], dtype=np.uint64)
    others = np.array([0b0111], dtype=np.uint64)
    sizes = np.array([3, 2, 1, 1])
    assert sorted(most_telling(missed, sizes, others, None)) == [1, 2]
    assert most_telling(missed, sizes, others, 1) == [1]
    told = measure(np.array([True, False]), np.array([True, True]), np.array([3.0, 1.0]))
    assert (told.coverage, told.exclusion, told.error) == (0.75, 1.0, 0.25)
