"""``atomlearn check``, ``learn``, ``query``: relations as text, and models of them."""

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Conflict, Line, Relation
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

MOST_EXPANDED = 5
"""Maximum number of relations that ``--expand`` prints for a line, unless one line is asked for."""

EXIT = {"follows": YES, "contradicted": NO, "open": OPEN}
"""The exit code of each answer to a question about relations."""


def read_algebra(file: Path) -> Algebra:
    """Read a relation file; warnings about doubtful lines are printed as notes."""
    with noting_warnings():
        return Algebra.read(file)


def check(
    file: RelationFile,
    every: Annotated[
        bool, typer.Option("--all", help="Print every minimal conflict, and the smallest repairs.")
    ] = False,
    most: Annotated[
        int, typer.Option("--most", min=1, help="Print at most this many conflicts and repairs.")
    ] = 20,
    expand: Annotated[
        bool, typer.Option("--expand", help="Print the relations that each line stands for.")
    ] = False,
    line: Annotated[
        int | None, typer.Option("--line", min=1, help="Print all relations of this line only.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", help="Print what withdrawing this relation changes; may be repeated."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check whether the relations of a file are consistent; if not, print why and exit 1."""
    algebra = read_algebra(file)
    conflicts = list(islice(algebra.conflicts(all=every), most if every else None))
    repairs = list(islice(algebra.repairs(), most)) if every else []
    change = algebra.what_if([algebra.relation(text) for text in without]) if without else None
    lines = _expanded(algebra, line) if expand or line is not None else {}
    if line is not None and not lines:
        fail(f"{file}: line {line} has no relations")
    n_positive, n_negative = len(algebra.positive), len(algebra.negative)
    if as_json:
        fields: dict[str, Any] = {
            "consistent": not conflicts,
            "positive": n_positive,
            "negative": n_negative,
            "constants": algebra.n_constants,
            "conflicts": [_conflict_fields(c) for c in conflicts],
        }
        if every:
            fields["repairs"] = [[str(r) for r in repair.withdrawn] for repair in repairs]
        if expand or lines:
            fields["lines"] = [
                {"line": n.number, "text": n.text, "relations": [str(r) for r in found]}
                for n, found in lines.items()
            ]
        if change is not None:
            fields["without"] = {
                "withdrawn": [str(r) for r in change.withdrawn],
                "resolved": [_conflict_fields(c) for c in change.resolved],
                "conflicts": [_conflict_fields(c) for c in change.conflicts],
                "lost": [str(r) for r in change.lost],
            }
        print_json(fields)
    else:
        for source, found in lines.items():
            _print_line(source, found, len(found) if line else MOST_EXPANDED)
        verdict = "inconsistent" if conflicts else "consistent"
        print(
            f"{verdict}: {n_positive} positive, {n_negative} negative, "
            f"{algebra.n_constants} constants"
        )
        for conflict in conflicts:
            print(_with_lines(algebra, conflict))
        if every and len(conflicts) == most:
            note(f"there may be more conflicts; --most {10 * most} prints up to {10 * most}")
        for repair in repairs:
            print("repair: withdraw " + ", ".join(_placed(algebra, r) for r in repair.withdrawn))
        if change is not None:
            print(change)
    if conflicts:
        raise typer.Exit(NO)


def _conflict_fields(conflict: Conflict) -> dict[str, Any]:
    return {
        "relation": str(conflict.relation),
        "derivation": [str(r) for r in conflict.derivation],
    }


def _expanded(algebra: Algebra, line: int | None) -> dict[Line, list[Relation]]:
    """Return the relations of each line with variables, or of one line."""
    found: dict[Line, list[Relation]] = {}
    for relation in algebra.relations:
        source = algebra.line_of(relation)
        if source is not None and (source.number == line if line else source.text):
            found.setdefault(source, []).append(relation)
    return found


def _print_line(line: Line, relations: list[Relation], most: int) -> None:
    print(f"{line.number}: {line.text or relations[0]}")
    if line.text:
        print(f"  stands for {counted(len(relations), 'relation')}:")
    for relation in relations[:most] if line.text else ():
        print(f"    {relation}")
    if len(relations) > most:
        print(f"    ... and {len(relations) - most:,} more; --line {line.number} prints all")


def _placed(algebra: Algebra, relation: Relation) -> str:
    """Return a relation with the number of its line."""
    line = algebra.line_of(relation)
    return str(relation) if line is None else f"{relation}   (line {line.number})"


def _with_lines(algebra: Algebra, conflict: Conflict) -> str:
    head = f"{_placed(algebra, conflict.relation)} fails"
    if not conflict.derivation:
        return f"{head} by itself: the right side contains the left"
    return f"{head}, because:" + "".join(f"\n  {_placed(algebra, r)}" for r in conflict.derivation)


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
    relation: Annotated[str, typer.Argument(help='A relation: "v < c1 c3" or "v !< c1 c3".')],
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
        why = "the relations contradict each other, so the question has no answer"
        fail(f"{file}: {why}: {error}", BAD)
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
