"""The state of an epoch as bit matrices, in tuples that the kernels pass around, and its report.

The atoms of the master come in two kinds. A *singleton* ``{c}`` is one bit of a row; only a
*composite* atom, born of a crossing, has rows of its own. Everything else about an atom is the
union of what its constants have: its trace, and the relations whose left or right side holds it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from atomlearn.sets import rows
from atomlearn.sets.jit import helper, kernel
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import ONE, ZERO, lowest, transpose, transpose_some
from atomlearn.typing import Integers


@dataclass(repr=False)
class Report:
    """The figures of one epoch.

    Attributes
    ----------
    epoch : int
        Number of the epoch.
    n_positive : int
        Number of positive relations.
    n_negative : int
        Number of negative relations.
    n_conflicts : int
        Number of negative relations that the positive ones contradict; they were left out.
    n_witnesses : int
        Number of witnesses in the dual.
    n_atoms : int
        Number of atoms of the master.
    n_pool : int
        Number of pins in the pool.
    n_dropped : int
        Number of pins that were dropped.
    n_new : int
        Number of pins that were added.
    seconds : dict of str to float
        Time of each phase.
    words : dict of str to int
        Number of 64-bit words that each phase processed.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> alg.epochs(random_state=0).run(alg).report.n_positive
    1
    """

    epoch: int = 0
    n_positive: int = 0
    n_negative: int = 0
    n_conflicts: int = 0
    n_witnesses: int = 0
    n_atoms: int = 0
    n_pool: int = 0
    n_dropped: int = 0
    n_new: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Report: epoch {self.epoch}, {self.n_atoms:,} atoms, {self.total_seconds:.2f} s>"

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time of a ``with`` block.

        Parameters
        ----------
        name : str
            Name of the phase.

        Yields
        ------
        None
            Nothing; the time is added at the end of the block.
        """
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def count(self, name: str, words: int) -> None:
        """Add to the number of words that a phase processed.

        Parameters
        ----------
        name : str
            Name of the phase.
        words : int
            Number of 64-bit words.
        """
        self.words[name] = self.words.get(name, 0) + int(words)

    @property
    def total_seconds(self) -> float:
        """Total time of all phases."""
        return sum(self.seconds.values())


OnEpoch = Callable[[Report], None]
"""A progress hook that is called after each epoch."""


class Positives(NamedTuple):
    """The positive relations ``left[i] < right[i]``, and by constant the sides it occurs on."""

    left: Rows
    right: Rows
    left_of: Rows
    right_of: Rows


class Dual(NamedTuple):
    """The witnesses ``S_ζ`` as sets of constants, and by constant the witnesses that hold it."""

    witnesses: Rows
    witnesses_of: Rows


class Master(NamedTuple):
    """The atoms of ``M``: the singletons, and ``n`` composites with room for more."""

    singles: Rows
    atoms: Rows
    traces: Rows
    lefts: Rows
    rights: Rows
    n: int


def positives_of(left: Rows, right: Rows, n_constants: int) -> Positives:
    """Return the positive relations with their transposes."""
    return Positives(left, right, transpose(left, n_constants), transpose(right, n_constants))


def examples_of(
    examples: Rows, n_constants: int, constant: int = -1, which: Integers | None = None
) -> Positives:
    """Return the relations ``v < T`` for examples ``T``, by constant alone to save memory.

    The constant of the class is the last one, unless another is named. The examples are all rows,
    or ``which`` of them.
    """
    right_of = transpose_some(examples, which, n_constants)
    left_of = np.zeros(right_of.shape, dtype=np.uint64)  # takes no memory but for one row
    left_of[constant] = rows.full(len(examples) if which is None else len(which))
    nothing = rows.empty(0, n_constants)
    return Positives(nothing, nothing, left_of, right_of)


def dual_of(witnesses: Rows, n_constants: int) -> Dual:
    """Return the witnesses with their transpose."""
    return Dual(witnesses, transpose(witnesses, n_constants))


def master_of(singles: Rows, composites: Rows, positives: Positives, dual: Dual) -> Master:
    """Return a master with these singletons and composite atoms."""
    n = len(composites)
    room = max(256, 2 * n)
    master = Master(
        singles.copy(),
        np.zeros((room, len(singles)), dtype=np.uint64),
        np.zeros((room, dual.witnesses_of.shape[1]), dtype=np.uint64),
        np.zeros((room, positives.left_of.shape[1]), dtype=np.uint64),
        np.zeros((room, positives.right_of.shape[1]), dtype=np.uint64),
        n,
    )
    master.atoms[:n] = composites
    derive(master, positives, dual)
    return master


@kernel
def derive(master: Master, positives: Positives, dual: Dual) -> None:
    """Fill in traces and sides of the composites from their constants."""
    for k in range(master.n):
        for w in range(master.atoms.shape[1]):
            word = master.atoms[k, w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                word &= word - ONE
                join_row(dual.witnesses_of, c, master.traces, k)
                join_row(positives.left_of, c, master.lefts, k)
                join_row(positives.right_of, c, master.rights, k)


@helper
def join_row(source: Rows, i: int, target: Rows, j: int) -> None:
    """Add the members of one row to another."""
    for w in range(source.shape[1]):
        target[j, w] |= source[i, w]


def constant_traces(master: Master, dual: Dual) -> Rows:
    """Return ``Tr(c)`` of every constant: the witnesses that lie above all its atoms."""
    traces = np.tile(rows.full(len(dual.witnesses)), (len(dual.witnesses_of), 1))
    alone = rows.members(master.singles)
    traces[alone] &= dual.witnesses_of[alone]
    intersect_traces(master, traces)
    return traces


@kernel
def intersect_traces(master: Master, traces: Rows) -> None:
    """Remove from the trace of each constant what the composites below it miss."""
    for k in range(master.n):
        for w in range(master.atoms.shape[1]):
            word = master.atoms[k, w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                word &= word - ONE
                for t in range(traces.shape[1]):
                    traces[c, t] &= master.traces[k, t]


def atoms_of(master: Master) -> Rows:
    """Return every atom as a row of constants: composites, some perhaps twice, then singletons."""
    composites = master.atoms[: master.n]
    lone = rows.members(master.singles)
    singletons = rows.from_pairs(np.arange(len(lone)), lone, len(lone), 64 * len(master.singles))
    return np.vstack([composites[composites.any(axis=1)], singletons])
