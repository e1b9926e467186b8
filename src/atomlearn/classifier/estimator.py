"""The scikit-learn estimator. It only translates: tables in, engine called, attributes out."""

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from atomlearn.bits.random import seed_sequence
from atomlearn.classifier.encoder import LiteralEncoder
from atomlearn.classifier.progress import show_progress
from atomlearn.classifier.rows import DistinctRows, distinct_rows
from atomlearn.classifier.symmetries import check_maps, permuted
from atomlearn.classifier.tables import declared_categories, read_table
from atomlearn.learning.classes import learn_classes, plan
from atomlearn.learning.misses import blocks_of
from atomlearn.learning.rounds import Examples, Learned, Settings

Floats = npt.NDArray[np.float64]


class AlgebraicClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose every decision can be read as a rule, with nothing to tune.

    Each class is a constant of an algebra, described by *atoms*: small sets of literals such as
    ``petal length > 4.75``, of which every example of the class has at least one. A row belongs to
    the class whose atoms it misses least.

    Parameters
    ----------
    max_epochs : int, default=None
        Most epochs for each class. Learning stops by itself when unseen examples are not told
        apart any better.
    time_limit : float, default=None
        Seconds after which learning ends with what is known. (A limit makes the model depend on
        the machine; ``max_epochs`` does not.)
    symmetries : list of arrays, default=None
        Maps of columns that keep the label, such as
        :func:`~atomlearn.classifier.symmetries.translations` of an image.
    image_shape : tuple of int, default=None
        If the columns are the pixels of an image: its height and width, for pictures.
    n_jobs : int, default=None
        Classes learned at the same time. The model is the same for every number.
    random_state : int, RandomState instance or None, default=None
        Fixes the model.
    verbose : int, default=0
        ``1`` shows a progress bar with the current estimate of the error.

    Attributes
    ----------
    classes_ : the labels.
    encoder_ : the :class:`~atomlearn.classifier.encoder.LiteralEncoder` of the columns.
    conflicts_ : rows that look the same and have different labels, and which label was kept.
    history_ : one dictionary an epoch and class.
    estimated_error_ : share of errors on examples no batch has seen, if there were enough.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AlgebraicClassifier(random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        *,
        max_epochs: int | None = None,
        time_limit: float | None = None,
        symmetries: Any = None,
        image_shape: tuple[int, int] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_epochs = max_epochs
        self.time_limit = time_limit
        self.symmetries = symmetries
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AlgebraicClassifier":
        """Learn the classes of a table.

        A weight says how much a row counts where rows contradict each other and in the
        calibration; a row of weight zero is not there.
        """
        settings = self._settings()
        declared = declared_categories(X)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=None, ensure_all_finite="allow-nan"
        )
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError("Negative values in data passed to `sample_weight`")
        counted = weights > 0
        if not counted.any():
            raise ValueError("all sample weights are zero: nothing is left to learn from")
        X, y, weights = X[counted], y[counted], weights[counted]
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.encoder_ = LiteralEncoder().fit_table(X, weights, self, declared)
        examples, distinct = self._examples(X, labels, weights)
        self.conflicts_ = distinct.conflicts
        started = time.monotonic()
        planned = plan(len(examples), len(self.classes_), settings)
        with show_progress(self.verbose, settings, planned) as hooks:
            learned = learn_classes(
                examples,
                seed_sequence(self.random_state),
                settings,
                hooks.on_round,
                hooks.on_epoch,
            )
        self._conclude(learned, time.monotonic() - started)
        return self

    def misses(self, X: Any) -> npt.NDArray[np.int32]:
        """How many atoms of each class a row misses, ``(n_samples, n_classes)``."""
        blocks, n = self._blocks(X)
        return self.learned_.misses(blocks, n)

    def decision_function(self, X: Any) -> Floats:
        """Scores of the classes; for two classes, the log-odds of the second."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, calibrated on examples that were not learned from."""
        blocks, n = self._blocks(X)
        return self.learned_.calibration.probabilities(self.learned_.ratios(blocks, n))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags

    def _settings(self) -> Settings:
        if self.max_epochs is not None and self.max_epochs < 1:
            raise ValueError(f"max_epochs must be at least 1, not {self.max_epochs}")
        if self.time_limit is not None and self.time_limit <= 0:
            raise ValueError(f"time_limit must be positive, not {self.time_limit}")
        return Settings(self.max_epochs, self.time_limit, self.n_jobs)

    def _examples(
        self, X: Any, labels: npt.NDArray[np.int64], weights: Floats
    ) -> tuple[Examples, DistinctRows]:
        packed = self.encoder_.pack(X, extra=1)
        n_classes = len(self.classes_)
        distinct = distinct_rows(packed, labels, weights, n_classes)
        variants = [packed[distinct.first]]
        for column_map in check_maps(self.symmetries, X.shape[1]):
            moved = permuted(np.asarray(X)[distinct.first], column_map)
            variants.append(self.encoder_.pack(moved, extra=1))
        n_constants = len(self.encoder_.literals_) + 1
        return (
            Examples(np.stack(variants), distinct.labels, distinct.weights, n_constants, n_classes),
            distinct,
        )

    def _conclude(self, learned: Learned, seconds: float) -> None:
        self.learned_ = learned
        self.fit_seconds_ = seconds
        self.estimated_error_ = learned.error
        self.history_ = [
            {
                "class": self.classes_[k],
                "epoch": report.epoch,
                "examples": report.n_positive + report.n_negative,
                "atoms": report.n_atoms,
                "pool": report.n_pool,
                "estimated_error": done.error,
                "seconds": report.total_seconds,
            }
            for done in learned.rounds
            for k, reports in enumerate(done.reports)
            for report in reports
        ]

    def _blocks(self, X: Any) -> tuple[npt.NDArray[np.uint64], int]:
        check_is_fitted(self)
        packed = self.encoder_.pack(read_table(self, X, reset=False), extra=1)
        return blocks_of(packed, len(self.encoder_.literals_) + 1), len(packed)

    def _scores(self, X: Any) -> Floats:
        blocks, n = self._blocks(X)
        return self.learned_.calibration.scores(self.learned_.ratios(blocks, n))
