"""Nothing is saved that cannot be loaded, and everything means the same after loading."""

import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.errors import DamagedFile, InvalidTable, UnsafeFile, UnsavableValue
from atomlearn.tables.numbers import above, cut_between, equal, exact_numbers

CLOSE = [0.1 + 0.2, 0.3, 0.3000000000000001, 0.4]


def again(classifier, tmp_path):
    classifier.save(tmp_path / "m.atoms")
    return atomlearn.load(tmp_path / "m.atoms")


def quick(**parameters):
    return AlgebraicClassifier(random_state=0, max_epochs=3, **parameters)


ORDERED = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*CLOSE, 0.0, -0.0, 5e-324, 1e308, 1.7e308, -1.7e308, 2.0**53, 1e-308]),
)
WHOLE = st.integers(-(2**63), 2**64 - 1)


@given(st.one_of(st.tuples(ORDERED, ORDERED), st.tuples(WHOLE, WHOLE), st.tuples(ORDERED, WHOLE)))
@settings(max_examples=500)
def test_a_cut_separates_its_neighbours(pair):
    low, high = sorted(pair)
    if low < high:
        assert low <= cut_between(low, high) < high


@given(st.lists(ORDERED, min_size=1), st.lists(ORDERED | WHOLE, min_size=1))
def test_numbers_of_either_kind_compare_exactly(floats, cuts):
    for values in (floats, [int(x) for x in floats if abs(x) < 2**63]):
        cells = exact_numbers(np.array(values, dtype=object)) if values else np.zeros(0)
        assert above(cells, cuts).tolist() == [[x > cut for x in values] for cut in cuts]
        assert equal(cells, cuts).tolist() == [[x == cut for x in values] for cut in cuts]


@pytest.mark.parametrize(
    "column",
    [
        np.array(CLOSE),
        np.array([1e308, 1.7e308, -1.7e308, 1.6e308]),
        np.array([5e-324, 1e-323, 0.0, -5e-324]),
        10**18 + np.arange(4),
        1_700_000_000_000_000_000 + np.arange(4),  # nanoseconds
        np.array([2**63 + 5, 2**63 + 6, 3, 4], dtype=np.uint64),
        np.array([10**30, 10**30 + 1, 5, None], dtype=object),
    ],
    ids=["floats", "1e308", "denormal", "10**18", "nanoseconds", "uint64", "objects"],
)
def test_neighbouring_values_are_told_apart_before_and_after_loading(column, tmp_path):
    X, y = np.tile(column, 10)[:, None], np.tile([0, 1, 0, 1], 10)
    fitted = AlgebraicClassifier(random_state=0).fit(X, y)
    assert fitted.score(X, y) == 1
    (cuts,) = (one.cuts for one in fitted.encoder_.columns_)
    assert list(cuts) == sorted(set(cuts))
    loaded = again(fitted, tmp_path)
    assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
    assert loaded.encoder_.columns_ == fitted.encoder_.columns_


@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars", "lists", "csv"])
def test_long_integers_beside_other_columns_stay_exact(kind, tmp_path, typed):
    n = 10**18 + np.tile(np.arange(4), 10)
    frame = pd.DataFrame({"id": n, "size": np.linspace(0, 1, 40)})
    y = np.tile([0, 1, 0, 1], 10)
    if kind == "nullable":
        frame["id"] = frame["id"].astype("Int64").where(np.arange(40) > 0)
    table = frame
    if kind == "polars":
        table = pytest.importorskip("polars").from_pandas(frame)
    elif kind == "lists":
        table = [[int(a), float(b)] for a, b in zip(n, frame["size"], strict=True)]
    elif kind == "csv":
        frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
        assert typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q")[0] == 0
        assert typed("predict", "m.atoms", "t.csv", "-o", "p.csv")[0] == 0
        assert pd.read_csv(tmp_path / "p.csv")["prediction"].tolist() == y.tolist()
        return
    fitted = AlgebraicClassifier(random_state=0).fit(table, y)
    assert fitted.score(table, y) == 1
    assert all(isinstance(cut, int) for cut in fitted.encoder_.columns_[0].cuts)


def test_labels_beyond_the_floats_stay_integers(tmp_path, typed):
    (tmp_path / "t.csv").write_text(
        "x,y\n" + "".join(f"{i % 2},{2**53 + 1 + i % 2}\n" for i in range(20))
    )
    assert typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q")[0] == 0
    loaded = atomlearn.load(tmp_path / "m.atoms")
    assert loaded.classes_.tolist() == [2**53 + 1, 2**53 + 2]
    assert loaded.predict([[0], [1]]).tolist() == [2**53 + 1, 2**53 + 2]


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    path = tmp_path / "m.atoms"
    fitted = quick().fit(X, y)
    fitted.save(path)
    before = path.read_bytes()
    fitted.learned_.typical[0] = np.nan  # what no fit should ever give
    with pytest.raises(UnsavableValue, match="could not be loaded"):
        fitted.save(path)
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["m.atoms"]


@pytest.mark.slow
def test_a_wide_table_is_saved_so_that_it_can_be_loaded(tmp_path):
    """Its JSON shrinks so much that a reader would take the file for a hostile one."""
    X = sparse.random(60, 150_000, density=1e-4, format="csr", random_state=0)
    fitted = quick().fit(X, np.arange(60) % 2)
    assert (again(fitted, tmp_path).predict_proba(X) == fitted.predict_proba(X)).all()


def test_extreme_weights_are_refused_by_row():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    for weight in (1e60, 1e-60):
        with pytest.raises(InvalidTable, match=r"sample_weight of row 3"):
            quick().fit(X, y, sample_weight=np.where(np.arange(20) == 3, weight, 1.0))


def test_half_characters_are_refused_at_fit():
    half, y = "a\ud800", np.arange(20) % 2
    with pytest.raises(InvalidTable, match="name of a column"):
        quick().fit([{half: float(i), "b": 1} for i in range(20)], y)
    with pytest.raises(InvalidTable, match="a value of column 'c'"):
        quick().fit([{"c": "b"}, {"c": half}] * 10, y)
    with pytest.raises(InvalidTable, match="a label"):
        quick().fit(np.arange(20.0)[:, None], np.array(["b", half] * 10))


def test_a_class_without_weight_is_never_predicted(tmp_path):
    X, y = np.arange(30.0)[:, None], np.arange(30) % 3
    fitted = quick(class_weight={0: 1, 1: 1, 2: 0}).partial_fit(X, y, classes=[0, 1, 2])
    loaded = again(fitted, tmp_path)
    assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
    assert (fitted.predict_proba(X)[:, 2] == 0).all()
    assert np.isfinite(fitted.decision_function(X)).all()


# -- hostile files


def forged(tmp_path, change, **arrays):
    """A file in which ``change`` was made to the JSON of a sound model."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    quick(rules=["1 if x0 > 1.5"]).fit(X, (X[:, 0] > 0).astype(int)).save(tmp_path / "sound.atoms")
    with (
        zipfile.ZipFile(tmp_path / "sound.atoms") as sound,
        zipfile.ZipFile(tmp_path / "m.atoms", "w", zipfile.ZIP_DEFLATED) as file,
    ):
        for name in sound.namelist():
            data = sound.read(name)
            if name == "model.json":
                state = json.loads(data)
                change(state)
                data = json.dumps(state).encode()
            if name in arrays:
                content = io.BytesIO()
                np.lib.format.write_array(content, arrays[name], version=(1, 0))
                data = content.getvalue()
            file.writestr(name, data)
    return tmp_path / "m.atoms"


def memory_of_loading(path):
    """MiB that loading a file takes in a process of its own, and the error."""
    program = (
        "import resource, sys, atomlearn\n"
        "import atomlearn.classifier.files\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    atomlearn.load(sys.argv[1])\n"
        "except ValueError as error:\n    print(type(error).__name__)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    *error, mib = done.stdout.split()
    return int(mib), error


def test_very_many_cuts_are_refused_before_they_take_memory(tmp_path):
    def change(state):
        state["columns"][1]["cuts"] = [i / 8 for i in range(1_900_000)]

    mib, error = memory_of_loading(forged(tmp_path, change))
    assert error == ["UnsafeFile"] and mib < 256


def test_more_conflicts_than_are_ever_saved_are_refused(tmp_path):
    def change(state):
        state["conflicts"] = [{"rows": [i, 1], "labels": [0, 1], "kept": 0} for i in range(20_000)]

    with pytest.raises(DamagedFile, match="conflicts has more than 10000"):
        atomlearn.load(forged(tmp_path, change))


def test_rules_of_very_many_conditions_take_time_in_proportion(tmp_path):
    """Twice as many conditions must not take four times as many comparisons."""

    def calls(n):
        def change(state):
            state["rules"] = ["1 if " + " and ".join(["x0 > 1.5"] * n)]

        path = forged(tmp_path, change)
        counted = 0

        def count(frame, event, _):
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        try:
            atomlearn.load(path)
        finally:
            sys.setprofile(None)
        return counted

    small, large = calls(1000), calls(2000)
    assert large < 2.2 * small

    def senseless(state):
        state["rules"] = ["1 if " + " and ".join(["x0"] * 20_000)]

    with pytest.raises((DamagedFile, UnsafeFile), match=r"rule|grow"):
        atomlearn.load(forged(tmp_path, senseless))
