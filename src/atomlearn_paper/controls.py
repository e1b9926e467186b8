"""What is reached without learning: controls for the queens experiments, by simulation.

An attempt puts queens on random squares, one at a time, until the board is full or nothing is
left to do. The controls differ in what they know: where a queen attacks; what follows from the
rules by closure; and which boards were shown before.
"""

from typing import NamedTuple

import numpy as np

from atomlearn.engine.epochs import TOURNAMENT
from atomlearn.errors import InvalidProblem
from atomlearn.problems.queens import Chessboard, square, square_name

STEPS = 17
"""Queens inserted in an attempt, as in the paper."""

DRAWN = TOURNAMENT
"""Remembered boards that are drawn, of which the largest is shown: as many as the engine draws
pins."""


class Position(NamedTuple):
    """Queens and empty squares as sets of bits; closed under the rules if they are applied."""

    queens: int = 0
    empty: int = 0


class Rules:
    """The rules of a board as closure, written for speed with integers as sets of squares."""

    def __init__(self, size: int) -> None:
        board, lines = Chessboard(size), range(size)
        self.size, self.n = size, size * size
        at = {s: 1 << k for k, s in enumerate(board.squares)}
        self.attacked = [sum(at[t] for t in board.attacked(*s)) for s in board.squares]
        self.lines = [sum(at[x, y] for y in lines) for x in lines]
        self.lines += [sum(at[x, y] for x in lines) for y in lines]

    def place(self, position: Position, squares: int) -> Position:
        """Put queens on squares and mark what they attack."""
        empty = position.empty
        for k in members(squares):
            empty |= self.attacked[k]
        return Position(position.queens | squares, empty)

    def close(self, position: Position, squares: int) -> Position | None:
        """The same, and a queen on the last square of each line, until nothing changes."""
        position = self.place(position, squares)
        while not position.queens & position.empty:
            left = [line & ~position.empty for line in self.lines]
            if 0 in left:
                return None
            new = 0
            for line in left:
                if line & (line - 1) == 0:
                    new |= line & ~position.queens
            if new == 0:
                return position
            position = self.place(position, new)
        return None

    def is_full(self, position: Position) -> bool:
        """Are all queens there?"""
        return position.queens.bit_count() == self.size

    def open_squares(self, position: Position) -> list[int]:
        """Squares that are neither attacked nor taken."""
        return members(~(position.queens | position.empty) & ((1 << self.n) - 1))

    def names(self, position: Position) -> tuple[str, ...]:
        """The squares of the queens."""
        return tuple(square_name(*divmod(k, self.size)) for k in members(position.queens))

    def fixed(self, queens: list[str]) -> int:
        """Squares by name as a set of bits."""
        return sum(1 << x * self.size + y for x, y in (square(q, self.size) for q in queens))


def members(bits: int) -> list[int]:
    """The elements of a set of bits.

    >>> members(0b1010)
    [1, 3]
    """
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found


class Control(Rules):
    """Something that makes attempts from fixed queens; this one, uniform legal squares until stuck.

    >>> Control(4, ["b1"], 0).attempt() in ([], [("b1", "d2", "a3", "c4")])
    True
    """

    propagates = False

    def __init__(self, size: int, fixed: list[str], seed: int) -> None:
        super().__init__(size)
        self.given, self.rng = self.fixed(fixed), np.random.default_rng(seed)

    def put(self, position: Position, squares: int) -> Position | None:
        """A position with more queens; ``None`` is a contradiction."""
        return self.close(position, squares) if self.propagates else self.place(position, squares)

    def attempt(self) -> list[tuple[str, ...]]:
        """One attempt: the full boards it came to, each as its queens."""
        position = self.put(Position(), self.given)
        while position is not None and not self.is_full(position):
            free = self.open_squares(position)
            if not free:
                return []
            position = self.put(position, 1 << free[self.rng.integers(len(free))])
        return [] if position is None else [self.names(position)]


class Propagated(Control):
    """The same with the rules propagated by closure."""

    propagates = True


class Remembering(Control):
    """The protocol of the algebra without its atoms: closure, and a memory of the boards shown.

    At each step a legal queen is inserted for that step. Remembered boards are closed with the
    fixed queens and the inserted one; of 256 drawn from those without contradiction the largest is
    shown and remembered. With ``joins``, boards merged two by two are drawn as well.
    """

    def __init__(self, size: int, fixed: list[str], seed: int, joins: bool = False) -> None:
        super().__init__(size, fixed, seed)
        self.joins = joins
        self.boards: dict[Position, None] = {}  # a set that keeps its order

    def attempt(self) -> list[tuple[str, ...]]:
        """As many steps as queens are inserted in the paper's attempts."""
        full = []
        start = shown = self._closed(self.given)
        for _ in range(STEPS):
            shown = self._show(self.given | self._insert(shown))
            self.boards[shown] = None
            if self.is_full(shown):
                full.append(self.names(shown))
                shown = start
        return full

    def _insert(self, shown: Position) -> int:
        free = self.open_squares(shown)
        for k in self.rng.permutation(len(free)):
            if self.close(Position(), self.given | 1 << free[k]) is not None:
                return 1 << free[k]
        return 0

    def _show(self, given: int) -> Position:
        """The largest of some remembered boards that agree with what is given."""
        start = self._closed(given)
        agreeing = [b for b in (self._join(start, board) for board in self.boards) if b is not None]
        if not agreeing:
            return start
        drawn = [agreeing[k] for k in self.rng.integers(len(agreeing), size=DRAWN)]
        if self.joins:
            pairs = self.rng.integers(len(agreeing), size=(DRAWN, 2))
            merged = (self._join(agreeing[i], agreeing[j]) for i, j in pairs)
            drawn += [board for board in merged if board is not None]
        return max(drawn, key=lambda b: (b.queens | b.empty).bit_count())

    def _closed(self, given: int) -> Position:
        """What follows from queens that are known to be consistent."""
        closed = self.close(Position(), given)
        if closed is None:
            raise InvalidProblem("the fixed queens contradict the rules")
        return closed

    def _join(self, one: Position, other: Position) -> Position | None:
        both = Position(one.queens | other.queens, one.empty | other.empty)
        return self.close(both, both.queens)
