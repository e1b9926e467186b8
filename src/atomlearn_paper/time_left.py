"""How far a run is, and how long it will still take; on stderr."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

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
        self.todo, self.later, self.n_jobs = dict(costs), later, max(1, n_jobs)
        self.declared = self.measured = 0.0

    def done(self, name: str, seconds: float) -> None:
        """A step is done, and took so long."""
        self.declared += self.todo.pop(name)
        self.measured += seconds

    def seconds(self, more: float = 0.0) -> float:
        """What is left, and ``more`` of declared cost."""
        scale = self.measured / self.declared if self.declared else 1.0
        return scale * (sum(self.todo.values()) + more) / self.n_jobs

    def __str__(self) -> str:
        in_all = f", {spoken(self.seconds(self.later))} in all" if self.later else ""
        return f"about {spoken(self.seconds())} left{in_all}"


def spoken(seconds: float) -> str:
    """A time as one says it.

    >>> spoken(8), spoken(200), spoken(5000)
    ('8 s', '3 min', '1 h 23 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class Display(Progress):
    """A line for each finished step, and on a terminal a bar; used as a context manager."""

    def __init__(
        self, title: str, steps: Sequence[Step], n_all: int, n_jobs: int, later: float = 0.0
    ) -> None:
        console = Console(file=sys.stderr)
        columns = (TextColumn("{task.description}"), BarColumn())
        super().__init__(*columns, console=console, transient=True, disable=not console.is_terminal)
        self.left = TimeLeft({step.name: step.cost for step in steps}, n_jobs, later)
        self.title, self.n_all = title, n_all
        self.bar = self.add_task(f"{title}, {self.left}", total=n_all, completed=n_all - len(steps))

    def done(self, name: str, seconds: float) -> None:
        """Say that a step is done."""
        self.left.done(name, seconds)
        n_done = self.n_all - len(self.left.todo)
        still = f", {self.left}" if self.left.todo or self.left.later else ""
        line = f"{self.title} {n_done} of {self.n_all}: {name}, {spoken(seconds)}{still}"
        self.console.print(line, highlight=False)
        self.update(self.bar, completed=n_done, description=f"{self.title}{still}")
