"""Bases of implications: the few from which all others follow.

An implication "what has the premise has the conclusion" is the positive relation ``conclusion <
premise``. The *canonical* base (Guigues and Duquenne, "Familles minimales d'implications
informatives", 1986) has the fewest implications. The *short* base has as many, and no name in it
can be left out.

Sets of constants are Python integers here, one bit a constant.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import write_names
from atomlearn.errors import InvalidParameter, nearest
from atomlearn.markup import Displayed

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra

Kind = Literal["canonical", "short"]
Pairs = list[tuple[int, int]]
"""Premises and conclusions, as bits."""


@dataclass(frozen=True, repr=False)
class Implication(Displayed):
    """The statement that whatever has the premise has the conclusion.

    Attributes
    ----------
    premise : tuple of str
        Names; none if the conclusion always holds.
    conclusion : tuple of str
        Further names.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b", "c"])
    >>> alg.add(alg.relation("a < b c"))
    >>> print(*alg.implications())
    b c → a
    """

    premise: tuple[str, ...]
    conclusion: tuple[str, ...]

    def relations(self, algebra: "Algebra") -> list[Relation]:
        """Return the implication as relations of an algebra.

        It is one relation, unless the premise is empty: there is no empty term, so the conclusion
        then lies below every constant.

        Parameters
        ----------
        algebra : Algebra
            An algebra that has the constants.
        """
        conclusion = algebra.term(self.conclusion)
        if self.premise:
            return [conclusion <= algebra.term(self.premise)]
        return [conclusion <= constant for constant in algebra if constant != conclusion]

    def __str__(self) -> str:
        if not self.premise:
            return f"always {write_names(self.conclusion)}"
        return f"{write_names(self.premise)} → {write_names(self.conclusion)}"


def of_algebra(algebra: "Algebra", kind: Kind) -> list[Implication]:
    """Return a base of what the positive relations of an algebra say."""
    pairs = [(bits_of(r.right.indices), bits_of(r.left.indices)) for r in algebra.positive]
    n = algebra.n_constants
    if n > 1:  # what lies below every constant always holds, because there is no empty term
        always = (1 << n) - 1
        for c in range(n):
            always &= close(1 << c, pairs)
        if always:
            pairs.insert(0, (0, always))
    return in_names(of_kind(canonical(pairs), kind), algebra.names)


def of_kind(base: Pairs, kind: str) -> Pairs:
    """Return the canonical base, or the short one that is made of it."""
    if kind not in ("canonical", "short"):
        hint = nearest(kind, ("canonical", "short"))
        raise InvalidParameter(f"a base is 'canonical' or 'short', not {kind!r}{hint}")
    return base if kind == "canonical" else shortened(base)


def in_names(base: Pairs, names: Sequence[str]) -> list[Implication]:
    """Return the implications with names, each conclusion without its premise, sorted by size."""
    found = [(tuple(members(p)), tuple(members(q & ~p))) for p, q in base]
    return [
        Implication(tuple(names[i] for i in premise), tuple(names[i] for i in conclusion))
        for premise, conclusion in sorted(found, key=lambda one: (len(one[0]), one))
    ]


def bits_of(indices: Sequence[int]) -> int:
    """Return the bits of some indices.

    >>> bits_of([0, 2])
    5
    """
    return sum(1 << i for i in indices)


def members(bits: int) -> Iterator[int]:
    """Yield the indices of the bits of a number."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def close(bits: int, pairs: Pairs) -> int:
    """Return the closure of a set under implications.

    >>> close(0b001, [(0b011, 0b100), (0b001, 0b010)])
    7
    """
    waiting, grown = pairs, True
    while grown:
        grown, rest = False, []
        for pair in waiting:
            if pair[0] & ~bits:
                rest.append(pair)
            elif pair[1] & ~bits:
                bits |= pair[1]
                grown = True
        waiting = rest
    return bits


def canonical(pairs: Pairs) -> Pairs:
    """Return the canonical base of some implications (Ganter and Obiedkov, Algorithm 16).

    Each conclusion becomes the closure of its premise. One after the other is then left out, and
    put back with its premise closed under the others, unless that is its conclusion already.
    """
    base = [(p, close(p | q, pairs)) for p, q in pairs]
    for _ in range(len(base)):
        premise, conclusion = base.pop(0)
        premise = close(premise, base)
        if premise != conclusion:
            base.append((premise, conclusion))
    return base


def shortened(base: Pairs) -> Pairs:
    """Leave out names of premises, then of conclusions, while the same still follows."""
    short = []
    for premise, conclusion in base:
        for i in members(premise):
            if not conclusion & ~close(premise & ~(1 << i), base):
                premise &= ~(1 << i)
        short.append((premise, conclusion & ~premise))
    for k in range(len(short)):
        for i in members(short[k][1]):
            premise, conclusion = short[k]
            rest = [*short[:k], (premise, conclusion & ~(1 << i)), *short[k + 1 :]]
            if close(premise, rest) >> i & 1:
                short = rest
    return [(premise, conclusion) for premise, conclusion in short if conclusion]
