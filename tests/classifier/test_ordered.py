"""Ordered classes: thresholds, the median, and all that a classifier does."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from typer.testing import CliRunner

from atomlearn import AlgebraicClassifier, load
from atomlearn.cli import app
from atomlearn.errors import (
    ContradictoryRules,
    DifferentConstants,
    InvalidParameter,
    InvalidRule,
    InvalidTable,
)
from atomlearn.export import export_source
from atomlearn.tables.training_rows import chain_of
from atomlearn.training.boosting.losses import (
    ORDERED,
    ORDERED_LOG_LOSS,
    held_out_loss,
    powers_for,
    write_class_gradients,
    write_predictions,
)
from atomlearn.training.scores import decided, softmax

GRADES = ["poor", "fair", "good", "very good", "excellent"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(240, 4)), columns=["a", "b", "c", "d"])
    y = np.digitize(X.a + X.b / 2 + rng.normal(size=240) * 0.3, [-1, -0.3, 0.4, 1.2])
    return X, y


@pytest.fixture(scope="module", params=["strict", "weighted", "auto"])
def fitted(rows, request):
    X, y = rows
    clf = AlgebraicClassifier(ordered=True, evidence=request.param, max_epochs=12, random_state=0)
    return clf.fit(X[:160], y[:160])


WITH_TEXT = {"check_classifiers_classes": "its labels are text, which has no order"}


@parametrize_with_checks(
    [AlgebraicClassifier(ordered=True, random_state=0, max_epochs=5)],
    expected_failed_checks=lambda estimator: WITH_TEXT,
)
def test_estimator_checks(estimator, check):
    check(estimator)


def graded(y):
    return pd.Series(pd.Categorical.from_codes(y, GRADES, ordered=True), name="grade")


scores = st.lists(st.floats(-30, 30), min_size=2, max_size=5)


@given(scores)
def test_chances_above_are_sums_of_the_softmax(gaps):
    out = np.empty((len(gaps), 1))
    write_predictions(ORDERED_LOG_LOSS, np.array(gaps)[:, None], np.array([0]), out, powers_for(1))
    p = softmax(np.concatenate([[0.0], np.cumsum(gaps)])[None])[0]
    slow = [p[k + 1 :].sum() for k in range(len(gaps))]
    assert np.allclose(out[:, 0], slow, atol=1e-12)
    assert (np.diff(out[:, 0]) <= 0).all()


@given(scores, st.integers(0, 5))
def test_gradient_is_that_of_the_log_loss(gaps, label):
    label = min(label, len(gaps))
    target, one, row = np.array([float(label)]), np.ones(1), np.array([0])

    def loss(values):
        p = softmax(np.concatenate([[0.0], np.cumsum(values)])[None])[0]
        return -np.log(p[label])

    gaps = np.array(gaps) / 10
    out = np.empty((len(gaps), 1))
    found = held_out_loss(ORDERED_LOG_LOSS, gaps[:, None], target, one, row, out, powers_for(1))
    assert found == pytest.approx(loss(gaps), abs=1e-9)
    for k in range(len(gaps)):
        gradient, hessian = np.empty(1), np.empty(1)
        write_class_gradients(ORDERED, k, target, one, out[k], row, gradient, hessian)
        step = np.eye(len(gaps))[k] * 1e-5
        slope = (loss(gaps + step) - loss(gaps - step)) / 2e-5
        assert gradient[0] == pytest.approx(-slope, abs=1e-6)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6))
def test_median_has_the_least_expected_distance(weights):
    p = np.array(weights) / np.sum(weights)
    places = np.arange(len(p))
    expected = [float(p @ abs(places - k)) for k in places]
    chosen = decided(np.log(p)[None], ordered=True)[0]
    assert expected[chosen] == pytest.approx(min(expected), abs=1e-7)


def test_order_is_that_of_numbers_of_the_categorical_or_of_the_list(rows):
    X, y = rows
    few = AlgebraicClassifier(max_epochs=1, random_state=0)
    assert few.fit(X, graded(y)).classes_.tolist() == GRADES
    assert few.ordered_ and few.target_name_ == "grade"
    text = graded(y).astype(str)
    assert not clone(few).fit(X, text).ordered_
    assert not clone(few).set_params(ordered=False).fit(X, graded(y)).ordered_
    listed = clone(few).set_params(ordered=GRADES).fit(X, text)
    assert listed.classes_.tolist() == GRADES
    numbers = clone(few).set_params(ordered=True).fit(X, (y + 7).astype(str))
    assert numbers.classes_.tolist() == ["7", "8", "9", "10", "11"]


def test_text_needs_an_order(rows):
    X, y = rows
    text = graded(y).astype(str)
    with pytest.raises(InvalidTable, match=r"ordered=\['excellent', 'fair', 'good'\]"):
        AlgebraicClassifier(ordered=True).fit(X, text)
    with pytest.raises(InvalidTable, match=r"'excellent'.*'fair'"):
        AlgebraicClassifier(ordered=GRADES[:3]).fit(X, text)
    for wrong in ("up", ["one"], ["one", "one"], 3):
        with pytest.raises(InvalidParameter, match="from the lowest to the"):
            AlgebraicClassifier(ordered=wrong).fit(X, text)
    assert chain_of(np.array([False, True]), True).tolist() == [False, True]


def test_probabilities_and_predictions(rows, fitted):
    X, y = rows
    chances = fitted.predict_proba(X[160:])
    assert np.allclose(chances.sum(axis=1), 1) and (chances >= 0).all()
    assert (fitted.predict(X[160:]) == decided(np.log(chances), ordered=True)).all()
    assert abs(fitted.predict(X[160:]) - y[160:]).mean() < 0.6 < abs(2 - y[160:]).mean()
    assert fitted.estimated_error_ <= fitted.estimated_distance_ < 0.7


def test_strict_atoms_are_of_thresholds(rows):
    X, y = rows
    clf = AlgebraicClassifier(ordered=True, evidence="strict", max_epochs=12, random_state=0)
    clf.fit(X, y)
    packed, n = clf.encoder_.pack(X.to_numpy(), extra=1), clf.learned_.n_constants
    misses = clf.misses(X)
    for k in range(5):
        # No row of the class misses any of its atoms, and rows further away miss more of them.
        assert (misses[y == k, k] == 0).all()
        far = [misses[y == j, k].mean() for j in range(5)]
        assert (np.diff(far[k:]) >= 0).all() and (np.diff(far[: k + 1]) <= 0).all()
        # Each atom holds for the class and all above it, or for the class and all below it.
        atoms = clf.learned_.pools[k].atoms
        for constants in np.split(atoms.constants, atoms.starts[1:-1]):
            has = np.zeros(len(y), dtype=bool)
            for c in constants:
                has |= (packed[:, c // 64] >> np.uint64(c % 64)) & np.uint64(1) > 0
            assert has[y >= k].all() or has[y <= k].all()
    assert n == clf.learned_.pools[0].n_constants


def test_explanations_add_up_and_name_the_prediction(rows, fitted):
    X, _ = rows
    for clf in (fitted, fitted.compact(6)):
        predicted = clf.predict(X[:20])
        for i in range(20):
            told = clf.explain(X.iloc[i])
            assert told.label == predicted[i]
            total = np.array([one.score for one in told.classes])
            chances = np.array([one.probability for one in told.classes])
            assert np.allclose(softmax(total[None])[0], chances)
            assert ("of ordered classes" in str(told)) == (chances[0] < chances.max())
    assert "the median of the probabilities is predicted" in str(clf.scorecard())


def test_files_keep_the_order(rows, tmp_path, fitted):
    X, y = rows
    for clf in (fitted, fitted.compact(4)):
        clf.save(tmp_path / "clf.atoms")
        read = load(tmp_path / "clf.atoms")
        assert read.ordered_ and read.estimated_distance_ == clf.estimated_distance_
        assert (read.predict_proba(X) == clf.predict_proba(X)).all()
        assert (read.predict(X) == clf.predict(X)).all()
    clf = AlgebraicClassifier(rules=["grade rises with a"], max_epochs=5, random_state=0)
    clf.fit(X, graded(y)).save(tmp_path / "clf.atoms")
    read = load(tmp_path / "clf.atoms")
    assert read.classes_.tolist() == GRADES and read.rules_ == clf.rules_
    assert read.check_rules().holds
    clf.set_params(ordered=GRADES, rules=None).fit(X, graded(y)).save(tmp_path / "clf.atoms")
    assert load(tmp_path / "clf.atoms").ordered == GRADES


def test_batches(rows):
    X, y = rows
    clf = AlgebraicClassifier(ordered=True, random_state=0)
    for start in range(0, 240, 80):
        clf.partial_fit(X[start : start + 80], y[start : start + 80], classes=range(5))
    assert abs(clf.predict(X) - y).mean() < 0.3
    assert 0 < clf.estimated_distance_ < 1


def test_jobs_and_seeds(rows):
    X, y = rows
    one, two = (
        AlgebraicClassifier(ordered=True, max_epochs=8, random_state=3, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_monotone_statements_are_about_every_threshold(rows):
    X, y = rows
    clf = AlgebraicClassifier(rules=["grade rises with a", "poor if b < -2"], random_state=0)
    clf.fit(X, graded(y))
    assert clf.evidence_.chosen == "weighted"
    found = clf.check_rules(X, graded(y))
    assert found.holds and "at each threshold" in str(found)
    tried = X.iloc[np.repeat(np.arange(20), 30)].assign(a=np.tile(np.linspace(-3, 3, 30), 20))
    above = 1 - np.cumsum(clf.predict_proba(tried), axis=1)
    assert np.diff(above.reshape(20, 30, 5), axis=1).min() > -1e-12
    same = AlgebraicClassifier(monotonic_cst={"a": 1}, ordered=True).fit(X, y)
    assert [str(one) for one in same.rules_] == ["4 rises with a"]
    free = AlgebraicClassifier(ordered=True, max_epochs=20, random_state=0).fit(X, y)
    free.rules_ = same.rules_
    assert not free.check_rules().holds


@pytest.mark.parametrize(
    ("rules", "error", "says"),
    [
        (["good rises with a"], InvalidRule, "of the highest class, excellent"),
        (["grade rises with a", "not good if a > 1"], ContradictoryRules, "cease|come"),
        (["grade rises with a", "poor if a > 1"], ContradictoryRules, "come to meet"),
        (["grade rises with a", "likely: fair if a > 1"], ContradictoryRules, "come|cease"),
        (["grade if a > 1"], InvalidRule, "not a label"),
    ],
)
def test_statements_that_cannot_hold(rows, rules, error, says):
    X, y = rows
    with pytest.raises(error, match=says):
        AlgebraicClassifier(rules=rules, max_epochs=1).fit(X, graded(y))


def test_what_is_missing_is_named(rows):
    X, y = rows
    monotone = AlgebraicClassifier(rules=["y rises with a"], ordered=True, max_epochs=3)
    with pytest.raises(InvalidParameter, match="weighted atoms only"):
        clone(monotone).set_params(evidence="strict").fit(X, y)
    with pytest.raises(InvalidParameter, match="scorecard of ordered"):
        clone(monotone).set_params(max_atoms=5).fit(X, y)
    with pytest.raises(InvalidParameter, match="scorecard of ordered"):
        monotone.fit(X, y).compact(5)


def test_hard_rules_are_obeyed(rows):
    X, y = rows
    clf = AlgebraicClassifier(ordered=True, rules=["4 if c > 1", "not 2 if d > 1"], random_state=0)
    clf.set_params(max_epochs=5).fit(X, y)
    predicted = clf.predict(X)
    assert (predicted[X.c > 1] == 4).all() and (predicted[X.d > 1] != 2).all()


def test_merging_needs_the_same_order(rows):
    X, y = rows
    one, two = (
        AlgebraicClassifier(ordered=o, max_epochs=3, random_state=0).fit(X, y)
        for o in (True, False)
    )
    with pytest.raises(DifferentConstants, match="same order"):
        one.merge(two)
    one.merge(clone(one).fit(X, y))
    assert one.ordered_ and one.estimated_distance_ is None


def test_evaluation_measures_the_distance(rows, fitted):
    X, y = rows
    found = fitted.evaluate(X[160:], y[160:])
    assert found.distance == pytest.approx(abs(fitted.predict(X[160:]) - y[160:]).mean())
    assert found.error == pytest.approx((fitted.predict(X[160:]) != y[160:]).mean())
    assert "mean distance" in str(found) and found.to_dict()["distance"] == found.distance
    plain = AlgebraicClassifier(max_epochs=2, random_state=0).fit(X, y).evaluate(X, y)
    assert plain.distance is None and "mean distance" not in str(plain)


def test_two_classes_are_as_without_an_order(rows):
    X, y = rows
    one, two = (
        AlgebraicClassifier(ordered=o, max_epochs=5, random_state=0).fit(X, y > 2)
        for o in (True, False)
    )
    assert (one.predict_proba(X) == two.predict_proba(X)).all()
    assert one.estimated_distance_ == pytest.approx(one.estimated_error_)


def test_programs_are_refused(rows):
    X, y = rows
    clf = AlgebraicClassifier(ordered=True, max_epochs=1, random_state=0)
    with pytest.raises(InvalidParameter, match="most probable class"):
        export_source(clf.fit(X, y), "python")


def test_command_line(rows, tmp_path):
    X, y = rows
    table, file = tmp_path / "t.csv", str(tmp_path / "m.atoms")
    X.assign(grade=np.array(GRADES)[y]).to_csv(table, index=False)
    fit = ["fit", str(table), "--target", "grade", "-o", file, "--max-epochs", "3", "-q"]
    done = CliRunner().invoke(app, [*fit, "--order", ",".join(GRADES)])
    assert done.exit_code == 0 and "mean distance about" in done.stdout
    done = CliRunner().invoke(app, ["evaluate", file, str(table)])
    assert done.exit_code == 0 and "mean distance" in done.stdout
    done = CliRunner().invoke(app, ["predict", file, str(table)])
    predicted = load(file).predict(X)
    assert done.stdout.split("\n")[1:-1] == predicted.tolist()
    assert CliRunner().invoke(app, [*fit, "--ordered"]).exit_code == 2
    X.assign(grade=y).to_csv(table, index=False)
    done = CliRunner().invoke(app, [*fit, "--ordered", "--rule", "grade rises with a"])
    assert done.exit_code == 0 and load(file).classes_.tolist() == [0, 1, 2, 3, 4]
