"""Lines with variables, beside the same relations written out by Python's own loops."""

import operator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra
from atomlearn.algebra import expansion
from atomlearn.algebra.statements import Statements
from atomlearn.errors import DoubtfulRelation, ExpansionTooLarge, RelationSyntaxError

SIGNS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, ">=": operator.ge}


def expanded(text, **sets):
    return [str(relation) for relation in Algebra().expand(text, **sets)]


@given(
    st.lists(st.integers(-3, 9), unique=True, max_size=4),
    st.sampled_from(sorted(SIGNS)),
    st.integers(-2, 2),
)
def test_bindings_and_conditions(numbers, sign, shift):
    text = f"p(x, y + 1) < q(x - y) for x, y in row if x + {shift} {sign} 2 * y or x = 3 and y = 0"
    wanted = [
        f"p({x},{y + 1}) < q({x - y})"
        for x in numbers
        for y in numbers
        if SIGNS[sign](x + shift, 2 * y) or (x == 3 and y == 0)
    ]
    assert expanded(text.replace("+ -", "- "), row=numbers) == wanted


@given(st.sets(st.sampled_from("abcdef"), min_size=2), st.data())
def test_all_but(names, data):
    listed = sorted(names)
    out = data.draw(st.sampled_from(listed))
    rest = " ".join(f"f({n})" for n in listed if n != out)
    assert expanded(f"v < f(s but {out})", s=listed) == [f"v < {rest}"]
    assert expanded(f"v < {{f(x) for x in s if x != {out}}}", s=listed) == [f"v < {rest}"]


@given(st.sets(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_sets_of_pairs_are_joined_by_a_shared_variable(pairs):
    listed = sorted(pairs)
    found = expanded("two(x, z) < S for x, y in e for y, z in e", e=listed)
    assert found == [f"two({x},{z}) < S" for x, y in listed for w, z in listed if w == y]


def test_what_a_line_can_say():
    assert expanded("a(x) < x !x r for x in r", r=["p"]) == ["a(p) < p !p"]
    assert expanded("f(1..3) !< g") == ["f(1) f(2) f(3) !< g"]
    assert expanded("c(r, k, s) < S for r, k, s in grid A.1 .b.") == [
        "c(1,1,A) < S", "c(1,3,1) < S", "c(2,2,b) < S",
    ]  # fmt: skip
    assert expanded("r = {a, b}\ns = {r, c} but a\nf(s) < S") == ["f(b) f(c) < S"]
    assert expanded("f(p) < S for p in {(1, 2), (2, 1)}") == ["f(1,2) < S", "f(2,1) < S"]
    assert expanded("f((a, b)) < S for (a, b), c in {((1, 2), 3)}") == ["f(1,2) < S"]
    assert expanded("f(a, d) < S for (a, b), (c, d) in {(1, 2), (3, 4)} if a < c") == ["f(1,4) < S"]
    assert expanded('f("top left") < "an other" # < for x in y') == ['"f(top left)" < "an other"']
    assert expanded("f(x // 2, x % 2) < S for x in {5} if not x in {4} and x not in {6}") == [
        "f(2,1) < S"
    ]
    assert expanded("one of f(r)", r="ab") == [
        "!f(b) < f(a)", "f(a) < !f(b)", "!f(a) < f(b)", "f(b) < !f(a)",
    ]  # fmt: skip
    assert expanded("at most one of f(r)", r="ab") == ["!f(b) < f(a)", "!f(a) < f(b)"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a < f(x for x in r", "line 1, column 9: ',' is missing before 'for'"),
        ("r = {a\na < b", "line 1, column 7: '}' is missing before the end"),
        ("a < b for x in q", "column 16: q is not a set; define it"),
        ("a < f(x + 1) for x in {b}", "column 7: b is not a number"),
        ("a < b for x in 1..3 if x", "column 24: expected a condition"),
        ("a < b for x in 1..3 if x < y", "have no order"),
        ("a < b for x, y in {(1, 2, 3)}", "column 11: 2 variables for (1, 2, 3)"),
        ("a < {f(x) for x in 1..0}", "no name is left"),
        ("r = {a}\nr = {b}", "line 2, column 1: the set r is defined twice"),
        ("r = {a}\na < b for r in {c}", "r is a set and cannot be a variable"),
        ("r = 3", "3 is not a set"),
        ("a < f()", "no index"),
        ("a < f(1 // 0)", "division by zero"),
        ("a < f(999999999999)", "beyond"),
        ("a < f((1, {b}))", "a set inside a tuple"),
        ("a < f('b,c')", "cannot be an index"),
        ("a , b < c", "',' where a name was expected"),
        ("a < b < c", "expected 'for', 'if' or the end"),
        ("< a", "no name at the beginning"),
        ("a b", "no < or !<"),
        ("a < b if 1", "expected a condition"),
        ("a < f(" + "(" * 100, "more than 40 parentheses"),
        ("a < f(" + "-" * 100_000, "more than 40 parentheses"),
        ("a < f(r " + "but a " * 10_000 + ")", "is not a set"),
        ("a < b " + "if 1 = 1 " * 100_000, "more than 40 times"),
        ("a < " + "{" * 100_000, "more than 40 parentheses"),
        ("a < b if " + "not " * 100 + "1 = 1", "more than 40 parentheses"),
        (
            "a < b for " + ", ".join(f"x{i}" for i in range(50)) + " in 1..2",
            "more than 40 variables",
        ),
    ],
)
def test_errors_have_the_line_and_the_column(text, problem):
    with pytest.raises(RelationSyntaxError) as error:
        expanded(text)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "r = 1..99999999",
        "f(1..9999, 1..9999) < a",
        "a < f(x) for x, y, z, u, v, w in 1..99 if x = 100",
        "r = {(x, y) for x, y in 1..9999}",
        "a < f(x) for x in 1..99999 if x in {y for y in 1..99999}",
        "one of f(1..200)",
        "at most one of f(1..300)",
    ],
)
def test_a_line_that_stands_for_too_much_is_refused(text, monkeypatch):
    monkeypatch.setattr(expansion, "MAX_STEPS", 50_000)
    with pytest.raises(ExpansionTooLarge, match="more than 50,000"):
        expanded(text)


def test_members_of_a_set_in_place_are_no_forgotten_variables():
    doubts = []
    list(Statements({}).relations("f(x) < g(y) for x in {c, d}", doubts))
    assert len(doubts) == 1 and "'y' is read as a name" in doubts[0]


def test_what_is_too_much_is_refused_before_it_is_tried():
    statements = Statements({})
    with pytest.raises(ExpansionTooLarge):
        next(statements.relations("f(x, y, z) < a for x, y, z in 1..2000"))
    assert statements.steps.n < 10_000


def test_expansion_is_lazy():
    relations = Algebra().expand("f(x, y) < S for x, y in 1..2000")
    assert str(next(relations)) == "f(1,1) < S"


@given(st.text("ab(){},.<>=!+-*/%# \"'\\1forifnbtu", max_size=40))
def test_any_text_is_read_or_refused(text):
    with suppress(RelationSyntaxError):
        list(Statements({"r": "ab"}).relations(text))


def test_a_file_remembers_its_lines_and_doubts_forgotten_variables(tmp_path):
    path = tmp_path / "doubt.rel"
    path.write_text("r = {a, b}\nplain < f(a)\nf(x, y) < g(x, a) for x in r\n")
    with pytest.warns(DoubtfulRelation, match=r"doubt\.rel:3: column 6: 'y' is read as a name"):
        alg = Algebra.read(path)
    assert [alg.line_of(r).number for r in alg.relations] == [2, 3, 3]
    assert alg.line_of(alg.relations[2]).text == "f(x, y) < g(x, a) for x in r"
    assert alg.copy().line_of(alg.relations[0]) is not None


def test_indices_may_have_blanks_and_plain_files_mean_what_they_did(tmp_path):
    alg = Algebra()
    alg.add(alg.expand("f(1, 2) < b"))
    assert alg.relation("f( 1 , 2 ) < b") == alg.relations[0]
    path = tmp_path / "plain.rel"
    names = [
        "one",
        "of",
        "{a",
        "f(1,",
        "2)",
        "for",
        "x",
        "in",
        "x=y",
        "a={",
        "a,b",
        "f(1,2)",
        "r=7",
    ]
    plain = Algebra(names)
    plain.add(plain.term(names[:4]) <= plain.term(names[4:]))
    plain.add(plain["r=7"] <= plain["a={"], plain["a={"] <= plain["r=7"])
    plain.write(path)
    path.write_text(path.read_text() + "a,b < f(1,2)  # one of these, for all x in S\n")
    plain.add(plain.relation("a,b < f(1,2)"))
    assert [str(r) for r in Algebra.read(path).relations] == [str(r) for r in plain.relations]
