"""Runs workers one after the other, begins again after a crash, keeps what did harm, and counts."""

import argparse
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
WORKER = "tests.fuzz.worker"
PATIENCE = 300
"""Seconds without a word after which a worker hangs: compiling takes a minute, or several if the
machine is busy."""
SHARES = {"files": 0.5, "relations": 0.4, "saves": 0.1}
"""The part of the time for each attack."""
COLUMNS = (REFUSED, LOADED, AGREED, RAW, CRASH, MISMATCH)


@dataclass
class Tally:
    """What came of all cases so far."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    attacks: Counter[str] = field(default_factory=Counter)
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


@dataclass(frozen=True)
class Run:
    """How to try, and where what did harm is kept."""

    seed: str
    keep: Path
    bounds_check: bool = True

    def attack(self, what: str, cases: int, seconds: float, tally: Tally) -> None:
        """Try so many cases, or for so many seconds, whatever is over first."""
        end = time.monotonic() + seconds
        number = 0
        with tempfile.TemporaryDirectory(prefix="atomlearn-fuzz-") as scratch:
            path = Path(scratch) / "case.atoms"
            while number < cases and time.monotonic() < end:
                number = self._work(what, number, cases, end, path, tally)

    def _work(self, what: str, first: int, cases: int, end: float, path: Path, tally: Tally) -> int:
        """Let one worker go on as long as it lives; the number of the next case."""
        number = first
        command = [sys.executable, "-m", WORKER, what, self.seed, str(first), str(cases)]
        with (path.parent / "stderr").open("wb+") as errors:
            worker = subprocess.Popen(
                [*command, str(path)], stdout=subprocess.PIPE, stderr=errors, env=self._env()
            )
            assert worker.stdout is not None
            done = hangs = False
            with worker.stdout as stream:
                while number < cases:
                    done = time.monotonic() >= end
                    if done:
                        break
                    hangs = not select.select([stream], [], [], PATIENCE)[0]
                    line = b"" if hangs else stream.readline()
                    if not line.endswith(b"\n"):
                        break
                    self._note(what, line.decode(), path, tally)
                    number += 1
            worker.kill()
            code = worker.wait()
            if done or number == cases:
                return number
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()[-300:]
        told = "hangs" if hangs else f"ended with {code}: {said}"
        tally.outcomes[f"{what}, of unknown kind", CRASH] += 1
        self._keep(what, number, path, told, tally)
        return number + 1

    def _note(self, what: str, line: str, path: Path, tally: Tally) -> None:
        number, kind, attack, outcome, detail = line.rstrip("\n").split("\t", 4)
        tally.outcomes[kind, outcome] += 1
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
    parser.add_argument("--seconds", type=float, default=60, help="for all attacks together")
    for what in SHARES:
        parser.add_argument(f"--{what}", type=int, help="so many, however long it takes")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--no-bounds-check", action="store_true", help="starts sooner")
    told = parser.parse_args()
    run = Run(told.seed, told.keep, not told.no_bounds_check)
    tally, start = Tally(), time.monotonic()
    counts = {what: getattr(told, what) for what in SHARES}
    counted = any(n is not None for n in counts.values())
    for what, n in counts.items():
        seconds = math.inf if counted else told.seconds * SHARES[what]
        run.attack(what, (n or 0) if counted else sys.maxsize, seconds, tally)
    print(tally.table())
    print(f"{time.monotonic() - start:,.0f} s, seed {told.seed}, {tally.bad} bad")
    sys.exit(1 if tally.bad else 0)
