"""Hard training sets, batches, going on, and what is told of it."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.classifier.sample import TrainingSample
from tests.engine.strategies import sets_of_lists


def quick(**parameters):
    return AlgebraicClassifier(**{"random_state": 0, "max_epochs": 12, **parameters})


def test_contradictions_are_resolved_and_reported():
    X = np.array([[0], [0], [0], [1], [1], [2]])
    classifier = quick().fit(X, ["a", "a", "b", "b", "b", "c"])
    assert classifier.predict([[0], [1], [2]]).tolist() == ["a", "b", "c"]
    (conflict,) = classifier.conflicts_
    assert conflict.rows.tolist() == [0, 1, 2] and conflict.kept == "a"
    assert str(conflict) == "rows 0, 1, 2 look the same but are labelled a, b; kept as a"


def test_weights_decide_contradictions_and_row_numbers_are_those_given():
    X, y = [[9], [0], [0], [1]], [0, 0, 1, 1]
    classifier = quick().fit(X, y, sample_weight=[0, 1, 3, 1])
    assert classifier.conflicts_[0].kept == 1
    assert classifier.conflicts_[0].rows.tolist() == [1, 2]


def test_contradictions_count_in_the_estimated_error():
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(300, 1))
    classifier = quick().fit(X, rng.integers(2, size=300))
    assert classifier.estimated_error_ > 0.3
    assert np.median(classifier.predict_proba(X).max(axis=1)) < 0.8


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], ["a", "b"]),
        (np.eye(10), list("abcdefghij")),
        (np.repeat(np.eye(3), 50, axis=0), np.repeat([0, 1, 2], 50)),
    ],
)
def test_few_and_repeated_rows(X, y):
    assert quick().fit(X, y).score(X, y) == 1.0


def test_one_class_only():
    X = np.arange(6.0).reshape(-1, 1)
    classifier = quick().fit(X, ["x"] * 6)
    assert classifier.predict(X).tolist() == ["x"] * 6
    assert (classifier.predict_proba(X) == 1).all()
    assert classifier.definition("x").evaluate(X).all()


def test_labels_of_any_plain_type():
    X = np.array([[0], [1]] * 5)
    for y in ([True, False] * 5, [2.0, 7.0] * 5, np.array([3, 9] * 5, np.uint8), ["é", "ß"] * 5):
        classifier = quick().fit(X, y)
        assert classifier.predict(X).tolist() == list(y)


def test_history(fitted):
    first = fitted.history_[0]
    assert set(first) == {
        "class", "epoch", "examples", "atoms", "pool", "estimated_error", "seconds"
    }  # fmt: skip
    assert {one["class"] for one in fitted.history_} == set(fitted.classes_)


def test_large_sets_are_learned_in_three_folds():
    X = np.random.default_rng(0).normal(size=(6000, 4))
    y = X[:, 0] * X[:, 1] > 0
    classifier = quick(max_epochs=9, evidence="strict").fit(X, y)
    assert len(classifier.learned_.held_out) > 5000 and classifier.learned_.epochs == [3, 3]
    assert 0 < classifier.estimated_error_ < 0.5
    again = classifier.set_params(warm_start=True).fit(X, y)
    assert again.learned_.epochs == [6, 6]


# Batches -----------------------------------------------------------------------------------------


def test_batches_learn(digits):
    X, y = digits
    classifier = AlgebraicClassifier(random_state=0)
    for start in range(0, 900, 300):
        batch = slice(start, start + 300)
        classifier.partial_fit(X[batch], y[batch], classes=np.arange(10))
    assert classifier.score(X[900:], y[900:]) > 0.5  # chance is 0.1
    assert 0 < classifier.estimated_error_ < 0.5  # before the last batch was learned


def test_batches_carry_knowledge_in_the_pool(digits):
    X, y = digits[0] > 8, digits[1]
    classifier = AlgebraicClassifier(random_state=0).partial_fit(
        X[:200], y[:200], classes=range(10)
    )
    before = list(map(len, classifier.learned_.pools))
    only = np.flatnonzero(y[200:400] == 3) + 200
    classifier.partial_fit(X[only], y[only])  # nothing but threes: only pins of 3 are dropped
    after = list(map(len, classifier.learned_.pools))
    assert after[:3] + after[4:] == before[:3] + before[4:] and after[3] <= before[3]
    assert (classifier.misses(X[only])[:, 3] == 0).all()


def test_a_class_without_examples_so_far_is_never_predicted():
    X = np.arange(20.0).reshape(-1, 1)
    classifier = quick().partial_fit(X[:10], ["a"] * 10, classes=["a", "b", "c"])
    assert set(classifier.predict(X)) == {"a"}
    classifier.partial_fit(X, ["a"] * 10 + ["b"] * 10)
    assert classifier.predict(X[[0, 19]]).tolist() == ["a", "b"]


def test_batches_after_fit_and_what_is_wrong_with_batches(iris):
    X, y = iris
    classifier = quick().fit(X[::2], y[::2])
    unseen = len(classifier.learned_.held_out)
    classifier.partial_fit(X[1::2], y[1::2])
    assert len(classifier.learned_.held_out) > unseen
    with pytest.raises(ValueError, match=r"not among the classes: \['lily'\]"):
        classifier.partial_fit(X[:2], ["setosa", "lily"])
    with pytest.raises(ValueError, match="not the same as"):
        classifier.partial_fit(X[:2], y[:2], classes=["setosa", "lily"])
    with pytest.raises(ValueError, match="classes must be given"):
        quick().partial_fit(X, y)
    with pytest.warns(UserWarning, match="begin with a larger batch"):
        quick().partial_fit(X[:1], y[:1], classes=["setosa"])


@pytest.mark.slow
def test_noise_does_not_wipe_out_what_batches_taught(digits):
    X, y = digits[0], digits[1].copy()
    wrong = np.random.default_rng(0).choice(1400, 140, replace=False)
    y[wrong] = (y[wrong] + 1) % 10
    classifier = AlgebraicClassifier(random_state=0)
    for start in range(0, 1400, 350):
        batch = slice(start, start + 350)
        classifier.partial_fit(X[batch], y[batch], classes=np.arange(10))
    assert len(classifier.doubted_) > 5


def test_sample_is_the_same_in_whatever_order_rows_come():
    rows = np.random.default_rng(0).integers(1 << 60, size=(5000, 2), dtype=np.uint64)
    labels = np.arange(5000) % 2
    whole = TrainingSample.empty(2, 2).extended(rows, labels)
    parts = TrainingSample.empty(2, 2).extended(rows[3000:], labels[3000:])
    parts = parts.extended(rows[:3000], labels[:3000])
    assert (whole.rows == parts.rows).all() and (whole.labels == parts.labels).all()
    assert len(whole.rows) == 2000 and whole.totals.tolist() == [2500, 2500]


# Going on ----------------------------------------------------------------------------------------


def test_warm_start_goes_on(iris):
    X, y = iris
    classifier = quick(warm_start=True).fit(X, y)
    epochs = classifier.learned_.epochs
    n_history = len(classifier.history_)
    classifier.fit(X, y)
    assert classifier.learned_.epochs == [2 * e for e in epochs]
    assert len(classifier.history_) > n_history
    with pytest.raises(ValueError, match="needs all classes"):
        classifier.fit(X, ["setosa"] * len(X))
    with pytest.raises(ValueError, match="not among the classes"):
        classifier.fit(X, ["lily"] * len(X))
    with pytest.raises(ValueError, match="feature names"):
        classifier.fit(X.iloc[:, :3], y)


def test_warm_start_keeps_what_is_known_and_judges_without_it(iris):
    """Pins that have seen a row say nothing of how new rows are judged."""
    X, y = iris
    fitted = quick(warm_start=True, evidence="strict").fit(X, y)
    before = [set(sets_of_lists(fitted.pool(label).atoms)) for label in fitted.classes_]
    fitted.fit(X, y)
    after = [set(sets_of_lists(fitted.pool(label).atoms)) for label in fitted.classes_]
    assert all(known <= more for known, more in zip(before, after, strict=True))
    assert sum(map(len, after)) > 1.2 * sum(map(len, before))  # other batches teach other atoms
    assert fitted.estimated_error_ > 0.01


def test_without_warm_start_fit_begins_anew(iris):
    classifier = quick().fit(*iris)
    before = classifier.misses(iris[0])
    assert (classifier.fit(*iris).misses(iris[0]) == before).all()


def test_ctrl_c_of_a_host_returns_a_usable_model(iris):
    """A host may have its own handler, which raises where Python happens to be."""
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9")

    class Host:
        rounds = 0

        def setup(self, estimator, context): ...

        def teardown(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context, **told):
            if context.task_name == "round":
                self.rounds += 1
                if self.rounds == 2:
                    raise KeyboardInterrupt

    X, y = iris
    classifier, host = quick(max_epochs=30, evidence="strict"), Host()
    with pytest.warns(UserWarning, match="interrupted"):
        classifier.set_callbacks(host).fit(X, y)
    assert host.rounds == 2 and classifier.learned_.interrupted
    assert set(classifier.predict(X)) == set(y)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_as_a_signal(n_jobs):
    script = textwrap.dedent(
        f"""
        import os, signal, warnings
        from sklearn.datasets import load_digits
        from atomlearn import AlgebraicClassifier
        from atomlearn.engine.concept import Concept
        X, y = load_digits(return_X_y=True)
        epochs, learn_batch = [], Concept.learn_batch

        def interrupted(self, *arguments):
            epochs.append(1)
            if len(epochs) == 60:
                os.kill(os.getpid(), signal.SIGINT)
            return learn_batch(self, *arguments)

        Concept.learn_batch = interrupted
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = AlgebraicClassifier(random_state=0, max_epochs=100_000, n_jobs={n_jobs})
            model.fit(X, y)
        assert any("interrupted" in str(w.message) for w in caught)
        assert model.learned_.interrupted and model.learned_.is_known
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
