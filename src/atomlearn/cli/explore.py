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
    size: Annotated[
        int | None,
        typer.Option("--queens", min=1, max=26, help="A chess board with so many rows."),
    ] = None,
    queen: Annotated[
        list[str] | None, typer.Option("--queen", help="A given queen, as b4; may be repeated.")
    ] = None,
    puzzle: Annotated[
        Path | None, typer.Option("--sudoku", help="A sudoku as text, . for an empty cell.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Random seed of what is learned for the page.")
    ] = 0,
    max_epochs: Annotated[
        int, typer.Option("--max-epochs", min=1, help="Epochs of a board that are learned.")
    ] = 60,
    title: Annotated[str | None, typer.Option("--title", help="The title of the page.")] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Write a page on which a model can be explored: change a row, draw a digit, place a queen, ask
    about a relation. The page is one file, works from disk and sends nothing anywhere."""
    if [file, size, puzzle].count(None) != 2:
        fail("name a model file, a relation file, --queens or --sudoku: one of them")
    if size is None and queen:
        fail("--queen goes with --queens, the number of rows: --queens 8 --queen b4")
    if out is not None:
        check_page(out)
    if file is not None:
        name, told = file.stem, _of_file(file, data, target, seed)
    elif size is not None:
        from atomlearn.explorer.boards import queens_data

        name, told = f"{size} queens", queens_data(size, queen or [], seed, max_epochs)
    else:
        from atomlearn.cli.problems import read_text
        from atomlearn.explorer.boards import sudoku_data

        assert puzzle is not None
        name, told = puzzle.stem, sudoku_data(read_text(puzzle), seed, max_epochs)
    path = Path(f"{name.replace(' ', '-')}.html") if out is None else out
    check_page(path)
    from atomlearn.explorer.page import explorer_page, write_page

    html = explorer_page(title or name, told)
    write_page(html, path)
    print(f"{path}: {len(html.encode()) / MEGABYTE:.1f} MB")
    if open_page:
        typer.launch(str(path))


def _of_file(file: Path, data: Path | None, target: str | None, seed: int) -> dict[str, Any]:
    """What the page of a file needs."""
    from atomlearn.algebra.model import Model
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.cli.query import has_relations
    from atomlearn.cli.relations import read_algebra
    from atomlearn.explorer.algebras import algebra_data, model_data
    from atomlearn.files.load import load

    if has_relations(file):
        return algebra_data(read_algebra(file), seed)
    loaded = load(file)
    if isinstance(loaded, Model):
        return model_data(loaded)
    if not isinstance(loaded, AlgebraicClassifier):
        fail(f"{file} holds a {type(loaded).__name__}, which has no page")
    return _classifier(loaded, file, data, target)


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
