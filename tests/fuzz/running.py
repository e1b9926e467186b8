"""Runs workers one after the other, begins again after a crash, keeps what did harm, and counts.

A case is made from the seed and its number alone: ``--first 5000`` goes on from number 5000.
"""

import argparse
import json
import math
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.attacks import AGREED, BAD, CRASH, LOADED, MISMATCH, RAW, REFUSED

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds without a word after which a worker hangs: compiling takes a minute, or several if the
machine is busy."""
SHARES = {"files": 0.3, "relation-sets": 0.2, "saves": 0.1, "round-trips": 0.4}
"""The part of the time for each attack."""
PREDICTIONS = "predictions under rules"
SAYS_EVERY = 10
"""Seconds between words on how far it is."""
COLUMNS = (REFUSED, LOADED, AGREED, RAW, CRASH, MISMATCH)


@dataclass
class Tally:
    """What came of all cases so far."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    attacks: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    """Cases of each attack, and predictions under rules."""
    kept: list[str] = field(default_factory=list)

    @property
    def bad(self) -> int:
        return sum(n for (_, outcome), n in self.outcomes.items() if outcome in BAD)

    def table(self) -> str:
        kinds = sorted({kind for kind, _ in self.outcomes})
        lines = ["| " + " | ".join(["kind", "tried", *COLUMNS]) + " |"]
        lines.append("|---" * (len(COLUMNS) + 2) + "|")
        for kind in [*kinds, "all"]:
            counts = [
                sum(n for (k, o), n in self.outcomes.items() if o == one and kind in (k, "all"))
                for one in COLUMNS
            ]
            cells = [kind, *(f"{n:,}" for n in (sum(counts), *counts))]
            lines.append("| " + " | ".join(cells) + " |")
        tried = ", ".join(f"{n:,} {attack}" for attack, n in sorted(self.attacks.items()))
        return "\n".join([*lines, "", f"tried: {tried}"])


@dataclass
class Goal:
    """When an attack ends, and how far it is."""

    what: str
    cases: int
    predictions: int
    end: float
    is_quiet: bool
    began: float = field(default_factory=time.monotonic)
    said: float = 0.0

    def is_reached(self, tally: Tally) -> bool:
        now, done = time.monotonic(), tally.done[self.what]
        if not self.is_quiet and now > max(self.said, self.began) + SAYS_EVERY:
            self.said = now
            told = f"{self.what}: {done:,}, {done / (now - self.began):,.1f} a second"
            if tally.done[PREDICTIONS]:
                told += f", {tally.done[PREDICTIONS]:,} {PREDICTIONS}"
            print(f"{told}, {tally.bad} bad", file=sys.stderr, flush=True)
        enough = done >= self.cases and tally.done[PREDICTIONS] >= self.predictions
        return enough or now >= self.end


@dataclass(frozen=True)
class Run:
    """How to try, and where what did harm is kept."""

    seed: str
    keep: Path
    bounds_check: bool = True
    first: int = 0
    """The number of the first case."""
    is_quiet: bool = True
    worker: str = "tests.fuzz.worker"

    def attack(
        self, what: str, cases: int, seconds: float, tally: Tally, predictions: int = 0
    ) -> None:
        """Try so many cases, or for so many seconds, whatever is over first.

        Beyond these cases it goes on until there are so many predictions under rules.
        """
        goal = Goal(what, cases, predictions, time.monotonic() + seconds, self.is_quiet)
        number = self.first
        with tempfile.TemporaryDirectory(prefix="atomlearn-fuzz-") as scratch:
            path = Path(scratch) / "case.atoms"
            while not goal.is_reached(tally):
                number = self._work(goal, number, path, tally)

    def _work(self, goal: "Goal", first: int, path: Path, tally: Tally) -> int:
        """Let one worker go on as long as it lives; the number of the next case."""
        number, what = first, goal.what
        end = sys.maxsize if goal.predictions else first + goal.cases - tally.done[what]
        command = [sys.executable, "-m", self.worker, what, self.seed, str(first), str(end)]
        with (path.parent / "stderr").open("wb+") as errors:
            worker = subprocess.Popen(
                [*command, str(path)], stdout=subprocess.PIPE, stderr=errors, env=self._env()
            )
            assert worker.stdout is not None
            done = hangs = False
            with worker.stdout as stream:
                while not done:
                    hangs = not select.select([stream], [], [], PATIENCE)[0]
                    line = b"" if hangs else stream.readline()
                    if not line.endswith(b"\n"):
                        break
                    self._note(what, line.decode(), tally)
                    number += 1
                    done = goal.is_reached(tally)
            worker.kill()
            code = worker.wait()
            if done:
                return number
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()[-300:]
        told = "hangs" if hangs else f"ended with {code}: {said}"
        tally.outcomes[f"{what}, of unknown kind", CRASH] += 1
        tally.done[what] += 1
        self._keep(what, number, path, told, tally)
        return number + 1

    def _note(self, what: str, line: str, tally: Tally) -> None:
        number, kind, attack, outcome, predictions, detail = line.rstrip("\n").split("\t", 5)
        tally.outcomes[kind, outcome] += 1
        tally.done[what] += 1
        tally.done[PREDICTIONS] += int(predictions)
        tally.attacks[f"{what} by {attack}"] += 1
        if outcome in BAD:
            # The worker has gone on: the same seed and number make the file again.
            self._keep(what, int(number), None, f"{kind}, {attack}: {outcome}: {detail}", tally)

    def _keep(self, what: str, number: int, path: Path | None, told: str, tally: Tally) -> None:
        self.keep.mkdir(parents=True, exist_ok=True)
        kept = self.keep / f"{what}-{self.seed}-{number}"
        if path is not None and path.exists():
            shutil.copy(path, kept.with_suffix(".atoms"))
        kept.with_suffix(".txt").write_text(told + "\n", encoding="utf-8")
        tally.kept.append(f"{kept}: {told}")
        print(f"!! {kept}: {told}", file=sys.stderr, flush=True)

    def _env(self) -> dict[str, str]:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
        if self.bounds_check:
            # Kernels with checks have a cache of their own: Numba does not tell them apart.
            cache = Path(tempfile.gettempdir()) / f"atomlearn-fuzz-kernels-{os.getuid()}"
            env |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
        return env


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="for all together (60 if nothing is counted)")
    for what in SHARES:
        old = ["--relations"] if what == "relation-sets" else []
        parser.add_argument(f"--{what}", *old, type=int, help="so many")
    parser.add_argument("--predictions", type=int, help="round trips until there are so many")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--no-bounds-check", action="store_true", help="starts sooner")
    told = parser.parse_args()
    run = Run(told.seed, told.keep, not told.no_bounds_check, told.first, is_quiet=False)
    counts = {what: getattr(told, what.replace("-", "_")) for what in SHARES}
    if told.predictions and counts["round-trips"] is None:
        counts["round-trips"] = 0
    counted = {what: n for what, n in counts.items() if n is not None}
    wanted = counted or dict.fromkeys(SHARES, sys.maxsize)
    seconds = told.seconds or (math.inf if counted else 60)
    tally, start = Tally(), time.monotonic()
    seconds_of = {}
    for what, n in wanted.items():
        began = time.monotonic()
        share = seconds * SHARES[what] / sum(SHARES[one] for one in wanted)
        needed = (told.predictions or 0) if what == "round-trips" else 0
        run.attack(what, n, share, tally, needed)
        seconds_of[what] = round(time.monotonic() - began, 1)
    took = time.monotonic() - start
    print(tally.table())
    done = [f"{tally.done[what]:,} {what.replace('-', ' ')}" for what in (*SHARES, PREDICTIONS)]
    print(f"{', '.join(done)}; {took:,.0f} s, seed {told.seed}, {tally.bad} bad")
    counts = {what.replace("-", "_"): tally.done[what] for what in SHARES}
    counts |= {"predictions": tally.done[PREDICTIONS], "bad": tally.bad, "first": told.first}
    print(json.dumps({**counts, "seed": told.seed, "seconds": seconds_of}))
    sys.exit(1 if tally.bad else 0)
