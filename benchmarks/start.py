"""CPU seconds of a newcomer's first scripts: with nothing compiled, and with all kernels cached.

Imports count too: it is what a newcomer waits for. The scripts after the first begin with what it
has compiled, so the difference is what each of them compiles besides.
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
clf = AlgebraicClassifier(random_state=0).fit(X, y)
"""

LATER = {
    "reading": SCRIPT + "clf.predict(X), print(clf.explain(X.iloc[0]), clf.definition(1))",
    "compact": SCRIPT + "print(clf.compact(10).scorecard())",
    "max_atoms": SCRIPT + "AlgebraicClassifier(max_atoms=10, random_state=0).fit(X, y)",
    "ordered": SCRIPT + "AlgebraicClassifier(ordered=True, random_state=0).fit(X, y)",
    "regressor": """
from sklearn.datasets import load_diabetes
from atomlearn import AlgebraicRegressor
X, y = load_diabetes(return_X_y=True, as_frame=True)
AlgebraicRegressor(random_state=0).fit(X, y).predict(X)
""",
    "median": """
from sklearn.datasets import load_diabetes
from atomlearn import AlgebraicRegressor
AlgebraicRegressor(loss="absolute", random_state=0).fit(*load_diabetes(return_X_y=True))
""",
    "algebra": """
from atomlearn import Algebra
alg = Algebra(["v", "a", "b"])
alg.add(alg.relation("v < a b"))
print(alg.learn(random_state=0))
""",
    "queens": """
from atomlearn.problems import queens
print(next(queens.solve(6, [], random_state=0)))
""",
}


def steps() -> dict[str, Step]:
    later = {name: partial(measure_later, name) for name in LATER}
    return {"iris": partial(measure, SCRIPT)} | later


def measure(script: str = SCRIPT) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        return {
            "nothing compiled: CPU s": seconds(script, cache),
            "kernels cached: CPU s": seconds(script, cache),
        }


def measure_later(name: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        seconds(SCRIPT, cache)
        return {
            f"{name}, iris compiled: CPU s": seconds(LATER[name], cache),
            f"{name}, kernels cached: CPU s": seconds(LATER[name], cache),
        }


def seconds(script: str, cache: str) -> float:
    """CPU seconds of a process that runs a script."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
