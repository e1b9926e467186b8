"""A card: rules with whole points, and how points become probabilities.

The score of a class is ``scale`` times the sum of its offset and of the points of the rules that a
row meets, and probabilities are the softmax of the scores.
"""

from dataclasses import dataclass, replace

import numpy as np

from atomlearn.engine.misses import Blocks
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, lists_of
from atomlearn.training.scores import SMALLEST
from atomlearn.typing import Bits, Floats, Integers

MAX_POINTS = 5
"""Default of the largest number of points of a rule."""
SCALE_STEPS, TINY_RIDGE = 12, 1e-3
"""Newton steps for the scale, and the ridge penalty of offsets."""
_BOUNDS = (-50.0, 50.0), (1e-3, 50.0)
"""Bounds of offsets and of the scale."""
DECIMALS = 1
"""Number of decimals of an offset in points."""

Condition = tuple[int, ...]
"""Literals of one column of which a row must have one: ``(x > 3)``, or ``(x > 3, x is missing)``.
"""
Conjunction = tuple[Condition, ...]
"""Conditions that a row must all meet."""


@dataclass(frozen=True)
class Card:
    """Rules with whole points for each class, which decide alone."""

    rules: tuple[Conjunction, ...]
    points: Integers
    """Points, ``(n_rules, n_classes)``; of two classes only the second has any."""
    scale: float
    """Change of the log-odds by one point."""
    offsets: Floats
    """Points of each class before any rule is met, with the class weights."""
    atoms: Lists
    """For each rule the atom that a row misses if it meets the rule."""
    max_points: int = MAX_POINTS
    is_exact: bool = False
    """Whether the rules are strict atoms that exclude every training row of the other classes."""

    def __len__(self) -> int:
        return len(self.rules)

    def met(self, blocks: Blocks, n: int) -> Bits:
        """Return which rules each of ``n`` transposed rows meets, ``(n_rules, n_rows)``."""
        met = np.zeros((len(self), n), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            words = np.full((len(blocks), blocks.shape[2]), ~np.uint64(0))
            for condition in rule:
                words &= np.bitwise_or.reduce(blocks[:, list(condition)], axis=1)
            met[r] = packed.unpack(words.reshape(1, -1), words.size * 64)[0, :n]
        return met

    def sums(self, met: Bits) -> Floats:
        """Return the points of each class for rows that meet these rules, with the offsets."""
        return met.T.astype(np.float64) @ self.points + self.offsets

    def against(self, k: int) -> Lists:
        """Return atoms whose absence is evidence against class ``k``, most points first.

        A row misses the atom of a rule if it meets the rule. A rule in favour of the class is not
        met by a row that misses one of its conditions.
        """
        found: dict[Condition, int] = {}
        starts, constants = self.atoms.starts.tolist(), self.atoms.constants.tolist()
        for r, rule in enumerate(self.rules):
            low, own, high = self.points[r].min(), self.points[r, k], self.points[r].max()
            atoms: list[tuple[Condition, int]] = [
                (tuple(constants[starts[r] : starts[r + 1]]), int(high - own))
            ]
            atoms.extend((tuple(sorted(one)), int(own - low)) for one in rule)
            for atom, points in atoms:
                if points > 0:
                    found[atom] = max(found.get(atom, 0), points)
        return lists_of([atom for atom, _ in sorted(found.items(), key=lambda one: -one[1])])

    def scores(self, blocks: Blocks, n: int) -> Floats:
        """Return the scores of ``n`` transposed rows, ``(n_rows, n_classes)``."""
        return self.scale * self.sums(self.met(blocks, n))


def whole_points(weights: Floats, max_points: int, factor: float = 1.0) -> Integers:
    """Round weights, ``(n_rules, n_classes)``, to whole points.

    Only differences between classes count. Of two classes the second has all points; of several,
    the median of the points of a rule is zero, so that many are.

    >>> whole_points(np.array([[0.5, -0.5], [-0.1, 0.1]]), 5).tolist()
    [[0, -5], [0, 1]]
    """
    if weights.shape[1] == 2:
        weights = np.stack([np.zeros(len(weights)), weights[:, 1] - weights[:, 0]], axis=1)
    else:
        weights = weights - np.median(weights, axis=1, keepdims=True)
    largest = float(np.abs(weights).max(initial=0.0))
    if largest == 0:
        return np.zeros(weights.shape, dtype=np.int64)
    points = np.rint(weights * (factor * max_points / largest))
    return np.clip(points, -max_points, max_points).astype(np.int64)


def fit_scale(
    sums: Floats, targets: Floats, weights: Floats, start: tuple[float, Floats] | None = None
) -> tuple[float, Floats, float]:
    """Return the scale and the offsets, in log-odds, for sums of points, and the loss.

    Newton's method, with half the step while the loss would rise.
    """
    n_classes = targets.shape[1]
    if start is None:
        share = (weights[:, None] * targets).sum(axis=0) / weights.sum()
        offsets = np.log(np.maximum(share, SMALLEST))
        start = 0.3, offsets - offsets.mean()
    z, t = np.ascontiguousarray(sums.T), np.ascontiguousarray(targets.T)  # quicker class by class
    x = np.concatenate([[start[0]], start[1]])

    def evaluate(x: Floats) -> tuple[float, Floats]:
        scores = x[0] * z + x[1:, None]
        top = scores.max(axis=0)
        p = np.exp(scores - top)
        total = p.sum(axis=0)
        p /= total
        loss = weights @ (top + np.log(total) - (t * scores).sum(axis=0))
        return float(loss + TINY_RIDGE * (x[1:] ** 2).sum()), p

    loss, p = evaluate(x)
    for _ in range(SCALE_STEPS):
        residual = weights * (p - t)
        slopes = np.concatenate([[(residual * z).sum()], residual.sum(axis=1)])
        slopes[1:] += 2 * TINY_RIDGE * x[1:]
        pz = p * z
        mean = pz.sum(axis=0)
        matrix = np.empty((n_classes + 1, n_classes + 1))
        matrix[0, 0] = weights @ ((pz * z).sum(axis=0) - mean**2)
        matrix[0, 1:] = matrix[1:, 0] = (pz - p * mean) @ weights
        matrix[1:, 1:] = np.diag(p @ weights) - (p * weights) @ p.T
        matrix[np.diag_indices_from(matrix)] += 2 * TINY_RIDGE
        step = np.linalg.solve(matrix, slopes)
        for _ in range(10):
            now = np.clip(x - step, *_BOUNDS[0])
            now[0] = min(max(now[0], _BOUNDS[1][0]), _BOUNDS[1][1])
            lower, chances = evaluate(now)
            if lower <= loss:
                break
            step = step / 2
        else:
            break
        is_settled = loss - lower < 1e-6 * abs(loss)
        x, loss, p = now, lower, chances
        if is_settled:
            break
    return float(x[0]), x[1:], loss


def rounded_offsets(offsets: Floats, scale: float) -> Floats:
    """Return offsets in points, rounded; of two classes the first has none."""
    if len(offsets) == 2:
        offsets = offsets - offsets[0]
    return np.round(offsets / scale, DECIMALS) + 0.0


def with_prior(card: Card, prior: Floats | float) -> Card:
    """Return the card with the class weights in its offsets."""
    if not np.any(prior):
        return card
    offsets = card.offsets + np.maximum(np.asarray(prior), -100.0) / card.scale
    return replace(card, offsets=np.round(offsets, DECIMALS) + 0.0)
