"""``atomlearn explore``: a model in the browser, as one self-contained page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn.cli.output import check_page, fail

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

MEGABYTE = 1 << 20


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(explore)


def explore(
    file: Annotated[
        Path | None,
        typer.Argument(help="A model file, or relations as text; none with --queens or --sudoku."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The page to write; by default the file's name, .html."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="A table whose rows are shown instead of the stored sample."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column of --data that has the labels."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The title of the page.")] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Write a page on which a model can be explored: change a row, draw a digit, place a queen, ask
    about a relation. The page is one file, works from disk and sends nothing anywhere."""
    if file is None:
        fail("name a model file, as in: atomlearn explore iris.atoms -o iris.html")
    name, told = _told(file, data, target)
    path = Path(f"{name}.html") if out is None else out
    check_page(path)
    from atomlearn.explorer.page import explorer_page, write_page

    html = explorer_page(title or name, told)
    write_page(html, path)
    print(f"{path}: {len(html.encode()) / MEGABYTE:.1f} MB")
    if open_page:
        typer.launch(str(path))


def _told(file: Path, data: Path | None, target: str | None) -> tuple[str, dict[str, Any]]:
    """The name of what is explored, and what its page needs."""
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.files.load import load

    loaded = load(file)
    if not isinstance(loaded, AlgebraicClassifier):
        fail(f"{file} holds a {type(loaded).__name__}, which has no page")
    return file.stem, _classifier(loaded, file, data, target)


def _classifier(
    classifier: "AlgebraicClassifier", file: Path, data: Path | None, target: str | None
) -> dict[str, Any]:
    from atomlearn.cli.tables import complaints, labels_of, rows_for
    from atomlearn.explorer.classifiers import classifier_data
    from atomlearn.tables.files import read_table

    if data is None:
        return classifier_data(classifier)
    if target is None:
        fail(f"--data needs --target, the column of {data} that has the labels")
    with complaints():
        labels = labels_of(read_table(data), target)
        unknown = sorted({str(label) for label in labels if label not in set(classifier.classes_)})
        if unknown:
            fail(f"{data} has labels that {file} does not know: {', '.join(unknown[:5])}")
        return classifier_data(classifier, rows_for(classifier, data), labels)
