"""Learn from more data than memory on one machine: batches are packed to disk like partitions.

A row takes a bit for each literal, which is far less than it took in the table. Only one batch for
each job is in memory at a time, besides the atoms and a sample of the rows."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.distributed.fitting import SurveyedParts, with_parameters
from atomlearn.distributed.parts import (
    SAMPLED,
    PartSummary,
    Recoding,
    Survey,
    pack,
    sources_of,
    survey,
)
from atomlearn.engine.pool import Source
from atomlearn.engine.symmetries import Symmetries
from atomlearn.errors import UnfitParts
from atomlearn.files.container import private_folder
from atomlearn.tables.batches import chained
from atomlearn.training.data import Examples, FoldAssignment
from atomlearn.training.parts import Job, OnResult, Part, run_in_threads
from atomlearn.training.settings import ignore

log = logging.getLogger("atomlearn")

FEW_BATCHES = 16
"""With more batches than this, fewer rows of each are sampled."""


def fit_batches(
    batches: Iterable[tuple[Any, Any]],
    *,
    folder: str | Path | None = None,
    checkpoint: str | Path | None = None,
    allow_missing: bool = False,
    classifier: AlgebraicClassifier | None = None,
    **parameters: Any,
) -> AlgebraicClassifier:
    """Learn a classifier from batches of rows and labels that together do not fit in memory.

    Parameters
    ----------
    batches : iterable of (X, y)
        The batches, which are read twice: :func:`~atomlearn.tables.read_batches` of a file,
        :class:`~atomlearn.tables.ArrayBatches` of arrays mapped from disk, or a list. Batches
        should be alike: shuffle sorted data.
    folder : str or Path, default=None
        The folder in which a new folder for packed batches is created, which is removed at the end;
        by default the system's folder for temporary files.
    checkpoint : str or Path, default=None
        A file to which the state is written after every exchange, as for
        :func:`~atomlearn.distributed.fit`.
    allow_missing : bool, default=False
        Whether a batch may have no row of some class.
    classifier : AlgebraicClassifier, default=None
        The classifier to fit; by default a new one.
    **parameters : object
        Parameters of the classifier, such as ``random_state`` and ``max_epochs``.

    Returns
    -------
    AlgebraicClassifier
        The fitted classifier.

    Examples
    --------
    >>> from atomlearn.datasets import vertical_bars
    >>> from atomlearn.tables.batches import ArrayBatches
    >>> X, y = vertical_bars(3000, shape=(4, 4), noise=0.2, random_state=0)
    >>> clf = fit_batches(ArrayBatches(X, y, rows=1000), random_state=0, max_epochs=20)
    >>> bool(clf.score(X, y) > 0.97)
    True
    """
    if iter(batches) is batches:
        raise UnfitParts(
            "batches can be gone through only once, and are needed twice: pass a list, or an "
            "object whose __iter__ begins anew"
        )
    with private_folder(folder) as place:
        classifier = with_parameters(classifier, parameters)
        rows = BatchRows(batches, place, classifier.n_jobs)
        return classifier.fit_parts(SurveyedParts(rows, checkpoint, allow_missing))


@dataclass
class BatchRows:
    """Rows and labels that are read batch after batch."""

    batches: Iterable[tuple[Any, Any]]
    folder: Path
    n_jobs: int | None

    def survey(self, seed: int) -> list[Survey]:
        """Summarise each batch."""
        surveys = []
        for p, (X, y) in enumerate(chained(self.batches)):
            # How many there will be is not known: later batches take fewer rows along.
            most = SAMPLED // FEW_BATCHES if p < FEW_BATCHES else SAMPLED // (p + 1)
            surveys.append(survey(X, y, p, seed, max(1, most)))
        return surveys

    def pack(
        self, recoding: Recoding, surveys: Sequence[Survey]
    ) -> tuple["PartsOnDisk", list[PartSummary]]:
        """Encode the batches to disk."""
        summaries: list[PartSummary] = []
        first = 0
        for p, (X, y) in enumerate(chained(self.batches)):
            if p >= len(surveys) or len(y) != surveys[p].n_rows:
                raise UnfitParts(f"batch {p} is not the same when it is read a second time")
            if len(y):
                packed = pack(X, y, recoding, p, first, "batch")
                save_part(packed.part, self.folder / str(len(summaries)))
                summaries.append(packed.summary)
            first += len(y)
        total = sum(file.stat().st_size for file in self.folder.glob("*.npy"))
        log.info("%s rows packed into %.1f MB", f"{first:,}", total / 1e6)
        parts = PartsOnDisk(
            self.folder,
            sources_of(summaries),
            len(recoding.encoder.literals_) + 1,
            len(recoding.classes),
            recoding.n_folds,
            self.n_jobs,
        )
        return parts, summaries


@dataclass
class PartsOnDisk:
    """Packed batches in a folder, mapped into memory when they are needed."""

    folder: Path
    sources: Sequence[Source]
    n_constants: int
    n_classes: int
    n_folds: int
    n_jobs: int | None = None

    @property
    def at_a_time(self) -> int:
        """Number of jobs that run at the same time."""
        return int(effective_n_jobs(self.n_jobs))

    def run(
        self, function: Callable[..., Any], jobs: Iterable[Job], on_result: OnResult = ignore
    ) -> list[Any]:
        """Apply the function to each part, ``n_jobs`` at a time."""
        return run_in_threads(self._load, function, jobs, self.n_jobs, on_result)

    def _load(self, number: int) -> Part:
        return load_part(self.folder / str(number), self.n_constants, self.n_classes, self.n_folds)


def save_part(part: Part, path: Path) -> None:
    """Write the terms, labels and folds of a part."""
    examples, dealt = part.examples, part.dealt
    np.save(f"{path}.terms.npy", examples.variants)
    np.save(f"{path}.labels.npy", examples.labels)
    np.save(f"{path}.dealt.npy", np.stack([dealt.example, dealt.label, dealt.fold]))
    if examples.symmetries is not None:
        np.save(f"{path}.maps.npy", examples.symmetries.maps)


def load_part(path: Path, n_constants: int, n_classes: int, n_folds: int) -> Part:
    """Load a part whose terms stay on disk until they are needed, for learning only."""
    terms = np.load(f"{path}.terms.npy", mmap_mode="r")
    labels = np.load(f"{path}.labels.npy")
    examples = Examples(terms, labels, np.ones(len(labels)), n_constants, n_classes)
    maps = Path(f"{path}.maps.npy")
    if maps.exists():
        examples = replace(examples, symmetries=Symmetries(np.load(maps)))
    example, label, fold = np.load(f"{path}.dealt.npy")
    return Part(examples, FoldAssignment(n_folds, example, label, np.ones(len(example)), fold))
