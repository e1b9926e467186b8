"""Exported programs give the probabilities of ``predict_proba``: each is run as its users would."""

import copy
import json
import shutil
import sqlite3
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.errors import ExportTooLarge, InvalidParameter, UnsavableValue
from atomlearn.export import export_source
from atomlearn.training.scores import Evidence

PLACES = ["Köln", "L'Aquila", 'the "Hague"', "a\\b", "São Paulo??", "$x {y}", "東京", "Bonn"]
COLUMNS = ["size (m²)", 'the "colour"', "smoker", "rooms", "it's"]


@pytest.fixture(scope="module")
def table():
    """Numbers, truth values, categories with quotes and of other alphabets; missing values."""
    rng = np.random.default_rng(0)
    n = 260
    X = pd.DataFrame(
        {
            COLUMNS[0]: rng.normal(size=n).round(2),
            COLUMNS[1]: rng.choice([*PLACES, *map(str, range(10))], n),
            COLUMNS[2]: rng.random(n) < 0.5,
            COLUMNS[3]: rng.integers(1, 6, n).astype(float),
            COLUMNS[4]: rng.choice([0.1, 0.2, 0.30000000000000004, 1.8], n),
        }
    )
    X.loc[::17, COLUMNS[3]] = np.nan
    X.loc[::23, COLUMNS[1]] = None
    score = X[COLUMNS[0]] + X[COLUMNS[2]] + X[COLUMNS[1]].isin(PLACES) + rng.normal(size=n) / 2
    return X, np.digitize(score, [0.3, 1.2]), score


@pytest.fixture(scope="module")
def odd_rows(table):
    """Also values that training did not have, and missing ones where it had none."""
    rng = np.random.default_rng(1)
    X = table[0][:120].copy()
    for name in X.columns:
        X[name] = X[name].astype(object).where(rng.random(len(X)) > 0.1, None)
    X.loc[::9, COLUMNS[1]] = "nowhere"
    X.loc[1::9, COLUMNS[4]] = 1.8
    return X


@pytest.fixture(scope="module")
def fitted(table):
    X, y, score = table
    names = np.array(["low", 'mid "é"', "it's high"])[y]
    made = {
        kind: AlgebraicClassifier(
            random_state=0, max_epochs=4, evidence=kind, class_weight={0: 1, 1: 2, 2: 1}
        ).fit(X, y)
        for kind in ("strict", "weighted")
    }
    both = copy.deepcopy(made["strict"])
    evidence = Evidence("both", {"both": 0.5}, {"both": 0.2}, 0.6, 0.5)
    weighted = made["weighted"].learned_.weighted
    both.learned_ = replace(both.learned_, weighted=weighted, evidence=evidence)
    made["both"] = both
    made["rules"] = AlgebraicClassifier(
        random_state=0,
        max_epochs=4,
        rules=[
            f'low if "{COLUMNS[4]}" >= 1.8 and smoker = false',
            "not low if rooms is missing and smoker = true",
            f'"it\'s high" if "{COLUMNS[0]}" > 1.5 and smoker = true',
        ],
    ).fit(X, names)
    made["statements"] = AlgebraicClassifier(
        random_state=0,
        max_epochs=4,
        rules=[
            f'low falls with "{COLUMNS[0]}"',
            f'first: not low if "{COLUMNS[0]}" > rooms or rooms in {{2, 3}} and smoker = true',
            f'low if rooms >= "{COLUMNS[0]}" and rooms between 4 and 5',
            "likely 20: low if smoker = false",
        ],
    ).fit(X, names)
    many = np.digitize(score, np.linspace(-1.5, 3, 13))
    made["many"] = AlgebraicClassifier(random_state=0, max_epochs=2, evidence="weighted").fit(
        X, many
    )
    return made


KINDS = ("strict", "weighted", "both", "rules", "statements", "many")


def plain(X):
    """Rows as plain values."""
    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    return [[v.item() if isinstance(v, np.generic) else v for v in row] for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_python(fitted, odd_rows, kind):
    clf, space = fitted[kind], {}
    exec(export_source(clf, "python"), space)
    rows = plain(odd_rows)
    found = np.array([space["predict_proba"](row) for row in rows])
    wanted = clf.predict_proba(odd_rows)
    assert found == pytest.approx(wanted, abs=1e-12)
    as_dict = dict(zip(COLUMNS, rows[0], strict=True))
    assert space["predict_proba"](as_dict) == space["predict_proba"](rows[0])
    assert [space["predict"](row) for row in rows] == clf.classes_[wanted.argmax(axis=1)].tolist()
    with pytest.raises(ValueError, match="a row has 5 values, not 2"):
        space["predict"]([1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_account_for_the_prediction(fitted, odd_rows, kind):
    clf, space = fitted[kind], {}
    exec(export_source(clf, "python"), space)
    for row in plain(odd_rows)[:20]:
        told = space["explain"](row, most=2)
        chances = [one["probability"] for one in told]
        assert chances == sorted(chances, reverse=True)
        assert told[0]["label"] == space["predict"](row)
        for one in told:
            changes = [abs(change) for change, _ in one["reasons"] if change is not None]
            assert len(changes) <= 2 and changes == sorted(changes, reverse=True)
            ruled = any(change is None for change, _ in one["reasons"])
            assert ruled == (one["probability"] == 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_sqlite(fitted, odd_rows, kind):
    clf = fitted[kind]
    base = sqlite3.connect(":memory:")
    odd_rows.astype(object).where(odd_rows.notna(), None).to_sql('my "rows"', base, index=False)
    found = base.execute(export_source(clf, "sql", table='my "rows"')).fetchall()
    wanted = clf.predict_proba(odd_rows)
    place = {plain_label(label): k for k, label in enumerate(clf.classes_)}
    chances = np.zeros_like(wanted)
    for row, label, chance, is_predicted, ban, *reasons in found:
        chances[row - 1, place[label]] = chance
        assert is_predicted == (wanted[row - 1].argmax() == place[label])
        assert (ban is not None) == (chance == 0.0)
        assert len(reasons) == 6 and (reasons[0] is None) == (reasons[1] is None)
    assert len(found) == wanted.size
    assert chances == pytest.approx(wanted, abs=1e-12)


def plain_label(label):
    return label.item() if isinstance(label, np.generic) else label


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_javascript(fitted, odd_rows, tmp_path):
    rows = plain(odd_rows)
    lines = ["const out = {};", f"const rows = {json.dumps(rows)};"]
    for kind in KINDS:
        source = export_source(fitted[kind], "js")
        (tmp_path / f"{kind}.mjs").write_text(source, encoding="utf-8")
        lines.append(f'import * as {kind} from "./{kind}.mjs";')
        lines.append(
            f"out.{kind} = rows.map((row) => [{kind}.predictProba(row), {kind}.explain(row, 2)]);"
        )
    lines.append("console.log(JSON.stringify(out));")
    (tmp_path / "run.mjs").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    out = json.loads(done.stdout)
    for kind in KINDS:
        space = {}
        exec(export_source(fitted[kind], "python"), space)
        found = np.array([chances for chances, _ in out[kind]])
        assert found == pytest.approx(fitted[kind].predict_proba(odd_rows), abs=1e-12)
        for row, (_, told) in zip(rows, out[kind], strict=True):
            for one, same in zip(told, space["explain"](row, most=2), strict=True):
                assert one["label"] == same["label"]
                assert [text for _, text in one["reasons"]] == [text for _, text in same["reasons"]]


MAIN = r"""
#include "{kind}.c"
int main(void) {{
  static const atomlearn_cell rows[][ATOMLEARN_COLUMNS] = {{{rows}}};
  double p[ATOMLEARN_LABELS];
  atomlearn_reason reasons[2];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {{
    atomlearn_predict_proba(rows[i], p);
    for (int k = 0; k < ATOMLEARN_LABELS; k++) printf("%.17g ", p[k]);
    int best = atomlearn_predict(rows[i]);
    int n = atomlearn_explain(rows[i], best, 2, reasons);
    printf("%s", atomlearn_labels[best]);
    for (int j = 0; j < n; j++) {{ printf("\t"); atomlearn_print_reason(stdout, reasons[j]); }}
    printf("\n");
  }}
  return 0;
}}
"""


def c_cell(value):
    if isinstance(value, str):
        octets = "".join(f"\\{byte:03o}" for byte in value.encode())
        return f'{{0, "{octets}"}}'
    return "{NAN, 0}" if value is None else f"{{{float(value)!r}, 0}}"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("kind", ("both", "rules", "many"))
def test_c(fitted, odd_rows, kind, tmp_path):
    clf, rows = fitted[kind], plain(odd_rows)
    (tmp_path / f"{kind}.c").write_text(export_source(clf, "c"), encoding="utf-8")
    cells = ",\n".join("{" + ", ".join(map(c_cell, row)) + "}" for row in rows)
    (tmp_path / "main.c").write_text(MAIN.format(kind=kind, rows=cells), encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    compiler = ["gcc", *strict, "main.c", "-o", "main", "-lm"]
    subprocess.run(compiler, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()
    wanted = clf.predict_proba(odd_rows)
    space = {}
    exec(export_source(clf, "python"), space)
    for row, line, chances in zip(rows, lines, wanted, strict=True):
        *found, rest = line.split(" ", maxsplit=wanted.shape[1])
        assert np.array(found, dtype=float) == pytest.approx(chances, abs=1e-12)
        label, *reasons = rest.split("\t")
        told = space["explain"](row, most=2)[0]
        assert label == str(told["label"])
        same = [text if change is None else f"{change:+.2f}  misses {text}"
                for change, text in told["reasons"]]  # fmt: skip
        assert reasons == same[:2]


def test_what_cannot_be_exported(fitted):
    with pytest.raises(InvalidParameter, match="no export to 'cobol'; there are 'sql', 'js', 'c'"):
        fitted["many"].export("cobol")
    rng = np.random.default_rng(0)
    large = AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict")
    large.fit(rng.normal(size=(900, 6)), np.arange(900) % 30)
    with pytest.raises(ExportTooLarge, match="at most 20,000 atoms, and the classifier has"):
        large.export("sql")
    assert large.export("c").startswith("/* Scores rows")


def test_one_class_and_no_literals():
    same = AlgebraicClassifier(random_state=0).fit([[1.0], [1.0]], ["a", "a"])
    space = {}
    exec(same.export("python"), space)
    assert space["predict_proba"]([3.0]) == [1.0]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (x0)")
    base.execute("INSERT INTO data VALUES (1.0)")
    assert base.execute(same.export("sql")).fetchone()[:4] == (1, "a", 1.0, 1)


# -- what is exact, and what is refused


@pytest.fixture(scope="module")
def long_integers():
    """Columns, categories and labels beyond 2**53."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "id": 10**18 + rng.integers(0, 6, 200),
            "code": pd.Categorical(2**53 + rng.integers(0, 4, 200)),
            "size": rng.normal(size=200),
        }
    )
    odd = X["code"].astype("int64") % 2
    y = np.where((X["id"] - 10**18) % 2 == 0, 2**53 + 1, 2**53 + 2 + odd)
    rows = [[int(a), int(b), float(c)] for a, b, c in X.itertuples(index=False)]
    return AlgebraicClassifier(random_state=0).fit(X, y), X, rows


def test_long_integers_are_exact_in_python_and_sql(long_integers):
    clf, X, rows = long_integers
    labels = clf.predict(X).tolist()
    assert len(set(labels)) == 3
    space = {}
    exec(clf.export("python"), space)
    assert [space["predict"](row) for row in rows] == labels
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (id INTEGER, code INTEGER, size REAL)")
    base.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
    told = base.execute(clf.export("sql")).fetchall()
    assert [label for _, label, _, is_predicted, *_ in told if is_predicted] == labels


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_long_integers_are_exact_in_javascript(long_integers, tmp_path):
    clf, X, rows = long_integers
    (tmp_path / "model.mjs").write_text(clf.export("js"))
    cells = ",".join(f"[{a}n,{b}n,{c!r}]" for a, b, c in rows)
    (tmp_path / "run.mjs").write_text(
        "import { predict } from './model.mjs';"
        f"console.log(JSON.stringify([{cells}].map((row) => String(predict(row)))))"
    )
    told = subprocess.run(["node", tmp_path / "run.mjs"], capture_output=True, check=True)
    assert json.loads(told.stdout) == list(map(str, clf.predict(X).tolist()))


@pytest.mark.parametrize("name", ["a\nb", "a\rDROP TABLE data", "", "a\x00"])
@pytest.mark.parametrize("what", ["table", "key"])
def test_names_that_would_end_a_comment_are_refused(fitted, name, what):
    with pytest.raises(InvalidParameter, match=f"{what}="):
        fitted["weighted"].export("sql", **{what: name})


@pytest.mark.parametrize("to", ["sql", "c"])
def test_text_that_a_language_cannot_hold_is_refused(to):
    X = pd.DataFrame({"c": ["a\x00b", "a"] * 20})
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, np.arange(40) % 2)
    with pytest.raises(UnsavableValue, match="NUL"):
        clf.export(to)
    space = {}
    exec(clf.export("python"), space)
    assert [space["predict"]([c]) for c in ("a\x00b", "a")] == clf.predict(X[:2]).tolist()
