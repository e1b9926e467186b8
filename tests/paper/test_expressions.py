"""Expressions of claims and pages: values in, a value or a text out, and nothing else."""

import pytest

from atomlearn.errors import InvalidParameter
from atomlearn_paper.expressions import filled, value_of


@pytest.mark.parametrize(
    "expression",
    ["x.__class__", "(lambda: 1)()", "[y := 1]", "f'{x._a}'", "await x", "''.format_map(x)"],
)
def test_what_is_not_a_plain_expression_is_refused(expression):
    with pytest.raises(InvalidParameter, match="not allowed"):
        value_of(expression, {"x": 1})


@pytest.mark.parametrize("name", ["open", "eval", "__import__", "getattr"])
def test_there_are_no_functions_but_those_named(name):
    with pytest.raises(NameError):
        value_of(f"{name}('x')", {})


def test_quotes_braces_and_lines_in_a_text_stay():
    text = "'a' \"b\" {{c}} {x['k']}\nit's {x['k']!r}'"
    assert filled(text, {"x": {"k": "v"}}) == "'a' \"b\" {c} v\nit's 'v''"
