"""A fitted regressor for people: explanations, compact models, intervals, and proofs."""

import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.audit import Auditing
from atomlearn.classifier.compacting import (
    AUTO,
    Auto,
    card_of,
    check_max_atoms,
    fitted_with_cards,
    shown_card,
    sizes_frame,
    taught,
)
from atomlearn.classifier.explanation import held, met_rules
from atomlearn.classifier.fitting import check_coverage
from atomlearn.classifier.model_card import ModelCards
from atomlearn.classifier.readable import FeatureImportance
from atomlearn.engine.misses import Blocks, blocks_of
from atomlearn.regressor.comparison import ComparingNumbers
from atomlearn.regressor.evaluation import EvaluatingNumbers
from atomlearn.regressor.explanation import NumberExplanation, Term
from atomlearn.regressor.scorecard import NumberScorecard, read_number_card
from atomlearn.sets.memory import rows_at
from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.literals import find_splits, rule_text
from atomlearn.tables.number_rows import numbers_of
from atomlearn.tables.rules import MonotoneStatement, Rule, Statement
from atomlearn.tables.validation import one_row, pandas_for, read_table, table_columns
from atomlearn.training.boosting.rounds import levels_of
from atomlearn.training.compact.lesson import Teacher
from atomlearn.training.compact.numbers import find_number_cards, number_size, round_unit
from atomlearn.training.compact.sizes import Size, fewest, sizes_for
from atomlearn.training.data import NEVER
from atomlearn.training.learned import Learned
from atomlearn.training.numbers import HeldOutNumbers, NumberModel
from atomlearn.training.parts import Part
from atomlearn.typing import Bits, Floats, Integers

if TYPE_CHECKING:
    import pandas as pd


class ReadableNumbers(FeatureImportance, Auditing, EvaluatingNumbers, ComparingNumbers, ModelCards):
    """Mixin for what a regressor says beside its predictions."""

    learned_: Learned
    numbers_: NumberModel
    rules_: list[Statement]
    target_name_: str
    n_jobs: int | None
    loss: str
    max_atoms: Any
    rounding: float | None
    seed_: int
    estimated_error_: float | None
    estimated_score_: float | None

    def _predicted(self, blocks: Blocks, n: int) -> Floats:
        """Return the predictions of transposed rows."""
        learned = self.learned_
        scores = learned.deciding().scores(blocks, n, self.n_jobs)[:, 0]
        low, high = learned.rules.bounds_in(blocks, n) if learned.rules else (None, None)
        return self.numbers_.predictions(scores, learned.rules, low, high)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Predict an interval that contains the number of each row with a given probability.

        The errors on held-out rows decide how wide it is, as multiples of the error that is
        expected of a row: the interval is wider where the model is less sure. Over all rows that
        are drawn like the training rows, the share of numbers inside is about ``coverage``. With
        too few rows for the coverage the interval has no end. Intervals obey the rules.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The probability that the number is in the interval.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The lower and the upper end of each interval.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from atomlearn import AlgebraicRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> interval = AlgebraicRegressor(random_state=0).fit(X, y).predict_interval(X)
        >>> interval.shape, bool((interval[:, 0] <= interval[:, 1]).all())
        ((442, 2), True)
        """
        check_coverage(coverage)
        below, above = self.numbers_.judged.quantiles(coverage)
        parts = self._blocks(X)  # type: ignore[attr-defined]
        return np.concatenate([self._interval(part, n, below, above) for part, n in parts])

    def _interval(self, blocks: Blocks, n: int, below: float, above: float) -> Floats:
        predictions, spread = self._predicted(blocks, n), self.numbers_.expected(blocks, n)
        ends = np.stack([predictions + below * spread, predictions + above * spread], axis=1)
        if self.numbers_.is_log:
            ends = np.maximum(ends, 0.0)
        rules = self.learned_.rules
        if rules:
            low, high = rules.bounds_in(blocks, n)
            ends = np.clip(ends, low[:, None], high[:, None])
        return ends

    def explain(self, x: Any) -> NumberExplanation:
        """Explain the prediction for one row: the offset, what every atom adds, and the sum.

        Parameters
        ----------
        x : array-like or data frame with one row
            The row.

        Returns
        -------
        NumberExplanation
            The explanation, which can be printed and displayed.

        Examples
        --------
        >>> from atomlearn import AlgebraicRegressor
        >>> X, y = [[float(i)] for i in range(20)], [1.0] * 10 + [2.0] * 10
        >>> reg = AlgebraicRegressor(max_atoms=1, random_state=0).fit(X, y)
        >>> reg.explain([15.0]).terms[0].rule
        'x0 > 9'
        """
        check_is_fitted(self)
        table = read_table(self, one_row(x), reset=False)
        row = self.encoder_.pack(table, extra=1)
        learned, model = self.learned_, self.numbers_
        deciding = learned.deciding()
        blocks = blocks_of(row, learned.n_constants)
        if deciding.card is not None:
            met = np.flatnonzero(deciding.card.met(blocks, 1)[:, 0])
            card = self.scorecard()
            terms = [Term(str(card.rules[i]), card.amounts[i]) for i in met.tolist()]
        else:
            has = unpack(row, learned.n_constants)[0]
            literals, weighted = self._literals(), deciding.weighted
            terms = []
            for i in np.flatnonzero(~held(weighted.atoms, has)).tolist():
                atom = weighted.atoms.members(i, below=len(literals))
                text = rule_text(literals[c] for c in atom)
                terms.append(Term(text, float(weighted.weights[i])))
        prediction = float(self._predicted(blocks, 1)[0])
        free = model.predictions(deciding.scores(blocks, 1)[:, 0], learned.rules, None, None)
        rules: list[Statement] = []
        if free[0] != prediction:
            applies = learned.rules.by_statement(learned.rules.met_by(row))[0]
            limiting = [
                one
                for one in met_rules(self.rules_, applies)
                if prediction in (one.label.low, one.label.high)
            ]
            has = unpack(row, learned.n_constants)[0]
            rules = [*limiting, *self._because_of(limiting, has)]
        return NumberExplanation(
            self.target_name_,
            prediction,
            float(deciding.offsets[0]),
            tuple(sorted(terms, key=lambda one: -abs(one.amount))),
            model.is_log,
            tuple(rules),
        )

    def _because_of(self, rules: list[Rule], has: Bits) -> list[MonotoneStatement]:
        """Return the monotone statements by which rules limit a row that does not meet them."""
        columns = {
            condition.column
            for rule in rules
            if not any(has[case].all() for case in self.encoder_.literal_numbers(rule.cases()))
            for case in rule.cases()
            for condition in case
        }
        monotone = [one for one in self.rules_ if isinstance(one, MonotoneStatement)]
        return [one for one in monotone if one.column in columns]

    def atoms_frame(self) -> "pd.DataFrame":
        """Return the offset and all atoms that decide as a pandas data frame.

        Columns: ``rule``, what a row has that misses the atom; ``adds``, what that adds to the
        prediction, or to its logarithm; ``size``, the number of literals; and ``rows``, the share
        of the sampled training rows. The first line is the offset.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from atomlearn import AlgebraicRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> AlgebraicRegressor(random_state=0).fit(X, y).atoms_frame().columns.tolist()
        ['rule', 'adds', 'size', 'rows']
        """
        check_is_fitted(self)
        pd = pandas_for("atoms_frame")
        deciding, literals = self.learned_.deciding(), self._literals()
        rules, adds, sizes, shares = ["offset"], [float(deciding.offsets[0])], [0], [1.0]
        weights = self.sample_.weights()
        for one in deciding.by_class():
            atoms = one.atoms.each(below=len(literals))
            rules += [rule_text(literals[c] for c in atom) for atom in atoms]
            adds += one.weights.tolist()
            sizes += map(len, atoms)
            missing = self.sample_.share_missing(one.atoms, weights).tolist()
            shares += [np.nan] * len(atoms) if self.sample_.is_withheld else missing
        return pd.DataFrame({"rule": rules, "adds": adds, "size": sizes, "rows": shares})

    def compact(self, max_atoms: int | Auto | None = AUTO, rounding: float | None = None) -> Self:
        """Return a compact regressor: a few rules, each of which adds a rounded amount.

        Nothing is learned again: the rules are chosen so that they predict as the full model does.
        What was learned stays beside them, and ``compact(None)`` returns to it.

        Parameters
        ----------
        max_atoms : int, "auto" or None, default="auto"
            Maximum number of rules. ``"auto"`` takes the fewest whose held-out loss is within one
            standard error of the best.
        rounding : float, default=None
            The amounts are multiples of this number; by default that of the regressor.

        Returns
        -------
        AlgebraicRegressor
            Another fitted regressor.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from atomlearn import AlgebraicRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> small = AlgebraicRegressor(random_state=0).fit(X, y).compact(5)
        >>> len(small.scorecard()) <= 5, bool(small.score(X, y) > 0.4)
        (True, True)
        """
        check_is_fitted(self)
        check_max_atoms(max_atoms, 1)
        other = copy.copy(self)
        other.max_atoms = max_atoms
        other.rounding = self.rounding if rounding is None else rounding
        if max_atoms is not None:
            self.sample_.need("compact()")
        other.__dict__.pop("before_", None)
        if max_atoms is None:
            other.learned_ = replace(self.learned_, card=None, card_size=None)
            other.numbers_ = replace(self.numbers_, card_held_out=None)
        else:
            other._make_card()
        if not self.sample_.is_withheld:
            other._judge()
        return other

    def scorecard(self) -> NumberScorecard:
        """Return the whole compact model on one screen: rules, what each adds, and the price.

        Returns
        -------
        NumberScorecard
            The card, which can be printed, displayed, and written as CSV and HTML.
        """
        learned, (card, rules, _) = self.learned_, shown_card(self)
        return NumberScorecard(
            self.target_name_,
            rules,
            card.scale,
            float(card.scale * card.offsets[0]),
            self.numbers_.is_log,
            learned.card_size,
            next((one for one in learned.sizes if one.is_full), None),
            tuple(map(str, self.rules_)),
            getattr(self, "before_", None),
            hasattr(self, "before_"),
        )

    @classmethod
    def from_scorecard(
        cls,
        source: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        original: Any = None,
        recalibrate: bool = False,
        **params: Any,
    ) -> Self:
        """Return a regressor that decides by a scorecard that a person wrote or changed.

        Rules, amounts and the offset are taken as they are. A full model is fitted beside them, to
        compare with. The card is measured on the rows given: on rows that it was not made from, the
        error is that on new rows, and intervals have the coverage that they are made for.

        Parameters
        ----------
        source : str, Path, NumberScorecard or data frame
            A file or text of CSV, as :meth:`NumberScorecard.to_csv` writes it, or the card as it is
            printed. With the Poisson loss the amounts of CSV are logarithms.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows, preferably others than the card was made from.
        y : array-like of shape (n_samples,)
            Their numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        original : AlgebraicRegressor, NumberScorecard, str or Path, default=None
            The card before the change, or its regressor; it is measured on the same rows, and the
            difference is what the change costs.
        recalibrate : bool, default=False
            Whether the offset is fitted to the rows anew.
        **params : dict
            Parameters of the regressor, such as ``loss``, ``rules`` or ``random_state``.

        Returns
        -------
        AlgebraicRegressor
            The fitted regressor.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from atomlearn import AlgebraicRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> reg = AlgebraicRegressor(max_atoms=4, random_state=0).fit(X, y)
        >>> text = reg.scorecard().to_csv()
        >>> same = AlgebraicRegressor.from_scorecard(text, X, y, random_state=0)
        >>> print(reg.scorecard().compare(same.scorecard()).added)
        ()
        """
        regressor: Any = cls(**params)
        columns, target = table_columns(X), str(getattr(y, "name", None) or "y")
        given = [source, *([] if original is None else [original])]
        is_log = regressor.loss == "poisson"
        cards = [read_number_card(one, columns, target, is_log) for one in given]
        made: Self = fitted_with_cards(regressor, cards, X, y, sample_weight, recalibrate)
        return made

    def _decide_by(
        self, cards: list[NumberScorecard], X: Any, y: Any, sample_weight: Any, recalibrate: bool
    ) -> None:
        """Let the first card decide, and measure both on the rows."""
        learned, model = self.learned_, self.numbers_
        rows = self.encoder_.pack(read_table(self, X, reset=False), extra=1)
        weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, float)
        counted = np.flatnonzero(weights > 0)
        rows, weights = rows[counted], weights[counted]
        numbers = np.asarray(numbers_of(y))[counted]
        blocks, n = blocks_of(rows, learned.n_constants), len(rows)
        limits = learned.rules.bounds_in(blocks, n) if learned.rules else (None, None)
        spread, made, held = model.expected(blocks, n), [], []
        for i, shown in enumerate(cards):
            most = max((abs(one.points[0]) for one in shown.rules), default=1)
            offset = [shown.offset / shown.unit]
            card = card_of(shown.rules, shown.unit, offset, max(most, 1), self.encoder_)
            scores = card.scores(blocks, n)[:, 0]
            if recalibrate and i == 0:
                shift = model.shift(scores, numbers, weights)
                shift = float(np.rint(shift / card.scale))
                card = replace(card, offsets=card.offsets + shift)
                scores = card.scores(blocks, n)[:, 0]
            predictions = model.predictions(scores, learned.rules, *limits)
            held.append(HeldOutNumbers(numbers, predictions, spread, weights))
            made.append(card)
        sizes = [
            number_size(one, model, len(card), False) for one, card in zip(held, made, strict=True)
        ]
        self.max_atoms = len(made[0]) or 1
        full = self._full_size()
        self.learned_ = replace(
            learned, card=made[0], card_size=sizes[0], sizes=(sizes[0], *full) if full else ()
        )
        self.numbers_ = replace(model, card_held_out=held[0])
        self.before_ = sizes[1] if len(sizes) > 1 else None
        self._judge()

    @property
    def sizes_(self) -> "pd.DataFrame":
        """Errors on held-out rows by the number of atoms, as a data frame.

        Columns: ``model``, which is ``"compact"`` or ``"full"``, ``atoms``, ``error`` and
        ``error_se`` (mean absolute error and its standard error), ``loss`` and ``loss_se``. Each
        fold's compact model was made without its rows.
        """
        check_is_fitted(self)
        if self.sample_.is_withheld:
            return sizes_frame(self.learned_.sizes, "loss")
        if not self.learned_.sizes and self.learned_.teacher is not None:
            self.learned_ = replace(self.learned_, sizes=self._sized(AUTO)[1])
        return sizes_frame(self.learned_.sizes or self._full_size(), "loss")

    def labels_of_rules(self) -> list[Any]:
        """Return the name of the number, which statements are about."""
        return [self.target_name_]

    def _rising_score(self, X: Any, statement: MonotoneStatement) -> Floats:
        return np.asarray(self.predict(X))  # type: ignore[attr-defined]

    def _full_size(self) -> tuple[Size, ...]:
        held, full = self.numbers_.held_out, replace(self.learned_, card=None)
        if not len(held.targets):
            return ()
        return (number_size(held, self.numbers_, full.deciding().n_atoms, True),)

    def _teacher(self, learned: Learned, part: Part) -> Teacher | None:
        """Return what cards are made of, if the models learned without each fold are known."""
        folds = learned.fold_models
        if folds is None or not self.encoder_.literals_:
            return None
        rows = rows_at(part.examples.variants[0], folds.examples)
        assert part.examples.targets is not None
        targets = part.examples.targets[folds.examples]
        models = [*folds.models, learned]
        return self._taught(models, rows, targets, folds.weights, folds.fold)

    def _taught(
        self, models: list[Learned], rows: Rows, targets: Floats, weights: Floats, fold: Integers
    ) -> Teacher:
        """Return what cards are made of; the numbers are on the scale of the loss."""
        scale = self.numbers_.scale
        return taught(
            models,
            rows,
            levels_of(targets),
            weights,
            fold,
            self.encoder_,
            self.seed_,
            self._scaled,
            targets * scale.unit + scale.center,
        )

    def _scaled(self, learned: Learned, rows: Rows) -> Floats:
        """Return the scores of rows on the scale of the loss."""
        scores = learned.deciding().scores(blocks_of(rows, learned.n_constants), len(rows))
        scale = self.numbers_.scale
        if self.numbers_.is_log:
            return np.asarray(scores - np.log(scale.unit))
        return np.asarray((scores - scale.center) / scale.unit)

    def _sized(self, max_atoms: int | Auto) -> tuple[Any, tuple[Size, ...], tuple[int, ...]]:
        """Return cards, the measures of all sizes, and the sizes."""
        teacher, model, sample = self.learned_.teacher, self.numbers_, self.sample_
        if teacher is None:
            assert sample.targets is not None
            never = np.full(len(sample.labels), NEVER)
            teacher = self._taught(
                [self.learned_], sample.rows, sample.targets, sample.weights(), never
            )
        sizes = sizes_for(None if max_atoms == AUTO else max_atoms, 1)
        unit = round_unit(model) if self.rounding is None else float(self.rounding)
        splits = partial(find_splits, self.encoder_.literals_)
        found = find_number_cards(teacher, model, self.learned_.rules, splits, sizes, unit)
        return found, (*found.sizes, *(self._full_size() if found.sizes else ())), sizes

    def _make_card(self) -> None:
        """Let a card decide that says what was learned."""
        found, measured, sizes = self._sized(self.max_atoms)
        is_auto = self.max_atoms == AUTO
        size = fewest(sizes, found.sizes) if is_auto else sizes[-1]
        own = found.sizes[sizes.index(size)] if found.sizes else None
        self.learned_ = replace(
            self.learned_, card=found.cards[size], card_size=own, sizes=measured
        )
        self.numbers_ = replace(self.numbers_, card_held_out=found.held_out.get(size))

    def _judge(self) -> None:
        """Measure the error on held-out rows by what decides."""
        judged = self.numbers_.judged
        self.estimated_error_ = self.estimated_score_ = None
        if self.learned_.card is not None and self.numbers_.card_held_out is None:
            return
        if not len(judged.targets):
            return
        size = number_size(judged, self.numbers_, 0, False)
        self.estimated_error_ = (
            float(np.sqrt(size.loss)) if self.numbers_.name == "squared" else size.loss
        )
        mean = np.average(judged.targets, weights=judged.weights)
        spread = float(judged.weights @ (judged.targets - mean) ** 2)
        left = float(judged.weights @ (judged.targets - judged.predictions) ** 2)
        self.estimated_score_ = 1.0 - left / spread if spread > 0 else None
