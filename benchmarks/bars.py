"""Vertical bars, 15 × 15 with 10 % noise: the error of one model, and how many atoms are exact.

    python -m benchmarks.bars [--examples 1000,50000] [--seeds 0,1,2] [--epochs 20]

The exact atoms are known (section 3.2 of the paper): one black pixel in each column.
"""

import argparse
import time

import numpy as np

from atomlearn.datasets import vertical_bars
from atomlearn.learning.concept import READABLE, Concept, Sampler
from atomlearn.learning.lists import Lists
from atomlearn.learning.misses import blocks_of, count_misses
from benchmarks.images import n_constants, terms

SHAPE = (15, 15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", default="1000,50000")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    test, is_bar = vertical_bars(100_000, shape=SHAPE, seed=10_000)
    blocks = blocks_of(terms(test), n_constants(test))
    for n in map(int, options.examples.split(",")):
        for seed in map(int, options.seeds.split(",")):
            run(n, seed, options.epochs, blocks, is_bar)


def run(n: int, seed: int, epochs: int, blocks, is_bar) -> None:
    images, labels = vertical_bars(n, shape=SHAPE, seed=seed)
    size = n_constants(images)
    concept = Concept(size, size - 1, seed, READABLE)
    sampler = Sampler(concept, terms(images)[None], labels)
    start = time.perf_counter()
    for _ in range(epochs):
        sampler.run_epoch()
    seconds = time.perf_counter() - start
    model = concept.masters[-1]
    said = count_misses(model, blocks, len(is_bar)) == 0
    error, fpr, fnr = (said != is_bar).mean(), said[~is_bar].mean(), (~said[is_bar]).mean()
    print(
        f"{n:6,d} examples, seed {seed}: error {error:.3%} (FPR {fpr:.3%}, FNR {fnr:.3%}), "
        f"{len(model.starts) - 1} atoms, {exact(model):.0%} of the exact form, {seconds:.1f} s",
        flush=True,
    )


def exact(model: Lists) -> float:
    """Share of the atoms that are in one black pixel of each column and in nothing else."""
    height, width = SHAPE
    good = 0
    for k in range(len(model.starts) - 1):
        pixels = model.constants[model.starts[k] : model.starts[k + 1] - 1]  # without the class
        black = pixels[pixels < height * width]
        good += len(pixels) == len(black) == width and len(np.unique(black % width)) == width
    return good / max(1, len(model.starts) - 1)


if __name__ == "__main__":
    main()
