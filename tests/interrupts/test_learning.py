"""Signals that come at a known epoch, in this process: what is kept, and how it is told."""

import json
import signal
import zipfile

import numpy as np
import pytest

from atomlearn import Algebra, AlgebraicClassifier, interrupts, load
from atomlearn.distributed import fit, fit_batches
from atomlearn.engine import epoch
from atomlearn.engine.concept import Concept
from atomlearn.engine.epochs import Epochs
from atomlearn.errors import InterruptedWarning
from atomlearn.problems import queens
from atomlearn.tables.batches import ArrayBatches
from atomlearn.training import loop, strict
from atomlearn_paper.steps import Records, Step


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(240, 12))
    return X, X[:, 0] * 2 + X[:, 1]


def interrupt_epoch(monkeypatch, number, owner=Concept, method="learn_batch", sent=signal.SIGINT):
    """Ctrl-C while that epoch (from 1) of all together runs; a list that grows by one each."""
    run, epochs = getattr(owner, method), []

    def interrupted(self, *arguments):
        epochs.append(number)
        if len(epochs) == number:
            signal.raise_signal(sent)
        return run(self, *arguments)

    monkeypatch.setattr(owner, method, interrupted)
    return epochs


# 4 classes in 5 folds, 2 epochs each; after 20 epochs weighted atoms are found
@pytest.mark.parametrize("number", [2, 20, 21, 30, 40])
def test_fit_stops_with_the_epoch(table, monkeypatch, number):
    epochs = interrupt_epoch(monkeypatch, number)
    with pytest.warns(InterruptedWarning, match="what has been learned so far"):
        model = AlgebraicClassifier(random_state=0, max_epochs=12).fit(*table)
    assert len(epochs) == number  # no epoch is begun after it
    assert model.learned_.interrupted and model.learned_.is_known
    assert number > 20 or model.evidence_.chosen == "strict"
    assert set(model.predict(table[0])) <= {0, 1, 2, 3} and model.history_


def test_a_large_set(monkeypatch):
    X = np.random.default_rng(0).integers(0, 2, size=(5500, 20))
    epochs = interrupt_epoch(monkeypatch, 3)
    with pytest.warns(InterruptedWarning):
        model = AlgebraicClassifier(random_state=0, evidence="strict").fit(X, X[:, 0] * 2 + X[:, 1])
    assert len(epochs) == 3
    assert model.learned_.epochs == [1, 1, 0, 0]  # classes advance together


@pytest.mark.parametrize("call", [1, 2])
def test_between_epochs(table, monkeypatch, call):
    """While folds are judged."""
    calls, judge = [], strict.Judge.judge

    def interrupted(self, state):
        calls.append(1)
        if len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return judge(self, state)

    monkeypatch.setattr(strict.Judge, "judge", interrupted)
    with pytest.warns(InterruptedWarning):
        model = AlgebraicClassifier(random_state=0, max_epochs=12).fit(*table)
    assert (model.misses(table[0])[np.arange(240), table[1]] == 0).all()


def test_while_atoms_of_folds_are_put_together(table, monkeypatch):
    drop_refuted = loop.drop_refuted

    def interrupted(*arguments):
        if not interrupts.requested():
            signal.raise_signal(signal.SIGINT)
            interrupts.check()
        return drop_refuted(*arguments)

    monkeypatch.setattr(loop, "drop_refuted", interrupted)
    with pytest.warns(InterruptedWarning):
        model = fit_batches(ArrayBatches(*table, rows=120), random_state=0, max_epochs=10)
    assert (model.misses(table[0])[np.arange(240), table[1]] == 0).all()


def test_before_the_first_epoch_there_is_nothing_to_return(table, monkeypatch):
    epochs = interrupt_epoch(monkeypatch, 1)
    model = AlgebraicClassifier(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*table)
    assert len(epochs) == 1 and not hasattr(model, "learned_")


def test_an_epoch_is_left_between_crossings(table, monkeypatch):
    """The relations of a long epoch are not all crossed first."""
    monkeypatch.setattr(epoch, "BUDGET", 0)
    crossings, cross_until = [], epoch.cross_until

    def counted(*arguments):
        crossings.append(1)
        if len(crossings) == 5:
            signal.raise_signal(signal.SIGINT)
        return cross_until(*arguments)

    monkeypatch.setattr(epoch, "cross_until", counted)
    monkeypatch.setattr(epoch, "PAUSE", 0.0)
    with pytest.raises(KeyboardInterrupt):
        AlgebraicClassifier(random_state=0).fit(*table)
    assert len(crossings) == 5


def test_partial_fit(table, monkeypatch):
    model = AlgebraicClassifier(random_state=0)
    model.partial_fit(*table, classes=range(4))
    interrupt_epoch(monkeypatch, 3)
    with pytest.warns(InterruptedWarning):
        model.partial_fit(*table)
    assert (model.misses(table[0])[np.arange(240), table[1]] == 0).all()


@pytest.mark.slow
def test_a_part_of_an_exchange_is_kept_but_not_in_the_checkpoint(table, monkeypatch, tmp_path):
    from dask.array import from_array

    X, y = table
    blocks = from_array(X, chunks=(120, -1)), from_array(y, chunks=120)
    path = tmp_path / "c.atoms"
    told = {"random_state": 0, "max_epochs": 30, "checkpoint": path, "max_bytes": 1}
    whole = fit(*blocks, **{**told, "checkpoint": None})
    # An exchange is first 1 epoch of 4 classes in 5 folds of 2 parts, then 2 more: 40 and 80.
    with monkeypatch.context() as patch, pytest.warns(InterruptedWarning):
        interrupt_epoch(patch, 75)
        model = fit(*blocks, **told)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("state.json"))["epoch"] == 1
    assert set(model.learned_.epochs) <= {1, 2, 3}
    resumed = fit(*blocks, **told)
    for ours, theirs in zip(resumed.learned_.pools, whole.learned_.pools, strict=True):
        assert np.array_equal(ours.atoms.constants, theirs.atoms.constants)


def test_relations(monkeypatch):
    algebra = Algebra(["v", "a", "b", "c"])
    algebra.add(algebra.relation("v < a b"), algebra.relation("v !< a c"))
    epochs = algebra.epochs(random_state=0)
    next(epochs)
    pins = len(epochs.pool)
    monkeypatch.setattr(epoch, "reduce", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        next(epochs)
    assert epochs.number == 1 and len(epochs.pool) == pins
    with pytest.raises(KeyboardInterrupt):
        algebra.learn(random_state=0)


def test_a_solver_ends_and_says_so(monkeypatch):
    interrupt_epoch(monkeypatch, 3, Epochs, "_run")
    solver = queens.solve(8, random_state=0, max_epochs=1000)
    with pytest.warns(InterruptedWarning, match="solving was interrupted"):
        boards = list(solver)
    assert solver.interrupted and solver.epochs.number <= 3
    assert len(boards) == solver.summary.found
    assert list(solver) == []


def test_a_step_of_an_experiment_that_was_cut_short_is_not_recorded(tmp_path):
    def half(**settings):
        signal.raise_signal(signal.SIGINT)
        return {"half": True}

    records, step = Records(tmp_path), Step("half", half, {}, 1.0)
    with pytest.raises(KeyboardInterrupt):
        records.run(step)
    assert records.find([step]) == {}


class TestCommands:
    @pytest.fixture
    def csv(self, table, tmp_path):
        X, y = table
        lines = [",".join(map(str, row)) for row in [*np.column_stack([X, y])]]
        header = ",".join([*(f"p{j}" for j in range(X.shape[1])), "y"])
        (tmp_path / "t.csv").write_text("\n".join([header, *lines]))

    @pytest.mark.parametrize(("sent", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    @pytest.mark.parametrize("more", [[], ["--batch-rows", "120"]])
    def test_fit_is_saved(self, typed, csv, tmp_path, monkeypatch, sent, expected, more):
        interrupt_epoch(monkeypatch, 60, sent=sent)
        code, out, err = typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q", *more)
        assert code == expected
        assert out.startswith("m.atoms: 4 classes")
        said = "atomlearn: interrupted: what has been learned so far is saved in m.atoms\n"
        assert err == said
        assert load(tmp_path / "m.atoms").learned_.is_known

    def test_fit_is_saved_if_it_is_interrupted_while_saving(
        self, typed, csv, tmp_path, monkeypatch
    ):
        save = AlgebraicClassifier.save

        def interrupted(self, path, **options):
            signal.raise_signal(signal.SIGINT)
            save(self, path, **options)

        monkeypatch.setattr(AlgebraicClassifier, "save", interrupted)
        code, _, err = typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "--max-epochs", "2")
        assert code == 130 and "saved in m.atoms" in err
        load(tmp_path / "m.atoms")

    def test_fit_has_nothing_to_save(self, typed, csv, tmp_path, monkeypatch):
        interrupt_epoch(monkeypatch, 1)
        code, out, err = typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q")
        assert (code, out) == (130, "")
        assert err == (
            "atomlearn: interrupted before anything was learned: m.atoms is not written\n"
        )
        assert not (tmp_path / "m.atoms").exists()

    def test_what_was_found_is_shown(self, typed, monkeypatch):
        interrupt_epoch(monkeypatch, 4, Epochs, "_run")
        code, out, err = typed("queens", "--size", "8", "--solutions", "90", "--seed", "0")
        assert code == 130
        assert "epoch 3" in out and out.rstrip().endswith(".")
        assert err == "atomlearn: interrupted after 3 epochs: what was found by then is above\n"

    def test_others_end_with_one_line(self, typed, tmp_path, monkeypatch):
        (tmp_path / "bars.rel").write_text("v < c1 c2\nv !< c1\n")
        monkeypatch.setattr(epoch, "reduce", lambda *_: signal.raise_signal(signal.SIGINT))
        code, out, err = typed("learn", "bars.rel", "-o", "m.atoms")
        assert (code, out, err) == (130, "", "atomlearn: interrupted\n")
        assert not (tmp_path / "m.atoms").exists()


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert not interrupts.requested() and interrupts._depth == 0
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_what_ends_before_anything_is_known_says_by_which_signal(table, way, sent):
    X, y = table
    model = AlgebraicClassifier(random_state=0)
    ends = interrupts.Terminated if sent == signal.SIGTERM else KeyboardInterrupt
    with interrupts.terminable(), pytest.raises(KeyboardInterrupt) as ended:  # noqa: SIM117
        with interrupts.Deferred(learning=True):
            signal.raise_signal(sent)
            if way == "fit":
                model.fit(X, y)
            else:
                model.partial_fit(X, y, classes=np.unique(y))
    assert type(ended.value) is ends
