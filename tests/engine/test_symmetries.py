"""Atoms moved by symmetries: against sets, against the data, and against the paper's toy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra, Model, ModelTooLarge
from atomlearn.datasets import bar_parity, vertical_bars
from atomlearn.engine.concept import READABLE, Concept, Sampler
from atomlearn.engine.state import examples_of
from atomlearn.engine.symmetries import ALWAYS, NEVER, Symmetries, composed, moved, orbit
from atomlearn.errors import UnknownConstant
from atomlearn.sets import rows
from atomlearn.sets.random import stream
from atomlearn.sets.rows import to_lists
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import (
    check_symmetries,
    column_swaps,
    constant_maps,
    generated,
    permuted,
    reflections,
    rotations,
    row_swaps,
    translations,
)

N = 9


def sets_of(lists):
    ends = zip(lists.starts[:-1], lists.starts[1:], strict=True)
    return [lists.constants[a:b].tolist() for a, b in ends]


def terms(pixels):
    return rows.pack(np.hstack([pixels, ~pixels, np.zeros((len(pixels), 1), dtype=bool)]))


def of_constants(columns):
    return np.concatenate([columns, columns + len(columns), [2 * len(columns)]])


maps = st.lists(st.integers(ALWAYS, N - 1), min_size=N, max_size=N).map(np.array)
atoms = st.lists(st.sets(st.integers(0, N - 1), min_size=1), max_size=8)


@given(atoms, maps, maps)
def test_moved_atoms_are_moved_sets(sets, first, second):
    lists = to_lists(rows.from_indices([sorted(one) for one in sets], N))
    expected = [
        sorted({int(first[c]) for c in one} - {NEVER})
        for one in sets
        if not any(first[c] == ALWAYS for c in one)
    ]
    assert sets_of(moved(lists, first)) == expected
    both = composed(second, first)
    assert both.tolist() == [int(second[c]) if c >= 0 else int(c) for c in first]


@pytest.mark.parametrize("make", [vertical_bars, bar_parity])
def test_pins_that_stay_agree_with_every_example(make):
    """Whatever is moved: nothing contradicts the data, and nothing is drawn but from the seed."""
    shape = (5, 5)
    images, labels = make(300, shape=shape, noise=0.2, random_state=3)
    size = 2 * 25 + 1

    def learn(symmetric):
        concept = Concept(size, size - 1, 7, READABLE)
        if symmetric:
            swaps = [*row_swaps(shape), *column_swaps(shape)]
            concept.symmetries = Symmetries([of_constants(one) for one in swaps])
        sampler = Sampler(concept, terms(images)[None], labels)
        for _ in range(4):
            sampler.run_epoch()
        return concept.pool

    plain, one, other = learn(False), learn(True), learn(True)
    assert sets_of(one.atoms) == sets_of(other.atoms)
    assert sets_of(one.atoms) != sets_of(plain.atoms)
    truth = rows.unpack(terms(images[labels]), size)
    for atom in sets_of(one.atoms):
        assert atom[-1] == size - 1 and truth[:, atom[:-1]].any(axis=1).all()


def test_no_symmetry_changes_nothing():
    lists = to_lists(rows.from_indices([[0, 1], [2]], N))
    assert Symmetries([]).extended(lists, None, stream(0)) is lists


def test_an_atom_with_a_false_image_goes():
    """Pixels 0 and 1 may change places; an example has 1 and not 0, so {0, v} is false."""
    v = 3
    examples = examples_of(rows.from_indices([[0, 2], [1, 2]], 4), 4, v)
    lists = to_lists(rows.from_indices([[0, 1, v], [0, v], [2, v]], 4))
    left = Symmetries([[1, 0, 2, 3]]).extended(lists, examples, stream(0))
    assert {tuple(one) for one in sets_of(left)} == {(0, 1, v), (2, v)}


# -- maps of columns


@given(st.integers(0, 1000))
def test_an_atom_holds_of_a_moved_row_where_its_image_holds_of_the_row(seed):
    """The definition of what a symmetry does to an atom, on numbers cut at different places."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(40, 6)).astype(float)
    encoder = LiteralEncoder().fit(X)
    shape = (2, 3)
    columns = [*translations(shape), *reflections(shape), *rotations(shape)][seed % 7]
    constants = constant_maps(encoder, [columns])[0]
    there, here = encoder.transform(permuted(X, columns)), encoder.transform(X)
    for i, to in enumerate(constants[:-1]):
        if to >= 0:  # never stronger, so that a true pin stays true
            assert not (there[:, i] & ~here[:, to]).any()
        elif to == NEVER:
            assert not there[:, i].any()
    assert constants[-1] == len(encoder.literals_)


def test_constants_of_binary_images_move_exactly():
    X, _ = vertical_bars(60, shape=(3, 3), noise=0.5)
    encoder = LiteralEncoder().fit(X)
    for columns in [*row_swaps((3, 3)), *rotations((3, 3))]:
        constants = constant_maps(encoder, [columns])[0][:-1]
        there, here = encoder.transform(permuted(X, columns)), encoder.transform(X)
        assert sorted(constants) == list(range(18)) and (there == here[:, constants]).all()


def test_generators_and_products():
    shape = (3, 4)
    swaps = [*row_swaps(shape), *column_swaps(shape)]
    assert len(swaps) == 2 + 3
    images, has_bar = vertical_bars(50, shape=shape, noise=0.4)
    for one in [*swaps, *generated(swaps, 5), *reflections(shape), *rotations(shape)]:
        assert sorted(one.tolist()) == list(range(12))
        again = permuted(images, one).reshape(-1, *shape).all(axis=1).any(axis=1)
        assert (again == has_bar).all()
    assert len({tuple(one.tolist()) for one in generated(swaps, 20)}) > 15
    with pytest.raises(ValueError, match="must be permutations"):
        generated(translations(shape), 3)


def test_the_data_are_asked_before():
    X, y = bar_parity(1500, shape=(5, 5), noise=0.1)
    grid = np.arange(25).reshape(5, 5)
    pixels = np.arange(25)
    pixels[[0, 6, 12, 18]] = pixels[[6, 12, 18, 0]]
    true, false = [grid[::-1].ravel(), grid[:, ::-1].ravel()], [grid.T.ravel(), pixels]
    checks = check_symmetries(X, y, [*true, *false])
    assert [check.is_believable for check in checks] == [True, True, False, False]
    assert "looks like a symmetry" in str(checks[0]) and "is no symmetry" in str(checks[2])


# -- models


def test_the_paper_toy_and_its_symmetries():
    """Two atoms of the first batch and the exchange of the rows give the exact four."""
    names = ["v", *(f"c{i}" for i in range(1, 9))]
    alg = Algebra(names)
    alg.add(alg["v"] <= alg.term("c1 c2 c7 c8"), alg["v"] <= alg.term("c3 c4 c5 c6"))
    learned = Model(alg, rows.from_indices([[0, 1, 3], [0, 1, 4]], 9))
    swap = {"c1": "c2", "c2": "c1", "c3": "c4", "c4": "c3"}
    whole = orbit(learned, [swap], alg.relations)
    assert {" ".join(sorted(atom.constants)) for atom in whole.atoms} == {
        "c1 c3 v", "c1 c4 v", "c2 c3 v", "c2 c4 v",
    }  # fmt: skip
    assert all(whole.holds(relation) for relation in alg.relations)
    sideways = {"c1": "c2", "c2": "c3", "c3": "c1"}  # no symmetry: what it breaks is left out
    kept = orbit(learned, [sideways], alg.relations)
    assert all(kept.holds(relation) for relation in alg.relations)
    assert orbit(learned, [sideways]).n_atoms > kept.n_atoms


def test_maps_that_are_none():
    model = Model(Algebra(["v", "a", "b"]), rows.from_indices([[0, 1]], 3))
    with pytest.raises(UnknownConstant, match="names 'x'"):
        orbit(model, [{"a": "x"}])
    with pytest.raises(ValueError, match="takes two constants to 'b'"):
        orbit(model, [{"a": "b"}])
    with pytest.raises(ModelTooLarge, match="all images under these symmetries"):
        orbit(model, [{"a": "b", "b": "a"}], max_atoms=1)
