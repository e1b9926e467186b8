"""Reduction of atoms and of dual atoms (Algorithms 4 and 5), covers and pinning (Algorithm 6)."""

from collections.abc import Callable, Iterable, Sequence

from tests.naive.semantics import atoms_of
from tests.naive.terms import Choose, Constant, InconsistentError, Relation, Term
from tests.naive.traces import as_it_is, separates, trace, trace_of


def reduce(
    atoms: Sequence[Term],
    witnesses: Sequence[Term],
    constants: Iterable[Constant],
    choose: Choose,
) -> list[Term]:
    """Algorithm 4 on sets: a part of the atoms that leaves the trace of each constant as it was.

    The kept atoms stay in their order. Choices: the next constant; a witness of ``W_c \\ Tr(c)``
    (``W_c`` is ``reached``, the trace by the kept atoms alone); an atom of ``c`` that lacks it.
    """
    Q: set[int] = set()
    Lambda = set(constants)
    while Lambda:
        c = choose(sorted(Lambda))
        Lambda.remove(c)
        of_c = atoms_of(frozenset({c}), atoms)
        target = trace_of(frozenset({c}), atoms, witnesses)
        reached = set(range(len(witnesses))).intersection(
            *(trace(atoms[phi], witnesses) for phi in of_c if phi in Q)
        )
        while reached != target:
            xi = choose(sorted(reached - target))
            phi = choose([phi for phi in of_c if not atoms[phi] & witnesses[xi]])
            Q.add(phi)
            reached &= trace(atoms[phi], witnesses)
    return [atom for i, atom in enumerate(atoms) if i in Q]


def dual_reduction(
    witnesses: Sequence[Term], negatives: Sequence[Relation], choose: Choose
) -> list[Term]:
    """Algorithm 5 on sets: a part of the witnesses that still separates each negative relation.

    The kept witnesses stay in their order. Choices: the next relation; if no kept witness separates
    it, one that does.
    """
    Q: set[int] = set()
    S = set(range(len(negatives)))
    while S:
        r = choose(sorted(S))
        S.remove(r)
        discriminant = [
            i for i, witness in enumerate(witnesses) if separates(witness, *negatives[r])
        ]
        if not discriminant:
            a, b = negatives[r]
            raise InconsistentError(f"no witness separates {sorted(a)} from {sorted(b)}")
        if not Q.intersection(discriminant):
            Q.add(choose(discriminant))
    return [witness for i, witness in enumerate(witnesses) if i in Q]


def lazy_cover(
    negatives: Sequence[Relation],
    candidates: Sequence[Term],
    choose: Choose,
    close: Callable[[Term], Term] = as_it_is,
) -> list[Term]:
    """Witnesses for the negatives: in random order, skip the covered, add one for the others.

    Choices: the next relation; then a candidate that separates it, or its own ``close(b)``, which
    is on offer as the position after the last candidate. In order of addition.
    """
    chosen: list[Term] = []
    S = set(range(len(negatives)))
    while S:
        r = choose(sorted(S))
        S.remove(r)
        a, b = negatives[r]
        if any(separates(witness, a, b) for witness in chosen):
            continue
        on_offer = [*candidates, close(b)]
        able = [i for i, witness in enumerate(on_offer) if separates(witness, a, b)]
        if not able:
            raise InconsistentError(
                f"{sorted(a)} < {sorted(b)} follows from the positive relations"
            )
        chosen.append(on_offer[choose(able)])
    return chosen


def pinning_term(atom: Term, constants: Iterable[Constant]) -> Term:
    """``T_φ``: the merge of the constants that do not contain the atom."""
    return frozenset(constants) - atom


def pinning_relations(atoms: Sequence[Term], constants: Iterable[Constant]) -> list[Relation]:
    """Algorithm 6 on sets: the negatives ``¬(c < T_φ)``; none for an atom of all constants."""
    everything = frozenset(constants)
    return [
        (frozenset({c}), pinning_term(atom, everything))
        for atom in atoms
        if atom != everything
        for c in sorted(atom)
    ]
