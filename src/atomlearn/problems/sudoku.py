"""Sudoku of 4 × 4, 6 × 6 and 9 × 9 from its rules and givens.

A puzzle is text: one line a row, digits, and ``.``, ``0`` or ``_`` for an empty cell. Blanks, empty
lines, frames (``|``, ``-``, ``+``) and what follows ``#`` are passed over; a puzzle may also be one
long line. Boxes are 2 × 2, 2 × 3 (two rows, three columns) and 3 × 3.

>>> grid = next(solve("1... ..3. .4.. ...2", random_state=0))
>>> print(grid)
1 3 2 4
4 2 3 1
2 4 1 3
3 1 4 2
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import isqrt
from typing import ClassVar

from atomlearn.algebra.algebra import Algebra
from atomlearn.engine.protocol import Protocol
from atomlearn.errors import InvalidProblem
from atomlearn.problems.game import Answer, Choices, PartialSolution, Rules, one_of_each, play
from atomlearn.problems.solving import Schedule, Solver
from atomlearn.sets.random import Seed

BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}
"""Rows and columns of a box, by the size of the puzzle."""

MANY = Schedule(patience=0)
"""The schedule unless another is given: a digit is inserted in every epoch of the game. Without it
the same grids are shown again and again (6 × 6, empty, 200 epochs: 15 different grids, with it
106)."""

Cell = tuple[int, int]


def parse(text: str) -> tuple[tuple[int, ...], ...]:
    """Return the rows of a puzzle; 0 is an empty cell.

    >>> parse("12.. 3... .... ...4  # four rows")
    ((1, 2, 0, 0), (3, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 4))
    """
    written = "".join(line.partition("#")[0] for line in text.splitlines())
    signs = [sign for sign in written if sign not in "|-+ \t"]
    for sign in signs:
        if sign not in "._" and not sign.isdecimal():
            raise InvalidProblem(f"{sign!r} is not a digit; an empty cell is . or 0")
    size = isqrt(len(signs))
    if size not in BOXES or size * size != len(signs):
        raise InvalidProblem(f"{len(signs)} cells are no grid of 4 × 4, 6 × 6 or 9 × 9")
    digits = [0 if sign in "._" else int(sign) for sign in signs]
    if max(digits) > size:
        raise InvalidProblem(f"{max(digits)} is too large for a grid of {size} × {size}")
    return tuple(tuple(digits[r * size : (r + 1) * size]) for r in range(size))


def houses(size: int) -> list[list[Cell]]:
    """Return the rows, columns and boxes, each as a list of cells."""
    tall, wide = BOXES[size]
    lines = range(size)
    boxes = [
        [(top + r, left + c) for r in range(tall) for c in range(wide)]
        for top in range(0, size, tall)
        for left in range(0, size, wide)
    ]
    return [
        *([(r, c) for c in lines] for r in lines),
        *([(r, c) for r in lines] for c in lines),
        *boxes,
    ]


def choice(cell: Cell, digit: int) -> str:
    """Return the name of a choice.

    >>> choice((0, 4), 7)
    'r1c5=7'
    """
    return f"r{cell[0] + 1}c{cell[1] + 1}={digit}"


def _groups(size: int) -> Iterator[list[str]]:
    """Yield the groups of choices: one digit a cell; and in each house, one cell a digit."""
    digits = range(1, size + 1)
    for cell in product(range(size), range(size)):
        yield [choice(cell, digit) for digit in digits]
    for house in houses(size):
        yield from ([choice(cell, digit) for cell in house] for digit in digits)


def rules(size: int) -> Algebra:
    """Return the rules alone.

    >>> rules(4)
    <Algebra: 320 positive and 256 negative relations over 130 constants>
    """
    return Choices(rules_of(size)).rule_set()


def rules_of(size: int) -> Rules:
    """Return the rules of sudoku: groups of choices of which exactly one is made."""
    if size not in BOXES:
        raise InvalidProblem(f"grids are 4 × 4, 6 × 6 or 9 × 9, not {size}")
    return one_of_each(_groups(size))


def _given(puzzle: str) -> tuple[Rules, list[str]]:
    given = parse(puzzle)
    lines = range(len(given))
    fixed = [choice((r, c), given[r][c]) for r in lines for c in lines if given[r][c]]
    return rules_of(len(given)), fixed


def algebra(puzzle: str) -> Algebra:
    """Return the rules and the givens of a puzzle as relations.

    Parameters
    ----------
    puzzle : str
        The puzzle as text.

    Returns
    -------
    Algebra
        The relations.

    Examples
    --------
    >>> algebra("1... ..3. .4.. ...2").conflicts()
    []
    """
    rule_set, fixed = _given(puzzle)
    return Choices(rule_set).algebra(fixed)


def is_legal(grid: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether every row, column and box has every digit, without the algebra."""
    size = len(grid)
    wanted = set(range(1, size + 1))
    return all({grid[r][c] for r, c in house} == wanted for house in houses(size))


@dataclass(frozen=True, repr=False)
class Grid(Answer):
    """A grid in which 0 is an unknown cell."""

    fields: ClassVar[tuple[str, ...]] = ("size", "rows")

    rows: tuple[tuple[int, ...], ...]
    given: tuple[tuple[int, ...], ...] = field(repr=False)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def progress(self) -> str:
        """Degree of completeness."""
        known = sum(digit > 0 for row in self.rows for digit in row)
        return f"{known} of {self.size**2} cells"

    def solved(self) -> bool:
        """Return whether the grid is complete, legal, and has the givens."""
        pairs = [
            (shown, given)
            for shown_row, given_row in zip(self.rows, self.given, strict=True)
            for shown, given in zip(shown_row, given_row, strict=True)
        ]
        return is_legal(self.rows) and all(given in (0, shown) for shown, given in pairs)

    def __str__(self) -> str:
        return "\n".join(" ".join(str(digit or "?") for digit in row) for row in self.rows)

    def _html(self) -> str:
        from atomlearn.problems.game import FIXED, FOUND, board_svg

        return board_svg(
            [[str(digit or "?") for digit in row] for row in self.rows],
            [[FOUND if given else FIXED for given in row] for row in self.given],
            f"{self.size} × {self.size} grid: {self.caption}",
            chequered=False,
            box=BOXES[self.size],
        )


def solve(
    puzzle: str,
    *,
    random_state: Seed = None,
    max_epochs: int = 100,
    schedule: Schedule | None = None,
    on_epoch: Callable[[Grid], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[Grid]:
    """Return an iterator of complete grids, as they are found.

    Parameters
    ----------
    puzzle : str
        The puzzle as text.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same grids.
    max_epochs : int, default=100
        Maximum number of epochs.
    schedule : Schedule, default=None
        Which epochs are idle, and when choices are inserted.
    on_epoch : callable, default=None
        A function that is called with the grid of every epoch.
    protocol : {"default", "letter"} or Protocol, default="default"
        How an epoch is run.

    Returns
    -------
    Solver of Grid
        The iterator.

    Raises
    ------
    ContradictoryGivens
        If the givens contradict the rules.

    Examples
    --------
    >>> next(solve("1... ..3. .4.. ...2", random_state=0)).rows[0]
    (1, 3, 2, 4)
    """
    given = parse(puzzle)
    lines = range(len(given))

    def digit(shown: PartialSolution, cell: Cell) -> int:
        found = [d for d in range(1, len(given) + 1) if choice(cell, d) in shown.chosen]
        return found[0] if len(found) == 1 else 0

    def grid(shown: PartialSolution) -> Grid:
        rows = tuple(tuple(digit(shown, (r, c)) for c in lines) for r in lines)
        return Grid(rows, given, **shown.origin)

    return Solver(
        play(*_given(puzzle)),
        grid,
        random_state=random_state,
        max_epochs=max_epochs,
        schedule=MANY if schedule is None else schedule,
        on_epoch=on_epoch,
        protocol=protocol,
    )
