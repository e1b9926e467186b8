"""How long to learn: settings, the time limit, and Ctrl-C."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from atomlearn import interrupts
from atomlearn.engine.concept import Recipe
from atomlearn.training.calibration import Floats

GRACE = 1.0
"""Seconds beyond the time limit in which classes without an epoch may still get one."""

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """How long to learn, and on how many cores."""

    max_epochs: int | None = None
    time_limit: float | None = None
    n_jobs: int | None = None
    recipe: Recipe = field(default_factory=Recipe)
    evidence: str = "auto"
    """Kind of atoms: ``"strict"``, ``"weighted"``, or ``"auto"`` to choose on held-out rows."""
    prior: Floats | float = 0.0
    """Added to the scores of each row before a class is predicted: the logarithm of the class
    weights. Errors are measured with it; losses, by which atoms are chosen, without."""
    goes_on: bool = False
    """Will more examples come, by which the choice may change? Then both kinds are kept."""


class Clock:
    """Decides when to stop, and how much time is left for each job."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.start = time.monotonic()
        self.interrupted = False
        self.ended = False
        """Has a hook asked to stop?"""
        self.on_check: Callable[[], object] | None = None
        """Called whenever the clock is asked; it may block, or raise an exception."""

    @property
    def seconds(self) -> float:
        """Seconds since training began."""
        return time.monotonic() - self.start

    def over(self) -> bool:
        """Has the user, a hook or the time limit ended training?"""
        if self.on_check is not None:
            self.on_check()
        self.interrupted = self.interrupted or interrupts.requested()
        return self.interrupted or self.ended or self._seconds_left() < 0

    def shares(self, jobs: Sequence[T], at_a_time: int) -> Iterator[tuple[T, float | None]]:
        """Each job with the seconds it may take, worked out when its turn has come.

        ``None`` if it is too late even for a first epoch.
        """
        for i, job in enumerate(jobs):
            seconds = self._seconds_left() / math.ceil((len(jobs) - i) / at_a_time)
            yield job, None if self._seconds_left(GRACE) < 0 else seconds

    def _seconds_left(self, grace: float = 0.0) -> float:
        limit = self.settings.time_limit
        return math.inf if limit is None else limit + grace - self.seconds
