"""Fewer examples with symmetries: bars and parity, pins or examples moved by rows and columns.

    python -m benchmarks.symmetries [bars parity check] [--seeds 31,32,33] [--epochs 15]

One class, learned whole again and again (the recipe READABLE). *plain*: no symmetries. *pins*:
new pins are moved by permutations of rows and columns, a pin goes if one of 16 images of it is
contradicted, and four images stay. *examples*: each example is also seen as eight permutations of
it. All permutations are first tried on the training data (``check_symmetries``). Errors are of
20,000 fresh images: of the last model alone, and of the whole pool with the cut-off that lets two
percent of the training counterexamples in. How many images are tried and kept was chosen on seeds
0 to 2. *check* lists the maps that the check accepts.
"""

import argparse

import numpy as np

from atomlearn.datasets import bar_parity, vertical_bars
from atomlearn.engine.concept import READABLE, Concept, Sampler
from atomlearn.engine.misses import blocks_of, count_misses
from atomlearn.engine.symmetries import Symmetries
from atomlearn.tables.images import (
    check_constant_maps,
    column_swaps,
    generated,
    permuted,
    row_swaps,
)
from atomlearn.tables.images import check_symmetries as check_columns
from atomlearn_paper.images import n_constants, terms

PROBLEMS = {
    "bars": (vertical_bars, (10, 10), (50, 100, 200, 400, 800, 1600)),
    "parity": (bar_parity, (5, 5), (250, 500, 1000, 2000, 4000)),
}
WAYS = ("plain", "pins", "examples")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", default=[], help="bars, parity")
    parser.add_argument("--seeds", default="31,32,33,34,35")
    parser.add_argument("--epochs", type=int, default=15)
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    for name in options.problems or [*PROBLEMS, "check"]:
        if name == "check":
            show_checks(seeds)
        else:
            show(name, seeds, options.epochs)


def show(name: str, seeds: list[int], epochs: int) -> None:
    make, shape, sizes = PROBLEMS[name]
    print(f"{name} {shape[0]}×{shape[1]}: error of one model / of the pool, mean of {len(seeds)}")
    print("examples  " + "".join(f"{way:>20s}" for way in WAYS))
    for n in sizes:
        line = []
        for way in WAYS:
            errors = [run(make, shape, n, seed, way, epochs) for seed in seeds]
            one, pool = np.mean(errors, axis=0)
            line.append(f"{one:9.2%} / {pool:7.2%} ")
        print(f"{n:8,d}  " + " ".join(line), flush=True)


def run(make, shape, n: int, seed: int, way: str, epochs: int) -> tuple[float, float]:
    images, labels = make(n, shape=shape, random_state=seed)
    test, expected = make(20_000, shape=shape, random_state=10_000 + seed)
    maps = generated([*row_swaps(shape), *column_swaps(shape)], 8, random_state=seed)
    size = n_constants(images)
    variants = terms(images)[None]
    concept = Concept(size, size - 1, seed, READABLE)
    if way != "plain":
        moves = [of_constants(one) for one in maps]
        checks = check_constant_maps(moves, variants[0], labels, size - 1, size, seed)
        kept = [k for k, check in enumerate(checks) if check.is_believable]
        if way == "pins":
            concept.symmetries = Symmetries([moves[k] for k in kept])
        else:
            moved = [terms(permuted(images, maps[k], blank=False)) for k in kept]
            variants = np.stack([variants[0], *moved])
    sampler = Sampler(concept, variants, labels)
    for _ in range(epochs):
        sampler.run_epoch()
    blocks = blocks_of(terms(test), size)
    one = count_misses(concept.masters[-1], blocks, len(test)) == 0
    known = concept.misses(blocks_of(terms(images), size), n)
    cut = max(1.0, float(np.quantile(known[~labels], 0.02)))
    pool = concept.misses(blocks, len(test)) < cut
    return float((one != expected).mean()), float((pool != expected).mean())


def show_checks(seeds: list[int]) -> None:
    print(
        "share of maps that the check believes: permuted rows and columns, transposed, any pixels"
    )
    for make, shape in ((vertical_bars, (10, 10)), (bar_parity, (7, 7)), (bar_parity, (10, 10))):
        for n in (100, 250, 500, 1000, 2000):
            shares = np.mean([believed(make, shape, n, seed) for seed in seeds], axis=0)
            line = "  ".join(f"{share:6.0%}" for share in shares)
            print(f"{make.__name__:14s} {shape[0]}×{shape[1]} {n:6,d}  {line}", flush=True)


def believed(make, shape, n: int, seed: int) -> list[float]:
    images, labels = make(n, shape=shape, random_state=seed)
    rng = np.random.default_rng(seed)
    true = generated([*row_swaps(shape), *column_swaps(shape)], 8, random_state=seed)
    transposed = [np.arange(images.shape[1]).reshape(shape).T.ravel()]
    pixels = [rng.permutation(images.shape[1]) for _ in range(8)]
    return [
        float(np.mean([c.is_believable for c in check_columns(images, labels, maps, seed)]))
        for maps in (true, transposed, pixels)
    ]


def of_constants(columns: np.ndarray) -> np.ndarray:
    """Black pixels, white pixels, and the class, which stays."""
    n = len(columns)
    return np.concatenate([columns, columns + n, [2 * n]])


if __name__ == "__main__":
    main()
