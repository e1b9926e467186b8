"""The commands for formal problems as a user types them."""

import json
import sys

import pytest


@pytest.fixture
def run(typed):
    """Run a command in an empty folder: exit code, stdout, stderr."""
    return typed


PAPER = ("queens", "--size", "8", "--queen", "b4", "--queen", "d5", "--seed", "0")


def test_queens_shows_boards_by_epoch(run):
    code, out, _ = run(*PAPER)
    assert code == 0
    assert "epoch 1" in out and "epoch 8 idle" in out and "solution, epoch" in out
    assert "?" in out and "♛" in out


@pytest.mark.slow
def test_queens_as_json_and_drawn(run, tmp_path):
    code, out, _ = run(*PAPER, "--json", "--svg", "o.svg", "--png", "o.png", "--atoms", "a.png")
    told = json.loads(out)
    assert code == 0
    assert {"b4", "d5"} <= set(told["solutions"][0]["queens"])
    assert told["solutions"][0]["epoch"] == told["epochs"]
    assert (tmp_path / "o.svg").read_text().startswith("<?xml")
    assert (
        (tmp_path / "o.png").read_bytes()[1:4] == (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    )


def test_attacking_queens(run):
    code, out, err = run("queens", "--queen", "b4", "--queen", "b7")
    assert (code, out) == (1, "")
    assert "b4, b7 contradict the rules" in err and "Qb4 Qb7 < S" in err


def test_no_completion(run):
    code, out, _ = run("queens", "--size", "3", "--max-epochs", "5", "--svg", "q.svg")
    assert code == 1
    assert out == (
        "\nthere is no solution, whatever is given: the rules alone exclude it "
        "(shown by closure, without learning).\n"
    )
    told = json.loads(run("queens", "--size", "4", "--queen", "a1", "--json")[1])
    assert (told["unsolvable"], told["clashing"], told["epochs"]) == (True, ["a1"], 0)


def test_where_nothing_is_known_that_is_said(run, tmp_path):
    petersen = ["01", "12", "23", "34", "40", "05", "16", "27", "38", "49", "57", "79", "96"]
    edges = [*petersen, "68", "85"]
    (tmp_path / "petersen.txt").write_text("\n".join(" ".join(edge) for edge in edges))
    code, out, _ = run("hamiltonian", "petersen.txt", "--max-epochs", "3", "--quiet", "--seed", "0")
    assert code == 1
    assert "no solution found in 3 epochs" in out and "Whether there is one is not known" in out
    told = json.loads(run("hamiltonian", "petersen.txt", "--max-epochs", "3", "--json")[1])
    assert told["unsolvable"] is False and told["clashing"] is None


def test_a_triangle_with_two_colours(run, tmp_path):
    (tmp_path / "t.txt").write_text("a b\nb c\nc a\n")
    code, out, _ = run("colouring", "t.txt", "-k", "2")
    assert code == 1 and "there is no solution, whatever is given" in out


def test_of_thirty_givens_the_two_that_clash_are_named(run, tmp_path):
    rows = (
        "535.7.... 6..195... .98....6. 8...6...3 4..8.3..1 7...2...6 .6....28. ...419..5 ....8..79"
    )
    (tmp_path / "s.txt").write_text("\n".join(rows.split()))
    code, out, err = run("sudoku", "s.txt")
    assert (code, out) == (1, "")
    assert err.startswith("atomlearn: there is no solution: r1c1=5, r1c3=5 contradict the rules.")
    assert "\n  r1c1=5 r1c3=5 < S\n" in err


@pytest.mark.parametrize(
    "arguments", [("--queen", "z9"), ("--size", "99"), ("--insert", "often"), ("--size", "x")]
)
def test_wrong_questions(run, arguments):
    assert run("queens", *arguments)[0] == 2


def test_without_matplotlib(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, _, err = run(*PAPER, "--quiet", "--png", "o.png")
    assert code == 2
    assert "pip install 'atomlearn[plot]'" in err


def test_sudoku(run, tmp_path):
    (tmp_path / "p.txt").write_text("1. | ..\n.. | 3.\n---+---\n.4 | ..\n.. | .2\n")
    code, out, _ = run("sudoku", "p.txt", "--seed", "0", "--png", "p.png")
    assert code == 0
    assert "1 3 2 4" in out
    assert json.loads(run("sudoku", "p.txt", "--json")[1])["solutions"][0]["rows"][0] == [
        1,
        3,
        2,
        4,
    ]
    (tmp_path / "p.txt").write_text("11..............")
    assert run("sudoku", "p.txt")[0] == 1
    (tmp_path / "p.txt").write_text("hello")
    assert run("sudoku", "p.txt")[0] == 2
    (tmp_path / "p.txt").write_bytes(b"\xff\xfe\xff")
    assert run("sudoku", "p.txt")[0] == 2
    assert run("sudoku", "none.txt")[0] == 2


def test_graphs(run, tmp_path):
    (tmp_path / "g.txt").write_text("a b\nb c\nc d\nd a\na c\n")
    code, out, _ = run("hamiltonian", "g.txt", "--seed", "0", "--svg", "h.svg")
    assert code == 0
    assert "a - b - c - d - a" in out or "a - d - c - b - a" in out
    code, out, _ = run("colouring", "g.txt", "-k", "3", "--seed", "0", "--svg", "c.svg")
    assert "each stands for 6 that differ in the names of the colours (" in out
    told = json.loads(run("colouring", "g.txt", "-k", "3", "--seed", "0", "--json")[1])
    assert told["renamings"] == 6
    assert code == 0 and "solution" in out
    assert run("colouring", "g.txt", "-k", "2", "--max-epochs", "15", "--quiet")[0] == 1


def test_without_an_epoch_there_are_no_atoms_to_draw(run, tmp_path):
    code, _, err = run("queens", "--size", "3", "--atoms", "a.png")
    assert code == 1
    assert "no atoms to draw to a.png" in err and not (tmp_path / "a.png").exists()
