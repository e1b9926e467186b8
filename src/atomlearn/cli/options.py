"""Arguments and options that several commands have, each spelt and explained once.

A file that a command will write is checked here, while the command line is read: an error about it
comes before hours of learning, not after.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from atomlearn.cli.output import check_outputs, check_page


def _writable(path: Path | None) -> Path | None:
    """Check that a file can be written."""
    check_outputs(path)
    return path


def _writable_page(path: Path | None) -> Path | None:
    """Check that an HTML page can be written; its folder is created."""
    check_page(path)
    return path


def _output(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, callback=_writable)


# files that are read

ModelFile = Annotated[Path, typer.Argument(help="A model file, as written by fit or learn.")]
ClassifierFile = Annotated[Path, typer.Argument(help="A model file, as written by fit.")]
TableFile = Annotated[Path, typer.Argument(help="A table: CSV with a header line, or Parquet.")]
RelationFile = Annotated[
    Path, typer.Argument(help="Relations as text, one a line: v < c1 c2, or v !< c3.")
]
TextFile = Annotated[Path, typer.Argument(help="A text file.")]

# files that are written

OutFile = Annotated[Path, _output("--out", "-o", help="The file to write.")]
OutInstead = Annotated[
    Path | None, _output("--out", "-o", help="Write to this file instead of the terminal.")
]
SvgPicture = Annotated[Path | None, _output("--svg", help="Draw the boards to this SVG file.")]
PngPicture = Annotated[Path | None, _output("--png", help="Draw the boards to this PNG file.")]
AtomsPicture = Annotated[
    Path | None, _output("--atoms", help="Draw the atoms of the last model to this file.")
]
Html = Annotated[
    Path | None,
    typer.Option(
        "--html", help="Write a page on which the model can be explored.", callback=_writable_page
    ),
]

# what is learned from, and how

_TARGET = typer.Option("--target", "-t", help="The column that has the labels.")
Target = Annotated[str, _TARGET]
TargetIfAny = Annotated[str | None, _TARGET]
_SEED = typer.Option("--seed", min=0, help="Random seed; the same seed gives the same result.")
Seed = Annotated[int, _SEED]
SeedIfAny = Annotated[int | None, _SEED]
_EPOCHS = typer.Option("--max-epochs", min=1, help="Maximum number of epochs.")
MaxEpochs = Annotated[int, _EPOCHS]
MaxEpochsIfAny = Annotated[int | None, _EPOCHS]
_JOBS = typer.Option("--jobs", help="Number of parallel processes, -1 for one per core.")
Jobs = Annotated[int, _JOBS]
JobsIfAny = Annotated[int | None, _JOBS]
Queens = Annotated[
    list[str] | None, typer.Option("--queen", help="A given queen, as b4; may be repeated.")
]

# what is printed

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the result only, without progress.")
]
