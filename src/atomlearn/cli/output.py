"""Output of the commands: results to stdout, messages to stderr, and the exit codes."""

import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TextIO

from atomlearn.algebra.text import visible
from atomlearn.errors import InterruptedWarning, nearest
from atomlearn.files.writing import check_replaceable, is_device, replacing

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


def counted(n: int, noun: str) -> str:
    """Return a number and a noun, which is in the plural unless the number is 1.

    >>> counted(1, "atom"), counted(2000, "atom"), counted(2, "class")
    ('1 atom', '2,000 atoms', '2 classes')
    """
    ending = "" if n == 1 else "es" if noun.endswith("s") else "s"
    return f"{n:,} {noun}{ending}"
