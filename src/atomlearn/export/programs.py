"""Export a classifier as a program of its own, in Python, JavaScript, C or SQL."""

from collections.abc import Callable, Iterable
from importlib.resources import files
from itertools import accumulate
from string import Template
from typing import TYPE_CHECKING, Any

from atomlearn.errors import InvalidParameter, UnsavableValue, suggest
from atomlearn.export.model import Atoms, Model, model_of
from atomlearn.export.sql import sql_source
from atomlearn.tables.numbers import float_below, has_large_integers
from atomlearn.views.page import as_json

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier


def template(name: str) -> Template:
    """Return a program with placeholders for a model."""
    folder = files("atomlearn.export").joinpath("templates")
    return Template(folder.joinpath(name).read_text(encoding="utf-8"))


def python_source(model: Model) -> str:
    """Return the source of the Python module."""
    rules = [(rule["text"], rule["literals"], rule["forbidden"]) for rule in model.rules]
    weighted = zip(model.weighted_class, model.weights, model.weighted, strict=True)
    return template("scorer.py.txt").substitute(
        columns=_list((one["name"], one["kind"]) for one in model.columns),
        labels=_list(model.labels),
        literals=_list(tuple(one) for one in model.literals),
        texts=_list(model.texts),
        prior=repr(model.offsets),
        slope=repr(model.slope),
        strict=_list(model.strict),
        weighted=_list(weighted),
        rules=_list(rules),
    )


def _list(values: Iterable[Any]) -> str:
    """Return a list with one value a line."""
    lines = "".join(f"    {value!r},\n" for value in values)
    return f"[\n{lines}]" if lines else "[]"


HEAD = """// Scores rows like the atomlearn classifier it was written from. Needs nothing else:
//   import { predict, predictProba, explain } from "./model.mjs";

"""


def javascript_source(model: Model) -> str:
    """Return the source of the JavaScript module."""
    code = files("atomlearn.explorer").joinpath("js").joinpath("scorer.js")
    scorer = code.read_text(encoding="utf-8").replace("\nexport ", "\n")
    footer = files("atomlearn.export").joinpath("templates").joinpath("footer.js.txt")
    return (
        f"{HEAD}{scorer}\nconst TEXTS = {as_json(model.texts)};\n"
        f"const MODEL = {_source(_description(model))};\n{footer.read_text(encoding='utf-8')}"
    )


def _source(value: Any) -> str:
    """Return a value as JavaScript; integers that a number would round are of type BigInt."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_json(key)}:{_source(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        is_long = any(isinstance(one, list | dict) for one in value) or has_large_integers(value)
        return f"[{','.join(map(_source, value))}]" if is_long else as_json(value)
    return f"{value}n" if has_large_integers([value]) else as_json(value)


def _description(model: Model) -> dict[str, Any]:
    """Return the model in the form that scorer.js evaluates."""
    strict = {"slope": model.slope, "atoms": [_flat(atoms) for atoms in model.strict]}
    weighted = {
        "classes": model.weighted_class,
        "weights": model.weights,
        "atoms": _flat(model.weighted),
    }
    return {
        "classes": model.labels,
        "columns": [{"name": one["name"], "kind": one["kind"]} for one in model.columns],
        "literals": model.literals,
        "offsets": model.offsets,
        "strict": strict if model.strict else None,
        "weighted": weighted if model.weighted else None,
        "rules": model.rules,
    }


def _flat(atoms: Atoms) -> dict[str, list[int]]:
    starts = accumulate((len(atom) for atom in atoms), initial=0)
    return {"starts": list(starts), "constants": [i for atom in atoms for i in atom]}


WRAP = 100


def c_source(model: Model) -> str:
    """Return the source of the C file."""
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
        prior=_joined(map(repr, model.offsets)),
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
    """Return the values that literals compare with, and the literals."""
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
    r"""Return a C string.

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
    """Return the values with commas, wrapped; an array may not be empty."""
    lines, line = [], ""
    for value in values:
        if line and len(line) + len(value) > WRAP:
            lines.append(line)
            line = ""
        line += f"{value}, "
    return "\n  ".join([*lines, line]).rstrip(", ") or nothing


WRITERS: dict[str, Callable[[Model], str]] = {
    "js": javascript_source,
    "c": c_source,
    "python": python_source,
}
KINDS = ("sql", *WRITERS)
"""The languages that a classifier can be exported to."""


def export_source(
    classifier: "AlgebraicClassifier", to: str, *, table: str = "data", key: str = "rowid"
) -> str:
    """Export a classifier as a program that scores rows as it does, with reasons.

    Parameters
    ----------
    classifier : AlgebraicClassifier
        The fitted classifier.
    to : {"sql", "js", "c", "python"}
        The language. The SQL is one query, for SQLite and DuckDB.
    table : str, default="data"
        Name of the table in SQL.
    key : str, default="rowid"
        Name of the column that identifies a row in SQL.

    Returns
    -------
    str
        The source of the program.

    Examples
    --------
    >>> from atomlearn import AlgebraicClassifier
    >>> clf = AlgebraicClassifier(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> space = {}
    >>> exec(export_source(clf, "python"), space)
    >>> space["predict"]([2.5])
    1
    """
    if to not in KINDS:
        raise InvalidParameter(f"there is no export to {to!r}{suggest(to, KINDS)}")
    model = model_of(classifier)
    return sql_source(model, table, key) if to == "sql" else WRITERS[to](model)
