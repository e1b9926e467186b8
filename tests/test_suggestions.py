"""Wherever a name is unknown, the nearest that is known is suggested."""

import numpy as np
import pandas as pd
import pytest

from atomlearn import Algebra, AlgebraicClassifier, AtomlearnError
from atomlearn.errors import InvalidProblem, nearest, suggest
from atomlearn.problems import colouring, hamiltonian, one_of_each, play, queens


@pytest.fixture(scope="module")
def flowers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["petal length", "petal width"])
    labels = np.where(frame["petal length"] > 0, "setosa", "virginica")
    return AlgebraicClassifier(random_state=0, max_epochs=5).fit(frame, labels), frame, labels


def test_the_nearest_or_the_first_few():
    many = [f"column {i}" for i in range(1000)]
    assert suggest("Column 77", many) == "; did you mean 'column 77'?"
    assert suggest("xyz", many).endswith("'column 9', ...")
    assert suggest("xyz", []) == ""
    assert nearest("xyz", many) == ""
    assert nearest("1", [0, 1, 2]) == "; did you mean 1?"
    assert nearest("a" * 1000, ["a" * 999]) == ""


def test_labels_and_columns(flowers):
    model, frame, labels = flowers
    other = np.where(labels == "setosa", "setosa", "virgin")
    rule = "setosa if petal lenght > 1"
    asked = [
        (lambda: model.definition("setsoa"), "'setosa'"),
        (lambda: model.pool("virginca"), "'virginica'"),
        (lambda: model.export("pyhton"), "'python'"),
        (lambda: model.partial_fit(frame, other), "'virginica'"),
        (lambda: AlgebraicClassifier(evidence="wieghted").fit(frame, labels), "'weighted'"),
        (lambda: AlgebraicClassifier(rules=[rule]).fit(frame, labels), "'petal length'"),
    ]
    for ask, meant in asked:
        with pytest.raises(AtomlearnError, match=rf"did you mean .*{meant}"):
            ask()


def test_constants():
    alg = Algebra(["red", "green", "c1"])
    alg.add(alg.relation("red < green"))
    model = alg.freest()
    for ask, text in [(alg.term, "c9"), (alg.relation, "c9 < red"), (model.relation, "c9 < red")]:
        with pytest.raises(AtomlearnError, match="did you mean 'c1'"):
            ask(text)


def test_choices_of_a_problem():
    houses = one_of_each([["norwegian1", "norwegian2"], ["red1", "red2"]])
    with pytest.raises(InvalidProblem, match="no choice 'norwegan1'; did you mean 'norwegian1'"):
        play(houses, given=["norwegan1"])
    with pytest.raises(InvalidProblem, match="no choice 'redd2'; did you mean 'red2'"):
        play(houses, given=[], assumed=iter(["redd2"]))
    with pytest.raises(InvalidProblem, match="no choice 'red3'; did you mean"):
        one_of_each([["red1", "red2"]], also={"red1": ["red3"]})
    with pytest.raises(InvalidProblem, match="a1 to d4; did you mean 'a4'"):
        queens.solve(4, ["a5"])
    with pytest.raises(InvalidProblem, match="no vertex 'Berlinn'; did you mean 'Berlin'"):
        hamiltonian.solve_path([("Berlin", "Bonn"), ("Bonn", "Ulm")], start="Berlinn")
    with pytest.raises(InvalidProblem, match="did you mean 'Bonn:1'"):
        colouring.solve([("Berlin", "Bonn")], 2, fixed={"Bon": 1})


def test_on_the_command_line(typed, tmp_path):
    columns = ",".join(f"c{i:02}" for i in range(40))
    rows = [",".join(str(i * j % 7) for j in range(40)) + f",{'xy'[i % 2]}\n" for i in range(40)]
    (tmp_path / "t.csv").write_text(f"{columns},target\n{''.join(rows)}")
    fit = ("fit", "t.csv", "-o", "m.aml", "-q", "--max-epochs", "2")
    _, _, err = typed(*fit, "--target", "tagret")
    assert err == "atomlearn: t.csv has no column 'tagret'; did you mean 'target'?\n"
    _, _, err = typed(*fit, "--target", "target", "--drop", "c393")
    assert "did you mean 'c39'?" in err
    _, _, err = typed(*fit, "--target", "target", "--evidence", "strikt")
    assert "did you mean 'strict'?" in err
    assert typed(*fit, "--target", "target")[0] == 0
    _, _, err = typed("show", "m.aml", "--of", "Y")
    assert "did you mean 'y'?" in err
    (tmp_path / "other.csv").write_text((tmp_path / "t.csv").read_text().replace("c07", "C07"))
    _, _, err = typed("predict", "m.aml", "other.csv")
    assert "has no column 'c07', which the model needs; did you mean 'C07'?" in err
    _, _, err = typed("reproduce", "quens", "--out", "r")
    assert "did you mean 'queens'?" in err
    _, _, err = typed("data", "minst")
    assert "did you mean 'mnist'?" in err
