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
    boards: set[tuple[str, ...]] = field(default_factory=set)
    seconds: float = 0.0
    epochs: int = 0

    @property
    def distinct(self) -> int:
        return len(self.boards)

    def note(self, board: tuple[str, ...] | None) -> None:
        """One attempt more, with or without a full board; ``r`` marks one seen before."""
        self.attempts += 1
        if board is not None:
            self.full.append(f"{self.attempts}{'r' if board in self.boards else ''}")
            self.boards.add(board)


def learned(size: int, fixed: list[str], attempts: int, seed: int) -> Experiment:
    """Attempts of at most 20 epochs by algebraic learning, a queen inserted in 17 of them."""
    found = Experiment()
    solver = queens.solve(size, fixed, random_state=seed, schedule=ATTEMPTS)
    start = time.perf_counter()
    for _ in range(attempts):
        full = None
        for _ in range(ATTEMPTS.length):
            solver.step()
            if full is None and solver.shown is not None and solver.shown.solved():
                full = solver.shown.queens
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
    print(f"\n{'exp':>3} {'attempts':>8} {'full':>5} {'distinct':>8} {'memory':>8} {'joined':>8}")
    rows, chance = [], chances["the same, rules propagated"]
    for k in range(n_experiments):
        ours = learned(size, fixed, attempts, k)
        memory = simulated(lambda s: remembering(size, fixed, s), attempts, k)
        joined = simulated(lambda s: remembering(size, fixed, s, joins=True), attempts, k)
        p = p_value(ours.distinct, attempts, chance)
        rows.append(
            {
                "attempts": attempts,
                "full boards": ours.full,
                "distinct": ours.distinct,
                "p against random": p_value(ours.distinct, attempts, PAPER_RANDOM),
                "p against propagation": p,
                "memory full": len(memory.full),
                "memory distinct": memory.distinct,
                "joined memory full": len(joined.full),
                "joined memory distinct": joined.distinct,
                "seconds an epoch": ours.seconds / ours.epochs,
            }
        )
        print(
            f"{k + 1:>3} {attempts:>8} {len(ours.full):>5} {ours.distinct:>8} "
            f"{len(memory.full):>4}/{memory.distinct:<3} "
            f"{len(joined.full):>4}/{joined.distinct:<3} "
            f"p {p:.1e}  {ours.seconds / ours.epochs:.2f} s an epoch  {', '.join(ours.full)}",
            flush=True,
        )
    total = sum(row["distinct"] for row in rows)
    overall = p_value(total, attempts * n_experiments, chance)
    print(f"all: {total} distinct boards, p against propagation {overall:.1e}")
    return {"size": size, "fixed": fixed, "chances": chances, "rows": rows, "overall p": overall}


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
            options.attempts or (5 if quick else 20),
            1000 if quick else 10000,
        ),
    }
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
