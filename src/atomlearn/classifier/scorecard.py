"""Scorecards: a compact model on one screen, as text, frame, HTML, LaTeX, Markdown and CSV.

A rule is written as what a row has: ``status = A11 and months > 12``. What is printed is what
decides: points are whole, and the offsets and the scale have the digits that are shown. The CSV and
the text can be changed by hand and read again."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from atomlearn.errors import InvalidParameter, InvalidRule, MissingExtra
from atomlearn.logic.definition import plain
from atomlearn.logic.formulas import escape_latex
from atomlearn.markup import Displayed, escape, prose, table, visible
from atomlearn.tables.literals import Literal, show
from atomlearn.tables.rules import Condition, condition_of, conjunction, joined
from atomlearn.tables.validation import pandas_for
from atomlearn.training.compact.sizes import Size
from atomlearn.training.scores import softmax

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

OFFSET, SCALE = "(offset)", "(scale)"
"""Names of the lines of a CSV that are no rules."""
MOST_COLUMNS = 8
"""Maximum number of classes that have a column each; of more, only points other than zero are
listed."""
MOST_WRITTEN = 1e15
"""Numbers below this are written without a power of ten."""
SUMS = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
"""Probabilities for which the sum of points is shown."""

T = TypeVar("T")

Clause = tuple[Condition, ...]
"""Conditions on one column of which a row must meet one."""


class Paged(Displayed):
    """An object that is displayed in a notebook, and makes an HTML page of its own."""

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the object as an HTML page of its own, which needs no other file.

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
        page.add(self._body())
        return written(page.html(), path)

    def _title(self) -> str:
        """Return the heading of the page."""
        raise NotImplementedError

    def _body(self) -> str:
        """Return what is below the heading."""
        return self._html()


@dataclass(frozen=True)
class CardRule:
    """A rule of a scorecard.

    Attributes
    ----------
    clauses : tuple of tuples of Condition
        A row meets the rule if it meets one condition of each.
    points : tuple of int
        The points of each class.
    share : float or None
        Share of the training rows that meet the rule.
    literals : tuple of tuples of Literal
        The same conditions as literals, for pictures.

    Examples
    --------
    >>> rule = CardRule(((Condition("age", ">", 60.0),),), (0, 2))
    >>> print(rule)
    age > 60
    """

    clauses: tuple[Clause, ...]
    points: tuple[int, ...]
    share: float | None = field(default=None, compare=False)
    literals: tuple[tuple[Literal, ...], ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        if any(one.place for literals in self.literals for one in literals):  # pixels
            return " and ".join(" or ".join(map(str, literals)) for literals in self.literals)
        return self.text

    @property
    def text(self) -> str:
        """The conditions by the names of the columns, as they are read again."""
        return conjunction(self.clauses)

    @property
    def size(self) -> int:
        """Number of conditions."""
        return len(self.clauses)


def card_rule(
    literals: Sequence[Sequence[Literal]], points: Sequence[int], share: float | None = None
) -> CardRule:
    """Return a rule of a scorecard, given the literals of each of its conditions."""
    clauses = [tuple(condition_of(one) for one in ours) for ours in literals]
    return CardRule(joined(clauses), tuple(points), share, tuple(map(tuple, literals)))


@dataclass(frozen=True, repr=False)
class Scorecard(Paged):
    """A compact model as a person reads it: rules, their points for each class, and the offsets.

    The sum of a class is its offset plus the points of all rules that a row meets. The scores are
    the sums times the scale; probabilities are their softmax.

    Attributes
    ----------
    labels : tuple
        The classes.
    rules : tuple of CardRule
        The rules, those with the largest differences of points first.
    offsets : tuple of float
        The points of each class before any rule is met.
    scale : float
        Change of the log-odds by one point.
    max_points : int
        Largest number of points of a rule.
    measured : Size or None
        Error and log-loss on held-out rows.
    full : Size or None
        The same of the full model.
    before : Size or None
        If the card was changed by hand, the measures of the card before, on the same rows.
    is_changed : bool
        Whether the card was changed by hand; then it is measured on the rows that were given.
    hard_rules : tuple of str
        Rules that every prediction obeys, whatever the points are.
    is_exact : bool
        Whether the rules define the classes of all training rows.
    ordered : bool
        Whether the classes are ordered; then the median of the probabilities is predicted.
    image_shape : tuple of int or None
        Height and width, if the columns are pixels.
    has_decided : bool
        Whether rules decide some rows, which are not among the held-out rows then.
    owner : AlgebraicClassifier or None
        The classifier that the card is of.

    Examples
    --------
    >>> rule = CardRule(((Condition("age", ">", 60.0),),), (0, 2))
    >>> card = Scorecard(("no", "yes"), (rule,), (0.0, -1.0), 0.5)
    >>> print(card.to_csv())
    rule,yes
    (offset),-1
    (scale),0.5
    age > 60,2
    <BLANKLINE>
    """

    labels: tuple[Any, ...]
    rules: tuple[CardRule, ...]
    offsets: tuple[float, ...]
    scale: float
    max_points: int = 5
    measured: Size | None = field(default=None, compare=False)
    full: Size | None = field(default=None, compare=False)
    before: Size | None = field(default=None, compare=False)
    is_changed: bool = field(default=False, compare=False)
    hard_rules: tuple[str, ...] = ()
    is_exact: bool = field(default=False, compare=False)
    ordered: bool = field(default=False, compare=False)
    image_shape: tuple[int, int] | None = None
    has_decided: bool = field(default=False, compare=False)
    owner: Any = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes; then only the second has points."""
        return len(self.labels) == 2

    @property
    def shown(self) -> list[int]:
        """The classes that have points to be shown."""
        return [1] if self.is_binary else list(range(len(self.labels)))

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the card as plain text, which :meth:`from_text` reads again."""
        lines = [self._title(), ""]
        wide = len(self.shown) > MOST_COLUMNS
        if wide:
            lines += [f"{self._listed(one.points)}  if {one}" for one in self.rules]
            lines.append(f"{self._listed(self.offsets)}  always")
            return "\n".join([*lines, "", *self._about()])
        cells = [[*self._heads(), "", "rows"], *self._lines()]
        if all(rule.share is None for rule in self.rules):
            cells = [[*line[:-1], ""] for line in cells]
        return "\n".join([*lines, *aligned(cells), "", *self._about()])

    def _heads(self) -> list[str]:
        """Return the names above the points."""
        return ["points"] if self.is_binary else [str(self.labels[k]) for k in self.shown]

    def _lines(self) -> list[list[str]]:
        """Return points, rule and share of the rows for each line."""
        rules = [
            [*(signed(rule.points[k]) for k in self.shown), f"if {rule}", percent(rule.share)]
            for rule in self.rules
        ]
        return [*rules, [*(signed(self.offsets[k]) for k in self.shown), "always", percent(1.0)]]

    def _title(self) -> str:
        what = f" for {self.labels[1]} rather than {self.labels[0]}" if self.is_binary else ""
        return (
            f"Scorecard{what}: {len(self)} rule{'s' * (len(self) != 1)}, "
            f"points from {-self.max_points} to {self.max_points}"
        ).replace("-", "−")

    def _listed(self, points: Sequence[float]) -> str:
        told = [f"{self.labels[k]} {signed(points[k])}" for k in self.shown if points[k]]
        return ", ".join(told) or "0"

    def _about(self) -> list[str]:
        """Return the sentences below the rules."""
        lines = []
        if self.is_binary:
            first, second = map(str, self.labels)
            lines.append(
                f"Add up the points of all lines that apply: the probability of {second} is "
                f"1 / (1 + exp(−{show(self.scale)} × sum)); {second} if the sum is above 0, else "
                f"{first}."
            )
            sums = "   ".join(f"{signed(s)}: {p:.0%}" for s, p in self.probabilities())
            lines.append(f"Sum and probability of {second}:  {sums}")
        else:
            lines.append(
                "Add up the points of each class over all lines that apply: the class with the "
                f"largest sum is predicted. Probabilities are the softmax of {show(self.scale)} × "
                "sum."
                if not self.ordered
                else "Add up the points of each class over all lines that apply. Probabilities are "
                f"the softmax of {show(self.scale)} × sum; the classes are ordered, and the median "
                "of the probabilities is predicted."
            )
        lines += [f"Always obeyed: {rule}" for rule in self.hard_rules]
        if self.is_exact:
            lines.append("These rules are a definition: they decide every training row rightly.")
        price = self.price()
        return [*lines, *([price] if price else [])]

    def probabilities(self) -> list[tuple[float, float]]:
        """Return sums of points and the probability of the second class, for two classes."""
        sums = sorted({round(float(np.log(p / (1 - p))) / self.scale) for p in SUMS})
        return [(float(s), logistic(self.scale * s)) for s in sums]

    def price(self) -> str:
        """Return in words the error on held-out rows, beside that of the full model."""
        if self.measured is None:
            return ""
        told, rows = _measures(self.measured), "held-out rows"
        if self.has_decided:
            rows += " that no rule decides"
        if self.is_changed:
            rows = f"the {self.measured.n_rows:,} rows given"
        told = f"On {rows}: {told}"
        if self.before is not None:
            error = self.measured.error - self.before.error
            loss = self.measured.loss - self.before.loss
            cost = f"{100 * error:+.1f} points of error and {loss:+.3f} of log-loss"
            told += f"; before the change {_measures(self.before)}: it costs {cost}"
        if self.full is not None:
            atoms = f"{self.full.n_atoms:,} atom{'s' * (self.full.n_atoms != 1)}"
            where = " on held-out rows" if self.is_changed else ""
            told += f"; the full model of {atoms} has {_measures(self.full)}{where}"
        return f"{told}."

    def to_frame(self) -> "pd.DataFrame":
        """Return the card as a pandas data frame: a line for each rule, then the offset.

        Columns: ``rule``, the points of each class, and ``rows``, the share of the training rows
        that meet the rule. ``frame.attrs["scale"]`` is the scale.
        """
        pd = pandas_for("to_frame")
        columns: dict[Any, list[Any]] = {"rule": [*map(str, self.rules), OFFSET]}
        for k in self.shown:
            points = [rule.points[k] for rule in self.rules]
            columns[self.labels[k]] = [*points, self.offsets[k]]
        columns["rows"] = [*(rule.share for rule in self.rules), 1.0]
        frame = pd.DataFrame(columns)
        frame.attrs = {"scale": self.scale}
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain values, for JSON."""
        return {
            "labels": [plain(label) for label in self.labels],
            "rules": [
                {"rule": rule.text, "points": list(rule.points), "rows": rule.share}
                for rule in self.rules
            ],
            "offsets": list(self.offsets),
            "scale": self.scale,
            "measured": None if self.measured is None else self.measured._asdict(),
            "full": None if self.full is None else self.full._asdict(),
        }

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the card as CSV, which :meth:`AlgebraicClassifier.from_scorecard` reads again.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write.

        Returns
        -------
        str
            The CSV: a line for the offsets, one for the scale, and one for each rule.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["rule", *(plain(self.labels[k]) for k in self.shown)])
        writer.writerow([OFFSET, *(show(self.offsets[k]) for k in self.shown)])
        writer.writerow([SCALE, show(self.scale)])
        for rule in self.rules:
            writer.writerow([rule.text, *(rule.points[k] for k in self.shown)])
        return written(text.getvalue(), path)

    def to_markdown(self) -> str:
        """Return the card as a Markdown table, with the sentences below it."""
        return markdown_card(self._title(), self._heads(), self._lines(), self._about())

    def to_model_card(self, X: Any = None, y: Any = None, *, path: str | Path | None = None) -> str:
        """Return the model card of the classifier: data, figures, this scorecard, proofs, limits.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), default=None
            New rows on which to measure the classifier.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        path : str or Path, default=None
            A file to write.

        Returns
        -------
        str
            The card in Markdown.
        """
        if self.owner is None:
            raise InvalidParameter(
                "a model card needs the classifier: make one of this scorecard with "
                "AlgebraicClassifier.from_scorecard(card, X, y), and call its to_model_card()"
            )
        text: str = self.owner.to_model_card(X, y, path=path)
        return text

    def to_latex(self) -> str:
        """Return the card as a LaTeX table, for the package ``booktabs``."""
        heads = self._heads()
        aligned = "r" * len(heads) + "lr"
        lines = [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule"]
        lines.append(" & ".join([*map(escape_latex, heads), "rule", "rows"]) + r" \\")
        lines.append(r"\midrule")
        for rule in self.rules:
            points = [_latex_number(rule.points[k]) for k in self.shown]
            cells = [*points, latex_text(f"if {rule}"), latex_text(percent(rule.share))]
            lines.append(" & ".join(cells) + r" \\")
        offsets = [_latex_number(self.offsets[k]) for k in self.shown]
        lines.append(" & ".join([*offsets, "always", r"100 \%"]) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", ""]
        lines += [latex_text(one) + r"\\" for one in self._about()]
        return "\n".join(lines) + "\n"

    def _body(self) -> str:
        return self._html(titled=False)

    def _html(self, titled: bool = True) -> str:
        heads = self._heads()
        numbers = [*range(len(heads)), len(heads) + 1]
        title = f"<p><strong>{escape(self._title())}</strong></p>" if titled else ""
        below = "".join(f"<p>{prose(one)}</p>" for one in self._about())
        body = table([*heads, "rule", "rows"], self._lines(), numbers=numbers)
        return f'{title}<div class="scorecard">{body}{self._pictures()}{below}</div>'

    def _pictures(self) -> str:
        if self.image_shape is None:
            return ""
        from atomlearn.views.page import figure_html

        try:
            about = "The rules as pictures: black pixels are ink, white ones are blank."
            return figure_html(self.plot(), about)
        except MissingExtra:
            return ""

    def plot(self) -> "Figure":
        """Draw the rules: of an image as pictures, else their points as bars."""
        from atomlearn.views.pictures import draw_atoms, draw_points

        if self.image_shape is None:
            return draw_points(
                [str(rule) for rule in self.rules],
                [[rule.points[k] for k in self.shown] for rule in self.rules],
                [str(self.labels[k]) for k in self.shown],
            )
        from atomlearn.tables.images import is_dark

        n = int(np.prod(self.image_shape))
        dark, light = (np.zeros((len(self), n), dtype=np.bool_) for _ in range(2))
        for i, rule in enumerate(self.rules):
            for literals in rule.literals:
                for one in literals:
                    (dark if is_dark(one) else light)[i, one.column] = True
        titles = [self._title_of(rule) for rule in self.rules]
        return draw_atoms(dark, light, self.image_shape, titles=titles)

    def _title_of(self, rule: CardRule) -> str:
        best = sorted(self.shown, key=lambda k: -abs(rule.points[k]))[:2]
        return ", ".join(
            f"{self.labels[k]} {signed(rule.points[k])}" for k in best if rule.points[k]
        )

    def compare(self, other: Any) -> "CardComparison":
        """Return what another card changes: rules added, removed and changed.

        Parameters
        ----------
        other : Scorecard or AlgebraicClassifier
            The other card, of the same classes, or its classifier.

        Returns
        -------
        CardComparison
            The differences, which can be printed.
        """
        other = card_beside(self, other)
        if tuple(map(str, self.labels)) != tuple(map(str, other.labels)):
            raise InvalidRule(
                f"the cards are of different classes: {list(map(str, self.labels))} and "
                f"{list(map(str, other.labels))}"
            )
        return CardComparison.of(self, other)

    def _beside(self) -> dict[str, str]:
        """Return what the card has beside rules, as text."""
        return {"offset": self._listed(self.offsets), "scale": show(self.scale)}


@dataclass(frozen=True, repr=False)
class CardComparison(Displayed):
    """The differences between two scorecards.

    Attributes
    ----------
    first, second : Scorecard or NumberScorecard
        The cards.
    added : tuple of CardRule
        Rules of the second card only.
    removed : tuple of CardRule
        Rules of the first card only.
    changed : tuple of pairs of CardRule
        Rules of both with other points.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = AlgebraicClassifier(random_state=0).fit(X, y)
    >>> few, more = clf.compact(2).scorecard(), clf.compact(4).scorecard()
    >>> print(few.compare(more))                                              # doctest: +ELLIPSIS
    added    2 +2  if petal length (cm) > 4.95
    added    1 +2  if petal length (cm) > 2.5 and petal length (cm) ≤ 4.75
    changed  1 −2, 2 +3 → 1 −1, 2 +3  if petal width (cm) > 1.65
    ...
    """

    first: Any
    second: Any
    added: tuple[CardRule, ...]
    removed: tuple[CardRule, ...]
    changed: tuple[tuple[CardRule, CardRule], ...]

    @classmethod
    def of(cls, first: Any, second: Any) -> "CardComparison":
        """Compare two cards; rules with the same text are the same.

        Parameters
        ----------
        first, second : Scorecard or NumberScorecard
            The cards.

        Returns
        -------
        CardComparison
            The differences.
        """
        ours = {str(rule): rule for rule in first.rules}
        theirs = {str(rule): rule for rule in second.rules}
        both = [(ours[text], theirs[text]) for text in ours if text in theirs]
        return cls(
            first,
            second,
            tuple(rule for text, rule in theirs.items() if text not in ours),
            tuple(rule for text, rule in ours.items() if text not in theirs),
            tuple(
                (old, new)
                for old, new in both
                if first._listed(old.points) != second._listed(new.points)
            ),
        )

    def __str__(self) -> str:
        a, b = self.first, self.second
        lines = [f"added    {b._listed(rule.points)}  if {rule}" for rule in self.added]
        lines += [f"removed  {a._listed(rule.points)}  if {rule}" for rule in self.removed]
        lines += [
            f"changed  {a._listed(old.points)} → {b._listed(new.points)}  if {new}"
            for old, new in self.changed
        ]
        for name, before in a._beside().items():
            if before != b._beside()[name]:
                lines.append(f"{name.ljust(8)} {before} → {b._beside()[name]}")
        if not lines:
            lines.append("no difference")
        for name, card in (("first", a), ("second", b)):
            if card.measured is not None:
                lines.append(f"{name}: {card.price()}")
        return "\n".join(lines)


def logistic(score: float) -> float:
    """Return the probability of log-odds."""
    return float(softmax(np.array([[0.0, score]]))[0, 1])


def _measures(size: Size) -> str:
    return (
        f"{size.error:.1%} ± {size.error_sd:.1%} error, "
        f"log-loss {size.loss:.3f} ± {size.loss_sd:.3f}"
    )


def signed(value: float) -> str:
    """Return points with their sign.

    >>> signed(3), signed(-2), signed(0), signed(-1.5)
    ('+3', '−2', '0', '−1.5')
    """
    return rounded(value, 6, "+").replace("-", "−") if value else "0"


def rounded(value: float, digits: int = 6, sign: str = "") -> str:
    """Return a number with so many digits, or as a whole number if it has more before the point.

    >>> rounded(0.123456, 2), rounded(290.4, 2), rounded(1234567.8), rounded(1e20)
    ('0.12', '290', '1234568', '1e+20')
    """
    text = f"{value:{sign}.{digits}g}"
    return f"{value:{sign}.0f}" if "e+" in text and abs(value) < MOST_WRITTEN else text


def percent(share: float | None) -> str:
    """Return a share of the rows as text."""
    return "" if share is None else f"{100 * share:.0f} %"


def markdown_text(text: str) -> str:
    r"""Return text as Markdown that shows just this text, also in a cell of a table.

    >>> print(markdown_text("a|b [c](d)"))
    a\|b \[c\](d)
    """
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", visible(re.sub(r"\s+", " ", text)))


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of points, a rule and a share of the rows as text, one below the other."""
    *widths, longest, _ = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    found = []
    for *points, text, share in lines:
        amounts = "  ".join(one.rjust(width) for one, width in zip(points, widths, strict=True))
        found.append(f"  {amounts}  {text.ljust(min(longest, 100))}  {share}".rstrip())
    return found


def markdown_card(
    title: str, heads: Sequence[str], lines: Sequence[Sequence[str]], about: Sequence[str]
) -> str:
    """Return a card as a Markdown table, with sentences below it."""
    head, *rows = (
        f"| {' | '.join(map(markdown_text, cells))} |"
        for cells in ([*heads, "rule", "rows"], *lines)
    )
    below = [f"{markdown_text(one)}\n" for one in about]
    rule = f"|{'--:|' * len(heads)}---|--:|"
    return "\n".join([f"**{markdown_text(title)}**", "", head, rule, *rows, "", *below])


def _latex_number(value: float) -> str:
    return f"${value:+g}$" if value else "$0$"


def latex_text(text: str) -> str:
    """Return text for LaTeX, with its signs in mathematics."""
    signs = {"≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "<": "<", ">": ">", "−": "-", "×": r"\times",
             "±": r"\pm"}  # fmt: skip
    return "".join(f"${signs[c]}$" if c in signs else escape_latex(c) for c in text)


def card_beside(card: T, other: Any) -> T:
    """Return the other card of a comparison, which may be given as the model that has it."""
    found = other.scorecard() if hasattr(other, "scorecard") else other
    if not isinstance(found, type(card)):
        kind = type(card).__name__
        raise InvalidParameter(
            f"a scorecard is compared with a {kind} or its model, not {type(found).__name__}; "
            f"read one from a file with from_scorecard"
        )
    return found


def written(text: str, path: str | Path | None) -> str:
    """Return the text, after writing it to a file if there is a path."""
    if path is not None:
        from atomlearn.files.container import replacing

        with replacing(path) as file:
            file.write(text.encode("utf-8"))
    return text
