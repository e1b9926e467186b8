"""A negative relation that the positive ones force to fail, and why."""

from dataclasses import dataclass

from atomlearn.algebra.relations import Relation
from atomlearn.markup import Displayed


@dataclass(frozen=True, repr=False)
class Conflict(Displayed):
    """A negative ``relation``, and a ``derivation`` of what it denies.

    The derivation lists positive relations in the order in which they fire. None of them can be
    left out, though another derivation may be shorter. It is empty if the relation fails by itself.

    >>> from atomlearn import Algebra
    >>> alg = Algebra()
    >>> a, b, c = alg.constants("a", "b", "c")
    >>> alg.add(a <= b, b <= c, ~(a <= c))
    >>> print(*alg.conflicts())
    a !< c fails, because:
      b < c
      a < b
    """

    relation: Relation
    derivation: tuple[Relation, ...]

    def __str__(self) -> str:
        if not self.derivation:
            return f"{self.relation} fails by itself: the right side contains the left"
        return f"{self.relation} fails, because:" + "".join(f"\n  {r}" for r in self.derivation)
