"""Export a regressor as a program: an ``if`` for each rule, the sum, and the limits of hard rules.

An atom that a row misses is a rule that it meets, so scorecards and full models are written alike.
A Poisson sum is the logarithm of the prediction.
"""

from collections.abc import Callable
from typing import NamedTuple

from atomlearn.errors import ExportTooLarge
from atomlearn.export.cards import (
    JAVASCRIPT,
    PYTHON,
    C,
    Language,
    comment,
    condition_text,
    python_value,
    sql_conditions,
    tests_of,
    used_columns,
)
from atomlearn.export.description import Model
from atomlearn.export.programs import (
    MOST_ATOMS,
    MOST_REASONS,
    balanced,
    c_array,
    c_text,
    js_value,
    python_list,
    reasons_in_sql,
    refuse_large_integers,
    sql_condition,
    sql_name,
    sql_rows,
    sql_text,
    template,
)

SUM = "The prediction is the offset plus all amounts, within the limits of the hard rules."
PRODUCT = "The sum of the offset and of all amounts is the logarithm of the prediction."


class Term(NamedTuple):
    """A rule and what it adds; or a hard rule and its limits."""

    conditions: list[list[int]]
    """Literals of which a row must have one, for each condition."""
    is_missed: bool
    """Whether the row must have none of the literals of the only condition instead."""
    text: str
    amount: float = 0.0
    low: float | None = None
    high: float | None = None

    def test(self, model: Model, language: Language) -> str:
        """Return the condition in a language."""
        if not self.is_missed:
            return condition_text(model, self.conditions, language)
        tests = tests_of(model, [model.literals[i] for i in self.conditions[0]], language)
        return f"{language.negation}({f' {language.either} '.join(tests)})" if tests else (
            language.always
        )  # fmt: skip

    def bit(self, model: Model) -> str:
        """Return the condition in SQL, as '1' or '0': a comparison with NULL is not true."""
        if self.is_missed:
            joined = " OR ".join(
                sql_condition(model, model.literals[i]) for i in self.conditions[0]
            )
            return f"CASE WHEN {joined} THEN '0' ELSE '1' END" if joined else "'1'"
        return f"CASE WHEN {sql_conditions(model, self.conditions)} THEN '1' ELSE '0' END"


class Program(NamedTuple):
    """What is to be written."""

    model: Model
    target: str
    is_log: bool
    scale: float
    offset: float
    terms: list[Term]
    limits: list[Term]

    @property
    def formula(self) -> str:
        """The sentence that says what the sum is."""
        return PRODUCT if self.is_log else SUM

    def link(self, in_log: str) -> str:
        """Return what makes a prediction of ``total``."""
        return in_log if self.is_log else "total"


def number_source(model: Model, to: str, table: str, key: str) -> str:
    """Return the source of a program that predicts a number."""
    told, card = model.number, model.card
    assert told is not None
    if card is None:
        terms = [
            Term([atom], True, text, weight)
            for atom, text, weight in zip(model.weighted, told["texts"], model.weights, strict=True)
        ]
    else:
        terms = [
            Term(rule["conditions"], False, rule["text"], rule["points"][0])
            for rule in card["rules"]
        ]
    limits = [
        Term([[i] for i in rule["literals"]], False, rule["text"], 0.0, rule["low"], rule["high"])
        for rule in model.rules
    ]
    scale = 1.0 if card is None else card["scale"]
    offset = model.offsets[0] if card is None else card["offsets"][0]
    program = Program(model, told["target"], told["is_log"], scale, offset, terms, limits)
    return _sql(program, table, key) if to == "sql" else WRITERS[to](program)


def _one_line(text: str) -> str:
    """Return a name for the first line of a program, which quotes and comments may not end."""
    return comment(text).replace('"', " ")


def _python(program: Program) -> str:
    model = program.model
    terms = [
        f"\n    if {one.test(model, PYTHON)}:"
        f"\n        met.append(({one.amount!r}, {python_value(one.text)}))"
        for one in program.terms
    ]
    limits = [
        f"\n    if {one.test(model, PYTHON)}:\n        met.append("
        f"({'-inf' if one.low is None else repr(one.low)}, "
        f"{'inf' if one.high is None else repr(one.high)}, {python_value(one.text)}))"
        for one in program.limits
    ]
    return template("number.py.txt").substitute(
        target=_one_line(program.target),
        columns=python_list((one["name"], one["kind"]) for one in model.columns),
        used=used_columns(model),
        scale=repr(program.scale),
        offset=repr(program.offset),
        terms="".join(terms),
        limits="".join(limits),
        formula=program.formula,
        link=program.link("exp(min(max(total, -700.0), 700.0))"),
        cells=template("cells.py.txt").template,
    )


def _javascript(program: Program) -> str:
    model = program.model
    terms = [
        f"\n  if ({one.test(model, JAVASCRIPT)}) met.push([{one.amount!r}, {js_value(one.text)}]);"
        for one in program.terms
    ]
    limits = [
        f"\n  if ({one.test(model, JAVASCRIPT)}) met.push("
        f"[{'-Infinity' if one.low is None else repr(one.low)}, "
        f"{'Infinity' if one.high is None else repr(one.high)}, {js_value(one.text)}]);"
        for one in program.limits
    ]
    return template("number.js.txt").substitute(
        target=_one_line(program.target),
        columns=js_value([[one["name"], one["kind"]] for one in model.columns]),
        scale=repr(program.scale),
        offset=repr(program.offset),
        terms="".join(terms),
        limits="".join(limits),
        formula=program.formula,
        link=program.link("Math.exp(Math.min(Math.max(total, -700), 700))"),
        cells=template("cells.js.txt").template.rstrip(),
    )


def _c(program: Program) -> str:
    model = program.model
    for column, _, value in model.literals:
        refuse_large_integers(model.columns[column], value)

    def lines(terms: list[Term]) -> str:
        told = [
            f"  met[{i}] = {one.test(model, C)}; /* {comment(one.text)} */"
            for i, one in enumerate(terms)
        ]
        return "\n".join(told) or "  (void)row, (void)met;"

    unused = "  (void)row;\n"  # where conditions are always true
    limits = program.limits
    return template("number.c.txt").substitute(
        target=_one_line(program.target),
        formula=program.formula,
        n_columns=len(model.columns),
        column_names=c_array(c_text(one["name"]) for one in model.columns),
        n_rules=len(program.terms),
        n_limits=len(limits),
        rules=c_array(c_text(one.text) for one in program.terms),
        amounts=c_array(repr(one.amount) for one in program.terms),
        scale=repr(program.scale),
        offset=repr(float(program.offset)),
        limit_texts=c_array(c_text(one.text) for one in limits),
        lowest=c_array("-INFINITY" if one.low is None else repr(one.low) for one in limits),
        highest=c_array("INFINITY" if one.high is None else repr(one.high) for one in limits),
        terms=unused + lines(program.terms),
        limits=unused + lines(limits),
        link=program.link("exp(fmin(fmax(total, -700.0), 700.0))"),
    )


QUERY = """\
-- Predicts {target} for each row of {table} as the atomlearn regressor it was written from: the
-- number, the hard rule that limits it, and the rules met that add most, with what they add.
-- {formula}
-- For SQLite (with its mathematical functions) and DuckDB; other databases need CTEs with lists of
-- values, window functions, SUBSTR and EXP.
WITH
truth AS (SELECT t.{key} AS row_id,
  {bits}
  AS bits FROM {table} t),
terms (place, amount, told) AS (VALUES
  {terms}),
limits (place, low, high, told) AS (VALUES
  {limits}),
met AS (SELECT t.row_id, m.place, {scale} * m.amount AS change, m.told, m.amount FROM truth t
  JOIN terms m ON SUBSTR(t.bits, m.place, 1) = '1'),
sums AS (SELECT t.row_id, {scale} * (COALESCE(SUM(m.amount), 0.0) + {offset}) AS total
  FROM truth t LEFT JOIN met m ON m.row_id = t.row_id GROUP BY t.row_id),
frees AS (SELECT row_id, {link} AS free FROM sums),
limited AS (SELECT t.row_id, l.low, l.high, l.told,
  MAX(l.low) OVER (PARTITION BY t.row_id) AS least,
  MIN(l.high) OVER (PARTITION BY t.row_id) AS most
  FROM truth t JOIN limits l ON SUBSTR(t.bits, l.place, 1) = '1'),
bounds AS (SELECT row_id, MAX(least) AS least, MAX(most) AS most,
  MIN(CASE WHEN low = least THEN told END) AS least_told,
  MIN(CASE WHEN high = most THEN told END) AS most_told FROM limited GROUP BY row_id),
ranked AS (SELECT row_id, told, change, ROW_NUMBER() OVER (
  PARTITION BY row_id ORDER BY ABS(change) DESC, place) AS place FROM met),
reasons AS (SELECT row_id,
  {reasons}
  FROM ranked WHERE place <= {most} GROUP BY row_id)
SELECT f.row_id, CASE WHEN f.free < b.least THEN b.least WHEN f.free > b.most THEN b.most
  ELSE f.free END AS prediction, CASE WHEN f.free < b.least THEN b.least_told
  WHEN f.free > b.most THEN b.most_told END AS limited_by,
  {reason_columns}
FROM frees f LEFT JOIN bounds b ON b.row_id = f.row_id LEFT JOIN reasons r ON r.row_id = f.row_id
ORDER BY f.row_id
"""


def _sql(program: Program, table: str, key: str) -> str:
    if len(program.terms) > MOST_ATOMS:
        raise ExportTooLarge(
            f"a query can have at most {MOST_ATOMS:,} atoms, and the regressor has "
            f"{len(program.terms):,}: export to c, js or python"
        )
    model, n = program.model, len(program.terms)
    reasons, reason_columns = reasons_in_sql()
    exp = "EXP(CASE WHEN total > 700 THEN 700.0 WHEN total < -700 THEN -700.0 ELSE total END)"
    none = "(-1, NULL, NULL{})"
    return QUERY.format(
        target=_one_line(program.target),
        table=sql_name(table),
        key=sql_name(key),
        formula=program.formula,
        bits=balanced([one.bit(model) for one in (*program.terms, *program.limits)]) or "''",
        terms=sql_rows(
            [i, repr(float(one.amount)), sql_text(one.text)]
            for i, one in enumerate(program.terms, start=1)
        )
        or none.format(""),
        limits=sql_rows(
            [i, *("NULL" if end is None else repr(end) for end in (one.low, one.high)),
             sql_text(one.text)]
            for i, one in enumerate(program.limits, start=n + 1)
        )
        or none.format(", NULL"),
        scale=repr(program.scale),
        offset=repr(float(program.offset)),
        link=program.link(exp),
        reasons=reasons,
        most=MOST_REASONS,
        reason_columns=reason_columns,
    )  # fmt: skip


WRITERS: dict[str, Callable[[Program], str]] = {
    "js": _javascript,
    "c": _c,
    "python": _python,
}
