"""Pages as text: what is in them, and that nothing breaks out of it."""

import re

import numpy as np
import pandas as pd
import pytest

import atomlearn
from atomlearn import Algebra, AlgebraicClassifier
from atomlearn.errors import AtomlearnError, InvalidParameter
from atomlearn.explorer import explore, page
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.page import explorer_page
from atomlearn.views.page import document, style
from tests.explorer.pages import data_of

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 \x00 &lt;"


def test_names_cannot_break_out_of_the_data(tmp_path):
    frame = pd.DataFrame({HOSTILE: [HOSTILE, "b"] * 20, "x": np.arange(40.0)})
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(frame, [HOSTILE, "no"] * 20)
    html = explorer_page(HOSTILE, classifier_data(clf))
    assert html.count("<script") == 2 and html.count("</script>") == 2
    (tmp_path / "p.html").write_text(html, encoding="utf-8")
    told = data_of(tmp_path / "p.html")
    assert told["model"]["columns"][0]["name"] == HOSTILE == told["title"]
    assert HOSTILE in told["model"]["classes"]


def test_a_policy_forbids_the_network_and_other_scripts():
    html = document("t", "<p>", scripts=["let a = 1;"], data=1)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert "default-src 'none'" in policy and "connect-src 'none'" in policy
    assert "unsafe" not in policy and policy.count("sha256-") == 2
    assert "http" not in policy and "//" not in re.sub(r"sha256-[^']*", "", policy)


def test_nothing_in_a_page_is_loaded_from_elsewhere(mixed):
    html = explorer_page("t", classifier_data(AlgebraicClassifier(max_epochs=1).fit(*mixed)))
    assert not re.search(r"(src|href)\s*=|@import|url\((?!#)", html)


def test_modules_do_not_share_names():
    assert "import {" not in page.script("main")
    assert not re.search(r"^export ", page.script("main"), re.MULTILINE)


def colours(block):
    return dict(re.findall(r"--([a-z]+(?:-\w+)*): (#[0-9a-f]{6});", block))


def luminance(colour):
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(dark):
    light, _, rest = style().partition("@media (prefers-color-scheme: dark)")
    known = colours(light) | (colours(rest.split("\n}\n")[0]) if dark else {})
    for text in ("text", "muted", "accent", "for", "against"):
        for ground in ("page", "panel", "sunken"):
            low, high = sorted([luminance(known[text]), luminance(known[ground])])
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)
    for k in range(10):  # parts of pictures
        low, high = sorted([luminance(known[f"class-{k}"]), luminance(known["panel"])])
        assert (high + 0.05) / (low + 0.05) >= 3, k


@pytest.fixture
def table(typed, tmp_path):
    lines = ["a,b,y", *(f"{i % 4},{'uv'[i % 2]},{'no' if i % 4 < 2 else 'yes'}" for i in range(40))]
    (tmp_path / "t.csv").write_text("\n".join([*lines, "0,u,yes"]), encoding="utf-8")
    code, _, err = typed("fit", "t.csv", "-t", "y", "-o", "t.atoms", "-q", "--max-epochs", 2)
    assert code == 0, err
    return typed


def test_the_command_writes_a_page(table, tmp_path):
    code, out, err = table("explore", "t.atoms", "--title", "My table")
    assert code == 0 and "t.html: 0." in out and err == ""
    told = data_of(tmp_path / "t.html")
    assert told["kind"] == "table" and told["title"] == "My table"
    (conflict,) = told["conflicts"]
    assert conflict["labels"] == {"no": 10, "yes": 1} and conflict["kept"] == "no"
    assert len(told["examples"]) == 4  # different rows


def test_rows_of_a_table_are_shown_as_they_are(table, tmp_path):
    assert table("explore", "t.atoms", "--data", "t.csv", "-t", "y", "-o", "x/p.html")[0] == 0
    told = data_of(tmp_path / "x/p.html")
    assert len(told["examples"]) == 41
    assert told["examples"][0]["row"] == [0, "u"] and told["examples"][0]["label"] == "yes"
    assert told["examples"][0]["probability"] < 0.5


def test_wrong_usage_is_told(table, tmp_path):
    assert table("explore")[0] == 2
    code, _, err = table("explore", "t.atoms", "--data", "t.csv")
    assert code == 2 and "--data needs --target" in err
    (tmp_path / "u.csv").write_text("a,b,y\n1,u,perhaps\n", encoding="utf-8")
    (tmp_path / "r.rel").write_text("a < b\n", encoding="utf-8")
    code, _, err = table("explore", "r.rel", "--data", "t.csv", "-t", "y")
    assert code == 2 and "--data is for classifiers, and r.rel holds none" in err
    code, _, err = table("explore", "t.atoms", "--data", "u.csv", "-t", "y")
    assert code == 2 and "labels that t.atoms does not know: perhaps" in err


def test_contradictions_are_kept_in_the_file(table, tmp_path):
    clf = atomlearn.load(tmp_path / "t.atoms")
    (conflict,) = clf.conflicts_
    assert conflict.rows.tolist() == [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40]
    assert str(conflict).endswith("are labelled no, yes; kept as no")


def page_data(typed, tmp_path, *arguments):
    code, _, err = typed("explore", *arguments, "-o", "p.html")
    assert code == 0, err
    return data_of(tmp_path / "p.html")


def test_pages_of_relations_and_of_models(typed, tmp_path):
    (tmp_path / "bars.rel").write_text("v < a b\nv !< a\n", encoding="utf-8")
    told = page_data(typed, tmp_path, "bars.rel")
    assert (told["kind"], told["positive"], told["negative"]) == (
        "algebra", [[[0], [1, 2]]], [[[0], [1]]],
    )  # fmt: skip
    typed("learn", "bars.rel", "-o", "bars.atoms", "--seed", 0)
    model = page_data(typed, tmp_path, "bars.atoms")
    assert model["positive"] is None and model["atoms"] == told["atoms"]


def test_pages_of_boards(typed, tmp_path):
    told = page_data(typed, tmp_path, "--queens", 5, "--queen", "a1", "--max-epochs", 5)
    assert told["kind"] == "board" and told["given"] == ["a1"] and told["title"] == "5 queens"
    (tmp_path / "s.txt").write_text("1... ..3. .4.. ...2", encoding="utf-8")
    told = page_data(typed, tmp_path, "--sudoku", "s.txt")
    assert told["size"] == 4 and told["given"] == ["r1c1=1", "r2c3=3", "r3c2=4", "r4c4=2"]
    for wrong in (
        ["--queen", "a1", "s.txt"],
        ["--queens", 4, "s.txt"],
        ["--queens", 4, "--queen", "z9"],
    ):
        assert typed("explore", *wrong)[0] == 2


def test_pages_from_python(mixed, tmp_path):
    X, y = mixed
    clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(X, y)
    explore(clf, tmp_path / "Mine.html", X=X, y=y)
    told = data_of(tmp_path / "Mine.html")
    assert told["title"] == "Mine" and len(told["examples"]) == len(X)
    assert sorted(map(str, (one["row"][1] for one in told["examples"]))) == sorted(X["colour"])
    for wrong in ({"X": X}, {"y": y}, {"X": X, "y": ["maybe"] * len(X)}):
        with pytest.raises((AtomlearnError, ValueError)):
            explore(clf, tmp_path / "p.html", **wrong)
    with pytest.raises(InvalidParameter, match="can be explored, not 3"):
        explore(3, tmp_path / "p.html")
    with pytest.raises(InvalidParameter, match="page of a classifier"):
        explore(Algebra(["a"]), tmp_path / "p.html", X=X)
    assert not (tmp_path / "p.html").exists()
