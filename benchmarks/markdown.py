"""Figures as text, and tables of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.record import Record

NAMES = {"numpy": "NumPy", "numba": "Numba", "lightgbm": "LightGBM", "python": "Python"}
VERSIONS = ("python", "numpy", "numba", "scikit-learn", "lightgbm", "catboost", "interpret-core")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, columns of numbers to the right.

    >>> print(table(("what", "error"), [("iris", "4 %")]))
    | what | error |
    |---|---:|
    | iris | 4 % |
    """
    lines = list(rows)
    marks = ["---:" if _is_number(column) else "---" for column in zip(*lines, strict=True)]
    written = ["| " + " | ".join(line) + " |" for line in (header, *lines)]
    return "\n".join([written[0], f"|{'|'.join(marks)}|", *written[1:]])


def _is_number(column: Sequence[str]) -> bool:
    return next((cell for cell in column if cell), "")[:1].isdigit()


def percent(share: float) -> str:
    """Three digits: ``12.9 %``, ``1.96 %``."""
    return f"{100 * share:#.3g} %" if share else "0 %"


def seconds(value: float) -> str:
    """Two digits or more: ``116 s``, ``6.0 s``, ``0.13 s``."""
    return f"{value:,.{0 if value >= 10 else 1 if value >= 1 else 2}f} s"


def made_with(records: Iterable[Record], commands: bool = True) -> str:
    """How figures were measured: a line for each way, with the number of steps if several."""
    ways = Counter(_way(record, commands) for record in records)
    many = len(ways) > 1
    return "\n".join(f"*{f'{n} steps: ' if many else ''}{way}.*" for way, n in ways.items())


def _way(record: Record, commands: bool) -> str:
    of: dict[str, Any] = record["machine"]
    known = [f"{NAMES.get(name, name)} {of[name]}" for name in VERSIONS if of.get(name)]
    command = f"`{record['command']}`, seed {record['seed']}; " if commands else ""
    versions = ", ".join([f"atomlearn {record['version']}", *known])
    return f"{command}{versions}; {of['processor']}, {of['cores']} cores; {record['date']}"
