"""A model that is saved without training rows predicts and explains, and says what it lacks."""

import json
import zipfile

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier, load
from atomlearn.errors import RowsNotKept
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.live import LiveTable


@pytest.fixture(params=["strict", "weighted", "both", "card"])
def saved(by_evidence, noisy, tmp_path, request):
    kind = request.param
    clf = by_evidence["weighted"].compact(5) if kind == "card" else by_evidence[kind]
    clf.keep_rows(noisy[0])
    clf.save(tmp_path / "m.atoms", rows=False)
    return clf, load(tmp_path / "m.atoms"), tmp_path / "m.atoms"


def test_the_file_has_no_row_and_says_so(saved):
    clf, _, path = saved
    with zipfile.ZipFile(path) as archive:
        info = json.loads(archive.read("manifest.json"))["info"]
        state = json.loads(archive.read("model.json"))
        names = archive.namelist()
        n_sampled = len(archive.read("sample_rows.npy"))
    assert info["training_rows"].startswith("none")
    assert not [name for name in names if name.startswith(("first_rows", "teacher", "card_scores"))]
    assert n_sampled <= 128  # the header of an empty array
    assert state["conflicts"] == [] and state["rule_conflicts"] == []
    assert clf.n_kept_rows > 0 and len(clf.sample_.rows)  # the model in memory keeps its rows


def test_predictions_and_explanations_stay(saved, noisy):
    clf, small, _ = saved
    X, y = noisy
    assert np.array_equal(small.predict_proba(X), clf.predict_proba(X))
    assert small.estimated_error_ == clf.estimated_error_ and small.n_rows_ == clf.n_rows_
    assert small.feature_importances_ == pytest.approx(clf.feature_importances_)
    told = small.explain(X.iloc[0])
    assert told.label == clf.explain(X.iloc[0]).label
    assert "%" in str(told) and "nan" not in str(told) + told.to_html()
    json.dumps(told.to_dict(), allow_nan=False)
    frame = small.atoms_frame()
    assert frame.loc[["strict", "weighted"][0:0]].empty and len(frame) == len(clf.atoms_frame())
    for to in ("python", "js", "c"):
        assert small.export(to)
    assert small.evaluate(X, y).error == clf.evaluate(X, y).error


def test_what_is_missing_is_said(saved, noisy):
    _, small, _ = saved
    for call in (lambda: small.definition(0), small.hardest, small.compact,
                 lambda: small.predict_set(noisy[0]), lambda: LiveTable(small)):  # fmt: skip
        with pytest.raises(RowsNotKept, match="saved without them"):
            call()
    assert "without training rows" in small._repr_html_() or small.learned_.card is not None


def test_pages(saved):
    _, small, _ = saved
    data = classifier_data(small)
    json.dumps(data, allow_nan=False)
    assert data["examples"] == [] and data["definitions"] == []
    assert "without training rows" in data["summary"]["without_rows"]


def test_saved_again_and_learning_goes_on(saved, noisy, tmp_path):
    clf, small, _ = saved
    small.save(tmp_path / "again.atoms")
    again = load(tmp_path / "again.atoms")
    assert again.sample_.is_withheld
    assert np.array_equal(again.feature_importances_, small.feature_importances_)
    if clf.learned_.card is None:
        X, y = noisy
        again.partial_fit(X, y)
        assert not again.sample_.is_withheld and again.definition(0) is not None


def test_on_the_command_line(typed, noisy, tmp_path):
    X, y = noisy
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    fit = ("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q", "--max-epochs", 2, "--no-rows")
    assert typed(*fit)[0] == 0
    assert load(tmp_path / "m.atoms").n_kept_rows == 0
    code, out, _ = typed("show", "m.atoms")
    assert code == 0 and "without training rows" in out
    assert typed("show", "m.atoms", "--html", "m.html")[0] == 0
    code, out, _ = typed("explain", "m.atoms", "t.csv", "--row", 3, "--html", "e.html")
    assert code == 0 and "nan" not in out
    assert typed("explore", "m.atoms")[0] == 0
    code, _, err = typed("explain", "m.atoms")
    assert code == 2 and "has no rows" in err
    assert isinstance(load(tmp_path / "m.atoms"), AlgebraicClassifier)
