import sqlite3

import pytest

from atomlearn import Algebra, AlgebraicClassifier


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clf = AlgebraicClassifier(random_state=0, max_epochs=2)
    clf.fit([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]], ["a", "a", "b", "b"])
    clf.save("m.atoms")
    return clf


def test_a_program_on_the_terminal_or_in_a_file(typed, model, tmp_path):
    code, out, err = typed("export", "m.atoms", "--to", "sql", "--table", "rows", "--key", "id")
    assert (code, err) == (0, "")
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE rows (id, x0, x1)")
    base.executemany("INSERT INTO rows VALUES (?, ?, ?)", [("p", 0, 1), ("q", 3, 0)])
    found = [row[:2] for row in base.execute(out) if row[3]]
    assert found == [("p", "a"), ("q", "b")]
    for kind in ("js", "c", "python"):
        code, out, _ = typed("export", "m.atoms", "--to", kind, "-o", f"m.{kind}")
        assert code == 0 and f"m.{kind}: " in out and "atoms" in out
        assert (tmp_path / f"m.{kind}").read_text(encoding="utf-8") == model.export(kind)


def test_a_scorecard_has_rules_and_not_atoms(typed, model):
    model.compact(1).save("card.atoms")
    for kind in ("python", "onnx"):
        code, out, _ = typed("export", "card.atoms", "--to", kind, "-o", f"card.{kind}")
        assert code == 0 and ", 1 rule, " in out


def test_what_cannot_be_exported(typed, model):
    code, _, err = typed("export", "m.atoms", "--to", "cobol")
    assert code == 2 and "--to must be one of sql, js, c, python, onnx, not 'cobol'" in err
    alg = Algebra(["a", "b"])
    alg.add(alg.relation("a < b"))
    alg.learn(random_state=0).save("r.atoms")
    code, _, err = typed("show", "r.atoms", "--short")
    assert code == 2 and "--short applies to classifiers only" in err
    code, _, err = typed("export", "r.atoms", "--to", "c")
    assert code == 2 and "r.atoms holds a Model, not a classifier" in err
    code, _, err = typed("export", "m.atoms", "--to", "c", "-o", "no/such/folder/m.c")
    assert code == 2 and "no/such/folder" in err
