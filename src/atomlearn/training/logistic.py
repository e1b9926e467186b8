"""Probabilities from scores, with arithmetic that gives the same bits on every machine.

Mathematical libraries round ``exp`` and ``log`` differently in the last digit, and atoms that are
chosen by a sum of such numbers would depend on the library. These use nothing but IEEE arithmetic.
"""

import math

import numpy as np

from atomlearn.sets.jit import kernel
from atomlearn.typing import Floats, Integers

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_FLOOR = -700.0
_BIAS, _MANTISSA = 1023, 52
_TERMS = tuple(1.0 / math.factorial(i) for i in range(13, -1, -1))
_SMALLEST = 1e-12


@kernel
def exponentials(x: Floats) -> None:
    """Replace numbers that are not positive by ``e`` to their power.

    In passes without branches, which become vector instructions: several times faster than one
    number at a time.

    >>> x = np.array([-1.0, 0.0])
    >>> exponentials(x)
    >>> bool(abs(x[0] - math.exp(-1.0)) < 1e-15), float(x[1])
    (True, 1.0)
    """
    exponents = np.empty(x.shape[0], dtype=np.int64)
    for j in range(x.shape[0]):
        power = max(x[j], _FLOOR)
        k = math.floor(power * _LOG2E + 0.5)
        x[j] = (power - k * _LN2_HIGH) - k * _LN2_LOW
        exponents[j] = (np.int64(np.int32(k)) + _BIAS) << _MANTISSA
    scale = exponents.view(np.float64)
    for j in range(x.shape[0]):
        rest, series = x[j], _TERMS[0]
        for i in range(1, len(_TERMS)):
            series = series * rest + _TERMS[i]
        x[j] = series * scale[j]


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
def write_probabilities(scores: Floats, which: Integers, out: Floats) -> None:
    """A softmax over the classes of some rows; scores are by class and row.

    Of a single class, the probability of the second of two. Class by class, all rows of a class
    side by side in memory: with many classes that is several times faster than row by row.
    """
    n_classes, n = scores.shape[0], which.shape[0]
    power = np.empty(n)
    if n_classes == 1:
        for j in range(n):
            power[j] = -abs(scores[0, which[j]])
        exponentials(power)
        for j in range(n):
            likely = 1.0 if scores[0, which[j]] > 0 else power[j]
            out[0, which[j]] = likely / (1.0 + power[j])
        return
    highest, total = np.full(n, -np.inf), np.zeros(n)
    for k in range(n_classes):
        for j in range(n):
            highest[j] = max(highest[j], scores[k, which[j]])
    for k in range(n_classes):
        for j in range(n):
            power[j] = scores[k, which[j]] - highest[j]
        exponentials(power)
        for j in range(n):
            out[k, which[j]] = power[j]
            total[j] += power[j]
    for k in range(n_classes):
        for j in range(n):
            out[k, which[j]] /= total[j]


@kernel
def held_out_loss(
    scores: Floats, labels: Integers, weights: Floats, held: Integers, probability: Floats
) -> float:
    """Mean log-loss of some rows; their probabilities are written on the way."""
    write_probabilities(scores, held, probability)
    loss, total = 0.0, 0.0
    for i in held:
        if scores.shape[0] == 1:
            own = probability[0, i] if labels[i] == 1 else 1.0 - probability[0, i]
        else:
            own = probability[labels[i], i]
        loss -= weights[i] * log(max(own, _SMALLEST))
        total += weights[i]
    return loss / total if total > 0 else 0.0
