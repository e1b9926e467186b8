"""Two models of a number on the same rows: how far apart they are, and whether that is chance."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.paired import (
    MOST_SHOWN,
    Difference,
    DifferentRow,
    PairedModels,
    cards_of,
    paired_difference,
    split_test,
)
from atomlearn.classifier.scorecard import rounded
from atomlearn.errors import InvalidParameter
from atomlearn.regressor.evaluation import numbers_for
from atomlearn.training.compact.numbers import losses_of, number_size
from atomlearn.training.compact.sizes import Size
from atomlearn.training.learned import Learned
from atomlearn.training.numbers import HeldOutNumbers, NumberModel
from atomlearn.typing import Floats


@dataclass(frozen=True, repr=False)
class NumberComparison(PairedModels):
    """The result of ``compare`` of a regressor: two models on the same rows.

    Attributes
    ----------
    target : str
        The name of the number.
    first, second : Size
        Mean absolute error and mean loss of each model, with their standard errors. The loss is
        that of the first one.
    error : Difference
        Difference of the mean absolute errors.
    p_value : float
        Sign test: how probable so uneven a split of these rows is if both are as often nearer.
    rows : tuple of DifferentRow
        The rows whose predictions are farthest apart, at most 20.
    first_nearer, second_nearer : int
        Number of rows for which the prediction of one model is nearer to the number.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from atomlearn import AlgebraicRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> reg = AlgebraicRegressor(random_state=0).fit(X[:300], y[:300])
    >>> found = reg.compact(2).compare(reg.compact(9), X[300:], y[300:])
    >>> found.cards is not None, found.first_nearer + found.second_nearer <= 142
    (True, True)
    """

    MEASURES = ("mean absolute error", "mean loss")

    target: str
    first_nearer: int
    second_nearer: int

    def _measures(self, size: Size) -> tuple[str, str]:
        return (
            f"{rounded(size.error, 4)} ± {rounded(size.error_sd, 2)}",
            f"{rounded(size.loss, 4)} ± {rounded(size.loss_sd, 2)}",
        )

    def _about_rows(self) -> str:
        return "the rows whose predictions are farthest apart"

    def _cell(self, value: Any) -> str:
        return rounded(value)

    def _target(self) -> str:
        return self.target

    def _sentences(self) -> list[str]:
        error, loss = self.error, self.loss
        return [
            f"second less first: mean absolute error {_with_interval(error, '95 % interval ')}, "
            f"mean loss {_with_interval(loss)}",
            f"the first is nearer in {self.first_nearer:,} rows, the second in "
            f"{self.second_nearer:,}: a sign test gives p = {self.p_value:.3g}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return {
            "target": self.target,
            **super().to_dict(),
            "loss_difference": self.loss._asdict(),
            "first_nearer": self.first_nearer,
            "second_nearer": self.second_nearer,
        }


def _with_interval(difference: Difference, kind: str = "") -> str:
    """Return a difference and its interval."""
    mean, low, high = (rounded(value, 4, "+") for value in difference)
    return f"{mean} ({kind}{low} to {high})"


class ComparingNumbers:
    """Mixin for comparing two models of a number on the same rows."""

    learned_: Learned
    numbers_: NumberModel
    target_name_: str

    def compare(
        self, other: Any, X: Any, y: Any, *, X_other: Any = None, random_state: int = 0
    ) -> NumberComparison:
        """Compare this model with another one on the same rows.

        Parameters
        ----------
        other : regressor
            A fitted regressor, of this or of another library.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows, which should be training rows of neither model.
        y : array-like of shape (n_samples,)
            Their numbers.
        X_other : array-like or data frame, default=None
            The same rows as the other model takes them, if its columns are not the same.
        random_state : int, default=0
            Seed of the bootstrap.

        Returns
        -------
        NumberComparison
            Errors and losses, paired tests, and the rows whose predictions are farthest apart. Two
            scorecards are compared rule by rule, too.
        """
        check_is_fitted(self)
        if not hasattr(other, "predict"):
            raise InvalidParameter(
                f"a model is compared with a fitted model, not {type(other).__name__}; "
                "read one from a file with load"
            )
        check_is_fitted(other)
        if hasattr(other, "classes_"):
            raise InvalidParameter("the other model predicts classes, and this one a number")
        one = self.predict(X)  # type: ignore[attr-defined]
        numbers = numbers_for(y, len(one))
        two = np.asarray(other.predict(X if X_other is None else X_other), dtype=np.float64)
        if two.shape != one.shape:
            raise InvalidParameter(f"X_other has {len(two):,} rows, and X {len(one):,}")
        return self._compared(other, numbers, (one, two), random_state)

    def _compared(
        self, other: Any, numbers: Floats, predicted: tuple[Floats, Floats], seed: int
    ) -> NumberComparison:
        model, ones = self.numbers_, np.ones(len(numbers))
        sizes = [
            number_size(HeldOutNumbers(numbers, p, ones, ones), model, _n_atoms(one), False)
            for one, p in zip((self, other), predicted, strict=True)
        ]
        errors = [np.abs(numbers - p) for p in predicted]
        losses = [losses_of(model, numbers, p) for p in predicted]
        a, b = int((errors[0] < errors[1]).sum()), int((errors[1] < errors[0]).sum())
        apart = np.abs(predicted[0] - predicted[1])
        rng = np.random.default_rng(seed)
        return NumberComparison(
            cards_of(self, other),
            sizes[0],
            sizes[1],
            paired_difference(errors[1] - errors[0], rng),
            paired_difference(losses[1] - losses[0], rng),
            split_test(a, b),
            tuple(
                DifferentRow(i, *(float(one[i]) for one in (numbers, *predicted)))
                for i in np.argsort(-apart, kind="stable")[:MOST_SHOWN].tolist()
                if apart[i] > 0
            ),
            self.target_name_,
            a,
            b,
        )


def _n_atoms(model: Any) -> int:
    learned = getattr(model, "learned_", None)
    return learned.deciding().n_atoms if isinstance(learned, Learned) else 0
