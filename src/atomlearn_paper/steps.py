"""What an experiment is: steps that give plain values, and what is written down of each.

A step is a function and its settings, which are all that its result depends on. So a result is as
good as the settings and the version it was made with, and a run that was interrupted goes on where
it stopped.
"""

import json
import os
import platform
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from atomlearn import __version__, interrupts
from atomlearn.files.container import replacing
from atomlearn_paper.expressions import as_literal, value_of

Results = Mapping[str, Any]
"""What the steps gave, by name: dictionaries, lists, numbers and text."""

Record = dict[str, Any]
"""The result of a step, with everything needed to trust it."""


@dataclass(frozen=True)
class Setting:
    """How a run was asked for."""

    quick: bool = False
    seed: int = 0
    attempts: int | None = None
    """Attempts in each experiment with queens, if not the usual number."""


@dataclass(frozen=True)
class Step:
    """A function at the top of a module, which is called with its settings by name."""

    name: str
    run: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    """Rough seconds, for the estimate of the time left."""


@dataclass(frozen=True)
class Experiment:
    """A part of the paper: what to run, and how to show what came out."""

    name: str
    title: str
    steps: Callable[[Setting], list[Step]]
    text: str
    """The Markdown of its page, which :mod:`atomlearn_paper.report` fills."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """What the page may use beside the results."""
    data: str | None = None
    """The data set that it needs."""


def experiment_of(name: str, table: Mapping[str, Any]) -> Experiment:
    """An experiment by its entry in the table of experiments and its module."""
    module = import_module(f"atomlearn_paper.{name}")
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}

    def steps(setting: Setting) -> list[Step]:
        names = public | {"quick": setting.quick, "tries": setting.attempts}
        found = []
        for group in table["steps"]:
            parts = (as_literal(group["name"]), group.get("settings", "{}"), group["cost"])
            row = ", ".join((*parts, group.get("seed", "0")))
            for step, given, cost, k in value_of(
                f"[({row}) for {group.get('for', '_ in range(1)')}]", names
            ):
                given = {"seed": setting.seed + k} | given
                found.append(Step(step[:-1], public[group["run"]], given, cost))
        return found

    return Experiment(name, table["title"], steps, text_of(name), public, table.get("data"))


def text_of(page: str) -> str:
    """The Markdown of a page."""
    path = files("atomlearn_paper") / "pages" / f"{page}.md"
    return path.read_text(encoding="utf-8").strip()


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(as_json(value).encode())


def as_json(value: Mapping[str, Any]) -> str:
    """JSON with a line for each entry, and for each of a list of entries: short, and diffable.

    >>> print(as_json({"a": 1, "b": [{"c": [2, 3]}, {"d": 4}]}), end="")
    {
    "a": 1,
    "b": [
     {"c": [2, 3]},
     {"d": 4}
    ]
    }
    """
    entries = []
    for key, entry in value.items():
        text = json.dumps(entry, ensure_ascii=False)
        if isinstance(entry, list) and any(isinstance(one, Mapping) for one in entry):
            rows = ",\n ".join(json.dumps(one, ensure_ascii=False) for one in entry)
            text = f"[\n {rows}\n]"
        entries.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def read_json(path: Path) -> Any:
    """The content of a JSON file; ``None`` if there is none, or half of one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@cache
def machine() -> dict[str, Any]:
    """Processor, cores and the versions that matter; nothing that tells whose machine it is."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


class Records:
    """The records of an experiment's steps: a file each while it runs, and ``results.json``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "results.json"

    def find(self, steps: Iterable[Step]) -> dict[str, Record]:
        """The records of those steps that were run with the same settings and version."""
        before = read_json(self.path)
        known = before.get("steps", []) if isinstance(before, Mapping) else []
        found = {}
        for step in steps:
            for record in (read_json(self._file(step)), *known):
                if _is_of(record, step):
                    found[step.name] = record
                    break
        return found

    def run(self, step: Step) -> Record:
        """Run a step and write its record at once; nothing of a step that is interrupted."""
        start = time.process_time()  # of the processor: others may use the machine, too
        with interrupts.Deferred(learning=True):
            result = step.run(**step.settings)
            interrupts.check()  # else a part would pass for the whole
            record = {
                "step": step.name,
                "settings": dict(step.settings),
                "version": __version__,
                "machine": machine(),
                "seconds": round(time.process_time() - start, 2),
                "result": result,
            }
            write_json(self._file(step), record)
        return record

    def _file(self, step: Step) -> Path:
        """Other settings, other file: a quick run does not overwrite hours of a full one."""
        made_with = json.dumps([dict(step.settings), __version__], sort_keys=True)
        return self.folder / "steps" / f"{step.name}-{zlib.crc32(made_with.encode()):08x}.json"


def _is_of(record: Any, step: Step) -> bool:
    if not isinstance(record, Mapping):
        return False
    # As JSON has it, tuples are lists.
    settings = json.loads(json.dumps(dict(step.settings)))
    wanted = {"step": step.name, "settings": settings, "version": __version__}
    return all(record.get(key) == value for key, value in wanted.items()) and "result" in record
