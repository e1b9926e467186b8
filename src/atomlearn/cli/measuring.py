"""``atomlearn evaluate`` and ``compare``: models on tables with labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn.cli.models import load_table_model
from atomlearn.cli.numbers import is_regressor, numbers_in, refuse_options
from atomlearn.cli.output import (
    ClassifierFile,
    HtmlReport,
    Json,
    PosLabel,
    TableFile,
    TargetIfAny,
    Threshold,
    fail,
    print_json,
)
from atomlearn.cli.tables import class_named, classifier_target, complaints, rows_for
from atomlearn.errors import suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.tables.files import Table


def evaluate(
    file: ClassifierFile,
    data: TableFile,
    target: TargetIfAny = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            help='The cost of a wrong prediction, as "bad->good=5": label, prediction and cost; '
            "may be repeated. Other wrong predictions cost 1.",
        ),
    ] = None,
    cost_table: Annotated[
        Path | None,
        typer.Option(
            "--cost-table",
            exists=True,
            dir_okay=False,
            help="A CSV file of costs: labels in the first column, predictions in the header.",
        ),
    ] = None,
    threshold: Threshold = None,
    pos_label: PosLabel = None,
    html: HtmlReport = None,
    as_json: Json = False,
) -> None:
    """Measure a model on a table with labels: errors, calibration, log-loss, costs.

    For a regressor: R², mean absolute error, and the share of numbers in their 90 % intervals.

    The column of the labels is by default that of the training table. With costs and two classes
    the best threshold is given, too.
    """
    from atomlearn.classifier.costs import read_costs
    from atomlearn.tables.files import read_table

    if cost and cost_table is not None:
        fail("--cost and --cost-table exclude each other")
    classifier = load_table_model(file)
    table = read_table(data)
    if is_regressor(classifier):
        options = {"--cost": cost, "--cost-table": cost_table, "--threshold": threshold,
                   "--pos-label": pos_label}  # fmt: skip
        refuse_options(options, f"classes, and {file} predicts a number")
        numbers = numbers_in(classifier, table, target)
        with complaints():
            _print(classifier.evaluate(rows_for(classifier, table), numbers), html, as_json)
        return
    labels = labels_in(classifier, table, file, target)
    rows = rows_for(classifier, table)
    with complaints():
        if cost_table is None:
            costs: Any = cost
        else:
            costs = read_costs(cost_table, classifier.classes_)
        found = classifier.evaluate(
            rows,
            labels,
            costs=costs,
            threshold=threshold,
            pos_label=class_named(classifier, pos_label),
        )
    _print(found, html, as_json)


def _print(found: Any, html: Path | None, as_json: bool) -> None:
    """Print an evaluation, and write its page."""
    if html is not None:
        found.to_html(html)
    if as_json:
        print_json(found.to_dict())
        return
    print(found)
    if html is not None:
        print(f"written to {html}")


def compare(
    first: ClassifierFile,
    second: ClassifierFile,
    data: TableFile,
    target: TargetIfAny = None,
    as_json: Json = False,
) -> None:
    """Compare two models on the same rows: errors, paired tests, rows that differ, rules."""
    from atomlearn.tables.files import read_table

    models = [load_table_model(first), load_table_model(second)]
    table = read_table(data)
    if is_regressor(models[0]):
        labels = numbers_in(models[0], table, target)
    else:
        labels = labels_in(models[0], table, first, target)
    rows = [rows_for(model, table) for model in models]
    with complaints():
        found = models[0].compare(models[1], rows[0], labels, X_other=rows[1])
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)


def labels_in(
    classifier: "AlgebraicClassifier", table: "Table", file: Path, target: str | None
) -> "Sequence[Any]":
    """Return the labels of a table, all of which are classes of the model."""
    from atomlearn.classifier.costs import labels_of_text

    target = target or classifier_target(classifier)
    if target is None:
        fail(f"{file} does not name the column of the labels: give it with --target")
    if target not in table.columns:
        fail(f"{table.path} has no column {target!r}{suggest(target, table.columns)}")
    labels = labels_of_text(table.labels(target), classifier.classes_)
    known = set(classifier.classes_.tolist())
    for row, label in enumerate(labels):
        if label not in known:
            texts = ", ".join(map(str, classifier.classes_[:10]))
            fail(f"{table.path}, row {row}: {str(label)!r} is none of the classes {texts}")
    return labels
