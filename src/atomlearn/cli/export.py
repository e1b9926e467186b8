"""``atomlearn export``: a classifier as a program in another language."""

from pathlib import Path
from typing import Annotated

import typer

from atomlearn.cli.output import check_outputs, counted, fail
from atomlearn.errors import nearest
from atomlearn.files.load import load
from atomlearn.files.writing import replacing

LANGUAGES = {"sql": "SQL", "js": "JavaScript", "c": "C", "python": "Python"}


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(export)


def export(
    file: Annotated[Path, typer.Argument(help="A classifier, as written by fit.")],
    to: Annotated[str, typer.Option("--to", help="sql, js, c or python.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to this file, not to the terminal.")
    ] = None,
    table: Annotated[
        str, typer.Option("--table", help="SQL: the table with the rows to score.")
    ] = "data",
    key: Annotated[
        str, typer.Option("--key", help="SQL: the column that tells rows apart.")
    ] = "rowid",
) -> None:
    """Write a program that scores rows as the classifier does, with reasons.

    It needs nothing of atomlearn: one SQL query, a JavaScript module, a C file or a Python module.
    """
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.export.model import model_of

    if to not in LANGUAGES:
        fail(f"--to is one of {', '.join(LANGUAGES)}, not {to!r}{nearest(to, LANGUAGES)}")
    check_outputs(out)
    classifier = load(file)
    if not isinstance(classifier, AlgebraicClassifier):
        fail(f"{file} is a {type(classifier).__name__.lower()}: only classifiers can be exported")
    source = classifier.export(to, table=table, key=key)
    if out is None:
        print(source, end="")
        return
    with replacing(out) as written:
        written.write(source.encode("utf-8", "surrogatepass"))
    n = counted(model_of(classifier).n_atoms, "atom")
    print(f"{out}: {LANGUAGES[to]}, {n}, {counted(len(source.splitlines()), 'line')}")
