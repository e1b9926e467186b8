"""What a training loop reports as it goes, and whom it tells."""

from collections.abc import Callable
from dataclasses import dataclass

from atomlearn.engine.report import Report
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
"""What is known so far, worked out when asked for."""

OnRound = Callable[[Round, Current], object]
"""Called after each round. Returning ``True`` ends the learning."""


def ignore(*told: object) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class Hooks:
    """Functions that a training loop calls."""

    on_round: OnRound = ignore
    on_epoch: Callable[[], object] = ignore
    """Called once for each epoch of a class, of a fold and of a part, from any thread."""


@dataclass(frozen=True)
class Plan:
    """At most how many rounds, and calls of ``on_epoch``, there will be."""

    rounds: int
    epochs: int
