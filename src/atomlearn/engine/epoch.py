"""One epoch of learning: a batch of relations in, the atoms of a master model out.

It reads as section 2 of the paper: the dual, the trace constraints, the crossing of each positive
relation, the reduction. What the paper does otherwise is a switch of the protocol.

For pinning relations ``¬(c < T_φ)`` (section 2.9) the paper has two strategies. The first enforces
all of them with the batch. The second, which it
used in its experiments, makes a dual for the batch alone, and gives trace constraints to those
pinning relations that happen to hold there: some witness has ``T_φ`` and not ``c``.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.engine.dual import cover
from atomlearn.engine.pool import hash_lists
from atomlearn.engine.protocol import DEFAULT, PackedRelations, Protocol
from atomlearn.engine.reduction import discriminating, reduce
from atomlearn.engine.sparse_crossing import DRAWS, cross_until
from atomlearn.engine.state import (
    Dual,
    Master,
    Positives,
    Report,
    atoms_of,
    constant_traces,
    dual_of,
    master_of,
    positives_of,
)
from atomlearn.engine.trace_constraints import HOLD, enforce_negative, enforce_positive
from atomlearn.sets import rows
from atomlearn.sets.closing import close_rows
from atomlearn.sets.random import Stream, permutation
from atomlearn.sets.rows import Lists, Rows, no_lists, take, to_lists, to_rows
from atomlearn.typing import Integers

Sides = tuple[Rows, Rows]
"""The left and the right sides of relations."""

Kept = tuple[Rows | None, Rows | None]
"""The singletons, as one row, and the composite atoms that an epoch starts from."""

NOTHING: Kept = (None, None)
"""An epoch that starts without atoms."""


def beginning(protocol: Protocol, n_constants: int) -> Kept:
    """Return what the first epoch starts from: nothing, or an atom in every constant."""
    return NOTHING if protocol.start == "empty" else (rows.full(n_constants), None)


def pinning_relations(pins: Lists, n_constants: int) -> Sides:
    """Return ``¬(c < T_φ)`` for every pin and its constants."""
    which = np.repeat(np.arange(pins.n), np.diff(pins.starts))
    terms = rows.complement(to_rows(pins, n_constants), n_constants)[which]
    return _singles(pins.constants, n_constants), terms


def holding(pins: Lists, witnesses: Rows, n_constants: int) -> Sides:
    """Return the pinning relations that hold in a dual.

    A witness that contains ``T_φ`` contains every smaller term too. Only the largest terms are
    given: since ``Tr`` shrinks as a term grows, the trace constraints of the others follow.
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
    """Return the relations of both."""
    return np.vstack([one[0], other[0]]), np.vstack([one[1], other[1]])


def _smallest_above(omega: Rows, pins: Lists, n_constants: int) -> Rows:
    """Return the pins that contain an atom and no other such pin."""
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


GROWTH = 2.0
"""The atoms are reduced again once their number has grown by this factor."""

FLOOR = 512
"""Minimum number of composite atoms for a reduction."""

PAUSE = 0.5
"""Maximum time of crossing between two checks for a signal, in seconds."""

BUDGET = 1 << 24
"""Number of words that certainly take less time to cross than ``PAUSE``."""


@dataclass(frozen=True)
class PreparedBatch:
    """Relations prepared for an epoch: positives in random order, right sides closed."""

    n_constants: int
    positives: Positives
    left: Rows
    closed: Rows
    conflicts: Integers
    """Negative relations that the positive ones contradict; they are left out of the batch."""


def prepare(relations: PackedRelations, rng: Stream) -> PreparedBatch:
    """Shuffle the positive relations and close the right-hand sides of the negative ones."""
    n = relations.n_constants
    order = permutation(rng, len(relations.positive_left))
    positives = positives_of(relations.positive_left[order], relations.positive_right[order], n)
    closed = close_rows(relations.negative_right, positives.left, positives.right, n)
    contradicted = ~(relations.negative_left & ~closed).any(axis=1)
    kept = ~contradicted
    left = relations.negative_left if kept.all() else relations.negative_left[kept]
    closed = closed if kept.all() else closed[kept]
    return PreparedBatch(n, positives, left, closed, np.flatnonzero(contradicted))


def run(
    batch: PreparedBatch,
    rng: Stream,
    report: Report,
    *,
    pins: Lists | None = None,
    protocol: Protocol = DEFAULT,
    kept: Rows | None = None,
    singles: Rows | None = None,
) -> Rows:
    """Return the atoms of a master model of the batch.

    ``pins`` are atoms whose pinning terms are closed under the batch; ``kept`` are composite atoms
    to start from, ``singles`` the constants that start with an atom of their own in addition to
    those that the protocol asks for.
    """
    n = batch.n_constants
    pins = no_lists() if pins is None else pins
    negatives = batch.left, batch.closed
    if protocol.strategy == "enforce":
        negatives = joined(negatives, pinning_relations(pins, n))
    with report.phase("dual"):
        witnesses = cover(*negatives, pins, n, rng, protocol.dual)
        report.count("dual", len(pins.constants) * rows.width(len(negatives[0])))
    master = embed(
        batch, *negatives, witnesses, rng, report, pins=pins, protocol=protocol,
        kept=kept, singles=singles,
    )  # fmt: skip
    atoms = atoms_of(master)
    if protocol.reduction == "negatives":
        atoms = atoms[discriminating(atoms, *negatives, n, rng)]
    report.n_atoms = len(atoms)
    return atoms


def embed(
    batch: PreparedBatch,
    left: Rows,
    closed: Rows,
    witnesses: Rows,
    rng: Stream,
    report: Report,
    *,
    pins: Lists | None = None,
    protocol: Protocol = DEFAULT,
    kept: Rows | None = None,
    singles: Rows | None = None,
) -> Master:
    """Enforce the trace constraints of a dual, then cross and reduce until the batch holds."""
    positives = batch.positives
    composites = rows.empty(0, batch.n_constants) if kept is None else kept
    with report.phase("trace constraints"):
        if protocol.vocabulary == "all":
            # With an atom in every constant Tr(x) = GLᵃ([x]), and closed witnesses that separate
            # the negatives meet all constraints (the paper's proof of Theorem 7).
            dual = dual_of(witnesses, batch.n_constants)
            master = master_of(rows.full(batch.n_constants), composites, positives, dual)
            traces = dual.witnesses_of
        else:
            sides = left, closed
            if protocol.strategy == "hold" and pins is not None:
                sides = joined(sides, holding(pins, witnesses, batch.n_constants))
            dual, master, traces = enforce(batch, *sides, witnesses, composites, rng, singles)
    report.n_witnesses = len(dual.witnesses)
    with report.phase("reduction"):
        master = reduce(traces, dual, master, rng)
    first = 0
    while first < len(positives.left):
        interrupts.check()
        with report.phase("crossing"):
            first, master = cross(first, positives, dual, master, rng, report, protocol)
        with report.phase("reduction"):
            report.count("reduction", master.n * (master.atoms.shape[1] + master.traces.shape[1]))
            master = reduce(traces, dual, master, rng)
    return master


def split(atoms: Rows) -> tuple[Rows, Rows]:
    """Return the singletons as one row, and the composites."""
    alone = rows.count(atoms) == 1
    return rows.union(atoms[alone]), atoms[~alone]


def cross(
    first: int,
    positives: Positives,
    dual: Dual,
    master: Master,
    rng: Stream,
    report: Report,
    protocol: Protocol = DEFAULT,
) -> tuple[int, Master]:
    """Cross relations from ``first`` on until a reduction is due, checking for signals."""
    limit = max(FLOOR, int(GROWTH * master.n))
    budget = BUDGET
    while True:
        start = time.perf_counter()
        first, master, words = cross_until(
            limit, first, positives, dual, master, rng, budget, DRAWS.index(protocol.draws),
            protocol.partners == "renewed", protocol.renewal == "needed",
        )  # fmt: skip
        report.count("crossing", words)
        if first < 0:
            raise AssertionError(f"positive trace constraint {-1 - first} does not hold")
        if first == len(positives.left) or master.n > limit:
            return first, master
        interrupts.check()
        seconds = time.perf_counter() - start
        budget = max(BUDGET, int(budget * min(2.0, PAUSE / seconds)))


def enforce(
    batch: PreparedBatch,
    left: Rows,
    closed: Rows,
    witnesses: Rows,
    composites: Rows,
    rng: Stream,
    singles: Rows | None = None,
) -> tuple[Dual, Master, Rows]:
    """Run Algorithms 1 and 2 in turn until a full pass adds nothing."""
    singles = rows.empty(1, batch.n_constants)[0] if singles is None else singles
    while True:
        dual = dual_of(witnesses, batch.n_constants)
        master = master_of(singles, composites, batch.positives, dual)
        traces = constant_traces(master, dual)
        while True:
            before = master.singles.copy()
            lacking = enforce_negative(left, closed, dual, master.singles, traces, rng)
            if lacking != HOLD:
                break
            loose = enforce_positive(
                batch.positives.left, batch.positives.right, dual, master.singles, traces, rng
            )
            if loose != HOLD:
                raise AssertionError(f"a witness is not closed under relation {loose}")
            if np.array_equal(before, master.singles):
                return dual, master, traces
        witnesses = np.vstack([witnesses, closed[lacking]])
        singles = master.singles
