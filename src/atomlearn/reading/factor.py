"""Factoring: ``a b or a c`` as ``a and (b or c)``, where that is shorter.

Algebraic factoring by kernels, as in the synthesis of logic circuits (Brayton and McMullen, 1982):
literals are letters, a conjunction is a product, a disjunction a sum, and a sum is divided by a
divisor that more than one of its parts share.
"""

from collections import Counter
from collections.abc import Hashable, Iterable

from atomlearn.reading.formulas import And, Formula, Has, Or

Product = frozenset[Hashable]
Sum = frozenset[Product]


def factor(products: Iterable[Iterable[Hashable]], turned: bool = False) -> Formula:
    """A disjunction of conjunctions, factored; ``turned``, a conjunction of disjunctions.

    >>> str(factor(["ac", "ad", "bc", "bd", "e"]))
    '((a or b) and (c or d)) or e'
    >>> str(factor(["ab", "ac"], turned=True))
    'a or (b and c)'
    """
    join, choose = (Or, And) if turned else (And, Or)
    return _factor(frozenset(frozenset(one) for one in products), join, choose)


def _factor(total: Sum, join: type[And] | type[Or], choose: type[And] | type[Or]) -> Formula:
    if len(total) <= 1:
        return _product(next(iter(total)), join) if total else choose(())
    common = frozenset.intersection(*total)
    if common:
        inner = _factor(frozenset(one - common for one in total), join, choose)
        return _joined(join, [*(_has(x) for x in _ordered(common)), inner])
    often = _most_frequent(total)
    if often is None:
        return choose(tuple(_product(one, join) for one in sorted(total, key=_ordered)))
    divisor = _kernel(total)
    quotient, _ = _divide(total, divisor)
    if len(quotient) == 1:
        literal = _most_frequent(total, next(iter(quotient))) or often
        quotient = frozenset(one - {literal} for one in total if literal in one)
        rest = frozenset(one for one in total if literal not in one)
        first = _joined(join, [_has(literal), _factor(quotient, join, choose)])
    else:
        quotient = _free(quotient)
        divisor, rest = _divide(total, quotient)
        both = [_factor(quotient, join, choose), _factor(divisor, join, choose)]
        first = _joined(join, sorted(both, key=str))
    if not rest:
        return first
    return _joined(choose, [first, _factor(rest, join, choose)])


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


def _most_frequent(total: Sum, among: Product | None = None) -> Hashable | None:
    """The letter in most products, if it is in two; of equals the first by name."""
    counts = Counter(x for one in total for x in one if among is None or x in among)
    best = max(counts.values(), default=0)
    return None if best < 2 else min((x for x, n in counts.items() if n == best), key=str)


def _product(letters: Product, join: type[And] | type[Or]) -> Formula:
    parts = [_has(x) for x in _ordered(letters)]
    return parts[0] if len(parts) == 1 else join(tuple(parts))


def _joined(join: type[And] | type[Or], parts: list[Formula]) -> Formula:
    flat: list[Formula] = []
    for part in parts:
        flat += part.parts if isinstance(part, join) else [part]
    return flat[0] if len(flat) == 1 else join(tuple(flat))


def _has(literal: Hashable) -> Formula:
    return literal if isinstance(literal, Formula) else Has(literal)


def _ordered(letters: Product) -> list[Hashable]:
    return sorted(letters, key=str)
