"""The commands as a user types them: what they print, where, and with which exit code."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from atomlearn import Algebra, AlgebraicClassifier, __version__, load
from atomlearn.cli.output import VisibleStream
from atomlearn.engine.pool import Pool, Source
from atomlearn.sets import rows
from tests.explorer.pages import data_of

BARS = """\
v < c1 c2 c7 c8
v < c3 c4 c5 c6
v !< c2 c4 c5 c7
v !< c3 c5 c6 c8
v !< c4 c5 c6 c7     # no vertical bar
"""


@pytest.fixture
def run(typed, tmp_path):
    """Run a command in an empty folder with ``bars.rel``: exit code, stdout, stderr."""
    (tmp_path / "bars.rel").write_text(BARS)
    return typed


@pytest.fixture
def bars(run, tmp_path):
    Algebra.read(tmp_path / "bars.rel").least_free().save(tmp_path / "bars.atoms")
    return tmp_path / "bars.atoms"


def test_check_consistent(run):
    assert run("check", "bars.rel") == (0, "consistent: 2 positive, 3 negative, 9 constants\n", "")
    code, out, _ = run("check", "bars.rel", "--json")
    assert code == 0
    assert json.loads(out) == {
        "consistent": True,
        "positive": 2,
        "negative": 3,
        "constants": 9,
        "conflicts": [],
    }


def test_check_inconsistent(run, tmp_path):
    (tmp_path / "bad.rel").write_text('a < b\nb < c d\na !< c d\n"x y" !< "x y"\n')
    code, out, err = run("check", "bad.rel")
    assert (code, err) == (1, "")
    assert out == (
        "inconsistent: 2 positive, 2 negative, 5 constants\n"
        "a !< c d   (line 3) fails, because:\n  b < c d   (line 2)\n  a < b   (line 1)\n"
        '"x y" !< "x y"   (line 4) fails by itself: the right side contains the left\n'
    )
    code, out, _ = run("check", "bad.rel", "--json")
    assert code == 1
    assert json.loads(out)["conflicts"] == [
        {"relation": "a !< c d", "derivation": ["b < c d", "a < b"]},
        {"relation": '"x y" !< "x y"', "derivation": []},
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a < b\na b\n", "bad.rel:2: column 4: no < or !<"),
        (b"", "bad.rel has no relations"),
        (b"a < \xff", "bad.rel:1: not UTF-8"),
        (b"a < b\0", "bad.rel:1: not text"),
    ],
)
@pytest.mark.parametrize("command", [["check"], ["learn", "-o", "x.atoms"]])
def test_files_that_are_no_relations(run, tmp_path, content, says, command):
    (tmp_path / "bad.rel").write_bytes(content)
    code, out, err = run(*command, "bad.rel")
    assert (code, out) == (2, "")
    assert err.startswith("atomlearn: ") and says in err and err.count("\n") == 1
    assert not (tmp_path / "x.atoms").exists()


def test_query(run, bars):
    assert run("query", "bars.atoms", "v < c1 c2 c7 c8") == (0, "true\n", "")
    assert run("query", "bars.atoms", "v < c4") == (1, "false\n", "")
    assert run("query", "bars.atoms", "v !< c4") == (0, "true\n", "")
    code, out, _ = run("query", "bars.atoms", "v < c4", "--json")
    assert code == 1
    told = json.loads(out)
    assert (told["relation"], told["holds"]) == ("v < c4", False)
    assert {frozenset(atom) for atom in told["discriminant"]} == {
        frozenset({"v", "c1", "c2", "c3", "c8"}),
        frozenset({"v", "c1", "c3", "c6", "c8"}),
    }


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        ("v < c1 c2 c7 c8", 0, "follows, because:\n  v < c1 c2 c7 c8\n"),
        ("v !< c4", 0, "follows: if v < c4 held,\nv !< c2 c7 c4 c5 fails, because:\n  v < c4\n"),
        ("v < c4", 1, "contradicted: if v < c4 held,\nv !< c2 c7 c4 c5 fails"),
        ("v !< v", 1, "contradicted: in v < v the right side contains the left\n"),
        ("v < c1 c3", 3, "open\n"),
    ],
)
def test_query_of_relations(run, asked, code, says):
    got, out, err = run("query", "bars.rel", asked)
    assert (got, err) == (code, "")
    assert out.startswith(says)
    told = json.loads(run("query", "bars.rel", asked, "--json")[1])
    assert says.startswith(told["verdict"]) and told["relation"] == asked


def test_query_of_relations_that_contradict_each_other(run, tmp_path):
    (tmp_path / "bad.rel").write_text("a < b\na !< b\n")
    code, out, err = run("query", "bad.rel", "a < b")
    assert (code, out) == (2, "")  # 1 would say that the question is contradicted
    assert "the question has no answer" in err and "a !< b fails, because:" in err


def test_query_about_a_constant_that_is_not_there(run, tmp_path):
    (tmp_path / "few.rel").write_text("a !< b\n")
    assert run("query", "few.rel", "a < c")[2] == "atomlearn: few.rel: there is no constant 'c'\n"


def test_a_model_that_says_nothing_of_a_constant_says_so(run, tmp_path):
    (tmp_path / "few.rel").write_text("a !< b\n")
    run("learn", "few.rel", "-o", "few.atoms", "--seed", "0")
    code, out, err = run("query", "few.atoms", "b < a")
    assert (code, out) == (0, "true\n")
    assert err == "note: b has no atoms in this model, so that 'b < ...' holds for every term\n"
    told = json.loads(run("query", "few.atoms", "b < a", "--json")[1])
    assert told["without_atoms"] == ["b"]
    assert run("query", "few.atoms", "a < a")[2] == ""


def test_doubtful_lines_are_noted(run, tmp_path):
    (tmp_path / "d.rel").write_text("a ! < b\nhouse < a\nhouse < b\nhuose < a\n")
    code, out, err = run("check", "d.rel")
    assert (code, out) == (0, "consistent: 4 positive, 0 negative, 5 constants\n")
    assert "note: d.rel:1: '!' is read as the name of a constant" in err
    assert "note: d.rel:4: 'huose' occurs only here; is it meant to be 'house'?" in err
    for command in (("learn", "d.rel", "-o", "d.atoms"), ("query", "d.rel", "a < b")):
        assert err == run(*command)[2]


def test_questions_that_are_wrong(run, bars):
    for arguments, says in (
        (("query", "bars.atoms", "v < zz"), "no constant 'zz'"),
        (("query", "bars.atoms", "v c1"), "no < or !<"),
        (("query", "bars.atoms", ""), "no relation"),
        (("query", "none.atoms", "v < c1"), "none.atoms: No such file"),
        (("query", "bars.rel", "v < zz"), "no constant 'zz'"),
        (("query", "bars.rel", "v c1"), "no < or !<"),
        (("query", ".", "v < c1"), "."),
        (("show", "bars.rel"), "not an atomlearn file"),
        (("show", "bars.atoms", "--of", "zz"), "no constant 'zz'"),
        (("check", "none.rel"), "none.rel: No such file"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith("atomlearn: ") and says in err


def test_usage(run):
    for arguments in (("check",), ("frob",), ("learn", "bars.rel"), ("check", "--frob")):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "") and "Usage" in err
    assert "Usage" in "".join(run()[1:])
    code, out, _ = run("--help")
    assert code == 0
    for command in ("check", "learn", "query", "show"):
        assert command in out
        assert run(command, "--help")[0] == 0
    assert run("--version") == (0, f"atomlearn {__version__}\n", "")


def test_show(run, bars):
    code, out, err = run("show", "bars.atoms")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "3 atoms, 9 constants"
    assert {tuple(line.split()) for line in lines[2:5]} == {
        ("5", "v", "c1", "c2", "c7", "c4"),
        ("5", "v", "c1", "c2", "c8", "c3"),
        ("5", "v", "c1", "c8", "c3", "c6"),
    }
    code, out, _ = run("show", "bars.atoms", "--of", "c6", "--json")
    assert json.loads(out)["atoms"] == [["v", "c1", "c8", "c3", "c6"]]
    assert "and 2 more" in run("show", "bars.atoms", "--max-atoms", "1")[1]
    assert "more" not in run("show", "bars.atoms", "--max-atoms", "0")[1]


def test_show_says_what_a_constant_is(run, tmp_path):
    algebra = Algebra(["v", *(f"c{i}" for i in range(1, 9))])
    v = algebra["v"]
    for bits in range(16):
        image = [f"c{k + 1 + (0 if bits >> k & 1 else 4)}" for k in range(4)]
        has_bar = bits & 3 == 3 or bits & 12 == 12
        algebra.add(v <= algebra.term(image) if has_bar else ~(v <= algebra.term(image)))
    algebra.learn(random_state=0).save(tmp_path / "all.atoms")
    told = ("--pairs", "c1/c5 c2/c6 c3/c7 c4/c8", "--grid", "c2 c3 / c1 c4")
    code, out, _ = run("show", "all.atoms", *told, "--html", "all.html")
    assert code == 0
    assert "v if some column with all rows black:\n      (c1 and c2)\n   or (c3 and c4)" in out
    (one,) = data_of(tmp_path / "all.html")["definitions"]
    assert one["sentence"] == "some column with all rows black"
    assert one["drawn"]["shape"] == [2, 2] and len(one["drawn"]["clauses"]) == 4
    _, out, _ = run("show", "all.atoms", *told, "--of", "v", "--json")
    assert json.loads(out)["definitions"][0]["sentence"] == "some column with all rows black"
    for wrong, says in (
        (("--pairs", "c1-c5"), "two names with a slash"),
        (("--pairs", "c1/x"), "no constant 'x'"),
        (("--grid", "c1 c2 / c3"), "rows of different lengths"),
    ):
        code, _, err = run("show", "all.atoms", *wrong)
        assert code == 2 and says in err


def test_show_does_not_read_names_as_markup(run, tmp_path):
    alg = Algebra(["[red]x[/red]", "ünïcode", "[/]", "a b"])
    alg.freest().save(tmp_path / "odd.atoms")
    _, out, _ = run("show", "odd.atoms")
    assert "[red]x[/red]" in out and "ünïcode" in out and "[/]" in out and '"a b"' in out


def test_learn(run, tmp_path):
    code, out, err = run("learn", "bars.rel", "-o", "bars.atoms", "--seed", "0")
    model = load(tmp_path / "bars.atoms")
    assert (code, err) == (0, "")
    assert out == f"bars.atoms: {model.n_atoms} atoms over 9 constants\n"
    assert all(model.holds(r) for r in Algebra.read(tmp_path / "bars.rel").relations)
    first = (tmp_path / "bars.atoms").read_bytes()
    _, out, _ = run("learn", "bars.rel", "-o", "bars.atoms", "--seed", "0", "--json")
    assert json.loads(out)["atoms"] == model.n_atoms
    assert (tmp_path / "bars.atoms").read_bytes() == first
    assert run("query", "bars.atoms", "v < c1 c2 c7 c8")[:2] == (0, "true\n")
    assert run("query", "bars.atoms", "v < c4 c5 c6 c7")[:2] == (1, "false\n")


def test_learn_refuses_what_is_inconsistent(run, tmp_path):
    (tmp_path / "bad.rel").write_text("a < b\na !< b\n")
    code, out, err = run("learn", "bad.rel", "-o", "x.atoms")
    assert (code, out) == (1, "")
    assert "a !< b fails, because:\n  a < b" in err
    assert not (tmp_path / "x.atoms").exists()
    assert run("learn", "bars.rel", "-o", "no/such/folder/x.atoms")[0] == 2


def test_as_a_program(tmp_path):
    (tmp_path / "bars.rel").write_text(BARS)
    command = [sys.executable, "-m", "atomlearn", "check", "bars.rel"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "consistent: 2 positive, 3 negative, 9 constants\n"


def loaded_by(code):
    """Which heavy modules a fresh interpreter has loaded after some code."""
    heavy = "numba llvmlite sklearn scipy matplotlib typer rich numpy joblib dask"
    probe = f"{code}; import sys; print(*(m for m in {heavy.split()!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        capture_output=True,
        text=True,
        check=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("COV_")},
    )
    return set(done.stdout.split())


def test_importing_is_light():
    assert loaded_by("import atomlearn, atomlearn.algebra, atomlearn.logic") == set()
    assert loaded_by("import atomlearn; dir(atomlearn); atomlearn.AtomlearnError") == set()
    assert loaded_by("from atomlearn import Algebra; Algebra(['a']).term('a')") == {"numpy"}
    assert "numba" not in loaded_by("import atomlearn.cli")
    assert "numba" in loaded_by("from atomlearn import Algebra; Algebra(['a']).conflicts()")


HOSTILE = "\x1b[31mred\x9b2J\u202e\x07"


def test_names_from_files_do_not_reach_the_terminal_as_control_characters(run, tmp_path):
    alg = Algebra([HOSTILE, "v", "w"])
    alg.add(alg["v"] <= alg[HOSTILE] | alg["w"])
    alg.freest().save(tmp_path / "m.atoms")
    (tmp_path / "m.rel").write_text('"a\x9bb" < c\n"a\x9bb" !< c\n')
    for command in (
        ["show", "m.atoms", "--html", "m.html"],
        ["show", "m.atoms", "--json"],
        ["query", "m.atoms", f'"{HOSTILE}x" < v'],
        ["check", "m.rel"],
        ["show", f"{HOSTILE}.atoms"],
    ):
        _, out, err = run(*command)
        seen = out + err + (tmp_path / "m.html").read_text()
        assert not set(seen) & set("\x1b\x9b\u202e\x07"), command
    _, out, _ = run("show", "m.atoms", "--json")
    assert HOSTILE in json.loads(out)["constants"]


def test_colours_still_reach_a_terminal():
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=None, force_terminal=True, color_system="standard")
    before, sys.stdout = sys.stdout, VisibleStream(stream)
    try:
        console.print("[red]x[/red]")
        print("\x1b")
    finally:
        sys.stdout = before
    assert "\x1b[31mx" in stream.getvalue() and stream.getvalue().endswith("\\u001b\n")


def test_the_bar_of_learning_is_drawn_and_not_written_as_escapes(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", VisibleStream(stream))
    X = np.arange(60.0)[:, None]
    AlgebraicClassifier(random_state=0, verbose=1, max_epochs=2).fit(X, X[:, 0] > 30)
    assert "learning" in stream.getvalue() and "\x1b[" in stream.getvalue()
    assert "\\u001b" not in stream.getvalue()


def test_warm_up_does_not_recommend_itself(run):
    code, out, err = run("warm-up")
    assert code == 0 and "kernels ready; " in out
    assert "compiling kernels" not in err


def test_pipes_get_utf_8_whatever_the_locale(tmp_path):
    alg = Algebra(["н", "v"])
    alg.freest().save(tmp_path / "m.atoms")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "atomlearn", "show", str(tmp_path / "m.atoms")]
    done = subprocess.run(command, env=env, capture_output=True, check=True)
    assert "н" in done.stdout.decode("utf-8")


def test_show_a_pool(run, tmp_path):
    pool = Pool(3, ["v", "a b", HOSTILE])
    pool.learn_from(Source(f"a hospital{HOSTILE}", "c0ffee", 100))
    pool.add(rows.from_indices([[0, 1], [0, 2], [1]], 3), epoch=5)
    pool.save(tmp_path / "p.atoms")
    code, out, err = run("show", "p.atoms", "--max-atoms", "2")
    assert (code, err) == (0, "")
    assert out.startswith("3 pins over 3 constants\nfrom a hospital")
    assert 'v "a b"   (epoch 5 of a hospital' in out and "... and 1 more" in out
    assert "\x1b" not in out
    told = json.loads(run("show", "p.atoms", "--json")[1])
    assert told["n_pins"] == 3 and told["pins"][0]["constants"] == ["v", "a b"]
    assert run("show", "p.atoms", "--of", "v")[0] == 2
    Pool(3).save(tmp_path / "p.atoms")
    assert run("show", "p.atoms")[:2] == (
        0,
        "0 pins over 3 constants\nfrom data without a name, 0 examples\n",
    )
