"""The files that a call passes through, in order, as a profiler sees them: ``make walk``.

Compiled kernels are not seen; the functions that call them are.
"""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.problems import queens
from tests.models import mixed, relations

ROOT = Path(atomlearn.__file__).parent


def files_of(call: Callable[[], Any]) -> list[str]:
    """The files of atomlearn that a call passes through, in the order it first meets them."""
    seen: dict[str, None] = {}

    def look(frame: FrameType, event: str, argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            seen[path.relative_to(ROOT).as_posix()] = None

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(seen)


def walks() -> dict[str, list[str]]:
    """The files of the calls that most people make."""
    X, y = mixed()
    classifier = AlgebraicClassifier(random_state=0, max_epochs=10)
    batches = AlgebraicClassifier(random_state=0, max_epochs=5)
    batches.partial_fit(X[:150], y[:150], classes=np.unique(y))
    calls: dict[str, Callable[[], Any]] = {
        "clf.fit": lambda: classifier.fit(X, y),
        "clf.predict_proba": lambda: classifier.predict_proba(X),
        "clf.explain": lambda: classifier.explain(X[:1]),
        "clf.partial_fit": lambda: batches.partial_fit(X[150:], y[150:]),
        "alg.learn": lambda: relations().learn(random_state=0),
        "queens.solve": lambda: next(iter(queens.solve(6, random_state=0))),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: files_of(call) for name, call in calls.items()}


def printed() -> str:
    """The walks as text, a package a line."""
    lines = []
    for name, files in walks().items():
        lines.append(f"{name}: {len(files)} files")
        packages: dict[str, list[str]] = {}
        for file in files:
            package, _, module = file.removesuffix(".py").rpartition("/")
            packages.setdefault(package or "atomlearn", []).append(module)
        lines += [f"    {package}: {', '.join(names)}" for package, names in packages.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(printed())
