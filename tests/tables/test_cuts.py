"""Where number columns are cut: at quantiles, and where the classes change."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from atomlearn import AlgebraicClassifier, LiteralEncoder
from atomlearn.tables import numbers
from atomlearn.tables.numbers import Histogram, tree_cuts


@pytest.fixture
def gains():
    """Mostly zero, as capital gain is; the class changes twice among the others."""
    rng = np.random.default_rng(0)
    x = np.where(rng.random(600) < 0.9, 0.0, rng.integers(1, 1000, 600).astype(float))
    y = ((x > 300) & (x <= 700)).astype(int)
    return x[:, None], y


def cuts_of(encoder):
    return encoder.columns_[0].cuts


def test_cuts_lie_where_the_classes_change(gains):
    X, y = gains
    x = X[:, 0]
    changes = [(x[x <= edge].max(), x[x > edge].min()) for edge in (300, 700)]

    def found(cuts):
        return [any(low <= cut < high for cut in cuts) for low, high in changes]

    assert not any(found(cuts_of(LiteralEncoder().fit(X))))
    aware = cuts_of(LiteralEncoder().fit(X, y))
    assert all(found(aware))
    assert list(aware) == sorted(set(aware))


def test_the_classifier_tells_them_apart(gains):
    X, y = gains
    assert AlgebraicClassifier(random_state=0, max_epochs=5).fit(X, y).score(X, y) == 1


class Impurity:
    """Gini impurity of the two sides of each cut of a column, and the least of them."""

    def __init__(self, x: list[int], y: list[int]) -> None:
        self.rows = list(zip(x, y, strict=True))

    def sides(self, cut: float) -> tuple[list[int], list[int]]:
        return [b for a, b in self.rows if a <= cut], [b for a, b in self.rows if a > cut]

    def of(self, labels: list[int]) -> float:
        return len(labels) - sum(labels.count(k) ** 2 for k in set(labels)) / len(labels)

    def __call__(self, cut: float) -> float:
        return sum(map(self.of, self.sides(cut)))


@given(st.data())
def test_the_first_cut_is_the_best_one(data):
    n = data.draw(st.integers(10, 60))
    x = data.draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    impurity, values = Impurity(x, y), sorted(set(x))
    halfway = [(a + b) / 2 for a, b in pairwise(values)]
    enough = numbers.SMALLEST_LEAF
    allowed = [cut for cut in halfway if min(map(len, impurity.sides(cut))) >= enough]
    uncut = impurity.of(y)

    column = Histogram.of(np.array(x, dtype=float), np.ones(n))
    cuts = column.cuts(tree_cuts(column, np.array(y), most=1))
    found = impurity(*cuts) if len(cuts) else uncut
    assert found == pytest.approx(min(map(impurity, allowed), default=uncut))
    assert allowed or not len(cuts)


@given(st.randoms(use_true_random=False), st.integers(2, 4))
def test_order_and_repetitions_do_not_matter(random, n_classes):
    rng = np.random.default_rng(random.randrange(1 << 30))
    x = np.round(rng.normal(size=(80, 1)), 1)
    y = rng.integers(n_classes, size=80)
    weights = rng.integers(0, 4, 80)
    weights[:5] = 1
    order = rng.permutation(80)
    weighted = LiteralEncoder(max_cuts=8).fit(x[order], y[order], sample_weight=weights[order])
    repeated = LiteralEncoder(max_cuts=8).fit(np.repeat(x, weights, 0), np.repeat(y, weights))
    assert weighted.literals_ == repeated.literals_


def test_no_side_of_a_cut_has_fewer_than_five_rows():
    x = np.arange(40.0)
    y = np.zeros(40, dtype=int)
    y[7] = 1  # a tree that may would cut this row out
    found = tree_cuts(Histogram.of(x, np.ones(40)), y, most=15)
    assert len(found) and np.diff([-1, *found, 39]).min() >= 5


def test_many_values_are_put_together():
    x = np.random.default_rng(0).random(50_000)
    (rough,) = tree_cuts(Histogram.of(x, np.ones(50_000)), (x > 0.25).astype(int), most=1)
    assert abs(rough - (x <= 0.25).sum() + 1) <= 50_000 / numbers.MOST_BINS


def test_values_that_single_precision_does_not_tell_apart():
    x = np.repeat([1.0, 1.0 + 1e-12], 10)
    assert tree_cuts(Histogram.of(x, np.ones(20)), np.repeat([0, 1], 10), most=3).tolist() == [0]


def test_max_cuts_bounds_both_kinds_together(gains):
    X, y = gains
    for most in (1, 2, 5):
        assert len(cuts_of(LiteralEncoder(max_cuts=most).fit(X, y))) <= most
    classifier = AlgebraicClassifier(max_cuts=4, random_state=0, max_epochs=2).fit(X, y)
    assert len(cuts_of(classifier.encoder_)) <= 4


def test_all_columns_together_stay_within_the_budget():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 102)), rng.integers(2, size=200)
    assert all(15 < len(c.cuts) <= 20 for c in LiteralEncoder().fit(X, y).columns_)
    wide = np.hstack([X] * 2)  # 10 cuts a column: no room for those of a tree
    assert [c.cuts for c in LiteralEncoder().fit(wide, y).columns_] == [
        c.cuts for c in LiteralEncoder().fit(wide).columns_
    ]


@pytest.mark.parametrize("y", [np.linspace(0, 1, 600), np.ones((600, 2))])
def test_targets_that_are_no_classes_are_left_aside(gains, y):
    X, _ = gains
    assert cuts_of(LiteralEncoder().fit(X, y)) == cuts_of(LiteralEncoder().fit(X))


def test_labels_of_another_length_are_refused(gains):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LiteralEncoder().fit(gains[0], gains[1][:-1])


@pytest.mark.parametrize("seed", range(20))
def test_cuts_are_those_of_a_decision_tree(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(20, 2000)), int(rng.integers(2, 8))
    column = np.round(rng.normal(size=n), int(rng.integers(1, 6)))
    borders = np.sort(rng.normal(size=n_classes - 1))
    classes = np.digitize(column + 0.3 * rng.normal(size=n), borders).astype(np.int64)
    histogram = Histogram.of(column, np.ones(n))
    most = int(rng.integers(1, 16))
    tree = DecisionTreeClassifier(max_leaf_nodes=most + 1, min_samples_leaf=5, random_state=0)
    tree.fit(histogram.where[:, None], classes)
    expected = np.unique(np.floor(tree.tree_.threshold[tree.tree_.feature >= 0]))
    assert tree_cuts(histogram, classes, most).tolist() == expected.tolist()


def test_few_labels_make_no_cuts():
    """Of labels by chance a tree would find cuts that make them look predictable."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 1)), rng.integers(2, size=2000)
    few = cuts_of(LiteralEncoder().fit(X[:90], y[:90]))
    assert few == cuts_of(LiteralEncoder(max_cuts=30).fit(X[:90]))
    assert set(cuts_of(LiteralEncoder().fit(X))) < set(cuts_of(LiteralEncoder().fit(X, y)))


def test_very_many_cuts_take_no_time():
    """So many quantiles that listing them would take minutes."""
    x = np.repeat(np.arange(20.0), 3)[:, None]
    found = LiteralEncoder(max_cuts=10**9).fit(x, np.arange(60) % 2)
    assert cuts_of(found) == tuple(np.arange(19.0))
