"""What a constant says of a row: a literal such as ``petal length > 4.75`` or ``colour = red``."""

from dataclasses import dataclass
from typing import Any, get_args
from typing import Literal as OneOf

from atomlearn.reading.writing import escape_latex

Operator = OneOf[">", "<=", "=", "!=", "missing", "present"]
OPERATORS: tuple[str, ...] = get_args(Operator)


@dataclass(frozen=True)
class Literal:
    """A statement about one column.

    >>> str(Literal(0, "petal length", ">", 4.75)), str(Literal(1, "colour", "!=", "red"))
    ('petal length > 4.75', 'colour ≠ red')
    >>> str(Literal(0, "age", "missing", None)), str(Literal(2, "pclass", "=", 3))
    ('age is missing', 'pclass = 3')
    """

    column: int
    name: str
    operator: Operator
    value: Any

    def __str__(self) -> str:
        if self.operator == "missing":
            return f"{self.name} is missing"
        if self.operator == "present":
            return f"{self.name} is known"
        sign = {">": ">", "<=": "≤", "=": "=", "!=": "≠"}[self.operator]
        return f"{self.name} {sign} {show(self.value)}"

    def implies(self, other: "Literal") -> bool:
        """Is the other true of every row that this is true of?

        >>> Literal(0, "x", ">", 3.0).implies(Literal(0, "x", ">", 2.0))
        True
        """
        if self.column != other.column or self == other:
            return self == other
        if other.operator == "present":
            return self.operator != "missing"
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

    def to_latex(self) -> str:
        """The statement in LaTeX."""
        name = rf"\text{{{escape_latex(self.name)}}}"
        if self.operator in ("missing", "present"):
            told = "missing" if self.operator == "missing" else "known"
            return rf"{name} \text{{ is {told}}}"
        sign = {">": ">", "<=": r"\leq", "=": "=", "!=": r"\neq"}[self.operator]
        if _is_number(self.value):
            return f"{name} {sign} {show(self.value)}"
        return rf"{name} {sign} \text{{{escape_latex(str(self.value))}}}"

    def to_python(self) -> str:
        """The same as a Python expression over ``row``, a mapping of column names to values.

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
            case "=":
                return f"{cell} == {self.value!r}"
        return f"{cell} {self.operator} {self.value!r}"

    def to_sympy(self) -> Any:
        """The same for SymPy: a relation of a number, else a symbol that stands for it."""
        import sympy

        relation = {">": sympy.Gt, "<=": sympy.Le, "=": sympy.Eq, "!=": sympy.Ne}.get(self.operator)
        if relation is not None and _is_number(self.value):
            return relation(sympy.Symbol(self.name, real=True), self.value)
        return sympy.Symbol(str(self))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def show(value: Any) -> str:
    """A value for people: numbers without digits that say nothing."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
