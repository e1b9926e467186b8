"""Learning from data that no one machine holds: parts learn apart and share their pins.

After every few epochs the new pins of all parts are put together, held against the examples of
every part, and what none contradicts is known to all ("algebras can be run in parallel, and share
pinning terms": the paper's section on batches). Pins travel, and few examples: some that are spared
to tell how well the classes are told apart, and, if that is allowed, some that contradict what
other parts believe, so that all learn from them.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from atomlearn import interrupts
from atomlearn.engine.concept import Concept, Indices
from atomlearn.engine.misses import Blocks, typical_misses
from atomlearn.engine.pool import Pool, Source
from atomlearn.engine.report import Report
from atomlearn.sets.random import sample, stream
from atomlearn.sets.rows import Rows, width
from atomlearn.training.calibration import log_ratio
from atomlearn.training.classes import KEPT, LARGE_EPOCHS, schedule
from atomlearn.training.examples import Examples, Unseen
from atomlearn.training.parts import (
    Checked,
    Found,
    Shared,
    Task,
    check_part,
    learn_part,
    rank_part,
)
from atomlearn.training.rounds import PATIENCE, PROGRESS, Learned, Round, Rounds, is_as_good

EXCHANGE = 10
"""Epochs of each part between two exchanges; also how often hard counterexamples are renewed."""
MOST_NEW = 20_000
"""Pins of a class that all parts together may suggest at an exchange, so that what travels does
not grow with the number of parts ..."""
FEWEST_NEW = 200
"""... but each may suggest so many."""
MOST_PINS = 100_000
"""Pins of a class known at any time; beyond that some are forgotten, at random."""
MOST_SHARED = 1000
"""Examples of a class that all parts know of ..."""
SHARED_AT_ONCE = 200
"""... and how many may be added at an exchange. On MNIST in eight parts the loss was an eighth less
with them, and no more than that of all data in one place."""


class Job(NamedTuple):
    """A function of one part; each of ``shared`` is the same for many jobs and sent once."""

    part: int
    shared: tuple[Any, ...]
    own: tuple[Any, ...]


class Parts(Protocol):
    """Somewhere that functions are applied to parts of the data."""

    sources: Sequence[Source]
    """One for each part."""

    @property
    def at_a_time(self) -> int:
        """How many functions run at the same time, as far as one knows."""

    def run(self, function: Callable[..., Any], jobs: Iterable[Job]) -> list[Any]:
        """The results of ``function(part, *shared, *own)``, in the order of the jobs."""


@dataclass
class PartsHere:
    """Parts in the memory of this process, one after the other."""

    examples: Sequence[Examples]
    sources: Sequence[Source]
    at_a_time = 1

    def run(self, function: Callable[..., Any], jobs: Iterable[Job]) -> list[Any]:
        """Apply the function to each."""
        return [function(self.examples[job.part], *job.shared, *job.own) for job in jobs]


@dataclass
class Known:
    """What is known between two exchanges; all there is to save."""

    pools: list[Pool]
    refuting: list[Rows]
    """Of each class, examples that contradicted what some part believed."""
    epoch: int = 0
    best: float = math.inf
    stale: int = 0
    dropped: int = 0
    """Pins that one part suggested and another contradicted."""
    done: list[Round] = field(default_factory=list)

    @classmethod
    def nothing(cls, n_constants: int, n_classes: int) -> "Known":
        """Before the first epoch."""
        none = np.zeros((0, width(n_constants)), dtype=np.uint64)
        return cls([Pool(n_constants) for _ in range(n_classes)], [none] * n_classes)

    def shared(self) -> Shared:
        """The examples that all parts know of."""
        labels = np.repeat(np.arange(len(self.refuting)), [len(rows) for rows in self.refuting])
        return Shared(np.concatenate(self.refuting), labels)


def learn_parts(
    parts: Parts,
    held: Examples,
    seed: int,
    rounds: Rounds,
    known: Known | None = None,
    on_exchange: Callable[[Known], None] | None = None,
    share_examples: bool = True,
) -> tuple[Learned, Known]:
    """Learn until examples that no part has seen (``held``) are told apart no better.

    The result depends on the parts and the seed, and on nothing else. Ctrl-C and a time limit may
    cut an exchange short: what it gave is kept, but ``on_exchange`` is not told of it.
    """
    known = Known.nothing(held.n_constants, held.n_classes) if known is None else known
    blocks = held.blocks()
    targets = {EXCHANGE * math.ceil(t / EXCHANGE) for t in schedule(most_epochs(rounds))}
    reports: list[list[Report]] = [[] for _ in known.pools]
    while known.epoch < most_epochs(rounds) and known.stale < PATIENCE and not rounds.over():
        try:
            known, new, is_whole = exchange(parts, known, seed, rounds, share_examples)
            reports = [ours + more for ours, more in zip(reports, new, strict=True)]
            if not is_whole:
                break
            if known.epoch in targets or known.epoch >= most_epochs(rounds):
                learned = conclude_parts(known, held, blocks, seed, rounds.settings.n_jobs)
                known = judged(known, learned, rounds, reports)
                reports = [[] for _ in known.pools]
            if on_exchange is not None:
                on_exchange(known)
        except KeyboardInterrupt:
            rounds.interrupted = True
    if any(reports):  # since the last judgement
        seconds = time.monotonic() - rounds.start
        last = Round(known.epoch, seconds, rounds.error, None, reports)
        known = replace(known, done=[*known.done, last])
    n_jobs = rounds.settings.n_jobs
    try:
        if rounds.interrupted:
            raise KeyboardInterrupt
        interrupts.check()
        learned, known = with_fewest_pins(parts, known, held, blocks, seed, n_jobs)
    except KeyboardInterrupt:  # all pins, then
        rounds.interrupted = True
        if known.epoch == 0:
            raise
        learned = conclude_parts(known, held, blocks, seed, n_jobs)
    learned.rounds, learned.interrupted = known.done, rounds.interrupted
    return learned, known


def with_fewest_pins(
    parts: Parts, known: Known, held: Examples, blocks: Blocks, seed: int, n_jobs: int | None
) -> tuple[Learned, Known]:
    """Thinned as far as unseen examples are told apart as well."""
    everything = conclude_parts(known, held, blocks, seed, n_jobs)
    ranks = ranked(parts, known, seed, KEPT)
    for size in (KEPT, 2 * KEPT, 4 * KEPT):
        fewer = thinned(known, ranks, size)
        if fewer is known:
            break
        learned = conclude_parts(fewer, held, blocks, seed, n_jobs)
        if is_as_good(learned, everything):
            return learned, fewer
    return everything, known


def most_epochs(rounds: Rounds) -> int:
    """At most so many of each part."""
    return rounds.settings.max_epochs or LARGE_EPOCHS


def exchange(
    parts: Parts, known: Known, seed: int, rounds: Rounds, share_examples: bool = True
) -> tuple[Known, list[list[Report]], bool]:
    """A few epochs of every part, then what they found, as far as all agree.

    Last: had every part all of its epochs?
    """
    n_parts, classes = len(parts.sources), range(len(known.pools))
    epochs = min(EXCHANGE, most_epochs(rounds) - known.epoch)
    most = max(FEWEST_NEW, MOST_NEW // n_parts)
    tasks = [Task(seed, k, p, known.epoch) for k in classes for p in range(n_parts)]
    shared, recipe = known.shared(), rounds.settings.recipe
    found: list[Found] = parts.run(
        learn_part,
        (
            Job(
                task.part,
                (known.pools[task.label].atoms, shared),
                (task, epochs, most, recipe, seconds),
            )
            for task, seconds in rounds.shares(tasks, parts.at_a_time)
        ),
    )
    is_whole = all(one.is_whole for one in found)
    if not is_whole:
        epochs = max(len(one.reports) for one in found)
    candidates = [
        suggested(known.pools[k], found[k * n_parts : (k + 1) * n_parts], parts.sources)
        for k in classes
    ]
    at_once = -(-SHARED_AT_ONCE // n_parts) if share_examples else 0
    checked: list[Checked] = parts.run(
        check_part,
        (Job(task.part, (candidates[task.label].atoms,), (task, at_once)) for task in tasks),
    )
    pools, refuting, dropped = [], [], known.dropped
    for k in classes:
        said = checked[k * n_parts : (k + 1) * n_parts]
        dropped += candidates[k].drop(np.logical_or.reduce([one.refused for one in said]))
        pool = known.pools[k].copy()
        pool.merge(candidates[k])
        pool.keep(sample(stream(Task(seed, k, 0, known.epoch).random(3)), len(pool), MOST_PINS))
        pools.append(pool)
        refuting.append(joined([known.refuting[k], *(one.refuting for one in said)]))
    known = replace(
        known, pools=pools, refuting=refuting, epoch=known.epoch + epochs, dropped=dropped
    )
    if rounds.on_epoch is not None:
        for _ in range(epochs * len(classes)):
            rounds.on_epoch()
    reports = [
        together([one.reports for one in found[k * n_parts : (k + 1) * n_parts]], known.pools[k])
        for k in classes
    ]
    return known, reports, is_whole


def joined(rows: Sequence[Rows]) -> Rows:
    """Different examples, the first ones first, and no more than all parts should know of."""
    everything = np.concatenate(rows)
    _, first = np.unique(everything, axis=0, return_index=True)
    return everything[np.sort(first)[:MOST_SHARED]]


def suggested(known: Pool, found: Sequence[Found], sources: Sequence[Source]) -> Pool:
    """The new pins of all parts, in the order of the parts, each with where it is from."""
    pool = Pool(known.n_constants)
    for one, source in zip(found, sources, strict=True):
        pool.merge(Pool.of(known.n_constants, one.atoms, one.born, sources=[source]))
    return pool


def ranked(parts: Parts, known: Known, seed: int, size: int) -> dict[int, Indices]:
    """Of each class with more pins than that: its pins, those that most hard ones miss first."""
    large = [k for k, pool in enumerate(known.pools) if len(pool) > size]
    if not large:
        return {}
    n_parts = len(parts.sources)
    tasks = [Task(seed, k, p, known.epoch) for k in large for p in range(n_parts)]
    counts = parts.run(
        rank_part, (Job(task.part, (known.pools[task.label].atoms,), (task,)) for task in tasks)
    )
    missed = [np.sum(counts[i * n_parts : (i + 1) * n_parts], axis=0) for i in range(len(large))]
    return {k: np.argsort(-ours, kind="stable") for k, ours in zip(large, missed, strict=True)}


def thinned(known: Known, ranks: dict[int, Indices], size: int) -> Known:
    """The same with at most so many pins of each class; itself, if no class has more."""
    large = [k for k in ranks if len(known.pools[k]) > size]
    if not large:
        return known
    pools = list(known.pools)
    for k in large:
        pools[k] = known.pools[k].copy()
        pools[k].keep(ranks[k][:size])
    return replace(known, pools=pools)


def conclude_parts(
    known: Known, held: Examples, blocks: Blocks, seed: int, n_jobs: int | None = None
) -> Learned:
    """What is known so far, calibrated on the examples that were spared."""
    concepts = []
    for k, pool in enumerate(known.pools):
        concept = Concept(pool.n_constants, pool.n_constants - 1, Task(seed, k, 0, 0).random(2))
        concept.pool, concept.epoch = pool, known.epoch
        concepts.append(concept)
    none = Unseen.none(len(concepts))
    plain = Learned(concepts, np.zeros(len(concepts)), none.calibrate(), known.done, none)
    misses = plain.misses(blocks, len(held), n_jobs)
    typical = typical_misses(misses, held.labels)
    unseen = held.unseen(log_ratio(misses, typical))
    return replace(plain, typical=typical, calibration=unseen.calibrate(), unseen=unseen)


def judged(known: Known, learned: Learned, rounds: Rounds, reports: list[list[Report]]) -> Known:
    """Has it become better? Tell whoever wants to know."""
    error, loss, best, stale = None, None, known.best, known.stale
    if len(learned.unseen):  # else there were too few to spare any: nothing tells when to stop
        error, loss = learned.unseen.error_and_loss(learned.calibration)
        best, stale = min(best, loss), 0 if loss < PROGRESS * best else stale + 1
    done = Round(known.epoch, time.monotonic() - rounds.start, error, loss, reports)
    rounds.finish(done, lambda: learned)
    return replace(known, best=best, stale=stale, done=[*known.done, done])


def together(reports: Sequence[Sequence[Report]], pool: Pool) -> list[Report]:
    """The epochs of a class over all parts: examples and seconds add up, atoms are the mean."""
    joint = []
    for same in zip(*[ours for ours in reports if ours], strict=False):
        one = Report(same[0].epoch, n_pool=len(pool))
        one.n_positive = sum(report.n_positive for report in same)
        one.n_negative = sum(report.n_negative for report in same)
        one.n_atoms = round(sum(report.n_atoms for report in same) / len(same))
        one.n_new = sum(report.n_new for report in same)
        one.seconds = {"learning": sum(report.total_seconds for report in same)}
        joint.append(one)
    return joint
