"""``atomlearn queens``, ``sudoku``, ``hamiltonian`` and ``colouring``: rules in, solutions out."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from atomlearn import interrupts
from atomlearn.cli.boards import SideBySide, as_text
from atomlearn.cli.output import NO, check_outputs, counted, fail, note, print_json
from atomlearn.errors import ContradictoryGivens, NotText

if TYPE_CHECKING:
    from atomlearn.problems.solving import Answer, Schedule, Solver

Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="The same seed gives the same boards.")
]
Epochs = Annotated[int, typer.Option("--max-epochs", min=1, help="Give up after so many epochs.")]
Wanted = Annotated[int, typer.Option("--solutions", min=1, help="Stop after so many solutions.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show the solutions only.")]
Svg = Annotated[Path | None, typer.Option("--svg", help="Draw what was shown to this file.")]
Png = Annotated[Path | None, typer.Option("--png", help="Draw what was shown to this file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
File = Annotated[Path, typer.Argument(help="A text file.")]

DRAWN = 25
"""At most so many answers are drawn, the latest of them."""

A = TypeVar("A", bound="Answer")


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    for command in (queens, sudoku, hamiltonian, colouring):
        app.command()(command)


def queens(
    size: Annotated[int, typer.Option("--size", help="Rows of the board.")] = 8,
    queen: Annotated[
        list[str] | None, typer.Option("--queen", help="A fixed queen, as b4; may be repeated.")
    ] = None,
    seed: Seed = None,
    epochs: Epochs = 100,
    solutions: Wanted = 1,
    insert: Annotated[
        str,
        typer.Option(
            "--insert", help="Insert a legal queen for one epoch: never, stuck (when), or always."
        ),
    ] = "stuck",
    svg: Svg = None,
    png: Png = None,
    atoms: Annotated[
        Path | None,
        typer.Option("--atoms", help="Draw atoms of the last model as small boards to this file."),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Complete a board with queens that do not attack each other, learned from the rules."""
    from atomlearn.problems import queens as problem

    def solver(on_epoch: Callable[[Any], None]) -> "Solver[Any]":
        return problem.solve(
            size,
            queen or [],
            random_state=seed,
            max_epochs=epochs,
            schedule=_schedule(insert),
            on_epoch=on_epoch,
        )

    check_outputs(atoms)
    _solve(solver, solutions, quiet, as_json, svg, png, (atoms, size))


def sudoku(
    file: File,
    seed: Seed = None,
    epochs: Epochs = 100,
    solutions: Wanted = 1,
    svg: Svg = None,
    png: Png = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Solve a sudoku of 4, 6 or 9 rows: one line a row, digits, and . for an empty cell."""
    from atomlearn.problems import sudoku as problem

    puzzle = _read(file)

    def solver(on_epoch: Callable[[Any], None]) -> "Solver[Any]":
        return problem.solve(puzzle, random_state=seed, max_epochs=epochs, on_epoch=on_epoch)

    _solve(solver, solutions, quiet, as_json, svg, png)


def hamiltonian(
    file: File,
    seed: Seed = None,
    epochs: Epochs = 200,
    solutions: Wanted = 1,
    svg: Svg = None,
    png: Png = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find a cycle through all vertices of a graph: one edge a line, two names."""
    from atomlearn.problems import hamiltonian as problem

    graph = _read(file)

    def solver(on_epoch: Callable[[Any], None]) -> "Solver[Any]":
        return problem.solve(graph, random_state=seed, max_epochs=epochs, on_epoch=on_epoch)

    _solve(solver, solutions, quiet, as_json, svg, png)


def colouring(
    file: File,
    colours: Annotated[int, typer.Option("--colours", "-k", min=1, help="How many colours.")] = 3,
    seed: Seed = None,
    epochs: Epochs = 200,
    solutions: Wanted = 1,
    svg: Svg = None,
    png: Png = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Colour a graph so that neighbours differ: one edge a line, two names."""
    from atomlearn.problems import colouring as problem

    graph = _read(file)

    def solver(on_epoch: Callable[[Any], None]) -> "Solver[Any]":
        return problem.solve(
            graph, colours, random_state=seed, max_epochs=epochs, on_epoch=on_epoch
        )

    _solve(solver, solutions, quiet, as_json, svg, png)


def _solve(
    make: "Callable[[Callable[[Any], None]], Solver[Any]]",
    wanted: int,
    quiet: bool,
    as_json: bool,
    svg: Path | None,
    png: Path | None,
    atoms: tuple[Path | None, int] = (None, 0),
) -> None:
    """Solve and tell: Ctrl-C and SIGTERM are only noted until all is shown and drawn."""
    check_outputs(svg, png)
    run = _Run(make, quiet or as_json)
    with interrupts.Deferred(learning=True) as note:
        run.solve(wanted)
        note.kept = True
        run.draw_atoms(*atoms)
        run.finish(svg, png, as_json)
    if note.signal:
        epochs = counted(run.solver.epochs.number, "epoch")
        fail(f"interrupted after {epochs}: what was found by then is above", note.exit_code)
    if not run.found:
        raise typer.Exit(NO)


class _Run:
    """Solve, show what each epoch shows, and tell the end."""

    def __init__(
        self,
        make: "Callable[[Callable[[Any], None]], Solver[Any]]",
        quiet: bool,
    ) -> None:
        self.display = SideBySide(silent=quiet)
        self.answers: list[Any] = []
        self.found: list[Any] = []
        try:
            self.solver = make(self._on_epoch)
        except ContradictoryGivens as error:
            fail(str(error), NO)

    def solve(self, wanted: int) -> None:
        """Find so many solutions, or as many as there are."""
        self.found = list(islice(self.solver, wanted))
        self.display.flush()

    def _on_epoch(self, answer: Any) -> None:
        self.answers.append(answer)
        self.display.add(answer)

    def draw_atoms(self, path: Path | None, size: int) -> None:
        """Draw the atoms of the last model that is about a board and not about rules alone."""
        if path is None or not self.answers:
            return
        from atomlearn.problems.drawing import save_atoms

        if not self.answers:
            note(f"no epoch was needed, so there are no atoms to draw to {path}")
            return
        model = self.answers[-1].shown.model
        inside = [atom for atom in model.atoms if len(atom) > 1 and "U" not in atom.constants]
        save_atoms(inside[:100], size, path)

    def finish(self, svg: Path | None, png: Path | None, as_json: bool) -> None:
        """Draw, and print the solutions."""
        shown = [*self.answers[-DRAWN:]] or self.found
        for path in (svg, png):
            if path is not None and not shown:
                note(f"nothing was shown, so nothing is drawn to {path}")
            elif path is not None:
                from atomlearn.problems.drawing import save

                save(shown, path)
        refutation = self.solver.refutation
        if as_json:
            print_json(
                {
                    "solutions": [as_dict(answer) for answer in self.found],
                    "epochs": self.solver.epochs.number,
                    "best": None if self.solver.best is None else self.solver.best.progress,
                    "interrupted": self.solver.interrupted,
                    "unsolvable": refutation is not None,
                    "clashing": None if refutation is None else list(refutation.givens),
                }
            )
        else:
            self._tell()

    def _tell(self) -> None:
        for answer in self.found:
            where = f"epoch {answer.epoch}" if answer.epoch else "the rules alone decide it"
            print(f"\nsolution, {where}:")
            self.display.console.print(as_text(answer))
        print(f"\n{self.solver.summary}.")


def as_dict(answer: Any) -> dict[str, Any]:
    """A solution for JSON."""
    kept = ("size", "queens", "fixed", "rows", "vertices", "colours", "epoch")
    return {name: getattr(answer, name) for name in kept if hasattr(answer, name)}


def _schedule(insert: str) -> "Schedule":
    from atomlearn.problems.solving import ATTEMPTS, PAPER, Schedule

    known = {"never": PAPER, "stuck": Schedule(), "always": ATTEMPTS}
    if insert not in known:
        fail(f"--insert is one of {', '.join(known)}, not {insert!r}")
    return known[insert]


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise NotText(f"{file} is not UTF-8 text") from None
