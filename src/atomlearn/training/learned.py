"""The trained model: atoms of each class, their calibration, and predictions."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from atomlearn.engine.misses import Blocks
from atomlearn.engine.pool import Pool
from atomlearn.training.boosting.ensemble import WeightedAtoms
from atomlearn.training.data import HardRules, HeldOut, Unseen
from atomlearn.training.scores import Calibration, Evidence, log_ratio, softmax
from atomlearn.typing import Floats, Integers

if TYPE_CHECKING:
    from atomlearn.training.settings import Round


@dataclass(repr=False)
class Learned:
    """A trained model: a pool of atoms for each class, typical miss counts, and the calibration."""

    pools: list[Pool]
    epochs: list[int]
    """Number of epochs of each class."""
    typical: Floats
    """Of each class, the median number of atoms that its counterexamples miss."""
    calibration: Calibration
    unseen: Unseen
    rounds: "list[Round]" = field(default_factory=list)
    interrupted: bool = False
    doubted: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Examples of the last batch that were left out because their labels are very improbable."""
    held_out: list[HeldOut] = field(default_factory=list)
    """What was learned without each fold, for other measures than the error."""
    weighted: WeightedAtoms | None = None
    evidence: Evidence = field(default_factory=Evidence)
    prior: Floats | float = 0.0
    """Added to the scores: the logarithm of the class weights."""
    rules: HardRules = field(default_factory=HardRules)
    """Rules that every prediction obeys."""
    undecided: float = 1.0
    """Share of the training rows that no rule decides: held-out rows are of these ..."""
    contradicted: float = 0.0
    """... and of those whose labels contradict a rule, for which predictions are wrong."""

    def __repr__(self) -> str:
        n = sum(map(len, self.pools)) if self.evidence.strict > 0 else 0
        n += len(self.weighted) if self.weighted is not None and self.evidence.weighted > 0 else 0
        return f"<Learned: {len(self.pools):,} classes, {n:,} atoms, {self.evidence.chosen}>"

    @classmethod
    def nothing(cls, n_constants: int, n_classes: int) -> "Learned":
        """Before the first epoch."""
        none = Unseen.none(n_classes)
        pools = [Pool(n_constants) for _ in range(n_classes)]
        return cls(pools, [0] * n_classes, np.zeros(n_classes), none.calibrate(), none)

    @property
    def n_constants(self) -> int:
        """Literals, and one constant for the class."""
        return self.pools[0].n_constants

    @property
    def is_known(self) -> bool:
        """Has any class had an epoch?"""
        return any(self.epochs)

    @property
    def error(self) -> float | None:
        """The estimated share of wrong predictions; ``None`` if no example was held out.

        Of rows that a rule decides the prediction is right, unless the label contradicts the rule.
        """
        if self.evidence.errors:
            error = self.evidence.errors[self.evidence.chosen]
        elif len(self.unseen):
            error = self.unseen.error_and_loss(self.calibration, self.prior)[0]
        else:
            return None
        return self.undecided * error + self.contradicted

    @property
    def loss(self) -> float:
        """Mean log-loss on held-out examples."""
        if self.evidence.losses:
            return self.evidence.losses[self.evidence.chosen]
        return self.unseen.error_and_loss(self.calibration)[1]

    @property
    def slope(self) -> float:
        """What the strict misses ``m`` of a class cost: ``slope * log(m + 1)``."""
        return self.evidence.strict * self.calibration.slope

    @property
    def offsets(self) -> Floats:
        """Score of each class for a row that misses none of its atoms, class weights included.

        A score is this offset, less the cost of strict misses, plus the weights of the weighted
        atoms that the row misses; probabilities are the softmax of the scores.
        """
        total: Floats = np.zeros(len(self.pools)) + self.prior
        if self.evidence.strict > 0:
            total += self.evidence.strict * self.calibration.offset
            total += self.slope * np.log(self.typical + 1.0)
        if self.weighted is not None and self.evidence.weighted > 0:
            total += self.evidence.weighted * self.weighted.offset
        return total

    def misses(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Missed atoms by example and class."""
        counts = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(pool.misses)(blocks, n) for pool in self.pools
        )
        return np.stack(counts, axis=1)

    def ratios(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Misses relative to those of a typical counterexample, as logarithms."""
        return log_ratio(self.misses(blocks, n, n_jobs), self.typical)

    def scores(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Log-probabilities of the classes, up to a constant for each example."""
        scores = np.zeros((n, len(self.pools))) + self.prior
        if self.evidence.strict > 0:
            ratios = self.ratios(blocks, n, n_jobs)
            scores += self.evidence.strict * self.calibration.scores(ratios)
        if self.weighted is not None and self.evidence.weighted > 0:
            scores += self.evidence.weighted * self.weighted.scores(blocks, n)
        if self.rules:
            scores[self.rules.forbidden_in(blocks, n)] = -np.inf
        return scores

    def probabilities(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Calibrated probabilities of the classes."""
        return softmax(self.scores(blocks, n, n_jobs))

    def unseen_scores(self) -> Floats:
        """The scores of the held-out examples."""
        scores = np.zeros((len(self.unseen), len(self.pools))) + self.prior
        if self.evidence.strict > 0:
            scores += self.evidence.strict * self.calibration.scores(self.unseen.ratios)
        if self.unseen.weighted is not None and self.evidence.weighted > 0:
            scores += self.evidence.weighted * self.unseen.weighted
        return scores

    def held_out_chances(self, labels: Integers) -> Floats:
        """For each of the examples with these labels, the probability that its label had when it
        was held out; ``nan`` if it never was."""
        unseen = self.unseen
        if unseen.examples is None:
            return np.full(len(labels), np.nan)
        own = unseen.labels == labels[unseen.examples]
        chance = softmax(self.unseen_scores())[np.arange(len(unseen)), unseen.labels][own]
        which = unseen.examples[own]
        times = np.bincount(which, minlength=len(labels))
        with np.errstate(invalid="ignore"):
            return np.bincount(which, chance, len(labels)) / times

    def show_weighted(self) -> None:
        """If only weighted atoms decide, let the pools be those that speak against each class."""
        if self.weighted is not None and self.evidence.strict == 0:
            self.typical = np.zeros(len(self.pools))
            self.pools = [self.weighted.pool_of(k, pool) for k, pool in enumerate(self.pools)]
