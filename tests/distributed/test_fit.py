"""``atomlearn.distributed.fit`` on a real scheduler with worker processes.

The parts learn by themselves here, as those of large tables do.
"""

import os
import signal
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

import atomlearn
from atomlearn import AlgebraicClassifier, distributed
from atomlearn.distributed import fitting
from atomlearn.distributed.parts import survey
from atomlearn.errors import (
    CheckpointMismatch,
    MissingExtra,
    SchedulerUnreachable,
    UnfitParts,
    WorkersLost,
)
from atomlearn.tables.images import translations
from tests.distributed.fingerprints import fingerprint

EPOCHS = 30
fit = partial(distributed.fit, max_bytes=1)  # so that partitions learn by themselves


@pytest.fixture(scope="module")
def model(blocks):
    """What every way of running it has to give: learned in threads of this process."""
    return fit(*blocks, random_state=0, max_epochs=EPOCHS)


def test_it_is_a_classifier_like_any_other(model, digits, tmp_path):
    X, y = digits
    assert model.estimated_error_ < 0.5 and set(model.predict(X)) == set(y)
    assert {one["class"] for one in model.history_} == {0, 1, 2, 3}
    assert model.history_[0]["examples"] > 100
    assert str(model.explain(X[0])).startswith(str(model.predict(X[:1])[0]))
    model.save(tmp_path / "m.atoms")
    again = atomlearn.load(tmp_path / "m.atoms")
    assert fingerprint(again) == fingerprint(model)
    pool = again.learned_.pools[0]
    assert {s.name for s in pool.sources} >= {"partition 0", "partition 3"}
    again.partial_fit(X[:100], y[:100])


@pytest.mark.slow
def test_the_same_model_on_workers(model, blocks, client):
    assert fingerprint(fit(*blocks, random_state=0, max_epochs=EPOCHS)) == fingerprint(model)
    import dask

    with dask.config.set(scheduler="synchronous"):
        alone = fit(*blocks, random_state=0, max_epochs=EPOCHS)
    assert fingerprint(alone) == fingerprint(model)
    other = fit(*blocks, random_state=1, max_epochs=EPOCHS, client=client)
    assert fingerprint(other) != fingerprint(model)


def slowly(block):
    time.sleep(0.3)
    return block


@pytest.mark.slow
def test_the_same_model_though_a_worker_is_killed_and_one_is_added(model, blocks, cluster, client):
    X, y = blocks
    pids = list(client.run(os.getpid).values())
    killed = threading.Event()

    def disturb():
        time.sleep(1.5)  # the first epochs are under way
        os.kill(pids[0], signal.SIGKILL)
        killed.set()
        cluster.scale(3)

    thread = threading.Thread(target=disturb)
    thread.start()
    slow = X.map_blocks(slowly, dtype=X.dtype)
    disturbed = fit(slow, y, random_state=0, max_epochs=EPOCHS, client=client)
    thread.join()
    assert killed.is_set()
    assert fingerprint(disturbed) == fingerprint(model)
    cluster.scale(2)


def test_data_frames_with_a_target_column(model, digits):
    import dask.dataframe as dd
    import pandas as pd

    X, y = digits
    frame = pd.DataFrame(X, columns=[f"p{j}" for j in range(X.shape[1])])
    frame["kind"] = np.array(["zero", "one", "two", "three"])[y]
    parts = dd.from_pandas(frame, npartitions=3)
    by_name = fit(parts, "kind", random_state=0, max_epochs=10)
    assert by_name.classes_.tolist() == ["one", "three", "two", "zero"]
    assert by_name.feature_names_in_[0] == "p0"
    apart = fit(parts.drop(columns="kind"), parts["kind"], random_state=0, max_epochs=10)
    assert fingerprint(apart) == fingerprint(by_name)


def test_categories_that_differ_from_part_to_part():
    import dask
    import dask.dataframe as dd
    import pandas as pd

    rng = np.random.default_rng(0)
    frames = []
    for codes in ([1, 2, 5], [1, 2, 9]):
        code = rng.choice(codes, 60)
        frames.append(pd.DataFrame({"code": pd.Categorical(code), "y": np.isin(code, [1, 5, 9])}))
    X = dd.from_delayed([dask.delayed(f) for f in frames], meta=frames[0], verify_meta=False)
    model = fit(X, "y", random_state=0, max_epochs=5)
    told = {str(literal) for literal in model.encoder_.literals_}
    assert {"code = 5", "code = 9", "code ≠ 2"} <= told  # not cut like numbers
    assert model.score(frames[1][["code"]], frames[1]["y"]) == 1.0


def test_of_very_wide_tables_fewer_rows_come_to_the_client():
    rows, labels = np.zeros((100, 4000)), np.arange(100) % 2
    assert len(survey(rows, labels, 0, 0, 80).some_labels) == 20
    assert len(survey(rows[:, :9], labels, 0, 0, 80).some_labels) == 80


def test_progress_is_told(blocks, capsys):
    fit(*blocks, random_state=0, max_epochs=10, verbose=1)
    assert "epoch 2, error about" in capsys.readouterr().err


def test_empty_partitions_and_class_weights(blocks):
    from dask.array import concatenate

    X, y = blocks
    X, y = concatenate([X[:0], X]), concatenate([y[:0], y])
    weighted = fit(X, y, random_state=0, max_epochs=10, class_weight="balanced")
    named = fit(*blocks, random_state=0, max_epochs=10, class_weight={0: 100.0})
    plain = fit(*blocks, random_state=0, max_epochs=10)
    assert np.array_equal(weighted.classes_, plain.classes_)
    lift = named.learned_.prior - plain.learned_.prior
    assert np.allclose(lift, [np.log(100), 0, 0, 0])


def test_weighted_atoms_are_learned_from_a_sample(blocks, monkeypatch):
    monkeypatch.setattr(fitting, "HOME_ROWS", 500)
    model = fit(*blocks, random_state=0, evidence="weighted")
    assert model.evidence_.chosen == "weighted" and len(model.learned_.held_out) <= 504


class TestCheckpoints:
    def interrupted(self, blocks, path, monkeypatch):
        from atomlearn.distributed.fitting import Checkpoint

        write, calls = Checkpoint.write, []

        def stop(self, known):
            write(self, known)
            calls.append(known.epoch)
            if len(calls) == 2:
                raise RuntimeError("the power went out")

        with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="power"):
            patch.setattr(Checkpoint, "write", stop)
            fit(*blocks, random_state=0, max_epochs=EPOCHS, checkpoint=path)
        assert calls[0] == 1 < calls[1]

    def test_going_on_gives_the_same_model(self, model, blocks, tmp_path, monkeypatch):
        path = tmp_path / "fit.atoms"
        self.interrupted(blocks, path, monkeypatch)
        resumed = fit(*blocks, random_state=0, max_epochs=EPOCHS, checkpoint=path)
        assert fingerprint(resumed) == fingerprint(model)
        assert [e["epoch"] for e in resumed.history_] == [e["epoch"] for e in model.history_]

    def test_of_other_data_or_another_seed(self, blocks, tmp_path):
        X, y = blocks
        path = tmp_path / "fit.atoms"
        fit(X, y, random_state=0, max_epochs=10, checkpoint=path)
        saved = path.read_bytes()
        with pytest.raises(CheckpointMismatch, match="other data"):
            fit(X[:-1], y[:-1], random_state=0, max_epochs=10, checkpoint=path)
        with pytest.raises(CheckpointMismatch, match="other seed"):
            fit(X, y, random_state=1, max_epochs=10, checkpoint=path)
        assert path.read_bytes() == saved

    @pytest.mark.parametrize(
        ("other", "said"),
        [
            ({"symmetries": translations((8, 8))}, "other symmetries"),
            ({"class_weight": {0: 2.0}}, "other class_weight"),
            ({"share_examples": False}, "other share_examples"),
            ({"max_epochs": 9}, "max_epochs=10, which max_epochs=9 would cut short"),
        ],
    )
    def test_of_a_run_that_was_told_something_else(self, blocks, tmp_path, other, said):
        path = tmp_path / "fit.atoms"
        told = {"random_state": 0, "max_epochs": 10, "checkpoint": path}
        fit(*blocks, **told)
        saved = path.read_bytes()
        with pytest.raises(CheckpointMismatch, match=said):
            fit(*blocks, **{**told, **other})
        assert path.read_bytes() == saved

    def test_going_on_for_longer(self, blocks, tmp_path):
        path = tmp_path / "fit.atoms"
        fit(*blocks, random_state=0, max_epochs=10, checkpoint=path)
        longer = fit(*blocks, random_state=0, max_epochs=EPOCHS, checkpoint=path)
        assert set(longer.learned_.epochs) == {EPOCHS // 5}

    def test_a_place_where_no_file_can_be(self, blocks, tmp_path, capsys):
        with pytest.raises(FileNotFoundError, match=r"no/fit\.atoms"):
            fit(*blocks, random_state=0, checkpoint=tmp_path / "no" / "fit.atoms", verbose=1)
        assert "epoch" not in capsys.readouterr().err  # it is told before anything is learned


class TestBadInput:
    def test_no_dask(self, blocks, monkeypatch):
        monkeypatch.setitem(sys.modules, "dask.array", None)
        with pytest.raises(MissingExtra, match=r"atomlearn\[dask\]"):
            fit(*blocks)

    def test_a_scheduler_that_does_not_answer(self, blocks, monkeypatch):
        monkeypatch.setattr("atomlearn.distributed.running.SECONDS_TO_CONNECT", 0.2)
        with pytest.raises(SchedulerUnreachable, match=r"127\.0\.0\.1:9.*is it running"):
            fit(*blocks, client="tcp://127.0.0.1:9")

    def test_a_client_that_is_closed(self, blocks, cluster):
        from dask.distributed import Client

        closed = Client(cluster)
        closed.close()
        with pytest.raises(SchedulerUnreachable, match="closed"):
            fit(*blocks, client=closed)

    def test_partitions_with_other_columns(self):
        import dask
        import dask.dataframe as dd
        import pandas as pd

        frames = [
            pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
            pd.DataFrame({"a": [1.0, 2.0], "c": [3.0, 4.0]}),
        ]
        X = dd.from_delayed([dask.delayed(f) for f in frames], meta=frames[0], verify_meta=False)
        y = dd.from_pandas(pd.Series([0, 1, 0, 1]), npartitions=2)
        with pytest.raises(UnfitParts, match=r"partition 1 .* not in both: \['b', 'c'\]"):
            fit(X, y)

    def test_a_partition_without_a_class(self, digits):
        from dask.array import from_array

        X, y = digits
        order = np.argsort(y, kind="stable")
        X, y = from_array(X[order], chunks=(200, -1)), from_array(y[order], chunks=200)
        with pytest.raises(UnfitParts, match=r"partition 0 has no row of \[2, 3\]: shuffle"):
            fit(X, y)
        sorted_data = fit(X, y, random_state=0, max_epochs=10, allow_missing=True)
        assert len(sorted_data.classes_) == 4

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda X, y: (X.compute(), y), "must be a Dask array or data frame, not a ndarray"),
            (lambda X, y: (X, y.compute()), "y must be a Dask array or series"),
            (lambda X, y: (X[:, 0], y), "rows and columns"),
            (lambda X, y: (X, X), "one column of labels"),
            (lambda X, y: (X, "kind"), "no column 'kind'"),
            (lambda X, y: (X, y.rechunk(300)), "X has 4 partitions and y has 3"),
            (lambda X, y: (X, y.rechunk(((9, 351, 180, 180),))), r"partition [01] has 180 rows"),
            (lambda X, y: (X, y * 0), "only one class"),
            (lambda X, y: (X[:0], y[:0]), "no rows at all"),
            (lambda X, y: (X, y.astype(object) * np.nan), r"partition \d has rows without a label"),
            (lambda X, y: (X, y * np.nan), r"partition \d has rows without a label"),
        ],
    )  # fmt: skip
    def test_what_does_not_fit(self, blocks, change, said):
        with pytest.raises(UnfitParts, match=said):
            fit(*change(*blocks))

    def test_parameters_that_are_not(self, blocks):
        with pytest.raises(ValueError, match="max_epochs"):
            fit(*blocks, max_epochs=0)
        with pytest.raises(ValueError, match="Invalid parameter"):
            fit(*blocks, epochs=3)

    @pytest.mark.slow
    def test_a_partition_that_kills_its_workers(self, blocks, client):
        X, y = blocks
        client.run_on_scheduler(_allow_no_failures)
        deadly = X.map_blocks(_die, dtype=X.dtype, meta=np.zeros((0, 0)))
        with pytest.raises(WorkersLost, match="smaller partitions"):
            fit(deadly, y, client=client, estimator=AlgebraicClassifier())


def _allow_no_failures(dask_scheduler):
    dask_scheduler.allowed_failures = 0


def _die(block):
    os._exit(1)
