"""Exported scorecards are an ``if`` for each rule, and give the same as ``predict_proba``."""

import ast
import json
import re
import shutil
import sqlite3
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.errors import ExportTooLarge, InvalidParameter, UnsavableValue
from atomlearn.export import cards, export_source
from atomlearn.export.description import describe
from tests.export.test_programs import MAIN, c_cell, plain, plain_label

CITIES = ["Köln", "L'Aquila", 'the "Hague"', "a\\b", "São Paulo??", "$x {y} %s */", "東京"]
HARD = [
    "not low if age > 60",
    'not "mid é ≤" if smoker = true',
    'not "it\'s high" if rooms = 2',
    "low if rooms is missing and age <= 40",
]
BY_HAND = {
    "by hand": """rule,1
(offset),-0.7
(scale),0.43
"(age > 40.5 or missing) and smoker = true",3
"age > 30 and age <= 60",-2
"city = ""L'Aquila"" and rooms = 2",4
"(city != ""Köln"" or missing) and rooms != 3",-1
"rooms != 3",2
"city in {Köln, ""東京""}",-3
"city != Köln and city != ""L'Aquila"" and smoker = false",5
"(city != Köln or missing) and (city != ""東京"" or missing) and smoker = true",1
"rooms is missing",-2
"city is known and age is known",1
""",
    "both labels": """rule,0,1
(offset),1,2
(scale),0.5
age > 50,3,-2
smoker = true,0,4
""",
    "ties": """rule,0,1,2
(offset),0.1,1.1,2.1
(scale),0.7
age > 50,2,0,0
smoker = true,1,2,1
rooms != 3,0,0,-1
""",
    "no rules": """rule,1
(offset),-0.7
(scale),0.43
""",
}
FITTED = ("two", "three", "numbers", "rules", "truth", "one")
KINDS = (*FITTED, *BY_HAND)


def make_table(rng, n):
    """Numbers, whole numbers, truth values, and categories with quotes; missing values."""
    X = pd.DataFrame(
        {
            "age": rng.uniform(18, 80, n).round(1),
            "city": rng.choice(CITIES, n).astype(object),
            "smoker": rng.random(n) < 0.5,
            "rooms": rng.integers(1, 5, n).astype(float),
            "floors": rng.integers(1, 4, n),
            "code": pd.Categorical(rng.integers(1, 5, n)),
            'the "size"': rng.choice([0.1, 0.2, 0.30000000000000004, 1.8], n),
        }
    )
    X.loc[::11, "rooms"] = np.nan
    X.loc[::7, "city"] = None
    X.loc[::13, "age"] = np.nan
    score = (
        X["age"].fillna(60) / 20
        + 2 * X["city"].isin(CITIES[:3])
        + X["smoker"]
        + (X["rooms"] == 3)
        + X["code"].astype(int).isin([1, 4])
        + X['the "size"']
        + rng.normal(size=n) / 2
    )
    return X, score.to_numpy()


def odd(X, rng):
    """Return rows with values training did not have, and missing ones where it had none."""
    X = X.astype(object).where(X.notna(), None)
    for name in X.columns:
        X[name] = X[name].where(rng.random(len(X)) > 0.15, None)
    X.loc[::5, "city"] = rng.choice(["nowhere", "Ulm'", ""], len(X[::5]))
    X.loc[1::9, "code"] = 77
    X.loc[2::9, "rooms"] = 2.5
    return X


@pytest.fixture(scope="module")
def table():
    return make_table(np.random.default_rng(0), 260)


@pytest.fixture(scope="module")
def rows(table):
    return odd(table[0], np.random.default_rng(1))


@pytest.fixture(scope="module")
def fitted(table):
    X, score = table
    half, thirds = score > np.median(score), np.digitize(score, np.quantile(score, [0.3, 0.7]))
    names = np.array(["low", "mid é ≤", "it's high"])[thirds]

    def fit(y, max_atoms, **params):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rules may leave no class possible, on purpose
            return AlgebraicClassifier(
                random_state=0, max_epochs=3, max_atoms=max_atoms, **params
            ).fit(X, y)

    made = {
        "two": fit(np.where(half, "good", "bad"), 15),
        "three": fit(names, 12),
        "numbers": fit(thirds * 10 + 1, 9, class_weight={1: 1, 11: 3, 21: 1}),
        "rules": fit(names, 6, rules=HARD),
        "truth": fit(
            half, 8, rules=["True if age > 70", "not True if rooms is missing and age < 50"]
        ),
        "statements": fit(
            half,
            8,
            rules=[
                "True falls with age",
                "first: not True if age > rooms and rooms between 2 and 4",
                "True if age <= 30 and rooms > 3 or rooms in {5, 6} and age < 20",
            ],
        ),
        "one": fit(np.zeros(len(X), dtype=int), 3),
    }
    for kind, source in BY_HAND.items():
        y = thirds if kind == "ties" else half.astype(int)
        made[kind] = AlgebraicClassifier.from_scorecard(source, X, y, random_state=0, max_epochs=1)
    return made


def load(clf):
    space = {}
    exec(export_source(clf, "python"), space)
    return space


def test_the_tables_have_what_they_should(fitted, rows):
    """The cards ask for all that can be written, and hard rules are met, also all at once."""
    told = [describe(clf, exact=True) for clf in fitted.values()]
    asked = {
        (one["columns"][one["literals"][i][0]]["kind"], one["literals"][i][1], len(literals))
        for one in told
        for rule in one["card"]["rules"]
        for literals in rule["conditions"]
        for i in literals
    }
    for kind in ("number", "category"):
        assert {(kind, operator, 1) for operator in ("=", "!=", "present")} <= asked
        assert {(kind, "!=", 2), (kind, "missing", 2)} & asked
    assert {("category", "in", 1)} <= asked
    assert {("number", ">", 1), ("number", ">", 2), ("boolean", "=", 1)} <= asked
    chances = fitted["rules"].predict_proba(rows)
    all_met = (pd.to_numeric(rows["age"]) > 60) & (rows["smoker"] == True) & (rows["rooms"] == 2)  # noqa: E712
    assert all_met.sum() > 3 and (chances[all_met] > 0).all()  # none of the rules is obeyed
    assert (chances == 0).any(axis=1).sum() > 10


@pytest.mark.parametrize("kind", KINDS)
def test_python(fitted, rows, kind):
    clf, space, cells = fitted[kind], load(fitted[kind]), plain(rows)
    wanted = clf.predict_proba(rows)
    assert np.array(list(map(space["predict_proba"], cells))) == pytest.approx(wanted, abs=1e-9)
    labels = [space["predict"](row) for row in cells]
    assert labels == clf.predict(rows).tolist()
    as_dict = dict(zip(rows.columns, cells[0], strict=True))
    assert space["predict_proba"](as_dict) == space["predict_proba"](cells[0])
    with_nan = [float("nan") if cell is None else cell for cell in cells[1]]
    assert space["predict_proba"](with_nan) == space["predict_proba"](cells[1])
    with pytest.raises(ValueError, match="a row has 7 values, not 2"):
        space["predict"]([1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_account_for_the_prediction(fitted, rows, kind):
    clf, space = fitted[kind], load(fitted[kind])
    texts = [rule["text"] for rule in describe(clf)["card"]["rules"]]
    for row in plain(rows)[:40]:
        told = space["explain"](row)
        chances = [one["probability"] for one in told]
        assert chances == sorted(chances, reverse=True)
        assert told[0]["label"] == space["predict"](row)
        for one in told:
            met = [(n, text) for n, text in one["reasons"] if n is not None]
            assert one["sum"] == pytest.approx(one["offset"] + sum(n for n, _ in met))
            assert [abs(n) for n, _ in met] == sorted((abs(n) for n, _ in met), reverse=True)
            assert {text for _, text in met} <= set(texts)
            ruled = len(met) < len(one["reasons"])
            assert ruled == (one["probability"] == 0.0)
            if len(told) == 2 and not ruled and 0 not in chances:
                chance = 1 / (1 + np.exp(-one["score"]))
                assert chance == pytest.approx(one["probability"])
            few = space["explain"](row, most=1)
            assert all(sum(n is not None for n, _ in each["reasons"]) <= 1 for each in few)


@pytest.mark.parametrize("kind", KINDS)
def test_sqlite(fitted, rows, kind):
    check_sqlite(fitted[kind], rows)


def check_sqlite(clf, rows):
    base, space = sqlite3.connect(":memory:"), load(clf)
    rows.to_sql('my "rows"', base, index=False)
    found = base.execute(export_source(clf, "sql", table='my "rows"')).fetchall()
    wanted, labels, cells = clf.predict_proba(rows), clf.predict(rows), plain(rows)
    place = {plain_label(label): k for k, label in enumerate(clf.classes_)}
    chances = np.zeros_like(wanted)
    for row, label, chance, is_predicted, ban, *reasons in found:
        chances[row - 1, place[label]] = chance
        assert is_predicted == (labels[row - 1] == label)
        assert (ban is not None) == (chance == 0.0)
        told = {one["label"]: one["reasons"] for one in space["explain"](cells[row - 1])}[label]
        banned = sorted(text.removeprefix("rule: ") for n, text in told if n is None)
        assert ban == (banned[0] if banned else None)
        met = [part for part in told if part[0] is not None][:3]
        listed = [(n, text) for text, n in zip(reasons[::2], reasons[1::2], strict=True) if text]
        assert listed == met
    assert len(found) == wanted.size
    assert chances == pytest.approx(wanted, abs=1e-9)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_javascript(fitted, rows, tmp_path):
    check_javascript(fitted, rows, tmp_path)


def check_javascript(made, rows, folder):
    cells = plain(rows)
    lines = ["const out = [];", f"const rows = {json.dumps(cells)};"]
    for i, clf in enumerate(made.values()):
        (folder / f"m{i}.mjs").write_text(export_source(clf, "js"), encoding="utf-8")
        lines.append(f'import * as m{i} from "./m{i}.mjs";')
        lines.append(
            f"out.push(rows.map((row) => [m{i}.predictProba(row), m{i}.predict(row), "
            f"m{i}.explain(row)]));"
        )
        names = json.dumps(list(map(str, rows.columns)))
        lines.append(
            f"const object{i} = Object.fromEntries({names}.map((name, j) => [name, rows[0][j]]));"
            f"if (m{i}.predictProba(object{i})[0] !== m{i}.predictProba(rows[0])[0]) throw 1;"
        )
    lines.append("console.log(JSON.stringify(out));")
    (folder / "run.mjs").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, check=True)
    for clf, told in zip(made.values(), json.loads(done.stdout), strict=True):
        found = np.array([chances for chances, _, _ in told])
        assert found == pytest.approx(clf.predict_proba(rows), abs=1e-9)
        assert [label for _, label, _ in told] == clf.predict(rows).tolist()
        space = load(clf)
        for row, (_, _, explained) in zip(cells, told, strict=True):
            for one, same in zip(explained, space["explain"](row), strict=True):
                assert [tuple(part) for part in one["reasons"]] == same["reasons"]
                assert (one["label"], one["sum"], one["offset"]) == (
                    same["label"], pytest.approx(same["sum"]), same["offset"]
                )  # fmt: skip


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_c(fitted, rows, kind, tmp_path):
    check_c(fitted[kind], rows, tmp_path)


def check_c(clf, rows, folder):
    cells = plain(rows)
    (folder / "card.c").write_text(export_source(clf, "c"), encoding="utf-8")
    values = ",\n".join("{" + ", ".join(map(c_cell, row)) + "}" for row in cells)
    (folder / "main.c").write_text(MAIN.format(kind="card", rows=values), encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    subprocess.run(["gcc", *strict, "main.c", "-o", "main", "-lm"], cwd=folder, check=True)
    done = subprocess.run(["./main"], cwd=folder, capture_output=True, check=True)
    lines, space = done.stdout.decode().splitlines(), load(clf)
    wanted, labels = clf.predict_proba(rows), clf.predict(rows)
    for row, line, chances, label in zip(cells, lines, wanted, labels, strict=True):
        *found, rest = line.split(" ", maxsplit=wanted.shape[1])
        assert np.array(found, dtype=float) == pytest.approx(chances, abs=1e-9)
        name, *reasons = rest.split("\t")
        assert name == str(label)
        told = space["explain"](row)[0]["reasons"]
        same = [text if n is None else f"{n:+d}  if {text}" for n, text in told]
        assert reasons == same[:2]


# -- what a person reads


@pytest.mark.parametrize("kind", ["two", "by hand", "three"])
def test_the_python_source_is_an_if_for_each_rule(fitted, kind):
    source = export_source(fitted[kind], "python")
    body = source[source.index("def points(row):") : source.index("def forbidden(row):")]
    card = describe(fitted[kind])["card"]
    tree = ast.parse(body)
    assert sum(isinstance(node, ast.If) for node in ast.walk(tree)) == len(card["rules"])
    assert f"SCALE = {card['scale']!r}" in source
    if kind == "three":
        points = [[n for n in rule["points"] if n] for rule in card["rules"]]
        found = re.findall(r"met\.append\(\(\{(.*?)\}, ", body)
        assert [list(map(int, re.findall(r": (-?\d+)", one))) for one in found] == points
        assert all(f": {offset:g}" in body for offset in card["offsets"])
    else:
        name = {"two": "good", "by hand": "total"}[kind]
        points = [rule["points"][1] for rule in card["rules"]]
        found = re.findall(rf"^        {name} ([+-])= (\d+)$", body, re.M)
        assert [int(sign + n) for sign, n in found] == points
        assert f"    {name} = {card['offsets'][1]:g}\n" in body


def test_conditions_read_as_a_person_writes_them(fitted):
    source = export_source(fitted["by hand"], "python")
    for line in (
        'if (row["age"] > 40.5 or missing(row["age"])) and row["smoker"]:',
        'if row["age"] > 30 and row["age"] <= 60:',
        'if row["city"] == "L\'Aquila" and row["rooms"] == 2:',
        'if row["city"] != "Köln" and not missing(row["rooms"]) and row["rooms"] != 3:',
        'if row["city"] in ("Köln", "東京"):',
        'if not missing(row["city"]) and row["city"] not in ("Köln", "L\'Aquila") '
        'and row["smoker"] is False:',
        'if row["city"] not in ("Köln", "東京") and row["smoker"]:',
        'if missing(row["rooms"]):',
        'if not missing(row["city"]) and not missing(row["age"]):',
    ):
        assert line in source
    sql = export_source(fitted["by hand"], "sql")
    assert sql.count("CASE WHEN t.") + sql.count("CASE WHEN (t.") == 10
    assert """CASE WHEN t."city" IN ('Köln', '東京') THEN -3 ELSE 0 END AS rule_6,""" in sql


def test_only_columns_of_rules_are_needed(fitted):
    space = load(fitted["both labels"])
    assert space["predict"]({"age": 60, "smoker": False}) == 0
    assert space["predict"]({"age": None, "smoker": True}) == 1
    with pytest.raises(KeyError, match="smoker"):
        space["predict"]({"age": 60})


# -- what is exact, and what is refused


def test_long_integers(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"id": 10**18 + rng.integers(0, 6, 200)})
    X["code"] = pd.Categorical(2**53 + rng.integers(0, 4, 200))
    y = np.where(X["id"] > 10**18 + 2, 2**53 + 1, 2**53 + 2 + X["code"].astype("int64") % 2)
    clf = AlgebraicClassifier(random_state=0, max_epochs=2, max_atoms=8).fit(X, y)
    labels, cells = clf.predict(X).tolist(), X.astype(object).to_numpy().tolist()
    assert labels == y.tolist()
    space = load(clf)
    assert [space["predict"](row) for row in cells] == labels
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (id INTEGER, code INTEGER)")
    base.executemany("INSERT INTO data VALUES (?, ?)", cells)
    told = base.execute(clf.export("sql")).fetchall()
    assert [label for _, label, _, is_predicted, *_ in told if is_predicted] == labels
    with pytest.raises(UnsavableValue, match="beyond 2"):
        clf.export("c")
    if shutil.which("node") is not None:
        (tmp_path / "model.mjs").write_text(clf.export("js"), encoding="utf-8")
        listed = ",".join(f"[{a}n,{b}n]" for a, b in cells)
        (tmp_path / "run.mjs").write_text(
            "import { predict } from './model.mjs';"
            f"console.log(JSON.stringify([{listed}].map((row) => String(predict(row)))))"
        )
        done = subprocess.run(["node", tmp_path / "run.mjs"], capture_output=True, check=True)
        assert json.loads(done.stdout) == list(map(str, labels))


@pytest.mark.parametrize("to", ["sql", "c"])
def test_text_that_a_language_cannot_hold_is_refused(to):
    X = pd.DataFrame({"c": ["a\x00b", "\x00"] * 20})
    clf = AlgebraicClassifier(random_state=0, max_epochs=2, max_atoms=2).fit(X, np.arange(40) % 2)
    with pytest.raises(UnsavableValue, match="NUL"):
        clf.export(to)
    space = load(clf)
    assert [space["predict"]([c]) for c in ("a\x00b", "\x00")] == clf.predict(X[:2]).tolist()


def test_refusals(fitted, monkeypatch):
    with pytest.raises(InvalidParameter, match="table="):
        fitted["two"].export("sql", table="a\nb")
    monkeypatch.setattr(cards, "MOST_RULES", 3)
    with pytest.raises(ExportTooLarge, match="at most 3 rules, and the scorecard has"):
        fitted["two"].export("sql")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_cards(seed, tmp_path):
    """Random tables, classes and sizes."""
    rng = np.random.default_rng(seed)
    X, score = make_table(rng, int(rng.integers(60, 300)))
    n_classes = int(rng.integers(2, 6))
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    clf = AlgebraicClassifier(
        random_state=seed, max_epochs=2, max_atoms=int(rng.integers(1, 40))
    ).fit(X, y)
    rows, space = odd(X, rng), load(clf)
    found = [space["predict_proba"](row) for row in plain(rows)]
    assert np.array(found) == pytest.approx(clf.predict_proba(rows), abs=1e-9)
    check_sqlite(clf, rows)
    if shutil.which("node") is not None:
        check_javascript({"card": clf}, rows, tmp_path)
    if shutil.which("gcc") is not None:
        check_c(clf, rows, tmp_path)
