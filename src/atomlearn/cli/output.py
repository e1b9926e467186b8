"""What all commands share: options, each declared once, output, messages and exit codes.

Results go to stdout, messages to stderr. A file that a command will write is checked here, while
the command line is read: an error about it comes before hours of learning, not after.
"""

import csv
import io
import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer

from atomlearn.algebra.terms import visible
from atomlearn.errors import InterruptedWarning, nearest
from atomlearn.files.container import check_replaceable, is_device, replacing

YES = 0
"""Exit code of success, of relations that are consistent, and of an answer that is true."""
NO = 1
"""Exit code of relations that are inconsistent, and of an answer that is false."""
OPEN = 3
"""Exit code of a relation that neither follows nor is contradicted."""
BAD = 2
"""Exit code of wrong usage, wrong syntax, or a file that cannot be read."""


class VisibleStream:
    """A stream that shows control characters instead of sending them to the terminal.

    Printed text may have names from a file. Rich, which sends colours, writes to the stream beneath
    (it asks for ``rich_proxied_file``).
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write the text with control characters escaped."""
        return self.rich_proxied_file.write(visible(text))

    def writelines(self, lines: Any) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def prepare_output() -> None:
    """Escape control characters in stdout and stderr, and write UTF-8 unless to a terminal.

    Files and pipes get UTF-8 on every system, like atomlearn's own files; a terminal keeps its
    encoding, and characters that it lacks are shown as escapes.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, VisibleStream):
            continue
        if hasattr(stream, "reconfigure"):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
        setattr(sys, name, VisibleStream(stream))


def fail(message: str, code: int = BAD) -> NoReturn:
    """Print an error message and exit."""
    print(f"atomlearn: {message}", file=sys.stderr)
    raise SystemExit(code)


def check_choice(option: str, chosen: str, known: Iterable[str]) -> None:
    """Fail if the value of an option is not a known one, and suggest the nearest."""
    if chosen not in known:
        fail(f"{option} must be one of {', '.join(known)}, not {chosen!r}{nearest(chosen, known)}")


def check_outputs(*paths: Path | None) -> None:
    """Raise an error if a file could not be written, before hours of learning are spent."""
    for path in paths:
        if path is not None and not is_device(path):
            check_replaceable(path)


def check_page(path: Path | None) -> None:
    """Create the folder of an HTML page, and raise an error if the page could not be written."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_outputs(path)


def note(message: str) -> None:
    """Print a remark beside the result."""
    print(f"note: {message}", file=sys.stderr)


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Print warnings as notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", InterruptedWarning)  # commands have a line of their own
        try:
            yield
        finally:
            for message in dict.fromkeys(str(one.message) for one in caught):
                note(message)


def print_json(value: Any) -> None:
    """Print one line of JSON."""
    print(json.dumps(value, ensure_ascii=False))


def write_text(text: str, path: Path | None) -> None:
    """Write text to a file, which is replaced as a whole, or to the terminal if there is none."""
    if path is None:
        print(text, end="")
        return
    with path.open("wb") if is_device(path) else replacing(path) as file:
        file.write(text.encode("utf-8", "surrogatepass"))


def write_csv(lines: Iterable[Sequence[Any]], path: Path | None) -> None:
    """Write lines as CSV to a file, or to the terminal if there is none."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    write_text(text.getvalue(), path)


def counted(n: int, noun: str) -> str:
    """Return a number and a noun, which is in the plural unless the number is 1.

    >>> counted(1, "atom"), counted(2000, "atom"), counted(2, "class")
    ('1 atom', '2,000 atoms', '2 classes')
    """
    ending = "" if n == 1 else "es" if noun.endswith("s") else "s"
    return f"{n:,} {noun}{ending}"


def _writable(context: typer.Context, path: Path | None) -> Path | None:
    """Check that a file can be written."""
    check_outputs(path)
    return _apart(context, path, "written")


def _writable_model(context: typer.Context, path: Path) -> Path:
    """Check that a model can be written: a device would not keep it."""
    check_replaceable(path)
    _apart(context, path, "written")
    return path


def _writable_page(context: typer.Context, path: Path | None) -> Path | None:
    """Check that an HTML page can be written; its folder is created."""
    check_page(path)
    return _apart(context, path, "written")


def _readable(context: typer.Context, path: Path | None) -> Path | None:
    """Check that a file that is read is not written as well."""
    return _apart(context, path, "read")


def _apart(context: typer.Context, path: Path | None, use: str) -> Path | None:
    """Fail if a command would write over a file that it reads, and note what the path is for."""
    known = context.meta.setdefault("atomlearn.files", [])
    if path is not None and path.is_file():
        for other, its_use in known:
            if use != its_use and other.samefile(path):
                fail(f"{path} would be overwritten, and it is read: write to another file")
        known.append((path, use))
    return path


def _output(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, callback=_writable)


def file_argument(help: str) -> Any:
    """Return an argument that names a file to be read, which nothing may be written over."""
    return typer.Argument(help=help, callback=_readable)


# files that are read

ModelFile = Annotated[Path, file_argument("A model file, as written by fit or learn.")]
ClassifierFile = Annotated[Path, file_argument("A model file, as written by fit.")]
TableFile = Annotated[Path, file_argument("A table: CSV with a header line, or Parquet.")]
RelationFile = Annotated[
    Path, file_argument("Relations as text, one a line: v < c1 c2, or v !< c3.")
]
TextFile = Annotated[Path, file_argument("A text file.")]

# files that are written

OutFile = Annotated[
    Path, typer.Option("--out", "-o", help="The file to write.", callback=_writable_model)
]
OutInstead = Annotated[
    Path | None, _output("--out", "-o", help="Write to this file instead of the terminal.")
]
SvgPicture = Annotated[Path | None, _output("--svg", help="Draw the boards to this SVG file.")]
PngPicture = Annotated[Path | None, _output("--png", help="Draw the boards to this PNG file.")]
AtomsPicture = Annotated[
    Path | None, _output("--atoms", help="Draw the atoms of the last model to this file.")
]
ModelCardFile = Annotated[
    Path | None,
    _output("--model-card", help="Write a model card of a classifier to this Markdown file."),
]
Html = Annotated[
    Path | None,
    typer.Option(
        "--html", help="Write a page on which the model can be explored.", callback=_writable_page
    ),
]
HtmlReport = Annotated[
    Path | None,
    typer.Option(
        "--html", help="Write the result as a page to print or send.", callback=_writable_page
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
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="For two classes: predict the positive one if its probability is this or more.",
    ),
]
PosLabel = Annotated[
    str | None,
    typer.Option("--pos-label", help="The positive class; by default the second in order."),
]

# what is printed

Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the result only, without progress.")
]
