"""An audit: every statement, why it cannot be broken, and what it does on rows.

A proof does not trust how the model was learned. It reads the atoms or rules that decide, one by
one, and looks at the literals of the column and at the sign of the weight. Rows are then evaluated
directly, cell by cell, without the literals of the encoder.
"""

import hashlib
import json
import operator
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.scorecard import signed
from atomlearn.errors import InvalidRule, MissingExtra
from atomlearn.export.description import describe
from atomlearn.markup import Displayed, escape, folded, table
from atomlearn.tables.columns import NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.literals import ColumnName, Literal
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.rules import Condition, MonotoneStatement, Rule, Statement
from atomlearn.tables.statements import broken_by, rules_before
from atomlearn.tables.validation import number_column, object_column, read_table
from atomlearn.training.learned import Learned
from atomlearn.typing import Bits, Integers

if TYPE_CHECKING:
    import pandas as pd

PROVED, TESTED, BROKEN, BELIEVED = "proved", "tested", "broken", "may be overruled"
MOST_LISTED = 200
"""Maximum number of atoms that a proof lists."""
MOST_STEPS = 20
"""Maximum number of values of a column that each row is tried with."""
MOST_CELLS = 200_000
"""Maximum number of rows that are made to try a monotone statement."""


@dataclass(frozen=True, repr=False)
class AuditedStatement(Displayed):
    """A statement, why it holds, and what it does on the rows of an audit.

    Examples
    --------
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> clf = AlgebraicClassifier(random_state=0, rules=["yes if x0 > 9", "yes rises with x0"])
    >>> [one.verdict for one in clf.fit(X, y).check_rules().statements]
    ['proved', 'proved']

    Attributes
    ----------
    statement : Rule or MonotoneStatement
        The statement.
    verdict : str
        ``"proved"``, ``"broken"``, ``"tested"`` if there is no proof, or ``"may be overruled"`` for
        a likely rule.
    proof : tuple of str
        Why it holds, sentence by sentence.
    atoms : tuple of str
        The atoms or rules that the proof looks at, each with its weight.
    n_rows : int or None
        Number of rows of the table that the statement decides, or that were tried; ``None`` without
        a table.
    n_violations : int or None
        Number of predictions that break the statement, by direct evaluation; for a likely rule,
        the number of rows in which it was overruled.
    contradicted : ndarray of int or None
        Rows whose labels contradict the statement, if labels were given.
    """

    statement: Statement
    verdict: str
    proof: tuple[str, ...]
    atoms: tuple[str, ...] = ()
    n_rows: int | None = None
    n_violations: int | None = None
    contradicted: Integers | None = None

    def __str__(self) -> str:
        lines = [f"{self.statement}: {self.verdict}", *(f"  {one}" for one in self.proof)]
        if self.n_rows is not None:
            lines.append(f"  {self.counts()}")
        if self.contradicted is not None and len(self.contradicted):
            shown = ", ".join(map(str, self.contradicted[:5].tolist()))
            more = ", ..." * (len(self.contradicted) > 5)
            lines.append(
                f"  the labels of {len(self.contradicted):,} rows contradict it: {shown}{more}"
            )
        return "\n".join(lines)

    def counts(self) -> str:
        """Return the number of rows and violations as a sentence."""
        assert self.n_rows is not None and self.n_violations is not None
        if isinstance(self.statement, MonotoneStatement):
            return f"{self.n_rows:,} pairs of rows compared, {self.n_violations:,} violations"
        if self.verdict == BELIEVED:
            return f"{self.n_rows:,} rows meet it, {self.n_violations:,} are predicted otherwise"
        return f"{self.n_rows:,} rows decided, {self.n_violations:,} violations"


@dataclass(frozen=True, repr=False)
class Audit(Displayed):
    """The result of ``check_rules``: every statement with its proof; prints, and makes a page.

    Attributes
    ----------
    statements : tuple of AuditedStatement
        The statements in the order in which they were given.
    facts : dict of str to str
        The model, its fingerprint, that of the data, versions and date.
    model : str
        The whole model as text, if it is a scorecard.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = AlgebraicClassifier(random_state=0, rules=["2 rises with petal width (cm)"]).fit(X, y)
    >>> audit = clf.check_rules()
    >>> audit.holds, audit.statements[0].verdict
    (True, 'proved')
    """

    statements: tuple[AuditedStatement, ...]
    facts: dict[str, str] = field(default_factory=dict)
    model: str = ""

    @property
    def holds(self) -> bool:
        """Whether no statement is broken, by proof or by any row."""
        return not any(
            one.verdict == BROKEN or (one.verdict != BELIEVED and one.n_violations)
            for one in self.statements
        )

    def __str__(self) -> str:
        if not self.statements:
            return "no statements: the model has no rules to obey"
        return "\n".join(map(str, self.statements))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return {
            "holds": self.holds,
            **self.facts,
            "statements": [
                {
                    "statement": str(one.statement),
                    "verdict": one.verdict,
                    "proof": list(one.proof),
                    "atoms": list(one.atoms),
                    "rows": one.n_rows,
                    "violations": one.n_violations,
                    "contradicted": None if one.contradicted is None else one.contradicted.tolist(),
                }
                for one in self.statements
            ],
        }

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the audit as an HTML page of its own, to print and to sign.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write.

        Returns
        -------
        str
            The page.
        """
        from atomlearn.views.page import Page

        page = Page("Statements that always hold", quiet=True)
        page.parts.append(self._html())
        html = page.html()
        if path is not None:
            from atomlearn.files.container import replacing

            with replacing(path) as file:
                file.write(html.encode("utf-8"))
        return html

    def _html(self) -> str:
        head = ["statement", "verdict", "rows", "violations"]
        rows = [
            [
                str(one.statement),
                one.verdict,
                "" if one.n_rows is None else f"{one.n_rows:,}",
                "" if one.n_violations is None else f"{one.n_violations:,}",
            ]
            for one in self.statements
        ]
        parts = [table(head, rows, numbers=[2, 3]) if rows else "<p>There are no statements.</p>"]
        for one in self.statements:
            parts.append(f"<h2>{escape(str(one.statement))}</h2>")
            parts += [f"<p>{escape(sentence)}</p>" for sentence in one.proof]
            if one.atoms:
                listed = "".join(f"<li>{escape(atom)}</li>" for atom in one.atoms)
                many = f"The {len(one.atoms)} that speak of it, one by one"
                parts.append(
                    folded(f'<ul class="formula">{listed}</ul>', many, len(one.atoms) < 30)
                )
            if one.contradicted is not None and len(one.contradicted):
                numbers = ", ".join(map(str, one.contradicted[:MOST_LISTED].tolist()))
                parts.append(f"<p>Labels that contradict it: rows {numbers}</p>")
        if self.model:
            parts.append(f"<h2>The whole model</h2><pre>{escape(self.model)}</pre>")
        facts = table(["", ""], [[name, value] for name, value in self.facts.items()])
        signature = "<p>Signed: ______________________&emsp;Date: ______________</p>"
        return "".join([*parts, "<h2>What was audited</h2>", facts, signature])


class Auditing:
    """Mixin for proofs that the statements hold, and for what they cost."""

    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    rules_: list[Statement]
    estimated_error_: float | None
    n_rows_: int

    def check_rules(self, X: Any = None, y: Any = None) -> Audit:
        """Prove every statement from the model itself, and try it on rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), default=None
            Rows on which to count decisions and violations by direct evaluation.
        y : array-like of shape (n_samples,), default=None
            Their labels, to list the rows that contradict a statement.

        Returns
        -------
        Audit
            The proofs and counts, which can be printed and written as a page.
        """
        check_is_fitted(self)
        facts = {
            "model": f"{type(self).__name__} of {self.n_rows_:,} training rows",
            "fingerprint of the model (SHA-256)": _digest(describe(cast(Any, self))),
        }
        cells = None
        if X is not None:
            cells = _Cells(read_table(self, X, reset=False), self.encoder_)
            facts["rows"] = f"{len(cells):,}"
            facts["fingerprint of the rows (SHA-256)"] = cells.digest()
        facts |= _versions()
        audited = [self._audited(r, one, X, cells) for r, one in enumerate(self.rules_)]
        if y is not None and cells is not None:
            audited = [_with_labels(one, cells, np.asarray(y)) for one in audited]
        card = getattr(self, "scorecard", None)
        text = str(card()) if card is not None and self.learned_.card is not None else ""
        return Audit(tuple(audited), facts, text)

    def rule_costs(self, X: Any, y: Any) -> "pd.DataFrame":
        """Return what obeying each statement costs, measured on held-out rows.

        The classifier is fitted again without each statement in turn, and without all of them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        DataFrame
            For each statement, the error on held-out rows with all statements (``error``), the
            error without this one (``error_without``), and their difference (``cost``). The last
            row is about all statements together.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("rule_costs() needs pandas: pip install pandas") from None
        check_is_fitted(self)

        def error_of(statements: Sequence[Statement]) -> float:
            twin = clone(self).set_params(rules=list(statements), monotonic_cst=None)
            error = twin.fit(X, y).estimated_error_
            return float("nan") if error is None else float(error)

        whole = error_of(self.rules_)
        names = [*map(str, self.rules_), "all statements"]
        left = [[one for one in self.rules_ if one is not out] for out in self.rules_] + [[]]
        without = [error_of(one) for one in left]
        return pd.DataFrame(
            {
                "statement": names,
                "error": whole,
                "error_without": without,
                "cost": [whole - one for one in without],
            }
        )

    def _audited(
        self, r: int, statement: Statement, X: Any, cells: "_Cells | None"
    ) -> AuditedStatement:
        if isinstance(statement, MonotoneStatement):
            verdict, proof, atoms = prove_monotone(self, statement)
            if cells is None:
                return AuditedStatement(statement, verdict, proof, atoms)
            n, broken = self._tried(statement, X)
            return AuditedStatement(statement, verdict, proof, atoms, n, broken)
        verdict, proof = _prove_rule(self, r, statement)
        if cells is None:
            return AuditedStatement(statement, verdict, proof)
        met = cells.met_by(statement)
        met &= ~cells.before(statement, self.rules_, len(self.classes_))
        said = self.predict(X) == statement.label  # type: ignore[attr-defined]
        wrong = met & (said if statement.negated else ~said)
        return AuditedStatement(statement, verdict, proof, (), int(met.sum()), int(wrong.sum()))

    def _tried(self, statement: MonotoneStatement, X: Any) -> tuple[int, int]:
        """Return the number of pairs of rows compared, and of those that break a statement."""
        table = np.asarray(read_table(self, X, reset=False)).astype(object)
        column = next(one for one in self.encoder_.columns_ if one.name == statement.column)
        values = states_of_number(column)
        table = table[~is_missing(object_column(table, column.index))]
        table = table[: MOST_CELLS // max(1, len(values))]
        if not len(table) or len(values) < 2:
            return 0, 0
        many = np.repeat(table, len(values), axis=0)
        many[:, column.index] = np.tile(np.array(values, dtype=object), len(table))
        names = [one.name for one in self.encoder_.columns_]
        given = _as_frame(many, names, X)
        k = self.classes_.tolist().index(statement.label)
        chances = self.predict_proba(given)[:, k].reshape(len(table), -1)  # type: ignore[attr-defined]
        steps = np.diff(chances, axis=1) * (1 if statement.rises else -1)
        return steps.size, int((steps < 0).sum())


def prove_monotone(
    classifier: Any, statement: MonotoneStatement
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the verdict on a monotone statement, why, and the atoms that speak of the column."""
    learned, encoder = classifier.learned_, classifier.encoder_
    labels = classifier.classes_.tolist()
    k = labels.index(statement.label)
    column = next(one for one in encoder.columns_ if one.name == statement.column)
    up = 1 if statement.rises else -1
    broken, listed, n_atoms = [], [], 0
    for text, changes, weights in _deciding(
        learned, encoder.literals_, labels, column.index, column.name
    ):
        n_atoms += 1
        if not changes:
            continue
        listed.append(text)
        # As the column rises, the score of the class may only rise against each other score.
        if any(up * way * (weights[k] - other) < 0 for way in changes for other in weights):
            broken.append(text)
    for one in (*learned.rules.rules, *learned.rules.soft):
        for i in one.literals:
            way = encoder.literals_[i].direction(column.index, column.name)
            if broken_by(statement, way, one, k):
                broken.append(f"the rule '{classifier.rules_[one.rule]}'")
    what = "rules of the scorecard" if learned.card is not None else "atoms"
    proof = [
        f"{len(listed):,} of the {n_atoms:,} {what} that decide speak of {statement.column}. "
        f"Each was looked at: as {statement.column} {'rises' if statement.rises else 'falls'} and "
        f"all else stays, none takes from the score of {statement.label} or adds to the score of "
        "another class.",
        f"The scores are sums of these and of constants, and the probability of {statement.label} "
        "rises with its own score and falls with the others, so it "
        f"{'never falls' if statement.rises else 'never rises'} as {statement.column} rises.",
    ]
    if learned.rules.rules:
        proof.append(
            f"Each rule that excludes {statement.label} can only cease to apply on the way, and "
            "each that excludes another class can only begin to."
        )
    if broken:
        several = f" and {len(broken) - 1:,} more" if len(broken) > 1 else ""
        return BROKEN, (f"It is broken by {broken[0]}{several}.",), tuple(broken[:MOST_LISTED])
    proof.append("A missing value is not compared.")
    return PROVED, tuple(proof), tuple(listed[:MOST_LISTED])


def _deciding(
    learned: Learned, literals: Sequence[Literal], labels: Sequence[Any], column: int, name: str
) -> Iterator[tuple[str, set[int], list[float]]]:
    """Yield all that decides: its text, how it can change, and its weight for each class.

    The change is 1 if a row can come to meet a rule, or to miss an atom, as the column rises, and
    -1 if it can cease to; there is none if it does not depend on the column.
    """

    def ways(ours: Sequence[Literal]) -> set[int]:
        found = {one.direction(column, name) for one in ours} - {None}
        return {-1, 1} if 0 in found else {way for way in found if way is not None}

    deciding = learned.deciding()
    if (card := deciding.card) is not None:
        for rule, points in zip(card.rules, card.points.tolist(), strict=True):
            text = " and ".join(" or ".join(str(literals[i]) for i in one) for one in rule)
            told = ", ".join(
                f"{label} {signed(n)}" for label, n in zip(labels, points, strict=True) if n
            )
            changes = ways([literals[i] for one in rule for i in one])
            yield f"if {text}: {told}", changes, points
        return
    for k, atoms, weights, is_strict in deciding.by_class():
        lists = np.split(atoms.constants, atoms.starts[1:-1])
        for constants, weight in zip(lists[: atoms.n], weights.tolist(), strict=True):
            ours = [literals[i] for i in constants.tolist() if i < len(literals)]
            kind = "strict, " * is_strict
            text = " or ".join(map(str, ours))
            told = f"without {text}: {kind}{labels[k]} {signed(round(weight, 4))}"
            # A literal that becomes true ends the miss of its atom.
            amounts = [weight if j == k else 0.0 for j in range(len(labels))]
            yield told, {-way for way in ways(ours)}, amounts


def _prove_rule(classifier: Any, r: int, rule: Rule) -> tuple[str, tuple[str, ...]]:
    """Return the verdict on a rule, and why."""
    learned, literals = classifier.learned_, classifier.encoder_.literals_
    labels = classifier.classes_.tolist()
    if rule.weight is not None:
        ours = [one for one in learned.rules.soft if one.rule == r]
        listed = "; ".join(" and ".join(str(literals[i]) for i in one.literals) for one in ours)
        return BELIEVED, (
            f"It was worth {rule.weight:g} rows before anything was learned, for rows with "
            f"{listed}. Examples may overrule it.",
        )
    ours = [one for one in learned.rules.rules if one.rule == r]
    cases = "; or ".join(" and ".join(str(literals[i]) for i in one.literals) for one in ours)
    excluded = sorted({labels[k] for one in ours for k in one.forbidden}, key=str)
    proof = [
        f"It applies to rows with {cases}.",
        f"There the score of {', '.join(map(str, excluded))} is minus infinity, whatever the atoms "
        "add up to, so the probability is exactly 0.",
    ]
    wanted = {rule.label} if rule.negated else set(labels) - {rule.label}
    if set(excluded) != wanted or not ours:
        return BROKEN, (f"It excludes {excluded} instead of {sorted(wanted, key=str)}.",)
    before = rules_before(rule, classifier.rules_, len(labels))
    if before:
        listed = ", ".join(f"'{one}'" for one in before)
        proof.append(f"It gives way to {listed}.")
    return PROVED, tuple(proof)


class _Cells:
    """The cells of a table, evaluated one condition at a time and without literals."""

    def __init__(self, values: Any, encoder: LiteralEncoder) -> None:
        self.table, self.encoder = values, encoder
        self.columns = {column.name: column for column in encoder.columns_}

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def digest(self) -> str:
        """Return the fingerprint of the rows."""
        digest = hashlib.sha256()
        for name in self.columns:
            digest.update(json.dumps([name, *map(str, self.cells(name))]).encode("utf-8"))
        return digest.hexdigest()

    def cells(self, name: str) -> list[Any]:
        """Return the cells of a column, ``None`` where one is missing."""
        column = self.columns[name]
        if isinstance(column, NumberColumn):
            values = number_column(self.table, column.index, name)
        else:
            values = object_column(self.table, column.index)
        gone = is_missing(values).tolist()
        return [None if gone[i] else one for i, one in enumerate(values.tolist())]

    def met_by(self, rule: Rule) -> Bits:
        """Return the rows that meet the conditions of a rule."""
        met = np.zeros(len(self), dtype=np.bool_)
        for case in rule.cases():
            met |= np.logical_and.reduce([self.holds(one) for one in case])
        return met

    def before(self, rule: Rule, statements: Sequence[Statement], n_classes: int) -> Bits:
        """Return the rows in which a rule decides that this one gives way to."""
        met = np.zeros(len(self), dtype=np.bool_)
        for other in rules_before(rule, statements, n_classes):
            met |= self.met_by(other)
        return met

    def holds(self, condition: Condition) -> Bits:
        """Return the rows that meet a simple condition."""
        ours = self.cells(condition.column)
        if condition.operator in ("missing", "known"):
            return np.array([(one is None) == (condition.operator == "missing") for one in ours])
        others = [condition.value] * len(ours)
        if isinstance(condition.value, ColumnName):
            others = self.cells(str(condition.value))
        elif condition.operator in ("=", "!="):
            literal = self.columns[condition.column].literals_of([condition])[0]
            others = [literal.value] * len(ours)
            if isinstance(literal.value, bool) and literal.operator == "=":
                condition = Condition(condition.column, "=", str(literal.value))
        compare = _COMPARED[condition.operator]
        pairs = zip(ours, others, strict=True)
        return np.array([None not in (a, b) and bool(compare(a, b)) for a, b in pairs], np.bool_)


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}


def states_of_number(column: Any) -> list[float]:
    """Return ascending values of a number column, one between each two cuts, at most 20."""
    if not isinstance(column, NumberColumn):
        raise InvalidRule(f"{column.name} holds no numbers")
    if column.is_boolean:
        return [0.0, 1.0]
    marks = sorted({float(one) for one in (*column.cuts, *column.values)})
    if not marks:
        return []
    middle = [(a + b) / 2 for a, b in pairwise(marks)]
    values = sorted({marks[0] - 1, *marks, *middle, marks[-1] + 1})
    step = max(1, -(-len(values) // MOST_STEPS))
    return values[::step]


def _with_labels(
    one: AuditedStatement, cells: _Cells, labels: npt.NDArray[Any]
) -> AuditedStatement:
    statement = one.statement
    if isinstance(statement, Rule):
        is_so = labels == statement.label
        wrong = cells.met_by(statement) & (is_so if statement.negated else ~is_so)
        return replace(one, contradicted=np.flatnonzero(wrong))
    return replace(one, contradicted=_against(statement, cells, labels))


def _against(statement: MonotoneStatement, cells: _Cells, labels: npt.NDArray[Any]) -> Integers:
    """Return rows that differ from another in one column only, and whose labels go the wrong way.

    Of two such rows the one with more of the column is not of the class, and the other one is.
    """
    values = cells.cells(statement.column)
    others = [cells.cells(name) for name in cells.columns if name != statement.column]
    groups: dict[Any, list[int]] = {}
    for i, key in enumerate(zip(*others, strict=True)) if others else enumerate([()] * len(values)):
        if values[i] is not None:
            groups.setdefault(key, []).append(i)
    found: set[int] = set()
    sign = 1 if statement.rises else -1
    for rows in groups.values():
        ours = [i for i in rows if labels[i] == statement.label]
        rest = [i for i in rows if labels[i] != statement.label]
        if not ours or not rest:
            continue
        lowest, highest = min(sign * values[i] for i in ours), max(sign * values[i] for i in rest)
        found |= {i for i in ours if sign * values[i] < highest}
        found |= {i for i in rest if sign * values[i] > lowest}
    return np.array(sorted(found), dtype=np.int64)


def _as_frame(rows: npt.NDArray[Any], names: Sequence[str], like: Any) -> Any:
    """Return rows as a table of the same kind as that of the user."""
    if hasattr(like, "iloc") and hasattr(like, "dtypes"):
        import pandas as pd

        frame = pd.DataFrame(rows, columns=list(like.columns))
        return frame.infer_objects()
    return rows


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _versions() -> dict[str, str]:
    import sklearn

    from atomlearn import __version__

    return {
        "versions": f"atomlearn {__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}, scikit-learn {sklearn.__version__}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
