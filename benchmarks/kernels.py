"""Cost against examples and against pool, up to a million examples and 100,000 atoms."""

import time
import tracemalloc
from collections.abc import Mapping, Sequence

import numpy as np

from atomlearn.engine.misses import blocks_of, contradicted, count_misses
from atomlearn.engine.state import positives_of
from atomlearn.sets.rows import to_lists

N_CONSTANTS = 1569
SIZES = {"examples": (10_000, 100_000, 1_000_000), "atoms": (1_000, 10_000, 100_000)}


def measure(sizes: Mapping[str, Sequence[int]] = SIZES) -> dict[str, float]:
    figures = {}
    atoms = random_atoms(1000)
    for n in sizes["examples"]:
        seconds, predicted, peak = counting(atoms, random_terms(n))
        figures[f"misses of 1,000 atoms, {n:,} examples: ns an atom and example"] = (
            seconds / n * 1e6
        )
        figures[f"misses, {n:,} examples: peak memory / predicted ({predicted / 1e6:,.0f} MB)"] = (
            peak / predicted
        )
    positives = positives_of(np.tile(random_terms(1), (2000, 1)), random_terms(2000), N_CONSTANTS)
    for n in sizes["atoms"]:
        pins = random_atoms(n)
        contradicted(pins, positives.left_of, positives.right_of)
        start = time.perf_counter()
        contradicted(pins, positives.left_of, positives.right_of)
        figures[f"pool of {n:,} against 2,000 examples: ns an atom"] = (
            (time.perf_counter() - start) / n * 1e9
        )
    return figures


def counting(atoms, examples) -> tuple[float, int, int]:
    predicted = examples.size * 8 + len(examples) * 4  # blocks are the examples transposed; counts
    tracemalloc.start()
    blocks = blocks_of(examples, N_CONSTANTS)
    start = time.perf_counter()
    count_misses(atoms, blocks, len(examples))
    seconds = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, predicted, peak


def random_terms(n: int):
    rng = np.random.default_rng(0)
    return rng.integers(0, 2**63, size=(n, (N_CONSTANTS + 63) // 64), dtype=np.int64).astype(
        np.uint64
    )


def random_atoms(n: int):
    rng = np.random.default_rng(1)
    rows = np.zeros((n, (N_CONSTANTS + 63) // 64), dtype=np.uint64)
    for _ in range(12):
        c = rng.integers(0, N_CONSTANTS, size=n)
        rows[np.arange(n), c // 64] |= np.uint64(1) << (c % 64).astype(np.uint64)
    return to_lists(rows)
