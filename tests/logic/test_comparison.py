"""Learned atoms beside exact ones: counted as by hand, for models, pools, lists and sets."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra
from atomlearn.datasets import vertical_bars
from atomlearn.engine.concept import READABLE, Concept, Sampler
from atomlearn.engine.pool import Pool
from atomlearn.logic.comparison import Comparison, Grid, compare, conjecture, sentences
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Has, exists, forall
from atomlearn.sets import rows
from atomlearn.sets.rows import to_lists
from tests.logic.oracle import NAMES, exact_atoms, formulas


@given(formulas(NAMES[:5], monotone=True), st.lists(st.sets(st.sampled_from(NAMES)), max_size=12))
def test_counts_are_those_by_hand(formula, sets):
    atoms = exact_atoms(formula)
    told = {"exact": 0, "sub_atoms": 0, "super_atoms": 0, "neither": 0}
    for one in sets:
        if frozenset(one) in atoms:
            kind = "exact"
        elif any(atom < one for atom in atoms):
            kind = "super_atoms"
        elif any(one < atom for atom in atoms):
            kind = "sub_atoms"
        else:
            kind = "neither"
        told[kind] += 1
    learned = [one | {"v"} for one in sets]
    assert compare(learned, ExactAtomization(formula), "v") == Comparison(**told)


def bars(height, width):
    """Black pixels by number, as the engine has them."""
    column = lambda j: forall(range(height), lambda i: Has(i * width + j))  # noqa: E731
    n = height * width
    return ExactAtomization(exists(range(width), column), [(c, n + c) for c in range(n)])


def test_every_form_of_learned_atoms():
    exact = bars(2, 2)
    sets = [[0, 1, 8], [0, 8], [0, 4, 8], [4, 8]]  # exact, part of one, neither, neither
    lists = to_lists(rows.from_indices(sets, 9))
    pool = Pool(9)
    pool.add(rows.from_indices(sets, 9), 0)
    expected = Comparison(exact=1, sub_atoms=1, super_atoms=0, neither=2)
    assert (
        compare(lists, exact, 8) == compare(pool, exact, 8) == compare(sets, exact, 8) == expected
    )
    assert expected.total == 4 and expected.share_exact == 0.25
    names = ["a", "b", "c", "d", "A", "B", "C", "D", "v"]
    toy = ExactAtomization(Has("a") & Has("c") | Has("b") & Has("d"))
    assert compare(lists, toy, "v", names).exact == compare(pool, toy, "v", names.__getitem__).exact
    model = toy.model(Algebra(["v", *"abcd"]), "v")
    assert compare(model, toy, "v") == Comparison(4, 0, 0, 0)
    assert Comparison(0, 0, 0, 0).share_exact == 0


def test_bars_15_by_15_learn_exact_atoms():
    """Section 3.2: the atoms of one model from 2,000 examples, of 15^15 that there are."""
    images, labels = vertical_bars(2000, random_state=4)
    terms = rows.pack(np.hstack([images, ~images, np.zeros((2000, 1), dtype=bool)]))
    concept = Concept(451, 450, 0, READABLE)
    sampler = Sampler(concept, terms[None], labels)
    for _ in range(5):
        sampler.run_epoch()
    told = compare(concept.masters[-1], bars(15, 15), 450)
    by_hand = 0
    starts, constants = concept.masters[-1]
    for a, b in pairwise(starts):
        pixels = constants[a : b - 1]
        columns = {int(c) % 15 for c in pixels}
        by_hand += len(pixels) == 15 == len(columns) and bool((pixels < 225).all())
    assert told.exact == by_hand and told.total == len(starts) - 1
    assert told.share_exact > 0.2


@pytest.mark.parametrize(
    "wanted", ["some column with all rows black", "an even number of rows with all columns white"]
)
def test_conjectures_are_found_and_checked(wanted):
    grid = Grid.of(
        [["b00", "b01", "b02"], ["b10", "b11", "b12"]],
        [(f"b{i}{j}", f"w{i}{j}") for i in range(2) for j in range(3)],
    )
    pixels = np.array([[bits >> k & 1 for k in range(6)] for bits in range(64)], dtype=bool)
    names = [f"b{i}{j}" for i in range(2) for j in range(3)]
    truth = {name: pixels[:, k] for k, name in enumerate(names)}
    truth |= {name.replace("b", "w"): ~pixels[:, k] for k, name in enumerate(names)}
    formula = dict(sentences(grid))[wanted]
    of_class = formula.evaluate(truth)
    pairs = [(name, name.replace("b", "w")) for name in names]
    atoms = list(ExactAtomization(formula, pairs))
    found = conjecture(grid, truth, of_class, lambda exact: compare(atoms, exact, "v"))
    assert found.sentence == wanted and found.atoms.share_exact == 1 and found.measured.error == 0
    wrong = of_class.copy()
    wrong[5] ^= True  # one exception is enough
    assert conjecture(grid, truth, wrong, lambda exact: compare(atoms, exact, "v")) is None
    assert conjecture(grid, truth, np.ones(64, bool), lambda exact: None) is None
