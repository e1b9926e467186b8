"""MNIST, one digit against the rest, by seconds of one core and not by epochs.

    ATOMLEARN_DATA=folder python -m benchmarks.mnist [--digits 0123456789] [--seconds 15]
        [--translations] [--seeds 0]

The experiment itself is ``atomlearn reproduce mnist``. Seconds are process time of learning alone.
"""

import argparse
import time

from atomlearn.engine.concept import Recipe
from atomlearn_paper.images import mean_rates
from atomlearn_paper.mnist import Data, evaluate, learner, split

KINDS = ("single", "votes", "misses")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--digits", default="0123456789")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--translations", action="store_true")
    parser.add_argument("--seeds", default="0", help="comma-separated")
    options = parser.parse_args()
    results = []
    for seed in map(int, options.seeds.split(",")):
        data = split(seed, options.translations)
        for digit in map(int, options.digits):
            results.append(run(data, digit, seed, options.seconds))
    for kind in KINDS:
        means = mean_rates([result[kind] for result in results])
        print(f"mean {kind:7s}" + "".join(f"  {key} {value:.3%}" for key, value in means.items()))


def run(data: Data, digit: int, seed: int, limit: float) -> dict:
    sampler = learner(data, digit, seed, Recipe())
    seconds = 0.0
    while seconds < limit:
        start = time.process_time()
        sampler.run_epoch()
        seconds += time.process_time() - start
    result = evaluate(sampler.concept, data, digit)
    line = f"digit {digit} seed {seed}: {sampler.concept.epoch} epochs, pool {result['pool']:,}"
    print(line + "".join(f", {kind} {result[kind]['error']:.2%}" for kind in KINDS), flush=True)
    return result


if __name__ == "__main__":
    main()
