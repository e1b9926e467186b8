"""Scorecards of a number: rules, what each adds in units of the target, and the offset.

The CSV and the text can be changed by hand and read again (:func:`read_number_card`).
"""

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.classifier.card_reading import card_lines, read_amount, read_clauses
from atomlearn.classifier.scorecard import (
    OFFSET,
    CardComparison,
    CardRule,
    Paged,
    aligned,
    card_beside,
    latex_text,
    markdown_card,
    percent,
    rounded,
    written,
)
from atomlearn.errors import FileFormatError, InvalidParameter, InvalidRule
from atomlearn.markup import prose, table
from atomlearn.regressor.explanation import factor
from atomlearn.tables.rules import MOST_TARGET
from atomlearn.tables.validation import pandas_for
from atomlearn.training.compact.numbers import LOG_UNIT
from atomlearn.training.compact.sizes import Size

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 1 << 31
"""Largest number of points of a rule: amounts of one card are not farther apart."""


@dataclass(frozen=True, repr=False)
class NumberScorecard(Paged):
    """A compact model of a number as a person reads it.

    The prediction is the offset plus the amounts of all rules that a row meets, and nothing else.
    With the Poisson loss that is the logarithm, and the card shows what each rule multiplies by.

    Attributes
    ----------
    target : str
        The name of the number.
    rules : tuple of CardRule
        The rules, those that add most first; their points are multiples of the unit.
    unit : float
        All amounts are multiples of it.
    offset : float
        What is added for every row.
    is_log : bool
        Whether the sum is the logarithm of the prediction.
    measured : Size or None
        Mean absolute error and mean loss on held-out rows.
    full : Size or None
        The same of the full model.
    hard_rules : tuple of str
        Statements that every prediction obeys.
    before : Size or None
        The measures of the card before a person changed it, on the same rows.
    is_changed : bool
        Whether a person wrote or changed the card; it is then measured on the rows given.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from atomlearn import AlgebraicRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> card = AlgebraicRegressor(max_atoms=5, random_state=0).fit(X, y).scorecard()
    >>> len(card) <= 5
    True
    """

    target: str
    rules: tuple[CardRule, ...]
    unit: float
    offset: float
    is_log: bool = False
    measured: Size | None = field(default=None, compare=False)
    full: Size | None = field(default=None, compare=False)
    hard_rules: tuple[str, ...] = ()
    before: Size | None = field(default=None, compare=False)
    is_changed: bool = False

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def amounts(self) -> tuple[float, ...]:
        """What each rule adds to the prediction, or to its logarithm."""
        return tuple(self.unit * rule.points[0] for rule in self.rules)

    def amount_text(self, amount: float, sign: bool = True) -> str:
        """Return an amount with the digits that count, or the factor that it is.

        Parameters
        ----------
        amount : float
            What is added.
        sign : bool, default=True
            Whether a plus sign is written.

        Returns
        -------
        str
            The text.
        """
        if self.is_log:
            return factor(amount, digits=3)
        decimals = max(0, -int(np.floor(np.log10(self.unit) + 1e-9)))
        text = f"{amount:{'+' if sign else ''}.{decimals}f}" if decimals < 16 else f"{amount:g}"
        return text.replace("-", "−")

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the card as plain text."""
        return "\n".join([self._title(), "", *aligned(self._lines()), "", *self._about()])

    def _title(self) -> str:
        return f"Scorecard for {self.target}: {len(self)} rule{'s' * (len(self) != 1)}"

    def _about(self) -> list[str]:
        what = "Multiply" if self.is_log else "Add up"
        exact = f" (exactly, exp of the sum of multiples of {self.unit:g})" if self.is_log else ""
        lines = [f"{what} the amounts of all lines that apply: that is {self.target}{exact}."]
        lines += [f"Always obeyed: {rule}" for rule in self.hard_rules]
        price = self.price()
        return [*lines, *([price] if price else [])]

    def price(self) -> str:
        """Return in words the error on held-out rows, beside that of the full model."""
        if self.measured is None:
            return ""
        rows = f"the {self.measured.n_rows:,} rows given" if self.is_changed else "held-out rows"
        told = f"On {rows} it is {rounded(self.measured.error, 4)} off on average"
        if self.before is not None:
            cost = self.measured.error - self.before.error
            told += f"; before the change {rounded(self.before.error, 4)}"
            told += f": it costs {rounded(cost, 4, '+')}"
        if self.full is not None:
            told += f"; the full model of {self.full.n_atoms:,} atoms is "
            told += f"{rounded(self.full.error, 4)} off"
            told += " on held-out rows" * self.is_changed
        return f"{told}."

    def compare(self, other: Any) -> CardComparison:
        """Return what another card changes: rules added, removed and changed.

        Parameters
        ----------
        other : NumberScorecard or AlgebraicRegressor
            The other card, or its regressor.

        Returns
        -------
        CardComparison
            The differences, which can be printed.
        """
        other = card_beside(self, other)
        if self.is_log != other.is_log:
            raise InvalidRule("the rules of one card multiply, and those of the other are added")
        return CardComparison.of(self, other)

    def _listed(self, points: Sequence[float]) -> str:
        return self.amount_text(self.unit * points[0])

    def _beside(self) -> dict[str, str]:
        return {"offset": self.amount_text(self.offset, sign=False)}

    def to_frame(self) -> "pd.DataFrame":
        """Return the card as a pandas data frame: a line for each rule, then the offset.

        Columns: ``rule``, ``adds`` (to the prediction, or to its logarithm), ``factor`` for the
        latter, and ``rows``, the share of the training rows that meet the rule.
        """
        pd = pandas_for("to_frame")
        adds = np.array([*self.amounts, self.offset])
        columns: dict[str, Any] = {"rule": [*map(str, self.rules), OFFSET], "adds": adds}
        if self.is_log:
            columns["factor"] = np.exp(adds)
        return pd.DataFrame({**columns, "rows": [*(one.share for one in self.rules), 1.0]})

    def to_markdown(self) -> str:
        """Return the card as a Markdown table, with the sentences below it."""
        return markdown_card(self._title(), ["adds"], self._lines(), self._about())

    def to_latex(self) -> str:
        """Return the card as a LaTeX table, for the package ``booktabs``."""
        lines = [r"\begin{tabular}{rlr}", r"\toprule", r"adds & rule & rows \\", r"\midrule"]
        lines += [" & ".join(map(latex_text, line)) + r" \\" for line in self._lines()]
        lines += [r"\bottomrule", r"\end{tabular}", ""]
        return "\n".join([*lines, *(latex_text(one) + r"\\" for one in self._about())]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain values, for JSON."""
        return {
            "target": self.target,
            "unit": self.unit,
            "offset": self.offset,
            "is_log": self.is_log,
            "rules": [
                {"rule": rule.text, "adds": amount, "rows": rule.share}
                for rule, amount in zip(self.rules, self.amounts, strict=True)
            ],
            "measured": None if self.measured is None else self.measured._asdict(),
            "full": None if self.full is None else self.full._asdict(),
        }

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the card as CSV: a line for the offset, and one for each rule.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write.

        Returns
        -------
        str
            The CSV.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["rule", self.target])
        writer.writerow([OFFSET, f"{self.offset:.12g}"])
        for rule, amount in zip(self.rules, self.amounts, strict=True):
            writer.writerow([rule.text, f"{amount:.12g}"])
        return written(text.getvalue(), path)

    def _html(self) -> str:
        about = "".join(f"<p>{prose(line)}</p>" for line in self._about())
        return table(["adds", "rule", "rows"], self._lines(), numbers=[0, 2]) + about

    def _lines(self) -> list[list[str]]:
        """Return amount, rule and share of the rows for each line."""
        rows = [
            [self.amount_text(amount), f"if {rule}", percent(rule.share)]
            for rule, amount in zip(self.rules, self.amounts, strict=True)
        ]
        return [*rows, [self.amount_text(self.offset, sign=False), "always", percent(1.0)]]


def read_number_card(
    source: Any, columns: Sequence[str], target: str, is_log: bool
) -> NumberScorecard:
    """Read a scorecard from CSV, its text, a file of either, a data frame, a card or its model."""
    if hasattr(source, "scorecard"):
        source = source.scorecard()
    if isinstance(source, NumberScorecard):
        if source.is_log != is_log:
            raise InvalidParameter(
                "the rules of this card multiply: give loss='poisson'"
                if source.is_log
                else "the rules of this card are added, and with loss='poisson' they would multiply"
            )
        return source
    lines, name = card_lines(source, [target])
    if not lines or not lines[0] or lines[0][0].strip().lower() != "rule":
        raise FileFormatError(f"{name}: the first line must be 'rule' and the name of the number")
    offset, found = None, []
    for number, line in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in line):
            continue
        where = f"{name}, line {number}"
        if len(line) != 2:
            raise FileFormatError(
                f"{where}: there must be a rule and what it adds, not {line}; a rule with a comma "
                "stands in quotes"
            )
        text, amount = line[0].strip(), _amount(line[1], where, is_log)
        if text == OFFSET:
            offset = amount
        else:
            found.append((read_clauses(text, columns, where), amount))
    if offset is None:
        raise FileFormatError(f"{name} has no line '{OFFSET}'")
    unit = common_unit([offset, *(amount for _, amount in found)])
    if any(abs(amount) >= MOST_POINTS * unit for _, amount in found):
        raise FileFormatError(f"{name}: the amounts are too far apart; round the largest ones")
    rules = tuple(CardRule(clauses, (round(amount / unit),)) for clauses, amount in found)
    return NumberScorecard(target, rules, unit, offset, is_log)


def _amount(cell: str, where: str, is_log: bool) -> float:
    """Return an amount; a factor, which is printed rounded, as the logarithm that it stands for."""
    factor = re.fullmatch(r"\s*×\s*(\S+)\s*", cell)
    if factor is None:
        return read_amount(cell, where, MOST_TARGET)
    value = read_amount(factor[1], where, math.inf)
    if not is_log or value <= 0:
        raise FileFormatError(f"{where}: {cell.strip()!r} is a factor, for loss='poisson' alone")
    return round(math.log(value) / LOG_UNIT) * LOG_UNIT


def common_unit(amounts: Sequence[float]) -> float:
    """Return 1, 2 or 5 times a power of ten, of which all amounts are multiples as written.

    >>> common_unit([12.5, -7.5, 20.0]), common_unit([4000.0]), common_unit([])
    (0.5, 2000.0, 1.0)
    """
    told = [Decimal(f"{one:.12g}") for one in amounts if one]
    if not told:
        return 1.0
    lowest = min(int(one.as_tuple().exponent) for one in told)
    whole = math.gcd(*(int(one.scaleb(-lowest)) for one in told))
    digits = str(whole).rstrip("0")
    first = next(one for one in (5, 2, 1) if int(digits) % one == 0)
    return float(Decimal(first).scaleb(lowest + len(str(whole)) - len(digits)))
