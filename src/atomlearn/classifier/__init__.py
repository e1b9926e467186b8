"""The scikit-learn estimator: tables in, labels and reasons out."""

from atomlearn.classifier.audit import Audit, AuditedStatement
from atomlearn.classifier.card_explanation import CardExplanation
from atomlearn.classifier.costs import CostReport
from atomlearn.classifier.definition import ClassDefinition
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.evaluation import Bin, Evaluation
from atomlearn.classifier.explanation import Explanation
from atomlearn.classifier.paired import Difference, DifferentRow, ModelComparison
from atomlearn.classifier.readable import HardExample
from atomlearn.classifier.scorecard import CardComparison, CardRule, Scorecard

__all__ = [
    "AlgebraicClassifier",
    "Audit",
    "AuditedStatement",
    "Bin",
    "CardComparison",
    "CardExplanation",
    "CardRule",
    "ClassDefinition",
    "CostReport",
    "Difference",
    "DifferentRow",
    "Evaluation",
    "Explanation",
    "HardExample",
    "ModelComparison",
    "Scorecard",
]
