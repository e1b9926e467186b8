"""Tables that are read batch after batch, and are too large to be learned from as a whole."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from atomlearn import distributed
from atomlearn.distributed import fitting
from atomlearn.errors import FileFormatError, InvalidTable, MissingExtra, UnfitParts
from atomlearn.files.container import private_folder
from atomlearn.tables.batches import ArrayBatches, CsvBatches, ParquetBatches, read_batches
from tests.distributed.fingerprints import fingerprint

fit_batches = partial(distributed.fit_batches, max_bytes=1)  # batches learn by themselves


@pytest.fixture(scope="module")
def model(digits):
    return fit_batches(ArrayBatches(*digits, rows=180), random_state=0, max_epochs=20)


@pytest.fixture
def packed_files(monkeypatch):
    """What lies on disk while it is learned from: name and size by folder, as it is read."""
    seen = {}
    load = fitting.load_part

    def spy(path, *sizes):
        seen[path.parent] = {file.name: file.stat().st_size for file in path.parent.iterdir()}
        return load(path, *sizes)

    monkeypatch.setattr(fitting, "load_part", spy)
    return seen


@pytest.mark.slow
def test_the_same_model_from_memory_from_disk_and_on_two_cores(
    model, digits, blocks, tmp_path, packed_files
):
    from atomlearn.distributed import fit

    X, y = digits
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r"), np.load(tmp_path / "y.npy", mmap_mode="r")
    packed = tmp_path / "packed"
    again = fit_batches(
        ArrayBatches(*mapped, rows=180), folder=packed, random_state=0, max_epochs=20, n_jobs=2
    )
    assert fingerprint(again) == fingerprint(model)
    ((folder, files),) = packed_files.items()
    assert folder.parent == packed and len(files) == 12  # terms, labels and folds of four batches
    assert sum(size for name, size in files.items() if "terms" in name) < X.nbytes
    assert list(packed.iterdir()) == []  # nothing is left for another run to stumble over
    as_list = list(ArrayBatches(X, y, rows=180))
    assert fingerprint(fit_batches(as_list, random_state=0, max_epochs=20)) == fingerprint(model)
    # the same partitions with the same seed: as on a cluster
    on_dask = fit(*blocks, max_bytes=1, random_state=0, max_epochs=20)
    assert fingerprint(on_dask) == fingerprint(model)


def test_it_has_learned(model, digits):
    X, y = digits
    assert set(model.predict(X)) == set(y)
    pool = model.learned_.pools[0]
    assert {source.name for source in pool.sources} >= {"batch 0", "batch 3"}


def test_symmetries_are_kept_with_the_batches():
    from atomlearn.datasets import vertical_bars
    from atomlearn.tables.images import column_swaps

    X, y = vertical_bars(900, shape=(5, 5), noise=0.3, random_state=0)
    batches = ArrayBatches(X, y, rows=450)
    told = {"random_state": 0, "max_epochs": 10, "symmetries": column_swaps((5, 5))}
    moved, plain = fit_batches(batches, **told), fit_batches(batches, random_state=0, max_epochs=10)
    assert fingerprint(moved) != fingerprint(plain)


@pytest.mark.slow
def test_a_folder_that_others_use_too(model, digits, tmp_path):
    """Nothing that another run has left in the folder, or leaves there meanwhile, is read."""
    from atomlearn.tables.images import translations

    batches, told = ArrayBatches(*digits, rows=180), {"random_state": 0, "max_epochs": 20}

    class Meanwhile:
        """Batches that are read while another run uses the folder."""

        def __iter__(self):
            moved = {**told, "max_epochs": 1, "symmetries": translations((8, 8))}
            fit_batches(batches, folder=tmp_path, **moved)
            yield from batches

    for p in range(4):  # as an earlier version left them: maps that swap all columns
        np.save(tmp_path / f"{p}.maps.npy", np.arange(4000, dtype=np.int32)[None, ::-1])
    again = fit_batches(Meanwhile(), folder=tmp_path, **told)
    assert fingerprint(again) == fingerprint(model)


@pytest.mark.slow
def test_folders_of_killed_runs_are_removed(digits, tmp_path):
    script = f"""
import os, signal
from sklearn.datasets import load_digits
from atomlearn.distributed import fit_batches, fitting
from atomlearn.tables.batches import ArrayBatches
fitting.load_part = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
batches = ArrayBatches(*load_digits(return_X_y=True), rows=900)
fit_batches(batches, folder={str(tmp_path)!r}, max_bytes=1)
"""
    subprocess.run([sys.executable, "-c", script], check=False, timeout=120)
    (left,) = tmp_path.iterdir()
    assert left.is_dir() and list(left.glob("*.terms.npy"))
    with private_folder(tmp_path) as alive:
        assert not left.exists()
        fit_batches(ArrayBatches(*digits, rows=360), folder=tmp_path, max_epochs=1)
        assert list(tmp_path.iterdir()) == [alive]


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
