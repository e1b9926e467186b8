"""Settings of training, the time limit, Ctrl-C, and callbacks that report progress."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from atomlearn import interrupts
from atomlearn.engine.concept import Recipe
from atomlearn.engine.state import Report
from atomlearn.typing import Floats

if TYPE_CHECKING:
    from atomlearn.training.learned import Learned

GRACE = 0.4
"""Time beyond the limit, in seconds, in which classes without an epoch may still get one."""
ALLOWED, ALLOWED_SHARE = 1.0, 0.2
"""A time limit may be overrun by this many seconds, or by this share of it if that is more."""
CONCLUDED, CONCLUDED_SHARE = 4e-4, 0.35
"""Time in seconds that is reserved to finish each class and fold, at most this share of the limit.
"""
WEIGHED = 1e-7
"""Time in seconds, for each row and class, in which a model of weighted atoms becomes useful."""
FEWEST, SHORTEST = 200, 0.1
"""Number of rows and seconds that are spent on weighted atoms even if no time is left at all."""
JUDGED, JUDGED_EACH_SECOND = 1_000_000, 200_000
"""Maximum number of held-out rows times classes with a time limit: the minimum, and the number for
each second."""

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """Parameters of training: its duration, the number of cores, and the kind of atoms."""

    max_epochs: int | None = None
    time_limit: float | None = None
    n_jobs: int | None = None
    recipe: Recipe = field(default_factory=Recipe)
    evidence: str = "auto"
    """Kind of atoms: ``"strict"``, ``"weighted"``, or ``"auto"`` to choose on held-out rows."""
    prior: Floats | float = 0.0
    """Logarithm of the class weights, which is added to the scores of each row before a class is
    predicted. Errors are measured with it; losses, by which atoms are chosen, without."""
    expects_more: bool = False
    """Whether more examples will come; then both kinds of atoms are kept, because the choice may
    change."""
    started: float = field(default_factory=lambda: time.monotonic(), compare=False)
    """Start of the fit: reading and encoding the table count against the time limit."""
    ready: float | None = field(default=None, compare=False)
    """End of reading and encoding the table; the time limit does not end before it."""

    def with_table_read(self) -> "Settings":
        """Return the settings once the table has been read and encoded."""
        return replace(self, ready=time.monotonic())

    def most_held(self, n_classes: int) -> int | None:
        """Return the maximum number of rows to hold out, so that evaluating them is fast.

        >>> Settings().most_held(3000), Settings(time_limit=2).most_held(1000)
        (None, 1000)
        """
        if self.time_limit is None:
            return None
        return max(1, int(max(JUDGED, JUDGED_EACH_SECOND * self.time_limit) / n_classes))

    def most_weighed(self, n_classes: int, n_folds: int) -> int | None:
        """Return the maximum number of rows for which there is time to learn weighted atoms.

        >>> Settings(time_limit=2).most_weighed(1000, n_folds=3)
        4000
        """
        if self.time_limit is None:
            return None
        return max(FEWEST, int(self.time_limit / (WEIGHED * n_classes * (n_folds + 2))))


class Stopping(NamedTuple):
    """The stopping rule of rounds of epochs and of boosting: no progress on held-out rows.

    >>> rule = Stopping(patience=2, progress=0.99)
    >>> rule.is_over([0.5, 0.4]), rule.is_over([0.4, 0.399, 0.398]), rule.is_over([0.4, 0.41, 0.3])
    (False, True, False)
    """

    patience: int
    """Number of rounds that may pass without progress."""
    progress: float
    """Progress is a loss below this share of the lowest loss before those rounds."""
    smallest: float = 0.0
    """Smallest decrease of the loss that counts as progress."""

    def is_over(self, losses: Sequence[float]) -> bool:
        """Return whether to stop after rounds with these losses."""
        if len(losses) <= self.patience:
            return False
        best = min(losses[: -self.patience])
        wanted = min(self.progress * best, best - self.smallest)
        return min(losses[-self.patience :]) >= wanted


def run_rounds(
    next_round: Callable[[], bool],
    losses: Callable[[], Sequence[float]],
    stopping: Callable[[], Stopping],
    is_over: Callable[[], bool],
) -> None:
    """Run round after round until the loss on held-out rows makes no progress.

    It also ends when ``is_over`` returns true, and after a round that returns ``False``.
    """
    while not (stopping().is_over(losses()) or is_over()) and next_round():
        pass


class Clock:
    """The clock that decides when to stop, and how much time is left for each job."""

    def __init__(self, settings: Settings, n_pools: int = 0) -> None:
        self.settings = settings
        self.start = settings.started
        self.end = self.deadline = math.inf
        """End of learning, which is earlier if there are many pools, and end of training."""
        limit, self.allowed = settings.time_limit, math.inf
        if limit is not None:
            self.allowed = max(ALLOWED, ALLOWED_SHARE * limit)
            ready = time.monotonic() if settings.ready is None else settings.ready
            self.deadline = max(self.start + limit, ready)
            kept = min(CONCLUDED * n_pools - self.allowed / 2, CONCLUDED_SHARE * limit)
            self.end = max(self.start + limit - max(kept, 0.0), ready)
        self.interrupted = False
        self.ended = False
        """Whether a hook has asked to stop."""
        self.on_check: Callable[[], object] | None = None
        """A function called at every check of the clock; it may block, or raise an exception."""

    @property
    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.monotonic() - self.start

    def over(self) -> bool:
        """Return whether the user, a hook or the time limit has ended training."""
        if self.on_check is not None:
            self.on_check()
        self.interrupted = self.interrupted or interrupts.requested()
        return self.interrupted or self.ended or self.left() < 0

    def late(self, seconds: float = 0.0) -> bool:
        """Return whether work of this many seconds would end too late to complete the model.

        Half of the allowed overrun is reserved for what cannot be left out.
        """
        return self.deadline + self.allowed / 2 - time.monotonic() < seconds

    def extend(self) -> None:
        """Use a third of the allowed overrun."""
        self.end = self.deadline + self.allowed / 3

    def thinning(self, size: int) -> int:
        """Return the ``n`` for which there is time for weighted atoms of every ``n``-th row.

        ``size`` is the number of rows times that of classes.
        """
        return 1 + int(2 * WEIGHED * size / max(self.left(), SHORTEST))

    def left(self) -> float:
        """Return the time left to learn in seconds; negative if it is over."""
        return self.end - time.monotonic()

    def shares(self, jobs: Sequence[T], at_a_time: int) -> Iterator[tuple[T, float]]:
        """Yield each job with the time it may take, computed when its turn has come.

        There are no more jobs when it is too late even for a first epoch.
        """
        for i, job in enumerate(jobs):
            if self.left() < -GRACE:
                return
            yield job, self.left() / math.ceil((len(jobs) - i) / at_a_time)


@dataclass
class Round:
    """Some epochs of every class, and the error on held-out rows after them."""

    epochs: int
    """Number of epochs since the beginning."""
    seconds: float
    error: float | None
    loss: float | None
    reports: list[list[Report]]
    """Reports of the epochs of each class."""
    alone: float | None = None
    """Loss of strict atoms alone."""


Current = Callable[[], "Learned"]
"""A function that computes the current model on demand."""

OnRound = Callable[[Round, Current], object]
"""A function that is called after each round; returning ``True`` ends the learning."""


def ignore(*told: object) -> None:
    """Do nothing: this is the default callback."""


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
