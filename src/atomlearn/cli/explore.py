"""``atomlearn explore``: a model in the browser, as one self-contained page or with a server."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn.cli.algebra import has_relations, read_algebra
from atomlearn.cli.output import MaxEpochs, Queens, Seed, TargetIfAny, check_page, fail
from atomlearn.cli.problems import read_text
from atomlearn.cli.tables import complaints, rows_for
from atomlearn.files.load import load

if TYPE_CHECKING:
    from atomlearn.explorer.live import Live


def explore(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A model, relations or a context (.cxt, .csv); none with --queens or --sudoku."
        ),
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
        typer.Option("--queens", min=1, max=26, help="The number of rows of a chess board."),
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
    if serve and out is not None:
        fail("--serve writes no file: leave out --out, or --serve")
    named = file or puzzle
    name = f"{size} queens" if named is None else named.stem
    path = Path(f"{name.replace(' ', '-')}.html") if out is None else out
    if not serve:
        check_page(path)
    from atomlearn.explorer.live import LiveBoard, LiveTable, Still
    from atomlearn.explorer.page import (
        explorer_page,
        page_data,
        queens_data,
        sudoku_data,
        write_page,
    )

    live: Live
    if size is not None and serve:
        live = LiveBoard(size, queen or [], seed)
    elif size is not None:
        live = Still(queens_data(size, queen or [], seed, max_epochs))
    elif puzzle is not None:
        live = Still(sudoku_data(read_text(puzzle), seed, max_epochs))
    else:
        assert file is not None
        model = _loaded(file)
        rows, labels = (None, None) if data is None else _labelled(model, file, data, target)
        if serve and hasattr(model, "predict_proba"):
            source = "" if data is None else data.name
            live = LiveTable(model, rows, labels, name=source, seed=seed)
        else:
            live = Still(page_data(model, rows, labels, seed))
    if serve:
        _serve(live, title or name, port, open_page)
        return
    html = explorer_page(title or name, live.data())
    write_page(html, path)
    print(f"{path}: {len(html.encode()) / (1 << 20):.1f} MB")
    if open_page:
        typer.launch(str(path))


def _serve(live: "Live", title: str, port: int, open_page: bool) -> None:
    from atomlearn.explorer.server import serve

    def announce(address: str) -> None:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
        if open_page:
            typer.launch(address)

    serve(live, title, port, announce)


def _loaded(file: Path) -> Any:
    """Return the relations, the model or the classifier of a file."""
    from atomlearn.algebra.contexts import Context
    from atomlearn.engine.pool import Pool

    if file.suffix.lower() in (".cxt", ".csv"):
        return Context.read(file)
    if has_relations(file):
        return read_algebra(file)
    loaded = load(file)
    if isinstance(loaded, Pool):
        fail(f"{file} is a pool of pins, which has no page: explore the model it came from")
    return loaded


def _labelled(model: Any, file: Path, data: Path, target: str | None) -> tuple[Any, Any]:
    """Return the rows of ``--data`` and their labels, which the model must know."""
    from atomlearn.tables.files import read_table

    if not hasattr(model, "classes_"):
        fail(f"--data is for classifiers, and {file} holds none")
    if target is None:
        fail(f"--data needs --target, the column of {data} that has the labels")
    with complaints():
        table = read_table(data)
        labels = table.labels(target)
        unknown = sorted(map(str, set(labels.tolist()) - set(model.classes_.tolist())))
        if unknown:
            fail(f"{data} has labels that {file} does not know: {', '.join(unknown[:5])}")
        return rows_for(model, table), labels
