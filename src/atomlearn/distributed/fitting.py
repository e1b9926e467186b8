"""From parts of a table to a classifier: ``fit`` for Dask collections, and what all share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.data import TrainingData, fit_encoder
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.distributed.checkpoint import Checkpoint
from atomlearn.distributed.collections import delayed_parts
from atomlearn.distributed.packing import PartSummary, Recoding
from atomlearn.distributed.running import DaskRows, connected
from atomlearn.distributed.survey import (
    Survey,
    all_classes,
    check_classes,
    check_columns,
    check_kinds,
    class_counts,
    stacked,
)
from atomlearn.errors import UnfitParts
from atomlearn.sets.rows import width
from atomlearn.tables.column_maps import check_maps
from atomlearn.tables.frames import declared_kinds
from atomlearn.tables.literal_maps import sorted_out
from atomlearn.tables.rule_checks import RuleConflict, compile_rules
from atomlearn.tables.rules import Rule
from atomlearn.tables.table import read_table
from atomlearn.tables.targets import check_labels
from atomlearn.training.folds import folds_for
from atomlearn.training.part import joined_parts
from atomlearn.training.parts import Parts
from atomlearn.typing import Floats, Integers

HOME_ROWS, HOME_BYTES = 1 << 18, 1 << 27
"""Maximum number of rows, and of bytes, that are sent to the client: models are evaluated on these
rows, and weighted atoms are learned from them."""


class RawParts(Protocol):
    """Rows and labels in parts, wherever they are."""

    def survey(self, seed: int) -> list[Survey]:
        """Summarise each part."""

    def pack(
        self, recoding: Recoding, surveys: Sequence[Survey]
    ) -> tuple[Parts, list[PartSummary]]:
        """Encode the parts that have rows, and summarise them."""


def fit(
    X: Any,
    y: Any,
    *,
    client: Any = None,
    checkpoint: str | Path | None = None,
    allow_missing: bool = False,
    share_examples: bool = True,
    classifier: AlgebraicClassifier | None = None,
    **parameters: Any,
) -> AlgebraicClassifier:
    """Learn a classifier from a Dask array or data frame that no one machine holds.

    Each partition learns by itself, where it is; after every few epochs the pins that partitions
    found are held against the examples of all others, and shared. The model depends on the
    partitions and the seed, not on how many workers there are, nor on whether some were lost.

    Parameters
    ----------
    X : Dask array or data frame. Its partitions should be alike: shuffle sorted data.
    y : Dask array or series of labels, partitioned like ``X``, or the name of a column of ``X``.
    client : a Dask client or the address of a scheduler; by default whatever Dask's default is,
        which is the client made last, or else threads of this process.
    checkpoint : a file to write what is known to after every exchange; if it is there already,
        learning goes on from it, and gives the same model as if it had never been interrupted.
        The data and everything that decides what is learned must be the same; ``max_epochs`` may
        be more.
    allow_missing : whether a partition may have no row of some class.
    share_examples : whether rows that contradict what other partitions believe, at most 1,000 of
        each class, are shown to all. It takes most of the cost of partitions away; if rows must
        not leave their partition, say no. (To choose cuts, calibrate and explain, a bounded number
        of rows comes to the client in any case.)
    classifier, parameters : an :class:`~atomlearn.AlgebraicClassifier`, or what to make one of,
        such as ``random_state``, ``max_epochs`` and ``verbose``.

    Examples
    --------
    >>> from dask.array import from_array
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> order = np.random.default_rng(0).permutation(len(y))
    >>> X, y = from_array(X[order], chunks=75), from_array(y[order], chunks=75)
    >>> clf = fit(X, y, random_state=0, max_epochs=20)
    >>> bool(clf.score(X.compute(), y.compute()) > 0.9)
    True
    """
    parts = delayed_parts(X, y)
    with connected(client) as scheduler:
        raw = DaskRows(parts, scheduler)
        source = SurveyedParts(raw, checkpoint, allow_missing, share_examples)
        return with_parameters(classifier, parameters).fit_parts(source)


def with_parameters(
    classifier: AlgebraicClassifier | None, parameters: dict[str, Any]
) -> AlgebraicClassifier:
    """The classifier, or a new one, with these parameters."""
    classifier = AlgebraicClassifier() if classifier is None else classifier
    return classifier.set_params(**parameters)


@dataclass
class SurveyedParts:
    """Parts that are summarised first, and then encoded in the same way."""

    raw: RawParts
    checkpoint: str | Path | None = None
    allow_missing: bool = False
    share_examples: bool = True

    def prepare(self, classifier: AlgebraicClassifier) -> TrainingData:
        """Choose classes, cuts and categories by some rows of every part, and encode all."""
        surveys = self.raw.survey(classifier.seed_)
        if not any(one.n_rows for one in surveys):
            raise UnfitParts("there are no rows at all")
        check_columns(surveys)
        check_kinds(surveys)
        classes = _classes(surveys, self.allow_missing, classifier.max_classes)
        recoding, rules = _recoding(classifier, classes, [one for one in surveys if one.n_rows])
        parts, summaries = self.raw.pack(recoding, surveys)
        data = TrainingData(
            classes,
            recoding.encoder,
            parts,
            joined_parts([one.sample for one in summaries]),
            np.sum([one.totals for one in summaries], axis=0),
            _class_weights(recoding),
            [conflict for one in summaries for conflict in one.conflicts],
            rules,
            _rule_conflicts(rules, summaries),
            sum(one.decided for one in summaries),
            sum(one.contradicted for one in summaries),
            _sum_of([one.left for one in summaries]),
            _sum_of([one.met for one in summaries]),
            n_rows=sum(one.n_rows for one in surveys),
            share_examples=self.share_examples,
        )
        saved = Checkpoint(self.checkpoint, data, classifier)
        data.state, data.on_exchange = saved.read(), saved.write
        return data


def _classes(
    surveys: Sequence[Survey], allow_missing: bool, max_classes: int | None
) -> npt.NDArray[Any]:
    classes = all_classes(surveys)
    check_labels(classes, class_counts(surveys, classes), max_classes)
    if len(classes) < 2:
        raise UnfitParts(f"there is only one class, {classes.tolist()}: nothing to tell apart")
    check_classes(surveys, classes, allow_missing)
    return classes


def _recoding(
    classifier: AlgebraicClassifier, classes: npt.NDArray[Any], surveys: Sequence[Survey]
) -> tuple[Recoding, list[Rule]]:
    """Choose cuts and categories by some rows of every part."""
    sample = stacked([one.some_rows for one in surveys])
    labels = np.concatenate([one.some_labels for one in surveys])
    weights = np.repeat([one.weight for one in surveys], [len(one.some_labels) for one in surveys])
    table, _ = read_table(classifier, sample, reset=True, y=labels)
    # Of the first part: categories that differ from part to part are lost when put together.
    declared = declared_kinds(surveys[0].some_rows)
    encoder, rules = fit_encoder(classifier, table, labels, weights, declared, classes)
    n_rows = sum(one.n_rows for one in surveys)
    _, moved = sorted_out(check_maps(classifier.symmetries, classifier.n_features_in_))
    n_variants = 1 + len(moved)
    most = min(HOME_ROWS, HOME_BYTES // (8 * n_variants * width(len(encoder.literals_) + 1)))
    totals = class_counts(surveys, classes)
    class_weight = classifier.class_weight
    if class_weight == "balanced":
        even = n_rows / (len(totals) * totals)
        class_weight = dict(zip(classes.tolist(), even.tolist(), strict=True))
    recoding = Recoding(
        encoder,
        classes,
        classifier.symmetries,
        class_weight,
        compile_rules(rules, encoder, classes),
        folds_for(n_rows * n_variants),
        min(1.0, most / n_rows),
        classifier.seed_,
    )
    return recoding, rules


def _rule_conflicts(rules: list[Rule], summaries: Sequence[PartSummary]) -> list[RuleConflict]:
    """The rows of all parts that each rule contradicts."""
    found = []
    for r, rule in enumerate(rules):
        ours = [(rows, labels) for one in summaries for s, rows, labels in one.refused if s == r]
        if ours:
            rows, labels = (np.concatenate(column) for column in zip(*ours, strict=True))
            found.append(RuleConflict(rule, rows, labels))
    return found


def _class_weights(recoding: Recoding) -> Floats:
    weights = recoding.class_weight or {}
    return np.array([weights.get(label, 1.0) for label in recoding.classes.tolist()])


def _sum_of(counts: Sequence[Integers | None]) -> Integers | None:
    """Counts of all parts together; none if there are no rules."""
    known = [one for one in counts if one is not None]
    return np.sum(known, axis=0) if known else None
