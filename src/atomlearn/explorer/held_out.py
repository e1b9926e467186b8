"""Confusion matrix and calibration curve on held-out rows."""

from typing import Any

import numpy as np

from atomlearn.training.calibration import softmax
from atomlearn.training.learned import Learned

BINS = 10
"""Points of the calibration curve, each of as many rows."""
FEWEST = 5
"""Rows of a point, at least."""


def confusion(learned: Learned) -> list[list[float]] | None:
    """Weight of the held-out rows of each class (rows) by prediction (columns)."""
    unseen = learned.unseen
    if len(unseen) == 0:
        return None
    n = len(learned.pools)
    said = learned.unseen_scores().argmax(axis=1)
    table = np.zeros((n, n))
    np.add.at(table, (unseen.labels, said), unseen.weights)
    return table.round(3).tolist()


def calibration(learned: Learned) -> list[dict[str, Any]]:
    """How often predictions of a certain confidence are right: mean confidence, share, weight."""
    unseen = learned.unseen
    if len(unseen) == 0:
        return []
    chances = softmax(learned.unseen_scores())
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == unseen.labels
    order = np.argsort(sure, kind="stable")
    points = []
    for part in np.array_split(order, max(1, min(BINS, len(order) // FEWEST))):
        weights = unseen.weights[part]
        points.append(
            {
                "confidence": float(np.average(sure[part], weights=weights)),
                "right": float(np.average(right[part], weights=weights)),
                "rows": len(part),
            }
        )
    return points
