"""How commands speak: results to stdout, complaints to stderr, and what exit codes mean."""

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from atomlearn.formats.replacing import check_replaceable, is_device

YES = 0
"""Done; consistent; true."""
NO = 1
"""Inconsistent; false."""
BAD = 2
"""The question itself is wrong: syntax, usage, a file that cannot be read."""


def fail(message: str, code: int = BAD) -> NoReturn:
    """Say what is wrong and exit."""
    print(f"atomlearn: {message}", file=sys.stderr)
    raise SystemExit(code)


def check_outputs(*paths: Path | None) -> None:
    """Complain of a file that cannot be written now, and not after hours of learning."""
    for path in paths:
        if path is not None and not is_device(path):
            check_replaceable(path)


def check_page(path: Path | None) -> None:
    """The same for a page, which makes its folder."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_outputs(path)


def print_json(value: Any) -> None:
    """One line of JSON."""
    print(json.dumps(value, ensure_ascii=False))


def counted(n: int, noun: str) -> str:
    """A number and a noun.

    >>> counted(1, "atom"), counted(2000, "atom")
    ('1 atom', '2,000 atoms')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
