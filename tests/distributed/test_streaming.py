"""Tables that are read batch after batch, whose packed rows are in files."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.distributed import fit_batches
from atomlearn.errors import (
    FileFormatError,
    InvalidTable,
    MissingExtra,
    NotEnoughDisk,
    UnfitParts,
)
from atomlearn.files.container import private_folder
from atomlearn.sets import memory
from atomlearn.tables.batches import ArrayBatches, CsvBatches, ParquetBatches, read_batches
from tests.distributed.fingerprints import fingerprint


@pytest.fixture(autouse=True)
def all_in_files(monkeypatch):
    """Arrays of any size are in files."""
    monkeypatch.setattr("atomlearn.sets.memory.IN_MEMORY", 0)


@pytest.fixture(scope="module")
def model(digits):
    return AlgebraicClassifier(random_state=0, max_epochs=20).fit(*digits)


class Spied(ArrayBatches):
    """Batches that note what is in a folder, and raise an error in the end."""

    def __init__(self, *arrays, folder, error=None):
        super().__init__(*arrays, rows=180)
        self.folder, self.error, self.seen = folder, error, []

    def __iter__(self):
        for batch in super().__iter__():
            yield batch
            self.seen.append([file.stat().st_size for file in self.folder.glob("*/*")])
        if self.error is not None and self.seen[-1]:
            raise self.error


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_model_from_memory_and_from_disk(model, digits, tmp_path, n_jobs):
    np.save(tmp_path / "X.npy", digits[0])
    np.save(tmp_path / "y.npy", digits[1])
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "Xy"]
    folder = tmp_path / "packed"
    batches = Spied(*mapped, folder=folder)
    again = fit_batches(batches, folder=folder, random_state=0, max_epochs=20, n_jobs=n_jobs)
    assert fingerprint(again) == fingerprint(model)
    packed = len(digits[1]) * 8 * (-(-len(model.encoder_.literals_) // 64))
    assert max(batches.seen[-1]) >= packed  # the packed rows
    assert list(folder.iterdir()) == []  # nothing is left for another run to stumble over


@pytest.mark.parametrize("error", [RuntimeError("the power went out"), KeyboardInterrupt()])
def test_nothing_is_left_after_an_error(digits, tmp_path, error):
    batches = Spied(*digits, folder=tmp_path, error=error)
    with pytest.raises(type(error)):
        fit_batches(batches, folder=tmp_path, random_state=0)
    assert batches.seen[-1] and list(tmp_path.iterdir()) == []


def test_a_disk_that_is_too_small(digits, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=100_000)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    batches = Spied(*digits, folder=tmp_path)
    with pytest.raises(NotEnoughDisk, match=r"GB are needed for packed rows in .* name another"):
        fit_batches(batches, folder=tmp_path)
    assert len(batches.seen) == 4  # they were not read a second time
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_by_now(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full, raising=False)
    with memory.in_files(tmp_path), pytest.raises(NotEnoughDisk, match="GB are free"):
        memory.room((1000, 10))


def test_the_file_of_an_array_goes_with_its_last_view(tmp_path):
    with memory.in_files(tmp_path):
        array = memory.room((1000, 10))
    view = array[5:][::2]
    del array
    assert len(list(tmp_path.iterdir())) == 1 and not view.any()
    del view
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_folders_of_killed_runs_are_removed(digits, tmp_path):
    script = f"""
import os, signal
from sklearn.datasets import load_digits
from atomlearn.distributed import fit_batches, fitting
from atomlearn.sets import memory
from atomlearn.sets import memory
from atomlearn.tables.batches import ArrayBatches
memory.IN_MEMORY = 0
fitting.encode = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
batches = ArrayBatches(*load_digits(return_X_y=True), rows=900)
fit_batches(batches, folder={str(tmp_path)!r})
"""
    subprocess.run([sys.executable, "-c", script], check=False, timeout=120)
    (left,) = tmp_path.iterdir()
    assert left.is_dir() and list(left.iterdir())
    with private_folder(tmp_path) as alive:
        assert not left.exists()
        fit_batches(ArrayBatches(*digits, rows=360), folder=tmp_path, max_epochs=1)
        assert list(tmp_path.iterdir()) == [alive]


FIT = """
import json
import threading
import time
from pathlib import Path

import numpy as np

from atomlearn.distributed import fit_batches
from atomlearn.sets import memory

memory.IN_MEMORY = 1 << 20


class Generated:
    def __iter__(self):
        for seed in range(10):
            X = np.random.default_rng(seed).integers(0, 60, (25_000, 150), dtype=np.int8)
            yield X, (X[:, 0] > X[:, 1]).astype(int)


def own():
    told = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["RssAnon"].split()[0]) / 1000


def watch():
    while True:
        seen.append(own())
        time.sleep(0.01)


X, y = next(iter(Generated()))
fit_batches([(X[:300], y[:300])], max_epochs=2, random_state=0)  # loads the kernels
memory.give_back()
seen = [own()]
threading.Thread(target=watch, daemon=True).start()
model = fit_batches(Generated(), max_epochs=3, random_state=0)
packed = 10 * 25_000 * len(model.encoder_.literals_) / 8e6
print(json.dumps([packed, max(seen) - seen[0]]))
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not tell the memory"
)
def test_memory_that_is_not_of_files():
    run = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True)
    packed, taken = json.loads(run.stdout)
    assert packed > 100
    assert taken < 0.7 * packed


@pytest.fixture
def table(digits):
    import pandas as pd

    X, y = digits
    frame = pd.DataFrame(X[:, 10:30], columns=[f"p{j}" for j in range(20)])
    frame["shade"] = np.where(X.sum(axis=1) > 310, "dark", "light")
    frame["kind"] = np.array(["zero", "one", "two", "three"])[y]
    return frame


def test_csv_and_parquet_say_the_same(table, tmp_path):
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    for i in range(2):
        table[360 * i : 360 * (i + 1)].to_parquet(folder / f"{i}.parquet", index=False)
    models = [
        fit_batches(read_batches(tmp_path / name, "kind", 180), random_state=0, max_epochs=10)
        for name in ("t.csv", "t.parquet", "folder")
    ]
    assert models[0].feature_names_in_[-1] == "shade"
    assert fingerprint(models[1]) == fingerprint(models[0])
    assert fingerprint(models[2]) == fingerprint(models[0])


def test_a_column_is_text_if_it_is_anywhere(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,n,y\n" + "007,1,a\n" * 5 + "x,2,b\n" * 5)
    batches = list(CsvBatches(path, "y", 4))
    assert [len(batch.y) for batch in batches] == [4, 4, 2]
    assert batches[0].X[0].tolist() == ["007", 1.0]
    assert batches[-1].X[0].tolist() == ["x", 2.0]


class TestBadInput:
    def test_batches_that_run_dry(self, digits):
        with pytest.raises(UnfitParts, match="needed twice"):
            fit_batches(iter([digits]))

    def test_batches_that_change(self, digits):
        class Fickle:
            n = 0

            def __iter__(self):
                Fickle.n += 1
                X, y = digits
                yield X[: 100 * self.n], y[: 100 * self.n]

        with pytest.raises(UnfitParts, match="batch 0 is not the same when"):
            fit_batches(Fickle())

    def test_batches_that_are_no_pairs(self):
        with pytest.raises(InvalidTable, match="batch 0 is not a pair"):
            fit_batches([5])

    def test_batches_with_other_columns(self, digits):
        X, y = digits
        with pytest.raises(UnfitParts, match="partition 1 has 63 columns, partition 0 has 64"):
            fit_batches([(X[:90], y[:90]), (X[90:180, 1:], y[90:180])])

    def test_files(self, tmp_path, table, monkeypatch):
        table.to_parquet(tmp_path / "t.parquet")
        with pytest.raises(InvalidTable, match="no column 'sort'"):
            list(read_batches(tmp_path / "t.parquet", "sort"))
        (tmp_path / "broken.parquet").write_bytes(b"PAR1")
        with pytest.raises(InvalidTable, match="not a Parquet file"):
            list(read_batches(tmp_path / "broken.parquet", "sort"))
        (tmp_path / "empty").mkdir()
        with pytest.raises(InvalidTable, match=r"no \.parquet files"):
            ParquetBatches(tmp_path / "empty", "y")
        (tmp_path / "t.csv").write_text("a,y\n1,x\n2,\n")
        with pytest.raises(InvalidTable, match="row 1 has no 'y'"):
            list(read_batches(tmp_path / "t.csv", "y"))
        (tmp_path / "t.csv").write_text("a,y\n1,x\n2\n")
        with pytest.raises(InvalidTable, match=r"t\.csv:3: 1 cells"):
            list(read_batches(tmp_path / "t.csv", "y"))
        (tmp_path / "t.csv").write_text("")
        with pytest.raises(FileFormatError, match="header"):
            list(read_batches(tmp_path / "t.csv", "y"))
        with pytest.raises(FileNotFoundError):
            list(read_batches(tmp_path / "none.csv", "y"))
        with pytest.raises(InvalidTable, match="at least one row"):
            read_batches(tmp_path / "t.csv", "y", 0)
        with pytest.raises(InvalidTable, match="3 rows and 2 labels"):
            ArrayBatches(np.zeros((3, 1)), np.zeros(2))
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingExtra, match=r"pip install 'atomlearn\[tables\]'"):
            list(read_batches(tmp_path / "t.parquet", "kind"))
