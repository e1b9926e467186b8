"""Traces of atoms, and Algorithms 1 and 2, which enforce trace constraints."""

from collections.abc import Callable, Sequence

from tests.naive.semantics import atoms_of, closure
from tests.naive.terms import Choose, Constant, InconsistentError, Relation, Term


def as_it_is(S: Term) -> Term:
    """The closure operator of no positive relations."""
    return S


def trace(atom: Term, witnesses: Sequence[Term]) -> set[int]:
    """``Tr(φ)``: the positions of the witnesses that contain a constant of the atom."""
    return {i for i, S in enumerate(witnesses) if atom & S}


def trace_of(x: Term, atoms: Sequence[Term], witnesses: Sequence[Term]) -> set[int]:
    """``Tr(x)``: what the traces of all atoms of the term share (everything, if it has none)."""
    everything = set(range(len(witnesses)))
    return everything.intersection(*(trace(atoms[i], witnesses) for i in atoms_of(x, atoms)))


def negative_constraint_holds(
    a: Term, b: Term, atoms: Sequence[Term], witnesses: Sequence[Term]
) -> bool:
    """``Tr(b) ⊄ Tr(a)``."""
    return not trace_of(b, atoms, witnesses) <= trace_of(a, atoms, witnesses)


def positive_constraint_holds(
    d: Term, e: Term, atoms: Sequence[Term], witnesses: Sequence[Term]
) -> bool:
    """``Tr(e) ⊂ Tr(d)``."""
    return trace_of(e, atoms, witnesses) <= trace_of(d, atoms, witnesses)


def separates(S: Term, a: Term, b: Term) -> bool:
    """The witness shows ``¬(a < b)``: it contains ``b`` and not all of ``a``."""
    return b <= S and not a <= S


def enforce_negative(
    atoms: Sequence[Term],
    witnesses: Sequence[Term],
    negatives: Sequence[Relation],
    choose: Choose,
    close: Callable[[Term], Term] = as_it_is,
) -> tuple[list[Term], list[Term]]:
    """Algorithm 1 on sets: new atoms ``{c}``, and a witness ``cl(b)`` where none serves.

    Relations are taken in their order. Choices: a witness of ``Tr(b)`` until one misses a constant
    of ``a``, then such a constant.
    """
    atoms, witnesses = list(atoms), list(witnesses)
    for a, b in negatives:
        if negative_constraint_holds(a, b, atoms, witnesses):
            continue
        c = strongly_discriminant_constant(a, b, atoms, witnesses, choose)
        if c is None:
            witnesses.append(close(b))
            if a <= witnesses[-1]:
                raise InconsistentError(
                    f"{sorted(a)} < {sorted(b)} follows from the positive relations"
                )
            c = strongly_discriminant_constant(a, b, atoms, witnesses, choose)
        atoms.append(frozenset({c}))
    return atoms, witnesses


def strongly_discriminant_constant(
    a: Term, b: Term, atoms: Sequence[Term], witnesses: Sequence[Term], choose: Choose
) -> Constant | None:
    """A constant of ``a`` outside some witness of ``Tr(b)``; the function of Algorithm 1."""
    U = trace_of(b, atoms, witnesses)
    while U:
        zeta = choose(sorted(U))
        U.remove(zeta)
        if a - witnesses[zeta]:
            return choose(sorted(a - witnesses[zeta]))
    return None


def enforce_positive(
    atoms: Sequence[Term],
    witnesses: Sequence[Term],
    positives: Sequence[Relation],
    choose: Choose,
) -> tuple[list[Term], list[Term]]:
    """Algorithm 2 on sets: new atoms ``{c}``, and ``S_ζ ∪ d`` where a witness is not closed.

    Relations are taken in their order. Choices: a witness of ``Tr(e) \\ Tr(d)``, then a constant of
    ``e`` outside it.
    """
    atoms, witnesses = list(atoms), list(witnesses)
    for d, e in positives:
        while too_many := trace_of(e, atoms, witnesses) - trace_of(d, atoms, witnesses):
            zeta = choose(sorted(too_many))
            gamma = e - witnesses[zeta]
            if gamma:
                atoms.append(frozenset({choose(sorted(gamma))}))
            else:
                witnesses[zeta] |= d
    return atoms, witnesses


def enforce_traces(
    atoms: Sequence[Term],
    witnesses: Sequence[Term],
    positives: Sequence[Relation],
    negatives: Sequence[Relation],
    choose: Choose,
) -> tuple[list[Term], list[Term]]:
    """Algorithms 1 and 2 in turn, until a whole pass over both adds nothing."""

    def close(S: Term) -> Term:
        return closure(S, positives)

    state = list(atoms), list(witnesses)
    while True:
        before = state
        state = enforce_negative(*state, negatives, choose, close)
        state = enforce_positive(*state, positives, choose)
        if state == before:
            return state
