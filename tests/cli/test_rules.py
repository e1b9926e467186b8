"""Rules on the command line."""

import json

import pytest


@pytest.fixture
def table(tmp_path):
    lines = [f"{age},{income},{'yes' if income > 20 else 'no'}" for age in range(15, 45)
             for income in (0, 10, 30, 50)]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(["age,income,credit", *lines]))
    return ["fit", "t.csv", "-t", "credit", "-o", "m.atoms", "-q", "--max-epochs", "5"]


def test_rules_are_learned_with_and_shown(typed, table, tmp_path):
    (tmp_path / "rules.txt").write_text("# the law\nno if age < 18  # minors\n")
    code, out, _ = typed(*table, "--rule", "not yes if income = 0", "--rules", "rules.txt")
    assert code == 0 and "2 statements, 6 rows left out because a rule contradicts the label" in out
    assert "6 rows labelled yes contradict 'no if age < 18'" in out
    _, shown, _ = typed("show", "m.atoms")
    assert "rule: not yes if income = 0\nrule: no if age < 18\n" in shown
    assert json.loads(typed("show", "m.atoms", "--json")[1])["rules"] == [
        "not yes if income = 0",
        "no if age < 18",
    ]
    (tmp_path / "new.csv").write_text("age,income\n16,50\n40,50\n")
    assert typed("predict", "m.atoms", "new.csv")[1].split() == ["prediction", "no", "yes"]


def test_the_same_in_batches(typed, table):
    code, out, _ = typed(*table, "--rule", "no if age < 18", "--batch-rows", "60")
    assert code == 0 and "1 statement, 6 rows left out" in out


def test_errors_name_line_and_column(typed, table, tmp_path):
    (tmp_path / "rules.txt").write_text("no if age < 18\n\nno if agee < 18\n")
    code, _, err = typed(*table, "--rules", "rules.txt")
    assert code != 0 and "rules.txt:3: there is no column 'agee'; did you mean 'age'?" in err
    code, _, err = typed(*table, "--rule", "no if age < 18", "--rule", "yes if age < 16")
    assert code != 0 and "contradict each other for rows that meet both" in err
    assert not (tmp_path / "m.atoms").exists()


def test_an_audit_proves_counts_and_makes_a_page(typed, table, tmp_path):
    told = ("--rule", "no if age < 18", "--rule", "yes rises with income", "--max-atoms", "4")
    assert typed(*table, *told)[0] == 0
    code, out, _ = typed("audit", "m.atoms", "t.csv", "--html", "audit.html")
    assert code == 0 and "yes rises with income: proved" in out
    assert "12 rows decided, 0 violations" in out and "the labels of 6 rows contradict it" in out
    assert "SHA-256" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    found = json.loads(typed("audit", "m.atoms", "--json")[1])
    assert found["holds"] and [one["verdict"] for one in found["statements"]] == ["proved"] * 2
    assert found["statements"][0]["rows"] is None
    code, _, err = typed("audit", "m.atoms", "--costs")
    assert code == 2 and "needs the training table" in err
    assert "without it" in typed("audit", "m.atoms", "t.csv", "--costs")[1]
