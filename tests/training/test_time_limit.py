"""A time limit holds whatever the number of classes. The clock is ours: a second an epoch."""

import time
import warnings

import numpy as np
import pytest

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.classifier import estimator, sample
from atomlearn.distributed import fit_batches
from atomlearn.engine.concept import Sampler
from atomlearn.tables.batches import ArrayBatches
from atomlearn.training import parts
from atomlearn.training import settings as clocks
from atomlearn.training.boosting.rounds import Booster
from atomlearn.training.settings import Settings
from atomlearn.training.strict import Judge

CLASSES = 60


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        seconds = 0

        def monotonic(self):
            return self.seconds

    clock, run_epoch = Clock(), Sampler.run_epoch

    def timed(self):
        clock.seconds += 1
        return run_epoch(self)

    monkeypatch.setattr(clocks, "time", clock)
    monkeypatch.setattr(parts, "time", clock)
    monkeypatch.setattr(Sampler, "run_epoch", timed)
    return clock


def rows_of_classes(n):
    return np.random.default_rng(0).normal(size=(n, 4)), np.arange(n) % CLASSES


@pytest.fixture
def table():
    return rows_of_classes(300)


@pytest.mark.parametrize("n_rows", [300, 5100])
@pytest.mark.parametrize("limit", [1, 12, 30])
def test_it_holds(clock, n_rows, limit):
    table = rows_of_classes(n_rows)
    with pytest.warns(UserWarning, match=rf"time_limit={limit} ended before .* of 60 classes"):
        model = AlgebraicClassifier(random_state=0, time_limit=limit).fit(*table)
    assert limit <= clock.seconds <= limit + clocks.GRACE + 2
    learned = sum(epochs > 0 for epochs in model.learned_.epochs)
    assert learned >= limit / 2
    assert model.predict(table[0]).shape == (n_rows,)


def test_it_holds_for_batches(clock, table):
    batches = ArrayBatches(*table, rows=150)
    fit_batches(batches, random_state=0, time_limit=30)
    assert clock.seconds <= 30 + clocks.GRACE + 2


def test_with_time_enough_every_class_has_an_epoch(clock, table):
    model = AlgebraicClassifier(random_state=0, time_limit=8 * CLASSES).fit(*table)
    assert all(model.learned_.epochs)
    assert clock.seconds <= 8 * CLASSES + clocks.GRACE + 2


def slowed(monkeypatch, clock, owner, name, seconds):
    """Let a function take so many seconds; the list says when it was called."""
    function, calls = getattr(owner, name), []

    def timed(*arguments, **options):
        calls.append(clock.seconds)
        clock.seconds += seconds
        return function(*arguments, **options)

    monkeypatch.setattr(owner, name, timed)
    return calls


def test_reading_the_table_counts(clock, table, monkeypatch):
    slowed(monkeypatch, clock, estimator, "read_table", 20)
    model = AlgebraicClassifier(random_state=0, time_limit=20 + 6 * CLASSES).fit(*table)
    assert all(model.learned_.epochs)
    assert clock.seconds <= 20 + 6 * CLASSES + clocks.GRACE + 2
    clock.seconds = 0
    with pytest.warns(UserWarning, match="ended before the first epoch"):
        AlgebraicClassifier(random_state=0, time_limit=5).fit(*table)
    assert clock.seconds <= 20 + clocks.GRACE + 2


def test_definitions_are_measured_while_there_is_time(clock, table, monkeypatch, tmp_path):
    slowed(monkeypatch, clock, sample, "_truths", 1)
    limit = 8 * CLASSES
    model = AlgebraicClassifier(random_state=0, time_limit=limit).fit(*table)
    assert clock.seconds <= 1.2 * limit
    measured = [k for k, ours in enumerate(model.held_out_) if ours]
    assert 0 < len(measured) < CLASSES
    model.save(tmp_path / "model.aml")
    read = atomlearn.load(tmp_path / "model.aml")
    assert [bool(ours) for ours in read.held_out_] == [bool(ours) for ours in model.held_out_]
    assert read.definition(CLASSES - 1).held_out is None
    np.testing.assert_array_equal(read.predict_proba(table[0]), model.predict_proba(table[0]))


def test_the_search_for_fewer_atoms_ends(clock, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 6)), rng.integers(3, size=2000)
    judged = slowed(monkeypatch, clock, Judge, "without_calibration", 1)
    AlgebraicClassifier(random_state=0, time_limit=50, evidence="strict").fit(X, y)
    assert clock.seconds <= 60
    # Three folds with all atoms and with fewer, and the model: there is no time for other sizes.
    assert len([start for start in judged if start > 50]) == 3 + 3 + 1


def test_many_classes_are_judged_by_fewer_rows(clock):
    X, y = rows_of_classes(20_000)
    limited, whole = (
        AlgebraicClassifier(
            random_state=0, max_epochs=1, max_cuts=9, evidence="weighted", time_limit=limit
        ).fit(X, y)
        for limit in (1, None)
    )
    most = Settings(time_limit=1).most_held(CLASSES)
    assert most / 2 <= len(limited.learned_.held_out) <= most < len(whole.learned_.held_out)
    assert limited.estimated_error_ is not None


@pytest.mark.parametrize(("limit", "is_enough"), [(180.005, False), (181, True)])
def test_weighted_atoms_are_not_begun_without_time(clock, table, monkeypatch, limit, is_enough):
    """Of 60 classes one of three folds has three epochs first; boosting all would take 0.009 s."""
    begun = slowed(monkeypatch, clock, Booster, "run_round", 0)
    model = AlgebraicClassifier(random_state=0, time_limit=limit).fit(*table)
    assert bool(begun) == is_enough
    assert is_enough or model.evidence_.chosen == "strict"


@pytest.mark.parametrize("evidence", ["strict", "weighted"])
def test_next_to_no_time_leaves_a_model(table, evidence):
    model = AlgebraicClassifier(random_state=0, time_limit=1e-6, evidence=evidence)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes without atoms
        model.fit(*table)
    assert np.allclose(model.predict_proba(table[0]).sum(axis=1), 1)


def test_it_holds_batch_after_batch(clock, table):
    X, y = table
    model = AlgebraicClassifier(random_state=0, time_limit=20)
    for rows in np.array_split(np.random.default_rng(0).permutation(300), 3):
        start = clock.seconds
        model.partial_fit(X[rows], y[rows], classes=range(CLASSES))
        assert clock.seconds - start <= 20 + clocks.GRACE + 2
    assert model.predict(X).shape == (300,)


def test_without_a_limit_nothing_is_left_out():
    assert Settings().most_held(10**6) is None
    assert Settings().most_weighed(10**6, 5) is None
    clock = clocks.Clock(Settings())
    assert not clock.over()
    assert not clock.late(1e9)
    assert clock.thinning(10**12) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:time_limit")
@pytest.mark.parametrize("n_classes", [300, 1000, 3000])
def test_it_holds_on_this_machine(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 5)), np.arange(20_000) % n_classes
    quick = AlgebraicClassifier(time_limit=1, max_classes=n_classes).fit(X[:3000], y[:3000])
    assert quick.learned_.is_known  # and the kernels are compiled
    start = time.monotonic()
    AlgebraicClassifier(random_state=0, time_limit=2, max_classes=n_classes).fit(X, y)
    assert time.monotonic() - start < 6  # it is 3, on a machine that does nothing else
