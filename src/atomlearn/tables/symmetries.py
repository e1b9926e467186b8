"""Symmetries of a table: maps of columns become maps of literals, tested against the data."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.engine.concept import READABLE, Concept, Sampler
from atomlearn.engine.misses import blocks_of, missed_by
from atomlearn.engine.symmetries import ALWAYS, NEVER, Symmetries, moved
from atomlearn.markup import Displayed
from atomlearn.sets.random import Seed, permutation, seed_sequence, stream
from atomlearn.sets.rows import Lists, Rows, pack
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import Map, check_maps
from atomlearn.tables.literals import Literal
from atomlearn.tables.validation import declared_kinds, read_table
from atomlearn.typing import Bits, Integers

EPOCHS = 5
LARGEST = 4000
"""Maximum number of examples that are used for a check."""
SLACK = 1.5
"""Tolerance: factor by which moved pins may be contradicted more often, or exclude fewer
counterexamples."""


@dataclass(frozen=True, repr=False)
class SymmetryCheck(Displayed):
    """Accuracy of pins, before and after a map, on examples that they were not learned from."""

    false_before: float
    """Average share of the examples that miss a pin, and thereby contradict it."""
    false_after: float
    telling_before: float
    """Average share of the counterexamples that miss a pin, which thereby excludes them."""
    telling_after: float
    n_pins: int

    @property
    def is_believable(self) -> bool:
        """Whether moved pins are about as accurate."""
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


def check_constant_maps(
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
    >>> checks = check_constant_maps(maps, terms, labels, 50, 51, seed=0)
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


ENOUGH = 200
"""Minimum number of examples for checking a permutation against data."""


def check_symmetries(
    X: Any, y: Any, symmetries: Sequence[Sequence[int]], random_state: int = 0
) -> list[SymmetryCheck]:
    """Check symmetries against data.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        The labels.
    symmetries : sequence of sequences of int
        Maps of columns.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    list of SymmetryCheck
        The result of the worst class for each symmetry.

    Examples
    --------
    >>> from atomlearn.datasets import vertical_bars
    >>> X, y = vertical_bars(800, shape=(5, 5), noise=0.3)
    >>> from atomlearn.tables.images import column_swaps
    >>> transposed = np.arange(25).reshape(5, 5).T.ravel()
    >>> checks = check_symmetries(X, y, [column_swaps((5, 5))[0], transposed])
    >>> [one.is_believable for one in checks]
    [True, False]
    """
    encoder = LiteralEncoder()
    table = read_table(encoder, X, reset=True)
    weights = np.ones(table.shape[0])
    encoder.fit_table(table, weights, encoder, declared_kinds(X), are_pixels=True)
    bits = encoder.transform(X)
    rows = pack(np.hstack([bits, np.zeros((len(bits), 1), dtype=np.bool_)]))
    n = len(encoder.literals_)
    maps = constant_maps(encoder, check_maps(symmetries, encoder.n_features_in_))
    labels = np.asarray(y)
    by_class = [
        check_constant_maps(maps, rows, labels == label, n, n + 1, random_state)
        for label in np.unique(labels)
    ]
    return [min(checks, key=_trust) for checks in zip(*by_class, strict=True)]


def _trust(check: SymmetryCheck) -> tuple[bool, float]:
    return check.is_believable, check.false_before - check.false_after


def constant_maps(encoder: LiteralEncoder, maps: Sequence[Map]) -> list[npt.NDArray[np.int32]]:
    """Return the maps of constants that maps of columns induce; the constant of the class stays.

    A literal about column ``j`` becomes the same literal about column ``map[j]``, or the next
    weaker one that exists.
    """
    literals = encoder.literals_
    exactly = {(one.column, one.operator, one.value): i for i, one in enumerate(literals)}
    blank: Any = None
    if any((one < 0).any() for one in maps):
        blank = encoder.transform(np.zeros((1, encoder.n_features_in_)))[0]
    out = []
    for one in maps:
        constants = [
            (ALWAYS if blank[i] else NEVER)
            if one[literal.column] < 0
            else _alike(literal, int(one[literal.column]), literals, exactly)
            for i, literal in enumerate(literals)
        ]
        out.append(np.array([*constants, len(literals)], dtype=np.int32))
    return out


def _alike(
    literal: Literal, column: int, literals: Sequence[Literal], exactly: dict[Any, int]
) -> int:
    """Return the same literal about another column, or the next weaker one that exists there."""
    key = (column, literal.operator, literal.value)
    if key in exactly or literal.operator not in (">", "<="):
        return exactly.get(key, ALWAYS)
    above = literal.operator == ">"
    weaker = [
        (one.value if above else -one.value, i)
        for i, one in enumerate(literals)
        if (one.column, one.operator) == key[:2] and (one.value < literal.value) == above
    ]
    return max(weaker)[1] if weaker else ALWAYS


def sorted_out(maps: Sequence[Map]) -> tuple[dict[int, Map], list[Map]]:
    """Split the maps into permutations (by index), which move pins, and others, for examples.

    Measured on bars and parity, moving pins needs fewer examples; where an image loses its border,
    moving examples is as good and quicker.
    """
    whole = [len(np.unique(one)) == len(one) and one.min(initial=0) >= 0 for one in maps]
    return (
        {i: one for i, one in enumerate(maps) if whole[i]},
        [one for i, one in enumerate(maps) if not whole[i]],
    )


def believed_symmetries(
    encoder: LiteralEncoder,
    maps: Mapping[int, Map],
    rows: Rows,
    labels: Integers,
    n_classes: int,
) -> Symmetries | None:
    """Return the permutations that the examples do not contradict; with few examples, all."""
    constants = constant_maps(encoder, list(maps.values()))
    if constants and len(rows) >= ENOUGH:
        n = len(encoder.literals_)
        by_class = [
            check_constant_maps(constants, rows, labels == k, n, n + 1, 0) for k in range(n_classes)
        ]
        worst = [min(checks, key=_trust) for checks in zip(*by_class, strict=True)]
        for i, check in zip(maps, worst, strict=True):
            if not check.is_believable:
                warnings.warn(f"symmetries[{i}] is left out: it {check}", stacklevel=5)
        constants = [m for m, check in zip(constants, worst, strict=True) if check.is_believable]
    return Symmetries(constants) if constants else None
