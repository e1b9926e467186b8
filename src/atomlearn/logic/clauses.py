"""A clause: an atom read as the disjunction of the constants that contain it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from atomlearn.logic.writing import latex_of

L = TypeVar("L", bound=Hashable)


@dataclass(frozen=True, repr=False)
class Clause(Generic[L]):
    """At least one of these literals is true.

    >>> str(Clause(("c1", "c4")))
    'c1 or c4'
    """

    literals: tuple[L, ...]

    @classmethod
    def of(cls, literals: Sequence[L]) -> "Clause[L]":
        """A clause without literals that imply another of its literals."""
        return cls(
            tuple(
                one
                for one in literals
                if not any(other != one and _implies(one, other) for other in literals)
            )
        )

    def __len__(self) -> int:
        return len(self.literals)

    def __str__(self) -> str:
        return " or ".join(map(str, self.literals)) if self.literals else "never"

    def __repr__(self) -> str:
        return f"Clause({str(self)!r})"

    def to_latex(self) -> str:
        """The disjunction in LaTeX."""
        return r" \lor ".join(map(latex_of, self.literals)) if self.literals else r"\bot"


def _implies(one: Any, other: Any) -> bool:
    implies = getattr(one, "implies", None)
    return bool(implies(other)) if implies else False
