"""How far a run is, and how long it will still take."""

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from atomlearn_paper.experiment import Step


class TimeLeft:
    """An estimate from the declared costs, scaled by what finished steps really took.

    ``later`` is the cost of what comes after these steps.

    >>> left = TimeLeft({"a": 10.0, "b": 30.0}, later=100.0)
    >>> left.seconds(), str(left)
    (40.0, 'about 40 s left, 2 min in all')
    >>> left.done("a", 20.0)
    >>> left.seconds(), str(left)
    (60.0, 'about 60 s left, 4 min in all')
    """

    def __init__(self, costs: dict[str, float], n_jobs: int = 1, later: float = 0.0) -> None:
        self.todo, self.later = dict(costs), later
        self.n_jobs = max(1, n_jobs)
        self.declared = self.measured = 0.0

    def done(self, name: str, seconds: float) -> None:
        """A step is done, and took so long."""
        self.declared += self.todo.pop(name)
        self.measured += seconds

    def seconds(self, running: float = 0.0) -> float:
        """What is left, when the present steps have run for so long."""
        return max(0.0, self._scale * sum(self.todo.values()) / self.n_jobs - running)

    def tell(self, running: float = 0.0) -> str:
        """What is left, in words."""
        left = self.seconds(running)
        text = f"about {spoken(left)} left"
        if self.later:
            text += f", {spoken(left + self._scale * self.later / self.n_jobs)} in all"
        return text

    def __str__(self) -> str:
        return self.tell()

    @property
    def _scale(self) -> float:
        return self.measured / self.declared if self.declared else 1.0


def spoken(seconds: float) -> str:
    """A time as one says it.

    >>> spoken(8), spoken(200), spoken(5000)
    ('8 s', '3 min', '1 h 23 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class Countdown(ProgressColumn):
    """The time left, counted down while a step runs."""

    def __init__(self, left: TimeLeft) -> None:
        super().__init__()
        self.left = left
        self.since = time.monotonic()

    def render(self, task: Task) -> Text:
        """What is left now."""
        return Text(self.left.tell(time.monotonic() - self.since))


class Display:
    """A line for each finished step, and on a terminal a bar that counts down; on stderr."""

    def __init__(
        self, title: str, steps: Sequence[Step], n_all: int, n_jobs: int, later: float = 0.0
    ) -> None:
        self.left = TimeLeft({step.name: step.cost for step in steps}, n_jobs, later)
        self.countdown = Countdown(self.left)
        self.title, self.n_all = title, n_all
        self.console = Console(file=sys.stderr)
        self.bar = Progress(
            TextColumn(f"{title}: {{task.completed:.0f}} of {{task.total:.0f}} steps"),
            BarColumn(),
            self.countdown,
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self.task = self.bar.add_task("", total=n_all, completed=n_all - len(steps))

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def done(self, name: str, seconds: float) -> None:
        """Say that a step is done."""
        self.left.done(name, seconds)
        self.countdown.since = time.monotonic()
        still = f", {self.left}" if self.left.todo or self.left.later else ""
        n_done = self.n_all - len(self.left.todo)
        line = f"{self.title} {n_done} of {self.n_all}: {name}, {spoken(seconds)}{still}"
        self.console.print(line, highlight=False)
        self.bar.update(self.task, completed=n_done)
