"""Export a model of a table as a program of its own, in Python, JavaScript, C or SQL.

In SQL, the true literals of a row become a text of zeros and ones; an atom is a row of a list of
values with the positions of its literals. Programs of compact models are written in
:mod:`atomlearn.export.cards`, those of regressors in :mod:`atomlearn.export.numbers`.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from itertools import accumulate
from string import Template
from typing import Any

from atomlearn.errors import ExportTooLarge, InvalidParameter, UnsavableValue, suggest
from atomlearn.export.description import Atoms, Model, boundary, model_of
from atomlearn.tables.numbers import float_below, has_large_integers
from atomlearn.views.page import as_json

MOST_ATOMS = 20_000
"""Maximum number of atoms: each row is compared with each atom, so that more would take too long.
"""
MOST_REASONS = 3

QUERY = """\
-- Scores the rows of {table} like the atomlearn classifier it was written from: for each row and
-- label the probability, whether it is predicted, and the missed atoms that change it most, with
-- what each adds to the log-odds. For SQLite (with its mathematical functions) and DuckDB; other
-- databases need CTEs with lists of values, window functions, SUBSTR, EXP and LN.
WITH
truth AS (SELECT t.{key} AS row_id,
  {bits}
  AS bits FROM {table} t),
labels (label_no, label, prior) AS (VALUES
  {labels}),
atoms (atom, label_no, weight, told{places}) AS (VALUES
  {atoms}),
bans (label_no, told{rule_places}) AS (VALUES
  {bans}),
missed AS (SELECT t.row_id, a.atom, a.label_no, a.weight, a.told FROM truth t JOIN atoms a
  ON NOT ({has})),
counted AS (SELECT row_id, label_no, SUM(CASE WHEN weight IS NULL THEN 1 ELSE 0 END) AS strict,
  SUM(COALESCE(weight, 0.0)) AS weighted FROM missed GROUP BY row_id, label_no),
banned AS (SELECT t.row_id, b.label_no, MIN(b.told) AS told FROM truth t JOIN bans b
  ON {met} GROUP BY t.row_id, b.label_no),
obeyed AS (SELECT row_id FROM banned GROUP BY row_id HAVING COUNT(*) < {n_labels}),
scored AS (SELECT t.row_id, l.label_no, l.label, COALESCE(c.strict, 0) AS strict, b.told AS ban,
  CASE WHEN b.told IS NULL THEN l.prior - {slope} * LN(COALESCE(c.strict, 0) + 1.0)
    + COALESCE(c.weighted, 0.0) ELSE -1e300 END AS score
  FROM truth t CROSS JOIN labels l
  LEFT JOIN counted c ON c.row_id = t.row_id AND c.label_no = l.label_no
  LEFT JOIN (SELECT b.* FROM banned b JOIN obeyed o ON o.row_id = b.row_id) b
    ON b.row_id = t.row_id AND b.label_no = l.label_no),
chances AS (SELECT s.*, CASE WHEN score - MAX(score) OVER (PARTITION BY row_id) < -700 THEN 0.0
  ELSE EXP(score - MAX(score) OVER (PARTITION BY row_id)) END AS chance,
  ROW_NUMBER() OVER (PARTITION BY row_id ORDER BY score DESC, label_no) AS place FROM scored s),
changes AS (SELECT m.row_id, m.label_no, m.atom, m.told, COALESCE(m.weight,
  -{slope} * LN((c.strict + 1.0) / c.strict)) AS change FROM missed m
  JOIN counted c ON c.row_id = m.row_id AND c.label_no = m.label_no),
ranked AS (SELECT row_id, label_no, told, change, ROW_NUMBER() OVER (
  PARTITION BY row_id, label_no ORDER BY ABS(change) DESC, atom) AS place FROM changes),
reasons AS (SELECT row_id, label_no,
  {reasons}
  FROM ranked WHERE place <= {most} GROUP BY row_id, label_no)
SELECT c.row_id, c.label, c.chance / SUM(c.chance) OVER (PARTITION BY c.row_id) AS probability,
  CASE WHEN c.place = 1 THEN 1 ELSE 0 END AS is_predicted, c.ban AS forbidden_by,
  {reason_columns}
FROM chances c LEFT JOIN reasons r ON r.row_id = c.row_id AND r.label_no = c.label_no
ORDER BY c.row_id, c.place
"""


def sql_source(model: Model, table: str, key: str) -> str:
    """Return the query."""
    if model.n_atoms > MOST_ATOMS:
        raise ExportTooLarge(
            f"a query can have at most {MOST_ATOMS:,} atoms, and the classifier has "
            f"{model.n_atoms:,}: export to c, js or python, or fit with evidence='weighted'"
        )
    atoms = [
        (k, None, atom) for k, ours in enumerate(model.strict) for atom in ours
    ] + list(zip(model.weighted_class, model.weights, model.weighted, strict=True))  # fmt: skip
    longest = max((len(atom) for _, _, atom in atoms), default=0)
    conditions = max((len(rule["literals"]) for rule in model.rules), default=0)
    reasons, reason_columns = reasons_in_sql()
    return QUERY.format(
        table=sql_name(table),
        key=sql_name(key),
        bits=balanced([_bit(model, one) for one in model.literals]) or "''",
        labels=sql_rows(
            [k, sql_value(label), repr(prior)]
            for k, (label, prior) in enumerate(zip(model.labels, model.offsets, strict=True))
        ),
        places=_place_names(longest),
        atoms=sql_rows(
            [i, k, "NULL" if weight is None else repr(weight), sql_text(model.text(atom)),
             *_padded(atom, longest)]
            for i, (k, weight, atom) in enumerate(atoms)
        ) or no_row(4 + longest),
        rule_places=_place_names(conditions),
        bans=sql_rows(
            [k, sql_text(rule["text"]), *_padded(rule["literals"], conditions)]
            for rule in model.rules for k in rule["forbidden"]
        ) or no_row(2 + conditions),
        has=" OR ".join(_is_one("a", i) for i in range(longest)) or "1 = 0",
        met=" AND ".join(f"(b.p{i} = 0 OR {_is_one('b', i)})" for i in range(conditions))
        or "1 = 0",
        n_labels=len(model.labels),
        slope=repr(model.slope),
        most=MOST_REASONS,
        reasons=reasons,
        reason_columns=reason_columns,
    )  # fmt: skip


def reasons_in_sql() -> tuple[str, str]:
    """Return the reasons of a row and label by their places, and their columns."""
    numbered = range(1, MOST_REASONS + 1)
    by_place = ",\n  ".join(
        f"MAX(CASE WHEN place = {i} THEN told END) AS reason_{i}, "
        f"MAX(CASE WHEN place = {i} THEN change END) AS change_{i}"
        for i in numbered
    )
    return by_place, ", ".join(f"r.reason_{i}, r.change_{i}" for i in numbered)


def _bit(model: Model, literal: Sequence[Any]) -> str:
    return f"CASE WHEN {sql_condition(model, literal)} THEN '1' ELSE '0' END"


def sql_condition(model: Model, literal: Sequence[Any]) -> str:
    """Return the literal as a condition; a comparison with NULL is not true."""
    column, operator, value = literal
    cell = f"t.{sql_name(model.columns[column]['name'])}"
    if operator in ("missing", "present"):
        return f"{cell} IS {'NOT ' * (operator == 'present')}NULL"
    if operator in ("> column", "<= column"):
        return f"{cell} {operator.split()[0]} t.{sql_name(model.columns[value]['name'])}"
    if model.columns[column]["kind"] == "boolean":
        return f"CAST({cell} AS INTEGER) {'=' if value else '<>'} 1"
    if operator in (">", "<="):
        cut, included = boundary(value)
        sign = {">": ">=", "<=": "<"}[operator] if included else operator
        return f"{cell} {sign} {cut!r}"
    if operator in ("in", "not in"):
        return f"{cell} {operator.upper()} ({', '.join(map(sql_value, value))})"
    return f"{cell} {'=' if operator == '=' else '<>'} {sql_value(value)}"


def _is_one(alias: str, i: int) -> str:
    return f"SUBSTR(t.bits, {alias}.p{i}, 1) = '1'"


def _padded(literals: Sequence[int], length: int) -> list[int]:
    """Return positions from 1; 0 is before the text and never matches."""
    return [*(i + 1 for i in literals), *[0] * (length - len(literals))]


def _place_names(length: int) -> str:
    return "".join(f", p{i}" for i in range(length))


def sql_rows(rows: Any) -> str:
    """Return the rows of a list of values."""
    return ",\n  ".join(f"({', '.join(map(str, row))})" for row in rows)


def no_row(width: int) -> str:
    """Return a row of a label that does not exist: a list of values may not be empty."""
    return f"({', '.join(['-1'] * 2 + ['NULL'] * (width - 2))})"


def balanced(parts: list[str]) -> str:
    """Join the parts in a tree, because databases limit the depth of an expression."""
    if len(parts) <= 1:
        return "".join(parts)
    half = len(parts) // 2
    return f"({balanced(parts[:half])}\n  || {balanced(parts[half:])})"


def sql_name(name: str) -> str:
    """Return a quoted name."""
    _refuse_nul(name)
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def sql_text(text: str) -> str:
    """Return quoted text."""
    _refuse_nul(text)
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def _refuse_nul(text: str) -> None:
    if "\x00" in text:
        raise UnsavableValue(f"{text!r} cannot be written in SQL, which has no NUL in text")


def sql_value(value: Any) -> str:
    """Return a label or category; truth values are 1 and 0."""
    if isinstance(value, str):
        return sql_text(value)
    return str(int(value)) if isinstance(value, bool) else repr(value)


def template(name: str) -> Template:
    """Return a program with placeholders for a model."""
    folder = files("atomlearn.export").joinpath("templates")
    return Template(folder.joinpath(name).read_text(encoding="utf-8"))


def python_source(model: Model) -> str:
    """Return the source of the Python module."""
    rules = [(rule["text"], rule["literals"], rule["forbidden"]) for rule in model.rules]
    weighted = zip(model.weighted_class, model.weights, model.weighted, strict=True)
    return template("scorer.py.txt").substitute(
        columns=python_list((one["name"], one["kind"]) for one in model.columns),
        labels=python_list(model.labels),
        literals=python_list(tuple(one) for one in model.literals),
        texts=python_list(model.texts),
        prior=repr(model.offsets),
        slope=repr(model.slope),
        strict=python_list(model.strict),
        weighted=python_list(weighted),
        rules=python_list(rules),
    )


def python_list(values: Iterable[Any]) -> str:
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
        f"const MODEL = {js_value(_description(model))};\n{footer.read_text(encoding='utf-8')}"
    )


def js_value(value: Any) -> str:
    """Return a value as JavaScript; integers that a number would round are of type BigInt."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_json(key)}:{js_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        is_long = any(isinstance(one, list | dict) for one in value) or has_large_integers(value)
        return f"[{','.join(map(js_value, value))}]" if is_long else as_json(value)
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
        column_names=c_array(c_text(one["name"]) for one in model.columns),
        labels=c_array(c_text(str(label)) for label in model.labels),
        values=c_array(values, "{0, 0}"),
        literals=c_array(literals, "{0, 0, 0, 0, 0}"),
        texts=c_array(map(c_text, model.texts)),
        prior=c_array(map(repr, model.offsets)),
        slope=repr(model.slope),
        starts=c_array(map(str, _starts(atoms))),
        members=c_array(str(i) for atom in atoms for i in atom),
        atom_labels=c_array(map(str, [*labels, *model.weighted_class])),
        weights=c_array(map(repr, [*[0] * len(labels), *model.weights])),
        rule_texts=c_array(c_text(rule["text"]) for rule in rules),
        rule_starts=c_array(map(str, _starts([rule["literals"] for rule in rules]))),
        rule_literals=c_array(str(i) for rule in rules for i in rule["literals"]),
        ban_starts=c_array(map(str, _starts([rule["forbidden"] for rule in rules]))),
        bans=c_array(str(k) for rule in rules for k in rule["forbidden"]),
    )


def _literals(model: Model) -> tuple[list[str], list[str]]:
    """Return the values that literals compare with, and the literals."""
    values: list[str] = []
    literals = []
    for column, operator, value in model.literals:
        first = len(values)
        kind, cut = model.columns[column]["kind"], 0.0
        if not operator.endswith(" column"):
            refuse_large_integers(model.columns[column], value)
        if operator in ("> column", "<= column"):
            op = "AL_ABOVE_COLUMN" if operator == "> column" else "AL_AT_MOST_COLUMN"
            literals.append(f"{{{column}, {op}, {value}, {value}, 0.0}}")
            continue
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


def refuse_large_integers(column: dict[str, Any], value: Any) -> None:
    """Raise an error if C would compare the numbers of a column with a rounded one."""
    if column["kind"] == "number" and has_large_integers([value]):
        raise UnsavableValue(
            f"column {column['name']!r} has integers beyond 2**53, which C "
            "would compare as rounded numbers: export to python, js or sql"
        )


def _cell(value: Any) -> str:
    if has_large_integers([value]):  # a double would be another number
        value = str(value)
    return f"{{0, {c_text(value)}}}" if isinstance(value, str) else f"{{{float(value)!r}, 0}}"


def _starts(lists: list[list[int]]) -> list[int]:
    return list(accumulate(map(len, lists), initial=0))


def c_text(text: str) -> str:
    r"""Return a C string.

    >>> print(c_text('a "b"\né??'))
    "a \"b\"\012\303\251\?\?"
    """
    if "\x00" in text:
        raise UnsavableValue(f"{text!r} cannot be written in C, where text ends at the first NUL")
    plain = {ord('"'): r"\"", ord("\\"): r"\\", ord("?"): r"\?"}
    return '"' + "".join(
        plain.get(byte, chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        for byte in text.encode("utf-8", "surrogatepass")
    ) + '"'  # fmt: skip


def c_array(values: Iterable[str], nothing: str = "0") -> str:
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


def export_source(classifier: Any, to: str, *, table: str = "data", key: str = "rowid") -> str:
    """Export a classifier or a regressor as a program that predicts as it does, with reasons.

    Parameters
    ----------
    classifier : AlgebraicClassifier or AlgebraicRegressor
        The fitted model.
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
    if to == "onnx":
        raise InvalidParameter("ONNX is no program text: call to_onnx(path)")
    if to not in KINDS:
        raise InvalidParameter(f"there is no export to {to!r}{suggest(to, KINDS)}")
    for what, name in (("table", table), ("key", key)):
        if to == "sql" and not (name and name.isprintable()):
            raise InvalidParameter(f"{what}={name!r} is not the name of a {what}")
    model = model_of(classifier)
    if model.number is not None:
        from atomlearn.export.numbers import number_source  # which uses the helpers of this file

        return number_source(model, to, table, key)
    if model.card is not None:
        from atomlearn.export.cards import card_source  # which uses the helpers of this file

        return card_source(model, model.card, to, table, key)
    return sql_source(model, table, key) if to == "sql" else WRITERS[to](model)
