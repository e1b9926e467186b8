"""Random tables, with all that is awkward about values and names."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

NAMES = (
    "x", "not x", "not not x", "a and b", "if", "a if b", "is", "is missing", "and", "x > 1", "a=b",
    'a "quoted" one', "it's", "back\\slash", "\\", '"', "'", "two\nlines", "two\u2028lines",
    " pad ", "", "1.10", "1.1", "01234", "1e3", "1_0", "1000", "true", "True", "nan", "None", "inf",
    "-0", "#1", "grün", "日本", "e\u0301", "row['x']", "{x}", "class x", "1e400", "x\ty",
    "a\x1fif\x1fb",
)  # fmt: skip
"""Labels, columns and categories that could be read as something else."""

FLOATS = (
    (0.1 + 0.2, 0.3, 0.3000000000000001, math.nextafter(0.3, 0), 0.4),
    (1e308, 1.5e308, 1.7976931348623157e308, -1e308, 0.0, 1e307),
    (5e-324, 1e-323, 0.0, -0.0, 2.2250738585072014e-308, -5e-324),
    (1.0, 2.0, 3.0),
    (1e15, 2.0**53, 2.0**53 + 2, 1e22, -1e22),
)
INTEGERS = (
    tuple(range(6)),
    (0, 1),
    tuple(10**18 + i for i in range(9)),
    tuple(2**63 + i for i in (0, 1, 2, 5, 2**63 - 1)),
    tuple(1_700_000_000_000_000_000 + i for i in (0, 1, 3, 10**9, 10**9 + 1, 86_400 * 10**9)),
    tuple(2**53 + i for i in range(-3, 4)),
    (-(2**63), -(2**63) + 1, 0, 2**63 - 1, 2**63 - 2),
    tuple(range(-40, 41)),
)
MISSING = 0.15
"""The share of missing cells in a column that has some."""

Cells = dict[str, list[Any]]


@dataclass(frozen=True)
class Column:
    """A column: what its cells are drawn from."""

    name: str
    kind: str
    values: tuple[Any, ...]
    beyond: tuple[Any, ...]
    """What only rows after training have."""
    has_missing: bool

    @classmethod
    def drawn(cls, name: str, kind: str, chance: random.Random) -> "Column":
        """A random one of a kind."""
        pool = _pool(kind, chance)
        n = chance.randint(2, min(12, len(pool))) if len(pool) > 2 else len(pool)
        values = tuple(chance.sample(pool, n))
        beyond = tuple(one for one in pool if one not in values)[:20]
        if kind in ("float", "integer"):
            some = [one for one in (*values[:3], *beyond[:2]) if abs(one) < 1e300]
            beyond += (*(math.nextafter(one, math.inf) for one in some), 0.5, -1.0)
            beyond += (chance.choice((1.7976931348623157e308, -1e308, 2**64, -(10**19), 5e-324)),)
        elif kind == "mixed":
            # A rule about a type that no row of the column has would be about its text.
            beyond = tuple(one for one in beyond if type(one) in map(type, values))
        elif kind != "boolean":
            beyond += ("never seen",) if isinstance(values[0], str) else (10**17 + 1,)
        return cls(name, kind, values, beyond, chance.random() < 0.3)

    def cells(self, n: int, new: bool, chance: random.Random) -> list[Any]:
        """Random cells; those of ``new`` rows may be of any value, or missing."""
        every = self.values + self.beyond * new
        drawn = chance.choices(every, k=n) if new else self._known(n, chance)
        gone = MISSING * (self.has_missing or new)
        return [None if chance.random() < gone else one for one in drawn]

    def _known(self, n: int, chance: random.Random) -> list[Any]:
        drawn = chance.choices(self.values, k=n)
        return [*self.values, *drawn][:n]  # each at least once

    def array(self, cells: Sequence[Any], chance: random.Random) -> Any:
        """The cells as a column of a data frame, in one of the types that hold them exactly."""
        known = [one for one in cells if one is not None]
        types = {type(one) for one in known}
        if self.kind == "declared":
            every = dict.fromkeys([*self.values, *known])
            return pd.Categorical(cells, categories=list(every))
        if types == {float}:
            return np.array([math.nan if one is None else one for one in cells])
        if types == {int} and min(known) >= -(2**63) and max(known) < 2**64:
            name = "Int64" if max(known) < 2**63 else "UInt64"
            if name == "Int64" or min(known) >= 0:
                if len(known) == len(cells):
                    return np.array(cells, dtype=name.lower())
                return chance.choice((pd.array(cells, dtype=name), _objects(cells)))
        if types == {bool}:
            if len(known) == len(cells):
                return np.array(cells)
            return chance.choice((pd.array(cells, dtype="boolean"), _objects(cells)))
        if types == {str}:
            return chance.choice((_objects(cells), pd.array(cells, dtype="string")))
        return _objects(cells)


def _pool(kind: str, chance: random.Random) -> tuple[Any, ...]:
    """All that a column may draw from."""
    names = tuple(chance.sample(NAMES, 16))
    if kind == "float":
        ordinary = tuple(round(chance.gauss(0, 3), 2) for _ in range(30))
        pool = chance.choice((ordinary, ordinary, *FLOATS, sum(FLOATS, ())))
        return tuple(dict.fromkeys(pool))
    if kind == "integer":
        return chance.choice(INTEGERS)
    if kind == "boolean":
        return (True, False)
    if kind == "text":
        return names
    if kind == "declared":
        return chance.choice((names, *INTEGERS[:1], tuple(range(10**18, 10**18 + 5))))
    # What reads as a number is left out: a rule could mean it or the number of that value.
    words = tuple(one for one in names if not any(letter.isdigit() for letter in one))
    words = tuple(one for one in words if one.lower() not in ("true", "nan", "inf"))[:5]
    return words + chance.choice(((True, False), (3, 4, 2.5), (10**18, 10**18 + 1, 0.1)))


def _objects(cells: Sequence[Any]) -> Any:
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


@dataclass(frozen=True)
class Rows:
    """Rows of a table in plain Python, and as a table."""

    columns: tuple[Column, ...]
    cells: Cells
    form: str
    seed: int

    def __len__(self) -> int:
        return len(next(iter(self.cells.values())))

    def as_given(self, first: int = 0, end: int | None = None) -> Any:
        """The table as it is given to the classifier."""
        chance = random.Random(self.seed)
        cells = {name: ours[first:end] for name, ours in self.cells.items()}
        if self.form == "frame":
            return pd.DataFrame(
                {one.name: one.array(cells[one.name], chance) for one in self.columns}
            )
        if self.form == "numbers":
            return np.array(list(cells.values()), dtype=np.float64).T
        for name, ours in cells.items():
            cells[name] = list(map(_scalar, ours)) if chance.random() < 0.3 else ours
        if self.form == "records":
            return _dictionaries(cells)
        return np.array([_objects(ours) for ours in cells.values()], dtype=object).T

    def dictionaries(self, first: int = 0, end: int | None = None) -> list[dict[str, Any]]:
        """The rows as dictionaries, ``None`` where a value is missing."""
        return _dictionaries({name: ours[first:end] for name, ours in self.cells.items()})


def _dictionaries(cells: Cells) -> list[dict[str, Any]]:
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def _scalar(value: Any) -> Any:
    """A scalar of NumPy, as its random generators draw them."""
    is_too_large = type(value) is int and not -(2**63) <= value < 2**64
    return value if value is None or is_too_large else np.array(value)[()]


def draw_columns(chance: random.Random) -> tuple[tuple[Column, ...], str]:
    """Random columns, and the form of a table of them."""
    form = chance.choice(("frame", "frame", "frame", "records", "objects"))
    kinds = ["float", "float", "integer", "integer", "boolean", "text", "text", "mixed"]
    kinds += ["declared"] * (form == "frame")
    drawn = chance.choices(kinds, k=chance.randint(1, 5))
    names = [f"x{j}" for j in range(len(drawn))]
    if form != "objects" and chance.random() < 0.7:
        names = chance.sample(NAMES, len(drawn))
    pairs = zip(names, drawn, strict=True)
    return tuple(Column.drawn(name, kind, chance) for name, kind in pairs), form


def draw_pixels(chance: random.Random) -> tuple[tuple[Column, ...], str]:
    """Columns that are the pixels of an image of two rows."""
    pool = chance.choice(((0, 255), (0.0, 0.5, 1.0), tuple(range(256))))
    width = chance.randint(2, 4)
    pixels = [Column(f"x{j}", "float", pool, (), False) for j in range(2 * width)]
    return tuple(pixels), "numbers"


def draw_rows(
    columns: tuple[Column, ...], form: str, n: int, new: bool, chance: random.Random
) -> Rows:
    """Random rows, of training or ``new``."""
    cells = {one.name: one.cells(n, new, chance) for one in columns}
    return Rows(columns, cells, form, chance.randrange(2**32))
