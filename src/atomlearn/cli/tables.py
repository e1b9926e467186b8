"""``atomlearn fit``, ``predict``, ``explain`` and ``audit``: commands that take a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn.cli.models import how_good, load_table_model
from atomlearn.cli.numbers import (
    fit_number,
    is_number,
    is_regressor,
    predict_numbers,
    refuse_options,
    until_interrupted,
)
from atomlearn.cli.output import (
    NO,
    ClassifierFile,
    Html,
    HtmlReport,
    JobsIfAny,
    Json,
    MaxEpochsIfAny,
    OutFile,
    OutInstead,
    PosLabel,
    Quiet,
    Seed,
    TableFile,
    Target,
    TargetIfAny,
    Threshold,
    check_choice,
    counted,
    fail,
    file_argument,
    note,
    noting_warnings,
    print_json,
    write_csv,
)
from atomlearn.errors import suggest

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.tables.files import Table
    from atomlearn.tables.validation import NamedArray

MOST_CONFLICTS = 3
"""``fit`` prints at most this many sets of rows that contradict each other."""


def fit(
    file: TableFile,
    target: Target,
    out: OutFile,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="A column to leave out; may be repeated.")
    ] = None,
    seed: Seed = 0,
    max_atoms: Annotated[
        str | None,
        typer.Option(
            "--max-atoms",
            help="Let at most this many rules with whole points decide (a scorecard), or 'auto'.",
        ),
    ] = None,
    max_epochs: MaxEpochsIfAny = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Stop learning after this many seconds.")
    ] = None,
    max_classes: Annotated[
        int | None,
        typer.Option(
            "--max-classes",
            min=1,
            help="Learn up to this many classes, even if all are numbers.",
        ),
    ] = None,
    max_cuts: Annotated[
        int | None,
        typer.Option("--max-cuts", min=1, help="Maximum number of cuts of each number column."),
    ] = None,
    ordered: Annotated[
        bool,
        typer.Option("--ordered", help="The classes are ordered; their labels are numbers."),
    ] = False,
    order: Annotated[
        str | None,
        typer.Option("--order", help='The ordered classes, from the lowest: "low,mid,high".'),
    ] = None,
    evidence: Annotated[
        str,
        typer.Option("--evidence", help="Kind of atoms: auto, strict or weighted."),
    ] = "auto",
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            help='A statement that every prediction obeys: "yes if age < 18 and income = 0", or '
            '"yes rises with debt".',
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option("--rules", exists=True, dir_okay=False, help="A text file, one rule a line."),
    ] = None,
    jobs: JobsIfAny = None,
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
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            help='Factor for the odds of a class, as "bad=5"; may be repeated; or balanced.',
        ),
    ] = None,
    regress: Annotated[
        bool,
        typer.Option("--regress", help="Predict a number, even if there are few different ones."),
    ] = False,
    loss: Annotated[
        str | None,
        typer.Option("--loss", help="For numbers: squared, absolute, poisson or quantile."),
    ] = None,
    quantile: Annotated[
        float | None,
        typer.Option("--quantile", help="For numbers: predict this quantile, such as 0.9."),
    ] = None,
    no_rows: Annotated[
        bool,
        typer.Option("--no-rows", help="Save the model without training rows."),
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a classifier to a table, or a regressor if the target has very many different numbers.

    Ctrl-C saves what has been learned so far. --regress always predicts a number, --max-classes
    always a class.
    """
    from atomlearn.classifier.costs import read_class_weights
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.classifier.fitting import EVIDENCE
    from atomlearn.distributed import fit_batches
    from atomlearn.tables.batches import read_batches
    from atomlearn.tables.files import read_table
    from atomlearn.tables.rules import check_rules_file, read_rules

    check_choice("--evidence", evidence, EVIDENCE)
    of_numbers = regress or loss is not None or quantile is not None
    of_classes = {"--max-classes": max_classes, "--class-weight": class_weight,
                  "--evidence": None if evidence == "auto" else evidence,
                  "--ordered": ordered or None, "--order": order}  # fmt: skip
    if of_numbers:
        refuse_options(of_classes, "classes, and a number is asked")
    if max_atoms is not None and max_atoms != "auto" and not _is_count(max_atoms):
        fail(f"--max-atoms must be a whole number from 1 on or 'auto', not {max_atoms!r}")
    with complaints():
        batches: Any = None
        if batch_rows is None:
            rows, labels = read_table(file).rows_and_labels(target, drop or [])
        else:
            batches = read_batches(file, target, batch_rows, drop or [])
            rows, labels = next(iter(batches))
        if batch_rows is None and all(one is None for one in of_classes.values()):
            of_numbers = of_numbers or is_number(labels, target, file)
        if rules is not None and batch_rows is None and not of_numbers:
            check_rules_file(rules, rows.column_names, sorted(set(map(str, labels))))
        weights = read_class_weights(class_weight, labels) if class_weight else None
    same: dict[str, Any] = {
        "random_state": seed,
        "max_atoms": int(max_atoms) if max_atoms and _is_count(max_atoms) else max_atoms,
        "max_epochs": max_epochs,
        "time_limit": time_limit,
        "max_cuts": max_cuts,
        "rules": [*(rule or []), *([] if rules is None else read_rules(rules))] or None,
        "n_jobs": jobs,
        "image_shape": _shape(image_shape, rows.shape[1]),
        "verbose": 0 if quiet else 1,
    }
    if of_numbers:
        from atomlearn.regressor import AlgebraicRegressor

        how = loss or ("squared" if quantile is None else "quantile")
        regressor = AlgebraicRegressor(loss=how, quantile=0.5 if quantile is None else quantile)
        regressor.set_params(**same)
        fit_number(regressor, rows, labels, target, batches, out, not no_rows, as_json)
        return
    classifier = AlgebraicClassifier(
        max_classes=max_classes,
        ordered=_order(order, labels) if order is not None else ordered or "auto",
        evidence=evidence,
        class_weight=weights,
        **same,
    )
    classifier.target_name_ = target
    with until_interrupted(out) as noted:
        with complaints():
            if batch_rows is None:
                classifier.fit(rows, labels)
            else:
                fit_batches(batches, estimator=classifier)
        if not no_rows:
            classifier.keep_rows(rows)
        classifier.save(out, rows=not no_rows)
        noted.kept = True
        _print_fit(classifier, out, as_json)


def _print_fit(classifier: "AlgebraicClassifier", out: Path, as_json: bool) -> None:
    """Print the summary of ``atomlearn fit``."""
    from atomlearn.logic.definition import plain

    if as_json:
        print_json(
            {
                "model": str(out),
                "rows": classifier.n_rows_,
                "columns": classifier.n_features_in_,
                "classes": [plain(label) for label in classifier.classes_],
                "atoms": classifier.learned_.deciding().n_atoms,
                "evidence": asdict(classifier.evidence_),
                "estimated_error": classifier.estimated_error_,
                "estimated_distance": classifier.estimated_distance_,
                "conflicts": [str(conflict) for conflict in classifier.conflicts_],
                "rules": [str(rule) for rule in classifier.rules_],
                "rule_conflicts": [str(conflict) for conflict in classifier.rule_conflicts_],
                "doubted": classifier.doubted_.tolist(),
                "seconds": classifier.fit_seconds_,
                "interrupted": classifier.learned_.interrupted,
            }
        )
        return
    print(
        f"{out}: {counted(len(classifier.classes_), 'class')} from "
        f"{counted(classifier.n_rows_, 'row')} of {counted(classifier.n_features_in_, 'column')}, "
        f"{how_good(classifier)}, {classifier.fit_seconds_:.1f} s"
    )
    if classifier.learned_.card is not None:
        print(f"\n{classifier.scorecard()}")
    if classifier.rules_:
        n = sum(len(conflict.rows) for conflict in classifier.rule_conflicts_)
        left_out = f"{counted(n, 'row')} left out because a rule contradicts the label"
        told = counted(len(classifier.rules_), "statement")
        print(f"{told}, {left_out if n else 'no row contradicts'}")
    conflicts = classifier.conflicts_
    for conflict in (*classifier.rule_conflicts_[:MOST_CONFLICTS], *conflicts[:MOST_CONFLICTS]):
        print(conflict)
    if len(conflicts) > MOST_CONFLICTS:
        print(f"... and {len(conflicts) - MOST_CONFLICTS:,} more such sets of rows")
    if len(classifier.doubted_):
        doubted = counted(len(classifier.doubted_), "row")
        print(f"{doubted} left out: their labels are very improbable")


def predict(
    file: ClassifierFile,
    data: TableFile,
    out: OutInstead = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of every class.")
    ] = False,
    threshold: Threshold = None,
    pos_label: PosLabel = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            help="A column of the table to copy to the output, such as an identifier; "
            "may be repeated. The model does not use it.",
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            help="For numbers: add the ends of an interval with this coverage, such as 0.9.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Predict the class or the number of each row of a table, and print CSV."""
    from atomlearn.classifier.costs import decide
    from atomlearn.logic.definition import plain
    from atomlearn.tables.files import read_table

    classifier = load_table_model(file)
    table = read_table(data)
    copied = {name: _copied(classifier, table, name) for name in key or []}
    rows = rows_for(classifier, table)
    if is_regressor(classifier):
        given = {"--proba": proba, "--threshold": threshold, "--pos-label": pos_label}
        refuse_options(given, f"classes, and {file} predicts a number")
        predict_numbers(classifier, rows, copied, interval, out, as_json)
        return
    refuse_options({"--interval": interval}, f"numbers, and {file} predicts classes")
    with complaints():
        found = classifier.predict_proba(rows)
        positive, is_chain = class_named(classifier, pos_label), classifier.learned_.rules.ordered
        which = decide(found, classifier.classes_, threshold, positive, is_chain)
    classes = [plain(label) for label in classifier.classes_]
    labels, chances = [classes[k] for k in which], found.tolist()
    if as_json:
        fields: dict[str, Any] = {"keys": copied} if copied else {}
        fields["predictions"] = labels
        print_json({**fields, "classes": classes, "probabilities": chances} if proba else fields)
        return
    header = [*copied, "prediction", *(f"p({label})" for label in classes if proba)]
    lines = [
        [*(cells[i] for cells in copied.values()), label]
        + ([f"{p:.6f}" for p in chances[i]] if proba else [])
        for i, label in enumerate(labels)
    ]
    write_csv([header, *lines], out)


def _copied(classifier: "AlgebraicClassifier", table: "Table", name: str) -> list[Any]:
    """Return the cells of a column that names rows in the output."""
    if name not in table.columns:
        fail(f"{table.path} has no column {name!r}{suggest(name, table.columns)}")
    if any(column.name == name for column in classifier.encoder_.columns_):
        note(f"{name!r} is a column that the model uses: a key should be left out of fit (--drop)")
    cells = table.column(name).to_list()
    plain = (str, int, float, bool)
    return [None if one is None or one != one else one if isinstance(one, plain) else str(one)
            for one in cells]  # fmt: skip


def class_named(classifier: "AlgebraicClassifier", name: str | None) -> Any:
    """Return the class that is written so on the command line, or the text if there is none."""
    from atomlearn.classifier.costs import labels_of_text

    return None if name is None else labels_of_text([name], classifier.classes_)[0]


def explain(
    file: ClassifierFile,
    data: Annotated[
        Path | None,
        file_argument("A table; by default the first rows of the training table."),
    ] = None,
    row: Annotated[
        int, typer.Option("--row", min=0, help="The row to explain, counted from 0.")
    ] = 0,
    max_atoms: Annotated[
        int, typer.Option("--max-atoms", min=0, help="List at most this many atoms of each class.")
    ] = 3,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Explain the prediction for one row: the atoms it misses, or the rules of a scorecard."""
    classifier = load_table_model(file)
    of_number = is_regressor(classifier)
    if data is None and of_number:
        fail(f"{file} keeps no row of its training table: name a table, as in: data.csv --row 3")
    if data is None:
        n_kept = classifier.n_kept_rows
        if n_kept == 0:
            fail(f"{file} has no rows of its training table: name a table, as in: data.csv --row 3")
        if row >= n_kept:
            fail(
                f"{file} keeps the first {counted(n_kept, 'row')} of its training table "
                f"(row 0 to {n_kept - 1}): name a table for row {row}"
            )
        explanation = classifier.explain_kept(row, max_atoms)
    else:
        from atomlearn.tables.files import read_table

        rows = rows_for(classifier, read_table(data))
        if row >= len(rows):
            fail(f"{data} has {counted(len(rows), 'row')} (row 0 to {len(rows) - 1}), no row {row}")
        with complaints():
            one = rows[row : row + 1]
            explanation = (
                classifier.explain(one) if of_number else classifier.explain(one, max_atoms)
            )
    if html is not None:
        from atomlearn.explorer.classifiers import asked_row, classifier_data
        from atomlearn.explorer.numbers import number_data
        from atomlearn.explorer.page import explorer_page, write_page

        about = f"Row {row} of {file.name if data is None else data.name}"
        asked = asked_row(classifier, about, row if data is None else rows[row : row + 1])
        if of_number:
            page = number_data(classifier, asked)
        else:
            defined: Any = [] if classifier.sample_.is_withheld else classifier.classes_
            definitions = [classifier.definition(label) for label in defined]
            page = classifier_data(classifier, definitions=definitions, asked=asked)
        write_page(explorer_page(file.stem, page), html)
    if as_json:
        print_json({"row": row, **explanation.to_dict()})
    else:
        print(explanation)
        if html is not None:
            print(f"written to {html}")


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and int(text) > 0


def audit(
    file: ClassifierFile,
    data: Annotated[
        Path | None,
        file_argument("A table on which decisions and violations are counted."),
    ] = None,
    target: TargetIfAny = None,
    costs: Annotated[
        bool,
        typer.Option("--costs", help="Fit again without each statement, and print what it costs."),
    ] = False,
    html: HtmlReport = None,
    as_json: Json = False,
) -> None:
    """Prove that a model obeys its statements, and count violations; exit 1 if one is broken.

    With labels in the table, the rows that contradict a statement are listed. The page that --html
    writes can be signed and kept.
    """
    from atomlearn.classifier.costs import labels_of_text
    from atomlearn.tables.files import read_table

    classifier = load_table_model(file)
    if is_regressor(classifier):
        refuse_options({"--costs": costs}, f"classes, and {file} predicts a number")
    labels: Any = None
    rows = None
    if data is not None:
        table = read_table(data)
        rows, target = rows_for(classifier, table), target or classifier_target(classifier)
        if target is not None and target in table.columns:
            labels = table.labels(target)
            if not is_regressor(classifier):
                labels = labels_of_text(labels, classifier.classes_)
    if costs and labels is None:
        fail("--costs needs the training table with its labels")
    with complaints():
        found = classifier.check_rules(rows, labels)
        table_of_costs = classifier.rule_costs(rows, labels) if costs else None
    if html is not None:
        found.to_html(html)
    if as_json:
        fields = found.to_dict()
        if table_of_costs is not None:
            fields["costs"] = table_of_costs.to_dict(orient="records")
        print_json(fields)
    else:
        print(found)
        if table_of_costs is not None:
            print()
            for one in table_of_costs.itertuples():
                print(
                    f"{one.statement}: error {one.error:.2%}, without it {one.error_without:.2%}"
                    f" (costs {100 * one.cost:+.2f} points)"
                )
        if html is not None:
            print(f"written to {html}")
    if not found.holds:
        raise typer.Exit(NO)


def classifier_target(classifier: "AlgebraicClassifier") -> str | None:
    """Return the name of the column of the labels, if the model knows it."""
    name: str | None = getattr(classifier, "target_name_", None)
    return name


def _order(text: str, labels: Any) -> list[Any]:
    """Return the labels that are written from the lowest to the highest."""
    import numpy as np

    from atomlearn.classifier.costs import labels_of_text

    return list(labels_of_text([one.strip() for one in text.split(",")], np.unique(labels)))


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


def rows_for(classifier: "AlgebraicClassifier", table: "Table") -> "NamedArray":
    """Return the columns of a table that a model needs, with the types it knows."""
    from atomlearn.tables.columns import NumberColumn
    from atomlearn.tables.files import Cells, named_rows

    wanted = classifier.encoder_.columns_
    absent = [column.name for column in wanted if column.name not in table.columns]
    if absent:
        fail(
            f"{table.path} has no {'column' if len(absent) == 1 else 'columns'} "
            f"{', '.join(map(repr, absent[:10]))}, which the model needs"
            f"{suggest(absent[0], table.columns)}"
        )
    columns = {}
    for column in wanted:
        if isinstance(column, NumberColumn):
            columns[column.name] = table.numbers(column.name)
        else:
            by_text = {str(category): category for category in column.categories}
            values, codes = table.column(column.name)
            columns[column.name] = Cells([by_text.get(str(one), one) for one in values], codes)
    return named_rows(columns)


@contextmanager
def complaints() -> Iterator[None]:
    """Print warnings as notes, and errors about the data as messages."""
    with noting_warnings():
        try:
            yield
        except ValueError as error:
            fail(str(error))
