"""Appendix B: the theorems, on random problems."""

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.engine import Embedding
from atomlearn.sets import rows
from atomlearn_paper.claims.problems import embeddings, finished, random_algebras, terms
from atomlearn_paper.claims.registry import Finding, Measured, claim, when


def atom_trace(atom: rows.Rows, witnesses: rows.Rows) -> frozenset[int]:
    """``Tr(φ)``: the dual atoms that share a constant with it."""
    return frozenset(np.flatnonzero((witnesses & atom).any(axis=1)).tolist())


@claim("Theorem 1", "[full crossing keeps all traces] ⇔ Tr(b) ⊂ Tr(a)")
def theorem_1(measured: Measured) -> Finding:
    right = tried = 0
    for seed in (0, 1):
        for steps in embeddings(seed):
            for name in steps.algebra.names:
                steps.add_atom(name)
            for a in terms(steps.algebra, 1):
                for b in terms(steps.algebra, 1):
                    if a == b:
                        continue
                    kept = _keeps_traces(steps, a.indices[0], b.indices[0])
                    constraint = set(steps.trace(b)) <= set(steps.trace(a))
                    right, tried = right + (kept == constraint), tried + 1
    return when(right == tried, f"{right:,} of {tried:,} crossings")


def _keeps_traces(steps: Embedding, a: int, b: int) -> bool:
    """Does crossing ``a`` into ``b`` keep the trace of every atom involved?"""
    atoms, W = rows.distinct(steps.atoms), steps.witnesses
    in_a, in_b = (rows.meets(atoms, rows.row([c], steps.n)) for c in (a, b))
    for phi in atoms[in_a & ~in_b]:
        after = [atom_trace(phi | epsilon, W) for epsilon in atoms[in_b]]
        common = frozenset(range(len(W))).intersection(*after)
        if common != atom_trace(phi, W):
            return False
    return True


@claim("Theorem 2", "(ξ < [k]) ⇔ ¬(φ_ξ < k) iff GL^a([k]) = ∩ GL^a([c_i])")
def theorem_2(measured: Measured) -> Finding:
    right, tried = theorem_2_counts()
    return when(
        right == tried,
        f"{right:,} of {tried:,} pairs of dual atom and term, with and without the condition",
    )


def theorem_2_counts() -> tuple[int, int]:
    """For random duals, with the atoms of ``[k]`` as the condition asks and otherwise.

    A dual atom ξ is a set of constants (those whose duals contain it); ``φ_ξ`` is in the others.
    ``GL([k])`` is chosen freely among what the edges ``[k] → [c_i]`` allow: a part of the
    intersection. The theorem says that the equivalence holds for all ξ exactly if it is all of it.
    """
    rng = np.random.default_rng(0)
    right = tried = 0
    for _ in range(300):
        n, z = 6, int(rng.integers(1, 6))
        dual = rng.random((z, n)) < 0.5  # ξ < [c]
        k = rng.choice(n, rng.integers(1, 4), replace=False)
        everything = dual[:, k].all(axis=1)  # the intersection of GL([c_i])
        below_k = everything & (rng.random(z) < 0.7)
        phi_in_k = (~dual)[:, k].any(axis=1)
        equivalent = (below_k == ~phi_in_k).all()
        right, tried = right + (equivalent == (below_k == everything).all()), tried + 1
    return int(right), tried


@claim("Theorem 3", "If N satisfies the pinning relations R_p(M) then [...] N is as free or freer")
def theorem_3(measured: Measured) -> Finding:
    right = tried = 0
    for steps in list(finished())[:30]:
        M = steps.model
        pins = M.pinning_relations()
        for other in (steps.algebra.freest(), M, M | steps.algebra.least_free()):
            if all(other.holds(r) for r in pins):
                larger = all(
                    any(set(e.constants) <= set(phi.constants) for e in other.atoms)
                    for phi in M.atoms
                )
                right, tried = right + (other.is_freer_than(M) and larger), tried + 1
    return when(right == tried > 0, f"{right} of {tried} models")


@claim("Theorem 4", "Assume ¬p ∧ R ⇒ q [...]. Then R ⇒ q")
def theorem_4(measured: Measured) -> Finding:
    right = tried = 0
    for algebra in random_algebras()[:20]:
        positive = Algebra(algebra.names)
        positive.add(positive.relation(str(r)) for r in algebra.positive)
        both = algebra.freest() | algebra.least_free()  # a model of R with as many negatives
        for a in terms(algebra, 2):
            for b in terms(algebra, 1):
                q = positive.relation(f"{a} < {b}")
                follows = positive.entails(q)
                right += follows == both.holds(algebra.relation(f"{a} < {b}"))
                tried += 1
    return when(
        right == tried,
        f"{right:,} of {tried:,} relations: what holds in every model of R holds "
        "by the positive relations alone",
    )


@claim("Theorem 5", "An atom can be eliminated without altering M if and only if it is redundant")
def theorem_5(measured: Measured) -> Finding:
    rng = np.random.default_rng(2)
    right = tried = 0
    for _ in range(40):
        algebra = Algebra("abcde")
        atoms = [
            sorted(rng.choice(5, rng.integers(1, 4), replace=False).tolist()) for _ in range(7)
        ]
        model = Model(algebra, rows.from_indices(atoms, 5))
        redundant = set(model.redundant_atoms)
        for atom in model.atoms:
            rest = [a.indices for a in model.atoms if a != atom]
            without = Model(algebra, rows.from_indices([list(r) for r in rest], 5))
            some = terms(algebra, 5)
            same = all(model.holds(a <= b) == without.holds(a <= b) for a in some[:5] for b in some)
            right, tried = right + (same == (atom in redundant)), tried + 1
    return when(right == tried, f"{right} of {tried} atoms of random models")


@claim("Theorem 6", "M_f ⊨ (a < b) iff T^+(M_i) ∪ (d < e) ⇒ (a < b) in case full crossing is used")
def theorem_6(measured: Measured) -> Finding:
    right = tried = 0
    for steps in list(finished())[:6]:
        model, before = steps.model, Algebra(steps.algebra.names)
        some = terms(before, steps.n)
        before.add(
            a <= b
            for a in some
            for b in some
            if model.holds(model.term(a.constants) <= model.term(b.constants))
        )
        singles = [model.term(name) for name in model.names]
        d, e = next((d, e) for d in singles for e in singles if not model.holds(d <= e))
        after = model.cross(d, e)
        before.add(before.term(d.constants) <= before.term(e.constants))
        for b, closed in zip(some, before.closures(some), strict=True):
            for a in some:
                holds = after.holds(after.term(a.constants) <= after.term(b.constants))
                right, tried = right + (holds == (set(a.indices) <= set(closed.indices))), tried + 1
    return when(right == tried > 0, f"{right:,} of {tried:,} pairs of terms")


@claim(
    "Theorem 7", "The trace constraints can be enforced [...] if the relation set R is consistent"
)
def theorem_7(measured: Measured) -> Finding:
    many = list(embeddings())
    right = sum(not s.enforce_traces().unmet() for s in many)
    return when(right == len(many), f"{right} of {len(many)} random consistent problems")
