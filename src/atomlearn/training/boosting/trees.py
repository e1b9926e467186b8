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

from atomlearn.sets.jit import helper, kernel, unrolled_kernel
from atomlearn.sets.random import Stream, draw
from atomlearn.sets.rows import Lists, Rows, count, pack, take
from atomlearn.sets.words import FULL, ONE, ZERO, flip, lowest, popcount
from atomlearn.typing import Bits, Floats, Integers

NEGATIVE, POSITIVE = 1, 2
ANY_SIGN = NEGATIVE | POSITIVE
"""Signs that the weight of an atom may have, as bits."""
Paths = npt.NDArray[np.int32]
"""The sides that lead to leaves, padded with ``-1``."""
Places = npt.NDArray[np.int16]
"""The leaf that each row is in."""
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


@helper
def quantisation_of(
    gradient: Floats, hessian: Floats, n: int, before: Quantisation
) -> Quantisation:
    """Return the quantisation for gradients and Hessians that have no bounds, of the first rows.

    Gradients become smaller as numbers are predicted better. The step is a part of their root mean
    square; what is then far beyond all others is cut off.
    """
    squares, largest, total, highest = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        squares += gradient[i] * gradient[i]
        largest = max(largest, abs(gradient[i]))
        total += hessian[i]
        highest = max(highest, hessian[i])
    n = max(1, n)
    step, bend = math.sqrt(squares / n) / LEVELS, total / n / LEVELS
    if step <= 0.0 or bend <= 0.0:
        return before
    bits, more = 2, 1
    while bits < MOST_BITS and largest / step + 1.0 >= 1 << (bits - 1):
        bits += 1
    while more < MOST_BITS and highest / bend + 1.0 >= 1 << more:
        more += 1
    return Quantisation(step, bend, 1.0 / step, 1.0 / bend, bits, more)


@helper
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
    if first < -most:
        first = -most
    elif first > most:
        first = most
    return first, second if second < highest else highest


def rows_of(has: Rows, candidates: Integers, chosen: Rows) -> Rows:
    """Return which first sides each chosen example has, as examples × candidate splits."""
    width = (len(candidates) + 63) // 64
    out = np.empty((int(np.bitwise_count(chosen).sum()), width), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    write_rows_of(has, candidates, len(candidates), chosen, out.reshape(-1), block)
    return out


@unrolled_kernel
def write_rows_of(
    has: Rows, candidates: Integers, n_candidates: int, chosen: Rows, out: Rows, block: Rows
) -> None:
    """Write which first sides each chosen example has, one example after the other."""
    n, width = 0, (n_candidates + 63) >> 6
    for w in range(chosen.shape[0]):
        if chosen[w] == ZERO:
            continue
        for g in range(width):
            left = n_candidates - 64 * g
            n_here = left if left < 64 else 64
            for r in range(n_here):
                block[r] = has[candidates[64 * g + r], w]
            for r in range(n_here, 64):
                block[r] = ZERO
            flip(block)
            word, j = chosen[w], n + g
            while word != ZERO:
                out[j] = block[lowest(word)]
                word &= word - ONE
                j += width
        n += popcount(chosen[w]) * width


class Growth(NamedTuple):
    """The arrays that growing a tree writes to."""

    candidates: Integers
    """The splits that are tried."""
    signs: Signs
    """The signs that the weight of a leaf may have on either side of each candidate."""
    rows: Rows
    """The first sides of the candidates that each example of the batch has, one after the other."""
    place: Integers
    """For each example with a gradient, where its row begins."""
    gradient: Integers
    hessian: Integers
    """The levels of each of these examples."""
    order: Integers
    """The examples, those of a node side by side."""
    others: Integers
    start: Integers
    end: Integers
    children: Integers
    """For each node, the first of its two children; the first node is no child."""
    choice: Integers
    allowed: Integers
    side: Integers
    gain: Floats
    gradients: Integers
    hessians: Integers
    """The sums for each node and candidate."""
    total: Integers
    waiting: Integers
    """Nodes with their depths, whose paths are still to be written."""
    digits: Rows
    block: Rows


def growth_for(n_examples: int, n_splits: int, max_leaves: int) -> Growth:
    """Return arrays that are large enough; each is written before it is read."""
    n_nodes, width = 2 * max_leaves, (n_splits + 63) // 64
    gradients, hessians = np.empty((2, n_nodes, 64 * width), dtype=np.int64)
    place, gradient, hessian, order, others = np.empty((5, n_examples), dtype=np.int64)
    start, end, children, choice, allowed, side = np.empty((6, n_nodes), dtype=np.int64)
    total, waiting = np.empty((2, n_nodes, 2), dtype=np.int64)
    digits, block = np.empty((2, 128), dtype=np.uint64)
    candidates, rows = np.empty(n_splits, np.int64), np.empty(n_examples * width, np.uint64)
    signs = np.empty((n_splits, 2), dtype=np.uint8)
    return Growth(
        candidates, signs, rows, place, gradient, hessian, order, others,
        start, end, children, choice, allowed, side, np.empty(n_nodes),
        gradients, hessians, total, waiting, digits, block,
    )  # fmt: skip


@helper
def grow_tree(
    n_examples: int,
    n_candidates: int,
    quantisation: Quantisation,
    max_leaves: int,
    l2_regularization: float,
    min_hessian: float,
    growth: Growth,
) -> int:
    """Split leaves until there are ``max_leaves`` of them or no split gains anything.

    Returns the number of leaves.
    """
    order, start, end, gain = growth.order, growth.start, growth.end, growth.gain
    children, choice, allowed, total = growth.children, growth.choice, growth.allowed, growth.total
    gradients, hessians = growth.gradients, growth.hessians
    for i in range(n_examples):
        order[i] = i
    for node in range(gain.shape[0]):
        children[node] = 0
    start[0], end[0], allowed[0] = 0, n_examples, ANY_SIGN
    root, n, n_leaves = start[0], 1, 1
    sum_gradients(n_candidates, quantisation, growth, root)
    find_split(n_candidates, quantisation, l2_regularization, min_hessian, growth, root)
    while n_leaves < max_leaves:
        parent = root
        for node in range(1, n):
            if gain[node] > gain[parent]:
                parent = node
        if gain[parent] <= 0.0:
            break
        start[n], end[n + 1] = start[parent], end[parent]
        start[n + 1] = end[n] = partition(growth, parent)
        children[parent] = n
        n_leaves += 1
        if n_leaves < max_leaves:  # the last two are not split any more
            # Count the sums of the smaller child; the other has the rest.
            small = n if end[n] - start[n] <= end[n + 1] - start[n + 1] else n + 1
            large = 2 * n + 1 - small
            sum_gradients(n_candidates, quantisation, growth, small)
            for m in range(n_candidates):
                gradients[large, m] = gradients[parent, m] - gradients[small, m]
                hessians[large, m] = hessians[parent, m] - hessians[small, m]
            for s in range(2):
                total[large, s] = total[parent, s] - total[small, s]
            for child in range(n, n + 2):
                allowed[child] = allowed[parent] & growth.signs[choice[parent], child - n]
                find_split(
                    n_candidates, quantisation, l2_regularization, min_hessian, growth, child
                )
        gain[parent] = -2.0  # no longer a leaf
        n += 2
    return n_leaves


@helper
def partition(growth: Growth, node: int) -> int:
    """Partition the examples of a node by its split, and return where the others begin."""
    order, others, a = growth.order, growth.others, growth.choice[node]
    g, shift = a >> 6, np.uint64(a & 63)
    n, n_others = growth.start[node], 0
    for j in range(growth.start[node], growth.end[node]):
        i = order[j]
        if (growth.rows[growth.place[i] + g] >> shift) & ONE:
            order[n] = i
            n += 1
        else:
            others[n_others] = i
            n_others += 1
    for j in range(n_others):
        order[n + j] = others[j]
    return n


@helper
def write_paths(n_leaves: int, growth: Growth, path: Paths, first: int) -> None:
    """Write the sides that lead to each leaf, depth first, to rows from the first on.

    They are the sides ``2 a + s`` of splits ``a``, padded with ``-1``; leaves with a common
    beginning are side by side.
    """
    waiting, children, side = growth.waiting, growth.children, growth.side
    waiting[0, 0] = waiting[0, 1] = 0
    n_waiting, n = 1, 0
    sides = growth.start  # not needed any more
    for k in range(n_leaves):
        for d in range(path.shape[1]):
            path[first + k, d] = -1
    while n_waiting:
        n_waiting -= 1
        node, depth = waiting[n_waiting, 0], waiting[n_waiting, 1]
        if depth:
            sides[depth - 1] = side[node]
        if children[node] == 0:
            for d in range(depth):
                path[first + n, d] = sides[d]
            n += 1
            continue
        for s in range(2):
            child = children[node] + 1 - s  # the first side comes off the stack first
            side[child] = 2 * growth.candidates[growth.choice[node]] + 1 - s
            waiting[n_waiting, 0], waiting[n_waiting, 1] = child, depth + 1
            n_waiting += 1


LEAF_WORDS = 64
"""Number of words of 64 rows for which leaves are found at a time."""


@helper
def write_places(
    path: Paths, first: int, n_leaves: int, has: Rows, reached: Rows, place: Places
) -> None:
    """Write which leaf each row is in, given from the first on the sides that lead to it.

    The beginning that a path shares with the one before it is not computed again. Rows that no path
    leads to have ``-1``.
    """
    for i in range(place.shape[0]):
        place[i] = -1
    for start in range(0, has.shape[1], reached.shape[1]):
        left = has.shape[1] - start
        n_words = left if left < reached.shape[1] else reached.shape[1]
        for w in range(n_words):
            reached[0, w] = FULL
        for k in range(n_leaves):
            shared = True
            depth = 0
            while depth < path.shape[1] and path[first + k, depth] >= 0:
                side = path[first + k, depth]
                shared = shared and k > 0 and path[first + k - 1, depth] == side
                if not shared:
                    a = side >> 1
                    turned = FULL if side & 1 else ZERO
                    for w in range(n_words):
                        reached[depth + 1, w] = reached[depth, w] & (has[a, start + w] ^ turned)
                depth += 1
            for w in range(n_words):
                word = reached[depth, w]
                while word != ZERO:
                    place[(start + w) * 64 + lowest(word)] = k
                    word &= word - ONE


@helper
def sum_gradients(n_candidates: int, quantisation: Quantisation, growth: Growth, node: int) -> None:
    """Add up gradients and Hessians of the examples of a node with the first side of each split.

    This takes 64 examples at a time: the bits of their gradients are written side by side as words,
    and masked by the words that tell which of them have the first side.
    """
    n_gradient = quantisation.gradient_bits
    n_digits = n_gradient + quantisation.hessian_bits
    order, block, total = growth.order, growth.block, growth.total
    width = (n_candidates + 63) >> 6
    for m in range(64 * width):
        growth.gradients[node, m] = growth.hessians[node, m] = 0
    total[node, 0] = total[node, 1] = 0
    for first in range(growth.start[node], growth.end[node], 64):
        left = growth.end[node] - first
        n_here = left if left < 64 else 64
        write_digits(growth, first, n_here, n_gradient, n_digits)
        for r in range(n_here):
            total[node, 0] += growth.gradient[order[first + r]]
            total[node, 1] += growth.hessian[order[first + r]]
        for g in range(width):
            for r in range(n_here):
                block[r] = growth.rows[growth.place[order[first + r]] + g]
            for r in range(n_here, 64):
                block[r] = ZERO
            flip(block)
            gradients = growth.gradients[node, 64 * g : 64 * g + 64]
            hessians = growth.hessians[node, 64 * g : 64 * g + 64]
            add_counts(block, growth.digits, n_gradient, n_digits, gradients, hessians)


@helper
def write_digits(growth: Growth, first: int, n: int, n_gradient: int, n_digits: int) -> None:
    """Write the binary digits of ``n`` examples, lowest first, negative ones in two's complement.

    Each word has one digit of all of them: those of the gradients, then those of the Hessians.
    """
    for q in range(n_digits):
        values, shift = growth.gradient, q
        if q >= n_gradient:
            values, shift = growth.hessian, q - n_gradient
        word = ZERO
        for r in range(n):
            word |= np.uint64((values[growth.order[first + r]] >> shift) & 1) << np.uint64(r)
        growth.digits[q] = word


@helper
def add_counts(
    block: Rows,
    digits: Rows,
    n_gradient: int,
    n_digits: int,
    gradients: Integers,
    hessians: Integers,
) -> None:
    """Add to each sum the values, given by their digits, of the members of a word."""
    for q in range(n_digits):
        word = digits[q]
        if word == ZERO:
            continue
        sums, unit = gradients, np.int64(1) << q
        if q == n_gradient - 1:
            unit = -unit  # the sign of two's complement
        elif q >= n_gradient:
            sums, unit = hessians, np.int64(1) << (q - n_gradient)
        for r in range(sums.shape[0]):
            sums[r] += unit * popcount(block[r] & word)


@helper
def find_split(
    n_candidates: int,
    quantisation: Quantisation,
    l2_regularization: float,
    min_hessian: float,
    growth: Growth,
    node: int,
) -> None:
    """Write the gain of the best split of a leaf, and its index.

    A side whose weight would have a sign that is not ``allowed`` has the weight zero.
    """
    gradients, hessians, signs = growth.gradients, growth.hessians, growth.signs
    allowed = growth.allowed[node]
    gradient = growth.total[node, 0] * quantisation.gradient
    hessian = growth.total[node, 1] * quantisation.hessian
    found, choice = 0.0, -1
    own = gradient if allowed & sign_of(gradient) else 0.0
    whole = own * own / (hessian + l2_regularization)
    for m in range(n_candidates if hessian >= 2 * min_hessian else 0):
        g, h = gradients[node, m] * quantisation.gradient, hessians[node, m] * quantisation.hessian
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
    growth.gain[node], growth.choice[node] = found, choice


@helper
def sign_of(value: float) -> int:
    """Return the sign of a number as a bit."""
    return POSITIVE if value > 0.0 else NEGATIVE


@helper
def sum_leaves(
    place: Places, n_leaves: int, members: Integers, gradient: Floats, hessian: Floats, out: Floats
) -> None:
    """Write the sums of gradients and Hessians of the batch in each leaf, not quantised."""
    for k in range(n_leaves):
        out[0, k] = out[1, k] = 0.0
    for j in range(members.shape[0]):
        k = place[members[j]]
        out[0, k] += gradient[j]
        out[1, k] += hessian[j]


@helper
def sort_by_leaf(place: Places, n_leaves: int, members: Integers, growth: Growth) -> None:
    """Write the rows of the batch in the order of their leaves, and where each leaf begins."""
    rows, start, end = growth.others, growth.start, growth.end
    for k in range(n_leaves + 1):
        start[k] = 0
    for j in range(members.shape[0]):
        start[place[members[j]] + 1] += 1
    for k in range(n_leaves):
        start[k + 1] += start[k]
        end[k] = start[k]
    for j in range(members.shape[0]):
        k = place[members[j]]
        rows[end[k]] = members[j]
        end[k] += 1


@helper
def add_to_leaves(place: Places, amounts: Floats, first: int, scores: Floats, column: int) -> None:
    """Add the amount of each leaf, from the first on, to the scores of its rows in a column."""
    for i in range(scores.shape[1]):
        if place[i] >= 0:
            scores[column, i] += amounts[first + place[i]]


CHANCE = 0.001
"""Probability that a column of noise passes the test, whatever its number of cuts."""


def informative_columns(
    splits: Splits, labels: Integers, learned: Bits, n_classes: int
) -> Integers:
    """Return the columns with a split that is associated with the classes, on the rows learned."""
    members = np.concatenate([pack(((labels == k) & learned)[None]) for k in range(n_classes)])
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


def count_common(first: Rows, second: Rows) -> Integers:
    """Return the number of members that each row of one matrix shares with each row of another."""
    out = np.zeros((len(first), len(second)), dtype=np.int64)
    add_common(first, second, out)
    return out


@kernel
def add_common(first: Rows, second: Rows, out: Integers) -> None:
    """Add the number of members that each row shares with each row of another matrix."""
    for a in range(first.shape[0]):
        for k in range(second.shape[0]):
            for w in range(first.shape[1]):
                out[a, k] += popcount(first[a, w] & second[k, w])
