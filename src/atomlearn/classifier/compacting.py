"""Compact models of a classifier: cards with few rules, made from what was learned."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.card_explanation import CardExplanation, explain_by_card
from atomlearn.classifier.card_reading import read_scorecard
from atomlearn.classifier.explanation import met_rules
from atomlearn.classifier.proofs import BROKEN, prove_monotone
from atomlearn.classifier.sample import TrainingSample
from atomlearn.classifier.scorecard import CardRule, Scorecard, card_rule
from atomlearn.engine.misses import blocks_of
from atomlearn.errors import InvalidParameter, InvalidRule
from atomlearn.export.description import shown_points
from atomlearn.sets.rows import Rows, lists_of
from atomlearn.tables.encoder import LiteralEncoder, is_whole
from atomlearn.tables.literals import Literal as Statement
from atomlearn.tables.literals import find_splits
from atomlearn.tables.rules import MonotoneStatement, Rule
from atomlearn.tables.rules import Statement as Given
from atomlearn.tables.training_rows import categories_of, chain_of, codes_of
from atomlearn.tables.validation import (
    pandas_for,
    read_table,
    refuse_missing_labels,
    table_columns,
)
from atomlearn.training.compact.card import MAX_POINTS, Card, fit_scale, rounded_offsets
from atomlearn.training.compact.lesson import FullModel, Teacher, teach, thinning
from atomlearn.training.compact.sizes import Compact, Size, fewest, find_cards, measures, sizes_for
from atomlearn.training.data import FORBIDDEN, NEVER, Examples, HeldOutPredictions
from atomlearn.training.learned import Learned
from atomlearn.typing import Floats

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Auto = Literal["auto"]
AUTO: Auto = "auto"
NOT_COMPACT = (
    "a scorecard of ordered classes cannot obey monotone statements: leave out the statements or "
    "ordered, or let all atoms decide (max_atoms=None)"
)
REMEMBERED = 5000
"""Number of most recent predictions by which a card is measured, if rows come in batches."""


def check_max_atoms(max_atoms: Any, max_points: Any) -> None:
    """Raise an error unless these can be the number of rules and the largest number of points."""
    is_number = is_whole(max_atoms) and max_atoms >= 1
    if not (max_atoms is None or is_number or (isinstance(max_atoms, str) and max_atoms == AUTO)):
        raise InvalidParameter(
            f"max_atoms must be a whole number from 1 on, 'auto' or None, not {max_atoms!r}"
        )
    if not (is_whole(max_points) and max_points >= 1):
        raise InvalidParameter(f"max_points must be a whole number from 1 on, not {max_points!r}")


def teacher_of(
    learned: Learned, examples: Examples, encoder: LiteralEncoder, seed: int
) -> Teacher | None:
    """Return what cards are made of, if the models learned without each fold are known."""
    folds = learned.fold_models
    if folds is None or not encoder.literals_:
        return None
    some = slice(None, None, thinning(len(folds.examples), len(learned.pools)))
    rows = examples.variants[0][folds.examples[some]]
    models = [*folds.models, learned]
    if len(folds.weighted) == len(models):
        models = [replace(a, weighted=b) for a, b in zip(models, folds.weighted, strict=True)]
    labels, weights, fold = folds.labels[some], folds.weights[some], folds.fold[some]
    return taught(models, rows, labels, weights, fold, encoder, seed)


def taught(
    models: Sequence[Learned],
    rows: Rows,
    labels: npt.NDArray[np.int64],
    weights: Floats,
    fold: npt.NDArray[np.int64],
    encoder: LiteralEncoder,
    seed: int,
    scores: Callable[[Learned, Rows], Floats] | None = None,
    numbers: Floats | None = None,
) -> Teacher:
    """Return what cards are made of, by the models learned without each fold and the last one."""
    columns = np.array([literal.column for literal in encoder.literals_], dtype=np.int64)
    teacher = Teacher(rows, labels, weights, fold, columns, seed % (1 << 63), targets=numbers)
    full = [
        FullModel(
            partial(scores or _scores, replace(model, card=None, prior=0.0)),
            [pool.atoms for pool in model.pools] if model.evidence.strict > 0 else [],
            model.weighted,
        )
        for model in models
    ]
    return teach(teacher, full, len(models[-1].pools))


def _scores(model: Learned, rows: Rows) -> Floats:
    return model.scores(blocks_of(rows, model.n_constants), len(rows))


def full_size(learned: Learned) -> Size | None:
    """Return the measures of the full model on held-out rows, if there are any."""
    held_out = learned.held_out
    if not len(held_out):
        return None
    full = replace(learned, card=None)
    scores = replace(full, prior=0.0).held_out_scores()
    n_atoms = full.deciding().n_atoms
    return measures(
        n_atoms, scores, held_out.labels, held_out.weights, learned.prior, True,
        learned.rules.ordered,
    )  # fmt: skip


def predicted_before(learned: Learned, examples: Examples) -> HeldOutPredictions | None:
    """Return the predictions of a card on held-out rows, with those on a batch before learning."""
    if learned.card is None:
        return None
    scores = replace(learned, prior=0.0).scores(examples.blocks(), len(examples))
    new = examples.held_out(np.zeros((len(examples), 0)), np.maximum(scores, -FORBIDDEN))
    known = learned.card_held_out
    return new if known is None else known.extended(new, REMEMBERED)


def measured_by(learned: Learned, judged: HeldOutPredictions) -> Learned:
    """Return a compact model, measured by predictions that were made before learning."""
    assert learned.card is not None and judged.weighted is not None
    size = measures(
        len(learned.card), judged.weighted, judged.labels, judged.weights,
        ordered=learned.rules.ordered,
    )  # fmt: skip
    full = full_size(learned)
    sizes = (size,) if full is None else (size, full)
    return replace(learned, card_size=size, card_held_out=judged, sizes=sizes)


def compacted(
    learned: Learned,
    encoder: LiteralEncoder,
    sample: TrainingSample,
    seed: int,
    max_atoms: int | Auto | None,
    max_points: int = MAX_POINTS,
    measured: bool = True,
) -> Learned:
    """Return the model with a card of at most ``max_atoms`` rules, or without one for ``None``.

    Unless it was learned in folds the card is made from the training sample, and not measured.
    """
    if max_atoms is not None and learned.rules.ordered and learned.rules.signs is not None:
        raise InvalidParameter(NOT_COMPACT)
    if max_atoms is None:
        return replace(learned, card=None, card_size=None, card_held_out=None)
    found, sizes = _cards(learned, encoder, sample, seed, max_atoms, max_points, measured)
    size = fewest(sizes, found.sizes) if max_atoms == AUTO else sizes[-1]
    card = found.cards[size]
    own = found.sizes[sizes.index(size)] if found.sizes else None
    full = full_size(learned)
    all_sizes = (*found.sizes, full) if found.sizes and full is not None else ()
    held_out = found.held_out.get(size)
    return replace(learned, card=card, card_size=own, card_held_out=held_out, sizes=all_sizes)


def _cards(
    learned: Learned,
    encoder: LiteralEncoder,
    sample: TrainingSample,
    seed: int,
    max_atoms: int | Auto,
    max_points: int,
    measured: bool = True,
) -> tuple[Compact, tuple[int, ...]]:
    teacher = learned.teacher
    if not encoder.literals_:
        raise InvalidParameter("all rows are equal, so there is nothing that rules could say")
    if teacher is None:
        weights, never = sample.weights(), np.full(len(sample.labels), NEVER)
        teacher = taught([learned], sample.rows, sample.labels, weights, never, encoder, seed)
    if not measured:
        teacher = teacher.without_folds()
    sizes = sizes_for(None if max_atoms == AUTO else max_atoms, learned.n_classes)
    splits = partial(find_splits, encoder.literals_)
    found = find_cards(teacher, splits, sizes, max_points, learned.prior, learned.rules)
    return found, sizes


class Compacting:
    """Mixin for compact models: few rules with whole points that decide alone."""

    image_shape: tuple[int, int] | None
    max_atoms: Any
    max_points: int
    rules_: list[Given]
    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    sample_: TrainingSample
    estimated_error_: float | None
    estimated_distance_: float | None
    ordered_: bool
    seed_: int

    def compact(self, max_atoms: int | Auto | None = AUTO, max_points: int | None = None) -> Self:
        """Return a compact classifier: a few rules with whole points that decide alone.

        Nothing is learned again: the rules are chosen so that they predict as the full model does.
        What was learned stays beside them, and ``compact(None)`` returns to it.

        Parameters
        ----------
        max_atoms : int, "auto" or None, default="auto"
            Maximum number of rules, each of which stands for an atom. ``"auto"`` takes the fewest
            whose held-out log-loss is within one standard error of the best.
        max_points : int, default=None
            Largest number of points of a rule; by default that of the classifier, 5.

        Returns
        -------
        AlgebraicClassifier
            Another fitted classifier.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> small = AlgebraicClassifier(random_state=0).fit(X, y).compact(5)
        >>> len(small.scorecard()) <= 5, bool(small.score(X, y) > 0.9)
        (True, True)
        """
        check_is_fitted(self)
        max_points = self.max_points if max_points is None else max_points
        check_max_atoms(max_atoms, max_points)
        self.sample_.need("compact()")
        other = copy.copy(self)
        other.max_atoms, other.max_points = max_atoms, max_points
        other.__dict__.pop("before_", None)
        other.learned_ = other._compacted(self.learned_)
        other._estimate()
        return other

    def _compacted(self, learned: Learned, measured: bool = True) -> Learned:
        """Return a model with a card of the size that is asked for."""
        return compacted(
            learned,
            self.encoder_,
            self.sample_,
            self.seed_,
            self.max_atoms,
            self.max_points,
            measured,
        )

    def _estimate(self) -> None:
        """Store the estimated error and, of ordered classes, the distance."""
        self.estimated_error_ = self.learned_.error
        self.estimated_distance_ = self.learned_.distance if self.ordered_ else None

    def scorecard(self) -> Scorecard:
        """Return the whole compact model on one screen: rules, points, offsets, and the price.

        Returns
        -------
        Scorecard
            The card, which can be printed, displayed, written as CSV, HTML, LaTeX and Markdown, and
            compared with another.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> card = AlgebraicClassifier(max_atoms=3, random_state=0).fit(X, y).scorecard()
        >>> len(card) <= 3
        True
        """
        learned, (card, rules, offsets) = self.learned_, shown_card(self)
        full = next((one for one in learned.sizes if one.is_full), None)
        return Scorecard(
            tuple(self.classes_.tolist()),
            rules,
            tuple(offsets.tolist()),
            card.scale,
            card.max_points,
            learned.card_size,
            full,
            before=getattr(self, "before_", None),
            is_changed=hasattr(self, "before_"),
            hard_rules=tuple(
                str(one)
                for one in self.rules_
                if isinstance(one, MonotoneStatement) or one.weight is None
            ),
            is_exact=card.is_exact,
            ordered=learned.rules.ordered,
            image_shape=self.image_shape,
            has_decided=any(isinstance(one, Rule) and one.weight is None for one in self.rules_),
            owner=self,
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
        """Return a classifier that decides by a scorecard that a person wrote or changed.

        Rules, points, offsets and scale are taken as they are. A full model is fitted beside them,
        to compare with. The card is measured on the rows given: on rows that it was not made from,
        the error is that on new rows.

        Parameters
        ----------
        source : str, Path, Scorecard or data frame
            A file or text of CSV, as :meth:`Scorecard.to_csv` writes it, or the card as it is
            printed.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows, preferably others than the card was made from.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        original : AlgebraicClassifier, Scorecard, str or Path, default=None
            The card before the change, or its classifier; it is measured on the same rows, and the
            difference is what the change costs.
        recalibrate : bool, default=False
            Whether the offsets and the scale are fitted to the rows anew.
        **params : dict
            Parameters of the classifier, such as ``rules`` or ``random_state``.

        Returns
        -------
        AlgebraicClassifier
            The fitted classifier.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> card = AlgebraicClassifier(max_atoms=4, random_state=0).fit(X, y)
        >>> text = card.scorecard().to_csv()
        >>> same = AlgebraicClassifier.from_scorecard(text, X, y, random_state=0)
        >>> print(card.scorecard().compare(same.scorecard()).added)
        ()
        """
        classifier = cls(**params)
        refuse_missing_labels(y)
        found = np.unique(np.asarray(y))
        chain = chain_of(found, classifier.ordered, categories_of(y))  # type: ignore[attr-defined]
        labels = (found if chain is None else chain).tolist()
        columns = table_columns(X)
        card = read_scorecard(source, columns, labels)
        cards = [card, *([] if original is None else [read_scorecard(original, columns, labels)])]
        return fitted_with_cards(classifier, cards, X, y, sample_weight, recalibrate)

    def _decide_by(
        self, cards: Sequence[Scorecard], X: Any, y: Any, sample_weight: Any, recalibrate: bool
    ) -> None:
        """Let the first card decide, and measure both on the rows."""
        codes = codes_of(np.asarray(y), self.classes_)
        rows = self.encoder_.pack(read_table(self, X, reset=False), extra=1)
        weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, float)
        blocks = blocks_of(rows, self.learned_.n_constants)
        sizes, held, made = [], [], []
        for i, one in enumerate(cards):
            card = card_of(one.rules, one.scale, one.offsets, one.max_points, self.encoder_)
            if recalibrate and i == 0:
                targets = np.eye(len(self.classes_))[codes]
                points = card.met(blocks, len(rows)).T.astype(np.float64) @ card.points
                scale, offsets, _ = fit_scale(points, targets, weights)
                scale = float(f"{scale:.3g}")
                card = replace(card, scale=scale, offsets=rounded_offsets(offsets, scale))
            scores = card.scores(blocks, len(rows))
            if self.learned_.rules:
                scores[self.learned_.rules.forbidden_in(blocks, len(rows))] = -FORBIDDEN
            ordered = self.learned_.rules.ordered
            sizes.append(measures(len(card), scores, codes, weights, ordered=ordered))
            none = np.zeros((len(rows), 0))
            held.append(HeldOutPredictions(none, codes, weights, weights, scores))
            made.append(card)
        self.max_atoms, self.max_points = len(made[0]) or 1, made[0].max_points
        full = full_size(self.learned_)
        self.learned_ = replace(
            self.learned_,
            card=made[0],
            card_size=sizes[0],
            card_held_out=held[0],
            sizes=() if full is None else (sizes[0], full),
            prior=0.0,
        )
        self.before_ = sizes[1] if len(sizes) > 1 else None
        self._estimate()

    def _explain_by_card(self, row: Rows, image: Floats | None) -> CardExplanation:
        learned, shape = self.learned_, self.image_shape
        card = learned.card
        assert card is not None
        blocks = blocks_of(row[None, :], learned.n_constants)
        met = np.flatnonzero(card.met(blocks, 1)[:, 0])
        hard, forbidden = learned.rules, np.zeros(len(self.classes_), dtype=np.bool_)
        applied: tuple[Rule, ...] = ()
        if hard:
            applies = hard.by_statement(hard.met_by(row[None, :]))[0]
            applied = met_rules(self.rules_, applies)
            forbidden = hard.forbidden_of(row[None, :])[0]

        def pixels(k: int) -> Floats:
            """Distribute the points against a class among the pixels of the rules."""
            found: Floats = np.zeros(int(np.prod(shape or ())))
            for r in met.tolist():
                columns = [self.encoder_.literals_[i].column for one in card.rules[r] for i in one]
                against = card.points[r].max() - card.points[r, k]
                np.add.at(found, columns, card.scale * against / max(len(columns), 1))
            return found

        return explain_by_card(
            learned,
            self.scorecard(),
            met,
            forbidden,
            applied,
            not applied or bool(forbidden.any()),
            image,
            None if image is None else pixels,
        )

    @property
    def sizes_(self) -> "pd.DataFrame":
        """Error and log-loss on held-out rows by the number of atoms, as a data frame.

        Columns: ``atoms``, ``error``, ``error_se``, ``log_loss`` and ``log_loss_se`` (standard
        errors), and ``model``, which is ``"compact"`` or ``"full"``. Each fold's compact model was
        made without its rows, from a full model that had not seen them either. ``sizes_.plot()``
        draws the curve. After ``partial_fit`` and ``merge`` only what is known is listed.
        """
        check_is_fitted(self)
        sizes = self.learned_.sizes
        if not sizes:
            teacher = self.learned_.teacher
            if teacher is not None and teacher.n_folds:
                found, _ = _cards(
                    self.learned_, self.encoder_, self.sample_, self.seed_, AUTO, self.max_points
                )
                sizes = found.sizes
            full = full_size(self.learned_)
            own = self.learned_.card_size
            sizes = (
                *sizes,
                *(() if own is None or sizes else (own,)),
                *(() if full is None else (full,)),
            )
            self.learned_ = replace(self.learned_, sizes=sizes)
        return sizes_frame(sizes, "log_loss")


def sizes_frame(sizes: Sequence[Size], loss: str) -> Any:
    """Return measures by the number of atoms as a data frame, with the loss by this name."""
    distinct = list(dict.fromkeys(sizes))
    return _frame_class()(
        {
            "model": ["full" if one.is_full else "compact" for one in distinct],
            "atoms": [one.n_atoms for one in distinct],
            "error": [one.error for one in distinct],
            "error_se": [one.error_sd for one in distinct],
            loss: [one.loss for one in distinct],
            f"{loss}_se": [one.loss_sd for one in distinct],
        }
    )


def fitted_with_cards(
    estimator: T, cards: Sequence[Any], X: Any, y: Any, sample_weight: Any, recalibrate: bool
) -> T:
    """Fit an estimator and let the first card decide; an error if it contradicts a statement."""
    made: Any = estimator
    made.card_conditions_ = [
        one for each in cards for rule in each.rules for ours in rule.clauses for one in ours
    ]
    made.fit(X, y, sample_weight=sample_weight)
    del made.card_conditions_
    made._decide_by(cards, X, y, sample_weight, recalibrate)
    for one in made.rules_:
        if isinstance(one, MonotoneStatement):
            verdict, proof, _ = prove_monotone(made, one)
            if verdict == BROKEN:
                raise InvalidRule(f"the card contradicts '{one}'. {proof[0]}")
    return estimator


def shown_card(estimator: Any) -> tuple[Card, tuple[CardRule, ...], Floats]:
    """Return the card that decides, its rules and its offsets as a person reads them.

    It is an error if all atoms decide.
    """
    check_is_fitted(estimator)
    learned, sample = estimator.learned_, estimator.sample_
    card = learned.card
    if card is None:
        raise InvalidParameter(
            f"{learned.deciding().n_atoms:,} atoms decide, which is no scorecard: make one "
            "with compact(max_atoms=20), or fit with max_atoms=20"
        )
    shares = [None] * len(card)
    if len(sample.labels) and not sample.is_withheld:
        met = card.met(blocks_of(sample.rows, learned.n_constants), len(sample.labels))
        weights = sample.weights()
        shares = (met @ weights / max(float(weights.sum()), 1e-300)).tolist()
    literals = estimator._literals()
    points, offsets = shown_points(card)
    rules = [
        card_rule([[literals[i] for i in condition] for condition in rule], numbers, share)
        for rule, numbers, share in zip(card.rules, points.tolist(), shares, strict=True)
    ]
    return card, tuple(rules), offsets


def card_of(
    shown: Sequence[CardRule],
    scale: float,
    offsets: Sequence[float],
    max_points: int,
    encoder: LiteralEncoder,
) -> Card:
    """Return the rules that a scorecard shows as a card over the literals of the encoder."""
    rules, atoms = [], []
    for rule in shown:
        conditions = [tuple(encoder.literal_numbers([clause])[0]) for clause in rule.clauses]
        rules.append(tuple(conditions))
        opposite = {i for ours in conditions for i in _opposite(ours, encoder.literals_)}
        atoms.append(sorted(opposite) or [len(encoder.literals_)])  # which no row has
    points = np.array([rule.points for rule in shown], dtype=np.int64)
    return Card(
        tuple(rules),
        points.reshape(len(rules), len(offsets)),
        scale,
        np.array(offsets),
        lists_of(atoms),
        max_points,
    )


def _opposite(condition: Sequence[int], literals: Sequence[Statement]) -> list[int]:
    """Return the literals of a column that are true only where none of the condition is."""
    ours = [literals[i] for i in condition]
    others = [i for i, one in enumerate(literals) if one.column == ours[0].column]
    return [
        i
        for i in others
        if i not in condition
        and all(
            "missing" in (one.operator, literals[i].operator) or literals[i].implies(one.negated())
            for one in ours
        )
    ]


@cache
def _frame_class() -> Any:
    """Return a class of data frames that draw themselves; pandas is loaded only if it is needed."""
    pd = pandas_for("sizes_")

    class SizesFrame(pd.DataFrame):  # type: ignore[misc, name-defined]
        """Measures by the number of atoms."""

        @property
        def _constructor(self) -> Any:
            return SizesFrame

        def __reduce__(self) -> Any:
            return _sizes_again, (pd.DataFrame(self),)

        def plot(self) -> Any:
            """Draw error and loss against the number of atoms, with standard errors."""
            from atomlearn.views.pictures import draw_sizes

            return draw_sizes(self.to_dict("list"))

    return SizesFrame


def _sizes_again(frame: Any) -> Any:
    return _frame_class()(frame)
