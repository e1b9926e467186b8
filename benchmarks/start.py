"""Cold and warm start: the first epoch of a fresh process, nothing compiled or all cached."""

import os
import subprocess
import sys
import tempfile

FIRST_EPOCH = """
import time
import numpy as np
from atomlearn.datasets import vertical_bars
from atomlearn.sets import rows
from atomlearn.engine.concept import Concept
images, labels = vertical_bars(400, shape=(10, 10), random_state=0)
terms = rows.pack(np.hstack([images, ~images, np.zeros((len(images), 1), dtype=bool)]))
concept = Concept(201, 200, 0)
start = time.perf_counter()
concept.learn_batch(terms[labels], terms[~labels])
print(time.perf_counter() - start)
"""


def first_epoch(cache: str) -> float:
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_EPOCH],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        return {
            "cold start, first epoch: s": first_epoch(cache),
            "warm start, first epoch: s": first_epoch(cache),
        }
