"""What a constant says of a row: a literal such as ``petal length > 4.75`` or ``colour = red``."""

from dataclasses import dataclass
from typing import Any, get_args
from typing import Literal as OneOf

Operator = OneOf[">", "<=", "=", "!=", "missing", "present"]
OPERATORS: tuple[str, ...] = get_args(Operator)


@dataclass(frozen=True)
class Literal:
    """A statement about one column.

    >>> str(Literal(0, "petal length", ">", 4.75)), str(Literal(1, "colour", "!=", "red"))
    ('petal length > 4.75', 'colour ≠ red')
    >>> str(Literal(0, "age", "missing", None))
    'age is missing'
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
        return False


def show(value: Any) -> str:
    """A value for people: numbers without digits that say nothing."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
