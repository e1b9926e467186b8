"""ONNX models give the probabilities of ``predict_proba``, as ONNX Runtime computes them."""

import json

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier, load
from atomlearn.errors import ExportTooLarge, InvalidParameter, MissingExtra, UnsavableValue
from atomlearn.export import export_source, onnx_graph
from tests.export.test_programs import COLUMNS, KINDS, fitted, odd_rows, table

__all__ = ["fitted", "odd_rows", "table"]  # fixtures

onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
onnx = pytest.importorskip("onnx", reason="needs the extra onnx")


def run(model, X):
    """The labels and probabilities of rows in a frame."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    told = session.get_modelmeta().custom_metadata_map
    given = {}
    for name, one in zip(X.columns, json.loads(told["columns"]), strict=True):
        column = X[name].astype(object)
        if one["kind"] == "category":
            cells = [one["missing"] if pd.isna(v) else str(v) for v in column]
            given[one["input"]] = np.array(cells, dtype=object)[:, None]
        else:
            cells = [np.nan if pd.isna(v) else float(v) for v in column]
            given[one["input"]] = np.array(cells)[:, None]
    wanted = [one.name for one in session.get_inputs()]
    return session.run(None, {name: given[name] for name in wanted})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compact", [False, True])
def test_probabilities_and_labels(fitted, odd_rows, kind, compact):
    clf = fitted[kind]
    if compact:
        if clf.learned_.teacher is None and kind == "both":
            pytest.skip("made by hand")
        clf = clf.compact(8)
    labels, found = run(clf.to_onnx(), odd_rows)
    wanted = clf.predict_proba(odd_rows)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert ((found == 0) == (wanted == 0)).all()
    assert labels.tolist() == clf.predict(odd_rows).tolist()


def test_numbers_at_cuts_and_their_neighbours(fitted):
    clf = fitted["weighted"]
    cuts = {c.name: getattr(c, "cuts", ()) for c in clf.encoder_.columns_}
    rows = []
    for name in COLUMNS:
        for cut in cuts[name]:
            rows += [{name: np.nextafter(cut, -np.inf)}, {name: cut},
                     {name: np.nextafter(cut, np.inf)}]  # fmt: skip
    X = pd.DataFrame(rows, columns=COLUMNS)
    X[COLUMNS[1]] = "Bonn"
    _, found = run(clf.to_onnx(), X)
    assert found == pytest.approx(clf.predict_proba(X), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_random_models_and_rows(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 6, 200).astype(float), "b": rng.normal(size=200)})
    X["label"] = rng.choice(["", "x", "probabilities", 'q"'], 200)
    X["declared"] = pd.Categorical(rng.choice([1, 2, 3], 200))
    X.loc[rng.random(200) < 0.1, "a"] = np.nan
    X.loc[rng.random(200) < 0.1, "label"] = None
    y = (X["b"].round(1) > 0).to_numpy() ^ (X["label"] == "x").to_numpy()
    clf = AlgebraicClassifier(random_state=seed, max_epochs=3).fit(X, y)
    new = X.sample(150, replace=True, random_state=seed).reset_index(drop=True)
    new["b"] = rng.normal(size=150)
    new.loc[::7, "label"] = "never seen"
    new.loc[::5, "a"] = np.nan
    new["declared"] = new["declared"].astype(object)
    new.loc[::9, "declared"] = 17
    labels, found = run(clf.to_onnx(), new)
    assert found == pytest.approx(clf.predict_proba(new), abs=1e-12)
    assert labels.tolist() == clf.predict(new).tolist()


@pytest.mark.parametrize(
    "classes", [[False, True], [3, 1000], [0.0, 2.0], ["a", "b\n<"], [10**17, 10**17 + 1]]
)
def test_types_of_labels(classes):
    X, y = np.arange(20.0)[:, None], np.array(classes)[np.arange(20) // 10]
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    labels, _ = run(clf.to_onnx(), pd.DataFrame(X))
    assert labels.tolist() == clf.predict(X).tolist()


def test_models_without_literals_or_atoms():
    same = AlgebraicClassifier(random_state=0, max_epochs=1).fit([[1.0]] * 6, [0, 1] * 3)
    _, found = run(same.to_onnx(), pd.DataFrame([[1.0], [2.0]]))
    assert found == pytest.approx(same.predict_proba([[1.0], [2.0]]))
    words = AlgebraicClassifier(random_state=0, max_epochs=1).fit([["a"]] * 6, [0, 1] * 3)
    _, found = run(words.to_onnx(), pd.DataFrame([["a"], ["b"]]))
    assert found == pytest.approx(words.predict_proba([["a"], ["a"]]))


def test_what_onnx_cannot_say(fitted, monkeypatch, tmp_path):
    X = pd.DataFrame({"c": pd.Categorical([1, "1"] * 20)})
    clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(X, [0, 1] * 20)
    with pytest.raises(UnsavableValue, match="different categories that are written '1'"):
        clf.to_onnx()
    big = np.array([10**17 + i for i in range(20)])[:, None]
    clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(big, np.arange(20) // 10)
    with pytest.raises(UnsavableValue, match=r"beyond 2\*\*53"):
        clf.to_onnx()
    with pytest.raises(InvalidParameter, match="to_onnx"):
        export_source(clf, "onnx")
    monkeypatch.setattr(onnx_graph, "MOST_CELLS", 10)
    with pytest.raises(ExportTooLarge, match="too many for ONNX"):
        fitted["strict"].to_onnx()
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"atomlearn\[onnx\]"):
        fitted["strict"].to_onnx()


def test_the_command(typed, fitted, odd_rows, tmp_path):
    fitted["rules"].save(tmp_path / "m.atoms")
    code, out, err = typed("export", "m.atoms", "--to", "onnx", "-o", "m.onnx")
    assert (code, err) == (0, "") and out.startswith("m.onnx: ONNX, ")
    onnx.checker.check_model(onnx.load(tmp_path / "m.onnx"))
    _, found = run((tmp_path / "m.onnx").read_bytes(), odd_rows)
    assert found == pytest.approx(load(tmp_path / "m.atoms").predict_proba(odd_rows), abs=1e-12)
    code, _, err = typed("export", "m.atoms", "--to", "onnx")
    assert code == 2 and "--out" in err
