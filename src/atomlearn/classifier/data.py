"""A training table made ready: what the training loop needs, and what the classifier keeps."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from atomlearn.tables.distinct_rows import RowConflict
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.rule_checks import RuleConflict
from atomlearn.tables.rules import Rule
from atomlearn.training.exchange import State
from atomlearn.training.hooks import ignore
from atomlearn.training.part import Part
from atomlearn.training.parts import Parts

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier


@dataclass
class TrainingData:
    """Encoded parts of a table, and what is known of them."""

    classes: npt.NDArray[Any]
    encoder: LiteralEncoder
    parts: Parts
    home: Part
    """The rows that everything is judged by."""
    totals: npt.NDArray[np.int64]
    """Different rows of each class."""
    class_weights: npt.NDArray[np.float64]
    conflicts: list[RowConflict]
    rules: list[Rule] = field(default_factory=list)
    rule_conflicts: list[RuleConflict] = field(default_factory=list)
    decided: float = 0.0
    """Rows that rules decide rightly."""
    met: npt.NDArray[np.int64] | None = None
    """Rows that meet the conditions of each rule."""
    state: State | None = None
    """A checkpoint to go on from ..."""
    on_exchange: Callable[[State], object] = ignore
    """... and what writes the next ones."""
    share_examples: bool = True


class PartsSource(Protocol):
    """A table in parts, wherever these are."""

    def prepare(self, classifier: "AlgebraicClassifier") -> TrainingData:
        """Look at all parts and encode them where they are, with the classifier's parameters."""
