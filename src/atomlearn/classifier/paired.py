"""Two models on the same rows: how far apart they are, whether that is chance, and where."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.costs import decide
from atomlearn.classifier.evaluation import Evaluating, is_chain, measured_rows, sizes_on
from atomlearn.classifier.scorecard import CardComparison
from atomlearn.errors import InvalidParameter
from atomlearn.logic.definition import plain
from atomlearn.markup import Displayed, escape, table
from atomlearn.training.compact.sizes import Size
from atomlearn.typing import Floats, Integers

RESAMPLES, MOST_RESAMPLED = 2000, 20_000
"""Number of bootstrap resamples, and the number of rows above which the interval is that of the
normal distribution, which is then the same."""
MOST_SHOWN = 20
"""Maximum number of rows that are printed."""


class Difference(NamedTuple):
    """A mean difference, second model less first, with its 95 % interval over the rows.

    Attributes
    ----------
    mean : float
        The difference.
    low, high : float
        The interval.

    Examples
    --------
    >>> Difference(-0.02, -0.05, 0.01).mean
    -0.02
    """

    mean: float
    low: float
    high: float


class DifferentRow(NamedTuple):
    """A row that two models predict differently.

    Attributes
    ----------
    row : int
        Its number in the table, counted from 0.
    label : object
        Its label.
    first, second : object
        The predictions.

    Examples
    --------
    >>> DifferentRow(3, "bad", "good", "bad").second
    'bad'
    """

    row: int
    label: Any
    first: Any
    second: Any


@dataclass(frozen=True, repr=False)
class PairedModels(Displayed):
    """Two models on the same rows; what is said of the rules if both are scorecards.

    Attributes
    ----------
    cards : CardComparison or None
        If both are compact: rules added, removed and changed.
    """

    cards: CardComparison | None

    @property
    def n_common(self) -> int | None:
        """Number of rules that two compact models share with the same points."""
        if self.cards is None:
            return None
        return len(self.cards.first) - len(self.cards.removed) - len(self.cards.changed)

    def _rules(self) -> list[str]:
        """Return the lines about the rules."""
        if self.cards is None:
            return []
        return ["", f"rules in common, with the same points: {self.n_common}", str(self.cards)]

    def _rules_as_json(self) -> dict[str, Any] | None:
        if (cards := self.cards) is None:
            return None
        return {
            "common": self.n_common,
            "added": [rule.text for rule in cards.added],
            "removed": [rule.text for rule in cards.removed],
            "changed": [new.text for _, new in cards.changed],
        }


@dataclass(frozen=True, repr=False)
class ModelComparison(PairedModels):
    """The result of ``compare``: two models on the same rows.

    Attributes
    ----------
    first, second : Size
        Error and log-loss of each model, with their standard errors.
    error : Difference
        Difference of the errors.
    log_loss : Difference
        Difference of the log-losses.
    only_first_wrong, only_second_wrong : int
        Number of rows that one model alone predicts wrongly.
    p_value : float
        McNemar's exact test: how probable so uneven a split of these rows is if the errors of both
        models are equally frequent.
    rows : tuple of DifferentRow
        The rows with different predictions.
    cards : CardComparison or None
        If both are compact: rules added, removed and changed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AlgebraicClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = clf.compact(2).compare(clf.compact(6), X[1::2], y[1::2])
    >>> found.cards is not None, 0 <= found.p_value <= 1
    (True, True)
    """

    first: Size
    second: Size
    error: Difference
    log_loss: Difference
    only_first_wrong: int
    only_second_wrong: int
    p_value: float
    rows: tuple[DifferentRow, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.first.n_rows:,} rows"]
        for name, one in (("first", self.first), ("second", self.second)):
            lines.append(
                f"{name.ljust(6)}  error {one.error:.1%} ± {one.error_sd:.1%}, "
                f"log-loss {one.loss:.3f} ± {one.loss_sd:.3f}, {one.n_atoms:,} atoms or rules"
            )
        lines += self._sentences()
        if self.rows:
            lines.append(f"{len(self.rows):,} rows are predicted differently:")
            lines += [
                f"  row {one.row:,}: {one.label}; first {one.first}, second {one.second}"
                for one in self.rows[:MOST_SHOWN]
            ]
            if len(self.rows) > MOST_SHOWN:
                lines.append(f"  ... and {len(self.rows) - MOST_SHOWN:,} more")
        else:
            lines.append("no row is predicted differently")
        return "\n".join([*lines, *self._rules()])

    def _sentences(self) -> list[str]:
        error, loss = self.error, self.log_loss
        return [
            f"second less first: error {100 * error.mean:+.1f} points (95 % interval "
            f"{100 * error.low:+.1f} to {100 * error.high:+.1f}), log-loss {loss.mean:+.3f} "
            f"({loss.low:+.3f} to {loss.high:+.3f})",
            f"only the first is wrong in {self.only_first_wrong:,} rows, only the second in "
            f"{self.only_second_wrong:,}: McNemar's test gives p = {self.p_value:.3g}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return {
            "first": self.first._asdict(),
            "second": self.second._asdict(),
            "error_difference": self.error._asdict(),
            "log_loss_difference": self.log_loss._asdict(),
            "only_first_wrong": self.only_first_wrong,
            "only_second_wrong": self.only_second_wrong,
            "p_value": self.p_value,
            "rows": [
                {
                    "row": one.row,
                    "label": plain(one.label),
                    "first": plain(one.first),
                    "second": plain(one.second),
                }
                for one in self.rows
            ],
            "rules": self._rules_as_json(),
        }

    def _html(self) -> str:
        figures = table(
            ["model", "error", "log-loss", "atoms or rules"],
            [
                [
                    name,
                    f"{one.error:.1%} ± {one.error_sd:.1%}",
                    f"{one.loss:.3f} ± {one.loss_sd:.3f}",
                    f"{one.n_atoms:,}",
                ]
                for name, one in (("first", self.first), ("second", self.second))
            ],
            numbers=[1, 2, 3],
        )
        said = "".join(f"<p>{escape(one)}</p>" for one in self._sentences())
        rows = table(["row", "label", "first", "second"], self.rows[:MOST_SHOWN], numbers=[0])
        more = len(self.rows) - MOST_SHOWN
        rest = f'<p class="muted">... and {more:,} more</p>' if more > 0 else ""
        cards = "" if self.cards is None else self.cards._html()
        return f"{figures}{said}{rows if self.rows else ''}{rest}{cards}"


class Comparing(Evaluating):
    """Mixin for comparing two models on the same rows."""

    def compare(
        self, other: Any, X: Any, y: Any, *, X_other: Any = None, random_state: int = 0
    ) -> ModelComparison:
        """Compare this model with another one on the same rows.

        Parameters
        ----------
        other : classifier
            A fitted classifier of the same classes, of this or of another library.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows, which should be training rows of neither model.
        y : array-like of shape (n_samples,)
            Their labels.
        X_other : array-like or data frame, default=None
            The same rows as the other model takes them, if its columns are not the same.
        random_state : int, default=0
            Seed of the bootstrap.

        Returns
        -------
        ModelComparison
            Errors and log-losses, paired tests, and the rows that are predicted differently. Two
            scorecards are compared rule by rule, too.
        """
        check_is_fitted(self)
        if not hasattr(other, "predict"):
            raise InvalidParameter(
                f"a model is compared with a fitted model, not {type(other).__name__}; "
                "read one from a file with load"
            )
        check_is_fitted(other)
        if not hasattr(other, "classes_"):
            raise InvalidParameter("the other model predicts a number, and this one classes")
        ours, theirs = self.classes_.tolist(), np.asarray(other.classes_).tolist()
        if ours != theirs:
            raise InvalidParameter(f"the models are of different classes: {ours[:10]} and "
                                   f"{theirs[:10]}")  # fmt: skip
        chances, codes = measured_rows(self, X, y)
        said = np.asarray(other.predict_proba(X if X_other is None else X_other))
        if said.shape != chances.shape:
            raise InvalidParameter(f"X_other has {len(said):,} rows, and X {len(chances):,}")
        return _compared(self, other, chances, said, codes, random_state)


def _compared(
    first: Any, second: Any, one: Floats, two: Floats, codes: Integers, seed: int
) -> ModelComparison:
    found = [
        decide(said, model.classes_, ordered=is_chain(model))
        for model, said in ((first, one), (second, two))
    ]
    wrong = [said != codes for said in found]
    rows = np.arange(len(codes))
    losses = [-np.log(np.maximum(said[rows, codes], 1e-300)) for said in (one, two)]
    labels = first.classes_.tolist()
    a = int((wrong[0] & ~wrong[1]).sum())
    b = int((wrong[1] & ~wrong[0]).sum())
    rng = np.random.default_rng(seed)
    differ = np.flatnonzero(found[0] != found[1]).tolist()
    return ModelComparison(
        cards_of(first, second),
        sizes_on(first, one, codes),
        sizes_on(second, two, codes),
        paired_difference(wrong[1].astype(np.float64) - wrong[0], rng),
        paired_difference(losses[1] - losses[0], rng),
        a,
        b,
        float(binomtest(a, a + b).pvalue) if a + b else 1.0,
        tuple(
            DifferentRow(i, labels[codes[i]], labels[found[0][i]], labels[found[1][i]])
            for i in differ
        ),
    )


def cards_of(first: Any, second: Any) -> CardComparison | None:
    """Return the comparison of two scorecards, or ``None`` if a model is none."""
    for one in (first, second):
        learned = getattr(one, "learned_", None)
        if learned is None or learned.card is None:
            return None
    comparison: CardComparison = first.scorecard().compare(second.scorecard())
    return comparison


def paired_difference(values: npt.NDArray[Any], rng: np.random.Generator) -> Difference:
    """Return the mean of paired differences with its 95 % bootstrap interval.

    >>> paired_difference(np.zeros(5), np.random.default_rng(0))
    Difference(mean=0.0, low=0.0, high=0.0)
    """
    mean, n = float(values.mean()), len(values)
    if n > MOST_RESAMPLED:
        spread = 1.96 * float(values.std(ddof=1)) / n**0.5
        return Difference(mean, mean - spread, mean + spread)
    means = [float(values[rng.integers(n, size=n)].mean()) for _ in range(RESAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975]).tolist()
    return Difference(mean, low, high)
