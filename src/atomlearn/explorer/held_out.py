"""Confusion matrix and calibration curve on held-out rows."""

from typing import Any

import numpy as np

from atomlearn.training.learned import Learned
from atomlearn.training.scores import softmax

EDGES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The points of the calibration curve are of rows with a confidence between these."""
FEWEST = 5
"""Rows of a point, at least."""


def confusion(learned: Learned) -> list[list[float]] | None:
    """Weight of the held-out rows of each class (rows) by prediction (columns)."""
    held_out = learned.held_out
    if len(held_out) == 0:
        return None
    n = len(learned.pools)
    said = learned.held_out_scores().argmax(axis=1)
    table = np.zeros((n, n))
    np.add.at(table, (held_out.labels, said), held_out.weights)
    return table.round(3).tolist()


def calibration(learned: Learned) -> list[dict[str, Any]]:
    """How often predictions of a certain confidence are right: mean confidence, share, weight."""
    held_out = learned.held_out
    if len(held_out) == 0:
        return []
    chances = softmax(learned.held_out_scores())
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == held_out.labels
    interval = np.digitize(sure, EDGES)
    points = []
    for i in range(len(EDGES) + 1):
        part = np.flatnonzero(interval == i)
        if len(part) < FEWEST:
            continue
        weights = held_out.weights[part]
        points.append(
            {
                "confidence": float(np.average(sure[part], weights=weights)),
                "right": float(np.average(right[part], weights=weights)),
                "rows": len(part),
            }
        )
    return points
