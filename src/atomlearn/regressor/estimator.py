"""The scikit-learn regressor. It only translates: tables in, training called, attributes out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.base import TableEstimator
from atomlearn.classifier.compacting import check_max_atoms
from atomlearn.classifier.fitting import (
    CallbackSupportMixin,
    PartsSource,
    check_common_parameters,
    fitted_encoder,
    helpful_symmetries,
    with_callbacks,
)
from atomlearn.classifier.sample import TrainingSample
from atomlearn.errors import InvalidParameter, nearest
from atomlearn.markup import Listed
from atomlearn.regressor.readable import ReadableNumbers
from atomlearn.tables.encoder import positions
from atomlearn.tables.literals import without_repetitions
from atomlearn.tables.number_rows import EncodedNumbers, check_counts, encoded_numbers, numbers_of
from atomlearn.tables.rules import Statement, monotone_statements, parse_rules
from atomlearn.tables.statements import RuleConflict, compile_rules, warn_of_unmet
from atomlearn.tables.training_rows import TrainingRows, root_seed
from atomlearn.tables.validation import column_names, declared_kinds, read_table
from atomlearn.training.boosting.losses import LOSSES, Scale, scale_of
from atomlearn.training.data import Examples, HardRules, folds_for
from atomlearn.training.learned import Learned
from atomlearn.training.numbers import (
    NumberModel,
    plan_numbers,
    train_number_batch,
    train_numbers,
)
from atomlearn.training.parts import Part
from atomlearn.training.settings import Hooks, Plan, Settings
from atomlearn.typing import Floats

WIDER = 8.0
"""A batch whose numbers spread by more than this multiple of what is known has its own scale."""


class Prepared(NamedTuple):
    """Rows in folds, the model before anything is learned, and what was found on the way."""

    part: Part
    model: NumberModel
    encoded: EncodedNumbers
    n_rows: int


class AlgebraicRegressor(
    CallbackSupportMixin,  # type: ignore[misc]
    ReadableNumbers,
    TableEstimator,
    RegressorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """A regressor with readable rules and nothing to tune.

    The prediction is a sum: an offset, and the weight of each *atom* that a row misses. An atom is
    a small set of literals such as ``size > 120``; a row misses it if none of them is true. With
    the Poisson loss the sum is the logarithm of the prediction.

    Parameters
    ----------
    loss : {"squared", "absolute", "poisson", "quantile"}, default="squared"
        What is predicted: the mean, the median, the mean of a number that is never negative (such
        as a count), or a quantile.
    quantile : float, default=0.5
        The quantile to predict; with any other loss it must be left as it is.
    max_atoms : int, "auto" or None, default=None
        Maximum number of atoms that decide. With a number the model is *compact*: a scorecard of at
        most so many rules, each of which adds a rounded amount. ``"auto"`` takes the fewest whose
        held-out loss is within one standard error of the best. By default all atoms decide.
    rounding : float, default=None
        The amounts of a compact model are multiples of this number; by default it is about a
        hundredth of the spread of the target. With the Poisson loss it is of the logarithm.
    max_epochs : int, default=None
        Maximum number of rounds of boosting. By default learning stops when the held-out loss stops
        improving.
    time_limit : float, default=None
        Maximum time of learning in seconds, counted from the call of ``fit``. The model then
        depends on the machine.
    max_cuts : int, default=None
        Maximum number of cuts of each number column, half of them at quantiles, the others where a
        small regression tree on that column would split. By default 128, or fewer if there are
        many columns.
    warm_start : bool, default=False
        Whether ``fit`` continues from the current model, as :meth:`partial_fit` does.
    rules : list of str, default=None
        Statements known beforehand, such as ``"price = 0 if area = 0"``, ``"price <= 100 if rooms <
        2"``, ``"price >= 0"``, or ``"price rises with size"``. Every prediction obeys them. The
        target is called by the name of the series ``y``, or ``y`` or ``target``.
    monotonic_cst : dict or array-like of int, default=None
        Monotone statements as scikit-learn spells them: for each column, or by its name, 1 if the
        prediction rises with it, -1 if it falls, or 0.
    symmetries : list of arrays, default=None
        Maps of columns that keep the number, such as :func:`~atomlearn.tables.translations` of an
        image. Training rows are learned from as they are and moved by each map.
    image_shape : tuple of int, default=None
        Height and width, if the columns are the pixels of an image. Then :meth:`fit` tries
        :func:`~atomlearn.tables.translations` by a pixel and, of few images,
        :func:`~atomlearn.tables.distortions`, and learns from such images too if that
        lowers the held-out loss (unless there are ``symmetries``, if only ``[]``, or a time limit).
    n_jobs : int, default=None
        Number of parallel jobs. It does not change the model.
    random_state : int, RandomState instance or None, default=None
        Random seed; the same seed gives the same model.
    verbose : int, default=0
        With ``1``, a progress bar is shown.

    Attributes
    ----------
    encoder_ : LiteralEncoder
        The encoder of the columns.
    rules_ : list of Rule and MonotoneStatement
        The statements as they were read.
    rule_conflicts_ : list of RuleConflict
        Training rows that a rule contradicts; they were left out.
    history_ : list of dict
        The held-out loss after each round.
    estimated_error_ : float or None
        Estimated error on new rows: the root mean squared error, the mean absolute error,
        half the mean Poisson deviance, or the mean quantile loss. It is measured on held-out rows
        that no rule contradicts; ``None`` if no row could be held out.
    estimated_score_ : float or None
        Estimated coefficient of determination on new rows, which ``score`` returns.
    feature_importances_ : ndarray of shape (n_features,)
        The importance of each column; sums to 1.
    n_rows_ : int
        Number of training rows, in all batches together.
    target_name_ : str
        The name of the target in statements and explanations.
    learned_ : Learned
        The result of training: the weighted atoms and the rules.
    numbers_ : NumberModel
        The loss, the expected size of errors, and the predictions on held-out rows.
    sample_ : TrainingSample
        At most about 2,000 training rows, on which explanations are measured.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> reg = AlgebraicRegressor(random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.5)
    True
    """

    history_: list[dict[str, Any]]
    rules_: list[Statement]
    rule_conflicts_: list[RuleConflict]
    target_name_: str
    numbers_: NumberModel

    def __init__(
        self,
        *,
        loss: str = "squared",
        quantile: float = 0.5,
        max_atoms: int | str | None = None,
        rounding: float | None = None,
        max_epochs: int | None = None,
        time_limit: float | None = None,
        max_cuts: int | None = None,
        warm_start: bool = False,
        rules: Any = None,
        monotonic_cst: Any = None,
        symmetries: Any = None,
        image_shape: tuple[int, int] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.max_atoms = max_atoms
        self.rounding = rounding
        self.max_epochs = max_epochs
        self.time_limit = time_limit
        self.max_cuts = max_cuts
        self.warm_start = warm_start
        self.rules = rules
        self.monotonic_cst = monotonic_cst
        self.symmetries = symmetries
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AlgebraicRegressor":
        """Fit the regressor to a table.

        Ctrl-C ends the fit with what has been learned so far, and a warning.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The training rows. Columns may be numbers, categories or booleans, with missing values.
        y : array-like of shape (n_samples,)
            The numbers to predict.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; a row of weight zero is ignored.

        Returns
        -------
        AlgebraicRegressor
            The fitted regressor.
        """
        with self._interruptible():
            if self.warm_start and hasattr(self, "learned_"):
                self._learn_batch(X, y, sample_weight)
            else:
                self._learn(X, y, sample_weight)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AlgebraicRegressor":
        """Learn from one more batch, keeping what is known.

        The first batch decides on cuts and categories and should be typical of the data.
        Predictions of each batch before it is learned from measure the error.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows of the batch.
        y : array-like of shape (n_samples,)
            Their numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        AlgebraicRegressor
            The regressor.
        """
        with self._interruptible():
            if hasattr(self, "learned_"):
                self._learn_batch(X, y, sample_weight)
            else:
                self._learn(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Floats:
        """Predict the number of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, which obey every statement.
        """
        return np.concatenate([self._predicted(*blocks) for blocks in self._blocks(X)])

    def fit_parts(self, source: PartsSource) -> "AlgebraicRegressor":
        """Fit the regressor to a table in parts, as :func:`atomlearn.distributed.fit` does.

        Parameters
        ----------
        source : PartsSource
            The parts, which are encoded where they are.

        Returns
        -------
        AlgebraicRegressor
            The fitted regressor.
        """
        with self._interruptible():
            settings = self._settings()
            self.seed_ = root_seed(self.random_state)

            def in_one(table: Any, targets: Any, declared: Any, y: Any) -> Prepared:
                rows = self._rows(table, targets, None)
                return self._prepared(rows, declared, y, settings)

            self._train(source.whole(self, in_one), settings)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Learn from scratch: folds choose the recipe and the number of rounds."""
        settings = self._settings()
        self.__dict__.pop("before_", None)
        rows = self._read(X, y, sample_weight, reset=True)
        self.seed_ = root_seed(self.random_state)
        prepared = self._prepared(rows, declared_kinds(X), y, settings)
        self._train(prepared, settings, X=X, y=y, sample_weight=sample_weight)

    def _prepared(
        self, rows: TrainingRows, declared: Sequence[str | None] | None, y: Any, settings: Settings
    ) -> Prepared:
        """Return rows as examples in folds; ``y`` may have a name, which is that of the number."""
        self.target_name_ = str(getattr(y, "name", None) or "y")
        names = column_names(self)
        self.rules_ = read_statements(self.rules, self.monotonic_cst, names, self.target_name_)
        places = positions(rows.targets, rows.weights)
        self.encoder_ = fitted_encoder(
            self, rows.table, rows.weights, declared, places, self.rules_
        )
        rules = HardRules((), 1)
        if self.rules_:
            rules = compile_rules(self.rules_, self.encoder_, np.array([self.target_name_]))
        model = NumberModel.of(self.loss, float(self.quantile), Scale(0.0, 1.0))

        def encode(some: TrainingRows, maps: Any) -> Examples:
            return _scaled(encoded_numbers(some, self.encoder_, rules, maps), model)[1].examples

        def loss(part: Part) -> float:
            tried = train_numbers(part, model, 0, settings, Hooks(), self._splits)[0]
            return tried.evidence.losses.get("weighted", math.inf)

        maps = helpful_symmetries(self, rows, loss, encode)
        model, encoded = _scaled(encoded_numbers(rows, self.encoder_, rules, maps), model)
        if encoded.met is not None:
            warn_of_unmet(self.rules_, encoded.met)
        examples = encoded.examples
        rng = np.random.default_rng(np.random.SeedSequence(self.seed_, spawn_key=(0,)))
        part = Part.of(examples, folds_for(len(examples), 1), rng, settings.most_held(1))
        most = settings.most_weighed(2, part.dealt.n_folds)
        if most is not None:
            part = part.sample(most, rng)
        return Prepared(part, model, encoded, len(rows.numbers))

    def _train(self, prepared: Prepared, settings: Settings, **data: Any) -> None:
        """Train on prepared rows, and keep the result."""
        part, model, encoded, self.n_rows_ = prepared
        examples = encoded.examples
        settings = settings.with_table_read()
        planned = plan_numbers(settings, part.dealt.n_folds)

        def learn(hooks: Hooks) -> tuple[Learned, NumberModel]:
            return train_numbers(part, model, self.seed_, settings, hooks, self._splits)

        learned, self.numbers_ = self._trained(learn, planned, settings, **data)
        empty = TrainingSample.empty(examples.variants.shape[2], 1)
        self.sample_ = empty.extended(
            examples.variants[0], examples.labels, examples.numbers, targets=examples.targets
        )
        self.history_ = []
        self._finish(learned, encoded, part)

    def _learn_batch(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Learn from one more batch, with the same columns and statements."""
        check_is_fitted(self)
        settings = self._settings()
        asked = NumberModel.of(self.loss, float(self.quantile), self.numbers_.scale)
        if asked.name != self.numbers_.name or asked.loss != self.numbers_.loss:
            raise InvalidParameter(
                f"loss={self.loss!r} (quantile={self.quantile}) is not what was learned: the loss "
                "cannot change while learning goes on; fit anew"
            )
        rows = self._read(X, y, sample_weight, reset=False)
        names = column_names(self)
        self._refuse_new_rules(
            read_statements(self.rules, self.monotonic_cst, names, self.target_name_)
        )
        encoded = encoded_numbers(rows, self.encoder_, self.learned_.rules, self.symmetries)
        model, sample, targets = self.numbers_, self.sample_, encoded.examples.targets
        assert targets is not None
        scale = wide_enough(model, targets, encoded.examples.weights)
        if scale != model.scale and sample.targets is not None:
            known = sample.targets * model.scale.unit + model.scale.center
            sample = replace(sample, targets=scale.to_scale(known))
        model = replace(model, scale=scale)
        examples = replace(encoded.examples, targets=scale.to_scale(targets), loss=model.loss)
        settings = settings.with_table_read()
        seed = root_seed(np.random.SeedSequence([self.seed_, self.n_rows_]))
        full, card = replace(self.learned_, card=None), self.learned_.card

        def learn(hooks: Hooks) -> tuple[Learned, NumberModel]:
            return train_number_batch(
                full, model, examples, sample.earlier(), seed, settings, hooks, self._splits
            )

        learned, self.numbers_ = self._trained(
            learn, Plan(1, 200), settings, X=X, y=y, sample_weight=sample_weight
        )
        assert examples.numbers is not None
        self.sample_ = sample.extended(
            examples.variants[0],
            examples.labels,
            self.n_rows_ + examples.numbers,
            targets=examples.targets,
        )
        self.n_rows_ += len(rows.numbers)
        self._finish(replace(learned, card=card, teacher=None, sizes=()), encoded, None)

    def _trained(
        self,
        learn: Callable[[Hooks], tuple[Learned, NumberModel]],
        planned: Plan,
        settings: Settings,
        **data: Any,
    ) -> tuple[Learned, NumberModel]:
        """Train with the hooks that show progress; return what was learned."""
        found: list[NumberModel] = []

        def learn_one(hooks: Hooks) -> Learned:
            learned, model = learn(hooks)
            found.append(model)
            return learned

        before = getattr(self, "learned_", None)
        learned = self._watched(learn_one, planned, settings, **data)
        if before is not None:
            self.learned_ = before
        return learned, found[0]

    def _finish(self, learned: Learned, encoded: EncodedNumbers, part: Part | None) -> None:
        """Store what was learned, and make a compact model of it if one is asked for."""
        assert learned.weighted is not None
        weighted = without_repetitions(learned.weighted, self.encoder_.literals_)
        learned = replace(learned, weighted=weighted)
        if part is not None:
            learned = replace(learned, teacher=self._teacher(learned, part))
        self.learned_ = replace(learned, fold_models=None)
        self.rule_conflicts_ = Listed(encoded.rule_conflicts(self.rules_))
        unit = self.numbers_.scale.unit
        factor = unit**2 if self.numbers_.name == "squared" else unit
        first = len(self.history_)
        self.history_ = Listed(
            [
                *self.history_,
                *(
                    {"round": first + i, "loss": factor * loss}
                    for i, loss in enumerate(self.numbers_.losses if part is not None else ())
                ),
            ]
        )
        if self.max_atoms is not None and self.encoder_.literals_ and not hasattr(self, "before_"):
            self._make_card()
        self._judge()

    def _read(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> TrainingRows:
        """Return the rows of positive weight of a table, and their numbers."""
        y = numbers_of(y)
        table, targets = read_table(self, X, reset=reset, y=y)
        return self._rows(table, numbers_of(targets), sample_weight)

    def _rows(self, table: Any, targets: Floats, sample_weight: Any) -> TrainingRows:
        if self.loss == "poisson":
            check_counts(targets)
        return self._training_rows(table, targets, sample_weight)

    def _settings(self) -> Settings:
        check_common_parameters(self.get_params(deep=False))
        check_max_atoms(self.max_atoms, 1)
        if self.loss not in LOSSES:
            known = ", ".join(map(repr, LOSSES))
            hint = nearest(self.loss, list(LOSSES))
            raise InvalidParameter(f"loss must be one of {known}, not {self.loss!r}{hint}")
        quantile: Any = self.quantile
        if not (isinstance(quantile, int | float) and 0 < quantile < 1):
            raise InvalidParameter(f"quantile must be between 0 and 1, not {self.quantile!r}")
        if quantile != 0.5 and self.loss != "quantile":
            raise InvalidParameter(
                f"quantile={quantile!r} is for loss='quantile', and the loss is {self.loss!r}"
            )
        rounding: Any = self.rounding
        if rounding is not None and not (isinstance(rounding, int | float) and rounding > 0):
            raise InvalidParameter(f"rounding must be a positive number, not {rounding!r}")
        return Settings(self.max_epochs, self.time_limit, self.n_jobs, evidence="weighted")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination, R², of the predictions for some rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            One for perfect predictions, and zero for those that are no better than the mean.
        """
        return float(super().score(X, numbers_of(y), sample_weight))

    def _write(self, path: str | Path, rows: bool) -> None:
        from atomlearn.regressor.files import write_regressor

        write_regressor(self, path, rows)


def wide_enough(model: NumberModel, targets: Floats, weights: Floats) -> Scale:
    """Return the scale of a model, or that of a batch whose numbers it would take long to reach."""
    own = scale_of(model.loss, targets, weights)
    return own if own.unit > WIDER * model.scale.unit else model.scale


def _scaled(encoded: EncodedNumbers, model: NumberModel) -> tuple[NumberModel, EncodedNumbers]:
    """Return a model with the scale of the numbers, and these on it."""
    examples = encoded.examples
    assert examples.targets is not None
    scale = scale_of(model.loss, examples.targets, examples.weights)
    examples = replace(examples, targets=scale.to_scale(examples.targets), loss=model.loss)
    return replace(model, scale=scale), replace(encoded, examples=examples)


def read_statements(
    rules: Any, monotonic_cst: Any, columns: Sequence[str], target: str
) -> list[Statement]:
    """Return statements about the target, which is the second of two classes for the others.

    >>> read_statements(["y <= 9 if rooms < 2"], {"rooms": 1}, ["rooms"], "price")
    [Rule('price <= 9 if rooms < 2'), MonotoneStatement('price rises with rooms')]
    """
    found: list[Statement] = []
    if rules:
        found += parse_rules(rules, columns, (), doubt=True, target=target)
    if monotonic_cst is not None:
        found += monotone_statements(monotonic_cst, columns, [None, target])
    return found
