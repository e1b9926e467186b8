"""CPU seconds of a script that fits iris: with nothing compiled, and with all kernels cached.

Imports count too: it is what a newcomer waits for.
"""

import os
import resource
import subprocess
import sys
import tempfile
from functools import partial

from benchmarks.record import Step

SCRIPT = """
from sklearn.datasets import load_iris
from atomlearn import AlgebraicClassifier
X, y = load_iris(return_X_y=True, as_frame=True)
AlgebraicClassifier(random_state=0).fit(X, y)
"""


def steps() -> dict[str, Step]:
    return {"iris": partial(measure, SCRIPT)}


def measure(script: str = SCRIPT) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        return {
            "nothing compiled: CPU s": seconds(script, cache),
            "kernels cached: CPU s": seconds(script, cache),
        }


def seconds(script: str, cache: str) -> float:
    """CPU seconds of a process that runs a script."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
