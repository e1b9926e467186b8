"""The scikit-learn estimator. It only translates: tables in, engine called, attributes out."""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from atomlearn.classifier.audit import Auditing
from atomlearn.classifier.base import TableEstimator
from atomlearn.classifier.compacting import (
    NOT_COMPACT,
    check_max_atoms,
    measured_by,
    predicted_before,
    teacher_of,
)
from atomlearn.classifier.fitting import (
    CallbackSupportMixin,
    History,
    PartsSource,
    TrainingData,
    check_coverage,
    check_parameters,
    fit_encoder,
    helpful_symmetries,
    with_callbacks,
)
from atomlearn.classifier.model_card import ModelCards
from atomlearn.classifier.paired import Comparing
from atomlearn.classifier.readable import Readable
from atomlearn.classifier.sample import TrainingSample, measure_definitions, trials_of
from atomlearn.classifier.sharing import Sharing
from atomlearn.errors import InvalidParameter
from atomlearn.files.load import LARGE
from atomlearn.markup import Listed
from atomlearn.sets.memory import give_back
from atomlearn.tables.literals import without_repetitions
from atomlearn.tables.rules import (
    TARGETS,
    MonotoneStatement,
    Rule,
    Statement,
    monotone_statements,
    parse_rules,
)
from atomlearn.tables.statements import RuleConflict, compile_rules, warn_of_unmet
from atomlearn.tables.training_rows import (
    RowConflict,
    TrainingRows,
    categories_of,
    chain_of,
    check_some_left,
    codes_of,
    root_seed,
)
from atomlearn.tables.validation import check_targets, declared_kinds, read_table
from atomlearn.training.data import Examples, HardRules, HeldOutPredictions, folds_for
from atomlearn.training.learned import Learned
from atomlearn.training.loop import Training, nothing_learned, plan_part, train_batch
from atomlearn.training.parts import InMemory, Part
from atomlearn.training.settings import Clock, Hooks, Round, Settings
from atomlearn.training.strict import plan
from atomlearn.typing import Bits, Floats, Integers


class AlgebraicClassifier(
    CallbackSupportMixin,  # type: ignore[misc]
    Readable,
    Sharing,
    Auditing,
    Comparing,
    ModelCards,
    TableEstimator,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """A classifier with readable rules and nothing to tune.

    Each class is described by *atoms*, small sets of literals such as ``petal length > 4.75``. A
    row misses an atom if none of its literals is true, and belongs to the class whose atoms it
    misses least; atoms may have weights.

    Parameters
    ----------
    max_atoms : int, "auto" or None, default=None
        Maximum number of atoms that decide. With a number the model is *compact*: a scorecard of at
        most so many rules with whole points, made from the full model. ``"auto"`` takes the fewest
        whose held-out log-loss is within one standard error of the best. By default all atoms
        decide.
    max_points : int, default=5
        Largest number of points of a rule of a compact model.
    max_epochs : int, default=None
        Maximum number of epochs for each class. By default learning stops when the held-out loss
        stops improving.
    time_limit : float, default=None
        Maximum time of learning in seconds, counted from the call of ``fit``. Reading the table
        counts, but is not cut short. The limit is overrun by at most a second, or a fifth of it.
        The model then depends on the machine; with ``max_epochs`` it does not.
    max_classes : int, default=None
        Maximum number of classes. By default a target that looks like regression, with very many
        labels that are all numbers, raises an error.
    max_cuts : int, default=None
        Maximum number of cuts of each number column, half of them at quantiles, the others where a
        small decision tree on that column would split. By default 30, more with more rows (one of
        each kind for every 100 rows, up to 63), and fewer if there are many columns.
    ordered : bool, "auto" or list, default="auto"
        Whether the classes are ordered, such as grades. ``True``: the labels are numbers, or ``y``
        is an ordered categorical of pandas; ``"auto"``: they are ordered if it is. A list has all
        labels from the lowest to the highest. Atoms are then about thresholds, and ``predict``
        returns the median of the probabilities, whose expected distance to the label is least.
    evidence : {"auto", "strict", "weighted"}, default="auto"
        Which atoms decide. *Strict* atoms hold for every training row of their class, and misses
        are counted, as in the paper. *Weighted* atoms may have exceptions, and each miss changes
        the log-odds. ``"auto"`` takes what predicts held-out rows best: either, or both together
        (strict ones if ``symmetries`` are permutations, which move atoms).
    warm_start : bool, default=False
        Whether ``fit`` continues from the current model, with the same columns and classes.
    rules : list of str, default=None
        Rules known beforehand, such as ``"virginica if petal length > 5 and petal width > 1.8"`` or
        ``"not setosa if petal length > 3"``. Every prediction obeys every rule.
        A rule may have ``or``, ``in {a, b}``, ``between`` and comparisons of two columns;
        ``"first: ..."`` decides where rules contradict each other, and ``"likely: ..."`` may be
        overruled by examples. Monotone statements, ``"bad rises with debt"`` or ``"bad falls with
        income"``, say that the probability of a class never falls, or rises, with a column.
    monotonic_cst : dict or array-like of int, default=None
        Monotone statements about the second of two classes as scikit-learn spells them: for each
        column, or by its name, 1 if the probability rises with it, -1 if it falls, or 0.
    class_weight : dict, "balanced" or None, default=None
        Factors for the odds of each class; they also count where rows contradict each other.
    symmetries : list of arrays, default=None
        Maps of columns that keep the label, such as :func:`~atomlearn.tables.translations` of an
        image. Permutations are applied to strict atoms, unless the data contradict them; maps that
        leave blanks are applied to examples, from which strict and weighted atoms learn.
    image_shape : tuple of int, default=None
        Height and width, if the columns are the pixels of an image. Then :meth:`fit` tries
        :func:`~atomlearn.tables.translations` by a pixel and, of few images,
        :func:`~atomlearn.tables.distortions`, and learns from such images too if that
        lowers the held-out loss (unless there are ``symmetries``, if only ``[]``, or a time limit).
        It is also used for pictures.
    n_jobs : int, default=None
        Number of parallel jobs. It does not change the model.
    random_state : int, RandomState instance or None, default=None
        Random seed; the same seed gives the same model.
    verbose : int, default=0
        With ``1``, a progress bar shows the current held-out error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; ordered ones from the lowest to the highest.
    ordered_ : bool
        Whether the classes are ordered.
    encoder_ : LiteralEncoder
        The encoder of the columns.
    conflicts_ : list of RowConflict
        Equal rows with different labels, and the label that was kept.
    rules_ : list of Rule and MonotoneStatement
        The statements as they were read.
    rule_conflicts_ : list of RuleConflict
        Training rows that a rule contradicts; they were left out.
    doubted_ : ndarray of int
        Rows that the last ``partial_fit`` left out because their labels are very improbable.
    history_ : list of dict
        Figures of each epoch of each class.
    estimated_error_ : float or None
        Estimated share of wrong predictions, from held-out rows, with class weights and rules (a
        row whose label contradicts a rule counts as wrong); ``None`` if no row could be held out,
        and after ``merge``.
    estimated_distance_ : float or None
        Of ordered classes, the estimated mean distance of the prediction to the label, in steps
        from class to class, from the same rows; else ``None``.
    evidence_ : Evidence
        Which atoms decide, and the held-out losses by which they were chosen.
    feature_importances_ : ndarray of shape (n_features,)
        The importance of each column; sums to 1.
    n_rows_ : int
        Number of training rows, in all batches together.
    learned_ : Learned
        The result of training: pools of atoms, weighted atoms, calibration.
    held_out_ : list of lists of Measure
        For each class, the measures on held-out rows of definitions with one clause, two clauses,
        and more; empty after ``partial_fit``, and for classes for which a time limit left no time.
    sample_ : TrainingSample
        At most about 2,000 training rows, on which explanations are measured.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AlgebraicClassifier(random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    history_: list[dict[str, Any]]
    conflicts_: list[RowConflict]
    doubted_: Integers
    rules_: list[Statement]
    rule_conflicts_: list[RuleConflict]
    target_name_: str
    ordered_ = False

    def __init__(
        self,
        *,
        max_atoms: int | str | None = None,
        max_points: int = 5,
        max_epochs: int | None = None,
        time_limit: float | None = None,
        max_classes: int | None = None,
        max_cuts: int | None = None,
        ordered: Any = "auto",
        evidence: str = "auto",
        warm_start: bool = False,
        rules: Any = None,
        monotonic_cst: Any = None,
        class_weight: Any = None,
        symmetries: Any = None,
        image_shape: tuple[int, int] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_atoms = max_atoms
        self.max_points = max_points
        self.max_epochs = max_epochs
        self.time_limit = time_limit
        self.max_classes = max_classes
        self.max_cuts = max_cuts
        self.ordered = ordered
        self.evidence = evidence
        self.warm_start = warm_start
        self.rules = rules
        self.monotonic_cst = monotonic_cst
        self.class_weight = class_weight
        self.symmetries = symmetries
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AlgebraicClassifier":
        """Fit the classifier to a table.

        Ctrl-C ends the fit with what has been learned so far, and a warning.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The training rows. Columns may be numbers, categories or booleans, with missing values.
        y : array-like of shape (n_samples,)
            The labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; a row of weight zero is ignored. For strict atoms, which hold for
            every training row, a weight only decides between contradictory rows and counts in the
            estimated error; weighted atoms use it fully.

        Returns
        -------
        AlgebraicClassifier
            The fitted classifier.
        """
        with self._interruptible():
            settings = self._settings()
            self.__dict__.pop("before_", None)
            continues = self.warm_start and hasattr(self, "learned_")
            data = self._in_memory(X, y, sample_weight, settings, continues)
            self._learn(data, settings, continues, X=X, y=y, sample_weight=sample_weight)
            self._warn_of_unlearned()
        return self

    def fit_parts(self, source: PartsSource) -> "AlgebraicClassifier":
        """Fit the classifier to a table in parts, as :func:`atomlearn.distributed.fit` does.

        Parameters
        ----------
        source : PartsSource
            The parts, which are encoded where they are.

        Returns
        -------
        AlgebraicClassifier
            The fitted classifier.
        """
        with self._interruptible():
            settings = self._settings()
            self.seed_ = root_seed(self.random_state)
            in_one = partial(self._in_one, settings=settings)
            self._learn(source.prepare(self, in_one), settings)
        return self

    def _in_memory(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, continues: bool
    ) -> TrainingData:
        """Return a table as one part; if it ``continues``, with columns and classes as before."""
        table, targets = read_table(self, X, reset=not continues, y=y)
        if not continues:
            self.seed_ = root_seed(self.random_state)
        declared = declared_kinds(X)
        return self._in_one(table, targets, declared, y, settings, sample_weight, continues)

    def _in_one(
        self,
        table: Any,
        targets: Any,
        declared: Sequence[str | None] | None,
        y: Any,
        settings: Settings,
        sample_weight: Any = None,
        continues: bool = False,
    ) -> TrainingData:
        """Return a validated table as one part; ``y`` may say the order of its labels."""
        check_targets(targets, self.max_classes)
        rows = self._training_rows(table, targets, sample_weight, self.class_weight)
        if continues:
            codes_of(rows.targets, self.classes_, all_present=True)
        else:
            self._order(np.unique(rows.targets), y)
            self._begin(rows, declared)
        rules = self._known_rules() if continues else self._compiled_rules()

        def encode(some: TrainingRows, maps: Any) -> Examples:
            return some.encoded(self.encoder_, self.classes_, maps, rules).examples

        def loss(part: Part) -> float:
            weighted = replace(settings, evidence="weighted")
            tried = Training(InMemory(part), part, 0, weighted, find_splits=self._splits).run()
            return tried.evidence.losses.get("weighted", math.inf)

        symmetries = self.symmetries
        if len(self.classes_) > 1:
            symmetries = helpful_symmetries(self, rows, loss, encode)
        encoded = rows.encoded(self.encoder_, self.classes_, symmetries, rules)
        examples = encoded.examples
        dealing = np.random.SeedSequence(self.seed_, spawn_key=(0,))
        n_folds = folds_for(len(examples), examples.n_classes)
        most = settings.most_held(len(self.classes_))
        rng = np.random.default_rng(dealing)
        part = home = Part.of(examples, n_folds, rng, most)
        most = settings.most_weighed(len(self.classes_), n_folds)
        if self.evidence == "weighted" and most is not None:
            home = part.sample(most, rng)
        return TrainingData(
            self.classes_,
            self.encoder_,
            InMemory(part.with_rules(), self.n_jobs),
            home,
            np.bincount(examples.labels, minlength=len(self.classes_)),
            encoded.class_weights,
            encoded.conflicts,
            self.rules_,
            encoded.rule_conflicts(self.rules_),
            encoded.decided,
            encoded.contradicted,
            encoded.left,
            encoded.met,
            n_rows=table.shape[0],
        )

    def _learn(
        self, data: TrainingData, settings: Settings, continues: bool = False, **callback_data: Any
    ) -> None:
        """Train on parts, and keep the result."""
        self.classes_, self.encoder_, self.rules_ = data.classes, data.encoder, data.rules
        if data.met is not None and data.left is not None:
            check_some_left(data.left, self.classes_)
            warn_of_unmet(self.rules_, data.met)
        settings = settings.with_table_read()
        give_back()
        known = self.learned_ if continues else None
        settings = replace(
            settings, prior=log_weights(data.class_weights), evidence=self._kind_of_evidence()
        )
        planned = plan(data.parts, data.home, settings)
        seed = self.seed_
        if known is not None:  # the same batches again would teach nothing new
            seed = root_seed(np.random.SeedSequence([self.seed_, *known.epochs]))

        def learn(hooks: Hooks) -> Learned:
            return Training(
                data.parts,
                data.home,
                seed,
                settings,
                hooks,
                None if known is None else known.pools,
                self._splits,
                data.state,
                data.on_exchange,
                data.share_examples,
            ).run()

        history = self.history_ if continues else []
        learned = self._watched(learn, planned, settings, **callback_data)
        give_back()
        if known is not None:
            epochs = [a + b for a, b in zip(known.epochs, learned.epochs, strict=True)]
            learned = replace(learned, epochs=epochs)
        home = data.home.examples
        empty = TrainingSample.empty(home.variants.shape[2], len(self.classes_))
        chances = learned.held_out_chances(home.labels)
        sample = empty.extended(home.variants[0], home.labels, home.numbers, chances)
        self.sample_ = replace(sample, totals=data.totals)
        self.n_rows_ = data.n_rows
        clock = Clock(settings)
        self.held_out_ = measure_definitions(
            trials_of(
                [] if clock.late() else learned.fold_atoms,
                home,
                learned.evidence.chosen != "weighted",
            ),
            len(self.classes_),
            clock,
        )
        learned = replace(
            learned, teacher=teacher_of(learned, home, self.encoder_, seed), fold_models=None
        )
        n_learned = home.total_weight * (int(data.totals.sum()) / len(home))
        n_all = n_learned + data.decided + data.contradicted
        learned = replace(
            learned,
            fold_atoms=[],
            undecided=n_learned / n_all,
            contradicted=data.contradicted / n_all,
        )
        self.conflicts_, self.doubted_ = Listed(data.conflicts), np.zeros(0, dtype=np.int64)
        self.rule_conflicts_ = Listed(data.rule_conflicts)
        self.learned_ = learned  # without what was learned in folds
        give_back()
        self._conclude(learned, history, clock)

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "AlgebraicClassifier":
        """Learn from one more batch, keeping what is known as far as the batch allows.

        The first batch decides on cuts and categories and should be typical of the data.
        Predictions of each batch before it is learned from choose between strict and weighted
        atoms.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows of the batch.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels; needed at the first call, unless :meth:`fit` has seen them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, as in :meth:`fit`.

        Returns
        -------
        AlgebraicClassifier
            The classifier.
        """
        with self._interruptible():
            self._partial_fit(X, y, classes, sample_weight)
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        settings = self._settings()
        first = not hasattr(self, "learned_")
        if first and classes is None:
            raise InvalidParameter("classes must be given at the first call of partial_fit")
        table, targets = read_table(self, X, reset=first, y=y)
        check_targets(targets, max_classes=len(targets))  # all classes are named
        if first:
            self._order(np.unique(classes), y)
        elif classes is not None and not np.array_equal(np.unique(classes), np.sort(self.classes_)):
            raise InvalidParameter(
                f"classes={classes!r} is not the same as in the first call: {self.classes_}"
            )
        if self.class_weight == "balanced":
            raise InvalidParameter(
                "class_weight='balanced' needs all rows at once: give weights instead"
            )
        data = self._training_rows(table, targets, sample_weight, self.class_weight)
        codes_of(data.targets, self.classes_)
        n_classes = len(self.classes_)
        if first:
            self.seed_ = root_seed(self.random_state)
            self._begin(data, declared_kinds(X))
            if not self.encoder_.literals_:
                warnings.warn(
                    "all rows of the first batch are equal, so there are no literals and classes "
                    "can never be distinguished: begin with a larger batch",
                    stacklevel=3,
                )
        rules = self._compiled_rules() if first else self._known_rules()
        encoded = data.encoded(self.encoder_, self.classes_, self.symmetries, rules)
        examples = encoded.examples
        rows = examples.variants[0]
        settings = settings.with_table_read()
        if first:
            self.learned_ = nothing_learned(examples, self._kind_of_evidence())
            self.history_ = History()
            self.sample_ = TrainingSample.empty(rows.shape[1], n_classes)
            self.n_rows_ = 0
        chances, judged = None, None
        if self.learned_.is_known:  # these rows have not been learned from yet
            judged = predicted_before(self.learned_, examples)
            full = replace(self.learned_, card=None)
            probabilities = full.probabilities(examples.blocks(), len(examples))
            chances = probabilities[np.arange(len(examples)), examples.labels]
        assert examples.numbers is not None
        numbers = self.n_rows_ + examples.numbers
        sample = self.sample_.extended(rows, examples.labels, numbers, chances)
        seed = root_seed(np.random.SeedSequence([self.seed_, int(sample.totals.sum())]))
        prior = log_weights(encoded.class_weights)
        settings = replace(settings, prior=prior)
        self.learned_ = replace(self.learned_, prior=prior)
        full, card = replace(self.learned_, card=None), self.learned_.card
        undecided, contradicted = self.learned_.undecided, self.learned_.contradicted

        def learn(hooks: Hooks) -> Learned:
            return train_batch(
                full,
                examples,
                self.sample_.earlier(),
                (sample.rows, sample.labels),
                sample.totals,
                settings,
                hooks,
                self._splits,
                seed,
            )

        planned = plan_part(self.learned_, examples, settings)
        learned = self._watched(learn, planned, settings, X=X, y=y, sample_weight=sample_weight)
        if chances is None:
            chances = learned.held_out_chances(examples.labels)
            sample = self.sample_.extended(rows, examples.labels, numbers, chances)
        self.sample_ = sample
        teacher = teacher_of(learned, examples, self.encoder_, seed)
        learned = replace(learned, card=card, teacher=teacher, fold_models=None, sizes=())
        n_all = examples.total_weight + encoded.decided + encoded.contradicted
        new = table.shape[0] / (self.n_rows_ + table.shape[0])
        learned = replace(
            learned,
            undecided=(1 - new) * undecided + new * examples.total_weight / n_all,
            contradicted=(1 - new) * contradicted + new * encoded.contradicted / n_all,
        )
        self.n_rows_ += table.shape[0]
        self.held_out_ = []  # every row is learned from sooner or later
        self.conflicts_ = Listed(encoded.conflicts)
        self.rule_conflicts_ = Listed(encoded.rule_conflicts(self.rules_))
        self.doubted_ = np.sort(examples.numbers[learned.doubted])
        self._conclude(learned, self.history_, judged=judged)

    def misses(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the number of atoms of each class that each row misses.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of int32 of shape (n_samples, n_classes)
            The number of misses of each row, for each class.
        """
        return np.concatenate(
            [self.learned_.deciding().misses(*blocks, self.n_jobs) for blocks in self._blocks(X)]
        )

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            The scores; for two classes, the log-odds of the second.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probabilities of the classes, calibrated on held-out rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The probabilities, with the classes in the order of ``classes_``.
        """
        scores = self._scores(X)
        return self.learned_.softmax(scores)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted labels; of ordered classes, the median of the probabilities.
        """
        scores = self._scores(X)  # which checks that there is a model
        return self.classes_[self.learned_.chosen(scores)]

    def predict_set(self, X: Any, coverage: float = 0.9) -> Bits:
        """Predict a set of classes that contains the class of each row with a given probability.

        A class is in the set if its probability is not below a threshold: that which the share
        ``coverage`` of the held-out rows reach with their own class (split conformal prediction).
        Over all rows that are drawn like the training rows, at least this share of the sets has the
        class of the row; with too few rows for the coverage every class is in every set. The class
        that is predicted always is, and none that a rule excludes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The probability that the class of a row is in its set.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Whether each class is in the set of each row, in the order of ``classes_``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = AlgebraicClassifier(random_state=0).fit(X, y)
        >>> sets = clf.predict_set(X, coverage=0.95)
        >>> sets.shape, bool(sets.any(axis=1).all())
        ((150, 3), True)
        """
        check_coverage(coverage)
        scores = self._scores(X)
        self.sample_.need("predict_set")
        chances = self.learned_.softmax(scores)
        threshold = self.learned_.chance_reached(coverage)
        found = (chances >= threshold) & (scores > -np.inf)
        found[np.arange(len(found)), self.learned_.chosen(scores)] = True
        return np.asarray(found)

    def _write(self, path: str | Path, rows: bool) -> None:
        from atomlearn.classifier.files import write_classifier

        write_classifier(self, path, rows)

    def _settings(self) -> Settings:
        check_parameters(self.get_params(deep=False))
        check_max_atoms(self.max_atoms, self.max_points)
        return Settings(self.max_epochs, self.time_limit, self.n_jobs, evidence=self.evidence)

    def _order(self, labels: npt.NDArray[Any], y: Any) -> None:
        """Store the classes in their order, if they have one."""
        chain = chain_of(labels, self.ordered, categories_of(y))
        self.ordered_ = chain is not None
        self.classes_ = labels if chain is None else chain
        if self.ordered_ and getattr(y, "name", None) is not None:
            self.target_name_ = str(y.name)

    def names_of_chain(self) -> list[str]:
        """Return the names of ordered classes as a whole, for monotone statements."""
        names = [getattr(self, "target_name_", "target"), *TARGETS]
        return names if self.ordered_ and len(self.classes_) > 2 else []

    def _begin(self, data: TrainingRows, declared: Sequence[str | None] | None) -> None:
        """Decide what does not change while learning continues."""
        self.encoder_, self.rules_ = fit_encoder(
            self, data.table, data.targets, data.weights, declared, self.classes_
        )

    def _warn_of_unlearned(self) -> None:
        """Warn of classes that the time limit left without atoms."""
        learned = self.learned_
        none = learned.epochs.count(0)
        if self.time_limit is None or not none or len(self.classes_) < 2 or learned.interrupted:
            return
        warnings.warn(
            f"time_limit={self.time_limit} ended before the first epoch of {none:,} of "
            f"{len(self.classes_):,} classes, which have no atoms: allow more time",
            stacklevel=4,
        )

    def _conclude(
        self,
        learned: Learned,
        history: list[dict[str, Any]],
        clock: Clock | None = None,
        judged: HeldOutPredictions | None = None,
    ) -> None:
        """Store what was learned, with each weighted atom once, and make a compact model of it.

        Without folds it is measured by the predictions that earlier cards made (``judged``). A card
        that was changed by hand stays as it is.
        """
        if learned.weighted is not None:
            weighted = without_repetitions(learned.weighted, self.encoder_.literals_)
            learned = replace(learned, weighted=weighted)
        if self.max_atoms is not None and self.encoder_.literals_ and not hasattr(self, "before_"):
            learned = self._compacted(learned, measured=clock is None or not clock.late())
        if learned.card is not None and judged is not None and learned.teacher is None:
            learned = measured_by(learned, judged)
        self.learned_ = learned
        self.evidence_ = learned.evidence
        self._estimate()
        entries = (entry for done in learned.rounds for entry in self._entries(done))
        self.history_ = History([*history, *entries])

    def _entries(self, done: Round) -> Iterator[dict[str, Any]]:
        """Yield the entries of the history for a round."""
        for label, reports in zip(self.classes_, done.reports, strict=True):
            for report in reports:
                yield {
                    "class": label,
                    "epoch": report.epoch,
                    "examples": report.n_positive + report.n_negative,
                    "atoms": report.n_atoms,
                    "pool": report.n_pool,
                    "estimated_error": done.error,
                    "seconds": report.total_seconds,
                }

    def _known_rules(self) -> HardRules:
        """Return the rules of the model that learning continues from; there can be no new ones."""
        names, labels = [column.name for column in self.encoder_.columns_], self.classes_.tolist()
        given = parse_rules(self.rules or (), names, labels, chain=self.names_of_chain())
        given += monotone_statements(self.monotonic_cst, names, labels, self.ordered_)
        self._refuse_new_rules(given)
        return self.learned_.rules

    def _compiled_rules(self) -> HardRules:
        ordered = self.ordered_ and len(self.classes_) > 2
        if not self.rules_:
            return HardRules((), len(self.classes_), ordered=ordered)
        return compile_rules(self.rules_, self.encoder_, self.classes_, ordered=ordered)

    def _is_monotone(self) -> bool:
        return any(isinstance(one, MonotoneStatement) for one in self.rules_)

    def _kind_of_evidence(self) -> str:
        """Return the kind of atoms to learn; likely rules are weighted atoms."""
        if self.ordered_ and len(self.classes_) > 2 and self._is_monotone():
            if self.evidence == "strict":
                raise InvalidParameter(
                    "the thresholds of ordered classes obey monotone statements with weighted "
                    "atoms only: leave out evidence='strict', or the statement"
                )
            if self.max_atoms is not None:
                raise InvalidParameter(NOT_COMPACT)
            return "weighted"
        if not any(isinstance(one, Rule) and one.weight is not None for one in self.rules_):
            return self.evidence
        if self.evidence == "strict":
            raise InvalidParameter(
                "a likely rule has a weight, which strict atoms have not: leave out "
                "evidence='strict', or write the rule without 'likely:'"
            )
        return "weighted"


def log_weights(weights: Floats) -> Floats:
    """Return what class weights add to the scores; a class of weight zero is never predicted."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(weights), -LARGE)
