"""``atomlearn data``: fetch, verify and cache the data sets of the experiments."""

from pathlib import Path
from typing import Annotated

import typer

from atomlearn.cli.output import fail


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(data)


def data(
    which: Annotated[str, typer.Argument(help="mnist or fashion-mnist.")],
    to: Annotated[
        Path | None, typer.Option("--to", help="Keep the files here, not in the user's cache.")
    ] = None,
) -> None:
    """Fetch a data set unless it is here, verify it, and tell where it is."""
    from atomlearn.datasets.sets import SETS

    if which not in SETS:
        fail(f"there is no data set {which!r}: it is one of {', '.join(SETS)}")
    from atomlearn.datasets.fetch import provide

    print(provide(SETS[which], to))
