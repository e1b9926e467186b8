"""The scikit-learn estimator: tables in, labels and reasons out."""

from atomlearn.classifier.audit import Audit, AuditedStatement
from atomlearn.classifier.card_explanation import CardExplanation
from atomlearn.classifier.definition import ClassDefinition
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.explanation import Explanation
from atomlearn.classifier.readable import HardExample
from atomlearn.classifier.scorecard import CardComparison, CardRule, Scorecard

__all__ = [
    "AlgebraicClassifier",
    "Audit",
    "AuditedStatement",
    "CardComparison",
    "CardExplanation",
    "CardRule",
    "ClassDefinition",
    "Explanation",
    "HardExample",
    "Scorecard",
]
