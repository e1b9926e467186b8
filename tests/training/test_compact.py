"""Cards: what they say of rows, how their rules are chosen, and how honestly they are measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.engine.misses import blocks_of
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import lists_of
from atomlearn.tables.literals import Literal, find_splits
from atomlearn.training.compact.card import Card, fit_scale, whole_points
from atomlearn.training.compact.lesson import exchanged
from atomlearn.training.compact.rules import FEWEST_ROWS, Choice, Sides
from atomlearn.training.compact.search import CURVATURE, EXTENDED, Search
from atomlearn.training.compact.sizes import Size, fewest
from atomlearn.training.scores import softmax

N_LITERALS = 9


@st.composite
def cards(draw):
    """A random card over a few literals."""
    condition = st.lists(st.integers(0, N_LITERALS - 1), min_size=1, max_size=2, unique=True)
    rule = st.lists(condition.map(tuple), min_size=1, max_size=3).map(tuple)
    rules = draw(st.lists(rule, max_size=5).map(tuple))
    n_classes = draw(st.integers(2, 4))
    points = draw(
        st.lists(
            st.lists(st.integers(-5, 5), min_size=n_classes, max_size=n_classes),
            min_size=len(rules),
            max_size=len(rules),
        )
    )
    offsets = draw(st.lists(st.floats(-5, 5), min_size=n_classes, max_size=n_classes))
    return Card(
        rules,
        np.array(points, dtype=np.int64).reshape(len(rules), n_classes),
        draw(st.floats(0.01, 3)),
        np.array(offsets),
        lists_of([[0]] * len(rules)),
    )


@given(cards(), st.lists(st.sets(st.integers(0, N_LITERALS - 1)), min_size=1, max_size=80))
def test_a_card_scores_as_it_is_read(card, rows):
    """The slow twin adds up the points rule by rule, in plain sets."""
    blocks = blocks_of(packed.from_indices([sorted(row) for row in rows], N_LITERALS), N_LITERALS)
    found = card.scores(blocks, len(rows))
    for row, scores in zip(rows, found, strict=True):
        total = card.offsets.copy()
        for rule, points in zip(card.rules, card.points, strict=True):
            if all(any(literal in row for literal in condition) for condition in rule):
                total += points
        np.testing.assert_allclose(scores, card.scale * total, rtol=1e-12, atol=1e-9)


def search_of(bits, targets, longer=()):
    """A search among the columns of a table of yes and no, and longer rules of their sides."""
    n, n_columns = bits.shape
    literals = [Literal(i, f"x{i}", sign, 1) for i in range(n_columns) for sign in ("=", "!=")]
    rows = packed.pack(np.stack([bits, ~bits], axis=2).reshape(n, 2 * n_columns))
    sides = Sides(find_splits(literals, rows), rows, len(literals))
    rules = [*((2 * i,) for i in range(n_columns)), *longer]
    met = np.array([packed.unpack(sides.bits[list(rule)], n).all(axis=0) for rule in rules])
    return Search(Choice(rules, met, []), sides, targets, np.ones(n))


@given(st.integers(0, 1000), st.integers(2, 4))
def test_the_best_rule_is_the_one_of_the_largest_gain(seed, n_classes):
    """The slow twin goes through all candidates, and through the best with every side added."""
    rng = np.random.default_rng(seed)
    targets = rng.dirichlet(np.ones(n_classes), 40)
    search = search_of(rng.random((40, 6)) < 0.4, targets, [(0, 2), (3, 4), (1, 5, 8)])
    p = rng.dirichlet(np.ones(n_classes), 40)

    def rows_of(rule):
        return packed.unpack(search.sides.bits[list(rule)], 40).all(axis=0)

    def gain(rule):
        rows, found = rows_of(rule), 0.0
        for k in range(n_classes if n_classes > 2 else 1):
            residual, bend = p[:, k] - targets[:, k], p[:, k] * (1 - p[:, k])
            g, h, rest = residual[rows].sum(), bend[rows].sum(), bend[~rows].sum()
            found += g**2 / (h + CURVATURE) + g**2 / (rest + CURVATURE)
        return found / len(rule) ** 0.5

    def is_longer(rule, side):
        enough = rows_of((*rule, side)).sum()
        return side not in rule and FEWEST_ROWS <= enough < rows_of(rule).sum()

    candidates = sorted(search.candidates, key=gain, reverse=True)
    longer = [
        (*rule, side)
        for rule in candidates[:EXTENDED]
        for side in range(12)
        if is_longer(rule, side)
    ]
    rule, rows = search._best(np.ascontiguousarray(p.T))
    assert (rows == rows_of(rule)).all()
    assert gain(rule) >= max(map(gain, [*candidates, *longer])) * (1 - 1e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_weights_are_fitted_to_the_minimum(n_classes):
    rng = np.random.default_rng(0)
    bits = rng.random((300, 6)) < 0.5
    search = search_of(bits, softmax(bits @ rng.normal(size=(6, n_classes))))
    while len(search.chosen) < 8 and search.add():
        pass
    beta = search._fitted(search.design, search.beta, 200, search.chosen)
    best = search._loss(search.design, beta)
    for _ in range(20):
        other = beta + 0.01 * rng.normal(size=beta.shape)
        assert search._loss(search.design, other) >= best - 1e-6


def test_the_scale_is_fitted_to_the_minimum():
    rng = np.random.default_rng(1)
    sums = rng.integers(-8, 9, size=(200, 3)).astype(float)
    targets = softmax(0.4 * sums + [0.5, 0.0, -0.5])
    scale, offsets, _ = fit_scale(sums, targets, np.ones(200))
    assert scale == pytest.approx(0.4, abs=0.01)
    assert offsets - offsets[1] == pytest.approx([0.5, 0.0, -0.5], abs=0.02)


@given(st.integers(0, 1000), st.integers(1, 8), st.integers(2, 5))
def test_points_are_whole_and_bounded(seed, max_points, n_classes):
    weights = np.random.default_rng(seed).normal(size=(6, n_classes))
    points = whole_points(weights, max_points)
    assert points.dtype.kind == "i" and np.abs(points).max() == max_points
    if n_classes == 2:
        assert not points[:, 0].any()


def sides_of(table):
    """The sides of one column of numbers that may be missing, and of a column of categories."""
    literals = [
        Literal(0, "x", ">", 1.0),
        Literal(0, "x", "<=", 1.0),
        Literal(0, "x", ">", 2.0),
        Literal(0, "x", "<=", 2.0),
        Literal(0, "x", "missing", None),
        Literal(0, "x", "present", None),
        *(Literal(1, "c", sign, value) for sign in ("=", "!=") for value in "abd"),
    ]

    def true(literal, x, c):
        if literal.column == 1:
            return (c == literal.value) == (literal.operator == "=")
        if literal.operator in ("missing", "present"):
            return (x is None) == (literal.operator == "missing")
        return x is not None and (x > literal.value) == (literal.operator == ">")

    bits = np.array([[true(one, *row) for one in literals] for row in table])
    rows = packed.pack(bits)
    return literals, bits, Sides(find_splits(literals, rows), rows, len(literals))


TABLE = [(x, c) for x in (0, 1.5, 3, None) for c in "abd"]


@given(st.sets(st.integers(0, 11), min_size=1, max_size=4))
def test_a_row_meets_the_rule_of_an_atom_if_it_misses_the_atom(atom):
    _, bits, sides = sides_of(TABLE)
    rule = sides.rule(sorted(atom))
    misses = ~bits[:, sorted(atom)].any(axis=1)
    if rule is None:
        return
    met = [
        all(any(bits[i, c] for c in condition) for condition in sides.conditions(rule))
        for i in range(len(TABLE))
    ]
    assert met == misses.tolist()
    if rule:
        again = sides.atom(sides.conditions(rule))
        assert (~bits[:, again].any(axis=1)).tolist() == met


def test_what_is_neither_of_two_categories_is_the_third():
    literals, _, sides = sides_of(TABLE)
    atom = [i for i, one in enumerate(literals) if one.operator == "=" and one.value in "ab"]
    conditions = sides.conditions(sides.rule(atom))
    assert [[str(literals[i]) for i in one] for one in conditions] == [["c = d"]]


def test_rows_are_made_of_the_columns_of_one_class():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, size=(60, 3))
    labels = rng.integers(0, 2, size=60)
    values[:, 0] += 4 * labels  # the first column tells the class
    columns = np.repeat(np.arange(3), 8)
    bits = (values[:, :, None] == np.arange(8)).reshape(60, 24)
    made = exchanged(packed.pack(bits), labels, np.ones(60), columns, seed=3)
    found = packed.unpack(made, 24).reshape(len(made), 3, 8)
    assert (found.sum(axis=2) == 1).all()  # every column has one value
    shares = (found[:, 0, 4:].sum(axis=1) == 1).mean(), labels.mean()
    assert abs(shares[0] - shares[1]) < 0.02
    again = exchanged(packed.pack(bits), labels, np.ones(60), columns, seed=3)
    other = exchanged(packed.pack(bits), labels, np.ones(60), columns, seed=4)
    assert (made == again).all() and (made != other).any()


def test_the_rows_made_stay_the_same_for_ever():
    """Saved models make them again when they are loaded."""
    rows = packed.from_indices([[0, 2], [1, 3], [0, 3]], 4)
    labels, columns = np.array([0, 0, 1]), np.array([0, 0, 1, 1])
    made = exchanged(rows, labels, np.array([1.0, 2.0, 1.0]), columns, seed=7)
    assert np.bincount(made[:, 0].astype(int)).tolist() == MADE


MADE = [0, 0, 0, 0, 0, 206, 47, 0, 0, 298, 449]


def test_auto_takes_the_fewest_within_one_standard_error():
    sizes = [Size(n, 0.1, 0.01, loss, 0.02) for n, loss in ((1, 0.4), (5, 0.315), (20, 0.3))]
    full = Size(900, 0.1, 0.01, 0.2, 0.02, is_full=True)
    assert fewest((1, 5, 20), [*sizes, full]) == 5
    assert fewest((1, 5, 20), []) == 20
