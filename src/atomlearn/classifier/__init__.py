"""The scikit-learn estimator: tables in, labels and reasons out."""

from atomlearn.classifier.definition import ClassDefinition
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.explanation import Explanation
from atomlearn.classifier.readable import HardExample

__all__ = ["AlgebraicClassifier", "ClassDefinition", "Explanation", "HardExample"]
