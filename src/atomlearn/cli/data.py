"""``atomlearn data``: fetch, verify and cache the data sets of the experiments."""

from pathlib import Path
from typing import Annotated

import typer

from atomlearn.cli.output import fail
from atomlearn.errors import suggest


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(data)


def data(
    which: Annotated[str, typer.Argument(help="mnist or fashion-mnist.")],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Store the files here instead of in the user's cache."),
    ] = None,
) -> None:
    """Download a data set if needed, verify it, and print its folder."""
    from atomlearn.datasets.images import SETS

    if which not in SETS:
        fail(f"there is no data set {which!r}{suggest(which, SETS)}")
    from atomlearn.datasets.fetch import provide

    print(provide(SETS[which], to))
