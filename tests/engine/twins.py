"""Twins in sets for what the oracle does in another order than the kernels.

:mod:`tests.naive` is the oracle; where a kernel makes the same random choices in another order, or
keeps atoms in slots, it is restated here, and :mod:`tests.engine.test_twins` compares the two.
"""

from collections.abc import Sequence

from tests.naive import Choose, NoPartnerError, Relation, Term, separates, trace


def cross_until(
    limit: int,
    first: int,
    positives: Sequence[Relation],
    witnesses: Sequence[Term],
    singles: set[int],
    slots: list[Term],
    choose: Choose,
    draws: str = "guided",
    renewed: bool = False,
    needed: bool = False,
) -> tuple[int, int]:
    """Algorithm 3 relation after relation, in place: where to go on, and how many atoms were made.

    Singletons come before composites, composites by slot; the first successor of a composite takes
    its slot, all others are appended, and one without successors leaves an empty slot.
    """
    made = 0
    for i in range(first, len(positives)):
        if len(slots) > limit:
            return i, made
        a, b = positives[i]
        lone = sorted(c for c in singles & a if c not in b)
        replaced = [k for k, atom in enumerate(slots) if atom & a and not atom & b]
        n_before, old = len(slots), set(range(len(slots))) - set(replaced)
        singles.difference_update(lone)
        used: dict[int, frozenset[int]] = {}  # by partner, what the traces of its φ share
        for name in (*(-1 - c for c in lone), *replaced):
            phi = frozenset({-1 - name}) if name < 0 else slots[name]
            mine = range(len(slots)) if renewed else range(n_before)
            names = [-1 - c for c in sorted(singles & b)]
            names += [k for k in mine if slots[k] & b and (renewed or k in old)]
            partners = [frozenset({-1 - k}) if k < 0 else slots[k] for k in names]
            chosen = DRAWS[draws](phi, partners, witnesses, choose)
            for k in (names[place] for place in chosen):
                used[k] = used.get(k, trace(phi, witnesses)) & trace(phi, witnesses)
            successors = [phi | partners[place] for place in chosen]
            made += len(successors)
            if name >= 0:
                slots[name] = successors.pop(0) if successors else frozenset()
            slots += successors
        for k in used if needed else ():
            epsilon = frozenset({-1 - k}) if k < 0 else slots[k]
            if used[k] <= trace(epsilon, witnesses):
                if k < 0:
                    singles.discard(-1 - k)
                else:
                    slots[k] = frozenset()
    return len(positives), made


def guided(
    phi: Term, partners: Sequence[Term], witnesses: Sequence[Term], choose: Choose
) -> list[int]:
    """The partners of ``φ``, by place: a witness to be missed, then a partner missing it."""
    delta = set(range(len(witnesses))) - trace(phi, witnesses)
    if not delta and partners:
        return [choose(range(len(partners)))]
    chosen: list[int] = []
    while delta:
        zeta = choose(sorted(delta))
        fitting = [k for k, atom in enumerate(partners) if not atom & witnesses[zeta]]
        if not fitting:
            raise NoPartnerError
        chosen.append(choose(fitting))
        delta &= trace(partners[chosen[-1]], witnesses)
    return chosen


def blind(
    phi: Term, partners: Sequence[Term], witnesses: Sequence[Term], choose: Choose
) -> list[int]:
    """The same as Algorithm 3 has it: any partner not tried yet, kept if it helps."""
    delta = set(range(len(witnesses))) - trace(phi, witnesses)
    untried = list(range(len(partners)))
    if not delta and untried:
        return [choose(untried)]
    chosen: list[int] = []
    while delta:
        if not untried:
            raise NoPartnerError
        k = untried.pop(choose(range(len(untried))))
        rest = delta & trace(partners[k], witnesses)
        if rest != delta:
            chosen.append(k)
        delta = rest
    return chosen


def fewest(
    phi: Term, partners: Sequence[Term], witnesses: Sequence[Term], choose: Choose
) -> list[int]:
    """The same with a partner that misses most of what is still to be missed."""
    delta = set(range(len(witnesses))) - trace(phi, witnesses)
    if not delta and partners:
        return [choose(range(len(partners)))]
    chosen: list[int] = []
    while delta:
        missed = [len(delta - trace(atom, witnesses)) for atom in partners]
        if max(missed, default=0) == 0:
            raise NoPartnerError
        chosen.append(choose([k for k, n in enumerate(missed) if n == max(missed)]))
        delta &= trace(partners[chosen[-1]], witnesses)
    return chosen


DRAWS = {"guided": guided, "blind": blind, "fewest": fewest}
"""The ways to draw partners."""


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
