"""Epochs of a game, by a schedule, until solutions appear.

There is no search here: no solution is built step by step and none is taken back. Each epoch learns
the relations anew, the model is asked what the solution is, and a solution that is complete and
legal is given out. The schedule says which epochs are *idle* (the rules without the game) and in
which a choice is *inserted* (one relation more, for that epoch only); both are the paper's.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from atomlearn import interrupts
from atomlearn.algebra.algebra import Algebra
from atomlearn.engine.protocol import Protocol
from atomlearn.errors import InterruptedWarning
from atomlearn.markup import Displayed
from atomlearn.problems.game import Answer, Game, PartialSolution
from atomlearn.problems.refuting import Refutation
from atomlearn.sets.random import Seed, seed_sequence

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Schedule:
    """Which epochs are idle, and when choices are inserted.

    Parameters
    ----------
    length : int, default=11
        Number of epochs in a round.
    idle : tuple of int, default=(8, 9, 10)
        Numbers of the idle epochs in a round, from 1.
    patience : int or None, default=11
        After this many epochs without a new solution, each epoch of the game has one choice
        inserted, drawn from those that the round left undecided; ``None`` inserts nothing.

    Examples
    --------
    >>> [k for k in range(1, 24) if Schedule().is_idle(k)]
    [8, 9, 10, 19, 20, 21]
    """

    length: int = 11
    idle: tuple[int, ...] = (8, 9, 10)
    patience: int | None = 11

    def place(self, epoch: int) -> int:
        """Return the number of an epoch in its round, from 1.

        Parameters
        ----------
        epoch : int
            The number of the epoch, from 1.
        """
        return (epoch - 1) % self.length + 1

    def is_idle(self, epoch: int) -> bool:
        """Return whether an epoch is idle.

        Parameters
        ----------
        epoch : int
            The number of the epoch, from 1.
        """
        return self.place(epoch) in self.idle


PAPER = Schedule(patience=None)
"""The schedule of the paper's 8 × 8 and 13 × 13 boards: idle epochs 8, 9, 10 and 19, 20, 21;
nothing inserted."""

ATTEMPTS = Schedule(length=20, idle=(1, 2, 3), patience=0)
"""The schedule of the paper's 17 × 17 boards: attempts of 20 epochs, 3 of them idle, one queen
inserted in each other."""


@dataclass(frozen=True, repr=False)
class Summary(Displayed):
    """A summary of a solver's run.

    Attributes
    ----------
    epochs : int
        Number of epochs.
    found : int
        Number of distinct solutions.
    repeated : int
        Number of solutions that were found again.
    best : str
        Progress of the most complete answer.
    interrupted : bool
        Whether the run was interrupted.
    refutation : Refutation or None
        The proof that there is no solution, if known.

    Examples
    --------
    >>> print(Summary(epochs=12, found=1, repeated=0, best="8 of 8 queens"))
    1 solution in 12 epochs
    """

    epochs: int
    found: int
    repeated: int
    best: str
    interrupted: bool = False
    refutation: Refutation | None = None

    def __str__(self) -> str:
        if self.refutation is not None:
            how = f"after {_counted(self.epochs, 'epoch')}" if self.epochs else "without learning"
            return f"{self.refutation} (shown by closure, {how})"
        if self.found:
            again = f" ({self.repeated} shown again)" if self.repeated else ""
            return f"{_counted(self.found, 'solution')} in {_counted(self.epochs, 'epoch')}{again}"
        if self.interrupted:
            return (
                f"no solution in {_counted(self.epochs, 'epoch')} before the interruption; "
                f"the best had {self.best}"
            )
        return (
            f"no solution found in {_counted(self.epochs, 'epoch')}; the best had {self.best}. "
            "Whether there is one is not known: closure finds no contradiction, and more epochs "
            "may find one"
        )


class Solver(Iterator[A]):
    """An iterator of solutions, each returned once, in the order they are found.

    It ends after ``max_epochs``, by Ctrl-C with a warning, or at once if closure shows that there
    is no solution.

    Parameters
    ----------
    game : Game
        The game to solve.
    answer : callable
        A function that turns a :class:`PartialSolution` into an :class:`Answer`.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same solutions.
    max_epochs : int, default=100
        Maximum number of epochs.
    schedule : Schedule, default=None
        Which epochs are idle, and when choices are inserted.
    on_epoch : callable, default=None
        A function that is called with the answer of every epoch.
    protocol : {"default", "letter"} or Protocol, default="default"
        How an epoch is run.

    Attributes
    ----------
    best : Answer or None
        The most complete answer so far.
    latest : Answer or None
        The answer of the last epoch.

    Examples
    --------
    >>> from atomlearn.problems import colouring
    >>> solver = colouring.solve([("a", "b"), ("b", "c")], 2, random_state=0)
    >>> print(next(solver))
    a:2 b:1 c:2
    >>> solver.summary.found
    1
    """

    def __init__(
        self,
        game: Game,
        answer: Callable[[PartialSolution], A],
        *,
        random_state: Seed = None,
        max_epochs: int = 100,
        schedule: Schedule | None = None,
        on_epoch: Callable[[A], None] | None = None,
        protocol: str | Protocol = "default",
    ) -> None:
        if game.setting is not None and game.choices:
            game.setting.refuse_contradiction()
        learning, inserting = seed_sequence(random_state).spawn(2)
        self.game = game
        self.max_epochs = max_epochs
        self.schedule = Schedule() if schedule is None else schedule
        self.epochs = game.algebra.epochs(
            random_state=learning, focus=game.solution, protocol=protocol
        )
        self.latest: A | None = None
        self.best: A | None = None
        self.repeated = 0
        self.interrupted = False
        self._answer = answer
        self._on_epoch = on_epoch
        self._rng = np.random.default_rng(inserting)
        self._found: set[frozenset[str]] = set()
        self._undecided = list(game.choices)
        self._best_size = (0, 0)
        self._waited = 0

    @cached_property
    def refutation(self) -> Refutation | None:
        """Proof that there is no solution, if closure gives one."""
        return self.game.refutation()

    def __next__(self) -> A:
        with interrupts.Deferred(learning=True) as note:
            answer = self._next()
            note.kept = True
        if note.signal and not self.interrupted:
            self.interrupted = True
            warnings.warn(f"solving was interrupted: {self.summary}", InterruptedWarning, 2)
        if answer is None:
            raise StopIteration
        return answer

    def _next(self) -> A | None:
        """Return the next solution, or ``None`` at the end."""
        if self.refutation is not None:
            return None
        if not self.game.choices and not self._found:
            return self._decided()
        while self.game.choices and self.epochs.number < self.max_epochs:
            if self.interrupted or interrupts.requested() or self.refutation is not None:
                break
            try:
                answer = self.step()
            except KeyboardInterrupt:
                if interrupts.requested():
                    break
                raise
            if answer is not None:
                return answer
        return None

    @property
    def summary(self) -> Summary:
        """Summary of the run so far."""
        best = "nothing to show" if self.best is None else self.best.progress
        found = len(self._found)
        refutation = None if self.interrupted else self.refutation  # may take seconds to find
        return Summary(self.epochs.number, found, self.repeated, best, self.interrupted, refutation)

    def _decided(self) -> A | None:
        """Return the answer of a game that the rules decide without learning."""
        shown = PartialSolution(self.game.chosen, self.game.excluded)
        answer = self._answer(shown)
        if not answer.solved():
            return None
        self._found.add(shown.chosen)
        self.latest = self.best = answer
        return answer

    def step(self) -> A | None:
        """Run one epoch, and return its answer if that is a new solution."""
        number = self.epochs.number + 1
        idle = self.schedule.is_idle(number)
        inserted = None if idle else self._choose()
        epoch = self.epochs.run(self._relations(idle, inserted))
        read = self.game.read(epoch.model)
        shown = replace(read, epoch=number, idle=idle, inserted=inserted)
        self.latest = answer = self._answer(shown)
        if self._on_epoch is not None:
            self._on_epoch(answer)
        self._waited += 1
        if idle:
            return None
        self._remember(shown, answer)
        return answer if answer.solved() and self._is_new(shown) else None

    def _relations(self, idle: bool, inserted: str | None) -> Algebra:
        if idle:
            return self.game.rules
        return self.game.algebra if inserted is None else self.game.inserting(inserted)

    def _choose(self) -> str | None:
        """Return the choice to insert in this epoch, if any: an open one that the game admits."""
        patience = self.schedule.patience
        if patience is None or self._waited < patience:
            return None
        undecided = self._undecided
        for k in self._rng.permutation(len(undecided)):
            if self.game.admits(undecided[k]):
                return undecided[k]
        return None

    def _remember(self, shown: PartialSolution, answer: A) -> None:
        """Note the answer. A round continues from it, unless it is a solution."""
        ends = self.schedule.place(shown.epoch) == self.schedule.length
        model = None if ends or answer.solved() else shown.model
        self._undecided = list(self.game.choices) if model is None else self.game.undecided(model)
        size = (len(shown.chosen), shown.n_decided)
        if self.best is None or size > self._best_size:
            self._best_size, self.best = size, answer

    def _is_new(self, shown: PartialSolution) -> bool:
        if shown.chosen in self._found:
            self.repeated += 1
            return False
        self._found.add(shown.chosen)
        self._waited = 0
        return True


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
