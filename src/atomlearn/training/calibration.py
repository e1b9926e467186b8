"""From misses to probabilities: a softmax of their logarithms, with one slope for all classes.

What counts is not how many atoms of a class an example misses but how many for something that is
*not* of the class: misses are taken relative to the median of the class's counterexamples. So one
calibration serves pools of any size, also those that are learned anew on more examples.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from threadpoolctl import ThreadpoolController

from atomlearn.typing import Floats, Integers

DEFAULT_SLOPE = 2.0
"""Prior mean of the slope, used when there are few held-out rows (typical fits: 2 to 4)."""


def log_ratio(misses: npt.NDArray[np.int32], typical: Floats) -> Floats:
    """``log`` of misses over those of a typical counterexample, ``(n_examples, n_classes)``."""
    return np.log((misses + 1.0) / (typical + 1.0))


@dataclass(frozen=True)
class Calibration:
    """Score of class ``k``: ``offset[k] - slope * log_ratio[:, k]``."""

    slope: float
    offset: Floats

    def scores(self, ratios: Floats) -> Floats:
        """Log-probabilities up to a constant for each example."""
        return self.offset - self.slope * ratios

    def probabilities(self, ratios: Floats) -> Floats:
        """Each row sums to one."""
        return softmax(self.scores(ratios))


def calibrate(ratios: Floats, labels: Integers, weights: Floats) -> Calibration:
    """The calibration most likely to give these labels, regularised towards the default.

    An example of weight more than one counts once: what recurs will have been learned when it is
    met again, so it tells nothing of what is unseen.

    >>> ratios = np.log(np.array([[0.01, 1.0], [1.0, 0.02], [0.03, 1.0], [1.0, 0.01]]))
    >>> fitted = calibrate(ratios, np.array([0, 1, 0, 1]), np.ones(4))
    >>> fitted.probabilities(ratios).argmax(axis=1).tolist()
    [0, 1, 0, 1]
    """
    n_classes = ratios.shape[1]
    if len(labels) == 0:
        return Calibration(DEFAULT_SLOPE, np.zeros(n_classes))
    rows = np.arange(len(labels))
    weights = np.minimum(weights, 1.0)

    def objective(parameters: Floats) -> tuple[float, Floats]:
        slope, offset = parameters[0], parameters[1:]
        p = ratios * -slope
        p += offset
        p = softmax(p)
        loss = -(weights * np.log(p[rows, labels] + 1e-300)).sum()
        loss += 0.5 * (slope - DEFAULT_SLOPE) ** 2 + 0.5 * (offset**2).sum()
        residual = p
        residual[rows, labels] -= 1.0
        residual *= weights[:, None]
        gradient = np.concatenate(
            [[-(residual * ratios).sum() + slope - DEFAULT_SLOPE], residual.sum(axis=0) + offset]
        )
        return float(loss), gradient

    start = np.concatenate([[DEFAULT_SLOPE], np.zeros(n_classes)])
    found = minimum(objective, start)
    return Calibration(max(float(found[0]), 1e-3), found[1:])


def minimum(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    bounds: Sequence[tuple[float, float]] | None = None,
) -> Floats:
    """Where an objective, given with its gradient, is lowest (L-BFGS-B).

    The linear algebra in it is tiny: a second thread would only spin, for longer than all of it.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def softmax(scores: Floats) -> Floats:
    """Softmax of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=1, keepdims=True)
    return shifted
