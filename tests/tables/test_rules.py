"""Rules as text: what is read, what is refused, and what is said then."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from atomlearn.errors import InvalidRule
from atomlearn.tables.literals import ColumnName
from atomlearn.tables.rules import (
    Condition,
    MonotoneStatement,
    Rule,
    check_rules_file,
    parse_rules,
    read_rules,
)
from tests.fuzz.tables import FLOATS, INTEGERS, NAMES

COLUMNS = ["age", "petal length", "search and rescue", "is", 'a "quoted" one', "x>y", "colour"]
LABELS = ["yes", "no", "if only", "not sure", 3]


def read(text):
    return parse_rules([text], COLUMNS, LABELS)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes if age > 18", Rule("yes", False, (Condition("age", ">", 18.0),))),
        ("not yes if age<=18", Rule("yes", True, (Condition("age", "<=", 18.0),))),
        ("3 if petal length ≥ 1e2", Rule(3, False, (Condition("petal length", ">=", 100.0),))),
        ("if only if age = 1", Rule("if only", False, (Condition("age", "=", 1.0),))),
        ("not sure if age != 1", Rule("not sure", False, (Condition("age", "!=", 1.0),))),
        ("not not sure if age ≠ 1", Rule("not sure", True, (Condition("age", "!=", 1.0),))),
        ("yes if colour = dark red", Rule("yes", False, (Condition("colour", "=", "dark red"),))),
        ('yes if colour = "5"', Rule("yes", False, (Condition("colour", "=", "5"),))),
        ("yes if colour is missing", Rule("yes", False, (Condition("colour", "missing"),))),
        ("yes if is is known", Rule("yes", False, (Condition("is", "known"),))),
        ('yes if "x>y" > 2', Rule("yes", False, (Condition("x>y", ">", 2.0),))),
        (
            "yes if search and rescue = a and age > 2 and search and rescue is known",
            Rule(
                "yes",
                False,
                (
                    Condition("search and rescue", "=", "a"),
                    Condition("age", ">", 2.0),
                    Condition("search and rescue", "known"),
                ),
            ),
        ),
    ],
)
def test_what_is_read(text, expected):
    assert read(text) == expected


AGE, RED = Condition("age", ">", 3.0), Condition("colour", "=", "red")
LONG = Condition("petal length", "<=", 2.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes if age > 3 or colour = red", Rule("yes", False, (AGE,), ((RED,),))),
        ("yes if age > 3 and (colour = red or petal length <= 2)",
         Rule("yes", False, (AGE, RED), ((AGE, LONG),))),
        ("yes if (age > 3 or colour = red) and petal length <= 2",
         Rule("yes", False, (AGE, LONG), ((RED, LONG),))),
        ("yes if ((age > 3))", Rule("yes", False, (AGE,))),
        ("first: yes if age > 3", Rule("yes", False, (AGE,), rank=1)),
        ("third:not yes if age > 3", Rule("yes", True, (AGE,), rank=3)),
        ("likely: yes if age > 3", Rule("yes", False, (AGE,), weight=10.0)),
        ("likely 2.5: yes if age > 3", Rule("yes", False, (AGE,), weight=2.5)),
        ("yes if age between 3 and 5",
         Rule("yes", False, (Condition("age", "between", (3.0, 5.0)),))),
        ("yes if age between 3 and 5 and colour = red",
         Rule("yes", False, (Condition("age", "between", (3.0, 5.0)), RED))),
        ("yes if colour in {red, dark blue}",
         Rule("yes", False, (Condition("colour", "in", ("red", "dark blue")),))),
        ('yes if colour not in {"a, b", c}',
         Rule("yes", False, (Condition("colour", "not in", ("a, b", "c")),))),
        ("yes if age >= petal length",
         Rule("yes", False, (Condition("age", ">=", ColumnName("petal length"), "petal length"),))),
        ("yes rises with age", MonotoneStatement("yes", "age", True)),
        ('3 falls with "x>y"', MonotoneStatement(3, "x>y", False)),
        ("not sure rises with search and rescue",
         MonotoneStatement("not sure", "search and rescue", True)),
    ],
)  # fmt: skip
def test_richer_statements_are_read_and_read_back(text, expected):
    found = read(text)
    assert found == expected
    assert read(str(found)) == found


def test_comparisons_of_columns_have_one_form():
    found = [read(f"yes if age {sign} petal length").cases() for sign in (">", "<=", "<", ">=")]
    assert [str(one[0][0]) for one in found] == [
        "age > petal length",
        "age <= petal length",
        "petal length > age",
        "petal length <= age",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", "'LABEL if CONDITION and CONDITION ...'"),
        ("yes when age > 3", "'LABEL if CONDITION"),
        ("yess if age > 3", "'yess' is not a label; did you mean 'yes'?"),
        ("maybe if age > 3", "'maybe' is not a label; there are "),
        ("yes if agee > 3", r"no column 'agee'; did you mean 'age'\? \(character 8\)"),
        ("yes if height > 3", "no column 'height'; there are 'age'"),
        ("yes if age", "'age' is not a condition"),
        ("yes if age > 3 and colour", r"'colour' is not a condition.*\(character 20\)"),
        ("yes if age >", "there is no value after age >"),
        ("yes if  and age > 3", "no column 'and age'"),
        ("yes rises with agee", r"no column 'agee'; did you mean 'age'\? \(character 16\)"),
        ("yess falls with age", "'yess' is not a label; did you mean 'yes'?"),
        ("yes if age between 5 and 3", "two numbers, the smaller first"),
        ("yes if colour = red or blue", r"'blue' is not a condition.*\(character 24\)"),
        ("likely 0: yes if age > 3", "worth a number of rows"),
        (f"yes if {' and '.join(['(age > 3 or age < 2)'] * 11)}", "more than 1,000 conjunctions"),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(InvalidRule, match=said):
        read(text)


def test_a_rule_that_is_not_in_a_list():
    with pytest.raises(InvalidRule, match="must be a list"):
        parse_rules("yes if age > 3", COLUMNS, LABELS)
    with pytest.raises(InvalidRule, match=r"rule 2, 'no': "):
        parse_rules(["yes if age > 3", "no"], COLUMNS, LABELS)


SIGNS = [">", ">=", "<", "<=", "=", "!="]
values = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["red", "and", "5", 'a "b"', "it's", "x if y", " pad ", "is missing", "#1"]),
)
conditions = st.one_of(
    st.builds(
        Condition,
        st.sampled_from(COLUMNS),
        st.sampled_from([">", ">=", "<", "<=", "=", "!="]),
        values,
    ),
    st.builds(Condition, st.sampled_from(COLUMNS), st.sampled_from(["missing", "known"])),
)
rules = st.builds(
    Rule,
    st.sampled_from(LABELS),
    st.booleans(),
    st.lists(conditions, min_size=1, max_size=4).map(tuple),
)


@given(rules)
def test_what_is_written_is_read_again(rule):
    assert read(str(rule)) == rule
    assert parse_rules([rule], COLUMNS, LABELS) == [rule]


MANY = 2000 if settings().max_examples >= 100 else settings().max_examples
"""Thousands in ``make thorough``: reading a rule takes no time."""
names = st.one_of(st.sampled_from(NAMES), st.text(max_size=8), st.from_regex(r"\A(not )+x?\Z"))
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([one for some in (*FLOATS, *INTEGERS) for one in some]),
    st.integers(-(10**300), 10**300),
)


@st.composite
def told(draw):
    """A rule with the columns and labels that it may be about."""
    columns = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    labels = draw(
        st.lists(st.one_of(names, st.integers(), st.booleans()), min_size=2, unique_by=str)
    )
    tests = st.one_of(
        st.builds(
            Condition,
            st.sampled_from(columns),
            st.sampled_from(SIGNS),
            st.one_of(numbers, names, st.booleans()),
        ),
        st.builds(Condition, st.sampled_from(columns), st.sampled_from(["missing", "known"])),
    )
    conditions = draw(st.lists(tests, min_size=1, max_size=3))
    return Rule(draw(st.sampled_from(labels)), draw(st.booleans()), tuple(conditions)), (
        columns,
        labels,
    )


@given(told())
@settings(max_examples=MANY)
def test_whatever_the_names_and_values_are(rule_about):
    rule, about = rule_about
    (again,) = parse_rules([str(rule)], *about)
    assert again == rule and type(again.label) is type(rule.label)
    assert [repr(one) for one in again.conditions] == [repr(one) for one in rule.conditions]


@given(st.text(max_size=40))
@example("age > 3")
def test_any_text_is_read_or_refused(text):
    try:
        rule = read(f"yes if {text}")
    except InvalidRule:
        return
    assert read(str(rule)) == rule


def test_files(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text('# law\nyes if age > 3  # adults\n\nno if colour = "#1"\n', encoding="utf-8")
    assert read_rules(path) == ["yes if age > 3", 'no if colour = "#1"']
    check_rules_file(path, COLUMNS, LABELS)
    rule = Rule("no", True, (Condition("colour", "=", "two\u2028lines\x0b\x85"),))
    path.write_text(f"{rule}\nno if age > 3\n", encoding="utf-8")
    assert parse_rules(read_rules(path), COLUMNS, LABELS)[0] == rule
    path.write_text("yes if age > 3\n\n# none\nno if agee = 2\n", encoding="utf-8")
    with pytest.raises(InvalidRule, match=r"rules\.txt:4: there is no column 'agee'.*character 7"):
        check_rules_file(path, COLUMNS, LABELS)


def test_a_name_with_a_line_break_fits_a_line_of_a_file(tmp_path):
    rule = Rule("a\nb", False, (Condition("x\r\ny", "=", "\\n"),))
    (tmp_path / "rules.txt").write_text(f"# one\n{rule}\n", encoding="utf-8")
    (text,) = read_rules(tmp_path / "rules.txt")
    assert parse_rules([text], ["x\r\ny"], ["a\nb"]) == [rule]
