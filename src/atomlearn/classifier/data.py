"""A training table made ready: what the training loop needs, and what the classifier keeps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt

from atomlearn.tables.distinct_rows import RowConflict
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.rule_checks import RuleConflict
from atomlearn.tables.rules import Rule, parse_rules
from atomlearn.tables.table import column_names
from atomlearn.tables.training_rows import codes_of
from atomlearn.training.exchange import State
from atomlearn.training.hooks import ignore
from atomlearn.training.part import Part
from atomlearn.training.parts import Parts
from atomlearn.typing import Floats, Integers

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier


@dataclass
class TrainingData:
    """The encoded parts of a training table, with its classes, rules and conflicts."""

    classes: npt.NDArray[Any]
    encoder: LiteralEncoder
    parts: Parts
    home: Part
    """The rows that everything is judged by."""
    totals: Integers
    """Different rows of each class."""
    class_weights: Floats
    conflicts: list[RowConflict]
    rules: list[Rule] = field(default_factory=list)
    rule_conflicts: list[RuleConflict] = field(default_factory=list)
    decided: float = 0.0
    """Weight of the rows that rules classify correctly ..."""
    contradicted: float = 0.0
    """... and of those whose labels contradict a rule, relative to that of the others."""
    left: Integers | None = None
    """Rows of each class that contradict no rule, if there are rules."""
    met: Integers | None = None
    """Rows that meet the conditions of each rule."""
    n_rows: int = 0
    """Rows of the table."""
    state: State | None = None
    """A checkpoint to go on from ..."""
    on_exchange: Callable[[State], object] = ignore
    """... and what writes the next ones."""
    share_examples: bool = True


def fit_encoder(
    classifier: "AlgebraicClassifier",
    table: Any,
    targets: npt.NDArray[Any],
    weights: Floats,
    declared: Sequence[str | None] | None,
    classes: npt.NDArray[Any],
) -> tuple[LiteralEncoder, list[Rule]]:
    """Choose the literals of a validated table, and read the classifier's rules about them."""
    names = column_names(classifier)
    rules = parse_rules(classifier.rules or (), names, classes.tolist(), doubt=True)
    encoder = LiteralEncoder(max_cuts=classifier.max_cuts).fit_table(
        table,
        weights,
        classifier,
        declared,
        codes_of(targets, classes),
        are_pixels=classifier.image_shape is not None or classifier.symmetries is not None,
        conditions=[condition for rule in rules for condition in rule.conditions],
    )
    return encoder, rules


class PartsSource(Protocol):
    """A table in parts, wherever these are."""

    def prepare(self, classifier: "AlgebraicClassifier") -> TrainingData:
        """Look at all parts and encode them where they are, with the classifier's parameters."""
