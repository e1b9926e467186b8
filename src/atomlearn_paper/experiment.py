"""What an experiment is: steps that give plain values, and a report made from those alone.

A step is a function and its settings, which are all that its result depends on. So a result is as
good as the settings and the version it was made with, and a run that was interrupted goes on where
it stopped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atomlearn_paper.report import ExperimentReport

Results = Mapping[str, Any]
"""What the steps gave, by name: dictionaries, lists, numbers and text."""


@dataclass(frozen=True)
class Setting:
    """How a run was asked for."""

    quick: bool = False
    seed: int = 0
    attempts: int | None = None
    """Attempts in each experiment with queens, if not the usual number."""


@dataclass(frozen=True)
class Step:
    """A function of the top of a module, called with its settings by name."""

    name: str
    run: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    """Rough seconds, for the estimate of the time left."""


@dataclass(frozen=True)
class Experiment:
    """A part of the paper: what to run, and how to show what came out."""

    name: str
    title: str
    steps: Callable[[Setting], list[Step]]
    report: "Callable[[ExperimentReport, Results], None]"
    data: str | None = None
    """The data set that it needs."""
