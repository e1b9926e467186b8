"""A training table on its way to the engine: labels as numbers, weights, distinct rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import compute_class_weight, compute_sample_weight
from sklearn.utils.validation import _check_sample_weight

from atomlearn.errors import InvalidTable
from atomlearn.sets.random import seed_sequence
from atomlearn.tables.column_maps import check_maps, permuted
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.literal_maps import believed_symmetries, sorted_out
from atomlearn.tables.rows import DistinctRows, RowConflict, distinct_rows
from atomlearn.tables.table import refusing
from atomlearn.training.examples import Examples

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass
class TrainingRows:
    """The rows that count, and where they stood."""

    table: Any
    targets: npt.NDArray[Any]
    weights: Floats
    numbers: Labels
    """The number of each row in the table as given."""
    class_weight: Any = None
    distinct: DistinctRows | None = field(default=None, init=False)

    def examples(
        self, encoder: LiteralEncoder, classes: npt.NDArray[Any], symmetries: Any
    ) -> Examples:
        """The rows as terms: equal ones joined, contradictions resolved, moved by symmetries."""
        packed = encoder.pack(self.table, extra=1)
        labels, n_classes = codes_of(self.targets, classes), len(classes)
        class_weights = self.class_weights(classes)
        distinct = self.distinct = distinct_rows(packed, labels, self.weights, class_weights)
        first = packed[distinct.first]
        n_constants = len(encoder.literals_) + 1
        moving, moved = sorted_out(check_maps(symmetries, self.table.shape[1]))
        variants = [first]
        for column_map in moved:
            rows = self.table[distinct.first]
            dense = rows.toarray() if hasattr(rows, "toarray") else rows
            variants.append(encoder.pack(permuted(dense, column_map), extra=1))
        return Examples(
            np.stack(variants),
            distinct.labels,
            distinct.weights,
            n_constants,
            n_classes,
            distinct.dissent,
            believed_symmetries(encoder, moving, first, distinct.labels, n_classes),
        )

    def class_weights(self, classes: npt.NDArray[Any]) -> Floats:
        """What the odds of each class are multiplied by."""
        if self.class_weight is None:
            return np.ones(len(classes))
        with refusing():
            return compute_class_weight(self.class_weight, classes=classes, y=self.targets)

    def conflicts(self, classes: npt.NDArray[Any]) -> list[RowConflict]:
        """The contradictions, with the labels and row numbers that the user knows."""
        if self.distinct is None:
            return []
        return [
            RowConflict(self.numbers[one.rows], classes[one.labels], classes[one.kept])
            for one in self.distinct.conflicts
        ]

    def original_rows(self, examples: Labels) -> Labels:
        """The first row of the table, as given, of each of some examples."""
        if self.distinct is None:
            return examples
        return np.sort(self.numbers[self.distinct.first[examples]])


def read_training(table: Any, targets: Any, sample_weight: Any, class_weight: Any) -> TrainingRows:
    """Check weights; a row of weight zero is not there."""
    with refusing():
        weights = _check_sample_weight(sample_weight, table, dtype=np.float64)
    if (weights < 0).any():
        raise InvalidTable("Negative values in data passed to `sample_weight`")
    counted = weights > 0
    if isinstance(class_weight, Mapping):
        with refusing():
            counted &= compute_sample_weight(dict(class_weight), targets) > 0
    if not counted.any():
        raise InvalidTable("all sample weights are zero: nothing is left to learn from")
    if counted.all():
        return TrainingRows(table, targets, weights, np.arange(len(weights)), class_weight)
    numbers = np.flatnonzero(counted)
    return TrainingRows(table[counted], targets[counted], weights[counted], numbers, class_weight)


def codes_of(targets: Any, classes: npt.NDArray[Any], all_present: bool = False) -> Labels:
    """Labels as positions in ``classes``, or an error that names what is not one."""
    found, where = np.unique(targets, return_inverse=True)
    position = {label: i for i, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise InvalidTable(
            f"y has labels that are not among the classes: {unknown[:5]}; known are "
            f"{classes.tolist()[:20]}"
        )
    if all_present and len(found) < len(classes):
        absent = [label for label in classes.tolist() if label not in set(found.tolist())]
        raise InvalidTable(
            f"y has no row of {absent[:5]}: warm_start needs all classes (partial_fit does not)"
        )
    return np.array([position[label] for label in found.tolist()], dtype=np.int64)[where]


def class_number(label: Any, classes: npt.NDArray[Any]) -> int:
    """The place of one label among the classes."""
    found = np.flatnonzero(classes == label)
    if len(found) != 1:
        raise InvalidTable(f"{label!r} is not one of the classes: {classes.tolist()}")
    return int(found[0])


def root_seed(random_state: Any) -> int:
    """One number that fixes everything random."""
    sequence = seed_sequence(random_state)
    if isinstance(sequence.entropy, int) and not sequence.spawn_key:
        return sequence.entropy
    return int.from_bytes(sequence.generate_state(4).tobytes(), "little")
