"""``atomlearn check`` and ``atomlearn learn``: commands that take a relation file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from atomlearn.algebra.algebra import Algebra
from atomlearn.cli.output import NO, check_outputs, counted, noting_warnings, print_json

RelationFile = Annotated[
    Path, typer.Argument(help="Relations as text, one a line: v < c1 c2, or v !< c3.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(check)
    app.command()(learn)


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


def learn(
    file: RelationFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="The same seed gives the same model.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn a small model of the relations by one epoch of Sparse Crossing."""
    check_outputs(out)
    model = read_algebra(file).learn(random_state=seed)
    model.save(out)
    if as_json:
        told: dict[str, Any] = {"model": str(out), "seed": seed}
        print_json({**told, "atoms": model.n_atoms, "constants": model.n_constants})
    else:
        atoms, constants = counted(model.n_atoms, "atom"), counted(model.n_constants, "constant")
        print(f"{out}: {atoms} over {constants}")
