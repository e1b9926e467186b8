"""Mazes: a path from the entrance to the exit, as a problem of edges.

A maze is text: ``#`` is a wall, ``S`` the start, ``E`` the end, anything else is free. Each pair of
free neighbours is an edge, and the path is a cycle through the hub (:mod:`.routes`).

>>> print(next(solve("#####\\n#S  #\\n# # #\\n#  E#\\n#####", random_state=0)).n_steps)
4
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from atomlearn.errors import InvalidProblem
from atomlearn.problems.game import Answer, PartialSolution
from atomlearn.problems.graphs import graph
from atomlearn.problems.routes import Routes, RouteSolver
from atomlearn.problems.solving import Solver
from atomlearn.sets.random import Seed

WALL, START, END = "#", "S", "E"
LARGEST = 2500
"""Maximum number of free cells."""


def parse(text: str) -> tuple[str, ...]:
    """Return the rows of a maze, all of the same length.

    >>> parse("##\\n#S E#")
    ('##   ', '#S E#')
    """
    rows = text.replace("\r", "").strip("\n").split("\n")
    width = max(map(len, rows), default=0)
    for sign in (START, END):
        if (n := sum(row.count(sign) for row in rows)) != 1:
            raise InvalidProblem(
                f"a maze has one {sign} (# is a wall, S the start, E the end), not {n}"
            )
    if sum(len(row) - row.count(WALL) for row in rows) > LARGEST:
        raise InvalidProblem(f"a maze of more than {LARGEST:,} free cells; # is a wall")
    return tuple(row.ljust(width) for row in rows)


def _cell(r: int, c: int) -> str:
    return f"{r + 1},{c + 1}"


@dataclass(frozen=True, repr=False)
class MazePath(Answer):
    """A path through a maze, as far as it is known."""

    fields: ClassVar[tuple[str, ...]] = ("path",)

    rows: tuple[str, ...] = field(repr=False)
    path: tuple[tuple[int, int], ...]
    """Rows and columns from the start on, counted from 1."""
    chosen: tuple[str, ...] = field(default=(), repr=False)

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return max(0, len(self.path) - 1)

    @property
    def progress(self) -> str:
        """Degree of completeness."""
        return f"{self.n_steps} steps" + ("" if self.solved() else ", not at the end")

    def sign(self, r: int, c: int) -> str:
        """Return the sign of a cell, counted from 1."""
        return self.rows[r - 1][c - 1]

    def solved(self) -> bool:
        """Return whether the path leads from S to E through free cells, none of them twice."""
        ends = [self.sign(*cell) for cell in (*self.path[:1], *self.path[-1:])]
        steps = zip(self.path, self.path[1:], strict=False)
        return (
            ends == [START, END]
            and len(set(self.path)) == len(self.path)
            and all(abs(r - i) + abs(c - j) == 1 for (r, c), (i, j) in steps)
            and all(self.sign(*cell) != WALL for cell in self.path)
        )

    def __str__(self) -> str:
        on = set(self.path)
        return "\n".join(
            "".join(
                "." if (r, c) in on and sign not in (START, END) else sign
                for c, sign in enumerate(row, start=1)
            )
            for r, row in enumerate(self.rows, start=1)
        )

    def _html(self) -> str:
        from atomlearn.problems.game import FIXED, FOUND, board_svg

        on = set(self.path)
        cells = [list(enumerate(row, start=1)) for row in self.rows]
        signs = [
            ["■" if s == WALL else s if s in (START, END) else "●" if (r, c) in on else ""
             for c, s in row] for r, row in enumerate(cells, start=1)
        ]  # fmt: skip
        colours = [[FOUND if s == WALL else FIXED for _, s in row] for row in cells]
        return board_svg(signs, colours, f"maze: {self.caption}", chequered=False)


def solve(
    text: str,
    *,
    random_state: Seed = None,
    max_epochs: int = 500,
    on_epoch: Callable[[MazePath], None] | None = None,
    **options: Any,
) -> Solver[MazePath]:
    """Return an iterator of paths through a maze.

    Parameters
    ----------
    text : str
        The maze: ``#`` is a wall, ``S`` the start, ``E`` the end.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same paths.
    max_epochs : int, default=500
        Maximum number of epochs.
    on_epoch : callable, default=None
        A function that is called with the path of every epoch.
    **options : object
        As for other problems: ``schedule``, ``protocol``.

    Returns
    -------
    Solver of MazePath
        The iterator.

    Examples
    --------
    >>> print(next(solve("#####\\n#S#E#\\n# # #\\n#   #\\n#####", random_state=0)))
    #####
    #S#E#
    #.#.#
    #...#
    #####
    """
    rows = parse(text)
    free = {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != WALL}
    ends = [_cell(r, c) for sign in (START, END) for r, c in free if rows[r][c] == sign]
    edges: list[tuple[str, ...]] = [(end,) for end in ends]
    for r, c in sorted(free):
        edges += [(_cell(r, c), _cell(*to)) for to in ((r, c + 1), (r + 1, c)) if to in free]
    routes = Routes(graph(edges), ends, every=False)

    def answer(shown: PartialSolution) -> MazePath:
        chosen = tuple(name for name in routes.edges if name in shown.chosen)
        found = routes.walk(chosen, ends[0]) if chosen else [ends[0]]
        found = [cell for cell in found if cell != routes.hub]
        if found[1:2] == [ends[1]] and len(found) > 2:  # walked through the hub, against the path
            found = [found[0], *reversed(found[1:])]
        path = tuple((int(r), int(c)) for r, c in (cell.split(",") for cell in found))
        return MazePath(rows, path, chosen, **shown.origin)

    return RouteSolver(
        routes,
        answer,
        random_state=random_state,
        max_epochs=max_epochs,
        on_epoch=on_epoch,
        **options,
    )
