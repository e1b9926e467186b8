"""MNIST, one digit against the rest: error, FPR and FNR of single models, votes and the pool.

    ATOMLEARN_DATA=folder python -m benchmarks.mnist [--digits 0123456789] [--seconds 15]
        [--translations] [--seeds 0] [--paper] [--curve]

Seconds are of one core (process time) and of learning alone. Cut-offs are chosen on 5,000 training
images that no batch has seen; the test set is only looked at to report.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from atomlearn import __version__
from atomlearn.learning.concept import PAPER, Concept, Recipe, Sampler
from atomlearn.learning.misses import Blocks, blocks_of, count_misses
from benchmarks.images import Images, mnist, moved, n_constants, terms

SPARED = 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--digits", default="0123456789")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--translations", action="store_true")
    parser.add_argument("--seeds", default="0", help="comma-separated")
    parser.add_argument("--paper", action="store_true", help="the paper's own protocol")
    parser.add_argument("--curve", action="store_true", help="report along the way, too")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    images = mnist()
    results = []
    for seed in map(int, options.seeds.split(",")):
        held, variants, spared = split(images, seed, options.translations)
        for digit in map(int, options.digits):
            results += run(images, digit, seed, held, variants, spared, options)
    summary(results)
    if options.json:
        settings = {key: str(value) for key, value in vars(options).items()}
        record = {"version": __version__, "settings": settings, "results": results}
        options.json.write_text(json.dumps(record, indent=1))


def split(images: Images, seed: int, translated: bool):
    order = np.random.default_rng(seed).permutation(len(images.labels))
    spared = np.zeros(len(order), dtype=bool)
    spared[order[:SPARED]] = True
    kinds = moved(images.pixels[~spared]) if translated else [images.pixels[~spared]]
    held = blocks_of(terms(images.pixels[spared]), n_constants(images.pixels))
    return held, np.stack([terms(kind) for kind in kinds]), spared


def run(images: Images, digit: int, seed: int, held: Blocks, variants, spared, options) -> list:
    n = n_constants(images.pixels)
    test = blocks_of(terms(images.test_pixels), n)
    recipe = PAPER if options.paper else Recipe()
    concept = Concept(n, n - 1, np.random.SeedSequence([seed, digit]), recipe)
    sampler = Sampler(concept, variants, images.labels[~spared] == digit)
    is_held, is_test = images.labels[spared] == digit, images.test_labels == digit
    results, seconds = [], 0.0
    marks = [options.seconds * 2.0**-k for k in range(5, 0, -1)] if options.curve else []
    for mark in [*marks, options.seconds]:
        while seconds < mark:
            start = time.process_time()
            report = sampler.run_epoch()
            seconds += time.process_time() - start
        result = {
            "digit": digit,
            "seed": seed,
            "seconds": round(seconds, 2),
            "epochs": concept.epoch,
            "pool": report.n_pool,
            "atoms": len(concept.masters[-1].starts) - 1,
        }
        result |= evaluate(concept, held, is_held, test, is_test)
        results.append(result)
        show(result)
    return results


def evaluate(concept: Concept, held: Blocks, is_held, test: Blocks, is_test) -> dict:
    singles = np.array([count_misses(m, test, len(is_test)) == 0 for m in concept.masters])
    votes, held_votes = singles.sum(axis=0), concept.votes(held, len(is_held))
    misses, held_misses = concept.misses(test, len(is_test)), concept.misses(held, len(is_held))
    needed = min(range(1, len(singles) + 1), key=lambda k: ((held_votes >= k) != is_held).sum())
    cut = smooth_cut(held_misses, is_held)
    return {
        "single": {key: float(np.mean([rates(s, is_test)[key] for s in singles])) for key in RATES},
        "votes": rates(votes >= needed, is_test) | {"needed": needed},
        "pool_misses": rates(misses <= cut, is_test) | {"cut": cut},
    }


RATES = ("error", "fpr", "fnr")


def rates(said, true) -> dict[str, float]:
    return {"error": float((said != true).mean()), "fpr": float(said[~true].mean()),
            "fnr": float((~said[true]).mean())}  # fmt: skip


def smooth_cut(misses, is_positive, width: float = 0.2) -> int:
    """The cut-off with the fewest held-out errors, each spread a little on a logarithmic scale.

    The raw minimum hangs on single images where errors are few.
    """
    at = np.log1p(misses)
    cuts = np.unique(np.round(np.exp(np.linspace(0, np.log(misses.max() + 2), 400))).astype(int))
    spread = 1 / (1 + np.exp((at[None, :] - np.log1p(cuts)[:, None]) / (width / 1.7)))
    errors = (1 - spread[:, is_positive]).sum(axis=1) + spread[:, ~is_positive].sum(axis=1)
    return int(cuts[errors.argmin()])


def show(result: dict) -> None:
    line = f"digit {result['digit']} seed {result['seed']} {result['seconds']:6.1f} s"
    line += (
        f" {result['epochs']:4d} epochs, pool {result['pool']:6,d}, {result['atoms']:5,d} atoms |"
    )
    for kind in ("single", "votes", "pool_misses"):
        r = result[kind]
        line += f" {kind} {r['error']:.2%} (FPR {r['fpr']:.2%} FNR {r['fnr']:.2%})"
    print(line, flush=True)


def summary(results: list[dict]) -> None:
    last = {(r["digit"], r["seed"]): r for r in results}.values()
    for kind in ("single", "votes", "pool_misses"):
        means = {key: np.mean([r[kind][key] for r in last]) for key in RATES}
        print(f"mean {kind:12s}" + "".join(f"  {key} {value:.3%}" for key, value in means.items()))


if __name__ == "__main__":
    main()
