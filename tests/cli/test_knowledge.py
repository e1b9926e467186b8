"""Commands about rules: check --all, --expand and --without, solve, implications, contexts."""

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def run(typed, tmp_path):
    """Run a command in a folder with the example files: exit code, stdout, stderr."""
    for path in EXAMPLES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return typed


def test_all_conflicts_and_repairs_of_a_policy(run):
    code, out, _ = run("check", "policy.rel", "--all")
    assert code == 1
    assert out.count("fails, because") == 1 and out.count("repair: withdraw") == 3
    assert "approve(ledger) < admin   (line 12)" in out
    told = json.loads(run("check", "policy.rel", "--all", "--json")[1])
    assert ["approve(ledger) < admin"] in told["repairs"]
    code, out, _ = run("check", "policy.rel", "--without", "approve(ledger) < admin")
    assert "resolved: write(ledger) approve(ledger) !< admin" in out
    assert "no longer follows: approve(ledger) < admin" in out
    told = json.loads(run("check", "policy.rel", "--without", "editor < admin", "--json")[1])
    assert told["without"]["lost"] == ["editor < admin"] and told["without"]["conflicts"]
    code, _, err = run("check", "policy.rel", "--without", "admin < editor")
    assert code == 2 and "is not a relation of the algebra" in err


def test_a_line_is_expanded(run):
    code, out, _ = run("check", "family.rel", "--expand")
    assert code == 0 and "5: ancestor(x, z) <" in out and "stands for 125 relations:" in out
    assert "... and 120 more; --line 5 prints all" in out
    out = run("check", "family.rel", "--expand", "--line", "5")[1]
    assert out.count("\n    ancestor") == 125 and "more; --line" not in out
    assert run("check", "family.rel", "--line", "5")[1] == out
    code, _, err = run("check", "family.rel", "--line", "400")
    assert code == 2 and "family.rel: line 400 has no relations" in err
    told = json.loads(run("check", "family.rel", "--expand", "--json")[1])
    assert [len(line["relations"]) for line in told["lines"]][:2] == [25, 125]


def test_errors_name_file_line_and_column(run, tmp_path):
    (tmp_path / "bad.rel").write_text("r = {a}\n\nf(x < S for x in r\n")
    code, _, err = run("check", "bad.rel")
    assert code == 2 and "bad.rel:3: column 9: ',' is missing before 'for'" in err


def test_files_are_solved(run):
    code, out, _ = run("solve", "queens.rel", "--seed", "0", "--quiet", "--svg", "q.svg")
    assert code == 0 and out.count("Q") == 8
    assert "4 5 1 3 2\n2 1 3 4 5" in run("solve", "sudoku.rel")[1]
    assert "grandmother(ann,cid)" in run("solve", "family.rel")[1]
    told = json.loads(run("solve", "colouring.rel", "--seed", "0", "--json")[1])
    assert len(told["solutions"][0]["chosen"]) == 7
    code, _, err = run("solve", "policy.rel")
    assert code == 2 and "below the constant S" in err


def test_implications_concepts_and_an_interview(run, tmp_path, monkeypatch):
    code, out, _ = run("implications", "water.cxt")
    assert code == 0 and out.startswith('10 implications\nalways "needs water"\n')
    short = json.loads(run("implications", "water.cxt", "--short", "--json")[1])["implications"]
    assert {"premise": ["suckles"], "conclusion": ["lives on land", "has limbs"]} in short
    run("implications", "water.cxt", "-o", "water.rel")
    assert run("query", "water.rel", '"can move" < suckles')[0] == 0
    assert "→" in run("implications", "water.rel")[1]
    run("learn", "water.rel", "-o", "water.atoms", "--seed", "0")
    assert "implication" in run("implications", "water.atoms")[1]
    assert run("concepts", "water.cxt")[1].startswith("19 concepts of 8 objects and 9 attributes\n")
    assert len(json.loads(run("concepts", "water.cxt", "--json")[1])["concepts"]) == 19
    (tmp_path / "birds.csv").write_text(",bird,flies\nhen,x,\n")
    answers = iter(["no", "bat", "flies"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert run("interview", "birds.csv", "-o", "more.csv")[:2] == (0, "0 implications\n")
    assert "bat,,X" in (tmp_path / "more.csv").read_text()


def test_paths_and_mazes(run, tmp_path):
    (tmp_path / "g.txt").write_text("a b\nb c\nc d\n")
    assert "d - c - b - a" in run("path", "g.txt", "--from", "d")[1]
    code, out, _ = run("path", "g.txt", "--from", "b")
    assert code == 1 and "there is no solution with b" in out
    (tmp_path / "m.txt").write_text("#####\n#S#E#\n# # #\n#   #\n#####\n")
    code, out, _ = run("maze", "m.txt", "--png", "m.png")
    assert code == 0 and "#.#.#\n#...#" in out and (tmp_path / "m.png").stat().st_size > 1000
