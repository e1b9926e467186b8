"""Concepts of random and classical contexts, beside the package ``concepts``.

python -m benchmarks.contexts
"""

import time
from collections.abc import Callable

import concepts
import numpy as np

from atomlearn.algebra import Context

SIZES = [(20, 15, 0.5), (50, 20, 0.4), (100, 20, 0.4), (200, 25, 0.3)]
"""Objects, attributes, and the share of crosses."""


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def made(n_objects: int, n_attributes: int, share: float) -> Context:
    """Return a random context."""
    crosses = np.random.default_rng(0).random((n_objects, n_attributes)) < share
    names = [f"o{i}" for i in range(n_objects)], [f"a{j}" for j in range(n_attributes)]
    return Context(*names, crosses)


def main() -> None:
    """Print a line for each context."""
    made(5, 5, 0.5).implications()  # compile
    made(5, 5, 0.5).concepts()
    print("objects attributes  concepts  implications | seconds: concepts, package, base")
    for size in SIZES:
        ours = made(*size)
        theirs = concepts.Context(ours.objects, ours.attributes, ours.crosses.tolist())
        times = [
            seconds(ours.concepts),
            seconds(lambda theirs=theirs: list(theirs._lattice())),  # type: ignore[misc]
            seconds(ours.implications),
        ]
        counts = ours.n_concepts, len(ours.implications())
        shown = " ".join(f"{one:9.3f}" for one in times)
        print(f"{size[0]:7} {size[1]:10} {counts[0]:9,} {counts[1]:13,} | {shown}", flush=True)


if __name__ == "__main__":
    main()
