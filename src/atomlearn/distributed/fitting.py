"""From parts of a table to a classifier: ``fit`` for Dask collections, and what all share."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.held_out import Trial, measure_definitions
from atomlearn.classifier.progress import show_progress
from atomlearn.classifier.sample import TrainingSample
from atomlearn.distributed.checkpoint import Checkpoint
from atomlearn.distributed.collections import delayed_parts
from atomlearn.distributed.packing import Recoding, Told
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
from atomlearn.errors import InvalidParameter, UnfitParts
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.frames import declared_categories
from atomlearn.tables.table import read_table
from atomlearn.tables.targets import check_labels
from atomlearn.tables.training_rows import root_seed
from atomlearn.training.classes import LARGE_EPOCHS, LARGEST_SPARED, SPARED_SHARE, Plan, schedule
from atomlearn.training.examples import Examples
from atomlearn.training.exchange import Parts, learn_parts
from atomlearn.training.rounds import Rounds

FEWEST_SPARED = 50
"""Rows of a small set that are spared to tell when to stop, if that is not too large a part."""


class RawParts(Protocol):
    """Rows and labels in parts, wherever they are."""

    def survey(self, seed: int) -> list[Survey]:
        """What each part tells of itself."""

    def pack(self, recoding: Recoding, surveys: Sequence[Survey]) -> tuple[Parts, list[Told]]:
        """The parts that have rows, encoded, and what they send home."""


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
        return fit_parts(raw, classifier, parameters, checkpoint, allow_missing, share_examples)


def fit_parts(
    raw: RawParts,
    classifier: AlgebraicClassifier | None,
    parameters: dict[str, Any],
    checkpoint: str | Path | None,
    allow_missing: bool,
    share_examples: bool = True,
) -> AlgebraicClassifier:
    """Look at all parts, encode them where they are, learn, and put the classifier together."""
    classifier = AlgebraicClassifier() if classifier is None else classifier
    classifier.set_params(**parameters)
    with classifier._interruptible():
        _fit_parts(raw, classifier, checkpoint, allow_missing, share_examples)
    return classifier


def _fit_parts(
    raw: RawParts,
    classifier: AlgebraicClassifier,
    checkpoint: str | Path | None,
    allow_missing: bool,
    share_examples: bool,
) -> None:
    settings = classifier._settings()
    if classifier.evidence == "weighted":
        raise InvalidParameter(
            "evidence='weighted' needs all rows in one place, and these are in parts: leave it "
            "at 'auto', or use partial_fit"
        )
    started = time.monotonic()
    seed = classifier.seed_ = root_seed(classifier.random_state)
    surveys = raw.survey(seed)
    if not any(one.n_rows for one in surveys):
        raise UnfitParts("there are no rows at all")
    check_columns(surveys)
    check_kinds(surveys)
    classifier.classes_ = _classes(surveys, allow_missing, classifier.max_classes)
    recoding = _recoding(classifier, [one for one in surveys if one.n_rows])
    parts, told = raw.pack(recoding, surveys)
    held = join([one.held for one in told])
    saved = Checkpoint(checkpoint, parts.sources, held, classifier, share_examples)
    targets = list(schedule(settings.max_epochs or LARGE_EPOCHS))
    planned = Plan(len(targets), len(classifier.classes_) * targets[-1])
    with show_progress(classifier.verbose, settings, planned) as hooks:
        rounds = Rounds(settings, hooks.on_round, hooks.on_epoch)
        learned, known = learn_parts(
            parts, held, seed, rounds, saved.read(), saved.write, share_examples
        )
    conflicts = [conflict for one in told for conflict in one.conflicts]
    none = np.zeros(0, dtype=np.int64)
    classifier.sample_ = _sample(told)
    atoms = [concept.pool.atoms for concept in learned.concepts]
    trials = [Trial(atoms, classifier.sample_, held)] if len(held) else []
    classifier.held_out_ = measure_definitions(trials, len(classifier.classes_))
    classifier.contradicted_pins_ = known.dropped
    classifier.fit_seconds_ = time.monotonic() - started
    classifier._conclude(learned, _weights(recoding), conflicts, none, [])


def _classes(
    surveys: Sequence[Survey], allow_missing: bool, max_classes: int | None
) -> npt.NDArray[Any]:
    classes = all_classes(surveys)
    check_labels(classes, class_counts(surveys, classes), max_classes)
    if len(classes) < 2:
        raise UnfitParts(f"there is only one class, {classes.tolist()}: nothing to tell apart")
    check_classes(surveys, classes, allow_missing)
    return classes


def _recoding(classifier: AlgebraicClassifier, surveys: Sequence[Survey]) -> Recoding:
    """Choose cuts and categories by some rows of every part: at quantiles, without labels."""
    sample = stacked([one.some_rows for one in surveys])
    labels = np.concatenate([one.some_labels for one in surveys])
    weights = np.repeat([one.weight for one in surveys], [len(one.some_labels) for one in surveys])
    table, _ = read_table(classifier, sample, reset=True, y=labels)
    # Of the first part: categories that differ from part to part are lost when put together.
    declared = declared_categories(surveys[0].some_rows)
    encoder = LiteralEncoder(max_cuts=classifier.max_cuts)
    are_pixels = classifier.image_shape is not None or classifier.symmetries is not None
    encoder.fit_table(table, weights, classifier, declared, are_pixels=are_pixels)
    classifier.encoder_ = encoder
    n_rows = sum(one.n_rows for one in surveys)
    share = max(min(SPARED_SHARE, LARGEST_SPARED / n_rows), min(0.3, FEWEST_SPARED / n_rows))
    totals = class_counts(surveys, classifier.classes_)
    class_weight = classifier.class_weight
    if class_weight == "balanced":
        even = n_rows / (len(totals) * totals)
        class_weight = dict(zip(classifier.classes_.tolist(), even.tolist(), strict=True))
    return Recoding(
        encoder,
        classifier.classes_,
        classifier.symmetries,
        class_weight,
        share,
        classifier.seed_ % (1 << 63),
    )


def _sample(told: Sequence[Told]) -> TrainingSample:
    """The rows for explanations, of all parts together."""
    sample = told[0].sample
    for one in told[1:]:
        sample = sample.extended(one.sample.rows, one.sample.labels)
    totals = np.sum([one.sample.totals for one in told], axis=0)
    return TrainingSample(sample.rows, sample.labels, totals)


def _weights(recoding: Recoding) -> npt.NDArray[np.float64]:
    weights = recoding.class_weight or {}
    return np.array([weights.get(label, 1.0) for label in recoding.classes.tolist()])


def join(parts: Sequence[Examples]) -> Examples:
    """Examples of several parts as one set, without their contradicting labels."""
    return Examples(
        np.concatenate([part.variants for part in parts], axis=1),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.weights for part in parts]),
        parts[0].n_constants,
        parts[0].n_classes,
    )
