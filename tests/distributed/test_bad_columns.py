"""Columns that are not the same in all parts, or that cannot be learned from."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from atomlearn import AtomlearnError
from atomlearn.distributed import fit, fit_batches
from atomlearn.errors import InvalidTable, InvalidTarget, MixedColumn, UnfitParts
from atomlearn.tables.batches import ArrayBatches, read_batches


def parts(*columns, n=40):
    """Partitions whose column ``x`` holds what is given."""
    y = np.arange(n) % 2
    return [(pd.DataFrame({"x": x, "z": np.arange(n) * 1.0}), y) for x in columns]


NUMBERS = np.arange(40) * 1.0
TEXT = np.array([f"t{i}" for i in range(40)], dtype=object)
NOTHING = np.full(40, np.nan)


def learn(batches, **parameters):
    return fit_batches(batches, **{"random_state": 0, "max_epochs": 2, **parameters})


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ((NUMBERS, TEXT), "'x' holds numbers in partition 0 and text or categories in partition 1"),
        ((NOTHING, TEXT, NUMBERS), "'x' holds text or categories in partition 1 and numbers in pa"),
        ((TEXT, NUMBERS > 5), "'x' holds text or categories in partition 0 and truth values in pa"),
        ((NUMBERS, pd.Categorical(NUMBERS)), "'x' holds numbers in partition 0 and text or categ"),
    ],
)
def test_a_column_that_drifts_in_type(columns, says):
    with pytest.raises(UnfitParts, match=says):
        learn(parts(*columns))
    as_arrays = [(X.to_numpy(dtype=object), y) for X, y in parts(*columns)]
    if not isinstance(columns[-1], pd.Categorical):
        with pytest.raises(UnfitParts, match=says.replace("'x'", "'x0'")):
            learn(as_arrays)


def test_drift_between_dask_partitions():
    import dask
    import dask.dataframe as dd

    frames = [X.assign(y=y) for X, y in parts(NUMBERS, TEXT)]
    X = dd.from_delayed([dask.delayed(f) for f in frames], meta=frames[0], verify_meta=False)
    with pytest.raises(UnfitParts, match="'x' holds numbers in partition 0 and text"):
        fit(X, "y", random_state=0, max_epochs=2)


@pytest.mark.parametrize(
    "columns",
    [
        (NUMBERS, NUMBERS > 5),  # truth values are 0 and 1
        (NUMBERS, NOTHING),
        (NOTHING, TEXT),
        (NUMBERS.astype(np.int64), NUMBERS.astype(np.float32)),
        (TEXT, pd.Categorical(TEXT)),
    ],
)
def test_what_goes_together(columns):
    assert len(learn(parts(*columns)).classes_) == 2


def test_polars_frames():
    batches = [(pl.from_pandas(X), y) for X, y in parts(NUMBERS, NUMBERS)]
    model, same = learn(batches), learn(parts(NUMBERS, NUMBERS))
    X = parts(NUMBERS)[0][0]
    assert (model.misses(X) == same.misses(X)).all()


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ((NUMBERS, np.where(NUMBERS == 7, np.inf, NUMBERS)), r"infinity: row \d+, column 'x'"),
        ((pd.date_range("2020", periods=40),) * 2, "partition 0: column 'x' holds dates"),
        ((np.array([[1]] * 40 + [None], dtype=object)[:40],) * 2, "column 'x' holds a list"),
    ],
)
def test_columns_that_cannot_be_learned_from(columns, says):
    with pytest.raises(InvalidTable, match=says):
        learn(parts(*columns))


def test_renamed_columns():
    (X0, y0), (X1, y1) = parts(NUMBERS, NUMBERS)
    with pytest.raises(UnfitParts, match=r"partition 1 .* not in both: \['w', 'x'\]"):
        learn([(X0, y0), (X1.rename(columns={"x": "w"}), y1)])


def test_numbers_to_be_predicted():
    X = np.random.default_rng(0).random((400, 2))
    for target, says in ((np.arange(400), "looks like a number"), (X[:, 0], "with fractions")):
        with pytest.raises(InvalidTarget, match=says):
            learn(ArrayBatches(X, target, rows=200))


class TestFiles:
    def test_what_is_not_there(self, tmp_path, typed):
        for name in ("none", "none/", "none.parquet", "none.csv"):
            with pytest.raises(AtomlearnError, match="no such file or folder"):
                read_batches(tmp_path / name, "y")
        code, _, err = typed("fit", "none", "-t", "y", "-o", "m.atoms", "--batch-rows", "9")
        assert code == 2 and "none: there is no such file or folder" in err

    def test_a_folder_is_read_in_batches(self, tmp_path, typed):
        (tmp_path / "folder").mkdir()
        code, _, err = typed("fit", "folder", "-t", "y", "-o", "m.atoms")
        assert code == 2 and "is a folder" in err and "--batch-rows" in err

    def test_dates_are_not_made_numbers(self, tmp_path):
        X, y = parts(pd.date_range("2020", periods=40))[0]
        for kind in ("datetime64[ns]", "datetime64[s]"):
            X.assign(x=X["x"].astype(kind), y=y).to_parquet(tmp_path / "t.parquet")
            with pytest.raises(InvalidTable, match=r"t\.parquet: column 'x' holds dates"):
                learn(read_batches(tmp_path / "t.parquet", "y", 20))

    def test_parquet_files_that_differ(self, tmp_path):
        for name, (X, y) in zip("ab", parts(NUMBERS, TEXT), strict=True):
            X.assign(y=y).to_parquet(tmp_path / f"{name}.parquet")
        with pytest.raises(UnfitParts, match="'x' holds numbers in partition 0 and text"):
            learn(read_batches(tmp_path, "y"))

    def test_a_csv_column_that_is_text_because_of_a_few_cells(self, tmp_path, typed):
        cells = ["?" if i == 12 else str(i) for i in range(40)]
        rows = [f"{cell},{'ab'[i % 2]}" for i, cell in enumerate(cells)]
        (tmp_path / "t.csv").write_text("\n".join(["x,y", *rows]))
        with pytest.warns(MixedColumn, match=r"'x' is read as text, because 1 of 40 .* row 12: '"):
            list(read_batches(tmp_path / "t.csv", "y", 10))
        for more in ((), ("--batch-rows", "20")):
            code, _, err = typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "--max-epochs", 1,
                                 "--quiet", *more)  # fmt: skip
            assert code == 0 and err.count("note: t.csv: column 'x' is read as text") == 1

    def test_codes_are_meant(self, tmp_path, recwarn):
        (tmp_path / "t.csv").write_text("x,y\n" + "7,a\n8,b\nA,a\n" * 9)
        list(read_batches(tmp_path / "t.csv", "y", 10))
        assert not recwarn.list

    def test_the_command_line_predicts_a_number_and_can_be_overruled(self, tmp_path, typed):
        rng = np.random.default_rng(0)
        rows = [f"{rng.random():.3f},{100 + i}" for i in range(60)]
        (tmp_path / "t.csv").write_text("\n".join(["x,price", *rows]))
        command = ("fit", "t.csv", "-t", "price", "-o", "m.atoms", "--max-epochs", 1, "--quiet")
        code, out, err = typed(*command, "--json")
        assert code == 0 and "classes" not in json.loads(out) and "--max-classes" in err
        code, out, _ = typed(*command, "--max-classes", 60, "--json")
        assert code == 0 and len(json.loads(out)["classes"]) == 60
