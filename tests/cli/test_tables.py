"""fit, predict, explain and show as a user types them, on CSV and Parquet."""

import csv
import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier, load
from atomlearn.errors import MissingExtra
from atomlearn.tables import files as tables
from tests.explorer.pages import data_of


@pytest.fixture
def run(typed, tmp_path):
    """Run a command in a folder with ``flowers.csv``: exit code, stdout, stderr."""
    write(tmp_path / "flowers.csv", flowers())
    return typed


def flowers():
    """Petals tell the species; one length is missing, a code looks like a number and is none."""
    rng = np.random.default_rng(0)
    lines = [["petal length", "colour", "code", "wild", "species"]]
    for i in range(60):
        species = ["rose", "lily"][i % 2]
        length = f"{rng.normal(2 if i % 2 else 5, 0.5):.2f}" if i != 7 else ""
        code = ["007", "7", "x1"][i % 3]
        colour = rng.choice(["red", "white"])
        lines.append([length, colour, code, "true" if i % 5 else "false", species])
    return lines


def write(path, lines, separator=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows(lines)


@pytest.fixture
def model(run):
    code, out, err = run("fit", "flowers.csv", "--target", "species", "-o", "f.atoms", "-q")
    assert (code, err) == (0, "")
    assert out.startswith("f.atoms: 2 classes from 60 rows of 4 columns, ")
    return "f.atoms"


def test_fit_shows_progress_on_stderr(run):
    code, out, err = run("fit", "flowers.csv", "-t", "species", "-o", "f.atoms", "--max-epochs", 3)
    assert code == 0 and "error about" in out
    assert err.startswith("learning: round 1 of at most 1")


def test_fit_as_json_and_the_seed(run):
    arguments = ("fit", "flowers.csv", "--target", "species", "--json", "-q", "-o")
    _, out, _ = run(*arguments, "a.atoms")
    told = json.loads(out)
    assert told["classes"] == ["lily", "rose"] and told["rows"] == 60
    run(*arguments, "b.atoms")
    assert load("a.atoms").sample_.rows.tolist() == load("b.atoms").sample_.rows.tolist()
    assert load("a.atoms").learned_.typical.tolist() == load("b.atoms").learned_.typical.tolist()


def test_columns_are_read_as_what_they_are(run, model):
    literals = load(model).encoder_.get_feature_names_out().tolist()
    assert {"colour = red", "code = 007", "code = 7", "wild = True"} <= set(literals)
    assert "petal length is missing" in literals


def test_predict(run, model, tmp_path):
    code, out, err = run("predict", model, "flowers.csv")
    lines = out.splitlines()
    assert (code, err, lines[0]) == (0, "", "prediction")
    table = pd.read_csv(tmp_path / "flowers.csv", dtype={"code": str}).drop(columns="species")
    assert lines[1:] == load(model).predict(table).tolist()
    _, out, _ = run("predict", model, "flowers.csv", "--proba")
    assert out.splitlines()[0] == "prediction,p(lily),p(rose)"
    _, out, _ = run("predict", model, "flowers.csv", "--json", "--proba")
    told = json.loads(out)
    assert told["predictions"] == lines[1:] and len(told["probabilities"][0]) == 2
    _, out, _ = run("predict", model, "flowers.csv", "-o", "out.csv")
    assert out == "" and (tmp_path / "out.csv").read_text().splitlines() == lines


def test_columns_in_any_order_and_text_that_looks_like_numbers(run, model, tmp_path):
    new = [["code", "wild", "petal length", "colour"], ["7", "TRUE", "2.1", "red"]]
    write(tmp_path / "new.csv", new, separator=";")
    assert run("predict", model, "new.csv") == (0, "prediction\nlily\n", "")


def test_explain(run, model):
    code, out, _ = run("explain", model, "--row", 3)
    assert code == 0 and "petal length" in out
    code, again, _ = run("explain", model, "flowers.csv", "--row", 3)
    assert again == out  # the first rows are kept with the model
    _, out, _ = run("explain", model, "--row", 3, "--max-atoms", 1, "--json")
    told = json.loads(out)
    assert told["row"] == 3 and all(len(one["missed"]) <= 1 for one in told["classes"])


def test_explain_rows_that_are_not_there(run, model):
    code, _, err = run("explain", model, "--row", 60)
    assert code == 2 and "keeps the first 60 rows" in err
    code, _, err = run("explain", model, "flowers.csv", "--row", 99)
    assert code == 2 and "has 60 rows (row 0 to 59), no row 99" in err
    X, y = [[0.0], [1.0]] * 4, ["a", "b"] * 4
    AlgebraicClassifier(random_state=0, max_epochs=1).fit(X, y).save("bare.atoms")
    code, _, err = run("explain", "bare.atoms", "--row", 1)
    assert code == 2 and "name a table" in err


def test_show(run, model):
    code, out, _ = run("show", model)
    assert code == 0 and "2 classes, 4 columns" in out and "rose if" in out and "lily if" in out
    _, out, _ = run("show", model, "--of", "rose", "--json")
    told = json.loads(out)
    assert told["kind"] == "classifier" and len(told["definitions"]) == 1
    assert "petal length" in told["columns"]
    code, out, _ = run("show", model, "--short")
    assert code == 0 and out.count("  short form: ") == 2
    code, _, err = run("show", model, "--of", "daisy")
    assert code == 2 and "'daisy' is not one of the classes; there are 'lily', 'rose'" in err


def test_pages(run, model, tmp_path):
    code, out, _ = run("show", model, "--html", "out/model.html")
    assert code == 0 and "written to out/model.html" in out
    page = data_of(tmp_path / "out" / "model.html")
    assert [one["label"] for one in page["definitions"]] == ["lily", "rose"]
    assert "def is_lily(row):" in page["definitions"][0]["python"]
    hardest = [one["probability"] for one in page["examples"][:24]]
    assert hardest == sorted(hardest) and page["confusion"] and page["calibration"]
    assert sum(page["importances"]) == pytest.approx(1, abs=1e-4) and page["asked"] is None
    code, _, _ = run("show", model, "--of", "rose", "--html", "rose.html")
    assert [one["label"] for one in data_of(tmp_path / "rose.html")["definitions"]] == ["rose"]


def test_pages_of_a_row(run, model, tmp_path):
    code, out, _ = run("explain", model, "--row", 3, "--html", "row.html")
    assert code == 0 and out.endswith("written to row.html\n")
    asked = data_of(tmp_path / "row.html")["asked"]
    assert asked["about"] == "Row 3 of f.atoms" and asked["row"][1:] == kept(flowers()[4])
    code, _, _ = run("explain", model, "flowers.csv", "--row", 3, "--html", "row.html")
    asked = data_of(tmp_path / "row.html")["asked"]
    assert asked["about"] == "Row 3 of flowers.csv"
    assert asked["row"] == [float(flowers()[4][0]), *kept(flowers()[4])]


def kept(line):
    """What a page shows of the colour, the code and whether it is wild."""
    return [line[1], line[2], int(line[3] == "true")]


def test_pages_of_images_have_pictures(run, tmp_path):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 2, size=(80, 4))
    lines = [["a", "b", "c", "d", "bar"]]
    for image in images:
        has_bar = image.reshape(2, 2).all(axis=0).any()
        lines.append([*image, "yes" if has_bar else "no"])
    write(tmp_path / "bars.csv", lines)
    code, _, _ = run("fit", "bars.csv", "-t", "bar", "-o", "b.atoms", "-q", "--image-shape", "2x2")
    assert code == 0
    code, out, _ = run("show", "b.atoms", "--html", "b.html")
    assert code == 0 and "yes if some column with all rows black" in out
    page = data_of(tmp_path / "b.html")
    assert page["kind"] == "image" and len(page["definitions"]) == 2
    for one in page["definitions"]:
        assert one["drawn"]["shape"] == [2, 2]
        assert len(one["drawn"]["clauses"]) == len(one["clauses"])
    code, out, _ = run("explain", "b.atoms", "bars.csv", "--row", 7, "--html", "b.html")
    assert data_of(tmp_path / "b.html")["asked"]["row"] == images[7].tolist()
    for shape, says in (("2", "height x width"), ("3x3", "needs 9 columns, and there are 4")):
        code, _, err = run("fit", "bars.csv", "-t", "bar", "-o", "x.atoms", "--image-shape", shape)
        assert code == 2 and says in err


def test_commands_for_other_models(run, model, tmp_path):
    code, _, err = run("query", model, "a < b")
    assert code == 2 and "holds an AlgebraicClassifier, not a model of relations" in err
    (tmp_path / "r.rel").write_text("v < a b\nv !< a\n")
    run("learn", "r.rel", "-o", "r.atoms")
    code, _, err = run("predict", "r.atoms", "flowers.csv")
    assert code == 2 and "not a classifier" in err


def test_parquet(run, model, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(tmp_path / "flowers.csv", dtype={"code": str})
    frame.to_parquet(tmp_path / "flowers.parquet")
    code, out, _ = run("predict", model, "flowers.parquet")
    assert (code, out) == run("predict", model, "flowers.csv")[:2]
    code, out, _ = run("fit", "flowers.parquet", "-t", "species", "-o", "p.atoms", "-q")
    assert code == 0 and out.startswith("p.atoms: 2 classes from 60 rows")
    (tmp_path / "bad.parquet").write_bytes(b"not at all")
    code, _, err = run("predict", model, "bad.parquet")
    assert code == 2 and "bad.parquet is not a Parquet file" in err


def test_parquet_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install .atomlearn\[tables\]."):
        tables.read_table(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "bad.csv has no header line"),
        (b"a,species\n", "bad.csv has column names but no rows"),
        (b"a,a,species\n1,2,x\n", "more than one column 'a'"),
        (b"a,species\n1,x,3\n", "bad.csv:2: 3 cells, but the header names 2 columns"),
        (b"a,species\n\xff,x\n", "bad.csv is not UTF-8"),
        (b"a,b\n1,2\n", "bad.csv has no column 'species'; there are 'a', 'b'"),
        (b"species\nx\n", "no column besides"),
        (b"a,species\n1,x\n2,\n", "row 1 has no 'species' (1 such)"),
        (b"a,species\ninf,x\n2,y\n", "infinity"),
    ],
)
def test_tables_that_cannot_be_learned_from(run, tmp_path, content, says):
    (tmp_path / "bad.csv").write_bytes(content)
    code, out, err = run("fit", "bad.csv", "--target", "species", "-o", "bad.atoms", "-q")
    assert (code, out) == (2, "") and says in err
    assert not (tmp_path / "bad.atoms").exists()


def test_tables_that_do_not_fit_the_model(run, model, tmp_path):
    write(tmp_path / "new.csv", [["petal length", "code"], ["2", "7"]])
    code, _, err = run("predict", model, "new.csv")
    assert code == 2 and "new.csv has no columns 'colour', 'wild', which the model needs" in err
    header = ["petal length", "colour", "code", "wild"]
    write(tmp_path / "new.csv", [header, ["2", "red", "7", "true"], ["long", "red", "7", "true"]])
    code, _, err = run("predict", model, "new.csv")
    assert code == 2 and "new.csv: row 1: column 'petal length'" in err and "'long'" in err
    code, _, err = run("predict", model, "missing.csv")
    assert code == 2 and "missing.csv: No such file" in err
    code, _, err = run("fit", "flowers.csv", "-t", "species", "--drop", "x", "-o", "y", "-q")
    assert code == 2 and "no column 'x'" in err


def test_conflicts_and_notes_are_told(run, tmp_path):
    lines = [["id", "a", "y"], *([f"u{i}", "1", "xy"[i % 2]] for i in range(400))]
    write(tmp_path / "t.csv", lines)
    code, out, err = run("fit", "t.csv", "-t", "y", "-o", "t.atoms", "-q", "--max-epochs", 2)
    assert code == 0 and "look the same but are labelled x, y" in out
    assert "note: column 'id' has 400 different values" in err


def test_integer_and_truth_value_labels(run, tmp_path):
    write(tmp_path / "t.csv", [["a", "y"], *([str(i), str(i % 2)] for i in range(6))])
    run("fit", "t.csv", "-t", "y", "-o", "t.atoms", "-q")
    assert load("t.atoms").classes_.tolist() == [0, 1]
    write(tmp_path / "t.csv", [["a", "y"], *([str(i), str(i > 2)] for i in range(6))])
    run("fit", "t.csv", "-t", "y", "-o", "t.atoms", "-q")
    assert load("t.atoms").classes_.tolist() == [False, True]


@pytest.mark.parametrize("name", ["flowers.csv", "flowers.parquet"])
def test_a_table_read_in_batches(run, name, tmp_path):
    import pandas as pd

    frame = pd.read_csv(tmp_path / "flowers.csv", dtype={"code": str})
    frame.to_parquet(tmp_path / "flowers.parquet", index=False)
    options = ["-t", "species", "-o", "f.atoms", "-q", "--batch-rows", 20, "--drop", "code"]
    code, out, err = run("fit", name, *options)
    assert (code, err) == (0, "") and "2 classes from" in out and "of 3 columns" in out
    code, out, _ = run("predict", "f.atoms", name)
    assert code == 0 and out.count("rose") + out.count("lily") == 60
    assert run("explain", "f.atoms", "--row", 3)[0] == 0
    code, _, err = run("fit", name, *options, "--drop", "scent")
    assert code == 2 and "no column 'scent'" in err
    code, _, err = run("fit", name, "-t", "genus", "-o", "g.atoms", "--batch-rows", 20)
    assert code == 2 and "no column 'genus'" in err


def test_max_cuts_is_kept_in_the_file(run, tmp_path):
    run("fit", "flowers.csv", "-t", "species", "-o", "f.atoms", "-q", "--max-cuts", 2)
    with zipfile.ZipFile(tmp_path / "f.atoms") as file:
        told = json.loads(file.read("model.json"))
    assert told["params"]["max_cuts"] == 2
    (cuts,) = [one["cuts"] for one in told["columns"] if one["name"] == "petal length"]
    assert 1 <= len(cuts) <= 2
    code, _, err = run("fit", "flowers.csv", "-t", "species", "-o", "g.atoms", "--max-cuts", 0)
    assert code == 2 and "--max-cuts" in err


@pytest.mark.parametrize("kind", ["strict", "weighted"])
def test_what_decides_is_chosen_and_told(run, kind):
    fitted = ("fit", "flowers.csv", "-t", "species", "-o", "f.atoms", "-q", "--max-epochs", 5)
    code, out, _ = run(*fitted, "--evidence", kind)
    assert code == 0 and f"({kind})" in out
    code, out, _ = run("show", "f.atoms")
    assert code == 0 and f"({kind})" in out
    assert ("  a summary: " in out) == (kind == "weighted")
    assert json.loads(run("show", "f.atoms", "--json")[1])["evidence"]["chosen"] == kind
    code, out, _ = run("explain", "f.atoms")
    assert code == 0 and ("log-odds" in out) == (kind == "weighted")
    assert ("median of other classes" in out) == (kind == "strict")


def test_evidence_that_there_is_not(run):
    code, _, err = run("fit", "flowers.csv", "-t", "species", "-o", "f.atoms", "--evidence", "x")
    assert code == 2 and "auto, strict, weighted" in err
