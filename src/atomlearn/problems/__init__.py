"""Formal problems: rules in, solutions out.

Each module states a problem as relations on an :class:`~atomlearn.Algebra`, and reads solutions
off the models that are learned. ``algebra(...)`` gives the relations, ``solve(...)`` the solutions,
each checked by plain Python that knows nothing of algebra. Nothing here knows how learning works,
and nothing in the engine knows of these problems.
"""

from atomlearn.problems import colouring, drawing, hamiltonian, mazes, queens, stated, sudoku
from atomlearn.problems.game import Answer, Choices, Game, Rules, one_of_each, play
from atomlearn.problems.refuting import Refutation
from atomlearn.problems.solving import ATTEMPTS, PAPER, Schedule, Solver, Summary

__all__ = [
    "ATTEMPTS",
    "PAPER",
    "Answer",
    "Choices",
    "Game",
    "Refutation",
    "Rules",
    "Schedule",
    "Solver",
    "Summary",
    "colouring",
    "drawing",
    "hamiltonian",
    "mazes",
    "one_of_each",
    "play",
    "queens",
    "stated",
    "sudoku",
]
