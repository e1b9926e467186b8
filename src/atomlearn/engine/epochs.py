"""Epoch after epoch over the same rules: how formal problems are solved.

Each epoch embeds the relations anew with another dual, and its atoms join the pool as pins. A pin
that contradicts the relations is not dropped here but *closed* under them for the epoch: only the
pinning relations that fail go, the term grows, and the original is kept. So what was learned of
the rules alone serves every game that is played with them. The paper discards it; that, and all
else that differs, is a switch of the :class:`~atomlearn.engine.Protocol`.

The relations are crossed in the order of how much they say, those with most constants on the left
first, and at random among equals. Crossed in a wholly random order, an epoch makes little else than
the complements of its witnesses, and its pins teach nothing new; in this order it makes twice the
atoms, many of them maximal, in a third of the time (17×17 queens).

:func:`learn` is one such epoch, without pins.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from atomlearn import interrupts
from atomlearn.engine.dual import Cover, cover
from atomlearn.engine.epoch import NOTHING, PreparedBatch, beginning, embed, prepare, run, split
from atomlearn.engine.misses import contradicted
from atomlearn.engine.pool import Pool
from atomlearn.engine.protocol import DEFAULT, PackedRelations, Protocol, protocol_of
from atomlearn.engine.state import OnEpoch, Report, atoms_of, positives_of
from atomlearn.errors import DifferentConstants, InconsistentRelations
from atomlearn.sets import rows
from atomlearn.sets.closing import close_rows
from atomlearn.sets.random import Seed, Stream, below, stream
from atomlearn.sets.rows import Rows, to_lists
from atomlearn.typing import Bits, Integers

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.algebra.model import Model
    from atomlearn.algebra.terms import Term


def learn(
    relations: PackedRelations,
    *,
    random_state: Seed = None,
    protocol: Protocol = DEFAULT,
    on_epoch: OnEpoch | None = None,
) -> Rows:
    """Learn a model of packed relations by one epoch of Sparse Crossing.

    Parameters
    ----------
    relations : PackedRelations
        The relations, from :meth:`Algebra.packed`.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same model.
    protocol : Protocol, default=DEFAULT
        How the epoch is run: ours, or to the letter of the paper.
    on_epoch : callable, default=None
        A function that is called with the :class:`Report` of the epoch.

    Returns
    -------
    ndarray of uint64
        The atoms of a model in which all relations hold, as packed rows.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> alg.add(alg.relation("v !< a"))
    >>> len(learn(alg.packed(), random_state=0)) > 0
    True
    """
    rng = stream(random_state)
    report = Report(
        n_positive=len(relations.positive_left), n_negative=len(relations.negative_left)
    )
    with interrupts.Deferred():
        with report.phase("closure"):
            batch = prepare(relations, rng)
        if len(batch.conflicts):
            raise ValueError(f"negative relation {int(batch.conflicts[0])} is contradicted")
        singles, kept = beginning(protocol, relations.n_constants)
        atoms = run(batch, rng, report, protocol=protocol, kept=kept, singles=singles)
    if on_epoch is not None:
        on_epoch(report)
    return atoms


TOURNAMENT = 256
"""Number of pins drawn for the focus, of which the largest, once closed, is taken. With 16, nearly
complete boards are lost among many small pins (13×13 queens: 6 distinct boards in 100 epochs, not
33)."""


@dataclass(frozen=True)
class Epoch:
    """The model of one epoch, with its figures.

    Attributes
    ----------
    number : int
        Number of the epoch, from 1.
    model : Model
        The model that was learned.
    report : Report
        Sizes, times and counts.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> epoch = alg.epochs(random_state=0).run(alg)
    >>> epoch.number, epoch.model.holds(alg.relation("v < a b"))
    (1, True)
    """

    number: int
    model: "Model"
    report: Report


class Epochs(Iterator[Epoch]):
    """An iterator of epochs on the relations of an algebra, each with the pins of those before.

    Only one witness of an epoch contains the focus, a pin that is large after closing; the
    constants of that witness are those below the focus in the model.

    Parameters
    ----------
    algebra : Algebra
        The relations.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same models.
    focus : Term or str, default=None
        The constant or term of interest, such as the solution of a puzzle.
    max_epochs : int, default=None
        Maximum number of epochs; without it the iterator never ends.
    max_pins : int, default=20000
        Maximum number of pins that are kept; the oldest are dropped first. The letter keeps all.
    on_epoch : callable, default=None
        A function that is called with a :class:`Report` after each epoch.
    protocol : {"default", "letter"} or Protocol, default=DEFAULT
        How an epoch is run.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b", "c"])
    >>> alg.add(alg.relation("v < a b"), alg.relation("v !< a c"))
    >>> epochs = alg.epochs(random_state=0)
    >>> epoch = next(epochs)
    >>> epoch.number, epoch.model.holds(alg.relation("v < a b"))
    (1, True)
    """

    def __init__(
        self,
        algebra: "Algebra",
        *,
        random_state: Seed = None,
        focus: "Term | str | None" = None,
        max_epochs: int | None = None,
        max_pins: int = 20_000,
        on_epoch: OnEpoch | None = None,
        protocol: str | Protocol = DEFAULT,
    ) -> None:
        self.protocol = protocol_of(protocol)
        self.algebra = algebra
        self.focus = None if focus is None else algebra.term(focus)
        self.max_epochs = max_epochs
        self.max_pins = max_pins
        self.on_epoch = on_epoch
        self.rng: Stream = stream(random_state)
        self.pool = Pool(algebra.n_constants, algebra.names)
        self.number = 0
        self._kept = beginning(self.protocol, algebra.n_constants)

    def __next__(self) -> Epoch:
        if self.max_epochs is not None and self.number >= self.max_epochs:
            raise StopIteration
        return self.run()

    def run(self, algebra: "Algebra | None" = None) -> Epoch:
        """Run one epoch; an interrupted epoch changes nothing.

        Parameters
        ----------
        algebra : Algebra, default=None
            Another algebra over the same constants, for an idle epoch (the rules without the game)
            or a relation that is added for one epoch only.

        Returns
        -------
        Epoch
            The model of the epoch, with its figures.
        """
        with interrupts.Deferred():
            return self._run(algebra)

    def _run(self, algebra: "Algebra | None") -> Epoch:
        algebra = self.algebra if algebra is None else algebra
        if tuple(algebra.names) != tuple(self.algebra.names):
            raise DifferentConstants("an epoch needs relations over the constants of its algebra")
        rng = self.rng.copy()
        relations = algebra.packed()
        report = Report(self.number + 1, len(relations.positive_left), len(relations.negative_left))
        protocol = self.protocol
        with report.phase("closure"):
            batch = prepare(relations, rng)
            if protocol.order == "largest":
                batch = largest_first(batch)
        if len(batch.conflicts):
            raise InconsistentRelations(algebra.conflicts())
        with report.phase("pool"):
            pins = self._pins(batch)
        atoms, pinned = self._embed(batch, pins, rng, report)
        with report.phase("pinning"):
            if protocol.contradicted == "discard":
                report.n_dropped = self.pool.drop_contradicted(batch.positives)
            report.n_new = self.pool.add(pinned, self.number + 1)
            report.n_dropped += self._forget()
        self._kept = split(atoms) if protocol.master == "kept" else NOTHING
        report.n_atoms = len(atoms)
        report.n_pool = len(self.pool)
        self.rng = rng
        self.number += 1
        if self.on_epoch is not None:
            self.on_epoch(report)
        return Epoch(self.number, self.algebra.model_of(atoms), report)

    def _pins(self, batch: PreparedBatch) -> Rows:
        """Return the pins that the relations allow, or all pins closed under the relations."""
        pins = self.pool.rows()
        if self.protocol.contradicted == "close":
            return close_pins(pins, batch)
        positives = batch.positives
        return pins[~contradicted(self.pool.atoms, positives.left_of, positives.right_of)]

    def _embed(
        self, batch: PreparedBatch, pins: Rows, rng: Stream, report: Report
    ) -> tuple[Rows, Rows]:
        """Return the atoms of the master, and those that become pins."""
        protocol, (singles, kept) = self.protocol, self._kept
        if protocol.focus == "drawn":
            atoms = run(
                batch, rng, report, pins=to_lists(pins), protocol=protocol,
                kept=kept, singles=singles,
            )  # fmt: skip
            return atoms, atoms[rows.count(atoms) < batch.n_constants]
        with report.phase("dual"):
            witnesses = choose_witnesses(batch, pins, self._focus_row(), rng, protocol.dual)
        master = embed(
            batch, batch.left, batch.closed, witnesses, rng, report, pins=to_lists(pins),
            protocol=protocol, kept=kept, singles=singles,
        )  # fmt: skip
        pinned = np.vstack([master.atoms[: master.n], self._about_focus(witnesses)])
        return atoms_of(master), pinned

    def _focus_row(self) -> Rows | None:
        if self.focus is None:
            return None
        return rows.row(self.focus.indices, self.algebra.n_constants)

    def _about_focus(self, witnesses: Rows) -> Rows:
        """Return the atoms whose pinning terms are the witnesses that contain the focus.

        The atoms of the master often go too far beyond such a witness, so its own complement is
        kept too. That complement could be an atom of the model, because the union of two models is
        a model.
        """
        focus = self._focus_row()
        if focus is None:
            return witnesses[:0]
        atoms = rows.complement(witnesses, self.algebra.n_constants)
        return atoms[~rows.meets(atoms, focus)]

    def _forget(self) -> int:
        """Drop the oldest pins beyond ``max_pins``, if the protocol limits them."""
        if self.protocol.memory == "unlimited":
            return 0
        old = np.zeros(len(self.pool), dtype=np.bool_)
        old[: max(0, len(self.pool) - self.max_pins)] = True
        return self.pool.drop(old)


def largest_first(batch: PreparedBatch) -> PreparedBatch:
    """Return the batch with its positive relations sorted by the size of the left side."""
    left, right = batch.positives.left, batch.positives.right
    order = np.argsort(-rows.count(left), kind="stable")
    return replace(batch, positives=positives_of(left[order], right[order], batch.n_constants))


def close_pins(pins: Rows, batch: PreparedBatch) -> Rows:
    """Return the atoms of pins whose pinning terms are closed under the positive relations.

    A term that grows to all constants separates nothing and is left out.
    """
    terms = rows.complement(pins, batch.n_constants)
    positives = batch.positives
    closed = close_rows(terms, positives.left, positives.right, batch.n_constants)
    atoms = rows.complement(closed, batch.n_constants)
    return rows.distinct(atoms[atoms.any(axis=1)])


def choose_witnesses(
    batch: PreparedBatch, pins: Rows, focus: Rows | None, rng: Stream, way: Cover = "lazy"
) -> Rows:
    """Return a cover of the negative relations in which at most one witness contains the focus."""
    n = batch.n_constants
    if focus is None:
        return cover(batch.left, batch.closed, to_lists(pins), n, rng, way)
    about_focus = np.flatnonzero(rows.within(focus[None, :], batch.closed).ravel())
    holds_focus = rows.within(np.tile(focus, (len(pins), 1)), rows.complement(pins, n))
    first = rows.empty(0, n)
    rest = np.arange(len(batch.left))
    if len(about_focus):
        terms = rows.complement(pins[holds_focus], n)
        first = focus_witness(batch, about_focus, terms, rng)[None, :]
        rest = np.flatnonzero(~separated_by(first[0], batch.left, batch.closed))
    others = to_lists(np.ascontiguousarray(pins[~holds_focus]))
    return np.vstack([first, cover(batch.left[rest], batch.closed[rest], others, n, rng, way)])


def focus_witness(batch: PreparedBatch, about_focus: Integers, terms: Rows, rng: Stream) -> Rows:
    """Choose a witness for the relations about the focus.

    Some terms that separate one of these relations are drawn at random; the witness is the term
    that separates most of them, and the largest of several that do.
    """
    j = int(about_focus[below(rng, len(about_focus))])
    fitting = terms[separates_each(terms, batch.left[j], batch.closed[j])]
    if len(fitting) == 0:
        return batch.closed[j]
    drawn = fitting[[below(rng, len(fitting)) for _ in range(TOURNAMENT)]]
    n_separated = np.zeros(len(drawn), dtype=np.int64)
    for i in about_focus:
        n_separated += separates_each(drawn, batch.left[i], batch.closed[i])
    return drawn[np.lexsort((-rows.count(drawn), -n_separated))[0]]


def separates_each(terms: Rows, left: Rows, right: Rows) -> Bits:
    """Return which of the terms separate the relation ``¬(left < right)``."""
    holds_right = ~(right & ~terms).any(axis=1)
    return np.asarray(holds_right & (left & ~terms).any(axis=1))


def separated_by(witness: Rows, left: Rows, right: Rows) -> Bits:
    """Return which relations ``¬(left < right)`` the witness separates."""
    return rows.within(right, witness) & ~rows.within(left, witness)
