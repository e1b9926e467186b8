"""Decisions from probabilities: a threshold for two classes, and what wrong decisions cost."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.errors import InvalidParameter, suggest
from atomlearn.logic.definition import plain
from atomlearn.tables.training_rows import class_number
from atomlearn.training.scores import median_of
from atomlearn.typing import Floats, Integers


class CostReport(NamedTuple):
    """The mean cost of the predictions of some rows.

    Attributes
    ----------
    matrix : tuple of tuples of float
        The cost of each prediction (across) for each label (down).
    mean : float
        Mean cost of the predictions.
    decided : float
        Mean cost of the decisions whose expected cost is lowest, given the probabilities.
    threshold : float or None
        For two classes, the probability of the positive class from which predicting it is the
        cheaper decision; it follows from the costs alone. ``None`` if one class always is.
    best_threshold : float or None
        The threshold that is cheapest on these rows, for two classes.
    best : float or None
        Mean cost at that threshold. It was chosen on the same rows, so it is optimistic.

    Examples
    --------
    >>> labels, chances = np.array([0, 1, 1]), np.array([[0.6, 0.4], [0.7, 0.3], [0.1, 0.9]])
    >>> found = cost_report(np.array([[0.0, 1.0], [4.0, 0.0]]), labels, chances.argmax(1), chances)
    >>> found.threshold, found.mean, found.decided
    (0.2, 1.3333333333333333, 0.3333333333333333)
    """

    matrix: tuple[tuple[float, ...], ...]
    mean: float
    decided: float
    threshold: float | None = None
    best_threshold: float | None = None
    best: float | None = None


def positive_class(classes: npt.NDArray[Any], pos_label: Any = None) -> int:
    """Return the index of the class that a threshold is about; as in scikit-learn the second."""
    if len(classes) != 2:
        raise InvalidParameter(
            f"a threshold is for two classes, and there are {len(classes)}: leave it out, or give "
            "class_weight to fit"
        )
    return 1 if pos_label is None else class_number(pos_label, classes)


def decide(
    chances: Floats,
    classes: npt.NDArray[Any],
    threshold: float | None = None,
    pos_label: Any = None,
    ordered: bool = False,
) -> Integers:
    """Return the index of the predicted class of each row: of ordered classes, the median.

    With a threshold it means what it means for scikit-learn's ``FixedThresholdClassifier``: the
    positive class is predicted if its probability is the threshold or more.

    >>> chances = np.array([[0.7, 0.3], [0.9, 0.1]])
    >>> decide(chances, np.array(["bad", "good"]), 0.8, "bad").tolist()
    [1, 0]
    """
    if threshold is None:
        if pos_label is not None:
            raise InvalidParameter("pos_label is the class of the threshold: give threshold, too")
        return median_of(chances) if ordered else np.asarray(chances.argmax(axis=1))
    positive = positive_class(classes, pos_label)
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise InvalidParameter(
            f"threshold must be a number above 0 and at most 1, not {threshold!r}: rows of which a "
            "rule excludes the class have probability 0"
        )
    return np.where(chances[:, positive] >= threshold, positive, 1 - positive)


def cost_matrix(costs: Any, classes: npt.NDArray[Any]) -> Floats:
    """Return the cost of each prediction (across) for each label (down).

    Costs are a table of all classes (an array, or a data frame by labels), a dictionary from pairs
    ``(label, prediction)``, or texts such as ``"bad->good=5"``. In the latter two a wrong
    prediction that is not named costs 1, and a right one 0.

    >>> cost_matrix(["bad->good=5"], np.array(["bad", "good"])).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    n = len(classes)
    if isinstance(costs, str):
        costs = [costs]
    if hasattr(costs, "columns") and hasattr(costs, "index"):
        return _checked(_by_labels(costs, classes), classes)
    if not isinstance(costs, Mapping):
        listed = list(costs)
        if not any(isinstance(one, str) for one in listed):
            try:
                matrix = np.asarray(listed, dtype=np.float64)
            except (TypeError, ValueError):
                matrix = np.zeros(0)
            if matrix.shape != (n, n):
                raise InvalidParameter(f"costs must be a table of {n} × {n}, or name labels")
            return _checked(matrix, classes)
        costs = dict(_read(one, classes) for one in listed)
    matrix = 1.0 - np.eye(n)
    for pair, cost in costs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidParameter(f"costs are for pairs (label, prediction), not {pair!r}")
        if not is_number(cost):
            raise InvalidParameter(f"the cost of {pair!r} must be a number, not {cost!r}")
        matrix[class_number(pair[0], classes), class_number(pair[1], classes)] = cost
    return _checked(matrix, classes)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _by_labels(frame: Any, classes: npt.NDArray[Any]) -> Floats:
    names = [str(label) for label in classes]
    down, across = list(map(str, frame.index)), list(map(str, frame.columns))
    for what, given in (("rows", down), ("columns", across)):
        if sorted(given) != sorted(names):
            raise InvalidParameter(
                f"the {what} of the table of costs are {given[:10]}, not the classes {names[:10]}"
            )
    values = frame.to_numpy()
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter("the table of costs has something that is no number") from None
    order = [across.index(name) for name in names]
    return table[[down.index(name) for name in names]][:, order]


def _checked(matrix: Floats, classes: npt.NDArray[Any]) -> Floats:
    wrong = np.argwhere(~np.isfinite(matrix))
    if len(wrong):
        i, j = wrong[0]
        raise InvalidParameter(f"the cost of {classes[i]} -> {classes[j]} must be finite")
    return matrix


def _read(text: Any, classes: npt.NDArray[Any]) -> tuple[tuple[Any, Any], float]:
    """Read ``label->prediction=cost``; labels may have these signs in them."""
    pair, _, number = str(text).rpartition("=")
    by_text = {str(plain(label)): label for label in classes}
    halves = [
        (pair[: found.start()].strip(), pair[found.end() :].strip())
        for found in re.finditer("->", pair)
    ]
    try:
        cost = float(number)
    except ValueError:
        halves = []
    if not halves:
        raise InvalidParameter(f"a cost is written 'label->prediction=5', not {text!r}")
    fits = [(a, b) for a, b in halves if a in by_text and b in by_text]
    if len(fits) != 1:
        unknown = next((one for one in halves[0] if one not in by_text), halves[0][0])
        raise InvalidParameter(
            f"in the cost {text!r}, {unknown!r} is not one of the classes"
            f"{suggest(unknown, by_text)}"
        )
    (label, prediction) = fits[0]
    return (by_text[label], by_text[prediction]), cost


def cost_report(
    matrix: Floats, labels: Integers, predicted: Integers, chances: Floats, positive: int = 1
) -> CostReport:
    """Return what predictions, and cheaper decisions, cost on rows with labels."""
    told = tuple(tuple(map(float, line)) for line in matrix)
    mean = float(matrix[labels, predicted].mean())
    if len(matrix) != 2:
        cheapest = (chances @ matrix).argmin(axis=1)
        return CostReport(told, mean, float(matrix[labels, cheapest].mean()))
    threshold = threshold_of(matrix, positive)
    p = chances[:, positive]
    by_costs = p >= threshold if threshold is not None else _always(matrix, positive, len(p))
    decided = np.where(by_costs, positive, 1 - positive)
    best, lowest = _cheapest_threshold(matrix, labels, p, positive)
    return CostReport(told, mean, float(matrix[labels, decided].mean()), threshold, best, lowest)


def threshold_of(matrix: Floats, positive: int = 1) -> float | None:
    """Return the probability from which predicting the positive class costs less, if there is one.

    >>> round(threshold_of(np.array([[0.0, 1.0], [5.0, 0.0]])), 3)
    0.167
    """
    other = 1 - positive
    saved = matrix[positive, other] - matrix[positive, positive]
    lost = matrix[other, positive] - matrix[other, other]
    if saved <= 0 or lost <= 0:
        return None
    return float(lost / (lost + saved))


def _always(matrix: Floats, positive: int, n: int) -> npt.NDArray[np.bool_]:
    """Return whether the positive class is the better decision for every row."""
    other = 1 - positive
    saved = matrix[positive, other] - matrix[positive, positive]
    lost = matrix[other, positive] - matrix[other, other]
    return np.full(n, bool(saved - lost > 0 or (saved > 0 >= lost)))


def _cheapest_threshold(
    matrix: Floats, labels: Integers, p: Floats, positive: int
) -> tuple[float, float]:
    """Return the threshold with the lowest mean cost, halfway between probabilities that occur."""
    order = np.argsort(-p, kind="stable")
    gain = matrix[labels, positive] - matrix[labels, 1 - positive]
    sums = np.concatenate([[0.0], np.cumsum(gain[order])])
    falling = p[order]
    # A threshold cannot separate equal probabilities, and the positive class needs more than 0.
    ends = np.concatenate([[True], falling[1:] < falling[:-1], [True]])
    ends[1:] &= falling > 0
    allowed = np.flatnonzero(ends)
    if falling[0] >= 1.0:  # a threshold is at most 1
        allowed = allowed[allowed > 0]
    at = int(allowed[sums[allowed].argmin()])
    base = float(matrix[labels, 1 - positive].sum())
    above = falling[at - 1] if at else 1.0
    below = falling[at] if at < len(falling) else 0.0
    threshold = float((above + below) / 2)
    if not below < threshold <= above:
        threshold = float(above)
    return threshold, (base + float(sums[at])) / len(labels)


def labels_of_text(texts: Iterable[Any], classes: npt.NDArray[Any]) -> Sequence[Any]:
    """Return labels read from a file as the classes that are written so; others stay text."""
    by_text = {str(plain(label)): label for label in classes}
    return [by_text.get(str(plain(one)), one) for one in texts]


def read_costs(path: Path, classes: npt.NDArray[Any]) -> dict[tuple[Any, Any], float]:
    """Read a CSV table of costs: predictions in the header, labels in the first column."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        try:
            head, *lines = [line for line in csv.reader(file) if line] or [[]]
        except (UnicodeDecodeError, csv.Error) as error:
            raise InvalidParameter(f"{path} is not a CSV table of costs: {error}") from None
    names = [str(plain(label)) for label in classes]
    across, down = [one.strip() for one in head[1:]], [line[0].strip() for line in lines]
    for what, given in (("first line", across), ("first column", down)):
        if sorted(given) != sorted(names):
            raise InvalidParameter(
                f"{path}: the {what} should have the classes {names[:10]}, not {given[:10]}"
            )
    costs = {}
    for label, line in zip(labels_of_text(down, classes), lines, strict=True):
        if len(line) != len(head):
            raise InvalidParameter(f"{path}: the line of {label} has {len(line)} cells, not "
                                   f"{len(head)}")  # fmt: skip
        for prediction, cell in zip(labels_of_text(across, classes), line[1:], strict=True):
            try:
                costs[label, prediction] = float(cell)
            except ValueError:
                raise InvalidParameter(
                    f"{path}: the cost of {label} -> {prediction} is {cell!r}, not a number"
                ) from None
    return costs


def read_class_weights(texts: Sequence[str], labels: Any) -> Any:
    """Return class weights written ``balanced`` or ``label=5``, for the labels that there are.

    >>> read_class_weights(["bad=5"], np.array(["bad", "good"]))
    {'bad': 5.0}
    """
    if list(texts) == ["balanced"]:
        return "balanced"
    classes, weights = np.unique(labels), {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise InvalidParameter(
                f"a class weight is written 'label=5', or 'balanced' alone, not {text!r}"
            )
        (label,) = labels_of_text([name.strip()], classes)
        label = classes.tolist()[class_number(label, classes)]
        if label in weights:
            raise InvalidParameter(f"{name.strip()!r} has more than one class weight")
        weights[label] = weight
    return weights
