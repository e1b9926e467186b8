"""The trained model: all that was learned, the part of it that decides, and the predictions.

:meth:`Learned.deciding` alone determines which atoms count and how much: scoring, explaining,
importances, exporting, sharing and drawing all use it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from atomlearn.engine.misses import Blocks, count_misses
from atomlearn.engine.pool import Pool
from atomlearn.sets.rows import Lists, no_lists, take
from atomlearn.training.boosting.ensemble import WeightedAtoms, no_weighted_atoms
from atomlearn.training.compact.card import Card
from atomlearn.training.compact.lesson import Teacher
from atomlearn.training.compact.sizes import Size
from atomlearn.training.data import FoldAtoms, HardRules, HeldOutPredictions
from atomlearn.training.scores import (
    Calibration,
    Evidence,
    decided,
    log_ratio,
    monotone_softmax,
    softmax,
)
from atomlearn.typing import Floats, Integers

if TYPE_CHECKING:
    from atomlearn.training.settings import Round


class ClassAtoms(NamedTuple):
    """Atoms of one kind that decide about class ``k``; missing one adds its weight to the score."""

    k: int
    atoms: Lists
    weights: Floats
    is_strict: bool


@dataclass(frozen=True)
class Deciding:
    """The atoms that decide, their weights, and the offset of each class.

    The score of class ``k`` for a row is ``offsets[k] - slope * log(1 + m) + w``: ``m`` is the
    number of its strict atoms that the row misses, and ``w`` the sum of the weights of its weighted
    atoms that the row misses. Probabilities are the softmax of the scores.
    """

    strict: list[Lists]
    """Strict atoms of each class; none if they are not used."""
    slope: float
    typical: Floats
    """For each class, the median number of strict atoms that rows of other classes miss."""
    weighted: WeightedAtoms
    """Weighted atoms with their weights in the score; none if they are not used."""
    offsets: Floats
    card: Card | None = None
    """The rules with points of a compact model, whose scores are added to the offsets; then there
    are no other atoms."""

    @property
    def n_atoms(self) -> int:
        """Number of atoms, of both kinds or of a compact model."""
        if self.card is not None:
            return len(self.card)
        return sum(atoms.n for atoms in self.strict) + len(self.weighted)

    def by_class(self) -> Iterator[ClassAtoms]:
        """Yield the atoms class by class, strict ones first.

        The strict atoms of a class share one weight: the change of the score by one more miss for a
        row with the median number of misses of other classes. The atom of a rule of a compact model
        is missed where the rule is met, which adds the points of the class times the scale.
        """
        if (card := self.card) is not None:
            for k in range(len(self.offsets)):
                ours = np.flatnonzero(card.points[:, k])
                weights = card.scale * card.points[ours, k]
                yield ClassAtoms(k, take(card.atoms, ours), weights, False)
            return
        for k, atoms in enumerate(self.strict):
            if self.slope > 0:
                one = -self.slope / (self.typical[k] + 1.0)
                yield ClassAtoms(k, atoms, np.full(atoms.n, one), True)
            if len(self.weighted):
                ours = np.flatnonzero(self.weighted.classes == k)
                weights = self.weighted.weights[ours]
                yield ClassAtoms(k, take(self.weighted.atoms, ours), weights, False)

    def against(self, k: int) -> Lists:
        """Return the atoms whose absence is evidence against class ``k``; they make its definition.

        These are its strict atoms or, if strict atoms are not used, its weighted atoms of negative
        weight, the most negative first; of a compact model, those of rules against the class.
        """
        if self.card is not None:
            return self.card.against(k)
        return self.strict[k] if self.slope > 0 else self.weighted.against(k)

    def misses(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Return the number of atoms against each class that each of ``n`` rows misses."""
        return count_missed(list(map(self.against, range(len(self.strict)))), blocks, n, n_jobs)

    def scores(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Return the scores of ``n`` rows, ``(n_rows, n_classes)``."""
        if self.card is not None:
            return self.card.scores(blocks, n)
        scores = np.repeat(self.offsets[None], n, axis=0)
        if self.slope > 0:
            scores -= self.slope * np.log(count_missed(self.strict, blocks, n, n_jobs) + 1.0)
        if len(self.weighted):
            scores += self.weighted.scores(blocks, n)
        return scores


def count_missed(
    atoms: Sequence[Lists], blocks: Blocks, n: int, n_jobs: int | None = None
) -> npt.NDArray[np.int32]:
    """Return the number of atoms of each class that each of ``n`` rows misses."""
    counts = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(count_misses)(ours, blocks, n) for ours in atoms
    )
    return np.stack(counts, axis=1)


@dataclass(frozen=True, repr=False)
class Learned:
    """A trained model: strict atoms of each class, weighted atoms, and the factor of each kind."""

    pools: list[Pool]
    """Strict atoms of each class; the pools are empty if weighted atoms alone decide."""
    epochs: list[int]
    """Number of epochs of each class."""
    typical: Floats
    """For each class, the median number of strict atoms that its counterexamples miss."""
    calibration: Calibration
    held_out: HeldOutPredictions
    rounds: "list[Round]" = field(default_factory=list)
    interrupted: bool = False
    doubted: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Examples of the last batch that were left out because their labels are very improbable."""
    fold_atoms: list[FoldAtoms] = field(default_factory=list)
    """Atoms learned without each fold, for measures other than the error."""
    fold_models: "FoldModels | None" = None
    """The models learned without each fold, from which compact models are made and measured."""
    weighted: WeightedAtoms | None = None
    evidence: Evidence = field(default_factory=Evidence)
    prior: Floats | float = 0.0
    """Logarithm of the class weights, which is added to the scores."""
    rules: HardRules = field(default_factory=HardRules)
    """Rules that every prediction obeys."""
    undecided: float = 1.0
    """Share of the training rows that no rule decides; held-out rows are among these."""
    contradicted: float = 0.0
    """Share of the training rows whose labels contradict a rule, for which predictions are wrong.
    """
    teacher: Teacher | None = None
    """What compact models are made of, if the models without each fold are known."""
    card: Card | None = None
    """The rules with points that decide alone, if this is a compact model. Everything else is what
    the card was made from, and what learning continues from."""
    card_size: Size | None = None
    """Measures of the card on held-out rows, if there were any."""
    card_held_out: HeldOutPredictions | None = None
    """Predictions on held-out rows by the cards of the folds."""
    sizes: tuple[Size, ...] = ()
    """Measures of cards of several sizes, and of the full model, if they have been computed."""

    def __repr__(self) -> str:
        n = self.deciding().n_atoms
        return f"<Learned: {self.n_classes:,} classes, {n:,} atoms, {self.evidence.chosen}>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_deciding"}

    @classmethod
    def nothing(cls, n_constants: int, n_classes: int) -> "Learned":
        """Return the model before the first epoch."""
        none = HeldOutPredictions.none(n_classes)
        pools = [Pool(n_constants) for _ in range(n_classes)]
        return cls(pools, [0] * n_classes, np.zeros(n_classes), none.calibrate(), none)

    @property
    def n_constants(self) -> int:
        """Number of literals, plus one constant for the class."""
        return self.pools[0].n_constants

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.pools)

    @property
    def is_known(self) -> bool:
        """Whether any class has had an epoch."""
        return any(self.epochs)

    @property
    def error(self) -> float | None:
        """Estimated share of wrong predictions, or ``None`` if no example was held out.

        For rows that a rule decides the prediction is right, unless the label contradicts the rule.
        """
        if self.card is not None:
            if self.card_size is None:
                return None
            error = self.card_size.error
        elif self.evidence.errors:
            error = self.evidence.errors[self.evidence.chosen]
        elif len(self.held_out):
            error = self.held_out.error_and_loss(self.calibration, self.prior, self.rules.ordered)[
                0
            ]
        else:
            return None
        return self.undecided * error + self.contradicted

    @property
    def distance(self) -> float | None:
        """Estimated mean distance of predictions, in classes, or ``None`` if it is not known.

        It is measured on the held-out rows. A row that contradicts a rule counts as one class off.
        """
        judged = self.judged()
        if not len(judged):
            return None
        far = np.abs(self.chosen(self.held_out_scores()) - judged.labels)
        share = judged.weights / judged.weights.sum()
        return self.undecided * float((share * far).sum()) + self.contradicted

    def chosen(self, scores: Floats) -> Integers:
        """Return the class that is predicted for rows with these scores."""
        return decided(scores, self.rules.ordered)

    def deciding(self) -> Deciding:
        """Return the atoms that decide, their weights, and the offset of each class."""
        return self._deciding

    @cached_property
    def _deciding(self) -> Deciding:
        if (card := self.card) is not None:
            none = [no_lists() for _ in self.pools]
            start, nothing = card.scale * card.offsets, no_weighted_atoms(self.n_classes)
            return Deciding(none, 0.0, np.zeros(self.n_classes), nothing, start, card)
        strict, factor = self.evidence.strict, self.evidence.weighted
        offsets: Floats = np.zeros(self.n_classes) + self.prior
        slope = strict * self.calibration.slope
        if strict > 0:
            offsets += strict * self.calibration.offset + slope * np.log(self.typical + 1.0)
        weighted = no_weighted_atoms(self.n_classes)
        if self.weighted is not None and factor > 0:
            weighted = self.weighted.scaled(factor)
            offsets += weighted.offset
            weighted = weighted.without_offset()
        atoms = [pool.atoms if strict > 0 else no_lists() for pool in self.pools]
        return Deciding(atoms, slope, self.typical, weighted, offsets)

    def ratios(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Return strict misses relative to those of a typical counterexample, as logarithms."""
        return log_ratio(
            count_missed([pool.atoms for pool in self.pools], blocks, n, n_jobs), self.typical
        )

    def scores(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Return log-probabilities of the classes, up to a constant for each example."""
        scores = self.deciding().scores(blocks, n, n_jobs)
        if self.rules:
            scores[self.rules.forbidden_in(blocks, n)] = -np.inf
        return scores

    def probabilities(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Return calibrated probabilities of the classes."""
        return self.softmax(self.scores(blocks, n, n_jobs))

    def softmax(self, scores: Floats) -> Floats:
        """Return the probabilities of scores, exactly monotone if that is stated."""
        return softmax(scores) if self.rules.signs is None else monotone_softmax(scores)

    def judged(self) -> HeldOutPredictions:
        """Return the held-out examples on which what decides was measured."""
        if self.card is None:
            return self.held_out
        none = HeldOutPredictions.none(self.n_classes)
        return none if self.card_held_out is None else self.card_held_out

    def held_out_scores(self) -> Floats:
        """Return the scores of the held-out examples, by what decides."""
        scores = np.zeros((len(self.judged()), self.n_classes)) + self.prior
        if self.card is not None:
            if self.card_held_out is not None and self.card_held_out.weighted is not None:
                scores += self.card_held_out.weighted
            return scores
        if self.evidence.strict > 0:
            scores += self.evidence.strict * self.calibration.scores(self.held_out.ratios)
        if self.held_out.weighted is not None and self.evidence.weighted > 0:
            scores += self.evidence.weighted * self.held_out.weighted
        return scores

    def chance_reached(self, coverage: float) -> float:
        """Return the probability that the labels of so many held-out rows reach.

        A new row is as likely as any held-out one to be the least probable, so it is counted as one
        more row, of probability zero.
        """
        judged = self.judged()
        own = softmax(self.held_out_scores())[np.arange(len(judged)), judged.labels]
        order = np.argsort(own, kind="stable")
        mean = float(judged.weights.mean()) if len(own) else 1.0
        share = judged.weights[order] / mean
        below = (float(share.sum()) + 1.0) * (1.0 - coverage)
        place = int(np.searchsorted(np.cumsum(share), below * (1 + 1e-12), side="right"))
        return float(own[order[place - 1]]) if place > 0 else 0.0

    def held_out_chances(self, labels: Integers) -> Floats:
        """Return the probability of the label of each example when held out, else ``nan``."""
        held_out = self.held_out
        if held_out.examples is None:
            return np.full(len(labels), np.nan)
        own = held_out.labels == labels[held_out.examples]
        chance = softmax(self.held_out_scores())[np.arange(len(held_out)), held_out.labels][own]
        which = held_out.examples[own]
        times = np.bincount(which, minlength=len(labels))
        with np.errstate(invalid="ignore"):
            return np.bincount(which, chance, len(labels)) / times


class FoldModels(NamedTuple):
    """Models learned without each fold, and the examples that were held out, with their labels."""

    models: list[Learned]
    weighted: list[WeightedAtoms | None]
    """Weighted atoms learned without each fold, and with all rows, also if they do not decide."""
    examples: Integers
    labels: Integers
    weights: Floats
    fold: Integers


def without_atoms(pools: list[Pool]) -> list[Pool]:
    """Return empty pools over the same constants, with the same sources."""
    empty = []
    for pool in pools:
        one = Pool(pool.n_constants, pool.names)
        one.sources = list(pool.sources)
        empty.append(one)
    return empty
