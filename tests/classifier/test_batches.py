"""Batches from scratch: held-out rows choose between strict and weighted atoms."""

import pickle
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.training.boosting.ensemble import EarlierRows
from atomlearn.training.scores import KINDS

CLASSES = [0, 1, 2]


def overlapping(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    score = X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.7 * rng.normal(size=n)
    return X, np.digitize(score, [-0.3, 0.6])


def clean(n, seed):
    X = np.random.default_rng(seed).integers(0, 2, size=(n, 9))
    return X, X[:, 0] + (X[:, 1] & X[:, 2] | X[:, 3] & X[:, 4])


def parity(n, seed):
    X = np.random.default_rng(seed).integers(0, 2, size=(n, 12))
    return X, X[:, :5].sum(axis=1) % 2 + (X[:, 5] & X[:, 6])


def noise(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.digitize(X[:, 0] + 2 * rng.normal(size=n), [-1, 1])


def learned(X, y, rows=200, change=lambda one: one, max_epochs=20, **params):
    """A classifier of batches, with some ``change`` between any two."""
    classifier = AlgebraicClassifier(random_state=0, max_epochs=max_epochs, **params)
    for i in range(0, len(y), rows):
        classifier.partial_fit(X[i : i + rows], y[i : i + rows], classes=CLASSES)
        classifier = change(classifier)
    return classifier


def test_the_first_batch_is_enough_to_choose():
    X, y = overlapping(600, 0)
    batch = learned(X, y, rows=600)
    assert set(batch.evidence_.losses) == set(KINDS)
    assert batch.learned_.weighted is not None and batch.learned_.fold_atoms == []


@pytest.mark.parametrize(("table", "kind"), [(noise, "weighted"), (parity, "strict")])
def test_what_is_of_no_use_is_dropped_once_that_is_sure(table, kind):
    X, y = table(7000, 0)
    early = learned(X[:1000], y[:1000]).learned_
    assert early.evidence.strict > 0 and early.weighted is not None  # both go on
    late = learned(X, y, rows=3000, max_epochs=2)
    assert len(late.learned_.held_out) == 5000
    assert late.evidence_.chosen == kind and list(late.evidence_.losses) == [kind]
    known, weighted = late.learned_, late.learned_.weighted
    if kind == "strict":
        assert weighted is None and known.held_out.weighted is None
    else:
        assert late.evidence_.strict == 0
        n = [((weighted.classes == k) & (weighted.weights < 0)).sum() for k in CLASSES]
        assert [known.deciding().against(k).n for k in CLASSES] == n
        assert not any(map(len, known.pools))


def test_atoms_that_do_not_decide_are_not_shown():
    X, y = clean(600, 0)
    ours = learned(X, y)
    ours.evidence_ = type(ours.evidence_)("strict", {}, {}, 1.0, 0.0)
    ours.learned_ = known = replace(ours.learned_, evidence=ours.evidence_)
    n_strict = sum(map(len, known.pools))
    assert len(known.weighted) and 0 < len(ours.atoms_frame().loc["strict"]) <= n_strict
    assert "log-odds" not in str(ours.explain(X[0])) and f"{n_strict:,} atoms" in repr(known)
    before = ours.predict_proba(X), ours.feature_importances_
    known.weighted.weights[:] = 100.0
    assert (ours.predict_proba(X) == before[0]).all()
    assert (ours.feature_importances_ == before[1]).all()


@pytest.mark.parametrize(
    ("table", "n", "told"),
    [
        (overlapping, 700, {}),
        (clean, 700, {}),
        (noise, 6500, {"rows": 3000, "max_epochs": 2}),
        (parity, 6500, {"rows": 3000, "max_epochs": 2}),
    ],
)
def test_going_on_is_going_on(table, n, told, tmp_path):
    """Saved, pickled or with more jobs: the same model, batch after batch."""
    X, y = table(n, 0)

    def reloaded(one):
        one.save(tmp_path / "m.atoms")
        return atomlearn.load(tmp_path / "m.atoms")

    models = [
        learned(X, y, **told),
        learned(X, y, change=reloaded, **told),
        learned(X, y, change=lambda one: pickle.loads(pickle.dumps(one)), **told),
        learned(X, y, n_jobs=2, **told),
    ]
    for one in models[1:]:
        assert (one.predict_proba(X) == models[0].predict_proba(X)).all()
        assert one.evidence_ == models[0].evidence_
        assert one.estimated_error_ == models[0].estimated_error_
        assert str(one.explain(X[0])) == str(models[0].explain(X[0]))
        assert str(one.definition(1)) == str(models[0].definition(1))


def test_classifiers_of_batches_can_be_merged(tmp_path):
    X, y = overlapping(900, 0)
    first = learned(X[:300], y[:300])
    first.save(tmp_path / "m.atoms")
    other = atomlearn.load(tmp_path / "m.atoms")
    first.partial_fit(X[300:600], y[300:600])
    other.partial_fit(X[600:], y[600:])
    told = first.merge(other)
    assert list(told) == CLASSES and all(one.new > 0 for one in told.values())
    first.partial_fit(X[600:], y[600:])
    assert set(first.predict(X)) == set(CLASSES)


def test_a_batch_of_one_class_does_not_erase_the_others():
    X, y = overlapping(800, 0)
    ours = learned(X, y)
    more, more_y = overlapping(600, 2)
    ours.partial_fit(more[more_y == 2], more_y[more_y == 2])
    assert set(ours.predict(X)) == set(CLASSES)


def test_a_class_may_come_late():
    X, y = overlapping(1200, 0)
    early = np.flatnonzero(y[:600] < 2)
    ours = learned(X[early], y[early])
    assert 2 not in ours.predict(X)
    for i in (600, 900):
        ours.partial_fit(X[i : i + 300], y[i : i + 300])
    assert set(ours.predict(X)) == set(CLASSES)


batches = st.lists(
    st.tuples(st.integers(1, 12), st.sets(st.sampled_from(CLASSES), min_size=1)),
    min_size=1,
    max_size=5,
)


@given(batches, st.sampled_from(["auto", "strict", "weighted"]))
def test_any_batches_are_learned_from(sizes, evidence):
    X, y = overlapping(400, 0)
    ours = AlgebraicClassifier(random_state=0, max_epochs=2, evidence=evidence)
    ours.partial_fit(X[:20], y[:20] % 2, classes=CLASSES)
    seen = {0, 1}
    for n, some in sizes:
        rows = np.flatnonzero(np.isin(y, list(some)))[:n]
        ours.partial_fit(X[rows], y[rows])
        seen |= set(y[rows].tolist())
        p = ours.predict_proba(X)
        assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)
        assert set(ours.predict(X)) <= seen
        assert (ours.evidence_.chosen == evidence) or evidence == "auto"


def test_a_large_first_batch_leaves_as_many_held_out_rows_as_any():
    X, y = overlapping(5200, 0)
    ours = learned(X, y, rows=5200, max_epochs=3)
    assert 0 < len(ours.learned_.held_out) <= 5000
    assert ours.estimated_error_ == ours.evidence_.errors[ours.evidence_.chosen]


@pytest.mark.parametrize("labels", [[0], [2], [0, 1], [1, 1, 1], [0, 1, 2]])
def test_a_first_batch_of_few_rows(labels):
    X, y = overlapping(300, 0)
    ours = AlgebraicClassifier(random_state=0, max_epochs=5)
    with pytest.warns(UserWarning) if len(labels) == 1 else nullcontext():
        ours.partial_fit(X[: len(labels)], labels, classes=CLASSES)
    assert set(ours.predict(X)) <= set(labels)
    for _ in range(2):
        ours.partial_fit(X, y)
    assert len(labels) == 1 or len(set(ours.predict(X))) > 1


def test_symmetries_that_move_atoms_make_strict_ones():
    X, y = clean(300, 0)
    ours = learned(X, y, symmetries=[[0, 2, 1, 3, 4, 5, 6, 7, 8]])
    assert ours.evidence_.chosen == "strict" and ours.learned_.weighted is None


def test_a_small_batch_counts_by_its_share_of_all_rows():
    rows, labels = np.zeros((30, 1), np.uint64), np.zeros(30, np.int64)
    assert EarlierRows(rows, labels, np.ones(30), 30).share(10) == 1.0
    assert EarlierRows(rows, labels, np.ones(30), 390).share(10) == pytest.approx(0.1)
    assert EarlierRows(rows[:0], labels[:0], np.ones(0), 0).share(10) == 1.0
