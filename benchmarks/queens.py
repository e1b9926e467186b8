"""Queens games drawn at random: how many are solved, and when the first board appears.

Boards of 5×5 to 12×12 with none to three queens given, five games of each, at most 100 epochs. A
game is made by taking queens from a complete board that random placement came to. *idle*: nothing
is inserted, four games with one or two queens given.
"""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from atomlearn.problems import queens
from atomlearn.problems.solving import PAPER, Schedule
from atomlearn_paper.controls import Propagated
from benchmarks.record import Step

SIZES = range(5, 13)
EPOCHS = 100


def steps() -> dict[str, Step]:
    found: dict[str, Step] = {f"games/{n}×{n}": partial(measure, n) for n in SIZES}
    idle = {f"idle/{n}×{n}": partial(measure, n, (1, 2), 4, PAPER) for n in (8, 10, 13)}
    return found | idle


def measure(
    size: int,
    given: Iterable[int] = range(4),
    games: int = 5,
    schedule: Schedule = Schedule(),  # noqa: B008
) -> dict[str, dict[str, Any]]:
    return {str(n): survey(size, n, games, schedule) for n in given}


def survey(size: int, given: int, games: int, schedule: Schedule) -> dict[str, Any]:
    """Games of one size: how many were solved, and the CPU seconds of all."""
    firsts, spent = [], 0.0
    for seed in range(games):
        rng = np.random.default_rng([size, given, seed])
        board = complete_board(size, int(rng.integers(2**31)))
        fixed = rng.choice(board, given, replace=False).tolist()
        start = time.process_time()
        solver = queens.solve(
            size, fixed, random_state=1000 + seed, max_epochs=EPOCHS, schedule=schedule
        )
        found = next(solver, None)
        spent += time.process_time() - start
        firsts.append(found.epoch if found else None)
    solved = sum(epoch is not None for epoch in firsts)
    return {"games": games, "solved": solved, "epochs": firsts, "seconds": spent}


def complete_board(size: int, seed: int) -> tuple[str, ...]:
    """A complete board by random placement, tried until it comes to one."""
    control = Propagated(size, [], seed)
    while True:
        if boards := control.attempt():
            return boards[0]
