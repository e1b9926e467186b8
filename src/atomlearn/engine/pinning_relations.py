"""Pinning relations ``¬(c < T_φ)`` as negative relations of an epoch (section 2.9).

The paper has two strategies. The first enforces all of them with the batch. The second, which it
used in its experiments, makes a dual for the batch alone, and gives trace constraints to those
pinning relations that happen to hold there: some witness has ``T_φ`` and not ``c``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.engine.pool import hash_lists
from atomlearn.sets import rows
from atomlearn.sets.lists import Lists, take, to_lists, to_rows
from atomlearn.sets.rows import Rows

Sides = tuple[Rows, Rows]
"""The left and the right sides of relations."""


def pinning_relations(pins: Lists, n_constants: int) -> Sides:
    """``¬(c < T_φ)`` for every pin and its constants."""
    which = np.repeat(np.arange(pins.n), np.diff(pins.starts))
    terms = rows.complement(to_rows(pins, n_constants), n_constants)[which]
    return _singles(pins.constants, n_constants), terms


def holding(pins: Lists, witnesses: Rows, n_constants: int) -> Sides:
    """The pinning relations that hold in a dual.

    A witness that has ``T_φ`` has every smaller term too. Only the largest terms are given: since
    ``Tr`` shrinks as a term grows, the trace constraints of the others follow.
    """
    outside = rows.distinct(rows.complement(witnesses, n_constants))
    outside = outside[outside.any(axis=1)]
    lists = to_lists(outside)
    is_pin = np.isin(hash_lists(lists), hash_lists(pins))
    lefts, rights = pinning_relations(take(lists, np.flatnonzero(is_pin)), n_constants)
    sides = [(lefts, rights)]
    for omega in outside[~is_pin]:
        terms = rows.complement(_smallest_above(omega, pins, n_constants), n_constants)
        members = rows.members(omega)
        one = _singles(np.tile(members, len(terms)), n_constants)
        sides.append((one, np.repeat(terms, len(members), axis=0)))
    return np.vstack([a for a, _ in sides]), np.vstack([b for _, b in sides])


def joined(one: Sides, other: Sides) -> Sides:
    """The relations of both."""
    return np.vstack([one[0], other[0]]), np.vstack([one[1], other[1]])


def _smallest_above(omega: Rows, pins: Lists, n_constants: int) -> Rows:
    """The pins that contain an atom and no other such pin."""
    large = np.flatnonzero(np.diff(pins.starts) > rows.count(omega[None, :])[0])
    atoms = to_rows(take(pins, large), n_constants)
    atoms = atoms[~(omega & ~atoms).any(axis=1)]
    atoms = atoms[np.argsort(rows.count(atoms), kind="stable")]
    kept: list[Rows] = []
    for atom in atoms:
        if not any(not (other & ~atom).any() for other in kept):
            kept.append(atom)
    return np.array(kept, dtype=np.uint64).reshape(len(kept), atoms.shape[1])


def _singles(constants: npt.NDArray[np.integer[Any]], n_constants: int) -> Rows:
    n = len(constants)
    return rows.from_pairs(np.arange(n), constants, n, n_constants)
