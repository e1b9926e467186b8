"""The answer of an algebra to a query."""

from dataclasses import dataclass
from typing import Literal

from atomlearn.algebra.conflicts import Conflict
from atomlearn.algebra.relations import Relation
from atomlearn.markup import Displayed

Verdict = Literal["follows", "contradicted", "open"]


@dataclass(frozen=True, repr=False)
class QueryResult(Displayed):
    """Whether a relation follows from those of an algebra, and why.

    It *follows* if it holds in every model of them and is *contradicted* if it holds in none;
    otherwise it is *open*: some models have it and some do not.

    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b", "c"])
    >>> a, b, c = alg
    >>> alg.add(a <= b, ~(a <= c))
    >>> print(alg.query(b <= c))
    contradicted: if b < c held,
    a !< c fails, because:
      b < c
      a < b
    """

    relation: Relation
    verdict: Verdict
    derivation: tuple[Relation, ...] = ()
    """Positive relations in the order in which they fire; none can be left out."""
    conflict: Conflict | None = None
    """The negative relation that fails once the positive form of ``relation`` is added, if that is
    the reason; the derivation is then of what it denies, and the added relation is part of it."""

    def __str__(self) -> str:
        if self.verdict == "open":
            return "open"
        positive = self.relation if self.relation.positive else ~self.relation
        if self.conflict is not None:
            return f"{self.verdict}: if {positive} held,\n{self.conflict}"
        if not self.derivation:
            return f"{self.verdict}: in {positive} the right side contains the left"
        because = "because" if self.relation.positive else f"because {positive} follows from"
        return f"{self.verdict}, {because}:" + "".join(f"\n  {r}" for r in self.derivation)
