"""Categories grouped by how often they go with each class.

Categories are put in order along the first principal direction of their class rates (Coppersmith,
Hong, Hosking 1999); of two classes that is the order of the rates. The order is cut at quantiles.
A row must not find its own label in the group it is put in: rates are shrunk towards that of all
rows, a category of very few rows goes by that of all, and there are no groups at all unless the
categories differ by clearly more than chance.
"""

import numpy as np

from atomlearn.tables.cuts import Histogram, quantile_cuts
from atomlearn.typing import Floats, Integers

FEWEST_GROUPED = 13
"""Minimum number of categories for groups; fewer are handled well one by one."""
MOST_GROUPS = 3
"""Number of groups of a column."""
PSEUDO_ROWS = 10.0
"""Smoothing: rows with average class rates that are added to each category."""
RARE = 3.0
"""Weight below which a category counts as average."""
BEYOND_CHANCE = 2.0
"""Groups are made if the chi-square of the categories is this many times what chance gives."""


def find_groups(codes: Integers, classes: Integers, weights: Floats, n: int) -> list[Integers]:
    """Sets of categories, given the category of each row (-1 is none of the ``n``).

    Each is the side of its cut on which average categories are not, so that a category never seen
    is taken for an average one.
    """
    ours = codes >= 0
    codes, classes, weights = codes[ours], classes[ours], weights[ours]
    if n < FEWEST_GROUPED or len(codes) == 0:
        return []
    n_classes = int(classes.max()) + 1
    cells = np.bincount(codes * n_classes + classes, weights, n * n_classes)
    counts = cells.reshape(n, n_classes).astype(np.float64)
    if not _differ(counts):
        return []
    scores = _scores(counts)
    order = Histogram.of(scores[codes], weights)
    edges = order.values[quantile_cuts(order, MOST_GROUPS)]
    groups = [np.flatnonzero(scores <= edge if edge < 0 else scores > edge) for edge in edges]
    return [group for group in groups if len(group) > 1]


def _differ(counts: Floats) -> bool:
    """Do the class rates of the categories differ by clearly more than chance?"""
    rows, present = counts.sum(axis=1), counts.sum(axis=0) > 0
    counts = counts[rows > 0][:, present]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    chi_square = float((np.square(counts - expected) / expected).sum())
    return freedom > 0 and chi_square > BEYOND_CHANCE * freedom


def _scores(counts: Floats) -> Floats:
    """The position of each category in the order; average ones are at 0."""
    rows = counts.sum(axis=1)
    average = counts.sum(axis=0) / counts.sum()
    rates = (counts + PSEUDO_ROWS * average) / (rows + PSEUDO_ROWS)[:, None] - average
    rates[rows < RARE] = 0
    direction = np.linalg.svd(np.sqrt(rows)[:, None] * rates, full_matrices=False)[2][0]
    size = np.abs(direction)
    sign = np.sign(direction[size > 1e-6 * size.max()][0])
    # Rounded, so that equal rates stay equal, whatever the order of the sums.
    scores: Floats = np.round(rates @ direction * sign, 9) + 0.0
    return scores
