"""Export a compact model as a program that a person could have written: an ``if`` for each rule.

Python, JavaScript and C read a missing number as NaN, of which ``>``, ``<=`` and ``=`` are false,
and any other missing value equals no category. So only ``!=`` has to ask for a value first.

Of two labels only the second has points. Of more, the offset is added last, as the classifier does:
floating-point numbers would otherwise break ties between labels in another way.
"""

from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any, NamedTuple

from atomlearn.errors import ExportTooLarge
from atomlearn.export.description import LARGEST, Model, boundary
from atomlearn.export.programs import (
    c_array,
    c_text,
    js_value,
    no_row,
    python_list,
    reasons_in_sql,
    refuse_large_integers,
    sql_condition,
    sql_name,
    sql_rows,
    sql_text,
    sql_value,
    template,
)
from atomlearn.tables.numbers import MOST_EXACT, has_large_integers

MOST_RULES = 900
"""Maximum number of rules in SQL: databases limit the depth of an expression to 1,000."""


class Rule(NamedTuple):
    """A rule of the card, or a hard rule that forbids labels."""

    conditions: list[list[int]]
    """Literals of which a row must have one, for each condition."""
    points: dict[int, int]
    """The points of each label, except zeros."""
    text: str
    forbidden: Sequence[int] = ()


class Program(NamedTuple):
    """What is to be written."""

    model: Model
    scale: float
    offsets: list[float]
    rules: list[Rule]
    hard: list[Rule]

    @property
    def labels(self) -> list[Any]:
        """The labels."""
        return self.model.labels

    @property
    def is_binary(self) -> bool:
        """Whether there are two labels, of which only the second has points."""
        return len(self.labels) == 2


def card_source(model: Model, card: dict[str, Any], to: str, table: str, key: str) -> str:
    """Return the source of a program that scores rows by a card."""
    offsets = [max(one, -LARGEST) for one in card["offsets"]]
    points = [rule["points"] for rule in card["rules"]]
    rules = [
        Rule(
            _joined(model, rule["conditions"]),
            {k: n for k, n in enumerate(ours) if n},
            rule["text"],
        )
        for rule, ours in zip(card["rules"], points, strict=True)
    ]
    hard = [
        Rule([[i] for i in rule["literals"]], {}, rule["text"], rule["forbidden"])
        for rule in model.rules
    ]
    program = Program(model, card["scale"], offsets, rules, hard)
    return _sql(program, table, key) if to == "sql" else WRITERS[to](program)


def _joined(model: Model, conditions: list[list[int]]) -> list[list[int]]:
    """Join the categories that a column must not have: not a, and not b, is not in {a, b}."""
    groups: dict[Any, list[list[int]]] = {}
    for i, condition in enumerate(conditions):
        column, operator, _ = model.literals[condition[0]]
        is_category = model.columns[column]["kind"] == "category"
        excludes = is_category and operator in ("!=", "not in")
        groups.setdefault((column, *condition[1:]) if excludes else i, []).append(condition)
    out = []
    for (first, *rest), *others in groups.values():
        if others:
            ours = [model.literals[one[0]] for one in ([first], *others)]
            values = [v for *_, one in ours for v in (one if isinstance(one, list) else [one])]
            first = len(model.literals)
            model.literals.append([ours[0][0], "not in", values])
        out.append([first, *rest])
    return out


class Language(NamedTuple):
    """How conditions are written."""

    cell: Callable[[int, str], str]
    """A cell, by the place and the name of its column."""
    test: Callable[[str, str, str, Any], str]
    """A comparison of a cell with a value, by the kind of the column and the operator. Those with
    ``!=`` and ``not in`` are true of a missing value."""
    is_missing: str
    negation: str
    both: str
    either: str
    always: str


def condition_text(model: Model, conditions: Sequence[Sequence[int]], language: Language) -> str:
    """Return the conditions of a rule, all of which a row must meet."""
    told = []
    for literals in conditions:
        tests = tests_of(model, [model.literals[i] for i in literals], language)
        joined = f" {language.either} ".join(tests)
        told.append(f"({joined})" if len(tests) > 1 and len(conditions) > 1 else joined)
    return f" {language.both} ".join(told) or language.always


def tests_of(model: Model, literals: list[list[Any]], language: Language) -> list[str]:
    """Return tests of which a row must pass one."""
    out = []
    for column, operator, value in literals:
        operators = {other for own, other, _ in literals if own == column}
        or_missing = "missing" in operators
        name, kind = model.columns[column]["name"], model.columns[column]["kind"]
        cell = language.cell(column, name)
        is_missing = language.is_missing.format(cell)
        if operator == "missing":
            if not operators & {"!=", "not in"}:  # which are true of a missing value
                out.append(is_missing)
        elif operator == "present":
            out.append(f"{language.negation}{is_missing}")
        else:
            if operator.endswith(" column"):
                other = language.cell(value, model.columns[value]["name"])
                number = ".number" * (language.test is _c_test)
                told = f"{cell}{number} {operator.split()[0]} {other}{number}"
            else:
                told = language.test(cell, kind, operator, value)
            if operator in ("!=", "not in") and not or_missing:
                told = f"{language.negation}{is_missing} {language.both} {told}"
                told = f"({told})" if len(literals) > 1 else told
            out.append(told)
    return out


def _order(cell: str, operator: str, value: Any, number: Callable[[Any], str]) -> str:
    cut, is_included = boundary(value)
    sign = {">": ">=", "<=": "<"}[operator] if is_included else operator
    return f"{cell} {sign} {number(cut)}"


def _number(value: Any) -> str:
    """Return a number as a person writes it.

    >>> _number(29.0), _number(0.25), _number(-3)
    ('29', '0.25', '-3')
    """
    is_whole = isinstance(value, float) and abs(value) < MOST_EXACT and value == int(value)
    return str(int(value)) if is_whole else repr(value)


def python_value(value: Any) -> str:
    """Return a value as Python, text in double quotes where it can be."""
    if not isinstance(value, str):
        return repr(value)
    is_plain = value.isprintable() and '"' not in value and "\\" not in value
    return f'"{value}"' if is_plain else repr(value)


def _python_test(cell: str, kind: str, operator: str, value: Any) -> str:
    if kind == "boolean":
        return cell if value else f"{cell} is False"
    if operator in (">", "<="):
        return _order(cell, operator, value, _number)
    if operator in ("in", "not in"):
        comma = "," * (len(value) == 1)
        return f"{cell} {operator} ({', '.join(map(python_value, value))}{comma})"
    told = python_value(value) if kind == "category" else _number(value)
    return f"{cell} {'==' if operator == '=' else '!='} {told}"


def _js_category(value: Any) -> str:
    """Return a category as ``category`` of the program returns a cell."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float) and abs(value) >= MOST_EXACT and value == int(value):
        return f"{int(value)}n"
    return js_value(value)


def _js_number(value: Any) -> str:
    return js_value(value) if has_large_integers([value]) else _number(value)


def _js_test(cell: str, kind: str, operator: str, value: Any) -> str:
    if kind == "boolean":
        return f"{cell} === {'true' if value else 'false'}"
    if operator in (">", "<="):
        return _order(cell, operator, value, _js_number)
    if operator in ("in", "not in"):
        listed = f"[{', '.join(map(_js_category, value))}].includes({cell})"
        return listed if operator == "in" else f"!{listed}"
    sign = "=" if operator == "=" else "!"
    if kind == "category":
        return f"{cell} {sign}== {_js_category(value)}"
    return f"{cell} {sign}= {_js_number(value)}"  # a number may be of either type


def _c_test(cell: str, kind: str, operator: str, value: Any) -> str:
    if kind == "boolean":
        return f"{cell}.number {'>' if value else '<='} 0.5"
    if operator in (">", "<="):
        return _order(f"{cell}.number", operator, value, _c_number)
    if kind == "number":
        return f"{cell}.number {'==' if operator == '=' else '!='} {_c_number(value)}"
    tests = [_c_equals(cell, one) for one in (value if isinstance(value, list) else [value])]
    joined = f"({' || '.join(tests)})" if len(tests) > 1 else tests[0]
    return joined if operator in ("=", "in") else f"!{joined}"


def _c_equals(cell: str, value: Any) -> str:
    if has_large_integers([value]):  # a double would be another number
        value = str(value)
    if isinstance(value, str):
        return f"AL_IS({cell}, {c_text(value)})"
    return f"AL_EQUALS({cell}, {_c_number(value)})"


def _c_number(value: Any) -> str:
    return repr(float(value))


PYTHON = Language(
    lambda _, name: f"row[{python_value(name)}]",
    _python_test,
    "missing({})",
    "not ",
    "and",
    "or",
    "True",
)
JAVASCRIPT = Language(
    lambda _, name: f"row[{js_value(name)}]", _js_test, "isMissing({})", "!", "&&", "||", "true"
)
C = Language(lambda column, _: f"row[{column}]", _c_test, "AL_MISSING({})", "!", "&&", "||", "1")

TWO = "Of two labels the probability is 1 / (1 + exp(-score))."
MORE = "Probabilities are the softmax of the scores."

PYTHON_TWO = '''\
def points(row):
    """The points of %(label)s, which is predicted if they are above 0, and what they are for."""
    %(name)s = %(offset)s
    met = [(%(name)s, "always")]%(rules)s
    return %(name)s, met'''

PYTHON_TWO_SUMS = '''\
def _sums(row):
    """The sum and its parts of each label: points for one are points against the other."""
    total, met = points(row)
    return [(-total, [(-n, text) for n, text in met]), (total, met)]'''

PYTHON_MORE = '''\
def points(row):
    """The points of each label, and what they are for."""
    met = [({%(offsets)s}, "always")]%(rules)s
    return met'''

PYTHON_MORE_SUMS = '''\
def _sums(row):
    """The sum and its parts of each label; the offset is added last."""
    met = points(row)
    parts = [[(n[label], text) for n, text in met if label in n] for label in LABELS]
    return [(sum(n for n, _ in ours[::-1]), ours) for ours in parts]'''


TOTAL = "total"
"""Name of the points of a label that cannot be a name itself."""


def _python(program: Program) -> str:
    """Return the source of the Python module."""
    model, rules = program.model, []
    name = _variable(program.labels[-1])
    for rule in program.rules:
        rules.append(f"    if {condition_text(model, rule.conditions, PYTHON)}:")
        told = python_value(rule.text)
        if program.is_binary:
            n = rule.points.get(1, 0)
            rules += [f"        {_added(name, n)}", f"        met.append(({n}, {told}))"]
        else:
            rules.append(f"        met.append(({{{_by_label(program, rule.points)}}}, {told}))")
    hard = []
    for rule in program.hard:
        labels = [program.labels[k] for k in rule.forbidden]
        hard.append(f"    if {condition_text(model, rule.conditions, PYTHON)}:")
        hard.append(f"        met.append(({labels!r}, {python_value(rule.text)}))")
    lines = (PYTHON_TWO if program.is_binary else PYTHON_MORE) % {
        "label": "the second label" if name == TOTAL else f"{name!r}",
        "name": name,
        "offset": _number(program.offsets[-1]),
        "offsets": _by_label(program, dict(enumerate(program.offsets))),
        "rules": "".join(f"\n{line}" for line in rules),
    }
    return template("card.py.txt").substitute(
        columns=python_list((one["name"], one["kind"]) for one in model.columns),
        used=used_columns(model),
        cells=template("cells.py.txt").template,
        labels=python_list(program.labels),
        scale=repr(program.scale),
        points=lines,
        forbidden="".join(f"\n{line}" for line in hard),
        sums=PYTHON_TWO_SUMS if program.is_binary else PYTHON_MORE_SUMS,
        formula=TWO if program.is_binary else MORE,
        scores="[0.0, SCALE * points(row)[0]]"
        if program.is_binary
        else "[SCALE * total for total, _ in _sums(row)]",
    )


def used_columns(model: Model) -> str:
    """Return the names of the columns that literals ask for, as a set in Python."""
    compared = {value for _, operator, value in model.literals if operator.endswith(" column")}
    columns = sorted({column for column, _, _ in model.literals} | compared)
    used = [python_value(model.columns[column]["name"]) for column in columns]
    return f"{{{', '.join(used)}}}" if used else "set()"


def _variable(label: Any) -> str:
    """Return a name for the points of a label.

    >>> _variable("good"), _variable("it's"), _variable(1)
    ('good', 'total', 'total')
    """
    is_name = isinstance(label, str) and label.isascii() and label.isidentifier()
    reserved = iskeyword(label) or label in ("row", "met", "missing") if is_name else True
    return TOTAL if reserved else label


def _added(name: str, points: int) -> str:
    return f"{name} {'-' if points < 0 else '+'}= {abs(points)}"


def _by_label(program: Program, points: dict[int, Any]) -> str:
    return ", ".join(f"{python_value(program.labels[k])}: {_number(points[k])}" for k in points)


JS_TWO = """\
// The points of the second label, which is predicted if they are above 0, and what they are for.
function points(row) {
  let total = %(offset)s;
  const met = [[total, "always"]];%(rules)s
  return [total, met];
}"""

JS_TWO_SUMS = """\
// The sum and its parts of each label: points for one are points against the other.
function sums(row) {
  const [total, met] = points(row);
  return [[-total, met.map(([n, text]) => [-n, text])], [total, met]];
}"""

JS_MORE = """\
// The points of each label by its place, and what they are for.
function points(row) {
  const met = [[{%(offsets)s}, "always"]];%(rules)s
  return met;
}"""

JS_MORE_SUMS = """\
// The sum and its parts of each label; the offset is added last.
function sums(row) {
  const met = points(row);
  return labels.map((_, k) => {
    const parts = met.filter(([n]) => k in n).map(([n, text]) => [n[k], text]);
    return [parts.reduceRight((sum, [n]) => sum + n, 0), parts];
  });
}"""


def _javascript(program: Program) -> str:
    """Return the source of the JavaScript module."""
    model, rules = program.model, []
    for rule in program.rules:
        rules.append(f"  if ({condition_text(model, rule.conditions, JAVASCRIPT)}) {{")
        told = js_value(rule.text)
        if program.is_binary:
            n = rule.points.get(1, 0)
            rules += [f"    {_added(TOTAL, n)};", f"    met.push([{n}, {told}]);"]
        else:
            rules.append(f"    met.push([{{{_by_place(rule.points)}}}, {told}]);")
        rules.append("  }")
    hard = [
        f"  if ({condition_text(model, rule.conditions, JAVASCRIPT)}) "
        f"met.push([{list(rule.forbidden)}, {js_value(rule.text)}]);"
        for rule in program.hard
    ]
    lines = (JS_TWO if program.is_binary else JS_MORE) % {
        "offset": _number(program.offsets[-1]),
        "offsets": _by_place(dict(enumerate(program.offsets))),
        "rules": "".join(f"\n{line}" for line in rules),
    }
    return template("card.js.txt").substitute(
        columns=js_value([[one["name"], one["kind"]] for one in model.columns]),
        cells=template("cells.js.txt").template,
        labels=js_value(program.labels),
        scale=repr(program.scale),
        points=lines,
        forbidden="".join(f"\n{line}" for line in hard),
        sums=JS_TWO_SUMS if program.is_binary else JS_MORE_SUMS,
        formula=TWO if program.is_binary else MORE,
        scores="[0, SCALE * points(row)[0]]"
        if program.is_binary
        else "sums(row).map(([sum]) => SCALE * sum)",
    )


def _by_place(points: dict[int, Any]) -> str:
    return ", ".join(f"{k}: {_number(n)}" for k, n in points.items())


def _c(program: Program) -> str:
    """Return the source of the C file."""
    model, rules, hard = program.model, [], []
    for column, _, value in model.literals:
        refuse_large_integers(model.columns[column], value)
    for i, rule in enumerate(program.rules):
        given = " ".join(f"points[{i}][{k}] = {n};" for k, n in rule.points.items())
        rules.append(
            f"  if ({condition_text(model, rule.conditions, C)}) {{ /* {comment(rule.text)} */"
        )
        rules += [f"    {given}", "  }"]
    for i, rule in enumerate(program.hard):
        given = " = ".join(f"banned[{i}][{k}]" for k in rule.forbidden)
        hard.append(
            f"  if ({condition_text(model, rule.conditions, C)}) {{ /* {comment(rule.text)} */"
        )
        hard += [f"    {given} = 1;" if given else "", "  }"]
    return template("card.c.txt").substitute(
        n_columns=len(model.columns),
        n_labels=len(program.labels),
        n_rules=len(program.rules),
        n_hard=len(program.hard),
        column_names=c_array(c_text(one["name"]) for one in model.columns),
        labels=c_array(c_text(str(label)) for label in program.labels),
        rules=c_array(c_text(rule.text) for rule in program.rules),
        hard_rules=c_array(c_text(rule.text) for rule in program.hard),
        scale=repr(program.scale),
        offsets=c_array(map(repr, program.offsets)),
        points="\n".join(rules) or "  (void)row, (void)points;",
        forbidden="\n".join(hard) or "  (void)row, (void)banned;",
    )


def comment(text: str) -> str:
    """Return the text of a rule without signs that would end a comment."""
    return "".join(c if c.isprintable() and c not in "*\\?" else " " for c in text)


SQL_TWO = "-- Points are for the second label; for the first, their sign is changed.\n"

QUERY = """\
-- The scorecard of an atomlearn classifier: for each row of {table} and label the probability,
-- whether it is predicted, and the rules met that have the most points, with their points.
{note}-- For SQLite (with its mathematical functions) and DuckDB; other databases need CTEs with
-- lists of values, window functions and EXP.
WITH
card_labels (label_no, label, offset_points) AS (VALUES
  {labels}),
card_rules (rule_no, told) AS (VALUES
  {texts}),
card_points AS (SELECT t.{key} AS row_id, l.label_no, l.label, l.offset_points,
  {points}
  {bans} AS ban
  FROM {table} t CROSS JOIN card_labels l),
card_sums AS (SELECT p.*,
  {total} + offset_points AS total,
  CASE WHEN COUNT(ban) OVER (PARTITION BY row_id) < {n_labels} THEN ban END AS obeyed
  FROM card_points p),
card_scores AS (SELECT s.*, CASE WHEN obeyed IS NULL THEN {scale} * {score} ELSE -1e300 END AS score
  FROM card_sums s),
card_chances AS (SELECT s.*, CASE WHEN score - MAX(score) OVER (PARTITION BY row_id) < -700 THEN 0.0
  ELSE EXP(score - MAX(score) OVER (PARTITION BY row_id)) END AS chance,
  ROW_NUMBER() OVER (PARTITION BY row_id ORDER BY score DESC, label_no) AS place
  FROM card_scores s),
card_changes AS (SELECT p.row_id, p.label_no, r.rule_no, r.told, {sign}CASE r.rule_no
  {changes} END AS change FROM card_points p CROSS JOIN card_rules r),
card_ranked AS (SELECT c.*, ROW_NUMBER() OVER (
  PARTITION BY row_id, label_no ORDER BY ABS(change) DESC, rule_no) AS place
  FROM card_changes c WHERE change <> 0),
card_reasons AS (SELECT row_id, label_no,
  {reasons}
  FROM card_ranked GROUP BY row_id, label_no)
SELECT c.row_id, c.label, c.chance / SUM(c.chance) OVER (PARTITION BY c.row_id) AS probability,
  CASE WHEN c.place = 1 THEN 1 ELSE 0 END AS is_predicted, c.obeyed AS forbidden_by,
  {reason_columns}
FROM card_chances c LEFT JOIN card_reasons r ON r.row_id = c.row_id AND r.label_no = c.label_no
ORDER BY c.row_id, c.place
"""


def _sql(program: Program, table: str, key: str) -> str:
    """Return the query."""
    if len(program.rules) > MOST_RULES:
        raise ExportTooLarge(
            f"a query can have at most {MOST_RULES:,} rules, and the scorecard has "
            f"{len(program.rules):,}: export to c, js or python"
        )
    rules = list(enumerate(program.rules, start=1))
    reasons, reason_columns = reasons_in_sql()
    # Of two labels the rules have the points of the second, for both lines of a row.
    offsets = program.offsets[-1:] * 2 if program.is_binary else program.offsets
    return QUERY.format(
        table=sql_name(table),
        key=sql_name(key),
        note=SQL_TWO if program.is_binary else "",
        labels=sql_rows(
            [k, sql_value(label), repr(offset)]
            for k, (label, offset) in enumerate(zip(program.labels, offsets, strict=True))
        ),
        texts=sql_rows([i, sql_text(rule.text)] for i, rule in rules) or no_row(2),
        points="\n  ".join(
            f"CASE WHEN {sql_conditions(program.model, rule.conditions)} "
            f"THEN {_sql_points(program, rule)} ELSE 0 END AS rule_{i},"
            for i, rule in rules
        ),
        bans=_sql_bans(program),
        total=" + ".join(f"rule_{i}" for i, _ in rules) or "0",
        n_labels=len(program.labels),
        scale=repr(program.scale),
        score="label_no * total" if program.is_binary else "total",
        sign="(2 * p.label_no - 1) * " if program.is_binary else "",
        changes=" ".join(f"WHEN {i} THEN rule_{i}" for i, _ in rules) or "WHEN 0 THEN 0",
        reasons=reasons,
        reason_columns=reason_columns,
    )


def sql_conditions(model: Model, conditions: Sequence[Sequence[int]]) -> str:
    """Return the conditions of a rule in SQL."""
    told = []
    for literals in conditions:
        tests = [sql_condition(model, model.literals[i]) for i in literals]
        told.append(f"({' OR '.join(tests)})" if len(tests) > 1 else tests[0])
    return " AND ".join(told) or "1 = 1"


def _sql_points(program: Program, rule: Rule) -> str:
    if program.is_binary:
        return str(rule.points.get(1, 0))
    each = " ".join(f"WHEN {k} THEN {n}" for k, n in rule.points.items())
    return f"CASE l.label_no {each} ELSE 0 END" if each else "0"


def _sql_bans(program: Program) -> str:
    """Return the first hard rule, by its text, that forbids the label of a line."""
    met = " ".join(
        f"WHEN l.label_no IN ({', '.join(map(str, rule.forbidden))}) "
        f"AND {sql_conditions(program.model, rule.conditions)} THEN {sql_text(rule.text)}"
        for rule in sorted(program.hard, key=lambda rule: rule.text)
        if rule.forbidden
    )
    return f"CASE {met} END" if met else "CAST(NULL AS VARCHAR)"


WRITERS: dict[str, Callable[[Program], str]] = {
    "js": _javascript,
    "c": _c,
    "python": _python,
}
