"""``atomlearn solve``, ``queens``, ``sudoku``, ``path`` and others: rules in, solutions out."""

import inspect
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from atomlearn import interrupts
from atomlearn.cli.algebra import read_algebra
from atomlearn.cli.output import (
    NO,
    AtomsPicture,
    Json,
    MaxEpochs,
    PngPicture,
    Queens,
    Quiet,
    RelationFile,
    SeedIfAny,
    SvgPicture,
    TextFile,
    check_choice,
    counted,
    fail,
    note,
    print_json,
)
from atomlearn.errors import ContradictoryGivens, NotText

if TYPE_CHECKING:
    from rich.text import Text

    from atomlearn.problems import Answer, Schedule, Solver

MOST_DRAWN = 25
"""A picture shows at most this many answers, the latest ones."""
MOST_ATOMS_DRAWN = 100
"""A picture shows at most this many atoms."""
GAP = 4
"""Blanks between two boards that are printed side by side."""


class Problem(NamedTuple):
    """The differences between these commands: how to solve, what to draw and what to print."""

    solve: "Callable[..., Solver[Any]]"
    draw_last: "Callable[[list[Answer]], None] | None" = None
    fields: dict[str, Any] | None = None
    """Fields that ``--json`` has beside those of all problems."""
    remark: str = ""
    """A remark that is printed after the solutions."""


def queens(
    size: Annotated[int, typer.Option("--size", help="Number of rows of the board.")] = 8,
    queen: Queens = None,
    insert: Annotated[
        str,
        typer.Option(
            "--insert", help="Add a random legal queen for one epoch: never, when stuck, or always."
        ),
    ] = "stuck",
    atoms: AtomsPicture = None,
) -> Problem:
    """Complete a board with queens that do not attack each other, learned from the rules."""
    from atomlearn.problems import queens

    solve = partial(queens.solve, size, queen or [], schedule=_schedule(insert))
    return Problem(solve, None if atoms is None else partial(_draw_atoms, atoms, size))


def sudoku(file: TextFile) -> Problem:
    """Solve a sudoku of 4, 6 or 9 rows: one line a row, digits, and . for an empty cell."""
    from atomlearn.problems import sudoku

    return Problem(partial(sudoku.solve, read_text(file)))


def hamiltonian(file: TextFile) -> Problem:
    """Find a cycle through all vertices of a graph: one edge a line, two names."""
    from atomlearn.problems import hamiltonian

    return Problem(partial(hamiltonian.solve, read_text(file)))


def path(
    file: TextFile,
    start: Annotated[str | None, typer.Option("--from", help="Where the path begins.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Where the path ends.")] = None,
) -> Problem:
    """Find a path through all vertices of a graph: one edge a line, two names."""
    from atomlearn.problems import hamiltonian

    return Problem(partial(hamiltonian.solve_path, read_text(file), start=start, end=end))


def maze(file: TextFile) -> Problem:
    """Find a path through a maze: # is a wall, S the start, E the end."""
    from atomlearn.problems import mazes

    return Problem(partial(mazes.solve, read_text(file)))


def solve(file: RelationFile) -> Problem:
    """Solve a puzzle that a relation file states; what is given is written below S, as in x < S."""
    from atomlearn.problems import stated

    return Problem(partial(stated.solve, read_algebra(file)))


def colouring(
    file: TextFile,
    colours: Annotated[int, typer.Option("--colours", "-k", min=1, help="Number of colours.")] = 3,
) -> Problem:
    """Colour a graph so that neighbours differ: one edge a line, two names.

    Some vertices have the first colours from the start, because colours could be renamed: each
    solution stands for several.
    """
    from atomlearn.problems import colouring
    from atomlearn.problems.graphs import graph

    g = graph(read_text(file))
    solve, n = partial(colouring.solve, g, colours), colouring.renamings(g, colours)
    first = ", ".join(f"{v}:{c}" for c, v in enumerate(colouring.named_first(g, colours), start=1))
    remark = f"each stands for {n:,} that differ in the names of the colours ({first} was set)"
    return Problem(solve, None, {"renamings": n}, remark if n > 1 else "")


def _with_options(command: Callable[..., Problem], epochs: int) -> Callable[..., None]:
    """Return the command with the options that all of them have."""

    def run(
        *,
        seed: SeedIfAny = None,
        max_epochs: MaxEpochs = epochs,
        solutions: Annotated[
            int, typer.Option("--solutions", min=1, help="Stop after this many solutions.")
        ] = 1,
        svg: SvgPicture = None,
        png: PngPicture = None,
        quiet: Quiet = False,
        as_json: Json = False,
        **own: Any,
    ) -> None:
        problem = command(**own)
        solve = partial(problem.solve, random_state=seed, max_epochs=max_epochs)
        session = _Session(problem._replace(solve=solve), quiet or as_json)
        session.run(solutions, [path for path in (svg, png) if path], as_json)

    shared = [p for p in inspect.signature(run).parameters.values() if p.name != "own"]
    own = list(inspect.signature(command).parameters.values())
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*own, *shared)]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


class _Session:
    """A session that solves, prints the answer of each epoch, and summarises."""

    def __init__(self, problem: Problem, quiet: bool) -> None:
        self.problem = problem
        self.display = SideBySide(silent=quiet)
        self.answers: list[Answer] = []
        self.found: list[Answer] = []
        try:
            self.solver = problem.solve(on_epoch=self._on_epoch)
        except ContradictoryGivens as error:
            fail(str(error), NO)

    def run(self, wanted: int, pictures: list[Path], as_json: bool) -> None:
        """Solve and print; signals are deferred until everything is printed and drawn."""
        with interrupts.Deferred(learning=True) as noted:
            self.found = list(islice(self.solver, wanted))
            self.display.flush()
            noted.kept = True
            if self.problem.draw_last is not None:
                self.problem.draw_last(self.answers)
            self._draw(pictures)
            self._print_json() if as_json else self._print()
        if noted.signal:
            epochs = counted(self.solver.epochs.number, "epoch")
            fail(f"interrupted after {epochs}: what was found by then is above", noted.exit_code)
        if not self.found:
            raise typer.Exit(NO)

    def _on_epoch(self, answer: "Answer") -> None:
        self.answers.append(answer)
        self.display.add(answer)

    def _draw(self, pictures: list[Path]) -> None:
        shown = self.answers[-MOST_DRAWN:] or self.found
        for path in pictures:
            if not shown:
                note(f"nothing was shown, so nothing is drawn to {path}")
                continue
            from atomlearn.problems.drawing import save

            save(shown, path)

    def _print_json(self) -> None:
        refutation = self.solver.refutation
        print_json(
            {
                "solutions": [answer.to_dict() for answer in self.found],
                "epochs": self.solver.epochs.number,
                "best": None if self.solver.best is None else self.solver.best.progress,
                "interrupted": self.solver.interrupted,
                "unsolvable": refutation is not None,
                "clashing": None if refutation is None else list(refutation.givens),
                **(self.problem.fields or {}),
            }
        )

    def _print(self) -> None:
        for answer in self.found:
            where = f"epoch {answer.epoch}" if answer.epoch else "the rules alone decide it"
            print(f"\nsolution, {where}:")
            self.display.console.print(as_text(answer))
        remark = f"; {self.problem.remark}" if self.found and self.problem.remark else ""
        print(f"\n{self.solver.summary}{remark}.")


def _draw_atoms(path: Path, size: int, answers: "list[Answer]") -> None:
    """Draw the atoms of the last model that are about the board and not about rules alone."""
    model = answers[-1].model if answers else None
    if model is None:
        note(f"no epoch was needed, so there are no atoms to draw to {path}")
        return
    from atomlearn.problems.drawing import save_atoms

    inside = [atom for atom in model.atoms if len(atom) > 1 and "U" not in atom.constants]
    save_atoms(inside[:MOST_ATOMS_DRAWN], size, path)


def _schedule(insert: str) -> "Schedule":
    from atomlearn.problems import ATTEMPTS, PAPER, Schedule

    known = {"never": PAPER, "stuck": Schedule(), "always": ATTEMPTS}
    check_choice("--insert", insert, known)
    return known[insert]


def read_text(file: Path) -> str:
    """Return the text of a file."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise NotText(f"{file} is not UTF-8 text") from None


class SideBySide:
    """A printer of answers as they arrive, as many side by side as fit."""

    def __init__(self, *, silent: bool = False) -> None:
        from rich.console import Console

        self.console = Console(highlight=False)
        self.silent = silent
        self._waiting: list[Text] = []

    def add(self, answer: Any) -> None:
        """Add an answer; it is printed when its row is full."""
        if self.silent:
            return
        self._waiting.append(_titled(answer))
        if len(self._waiting) >= self._fit():
            self.flush()

    def flush(self) -> None:
        """Print the answers that have not been printed yet."""
        from rich.table import Table

        if not self._waiting:
            return
        table = Table.grid(padding=(0, GAP, 1, 0))
        table.add_row(*self._waiting)
        self.console.print(table)
        self._waiting = []

    def _fit(self) -> int:
        width = max(max(len(line) for line in text.plain.split("\n")) for text in self._waiting)
        return max(1, self.console.width // (width + GAP))


def as_text(answer: Any) -> "Text":
    """Return a board, a sudoku or another answer as coloured text."""
    from rich.text import Text

    if hasattr(answer, "queens"):
        return _board(answer)
    return _grid(answer) if hasattr(answer, "given") else Text(str(answer))


def _titled(answer: Any) -> "Text":
    from rich.text import Text

    mark = " idle" if answer.idle else f" +{answer.inserted}" if answer.inserted else ""
    return Text(f"epoch {answer.epoch}{mark}\n", style="dim").append_text(as_text(answer))


def _board(board: Any) -> "Text":
    """Return a board as text: queens bold, given ones blue, an inserted one red, others dim."""
    from rich.text import Text

    from atomlearn.problems.queens import square_name

    styles = {"Q": "bold", ".": "dim", "?": "yellow"}
    special = dict.fromkeys(board.fixed, "bold blue")
    if board.inserted:
        special.setdefault(board.inserted, "bold red")
    text = Text()
    lines = range(board.size)
    for x in reversed(lines):
        text.append(f"{x + 1:>2}", style="dim")
        for y in lines:
            sign = board.sign(square_name(x, y))
            style = special.get(square_name(x, y), "bold") if sign == "Q" else styles[sign]
            text.append(" " + {"Q": "♛", ".": "·"}.get(sign, sign), style=style)
        text.append("\n")
    return text.append("   " + " ".join(square_name(0, y)[0] for y in lines), style="dim")


def _grid(grid: Any) -> "Text":
    """Return a sudoku as text: given digits are bold, others blue."""
    from rich.text import Text

    text = Text()
    for r, row in enumerate(grid.rows):
        for c, digit in enumerate(row):
            style = "bold" if grid.given[r][c] else "blue" if digit else "yellow"
            text.append(f"{digit or '?'} ", style=style)
        text.append("\n" if r + 1 < len(grid.rows) else "")
    return text


MAX_EPOCHS: dict[Callable[..., Problem], int] = {
    solve: 200,
    queens: 100,
    sudoku: 100,
    hamiltonian: 5000,
    path: 5000,
    maze: 1000,
    colouring: 200,
}
"""The problems that have a command, and after how many epochs each gives up."""
COMMANDS = [_with_options(command, epochs) for command, epochs in MAX_EPOCHS.items()]
"""The commands of this file, with the options that all of them have."""
