"""Explanations of a predicted number: the offset, what every atom adds, and the sum."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from atomlearn.classifier.scorecard import rounded, signed
from atomlearn.markup import Displayed, escape, table
from atomlearn.tables.rules import Statement
from atomlearn.training.numbers import exponential

MOST_LINES = 10
"""Maximum number of atoms that the text lists."""


class Term(NamedTuple):
    """One summand: the rule that the row meets, and what it adds."""

    rule: str
    amount: float


@dataclass(frozen=True, repr=False)
class NumberExplanation(Displayed):
    """An explanation of one predicted number.

    Attributes
    ----------
    target : str
        The name of the number.
    prediction : float
        The prediction.
    offset : float
        What is added for every row.
    terms : tuple of Term
        Every atom that the row misses, as the rule that it meets, and what that adds; the largest
        amounts first.
    is_log : bool
        Whether the sum is the logarithm of the prediction.
    rules : tuple of Rule and MonotoneStatement
        The rules that limit the prediction, where the sum alone would be beyond them. If the row
        does not meet their conditions, also the monotone statements from which it follows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from atomlearn import AlgebraicRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> told = AlgebraicRegressor(random_state=0).fit(X, y).explain(X.iloc[0])
    >>> bool(abs(told.offset + sum(one.amount for one in told.terms) - told.prediction) < 1e-9)
    True
    """

    target: str
    prediction: float
    offset: float
    terms: tuple[Term, ...]
    is_log: bool = False
    rules: tuple[Statement, ...] = ()

    @property
    def total(self) -> float:
        """The sum of the offset and of all amounts."""
        return self.offset + float(sum(one.amount for one in self.terms))

    def __str__(self) -> str:
        lines = [f"{self.target} = {rounded(self.prediction)}"]
        lines += [f"a rule limits it: {rule}" for rule in self.rules]
        cells = self._lines(MOST_LINES)
        width = max(len(amount) for amount, _ in cells)
        return "\n".join([*lines, *(f"  {amount.rjust(width)}  {text}" for amount, text in cells)])

    def _amount_text(self, amount: float) -> str:
        return factor(amount) if self.is_log else signed(float(f"{amount:.4g}"))

    def _always(self) -> str:
        if self.is_log:
            return factor(self.offset, digits=5)
        return signed(float(f"{self.offset:.6g}"))

    def _sum(self) -> float:
        return float(exponential(self.total)) if self.is_log else self.total

    def _ending(self) -> str:
        return "product" if self.is_log else "sum"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, for JSON."""
        return {
            "target": self.target,
            "prediction": self.prediction,
            "offset": self.offset,
            "is_log": self.is_log,
            "terms": [one._asdict() for one in self.terms],
            "rules": [str(rule) for rule in self.rules],
        }

    def _html(self) -> str:
        parts = [f"<p><strong>{escape(self.target)} = {rounded(self.prediction)}</strong></p>"]
        parts += [f'<p class="against">{escape(str(rule))}</p>' for rule in self.rules]
        return "".join([*parts, table(["adds", "rule"], self._lines(5 * MOST_LINES), numbers=[0])])

    def _lines(self, most: int) -> list[tuple[str, str]]:
        """Return amounts and what they are of: terms, the others together, the offset, the sum."""
        lines = [(self._amount_text(one.amount), f"if {one.rule}") for one in self.terms[:most]]
        if rest := self.terms[most:]:
            others = self._amount_text(sum(one.amount for one in rest))
            lines.append((others, f"{len(rest):,} others"))
        return [*lines, (self._always(), "always"), (rounded(self._sum()), self._ending())]


def factor(amount: float, digits: int = 4) -> str:
    """Return what an amount of the logarithm multiplies a number by.

    >>> factor(0.25)
    '× 1.284'
    """
    return f"× {exponential(amount):.{digits}g}"
