"""Symmetries in the classifier: what is true of the data is used, what is not is left out."""

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars
from atomlearn.tables.images import column_swaps, generated, row_swaps, sorted_out, translations

SHAPE = (6, 6)
MAPS = generated([*row_swaps(SHAPE), *column_swaps(SHAPE)], 6)


def learned(maps, n=300, **options):
    X, y = vertical_bars(n, shape=SHAPE, noise=0.3, random_state=5)
    options = {"random_state": 0, "max_epochs": 20, **options}
    return AlgebraicClassifier(symmetries=maps, **options).fit(X, y), X, y


def sets_of(classifier, k):
    atoms = classifier.learned_.pools[k].atoms
    ends = zip(atoms.starts[:-1], atoms.starts[1:], strict=True)
    return [tuple(atoms.constants[a:b].tolist()) for a, b in ends]


def test_moved_pins_hold_of_every_example():
    classifier, X, y = learned(MAPS)
    literals = classifier.encoder_.transform(X)
    for k, label in enumerate(classifier.classes_):
        for atom in sets_of(classifier, k):
            assert literals[y == label][:, list(atom[:-1])].any(axis=1).all()


def test_the_seed_fixes_what_symmetries_move():
    plain, symmetric, again = learned(None)[0], learned(MAPS)[0], learned(MAPS, n_jobs=2)[0]
    assert sets_of(symmetric, 1) == sets_of(again, 1) != sets_of(plain, 1)


def test_a_map_that_is_no_symmetry_is_left_out():
    transposed = np.arange(36).reshape(SHAPE).T.ravel()
    with pytest.warns(UserWarning, match=r"symmetries\[0\] is left out: it is no symmetry"):
        classifier, _, _ = learned([transposed], n=1500)
    assert sets_of(classifier, 1) == sets_of(learned(None, n=1500)[0], 1)


def test_permutations_move_pins_and_shifts_move_examples():
    moving, moved = sorted_out([*MAPS, *translations(SHAPE)])
    assert len(moving) == len(MAPS) and len(moved) == len(translations(SHAPE))


def test_batches_with_symmetries():
    X, y = vertical_bars(400, shape=SHAPE, noise=0.3, random_state=5)
    classifier = AlgebraicClassifier(random_state=0, symmetries=MAPS)
    for half in (slice(0, 200), slice(200, 400)):
        classifier.partial_fit(X[half], y[half], classes=[False, True])
    literals = classifier.encoder_.transform(X[200:])
    for k in range(2):
        for atom in sets_of(classifier, k):
            assert literals[y[200:] == k][:, list(atom[:-1])].any(axis=1).all()


@pytest.mark.parametrize("evidence", ["auto", "weighted"])
def test_batches_with_translations(evidence):
    """What translations make of a batch is learned from by weighted atoms too."""
    X, y = vertical_bars(300, shape=SHAPE, noise=0.1, random_state=5)
    classifier = AlgebraicClassifier(
        random_state=0, max_epochs=10, symmetries=translations(SHAPE), evidence=evidence
    )
    for start in range(0, 300, 100):
        batch = slice(start, start + 100)
        classifier.partial_fit(X[batch], y[batch], classes=[False, True])
    assert classifier.learned_.weighted is not None
