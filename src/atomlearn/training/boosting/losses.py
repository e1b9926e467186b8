"""Losses: what boosting follows the gradient of, and judges held-out rows by.

A loss is a number and a parameter. Classes and numbers have kernels of their own, since most
programs need, and compile, those of one of them. Scores are by column
and row. Of classes each has a column, of two classes the second alone, and a softmax makes
probabilities of them. Of a number there is one column: the prediction itself, or its logarithm
(Poisson).

Of ordered classes each threshold has a column: the log-odds of the class above it to the one below.
The sums of the first columns are scores of classes, whose softmax has the usual log-loss. Its
gradient by a threshold is that of a logistic regression: whether a row is above the threshold, less
the probability that it is.

Gradients are scaled so that one regularisation fits all losses: the Hessian of a row is about 1/4,
as that of an undecided row of two classes. Numbers to predict are brought to a common scale before.
The leaves of a quantile loss, whose Hessian is zero, get the quantile of the residuals of their
rows; the absolute error is twice the loss of the median.

Mathematical libraries round ``exp`` and ``log`` differently in the last digit, and trees that
depend on a sum of such numbers would depend on the library. The functions here use nothing but IEEE
arithmetic, so models are the same on every machine.
"""

import math
from typing import NamedTuple

import numpy as np

from atomlearn.sets.jit import helper, kernel, unrolled_kernel
from atomlearn.typing import Floats, Integers

CLASSES, SQUARED, POISSON, QUANTILE, ORDERED = range(5)
"""The kinds of losses."""


class Loss(NamedTuple):
    """A loss, as kernels take it."""

    kind: int
    quantile: float = 0.5


LOG_LOSS = Loss(CLASSES)
"""The log-loss of classes."""
ORDERED_LOG_LOSS = Loss(ORDERED)
"""The log-loss of ordered classes, of which there are more than two."""
ERRORS = {
    "squared": "root mean squared error",
    "absolute": "mean absolute error",
    "poisson": "half the mean Poisson deviance",
    "quantile": "mean quantile loss",
}
"""What the estimated error of a regressor is, by its loss."""

LOSSES = {
    "squared": Loss(SQUARED),
    "absolute": Loss(QUANTILE),
    "poisson": Loss(POISSON),
    "quantile": Loss(QUANTILE),
}
"""The losses of numbers, by name."""

CURVATURE = 0.25
"""Hessian of a row of weight one, by which gradients of numbers are scaled."""
_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_FLOOR, _CEILING = -700.0, 700.0
_BIAS, _MANTISSA = 1023, 52
_TERMS = tuple(1.0 / math.factorial(i) for i in range(13, -1, -1))
_SMALLEST = 1e-12


class Powers(NamedTuple):
    """The arrays that predicting writes to, for as many rows as there ever are at a time."""

    x: Floats
    """Numbers that are replaced by ``e`` to their power."""
    bits: Integers
    scale: Floats
    """The same memory as ``bits``, as floating-point numbers."""
    highest: Floats
    total: Floats


def powers_for(n: int) -> Powers:
    """Return arrays for ``n`` rows."""
    x, scale, highest, total = np.empty((4, n))
    return Powers(x, scale.view(np.int64), scale, highest, total)


@helper
def exponentials(powers: Powers, n: int) -> None:
    """Replace the first numbers by ``e`` to their power.

    Passes without branches become vector instructions, several times faster than one number at a
    time.

    >>> powers = powers_for(2)
    >>> powers.x[:] = -1.0, 0.0
    >>> exponentials(powers, 2)
    >>> bool(abs(powers.x[0] - math.exp(-1.0)) < 1e-15), float(powers.x[1])
    (True, 1.0)
    """
    x, exponents, scale = powers.x, powers.bits, powers.scale
    for j in range(n):
        power = x[j] if x[j] > _FLOOR else _FLOOR
        power = power if power < _CEILING else _CEILING
        k = math.floor(power * _LOG2E + 0.5)
        x[j] = (power - k * _LN2_HIGH) - k * _LN2_LOW
        exponents[j] = (np.int64(np.int32(k)) + _BIAS) << _MANTISSA
    for j in range(n):
        rest, series = x[j], _TERMS[0]
        for i in range(1, len(_TERMS)):
            series = series * rest + _TERMS[i]
        x[j] = series * scale[j]


@helper
def log(x: float) -> float:
    """Return the logarithm of a positive number.

    >>> abs(log(0.3) - math.log(0.3)) < 1e-14
    True
    """
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.7071067811865476:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    t = (mantissa - 1.0) / (mantissa + 1.0)
    square, series = t * t, 0.0
    for i in range(25, 0, -2):
        series = series * square + 1.0 / i
    return 2.0 * t * series + exponent * (_LN2_HIGH + _LN2_LOW)


@unrolled_kernel
def write_probabilities(scores: Floats, which: Integers, out: Floats, powers: Powers) -> None:
    """Write a softmax over the classes of some rows; scores are by class and row.

    For a single class it is the probability of the second of two. The rows of a class are
    contiguous in memory: with many classes, class by class is several times faster than row by row.
    """
    n_classes, n = scores.shape[0], which.shape[0]
    power, highest, total = powers.x, powers.highest, powers.total
    if n_classes == 1:
        for j in range(n):
            power[j] = -abs(scores[0, which[j]])
        exponentials(powers, n)
        for j in range(n):
            likely = 1.0 if scores[0, which[j]] > 0 else power[j]
            out[0, j] = likely / (1.0 + power[j])
        return
    for j in range(n):
        highest[j], total[j] = -np.inf, 0.0
    for k in range(n_classes):
        for j in range(n):
            score = scores[k, which[j]]
            highest[j] = score if score > highest[j] else highest[j]
    for k in range(n_classes):
        for j in range(n):
            power[j] = scores[k, which[j]] - highest[j]
        exponentials(powers, n)
        for j in range(n):
            out[k, j] = power[j]
            total[j] += power[j]
    for k in range(n_classes):
        for j in range(n):
            out[k, j] /= total[j]


@unrolled_kernel
def write_chances_above(scores: Floats, which: Integers, out: Floats, powers: Powers) -> None:
    """Write the probabilities that some rows are above each threshold; they never rise."""
    n_scores, n = scores.shape[0], which.shape[0]
    power, highest, total = powers.x, powers.highest, powers.total
    for j in range(n):
        highest[j] = total[j] = 0.0
    for k in range(n_scores):
        for j in range(n):
            total[j] += scores[k, which[j]]
            out[k, j] = total[j]
            highest[j] = max(highest[j], total[j])
    for j in range(n):
        power[j] = -highest[j]
    exponentials(powers, n)
    for j in range(n):
        total[j] = power[j]
    for k in range(n_scores):
        for j in range(n):
            power[j] = out[k, j] - highest[j]
        exponentials(powers, n)
        for j in range(n):
            out[k, j] = power[j]
            total[j] += power[j]
    above = power
    for j in range(n):
        above[j] = 0.0
    for k in range(n_scores - 1, -1, -1):
        for j in range(n):
            above[j] += out[k, j]
            out[k, j] = above[j] / total[j]


def write_predictions(
    loss: Loss, scores: Floats, which: Integers, out: Floats, powers: Powers
) -> None:
    """Write what the scores of some rows predict: probabilities, means or numbers.

    Scores are by column and row, predictions by column and place among these rows. Each kind of
    loss has a kernel of its own: most programs need one, and compile no other.

    >>> out = np.empty((2, 1))
    >>> write_predictions(
    ...     ORDERED_LOG_LOSS, np.zeros((2, 1)), np.array([0]), out, powers_for(1))
    >>> out.round(3).ravel().tolist()
    [0.667, 0.333]
    """
    if loss.kind == ORDERED:
        write_chances_above(scores, which, out, powers)
    elif loss.kind == CLASSES:
        write_probabilities(scores, which, out, powers)
    else:
        write_numbers(loss, scores, which, out, powers)


@unrolled_kernel
def write_numbers(loss: Loss, scores: Floats, which: Integers, out: Floats, powers: Powers) -> None:
    """Write the numbers that the scores of some rows predict."""
    predict_numbers(loss, scores, which, out, powers)


@helper
def predict_numbers(
    loss: Loss, scores: Floats, which: Integers, out: Floats, powers: Powers
) -> None:
    """Write the numbers that the scores of some rows predict."""
    n, found = which.shape[0], powers.x
    for j in range(n):
        found[j] = scores[0, which[j]]
    if loss.kind == POISSON:
        exponentials(powers, n)
    for j in range(n):
        out[0, j] = found[j]


@helper
def write_class_gradients(
    kind: int,
    own: int,
    targets: Floats,
    weights: Floats,
    prediction: Floats,
    which: Integers,
    gradient: Floats,
    hessian: Floats,
) -> None:
    """Write the negative gradients and the Hessians of the log-loss of some rows, for one score.

    ``own`` is the class of the score, or that below its threshold. Predictions and gradients are of
    these rows only.
    """
    for j in range(which.shape[0]):
        i, p = which[j], prediction[j]
        is_so = targets[i] > own if kind == ORDERED else targets[i] == own
        gradient[j] = weights[i] * ((1.0 if is_so else 0.0) - p)
        hessian[j] = weights[i] * p * (1.0 - p)


@helper
def write_number_gradients(
    loss: Loss,
    targets: Floats,
    weights: Floats,
    prediction: Floats,
    which: Integers,
    gradient: Floats,
    hessian: Floats,
) -> None:
    """Write the negative gradients and the Hessians of the loss of some predicted numbers.

    Predictions and gradients are of these rows only. An error of a quantile loss has a gradient by
    its sign only.
    """
    if loss.kind == QUANTILE:
        for j in range(which.shape[0]):
            i, way = which[j], 0.0
            if targets[i] > prediction[j]:
                way = loss.quantile
            elif targets[i] < prediction[j]:
                way = loss.quantile - 1.0
            gradient[j], hessian[j] = weights[i] * way, weights[i] * CURVATURE
    else:
        for j in range(which.shape[0]):
            i = which[j]
            gradient[j] = CURVATURE * weights[i] * (targets[i] - prediction[j])
            mean = prediction[j] if loss.kind == POISSON else 1.0
            hessian[j] = CURVATURE * weights[i] * mean


@helper
def row_loss(loss: Loss, target: float, prediction: float) -> float:
    """Return the loss of a predicted number; that of Poisson is half the deviance.

    >>> row_loss(Loss(QUANTILE, 0.9), 3.0, 1.0), row_loss(Loss(SQUARED), 3.0, 1.0)
    (1.8, 4.0)
    """
    error = target - prediction
    if loss.kind == SQUARED:
        return error * error
    if loss.kind == QUANTILE:
        return loss.quantile * error if error > 0.0 else (loss.quantile - 1.0) * error
    mean = max(prediction, _SMALLEST)
    return (target * log(target / mean) if target > 0.0 else 0.0) - target + mean


def held_out_loss(
    loss: Loss,
    scores: Floats,
    targets: Floats,
    weights: Floats,
    held: Integers,
    prediction: Floats,
    powers: Powers,
) -> float:
    """Return the mean loss of some rows; their predictions are written on the way."""
    if loss.kind == CLASSES or loss.kind == ORDERED:
        write_predictions(loss, scores, held, prediction, powers)
        return mean_class_loss(loss.kind, targets, weights, held, prediction)
    return mean_number_loss(loss, scores, targets, weights, held, prediction, powers)


@kernel
def mean_class_loss(
    kind: int, targets: Floats, weights: Floats, which: Integers, prediction: Floats
) -> float:
    """Return the mean log-loss of some rows whose probabilities are given."""
    n_scores, summed, total = prediction.shape[0], 0.0, 0.0
    for j in range(which.shape[0]):
        i = which[j]
        k = np.int64(targets[i])
        if kind == ORDERED:
            own = 1.0 if k == 0 else prediction[k - 1, j]
            own -= prediction[k, j] if k < n_scores else 0.0
        elif n_scores == 1:
            own = prediction[0, j] if targets[i] == 1.0 else 1.0 - prediction[0, j]
        else:
            own = prediction[k, j]
        summed -= weights[i] * log(own if own > _SMALLEST else _SMALLEST)
        total += weights[i]
    return summed / total if total > 0 else 0.0


@unrolled_kernel
def mean_number_loss(
    loss: Loss,
    scores: Floats,
    targets: Floats,
    weights: Floats,
    which: Integers,
    prediction: Floats,
    powers: Powers,
) -> float:
    """Return the mean loss of some rows; the numbers predicted are written on the way."""
    predict_numbers(loss, scores, which, prediction, powers)
    summed, total = 0.0, 0.0
    for j in range(which.shape[0]):
        i = which[j]
        summed += weights[i] * row_loss(loss, targets[i], prediction[0, j])
        total += weights[i]
    return summed / total if total > 0 else 0.0


@helper
def leaf_quantile(
    rows: Integers,
    start: int,
    end: int,
    level: float,
    targets: Floats,
    weights: Floats,
    scores: Floats,
    residual: Floats,
    weight: Floats,
) -> float:
    """Return the weighted quantile of the residuals of some rows; scores are predictions.

    It is the lowest residual up to which there is at least the share ``level`` of the weight.
    """
    n, total = end - start, 0.0
    for j in range(n):
        i = rows[start + j]
        residual[j], weight[j] = targets[i] - scores[i], weights[i]
        total += weights[i]
    sort_together(residual, weight, n)
    reached = 0.0
    for j in range(n):
        reached += weight[j]
        if reached >= level * total * (1.0 - 1e-12):
            return residual[j]
    return residual[n - 1] if n > 0 else 0.0


@helper
def sort_together(values: Floats, others: Floats, n: int) -> None:
    """Sort ``n`` values, and others in the same order (Shell sort, which compiles in no time).

    >>> values, others = np.array([3.0, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    >>> sort_together(values, others, 3)
    >>> values.tolist(), others.tolist()
    ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    """
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, other, j = values[i], others[i], i
            while j >= gap and values[j - gap] > value:
                values[j], others[j] = values[j - gap], others[j - gap]
                j -= gap
            values[j], others[j] = value, other
        gap //= 3


def start_of(loss: Loss, targets: Floats, weights: Floats) -> float:
    """Return the score that is best for all rows alike.

    >>> start_of(Loss(SQUARED), np.array([1.0, 3.0]), np.ones(2))
    2.0
    """
    if loss.kind == QUANTILE:
        order = np.argsort(targets, kind="stable")
        reached = np.cumsum(weights[order])
        first = int(np.searchsorted(reached, loss.quantile * reached[-1] * (1.0 - 1e-12)))
        return float(targets[order[min(first, len(order) - 1)]])
    mean = math.fsum(weights * targets) / math.fsum(weights)
    return mean if loss.kind == SQUARED else log(max(mean, _TINY))


_TINY = 1e-300


class Scale(NamedTuple):
    """The scale of a number: what boosting learns is the target less ``center``, by ``unit``.

    The unit is a power of two, so that nothing is rounded.
    """

    center: float
    unit: float

    def to_scale(self, targets: Floats) -> Floats:
        """Return numbers on the common scale."""
        return (targets - self.center) / self.unit


def scale_of(loss: Loss, targets: Floats, weights: Floats) -> Scale:
    """Return the scale on which numbers spread by about one, or on which their mean is about one.

    >>> scale_of(Loss(SQUARED), np.array([1e12, 1e12 + 6.0]), np.ones(2))
    Scale(center=1000000000003.0, unit=2.0)
    """
    total = math.fsum(weights)
    if loss.kind == POISSON:
        return Scale(0.0, _power_of_two(math.fsum(weights * targets) / total))
    center = float(targets[0]) + math.fsum(weights * (targets - targets[0])) / total
    largest = _power_of_two(float(np.abs(targets - center).max()))
    spread = math.fsum(weights * ((targets - center) / largest) ** 2) / total
    return Scale(center, _power_of_two(largest * math.sqrt(spread)))


def _power_of_two(number: float) -> float:
    """Return the largest power of two up to a number, and 1 if that is nothing."""
    return math.ldexp(1.0, math.frexp(number)[1] - 1) if number > _TINY else 1.0
