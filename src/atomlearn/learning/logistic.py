"""Probabilities from scores, with arithmetic that gives the same bits on every machine.

Mathematical libraries round ``exp`` and ``log`` differently in the last digit, and atoms that are
chosen by a sum of such numbers would depend on the library. These use nothing but IEEE arithmetic.
"""

import math

import numpy as np
import numpy.typing as npt

from atomlearn.bits.jit import kernel

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_FLOOR = -700.0
_TERMS = 13
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
    for i in range(_TERMS, 0, -1):
        series = 1.0 + r * series / i
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
def probabilities(scores: Floats, out: Floats) -> None:
    """A softmax of each row; of a single column, the probability of the second of two classes."""
    n, n_columns = scores.shape
    for i in range(n):
        if n_columns == 1:
            power = exp(-abs(scores[i, 0]))
            out[i, 0] = (1.0 if scores[i, 0] > 0 else power) / (1.0 + power)
            continue
        highest, total = scores[i].max(), 0.0
        for k in range(n_columns):
            out[i, k] = exp(scores[i, k] - highest)
            total += out[i, k]
        for k in range(n_columns):
            out[i, k] /= total


@kernel
def log_loss(
    probability: Floats, labels: Labels, weights: Floats, counted: npt.NDArray[np.int64]
) -> float:
    """Mean loss of some rows, for probabilities as :func:`probabilities` writes them."""
    loss, total = 0.0, 0.0
    for i in counted:
        if probability.shape[1] == 1:
            own = probability[i, 0] if labels[i] == 1 else 1.0 - probability[i, 0]
        else:
            own = probability[i, labels[i]]
        loss -= weights[i] * log(max(own, _SMALLEST))
        total += weights[i]
    return loss / total if total > 0 else 0.0
