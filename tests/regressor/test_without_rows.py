"""A regressor that is saved without training rows predicts, explains, and has its intervals."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from atomlearn import AlgebraicRegressor, load
from atomlearn.errors import RowsNotKept
from atomlearn.explorer.numbers import number_data


@pytest.fixture(scope="module", params=["full", "card", "poisson"])
def saved(request, tmp_path_factory):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    loss = "poisson" if request.param == "poisson" else "squared"
    rules = ["target >= 25", "target <= 100 if bmi < -0.05"]
    reg = AlgebraicRegressor(random_state=0, loss=loss, rules=rules, max_epochs=10).fit(X, y)
    reg = reg.compact(5) if request.param == "card" else reg
    path = tmp_path_factory.mktemp("model") / "m.atoms"
    reg.save(path, rows=False)
    return reg, load(path), path, X, y


def test_the_file_has_no_row_and_says_so(saved):
    reg, _, path, _, _ = saved
    with zipfile.ZipFile(path) as archive:
        info = json.loads(archive.read("manifest.json"))["info"]
        state = json.loads(archive.read("model.json"))
        names = archive.namelist()
        sampled = archive.read("sample_rows.npy")
        with archive.open("judged.npy") as file:
            judged = np.lib.format.read_array(file)
    assert info["training_rows"].startswith("none")
    assert not [name for name in names if name.startswith("teacher")]
    assert len(sampled) <= 128  # the header of an empty array
    assert state["rule_conflicts"] == [] and len(reg.rule_conflicts_) > 0
    ratios, predictions, spread, _ = judged
    assert (np.diff(ratios) >= 0).all() and not predictions.any() and (spread == 1).all()
    assert len(reg.sample_.rows) and len(reg.rule_conflicts_)  # in memory all stays


def test_predictions_intervals_and_explanations_stay(saved):
    reg, small, _, X, y = saved
    assert np.array_equal(small.predict(X), reg.predict(X))
    for coverage in (0.5, 0.9):
        same = reg.predict_interval(X, coverage)
        assert small.predict_interval(X, coverage) == pytest.approx(same, rel=1e-9)
    assert (small.estimated_error_, small.estimated_score_) == (
        reg.estimated_error_, reg.estimated_score_
    )  # fmt: skip
    assert small.feature_importances_ == pytest.approx(reg.feature_importances_)
    assert small.explain(X.iloc[0]).to_dict() == reg.explain(X.iloc[0]).to_dict()
    for to in ("python", "js", "c", "sql"):
        assert small.export(to) == reg.export(to)
    assert small.evaluate(X, y).r2 == reg.evaluate(X, y).r2
    data = number_data(small)
    json.dumps(data, allow_nan=False)
    assert data["examples"] == []
    if reg.learned_.card is not None:
        assert "nan" not in str(small.scorecard()) and small.scorecard() is not None


def test_what_is_missing_is_said(saved):
    _, small, _, _, _ = saved
    with pytest.raises(RowsNotKept, match="saved without them"):
        small.compact(3)


def test_saved_again(saved, tmp_path):
    reg, small, _, X, _ = saved
    small.save(tmp_path / "again.atoms")
    again = load(tmp_path / "again.atoms")
    assert np.array_equal(again.predict_interval(X), small.predict_interval(X))
    assert again.estimated_score_ == reg.estimated_score_
