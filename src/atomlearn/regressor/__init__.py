"""The scikit-learn regressor: tables in, numbers and reasons out."""

from atomlearn.regressor.comparison import NumberComparison
from atomlearn.regressor.estimator import AlgebraicRegressor
from atomlearn.regressor.evaluation import NumberEvaluation
from atomlearn.regressor.explanation import NumberExplanation
from atomlearn.regressor.scorecard import NumberScorecard

__all__ = [
    "AlgebraicRegressor",
    "NumberComparison",
    "NumberEvaluation",
    "NumberExplanation",
    "NumberScorecard",
]
