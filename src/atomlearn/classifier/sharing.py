"""Exchange of atoms between classifiers, as objects or files.

Strict atoms of two classifiers are simply joined, because each holds for every example of its
class. The scores of weighted atoms are averaged. Weights only make sense together with the other
weights of the same classifier, so each classifier keeps its own, and counts by the number of rows
that it was fitted on.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.misses import blocks_of, typical_misses
from atomlearn.engine.pool import Merged, Pool, hash_lists
from atomlearn.engine.state import examples_of
from atomlearn.errors import DifferentConstants
from atomlearn.logic.comparison import Measure
from atomlearn.sets.rows import Rows, take
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.rules import MonotoneStatement, Statement
from atomlearn.tables.statements import compile_rules, conditions_of
from atomlearn.tables.training_rows import class_number, codes_of
from atomlearn.tables.validation import read_table
from atomlearn.training.boosting.ensemble import WeightedAtoms, merged
from atomlearn.training.data import HeldOutPredictions
from atomlearn.training.learned import Learned, count_missed
from atomlearn.training.scores import Evidence
from atomlearn.typing import Integers

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier


def average(models: Sequence[Learned], n_rows: Sequence[int]) -> Learned:
    """Return the first model with the weighted atoms of all; strict pools are merged elsewhere.

    Held-out predictions are dropped: another model may have been fitted on those rows.
    """
    first = models[0]
    total = max(sum(n_rows), 1)
    shares = [n / total if sum(n_rows) else 1 / len(models) for n in n_rows]
    parts = [
        one.weighted.scaled(share * one.evidence.weighted)
        for one, share in zip(models, shares, strict=True)
        if one.weighted is not None and one.evidence.weighted > 0
    ]
    strict = sum(share * one.evidence.strict for one, share in zip(models, shares, strict=True))
    counted = next((one for one in models if one.evidence.strict > 0), first)
    chosen = "weighted" if strict == 0 else "both"
    return replace(
        first,
        weighted=merged(parts),
        evidence=Evidence(chosen, {}, {}, float(strict), 1.0),
        calibration=counted.calibration,
        held_out=HeldOutPredictions.none(first.n_classes),
    )


def merged_counts(ours: WeightedAtoms | None, others: Sequence[Learned], k: int) -> Merged:
    """Count the weighted atoms of a class that are new, and those that were known."""
    known = set() if ours is None else _hashes(ours, k)
    theirs = [_hashes(one.weighted, k) for one in others if one.weighted is not None]
    new = set().union(*theirs) - known
    return Merged(len(new), sum(map(len, theirs)) - len(new), 0)


def _hashes(weighted: WeightedAtoms, k: int) -> set[int]:
    return set(hash_lists(take(weighted.atoms, np.flatnonzero(weighted.classes == k))).tolist())


class Sharing:
    """Mixin for the exchange of pins."""

    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    rules_: list[Statement]
    sample_: TrainingSample
    held_out_: list[list[Measure]]
    evidence_: Evidence
    estimated_error_: float | None
    estimated_distance_: float | None

    def pool(self, label: Any) -> Pool:
        """Return the pins of a class with the names of its literals, to be saved, read or merged.

        Parameters
        ----------
        label : object
            The class.

        Returns
        -------
        Pool
            The pool, in which the class itself is the last constant.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = AlgebraicClassifier(random_state=0, max_epochs=5).fit(X, y)
        >>> clf.pool(0).names[-1]
        'class 0'
        """
        check_is_fitted(self)
        k = class_number(label, self.classes_)
        pool = self.learned_.pools[k].copy(names=self._names(k))
        if self.learned_.evidence.strict == 0:
            full = replace(self.learned_, card=None)
            pool.add_lists(full.deciding().against(k), epoch=0)
        return pool

    def merge(
        self, *others: "AlgebraicClassifier | Pool | str | Path", X: Any = None, y: Any = None
    ) -> dict[Any, Merged]:
        """Merge the pins of other classifiers, or of their pools, into this one.

        Literals are matched by their text, so all classifiers should have the same cuts: fit one on
        some rows, and let the others continue from its file. A pin is accepted if no row of its
        class contradicts it, neither of the training sample (``sample_``) nor of ``X``.

        Where weighted atoms decide, the scores of all classifiers are averaged, each weighted by
        its number of training rows; they must have the same cuts and classes. Held-out predictions
        are then dropped.

        Parameters
        ----------
        *others : AlgebraicClassifier, Pool, str or Path
            The classifiers or pools, or their files.
        X : array-like or data frame of shape (n_samples, n_features), default=None
            The rows that this classifier was fitted on, if available.
        y : array-like of shape (n_samples,), default=None
            Their labels.

        Returns
        -------
        dict of label to Merged
            For each class, the number of new, known and dropped pins.
        """
        check_is_fitted(self)
        theirs = [_loaded(other) for other in others]
        self._check_order(theirs)
        weighing = [self, *(one for one in theirs if isinstance(one, Sharing))]
        has_weights = any(one.learned_.evidence.weighted > 0 for one in weighing)
        if not any(map(self._has_classes_of, theirs)):
            raise DifferentConstants(f"none of the others knows of {self.classes_.tolist()[:5]}")
        for other in theirs:
            self._check_monotone(other)
        if has_weights:
            self._check_weights(theirs)
        rules = self._merged_rules(theirs)
        self.rules_ = list(rules)
        compiled = compile_rules(
            self.rules_, self.encoder_, self.classes_, ordered=self.learned_.rules.ordered
        )
        self.learned_ = replace(self.learned_, rules=compiled)
        told = self._merge_strict(theirs, *self._witnesses(X, y))
        if has_weights:
            self._merge_weights(weighing, told)
        # The others may have learned from what was held out here, and this is another model now.
        self.held_out_, self.estimated_error_, self.estimated_distance_ = [], None, None
        self.evidence_ = replace(self.learned_.evidence, losses={}, errors={})
        self.learned_ = replace(self.learned_, evidence=self.evidence_, teacher=None, sizes=())
        if self.learned_.card is not None:  # it is made anew, and not measured
            learned = replace(self.learned_, card_held_out=None)
            self.learned_ = self._compacted(learned)  # type: ignore[attr-defined]
        return told

    def _check_order(self, others: "list[Sharing | Pool]") -> None:
        """Raise an error for a classifier that does not order the classes as this one does."""
        for other in others:
            if isinstance(other, Pool):
                continue
            ordered = self.learned_.rules.ordered, other.learned_.rules.ordered
            same = self.classes_.tolist() == other.classes_.tolist()
            if any(ordered) and not (all(ordered) and same):
                raise DifferentConstants(
                    "ordered classes can be merged with the same classes in the same order only: "
                    f"{self.classes_.tolist()[:5]} and {other.classes_.tolist()[:5]} are not, or "
                    "are ordered in one model alone"
                )

    def _check_monotone(self, other: "Sharing | Pool") -> None:
        """Raise an error unless what the other has learned obeys the monotone statements here."""
        ours, theirs = (
            {one for one in statements if isinstance(one, MonotoneStatement)}
            for statements in (self.rules_, [] if isinstance(other, Pool) else other.rules_)
        )
        if ours - theirs:
            raise DifferentConstants(
                f"'{min(map(str, ours - theirs))}' was not stated where the others learned, so "
                "their atoms may break it: fit all with the same monotone statements"
            )
        if theirs - ours:
            raise DifferentConstants(
                f"'{min(map(str, theirs - ours))}' is stated for the others, and the atoms here "
                "may break it: fit all with the same monotone statements"
            )

    def _merged_rules(self, others: "list[Sharing | Pool]") -> dict[Statement, None]:
        """Return the rules of all; those of the others must be about cuts that are known here."""
        rules = dict.fromkeys(self.rules_)
        for other in others:
            for rule in () if isinstance(other, Pool) else other.rules_:
                try:
                    self.encoder_.literal_numbers([conditions_of([rule])])
                except KeyError:
                    raise DifferentConstants(
                        f"the rule '{rule}' is about a column or a cut that is not known here: fit "
                        "with that rule, or let all classifiers go on from one file"
                    ) from None
                if rule.label not in self.classes_.tolist():
                    raise DifferentConstants(f"the rule '{rule}' is about a class not known here")
                rules[rule] = None
        return rules

    def _has_classes_of(self, other: "Sharing | Pool") -> bool:
        ours = self.classes_.tolist()
        if isinstance(other, Pool):
            return other.names is not None and any(class_name(k) in other.names for k in ours)
        return bool(set(ours) & set(other.classes_.tolist()))

    def _merge_strict(
        self, others: "list[Sharing | Pool]", rows: Rows, labels: Integers
    ) -> dict[Any, Merged]:
        """Merge pins; classifiers that use weighted atoms only have none."""
        told: dict[Any, Merged] = {}
        pools, changed = list(self.learned_.pools), []
        for k, label in enumerate(self.classes_.tolist()):
            theirs = [pool for other in others for pool in _pools(other, label)]
            if not theirs:
                continue
            ours = self.learned_.pools[k].copy(names=self._names(k))
            positives = examples_of(np.ascontiguousarray(rows[labels == k]), ours.n_constants)
            dropped = ours.drop_contradicted(positives)  # what other batches taught may be
            told[label] = ours.merge(*theirs, relations=positives)
            pools[k] = ours
            if told[label].new or dropped:
                changed.append(k)
        self.learned_ = replace(self.learned_, pools=pools)
        if changed:
            self._settle(changed)
        return told

    def _check_weights(self, others: "list[Sharing | Pool]") -> None:
        """Raise an error unless all classifiers have weights for the same classes and literals."""
        names = [str(literal) for literal in self.encoder_.literals_]
        for other in others:
            if isinstance(other, Pool):
                raise DifferentConstants(
                    "a pool has no weights, and this classifier is decided by some: merge the "
                    "classifier that the pool is of, or learn with evidence='strict'"
                )
            same = other.classes_.tolist() == self.classes_.tolist()
            if not same or [str(literal) for literal in other.encoder_.literals_] != names:
                raise DifferentConstants(
                    "weights can only be averaged for the same classes and cuts: fit one "
                    "classifier, and let the others go on from its file"
                )

    def _merge_weights(self, all_of_them: "list[Sharing]", told: dict[Any, Merged]) -> None:
        models = [one.learned_ for one in all_of_them]
        weighing = [one for one in models[1:] if one.evidence.weighted > 0]
        for k, label in enumerate(self.classes_.tolist()):
            counts = merged_counts(self.learned_.weighted, weighing, k)
            before = told.get(label, Merged(0, 0, 0))
            told[label] = Merged(*(a + b for a, b in zip(before, counts, strict=True)))
        n_rows = [int(one.sample_.totals.sum()) for one in all_of_them]
        self.learned_ = average(models, n_rows)

    def _names(self, k: int) -> list[str]:
        literals = [literal.in_full for literal in self.encoder_.literals_]
        return [*literals, class_name(self.classes_[k])]

    def _witnesses(self, X: Any, y: Any) -> tuple[Rows, Integers]:
        """Return the rows against which pins are checked."""
        if X is None:
            self.sample_.need("merge() without X and y")
        terms, of_class = self.learned_.rules.terms(len(self.encoder_.literals_) + 1)
        rows = np.vstack([self.sample_.rows, terms])
        labels = np.concatenate([self.sample_.labels, of_class])
        if X is None:
            return rows, labels
        more = self.encoder_.pack(read_table(self, X, reset=False), extra=1)
        return np.vstack([rows, more]), np.concatenate([labels, codes_of(y, self.classes_)])

    def _settle(self, changed: list[int]) -> None:
        """Recompute the median misses; the calibration, which is relative to them, stays."""
        blocks = blocks_of(self.sample_.rows, len(self.encoder_.literals_) + 1)
        atoms = [pool.atoms for pool in self.learned_.pools]
        misses = count_missed(atoms, blocks, len(self.sample_.labels))
        typical = self.learned_.typical.copy()
        typical[changed] = typical_misses(misses, self.sample_.labels)[changed]
        self.learned_ = replace(self.learned_, typical=typical)


def class_name(label: Any) -> str:
    """Return the name of the constant that stands for a class."""
    return f"class {label}"


def _loaded(other: Any) -> "Sharing | Pool":
    """Return a classifier or a pool, loaded if a file is given."""
    if isinstance(other, str | Path):
        from atomlearn.files.load import load

        other = load(other)
    if not isinstance(other, Sharing | Pool):
        raise TypeError(f"a classifier, a pool or a file of one is merged, not {other!r}")
    return other


def _pools(other: "Sharing | Pool", label: Any) -> list[Pool]:
    """Return the pins of a class in another classifier or pool."""
    if isinstance(other, Pool):
        return [other] if other.names is not None and class_name(label) in other.names else []
    is_known = label in other.classes_.tolist() and other.learned_.evidence.strict > 0
    return [other.pool(label)] if is_known else []
