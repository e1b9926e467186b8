"""Queens: the paper's experiments, the controls beside them, and the time of an epoch.

python -m benchmarks.queens            # all: 8x8, 13x13, ten experiments on 17x17, controls
python -m benchmarks.queens --quick    # a few minutes
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from atomlearn.problems import queens
from atomlearn.problems.solving import ATTEMPTS, PAPER
from benchmarks.queens_controls import Control, legal_squares, propagated, remembering

PAPER_RANDOM = 0.008
"""The chance of a full board by random placement that the paper reckons with."""


@dataclass
class Experiment:
    """Attempts on one algebra, which keeps what it learned from one to the next."""

    attempts: int = 0
    full: list[str] = field(default_factory=list)
    shown: int = 0
    boards: set[tuple[str, ...]] = field(default_factory=set)
    seconds: float = 0.0
    epochs: int = 0

    @property
    def distinct(self) -> int:
        return len(self.boards)

    @property
    def with_new(self) -> int:
        """Attempts that came to a full board not seen before: what the paper counts."""
        return sum(not mark.endswith("r") for mark in self.full)

    def note(self, boards: list[tuple[str, ...]]) -> None:
        """One attempt more; ``r`` marks one whose full boards were all seen before."""
        self.attempts += 1
        if boards:
            self.full.append(f"{self.attempts}{'r' if set(boards) <= self.boards else ''}")
        self.shown += len(boards)
        self.boards.update(boards)


def learned(size: int, fixed: list[str], attempts: int, seed: int) -> Experiment:
    """Attempts of at most 20 epochs by algebraic learning, a queen inserted in 17 of them."""
    found = Experiment()
    solver = queens.solve(size, fixed, random_state=seed, schedule=ATTEMPTS)
    start = time.perf_counter()
    for _ in range(attempts):
        full = []
        for _ in range(ATTEMPTS.length):
            solver.step()
            if solver.shown is not None and not solver.shown.idle and solver.shown.solved():
                full.append(solver.shown.queens)
        found.note(full)
    found.seconds, found.epochs = time.perf_counter() - start, solver.epochs.number
    return found


def simulated(make: Callable[[int], Control], attempts: int, seed: int) -> Experiment:
    """The same number of attempts by a control."""
    control, found = make(seed), Experiment()
    for _ in range(attempts):
        found.note(control.attempt())
    return found


def p_value(successes: int, attempts: int, chance: float) -> float:
    """The chance of so many successes or more."""
    return float(binomtest(successes, attempts, chance, alternative="greater").pvalue)


def table(size: int, fixed: list[str], n_experiments: int, attempts: int, draws: int) -> dict:
    """The paper's Table 2, with controls measured in the same run."""
    chances = {}
    for name, make in {
        "random legal squares": lambda s: legal_squares(size, fixed, s),
        "the same, rules propagated": lambda s: propagated(size, fixed, s),
    }.items():
        control = simulated(make, draws, 0)
        chances[name] = len(control.full) / draws
        print(f"{name}: {len(control.full)} of {draws} attempts, {chances[name]:.4f}", flush=True)
    chance = chances["the same, rules propagated"]
    print("\nfull boards shown / distinct, and attempts with one not seen before")
    rows = [row(size, fixed, attempts, k, chance) for k in range(n_experiments)]
    with_new = sum(r["attempts with a new board"] for r in rows)
    totals = {key: sum(r[key] for r in rows) for key in ("distinct", "memory distinct")}
    overall = p_value(with_new, attempts * n_experiments, chance)
    print(f"all: {with_new} of {attempts * n_experiments} attempts, p {overall:.1e}; {totals}")
    return {"size": size, "fixed": fixed, "chances": chances, "rows": rows, "overall p": overall}


def row(size: int, fixed: list[str], attempts: int, k: int, chance: float) -> dict:
    """One experiment, and the controls with the same number of attempts."""
    ours = learned(size, fixed, attempts, k)
    memory = simulated(lambda s: remembering(size, fixed, s), attempts, k)
    joined = simulated(lambda s: remembering(size, fixed, s, joins=True), attempts, k)
    p = p_value(ours.with_new, attempts, chance)
    print(
        f"{k + 1:>3}: {ours.shown:>3}/{ours.distinct:<3} in attempts {', '.join(ours.full)} "
        f"of {attempts}, "
        f"p {p:.1e}; memory {memory.shown}/{memory.distinct}, "
        f"joined memory {joined.shown}/{joined.distinct}; "
        f"{ours.seconds / ours.epochs:.2f} s an epoch",
        flush=True,
    )
    return {
        "attempts": attempts,
        "attempts with a full board": ours.full,
        "attempts with a new board": ours.with_new,
        "full boards": ours.shown,
        "distinct": ours.distinct,
        "p against random": p_value(ours.with_new, attempts, PAPER_RANDOM),
        "p against propagation": p,
        "memory full boards": memory.shown,
        "memory distinct": memory.distinct,
        "joined memory full boards": joined.shown,
        "joined memory distinct": joined.distinct,
        "seconds an epoch": ours.seconds / ours.epochs,
    }


def completions(size: int, fixed: list[str], seeds: int, epochs: int) -> list[dict]:
    """Boards found by the paper's straightforward approach: idle epochs, nothing inserted."""
    rows = []
    for seed in range(seeds):
        start = time.perf_counter()
        solver = queens.solve(size, fixed, random_state=seed, max_epochs=epochs, schedule=PAPER)
        found = [board.epoch for board in solver]
        spent = (time.perf_counter() - start) / epochs
        rows.append({"seed": seed, "epochs": found, "milliseconds an epoch": 1000 * spent})
        print(f"{size}x{size} {' '.join(fixed)} seed {seed}: boards at epochs {found}")
    mean = np.mean([row["milliseconds an epoch"] for row in rows])
    print(f"{mean:.0f} ms an epoch", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds, attempts and draws")
    parser.add_argument("--experiments", type=int, help="experiments on 17x17")
    parser.add_argument("--attempts", type=int, help="attempts an experiment")
    parser.add_argument("--out", type=Path, help="write all figures as JSON")
    options = parser.parse_args()
    quick = options.quick
    results = {
        "8x8": completions(8, ["b4", "d5"], 3 if quick else 10, 60),
        "13x13": completions(13, ["c7", "f2"], 1 if quick else 5, 60),
        "17x17": table(
            17,
            ["c10"],
            options.experiments or (1 if quick else 10),
            options.attempts or (3 if quick else 20),
            1000 if quick else 10000,
        ),
    }
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
