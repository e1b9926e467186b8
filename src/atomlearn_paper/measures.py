"""What the claims measure where an expression does not suffice.

A measure gives named values, or yields whether each of many cases is right; the rules and the
words of the claims are in ``claims.toml``, and so are measures that are a single expression.
"""

import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, combinations, islice, pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import Term
from atomlearn.datasets import vertical_bars
from atomlearn.engine import (
    PAPER,
    Concept,
    Embedding,
    Pool,
    Report,
    dual,
    epoch,
    reduction,
)
from atomlearn.engine.misses import blocks_of, count_misses
from atomlearn.errors import InvalidParameter
from atomlearn.problems import queens as chess
from atomlearn.sets import rows
from atomlearn.sets.random import stream
from atomlearn.sets.rows import no_lists, take
from atomlearn_paper import paper
from atomlearn_paper.bars import exact_bars
from atomlearn_paper.expressions import mean
from atomlearn_paper.images import terms as image_terms
from atomlearn_paper.mnist import by_seed, with_seeds
from atomlearn_paper.paper import error_of
from atomlearn_paper.parity import exact_parity
from atomlearn_paper.toy import CONSTANTS, examples, images, model_of

__all__ = [
    "CONSTANTS", "PAPER", "Embedding", "by_seed", "chess", "error_of", "exact_bars",
    "exact_parity", "examples", "images", "model_of", "paper", "permutations", "with_seeds",
]  # fmt: skip
"""What the claims use from elsewhere."""

Values = dict[str, Any]
"""Named values."""
Cases = Iterator[bool]
"""Whether each of many cases is right."""
PAPERS_CHOICES = 11
"""A seed with which the steps make the random choices of the paper."""


# -- problems


def toy_steps() -> Embedding:
    """The toy problem with its dual."""
    return Embedding(examples(), random_state=PAPERS_CHOICES).build_dual()


def embedded(algebra: Algebra, seed: int = 0) -> Embedding:
    """A problem, embedded."""
    steps = Embedding(algebra, random_state=seed).build_dual()
    return steps.enforce_traces().cross_all().reduce()


def embedded_toy() -> Embedding:
    """The toy problem, embedded."""
    return embedded(examples(), PAPERS_CHOICES)


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
    for k, algebra in enumerate(random_algebras()[:count]):
        yield embedded(algebra, k)


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


def twin_of(algebra: Algebra, relations: Iterable[Relation | str]) -> Algebra:
    """An algebra with the same constants and these relations."""
    return algebra_of(" ".join(algebra.names), *map(str, relations))


def assignments(n: int) -> list[tuple[bool, ...]]:
    """All ways in which ``n`` propositions are true or false."""
    return list(product([False, True], repeat=n))


def spelled(atoms: Any) -> list[str]:
    """Atoms by the constants that contain them."""
    return [" ".join(atom.constants) for atom in atoms]


# -- section 2: the embedding


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
    by_the_text = toy_steps().enforce_traces()
    for relation in by_the_text.algebra.positive:
        by_the_text.cross(relation, renewal="needed")
    values["by_the_text"] = sorted(spelled(by_the_text.model.atoms))
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


def calls_to_delete_beta() -> Values:
    """How many reductions it takes, by seed, until a redundant atom in c1 is gone."""
    calls = []
    for seed in range(200):
        steps = embedded_toy().add_atom("c1")
        steps.rng = Embedding(steps.algebra, random_state=seed).rng
        calls.append(0)
        while len(steps.atoms) > 2 and calls[-1] < 50:
            steps.reduce()
            calls[-1] += 1
    return {"calls": calls}


def kept_for_negatives(steps: Embedding) -> Any:
    """Which atoms Algorithm 5 keeps: enough to discriminate the negative relations."""
    known = steps.relations
    return reduction.discriminating(
        steps.atoms, known.negative_left, known.negative_right, steps.n, steps.rng
    )


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


def same_conflicts_in_any_order() -> Cases:
    """In a contradictory problem the same negative relations fail, whatever their order."""
    rng = np.random.default_rng(0)
    for algebra in random_algebras()[:20]:
        wrong = algebra.copy()
        wrong.add(~r for r in wrong.positive[:2])
        found = set()
        for _ in range(5):
            order = rng.permutation(len(wrong.relations))
            twin = twin_of(wrong, (wrong.relations[i] for i in order))
            found.add(frozenset(str(c.relation) for c in twin.conflicts()))
        yield len(found) == 1 and all("!<" in text for text in next(iter(found)))


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


def discrete_state() -> Cases:
    """Is every array of an epoch, its dual, its master and its traces, one of whole numbers?"""
    for k, algebra in enumerate(random_algebras()):
        rng, n = stream(k), algebra.n_constants
        batch = epoch.prepare(algebra.packed(), rng)
        witnesses = dual.cover(batch.left, batch.closed, no_lists(), n, rng, "every")
        found = epoch.embed(batch, batch.left, batch.closed, witnesses, rng, Report())
        arrays = (*batch.positives, batch.left, batch.closed, witnesses, *found[:5], rng)
        yield from (np.asarray(array).dtype.kind in "uib" for array in arrays)


def crossing_is_a_homomorphism() -> Cases:
    """After a crossing, is ``q = r ⊙ s`` for all terms of which it held; and is one more order?"""
    for full in (False, True):
        for steps in islice(embeddings(), 4):
            steps.enforce_traces()
            for relation in steps.algebra.positive:
                before = steps.model
                new = not before.holds(relation)
                after = steps.cross(relation, full=full).model
                some = terms(steps.algebra, 1)
                for r, s in product(some, some):
                    for q in terms(steps.algebra, 2):
                        if before.holds(q <= r | s) and before.holds(r | s <= q):
                            yield after.holds(q <= r | s) and after.holds(r | s <= q)
                if new:  # never injective: what was different is the same now
                    yield after.holds(relation)


def reduced_at_any_time() -> Cases:
    """Does everything hold in the end if Algorithm 4 is called before and after each crossing?"""
    for steps in embeddings():
        steps.enforce_traces().reduce()
        for relation in steps.algebra.positive:
            steps.cross(relation).reduce()
        yield all(map(steps.model.holds, steps.algebra.relations))


def atoms_in_both() -> Cases:
    """Is each atom in at most one constant of a pixel, black or white? Bars, to the letter."""
    concept = Concept(129, 128, 0, PAPER)
    for packed, labels in _batches(8, 4000, 400, 6):
        concept.learn_batch(packed[labels], packed[~labels])
        for k in range(concept.masters[-1].n):
            held = set(take(concept.masters[-1], np.array([k])).constants.tolist())
            yield not any(pixel + 64 in held for pixel in held if pixel < 64)


def images_of_an_atom(d: int = 4, size: int = 8, draws: int = 60) -> Values:
    """The number of images of random atoms under the permutations of rows and columns."""
    rng, counts = np.random.default_rng(0), []
    for _ in range(draws):
        atom = [divmod(int(c), d) for c in rng.choice(d * d, size, replace=False)]
        counts.append(len({
            frozenset((p[i], q[j]) for i, j in atom)
            for p in permutations(range(d)) for q in permutations(range(d))
        }))  # fmt: skip
    return {"counts": counts, "most": math.factorial(d) ** 2}


def bad_and_consistent(R: int = 8) -> Values:
    """The share of models that obey ``R`` images and err on more than a fifth of all, by atoms.

    The last is the share among all models of up to four atoms.
    """
    shares, found, models = [], 0, 0
    for Z in (1, 2, 3, 4):
        says, bar = _answers(Z)
        bad = (says != bar).mean(axis=1) > 0.2
        both = bad & (says[:, :R] == bar[:R]).all(axis=1)
        shares.append(float(both.mean()))
        found, models = found + int(both.sum()), models + len(both)
    return {"shares": shares, "overall": found / models}


# -- learning bars in batches


def _batches(
    side: int, n: int, size: int, random_state: int
) -> list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]]:
    """Images of bars as terms, and their labels, in batches; the last constant is the class."""
    pictures, labels = vertical_bars(n, shape=(side, side), noise=0.1, random_state=random_state)
    packed = image_terms(pictures)
    return [(packed[k : k + size], labels[k : k + size]) for k in range(0, n, size)]


def _said(concept: Concept, packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """What the last model says of some images."""
    blocks = blocks_of(packed, concept.n_constants)
    return count_misses(concept.masters[-1], blocks, len(packed)) == 0


def forgets_the_batch_before() -> Values:
    """The share of each batch that is judged wrongly after the next one was learned."""
    concept, wrong = Concept(129, 128, 0, PAPER), []
    for before, now in pairwise(_batches(8, 4000, 400, 0)):
        for packed, labels in (before, now):
            concept.learn_batch(packed[labels], packed[~labels])
        wrong.append(float((_said(concept, before[0]) != before[1]).mean()))
    return {"wrong": wrong}


def pins_shared() -> Values:
    """The least error by misses with the pins of two algebras, alone and together."""
    batches = _batches(8, 6000, 400, 1)
    test = blocks_of(np.concatenate([b for b, _ in batches[10:]]), 129)
    true = np.concatenate([labels for _, labels in batches[10:]])

    def error(pool: Pool) -> float:
        misses = pool.misses(test, len(true))
        return min(float(((misses <= cut) != true).mean()) for cut in range(60))

    pools = []
    for half in (batches[:5], batches[5:10]):
        concept = Concept(129, 128, 0)
        for packed, labels in half:
            concept.learn_batch(packed[labels], packed[~labels])
        pools.append(concept.pool)
    both = pools[0].copy()
    both.add_lists(pools[1].atoms, 0)
    return {"both": error(both), "alone": [error(pool) for pool in pools]}


def batches_hold() -> Values:
    """How many examples are judged wrongly by the model of their own batch."""
    concept, wrong = Concept(73, 72, 0, PAPER), 0
    for packed, labels in _batches(6, 600, 200, 3):
        concept.learn_batch(packed[labels], packed[~labels])
        wrong += int((_said(concept, packed) != labels).sum())
    return {"wrong": wrong}


def thirty_random_atoms() -> Values:
    """The share of images without a bar that thirty exact atoms at random let pass, ten times."""
    pictures, has_bar = vertical_bars(40_000, shape=(15, 15), noise=0.1, random_state=5)
    blank = pictures[~has_bar].reshape(-1, 15, 15)
    rng, columns = np.random.default_rng(0), np.arange(15)
    passed = []
    for _ in range(10):
        atoms = rng.integers(15, size=(30, 15))
        held = [blank[:, atom, columns].any(axis=1) for atom in atoms]
        passed.append(float(np.all(held, axis=0).mean()))
    return {"passed": passed}


# -- random picking and the bounds of appendix E


def atoms_of_four_pixels() -> list[tuple[int, ...]]:
    """All atoms by the constants that contain them: each pixel black, white, or neither."""
    found: list[tuple[int, ...]] = [()]
    for black in range(1, 5):
        found = [(*atom, *more) for atom in found for more in ((), (black,), (black + 4,))]
    return [atom for atom in found if atom]


@cache
def _answers(Z: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """What every model of ``Z`` atoms says of every image of 2 × 2 pixels, and what is true."""
    bar = np.array([is_bar for _, is_bar in images()])
    held = np.array(
        [[bool(set(a) & set(pixels)) for pixels, _ in images()] for a in atoms_of_four_pixels()]
    )
    models = np.array(list(combinations(range(len(held)), Z)), dtype=np.uint8)
    says = np.ones((len(models), 16), dtype=bool)
    for k in range(Z):
        says &= held[models[:, k]]
    return says, bar


@cache
def random_picking(R: int, Z: int = 4, draws: int = 12) -> Values:
    """The mean error of all models of ``Z`` atoms that obey ``R`` of the sixteen images.

    Beside it the memories of section 3.4: the least-free model says yes to all new images, the
    freest says no. The means are over several training sets.
    """
    says, bar = _answers(Z)
    rng = np.random.default_rng(0)
    found: list[Values] = []
    while len(found) < draws:
        chosen = rng.permutation(16)[:R]
        rest = np.setdiff1d(np.arange(16), chosen)
        fits = (says[:, chosen] == bar[chosen]).all(axis=1)
        if fits.any():
            found.append({
                "random": (says[fits][:, rest] != bar[rest]).mean(),
                "memory": (~bar[rest]).mean(),
                "freest": bar[rest].mean(),
                "bound": math.log(len(says) / fits.sum()) / R,
                "fitting": fits.sum(),
            })  # fmt: skip
    return {key: mean(one[key] for one in found) for key in found[0]}


# -- section 5: queens


def rules_without_u() -> Values:
    """Conflicts on 5 × 5 if the rules are written without the constant U."""
    b = chess.Chessboard(5)
    algebra = b.algebra.copy()
    for s in b.squares:
        algebra.add(b.merge(b.E[t] for t in b.attacked(*s)) <= b.Q[s])
    algebra.add(chess.independence_rules(b))
    return {"conflicts": len(algebra.conflicts())}
