"""``atomlearn show`` and ``atomlearn query``: commands that take a model file."""

from pathlib import Path
from typing import Annotated

import typer

from atomlearn.algebra.model import Model
from atomlearn.cli.output import NO, counted, fail, print_json
from atomlearn.formats.load import load

ModelFile = Annotated[Path, typer.Argument(help="A model file, as written by learn.")]
MOST_ATOMS = 50
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(query)
    app.command()(show)


def query(
    file: ModelFile,
    relation: Annotated[str, typer.Argument(help='In quotes: "v < c1 c3", or "v !< c1 c3".')],
    as_json: Json = False,
) -> None:
    """Does a relation hold in a model? Prints true and exits 0, or false and exits 1."""
    model = _load(file)
    asked = model.relation(relation)
    holds = model.holds(asked)
    if as_json:
        apart = model.discriminant(asked.left, asked.right)
        print_json(
            {
                "relation": str(asked),
                "holds": holds,
                "discriminant": [list(atom.constants) for atom in apart],
            }
        )
    else:
        print("true" if holds else "false")
    if not holds:
        raise typer.Exit(NO)


def show(
    file: ModelFile,
    of: Annotated[
        str | None,
        typer.Option("--of", help='Only the atoms of a term, as "v" or "c1 c2"; or one class.'),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", min=0, help="How many atoms (or clauses) to list; 0 for all.")
    ] = MOST_ATOMS,
    as_json: Json = False,
) -> None:
    """The atoms of a model, their sizes, and what they say; of a classifier, its definitions."""
    loaded = load(file)
    if not isinstance(loaded, Model):
        from atomlearn.cli.tables import show_classifier

        show_classifier(loaded, of, 12 if most == MOST_ATOMS else most, as_json)
        return
    model = loaded
    atoms = model.atoms if of is None else model.atoms_of(model.term(of))
    if as_json:
        listed = [list(atom.constants) for atom in atoms]
        print_json({"kind": "model", "constants": list(model.names), "atoms": listed})
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    whose = "" if of is None else f" of {of}"
    print(f"{counted(len(atoms), 'atom')}{whose}, {counted(model.n_constants, 'constant')}")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("size", justify="right")
    table.add_column("in the constants", overflow="fold")
    listed_atoms = sorted(atoms, key=lambda atom: (len(atom), atom.indices))
    for atom in listed_atoms[: most or None]:
        table.add_row(str(len(atom)), Text(str(atom)))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 1 << 20  # other programs read lines, not columns of 80
    if atoms:
        console.print(table)
    if most and len(atoms) > most:
        print(f"... and {len(atoms) - most:,} more (--most 0 lists all)")
    print(
        "A term contains an atom if it has one of these constants; "
        "a < b holds if b contains every atom of a."
    )


def _load(file: Path) -> Model:
    loaded = load(file)
    if not isinstance(loaded, Model):
        fail(f"{file} holds an {type(loaded).__name__}, not a model of relations")
    return loaded
