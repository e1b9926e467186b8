"""What the claims on embeddings, memories and theorems measure, on the toy and random problems.

A measure gives named values, or yields whether each of many cases is right; the rules and the
words of the claims are in ``claims.toml``.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations, islice, product
from typing import Any

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.terms import Term
from atomlearn.datasets import vertical_bars
from atomlearn.engine import Embedding
from atomlearn.engine.reduction import discriminating
from atomlearn.errors import InvalidParameter
from atomlearn.sets import rows
from atomlearn_paper import paper
from atomlearn_paper.toy import CONSTANTS, examples, images, model_of

PAPERS_CHOICES = 11
"""A seed with which the steps make the random choices of the paper."""

Values = dict[str, Any]
Cases = Iterator[bool]


# -- problems


def toy_steps() -> Embedding:
    """The toy problem with its dual."""
    return Embedding(examples(), random_state=PAPERS_CHOICES).build_dual()


@cache
def random_algebras(count: int = 60, n: int = 6) -> tuple[Algebra, ...]:
    """Consistent random relations over a few constants."""
    rng = np.random.default_rng(1)
    found: list[Algebra] = []
    while len(found) < count:
        algebra = Algebra(f"c{i}" for i in range(n))
        for positive in (True,) * 4 + (False,) * 4:
            left, right = (
                algebra.term(f"c{i}" for i in rng.choice(n, size, replace=False))
                for size in rng.integers(1, 4, 2)
            )
            relation = left <= right
            algebra.add(relation if positive else ~relation)
        if not algebra.conflicts() and algebra.positive and algebra.negative:
            found.append(algebra)
    return tuple(found)


def embeddings(seed: int = 0) -> Iterator[Embedding]:
    """The random problems with their duals, before any trace constraint is enforced."""
    for k, algebra in enumerate(random_algebras()):
        yield Embedding(algebra, random_state=seed + k).build_dual()


def finished(count: int | None = None) -> Iterator[Embedding]:
    """The random problems, embedded; or the first of them."""
    for steps in islice(embeddings(), count):
        yield steps.enforce_traces().cross_all().reduce()


def terms(algebra: Algebra, largest: int = 3) -> list[Term]:
    """All terms of a few constants."""
    sizes = range(1, largest + 1)
    sets = chain.from_iterable(combinations(algebra.names, size) for size in sizes)
    return [algebra.term(names) for names in sets]


def pairs(algebra: Algebra, largest: int) -> Iterator[tuple[Term, Term]]:
    """All pairs of such terms."""
    some = terms(algebra, largest)
    return product(some, some)


def algebra_of(names: str, *relations: str) -> Algebra:
    """An algebra with these relations."""
    algebra = Algebra(names.split())
    algebra.add(algebra.relation(text) for text in relations)
    return algebra


def spelled(atoms: Any) -> list[str]:
    """Atoms by the constants that contain them."""
    return [" ".join(atom.constants) for atom in atoms]


# -- section 2: the embedding


def order_is_merge() -> Cases:
    """In random models ``a < b`` holds exactly if ``a ⊙ b`` has the atoms of ``b``."""
    for steps in finished(12):
        for a, b in pairs(steps.algebra, 2):
            same = set(steps.model.atoms_of(a | b)) == set(steps.model.atoms_of(b))
            yield same == steps.model.holds(a <= b)


def traces_are_linear() -> Cases:
    """The trace of ``a ⊙ b`` is what the traces share."""
    for steps in finished(12):
        for a, b in pairs(steps.algebra, 1):
            yield set(steps.trace(a | b)) == set(steps.trace(a)) & set(steps.trace(b))


def order_and_traces() -> Cases:
    """Where ``a < b`` holds, the trace of ``b`` is a part of the trace of ``a``."""
    for steps in finished(12):
        for a, b in pairs(steps.algebra, 1):
            if steps.model.holds(a <= b):
                yield set(steps.trace(b)) <= set(steps.trace(a))


def consistency_by_edges() -> Values:
    """A contradiction that transitive closure of the edges of the dual does not see."""
    algebra = algebra_of("x a b d", "x < a b", "a < d", "b < d", "x !< d")
    edges = {("[a b]", "[x]"), ("[d]", "[a]"), ("[d]", "[b]"), ("[a b]", "[a]"), ("[a b]", "[b]")}
    while more := {(s, u) for s, t in edges for t2, u in edges if t == t2} - edges:
        edges |= more
    return {"seen": ("[d]", "[x]") in edges, "conflicts": len(algebra.conflicts())}


@cache
def toy_embedding() -> Values:
    """Atoms, traces and pins of the toy problem, algorithm by algorithm."""
    steps = toy_steps().enforce_negative()
    values = {
        "full": all(len(steps.trace(r.right)) == 3 for r in steps.algebra.negative),
        "trace_of_v": steps.trace("v"),
        "after_negative": spelled(steps.model.atoms),
    }
    steps = toy_steps().enforce_traces()
    values |= {"enforced": sorted(spelled(steps.model.atoms)), "traces": steps.traces()}
    steps.cross_all()
    values["partners"] = [name for name in spelled(steps.model.atoms) if " " not in name]
    model = steps.reduce().model
    pinned = [str(r) for r in model.pinning_relations() if str(r.left) == "c3"]
    return values | {
        "reduced": spelled(model.atoms),
        "below": [set(spelled(model.atoms_of(r.right))) for r in steps.algebra.negative],
        "pins": [str(term) for term in steps.pin()],
        "pinned_c3": pinned[0],
    }


def passes_over_traces() -> Values:
    """How often Algorithms 1 and 2 are run until all trace constraints hold."""
    passes = []
    for steps in embeddings():
        passes.append(0)
        while steps.unmet():
            steps.enforce_negative().enforce_positive()
            passes[-1] += 1
    return {"passes": passes}


def negatives_hold_before_crossing() -> Cases:
    """With the trace constraints enforced, the negative relations hold."""
    for steps in embeddings():
        model = steps.enforce_traces().model
        yield all(model.holds(relation) for relation in steps.algebra.negative)


def crossing_keeps_positives() -> Cases:
    """What holds before a crossing holds after it."""
    for full in (False, True):
        for steps in islice(embeddings(), 3):
            steps.enforce_traces()
            for relation in steps.algebra.positive:
                asked = [a <= b for a, b in pairs(steps.algebra, 2)]
                before = [r for r in asked if steps.model.holds(r)]
                after = steps.cross(relation, full=full).model
                yield from (after.holds(r) for r in before)


def crossing_loses_negatives() -> Values:
    """Does ``a < b`` hold before and after ``a`` is crossed into ``b``?"""
    algebra = algebra_of("a b c", "a < b", "b !< c")
    steps = Embedding(algebra, random_state=0).build_dual().enforce_traces()
    for name in "abc":
        steps.add_atom(name)
    relation = algebra.positive[0]
    before = steps.model.holds(relation)
    return {"before": before, "after": steps.cross(relation).model.holds(relation)}


def relations_hold_at_the_end() -> Cases:
    """An embedded problem has all its relations."""
    for steps in finished():
        yield all(steps.model.holds(relation) for relation in steps.algebra.relations)


def sizes_by_crossing() -> Values:
    """Atoms of models by sparse and by full crossing."""
    toy = toy_steps().enforce_traces().cross_all().reduce()
    sizes = [(s.model.n_atoms, s.algebra.freest().n_atoms) for s in finished()]
    ratio = float(np.mean([full / max(1, sparse) for sparse, full in sizes]))
    return {"sparse": toy.model.n_atoms, "full": toy.algebra.freest().n_atoms, "ratio": ratio}


def toy_reduced_again() -> Values:
    """The sizes of the toy model in fifty further reductions."""
    steps = toy_steps().enforce_traces().cross_all().reduce()
    before = len(steps.atoms)
    return {"before": before, "sizes": {len(steps.reduce().atoms) for _ in range(50)}}


def calls_to_delete_beta() -> Values:
    """How many reductions it takes, by seed, until a redundant atom in c1 is gone."""
    calls = []
    for seed in range(200):
        steps = toy_steps().enforce_traces().cross_all().reduce().add_atom("c1")
        steps.rng = Embedding(steps.algebra, random_state=seed).rng
        calls.append(0)
        while len(steps.atoms) > 2 and calls[-1] < 50:
            steps.reduce()
            calls[-1] += 1
    return {"calls": calls}


def kept_for_negatives(steps: Embedding) -> Any:
    """Which atoms Algorithm 5 keeps: enough to discriminate the negative relations."""
    known = steps.relations
    return discriminating(
        steps.atoms, known.negative_left, known.negative_right, steps.n, steps.rng
    )


def reduced_by_negatives() -> Cases:
    """Atoms that discriminate the negative relations are no more than those."""
    for steps in finished():
        yield len(kept_for_negatives(steps)) <= len(steps.algebra.negative)


def reduced_too_early() -> Cases:
    """Does a problem keep its negative relations if it is reduced by them before crossing?"""
    for steps in embeddings():
        steps.enforce_traces()
        steps.atoms = steps.atoms[kept_for_negatives(steps)]
        try:
            model = steps.cross_all().model
        except InvalidParameter:  # Algorithm 3 finds no partner: the traces are not kept
            yield False
        else:
            yield all(model.holds(relation) for relation in steps.algebra.negative)


def dual_is_small() -> Cases:
    """A reduced dual has no more atoms than there are negative relations."""
    for steps in embeddings():
        yield len(steps.build_dual(reduced=True).witnesses) <= len(steps.algebra.negative)


def same_conflicts_in_any_order() -> Cases:
    """In a contradictory problem the same negative relations fail, whatever their order."""
    rng = np.random.default_rng(0)
    for algebra in random_algebras()[:20]:
        wrong = algebra.copy()
        wrong.add(~r for r in wrong.positive[:2])
        found = set()
        for _ in range(5):
            order = rng.permutation(len(wrong.relations))
            twin = algebra_of(" ".join(wrong.names), *(str(wrong.relations[i]) for i in order))
            found.add(frozenset(str(c.relation) for c in twin.conflicts()))
        yield len(found) == 1 and all("!<" in text for text in next(iter(found)))


# -- sections 3.1 and 3.4: the four atoms, the memories


def sixteen_images() -> Cases:
    """Are the images of 2 × 2 pixels judged rightly by the four atoms?"""
    model = model_of(paper.TOY_EXACT)
    for pixels, has_bar in images():
        image = model.term([CONSTANTS[c] for c in pixels])
        yield model.holds(model.term("v") <= image) == has_bar


def toy_definition() -> Values:
    """The definition that the four atoms give, and its constants."""
    text = str(model_of(paper.TOY_EXACT).definition("v").dnf)
    words = text.replace("(", " ").replace(")", " ").split()
    return {"text": text, "constants": set(words) & set(CONSTANTS)}


def least_free_memory() -> Values:
    """Does ``x < b`` hold in the least-free model of ``¬(a < b)`` alone?"""
    algebra = algebra_of("a b x", "a !< b")
    return {"holds": algebra.least_free().holds(algebra.relation("x < b"))}


def least_free_size() -> Values:
    """How many least-free models are no larger than the negative relations, and obey all."""
    many = [(algebra, algebra.least_free()) for algebra in random_algebras()]
    return {
        "tried": len(many),
        "small": sum(model.n_atoms <= len(algebra.negative) for algebra, model in many),
        "hold": sum(all(map(model.holds, algebra.relations)) for algebra, model in many),
    }


def freest_memory() -> Cases:
    """What holds in the freest model is what the relations entail."""
    for algebra in random_algebras()[:10]:
        model = algebra.freest()
        for a, b in pairs(algebra, 2):
            yield model.holds(a <= b) == algebra.entails(a <= b)


def freest_is_single() -> Cases:
    """The freest model does not depend on the order of the relations."""
    for algebra in random_algebras()[:20]:
        twin = algebra_of(" ".join(algebra.names), *map(str, reversed(algebra.relations)))
        yield twin.freest() == algebra.freest()


def freest_grows() -> Values:
    """The atoms of ``v`` in the freest model of one to seven images with a bar."""
    pictures, has_bar = vertical_bars(200, shape=(4, 4), noise=0.3, random_state=2)
    names = [f"{colour}{i}" for colour in "bw" for i in range(16)]
    algebra, sizes = Algebra(["v", *names]), []
    for image in pictures[has_bar][:7]:
        on = [f"{'b' if black else 'w'}{i}" for i, black in enumerate(image.ravel())]
        algebra.add(algebra["v"] <= algebra.term(on))
        sizes.append(len(algebra.freest(max_atoms=100_000).atoms_of(algebra["v"])))
    return {"sizes": sizes}


def sizes_of_freest_atoms() -> Values:
    """How many constants beside ``v`` contain an atom of the toy problem's freest model."""
    algebra = examples()
    return {"sizes": {len(atom) - 1 for atom in algebra.freest().atoms_of(algebra["v"])}}


def models_hold_their_own_pins() -> Cases:
    """A model obeys its pinning relations, and is not strictly freer than itself."""
    for steps in finished(30):
        yield all(map(steps.model.holds, steps.model.pinning_relations()))


def rules_beside_examples() -> Cases:
    """A rule between constants is embedded with examples."""
    algebra = algebra_of("v a b c", "v < a b", "v !< a c", "c < b")
    steps = Embedding(algebra, random_state=0).build_dual().enforce_traces().cross_all().reduce()
    yield from (steps.model.holds(relation) for relation in algebra.relations)


# -- appendices B and C: theorems and algorithms


def theorem_1() -> Cases:
    """Full crossing keeps all traces exactly if the trace constraint holds."""
    for steps in chain(embeddings(0), embeddings(1)):
        for name in steps.algebra.names:
            steps.add_atom(name)
        for a, b in pairs(steps.algebra, 1):
            if a != b:
                kept = _keeps_traces(steps, a.indices[0], b.indices[0])
                yield kept == (set(steps.trace(b)) <= set(steps.trace(a)))


def _keeps_traces(steps: Embedding, a: int, b: int) -> bool:
    """Does crossing ``a`` into ``b`` keep the trace of every atom involved?"""
    atoms, witnesses = rows.distinct(steps.atoms), steps.witnesses
    in_a, in_b = (rows.meets(atoms, rows.row([c], steps.n)) for c in (a, b))
    for phi in atoms[in_a & ~in_b]:
        after = [_trace(phi | epsilon, witnesses) for epsilon in atoms[in_b]]
        if frozenset(range(len(witnesses))).intersection(*after) != _trace(phi, witnesses):
            return False
    return True


def _trace(atom: rows.Rows, witnesses: rows.Rows) -> frozenset[int]:
    """``Tr(φ)``: the dual atoms that share a constant with an atom."""
    return frozenset(np.flatnonzero((witnesses & atom).any(axis=1)).tolist())


def theorem_2() -> Cases:
    """For random duals, with the atoms of ``[k]`` as the condition asks and otherwise.

    A dual atom ξ is a set of constants (those whose duals contain it); ``φ_ξ`` is in the others.
    ``GL([k])`` is chosen freely among what the edges ``[k] → [c_i]`` allow: a part of the
    intersection. The theorem says that the equivalence holds for all ξ exactly if it is all of it.
    """
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, z = 6, int(rng.integers(1, 6))
        dual = rng.random((z, n)) < 0.5  # ξ < [c]
        k = rng.choice(n, rng.integers(1, 4), replace=False)
        everything = dual[:, k].all(axis=1)  # the intersection of GL([c_i])
        below_k = everything & (rng.random(z) < 0.7)
        phi_in_k = (~dual)[:, k].any(axis=1)
        yield (below_k == ~phi_in_k).all() == (below_k == everything).all()


def theorem_3() -> Cases:
    """Models that obey the pinning relations of M are as free or freer, with larger atoms in M."""
    for steps in finished(30):
        M = steps.model
        pins = M.pinning_relations()
        for other in (steps.algebra.freest(), M, M | steps.algebra.least_free()):
            if all(map(other.holds, pins)):
                larger = all(
                    any(set(e.constants) <= set(phi.constants) for e in other.atoms)
                    for phi in M.atoms
                )
                yield other.is_freer_than(M) and larger


def theorem_4() -> Cases:
    """What follows from the positive relations is what holds in all models of R."""
    for algebra in random_algebras()[:20]:
        positive = algebra_of(" ".join(algebra.names), *map(str, algebra.positive))
        both = algebra.freest() | algebra.least_free()  # a model of R with as many negatives
        for a, b in product(terms(algebra, 2), terms(algebra, 1)):
            asked = f"{a} < {b}"
            yield positive.entails(positive.relation(asked)) == both.holds(algebra.relation(asked))


def theorem_5() -> Cases:
    """Without an atom a model is the same exactly if the atom is redundant."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        algebra = Algebra("abcde")
        atoms = [
            sorted(rng.choice(5, rng.integers(1, 4), replace=False).tolist()) for _ in range(7)
        ]
        model = Model(algebra, rows.from_indices(atoms, 5))
        asked = list(product(terms(algebra, 1), terms(algebra, 5)))
        for atom in model.atoms:
            rest = [list(a.indices) for a in model.atoms if a != atom]
            without = Model(algebra, rows.from_indices(rest, 5))
            same = all(model.holds(a <= b) == without.holds(a <= b) for a, b in asked)
            yield same == (atom in model.redundant_atoms)


def theorem_6() -> Cases:
    """What holds after a full crossing is what followed before it and the relation crossed."""
    for steps in finished(6):
        model, before = steps.model, Algebra(steps.algebra.names)
        some = terms(before, steps.n)

        def says(model: Model, a: Term, b: Term) -> bool:
            return model.holds(model.term(a.constants) <= model.term(b.constants))

        before.add(a <= b for a in some for b in some if says(model, a, b))
        singles = terms(before, 1)
        d, e = next((d, e) for d in singles for e in singles if not says(model, d, e))
        after = model.cross(model.term(d.constants), model.term(e.constants))
        before.add(d <= e)
        for b, closed in zip(some, before.closures(some), strict=True):
            for a in some:
                yield says(after, a, b) == (set(a.indices) <= set(closed.indices))


def theorem_7() -> Cases:
    """The trace constraints of a consistent problem can be enforced."""
    for steps in embeddings():
        yield not steps.enforce_traces().unmet()


def a_pin_for_each_atom() -> Cases:
    """There is a pinning term for every atom that is not in all constants."""
    for steps in finished():
        yield len(steps.pin()) == sum(len(atom) < steps.n for atom in steps.model.atoms)
