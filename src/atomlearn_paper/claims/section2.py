"""Section 2: the embedding."""

from itertools import pairwise

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.datasets import vertical_bars
from atomlearn.engine import PAPER, Concept, Embedding
from atomlearn.engine.misses import blocks_of, count_misses
from atomlearn.engine.reduction import discriminating
from atomlearn.errors import InvalidParameter
from atomlearn_paper.claims.problems import embeddings, finished, random_algebras, terms, toy_steps
from atomlearn_paper.claims.registry import Finding, Measured, claim, percent, spread, when
from atomlearn_paper.images import n_constants
from atomlearn_paper.images import terms as image_terms


@claim("2.2", "a<b, iff a ⊙ b = b")
def order_is_merge(measured: Measured) -> Finding:
    right = tried = 0
    for steps in list(finished())[:12]:
        model, some = steps.model, terms(steps.algebra, 2)
        for a in some:
            for b in some:
                same = set(model.atoms_of(a | b)) == set(model.atoms_of(b))
                right, tried = right + (same == model.holds(a <= b)), tried + 1
    return when(right == tried, f"{right:,} of {tried:,} pairs of terms of random models")


@claim("2.6", "Tr(a ⊙ b) = Tr(a) ∩ Tr(b)")
def traces_are_linear(measured: Measured) -> Finding:
    right = tried = 0
    for steps in list(finished())[:12]:
        some = terms(steps.algebra, 1)
        for a, b in ((a, b) for a in some for b in some):
            both = set(steps.trace(a)) & set(steps.trace(b))
            right, tried = right + (set(steps.trace(a | b)) == both), tried + 1
    return when(right == tried, f"{right:,} of {tried:,} pairs")


@claim("2.6", "a < b ⇒ Tr(b) ⊂ Tr(a)")
def order_and_traces(measured: Measured) -> Finding:
    right = tried = 0
    for steps in list(finished())[:12]:
        some = terms(steps.algebra, 1)
        for a, b in ((a, b) for a in some for b in some):
            if steps.model.holds(a <= b):
                right, tried = right + (set(steps.trace(b)) <= set(steps.trace(a))), tried + 1
    return when(right == tried, f"{right:,} of {tried:,} relations that hold")


@claim(
    "2.6", "the reverted order relations are satisfied if and only if the embedding is consistent"
)
def consistency_by_edges(measured: Measured) -> Finding:
    algebra = Algebra(["x", "a", "b", "d"])
    algebra.add(algebra.relation(text) for text in ("x < a b", "a < d", "b < d", "x !< d"))
    edges = {("[a b]", "[x]"), ("[d]", "[a]"), ("[d]", "[b]"), ("[a b]", "[a]"), ("[a b]", "[b]")}
    while more := {(s, u) for s, t in edges for t2, u in edges if t == t2} - edges:
        edges |= more
    seen = ("[d]", "[x]") in edges
    return Finding(
        "reproduced" if seen else "in part",
        "transitive closure of the edges misses x < a b, a < d, b < d with x !< d, which closure "
        f"of terms refutes ({len(algebra.conflicts())} conflict); "
        f"for examples of classes it is exact",
    )


@claim("2.6", "Tr(T_i^-) = {0*, ζ1, ζ2, ζ3} and Tr(v) = {0*} after adding φ → v")
def toy_negative(measured: Measured) -> Finding:
    steps = toy_steps().enforce_negative()
    full = all(len(steps.trace(r.right)) == 3 for r in steps.algebra.negative)
    atoms = [" ".join(a.constants) for a in steps.model.atoms]
    return when(full and steps.trace("v") == () and atoms == ["v"], f"atoms of M: {atoms}")


@claim("2.6", "For the first term T_1^+ we just need to edge one atom to the first constant")
def toy_positive(measured: Measured) -> Finding:
    steps = toy_steps().enforce_traces()
    atoms = sorted(" ".join(a.constants) for a in steps.model.atoms)
    traces = steps.traces()
    ok = atoms == ["c1", "c3", "c4", "v"] and traces["c3"] == ("ζ2",)
    return when(
        ok and traces["c4"] == ("ζ1", "ζ3"), f"atoms {', '.join(atoms)}; Tr(ε2) = {{0*, ζ2}}"
    )


@claim("2.6", "until all constraints are satisfied, which usually occurs within a few iterations")
def few_iterations(measured: Measured) -> Finding:
    passes = []
    for steps in embeddings():
        n = 0
        while steps.unmet():
            steps.enforce_negative().enforce_positive()
            n += 1
        passes.append(n)
    return when(
        max(passes) <= 5,
        f"{np.mean(passes):.1f} passes in the mean, {max(passes)} at most, "
        f"over {len(passes)} random problems",
    )


@claim("2.7", "After enforcing the trace constraints, all negative relations are already satisfied")
def negatives_already_hold(measured: Measured) -> Finding:
    many = [s.enforce_traces() for s in embeddings()]
    right = sum(all(s.model.holds(r) for r in s.algebra.negative) for s in many)
    return when(right == len(many), f"{right} of {len(many)} random problems")


@claim("2.7", "Full and Sparse Crossing operations keep unaltered all positive order relations")
def crossing_keeps_positives(measured: Measured) -> Finding:
    lost = tried = 0
    for full in (False, True):
        for steps in list(embeddings())[:3]:
            steps.enforce_traces()
            some = terms(steps.algebra, 2)
            for relation in steps.algebra.positive:
                before = [a <= b for a in some for b in some if steps.model.holds(a <= b)]
                steps.cross(relation, full=full)
                lost += sum(not steps.model.holds(r) for r in before)
                tried += len(before)
    return when(lost == 0, f"{lost} of {tried:,} relations lost")


@claim("2.7", "a negative relation before crossing can turn positive after crossing")
def crossing_loses_negatives(measured: Measured) -> Finding:
    algebra = Algebra(["a", "b", "c"])
    algebra.add(algebra.relation("a < b"), algebra.relation("b !< c"))
    steps = Embedding(algebra, random_state=0).build_dual().enforce_traces()
    for name in "abc":
        steps.add_atom(name)
    before = steps.model.holds(algebra.relation("a < b"))
    after = steps.cross(algebra.positive[0]).model.holds(algebra.relation("a < b"))
    return when(not before and after, "¬(a < b) holds before crossing a into b and not after")


@claim("2.7", "the positive trace constraint [...] ensure that the crossing preserves R^-")
def crossing_keeps_negatives(measured: Measured) -> Finding:
    many = list(finished())
    right = sum(all(s.model.holds(r) for r in s.algebra.relations) for s in many)
    return when(right == len(many), f"all relations hold in {right} of {len(many)} random problems")


@claim("2.7", "Tr(ε2)_i = {0*, ζ1} equals Tr(ε2)_f = Tr(φ2) = {0*, ζ1}")
def misprinted_trace(measured: Measured) -> Finding:
    trace = ", ".join(toy_steps().enforce_traces().trace("c3"))
    return Finding("misprint", f"Tr(ε2) = {{0*, {trace}}}, as the paper's section 2.6 has it")


@claim("2.7", "GL^a(v) = {0, φ2, φ3} [...] GL^a(T_1,3^-) = {0, φ3} and GL^a(T_2^-) = {0, φ2}")
def toy_model(measured: Measured) -> Finding:
    steps = toy_steps().enforce_traces().cross_all().reduce()
    model, alg = steps.model, steps.algebra
    found = [{" ".join(a.constants) for a in model.atoms_of(r.right)} for r in alg.negative]
    wanted = [{"v c1 c4"}, {"v c1 c3"}, {"v c1 c4"}]
    return when(found == wanted, "φ2 in v, c1, c3 and φ3 in v, c1, c4; " + str(found))


@claim("2.7", "Eliminating the initial atoms φ1, ε2 and ε3 we have the graph")
def partners_stay(measured: Measured) -> Finding:
    steps = toy_steps().enforce_traces().cross_all()
    kept = [" ".join(a.constants) for a in steps.model.atoms if len(a) == 1]
    return Finding(
        "misprint",
        f"Algorithm 3 as printed renews the partners (ε' → ε), so {', '.join(kept)} keep their "
        "atoms until the reduction; the text deletes them at once",
    )


@claim("2.8", "Models found by Sparse Crossing are much smaller than models found by Full Crossing")
def sparse_is_smaller(measured: Measured) -> Finding:
    sparse = toy_steps().enforce_traces().cross_all().reduce()
    full = sparse.algebra.freest()
    sizes = [(s.model.n_atoms, s.algebra.freest().n_atoms) for s in finished()]
    ratio = np.mean([b / max(1, a) for a, b in sizes])
    return when(
        ratio > 2,
        f"toy problem {sparse.model.n_atoms} atoms against {full.n_atoms}; random problems "
        f"{ratio:.1f} times as many by full crossing",
    )


@claim("2.8", "The model we have obtained cannot be reduced")
def toy_irreducible(measured: Measured) -> Finding:
    steps = toy_steps().enforce_traces().cross_all().reduce()
    before, sizes = steps.atoms.copy(), set()
    for _ in range(50):
        sizes.add(len(steps.reduce().atoms))
    return when(sizes == {len(before)}, f"{sizes} atoms after 50 more calls of Algorithm 4")


@claim("2.8", "typically would delete atom β in a single call or within a few calls")
def beta(measured: Measured) -> Finding:
    calls = []
    for seed in range(200):
        steps = toy_steps().enforce_traces().cross_all().reduce().add_atom("c1")
        steps.rng = Embedding(steps.algebra, random_state=seed).rng
        n = 0
        while len(steps.atoms) > 2 and n < 50:
            steps.reduce()
            n += 1
        calls.append(n)
    once = sum(n == 1 for n in calls)
    return when(once > 100, f"in one call for {once} of 200 seeds, in {max(calls)} at most")


@claim(
    "2.8", "keeping just enough atoms to discriminate R^- ensures [...] a size under that of R^-"
)
def reduced_by_negatives(measured: Measured) -> Finding:
    many = list(finished())
    sizes = [
        (
            len(
                discriminating(
                    s.atoms, s.relations.negative_left, s.relations.negative_right, s.n, s.rng
                )
            ),
            len(s.algebra.negative),
        )
        for s in many
    ]
    return when(all(a <= b for a, b in sizes), f"{sum(a <= b for a, b in sizes)} of {len(sizes)}")


@claim("2.8", "it fails to produce good generalizing models", "mnist")
def negatives_generalise_less(measured: Measured) -> Finding:
    own, other = (
        [f["single"]["error"] for f in measured.seeds("mnist", start)]
        for start in ("switch-letter-", "switch-letter-reduction-")
    )
    worse = sum(b > a for a, b in zip(own, other, strict=True))
    return when(
        worse == len(own),
        f"MNIST digit 5 to the letter, one model after 40 epochs: {spread(other)} % against "
        f"{spread(own)} % with Algorithm 4 alone; worse for {worse} of {len(own)} seeds",
        "in part",
    )


@claim("2.8", "If used at some intermediate stage [...] models that do not satisfy R^-")
def too_early(measured: Measured) -> Finding:
    broken = 0
    for steps in embeddings():
        steps.enforce_traces()
        known = steps.relations
        kept = discriminating(
            steps.atoms, known.negative_left, known.negative_right, steps.n, steps.rng
        )
        steps.atoms = steps.atoms[kept]
        try:
            steps.cross_all()
        except InvalidParameter:  # Algorithm 3 finds no partner: the traces are not kept
            broken += 1
            continue
        broken += not all(steps.model.holds(r) for r in steps.algebra.negative)
    return when(broken > 0, f"{broken} of 60 random problems fail when it is used before crossing")


@claim(
    "2.8", "ensuring that the number of atoms in M* is never larger than the size of the set R^-"
)
def dual_is_small(measured: Measured) -> Finding:
    sizes = [
        (len(s.build_dual(reduced=True).witnesses), len(s.algebra.negative)) for s in embeddings()
    ]
    return when(all(a <= b for a, b in sizes), f"{sum(a <= b for a, b in sizes)} of {len(sizes)}")


@claim("2.8", "the atomization of M is a few times larger than the atomization of M*", "mnist")
def master_and_dual(measured: Measured) -> Finding:
    found = {}
    for p in ("letter", "default"):
        rows = [measured["mnist"][f"digit-{d}-{p}-0"] for d in range(10)]
        found[p] = [
            np.mean([r[key] / r["witnesses"] for r in rows]) for key in ("all atoms", "atoms of v")
        ]
    a, b = found["letter"], found["default"]
    return Finding(
        "reproduced" if a[0] > 1.5 else "in part",
        f"to the letter {a[0]:.1f} times (atoms of v {a[1]:.1f}); by this library {b[0]:.1f} "
        f"({b[1]:.1f})",
    )


@claim("2.8", "M* does not generalize because it is not sufficiently free", "mnist")
def dual_does_not_generalise(measured: Measured) -> Finding:
    rows = [measured["mnist"][f"digit-{d}-letter-0"] for d in range(10)]
    alone, pins, own = (
        float(np.mean([r[key]["error"] for r in rows]))
        for key in ("model of a dual without pins", "model of the dual", "single")
    )
    return when(
        alone > 3 * own,
        f"the model of the dual's atoms errs on {percent(alone, 1)} without pins, "
        f"{percent(pins, 1)} "
        f"with them, the master on {percent(own, 1)} (MNIST, to the letter)",
    )


@claim("2.9", "T_φ2 = c2 ⊙ c4 ⊙ c5 ⊙ c6 ⊙ c7 ⊙ c8 [...] T_φ3 = c2 ⊙ c3 ⊙ c5 ⊙ c6 ⊙ c7 ⊙ c8")
def toy_pins(measured: Measured) -> Finding:
    pins = [str(t) for t in toy_steps().enforce_traces().cross_all().reduce().pin()]
    return when(pins == ["c2 c4 c5 c6 c7 c8", "c2 c3 c5 c6 c7 c8"], "; ".join(pins))


@claim("2.9", "For atom φ3, with φ3 < c1 and φ2 < c4")
def misprinted_atom(measured: Measured) -> Finding:
    return Finding("misprint", "φ3 < c4: φ2 is in c1 and c3")


@claim("2.9", "We then require [...] ¬(c3 < T_φ3)")
def misprinted_pin(measured: Measured) -> Finding:
    pins = toy_steps().enforce_traces().cross_all().reduce().model.pinning_relations()
    right = [str(r) for r in pins if str(r.left) == "c3"]
    return Finding("misprint", f"c3 is a part of T_φ3; the relation is {right[0]}, T_φ2")


@claim("2.9", "Often when we resume learning by embedding R_1 some relations of R_0 no longer hold")
def forgets(measured: Measured) -> Finding:
    images, labels = vertical_bars(4000, shape=(8, 8), noise=0.1, random_state=0)
    packed, n = image_terms(images), n_constants(images)
    concept, wrong = Concept(n, n - 1, 0, PAPER), []
    batches = [slice(k, k + 400) for k in range(0, 4000, 400)]
    for before, now in pairwise(batches):
        for part in (before, now):
            concept.learn_batch(packed[part][labels[part]], packed[part][~labels[part]])
        said = count_misses(concept.masters[-1], blocks_of(packed[before], n), 400) == 0
        wrong.append(float((said != labels[before]).mean()))
    return when(
        max(wrong) > 0,
        f"bars 8 × 8: {percent(float(np.mean(wrong)), 1)} of the relations of "
        "the batch before fail, to the letter",
    )


@claim(
    "2.9", "the resulting relations that do not hold are always the same and are always negative"
)
def same_conflicts(measured: Measured) -> Finding:
    rng = np.random.default_rng(0)
    right = 0
    for algebra in random_algebras()[:20]:
        wrong = algebra.copy()
        wrong.add(~r for r in wrong.positive[:2])
        found = set()
        for _ in range(5):
            twin = Algebra(wrong.names)
            order = rng.permutation(len(wrong.relations))
            twin.add(twin.relation(str(wrong.relations[i])) for i in order)
            found.add(frozenset(str(c.relation) for c in twin.conflicts()))
        right += len(found) == 1 and all("!<" in text for text in next(iter(found)))
    return when(right == 20, f"{right} of 20 contradictory problems, each in five orders")


@claim(
    "2.9",
    "We found this strategy more efficient and computationally lighter than the first",
    "mnist",
)
def second_strategy(measured: Measured) -> Finding:
    hold, enforce = (measured.seeds("mnist", f"switch-letter-{s}") for s in ("", "first-strategy-"))
    errors = [[f["5 of 10"]["error"] for f in many] for many in (hold, enforce)]
    sizes = [np.mean([f["witnesses"] for f in many]) for many in (hold, enforce)]
    return when(
        bool(np.mean(errors[0]) < np.mean(errors[1]) and sizes[0] < sizes[1]),
        f"MNIST digit 5, 40 epochs, 5 of 10 votes: {spread(errors[0])} % with {sizes[0]:.0f} atoms "
        f"in the dual, the first strategy {spread(errors[1])} % with {sizes[1]:.0f}",
        "in part",
    )


@claim(
    "2.9",
    "the number of pinning terms and relations tend to converge [...] or grow very slowly",
    "mnist",
)
def pins_converge(measured: Measured) -> Finding:
    curves = [
        [p["pool"] for p in measured["mnist"][f"digit-{d}-letter-0"]["curve"]] for d in range(10)
    ]
    mean = np.mean(curves, axis=0)
    n = len(mean) - 1
    told = ", ".join(f"{mean[k]:,.0f}" for k in (n // 4, n // 2, 3 * n // 4, n))
    late = (mean[n] - mean[n // 2]) / mean[n // 2]
    return Finding(
        "reproduced" if late < 0.2 else "not reproduced",
        f"at a quarter, half, three quarters and the end of the run: {told}; the second half adds "
        f"{100 * late:.0f} %",
    )


@claim("2.9", "Pinning terms and relations [...] can be shared with other algebras")
def shared(measured: Measured) -> Finding:
    images, labels = vertical_bars(6000, shape=(8, 8), noise=0.1, random_state=1)
    packed, n = image_terms(images), n_constants(images)
    test, true = blocks_of(packed[4000:], n), labels[4000:]
    pools = []
    for half in (slice(0, 2000), slice(2000, 4000)):
        concept = Concept(n, n - 1, 0)
        for k in range(half.start, half.stop, 400):
            part = slice(k, k + 400)
            concept.learn_batch(packed[part][labels[part]], packed[part][~labels[part]])
        pools.append(concept.pool)

    def error(pool: "object") -> float:
        misses = pool.misses(test, len(true))  # type: ignore[attr-defined]
        return min(float(((misses <= cut) != true).mean()) for cut in range(60))

    alone = [error(pool) for pool in pools]
    both = pools[0].copy()
    both.add_lists(pools[1].atoms, 0)
    return when(
        error(both) < min(alone),
        f"bars 8 × 8, misses: {percent(error(both))} with the pins "
        f"of two algebras, {percent(alone[0])} and {percent(alone[1])} alone",
    )
