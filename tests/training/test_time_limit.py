"""A time limit holds whatever the number of classes. The clock is ours: a second an epoch."""

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.distributed import fit_batches
from atomlearn.engine.concept import Sampler
from atomlearn.tables.batches import ArrayBatches
from atomlearn.training import clock as clocks
from atomlearn.training import loop, part

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
    monkeypatch.setattr(part, "time", clock)
    monkeypatch.setattr(Sampler, "run_epoch", timed)
    return clock


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 4)), np.arange(300) % CLASSES


@pytest.mark.parametrize("small", [5000, 100])
@pytest.mark.parametrize("limit", [1, 12, 30])
def test_it_holds(clock, table, monkeypatch, small, limit):
    monkeypatch.setattr(loop, "SMALL", small)
    with pytest.warns(UserWarning, match=rf"time_limit={limit} ended before .* of 60 classes"):
        model = AlgebraicClassifier(random_state=0, time_limit=limit).fit(*table)
    assert limit <= clock.seconds <= limit + clocks.GRACE + 2
    learned = sum(epochs > 0 for epochs in model.learned_.epochs)
    assert learned >= limit / 2
    assert model.predict(table[0]).shape == (300,)


def test_it_holds_for_batches(clock, table):
    batches = ArrayBatches(*table, rows=150)
    fit_batches(batches, random_state=0, time_limit=30, allow_missing=True)
    assert clock.seconds <= 30 + clocks.GRACE + 2


def test_with_time_enough_every_class_has_an_epoch(clock, table):
    model = AlgebraicClassifier(random_state=0, time_limit=8 * CLASSES).fit(*table)
    assert all(model.learned_.epochs)
    assert clock.seconds <= 8 * CLASSES + clocks.GRACE + 2
