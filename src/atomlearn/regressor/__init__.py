"""The scikit-learn regressor: tables in, numbers and reasons out."""

from atomlearn.regressor.estimator import AlgebraicRegressor

__all__ = ["AlgebraicRegressor"]
