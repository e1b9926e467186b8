"""The most telling part of many atoms, and how well it does on examples.

Every example of a class has something of each of its atoms, so any conjunction of atoms covers the
class; a few atoms, chosen greedily, already keep nearly all counterexamples out.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from atomlearn.bits import rows as packed
from atomlearn.bits.rows import Rows
from atomlearn.reading.formulas import Bits


@dataclass(frozen=True)
class Measure:
    """What a formula says of examples."""

    coverage: float
    """Share of the examples of the class of which the formula is true."""
    exclusion: float
    """Share of the others of which it is false."""
    error: float
    """Share of all examples that it misjudges."""
    examples: int


def measure(
    is_true: Bits, of_class: Bits, weight: npt.NDArray[np.float64] | None = None
) -> Measure:
    """Hold a formula against examples, which may count differently.

    >>> measure(np.array([True, True, False]), np.array([True, False, False]))
    Measure(coverage=1.0, exclusion=0.5, error=0.3333333333333333, examples=3)
    """
    weight = np.ones(len(is_true)) if weight is None else weight
    inside, outside = weight[of_class].sum(), weight[~of_class].sum()
    covered = weight[of_class & is_true].sum()
    kept_out = weight[~of_class & ~is_true].sum()
    total = inside + outside
    return Measure(
        float(covered / inside) if inside else 1.0,
        float(kept_out / outside) if outside else 1.0,
        float(weight[is_true != of_class].sum() / total) if total else 0.0,
        len(is_true),
    )


def most_telling(
    missed: Rows, sizes: npt.NDArray[np.int64], others: Rows, most: int | None
) -> list[int]:
    """Atoms that together as many counterexamples as possible miss; of equal ones the smallest.

    ``missed`` has a packed set of examples for each atom, ``others`` is the set of counterexamples.
    """
    chosen: list[int] = []
    left = others.copy()
    while len(sizes) and left.any() and (most is None or len(chosen) < most):
        gain = packed.count(missed & left)
        best = np.flatnonzero(gain == gain.max())
        if gain[best[0]] == 0:
            break
        chosen.append(int(best[sizes[best].argmin()]))
        left &= ~missed[chosen[-1]]
    for atom in list(chosen):  # later choices may have made an earlier one idle
        rest = [a for a in chosen if a != atom]
        if not (missed[atom] & others & ~_union(missed, rest)).any():
            chosen = rest
    return chosen


def _union(missed: Rows, which: list[int]) -> Rows:
    return np.bitwise_or.reduce(missed[which], axis=0) if which else np.zeros_like(missed[0])
