"""Terms as frozensets of constants, and chance as a list of choices."""

import random
from collections.abc import Callable, Iterable
from itertools import chain, combinations
from typing import Any

Constant = Any  # anything sortable: "c1", 7
Term = frozenset[Constant]
Relation = tuple[Term, Term]  # (a, b) is a < b, or ¬(a < b) in a list of negatives
Choose = Callable[[list[Any]], Any]


class InconsistentError(ValueError):
    """A negative relation contradicts the positive ones."""


class NoPartnerError(ValueError):
    """A crossing ran out of partners: a trace constraint was not enforced."""


def seeded(seed: int) -> Choose:
    """Uniform choices by position: lists of equal length get the same answers."""
    return random.Random(seed).choice


class Script:
    """These choices in this order: each must be on offer, and :meth:`done` when all were made."""

    def __init__(self, *answers: Any) -> None:
        self.left = list(answers)

    def __call__(self, options: list[Any]) -> Any:
        assert options == sorted(options)
        answer = self.left.pop(0)
        assert answer in options, f"{answer!r} is not in {options!r}"
        return answer

    def done(self) -> bool:
        """No choice is left over."""
        return not self.left


def by_members(term: Term) -> tuple[Constant, ...]:
    """A sort key for sets (``<`` on sets is inclusion, which sorts nothing)."""
    return tuple(sorted(term))


def subsets(constants: Iterable[Constant]) -> list[Term]:
    """All subsets, the empty one included."""
    items = sorted(constants)
    sizes = (combinations(items, k) for k in range(len(items) + 1))
    return [frozenset(chosen) for chosen in chain.from_iterable(sizes)]


def terms_over(constants: Iterable[Constant]) -> list[Term]:
    """All terms: the merges of one constant or more."""
    return subsets(constants)[1:]
