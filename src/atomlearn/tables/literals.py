"""Literals: statements about one column, such as ``petal length > 4.75`` or ``colour = red``.

The two sides of each cut are complementary sets of literals."""

import functools
import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np

from atomlearn.logic.formulas import Clause, escape_latex
from atomlearn.sets import rows as packed
from atomlearn.sets.memory import rows_at
from atomlearn.sets.rows import SETS_AT_ONCE, Lists, Rows, append, take, to_lists
from atomlearn.sets.words import transpose_some
from atomlearn.training.boosting.ensemble import WeightedAtoms, merged
from atomlearn.training.boosting.trees import Splits
from atomlearn.typing import Integers

Operator = OneOf[">", "<=", "=", "!=", "in", "not in", "missing", "present"]

_OPPOSITE: dict[str, Operator] = {
    ">": "<=", "<=": ">", "=": "!=", "!=": "=", "in": "not in", "not in": "in",
    "missing": "present", "present": "missing",
}  # fmt: skip


class ColumnName(str):
    """The name of a column that another column is compared with."""

    __slots__ = ()


SHOWN = 3
"""Number of categories of a group that are spelled out."""


@dataclass(frozen=True, repr=False, slots=True)
class Literal:
    """A statement about one column.

    Parameters
    ----------
    column : int
        Index of the column.
    name : str
        Name of the column.
    operator : {">", "<=", "=", "!=", "in", "not in", "missing", "present"}
        The comparison.
    value : object
        The cut, the category, or the tuple of categories.
    place : str or None, default=None
        Place of the pixel, which is written instead of the name, if the column is one.
    is_ink : bool, default=False
        Whether the literal distinguishes ink from a blank pixel.
    has_others : bool, default=False
        Whether the column has values that are neither true nor false.

    Examples
    --------
    >>> str(Literal(0, "petal length", ">", 4.75)), str(Literal(1, "colour", "!=", "red"))
    ('petal length > 4.75', 'colour ≠ red')
    >>> str(Literal(0, "age", "missing", None)), str(Literal(2, "pclass", "=", 3))
    ('age is missing', 'pclass = 3')
    >>> str(Literal(3, "city", "in", ("Berlin", "Bonn", "Jena", "Kiel", "Ulm")))
    'city in {Berlin, Bonn, Jena, +2 more}'
    """

    column: int
    name: str
    operator: Operator
    value: Any
    place: str | None = field(default=None, compare=False)
    is_ink: bool = field(default=False, compare=False)
    has_others: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self._text(SHOWN)

    def __repr__(self) -> str:
        return f"Literal({str(self)!r})"

    @property
    def in_full(self) -> str:
        """Text with all categories of a group, so that different literals have different text."""
        return self._text(None)

    @property
    def subject(self) -> str:
        """Subject of the statement: the column, or the place of the pixel."""
        return self.place or self.name

    def _text(self, most: int | None) -> str:
        name = self.subject
        if self.is_ink:
            return f"{name} is {'ink' if self.operator == '>' or self.value is True else 'blank'}"
        if self.operator in ("in", "not in"):
            return f"{name} {self.operator} {{{', '.join(self._members(most))}}}"
        if self.operator == "missing":
            return f"{name} is missing"
        if self.operator == "present":
            return f"{name} is known"
        return f"{name} {' '.join(self.comparison())}"

    def comparison(self) -> tuple[str, str]:
        """Return the sign and the value as they are best written: ``≥ 5`` for a cut below 5."""
        if self.operator in (">", "<=") and isinstance(self.value, float):
            above = math.nextafter(self.value, math.inf) + 0.0
            if not above or len(repr(above)) + 4 < len(repr(self.value)):  # from a rule: x >= 5
                return "≥" if self.operator == ">" else "<", show(above)
        sign = {">": ">", "<=": "≤", "=": "=", "!=": "≠"}[self.operator]
        return sign, show(self.value)

    def direction(self, column: int, name: str) -> int | None:
        """Return how the truth of the literal changes as a column rises.

        1 means that it can only become true, -1 that it can only become false, 0 that it can do
        both, and ``None`` that it does not depend on the column (a missing value does not rise).

        Parameters
        ----------
        column : int
            Index of the column.
        name : str
            Name of the column.

        Examples
        --------
        >>> Literal(0, "x", ">", 3.0).direction(0, "x"), Literal(0, "x", "=", 3).direction(0, "x")
        (1, 0)
        """
        is_other = isinstance(self.value, ColumnName) and self.value == name
        if (self.column != column and not is_other) or self.operator in ("missing", "present"):
            return None
        if self.operator in (">", "<="):
            return (1 if self.operator == ">" else -1) * (-1 if is_other else 1)
        if self.operator == "=" and isinstance(self.value, bool) and not self.has_others:
            return 1 if self.value else -1
        return 0

    def negated(self) -> "Literal":
        """Return the literal that is true for the rows with a value for which this one is false.

        Examples
        --------
        >>> str(Literal(0, "smokes", "=", True).negated())
        'smokes = False'
        >>> str(Literal(0, "answer", "=", True, has_others=True).negated())
        'answer ≠ True'
        """
        if isinstance(self.value, bool) and not self.has_others:
            return replace(self, value=not self.value)
        return replace(self, operator=_OPPOSITE[self.operator])

    def _members(self, most: int | None) -> list[str]:
        """Return the categories of a group as text, shortened to ``most``."""
        shown = [show(value) for value in self.value[:most]]
        rest = len(self.value) - len(shown)
        return [*shown, f"+{rest} more"] if rest else shown

    def implies(self, other: "Literal") -> bool:
        """Return whether another literal is true whenever this one is.

        Parameters
        ----------
        other : Literal
            The other literal.

        Examples
        --------
        >>> Literal(0, "x", ">", 3.0).implies(Literal(0, "x", ">", 2.0))
        True
        """
        if self.column != other.column or self == other:
            return self == other
        if other.operator == "present":
            return self.operator != "missing"
        if isinstance(self.value, ColumnName) or isinstance(other.value, ColumnName):
            return False
        if "in" in (self.operator, other.operator) or "not in" in (self.operator, other.operator):
            return self._implies_of_groups(other)
        match self.operator, other.operator:
            case ">", ">":
                return bool(self.value >= other.value)
            case "<=", "<=":
                return bool(self.value <= other.value)
            case "=", "!=":
                return bool(self.value != other.value)
            case "=", ">":
                return bool(self.value > other.value)
            case "=", "<=":
                return bool(self.value <= other.value)
            case ">", "!=":
                return bool(self.value >= other.value)
            case "<=", "!=":
                return bool(self.value < other.value)
        return False

    def _implies_of_groups(self, other: "Literal") -> bool:
        """Return the same for categories, as the set of categories allowed or excluded."""
        if "missing" in (self.operator, other.operator) or self.operator == "present":
            return False
        ours, theirs = self._categories(), other._categories()
        match self.operator in ("=", "in"), other.operator in ("=", "in"):
            case True, True:
                return ours <= theirs
            case True, False:
                return not ours & theirs
            case False, False:
                return theirs <= ours
        return False

    def _categories(self) -> frozenset[Any]:
        return frozenset(self.value if self.operator in ("in", "not in") else (self.value,))

    def to_latex(self) -> str:
        """Return the statement in LaTeX."""
        name = rf"\text{{{escape_latex(self.subject)}}}"
        if self.is_ink:
            return rf"\text{{{escape_latex(str(self))}}}"
        if self.operator in ("missing", "present"):
            told = "missing" if self.operator == "missing" else "known"
            return rf"{name} \text{{ is {told}}}"
        if self.operator in ("in", "not in"):
            sign = r"\in" if self.operator == "in" else r"\notin"
            members = ", ".join(rf"\text{{{escape_latex(one)}}}" for one in self._members(SHOWN))
            return rf"{name} {sign} \{{{members}\}}"
        sign, value = self.comparison()
        sign = {"≤": r"\leq", "≥": r"\geq", "≠": r"\neq"}.get(sign, sign)
        if not _is_number(self.value):
            value = rf"\text{{{escape_latex(value)}}}"
        return f"{name} {sign} {value}"

    def to_python(self) -> str:
        """Return a Python expression over ``row``, a mapping of column names to values.

        Examples
        --------
        >>> Literal(0, "petal length", ">", 4.75).to_python()
        "row['petal length'] > 4.75"
        """
        cell = f"row[{self.name!r}]"
        missing = f"({cell} is None or {cell} != {cell})"
        match self.operator:
            case "missing":
                return missing
            case "present":
                return f"not {missing}"
            case "!=":
                return f"(not {missing} and {cell} != {self.value!r})"
            case "not in":
                return f"(not {missing} and {cell} not in {self.value!r})"
            case "=":
                return f"{cell} == {self.value!r}"
        if isinstance(self.value, ColumnName):
            return f"{cell} {self.operator} row[{str(self.value)!r}]"
        return f"{cell} {self.operator} {self.value!r}"

    def to_sympy(self) -> Any:
        """Return a SymPy relation for a number, else a symbol that stands for the literal."""
        import sympy

        relation = {">": sympy.Gt, "<=": sympy.Le, "=": sympy.Eq, "!=": sympy.Ne}.get(self.operator)
        if relation is not None and _is_number(self.value):
            return relation(sympy.Symbol(self.name, real=True), self.value)
        return sympy.Symbol(self.in_full)


def joint_texts(literals: Iterable[Literal]) -> list[str]:
    """Return statements that are all true as text, each once; two about one number as a range.

    >>> x, y, z = Literal(0, "x", ">", 1.0), Literal(1, "y", "=", 3), Literal(0, "x", "<=", 2.0)
    >>> joint_texts([x, y, z, y])
    ['1 < x ≤ 2', 'y = 3']
    """
    by_subject: dict[str, list[Literal]] = {}
    for literal in dict.fromkeys(literals):
        by_subject.setdefault(literal.subject, []).append(literal)
    told = []
    for subject, ours in by_subject.items():
        low, high = ([one for one in ours if one.operator == sign] for sign in (">", "<="))
        if len(low) == len(high) == 1 and len(ours) == 2:
            (above, least), (sign, most) = low[0].comparison(), high[0].comparison()
            below = "<" if above == ">" else "≤"
            told.append(f"{least} {below} {subject} {sign} {most}")
        else:
            told += map(str, ours)
    return told


def rule_text(literals: Iterable[Literal]) -> str:
    """Return what a row has that misses an atom with these literals.

    >>> rule_text([Literal(0, "x", ">", 3.0), Literal(1, "y", "=", 2)])
    'x ≤ 3 and y ≠ 2'
    """
    return " and ".join(joint_texts(one.negated() for one in literals)) or "always"


def weakest(atom: Sequence[int], literals: Sequence[Literal]) -> list[int]:
    """Drop from an atom literals that imply another of its literals: it stays equivalent.

    >>> literals = [Literal(0, "x", ">", 3.0), Literal(0, "x", ">", 4.0), Literal(1, "y", ">", 2.0)]
    >>> weakest([0, 1, 2], literals)
    [0, 2]
    """
    if len({literals[i].column for i in atom}) == len(atom):
        return list(atom)
    number = {literals[i]: i for i in atom}
    return [number[one] for one in Clause.of([literals[i] for i in atom]).literals]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def show(value: Any) -> str:
    """Return a value as people write it, with a number in full so that it is exact.

    >>> show(2.0), show(0.25), show(0.1 + 0.2), show(10**18), show(1e300)
    ('2', '0.25', '0.30000000000000004', '1000000000000000000', '1e+300')
    """
    if not isinstance(value, float):
        return str(value)
    short = f"{value:.6g}"
    return short if float(short) == value else repr(value)


def find_splits(
    literals: Sequence[Literal], examples: Rows, which: Integers | None = None
) -> Splits:
    """Return pairs of sets of literals of one column, of which each row has exactly one.

    The rows are all examples, or ``which`` of them. A missing value may be on either side: ``x >
    3`` against ``x ≤ 3`` or missing, and ``x ≤ 3`` against ``x > 3`` or missing.
    """
    n, n_literals = len(examples) if which is None else len(which), len(literals)
    having = transpose_some(examples, which, n_literals)
    everything = packed.full(n)
    # Those of another column may be true of the same rows here, but are not of every row.
    column = [literal.column for literal in literals]
    place = {(column[i], _digest(line)): i for i, line in enumerate(having)}
    missing = {one.column: i for i, one in enumerate(literals) if one.operator == "missing"}
    first, sides, columns = [], [], []
    for i, literal in enumerate(literals):
        rest = everything & ~having[i]
        other = place.get((column[i], _digest(rest)))
        absent = missing.get(literal.column)
        if other is not None and i < other:
            found = [[i], [other]]
        elif other is None and absent is not None:
            other = place.get((column[i], _digest(rest & ~having[absent])))
            if other is None:
                continue
            found = [[i], sorted((other, absent))]
        else:
            continue
        first.append(i)
        sides += found
        columns.append(literal.column)
    lists = to_lists(packed.from_indices(sides, n_literals + 1))
    group = np.unique(np.array(columns, dtype=np.int64), return_inverse=True)[1]
    return Splits(rows_at(having, np.array(first, dtype=np.int64)), lists, group.astype(np.int64))


def _digest(line: Rows) -> bytes:
    return hashlib.blake2b(line.data, digest_size=16).digest()


def without_repetitions(weighted: WeightedAtoms, literals: Sequence[Literal]) -> WeightedAtoms:
    """Drop literals that imply another of their atom, and merge equal atoms.

    ``x > 2 or x > 3`` is ``x > 2``; the weights of equal atoms of a class are added up.
    """
    atoms, n = weighted.atoms, len(literals) + 1
    columns = np.array([*(literal.column for literal in literals), -1])

    @functools.cache
    def implies(pair: int) -> bool:
        return literals[pair // n].implies(literals[pair % n])

    def shorter(some: Lists) -> Lists:
        column, constants = columns[some.constants], some.constants.astype(np.int64)
        atom = np.repeat(np.arange(some.n), np.diff(some.starts))
        order = np.lexsort((column, atom))  # the literals of a column side by side
        is_idle = np.zeros(len(order), dtype=np.bool_)
        apart = 1
        while True:
            first, second = order[:-apart], order[apart:]
            same = (atom[first] == atom[second]) & (column[first] == column[second])
            if not same.any():
                break
            for one, other in ((first[same], second[same]), (second[same], first[same])):
                pairs, which = np.unique(constants[one] * n + constants[other], return_inverse=True)
                is_idle[one] |= np.array([implies(pair) for pair in pairs.tolist()])[which]
            apart += 1
        sizes = np.bincount(atom[~is_idle], minlength=some.n)
        return Lists(np.cumsum([0, *sizes]), some.constants[~is_idle])

    starts = range(0, atoms.n, SETS_AT_ONCE)  # a few at a time, which takes less memory
    places = (np.arange(start, min(start + SETS_AT_ONCE, atoms.n)) for start in starts)
    atoms = append(*[shorter(take(atoms, some)) for some in places])
    return merged([replace(weighted, atoms=atoms)])
