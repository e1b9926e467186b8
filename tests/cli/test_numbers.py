"""A number as the target, on the command line."""

import csv
import importlib.util
import io
import json
import re
import sqlite3

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicRegressor, load
from tests.explorer.pages import data_of


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    n = 400
    size, zone = rng.uniform(20, 150, n).round(1), rng.choice(["north", "south"], n)
    price = (3 * size + 40 * (zone == "south") + rng.normal(0, 10, n)).round(1)
    return pd.DataFrame({"id": range(n), "size": size, "zone": zone, "price": price})


@pytest.fixture
def run(typed, tmp_path, table):
    table.to_csv(tmp_path / "homes.csv", index=False)
    return typed


FIT = ("fit", "homes.csv", "-t", "price", "--drop", "id", "-q", "--max-epochs", 8, "-o", "h.atoms")


def test_fit_chooses_by_the_target_and_says_so(run, tmp_path, table):
    code, out, err = run(*FIT)
    assert code == 0 and out.startswith("h.atoms: a regressor of price from 400 rows of 2 columns")
    assert "different numbers, so a number is predicted" in err and "make it text, or bin it" in err
    reg = load(tmp_path / "h.atoms")
    assert (
        isinstance(reg, AlgebraicRegressor)
        and reg.score(table[["size", "zone"]], table.price) > 0.8
    )
    told = json.loads(run(*FIT, "--json")[1])
    assert told["target"] == "price" and 0.8 < told["estimated_score"] < 1


def test_the_other_way_is_asked_for(run, tmp_path, table):
    whole = table.assign(price=table.price // 5)
    whole.to_csv(tmp_path / "homes.csv", index=False)
    n = whole.price.nunique()
    _, out, err = run(*FIT)
    assert "a regressor of price" in out and f"--max-classes {n}" in err
    code, out, err = run(*FIT[:-4], "--max-epochs", 1, "-o", "c.atoms", "--max-classes", n)
    assert code == 0 and f"{n} classes" in out and "regressor" not in err
    table.assign(rooms=(table["size"] // 40)).to_csv(tmp_path / "homes.csv", index=False)
    few = (
        "fit",
        "homes.csv",
        "-t",
        "rooms",
        "--drop",
        "id",
        "-q",
        "--max-epochs",
        3,
        "-o",
        "r.atoms",
    )
    code, out, err = run(*few)
    assert code == 0 and "classes from" in out and err == ""
    code, out, err = run(*few, "--regress")
    assert code == 0 and "a regressor of rooms" in out and err == ""
    for option in (("--max-classes", 5), ("--class-weight", "1=2")):
        code, _, err = run(*few, "--regress", *option)
        assert code == 2 and f"{option[0]} is for classes" in err


def test_a_text_is_no_number(run, tmp_path):
    code, _, err = run("fit", "homes.csv", "-t", "zone", "--regress", "-q", "-o", "z.atoms")
    assert code == 2 and "which is no number" in err and "row 0 of 'zone'" in err
    run(*FIT)
    text = (tmp_path / "homes.csv").read_text()
    (tmp_path / "much.csv").write_text(re.sub(r",[^,]*\n$", ",much\n", text))
    code, out, err = run("evaluate", "h.atoms", "much.csv")
    assert (code, out) == (2, "")
    assert "of 'price' in much.csv is 'much', which is no number" in err
    assert err.startswith("note: much.csv") and ".py" not in err  # a note, no warning of Python


def test_losses(run, tmp_path):
    assert run(*FIT, "--loss", "poisson")[0] == 0
    assert load(tmp_path / "h.atoms").loss == "poisson"
    assert run(*FIT, "--quantile", 0.9)[0] == 0
    reg = load(tmp_path / "h.atoms")
    assert (reg.loss, reg.quantile) == ("quantile", 0.9)
    code, _, err = run(*FIT, "--loss", "square")
    assert code == 2 and "squared" in err


def test_rules_and_audit(run, tmp_path):
    rules = ("--rule", "price rises with size", "--rule", "price <= 300 if zone = north")
    code, out, _ = run(*FIT, *rules)
    assert code == 0
    code, out, err = run("audit", "h.atoms", "homes.csv", "--html", "a.html")
    assert "feature names" not in err
    assert code == 0 and out.count("proved") >= 2 and (tmp_path / "a.html").exists()
    assert run("audit", "h.atoms", "homes.csv", "--costs")[0] == 2


def test_predict(run, tmp_path, table):
    run(*FIT)
    reg, X = load(tmp_path / "h.atoms"), table[["size", "zone"]]
    code, out, _ = run("predict", "h.atoms", "homes.csv", "--interval", 0.9, "--key", "id")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["id", "prediction", "low", "high"] and rows[3]["id"] == "3"
    assert [float(one["prediction"]) for one in rows] == pytest.approx(reg.predict(X))
    assert [float(one["low"]) for one in rows] == pytest.approx(reg.predict_interval(X)[:, 0])
    told = json.loads(run("predict", "h.atoms", "homes.csv", "--json", "--interval", 0.5)[1])
    assert len(told["predictions"]) == len(told["intervals"]) == len(X)
    for option in (("--proba",), ("--threshold", 0.3)):
        code, _, err = run("predict", "h.atoms", "homes.csv", *option)
        assert code == 2 and f"{option[0]} is for classes" in err


def test_explain_show_and_pages(run, tmp_path):
    run(*FIT)
    code, out, _ = run("explain", "h.atoms", "homes.csv", "--row", 3, "--html", "e.html")
    assert code == 0 and "price = " in out and "always" in out
    assert data_of(tmp_path / "e.html")["asked"]["about"] == "Row 3 of homes.csv"
    code, _, err = run("explain", "h.atoms")
    assert code == 2 and "name a table" in err
    code, out, _ = run("show", "h.atoms", "--html", "s.html")
    assert code == 0 and "a regressor of price" in out and "if size" in out
    assert data_of(tmp_path / "s.html")["kind"] == "number"
    assert json.loads(run("show", "h.atoms", "--json")[1])["kind"] == "regressor"
    assert run("explore", "h.atoms")[0] == 0 and data_of(tmp_path / "h.html")["kind"] == "number"
    run(*FIT, "--max-atoms", 4)
    code, out, _ = run("show", "h.atoms", "--html", "card.html")
    assert code == 0 and "Scorecard for price" in out
    assert "Scorecard for price" in (tmp_path / "card.html").read_text(encoding="utf-8")


def test_evaluate(run, tmp_path):
    run(*FIT)
    code, out, _ = run("evaluate", "h.atoms", "homes.csv", "--html", "e.html")
    assert code == 0 and "R²" in out and "inside the 90% interval" in out
    assert "Evaluation of predictions of price" in (tmp_path / "e.html").read_text(encoding="utf-8")
    told = json.loads(run("evaluate", "h.atoms", "homes.csv", "--json")[1])
    assert told["r2"] > 0.8 and 0.8 < told["covered"] <= 1 and len(told["groups"]) == 10


def test_export(run, table):
    run(*FIT)
    code, out, _ = run("export", "h.atoms", "--to", "sql", "--table", "homes", "--key", "id")
    assert code == 0
    base = sqlite3.connect(":memory:")
    table.to_sql("homes", base, index=False)
    assert len(base.execute(out).fetchall()) == len(table)
    if importlib.util.find_spec("onnx") is not None:
        code, out, _ = run("export", "h.atoms", "--to", "onnx", "--out", "m.onnx")
        assert code == 0 and out.startswith("m.onnx: ONNX")


def test_two_models_of_a_number(run, tmp_path):
    run(*FIT)
    run(*FIT[:-1], "small.atoms", "--max-atoms", "3")
    code, out, _ = run("compare", "h.atoms", "small.atoms", "homes.csv")
    assert code == 0 and "second less first: mean absolute error +" in out
    told = json.loads(run("compare", "small.atoms", "small.atoms", "homes.csv", "--json")[1])
    assert told["p_value"] == 1.0 and told["rows"] == [] and told["rules"]["common"] == 3
    assert run("show", "small.atoms", "--model-card", "m.md")[0] == 0
    assert "Scorecard for price: 3 rules" in (tmp_path / "m.md").read_text(encoding="utf-8")
    code, _, err = run("merge", "h.atoms", "h.atoms", "--out", "both.atoms")
    assert code == 2 and "neither a classifier nor a pool" in err


def test_batches_give_the_same_model(run, tmp_path):
    run(*FIT, "--rule", "price rises with size")
    code, out, _ = run(*FIT[:-1], "b.atoms", "--regress", "--batch-rows", 70,
                       "--rule", "price rises with size")  # fmt: skip
    assert code == 0 and "a regressor of price" in out
    whole, same = (load(tmp_path / name) for name in ("h.atoms", "b.atoms"))
    assert whole.rules_ == same.rules_ and same.target_name_ == "price"
    assert [str(one) for one in whole.encoder_.literals_] == list(map(str, same.encoder_.literals_))
    assert (whole.learned_.weighted.weights == same.learned_.weighted.weights).all()


def test_large_numbers_are_written_without_powers_of_ten(typed, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    cells = [f"{a:.4f},{3e6 + 1e6 * a + b:.2f}" for a, b in zip(x, 1e5 * x**2, strict=True)]
    (tmp_path / "homes.csv").write_text("\n".join(["size,price", *cells]))
    _, out, _ = typed("fit", "homes.csv", "-t", "price", "-o", "m.atoms", "--max-atoms", "5")
    assert "root mean squared error about " in out
    for command in ("evaluate m.atoms", "explain m.atoms", "compare m.atoms m.atoms"):
        out += typed(*command.split(), "homes.csv")[1]
    out += typed("show", "m.atoms")[1]
    assert "e+0" not in out
