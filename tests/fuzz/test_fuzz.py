"""A bounded run of ``make fuzz``, and that it would tell if something were wrong."""

import contextlib
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("resource", reason="workers limit their memory, which Windows cannot")

from atomlearn import AlgebraicClassifier
from atomlearn.files import container
from atomlearn.training.data import HardRules
from tests.fuzz import attacks, running, worker
from tests.fuzz.attacks import (
    AGREED,
    CRASH,
    LOADED,
    MISMATCH,
    RAW,
    REFUSED,
    attack_file,
    attack_relations,
)
from tests.fuzz.kinds import classifier
from tests.fuzz.reader import Reader
from tests.fuzz.rules import Test, Told, possible
from tests.fuzz.running import Run, Tally
from tests.fuzz.saves import torn
from tests.fuzz.trips import travel


@pytest.mark.slow
def test_a_bounded_run(tmp_path):
    run, tally = Run("suite", tmp_path / "kept", bounds_check=False), Tally()
    run.attack("files", 800, 600, tally)
    run.attack("relation-sets", 400, 600, tally)
    run.attack("saves", 30, 600, tally)
    run.attack("round-trips", 100, 600, tally, predictions=20_000)
    assert sum(tally.outcomes.values()) == sum(tally.done[what] for what in running.SHARES) >= 1330
    assert tally.done[running.PREDICTIONS] >= 20_000
    assert tally.bad == 0, tally.kept


@pytest.fixture(scope="module")
def reader():
    other = Reader()
    yield other
    other.close()


def test_some_of_each(tmp_path, reader):
    path = tmp_path / "case.atoms"
    for number in range(40):
        assert attack_file("some", number, path).outcome in (REFUSED, LOADED)
        assert attack_relations("some", number, path) == (
            ("relation sets", "random"),
            AGREED,
            "",
            0,
        )
    trips = [travel(random.Random(f"some/{number}"), path, reader) for number in range(12)]
    assert [trip.said for trip in trips] == [None] * len(trips)
    assert sum(trip.predictions for trip in trips) >= 3000
    assert len({trip.kind for trip in trips}) > 1


def test_what_is_untrue_after_loading_is_noticed(tmp_path, reader, monkeypatch):
    """A model that is saved as another, and a rule that is not obeyed."""
    path = tmp_path / "case.atoms"
    save = AlgebraicClassifier.save
    with monkeypatch.context() as patch:
        patch.setattr(AlgebraicClassifier, "save", lambda self, path: save(classifier(), path))
        trip = travel(random.Random("some/0"), path, reader)
        assert trip.said is not None and "after loading" in trip.said
    with monkeypatch.context() as patch:
        patch.setattr(
            HardRules,
            "forbidden_of",
            lambda self, rows: np.zeros((len(rows), self.n_classes), bool),
        )
        patch.setattr(
            HardRules, "forbidden_in", lambda self, blocks, n: np.zeros((n, self.n_classes), bool)
        )
        said = [travel(random.Random(f"some/{number}"), path, reader).said for number in range(5)]
        assert any(one is not None and "predicted" in one for one in said)


def test_rules_in_plain_python():
    adults = Told("yes", False, (Test("age", ">=", 18), Test("code", "=", "1.10")))
    unknown = Told("no", True, (Test("age", "missing"),))
    told, labels = [adults, unknown], ["no", "yes"]
    assert possible(told, labels, {"age": 18, "code": "1.10"}) == [False, True]
    assert possible(told, labels, {"age": 18, "code": "1.1"}) == [True, True]
    assert possible(told, labels, {"age": None, "code": "1.10"}) == [False, True]
    never = Told("yes", True, (Test("code", "known"),))
    assert possible([*told, never], labels, {"age": None, "code": ""}) is None


def test_runs_until_counts_are_reached(tmp_path):
    command = [sys.executable, "-m", "tests.fuzz", "--relation-sets", "30", "--first", "7"]
    command += ["--no-bounds-check", "--seed", "some", "--keep", str(tmp_path)]
    done = subprocess.run(command, cwd=running.ROOT, capture_output=True, text=True, check=True)
    *_, counted, last = done.stdout.splitlines()
    assert counted.startswith("0 files, 30 relation sets, 0 saves, 0 round trips, 0 predictions")
    told = json.loads(last)
    assert told["relation_sets"] == 30 and told["bad"] == 0 and told["first"] == 7


def test_cases_depend_on_seed_and_number_alone(tmp_path):
    def data(seed, number):
        attack_file(seed, number, tmp_path / "case")
        return (tmp_path / "case").read_bytes()

    assert data("a", 3) == data("a", 3) != data("a", 4)
    assert data("a", 3) != data("b", 3)


@pytest.fixture
def model_with(monkeypatch, tmp_path):
    """What is said of a sound model file when it is read by some function."""

    def tried(read, use=lambda loaded: None, attack="values"):
        kind = attacks.KINDS["model"]._replace(read=read, use=use)
        path = tmp_path / "case.atoms"
        path.write_bytes(attacks.sample("model"))
        return attacks._tried(kind, attack, path)[0]

    return tried


def test_what_is_wrong_is_told_apart(model_with):
    def fail(error):
        def read(path):
            raise error

        return read

    assert model_with(lambda path: None) == LOADED
    assert model_with(fail(attacks.FileFormatError("case.atoms is damaged"))) == REFUSED
    assert model_with(fail(attacks.FileFormatError("something is damaged"))) == RAW
    assert model_with(fail(attacks.NotEnoughMemory("case.atoms"))) == RAW
    assert model_with(fail(KeyError("case.atoms"))) == RAW
    assert model_with(lambda path: None, use=fail(IndexError("out of bounds"))) == RAW

    def alter(path):
        parts = attacks.Parts.of(path.read_bytes())
        path.write_bytes(parts.put("constants.json", ["x"]).packed())

    assert model_with(alter, attack="bytes") == MISMATCH
    assert model_with(alter, attack="values") == LOADED


def test_a_worker_that_crashes_is_begun_again_and_its_file_kept(tmp_path, monkeypatch):
    script = tmp_path / "fuzz_worker.py"
    script.write_text(
        "import os, pathlib, sys\n"
        "what, seed, first, end, path = sys.argv[1:]\n"
        "for i in range(int(first), int(end)):\n"
        "    pathlib.Path(path).write_text(str(i))\n"
        "    if i == 3:\n"
        "        os.abort()\n"
        "    print(i, 'model', 'bytes', 'refused', 0, '', sep='\\t', flush=True)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    tally = Tally()
    run = Run("0", tmp_path / "kept", bounds_check=False, worker="fuzz_worker")
    run.attack("files", 6, 60, tally)
    assert tally.outcomes["model", REFUSED] == 5
    assert [n for (_, outcome), n in tally.outcomes.items() if outcome == CRASH] == [1]
    assert (tmp_path / "kept" / "files-0-3.atoms").read_text() == "3"
    assert "| all | 6 | 5 | 0 | 0 | 0 | 1 | 0 |" in tally.table()
    assert worker.MEMORY <= 1 << 30


def test_a_torn_file_is_noticed(tmp_path, monkeypatch):
    @contextlib.contextmanager
    def overwriting(path):
        with Path(path).open("wb", buffering=0) as file:
            yield file

    path = tmp_path / "m.atoms"
    assert all(torn(random.Random(i), path) is None for i in range(3))
    monkeypatch.setattr(container, "replacing", overwriting)
    assert any(torn(random.Random(i), path) is not None for i in range(200))
