"""The paper's algorithms on the graphs, word for word."""

from collections.abc import Iterable, Sequence

from tests.naive.graph import Atom, Dual, DualAtom, Embedding, Node
from tests.naive.semantics import conflicts, distinct
from tests.naive.terms import (
    Choose,
    Constant,
    InconsistentError,
    NoPartnerError,
    Relation,
    Term,
    by_members,
)


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
