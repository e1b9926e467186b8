"""evaluate, compare, and what predict and fit have for costs, thresholds and keys."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from atomlearn import load
from tests.sound_html import Checker


@pytest.fixture
def run(typed, tmp_path):
    """Run a command in a folder with two tables of loans and a model of one."""
    rng = np.random.default_rng(0)
    for name, n in (("old.csv", 200), ("new.csv", 60)):
        X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["debt", "income"]).round(2)
        noise = rng.normal(size=n)
        X["risk"] = np.where(X["debt"] - X["income"] + noise > 0, "bad", "good")
        X.insert(0, "id", [f'00,"{i}' if i == 3 else f"00{i}" for i in range(n)])
        X.to_csv(tmp_path / name, index=False)
    fit = ("fit", "old.csv", "-t", "risk", "--drop", "id", "-q", "--max-epochs", 3)
    assert typed(*fit, "-o", "m.atoms")[0] == 0
    return typed


def test_evaluate(run, tmp_path):
    code, out, err = run("evaluate", "m.atoms", "new.csv", "--html", "e.html")
    assert (code, err) == (0, "") and "calibration error" in out and "log-loss" in out
    assert "written to e.html" in out
    Checker((tmp_path / "e.html").read_text())
    code, out, _ = run("evaluate", "m.atoms", "new.csv", "--json", "--cost", "bad->good=5")
    told = json.loads(out)
    assert told["costs"]["threshold"] == pytest.approx(5 / 6) and told["positive"] == "good"
    assert np.sum(told["confusion"]) == told["rows"] == 60
    (tmp_path / "c.csv").write_text("label,bad,good\nbad,0,5\ngood,1,0\n")
    _, same, _ = run("evaluate", "m.atoms", "new.csv", "--json", "--cost-table", "c.csv")
    assert json.loads(same) == told
    code, _, err = run("evaluate", "m.atoms", "new.csv", "--cost", "bad->god=5")
    assert code == 2 and "did you mean 'good'" in err
    code, _, err = run("evaluate", "m.atoms", "new.csv", "--cost", "x", "--cost-table", "c.csv")
    assert code == 2 and "exclude each other" in err
    code, _, err = run("evaluate", "m.atoms", "new.csv", "--threshold", 2)
    assert code == 2 and "at most 1" in err


def test_evaluate_needs_labels(run, tmp_path):
    table = pd.read_csv(tmp_path / "new.csv")
    table.rename(columns={"risk": "rsk"}).to_csv(tmp_path / "x.csv", index=False)
    code, _, err = run("evaluate", "m.atoms", "x.csv")
    assert code == 2 and "no column 'risk'" in err and "rsk" in err
    table.assign(risk="worse").to_csv(tmp_path / "y.csv", index=False)
    code, _, err = run("evaluate", "m.atoms", "y.csv")
    assert code == 2 and "row 0: 'worse' is none of the classes bad, good" in err


def test_predict_with_a_threshold_and_a_key(run, tmp_path):
    ask = ("predict", "m.atoms", "new.csv", "--proba", "--threshold", 0.3, "--pos-label", "bad")
    code, out, err = run(*ask, "--key", "id", "--key", "risk")
    assert (code, err) == (0, "")
    head, *lines = csv.reader(io.StringIO(out))
    assert head == ["id", "risk", "prediction", "p(bad)", "p(good)"] and len(lines) == 60
    assert lines[3][0] == '00,"3' and lines[5][0] == "005"
    for _, _, label, bad, _ in lines:
        if abs(float(bad) - 0.3) > 1e-6:
            assert (label == "bad") == (float(bad) > 0.3)
    assert {line[2] for line in lines} == {"bad", "good"}
    _, out, _ = run(*ask, "--key", "id", "--json")
    assert json.loads(out)["keys"]["id"] == [line[0] for line in lines]
    code, _, err = run("predict", "m.atoms", "new.csv", "--key", "idd")
    assert code == 2 and "'id'" in err
    code, _, err = run("predict", "m.atoms", "new.csv", "--key", "debt")
    assert code == 0 and "a column that the model uses" in err
    code, _, err = run("predict", "m.atoms", "new.csv", "--threshold", 0.3, "--pos-label", "bd")
    assert code == 2 and "not one of the classes" in err


def test_class_weights(run, tmp_path):
    fit = ("fit", "old.csv", "-t", "risk", "--drop", "id", "-q", "--max-epochs", 3, "-o")
    code, _, _ = run(*fit, "w.atoms", "--class-weight", "bad=9")
    assert code == 0 and load(tmp_path / "w.atoms").class_weight == {"bad": 9.0}
    found = [json.loads(run("evaluate", m, "new.csv", "--json")[1])["confusion"][0][0]
             for m in ("m.atoms", "w.atoms")]  # fmt: skip
    assert found[1] >= found[0]
    assert run(*fit, "b.atoms", "--class-weight", "balanced")[0] == 0
    code, _, err = run(*fit, "x.atoms", "--class-weight", "bda=9")
    assert code == 2 and "bda" in err and "bad" in err
    code, _, err = run(*fit, "x.atoms", "--class-weight", "bad")
    assert code == 2 and "label=5" in err


def test_compare(run, tmp_path):
    load(tmp_path / "m.atoms").compact(2).save(tmp_path / "c.atoms")
    code, out, err = run("compare", "m.atoms", "c.atoms", "new.csv")
    assert (code, err) == (0, "") and "McNemar" in out and "95 % interval" in out
    told = json.loads(run("compare", "m.atoms", "c.atoms", "new.csv", "--json")[1])
    assert told["first"]["n_rows"] == 60
    wrong = told["only_second_wrong"] - told["only_first_wrong"]
    assert told["error_difference"]["mean"] == pytest.approx(wrong / 60)
    told = json.loads(run("compare", "c.atoms", "c.atoms", "new.csv", "--json")[1])
    assert told["rows"] == [] and told["rules"]["common"] == 2
