"""Trees for gradient boosting, grown on packed literals.

A *split* is a pair of sets of literals of which every row has exactly one, such as ``x > 3`` and
``x ≤ 3``. A tree is grown leaf by leaf: the split that gains most, of any leaf, comes next. (How
this is an instance of crossing is explained in docs/how-it-works.)

Gradients are quantised to a few bits. Their sum over a set of rows is then a few counts of bits,
exact and the same on every machine. (Few bits are enough if the weights of the leaves are summed
exactly in the end: Shi et al., "Quantized training of gradient boosting decision trees", 2022.)

A tree that may use any of hundreds of columns often uses one that only looks useful by chance. A
chi-squared test of each split against the classes finds the columns that are informative on their
own. A column that matters only together with others fails the test too, so held-out rows decide
whether the rest is left out.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri

from atomlearn.sets.jit import kernel
from atomlearn.sets.random import Stream, draw
from atomlearn.sets.rows import Lists, Rows, count, pack, take
from atomlearn.sets.words import FULL, ONE, ZERO, flip, lowest, popcount, size
from atomlearn.typing import Bits, Floats, Integers

NEGATIVE, POSITIVE = 1, 2
ANY_SIGN = NEGATIVE | POSITIVE
"""Signs that the weight of an atom may have, as bits."""
Signs = npt.NDArray[np.uint8]
OPPOSITE: Signs = np.array([0, POSITIVE, NEGATIVE, ANY_SIGN], dtype=np.uint8)
"""The opposite of each set of signs."""

_HALF, _S24 = np.uint64((1 << 24) - 1), np.uint64(24)
_RANDOM = 1.0 / (1 << 24)


class Splits(NamedTuple):
    """Pairs of sets of literals, the two *sides* of a split: every row has exactly one of them."""

    has: Rows
    """The examples that have the first side of each split, as splits × examples."""
    sides: Lists
    """The literals: list ``2 i`` of the first side and list ``2 i + 1`` of the second."""
    group: Integers
    """The number of the column of each split; the splits of a column are left out together."""

    @property
    def n_columns(self) -> int:
        """Number of columns that have splits."""
        return int(self.group.max(initial=-1)) + 1


class Quantisation(NamedTuple):
    """The steps to which gradients and Hessians are rounded, and the bits that this takes."""

    gradient: float
    hessian: float
    per_gradient: float
    per_hessian: float
    """Inverses of the steps, because division is slow."""
    gradient_bits: int
    """Number of bits of a gradient, with one for the sign."""
    hessian_bits: int


def quantisation_for(weights: Floats, n_gradient: int, n_hessian: int) -> Quantisation:
    """Return the quantisation for rows of these weights.

    For a row of mean weight, gradients from -1 to 1 have ``n_gradient`` levels on either side of
    zero, and Hessians from 0 to 1/4 have ``n_hessian`` levels.
    """
    typical, largest = float(weights.mean()), float(weights.max())
    gradient, hessian = typical / n_gradient, typical / (4 * n_hessian)
    highest = int(largest / gradient) + 1, int(largest / 4 / hessian) + 1
    bits = highest[0].bit_length() + 1, highest[1].bit_length()
    return Quantisation(gradient, hessian, 1.0 / gradient, 1.0 / hessian, *bits)


LEVELS, MOST_BITS = 8.0, 11
"""Number of levels of a typical gradient of a number, and the maximum number of bits of one."""


@kernel
def quantisation_of(
    gradient: Floats, hessian: Floats, members: Integers, before: Quantisation
) -> Quantisation:
    """Return the quantisation for gradients and Hessians that have no bounds, of some rows.

    Gradients become smaller as numbers are predicted better. The step is a part of their root mean
    square; what is then far beyond all others is cut off.
    """
    squares, largest, total, highest = 0.0, 0.0, 0.0, 0.0
    for i in members:
        squares += gradient[i] * gradient[i]
        largest = max(largest, abs(gradient[i]))
        total += hessian[i]
        highest = max(highest, hessian[i])
    n = max(1, members.shape[0])
    step, bend = math.sqrt(squares / n) / LEVELS, total / n / LEVELS
    if step <= 0.0 or bend <= 0.0:
        return before
    bits, more = 2, 1
    while bits < MOST_BITS and largest / step + 1.0 >= 1 << (bits - 1):
        bits += 1
    while more < MOST_BITS and highest / bend + 1.0 >= 1 << more:
        more += 1
    return Quantisation(step, bend, 1.0 / step, 1.0 / bend, bits, more)


@kernel
def quantised(
    gradient: float, hessian: float, quantisation: Quantisation, rng: Stream
) -> tuple[int, int]:
    """Quantise gradient and Hessian, rounding at random so that the mean is right."""
    noise = draw(rng)
    first = math.floor(gradient * quantisation.per_gradient + np.int64(noise & _HALF) * _RANDOM)
    second = math.floor(
        hessian * quantisation.per_hessian + np.int64((noise >> _S24) & _HALF) * _RANDOM
    )
    most = (1 << (quantisation.gradient_bits - 1)) - 1
    highest = (1 << quantisation.hessian_bits) - 1
    return min(max(first, -most), most), min(second, highest)


@kernel
def rows_of(has: Rows, candidates: Integers, chosen: Rows) -> Rows:
    """Return which first sides each chosen example has, as examples × candidate splits."""
    out = np.empty((size(chosen), (candidates.shape[0] + 63) // 64), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    n = 0
    for w in range(chosen.shape[0]):
        if chosen[w] == ZERO:
            continue
        for g in range(out.shape[1]):
            n_here = min(64, candidates.shape[0] - 64 * g)
            for r in range(n_here):
                block[r] = has[candidates[64 * g + r], w]
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
def grow_tree(
    rows: Rows,
    place: Integers,
    candidates: Integers,
    gradient: Integers,
    hessian: Integers,
    signs: Signs,
    quantisation: Quantisation,
    max_leaves: int,
    l2_regularization: float,
    min_hessian: float,
) -> Integers:
    """Split leaves until there are ``max_leaves`` of them or no split gains anything.

    Row ``place[i]`` of ``rows`` has the first sides of the ``candidates`` for splits that example
    ``i`` has; ``gradient[i]`` and ``hessian[i]`` are its levels. ``signs`` are those that the
    weight of a leaf may have on either side of each split. Returns the path to each leaf: the
    sides ``2 a + s`` of splits ``a`` that lead to it, padded with ``-1``, leaves with a common
    beginning side by side.
    """
    n_nodes, n_candidates = 2 * max_leaves, candidates.shape[0]
    order = np.arange(place.shape[0])  # the examples of a node are side by side
    start, end = np.zeros(n_nodes, dtype=np.int64), np.zeros(n_nodes, dtype=np.int64)
    children = np.zeros(n_nodes, dtype=np.int64)  # the first of two; none has node 0
    gradients = np.zeros((n_nodes, n_candidates), dtype=np.int64)
    hessians = np.zeros((n_nodes, n_candidates), dtype=np.int64)
    total = np.zeros((n_nodes, 2), dtype=np.int64)
    gain = np.full(n_nodes, -1.0)
    choice = np.full(n_nodes, -1, dtype=np.int64)
    allowed = np.full(n_nodes, ANY_SIGN, dtype=np.uint8)

    end[0] = place.shape[0]
    sum_gradients(
        order, rows, place, gradient, hessian, quantisation, gradients[0], hessians[0], total[0]
    )
    gain[0], choice[0] = best_split(
        gradients[0], hessians[0], total[0], signs, allowed[0],
        quantisation, l2_regularization, min_hessian,
    )  # fmt: skip
    n, n_leaves = 1, 1
    while n_leaves < max_leaves:
        parent = int(np.argmax(gain))
        if gain[parent] <= 0.0:
            break
        middle = partition(order[start[parent] : end[parent]], rows, place, choice[parent])
        start[n], end[n] = start[parent], start[parent] + middle
        start[n + 1], end[n + 1] = end[n], end[parent]
        children[parent] = n
        n_leaves += 1
        if n_leaves < max_leaves:  # the last two are not split any more
            # Count the sums of the smaller child; the other has the rest.
            small = n if end[n] - start[n] <= end[n + 1] - start[n + 1] else n + 1
            large = 2 * n + 1 - small
            inside = order[start[small] : end[small]]
            sum_gradients(
                inside, rows, place, gradient, hessian, quantisation,
                gradients[small], hessians[small], total[small],
            )  # fmt: skip
            for m in range(n_candidates):
                gradients[large, m] = gradients[parent, m] - gradients[small, m]
                hessians[large, m] = hessians[parent, m] - hessians[small, m]
            for s in range(2):
                total[large, s] = total[parent, s] - total[small, s]
            for child in range(n, n + 2):
                allowed[child] = allowed[parent] & signs[choice[parent], child - n]
                gain[child], choice[child] = best_split(
                    gradients[child], hessians[child], total[child], signs, allowed[child],
                    quantisation, l2_regularization, min_hessian,
                )  # fmt: skip
        gain[parent] = -2.0  # no longer a leaf
        n += 2
    return paths(children, choice, candidates, n_leaves)


@kernel
def partition(inside: Integers, rows: Rows, place: Integers, a: int) -> int:
    """Partition the examples by a split, and return the number that have its first side."""
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
def paths(children: Integers, choice: Integers, candidates: Integers, n_leaves: int) -> Integers:
    """Return the sides that lead to each leaf, depth first."""
    path = np.full((n_leaves, max(n_leaves - 1, 1)), -1, dtype=np.int64)
    sides = np.empty(max(n_leaves, 1), dtype=np.int64)
    waiting = np.empty((2 * n_leaves, 2), dtype=np.int64)  # nodes, and their depths
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
            side[child] = 2 * candidates[choice[node]] + 1 - s
            waiting[n_waiting, 0], waiting[n_waiting, 1] = child, depth + 1
            n_waiting += 1
    return path


@kernel
def leaves_of(path: Integers, has: Rows) -> Rows:
    """Return the rows of each leaf, given the sides that lead to it.

    The beginning that a path shares with the one before it is not computed again.
    """
    n_words = has.shape[1]
    leaves = np.full((path.shape[0], n_words), FULL, dtype=np.uint64)
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
            leaves[k, w] = reached[depth, w]
    return leaves


@kernel
def sum_gradients(
    inside: Integers,
    rows: Rows,
    place: Integers,
    gradient: Integers,
    hessian: Integers,
    quantisation: Quantisation,
    gradients: Integers,
    hessians: Integers,
    total: Integers,
) -> None:
    """Add up gradients and Hessians of the examples inside that have the first side of each split.

    This takes 64 examples at a time: the bits of their gradients are written side by side as words,
    and masked by the words that tell which of them have the first side.
    """
    n_gradient, n_digits = (
        quantisation.gradient_bits,
        quantisation.gradient_bits + quantisation.hessian_bits,
    )
    digits = np.empty(n_digits, dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    for first in range(0, inside.shape[0], 64):
        some = inside[first : first + 64]
        write_digits(some, gradient, digits[:n_gradient])
        write_digits(some, hessian, digits[n_gradient:])
        for i in some:
            total[0] += gradient[i]
            total[1] += hessian[i]
        for g in range(rows.shape[1]):
            for r in range(some.shape[0]):
                block[r] = rows[place[some[r]], g]
            for r in range(some.shape[0], 64):
                block[r] = ZERO
            flip(block)
            add_counts(block, digits[:n_gradient], True, gradients[64 * g : 64 * g + 64])
            add_counts(block, digits[n_gradient:], False, hessians[64 * g : 64 * g + 64])


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
def best_split(
    gradients: Integers,
    hessians: Integers,
    total: Integers,
    signs: Signs,
    allowed: int,
    quantisation: Quantisation,
    l2_regularization: float,
    min_hessian: float,
) -> tuple[float, int]:
    """Return the gain of the best split of a leaf, and its index.

    A side whose weight would have a sign that is not ``allowed`` has the weight zero.
    """
    gradient, hessian = total[0] * quantisation.gradient, total[1] * quantisation.hessian
    found, choice = 0.0, -1
    if hessian < 2 * min_hessian:
        return found, choice
    own = gradient if allowed & sign_of(gradient) else 0.0
    whole = own * own / (hessian + l2_regularization)
    for m in range(gradients.shape[0]):
        g, h = gradients[m] * quantisation.gradient, hessians[m] * quantisation.hessian
        if h < min_hessian or hessian - h < min_hessian:
            continue
        rest = gradient - g
        first = g if allowed & signs[m, 0] & sign_of(g) else 0.0
        second = rest if allowed & signs[m, 1] & sign_of(rest) else 0.0
        gain = (
            first * first / (h + l2_regularization)
            + second * second / (hessian - h + l2_regularization)
            - whole
        )
        if gain > found:
            found, choice = gain, m
    return found, choice


@kernel
def sign_of(value: float) -> int:
    """Return the sign of a number as a bit."""
    return POSITIVE if value > 0.0 else NEGATIVE


@kernel
def sum_leaves(leaves: Rows, batch: Rows, gradient: Floats, hessian: Floats, out: Floats) -> None:
    """Write the sums of gradients and Hessians of the batch in each leaf, not quantised."""
    for k in range(leaves.shape[0]):
        slope, bend = 0.0, 0.0
        for w in range(leaves.shape[1]):
            word = leaves[k, w] & batch[w]
            while word != ZERO:
                i = w * 64 + lowest(word)
                word &= word - ONE
                slope += gradient[i]
                bend += hessian[i]
        out[0, k], out[1, k] = slope, bend


@kernel
def add_to_leaves(leaves: Rows, amounts: Floats, scores: Floats) -> None:
    """Add the amount of each leaf to the scores of its rows."""
    for k in range(leaves.shape[0]):
        for w in range(leaves.shape[1]):
            word = leaves[k, w]
            while word != ZERO:
                i = w * 64 + lowest(word)
                word &= word - ONE
                if i < scores.shape[0]:
                    scores[i] += amounts[k]


CHANCE = 0.001
"""Probability that a column of noise passes the test, whatever its number of cuts."""


def informative_columns(
    splits: Splits, labels: Integers, learned: Bits, n_classes: int
) -> Integers:
    """Return the columns with a split that is associated with the classes, on the rows learned."""
    is_class = labels == np.arange(n_classes)[:, None]
    members = pack(np.ascontiguousarray(is_class & learned))
    statistic = chi_squared(count_common(splits.has, members), members)
    n_cuts = np.bincount(splits.group)
    best = np.zeros(len(n_cuts))
    np.maximum.at(best, splits.group, statistic)
    present = np.unique(labels[learned])
    if len(present) < 2:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(best > chdtri(len(present) - 1, CHANCE / np.maximum(n_cuts, 1)))


def chi_squared(having: Integers, members: Rows) -> Floats:
    """Return Pearson's statistic of each split against the classes; ``having`` are its rows."""
    of_class = count(members)
    share = having.sum(axis=1, keepdims=True) / max(1, of_class.sum())
    expected = share * of_class
    rest = of_class - expected
    off = (having - expected) ** 2
    terms = off / np.where(expected > 0, expected, 1.0) + off / np.where(rest > 0, rest, 1.0)
    return np.asarray(terms.sum(axis=1), dtype=np.float64)


def only(splits: Splits, columns: Integers) -> Splits:
    """Return the splits of some columns."""
    kept = np.flatnonzero(np.isin(splits.group, columns))
    sides = take(splits.sides, np.column_stack([2 * kept, 2 * kept + 1]).ravel())
    group = np.unique(splits.group[kept], return_inverse=True)[1]
    return Splits(splits.has[kept], sides, group.astype(np.int64))


def side_signs(splits: Splits, signs: Signs) -> Signs:
    """Return the signs that weights may have on each side of each split, ``(n_splits, 2)``.

    ``signs`` are those of each literal. A rule has the literals of the side, and its atom those of
    the other, which on rows that were never seen may be no exact opposites: both have a say.
    """
    if not splits.sides.n:
        return np.zeros((0, 2), dtype=np.uint8)
    each = np.bitwise_and.reduceat(signs[splits.sides.constants], splits.sides.starts[:-1])
    own = each.reshape(-1, 2)
    return own & OPPOSITE[own[:, ::-1]]


@kernel
def count_common(first: Rows, second: Rows) -> Integers:
    """Return the number of members that each row of one matrix shares with each row of another."""
    out = np.zeros((first.shape[0], second.shape[0]), dtype=np.int64)
    for a in range(first.shape[0]):
        for k in range(second.shape[0]):
            for w in range(first.shape[1]):
                out[a, k] += popcount(first[a, w] & second[k, w])
    return out
