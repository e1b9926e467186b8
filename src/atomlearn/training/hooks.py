"""Progress reports and callbacks of the training loop."""

from collections.abc import Callable
from dataclasses import dataclass

from atomlearn.engine.state import Report
from atomlearn.training.learned import Learned


@dataclass
class Round:
    """Some epochs of every class, and the error on held-out rows after them."""

    epochs: int
    """Epochs since the beginning."""
    seconds: float
    error: float | None
    loss: float | None
    reports: list[list[Report]]
    """For each class, one report an epoch."""


Current = Callable[[], Learned]
"""Computes the current model on demand."""

OnRound = Callable[[Round, Current], object]
"""Called after each round. Returning ``True`` ends the learning."""


def ignore(*told: object) -> None:
    """The default callback: do nothing."""


@dataclass(frozen=True)
class Hooks:
    """Callbacks of the training loop."""

    on_round: OnRound = ignore
    on_epoch: Callable[[], object] = ignore
    """Called once for each epoch of a class, of a fold and of a part, from any thread."""
    on_check: Callable[[], object] = ignore
    """Called often, from any thread, where training may wait or be abandoned: it may block, or
    raise an exception."""


@dataclass(frozen=True)
class Plan:
    """Upper bounds for the number of rounds and of calls of ``on_epoch``."""

    rounds: int
    epochs: int
