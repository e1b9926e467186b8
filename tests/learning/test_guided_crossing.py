"""Guided crossing against the same done with sets and plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.bits import rows
from atomlearn.learning.guided_crossing import (
    Cells,
    Planes,
    add_to_cells,
    bit_planes,
    grow,
    sum_cells,
    to_planes,
)
from bits.strategies import KERNELS, some

pytestmark = KERNELS


def naive_value(planes, i, signed):
    digits = [int(plane[i // 64] >> np.uint64(i % 64)) & 1 for plane in planes]
    value = sum(digit << q for q, digit in enumerate(digits))
    return value - (digits[-1] << len(digits)) if signed and digits else value


def naive_grow(batch, has, offered, slope, curvature, most, ridge, least):
    """Cells as (path, members), split as long as something is gained."""

    def fit(members):
        g = sum(slope[i] for i in members)
        h = sum(curvature[i] for i in members)
        return g * g / (h + ridge), h

    def best_split(members):
        found = (0.0, None)
        for a in offered:
            first = members & has[a]
            (one, h1), (two, h2) = fit(first), fit(members - first)
            if min(h1, h2) >= least and one + two - fit(members)[0] > found[0] + 1e-9:
                found = (one + two - fit(members)[0], a)
        return found

    cells = [((), batch, best_split(batch))]
    while len(cells) < most:
        parent = max(cells, key=lambda cell: cell[2][0])
        path, members, (gain, a) = parent
        if gain <= 0:
            break
        cells.remove(parent)
        for side, part in enumerate((members & has[a], members - has[a])):
            cells.append(((*path, 2 * a + side), part, best_split(part)))
    return {path: members for path, members, _ in cells}


@given(st.lists(st.integers(-70, 70), min_size=1, max_size=150), st.booleans())
@some(150)
def test_planes_add_up_to_the_values(values, signed):
    values = np.array(values if signed else np.abs(values))
    planes = bit_planes(values, signed)
    assert [naive_value(planes, i, signed) for i in range(len(values))] == values.tolist()


@given(st.integers(0, 2**32 - 1))
@some(150)
def test_rounding_is_between_two_neighbours(seed):
    rng = np.random.default_rng(seed)
    slope, curvature = rng.normal(size=40), rng.random(40)
    planes = to_planes(slope, curvature, rng.integers(1 << 16, size=(40, 2)), 0.25, 0.125)
    for i in range(40):
        assert abs(naive_value(planes.slope, i, True) * 0.25 - slope[i]) <= 0.25
        assert abs(naive_value(planes.curvature, i, False) * 0.125 - curvature[i]) <= 0.125


@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 6), st.integers(1, 6))
@some(150)
def test_cells_are_those_of_plain_sums(seed, n, n_alternatives, most):
    rng = np.random.default_rng(seed)
    slope, curvature = rng.integers(-40, 41, n), rng.integers(0, 16, n)
    has = rng.random((n_alternatives, n)) < 0.5
    inside = rng.random(n) < 0.8
    offered = np.flatnonzero(rng.random(n_alternatives) < 0.8)
    # No two alternatives gain the same: ties could be broken either way.
    planes = Planes(bit_planes(slope, True), bit_planes(curvature, False), 0.5 + seed / 2**33, 0.25)
    cells = grow(rows.pack(inside[None])[0], rows.pack(has), offered, planes, most, 1.0, 0.75)
    expected = naive_grow(
        set(np.flatnonzero(inside).tolist()),
        [set(np.flatnonzero(line).tolist()) for line in has],
        offered.tolist(),
        slope * planes.slope_unit,
        curvature * planes.curvature_unit,
        most,
        1.0,
        0.75,
    )
    assert len(cells.path) == len(expected)
    found = total_fit(cells, inside, slope * planes.slope_unit, curvature * 0.25)
    wanted = sum(
        (sum(slope[i] for i in part) * planes.slope_unit) ** 2
        / (sum(curvature[i] for i in part) * 0.25 + 1.0)
        for part in expected.values()
    )
    assert found == pytest.approx(wanted)


def total_fit(cells: Cells, inside, slope, curvature):
    """What the cells explain together; every row is in exactly one of them."""
    member = rows.unpack(cells.rows, len(inside))
    assert (member.sum(axis=0) == 1).all()
    sums = np.zeros((2, len(cells.path)))
    batch = rows.pack(inside[None])[0]
    sum_cells(cells.rows, batch, slope, sums[0])
    sum_cells(cells.rows, batch, curvature.astype(float), sums[1])
    assert np.allclose(sums[0], [(slope * inside)[line].sum() for line in member])
    return float((sums[0] ** 2 / (sums[1] + 1.0)).sum())


def test_amounts_reach_the_rows_of_their_cell():
    member = np.array([[True, False, True], [False, True, False]])
    values = np.zeros(3)
    add_to_cells(rows.pack(member), np.array([2.0, 5.0]), values)
    assert values.tolist() == [2.0, 5.0, 2.0]
