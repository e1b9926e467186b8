"""A bounded run of ``make fuzz``, and that it would tell if something were wrong."""

import contextlib
import random
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="workers limit their memory, which Windows cannot")

from atomlearn.files import container
from tests.fuzz import attacks, running, worker
from tests.fuzz.attacks import CRASH, LOADED, MISMATCH, RAW, REFUSED, attack_file
from tests.fuzz.running import Run, Tally
from tests.fuzz.saves import torn


@pytest.mark.slow
def test_a_bounded_run(tmp_path):
    run, tally = Run("suite", tmp_path / "kept", bounds_check=False), Tally()
    run.attack("files", 800, 600, tally)
    run.attack("relations", 400, 600, tally)
    run.attack("saves", 30, 600, tally)
    assert sum(tally.outcomes.values()) == 1230
    assert tally.bad == 0, tally.kept


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
        "    print(i, 'model', 'bytes', 'refused', '', sep='\\t', flush=True)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(running, "WORKER", "fuzz_worker")
    tally = Tally()
    Run("0", tmp_path / "kept", bounds_check=False).attack("files", 6, 60, tally)
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
