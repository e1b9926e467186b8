"""Twins in sets for what the oracle does in another order than the kernels.

:mod:`tests.naive` is the oracle; where a kernel makes the same random choices in another order, or
keeps atoms in slots, it is restated here, and :mod:`tests.engine.test_twins` compares the two.
"""

from collections.abc import Sequence

from tests.engine.strategies import singletons
from tests.naive import Choose, NoPartnerError, Relation, Term, separates, trace


def cross_until(
    limit: int,
    first: int,
    positives: Sequence[Relation],
    witnesses: Sequence[Term],
    singles: set[int],
    slots: list[Term],
    choose: Choose,
    blind: bool = False,
) -> tuple[int, int]:
    """Algorithm 3 relation after relation, in place: where to go on, and how many atoms were made.

    Singletons come before composites, composites by slot; the first successor of a composite takes
    its slot, all others are appended, and one without successors leaves an empty slot.
    """
    made = 0
    replace = blind_successors_of if blind else successors_of
    for i in range(first, len(positives)):
        if len(slots) > limit:
            return i, made
        a, b = positives[i]
        lone = sorted(c for c in singles & a if c not in b)
        replaced = [k for k, atom in enumerate(slots) if atom & a and not atom & b]
        partners = [*singletons(singles & b), *(atom for atom in slots if atom & b)]
        singles.difference_update(lone)
        for c in lone:
            successors = replace(frozenset({c}), partners, witnesses, choose)
            slots += successors
            made += len(successors)
        for k in replaced:
            successors = replace(slots[k], partners, witnesses, choose)
            slots[k] = successors[0] if successors else frozenset()
            slots += successors[1:]
            made += len(successors)
    return len(positives), made


def successors_of(
    phi: Term, partners: Sequence[Term], witnesses: Sequence[Term], choose: Choose
) -> list[Term]:
    """The atoms that take the place of ``φ``: a witness to be missed, then a partner missing it."""
    delta = set(range(len(witnesses))) - trace(phi, witnesses)
    successors: list[Term] = []
    if not delta and partners:
        successors.append(phi | choose(partners))
    while delta:
        zeta = choose(sorted(delta))
        fitting = [atom for atom in partners if not atom & witnesses[zeta]]
        if not fitting:
            raise NoPartnerError
        epsilon = choose(fitting)
        successors.append(phi | epsilon)
        delta &= trace(epsilon, witnesses)
    return successors


def blind_successors_of(
    phi: Term, partners: Sequence[Term], witnesses: Sequence[Term], choose: Choose
) -> list[Term]:
    """The same as Algorithm 3 has it: any partner not tried yet, kept if it helps."""
    delta = set(range(len(witnesses))) - trace(phi, witnesses)
    untried, successors = list(partners), []
    if not delta and untried:
        successors.append(phi | choose(untried))
    while delta:
        if not untried:
            raise NoPartnerError
        epsilon = untried.pop(choose(range(len(untried))))
        rest = delta & trace(epsilon, witnesses)
        if rest != delta:
            successors.append(phi | epsilon)
        delta = rest
    return successors


def reduce_dual(
    witnesses: Sequence[Term], negatives: Sequence[Relation], order: Sequence[int], choose: Choose
) -> list[Term]:
    """Algorithm 5 with the order of the relations drawn beforehand."""
    kept: set[int] = set()
    for j in order:
        able = [z for z, witness in enumerate(witnesses) if separates(witness, *negatives[j])]
        if not kept.intersection(able):
            kept.add(choose(able))
    return [witness for z, witness in enumerate(witnesses) if z in kept]
