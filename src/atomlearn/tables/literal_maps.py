"""Symmetries of columns as maps of literals, checked against data."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.engine.symmetries import ALWAYS, NEVER, Symmetries
from atomlearn.sets.rows import Rows, pack
from atomlearn.tables.column_maps import Map, check_maps
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.frames import declared_kinds
from atomlearn.tables.literals import Literal
from atomlearn.tables.table import read_table
from atomlearn.training.symmetry_check import SymmetryCheck
from atomlearn.training.symmetry_check import check_symmetries as check_symmetries_of
from atomlearn.typing import Integers

ENOUGH = 200
"""Minimum number of examples for checking a permutation against data."""


def check_symmetries(
    X: Any, y: Any, symmetries: Sequence[Sequence[int]], random_state: int = 0
) -> list[SymmetryCheck]:
    """Check symmetries against data. Returns the worst class's result for each symmetry.

    >>> from atomlearn.datasets import vertical_bars
    >>> X, y = vertical_bars(800, shape=(5, 5), noise=0.3)
    >>> from atomlearn.tables.column_maps import column_swaps
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
        check_symmetries_of(maps, rows, labels == label, n, n + 1, random_state)
        for label in np.unique(labels)
    ]
    return [min(checks, key=_trust) for checks in zip(*by_class, strict=True)]


def _trust(check: SymmetryCheck) -> tuple[bool, float]:
    return check.is_believable, check.false_before - check.false_after


def constant_maps(encoder: LiteralEncoder, maps: Sequence[Map]) -> list[npt.NDArray[np.int32]]:
    """The maps of constants that maps of columns induce; the constant of the class stays.

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
    """The same literal about another column; the next weaker one if that is cut elsewhere."""
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
    """Split the maps into permutations (by index), which move pins, and others, which move
    examples.

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
    """The permutations that the examples do not contradict; with few examples, all of them."""
    constants = constant_maps(encoder, list(maps.values()))
    if constants and len(rows) >= ENOUGH:
        n = len(encoder.literals_)
        by_class = [
            check_symmetries_of(constants, rows, labels == k, n, n + 1, 0) for k in range(n_classes)
        ]
        worst = [min(checks, key=_trust) for checks in zip(*by_class, strict=True)]
        for i, check in zip(maps, worst, strict=True):
            if not check.is_believable:
                warnings.warn(f"symmetries[{i}] is left out: it {check}", stacklevel=5)
        constants = [m for m, check in zip(constants, worst, strict=True) if check.is_believable]
    return Symmetries(constants) if constants else None
