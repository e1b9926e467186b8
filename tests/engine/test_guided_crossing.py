"""Guided crossing against the same done with sets and plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.engine.guided_crossing import (
    Planes,
    add_to_cells,
    cells_of,
    empty_planes,
    gathered,
    grow,
    sum_cells,
    write_digits,
    write_planes,
)
from atomlearn.sets import rows
from atomlearn.sets.random import stream
from tests.sets.strategies import KERNELS

pytestmark = KERNELS


def digits_of(values, n_planes):
    planes = np.zeros((n_planes, (len(values) + 63) // 64), dtype=np.uint64)
    for i, value in enumerate(values):
        write_digits(i >> 6, np.uint64(1) << np.uint64(i & 63), int(value), planes)
    return planes


def naive_value(planes, i, signed):
    digits = [int(plane[i // 64] >> np.uint64(i % 64)) & 1 for plane in planes]
    value = sum(digit << q for q, digit in enumerate(digits))
    return value - (digits[-1] << len(digits)) if signed else value


def naive_grow(batch, has, offered, slope, curvature, most, ridge, least):
    """The cells as sets, split as long as something is gained."""

    def fit(members):
        g, h = sum(slope[i] for i in members), sum(curvature[i] for i in members)
        return g * g / (h + ridge), h

    def best_split(members):
        found = (0.0, None)
        for a in offered:
            first = members & has[a]
            (one, h1), (two, h2) = fit(first), fit(members - first)
            if min(h1, h2) >= least and one + two - fit(members)[0] > found[0] + 1e-9:
                found = (one + two - fit(members)[0], a)
        return found

    cells = [(batch, best_split(batch))]
    while len(cells) < most:
        members, (gain, a) = max(cells, key=lambda cell: cell[1][0])
        if gain <= 0:
            break
        cells.remove((members, (gain, a)))
        for part in (members & has[a], members - has[a]):
            cells.append((part, best_split(part)))
    return [members for members, _ in cells]


@given(st.lists(st.integers(-70, 70), min_size=1, max_size=150))
def test_digits_add_up_to_the_values(values):
    planes = digits_of(values, 8)
    assert [naive_value(planes, i, True) for i in range(len(values))] == values


@given(st.integers(0, 2**32 - 1))
def test_rounding_is_to_one_of_two_neighbours(seed):
    rng = np.random.default_rng(seed)
    weights = rng.random(40) * rng.choice([1.0, 50.0], 40) + 0.01
    slope, curvature = weights * rng.uniform(-1, 1, 40), weights * rng.random(40) / 4
    planes = empty_planes(weights, 31, 15)
    for i in range(40):
        left = write_planes(i, slope[i], curvature[i], planes, stream(seed))
        first = naive_value(planes.slope, i, True) * planes.slope_unit
        second = naive_value(planes.curvature, i, False) * planes.curvature_unit
        assert abs(first - slope[i]) <= planes.slope_unit
        assert abs(second - curvature[i]) <= planes.curvature_unit
        assert left == (first != 0 or second != 0)


def test_rounding_is_right_in_the_mean():
    planes = empty_planes(np.ones(6400), 31, 15)
    rng = stream(0)
    for i in range(6400):
        write_planes(i, 0.123, 0.2, planes, rng)
    slopes = [naive_value(planes.slope, i, True) * planes.slope_unit for i in range(6400)]
    curvatures = [naive_value(planes.curvature, i, False) for i in range(6400)]
    assert np.mean(slopes) == pytest.approx(0.123, abs=1e-3)
    assert np.mean(curvatures) * planes.curvature_unit == pytest.approx(0.2, abs=1e-3)


@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 6), st.integers(1, 6))
def test_cells_are_those_of_plain_sums(seed, n, n_alternatives, most):
    rng = np.random.default_rng(seed)
    slope, curvature = rng.integers(-40, 41, n), rng.integers(0, 16, n)
    has = rng.random((n_alternatives, n)) < 0.5
    inside = rng.random(n) < 0.8
    offered = np.flatnonzero(rng.random(n_alternatives) < 0.8)
    # Odd units, so that no two splits gain the same: ties could be broken either way.
    unit = 0.5 + seed / 2**33
    planes = Planes(digits_of(slope, 8), digits_of(curvature, 4), unit, 0.25)
    batch = rows.pack(inside[None])[0]
    paths = grow(batch, rows.pack(has), offered, planes, most, 1.0, 0.75)
    expected = naive_grow(
        frozenset(np.flatnonzero(inside).tolist()),
        [frozenset(np.flatnonzero(line).tolist()) for line in has],
        offered.tolist(),
        slope * unit,
        curvature * 0.25,
        most,
        1.0,
        0.75,
    )
    member = rows.unpack(cells_of(paths, rows.pack(has)), n)
    assert (member.sum(axis=0) == 1).all()
    found = [frozenset(np.flatnonzero(line & inside).tolist()) for line in member]

    def explained(parts):
        return sum(
            (unit * sum(slope[i] for i in part)) ** 2
            / (0.25 * sum(curvature[i] for i in part) + 1.0)
            for part in parts
        )

    assert len(found) == len(expected)
    assert explained(found) == pytest.approx(explained(expected))
    for path, line in zip(paths, member, strict=True):
        reached = np.ones(n, dtype=np.bool_)
        for step in path[path >= 0]:
            reached &= has[step // 2] == (step % 2 == 0)
        assert (reached == line).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 150), st.integers(1, 150))
def test_examples_are_gathered(seed, n, n_alternatives):
    rng = np.random.default_rng(seed)
    has = rng.random((n_alternatives, n)) < 0.5
    chosen = np.flatnonzero(rng.random(n) < 0.4)
    found = gathered(rows.pack(has.T), chosen, n_alternatives)
    assert (rows.unpack(found, len(chosen)) == has[:, chosen]).all()


def test_sums_and_amounts_of_cells():
    member = np.array([[True, False, True], [False, True, False]])
    labels, weights = np.array([1, 0, 0]), np.array([1.0, 2.0, 3.0])
    p, sums = np.array([0.5, 0.25, 0.2]), np.zeros((2, 2))
    batch = rows.pack(np.array([[True, True, True]]))[0]
    sum_cells(rows.pack(member), batch, labels, 1, weights, p, sums)
    assert sums[0].tolist() == pytest.approx([0.5 - 3 * 0.2, -2 * 0.25])
    assert sums[1].tolist() == pytest.approx([0.25 + 3 * 0.16, 2 * 0.1875])
    scores = np.zeros((3, 2))
    add_to_cells(rows.pack(member), np.array([2.0, 5.0]), np.array([1, 1]), scores)
    assert scores.tolist() == [[0.0, 2.0], [0.0, 5.0], [0.0, 2.0]]
