"""The atoms of a class that a row misses, and what each costs in log-odds."""

from dataclasses import dataclass

import numpy as np

from atomlearn.engine.misses import containing
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, append, take
from atomlearn.training.learned import Learned
from atomlearn.typing import Bits, Floats


@dataclass(frozen=True)
class Missed:
    """The missed atoms of a class: ``n_strict`` strict ones, then weighted ones."""

    atoms: Lists
    weighted: Floats
    """Cost of each weighted atom; a negative cost is evidence for the class."""
    n_strict: int
    slope: float
    """The strict misses ``m`` cost ``slope * log(m + 1)``."""
    n_weighted_atoms: int
    """Number of weighted atoms of the class, missed or not."""

    @property
    def values(self) -> Floats:
        """Cost of each atom alone."""
        one = self._of_strict(1) if self.n_strict else 0.0
        return np.concatenate([np.full(self.n_strict, one), self.weighted])

    def cost_of(self, some: Bits) -> float:
        """What the class would gain if the row had these atoms."""
        n = int(some[: self.n_strict].sum())
        return self._of_strict(n) + float(self.weighted[some[self.n_strict :]].sum())

    @property
    def strict_cost(self) -> float:
        """Cost of all strict misses together."""
        return self._of_strict(self.n_strict)

    @property
    def weighted_cost(self) -> float:
        """Cost of all missed weighted atoms."""
        return float(self.weighted.sum())

    def _of_strict(self, n: int) -> float:
        m = self.n_strict + 1.0
        return self.slope * float(np.log(m / (m - n)))


def missed_atoms(learned: Learned, k: int, has: Bits) -> Missed:
    """The atoms of class ``k`` that decide and that a row with these constants misses."""
    pool, evidence, weighted = learned.pools[k].atoms, learned.evidence, learned.weighted
    strict = np.flatnonzero(~held(pool, has)) if evidence.strict > 0 else np.zeros(0, np.int64)
    atoms, costs, n_ours = take(pool, strict), np.zeros(0), 0
    if weighted is not None and evidence.weighted > 0:
        ours = np.flatnonzero(weighted.classes == k)
        missed = ours[~held(take(weighted.atoms, ours), has)]
        atoms = append(atoms, take(weighted.atoms, missed))
        costs, n_ours = -evidence.weighted * weighted.weights[missed], len(ours)
    slope = evidence.strict * learned.calibration.slope
    return Missed(atoms, costs, len(strict), slope, n_ours)


def held(atoms: Lists, has: Bits) -> Bits:
    """Which of the atoms a row has."""
    return np.asarray(containing(atoms, packed.pack(has[:, None]))[:, 0] != 0)
