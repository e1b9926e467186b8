"""Classifiers that share what they know: pins pass from one to another, by object or by file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from atomlearn.bits.rows import Rows
from atomlearn.classifier.encoder import LiteralEncoder
from atomlearn.classifier.sample import TrainingSample
from atomlearn.classifier.tables import read_table
from atomlearn.classifier.training import class_number, codes_of
from atomlearn.errors import DifferentConstants
from atomlearn.learning.misses import blocks_of, typical_misses
from atomlearn.learning.pinning import Merged, Pool
from atomlearn.learning.rounds import Learned
from atomlearn.reading.telling import Measure

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier


class Sharing:
    """The part of a classifier that gives and takes pins."""

    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    sample_: TrainingSample
    held_out_: list[list[Measure]]

    def pool(self, label: Any) -> Pool:
        """What is known of a class, with the names of its literals: to save, read, or merge.

        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = AlgebraicClassifier(random_state=0, max_epochs=5).fit(X, y)
        >>> clf.pool(0).names[-1]
        'class 0'
        """
        check_is_fitted(self)
        return self._named(class_number(label, self.classes_))

    def merge(
        self, *others: "AlgebraicClassifier | Pool | str | Path", X: Any = None, y: Any = None
    ) -> dict[Any, Merged]:
        """Take over what other classifiers, or pools of theirs, know of the same classes.

        Literals are matched by what they say, so learn all from the same cuts: fit one on some
        rows, and let the others go on from its file. A pin is believed if no row of its class
        contradicts it, of the training rows that are kept here (``sample_``) and of ``X`` and
        ``y``, which should be the rows this classifier was learned from, if they are at hand.
        Tells for each class how many pins were new, known and dropped.
        """
        check_is_fitted(self)
        rows, labels = self._witnesses(X, y)
        told: dict[Any, Merged] = {}
        for k, label in enumerate(self.classes_.tolist()):
            theirs = [pool for other in others for pool in _pools(other, label)]
            if not theirs:
                continue
            concept = self.learned_.concepts[k]
            ours = self._named(k)
            positives = concept.positives_of(np.ascontiguousarray(rows[labels == k]))
            ours.drop_contradicted(positives)  # what was learned from other batches may be
            told[label] = ours.merge(*theirs, relations=positives)
            concept.pool = ours
        if not told:
            raise DifferentConstants(f"none of the others knows of {self.classes_.tolist()[:5]}")
        self._settle()
        return told

    def _named(self, k: int) -> Pool:
        literals = [literal.in_full for literal in self.encoder_.literals_]
        names = [*literals, class_name(self.classes_[k])]
        return self.learned_.concepts[k].pool.copy(names=names)

    def _witnesses(self, X: Any, y: Any) -> tuple[Rows, npt.NDArray[np.int64]]:
        """The rows that may contradict a pin."""
        rows, labels = self.sample_.rows, self.sample_.labels
        if X is None:
            return rows, labels
        more = self.encoder_.pack(read_table(self, X, reset=False), extra=1)
        return np.vstack([rows, more]), np.concatenate([labels, codes_of(y, self.classes_)])

    def _settle(self) -> None:
        """What is typical has changed; the calibration, which is relative to it, stays."""
        blocks = blocks_of(self.sample_.rows, len(self.encoder_.literals_) + 1)
        misses = self.learned_.misses(blocks, len(self.sample_.labels))
        self.learned_.typical[:] = typical_misses(misses, self.sample_.labels)
        self.held_out_ = []  # the others may have learned from what was held out here


def class_name(label: Any) -> str:
    """The name of the constant that stands for a class."""
    return f"class {label}"


def _pools(other: Any, label: Any) -> list[Pool]:
    """What another knows of a class."""
    if isinstance(other, str | Path):
        from atomlearn.formats.load import load

        other = load(other)
    if isinstance(other, Pool):
        return [other] if other.names is not None and class_name(label) in other.names else []
    if not isinstance(other, Sharing):
        raise TypeError(f"a classifier, a pool or a file of one is merged, not {other!r}")
    return [other.pool(label)] if label in other.classes_.tolist() else []
