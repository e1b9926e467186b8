"""Probabilities from scores, with arithmetic that gives the same bits on every machine.

Mathematical libraries round ``exp`` and ``log`` differently in the last digit, and atoms that are
chosen by a sum of such numbers would depend on the library. These use nothing but IEEE arithmetic.
"""

import math

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import kernel

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_FLOOR = -700.0
_INVERSES = tuple(1.0 / i for i in range(13, 0, -1))
_SMALLEST = 1e-12


@kernel
def exp(x: float) -> float:
    """``e`` to the power of a number that is not positive.

    >>> abs(exp(-1.0) - math.exp(-1.0)) < 1e-15
    True
    """
    if x < _FLOOR:
        return 0.0
    k = math.floor(x * _LOG2E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    series = 1.0
    for i in range(len(_INVERSES)):
        series = 1.0 + r * series * _INVERSES[i]
    return math.ldexp(series, int(k))


@kernel
def log(x: float) -> float:
    """The logarithm of a positive number.

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


@kernel
def write_probabilities(scores: Floats, i: int, out: Floats) -> None:
    """A softmax of row ``i``; of a single column, the probability of the second of two classes."""
    n_columns = scores.shape[1]
    if n_columns == 1:
        power = exp(-abs(scores[i, 0]))
        out[i, 0] = (1.0 if scores[i, 0] > 0 else power) / (1.0 + power)
        return
    highest, total = scores[i, 0], 0.0
    for k in range(1, n_columns):
        highest = max(highest, scores[i, k])
    for k in range(n_columns):
        out[i, k] = exp(scores[i, k] - highest)
        total += out[i, k]
    for k in range(n_columns):
        out[i, k] /= total


@kernel
def held_out_loss(
    scores: Floats,
    labels: Labels,
    weights: Floats,
    held: npt.NDArray[np.int64],
    probability: Floats,
) -> float:
    """Mean log-loss of some rows; their probabilities are written on the way."""
    loss, total = 0.0, 0.0
    for i in held:
        write_probabilities(scores, i, probability)
        if scores.shape[1] == 1:
            own = probability[i, 0] if labels[i] == 1 else 1.0 - probability[i, 0]
        else:
            own = probability[i, labels[i]]
        loss -= weights[i] * log(max(own, _SMALLEST))
        total += weights[i]
    return loss / total if total > 0 else 0.0
