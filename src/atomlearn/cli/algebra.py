"""``atomlearn check``, ``learn`` and ``query``: relations as text, and models of them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import MAKE_IT_FIRST, write_name
from atomlearn.cli.output import (
    BAD,
    NO,
    OPEN,
    YES,
    Json,
    OutFile,
    RelationFile,
    SeedIfAny,
    counted,
    fail,
    note,
    noting_warnings,
    print_json,
)
from atomlearn.errors import InconsistentRelations, UnknownConstant
from atomlearn.files.load import load

EXIT = {"follows": YES, "contradicted": NO, "open": OPEN}
"""The exit code of each answer to a question about relations."""


def read_algebra(file: Path) -> Algebra:
    """Read a relation file; warnings about doubtful lines are printed as notes."""
    with noting_warnings():
        return Algebra.read(file)


def check(file: RelationFile, as_json: Json = False) -> None:
    """Check whether the relations of a file are consistent; if not, print why and exit 1."""
    algebra = read_algebra(file)
    conflicts = algebra.conflicts()
    n_positive, n_negative = len(algebra.positive), len(algebra.negative)
    if as_json:
        print_json(
            {
                "consistent": not conflicts,
                "positive": n_positive,
                "negative": n_negative,
                "constants": algebra.n_constants,
                "conflicts": [
                    {"relation": str(c.relation), "derivation": [str(r) for r in c.derivation]}
                    for c in conflicts
                ],
            }
        )
    else:
        verdict = "inconsistent" if conflicts else "consistent"
        print(
            f"{verdict}: {n_positive} positive, {n_negative} negative, "
            f"{algebra.n_constants} constants"
        )
        for conflict in conflicts:
            print(conflict)
    if conflicts:
        raise typer.Exit(NO)


def learn(file: RelationFile, out: OutFile, seed: SeedIfAny = None, as_json: Json = False) -> None:
    """Learn a small model of the relations by one epoch of Sparse Crossing."""
    model = read_algebra(file).learn(random_state=seed)
    model.save(out)
    if as_json:
        fields: dict[str, Any] = {"model": str(out), "seed": seed}
        print_json({**fields, "atoms": model.n_atoms, "constants": model.n_constants})
    else:
        atoms, constants = counted(model.n_atoms, "atom"), counted(model.n_constants, "constant")
        print(f"{out}: {atoms} over {constants}")


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
    """Return whether the file is text, rather than a model, which is a zip file."""
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
