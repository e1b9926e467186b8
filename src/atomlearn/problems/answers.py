"""Answers to a problem: a board, a grid, a cycle, a colouring."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from atomlearn.algebra.model import Model
from atomlearn.markup import Displayed


@dataclass(frozen=True, kw_only=True, repr=False)
class Answer(Displayed, ABC):
    """A solution, or as much of one as the model of an epoch knows.

    ``idle`` epochs learn the rules without the game; ``inserted`` is a choice that was added for
    this epoch only. A solution that follows from the rules alone has epoch 0 and no model.

    >>> from atomlearn.problems import colouring
    >>> answer = next(colouring.solve([("a", "b")], 2, random_state=0))
    >>> answer.solved(), answer.progress
    (True, '2 of 2 vertices')
    """

    fields: ClassVar[tuple[str, ...]]
    """The attributes that :meth:`to_dict` gives."""

    epoch: int = 0
    idle: bool = False
    inserted: str | None = None
    model: Model | None = field(default=None, compare=False, repr=False)

    @property
    @abstractmethod
    def progress(self) -> str:
        """How complete it is, as in "7 of 8 queens"."""

    @abstractmethod
    def solved(self) -> bool:
        """Is it complete and legal? Checked by plain Python that knows nothing of algebra."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.progress}, epoch {self.epoch}>"

    @property
    def caption(self) -> str:
        """How complete it is, and when it was found."""
        return f"{self.progress}, epoch {self.epoch}"

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values, for JSON."""
        return {name: getattr(self, name) for name in (*self.fields, "epoch")}


@dataclass(frozen=True, repr=False)
class PartialSolution:
    """What a model says of the solution: choices that are made, and choices that are ruled out.

    Anything in neither set is undecided, the ``?`` of the paper's boards.
    """

    chosen: frozenset[str]
    excluded: frozenset[str]
    epoch: int = 0
    idle: bool = False
    inserted: str | None = None
    model: Model | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        chosen, excluded = len(self.chosen), len(self.excluded)
        return f"<PartialSolution: {chosen} chosen, {excluded} excluded, epoch {self.epoch}>"

    @property
    def n_decided(self) -> int:
        """How many choices are decided."""
        return len(self.chosen | self.excluded)

    @property
    def origin(self) -> dict[str, Any]:
        """The fields that every :class:`Answer` shares."""
        return {
            "epoch": self.epoch,
            "idle": self.idle,
            "inserted": self.inserted,
            "model": self.model,
        }
