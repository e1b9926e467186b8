"""The contract users already know: scikit-learn's own checks of estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from atomlearn import AlgebraicRegressor


@parametrize_with_checks([AlgebraicRegressor(random_state=0)])
def test_estimator_checks(estimator, check):
    check(estimator)
