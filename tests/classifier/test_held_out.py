"""Definitions say how they do on rows that they were not made from."""

import json
import random

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier, load
from atomlearn.classifier.sample import Trial, classifier_errors, measure_definitions, trials_of
from atomlearn.datasets import vertical_bars
from atomlearn.distributed import fit_batches
from atomlearn.errors import DamagedFile
from atomlearn.files.container import Container
from atomlearn.logic.comparison import by_gain, most_telling
from atomlearn.sets import rows as packed
from atomlearn.tables.batches import ArrayBatches
from atomlearn.tables.training_rows import read_training
from atomlearn.training.data import FoldAtoms
from tests.explorer.pages import data_of


@pytest.fixture(scope="module")
def noise():
    """Nothing can be learned from it: new rows are misjudged half of the time."""
    rng = np.random.default_rng(0)
    X, y = rng.random((240, 6)), rng.permutation(np.arange(240) % 2)
    model = AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict")
    return model.fit(X, y), X, y


def test_noise_is_known_by_heart_and_not_known_at_all(noise):
    model, _, _ = noise
    for label in (0, 1):
        definition = model.definition(label)
        assert definition.error < 0.25
        assert 0.35 < definition.held_out.error < 0.65
        assert definition.held_out.examples == 240
        assert "error" in str(definition) and "held-out rows (" in str(definition)
        told = definition.to_dict()
        assert told["held_out_error"] == definition.held_out.error
        assert 0.35 < told["classifier_held_out_error"] < 0.65


def test_the_measures_are_those_of_the_definitions(fitted, iris):
    """On rows that have no part in it, each size is measured as ``evaluate`` decides."""
    X, y = iris
    model = AlgebraicClassifier(random_state=0, max_epochs=15).fit(X[::2], y[::2])
    new, labels = X[1::2], np.asarray(y[1::2])
    table = new.to_numpy()
    held = read_training(table, labels, None, None).encoded(model.encoder_, model.classes_, None)
    held = held.examples
    atoms = [pool.atoms for pool in model.learned_.pools]
    trial = Trial(atoms, model.sample_, held, model.evidence_.chosen != "weighted")
    measures = measure_definitions([trial], 3)
    for k, label in enumerate(model.classes_):
        for size in range(1, 13):
            is_true = model.definition(label, max_clauses=size).evaluate(new)
            one = measures[k][size - 1]
            assert one.error == pytest.approx((is_true != (labels == label)).mean())
            assert one.coverage == pytest.approx(is_true[labels == label].mean())


def test_rows_that_contradict_each_other_count_with_all_their_labels():
    X = np.arange(8).repeat(30)[:, None] * 1.0
    y = np.tile(np.arange(30) % 3 == 0, 8)  # a third of equal rows is of the other class
    model = AlgebraicClassifier(random_state=0, max_epochs=10).fit(X, y)
    assert model.definition(False).held_out.error >= 1 / 3 - 1e-9


def test_rows_that_recur_share_their_weight_among_the_folds():
    rng = np.random.default_rng(0)
    X = rng.integers(3, size=(60, 2))  # nine different rows, each many times
    y = X[:, 0] == 0
    data = read_training(X.astype(float), y, None, None)
    model = AlgebraicClassifier(random_state=0, max_epochs=3).fit(X, y)
    examples = data.encoded(model.encoder_, model.classes_, None).examples
    everywhere = FoldAtoms([pool.atoms for pool in model.learned_.pools], np.arange(len(examples)))
    trials = trials_of([everywhere] * 5, examples)
    assert sum(trial.held.weights.sum() for trial in trials) == pytest.approx(60)


def test_sizes_that_were_not_measured(noise):
    model, _, _ = noise
    assert model.definition(1, max_clauses=1).held_out == model.held_out_[1][0]
    most = model.definition(1, max_clauses=None)
    assert len(most.clauses) > 12 and most.held_out is None
    assert "held-out error of the whole classifier for this class: " in str(most)


def test_large_sets_are_measured_on_rows_held_out_in_turn():
    X, y = vertical_bars(7000, shape=(5, 5), noise=0.3, random_state=0)
    model = AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict").fit(X, y)
    X_new, y_new = vertical_bars(4000, shape=(5, 5), noise=0.3, random_state=1)
    definition = model.definition(True)
    error = (definition.evaluate(X_new) != y_new).mean()
    assert abs(definition.held_out.error - error) < 0.05
    assert definition.held_out.examples == 7000  # each once, without its fold
    assert model.learned_.fold_atoms == []  # nothing is carried along


def test_batches_on_disk(noise):
    _, X, y = noise
    model = fit_batches(ArrayBatches(X, y, rows=120), random_state=0, max_epochs=20)
    assert 0.3 < model.definition(1).held_out.error < 0.7


def test_partial_fit_says_what_is_known(noise):
    _, X, y = noise
    model = AlgebraicClassifier(random_state=0)
    for part in (slice(0, 120), slice(120, 240)):
        model.partial_fit(X[part], y[part], classes=[0, 1])
    definition = model.definition(1)
    assert definition.held_out is None
    assert definition.classifier_error == classifier_errors(model.learned_)[1]
    assert "held-out error of the whole classifier for this class" in str(definition)


def test_what_was_merged_was_not_held_out(noise):
    _, X, y = noise
    one, other = (AlgebraicClassifier(random_state=s, max_epochs=2).fit(X, y) for s in (0, 1))
    assert one.definition(1).held_out is not None
    one.merge(other)
    assert one.definition(1).held_out is None


def test_files_keep_the_measures(noise, tmp_path):
    model, _, _ = noise
    model.save(tmp_path / "m.atoms")
    assert str(load(tmp_path / "m.atoms").definition(0)) == str(model.definition(0))
    container = Container.read(tmp_path / "m.atoms")
    state = container.json("model.json")

    def rewritten(held_out):
        told = {k: v for k, v in state.items() if k != "held_out"}
        told = told if held_out is None else {**told, "held_out": held_out}
        container._members["model.json"] = json.dumps(told).encode()
        container.write(tmp_path / "changed.atoms")
        return load(tmp_path / "changed.atoms")

    assert rewritten(None).definition(0).held_out is None  # a file from before
    for bad in ([[]], [[[2.0, 1, 1, 1]]] * 2, [[[1.0, 1, 1, -1]]] * 2, 5, [[["a", 1, 1, 1]]] * 2):
        with pytest.raises(DamagedFile):
            rewritten(bad)


def test_show_and_pages_say_it(noise, typed, tmp_path):
    noise[0].save(tmp_path / "m.atoms")
    code, out, _ = typed("show", "m.atoms", "--html", "m.html")
    assert code == 0 and out.count("held-out rows (") == 2
    page = data_of(tmp_path / "m.html")
    assert page["summary"]["errors_by_class"] == classifier_errors(noise[0].learned_)
    assert page["definitions"][0]["held_out"]["error"] == noise[0].definition(0).held_out.error
    told = json.loads(typed("show", "m.atoms", "--json")[1])
    assert told["definitions"][0]["held_out_error"] == noise[0].definition(0).held_out.error


def greedy(missed, sizes, others, most):
    """In plain sets: again and again the atom that most counterexamples miss."""
    chosen, left = [], set(others)
    while left and (most is None or len(chosen) < most):
        gains = [(-len(m & left), size, a) for a, (m, size) in enumerate(zip(missed, sizes))]  # noqa: B905
        gain, _, atom = min(gains)
        if gain == 0:
            break
        chosen.append(atom)
        left -= missed[atom]
    return chosen


def test_atoms_are_chosen_as_a_plain_search_chooses_them():
    rng = random.Random(0)
    for _ in range(300):
        n, n_atoms = rng.randint(1, 20), rng.randint(1, 15)
        others = set(rng.sample(range(n), rng.randint(0, n)))
        missed = [set(rng.sample(range(n), rng.randint(0, n))) & others for _ in range(n_atoms)]
        sizes = [rng.randint(1, 3) for _ in range(n_atoms)]
        most = rng.choice([None, 1, 3])
        rows = packed.from_indices([sorted(one) for one in missed], n)
        all_others = packed.from_indices([sorted(others)], n)[0]
        found = by_gain(rows, np.array(sizes), all_others, most)
        assert found == greedy(missed, sizes, others, most)
        kept = most_telling(rows, np.array(sizes), all_others, most)
        assert set().union(*(missed[a] for a in kept)) == set().union(*(missed[a] for a in found))
        for atom in kept:
            rest = set().union(*(missed[a] for a in kept if a != atom))
            assert not missed[atom] <= rest
