"""How commands speak: results to stdout, complaints to stderr, and what exit codes mean."""

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

YES = 0
"""Done; consistent; true."""
NO = 1
"""Inconsistent; false."""
OPEN = 3
"""Neither follows nor is contradicted."""
BAD = 2
"""The question itself is wrong: syntax, usage, a file that cannot be read."""


def fail(message: str, code: int = BAD) -> NoReturn:
    """Say what is wrong and exit."""
    print(f"atomlearn: {message}", file=sys.stderr)
    raise SystemExit(code)


def note(message: str) -> None:
    """Say what deserves a second look, beside the result."""
    print(f"note: {message}", file=sys.stderr)


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Warnings as notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            for message in dict.fromkeys(str(one.message) for one in caught):
                note(message)


def print_json(value: Any) -> None:
    """One line of JSON."""
    print(json.dumps(value, ensure_ascii=False))


def counted(n: int, noun: str) -> str:
    """A number and a noun.

    >>> counted(1, "atom"), counted(2000, "atom")
    ('1 atom', '2,000 atoms')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
