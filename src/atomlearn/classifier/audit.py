"""An audit: every statement, why it cannot be broken, what it does on rows, and what it costs."""

import hashlib
import json
import platform
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.proofs import (
    BELIEVED,
    BROKEN,
    MOST_LISTED,
    Cells,
    prove_monotone,
    prove_rule,
    rows_against,
    states_of_number,
)
from atomlearn.classifier.scorecard import Paged
from atomlearn.errors import DoubtfulRule
from atomlearn.export.description import describe
from atomlearn.markup import Displayed, escape, folded, prose, table
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.rules import Bound, MonotoneStatement, Rule, Statement
from atomlearn.tables.validation import NamedArray, object_column, pandas_for, read_table
from atomlearn.training.learned import Learned
from atomlearn.typing import Bits, Floats, Integers

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 200_000
"""Maximum number of rows that are made to try a monotone statement."""


@dataclass(frozen=True, repr=False)
class AuditedStatement(Displayed):
    """A statement, why it holds, and what it does on the rows of an audit.

    Attributes
    ----------
    statement : Rule or MonotoneStatement
        The statement.
    verdict : str
        ``"proved"``, ``"broken"``, ``"only tested"`` if there are too many combinations of rules
        for a proof, or ``"may be overruled"`` for a likely rule.
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

    Examples
    --------
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> clf = AlgebraicClassifier(random_state=0, rules=["yes if x0 > 9", "yes rises with x0"])
    >>> [one.verdict for one in clf.fit(X, y).check_rules().statements]
    ['proved', 'proved']
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
class Audit(Paged):
    """The result of ``check_rules``: every statement with its proof; prints, and makes a page.

    Attributes
    ----------
    statements : tuple of AuditedStatement
        The statements in the order in which they were given.
    facts : dict of str to str
        The model, its fingerprint, that of the data, versions and date.
    model : Displayed or None
        The whole model, if it is a scorecard.

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
    model: Displayed | None = None

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

    def _title(self) -> str:
        return "Statements that always hold"

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
            parts += [f"<p>{prose(sentence)}</p>" for sentence in one.proof]
            if one.atoms:
                listed = "".join(f"<li>{prose(atom)}</li>" for atom in one.atoms)
                is_rule = isinstance(one.statement, Rule)
                what = (
                    "It applies to rows with"
                    if is_rule
                    else "All that has a condition on the column"
                )
                many = f"{what} ({len(one.atoms)})" if len(one.atoms) > 1 else what
                parts.append(
                    folded(f'<ul class="formula">{listed}</ul>', many, len(one.atoms) < 30)
                )
            if one.contradicted is not None and len(one.contradicted):
                numbers = ", ".join(map(str, one.contradicted[:MOST_LISTED].tolist()))
                parts.append(f"<p>Labels that contradict it: rows {numbers}</p>")
        if self.model is not None:
            parts += ["<h2>The whole model</h2>", self.model._html()]
        facts = table(["", ""], [[name, value] for name, value in self.facts.items()])
        signature = "<p>Signed:&nbsp;______________________ &emsp;Date:&nbsp;______________</p>"
        return "".join(
            [*parts, "<h2>What was audited</h2>", f'<div class="facts">{facts}</div>', signature]
        )


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
            "fingerprint of the model (SHA-256)": _digest(describe(self)),
        }
        cells = None
        if X is not None:
            cells = Cells(read_table(self, X, reset=False), self.encoder_)
            facts["rows"] = f"{len(cells):,}"
            facts["fingerprint of the rows (SHA-256)"] = cells.digest()
        facts |= versions()
        audited = [self._audited(r, one, X, cells) for r, one in enumerate(self.rules_)]
        if y is not None and cells is not None:
            audited = [_with_labels(one, cells, np.asarray(y)) for one in audited]
        is_compact = self.learned_.card is not None
        model = self.scorecard() if is_compact else None  # type: ignore[attr-defined]
        return Audit(tuple(audited), facts, model)

    def labels_of_rules(self) -> list[Any]:
        """Return the classes that statements can be about, or the name of the number."""
        return list(self.classes_.tolist())

    def _rising_score(self, X: Any, statement: MonotoneStatement) -> Floats:
        """Return what must not fall, or rise, as a column rises."""
        k = self.classes_.tolist().index(statement.label)
        return np.asarray(self.predict_proba(X)[:, k])  # type: ignore[attr-defined]

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
        pd = pandas_for("rule_costs()")
        check_is_fitted(self)

        def error_of(statements: Sequence[Statement]) -> float:
            twin = clone(self).set_params(rules=list(statements), monotonic_cst=None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DoubtfulRule)  # said by the first fit
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
        self, r: int, statement: Statement, X: Any, cells: "Cells | None"
    ) -> AuditedStatement:
        if isinstance(statement, MonotoneStatement):
            verdict, proof, atoms = prove_monotone(self, statement)
            if cells is None:
                return AuditedStatement(statement, verdict, proof, atoms)
            n, broken = self._tried(statement, X)
            return AuditedStatement(statement, verdict, proof, atoms, n, broken)
        verdict, proof, compiled = prove_rule(self, r, statement)
        if cells is None:
            return AuditedStatement(statement, verdict, proof, compiled)
        met = cells.met_by(statement)
        met &= ~cells.before(statement, self.rules_, len(self.labels_of_rules()))
        wrong = met & _breaks(statement, self.predict(X))  # type: ignore[attr-defined]
        return AuditedStatement(
            statement, verdict, proof, compiled, int(met.sum()), int(wrong.sum())
        )

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
        steps = np.diff(self._rising_score(given, statement).reshape(len(table), -1), axis=1)
        steps = steps * (1 if statement.rises else -1)
        return steps.size, int((steps < 0).sum())


def _breaks(rule: Rule, given: npt.NDArray[Any]) -> Bits:
    """Return which predictions, or labels, break a rule where it applies."""
    if isinstance(rule.label, Bound):
        return np.asarray((given < rule.label.low) | (given > rule.label.high))
    is_so = given == rule.label
    return np.asarray(is_so if rule.negated else ~is_so)


def _with_labels(one: AuditedStatement, cells: Cells, labels: npt.NDArray[Any]) -> AuditedStatement:
    statement = one.statement
    if isinstance(statement, Rule):
        wrong = cells.met_by(statement) & _breaks(statement, labels)
        return replace(one, contradicted=np.flatnonzero(wrong))
    return replace(one, contradicted=rows_against(statement, cells, labels))


def _as_frame(rows: npt.NDArray[Any], names: Sequence[str], like: Any) -> Any:
    """Return rows as a table of the same kind as that of the user."""
    if hasattr(like, "iloc") and hasattr(like, "dtypes"):
        import pandas as pd

        frame = pd.DataFrame(rows, columns=list(like.columns))
        return frame.infer_objects()
    return NamedArray.of(rows, list(names)) if hasattr(like, "column_names") else rows


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of this library and what it computes with, and the date."""
    import sklearn

    from atomlearn import __version__

    return {
        "versions": f"atomlearn {__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}, scikit-learn {sklearn.__version__}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
