"""``fit`` for Dask collections: each partition learns where it is, and pins are shared."""

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.encoder import LiteralEncoder
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.progress import show_progress
from atomlearn.classifier.sample import TrainingSample
from atomlearn.classifier.tables import declared_categories, read_table
from atomlearn.classifier.training import root_seed
from atomlearn.distributed.collections import DelayedPart, delayed_parts
from atomlearn.distributed.packing import Recoding, Told, pack
from atomlearn.distributed.running import DaskParts, Scheduler, connected
from atomlearn.distributed.survey import (
    SAMPLED,
    Survey,
    all_classes,
    check_classes,
    check_columns,
    class_counts,
    survey,
)
from atomlearn.errors import UnfitParts
from atomlearn.formats.exchanges import Checkpoint
from atomlearn.learning.classes import LARGE_EPOCHS, LARGEST_SPARED, SPARED_SHARE, Plan, schedule
from atomlearn.learning.exchange import learn_parts
from atomlearn.learning.pinning import Source
from atomlearn.learning.rounds import Examples, Rounds

FEWEST_SPARED = 50
"""Rows of a small set that are spared to tell when to stop, if that is not too large a part."""


def fit(
    X: Any,
    y: Any,
    *,
    client: Any = None,
    checkpoint: str | Path | None = None,
    allow_missing: bool = False,
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
    allow_missing : whether a partition may have no row of some class.
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
    classifier = AlgebraicClassifier() if classifier is None else classifier
    classifier.set_params(**parameters)
    settings = classifier._settings()
    started = time.monotonic()
    parts = delayed_parts(X, y)
    with connected(client) as scheduler:
        seed = classifier.seed_ = root_seed(classifier.random_state)
        surveys = _survey(parts, seed, scheduler)
        parts = [part for part, one in zip(parts, surveys, strict=True) if one.n_rows]
        surveys = [one for one in surveys if one.n_rows]
        classifier.classes_ = _classes(surveys, allow_missing)
        recoding = _recoding(classifier, surveys)
        packed = _packed(parts, surveys, recoding, scheduler)
        told = _told(packed, scheduler)
        held = join([one.held for one in told])
        sources = [Source(f"partition {p}", one.digest, one.n_rows) for p, one in enumerate(told)]
        saved = Checkpoint(checkpoint, sources, held, classifier)
        targets = list(schedule(settings.max_epochs or LARGE_EPOCHS))
        planned = Plan(len(targets), len(classifier.classes_) * targets[-1])
        with show_progress(classifier.verbose, settings, planned) as hooks:
            learned, known = learn_parts(
                DaskParts(packed, sources, scheduler),
                held,
                seed,
                Rounds(settings, hooks.on_round, hooks.on_epoch),
                saved.read(),
                saved.write,
            )
    if learned.interrupted:
        warnings.warn("learning was interrupted: the model is what was known by then", stacklevel=2)
    conflicts = [conflict for one in told for conflict in one.conflicts]
    none = np.zeros(0, dtype=np.int64)
    classifier.sample_ = _sample(told)
    classifier.contradicted_pins_ = known.dropped
    classifier.fit_seconds_ = time.monotonic() - started
    classifier._conclude(learned, _weights(recoding), conflicts, none, [])
    return classifier


def _survey(parts: Sequence[DelayedPart], seed: int, scheduler: Scheduler) -> list[Survey]:
    import dask

    look = dask.delayed(survey, pure=False)
    most = -(-SAMPLED // max(1, len(parts)))
    surveys = scheduler.compute(
        [look(part.X, part.y, p, seed, most) for p, part in enumerate(parts)]
    )
    if not any(one.n_rows for one in surveys):
        raise UnfitParts("there are no rows at all")
    check_columns(surveys)
    return surveys


def _classes(surveys: Sequence[Survey], allow_missing: bool) -> npt.NDArray[Any]:
    classes = all_classes(surveys)
    if len(classes) < 2:
        raise UnfitParts(f"there is only one class, {classes.tolist()}: nothing to tell apart")
    check_classes(surveys, classes, allow_missing)
    return classes


def _recoding(classifier: AlgebraicClassifier, surveys: Sequence[Survey]) -> Recoding:
    """Choose cuts and categories by some rows of every part."""
    rows = [one.some_rows for one in surveys]
    if hasattr(rows[0], "columns"):
        import pandas as pd

        sample = pd.concat(rows, ignore_index=True)
    else:
        sample = np.concatenate(rows)
    labels = np.concatenate([one.some_labels for one in surveys])
    weights = np.repeat([one.weight for one in surveys], [len(one.some_labels) for one in surveys])
    table, _ = read_table(classifier, sample, reset=True, y=labels)
    encoder = LiteralEncoder().fit_table(table, weights, classifier, declared_categories(sample))
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


def _packed(
    parts: Sequence[DelayedPart],
    surveys: Sequence[Survey],
    recoding: Recoding,
    scheduler: Scheduler,
) -> list[Any]:
    """The parts encoded, kept by the workers."""
    import dask

    make = dask.delayed(pack, pure=False)
    how = dask.delayed(recoding, pure=False, traverse=False)
    first = np.cumsum([0, *(one.n_rows for one in surveys)])
    return scheduler.persist(
        [make(part.X, part.y, how, p, int(first[p])) for p, part in enumerate(parts)]
    )


def _told(packed: Sequence[Any], scheduler: Scheduler) -> list[Told]:
    import dask

    tell = dask.delayed(_tell, pure=False)
    return scheduler.compute([tell(one) for one in packed])


def _tell(packed: Any) -> Told:
    told: Told = packed.told
    return told


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
