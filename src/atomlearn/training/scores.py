"""Misses become probabilities: calibration, log-loss, and the choice of the atoms that decide."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from threadpoolctl import ThreadpoolController

from atomlearn.typing import Floats, Integers

DEFAULT_SLOPE = 2.0
"""Prior mean of the slope, used when there are few held-out rows (typical fits: 2 to 4)."""


def log_ratio(misses: npt.NDArray[np.int32], typical: Floats) -> Floats:
    """Return the logarithm of misses relative to a typical counterexample, by example and class."""
    return np.log((misses + 1.0) / (typical + 1.0))


@dataclass(frozen=True)
class Calibration:
    """The calibration, by which class ``k`` scores ``offset[k] - slope * log_ratio[:, k]``."""

    slope: float
    offset: Floats

    def scores(self, ratios: Floats) -> Floats:
        """Return log-probabilities up to a constant for each example."""
        return self.offset - self.slope * ratios

    def probabilities(self, ratios: Floats) -> Floats:
        """Return probabilities; each row sums to one."""
        return softmax(self.scores(ratios))


def calibrate(ratios: Floats, labels: Integers, weights: Floats) -> Calibration:
    """Return the calibration of maximum likelihood, regularised towards the default.

    An example of weight more than one counts once: a row that recurs will have been learned when it
    is met again, so it says nothing about unseen rows.

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
    """Return the minimum of an objective, given with its gradient (L-BFGS-B).

    One BLAS thread is used, because the problem is tiny.
    """
    with one_thread():
        found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)


def one_thread() -> Any:
    """Return a context with one BLAS thread, for problems so small that more only wait."""
    return _libraries().limit(limits=1, user_api="blas")


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def softmax(scores: Floats) -> Floats:
    """Return the softmax of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=1, keepdims=True)
    return shifted


_GRID = 2.0**40


def monotone_softmax(scores: Floats) -> Floats:
    """Return the softmax of each row, such that rounding never makes it fall.

    The probability of a class is computed from the differences of its score to the others. They are
    rounded to a grid that is much coarser than the error of ``exp``: if no difference rises, the
    computed probability does not fall, to the last digit.

    >>> monotone_softmax(np.array([[0.0, 0.0], [0.0, -np.inf]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    out = np.empty_like(scores)
    for k in range(scores.shape[1]):
        others = np.delete(scores, k, axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = np.rint((others - scores[:, k : k + 1]) * _GRID) / _GRID
            out[:, k] = 1.0 / (1.0 + np.exp(gaps).sum(axis=1))
        out[np.isneginf(scores[:, k]), k] = 0.0
    return out


CLOSE, SAME_ERROR = 1.02, 0.02
"""Losses within this factor, and errors within this difference, count as equal, and the smaller
model is taken."""

WORTH = 0.01
"""Strict atoms get more epochs if they lower the loss by at least this share."""
SOON = 0.25
"""Before this share of their epochs, strict atoms need a proportionally smaller decrease of the
loss."""

SMALLEST = 1e-12
"""Lower bound of probabilities in a logarithm."""

RACE = {6.0: 4.0, 12.0: 2.5, 24.0: 1.5}
"""Boosting is given up if, after this many rounds times the learning rate, its loss exceeds this
multiple of the loss of strict atoms: with small steps even a good model is far behind at first."""

EXACT, TINY = 0.005, 0.002
"""Strict atoms with at most this held-out error are kept beside weighted ones, unless that raises
the loss by more than the second."""

LEAST_SAY = 0.05
"""Minimum factor of the strict score beside the weighted one, if strict atoms hardly ever err."""

KINDS = ("strict", "weighted", "both")
"""The kinds of evidence that can be chosen."""


@dataclass(frozen=True)
class Evidence:
    """The kind of atoms that was chosen, and the held-out losses and errors of each kind."""

    chosen: str = "strict"
    losses: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    strict: float = 1.0
    """Factor of the strict score."""
    weighted: float = 0.0
    """Factor of the weighted score."""

    def __str__(self) -> str:
        told = ", ".join(
            f"{kind} {loss:.3f} ({self.errors[kind]:.1%} errors)"
            for kind, loss in self.losses.items()
        )
        return f"{self.chosen}; held-out log-loss: {told}" if told else self.chosen

    __repr__ = __str__


def weigh_evidence(
    strict: Floats | None,
    weighted: Floats | None,
    labels: Integers,
    weights: Floats,
    sizes: dict[str, int],
    prior: Floats | float = 0.0,
    ordered: bool = False,
) -> Evidence:
    """Choose the kind of atoms by the held-out scores of both, ``(n_rows, n_classes)`` each.

    Errors are those of predictions with the ``prior``, the logarithm of the class weights.
    """
    fitted: dict[str, tuple[float, float]] = {}
    losses: dict[str, float] = {}
    errors: dict[str, float] = {}
    nothing = np.zeros((len(labels), 1))

    def measure(kind: str, a: float, b: float) -> None:
        fitted[kind] = a, b
        scores = a * (nothing if strict is None else strict)
        scores = scores + b * (nothing if weighted is None else weighted)
        errors[kind], losses[kind] = error_and_loss(scores, labels, weights, prior, ordered)

    if strict is not None:
        measure("strict", 1.0, 0.0)
    if weighted is not None:
        measure("weighted", 0.0, _factor(weighted, labels, weights))
    if strict is not None and weighted is not None:
        least = LEAST_SAY if errors["strict"] <= EXACT else 0.0
        measure("both", *_factors(strict, weighted, labels, weights, least))
    chosen = _choose(losses, errors, sizes)
    if chosen == "weighted" and errors.get("strict", 1.0) <= EXACT:
        # A few of such strict atoms may define the classes exactly, as weighted ones never do.
        chosen = "both" if losses["both"] <= losses["weighted"] + TINY else chosen
    if chosen == "both" and 0.0 in fitted["both"]:  # one of them has no say
        chosen = "weighted" if fitted["both"][0] == 0.0 else "strict"
    return Evidence(chosen, losses, errors, *fitted[chosen])


def sizes_of(n_strict: int, n_weighted: int, expects_more: bool = False) -> dict[str, int]:
    """Return the sizes by which models of about the same loss are compared.

    While more data may come, strict atoms are kept: weighted atoms alone are the last choice.
    """
    both = n_strict + n_weighted
    return {"strict": n_strict, "weighted": both + 1 if expects_more else n_weighted, "both": both}


def adds_nothing(evidence: Evidence, share: float) -> bool:
    """Return whether strict atoms do not improve on weighted ones, after a share of their epochs.

    >>> little = Evidence("both", {"strict": 0.5, "weighted": 0.4, "both": 0.397})
    >>> adds_nothing(little, 0.1), adds_nothing(little, 0.5)
    (False, True)
    """
    losses, wanted = evidence.losses, WORTH * min(1.0, share / SOON)
    return "both" in losses and losses["both"] >= (1.0 - wanted) * losses["weighted"]


def has_lost(losses: Sequence[float], learning_rate: float, rival: float) -> bool:
    """Return whether boosting is too far behind strict atoms for more rounds to help."""
    way = learning_rate * (len(losses) - 1)
    allowed = min([np.inf, *(times for least, times in RACE.items() if least <= way)])
    return losses[-1] > allowed * rival


def given_up(weighted: Evidence, some: Evidence) -> Evidence:
    """Return the choice of weighted atoms, after a comparison on ``some`` of the held-out rows.

    Losses and errors of the other kinds are those of weighted atoms, plus the difference on these
    rows.

    >>> alone = Evidence("weighted", {"weighted": 0.3}, {"weighted": 0.1}, 0.0, 1.0)
    >>> some = Evidence("both", {"weighted": 0.2, "both": 0.25}, {"weighted": 0.1, "both": 0.1})
    >>> given_up(alone, some)
    weighted; held-out log-loss: weighted 0.300 (10.0% errors), both 0.350 (10.0% errors)
    """

    def moved(whole: dict[str, float], part: dict[str, float]) -> dict[str, float]:
        here, there = whole["weighted"], part["weighted"]
        return {kind: max(0.0, here + value - there) for kind, value in part.items()}

    return replace(
        weighted,
        losses=moved(weighted.losses, some.losses),
        errors=moved(weighted.errors, some.errors),
    )


def decided(scores: Floats, ordered: bool = False) -> Integers:
    """Return the most probable class of each row or, of ordered classes, the median.

    The median is the class whose expected distance to the label is least.

    >>> scores = np.log(np.array([[0.4, 0.25, 0.35]]))
    >>> decided(scores).tolist(), decided(scores, ordered=True).tolist()
    ([0], [1])
    """
    return median_of(softmax(scores)) if ordered else np.asarray(scores.argmax(axis=1))


HALF = 0.5 - 1e-9
"""Up to the median, classes have half of the probability; halves may be rounded."""


def median_of(chances: Floats) -> Integers:
    """Return the lowest class of each row up to which there is half of the probability."""
    return np.asarray((np.cumsum(chances, axis=1) >= HALF).argmax(axis=1))


def error_and_loss(
    scores: Floats,
    labels: Integers,
    weights: Floats,
    prior: Floats | float = 0.0,
    ordered: bool = False,
) -> tuple[float, float]:
    """Return the error, with the ``prior`` added to scores, and the mean log-loss without it."""
    p = softmax(scores)
    share = weights / weights.sum()
    own = np.maximum(p[np.arange(len(labels)), labels], SMALLEST)
    wrong = decided(scores + prior, ordered) != labels
    return float((share * wrong).sum()), float(-(share * np.log(own)).sum())


def _choose(losses: dict[str, float], errors: dict[str, float], sizes: dict[str, int]) -> str:
    """Return the smallest model of those whose loss and error are close to the best."""
    best, fewest = min(losses.values()), min(errors.values())
    close = [kind for kind, loss in losses.items() if loss <= CLOSE * best + 1e-4]
    right = [kind for kind in close if errors[kind] <= fewest + SAME_ERROR]
    return min(right or close, key=lambda kind: sizes[kind])


def _factor(scores: Floats, labels: Integers, weights: Floats) -> float:
    return _factors(np.zeros_like(scores), scores, labels, weights)[1]


def _factors(
    strict: Floats, weighted: Floats, labels: Integers, weights: Floats, least: float = 0.0
) -> tuple[float, float]:
    """Return the factors of both scores of lowest loss, regularised towards one half.

    The factor of the strict score is not below ``least``.
    """
    share = np.minimum(weights, 1.0)
    rows = np.arange(len(labels))

    def objective(factors: Floats) -> tuple[float, Floats]:
        p = softmax(factors[0] * strict + factors[1] * weighted)
        loss = -(share * np.log(np.maximum(p[rows, labels], SMALLEST))).sum()
        p[rows, labels] -= 1.0
        p *= share[:, None]
        prior = factors - 0.5
        gradient = np.array([(p * strict).sum(), (p * weighted).sum()]) + prior
        return float(loss + 0.5 * (prior**2).sum()), gradient

    found = minimum(objective, np.array([0.5, 0.5]), [(least, 10.0), (0.0, 10.0)])
    return float(found[0]), float(found[1])
