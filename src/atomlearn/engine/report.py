"""Figures of an epoch: sizes, and seconds and words by phase."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(repr=False)
class Report:
    """The figures of one epoch.

    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> alg.epochs(random_state=0).run(alg).report.n_positive
    1
    """

    epoch: int = 0
    n_positive: int = 0
    n_negative: int = 0
    n_conflicts: int = 0
    n_witnesses: int = 0
    n_atoms: int = 0
    n_pool: int = 0
    n_dropped: int = 0
    n_new: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Report: epoch {self.epoch}, {self.n_atoms:,} atoms, {self.total_seconds:.2f} s>"

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time of a block under this name."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def count(self, name: str, words: int) -> None:
        """Add the number of words that a phase processed."""
        self.words[name] = self.words.get(name, 0) + int(words)

    @property
    def total_seconds(self) -> float:
        """All phases together."""
        return sum(self.seconds.values())


OnEpoch = Callable[[Report], None]
"""A progress hook: called after each epoch."""
