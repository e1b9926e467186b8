"""Measure a fitted regressor on rows with numbers: R², errors, and the coverage of intervals."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.scorecard import Paged, rounded
from atomlearn.errors import InvalidTable
from atomlearn.markup import escape, table
from atomlearn.tables.number_rows import numbers_of
from atomlearn.training.learned import Learned
from atomlearn.typing import Floats

GROUPS = 10
"""Number of groups of rows, by their predictions, that are compared with what was observed."""


class Group(NamedTuple):
    """Rows with similar predictions.

    Attributes
    ----------
    low, high : float
        The smallest and the largest prediction.
    n : int
        Number of rows.
    predicted, observed : float
        The mean prediction and the mean number.
    covered : float
        Share of the numbers inside their interval.

    Examples
    --------
    >>> Group(1.0, 2.0, 40, predicted=1.5, observed=1.4, covered=0.9).n
    40
    """

    low: float
    high: float
    n: int
    predicted: float
    observed: float
    covered: float


@dataclass(frozen=True, repr=False)
class NumberEvaluation(Paged):
    """The result of ``evaluate`` of a regressor; prints, and makes a page.

    Attributes
    ----------
    target : str
        The name of the number.
    n_rows, n_atoms : int
        Number of rows, and of the atoms or rules that decide.
    r2 : float or None
        Coefficient of determination; ``None`` if all numbers are equal.
    mae, mae_se : float
        Mean absolute error and its standard error.
    rmse : float
        Root mean squared error.
    coverage : float
        The coverage that the intervals are made for.
    covered, covered_se : float
        Share of the numbers inside their interval, and its standard error.
    width : float
        Median width of the intervals.
    groups : tuple of Group
        Rows with similar predictions.
    estimated_score : float or None
        R² as it was estimated when the model was fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from atomlearn import AlgebraicRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> found = AlgebraicRegressor(random_state=0).fit(X[:300], y[:300]).evaluate(X[300:], y[300:])
    >>> found.n_rows, 0.2 < found.r2 < 0.7
    (142, True)
    """

    target: str
    n_rows: int
    n_atoms: int
    r2: float | None
    mae: float
    mae_se: float
    rmse: float
    coverage: float
    covered: float
    covered_se: float
    width: float
    groups: tuple[Group, ...]
    estimated_score: float | None = None

    def __str__(self) -> str:
        lines = [f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}, {self.n_atoms:,} atoms or rules"]
        lines += [f"{name.ljust(23)} {value}" for name, value in self.figures()]
        lines += ["", "rows with similar predictions:"]
        lines.append("    predicted     observed      rows   inside")
        largest = max((abs(one.predicted) for one in self.groups), default=0.0)
        places = min(max(4 - int(np.floor(np.log10(largest or 1.0))), 0), 9)
        lines += [
            f"{one.predicted:13.{places}f} {one.observed:12.{places}f} {one.n:9,} "
            f"{one.covered:8.1%}"
            for one in self.groups
        ]
        return "\n".join(lines)

    def figures(self) -> list[tuple[str, str]]:
        """Return the name and the text of each figure."""
        estimate = ""
        if self.estimated_score is not None:
            estimate = f" (estimated when it was fitted: {self.estimated_score:.3f})"
        return [
            (
                "R²",
                "none: all numbers are equal" if self.r2 is None else f"{self.r2:.3f}{estimate}",
            ),
            ("mean absolute error", f"{rounded(self.mae, 4)} ± {rounded(self.mae_se, 2)}"),
            ("root mean squared error", rounded(self.rmse, 4)),
            (
                f"inside the {self.coverage:.0%} interval",
                f"{self.covered:.1%} ± {self.covered_se:.1%} "
                f"(median width {rounded(self.width, 4)})",
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values, for JSON."""
        names = ("target", "n_rows", "n_atoms", "r2", "mae", "mae_se", "rmse", "coverage")
        more = ("covered", "covered_se", "estimated_score")
        return {
            **{name: getattr(self, name) for name in (*names, *more)},
            "width": self.width if np.isfinite(self.width) else None,
            "groups": [one._asdict() for one in self.groups],
        }

    def _title(self) -> str:
        return f"Evaluation of predictions of {self.target}"

    def _html(self) -> str:
        about = f"Measured on {self.n_rows:,} rows. The model has {self.n_atoms:,} atoms or rules."
        rows = [
            [f"{rounded(one.low, 4)} to {rounded(one.high, 4)}", f"{one.n:,}",
             rounded(one.predicted, 4), rounded(one.observed, 4), f"{one.covered:.1%}"]
            for one in self.groups
        ]  # fmt: skip
        head = ["prediction", "rows", "mean prediction", "mean observed", "in interval"]
        return (
            f'<p class="lead">{escape(about)}</p>{table(["figure", "value"], self.figures())}'
            f"<h2>Rows with similar predictions</h2>{table(head, rows, numbers=range(5))}"
        )


class EvaluatingNumbers:
    """Mixin for measuring a regressor on rows with numbers."""

    learned_: Learned
    target_name_: str
    estimated_score_: float | None

    def evaluate(self, X: Any, y: Any, coverage: float = 0.9) -> NumberEvaluation:
        """Measure the regressor on rows that it was not fitted to.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their numbers.
        coverage : float, default=0.9
            The coverage of the intervals that are tried.

        Returns
        -------
        NumberEvaluation
            The figures, which can be printed, displayed, and written as a page.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from atomlearn import AlgebraicRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> reg = AlgebraicRegressor(random_state=0).fit(X[:300], y[:300])
        >>> 0.8 < reg.evaluate(X[300:], y[300:]).covered < 1.0
        True
        """
        check_is_fitted(self)
        predictions = self.predict(X)  # type: ignore[attr-defined]
        numbers = numbers_for(y, len(predictions))
        ends = self.predict_interval(X, coverage)  # type: ignore[attr-defined]
        inside = (ends[:, 0] <= numbers) & (numbers <= ends[:, 1])
        errors, n = np.abs(numbers - predictions), len(numbers)
        spread = float(((numbers - numbers.mean()) ** 2).sum())
        share = float(inside.mean())
        return NumberEvaluation(
            self.target_name_,
            n,
            self.learned_.deciding().n_atoms,
            1.0 - float((errors**2).sum()) / spread if spread > 0 else None,
            float(errors.mean()),
            float(errors.std() / np.sqrt(n)),
            float(np.sqrt((errors**2).mean())),
            coverage,
            share,
            float(np.sqrt(share * (1 - share) / n)),
            float(np.median(ends[:, 1] - ends[:, 0])),
            tuple(groups(numbers, predictions, inside)),
            self.estimated_score_,
        )


def numbers_for(y: Any, n: int) -> Floats:
    """Return the numbers of so many rows; an error if they are not so many.

    >>> numbers_for(["1.5", 2], 2)
    array([1.5, 2. ])
    """
    numbers = np.asarray(numbers_of(y), dtype=np.float64)
    if numbers.shape != (n,):
        raise InvalidTable(f"there are {n:,} rows and {numbers.size:,} numbers")
    return numbers


def groups(numbers: Floats, predictions: Floats, inside: Any) -> list[Group]:
    """Return groups of rows by their predictions, nearly equal in size.

    >>> ones = np.ones(30)
    >>> [one.n for one in groups(ones, np.arange(30.0), ones > 0)][:2]
    [3, 3]
    """
    order = np.argsort(predictions, kind="stable")
    return [
        Group(
            float(predictions[part[0]]),
            float(predictions[part[-1]]),
            len(part),
            float(predictions[part].mean()),
            float(numbers[part].mean()),
            float(inside[part].mean()),
        )
        for part in np.array_split(order, GROUPS)
        if len(part)
    ]
