"""Factoring: ``a b or a c`` as ``a and (b or c)``, where that is shorter.

Algebraic factoring by kernels, as in the synthesis of logic circuits (Brayton and McMullen, 1982):
literals are letters, a conjunction is a product, a disjunction a sum, and a sum is divided by a
divisor that more than one of its parts share.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from atomlearn.logic.formulas import And, Formula, Has, Or

Product = frozenset[int]
Sum = frozenset[Product]


def factor(
    products: Iterable[Iterable[Hashable]],
    turned: bool = False,
    order: Callable[[Any], Any] = str,
) -> Formula:
    """A disjunction of conjunctions, factored; ``turned``, a conjunction of disjunctions.

    >>> str(factor(["ac", "ad", "bc", "bd", "e"]))
    '((a or b) and (c or d)) or e'
    >>> str(factor(["ab", "ac"], turned=True))
    'a or (b and c)'
    """
    given = [frozenset(one) for one in products]
    letters = sorted(frozenset().union(*given), key=order)
    number = {letter: i for i, letter in enumerate(letters)}
    total = frozenset(frozenset(number[x] for x in one) for one in given)
    return _Factoring(letters, turned).factored(total)


class _Factoring:
    """Letters as numbers, with products and sums of them."""

    def __init__(self, letters: list[Any], turned: bool) -> None:
        self.leaves = [x if isinstance(x, Formula) else Has(x) for x in letters]
        self.join: type[And] | type[Or] = Or if turned else And
        self.choose: type[And] | type[Or] = And if turned else Or

    def factored(self, total: Sum) -> Formula:
        if len(total) <= 1:
            return self.product(next(iter(total))) if total else self.choose(())
        common = frozenset.intersection(*total)
        if common:
            inner = self.factored(_free(total))
            return _joined(self.join, [*(self.leaves[x] for x in sorted(common)), inner])
        often = _most_frequent(total)
        if often is None:
            return self.choose(tuple(self.product(one) for one in sorted(total, key=sorted)))
        quotient, _ = _divide(total, _kernel(total))
        if len(quotient) == 1:
            letter = _most_frequent(total, next(iter(quotient)))
            return self.by_letter(total, often if letter is None else letter)
        quotient = _free(quotient)
        divisor, rest = _divide(total, quotient)
        both = sorted((quotient, divisor), key=lambda one: min(map(sorted, one)))
        first = _joined(self.join, [self.factored(one) for one in both])
        return self.with_rest(first, rest)

    def by_letter(self, total: Sum, letter: int) -> Formula:
        quotient = frozenset(one - {letter} for one in total if letter in one)
        rest = frozenset(one for one in total if letter not in one)
        first = _joined(self.join, [self.leaves[letter], self.factored(quotient)])
        return self.with_rest(first, rest)

    def with_rest(self, first: Formula, rest: Sum) -> Formula:
        return _joined(self.choose, [first, self.factored(rest)]) if rest else first

    def product(self, letters: Product) -> Formula:
        parts = [self.leaves[x] for x in sorted(letters)]
        return parts[0] if len(parts) == 1 else self.join(tuple(parts))


def _kernel(total: Sum) -> Sum:
    """A divisor without common letters in which no letter occurs twice."""
    while (letter := _most_frequent(total)) is not None:
        total = _free(frozenset(one - {letter} for one in total if letter in one))
    return total


def _divide(total: Sum, divisor: Sum) -> tuple[Sum, Sum]:
    """The quotient and what is left over: ``total = divisor × quotient + rest``."""
    letters = frozenset().union(*divisor)
    quotient: Sum | None = None
    for part in divisor:
        fits = frozenset(one - part for one in total if part <= one and not (one - part) & letters)
        quotient = fits if quotient is None else quotient & fits
    quotient = quotient or frozenset()
    made = {part | one for part in divisor for one in quotient}
    return quotient, frozenset(one for one in total if one not in made)


def _free(total: Sum) -> Sum:
    common = frozenset.intersection(*total) if total else frozenset()
    return frozenset(one - common for one in total)


def _most_frequent(total: Sum, among: Product | None = None) -> int | None:
    """The letter that is in the most products, at least two; of equals the first."""
    counts = Counter(x for one in total for x in one if among is None or x in among)
    best = max(counts.values(), default=0)
    return None if best < 2 else min(x for x, n in counts.items() if n == best)


def _joined(join: type[And] | type[Or], parts: list[Formula]) -> Formula:
    flat: list[Formula] = []
    for part in parts:
        flat += part.parts if isinstance(part, join) else [part]
    return flat[0] if len(flat) == 1 else join(tuple(flat))
