"""Reading scorecards that people wrote or changed, as CSV or as they are printed."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from atomlearn.classifier.scorecard import OFFSET, SCALE, CardRule, Clause, Scorecard
from atomlearn.errors import FileFormatError, InvalidParameter, InvalidRule
from atomlearn.tables.rules import joined, parse_conditions

_NUMBER = r"(?:× )?[+−-]?\d+(?:\.\d+)?(?:e[+−-]?\d+)?"
_LINE = re.compile(rf"^\s*(?P<points>(?:{_NUMBER}\s+)+)(?P<text>if .*\S|always)\s*$")
_SHARE = re.compile(r"\s{2,}\d+ ?%\s*$")
_BESIDE = ("rows", "factor")
"""Columns of data frames of cards that nothing depends on."""
_SCALE = re.compile(r"exp\(−(\S+) × sum\)|softmax of (\S+) × sum")


def read_scorecard(source: Any, columns: Sequence[str], labels: Sequence[Any]) -> Scorecard:
    """Read a scorecard from CSV, its text, a file of either, a data frame, a card or its model."""
    if hasattr(source, "scorecard"):
        source = source.scorecard()
    if isinstance(source, Scorecard):
        return source
    shown = [str(labels[1])] if len(labels) == 2 else list(map(str, labels))
    return _from_lines(*card_lines(source, shown), columns, labels)


def card_lines(source: Any, shown: Sequence[str]) -> tuple[list[list[str]], str]:
    """Return a card as the lines of a CSV, with the names of what is ``shown``, and its name.

    The card is CSV, its text, a file of either, or a data frame.
    """
    name = "the scorecard"
    if hasattr(source, "to_csv") and hasattr(source, "attrs"):
        lines = [list(map(str, source.columns)), *source.astype(str).values.tolist()]
        lines = [
            [cell for cell, head in zip(line, lines[0], strict=True) if head not in _BESIDE]
            for line in lines
        ]
        if "scale" in source.attrs:
            lines.append([SCALE, str(source.attrs["scale"])])
        return lines, name
    if not isinstance(source, str | Path):
        raise InvalidParameter(f"a scorecard is a file or text, not {type(source).__name__}")
    text = str(source)
    if not text.strip():
        raise FileFormatError("a scorecard is a file or text, and here is neither")
    if isinstance(source, Path) or "\n" not in text:
        name = text
        try:
            text = Path(text).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{name} is not UTF-8 text: {error}") from None
    if text.lstrip().startswith("Scorecard"):
        return _from_text(text, name, shown), name
    return list(csv.reader(io.StringIO(text))), name


def _from_text(text: str, name: str, shown: Sequence[str]) -> list[list[str]]:
    """Read a card as it is printed."""
    lines = [["rule", *shown]]
    for line in text.split("\n"):
        scale = _SCALE.search(line)
        if scale is not None:
            lines.append([SCALE, scale[1] or scale[2]])
        match = _LINE.match(_SHARE.sub("", line))
        if match is not None:
            told = OFFSET if match["text"] == "always" else match["text"].removeprefix("if ")
            points = match["points"].replace("−", "-").replace("× ", "×")
            lines.append([told, *points.split()])
    if len(lines) == 1:
        raise FileFormatError(f"{name} has no line with points and 'if'")
    return lines


def _from_lines(
    lines: Sequence[Sequence[str]], name: str, columns: Sequence[str], labels: Sequence[Any]
) -> Scorecard:
    """Read the lines of a CSV: a head with the classes, offsets, the scale, and the rules."""
    if not lines or not lines[0] or lines[0][0].strip().lower() != "rule":
        raise FileFormatError(f"{name}: the first line must be 'rule' and the classes")
    texts = [str(label) for label in labels]
    heads = [cell.strip() for cell in lines[0][1:]]
    for head in heads:
        if head not in texts:
            raise FileFormatError(f"{name}: {head!r} is not one of the classes {texts[:10]}")
    places = [texts.index(head) for head in heads]
    offsets, scale = np.zeros(len(labels)), None
    rules: list[CardRule] = []
    for number, line in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in line):
            continue
        where = f"{name}, line {number}"
        text, cells = line[0].strip(), line[1:]
        if text == SCALE:
            scale = read_amount(cells[0] if cells else "", where)
            if not 0 < scale <= 1000:
                raise FileFormatError(f"{where}: the scale must be above 0, not {scale}")
            continue
        if len(cells) < len(heads) or any(cell.strip() for cell in cells[len(heads) :]):
            raise FileFormatError(
                f"{where}: there must be a rule and {len(heads)} number(s) of points, not "
                f"{line}; a rule with a comma stands in quotes"
            )
        values = [read_amount(cell, where) for cell in cells[: len(heads)]]
        if text == OFFSET:
            offsets[places] = values
            continue
        if any(value != round(value) for value in values):
            raise FileFormatError(f"{where}: points must be whole numbers, not {cells}")
        points = np.zeros(len(labels), dtype=np.int64)
        points[places] = np.array(values, dtype=np.int64)
        rules.append(CardRule(read_clauses(text, columns, where), tuple(points.tolist())))
    if scale is None:
        raise FileFormatError(f"{name} has no line '{SCALE}'")
    most = max((abs(one) for rule in rules for one in rule.points), default=1)
    return Scorecard(tuple(labels), tuple(rules), tuple(offsets.tolist()), scale, max(most, 1))


def read_clauses(text: str, columns: Sequence[str], where: str) -> tuple[Clause, ...]:
    """Return the conditions of a rule; an error says ``where`` it stands."""
    try:
        return joined(parse_conditions(text.removeprefix("if "), columns))
    except InvalidRule as error:
        raise InvalidRule(f"{where}: {error}") from None


def read_amount(cell: str, where: str, most: float = 1e6) -> float:
    """Return a number of points; an error says ``where`` it stands."""
    try:
        value = float(str(cell).strip().replace("−", "-"))
    except ValueError:
        raise FileFormatError(f"{where}: {cell!r} is not a number") from None
    if not np.isfinite(value) or abs(value) > most:
        raise FileFormatError(f"{where}: {cell!r} is not a number of points")
    return value
