"""The contract users already know: scikit-learn's own checks, and what they build around it."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from atomlearn import AlgebraicClassifier, LiteralEncoder


@parametrize_with_checks([AlgebraicClassifier(random_state=0, max_epochs=9), LiteralEncoder()])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_pipeline_and_search(iris):
    X, y = iris
    pipe = make_pipeline(
        FunctionTransformer(feature_names_out="one-to-one"),
        AlgebraicClassifier(random_state=0, max_epochs=9),
    )
    search = GridSearchCV(pipe, {"algebraicclassifier__max_epochs": [3, 9]}, cv=2).fit(X, y)
    assert search.best_params_["algebraicclassifier__max_epochs"] in (3, 9)
    scores = cross_validate(pipe, X, y, cv=2, scoring=["accuracy", "neg_log_loss", "roc_auc_ovr"])
    assert scores["test_accuracy"].min() > 0.5  # a third is chance: it learns at all
    assert scores["test_roc_auc_ovr"].min() > 0.5 and np.isfinite(scores["test_neg_log_loss"]).all()


def test_encoder_in_a_pipeline_with_names(iris):
    encoder = LiteralEncoder(max_cuts=2).set_output(transform="pandas")
    out = encoder.fit(*iris).transform(iris[0])
    assert list(out.columns) == encoder.get_feature_names_out().tolist()
    assert "petal length (cm) > 2.5" in out.columns
    polars = LiteralEncoder(max_cuts=2).set_output(transform="polars").fit_transform(iris[0])
    assert polars.shape == out.shape


def test_clone_and_pickle(fitted, iris):
    fresh = clone(fitted)
    assert not hasattr(fresh, "learned_") and fresh.max_epochs == fitted.max_epochs
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict_proba(iris[0]) == fitted.predict_proba(iris[0])).all()
    assert len(pickle.dumps(fitted)) < 1_000_000  # no training data but the sample


def test_feature_names_are_checked(fitted, iris):
    assert fitted.feature_names_in_.tolist() == list(iris[0].columns)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(iris[0].rename(columns={"petal length (cm)": "petal"}))
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(iris[0].to_numpy()[:, :3])


def test_metadata_routing(iris):
    X, y = iris
    weights = np.where(y == "setosa", 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = AlgebraicClassifier(random_state=0, max_epochs=3)
        classifier.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        assert len(cross_val_score(classifier, X, y, cv=2, params={"sample_weight": weights})) == 2


def test_weight_zero_is_absence(iris):
    X, y = iris
    weights = (y != "setosa").astype(float)
    weighted = AlgebraicClassifier(random_state=0, max_epochs=9).fit(X, y, sample_weight=weights)
    without = AlgebraicClassifier(random_state=0, max_epochs=9).fit(
        X[y != "setosa"], y[y != "setosa"]
    )
    assert (weighted.misses(X) == without.misses(X)).all()


def test_class_weights_move_the_decision():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(4, size=400), "b": rng.integers(4, size=400)})
    y = rng.random(400) < 0.2 + 0.1 * X["a"]
    plain = AlgebraicClassifier(random_state=0).fit(X, y)
    weighted = AlgebraicClassifier(random_state=0, class_weight={True: 20, False: 1}).fit(X, y)
    assert weighted.predict(X).mean() > plain.predict(X).mean()


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_number_of_jobs_never_changes_the_model(digits, backend):
    from joblib import parallel_config

    X, y = digits[0][:200], digits[1][:200]
    one = AlgebraicClassifier(random_state=3, max_epochs=6).fit(X, y)
    with parallel_config(backend):
        two = AlgebraicClassifier(random_state=3, max_epochs=6, n_jobs=2).fit(X, y)
    assert (one.misses(X) == two.misses(X)).all()
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_the_seed_fixes_the_model_and_row_order_does_not_matter(digits):
    X, y = digits[0][:150], digits[1][:150]
    order = np.random.default_rng(1).permutation(150)
    one = AlgebraicClassifier(random_state=3, max_epochs=6).fit(X, y)
    two = AlgebraicClassifier(random_state=3, max_epochs=6).fit(X[order], y[order])
    other = AlgebraicClassifier(random_state=4, max_epochs=6).fit(X, y)
    assert (one.misses(X) == two.misses(X)).all()
    assert (one.misses(X) != other.misses(X)).any()


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"max_epochs": 0}, "max_epochs must be at least 1"),
        ({"time_limit": -1}, "time_limit must be positive"),
        ({"image_shape": (3, 3)}, "image_shape"),
        ({"symmetries": [[0, 1]]}, "symmetries"),
    ],
)
def test_wrong_parameters_are_named(iris, parameters, says):
    with pytest.raises(ValueError, match=says):
        AlgebraicClassifier(**parameters).fit(*iris)
