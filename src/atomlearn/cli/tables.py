"""``atomlearn fit``, ``predict`` and ``explain``: commands that take a table, CSV or Parquet."""

import csv
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn import interrupts
from atomlearn.cli.output import (
    check_outputs,
    check_page,
    counted,
    fail,
    noting_warnings,
    print_json,
)
from atomlearn.errors import nearest, suggest
from atomlearn.files.load import load
from atomlearn.files.writing import is_device, replacing

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.tables.validation import NamedArray

FIRST_ROWS = 1000
"""Rows of the training table that ``explain --row`` finds in the model file."""

TableFile = Annotated[Path, typer.Argument(help="A table: CSV with a header line, or Parquet.")]
ClassifierFile = Annotated[Path, typer.Argument(help="A model file, as written by fit.")]
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(fit)
    app.command()(predict)
    app.command()(explain)


def fit(
    file: TableFile,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="A column to leave out; may be repeated.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Random seed; the same seed gives the same model.")
    ] = 0,
    max_epochs: Annotated[
        int | None,
        typer.Option("--max-epochs", min=1, help="Maximum number of epochs for each class."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Stop learning after this many seconds.")
    ] = None,
    max_classes: Annotated[
        int | None,
        typer.Option(
            "--max-classes", min=1, help="Allow up to this many classes, even if all are numbers."
        ),
    ] = None,
    max_cuts: Annotated[
        int | None,
        typer.Option("--max-cuts", min=1, help="Maximum number of cuts of each number column."),
    ] = None,
    evidence: Annotated[
        str,
        typer.Option("--evidence", help="Kind of atoms: auto, strict or weighted."),
    ] = "auto",
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule", help='A rule that every prediction obeys: "yes if age < 18 and income = 0".'
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option("--rules", exists=True, dir_okay=False, help="A text file, one rule a line."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", help="Classes fitted in parallel, -1 for one per core.")
    ] = None,
    image_shape: Annotated[
        str | None,
        typer.Option(
            "--image-shape", help="Height and width of images, as 28x28, if the columns are pixels."
        ),
    ] = None,
    batch_rows: Annotated[
        int | None,
        typer.Option(
            "--batch-rows", min=1, help="Rows to read at a time, for tables larger than memory."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")] = False,
    as_json: Json = False,
) -> None:
    """Fit a classifier to a table. Ctrl-C saves what has been learned so far."""
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.classifier.fitting import EVIDENCE
    from atomlearn.tables.files import read_table
    from atomlearn.tables.rules import check_rules_file

    check_outputs(out)
    if evidence not in EVIDENCE:
        hint = nearest(evidence, EVIDENCE)
        fail(f"--evidence must be one of {', '.join(EVIDENCE)}, not {evidence!r}{hint}")
    if batch_rows is not None:
        parameters = {"random_state": seed, "max_epochs": max_epochs, "time_limit": time_limit,
                      "max_classes": max_classes, "max_cuts": max_cuts, "evidence": evidence,
                      "n_jobs": jobs, "rules": _rules(rule, rules),
                      "verbose": 0 if quiet else 1}  # fmt: skip
        with _saving(out, as_json) as save:
            classifier = _fit_batches(file, target, drop or [], batch_rows, image_shape, parameters)
            save(classifier, classifier.n_rows_)
        return
    table = read_table(file)
    left_out = {target, *(drop or [])}
    for name in left_out:
        table.column(name)  # complain of a column that is not there
    names = [name for name in table.columns if name not in left_out]
    if not names:
        fail(f"{file} has no column besides {target!r} to learn from")
    with complaints():
        labels = table.labels(target)
        table_rows = _rows([table.guessed(name) for name in names], names)
    classifier = AlgebraicClassifier(
        random_state=seed,
        max_epochs=max_epochs,
        time_limit=time_limit,
        max_classes=max_classes,
        max_cuts=max_cuts,
        evidence=evidence,
        rules=_rules(rule, rules),
        n_jobs=jobs,
        image_shape=_shape(image_shape, len(names)),
        verbose=0 if quiet else 1,
    )
    if rules is not None:
        with complaints():
            check_rules_file(rules, names, sorted(set(map(str, labels))))
    with _saving(out, as_json) as save:
        with complaints():
            classifier.fit(table_rows, labels)
        classifier.first_rows_ = classifier._packed(table_rows[:FIRST_ROWS])
        save(classifier, table.n_rows)


def _rules(given: list[str] | None, file: Path | None) -> list[str] | None:
    """The rules of the command line and of a file."""
    from atomlearn.tables.rules import read_rules

    rules = [*(given or []), *([] if file is None else read_rules(file))]
    return rules or None


@contextmanager
def _saving(out: Path, as_json: bool) -> Iterator["Callable[[AlgebraicClassifier, int], None]"]:
    """Fit inside this block and save: signals are deferred until the file is on disk."""
    from atomlearn.cli.classifiers import tell_fit

    with interrupts.Deferred(learning=True) as note:

        def save(classifier: "AlgebraicClassifier", n_rows: int) -> None:
            classifier.save(out)
            note.kept = True
            tell_fit(classifier, n_rows, out, as_json)

        try:
            yield save
        except KeyboardInterrupt as error:
            fail(
                f"interrupted before anything was learned: {out} is not written",
                interrupts.exit_code(error),
            )
    if note.signal:
        fail(f"interrupted: what has been learned so far is saved in {out}", note.exit_code)


def _fit_batches(
    file: Path,
    target: str,
    drop: list[str],
    batch_rows: int,
    image_shape: str | None,
    parameters: dict[str, Any],
) -> "AlgebraicClassifier":
    from atomlearn.distributed import fit_batches
    from atomlearn.tables.batches import read_batches

    batches = read_batches(file, target, batch_rows, drop)
    with noting_warnings():
        first = next(iter(batches)).X
    if first.shape[1] == 0:
        fail(f"{file} has no column besides {target!r} to learn from")
    with complaints():
        parameters["image_shape"] = _shape(image_shape, first.shape[1])
        classifier = fit_batches(batches, **parameters)
    classifier.first_rows_ = classifier._packed(first[:FIRST_ROWS])
    return classifier


def predict(
    file: ClassifierFile,
    data: TableFile,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this CSV file instead of printing.")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of every class.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Predict the class of each row of a table; prints CSV."""
    from atomlearn.logic.definition import plain

    check_outputs(out)
    classifier = _load(file)
    rows = rows_for(classifier, data)
    with complaints():
        labels = [plain(label) for label in classifier.predict(rows)]
        chances = classifier.predict_proba(rows).tolist() if proba else []
    classes = [plain(label) for label in classifier.classes_]
    if as_json:
        told: dict[str, Any] = {"predictions": labels}
        print_json({**told, "classes": classes, "probabilities": chances} if proba else told)
        return
    header = ["prediction", *(f"p({label})" for label in classes if proba)]
    lines = [
        [label, *(f"{p:.6f}" for p in chances[i])] if proba else [label]
        for i, label in enumerate(labels)
    ]
    if out is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows([header, *lines])
        return
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *lines])
    with out.open("wb") if is_device(out) else replacing(out) as written:
        written.write(text.getvalue().encode())


def explain(
    file: ClassifierFile,
    data: Annotated[
        Path | None,
        typer.Argument(help="A table; by default the first rows of the training table."),
    ] = None,
    row: Annotated[
        int, typer.Option("--row", min=0, help="The row to explain, counted from 0.")
    ] = 0,
    max_atoms: Annotated[
        int, typer.Option("--max-atoms", min=0, help="Atoms of each class to list.")
    ] = 3,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write the explanation and the model to this HTML page."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain the prediction for one row: the atoms it misses, by their cost."""
    check_page(html)
    classifier = _load(file)
    if data is None:
        known = getattr(classifier, "first_rows_", None)
        if known is None:
            fail(f"{file} has no rows of its training table: name a table, as in: data.csv --row 3")
        if row >= len(known):
            fail(
                f"{file} keeps the first {counted(len(known), 'row')} of its training table "
                f"(row 0 to {len(known) - 1}): name a table for row {row}"
            )
        told = classifier._explain_packed(known[row], max_atoms)
    else:
        rows = rows_for(classifier, data)
        if row >= len(rows):
            fail(f"{data} has {counted(len(rows), 'row')} (row 0 to {len(rows) - 1}), no row {row}")
        with complaints():
            told = classifier.explain(rows[row : row + 1], max_atoms)
    if html is not None:
        from atomlearn.cli.pages import classifier_page

        definitions = [classifier.definition(label) for label in classifier.classes_]
        about = f"Row {row} of {file.name if data is None else data.name}"
        classifier_page(classifier, file.name, definitions, html, (about, told))
    if as_json:
        print_json({"row": row, **told.to_dict()})
    else:
        print(told)
        if html is not None:
            print(f"written to {html}")


def _shape(text: str | None, n_columns: int) -> tuple[int, int] | None:
    if text is None:
        return None
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(side.isdigit() for side in sides):
        fail(f"--image-shape must be height x width, as 28x28, not {text!r}")
    height, width = map(int, sides)
    if height * width != n_columns:
        fail(f"--image-shape {text} needs {height * width:,} columns, and there are {n_columns:,}")
    return height, width


def _rows(columns: list[list[Any]], names: list[str]) -> "NamedArray":
    from atomlearn.tables.files import matrix
    from atomlearn.tables.validation import NamedArray

    return NamedArray.of(matrix(columns), names)


def rows_for(classifier: "AlgebraicClassifier", data: Path) -> "NamedArray":
    """The columns of a table that a model needs, with the types it knows; others are ignored."""
    from atomlearn.tables.columns import NumberColumn
    from atomlearn.tables.files import read_table

    table = read_table(data)
    wanted = classifier.encoder_.columns_
    absent = [column.name for column in wanted if column.name not in table.columns]
    if absent:
        fail(
            f"{data} has no {'column' if len(absent) == 1 else 'columns'} "
            f"{', '.join(map(repr, absent[:10]))}, which the model needs"
            f"{suggest(absent[0], table.columns)}"
        )
    columns = []
    for column in wanted:
        if isinstance(column, NumberColumn):
            columns.append(table.numbers(column.name))
        else:
            by_text = {str(category): category for category in column.categories}
            columns.append([by_text.get(str(c), c) for c in table.column(column.name)])
    return _rows(columns, [column.name for column in wanted])


def _load(file: Path) -> "AlgebraicClassifier":
    from atomlearn.classifier.estimator import AlgebraicClassifier

    loaded = load(file)
    if not isinstance(loaded, AlgebraicClassifier):
        fail(f"{file} holds a {type(loaded).__name__}, not a classifier: make one with fit")
    return loaded


@contextmanager
def complaints() -> Iterator[None]:
    """Print warnings as notes, and errors about the data as messages."""
    with noting_warnings():
        try:
            yield
        except ValueError as error:
            fail(str(error))
