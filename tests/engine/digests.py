"""What the kernels make of fixed seeds, in digests: ``python -m tests.engine.digests`` prints them.

Run with and without ``NUMBA_DISABLE_JIT=1``, the output must be the same to the letter.
"""

import hashlib
import json
import sys
import warnings

import numpy as np

from atomlearn.engine import epoch
from atomlearn.engine.concept import Concept, Recipe, Sampler
from atomlearn.engine.misses import blocks_of, contradicted, count_misses, discriminants
from atomlearn.engine.pool import hash_lists
from atomlearn.engine.protocol import Protocol
from atomlearn.engine.state import Report
from atomlearn.sets import words
from atomlearn.sets.closing import close_rows
from atomlearn.sets.random import below, draw, permutation, shuffle, stream
from atomlearn.sets.words import transpose
from tests.engine.bars import BAR, N, bars, rows
from tests.engine.strategies import (
    branching_problem,
    closed_pins,
    consistent,
    lists_of,
    positive_rows,
    random_problem,
    random_terms,
    relation_rows,
)
from tests.sets.strategies import random_sets, to_rows

PROBLEMS = [(8, 6, 10), (12, 70, 20), (20, 130, 30), (65, 10, 20), (130, 20, 30)]
SEEDS = range(3)


def digests() -> dict[str, str]:
    """A name for each run, and the digest of all arrays that came out of it."""
    results = {"branching": branching()}
    for seed in SEEDS:
        results[f"bits {seed}"] = bits(seed)
        results[f"concept {seed}"] = concept(seed)
        for shape in PROBLEMS:
            results[f"engine {shape} {seed}"] = engine(seed, shape)
    return {name: digest(arrays) for name, arrays in results.items()}


def digest(arrays):
    state = hashlib.sha256()
    for array in map(np.asarray, arrays):
        state.update(f"{array.dtype} {array.shape}".encode())
        state.update(array.tobytes())
    return state.hexdigest()


def bits(seed):
    rng, items, sets = stream(seed), np.arange(77), random_sets(seed, 70, 130, 0.3)
    matrix = to_rows(sets, 130)
    left, right = (to_rows(random_terms(seed + k, 40, 130), 130) for k in (1, 2))
    shuffle(rng, items)
    counts = [[words.size(row), words.select(row, 7), words.has(row, 9)] for row in matrix]
    numbers = [[words.popcount(w), words.lowest(w), words.nth(w, 2)] for w in matrix[:, 0]]
    bit_words = [[words.bit_of(i), words.tail(i)] for i in range(130)]
    return [
        items,
        np.array(counts, dtype=np.int64),
        np.array(numbers, dtype=np.int64),
        np.array(bit_words, dtype=np.uint64),
        transpose(matrix, 130),
        close_rows(matrix, left, right, 130),
        np.array([draw(rng), below(rng, 10**9)], dtype=np.uint64),
        permutation(rng, 99),
        rng,
    ]


def engine(seed, shape):
    """Everything an epoch goes through, with all settings."""
    problem = consistent(random_problem(seed, *shape))
    n, rng = problem.n, stream(seed)
    pins, atoms = closed_pins(problem, seed, 12), random_terms(seed, 30, n)
    sides, lists = positive_rows(problem.positives, n), lists_of(atoms, n)
    results = [
        *lists,
        hash_lists(lists),
        discriminants(lists, sides.left_of, sides.right_of),
        contradicted(lists, sides.left_of, sides.right_of),
        count_misses(lists, blocks_of(sides.right, n), len(sides.right)),
    ]
    for vocabulary in ("all", "needed"):
        for pinned in (False, True):
            batch = epoch.prepare(relation_rows(problem), rng)
            report = Report()
            results += [
                batch.closed,
                batch.conflicts,
                epoch.run(
                    batch,
                    rng,
                    report,
                    pins=lists_of(pins, n),
                    protocol=Protocol(
                        vocabulary=vocabulary,
                        dual="lazy" if pinned else "reduced",
                        strategy="enforce" if pinned else "lend",
                    ),
                    kept=to_rows(atoms[:5], n) if pinned else None,
                ),
                report.words["crossing"],
            ]
    # A dual that separates nothing: Algorithm 1 has to ask for witnesses.
    batch, none = epoch.prepare(relation_rows(problem), rng), to_rows([], n)
    dual, master, traces = epoch.enforce(batch, batch.left, batch.closed, none, none, rng)
    return [*results, *dual, master.singles, traces, rng]


def branching():
    """Atoms enough that arrays grow."""
    problem, witnesses = branching_problem()
    rng = stream(5)
    batch = epoch.prepare(relation_rows(problem), rng)
    dual = to_rows(witnesses, problem.n)
    master = epoch.embed(batch, batch.left, batch.closed, dual, rng, Report())
    return [master.singles, master.atoms[: master.n], master.traces[: master.n], rng]


def concept(seed):
    terms, mirrored, labels = bars(seed, 40)
    recipe = Recipe(first=16, hard_after=1, hard_every=1, hard_size=8, hard_atoms=20)
    sampler = Sampler(
        Concept(N, BAR, seed, recipe), np.stack([rows(terms), rows(mirrored)]), labels
    )
    for _ in range(2):
        sampler.run_epoch()
    learned, blocks = sampler.concept, blocks_of(rows(terms), N)
    counts = learned.misses(blocks, 40), learned.votes(blocks, 40)
    return [*learned.pool.atoms, learned.pool.born, learned.rng, *counts, learned.hard]


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # words wrap around: NumPy says so, LLVM not
    json.dump(digests(), sys.stdout)
