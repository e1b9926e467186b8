"""Queens games drawn at random: how many are solved, and when the first board appears.

    python -m benchmarks.queens_survey               # 5x5 to 12x12, none to three fixed queens
    python -m benchmarks.queens_survey --never       # idle epochs only, nothing inserted

A game is made by taking queens from a complete board that random placement came to.
"""

import argparse
import time

import numpy as np

from atomlearn.problems import queens
from atomlearn.problems.solving import PAPER, Schedule
from atomlearn_paper.controls import Propagated


def complete_board(size: int, seed: int) -> tuple[str, ...]:
    """A complete board by random placement, tried until it comes to one."""
    control = Propagated(size, [], seed)
    while True:
        if boards := control.attempt():
            return boards[0]


def survey(size: int, n_fixed: int, games: int, epochs: int, schedule: Schedule) -> None:
    firsts, spent, run = [], 0.0, 0
    for seed in range(games):
        rng = np.random.default_rng([size, n_fixed, seed])
        board = complete_board(size, int(rng.integers(2**31)))
        fixed = rng.choice(board, n_fixed, replace=False).tolist()
        start = time.process_time()
        solver = queens.solve(
            size, fixed, random_state=1000 + seed, max_epochs=epochs, schedule=schedule
        )
        found = next(solver, None)
        spent, run = spent + time.process_time() - start, run + solver.epochs.number
        firsts.append(found.epoch if found else None)
    solved = [epoch for epoch in firsts if epoch is not None]
    print(
        f"{size:>2}x{size:<2} {n_fixed} fixed: {len(solved)} of {games} solved, "
        f"first board at epochs {firsts}, {1000 * spent / run:.0f} ms an epoch",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=list(range(5, 13)))
    parser.add_argument("--fixed", type=int, nargs="*", default=[0, 1, 2, 3])
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--never", action="store_true", help="insert nothing")
    options = parser.parse_args()
    schedule = PAPER if options.never else Schedule()
    for size in options.sizes:
        for n_fixed in options.fixed:
            survey(size, n_fixed, options.games, options.epochs, schedule)


if __name__ == "__main__":
    main()
