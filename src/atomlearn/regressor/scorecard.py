"""Scorecards of a number: rules, what each adds in units of the target, and the offset."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.classifier.scorecard import (
    OFFSET,
    CardComparison,
    CardRule,
    card_beside,
    latex_text,
    markdown_text,
    rounded,
    written,
)
from atomlearn.errors import InvalidRule, MissingExtra
from atomlearn.markup import Displayed, prose, table
from atomlearn.training.compact.sizes import Size

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class NumberScorecard(Displayed):
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

    def told(self, amount: float, sign: bool = True) -> str:
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
            return f"× {np.exp(np.clip(amount, -700, 700)):.3g}"
        decimals = max(0, -int(np.floor(np.log10(self.unit) + 1e-9)))
        text = f"{amount:{'+' if sign else ''}.{decimals}f}" if decimals < 16 else f"{amount:g}"
        return text.replace("-", "−")

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the card as plain text."""
        amounts, texts, shares = zip(*self._lines(), strict=True)
        width, longest = max(map(len, amounts)), min(100, max(map(len, texts)))
        lines = [
            f"  {a.rjust(width)}  {t.ljust(longest)}  {s}".rstrip()
            for a, t, s in zip(amounts, texts, shares, strict=True)
        ]
        return "\n".join([self._title(), "", *lines, "", *self._about()])

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
        return self.told(self.unit * points[0])

    def _beside(self) -> dict[str, str]:
        return {"offset": self.told(self.offset, sign=False)}

    def to_frame(self) -> "pd.DataFrame":
        """Return the card as a pandas data frame: a line for each rule, then the offset.

        Columns: ``rule``, ``adds`` (to the prediction, or to its logarithm), ``factor`` for the
        latter, and ``rows``, the share of the training rows that meet the rule.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("to_frame needs pandas: pip install pandas") from None
        adds = np.array([*self.amounts, self.offset])
        columns: dict[str, Any] = {"rule": [*map(str, self.rules), OFFSET], "adds": adds}
        if self.is_log:
            columns["factor"] = np.exp(adds)
        return pd.DataFrame({**columns, "rows": [*(one.share for one in self.rules), 1.0]})

    def to_markdown(self) -> str:
        """Return the card as a Markdown table, with the sentences below it."""
        lines = [
            f"**{markdown_text(self._title())}**",
            "",
            "| adds | rule | rows |",
            "|--:|---|--:|",
        ]
        lines += [f"| {' | '.join(map(markdown_text, line))} |" for line in self._lines()]
        return "\n".join([*lines, "", *(f"{markdown_text(one)}\n" for one in self._about())])

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

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the card as an HTML page of its own that prints on one page.

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

        page = Page(self._title(), quiet=True)
        page.parts.append(self._html())
        return written(page.html(), path)

    def _html(self) -> str:
        about = "".join(f"<p>{prose(line)}</p>" for line in self._about())
        return table(["adds", "rule", "rows"], self._lines(), numbers=[0, 2]) + about

    def _lines(self) -> list[list[str]]:
        """Return amount, rule and share of the rows for each line."""
        rows = [
            [self.told(amount), f"if {rule}", "" if rule.share is None else f"{rule.share:.0%}"]
            for rule, amount in zip(self.rules, self.amounts, strict=True)
        ]
        return [*rows, [self.told(self.offset, sign=False), "always", "100%"]]
