"""Statements about a number: how they are read, proved and counted."""

from collections.abc import Sequence
from typing import Any

from atomlearn.tables.rules import Statement, monotone_statements, parse_rules


def read_statements(
    rules: Any, monotonic_cst: Any, columns: Sequence[str], target: str
) -> list[Statement]:
    """Return statements about the target, which is the second of two classes for the others.

    >>> read_statements(["y <= 9 if rooms < 2"], {"rooms": 1}, ["rooms"], "price")
    [Rule('price <= 9 if rooms < 2'), MonotoneStatement('price rises with rooms')]
    """
    found: list[Statement] = []
    if rules:
        found += parse_rules(rules, columns, (), doubt=True, target=target)
    if monotonic_cst is not None:
        found += monotone_statements(monotonic_cst, columns, [None, target])
    return found
