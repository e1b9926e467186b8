"""The paper in plain Python sets: slow, obvious, and the oracle of every fast kernel.

Three layers, each readable beside the paper ("Algebraic Machine Learning"):

1. *Semantics by brute force*: closure, entailment, closed sets, freest and least-free models.
2. *Sets*: atoms as ``U(φ)`` and dual atoms as ``S_ζ``, both frozensets of constants, in lists.
   The twins of the bit kernels: ``enforce_negative``, ``sparse_crossing``, ``reduce``, …
3. *The graph*: nodes and edges of ``M`` and ``M*``, transitively closed, as the paper draws them.

A term is a frozenset of constants (a constant stands as the set of itself); ``a < b`` is the pair
``(a, b)``. Chance enters only through ``choose(options) -> option``, with ``options`` a sorted list
that is never empty. In layer 2 the options are constants, or positions in the list of atoms,
witnesses or relations that the function was given (and appends to).
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise
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


# ------------------------------------------------------------------ 1. semantics by brute force


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


# ------------------------------------------------------------------------------------- 2. sets


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


# -------------------------------------------------------------------------------- 3. the graph


@dataclass(frozen=True, order=True)
class Atom:
    """An atom of ``M``; atoms sort by age."""

    number: int
    name: str = field(compare=False)


@dataclass(frozen=True, order=True)
class DualAtom:
    """An atom of ``M*``, ``ζ``; they sort by age."""

    number: int
    name: str = field(compare=False)


@dataclass(frozen=True)
class Dual:
    """``[x]``: a constant of ``M*`` if ``x`` is a term, a dual-of-atom if ``x`` is an atom."""

    of: Term | Atom


Node = Term | Atom | Dual | DualAtom


class Graph:
    """Nodes and directed edges, transitively closed at all times."""

    def __init__(self) -> None:
        self.above: dict[Node, set[Node]] = {}
        self.below: dict[Node, set[Node]] = {}

    def add_node(self, x: Node) -> None:
        """A node without edges."""
        self.above.setdefault(x, set())
        self.below.setdefault(x, set())

    def add_edge(self, x: Node, y: Node) -> None:
        """``x → y`` and all that follows by transitivity."""
        targets = self.above[y] | {y}
        for source in self.below[x] | {x}:
            self.above[source] |= targets
            for target in targets:
                self.below[target].add(source)

    def delete_node(self, x: Node) -> None:
        """The node and its edges go; the edges that went through it stay."""
        for y in self.above.pop(x) - {x}:
            self.below[y].remove(x)
        for y in self.below.pop(x) - {x}:
            self.above[y].remove(x)

    def GL(self, x: Node) -> set[Node]:  # noqa: N802
        """``{y : y → x or y = x}``."""
        return self.below[x] | {x}

    def GU(self, x: Node) -> set[Node]:  # noqa: N802
        """``{y : x → y}``."""
        return set(self.above[x])


class Embedding(Graph):
    """The graphs of ``M`` and ``M*`` for a set ``R`` of relations (paper, sections 2.3 to 2.6).

    ``M`` starts with the atom 0 of all constants; ``M*`` with the atom 0* of all duals, the edges
    of ``M`` reversed, and ``[b] → [a]`` for each positive ``a < b``.
    """

    def __init__(
        self,
        constants: Iterable[Constant],
        positives: Sequence[Relation],
        negatives: Sequence[Relation],
    ) -> None:
        super().__init__()
        self.constants = sorted(constants)
        self.positives, self.negatives = list(positives), list(negatives)
        self.terms: list[Term] = []
        self.born = 0
        for x in [frozenset({c}) for c in self.constants]:
            self.add_term(x)
        for x in chain.from_iterable(self.positives + self.negatives):
            self.add_term(x)
        self.zero = self.add_atom(*(frozenset({c}) for c in self.constants), name="0")
        self.zero_star = self.add_dual_atom(*(Dual(x) for x in self.terms), name="0*")
        for a, b in self.positives:
            self.add_edge(Dual(b), Dual(a))

    def add_term(self, x: Term) -> None:
        """A constant or term and its dual, with an edge from each part and to each whole."""
        if x in self.above:
            return
        self.add_node(x)
        self.add_node(Dual(x))
        for y in self.terms:
            if y < x:
                self.add_edge_and_dual(y, x)
            elif x < y:
                self.add_edge_and_dual(x, y)
        self.terms.append(x)

    def add_edge_and_dual(self, x: Term | Atom, y: Term | Atom) -> None:
        """``x → y`` in ``M`` and ``[y] → [x]`` in ``M*``."""
        self.add_edge(x, y)
        self.add_edge(Dual(y), Dual(x))

    def add_atom(self, *uppers: Term | Atom, name: str = "") -> Atom:
        """A new atom of ``M`` edged to constants or to atoms, with its dual."""
        atom = Atom(self.next_number(), name)
        self.add_node(atom)
        self.add_node(Dual(atom))
        for x in uppers:
            self.add_edge_and_dual(atom, x)
        return atom

    def add_dual_atom(self, *uppers: Dual, name: str = "") -> DualAtom:
        """A new atom of ``M*`` edged to duals of constants or terms."""
        zeta = DualAtom(self.next_number(), name)
        self.add_node(zeta)
        for h in uppers:
            self.add_edge(zeta, h)
        return zeta

    def next_number(self) -> int:
        """Ages of atoms."""
        self.born += 1
        return self.born

    def delete_atoms(self, atoms: Iterable[Atom | DualAtom]) -> None:
        """Atoms go with their duals."""
        for atom in atoms:
            self.delete_node(atom)
            if isinstance(atom, Atom):
                self.delete_node(Dual(atom))

    def A(self) -> set[Atom]:  # noqa: N802
        """``A(M)``."""
        return {x for x in self.above if isinstance(x, Atom)}

    def A_dual(self) -> set[DualAtom]:  # noqa: N802
        """``A(M*)``."""
        return {x for x in self.above if isinstance(x, DualAtom)}

    def GLa(self, x: Node) -> set[Any]:  # noqa: N802
        """``GLᵃ(x)``: the atoms below, of ``M`` or of ``M*`` as ``x`` is of one or the other."""
        atoms = self.A_dual() if isinstance(x, Dual | DualAtom) else self.A()
        return self.GL(x) & atoms

    def dis(self, a: Node, b: Node) -> set[Any]:
        """``GLᵃ(a) \\ GLᵃ(b)``."""
        return self.GLa(a) - self.GLa(b)

    def less(self, a: Node, b: Node) -> bool:
        """``a < b``: the discriminant is empty."""
        return not self.dis(a, b)

    def Tr(self, x: Term | Atom) -> set[DualAtom]:  # noqa: N802
        """``∩ GLᵃ([φ])`` over the atoms ``φ`` of ``x`` (all of ``A(M*)``, if it has none)."""
        return self.A_dual().intersection(*(self.GLa(Dual(phi)) for phi in self.GLa(x)))

    def constants_above(self, atom: Atom) -> Term:
        """``Uᶜ(φ)``: how the second layer writes an atom."""
        return frozenset(c for c in self.constants if frozenset({c}) in self.GU(atom))

    def constants_in(self, zeta: DualAtom) -> Term:
        """``S_ζ``: how the second layer writes a dual atom."""
        return frozenset(c for c in self.constants if Dual(frozenset({c})) in self.GU(zeta))

    def as_sets(self) -> tuple[list[Term], list[Term]]:
        """The atoms and the witnesses of the second layer, oldest first."""
        atoms = [self.constants_above(phi) for phi in sorted(self.A())]
        return atoms, [self.constants_in(zeta) for zeta in sorted(self.A_dual())]


def enforce_reversed_negatives(graph: Embedding) -> list[DualAtom]:
    """The optional first step of section 2.6: an atom ``ζ → [b]`` for each ``¬(a < b)``."""
    return [
        graph.add_dual_atom(Dual(b), name=f"ζ{i}") for i, (_, b) in enumerate(graph.negatives, 1)
    ]


def reversed_relations_hold(graph: Embedding) -> bool:
    """Whether ``M*`` satisfies ``R`` reversed; section 2.6 takes that for consistency.

    It is not: edges miss what follows through a term whose parts come from several relations.
    """
    return all(graph.less(Dual(b), Dual(a)) for a, b in graph.positives) and not any(
        graph.less(Dual(b), Dual(a)) for a, b in graph.negatives
    )


def complete_terms(graph: Embedding) -> None:
    """Edge to ``[T]`` the atoms that the duals of all constants of ``T`` share (section 3.4).

    Repeated until nothing changes, which the paper does not say and which makes ``S_ζ`` closed.
    """
    changed = True
    while changed:
        changed = False
        for term in graph.terms:
            duals = [graph.GLa(Dual(frozenset({c}))) for c in sorted(term)]
            for zeta in sorted(set.intersection(*duals) - graph.GLa(Dual(term))):
                graph.add_edge(zeta, Dual(term))
                changed = True


def memory(
    constants: Iterable[Constant], positives: Sequence[Relation], negatives: Sequence[Relation]
) -> list[Term]:
    """The least-free model as section 3.4 builds it: ``φ_ξ < c`` iff not ``ξ < [c]``."""
    graph = Embedding(constants, positives, negatives)
    xis = enforce_reversed_negatives(graph)
    complete_terms(graph)
    return distinct(frozenset(graph.constants) - graph.constants_in(xi) for xi in xis)


def enforce_negative_trace_constraints(graph: Embedding, choose: Choose) -> None:
    """Algorithm 1: enforce negative trace constraints.

    ``while c = ∅`` as printed. An ``h`` that led to no constant would lead to none again, so it is
    not drawn twice for the same relation; when all have failed, ``R`` is inconsistent.
    """
    for a, b in graph.negatives:
        if graph.Tr(b) <= graph.Tr(a):
            able = graph.GL(Dual(b)) - graph.GL(Dual(a))
            hs = sorted(by_members(h.of) for h in able if is_constant_of_dual(h))
            while (c := find_strongly_discriminant_constant(graph, a, b, choose)) is None:
                if not hs:
                    raise InconsistentError(f"{sorted(a)} < {sorted(b)} follows from R")
                h = choose(hs)
                hs.remove(h)
                graph.add_dual_atom(Dual(frozenset(h)))
            graph.add_atom(frozenset({c}))


def is_constant_of_dual(x: Node) -> bool:
    """``x ∈ C(M*)``: the dual of a constant or term."""
    return isinstance(x, Dual) and isinstance(x.of, frozenset)


def find_strongly_discriminant_constant(
    graph: Embedding, a: Term, b: Term, choose: Choose
) -> Constant | None:
    """The function of Algorithm 1."""
    Omega = {c for c in graph.constants if frozenset({c}) in graph.GL(a)}
    U = graph.Tr(b)
    while U:
        zeta = choose(sorted(U))
        U.remove(zeta)
        if Omega - graph.constants_in(zeta):
            return choose(sorted(Omega - graph.constants_in(zeta)))
    return None


def enforce_positive_trace_constraints(graph: Embedding, choose: Choose) -> None:
    """Algorithm 2: enforce positive trace constraints."""
    for d, e in graph.positives:
        while not graph.Tr(e) <= graph.Tr(d):
            zeta = choose(sorted(graph.Tr(e) - graph.Tr(d)))
            Gamma = [
                c
                for c in graph.constants
                if frozenset({c}) in graph.GL(e) and zeta not in graph.GL(Dual(frozenset({c})))
            ]
            if not Gamma:
                graph.add_edge(zeta, Dual(d))
            else:
                graph.add_atom(frozenset({choose(Gamma)}))


def enforce_trace_constraints(graph: Embedding, choose: Choose) -> None:
    """Algorithms 1 and 2 in turn, until a whole pass over both adds nothing (section 2.6).

    On an inconsistent ``R`` this would not end, so that is ruled out first, by closure.
    """
    if found := conflicts(graph.positives, graph.negatives):
        raise InconsistentError(f"the positive relations contradict {found}")
    before = None
    while before != (now := sum(map(len, graph.above.values()))):
        before = now
        enforce_negative_trace_constraints(graph, choose)
        enforce_positive_trace_constraints(graph, choose)


def sparse_crossing_of_a_into_b(
    graph: Embedding, a: Term, b: Term, choose: Choose, *, spare: bool = False
) -> dict[Atom, list[Atom]]:
    """Algorithm 3: Sparse Crossing of a into b. Returns the new atoms of each ``φ``.

    ``U`` is initialised once and ``B`` fixed before the loop over ``φ``. With ``B`` inside, as
    printed, new atoms would become partners; with ``U`` inside, partners of all but the last ``φ``
    would be neither restored nor deleted: the same model, but with atoms that are no minima.
    With ``spare``, ``ε'`` is made only where the trace of ``ε`` would change without it: so do the
    text of section 2.7 and the toy example, while Algorithm 3 makes them all.
    """
    A, partners = graph.dis(a, b), graph.GLa(b)
    U: set[Atom] = set()
    rows: dict[Atom, list[Atom]] = {}
    for phi in sorted(A):
        rows[phi] = []
        B = set(partners)
        Delta = graph.A_dual() - graph.GL(Dual(phi))
        while B:
            epsilon = choose(sorted(B))
            rest = Delta & graph.GL(Dual(epsilon))
            if rest != Delta or not Delta:
                rows[phi].append(graph.add_atom(phi, epsilon))
                Delta = rest
                U.add(epsilon)
            B.remove(epsilon)
            if not Delta:
                break
        if Delta:
            raise NoPartnerError(f"Tr({sorted(b)}) is not in Tr({sorted(a)})")
    for epsilon in sorted(U):
        if not spare or trace_without(graph, epsilon) != graph.Tr(epsilon):
            graph.add_atom(epsilon)
    graph.delete_atoms(U | A)
    return rows


def trace_without(graph: Embedding, atom: Atom) -> set[DualAtom]:
    """The trace that the atoms edged to ``atom`` would give it, were it deleted."""
    under = graph.GLa(atom) - {atom}
    return graph.A_dual().intersection(*(graph.GLa(Dual(psi)) for psi in under))


def full_crossing_of_a_into_b(graph: Embedding, a: Term, b: Term) -> dict[Atom, list[Atom]]:
    """Full Crossing of a into b (section 2.7): the whole table. Returns its rows."""
    A, B = graph.dis(a, b), graph.GLa(b)
    rows = {phi: [graph.add_atom(phi, epsilon) for epsilon in sorted(B)] for phi in sorted(A)}
    for epsilon in sorted(B):
        graph.add_atom(epsilon)
    graph.delete_atoms(A | B)
    return rows


def atom_set_reduction(graph: Embedding, choose: Choose) -> None:
    """Algorithm 4: atom set reduction. (The atom 0 is no exception: it goes.)"""
    Q: set[Atom] = set()
    Lambda = set(graph.constants)
    while Lambda:
        c = choose(sorted(Lambda))
        Lambda.remove(c)
        x = frozenset({c})
        W = graph.A_dual().intersection(*(graph.GLa(Dual(phi)) for phi in Q & graph.GLa(x)))
        while graph.Tr(x) != W:
            xi = choose(sorted(W - graph.Tr(x)))
            phi = choose(sorted(phi for phi in graph.GLa(x) if Dual(phi) not in graph.GU(xi)))
            Q.add(phi)
            W &= graph.GLa(Dual(phi))
    graph.delete_atoms(graph.A() - Q)


def atom_set_reduction_for_the_dual_algebra(graph: Embedding, choose: Choose) -> None:
    """Algorithm 5: atom set reduction for the dual algebra. (The atom 0* goes.)"""
    Q: set[DualAtom] = set()
    S = set(range(len(graph.negatives)))
    while S:
        r = choose(sorted(S))
        S.remove(r)
        a, b = graph.negatives[r]
        if not graph.dis(Dual(b), Dual(a)) & Q:
            Q.add(choose(sorted(graph.dis(Dual(b), Dual(a)))))
    graph.delete_atoms(graph.A_dual() - Q)


def generation_of_pinning_terms_and_relations(
    graph: Embedding,
) -> tuple[dict[Atom, Term], list[Relation]]:
    """Algorithm 6: the pinning terms ``T_φ`` and the relations ``¬(c < T_φ)``, oldest atom first.

    An atom of all constants, as 0, has no pinning term: a term has at least one constant.
    """
    terms: dict[Atom, Term] = {}
    R_p: list[Relation] = []
    for phi in sorted(graph.A()):
        H = frozenset(graph.constants) - graph.constants_above(phi)
        if H:
            terms[phi] = H
            R_p += [(frozenset({c}), H) for c in sorted(graph.constants_above(phi))]
    return terms, R_p


# Cuts of a column


class Impurity:
    """Gini impurity of the two sides of each cut of a column, and the least of them."""

    def __init__(self, x: list[int], y: list[int]) -> None:
        self.rows = list(zip(x, y, strict=True))

    def sides(self, cut: float) -> tuple[list[int], list[int]]:
        return [b for a, b in self.rows if a <= cut], [b for a, b in self.rows if a > cut]

    def __call__(self, cut: float) -> float:
        return sum(
            len(side) - sum(side.count(k) ** 2 for k in set(side)) / len(side)
            for side in self.sides(cut)
        )


def best_cut(x: list[int], y: list[int], smallest: float) -> tuple[Impurity, float] | None:
    """The impurity of a cut, and the least of all cuts that leave enough rows on both sides.

    None, if there is no such cut or nothing to tell apart.
    """
    impurity, values = Impurity(x, y), sorted(set(x))
    halfway = [(a + b) / 2 for a, b in pairwise(values)]
    allowed = [cut for cut in halfway if min(map(len, impurity.sides(cut))) >= smallest]
    if not allowed or len(set(y)) < 2:
        return None
    return impurity, min(map(impurity, allowed))
