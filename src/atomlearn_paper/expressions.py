"""Expressions in claims and pages: the part of Python that has values and no statements.

A figure such as ``{percent(mean(errors))} of {n} images`` and a rule such as
``mean(errors) < 0.01`` stand in a text and not in code. They may use the values that they are
given and the functions of this module; private names and statements are refused.
"""

import ast
import builtins
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from atomlearn.errors import InvalidParameter
from atomlearn.logic.comparison import (
    atoms_needed,
    chance_to_hold,
    error_times_compression,
    log_grid_symmetries,
)

ALLOWED = (
    ast.Expression, ast.BoolOp, ast.boolop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop,
    ast.Compare, ast.cmpop, ast.IfExp, ast.Call, ast.keyword, ast.Constant, ast.Name, ast.Attribute,
    ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue,
    ast.expr_context, ast.Starred,
)  # fmt: skip
"""The kinds of syntax that an expression may contain."""


def value_of(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression.

    >>> value_of("mean(errors) < 0.03", {"errors": [0.01, 0.03]})
    True
    """
    return eval(_compiled(expression.strip()), {"__builtins__": {}, **FUNCTIONS, **names})


def filled(text: str, names: Mapping[str, Any]) -> str:
    """A text with the values of its fields, which are written as in an f-string.

    >>> filled("{spread(errors)} % of {{{n:,}}}", {"errors": [0.01, 0.03], "n": 1000})
    '2.00 (1.00 to 3.00) % of {1,000}'
    """
    return str(value_of(as_literal(text), names))[:-1]


def as_literal(text: str) -> str:
    """A text with fields as the f-string that fills it; a space at its end keeps quotes apart."""
    return f"f'''{text} '''"


@cache
def _compiled(expression: str) -> CodeType:
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        refused = isinstance(node, ast.Attribute) and node.attr.startswith(("_", "format"))
        if refused or not isinstance(node, ALLOWED):
            raise InvalidParameter(f"{type(node).__name__} is not allowed: {expression}")
    return compile(tree, expression, "eval")


# -- functions that expressions may call


def each(results: Mapping[str, Any], steps: str, path: str = "") -> list[Any]:
    """A value from every step whose name matches; ``*`` in the name stands for a number.

    The path to the value names keys and positions; ``*`` in it stands for all positions of a list.

    >>> results = {"a-0": {"x": [1, 2]}, "a-1": {"x": [3]}, "a-b": {}}
    >>> each(results, "a-*", "x.-1"), each(results, "a-*", "x.*")
    ([2, 3], [[1, 2], [3]])
    """
    pattern = re.compile(re.escape(steps).replace(r"\*", r"[\d.]+"))
    return [_at(one, path) for name, one in results.items() if pattern.fullmatch(name)]


def _at(value: Any, path: str) -> Any:
    if not path:
        return value
    key, _, rest = path.partition(".")
    if key == "*":
        return [_at(one, rest) for one in value]
    return _at(value[int(key) if isinstance(value, list) else key], rest)


def mean(values: Iterable[float]) -> float:
    """The mean of some values."""
    return float(np.mean(list(values)))


def means(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of several curves, point by point."""
    return [float(value) for value in np.mean(rows, axis=0)]


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """The correlation of two lists."""
    return float(np.corrcoef(x, y)[0, 1])


def added(rows: Iterable[Sequence[int]]) -> list[int]:
    """Counts added position by position; shorter lists end with zeros.

    >>> added([[1, 2], [1, 0, 5]])
    [2, 2, 5]
    """
    many = list(rows)
    width = max(map(len, many))
    return [sum(row[k] for row in many if k < len(row)) for k in range(width)]


def agrees(values: Sequence[float], printed: float) -> bool:
    """Is a figure of the paper within 10 % of the mean of several seeds, or within their range?

    >>> agrees([0.05, 0.07, 0.06], 0.052), agrees([0.05, 0.06], 0.08)
    (True, False)
    """
    near = abs(mean(values) / printed - 1) <= 0.1
    return near or (len(values) >= 3 and min(values) <= printed <= max(values))


def percent(share: float, digits: int = 2) -> str:
    """A share as a percentage.

    >>> percent(0.0175)
    '1.75 %'
    """
    return f"{100 * share:.{digits}f} %"


def ranged(values: Sequence[float], digits: int = 2, scale: float = 100.0) -> str:
    """The range of some values.

    >>> ranged([0.01, 0.03])
    '1.00 to 3.00'
    """
    return f"{scale * min(values):.{digits}f} to {scale * max(values):.{digits}f}"


def spread(values: Sequence[float], digits: int = 2, scale: float = 100.0) -> str:
    """The mean of some values with their range.

    >>> spread([0.01, 0.03])
    '2.00 (1.00 to 3.00)'
    """
    return f"{scale * mean(values):.{digits}f} ({ranged(values, digits, scale)})"


def listed(values: Iterable[Any], between: str = ", ", empty: str = "none") -> str:
    """Values one after the other, or a word if there are none."""
    return between.join(str(value) for value in values) or empty


def beside(ours: float, paper: float, digits: int = 2) -> str:
    """The difference of two shares in words.

    >>> beside(0.0175, 0.0408), beside(0.0100, 0.0100)
    ('2.33 points lower', 'the same')
    """
    points = 100 * (ours - paper)
    if round(abs(points), digits) == 0:
        return "the same"
    return f"{abs(points):.{digits}f} points {'lower' if points < 0 else 'higher'}"


def spoken(seconds: float) -> str:
    """A time in words.

    >>> spoken(8), spoken(200), spoken(5000)
    ('8 s', '3 min', '1 h 23 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def p_value(successes: int, tries: int, chance: float) -> float:
    """The probability of at least this many successes.

    >>> p_value(1, 1, 0.5)
    0.5
    """
    from scipy.stats import binom

    return float(binom.sf(successes - 1, tries, chance))


def line(size: int, symmetries: bool) -> float:
    """The predicted constant ``ε κ`` for square images of this size.

    >>> round(line(7, True), 2), round(line(7, False), 2)
    (36.78, 53.83)
    """
    log = log_grid_symmetries(size, size) if symmetries else 0.0
    return error_times_compression(2 * size * size, log_symmetries=log)


def product(point: Mapping[str, Any], images: str = "seen") -> float:
    """``ε κ`` at a point of a run: the error times the number of images for each atom."""
    return float(point["single"]["error"] * point[images] / max(1, point["atoms"]))


def settled(points: Sequence[Mapping[str, Any]], images: str = "seen", n: int = 5) -> float:
    """``ε κ`` at the end of a run: the mean of its last points, which scatter."""
    return mean(product(point, images) for point in points[-n:])


PROTOCOLS = {"letter": "to the letter", "default": "this library"}
"""The two ways in which everything is run, and what they are called."""

CHANGES = {
    "as-few-as-possible": "as few new atoms as possible (section 2.7)",
    "b-renewed": "partners renewed for each atom (Algorithm 3 as printed)",
    "epsilon-by-the-text": "an atom ε' only where the trace needs it (section 2.7)",
    "start": "an empty start",
    "candidates": "the whole pool offered to the dual",
    "close-and-focus": "contradicted pins closed, and the largest of 256 for the solution",
    "first-strategy": "the first strategy of section 2.9: all pinning relations enforced",
    "free-start": "a free start, needed vocabulary and the master kept",
    "hard": "no hard counterexamples",
    "left-out": "contradicted pins left out of the epoch, not discarded",
    "reduction": "the last reduction by the negative relations alone",
}
"""Changes of a protocol that its switches do not name."""


def changed(name: str) -> str:
    """What a run changes in which protocol, in words.

    >>> changed("letter-draws"), changed("default-hard")
    ('to the letter, but draws as here', 'this library, but no hard counterexamples')
    """
    start, _, what = name.partition("-")
    if not what:
        return PROTOCOLS[start]
    end = "as here" if start == "letter" else "as in the paper"
    words = CHANGES.get(what, f"{what.replace('-', ' ')} {end}")
    return f"{PROTOCOLS[start]}, but {words}"


PLAIN = (
    "abs all any dict enumerate float frozenset int len map max min range round set sorted str sum "
    "zip"
)
"""Functions of Python that expressions may call."""
FUNCTIONS: dict[str, Any] = (
    {name: getattr(builtins, name) for name in PLAIN.split()}
    | {name: getattr(math, name) for name in ("exp", "factorial", "lgamma", "log", "log10")}
    | {one.__name__: one for one in (
        added, agrees, atoms_needed, beside, chance_to_hold, changed, correlation, each, line,
        listed, mean, means, np.median, p_value, percent, product, ranged, settled, spoken, spread,
    )}
)  # fmt: skip
"""What expressions may call, by name."""
