"""Reading scorecards of a number that people wrote or changed, as CSV or as they are printed."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from atomlearn.classifier.card_reading import card_lines, read_amount, read_clauses
from atomlearn.classifier.scorecard import OFFSET, CardRule
from atomlearn.errors import FileFormatError, InvalidParameter
from atomlearn.regressor.scorecard import NumberScorecard
from atomlearn.tables.rules import MOST_TARGET
from atomlearn.training.compact.numbers import LOG_UNIT

MOST_POINTS = 1 << 31
"""Largest number of points of a rule: amounts of one card are not farther apart."""


def read_number_card(
    source: Any, columns: Sequence[str], target: str, is_log: bool
) -> NumberScorecard:
    """Read a scorecard from CSV, its text, a file of either, a data frame, a card or its model."""
    if hasattr(source, "scorecard"):
        source = source.scorecard()
    if isinstance(source, NumberScorecard):
        if source.is_log != is_log:
            raise InvalidParameter(
                "the rules of this card multiply: give loss='poisson'"
                if source.is_log
                else "the rules of this card are added, and with loss='poisson' they would multiply"
            )
        return source
    lines, name = card_lines(source, [target])
    if not lines or not lines[0] or lines[0][0].strip().lower() != "rule":
        raise FileFormatError(f"{name}: the first line must be 'rule' and the name of the number")
    offset, found = None, []
    for number, line in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in line):
            continue
        where = f"{name}, line {number}"
        if len(line) != 2:
            raise FileFormatError(
                f"{where}: there must be a rule and what it adds, not {line}; a rule with a comma "
                "stands in quotes"
            )
        text, amount = line[0].strip(), _amount(line[1], where, is_log)
        if text == OFFSET:
            offset = amount
        else:
            found.append((read_clauses(text, columns, where), amount))
    if offset is None:
        raise FileFormatError(f"{name} has no line '{OFFSET}'")
    unit = common_unit([offset, *(amount for _, amount in found)])
    if any(abs(amount) >= MOST_POINTS * unit for _, amount in found):
        raise FileFormatError(f"{name}: the amounts are too far apart; round the largest ones")
    rules = tuple(CardRule(clauses, (round(amount / unit),)) for clauses, amount in found)
    return NumberScorecard(target, rules, unit, offset, is_log)


def _amount(cell: str, where: str, is_log: bool) -> float:
    """Return an amount; a factor, which is printed rounded, as the logarithm that it stands for."""
    factor = re.fullmatch(r"\s*×\s*(\S+)\s*", cell)
    if factor is None:
        return read_amount(cell, where, MOST_TARGET)
    value = read_amount(factor[1], where, math.inf)
    if not is_log or value <= 0:
        raise FileFormatError(f"{where}: {cell.strip()!r} is a factor, for loss='poisson' alone")
    return round(math.log(value) / LOG_UNIT) * LOG_UNIT


def common_unit(amounts: Sequence[float]) -> float:
    """Return 1, 2 or 5 times a power of ten, of which all amounts are multiples as written.

    >>> common_unit([12.5, -7.5, 20.0]), common_unit([4000.0]), common_unit([])
    (0.5, 2000.0, 1.0)
    """
    told = [Decimal(f"{one:.12g}") for one in amounts if one]
    if not told:
        return 1.0
    lowest = min(int(one.as_tuple().exponent) for one in told)
    whole = math.gcd(*(int(one.scaleb(-lowest)) for one in told))
    digits = str(whole).rstrip("0")
    first = next(one for one in (5, 2, 1) if int(digits) % one == 0)
    return float(Decimal(first).scaleb(lowest + len(str(whole)) - len(digits)))
