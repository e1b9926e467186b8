"""Figures on rows with labels: confusion, calibration, costs, thresholds, two models at once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import confusion_matrix, log_loss
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from atomlearn import AlgebraicClassifier
from atomlearn.classifier.costs import (
    cost_matrix,
    cost_report,
    decide,
    read_class_weights,
    read_costs,
    threshold_of,
)
from atomlearn.classifier.evaluation import reliability_of
from atomlearn.errors import InvalidParameter, InvalidTable
from tests.sound_html import Checker

TWO = np.array(["bad", "good"])


@pytest.fixture(scope="module")
def credit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["debt", "income", "age"])
    y = np.where(X["debt"] - X["income"] + rng.normal(size=400) > 0, "bad", "good")
    return X, y


@pytest.fixture(scope="module")
def two(credit):
    X, y = credit
    return AlgebraicClassifier(random_state=0, max_epochs=5).fit(X[:200], y[:200])


def test_figures_are_those_of_scikit_learn(two, credit, fitted, iris):
    for clf, (X, y) in ((two, credit), (fitted, iris)):
        found = clf.evaluate(X, y)
        assert found.error == pytest.approx(1 - clf.score(X, y))
        chances = clf.predict_proba(X)
        assert found.log_loss == pytest.approx(log_loss(y, chances, labels=clf.classes_), rel=1e-6)
        assert found.confusion.tolist() == confusion_matrix(y, clf.predict(X)).tolist()
        assert sum(one.n for one in found.reliability) == found.n_rows == len(y)
        assert 0 <= found.calibration_error <= 1
        Checker(found.to_html())
        assert found.to_dict()["rows"] == len(y) and "calibration error" in str(found)


def test_reliability_of_perfect_probabilities():
    rng = np.random.default_rng(0)
    chances = rng.random(20_000)
    bins = reliability_of(chances, rng.random(20_000) < chances)
    assert len(bins) == 10 and all(abs(one.predicted - one.observed) < 0.05 for one in bins)
    assert all(one.low <= one.predicted <= one.high for one in bins)
    assert reliability_of(np.array([1.0]), np.array([True]))[0].high == 1.0


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("pos_label", [None, "bad", "good"])
def test_a_threshold_means_what_it_means_in_scikit_learn(two, credit, threshold, pos_label):
    X, y = credit
    fixed = FixedThresholdClassifier(
        FrozenEstimator(two), threshold=threshold, pos_label=pos_label
    ).fit(X, y)
    which = decide(two.predict_proba(X), two.classes_, threshold, pos_label)
    assert two.classes_[which].tolist() == fixed.predict(X).tolist()
    found = two.evaluate(X, y, threshold=threshold, pos_label=pos_label)
    assert found.error == pytest.approx((fixed.predict(X) != y).mean())


def test_scikit_learn_tunes_our_threshold(credit):
    X, y = credit
    clf = AlgebraicClassifier(random_state=0, max_epochs=2)
    tuned = TunedThresholdClassifierCV(clf, cv=2).fit(X, y)
    assert 0 < tuned.best_threshold_ < 1 and set(tuned.predict(X)) <= {"bad", "good"}


def test_a_threshold_obeys_rules(credit):
    X, y = credit
    clf = AlgebraicClassifier(random_state=0, max_epochs=2, rules=["bad if debt > 2"]).fit(X, y)
    chances = clf.predict_proba(X)
    ruled = (X["debt"] > 2).to_numpy()
    for threshold in (1e-9, 1.0):
        said = clf.classes_[decide(chances, clf.classes_, threshold, "good")]
        assert ruled.any() and (said[ruled] == "bad").all()


def test_costs_in_all_forms():
    wanted = [[0.0, 5.0], [1.0, 0.0]]
    frame = pd.DataFrame([[0, 1], [5, 0]], index=["good", "bad"], columns=["good", "bad"])
    for costs in ("bad->good=5", ["bad->good=5"], {("bad", "good"): 5}, wanted, frame):
        assert cost_matrix(costs, TWO).tolist() == wanted
    odd = np.array(["a->b", "c=1", "b"])
    assert cost_matrix(["a->b->c=1=7"], odd)[0, 1] == 7


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (["bad->goood=5"], "did you mean 'good'"),
        (["bad=5"], "label->prediction=5"),
        (["bad->good=much"], "label->prediction=5"),
        ([[1, 2, 3]], "2 × 2"),
        ({"bad": 3}, "pairs"),
        ({("bad", "good"): "x"}, "must be a number"),
        ({("bad", "good"): float("nan")}, "must be finite"),
        (pd.DataFrame([[0]], index=["bad"], columns=["bad"]), "not the classes"),
    ],
)
def test_wrong_costs(costs, words):
    with pytest.raises(InvalidParameter, match=words):
        cost_matrix(costs, TWO)


def test_a_table_of_costs_from_a_file(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("label,good,bad\nbad,5,0\ngood,0,1\n")
    assert read_costs(path, TWO) == {
        ("bad", "good"): 5, ("bad", "bad"): 0, ("good", "good"): 0, ("good", "bad"): 1,
    }  # fmt: skip
    for text, words in [("", "first line"), ("l,good,bad\nbad,5,0\n", "first column"),
                        ("l,good,bad\nbad,5\ngood,0,1\n", "2 cells"),
                        ("l,good,bad\nbad,5,x\ngood,0,1\n", "not a number")]:  # fmt: skip
        path.write_text(text)
        with pytest.raises(InvalidParameter, match=words):
            read_costs(path, TWO)


def test_class_weights_as_text():
    assert read_class_weights(["balanced"], TWO) == "balanced"
    assert read_class_weights(["1=2.5", "0=1"], np.array([0, 1])) == {1: 2.5, 0: 1.0}
    for texts in (["bad"], ["bad=x"], ["worse=2"]):
        with pytest.raises(ValueError, match=r"label=5|classes"):
            read_class_weights(texts, TWO)
    with pytest.raises(InvalidParameter, match="'bad' has more than one class weight"):
        read_class_weights(["bad=5", "bad=3"], TWO)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.integers(0, 1)), min_size=1),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    st.integers(0, 1),
)
def test_the_cheapest_threshold_is_the_cheapest(rows, costs, positive):
    chances, labels = np.array([p for p, _ in rows]), np.array([label for _, label in rows])
    both = np.stack([chances, 1 - chances], axis=1)
    if positive == 1:
        both = both[:, ::-1]
    matrix = np.array(costs, dtype=float).reshape(2, 2)
    told = cost_report(matrix, labels, both.argmax(axis=1), both, positive)

    def cost_at(t):
        return matrix[labels, np.where(both[:, positive] >= t, positive, 1 - positive)].mean()

    tried = [1e-6, 0.2, 0.2 + 1e-6, 0.5, 0.5 + 1e-6, 0.9, 0.9 + 1e-6, 1.0]
    if told.threshold is not None:
        assert 0 < told.best_threshold <= 1
        assert cost_at(told.best_threshold) == pytest.approx(told.best)
        assert told.best == pytest.approx(min(map(cost_at, tried)))
        assert told.decided == pytest.approx(cost_at(told.threshold))
        # at the threshold both decisions have the same expected cost
        t, other = told.threshold, 1 - positive
        expected = [t * matrix[positive, d] + (1 - t) * matrix[other, d] for d in (0, 1)]
        assert expected[0] == pytest.approx(expected[1])


def test_costs_of_many_classes(fitted, iris):
    X, y = iris
    costs = {("versicolor", "virginica"): 10}
    found = fitted.evaluate(X, y, costs=costs)
    matrix = cost_matrix(costs, fitted.classes_)
    chances = fitted.predict_proba(X)
    codes = np.searchsorted(fitted.classes_, y)
    slow = np.mean([matrix[k, np.argmin(p @ matrix)] for p, k in zip(chances, codes, strict=True)])
    assert found.costs.decided == pytest.approx(slow)
    assert found.costs.threshold is None and "expected cost" in str(found)
    with pytest.raises(InvalidParameter, match="two classes"):
        fitted.evaluate(X, y, threshold=0.5)


def test_one_decision_may_always_be_better():
    matrix = np.array([[0.0, 0.0], [3.0, 0.0]])
    assert threshold_of(matrix) is None
    chances = np.array([[0.9, 0.1], [0.2, 0.8]])
    told = cost_report(matrix, np.array([0, 1]), np.array([0, 1]), chances)
    assert told.decided == 0.0 and told.threshold is None


def test_bad_input(two, credit):
    X, y = credit
    with pytest.raises(InvalidTable, match="not among the classes"):
        two.evaluate(X, np.where(y == "bad", "worse", y))
    with pytest.raises(InvalidTable, match="rows, and y has"):
        two.evaluate(X, y[:-1])
    for threshold in (0, -1, 1.5, True, "half", float("nan")):
        with pytest.raises(InvalidParameter, match="threshold must be"):
            two.evaluate(X, y, threshold=threshold)
    with pytest.raises(InvalidTable, match="not one of the classes"):
        two.evaluate(X, y, pos_label="worse")


def test_names_with_markup_are_text():
    bad = "<script>alert(1)</script>\n\"'"
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] > 20, bad, "no")
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    found = clf.evaluate(X, y, costs={(bad, "no"): 2})
    both = clf.compare(clf, X, y)
    for html in (found.to_html(), found._repr_html_(), both._repr_html_()):
        assert "<script>" not in html
        Checker(html)


def test_two_models_on_the_same_rows(two, credit):
    X, y = credit
    other = two.compact(2)
    found = two.compare(other, X[200:], y[200:])
    wrong = [clf.predict(X[200:]) != y[200:] for clf in (two, other)]
    assert found.error.mean == pytest.approx(wrong[1].mean() - wrong[0].mean())
    assert found.error.low <= found.error.mean <= found.error.high
    assert found.only_first_wrong == (wrong[0] & ~wrong[1]).sum()
    assert found.only_second_wrong == (wrong[1] & ~wrong[0]).sum()
    differ = np.flatnonzero(two.predict(X[200:]) != other.predict(X[200:]))
    assert [one.row for one in found.rows] == differ.tolist()
    assert found.cards is None and found.n_common is None
    assert found.to_dict()["rules"] is None and "McNemar" in str(found)
    same = two.compare(two, X, y)
    assert same.rows == () and same.p_value == 1.0 and same.log_loss == (0, 0, 0)
    assert "no row is predicted differently" in str(same)


def test_two_cards_are_compared_rule_by_rule(two, credit):
    few, more = two.compact(3), two.compact(6)
    found = few.compare(more, *credit)
    both = {(r.text, r.points) for r in few.scorecard().rules} & {
        (r.text, r.points) for r in more.scorecard().rules
    }
    assert found.n_common == found.to_dict()["rules"]["common"] == len(both)
    assert len(found.cards.added) == len(found.to_dict()["rules"]["added"])


def test_a_model_of_another_library(two, credit, fitted):
    from sklearn.linear_model import LogisticRegression

    X, y = credit
    other = LogisticRegression().fit(X, y)
    assert two.compare(other, X, y).second.error == pytest.approx(1 - other.score(X, y))
    with pytest.raises(InvalidParameter, match="different classes"):
        two.compare(fitted, X, y)
    with pytest.raises(InvalidParameter, match="X_other has 5 rows"):
        two.compare(other, X, y, X_other=X[:5])
