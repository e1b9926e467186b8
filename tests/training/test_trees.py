"""Trees on packed literals against trees of plain sets and sums."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from atomlearn.sets import rows
from atomlearn.sets.random import stream
from atomlearn.training.boosting.trees import (
    Quantisation,
    add_to_leaves,
    grow_tree,
    growth_for,
    quantisation_for,
    quantised,
    rows_of,
    sum_gradients,
    sum_leaves,
    write_digits,
    write_paths,
    write_places,
)
from tests.sets.strategies import KERNELS

pytestmark = KERNELS


def naive_grow(
    examples, has, offered, gradient, hessian, signs, max_leaves, l2_regularization, min_hessian,
    least=1e-9,
):  # fmt: skip
    """The leaves as sets with the signs they may have; the split that gains most comes first."""

    def fit(members, allowed):
        g, h = sum(gradient[i] for i in members), sum(hessian[i] for i in members)
        g = g if (1 if g > 0 else -1) in allowed else 0.0
        return g * g / (h + l2_regularization), h

    def best_split(members, allowed):
        found = (0.0, None)
        for a in offered:
            first = members & has[a]
            one, h1 = fit(first, allowed & signs[a][0])
            two, h2 = fit(members - first, allowed & signs[a][1])
            whole = fit(members, allowed)[0]
            if min(h1, h2) >= min_hessian and one + two - whole > found[0] + least:
                found = (one + two - whole, a)
        return found

    leaves = [(examples, {-1, 1}, best_split(examples, {-1, 1}))]
    while len(leaves) < max_leaves:
        parent = max(leaves, key=lambda leaf: leaf[2][0])
        members, allowed, (gain, a) = parent
        if gain <= 0:
            break
        leaves.remove(parent)
        for part, sign in zip((members & has[a], members - has[a]), signs[a], strict=True):
            leaves.append((part, allowed & sign, best_split(part, allowed & sign)))
    return [(members, fit(members, allowed)[0]) for members, allowed, _ in leaves]


@given(st.lists(st.integers(-70, 70), min_size=1, max_size=64))
def test_binary_digits_add_up_to_the_values(values):
    growth = growth_of(np.array(values), np.array(values) + 70)
    growth.order[:] = np.arange(len(values))[::-1]
    write_digits(growth, 0, len(values), 8, 16)
    for place, value in enumerate(reversed(values)):
        bits = [int(word >> np.uint64(place)) & 1 for word in growth.digits[:16]]
        assert sum(bit << q for q, bit in enumerate(bits[:8])) - (bits[7] << 8) == value
        assert sum(bit << q for q, bit in enumerate(bits[8:])) == value + 70


@given(st.integers(0, 2**32 - 1))
def test_rounding_is_to_one_of_two_neighbours(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random(40) * rng.choice([1.0, 50.0], 40) + 0.01
    gradient, hessian = weights * rng.uniform(-1, 1, 40), weights * rng.random(40) / 4
    quantisation = quantisation_for(weights, 7, 3)
    for i in range(40):
        first, second = quantised(gradient[i], hessian[i], quantisation, stream(seed))
        assert abs(first * quantisation.gradient - gradient[i]) <= quantisation.gradient
        assert abs(second * quantisation.hessian - hessian[i]) <= quantisation.hessian
        assert abs(first) < 1 << quantisation.gradient_bits - 1
        assert 0 <= second < 1 << quantisation.hessian_bits


def test_rounding_is_right_in_the_mean():
    quantisation, rng = quantisation_for(np.ones(5), 7, 3), stream(0)
    found = np.array([quantised(0.123, 0.2, quantisation, rng) for _ in range(20_000)])
    gradient, hessian = found.mean(axis=0)
    assert gradient * quantisation.gradient == pytest.approx(0.123, abs=2e-3)
    assert hessian * quantisation.hessian == pytest.approx(0.2, abs=2e-3)


def growth_of(gradient, hessian, n_candidates=0, max_leaves=2):
    """Arrays to grow a tree with, for examples with these levels."""
    growth = growth_for(len(gradient), n_candidates, max_leaves)
    growth.gradient[:], growth.hessian[:] = gradient, hessian
    return growth


def places_of(paths, has, n):
    """The leaf that each of ``n`` rows is in."""
    place = np.empty(64 * has.shape[1], dtype=np.int16)
    reached = np.empty((paths.shape[1] + 1, 1), dtype=np.uint64)
    write_places(paths, 0, len(paths), has, reached, place)
    return place[:n]


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(1, 150))
def test_gradients_are_summed_over_the_examples_of_a_leaf(seed, n, n_splits):
    rng = np.random.default_rng(seed)
    gradient, hessian = rng.integers(-40, 41, n), rng.integers(0, 16, n)
    has, inside = rng.random((n, n_splits)) < 0.5, rng.permutation(n)[: n // 2]
    place = rng.permutation(n)
    growth = growth_of(gradient, hessian, n_splits)
    packed = rows.pack(has)
    growth.rows[:] = packed.ravel()
    growth.order[: n // 2], growth.place[:] = inside, place * packed.shape[1]
    growth.start[1], growth.end[1] = 0, n // 2
    sum_gradients(n_splits, Quantisation(1.0, 1.0, 1.0, 1.0, 7, 4), growth, 1)
    having = has[place[inside]]
    assert (growth.gradients[1, :n_splits] == gradient[inside] @ having).all()
    assert (growth.hessians[1, :n_splits] == hessian[inside] @ having).all()
    assert growth.total[1].tolist() == [gradient[inside].sum(), hessian[inside].sum()]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 90),
    st.integers(1, 6),
    st.integers(1, 6),
    st.booleans(),
)
@example(12752949, 28, 4, 3, True)
def test_leaves_are_those_of_a_naive_tree(seed, n, n_splits, max_leaves, is_free):
    rng = np.random.default_rng(seed)
    gradient, hessian = rng.integers(-40, 41, n), rng.integers(0, 16, n)
    has = rng.random((n_splits, n)) < 0.5
    inside = rng.random(n) < 0.8
    offered = np.flatnonzero(rng.random(n_splits) < 0.8)
    # Odd units, so that no two splits gain the same: ties could be broken either way.
    unit = 0.5 + seed / 2**33
    quantisation = Quantisation(unit, 0.25, 1 / unit, 4.0, 7, 4)
    of_batch = rows_of(rows.pack(has), offered, rows.pack(inside[None])[0])
    signs = rng.integers(3 if is_free else 0, 4, (n_splits, 2)).astype(np.uint8)
    growth = growth_of(gradient[inside], hessian[inside], len(offered), max_leaves)
    growth.candidates[:], growth.rows[:] = offered, of_batch.ravel()
    growth.signs[:] = signs[offered]
    growth.place[:] = np.arange(inside.sum()) * of_batch.shape[1]
    n_leaves = grow_tree(inside.sum(), len(offered), quantisation, max_leaves, 1.0, 0.75, growth)
    paths = np.empty((n_leaves, max_leaves), dtype=np.int32)
    write_paths(n_leaves, growth, paths, 0)
    told = (
        frozenset(np.flatnonzero(inside).tolist()),
        [frozenset(np.flatnonzero(line).tolist()) for line in has],
        offered.tolist(),
        gradient * unit,
        hessian * 0.25,
        [[{0: set(), 1: {-1}, 2: {1}, 3: {-1, 1}}[int(one)] for one in both] for both in signs],
        max_leaves,
        1.0,
        0.75,
    )
    expected = naive_grow(*told)
    # Where signs leave both sides without a weight, a gain of nothing may be rounded to more.
    assume(len(expected) == len(naive_grow(*told, least=0.0)))
    place = places_of(paths, rows.pack(has), n)
    assert (place >= 0).all()
    member = place == np.arange(len(paths))[:, None]
    found = [frozenset(np.flatnonzero(line & inside).tolist()) for line in member]

    def explained(part, path):
        g = unit * sum(gradient[i] for i in part)
        allowed = 3
        for step in path[path >= 0].tolist():
            allowed &= int(signs[step // 2, step % 2])
        g = g if allowed & (2 if g > 0 else 1) else 0.0
        return g**2 / (0.25 * sum(hessian[i] for i in part) + 1.0)

    assert len(found) == len(expected)
    assert sum(map(explained, found, paths)) == pytest.approx(sum(one for _, one in expected))
    for path, line in zip(paths, member, strict=True):
        reached = np.ones(n, dtype=np.bool_)
        for step in path[path >= 0]:
            reached &= has[step // 2] == (step % 2 == 0)
        assert (reached == line).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 150), st.integers(1, 150))
def test_rows_of_some_examples_and_splits(seed, n, n_splits):
    rng = np.random.default_rng(seed)
    has = rng.random((n_splits, n)) < 0.5
    offered = rng.permutation(n_splits)[: n_splits // 2]
    chosen = rng.random(n) < 0.4
    found = rows_of(rows.pack(has), offered, rows.pack(chosen[None])[0])
    assert (rows.unpack(found, len(offered)) == has[offered][:, chosen].T).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 100), st.integers(1, 9))
def test_rows_reach_the_leaf_at_the_end_of_their_path(seed, n, n_paths):
    rng = np.random.default_rng(seed)
    has = rng.random((4, n)) < 0.5
    paths = rng.integers(0, 3, (n_paths, 5))
    paths[np.arange(5) >= rng.integers(0, 6, (n_paths, 1))] = -1
    expected = np.full(n, -1)
    for k, path in enumerate(paths):  # random paths may meet; those of a tree do not
        reached = np.ones(n, dtype=np.bool_)
        for step in path[path >= 0]:
            reached &= has[step // 2] == (step % 2 == 0)
        expected[reached] = k
    assert (places_of(paths, rows.pack(has), n) == expected).all()


def test_gradients_are_summed_and_values_added_by_leaf():
    place = np.array([0, 1, -1, 0], dtype=np.int16)
    gradient, hessian = np.array([0.5, -0.25, -0.2]), np.array([0.25, 0.1875, 0.16])
    members, sums = np.array([0, 1, 3]), np.zeros((2, 2))
    sum_leaves(place, 2, members, gradient, hessian, sums)
    assert sums[0].tolist() == pytest.approx([0.5 - 0.2, -0.25])
    assert sums[1].tolist() == pytest.approx([0.25 + 0.16, 0.1875])
    scores = np.zeros((2, 4))
    add_to_leaves(place, np.array([7.0, 2.0, 5.0]), 1, scores, 1)
    assert scores.tolist() == [[0.0, 0.0, 0.0, 0.0], [2.0, 5.0, 0.0, 2.0]]
