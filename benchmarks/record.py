"""What was measured, in ``docs/results/<benchmark>.json``: a line for each step.

A step is a function without arguments that returns plain values. It runs in a process of its own,
so that its memory can be measured and its failure stops nothing else. What is kept of it says how
it was made: command, seed, versions, machine, date. A step that is there for this version is not
run again; nor is that of a peer, whatever our version, while its package and the processor are the
same.
"""

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from atomlearn import __version__
from atomlearn_paper.steps import machine, read_json, write_json

RESULTS = Path(__file__).parents[1] / "docs" / "results"
BENCHMARKS = (
    "credit",
    "tables",
    "compact",
    "rules",
    "regression",
    "ordered",
    "large",
    "harder",
    "classifier",
    "digits",
    "queens",
    "scale",
    "speed",
    "start",
)
SEED = 0
FAILED = "FAILED"
PACKAGES = {
    "forest": "scikit-learn",
    "logistic": "scikit-learn",
    "histogram boosting": "scikit-learn",
    "SVM": "scikit-learn",
    "MLP": "scikit-learn",
    "small network": "torch",
    "LightGBM": "lightgbm",
    "CatBoost": "catboost",
    "EBM": "interpret-core",
    "ridge": "scikit-learn",
    "tree 20": "scikit-learn",
    "FIGS 20": "imodels",
}
"""The package of each peer that has steps of its own, by the last part of their names."""
PEERS = (*dict.fromkeys(PACKAGES.values()), "wittgenstein")
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Step = Callable[[], Any]
Record = dict[str, Any]
Runner = Callable[[str, str], Any]


class StepFailed(Exception):
    """A step ended with an error; the message is its last words."""


@dataclass(frozen=True)
class Records:
    """The steps of one benchmark that have been run."""

    name: str
    steps: dict[str, Record]

    @classmethod
    def read(cls, name: str, folder: Path = RESULTS) -> "Records":
        """What a folder has of a benchmark; nothing if there is no file."""
        content = read_json(folder / f"{name}.json") or {"steps": []}
        return cls(name, {one["step"]: one for one in content["steps"]})

    def write(self, folder: Path) -> None:
        """Replace the file as a whole."""
        write_json(
            folder / f"{self.name}.json",
            {"benchmark": self.name, "steps": list(self.steps.values())},
        )

    def results(self, *parts: str) -> dict[str, Any]:
        """Results by the rest of the step's name, of the steps that begin with these parts."""
        start = "".join(f"{part}/" for part in parts)
        return {
            step.removeprefix(start): one["result"]
            for step, one in self.steps.items()
            if step.startswith(start)
        }

    def nested(self, *parts: str) -> dict[str, dict[str, Any]]:
        """The same by the next two parts of the name: ``{"adult": {"forest": ...}}``."""
        found: dict[str, dict[str, Any]] = {}
        for step, result in self.results(*parts).items():
            case, _, method = step.partition("/")
            found.setdefault(case, {})[method] = result
        return found


def steps_of(name: str) -> Mapping[str, Step]:
    """The steps of a benchmark by name."""
    return importlib.import_module(f"benchmarks.{name}").steps()


def begins(step: str, part: str) -> bool:
    """Is a step the part of that name, or within it?

    >>> begins("few/50/SVM", "few"), begins("few/50/SVM", ""), begins("few/50/SVM", "few/5")
    (True, True, False)
    """
    return f"{step}/".startswith(f"{part}/" if part else "")


def run(
    name: str,
    steps: Iterable[str],
    folder: Path,
    runner: Runner,
    part: str = "",
    again: bool = False,
) -> Iterator[tuple[str, str]]:
    """Run what is missing and write each record at once; the name of each step and how it ended."""
    steps = list(steps)
    for step in (step for step in steps if begins(step, part)):
        known = Records.read(name, folder).steps
        if step in known and is_kept(known[step], again):
            yield step, "kept"
            continue
        start = time.monotonic()
        try:
            result = runner(name, step)
        except StepFailed as failure:
            yield step, f"{FAILED}: {failure}"
            continue
        known[step] = made_with(name, step) | {"result": result}
        in_order = {step: known[step] for step in steps if step in known}
        Records(name, in_order | known).write(folder)
        yield step, f"{time.monotonic() - start:.0f} s"


def is_kept(record: Record, again: bool = False) -> bool:
    """Does a record still hold? ``again``: no record of ours does."""
    package = PACKAGES.get(record["step"].rpartition("/")[2])
    if package is None:
        return not again and bool(record["version"] == __version__)
    made = record["machine"]
    return bool(
        made.get(package) == installed(package) and made["processor"] == machine()["processor"]
    )


def made_with(name: str, step: str) -> Record:
    """Everything that is needed to measure a step again."""
    return {
        "step": step,
        "command": f"python -m benchmarks {name}",
        "seed": getattr(importlib.import_module(f"benchmarks.{name}"), "SEED", SEED),
        "version": __version__,
        "machine": machine() | {peer: installed(peer) for peer in PEERS},
        "date": time.strftime("%Y-%m-%d"),
    }


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def in_own_process(name: str, step: str) -> Any:
    """The result of a step, run by a process that does nothing else, on one core."""
    command = [sys.executable, "-m", "benchmarks", "--step", name, step]
    done = subprocess.run(command, capture_output=True, text=True, env=ONE_CORE | dict(os.environ))
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise StepFailed(words[-1])
    return json.loads(done.stdout.splitlines()[-1])
