"""Closure, entailment, freest and least free models: by brute force over all sets."""

from collections.abc import Iterable, Sequence

from tests.naive.terms import Constant, Relation, Term, subsets, terms_over


def closure(S: Iterable[Constant], positives: Sequence[Relation]) -> Term:
    """The least set with ``S`` that respects ``b ⊆ S ⇒ a ⊆ S`` for each ``a < b``."""
    closed = frozenset(S)
    while True:
        grown = closed.union(*(a for a, b in positives if b <= closed))
        if grown == closed:
            return closed
        closed = grown


def is_closed(S: Term, positives: Sequence[Relation]) -> bool:
    """No positive relation adds anything to ``S``."""
    return all(a <= S for a, b in positives if b <= S)


def entails(positives: Sequence[Relation], a: Term, b: Term) -> bool:
    """``R⁺ ⊨ (a < b)``."""
    return a <= closure(b, positives)


def conflicts(positives: Sequence[Relation], negatives: Sequence[Relation]) -> list[Relation]:
    """The negative relations that the positive ones contradict."""
    return [(a, b) for a, b in negatives if entails(positives, a, b)]


def consistent(positives: Sequence[Relation], negatives: Sequence[Relation]) -> bool:
    """``R`` has a model."""
    return not conflicts(positives, negatives)


def closed_sets(constants: Iterable[Constant], positives: Sequence[Relation]) -> list[Term]:
    """All closed sets of constants, by trying every subset."""
    return [S for S in subsets(constants) if is_closed(S, positives)]


def verdict(
    constants: Iterable[Constant],
    positives: Sequence[Relation],
    negatives: Sequence[Relation],
    a: Term,
    b: Term,
) -> str:
    """Does ``a < b`` hold in all models of a consistent ``R``, in none, or in some?

    A model of ``R⁺`` is a family of closed sets; a set with all of ``b`` and not all of ``a``
    refutes ``a < b``. The largest family refutes what some model does; the largest one that does
    not refute ``a < b`` satisfies all negatives if any model with ``a < b`` does.
    """

    def refutes(S: Term, relation: Relation) -> bool:
        return relation[1] <= S and not relation[0] <= S

    family = closed_sets(constants, positives)
    kept = [S for S in family if not refutes(S, (a, b))]
    if kept == family:
        return "follows"
    lost = any(not any(refutes(S, negative) for S in kept) for negative in negatives)
    return "contradicted" if lost else "open"


def meet_irreducibles(constants: Iterable[Constant], positives: Sequence[Relation]) -> list[Term]:
    """The closed sets, short of all constants, that are no intersection of larger closed sets."""
    everything = frozenset(constants)
    closed = closed_sets(everything, positives)

    def meet_of_larger(closed_set: Term) -> Term:
        return everything.intersection(*(larger for larger in closed if closed_set < larger))

    return [s for s in closed if s != everything and meet_of_larger(s) != s]


def freest_atoms(constants: Iterable[Constant], positives: Sequence[Relation]) -> list[Term]:
    """The non-redundant atoms of the freest model of ``R⁺``."""
    everything = frozenset(constants)
    return [everything - S for S in meet_irreducibles(everything, positives)]


def least_free_atoms(
    constants: Iterable[Constant], positives: Sequence[Relation], negatives: Sequence[Relation]
) -> list[Term]:
    """The atoms of the paper's memory of ``R`` (section 3.4): the complements of ``cl(b)``."""
    everything = frozenset(constants)
    return distinct([everything - closure(b, positives) for _, b in negatives])


def distinct(sets: Iterable[Term]) -> list[Term]:
    """Each set once, in order of first appearance."""
    return list(dict.fromkeys(sets))


def redundant(atom: Term, atoms: Iterable[Term]) -> bool:
    """Theorem 5: each constant of ``atom`` has another atom that ``atom`` is larger than."""
    others = [other for other in atoms if other != atom]
    return all(any(c in other and other <= atom for other in others) for c in atom)


def irredundant(atoms: Iterable[Term]) -> list[Term]:
    """The atoms that Theorem 5 does not remove, each once."""
    kept = distinct(atoms)
    return [atom for atom in kept if not redundant(atom, kept)]


def atoms_of(x: Term, atoms: Sequence[Term]) -> list[int]:
    """``GLᵃ(x)``: the positions of the atoms of a term, ``U(φ) ∩ x ≠ ∅``."""
    return [i for i, atom in enumerate(atoms) if atom & x]


def dis(a: Term, b: Term, atoms: Sequence[Term]) -> list[int]:
    """The discriminant: the atoms of ``a`` that are no atoms of ``b``."""
    return [i for i in atoms_of(a, atoms) if not atoms[i] & b]


def holds(atoms: Sequence[Term], a: Term, b: Term) -> bool:
    """``M ⊨ (a < b)``: every atom of ``a`` is an atom of ``b``."""
    return not dis(a, b, atoms)


def is_model(
    atoms: Sequence[Term], positives: Sequence[Relation], negatives: Sequence[Relation] = ()
) -> bool:
    """``M ⊨ R``."""
    return all(holds(atoms, a, b) for a, b in positives) and not any(
        holds(atoms, a, b) for a, b in negatives
    )


def is_freer(
    atoms1: Sequence[Term], atoms2: Sequence[Term], constants: Iterable[Constant] | None = None
) -> bool:
    """Model 1 is as free as model 2 or freer: it keeps ``¬(a < b)`` wherever model 2 has it."""
    if constants is None:
        constants = frozenset().union(*atoms1, *atoms2)
    terms = terms_over(constants)
    return not any(holds(atoms1, a, b) and not holds(atoms2, a, b) for a in terms for b in terms)
