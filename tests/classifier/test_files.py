"""Classifier files: the same model back, readable without the library, lies refused."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.classifier.files import VERSION
from atomlearn.errors import (
    DamagedFile,
    FileFormatError,
    NewerFile,
    UnsavableValue,
)
from atomlearn.files.container import Container


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "iris.atoms")
    return tmp_path / "iris.atoms"


@pytest.fixture
def saved_strict(iris, tmp_path):
    fitted = AlgebraicClassifier(random_state=0, max_epochs=9, evidence="strict").fit(*iris)
    fitted.save(tmp_path / "strict.atoms")
    return tmp_path / "strict.atoms"


def test_round_trip(saved, fitted, iris):
    loaded = atomlearn.load(saved)
    X, _ = iris
    assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
    assert loaded.get_params() == fitted.get_params()
    assert loaded.classes_.tolist() == fitted.classes_.tolist()
    assert loaded.estimated_error_ == fitted.estimated_error_
    assert str(loaded.explain(X.iloc[60])) == str(fitted.explain(X.iloc[60]))
    assert loaded.definition("virginica") == fitted.definition("virginica")
    assert loaded.history_ == fitted.history_
    loaded.save(saved.with_name("again.atoms"))
    assert saved.read_bytes() == saved.with_name("again.atoms").read_bytes()


def test_mixed_tables_round_trip(tmp_path, mixed):
    X, y = mixed
    classifier = AlgebraicClassifier(random_state=0, max_epochs=9, class_weight={"yes": 2, "no": 1})
    classifier.fit(X, y).save(tmp_path / "m.atoms")
    loaded = atomlearn.load(tmp_path / "m.atoms")
    assert (loaded.misses(X) == classifier.misses(X)).all()
    assert loaded.class_weight == {"yes": 2, "no": 1}


@pytest.mark.parametrize("go_on", ["partial_fit", "warm_start"])
def test_a_loaded_model_goes_on_as_if_nothing_had_been(tmp_path, iris, go_on):
    X, y = iris
    kept = AlgebraicClassifier(random_state=0, max_epochs=9, warm_start=True).fit(X[::2], y[::2])
    kept.save(tmp_path / "m.atoms")
    loaded = atomlearn.load(tmp_path / "m.atoms")
    for one in (kept, loaded):
        one.partial_fit(X[1::2], y[1::2]) if go_on == "partial_fit" else one.fit(X, y)
    assert (kept.predict_proba(X) == loaded.predict_proba(X)).all()
    assert (kept.misses(X) == loaded.misses(X)).all()


def test_values_that_no_file_has_room_for(tmp_path):
    X = pd.DataFrame({"d": [("a", 1), ("b", 2)] * 3})
    classifier = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, [0, 1] * 3)
    with pytest.raises(UnsavableValue, match=r"column 'd' .* is a tuple; only text"):
        classifier.save(tmp_path / "m.atoms")
    assert not (tmp_path / "m.atoms").exists()


def changed(path, member, change):
    """The file with one member changed."""
    file = Container.read(path)
    new = Container(file.kind, file.version)
    for name in sorted(file._members):
        data = file._members[name]
        if name == member and name.endswith(".json"):
            value = json.loads(data)
            data = json.dumps(change(value) or value).encode()
        elif name == member:
            array = np.load(io.BytesIO(data)).copy()
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, change(array), version=(1, 0))
            data = buffer.getvalue()
        new._members[name] = data
    new.write(path)
    return path


def put(**values):
    return lambda state: state.update(values)


@pytest.mark.parametrize(
    "change",
    [
        put(classes=[]),
        put(classes=["a", "a", "b"]),
        put(classes=["a", "b"]),
        put(classes=[["a"], "b", "c"]),
        put(classes_dtype="V8"),
        put(columns=[]),
        put(columns=[{"kind": "number"}]),
        put(literals=["x"]),
        put(slope=float("nan")),
        put(slope="steep"),
        put(offset=[0.0]),
        put(typical=[-1.0, 1.0, 1.0]),
        put(epochs=[1]),
        put(epochs=[-1, 1, 1]),
        put(seed="none"),
        put(params={"no_such": 1}),
        put(params=[1]),
        put(has_first_rows=True),
        lambda state: state["columns"][0].update(cuts=[2.0, 1.0]),
        lambda state: state["columns"][0].update(cuts=[float("inf")]),
        lambda state: state["columns"][0].update(kind="secret"),
        lambda state: state["columns"].pop(),
        lambda state: state.pop("classes"),
        lambda state: [state],
    ],
)
def test_lies_in_the_json_are_refused(saved, change):
    with pytest.raises(DamagedFile):
        atomlearn.load(changed(saved, "model.json", change))


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("atoms.npy", lambda a: a + 10_000),
        ("atoms.npy", lambda a: a - 10_000),
        ("atoms.npy", lambda a: a[:-1]),
        ("offsets.npy", lambda a: a[::-1].copy()),
        ("offsets.npy", lambda a: a * 0),
        ("class_offsets.npy", lambda a: a[:-1]),
        ("class_offsets.npy", lambda a: a[::-1].copy()),
        ("born.npy", lambda a: a[1:]),
        ("kept.npy", lambda a: a[::-1].copy()),
        ("kept.npy", lambda a: a + 10_000),
        ("sample_rows.npy", lambda a: a[:, :1]),
        ("sample_rows.npy", lambda a: a[:5]),
        ("sample_labels.npy", lambda a: a + 7),
        ("sample_totals.npy", lambda a: a[:1]),
        ("unseen_ratios.npy", lambda a: a * np.nan),
        ("unseen_labels.npy", lambda a: a - 7),
        ("unseen_weights.npy", lambda a: a[:3]),
        ("unseen_ratios.npy", lambda a: a[:, :1]),
        ("atoms.npy", lambda a: a.astype(float)),
    ],
)
def test_lies_in_the_arrays_are_refused(saved_strict, member, change):
    with pytest.raises(DamagedFile):
        atomlearn.load(changed(saved_strict, member, change))


def test_newer_files_are_refused_with_what_to_do(saved):
    file = Container.read(saved)
    file.version = VERSION + 1
    file.write(saved)
    with pytest.raises(NewerFile, match="upgrade atomlearn"):
        atomlearn.load(saved)


@given(st.data())
def test_damaged_bytes_never_end_the_process(tmp_path_factory, fitted, iris, data):
    path = tmp_path_factory.getbasetemp() / "fuzz.atoms"
    fitted.save(path)
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
    try:
        loaded = atomlearn.load(path)  # if it was only the name of the writer
    except FileFormatError as error:
        assert str(path) in str(error)
    else:
        assert (loaded.misses(iris[0]) == fitted.misses(iris[0])).all()


@pytest.mark.parametrize("evidence", ["strict", "weighted"])
def test_held_out_predictions_in_files_are_bounded(tmp_path, evidence, monkeypatch):
    monkeypatch.setattr("atomlearn.training.data.FOLDS", {10**6: 3})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21_000, 5))
    y = X[:, 0] + rng.normal(size=21_000) > 0
    fitted = AlgebraicClassifier(random_state=0, max_epochs=3, evidence=evidence).fit(X, y)
    fitted.save(tmp_path / "m.atoms")
    again = atomlearn.load(tmp_path / "m.atoms")
    assert 0 < len(again.learned_.held_out) <= 20_000 < len(fitted.learned_.held_out)
    assert again.estimated_error_ == fitted.estimated_error_
