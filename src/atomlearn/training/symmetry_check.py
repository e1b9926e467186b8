"""Is a map of constants a symmetry of the problem? Asked of examples, before it is used.

Pins are learned from one half of the examples. The other half contradicts some of them; if the map
is a symmetry then the moved pins are neither contradicted more often nor missed less by
counterexamples, because moved examples are examples like all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy.typing as npt

from atomlearn.engine.concept import READABLE, Concept, Sampler
from atomlearn.engine.misses import blocks_of, missed_by
from atomlearn.engine.symmetries import moved
from atomlearn.markup import Displayed
from atomlearn.sets.random import Seed, permutation, seed_sequence, stream
from atomlearn.sets.rows import Lists, Rows
from atomlearn.typing import Bits

EPOCHS = 5
LARGEST = 4000
"""Examples that are looked at."""
SLACK = 1.5
"""Moved pins may be contradicted so many times as often, and missed so many times more seldom."""


@dataclass(frozen=True, repr=False)
class SymmetryCheck(Displayed):
    """How pins do on examples that they were not learned from, before and after a map."""

    false_before: float
    """Share of the examples that miss a pin, in the mean: it is false of them."""
    false_after: float
    telling_before: float
    """Share of the counterexamples that miss it: it tells them apart."""
    telling_after: float
    n_pins: int

    @property
    def is_believable(self) -> bool:
        """Do moved pins do about as well?"""
        noise = 1 / max(1, self.n_pins)
        return (
            self.false_after <= SLACK * self.false_before + noise
            and self.telling_after * SLACK >= self.telling_before
        )

    def __str__(self) -> str:
        verdict = "looks like a symmetry" if self.is_believable else "is no symmetry"
        return (
            f"{verdict}: of examples not learned from, {self.false_after:.2%} contradict a moved "
            f"pin ({self.false_before:.2%} the pin itself), and {self.telling_after:.1%} of the "
            f"counterexamples miss it ({self.telling_before:.1%})"
        )


def check_symmetries(
    maps: Sequence[npt.ArrayLike],
    examples: Rows,
    is_positive: Bits,
    constant: int,
    n_constants: int,
    seed: Seed = None,
) -> list[SymmetryCheck]:
    """Try each map of constants on pins of the class; ``examples`` are packed terms.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.datasets import vertical_bars
    >>> images, labels = vertical_bars(800, shape=(5, 5), noise=0.3)
    >>> terms = rows.pack(np.hstack([images, ~images, np.zeros((800, 1), dtype=bool)]))
    >>> grid = np.arange(25).reshape(5, 5)
    >>> maps = [np.append(np.append(g, g + 25), 50) for g in (grid[::-1].ravel(), grid.T.ravel())]
    >>> checks = check_symmetries(maps, terms, labels, 50, 51, seed=0)
    >>> [check.is_believable for check in checks]          # upside down is, transposed is not
    [True, False]
    """
    order, learning = seed_sequence(seed).spawn(2)
    chosen = permutation(stream(order), len(examples))[:LARGEST]
    half = chosen[: len(chosen) // 2]
    rest = chosen[len(chosen) // 2 :]
    concept = Concept(n_constants, constant, learning, READABLE)
    sampler = Sampler(concept, examples[half][None], is_positive[half])
    for _ in range(EPOCHS):
        sampler.run_epoch()
    pins = concept.pool.atoms
    sides = [examples[rest[is_positive[rest]]], examples[rest[~is_positive[rest]]]]
    before = [_missed(pins, side, n_constants) for side in sides]
    checks = []
    for one in maps:
        after = [_missed(moved(pins, one), side, n_constants) for side in sides]
        checks.append(SymmetryCheck(before[0], after[0], before[1], after[1], len(concept.pool)))
    return checks


def _missed(atoms: Lists, examples: Rows, n_constants: int) -> float:
    n = len(examples)
    if n == 0 or len(atoms.starts) < 2:
        return 0.0
    return float(missed_by(atoms, blocks_of(examples, n_constants), n).mean()) / n
