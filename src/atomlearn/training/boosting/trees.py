"""Crossing guided by evidence: how atoms grow where classes overlap.

Every row has a literal or its complement, so ``⊤ < l ⊙ l'`` is a positive relation that always
holds. Crossing it into an atom ``φ`` gives two atoms, ``φ ∪ l`` and ``φ ∪ l'``: the rows that miss
``φ`` are split into those that miss the one and those that miss the other. Sparse Crossing takes
its relations from examples, at random; here it is the relation that explains most of what is still
wrong with the predictions, as measured on the rows of a batch. It starts from the empty atom, which
all rows miss, and the rows that miss a final atom are its *cell*.

What is wrong is a gradient, rounded to a few bits. Its sum over a set of rows is then a few counts
of bits, exact and the same on every machine. (That few bits are enough, if the weights are summed
exactly in the end: Shi et al., "Quantized training of gradient boosting decision trees", 2022.)

Columns that say something about the classes on their own.

A round that may use any of hundreds of columns often uses one that only looks useful by chance. A
chi-squared test of each cut against the classes finds the columns that do more than that. A column
that matters only together with others fails the test too, so held-out rows decide whether the rest
is left out.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from atomlearn.sets.jit import kernel
from atomlearn.sets.random import Stream, draw
from atomlearn.sets.rows import Lists, Rows, count, pack, take
from atomlearn.sets.words import FULL, ONE, ZERO, flip, lowest, popcount, size
from atomlearn.typing import Bits, Floats, Integers

_HALF, _S24 = np.uint64((1 << 24) - 1), np.uint64(24)
_RANDOM = 1.0 / (1 << 24)


class Alternatives(NamedTuple):
    """Relations ``⊤ < a ⊙ b``: of each two sets of literals, every row has exactly one."""

    has: Rows
    """Alternatives × examples: the examples that have the first of the two."""
    sides: Lists
    """The literals: list ``2 i`` of the first and list ``2 i + 1`` of the second."""
    group: Integers
    """Alternatives of one column have the same number; columns are left out together."""

    @property
    def n_columns(self) -> int:
        """The number of columns that have alternatives."""
        return int(self.group.max(initial=-1)) + 1


class Steps(NamedTuple):
    """The steps that gradients are rounded to, and how many binary digits that takes."""

    slope: float
    curvature: float
    per_slope: float
    per_curvature: float
    """The inverse of each: division is slow."""
    slope_digits: int
    """With one for the sign."""
    curvature_digits: int


def steps_for(weights: Floats, n_slope: int, n_curvature: int) -> Steps:
    """Steps for rows of these weights: of a row of mean weight, slopes from -1 to 1 are rounded to
    so many steps on either side, curvatures from 0 to 1/4 to so many."""
    typical, largest = float(weights.mean()), float(weights.max())
    slope, curvature = typical / n_slope, typical / (4 * n_curvature)
    most = int(largest / slope) + 1, int(largest / 4 / curvature) + 1
    digits = most[0].bit_length() + 1, most[1].bit_length()
    return Steps(slope, curvature, 1.0 / slope, 1.0 / curvature, *digits)


@kernel
def rounded(slope: float, curvature: float, steps: Steps, rng: Stream) -> tuple[int, int]:
    """A gradient in steps, rounded at random so that the mean is right."""
    noise = draw(rng)
    first = math.floor(slope * steps.per_slope + np.int64(noise & _HALF) * _RANDOM)
    second = math.floor(
        curvature * steps.per_curvature + np.int64((noise >> _S24) & _HALF) * _RANDOM
    )
    return first, second


@kernel
def rows_of(has: Rows, offered: Integers, chosen: Rows) -> Rows:
    """Chosen examples × offered alternatives: the first sides that each example has."""
    out = np.empty((size(chosen), (offered.shape[0] + 63) // 64), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    n = 0
    for w in range(chosen.shape[0]):
        if chosen[w] == ZERO:
            continue
        for g in range(out.shape[1]):
            n_here = min(64, offered.shape[0] - 64 * g)
            for r in range(n_here):
                block[r] = has[offered[64 * g + r], w]
            for r in range(n_here, 64):
                block[r] = ZERO
            flip(block)
            word, j = chosen[w], n
            while word != ZERO:
                out[j, g] = block[lowest(word)]
                word &= word - ONE
                j += 1
        n += popcount(chosen[w])
    return out


@kernel
def grow(
    rows: Rows,
    place: Integers,
    offered: Integers,
    slope: Integers,
    curvature: Integers,
    steps: Steps,
    most: int,
    ridge: float,
    least: float,
) -> Integers:
    """Cross the empty atom until there are ``most`` atoms or none of the crossings gains anything.

    Row ``place[i]`` of ``rows`` has the first sides of the ``offered`` alternatives that example
    ``i`` has, ``slope[i]`` and ``curvature[i]`` are its gradient in steps. A cell has at least the
    curvature ``least``; ``ridge`` is what is added to it, which keeps small cells modest. Of each
    atom its path is returned: the sides ``2 a + s`` that lead to it, padded with ``-1``, atoms with
    a common beginning side by side.
    """
    n_nodes, n_offered = 2 * most, offered.shape[0]
    order = np.arange(place.shape[0])  # the examples of a node are side by side
    start, end = np.zeros(n_nodes, dtype=np.int64), np.zeros(n_nodes, dtype=np.int64)
    children = np.zeros(n_nodes, dtype=np.int64)  # the first of two; none has node 0
    slopes = np.zeros((n_nodes, n_offered), dtype=np.int64)
    curvatures = np.zeros((n_nodes, n_offered), dtype=np.int64)
    total = np.zeros((n_nodes, 2), dtype=np.int64)
    gain = np.full(n_nodes, -1.0)
    choice = np.full(n_nodes, -1, dtype=np.int64)

    end[0] = place.shape[0]
    measure(order, rows, place, slope, curvature, steps, slopes[0], curvatures[0], total[0])
    gain[0], choice[0] = best(slopes[0], curvatures[0], total[0], steps, ridge, least)
    n, n_cells = 1, 1
    while n_cells < most:
        parent = int(np.argmax(gain))
        if gain[parent] <= 0.0:
            break
        middle = partition(order[start[parent] : end[parent]], rows, place, choice[parent])
        start[n], end[n] = start[parent], start[parent] + middle
        start[n + 1], end[n + 1] = end[n], end[parent]
        children[parent] = n
        n_cells += 1
        if n_cells < most:  # the last two are not crossed any more
            # Count the sums of the smaller child; the other has the rest.
            small = n if end[n] - start[n] <= end[n + 1] - start[n + 1] else n + 1
            large = 2 * n + 1 - small
            inside = order[start[small] : end[small]]
            measure(
                inside, rows, place, slope, curvature, steps,
                slopes[small], curvatures[small], total[small],
            )  # fmt: skip
            for m in range(n_offered):
                slopes[large, m] = slopes[parent, m] - slopes[small, m]
                curvatures[large, m] = curvatures[parent, m] - curvatures[small, m]
            for s in range(2):
                total[large, s] = total[parent, s] - total[small, s]
            for child in range(n, n + 2):
                gain[child], choice[child] = best(
                    slopes[child], curvatures[child], total[child], steps, ridge, least
                )
        gain[parent] = -2.0  # no longer a cell
        n += 2
    return paths(children, choice, offered, n_cells)


@kernel
def partition(inside: Integers, rows: Rows, place: Integers, a: int) -> int:
    """Bring the examples that have the first side of an alternative to the front; how many?"""
    others = np.empty_like(inside)
    g, shift = a >> 6, np.uint64(a & 63)
    n, n_others = 0, 0
    for j in range(inside.shape[0]):
        i = inside[j]
        if (rows[place[i], g] >> shift) & ONE:
            inside[n] = i
            n += 1
        else:
            others[n_others] = i
            n_others += 1
    for j in range(n_others):
        inside[n + j] = others[j]
    return n


@kernel
def paths(children: Integers, choice: Integers, offered: Integers, n_cells: int) -> Integers:
    """The sides that lead to each cell, depth first."""
    path = np.full((n_cells, max(n_cells - 1, 1)), -1, dtype=np.int64)
    sides = np.empty(max(n_cells, 1), dtype=np.int64)
    waiting = np.empty((2 * n_cells, 2), dtype=np.int64)  # nodes, and their depths
    waiting[0, 0], waiting[0, 1] = 0, 0
    n_waiting, n = 1, 0
    side = np.full(children.shape[0], -1, dtype=np.int64)
    while n_waiting:
        n_waiting -= 1
        node, depth = waiting[n_waiting, 0], waiting[n_waiting, 1]
        if depth:
            sides[depth - 1] = side[node]
        if children[node] == 0:
            for d in range(depth):
                path[n, d] = sides[d]
            n += 1
            continue
        for s in range(2):
            child = children[node] + 1 - s  # the first side comes off the stack first
            side[child] = 2 * offered[choice[node]] + 1 - s
            waiting[n_waiting, 0], waiting[n_waiting, 1] = child, depth + 1
            n_waiting += 1
    return path


@kernel
def cells_of(path: Integers, has: Rows) -> Rows:
    """The rows that miss each atom, given the sides that lead to it.

    What an atom shares with the one before it is not worked out again.
    """
    n_words = has.shape[1]
    cells = np.full((path.shape[0], n_words), FULL, dtype=np.uint64)
    reached = np.full((path.shape[1] + 1, n_words), FULL, dtype=np.uint64)
    for k in range(path.shape[0]):
        shared = True
        depth = 0
        while depth < path.shape[1] and path[k, depth] >= 0:
            side = path[k, depth]
            shared = shared and k > 0 and path[k - 1, depth] == side
            if not shared:
                a = side >> 1
                turned = FULL if side & 1 else ZERO
                for w in range(n_words):
                    reached[depth + 1, w] = reached[depth, w] & (has[a, w] ^ turned)
            depth += 1
        for w in range(n_words):
            cells[k, w] = reached[depth, w]
    return cells


@kernel
def measure(
    inside: Integers,
    rows: Rows,
    place: Integers,
    slope: Integers,
    curvature: Integers,
    steps: Steps,
    slopes: Integers,
    curvatures: Integers,
    total: Integers,
) -> None:
    """Add up the gradients of the examples inside that have the first side of each alternative.

    64 examples at a time: the digits of their gradients are written side by side as words, and
    masked by the words that tell which of them have an alternative.
    """
    n_slope, n_digits = steps.slope_digits, steps.slope_digits + steps.curvature_digits
    digits = np.empty(n_digits, dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    for first in range(0, inside.shape[0], 64):
        some = inside[first : first + 64]
        write_digits(some, slope, digits[:n_slope])
        write_digits(some, curvature, digits[n_slope:])
        for i in some:
            total[0] += slope[i]
            total[1] += curvature[i]
        for g in range(rows.shape[1]):
            for r in range(some.shape[0]):
                block[r] = rows[place[some[r]], g]
            for r in range(some.shape[0], 64):
                block[r] = ZERO
            flip(block)
            add_counts(block, digits[:n_slope], True, slopes[64 * g : 64 * g + 64])
            add_counts(block, digits[n_slope:], False, curvatures[64 * g : 64 * g + 64])


@kernel
def write_digits(some: Integers, values: Integers, digits: Rows) -> None:
    """Write the binary digits of some values, lowest first, negative ones in two's complement.

    Word ``q`` has the digit ``q`` of all of them.
    """
    for q in range(digits.shape[0]):
        word = ZERO
        for r in range(some.shape[0]):
            word |= np.uint64((values[some[r]] >> q) & 1) << np.uint64(r)
        digits[q] = word


@kernel
def add_counts(block: Rows, digits: Rows, signed: bool, sums: Integers) -> None:
    """Add to each sum the values, given by their digits, of the members of a word."""
    for q in range(digits.shape[0]):
        word = digits[q]
        if word == ZERO:
            continue
        unit = np.int64(1) << q
        if signed and q == digits.shape[0] - 1:
            unit = -unit  # the sign of two's complement
        for r in range(sums.shape[0]):
            sums[r] += unit * popcount(block[r] & word)


@kernel
def best(
    slopes: Integers,
    curvatures: Integers,
    total: Integers,
    steps: Steps,
    ridge: float,
    least: float,
) -> tuple[float, int]:
    """The alternative whose two cells fit best, and how much better than one cell."""
    slope, curvature = total[0] * steps.slope, total[1] * steps.curvature
    found, choice = 0.0, -1
    if curvature < 2 * least:
        return found, choice
    whole = slope * slope / (curvature + ridge)
    for m in range(slopes.shape[0]):
        g, h = slopes[m] * steps.slope, curvatures[m] * steps.curvature
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
def add_to_cells(cells: Rows, amounts: Floats, scores: Floats) -> None:
    """Add the amount of each cell to the scores of its rows."""
    for k in range(cells.shape[0]):
        for w in range(cells.shape[1]):
            word = cells[k, w]
            while word != ZERO:
                i = w * 64 + lowest(word)
                word &= word - ONE
                if i < scores.shape[0]:
                    scores[i] += amounts[k]


CHANCE = 0.001
"""The chance that a column of noise passes, whatever its number of cuts."""


def informative_columns(
    alternatives: Alternatives, labels: Integers, learned: Bits, n_classes: int
) -> Integers:
    """The columns of which a cut tells classes apart better than chance, on the rows learned."""
    is_class = labels == np.arange(n_classes)[:, None]
    members = pack(np.ascontiguousarray(is_class & learned))
    statistic = chi_squared(count_common(alternatives.has, members), members)
    n_cuts = np.bincount(alternatives.group)
    best = np.zeros(len(n_cuts))
    np.maximum.at(best, alternatives.group, statistic)
    present = np.unique(labels[learned])
    if len(present) < 2:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(best > chdtri(len(present) - 1, CHANCE / np.maximum(n_cuts, 1)))


def chi_squared(having: Integers, members: Rows) -> Floats:
    """Pearson's statistic of each alternative against the classes; ``having`` are its rows."""
    of_class = count(members)
    share = having.sum(axis=1, keepdims=True) / max(1, of_class.sum())
    expected = share * of_class
    rest = of_class - expected
    off = (having - expected) ** 2
    terms = off / np.where(expected > 0, expected, 1.0) + off / np.where(rest > 0, rest, 1.0)
    return np.asarray(terms.sum(axis=1), dtype=np.float64)


def only(alternatives: Alternatives, columns: Integers) -> Alternatives:
    """The alternatives of some columns."""
    kept = np.flatnonzero(np.isin(alternatives.group, columns))
    sides = take(alternatives.sides, np.column_stack([2 * kept, 2 * kept + 1]).ravel())
    group = np.unique(alternatives.group[kept], return_inverse=True)[1]
    return Alternatives(alternatives.has[kept], sides, group.astype(np.int64))


@kernel
def count_common(first: Rows, second: Rows) -> Integers:
    """The number of members that each row of one matrix shares with each row of another."""
    out = np.zeros((first.shape[0], second.shape[0]), dtype=np.int64)
    for a in range(first.shape[0]):
        for k in range(second.shape[0]):
            for w in range(first.shape[1]):
                out[a, k] += popcount(first[a, w] & second[k, w])
    return out
