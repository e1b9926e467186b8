"""Full and sparse crossing (Algorithm 3) of atoms as sets."""

from collections.abc import Iterable, Sequence

from tests.naive.semantics import atoms_of, dis, irredundant
from tests.naive.terms import Choose, Constant, NoPartnerError, Relation, Term
from tests.naive.traces import trace


def sparse_crossing(
    atoms: Sequence[Term], witnesses: Sequence[Term], a: Term, b: Term, choose: Choose
) -> list[Term]:
    """Algorithm 3 on sets: the atoms of ``dis(a, b)`` make way for ``U(φ) ∪ U(ε)``.

    The other atoms come first, in their order; then, for each ``φ`` in order, its new atoms as they
    were drawn (repeats are kept). Choice: a partner, from the atoms of ``b`` not yet drawn for it.
    An atom ``φ`` whose trace is full crosses with one partner, or vanishes if ``b`` has no atom.
    """
    A, B = dis(a, b, atoms), atoms_of(b, atoms)
    created = []
    for phi in A:
        left = list(B)
        delta = set(range(len(witnesses))) - trace(atoms[phi], witnesses)
        first = True
        while delta or (first and left):
            if not left:
                raise NoPartnerError(f"Tr({sorted(b)}) is not in Tr({sorted(a)})")
            epsilon = choose(left)
            left.remove(epsilon)
            rest = delta & trace(atoms[epsilon], witnesses)
            if rest != delta or not delta:
                created.append(atoms[phi] | atoms[epsilon])
            delta, first = rest, False
    return [atom for i, atom in enumerate(atoms) if i not in A] + created


def sparse_crossing_by_the_text(
    atoms: Sequence[Term],
    witnesses: Sequence[Term],
    a: Term,
    b: Term,
    choose: Choose,
    *,
    fewest: bool = False,
    renewed: bool = False,
    needed: bool = False,
) -> list[Term]:
    """Sparse Crossing by other readings of the paper.

    ``fewest`` takes a partner that misses most of ``Δ`` (section 2.7, "as few new atoms as
    possible"); ``renewed`` has the new atoms as partners too, after those of ``b``; ``needed``
    leaves out a partner whose new atoms alone give it its trace.
    """
    old = [atom for i, atom in enumerate(atoms) if i not in dis(a, b, atoms)]
    partners = [atoms[i] for i in atoms_of(b, atoms)]
    used: dict[int, set[int]] = {}  # by partner, what the traces of its new atoms share
    created: list[Term] = []
    for phi in (atoms[i] for i in dis(a, b, atoms)):
        delta = set(range(len(witnesses))) - trace(phi, witnesses)
        untried, made = list(range(len(partners))), []
        while delta or (not made and untried):
            fitting = untried
            if fewest:
                missed = [len(delta - trace(partners[k], witnesses)) for k in untried]
                best = max([1 if delta else 0, *missed])
                fitting = [k for k, n in zip(untried, missed, strict=True) if n == best]
            if not fitting:
                raise NoPartnerError(f"Tr({sorted(b)}) is not in Tr({sorted(a)})")
            k = choose(fitting)
            untried.remove(k)
            rest = delta & trace(partners[k], witnesses)
            if rest != delta or not delta:
                made.append(phi | partners[k])
                of_psi = trace(made[-1], witnesses)
                used[k] = used.get(k, of_psi) & of_psi
            delta = rest
        created += made
        if renewed:
            partners += made
    if needed:
        gone = [k for k in used if used[k] == trace(partners[k], witnesses)]
        for atom in (partners[k] for k in gone):
            (old if atom in old else created).remove(atom)
    return old + created


def guided_sparse_crossing(
    atoms: Sequence[Term], witnesses: Sequence[Term], a: Term, b: Term, choose: Choose
) -> list[Term]:
    """Sparse Crossing that wastes no draw: an uncovered witness first, then a partner missing it.

    Same order of the result as :func:`sparse_crossing`. Choices: a witness of ``Δ``, then an atom
    of ``b`` whose trace lacks it; if ``Δ`` is empty from the start, one atom of ``b``.
    """
    A, B = dis(a, b, atoms), atoms_of(b, atoms)
    created = []
    for phi in A:
        delta = set(range(len(witnesses))) - trace(atoms[phi], witnesses)
        if not delta and B:
            created.append(atoms[phi] | atoms[choose(B)])
        while delta:
            zeta = choose(sorted(delta))
            partners = [i for i in B if not atoms[i] & witnesses[zeta]]
            if not partners:
                raise NoPartnerError(f"Tr({sorted(b)}) is not in Tr({sorted(a)})")
            epsilon = choose(partners)
            created.append(atoms[phi] | atoms[epsilon])
            delta &= trace(atoms[epsilon], witnesses)
    return [atom for i, atom in enumerate(atoms) if i not in A] + created


def full_crossing(atoms: Sequence[Term], a: Term, b: Term) -> list[Term]:
    """Each atom of ``dis(a, b)`` makes way for its merges with all atoms of ``b``."""
    A, B = dis(a, b, atoms), atoms_of(b, atoms)
    kept = [atom for i, atom in enumerate(atoms) if i not in A]
    return kept + [atoms[phi] | atoms[epsilon] for phi in A for epsilon in B]


def freest_by_crossing(constants: Iterable[Constant], positives: Sequence[Relation]) -> list[Term]:
    """The freest model as the paper builds it: one atom a constant, then full crossings."""
    atoms = [frozenset({c}) for c in sorted(constants)]
    for a, b in positives:
        atoms = irredundant(full_crossing(atoms, a, b))
    return irredundant(atoms)
