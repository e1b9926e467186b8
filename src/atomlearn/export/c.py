"""A classifier as one C file."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from atomlearn.errors import UnsavableValue
from atomlearn.export.model import Model
from atomlearn.export.python import template
from atomlearn.tables.numbers import float_below, has_large_integers

WRAP = 100


def c_source(model: Model) -> str:
    """The source of the file."""
    atoms = [*(atom for ours in model.strict for atom in ours), *model.weighted]
    labels = [k for k, ours in enumerate(model.strict) for _ in ours]
    values, literals = _literals(model)
    rules = model.rules
    return template("scorer.c.txt").substitute(
        n_columns=len(model.columns),
        n_labels=len(model.labels),
        n_literals=len(model.literals),
        n_strict=len(labels),
        n_atoms=len(atoms),
        n_rules=len(rules),
        column_names=_joined(_text(one["name"]) for one in model.columns),
        labels=_joined(_text(str(label)) for label in model.labels),
        values=_joined(values, "{0, 0}"),
        literals=_joined(literals, "{0, 0, 0, 0, 0}"),
        texts=_joined(map(_text, model.texts)),
        prior=_joined(map(repr, model.prior)),
        slope=repr(model.slope),
        starts=_joined(map(str, _starts(atoms))),
        members=_joined(str(i) for atom in atoms for i in atom),
        atom_labels=_joined(map(str, [*labels, *model.weighted_class])),
        weights=_joined(map(repr, [*[0] * len(labels), *model.weights])),
        rule_texts=_joined(_text(rule["text"]) for rule in rules),
        rule_starts=_joined(map(str, _starts([rule["literals"] for rule in rules]))),
        rule_literals=_joined(str(i) for rule in rules for i in rule["literals"]),
        ban_starts=_joined(map(str, _starts([rule["forbidden"] for rule in rules]))),
        bans=_joined(str(k) for rule in rules for k in rule["forbidden"]),
    )


def _literals(model: Model) -> tuple[list[str], list[str]]:
    """The values that literals compare with, and the literals."""
    values: list[str] = []
    literals = []
    for column, operator, value in model.literals:
        first = len(values)
        kind, cut = model.columns[column]["kind"], 0.0
        if kind == "number" and has_large_integers([value]):
            raise UnsavableValue(
                f"column {model.columns[column]['name']!r} has integers beyond 2**53, which C "
                "would compare as rounded numbers: export to python, js or sql"
            )
        if operator in (">", "<="):
            op, cut = "AL_ABOVE" if operator == ">" else "AL_AT_MOST", float_below(value)
        elif operator in ("missing", "present"):
            op = f"AL_{operator.upper()}"
        elif kind == "boolean":
            op, cut = "AL_ABOVE" if value else "AL_AT_MOST", 0.5
        else:
            op = "AL_IN" if operator in ("=", "in") else "AL_NOT_IN"
            values += map(_cell, value if isinstance(value, list) else [value])
        literals.append(f"{{{column}, {op}, {first}, {len(values)}, {cut!r}}}")
    return values, literals


def _cell(value: Any) -> str:
    if has_large_integers([value]):  # a double would be another number
        value = str(value)
    return f"{{0, {_text(value)}}}" if isinstance(value, str) else f"{{{float(value)!r}, 0}}"


def _starts(lists: list[list[int]]) -> list[int]:
    return list(accumulate(map(len, lists), initial=0))


def _text(text: str) -> str:
    r"""A C string.

    >>> print(_text('a "b"\né??'))
    "a \"b\"\012\303\251\?\?"
    """
    if "\x00" in text:
        raise UnsavableValue(f"{text!r} cannot be written in C, where text ends at the first NUL")
    plain = {ord('"'): r"\"", ord("\\"): r"\\", ord("?"): r"\?"}
    return '"' + "".join(
        plain.get(byte, chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        for byte in text.encode("utf-8", "surrogatepass")
    ) + '"'  # fmt: skip


def _joined(values: Iterable[str], nothing: str = "0") -> str:
    """The values with commas, wrapped; an array may not be empty."""
    lines, line = [], ""
    for value in values:
        if line and len(line) + len(value) > WRAP:
            lines.append(line)
            line = ""
        line += f"{value}, "
    return "\n  ".join([*lines, line]).rstrip(", ") or nothing
