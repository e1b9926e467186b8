"""``atomlearn query``: ask a model, or the relations themselves, about one relation."""

from pathlib import Path
from typing import Annotated

import typer

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import MAKE_IT_FIRST
from atomlearn.algebra.text import write_name
from atomlearn.cli.output import BAD, NO, OPEN, YES, fail, note, print_json
from atomlearn.cli.relations import Json, read_algebra
from atomlearn.errors import InconsistentRelations, UnknownConstant
from atomlearn.files.load import load

EXIT = {"follows": YES, "contradicted": NO, "open": OPEN}


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(query)


def query(
    file: Annotated[
        Path, typer.Argument(help="A model file, as written by learn, or relations as text.")
    ],
    relation: Annotated[str, typer.Argument(help='In quotes: "v < c1 c3", or "v !< c1 c3".')],
    as_json: Json = False,
) -> None:
    """Ask about a relation.

    A model prints true (exit 0) or false (exit 1). Relations print whether it follows (exit 0), is
    contradicted (exit 1) or is open (exit 3), and why.
    """
    if has_relations(file):
        _ask_relations(file, relation, as_json)
    else:
        _ask_model(file, relation, as_json)


def has_relations(file: Path) -> bool:
    """Is the file text, rather than a model, which is a zip file?"""
    if file.suffix == ".atoms":
        return False
    with file.open("rb") as opened:
        return opened.read(2) != b"PK"


def _ask_relations(file: Path, text: str, as_json: bool) -> None:
    algebra = read_algebra(file)
    try:
        answer = algebra.query(_asked(algebra, file, text))
    except InconsistentRelations as error:
        fail(f"{file}: the relations contradict each other, so nothing can be said: {error}", BAD)
    if as_json:
        conflict = answer.conflict
        print_json(
            {
                "relation": str(answer.relation),
                "verdict": answer.verdict,
                "derivation": [str(r) for r in answer.derivation],
                "breaks": None if conflict is None else str(conflict.relation),
            }
        )
    else:
        print(answer)
    raise typer.Exit(EXIT[answer.verdict])


def _ask_model(file: Path, text: str, as_json: bool) -> None:
    model = load(file)
    if not isinstance(model, Model):
        fail(f"{file} holds an {type(model).__name__}, not a model of relations")
    asked = _asked(model, file, text)
    holds = model.holds(asked)
    bare = _without_atoms(model, asked)
    if as_json:
        apart = model.discriminant(asked.left, asked.right)
        print_json(
            {
                "relation": str(asked),
                "holds": holds,
                "discriminant": [list(atom.constants) for atom in apart],
                "without_atoms": bare,
            }
        )
    else:
        print("true" if holds else "false")
        if bare:
            names = ", ".join(map(write_name, bare))
            have = "has no atoms" if len(bare) == 1 else "have no atoms"
            note(f"{names} {have} in this model, so that '{names} < ...' holds for every term")
    raise typer.Exit(YES if holds else NO)


def _asked(known: Algebra | Model, file: Path, text: str) -> Relation:
    try:
        return known.relation(text)
    except UnknownConstant as error:
        fail(f"{file}: {str(error).removesuffix(MAKE_IT_FIRST)}")


def _without_atoms(model: Model, asked: Relation) -> list[str]:
    names = dict.fromkeys((*asked.left.constants, *asked.right.constants))
    return [name for name in names if not model.atoms_of(model.term([name]))]
