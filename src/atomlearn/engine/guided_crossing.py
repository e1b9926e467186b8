"""Crossing guided by evidence: how atoms grow where classes overlap.

Every row has a literal or its complement, so ``⊤ < l ⊙ l'`` is a positive relation that always
holds. Crossing it into an atom ``φ`` gives two atoms, ``φ ∪ l`` and ``φ ∪ l'``: the rows that miss
``φ`` are split into those that miss the one and those that miss the other. Sparse Crossing takes
its relations from examples, at random; here it is the relation that explains most of what is still
wrong with the predictions, as measured on the rows of a batch. It starts from the empty atom, which
all rows miss, and the rows that miss a final atom are its *cell*.

What is wrong is a gradient, rounded to a few bits and stored as bit planes. Its sum over a set of
rows is then a few counts of bits, exact and the same on every machine.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.sets.jit import kernel
from atomlearn.sets.lists import Lists
from atomlearn.sets.random import Stream, draw
from atomlearn.sets.rows import Rows
from atomlearn.sets.transpose import transpose_into
from atomlearn.sets.words import FULL, ONE, ZERO, lowest, popcount

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_HALF, _S24 = np.uint64((1 << 24) - 1), np.uint64(24)
_RANDOM = 1.0 / (1 << 24)


class Alternatives(NamedTuple):
    """Relations ``⊤ < a ⊙ b``: of each two sets of literals, every row has exactly one."""

    has: Rows
    """Alternatives × examples: the examples that have the first of the two."""
    by_example: Rows
    """The same transposed: examples × alternatives."""
    sides: Lists
    """The literals: list ``2 i`` of the first and list ``2 i + 1`` of the second."""
    group: Integers
    """Alternatives of one column have the same number; columns are left out together."""


class Planes(NamedTuple):
    """Integers of all examples, bit by bit. The last plane counts negatively (two's complement)."""

    slope: Rows
    curvature: Rows
    slope_unit: float
    curvature_unit: float


def empty_planes(weights: Floats, slope_steps: int, curvature_steps: int) -> Planes:
    """Room for gradients of rows with these weights: of a row of mean weight, slopes from -1 to 1
    are rounded to so many steps on either side, curvatures from 0 to 1/4 to so many."""
    typical, largest = float(weights.mean()), float(weights.max())
    units = typical / slope_steps, typical / (4 * curvature_steps)
    most = int(largest / units[0]) + 1, int(largest / 4 / units[1]) + 1
    n_words = (len(weights) + 63) // 64
    slope = np.zeros((most[0].bit_length() + 1, n_words), dtype=np.uint64)
    curvature = np.zeros((most[1].bit_length(), n_words), dtype=np.uint64)
    return Planes(slope, curvature, *units)


@kernel
def write_planes(i: int, slope: float, curvature: float, planes: Planes, rng: Stream) -> bool:
    """Write the gradient of row ``i``, rounded at random so that the mean is right; is any of it
    left?"""
    noise = draw(rng)
    bit = ONE << np.uint64(i & 63)
    first = math.floor(slope / planes.slope_unit + np.int64(noise & _HALF) * _RANDOM)
    second = math.floor(
        curvature / planes.curvature_unit + np.int64((noise >> _S24) & _HALF) * _RANDOM
    )
    write_digits(i >> 6, bit, first, planes.slope)
    write_digits(i >> 6, bit, second, planes.curvature)
    return first != 0 or second != 0


@kernel
def write_digits(w: int, bit: np.uint64, value: int, planes: Rows) -> None:
    """Write the binary digits of a value, lowest first, negative ones in two's complement."""
    for q in range(planes.shape[0]):
        if value & 1:
            planes[q, w] |= bit
        else:
            planes[q, w] &= ~bit
        value >>= 1


@kernel
def grow(
    batch: Rows,
    has: Rows,
    offered: Integers,
    planes: Planes,
    most: int,
    ridge: float,
    least: float,
) -> Integers:
    """Cross the empty atom until there are ``most`` atoms or none of the crossings gains anything.

    ``batch`` are the rows to measure on, ``offered`` the alternatives to choose from. A cell has at
    least the curvature ``least``; ``ridge`` is what is added to it, which keeps small cells modest.
    Of each atom its path is returned: the sides ``2 a + s`` that lead to it, padded with ``-1``.
    """
    n_words = has.shape[1]
    n_nodes = 2 * most
    inside = np.zeros((n_nodes, n_words), dtype=np.uint64)
    path = np.full((n_nodes, max(most - 1, 1)), -1, dtype=np.int64)
    depth = np.zeros(n_nodes, dtype=np.int64)
    slopes = np.zeros((n_nodes, offered.shape[0]), dtype=np.int64)
    curvatures = np.zeros((n_nodes, offered.shape[0]), dtype=np.int64)
    total = np.zeros((n_nodes, 2), dtype=np.int64)
    gain = np.full(n_nodes, -1.0)
    choice = np.full(n_nodes, -1, dtype=np.int64)

    for w in range(n_words):
        inside[0, w] = batch[w]
    measure(inside[0], has, offered, planes, slopes[0], curvatures[0], total[0])
    gain[0], choice[0] = best(slopes[0], curvatures[0], total[0], planes, ridge, least)
    n, n_cells = 1, 1
    while n_cells < most:
        parent = int(np.argmax(gain))
        if gain[parent] <= 0.0:
            break
        chosen = choice[parent]
        a = offered[chosen]
        for side in range(2):
            child = n + side
            for w in range(n_words):
                member = has[a, w] if side == 0 else ~has[a, w]
                inside[child, w] = inside[parent, w] & member
            for d in range(depth[parent]):
                path[child, d] = path[parent, d]
            path[child, depth[parent]] = 2 * a + side
            depth[child] = depth[parent] + 1
        # Count the sums of one child; the other has the rest.
        measure(inside[n], has, offered, planes, slopes[n], curvatures[n], total[n])
        for m in range(offered.shape[0]):
            slopes[n + 1, m] = slopes[parent, m] - slopes[n, m]
            curvatures[n + 1, m] = curvatures[parent, m] - curvatures[n, m]
        for s in range(2):
            total[n + 1, s] = total[parent, s] - total[n, s]
        for child in range(n, n + 2):
            gain[child], choice[child] = best(
                slopes[child], curvatures[child], total[child], planes, ridge, least
            )
        gain[parent] = -2.0  # no longer a cell
        n += 2
        n_cells += 1
    return path[np.flatnonzero(gain[:n] > -2.0)]


@kernel
def cells_of(path: Integers, has: Rows) -> Rows:
    """The rows that miss each atom, given the sides that lead to it."""
    cells = np.full((path.shape[0], has.shape[1]), FULL, dtype=np.uint64)
    for k in range(path.shape[0]):
        for side in path[k]:
            if side >= 0:
                a = side >> 1
                for w in range(has.shape[1]):
                    cells[k, w] &= has[a, w] if side & 1 == 0 else ~has[a, w]
    return cells


@kernel
def gathered(by_example: Rows, chosen: Integers, n_alternatives: int) -> Rows:
    """Alternatives × chosen examples: few examples side by side are quicker to count."""
    rows = np.empty((chosen.shape[0], by_example.shape[1]), dtype=np.uint64)
    for j in range(chosen.shape[0]):
        rows[j] = by_example[chosen[j]]
    out = np.empty((n_alternatives, (chosen.shape[0] + 63) // 64), dtype=np.uint64)
    transpose_into(rows, out)
    return out


@kernel
def measure(
    inside: Rows,
    has: Rows,
    offered: Integers,
    planes: Planes,
    slopes: Integers,
    curvatures: Integers,
    total: Integers,
) -> None:
    """Write the sums over the rows inside that have the first side of each alternative."""
    words = np.flatnonzero(inside)
    n_slope, n_curvature = planes.slope.shape[0], planes.curvature.shape[0]
    masked = np.empty((n_slope + n_curvature, words.shape[0]), dtype=np.uint64)
    for q in range(n_slope):
        for j in range(words.shape[0]):
            masked[q, j] = planes.slope[q, words[j]] & inside[words[j]]
    for q in range(n_curvature):
        for j in range(words.shape[0]):
            masked[n_slope + q, j] = planes.curvature[q, words[j]] & inside[words[j]]
    having = np.full(words.shape[0], FULL, dtype=np.uint64)
    total[0], total[1] = weigh(masked, having, n_slope)
    for m in range(offered.shape[0]):
        for j in range(words.shape[0]):
            having[j] = has[offered[m], words[j]]
        slopes[m], curvatures[m] = weigh(masked, having, n_slope)


@kernel
def weigh(masked: Rows, having: Rows, n_slope: int) -> tuple[int, int]:
    """Sums of slope and curvature over a set of rows."""
    slope, curvature = 0, 0
    for q in range(masked.shape[0]):
        count = 0
        for j in range(having.shape[0]):
            count += popcount(masked[q, j] & having[j])
        if q < n_slope - 1:
            slope += count << q
        elif q == n_slope - 1:
            slope -= count << q  # the sign of two's complement
        else:
            curvature += count << (q - n_slope)
    return slope, curvature


@kernel
def best(
    slopes: Integers,
    curvatures: Integers,
    total: Integers,
    planes: Planes,
    ridge: float,
    least: float,
) -> tuple[float, int]:
    """The alternative whose two cells fit best, and how much better than one cell."""
    slope = total[0] * planes.slope_unit
    curvature = total[1] * planes.curvature_unit
    whole = slope * slope / (curvature + ridge)
    found, choice = 0.0, -1
    for m in range(slopes.shape[0]):
        g, h = slopes[m] * planes.slope_unit, curvatures[m] * planes.curvature_unit
        if h < least or curvature - h < least:
            continue
        gain = g * g / (h + ridge) + (slope - g) * (slope - g) / (curvature - h + ridge) - whole
        if gain > found:
            found, choice = gain, m
    return found, choice


@kernel
def sum_cells(
    cells: Rows,
    batch: Rows,
    labels: Integers,
    own: int,
    weights: Floats,
    probability: Floats,
    out: Floats,
) -> None:
    """Write slope and curvature of the rows of the batch in each cell, not rounded."""
    for k in range(cells.shape[0]):
        slope, curvature = 0.0, 0.0
        for w in range(cells.shape[1]):
            word = cells[k, w] & batch[w]
            while word != ZERO:
                i = w * 64 + lowest(word)
                word &= word - ONE
                p = probability[i]
                slope += weights[i] * ((1.0 if labels[i] == own else 0.0) - p)
                curvature += weights[i] * p * (1.0 - p)
        out[0, k], out[1, k] = slope, curvature


@kernel
def add_to_cells(cells: Rows, amounts: Floats, columns: Integers, scores: Floats) -> None:
    """Add the amount of each cell to a score of its rows."""
    for k in range(cells.shape[0]):
        for w in range(cells.shape[1]):
            word = cells[k, w]
            while word != ZERO:
                i = w * 64 + lowest(word)
                word &= word - ONE
                if i < scores.shape[0]:
                    scores[i, columns[k]] += amounts[k]
