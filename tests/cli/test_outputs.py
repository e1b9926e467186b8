"""A file that cannot be written is complained of before anything is learned."""

import pytest


@pytest.fixture
def files(tmp_path):
    """A table, and a file where a folder would have to be."""
    (tmp_path / "t.csv").write_text("a,b,y\n" + "0,1,x\n1,0,z\n1,1,x\n" * 5)
    (tmp_path / "in.the.way").write_text("")


@pytest.mark.parametrize(
    "command",
    [
        "fit none.csv -t y -o no/m.atoms",
        "fit none.csv -t y --batch-rows 5 --out no/m.atoms",
        "learn none.rel -o no/m.atoms",
        "predict none.atoms none.csv -o no/m.atoms",
        "export none.atoms --to c -o no/m.atoms",
        "merge none.atoms none.atoms -o no/m.atoms",
        "queens --queen nowhere --svg no/m.atoms",
        "queens --queen nowhere --png no/m.atoms",
        "queens --queen nowhere --atoms no/m.atoms",
        "sudoku none.txt --svg no/m.atoms",
        "show none.atoms --html in.the.way/no/m.atoms",
        "explain none.atoms --html in.the.way/no/m.atoms",
        "explore none.atoms --out in.the.way/no/m.atoms",
        "reproduce toy --quick --out in.the.way",
    ],
)
def test_before_anything_is_read(typed, files, command):
    """What is to be read is not there either, which would be the error of a later check."""
    code, out, err = typed(*command.split())
    assert (code, out) == (2, "")
    assert ("no/m.atoms: No such file" in err) or ("in.the.way" in err)
    assert ".new" not in err and "none" not in err and "nowhere" not in err


def test_predictions_replace_a_file_or_go_to_a_device(typed, files, tmp_path):
    assert typed("fit", "t.csv", "-t", "y", "-o", "m.atoms", "-q")[0] == 0
    assert typed("predict", "m.atoms", "t.csv", "-o", "p.csv")[0] == 0
    assert (tmp_path / "p.csv").read_text().startswith("prediction\nx\nz\n")
    assert typed("predict", "m.atoms", "t.csv", "-o", "/dev/null")[0] == 0


@pytest.mark.parametrize(
    "command",
    [
        "fit t.csv -t y -o t.csv",
        "fit -o ./t.csv -t y t.csv",
        "fit t.csv -t y --batch-rows 5 -o t.csv",
        "predict none.atoms t.csv -o t.csv",
        "explain none.atoms t.csv --html t.csv",
        "audit none.atoms t.csv --html t.csv",
        "learn t.csv -o t.csv",
        "export t.csv --to c -o t.csv",
    ],
)
def test_what_is_read_is_not_written_over(typed, files, command, tmp_path):
    before = (tmp_path / "t.csv").read_text()
    code, _, err = typed(*command.split())
    assert code == 2 and "t.csv would be overwritten, and it is read" in err
    assert (tmp_path / "t.csv").read_text() == before


def test_a_device_keeps_no_model(typed, files):
    code, _, err = typed("fit", "none.csv", "-t", "y", "-o", "/dev/null")
    assert code == 2 and "/dev/null is not a file that can be replaced" in err
