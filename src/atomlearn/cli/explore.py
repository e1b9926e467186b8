"""``atomlearn explore``: a model in the browser, as one self-contained page or with a server."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from atomlearn.cli.options import MaxEpochs, Queens, Seed, TargetIfAny
from atomlearn.cli.output import check_page, fail

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.explorer.live import Live

MEGABYTE = 1 << 20


class Asked(NamedTuple):
    """What is to be explored, from the command line."""

    file: Path | None
    data: Path | None
    target: str | None
    size: int | None
    queens: list[str]
    puzzle: Path | None
    seed: int
    max_epochs: int

    @property
    def name(self) -> str:
        """A title for the page."""
        named = self.file or self.puzzle
        return f"{self.size} queens" if named is None else named.stem


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
    target: TargetIfAny = None,
    size: Annotated[
        int | None,
        typer.Option("--queens", min=1, max=26, help="A chess board with so many rows."),
    ] = None,
    queen: Queens = None,
    puzzle: Annotated[
        Path | None, typer.Option("--sudoku", help="A sudoku as text, . for an empty cell.")
    ] = None,
    seed: Seed = 0,
    max_epochs: MaxEpochs = 60,
    title: Annotated[str | None, typer.Option("--title", help="The title of the page.")] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the page on 127.0.0.1, with live learning.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of --serve; 0 is any free one.")
    ] = 0,
) -> None:
    """Write a page on which a model can be explored.

    Change a row, draw a digit, place a queen, ask about a relation. The page is one file, works
    from disk and sends nothing anywhere.
    """
    if [file, size, puzzle].count(None) != 2:
        fail("name a model file, a relation file, --queens or --sudoku: one of them")
    if size is None and queen:
        fail("--queen goes with --queens, the number of rows: --queens 8 --queen b4")
    asked = Asked(file, data, target, size, queen or [], puzzle, seed, max_epochs)
    if serve:
        if out is not None:
            fail("--serve writes no file: leave out --out, or --serve")
        _serve(_live(asked), title or asked.name, port, open_page)
        return
    path = Path(f"{asked.name.replace(' ', '-')}.html") if out is None else out
    check_page(path)
    from atomlearn.explorer.page import explorer_page, write_page

    html = explorer_page(title or asked.name, _still(asked))
    write_page(html, path)
    print(f"{path}: {len(html.encode()) / MEGABYTE:.1f} MB")
    if open_page:
        typer.launch(str(path))


def _serve(live: "Live", title: str, port: int, open_page: bool) -> None:
    from atomlearn.explorer.server import serve

    def announce(address: str) -> None:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
        if open_page:
            typer.launch(address)

    serve(live, title, port, announce)


def _live(asked: Asked) -> "Live":
    """What is served."""
    from atomlearn.explorer.live import LiveBoard, LiveTable, Still

    if asked.size is not None:
        return LiveBoard(asked.size, asked.queens, asked.seed)
    loaded = None if asked.file is None else _loaded(asked.file)
    if loaded is None or not hasattr(loaded, "predict_proba"):
        return Still(_still(asked))
    rows, labels = _rows_and_labels(loaded, asked)
    name = "" if asked.data is None else asked.data.name
    return LiveTable(loaded, rows, labels, name=name, seed=asked.seed)


def _still(asked: Asked) -> dict[str, Any]:
    """What the page shows."""
    from atomlearn.explorer.boards import queens_data, sudoku_data
    from atomlearn.explorer.page import page_data

    if asked.size is not None:
        return queens_data(asked.size, asked.queens, asked.seed, asked.max_epochs)
    if asked.puzzle is not None:
        from atomlearn.cli.problems import read_text

        return sudoku_data(read_text(asked.puzzle), asked.seed, asked.max_epochs)
    assert asked.file is not None
    loaded = _loaded(asked.file)
    return page_data(loaded, *_rows_and_labels(loaded, asked), asked.seed)


def _loaded(file: Path) -> Any:
    """The relations, the model or the classifier of a file."""
    from atomlearn.cli.algebra import has_relations, read_algebra
    from atomlearn.engine.pool import Pool
    from atomlearn.files.load import load

    if has_relations(file):
        return read_algebra(file)
    loaded = load(file)
    if isinstance(loaded, Pool):
        fail(f"{file} is a pool of pins, which has no page: explore the model it came from")
    return loaded


def _rows_and_labels(classifier: "AlgebraicClassifier", asked: Asked) -> tuple[Any, Any]:
    """The rows of ``--data`` and their labels; none without it."""
    from atomlearn.cli.tables import complaints, rows_for
    from atomlearn.tables.files import read_table

    data, target = asked.data, asked.target
    if data is None:
        return None, None
    if not hasattr(classifier, "classes_"):
        fail(f"--data is for classifiers, and {asked.file} holds none")
    if target is None:
        fail(f"--data needs --target, the column of {data} that has the labels")
    with complaints():
        labels = read_table(data).labels(target)
        known = set(classifier.classes_.tolist())
        unknown = sorted({str(label) for label in labels.tolist() if label not in known})
        if unknown:
            fail(f"{data} has labels that {asked.file} does not know: {', '.join(unknown[:5])}")
        return rows_for(classifier, data), labels
