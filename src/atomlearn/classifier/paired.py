"""Two models on the same rows: how far apart they are, whether that is chance, and where."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

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
    """Two models on the same rows, with the comparison of their rules if both are scorecards.

    Attributes
    ----------
    cards : CardComparison or None
        If both are compact: rules added, removed and changed.
    first, second : Size
        Error and loss of each model, with their standard errors.
    error : Difference
        Difference of the errors.
    loss : Difference
        Difference of the losses.
    p_value : float
        How probable so uneven a split of these rows is if both models are equally good.
    rows : tuple of DifferentRow
        Rows with different predictions.
    """

    MEASURES: ClassVar[tuple[str, str]]
    """The names of error and loss."""

    cards: CardComparison | None
    first: Size
    second: Size
    error: Difference
    loss: Difference
    p_value: float
    rows: tuple[DifferentRow, ...]

    @property
    def n_common(self) -> int | None:
        """Number of rules that two compact models share with the same points."""
        if self.cards is None:
            return None
        return len(self.cards.first) - len(self.cards.removed) - len(self.cards.changed)

    def __str__(self) -> str:
        names = self.MEASURES
        lines = [f"{self.first.n_rows:,} rows"]
        lines += [
            f"{which.ljust(6)}  {names[0]} {error}, {names[1]} {loss}, {n} atoms or rules"
            for which, error, loss, n in self._figures()
        ]
        lines += self._sentences()
        lines.append(f"{self._about_rows()}:" if self.rows else "no row is predicted differently")
        lines += [
            f"  row {row}: {label}; first {first}, second {second}"
            for row, label, first, second in self._shown_rows()
        ]
        if len(self.rows) > MOST_SHOWN:
            lines.append(f"  ... and {len(self.rows) - MOST_SHOWN:,} more")
        if self.cards is not None:
            lines += ["", f"rules in common, with the same points: {self.n_common}"]
            lines.append(str(self.cards))
        return "\n".join(lines)

    def _figures(self) -> list[list[str]]:
        """Return which model it is, its error, its loss, and its number of atoms or rules."""
        both = ("first", self.first), ("second", self.second)
        return [[name, *self._measures(one), f"{one.n_atoms:,}"] for name, one in both]

    def _measures(self, size: Size) -> tuple[str, str]:
        """Return error and loss with their standard errors."""
        raise NotImplementedError

    def _sentences(self) -> list[str]:
        """Return the sentences about the differences."""
        raise NotImplementedError

    def _about_rows(self) -> str:
        """Return what is said above the rows."""
        raise NotImplementedError

    def _shown_rows(self) -> list[list[str]]:
        return [
            [f"{one.row:,}", *map(self._cell, (one.label, one.first, one.second))]
            for one in self.rows[:MOST_SHOWN]
        ]

    def _cell(self, value: Any) -> str:
        return str(value)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        cards = self.cards
        return {
            "first": self.first._asdict(),
            "second": self.second._asdict(),
            "error_difference": self.error._asdict(),
            "p_value": self.p_value,
            "rows": [{k: plain(v) for k, v in one._asdict().items()} for one in self.rows],
            "rules": None
            if cards is None
            else {
                "common": self.n_common,
                "added": [rule.text for rule in cards.added],
                "removed": [rule.text for rule in cards.removed],
                "changed": [new.text for _, new in cards.changed],
            },
        }

    def _html(self) -> str:
        heads = ["model", *self.MEASURES, "atoms or rules"]
        parts = [table(heads, self._figures(), numbers=[1, 2, 3])]
        parts += [f"<p>{escape(one)}</p>" for one in self._sentences()]
        if self.rows:
            numbers = [j for j in range(4) if j == 0 or isinstance(self.rows[0][j], float)]
            heads = ["row", self._target(), "first", "second"]
            parts.append(table(heads, self._shown_rows(), numbers=numbers))
        if len(self.rows) > MOST_SHOWN:
            parts.append(f'<p class="muted">... and {len(self.rows) - MOST_SHOWN:,} more</p>')
        if self.cards is not None:
            parts.append(self.cards._html())
        return "".join(parts)

    def _target(self) -> str:
        """Return the name of what is predicted."""
        return "label"


@dataclass(frozen=True, repr=False)
class ModelComparison(PairedModels):
    """The result of ``compare``: two models on the same rows.

    Attributes
    ----------
    first, second : Size
        Error and log-loss of each model, with their standard errors.
    loss : Difference
        Difference of the log-losses.
    p_value : float
        McNemar's exact test: how probable so uneven a split of these rows is if the errors of both
        models are equally frequent.
    only_first_wrong, only_second_wrong : int
        Number of rows that one model alone predicts wrongly.

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

    MEASURES = ("error", "log-loss")

    only_first_wrong: int
    only_second_wrong: int

    @property
    def log_loss(self) -> Difference:
        """Difference of the log-losses."""
        return self.loss

    def _measures(self, size: Size) -> tuple[str, str]:
        return (
            f"{size.error:.1%} ± {size.error_sd:.1%}",
            f"{size.loss:.3f} ± {size.loss_sd:.3f}",
        )

    def _about_rows(self) -> str:
        return f"{len(self.rows):,} rows are predicted differently"

    def _sentences(self) -> list[str]:
        error, loss = self.error, self.loss
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
            **super().to_dict(),
            "log_loss_difference": self.loss._asdict(),
            "only_first_wrong": self.only_first_wrong,
            "only_second_wrong": self.only_second_wrong,
        }


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
        others = np.asarray(other.predict_proba(X if X_other is None else X_other))
        if others.shape != chances.shape:
            raise InvalidParameter(f"X_other has {len(others):,} rows, and X {len(chances):,}")
        return _compared(self, other, chances, others, codes, random_state)


def _compared(
    first: Any, second: Any, one: Floats, two: Floats, codes: Integers, seed: int
) -> ModelComparison:
    both = (first, one), (second, two)
    predicted = [decide(p, model.classes_, ordered=is_chain(model)) for model, p in both]
    wrong = [labels != codes for labels in predicted]
    losses = [-np.log(np.maximum(p[np.arange(len(codes)), codes], 1e-300)) for p in (one, two)]
    labels = first.classes_.tolist()
    a, b = int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum())
    rng = np.random.default_rng(seed)
    return ModelComparison(
        cards_of(first, second),
        sizes_on(first, one, codes),
        sizes_on(second, two, codes),
        paired_difference(wrong[1].astype(np.float64) - wrong[0], rng),
        paired_difference(losses[1] - losses[0], rng),
        split_test(a, b),
        tuple(
            DifferentRow(i, labels[codes[i]], labels[predicted[0][i]], labels[predicted[1][i]])
            for i in np.flatnonzero(predicted[0] != predicted[1]).tolist()
        ),
        a,
        b,
    )


def split_test(a: int, b: int) -> float:
    """Return how probable so uneven a split is if both sides are equally probable.

    >>> split_test(0, 0), split_test(1, 1), split_test(0, 2)
    (1.0, 1.0, 0.5)
    """
    return float(binomtest(a, a + b).pvalue) if a + b else 1.0


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
