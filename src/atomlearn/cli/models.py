"""``atomlearn show``: the content of a model file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn.algebra.model import Model
from atomlearn.algebra.terms import Term
from atomlearn.algebra.text import visible
from atomlearn.cli.output import check_page, counted, fail, print_json
from atomlearn.files.load import load

if TYPE_CHECKING:
    from atomlearn.algebra.model import Atom
    from atomlearn.logic.define import ConstantDefinition

ModelFile = Annotated[Path, typer.Argument(help="A model file, as written by fit or learn.")]
MOST_DEFINED = 3
MOST_CONSTANTS = 200
"""How many constants are defined by default, and the largest model for which any are."""
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(show)


def show(
    file: ModelFile,
    of: Annotated[
        str | None,
        typer.Option("--of", help='A term, as "v" or "c1 c2", or a class: show only this one.'),
    ] = None,
    max_atoms: Annotated[
        int,
        typer.Option("--max-atoms", min=0, help="Atoms of a model or a pool to list, 0 for all."),
    ] = 50,
    max_clauses: Annotated[
        int,
        typer.Option("--max-clauses", min=0, help="Clauses of each class to list, 0 for all."),
    ] = 12,
    short: Annotated[
        bool,
        typer.Option("--short", help="Define classes as briefly as held-out rows allow."),
    ] = False,
    pairs: Annotated[
        str | None,
        typer.Option("--pairs", help='Constants that exclude each other: "black1/white1 b2/w2".'),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option("--grid", help='Names of the pixels, row by row: "c2 c3 / c1 c4".'),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write everything to this HTML page.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what a file holds: a model, a classifier or a pool.

    Of a model the atoms and the definitions of its constants, of a classifier the definitions of
    its classes, of a pool the pins.
    """
    check_page(html)
    loaded = load(file)
    if not isinstance(loaded, Model):
        from atomlearn.classifier.definition import SHORT
        from atomlearn.cli.classifiers import show_classifier
        from atomlearn.cli.pools import show_pool
        from atomlearn.engine.pool import Pool

        if isinstance(loaded, Pool):
            if of is not None or html is not None or pairs is not None or grid is not None:
                fail(f"{file} is a pool of pins: only --max-atoms and --json apply")
            show_pool(loaded, max_atoms, as_json)
            return
        if pairs is not None or grid is not None:
            fail("--pairs and --grid apply to models of relations only, not to classifiers")
        show_classifier(loaded, of, SHORT if short else max_clauses, as_json, html)
        return
    if short:
        fail(f"--short applies to classifiers only, and {file} is a model of relations")
    model = loaded
    atoms = model.atoms if of is None else model.atoms_of(model.term(of))
    definitions = _definitions(model, of, pairs, grid)
    if html is not None:
        from atomlearn.cli.pages import model_page

        model_page(model, file.name, definitions, html)
    if as_json:
        listed = [list(atom.constants) for atom in atoms]
        told = {"kind": "model", "constants": list(model.names), "atoms": listed}
        print_json({**told, "definitions": [one.to_dict() for one in definitions]})
        return
    _print_atoms(model, atoms, of, max_atoms)
    for one in definitions:
        print(f"\n{one}")
    print(
        "\nA term contains an atom if it has one of these constants; "
        "a < b holds if b contains every atom of a."
    )
    if html is not None:
        print(f"written to {html}")


def _print_atoms(model: Model, atoms: Sequence["Atom"], of: str | None, max_atoms: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    whose = "" if of is None else f" of {of}"
    print(f"{counted(len(atoms), 'atom')}{whose}, {counted(model.n_constants, 'constant')}")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("size", justify="right")
    table.add_column("in the constants", overflow="fold")
    listed_atoms = sorted(atoms, key=lambda atom: (len(atom), atom.indices))
    for atom in listed_atoms[: max_atoms or None]:
        table.add_row(str(len(atom)), Text(visible(str(atom))))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 1 << 20  # other programs read lines, not columns of 80
    if atoms:
        console.print(table)
    if max_atoms and len(atoms) > max_atoms:
        print(f"... and {len(atoms) - max_atoms:,} more (--max-atoms 0 lists all)")


def _definitions(
    model: Model, of: str | None, pairs: str | None, grid: str | None
) -> list["ConstantDefinition"]:
    """Define the term asked for, or by default the first constants without an atom of their own.

    A constant below another of them is left out: the other's definition covers it.
    """
    options: dict[str, Any] = {}
    if pairs is not None:
        options["complementary"] = [_pair(model, text) for text in pairs.split()]
    if grid is not None:
        rows = [[_name(model, name) for name in row.split()] for row in grid.split("/")]
        if len({len(row) for row in rows}) != 1:
            fail(f"--grid has rows of different lengths: {grid!r}")
        options["grid"] = rows
    if of is not None:
        return [model.definition(model.term(of), **options)]
    if model.n_constants > MOST_CONSTANTS:
        return []
    alone = {atom.constants[0] for atom in model.atoms if len(atom) == 1}
    held = {name for atom in model.atoms for name in atom.constants}
    bare = [model.term([name]) for name in model.names if name in held and name not in alone]
    top = [one for one in bare if not any(_below(model, one, other) for other in bare)]
    return [model.definition(one, **options) for one in top[:MOST_DEFINED]]


def _below(model: Model, one: Term, other: Term) -> bool:
    return model.holds(one <= other) and not model.holds(other <= one)


def _pair(model: Model, text: str) -> tuple[str, str]:
    names = text.split("/")
    if len(names) != 2:
        fail(f"--pairs takes two names with a slash between them, not {text!r}")
    return _name(model, names[0]), _name(model, names[1])


def _name(model: Model, name: str) -> str:
    return model.term([name]).constants[0]
