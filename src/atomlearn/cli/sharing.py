"""``atomlearn merge``: join what several classifiers, or pools of pins, have learned."""

from pathlib import Path
from typing import Annotated, Any

import typer

from atomlearn.cli.output import check_outputs, counted, fail, print_json
from atomlearn.files.load import load


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(merge)


def merge(
    files: Annotated[
        list[Path], typer.Argument(help="Classifiers (as written by fit) or pools; two or more.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Merge classifiers or pools into the first one. Pins that its rows contradict are dropped."""
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.engine.pool import Pool

    check_outputs(out)
    if len(files) < 2:
        fail("merge needs two files or more")
    loaded: list[Any] = [load(file) for file in files]
    for file, one in zip(files, loaded, strict=True):
        if not isinstance(one, AlgebraicClassifier | Pool):
            fail(
                f"{file} is neither a classifier nor a pool: to join relations, learn them together"
            )
    first, *others = loaded
    if isinstance(first, Pool):
        if not all(isinstance(one, Pool) for one in others):
            fail(f"{files[0]} is a pool, which has no rows to check the others: name a classifier "
                 "first")  # fmt: skip
        told: dict[Any, Any] = {"pins": first.merge(*others)}
    else:
        told = first.merge(*others)
    first.save(out)
    if as_json:
        print_json({str(label): merged._asdict() for label, merged in told.items()})
        return
    for label, merged in told.items():
        print(f"{label}: {counted(merged.new, 'pin')} new, {merged.known:,} known already, "
              f"{merged.dropped:,} dropped")  # fmt: skip
    print(f"written to {out}")
