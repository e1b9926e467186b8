"""A file that cannot be written is complained of before anything is learned."""

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier


@pytest.fixture
def files(tmp_path):
    """What commands take."""
    (tmp_path / "t.csv").write_text("a,b,y\n" + "0,1,x\n1,0,z\n1,1,x\n" * 5)
    (tmp_path / "bars.rel").write_text("v < c1 c2\nv !< c1\n")
    (tmp_path / "in.the.way").write_text("")
    rows, labels = np.array([[0, 1], [1, 0], [1, 1]]), ["x", "z", "x"]
    AlgebraicClassifier(random_state=0, max_epochs=2).fit(rows, labels).save(tmp_path / "m.atoms")


@pytest.mark.parametrize(
    "command",
    [
        "fit t.csv -t y -o no/m.atoms",
        "fit t.csv -t y --batch-rows 5 --out no/m.atoms",
        "learn bars.rel -o no/m.atoms",
        "predict m.atoms t.csv -o no/m.atoms",
        "merge m.atoms m.atoms -o no/m.atoms",
        "queens --size 5 --svg no/m.atoms",
        "queens --size 5 --png no/m.atoms",
        "queens --size 5 --atoms no/m.atoms",
        "show m.atoms --html in.the.way/no/m.atoms",
        "explain m.atoms --html in.the.way/no/m.atoms",
        "reproduce toy --quick --out in.the.way",
    ],
)
def test_before_learning(typed, files, tmp_path, monkeypatch, command):
    def reached(*arguments, **named):
        raise AssertionError("learned, or read what to learn from")

    for what in (
        "atomlearn.tables.files.read_table",
        "atomlearn.tables.batches.read_batches",
        "atomlearn.algebra.algebra.Algebra.read",
        "atomlearn.problems.queens.solve",
        "atomlearn.cli.tables.load",
        "atomlearn.cli.models.load",
        "atomlearn.cli.sharing.load",
        "atomlearn_paper.run.reproduce_all",
    ):
        monkeypatch.setattr(what, reached)
    code, out, err = typed(*command.split())
    assert (code, out) == (2, "")
    assert ("no/m.atoms: No such file" in err) or ("in.the.way" in err)
    assert ".new" not in err


def test_predictions_replace_a_file_or_go_to_a_device(typed, files, tmp_path):
    assert typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q")[0] == 0
    assert typed("predict", "m.atoms", "t.csv", "-o", "p.csv")[0] == 0
    assert (tmp_path / "p.csv").read_text().startswith("prediction\nx\nz\n")
    assert typed("predict", "m.atoms", "t.csv", "-o", "/dev/null")[0] == 0
