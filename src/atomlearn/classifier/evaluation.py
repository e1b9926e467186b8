"""Measure a fitted classifier on rows with labels: errors, calibration and costs."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.costs import CostReport, cost_matrix, cost_report, decide, positive_class
from atomlearn.classifier.scorecard import Paged
from atomlearn.errors import InvalidTable
from atomlearn.logic.definition import plain
from atomlearn.markup import escape, prose, table
from atomlearn.tables.training_rows import codes_of
from atomlearn.tables.validation import refuse_missing_labels, without_arrow
from atomlearn.training.compact.sizes import Size, measures
from atomlearn.training.learned import Learned
from atomlearn.typing import Floats, Integers

BINS = 10
"""Number of equal intervals of probability in a reliability table."""
MOST_CLASSES = 20
"""A confusion matrix of more classes than this is printed as its most frequent errors."""
MOST_CONFUSED = 20
"""Maximum number of pairs of confused classes that are printed instead."""


class Bin(NamedTuple):
    """Rows whose predicted probability lies in an interval.

    Attributes
    ----------
    low, high : float
        The interval.
    n : int
        Number of rows.
    predicted : float
        Their mean predicted probability.
    observed : float
        The share of them for which it came true.

    Examples
    --------
    >>> Bin(0.8, 0.9, 40, predicted=0.85, observed=0.8).n
    40
    """

    low: float
    high: float
    n: int
    predicted: float
    observed: float


@dataclass(frozen=True, repr=False)
class Evaluation(Paged):
    """The result of ``evaluate``: how good a classifier is on rows with labels.

    Attributes
    ----------
    classes : tuple
        The classes.
    n_rows : int
        Number of rows.
    n_atoms : int
        Number of atoms, or of rules of a scorecard, that decide.
    error, error_se : float
        Share of wrong predictions, and its standard error.
    log_loss, log_loss_se : float
        Log-loss of the probabilities, and its standard error.
    confusion : ndarray of int of shape (n_classes, n_classes)
        Number of rows by label (down) and prediction (across).
    reliability : tuple of Bin
        Predicted probabilities and what came true: of the positive class if there are two, else of
        the class with the highest probability.
    calibration_error : float
        Expected calibration error: the mean distance of the two, weighted by rows.
    positive : object
        With two classes, the positive one; else ``None``.
    threshold : float or None
        The threshold of the predictions, if one was given.
    costs : CostReport or None
        What the predictions cost, if costs were given.
    estimated_error : float or None
        The error that was estimated when the classifier was fitted.
    distance, distance_se : float or None
        Of ordered classes, the mean distance of predictions to labels, in steps from class to
        class, and its standard error.
    estimated_distance : float or None
        The distance that was estimated when the classifier was fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AlgebraicClassifier(random_state=0, max_epochs=3).fit(X[::2], y[::2])
    >>> found = clf.evaluate(X[1::2], y[1::2], costs={(0, 1): 5})
    >>> found.n_rows, int(found.confusion.sum()), round(found.costs.threshold, 3)
    (284, 284, 0.833)
    """

    classes: tuple[Any, ...]
    n_rows: int
    n_atoms: int
    error: float
    error_se: float
    log_loss: float
    log_loss_se: float
    confusion: Integers
    reliability: tuple[Bin, ...]
    calibration_error: float
    positive: Any = None
    threshold: float | None = None
    costs: CostReport | None = None
    estimated_error: float | None = None
    distance: float | None = None
    distance_se: float | None = None
    estimated_distance: float | None = None

    def __str__(self) -> str:
        texts = [str(label) for label in self.classes]
        atoms = f"{self.n_atoms:,} atom{'s' * (self.n_atoms != 1)}"
        lines = [f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}, {atoms}"]
        lines += [f"{name.ljust(17)} {value}" for name, value in self._figures()]
        lines += ["", "rows by label (down) and prediction (across):"]
        if len(texts) > MOST_CLASSES:
            lines += [f"{n:8,}  {a} taken for {b}" for a, b, n in self.confused()[:MOST_CONFUSED]]
        else:
            width = max(10, *(len(text) for text in texts)) + 2
            lines.append(" " * width + "".join(text.rjust(width) for text in texts))
            for text, line in zip(texts, self.confusion.tolist(), strict=True):
                lines.append(text.rjust(width) + "".join(f"{n:,}".rjust(width) for n in line))
        lines += ["", f"{self._about_reliability()}:"]
        lines.append("   probability      rows  predicted  observed")
        lines += [
            f"  {one.low:4.0%} to {one.high:4.0%} {one.n:9,} {one.predicted:10.1%} "
            f"{one.observed:9.1%}"
            for one in self.reliability
        ]
        if self.costs is not None:
            lines += ["", *self._about_costs()]
        return "\n".join(lines)

    def _figures(self) -> list[tuple[str, str]]:
        estimate = ""
        if self.estimated_error is not None and self.threshold is None:
            estimate = f" (estimated when it was fitted: {self.estimated_error:.1%})"
        found = [
            ("error", f"{self.error:.1%} ± {self.error_se:.1%}{estimate}"),
            ("log-loss", f"{self.log_loss:.3f} ± {self.log_loss_se:.3f}"),
            ("calibration error", f"{self.calibration_error:.1%}"),
        ]
        if self.distance is not None:
            told = f"{self.distance:.3f} ± {self.distance_se:.3f} classes"
            if self.estimated_distance is not None:
                told += f" (estimated when it was fitted: {self.estimated_distance:.3f})"
            found.insert(1, ("mean distance", told))
        if self.threshold is not None:
            found.insert(0, ("threshold", f"{self.positive} from {self.threshold:.4g} on"))
        if self.costs is not None:
            found.append(("cost of a row", f"{self.costs.mean:.4g}"))
        return found

    def _about_reliability(self) -> str:
        of = "the predicted class" if self.positive is None else str(self.positive)
        return f"probability of {of}, and how often it was so"

    def _about_costs(self) -> list[str]:
        costs = self.costs
        assert costs is not None
        lines = [f"The predictions cost {costs.mean:.4g} a row on average."]
        if self.positive is None:
            lines.append(
                "Decisions that take the lowest expected cost by the probabilities cost "
                f"{costs.decided:.4g}."
            )
            return lines
        if costs.threshold is None:
            lines.append(
                f"By these costs one class is always the better decision: {costs.decided:.4g}."
            )
            return lines
        lines.append(
            f"Best threshold by these costs: {self.positive} if its probability is "
            f"{costs.threshold:.4g} or more. It follows from the costs alone, and costs "
            f"{costs.decided:.4g} a row here."
        )
        lines.append(
            f"Cheapest on these rows: {costs.best_threshold:.4g}, with {costs.best:.4g} a row, "
            "which is optimistic, since it was chosen on the same rows."
        )
        return lines

    def confused(self) -> list[tuple[Any, Any, int]]:
        """Return pairs of classes that were confused, the most frequent first.

        Returns
        -------
        list of tuples
            The label, the prediction and the number of rows.
        """
        pairs = [
            (self.classes[i], self.classes[j], int(self.confusion[i, j]))
            for i, j in np.argwhere(self.confusion > 0).tolist()
            if i != j
        ]
        return sorted(pairs, key=lambda one: -one[2])

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values, for JSON.

        Returns
        -------
        dict
            The fields by name.
        """
        return {
            "rows": self.n_rows,
            "error": self.error,
            "error_se": self.error_se,
            "log_loss": self.log_loss,
            "log_loss_se": self.log_loss_se,
            "calibration_error": self.calibration_error,
            "classes": [plain(label) for label in self.classes],
            "positive": None if self.positive is None else plain(self.positive),
            "threshold": self.threshold,
            "confusion": self.confusion.tolist(),
            "reliability": [one._asdict() for one in self.reliability],
            "costs": None if self.costs is None else self.costs._asdict(),
            "atoms": self.n_atoms,
            "estimated_error": self.estimated_error,
            "distance": self.distance,
            "distance_se": self.distance_se,
            "estimated_distance": self.estimated_distance,
        }

    def _title(self) -> str:
        return "How good the classifier is"

    def _html(self) -> str:
        texts = [str(label) for label in self.classes]
        about = f"Measured on {self.n_rows:,} rows. The model has {self.n_atoms:,} atoms or rules."
        figures = table(["figure", "value"], self._figures())
        if len(texts) > MOST_CLASSES:
            confused = table(["label", "prediction", "rows"], self.confused()[:50], numbers=[2])
        else:
            confused = table(
                ["label ↓ prediction →", *texts],
                [
                    [text, *(f"{n:,}" for n in line)]
                    for text, line in zip(texts, self.confusion.tolist(), strict=True)
                ],
                numbers=range(1, len(texts) + 1),
            )
        reliable = table(
            ["probability", "rows", "predicted", "observed"],
            [
                [f"{one.low:.0%} to {one.high:.0%}", f"{one.n:,}", f"{one.predicted:.1%}",
                 f"{one.observed:.1%}"]
                for one in self.reliability
            ],
            numbers=[0, 1, 2, 3],
        )  # fmt: skip
        sentence = self._about_reliability()
        parts = [
            f'<p class="lead">{escape(about)}</p>{figures}',
            f"<h2>Labels and predictions</h2>{confused}",
            f"<h2>Calibration</h2><p>{escape(sentence[0].upper() + sentence[1:])}.</p>"
            f'<div class="columns"><div>{reliable}</div>',
            f"{reliability_chart(self.reliability)}</div>",
        ]
        if self.costs is not None:
            given = table(
                ["label ↓ prediction →", *texts],
                [
                    [text, *(f"{cost:g}" for cost in line)]
                    for text, line in zip(texts, self.costs.matrix, strict=True)
                ],
                numbers=range(1, len(texts) + 1),
            )
            sentences = "".join(f"<p>{prose(one)}</p>" for one in self._about_costs())
            parts.append(f"<h2>Costs</h2>{sentences}{given}")
        return "".join(parts)


def reliability_chart(bins: tuple[Bin, ...]) -> str:
    """Return a picture of predicted and observed probabilities; the diagonal is perfect."""
    most = max((one.n for one in bins), default=1)
    dots = "".join(
        f'<circle cx="{30 + 200 * one.predicted:.1f}" cy="{210 - 200 * one.observed:.1f}" '
        f'r="{3 + 7 * (one.n / most) ** 0.5:.1f}" fill="var(--bar)" fill-opacity="0.8"></circle>'
        for one in bins
    )
    return (
        '<svg class="reliability" viewBox="0 0 260 244" role="img" '
        'aria-label="observed shares by predicted probability" font-size="11" '
        'fill="currentColor"><rect x="30" y="10" width="200" height="200" fill="var(--sunken)"/>'
        '<line x1="30" y1="210" x2="230" y2="10" stroke="var(--line-strong)"/>'
        f'{dots}<text x="30" y="224" text-anchor="middle">0</text>'
        '<text x="230" y="224" text-anchor="middle">1</text>'
        '<text x="130" y="238" text-anchor="middle">predicted</text>'
        '<text x="24" y="214" text-anchor="end">0</text>'
        '<text x="24" y="15" text-anchor="end">1</text>'
        '<text x="16" y="110" text-anchor="middle" transform="rotate(-90 16 110)">observed</text>'
        "</svg>"
    )


def reliability_of(chances: Floats, came_true: npt.NDArray[np.bool_]) -> tuple[Bin, ...]:
    """Return predicted and observed probabilities by intervals of equal width.

    >>> bins = reliability_of(np.array([0.25, 0.75, 0.75]), np.array([False, True, False]))
    >>> [(one.n, one.predicted, one.observed) for one in bins]
    [(1, 0.25, 0.0), (2, 0.75, 0.5)]
    """
    place = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    found = []
    for i in np.unique(place).tolist():
        ours = place == i
        found.append(
            Bin(i / BINS, (i + 1) / BINS, int(ours.sum()), float(chances[ours].mean()),
                float(came_true[ours].mean()))
        )  # fmt: skip
    return tuple(found)


class Evaluating:
    """Mixin for measuring a classifier on rows with labels."""

    classes_: npt.NDArray[Any]
    learned_: Learned
    ordered_: bool
    estimated_error_: float | None
    estimated_distance_: float | None

    def evaluate(
        self,
        X: Any,
        y: Any,
        *,
        costs: Any = None,
        threshold: float | None = None,
        pos_label: Any = None,
    ) -> Evaluation:
        """Measure the classifier on rows with labels: confusion, calibration, log-loss, costs.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows, which should be none of the training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        costs : dict, list of str, array-like or data frame, default=None
            What predictions cost: ``{("bad", "good"): 5}`` or ``["bad->good=5"]`` if a bad row that
            is predicted to be good costs 5 (other wrong predictions cost 1, right ones 0); or a
            table of all classes, by label (down) and prediction (across).
        threshold : float, default=None
            With two classes, predict the positive one if its probability is this or more, as
            scikit-learn's ``FixedThresholdClassifier`` does.
        pos_label : object, default=None
            The positive class; by default the second, as in scikit-learn.

        Returns
        -------
        Evaluation
            The figures, which can be printed, displayed and written as a page.
        """
        check_is_fitted(self)
        chances, codes = measured_rows(self, X, y)
        n_classes = len(self.classes_)
        positive = None
        if n_classes == 2:
            positive = positive_class(self.classes_, pos_label)
        elif pos_label is not None:
            positive_class(self.classes_, pos_label)
        ordered = is_chain(self)
        predicted = decide(
            chances, self.classes_, threshold, pos_label if threshold is not None else None, ordered
        )
        wrong = predicted != codes
        size = sizes_on(self, chances, codes)
        if threshold is None:
            error, spread = size.error, size.error_sd
        else:
            error = float(wrong.mean())
            spread = float(np.sqrt(error * (1 - error) / max(len(wrong) - 1, 1)))
        if positive is None:
            first = chances.argmax(axis=1)
            bins = reliability_of(chances.max(axis=1), first == codes)
        else:
            bins = reliability_of(chances[:, positive], codes == positive)
        confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        np.add.at(confusion, (codes, predicted), 1)
        matrix = None if costs is None else cost_matrix(costs, self.classes_)
        return Evaluation(
            tuple(self.classes_.tolist()),
            len(codes),
            size.n_atoms,
            error,
            spread,
            size.loss,
            size.loss_sd,
            confusion,
            bins,
            sum(one.n * abs(one.predicted - one.observed) for one in bins) / len(codes),
            None if positive is None else self.classes_.tolist()[positive],
            threshold,
            None
            if matrix is None
            else cost_report(
                matrix, codes, predicted, chances, 1 if positive is None else positive
            ),
            self.estimated_error_,
            *(self._distance(predicted, codes) if self.ordered_ else (None, None, None)),
        )

    def _distance(
        self, predicted: Integers, codes: Integers
    ) -> tuple[float | None, float | None, float | None]:
        """Return the mean distance, its standard error, and what was estimated by fit."""
        far = np.abs(predicted - codes)
        return (
            float(far.mean()),
            float(far.std() / np.sqrt(max(len(far) - 1, 1))),
            self.estimated_distance_,
        )


def measured_rows(classifier: Any, X: Any, y: Any) -> tuple[Floats, Integers]:
    """Return the probabilities of rows and the indices of their labels."""
    y = without_arrow(y)
    refuse_missing_labels(y)
    codes = codes_of(y, classifier.classes_)
    chances = classifier.predict_proba(X)
    if codes.shape != (len(chances),):
        raise InvalidTable(f"there are {len(chances):,} rows, and y has the shape {codes.shape}")
    return chances, codes


def is_chain(classifier: Any) -> bool:
    """Return whether a classifier, of any kind, has more than two classes, which are ordered."""
    learned = getattr(classifier, "learned_", None)
    return learned is not None and bool(learned.rules.ordered)


def sizes_on(classifier: Any, chances: Floats, codes: Integers) -> Size:
    """Return error and log-loss of probabilities, with standard errors; of any classifier."""
    learned = getattr(classifier, "learned_", None)
    n_atoms = learned.deciding().n_atoms if learned is not None else 0
    ordered = is_chain(classifier)
    scores = np.log(np.maximum(chances, 1e-300))
    return measures(n_atoms, scores, codes, np.ones(len(codes)), ordered=ordered)
