"""One epoch: 2,000 + 2,000 images of MNIST, digit 5 against the rest, a pool of 20,000 pins."""

import time

import numpy as np

from atomlearn.engine.concept import Concept, Recipe, Sampler
from atomlearn.engine.misses import blocks_of, contradicted, count_misses
from atomlearn.engine.state import examples_of
from atomlearn.sets import rows
from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import take
from atomlearn.sets.words import popcount
from atomlearn_paper.images import mnist, n_constants, terms


def measure(pool: int = 20_000, batch: int = 2000) -> dict[str, float]:
    images = mnist()
    n = n_constants(images.pixels)
    examples = terms(images.pixels)
    concept = Concept(n, n - 1, 0, Recipe(largest=batch))
    sampler = Sampler(concept, examples[None], images.labels == 5)
    while len(concept.pool) < pool:
        sampler.run_epoch()
    thin(concept, pool)
    concept.all_positives = None  # as a stream of batches: each is held against the whole pool
    figures = phases(concept, examples, images.labels == 5, batch, repeat=20)
    return figures | throughput(concept, examples, batch)


def thin(concept: Concept, pool: int) -> None:
    spare = np.zeros(len(concept.pool), dtype=bool)
    spare[: len(concept.pool) - pool] = True
    concept.pool.drop(spare)


def phases(concept: Concept, examples, is_five, n: int, repeat: int) -> dict[str, float]:
    rng, pool = np.random.default_rng(0), len(concept.pool)
    positives, negatives = np.flatnonzero(is_five), np.flatnonzero(~is_five)
    seconds: dict[str, list[float]] = {}
    for _ in range(repeat):
        batch = (
            examples[rng.choice(positives, n, False)],
            examples[rng.choice(negatives, n, False)],
        )
        start = time.perf_counter()
        report = concept.learn_batch(*batch)
        seconds.setdefault("epoch 2,000 + 2,000, pool of 20,000: ms", []).append(
            time.perf_counter() - start
        )
        for name, value in report.seconds.items():
            seconds.setdefault(f"epoch, {name}: ms", []).append(value)
        thin(concept, pool)
    return {name: 1000 * float(np.median(values)) for name, values in seconds.items()}


@kernel
def bare_loop(a, b):
    total = 0
    for i in range(a.shape[0]):
        for w in range(a.shape[1]):
            total += popcount(a[i, w] & b[i, w])
    return total


def rate(words: int, call, repeat: int = 5) -> float:
    """Words a nanosecond, the best of some calls."""
    call()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return words / min(times) / 1e9


def throughput(concept: Concept, examples, n: int) -> dict[str, float]:
    some = np.ascontiguousarray(examples[:4000])
    bare = rate(some.size, lambda: bare_loop(some, some))
    pins = take(concept.pool.atoms, np.arange(len(concept.pool)))
    batch = examples_of(some[:n], concept.n_constants, concept.constant)
    blocks = blocks_of(some, concept.n_constants)
    pool_words = len(pins.constants) * rows.width(n)
    pool = rate(pool_words, lambda: contradicted(pins, batch.left_of, batch.right_of))
    trace_words = len(pins.constants) * blocks.shape[0] * blocks.shape[2]
    misses = rate(trace_words, lambda: count_misses(pins, blocks, len(some)))
    return {
        "bare AND+popcount: Gwords/s": bare,
        "pool kernel / bare loop": pool / bare,
        "misses kernel / bare loop": misses / bare,
    }
