"""Strict atoms: every example of the class has them, and the number that a row misses counts.

Each fold has its own atoms, which were learned without its rows and are evaluated on them. In the
end all are merged, and those that any example contradicts are dropped.

Parts learn separately and share their atoms. After every few epochs the new atoms of all parts are
collected and checked against the examples of every part, and those that none contradicts are known
to all ("algebras can be run in parallel, and share pinning terms": the paper's section on batches).
Atoms are exchanged, and few examples: some that contradict atoms of other parts, if that is
allowed, so that all learn from them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np

from atomlearn.engine.concept import Recipe
from atomlearn.engine.misses import blocks_of
from atomlearn.engine.pool import Pool, Source
from atomlearn.engine.state import Report
from atomlearn.sets.random import sample, stream
from atomlearn.sets.rows import Rows, width
from atomlearn.training.data import (
    EVERY,
    FORBIDDEN,
    Examples,
    FoldAtoms,
    HeldOutPredictions,
    is_small,
)
from atomlearn.training.learned import Learned
from atomlearn.training.parts import (
    Candidates,
    Job,
    Part,
    Parts,
    Refuted,
    Shared,
    Task,
    check_part,
    learn_part,
)
from atomlearn.training.settings import Clock, Hooks, Plan, Round, Settings
from atomlearn.typing import Integers

MOST_NEW = 20_000
"""Maximum number of atoms of a class that all parts together suggest at an exchange, so that
traffic does not grow with the number of parts."""
FEWEST_NEW = 200
"""Number of atoms of a class that each part may suggest in any case."""
MOST_KNOWN = 100_000
"""Maximum number of known atoms of a class; beyond that some are dropped at random."""
MOST_SHARED = 1000
"""Maximum number of examples of a class that all parts learn from."""
SHARED_AT_ONCE = 200
"""Maximum number of shared examples that are added at an exchange. On MNIST in eight parts the loss
was an eighth less with them, and no more than that of all data in one place."""


@dataclass
class State:
    """The state of training between two exchanges; a checkpoint saves it."""

    pools: list[list[Pool]]
    """Atoms learned without the rows of a fold, as ``pools[fold][class]``."""
    refuting: list[list[Rows]]
    """Examples that contradicted atoms of another part, as ``refuting[fold][class]``."""
    epochs: Integers
    """Number of epochs of each fold and class; fewer than ``epoch`` if time was over."""
    epoch: int = 0
    first: float = math.inf
    """Loss of strict atoms on held-out rows after the first round."""
    adds_nothing: bool = False
    """Whether strict atoms do not improve on weighted ones."""
    n_refuted: int = 0
    """Number of atoms that one part suggested and another contradicted."""
    done: list[Round] = field(default_factory=list)

    @classmethod
    def nothing(cls, n_folds: int, n_classes: int, n_constants: int) -> "State":
        """Return the state before the first epoch."""
        none = np.zeros((0, width(n_constants)), dtype=np.uint64)
        return cls(
            [[Pool(n_constants) for _ in range(n_classes)] for _ in range(n_folds)],
            [[none] * n_classes for _ in range(n_folds)],
            np.zeros((n_folds, n_classes), dtype=np.int64),
        )

    @property
    def losses(self) -> list[float]:
        """Loss on held-out rows after each round that was evaluated."""
        return [one.loss for one in self.done if one.loss is not None]

    @property
    def n_classes(self) -> int:
        """Number of classes of each fold."""
        return len(self.pools[0])

    def shared(self, fold: int) -> Shared:
        """Return the examples that all parts learn from without a fold."""
        rows = self.refuting[fold]
        labels = np.repeat(np.arange(len(rows)), [len(ours) for ours in rows])
        return Shared(np.concatenate(rows), labels)


@dataclass(frozen=True)
class Exchange:
    """Learning of all parts between two exchanges."""

    parts: Parts
    seed: int
    recipe: Recipe
    clock: Clock
    hooks: Hooks
    share_examples: bool = True
    n_concepts: int = 0
    """Number of concepts to learn, if not as many as classes: two for each class, if ordered."""

    def run(
        self, state: State, epochs: int, folds: Sequence[int] | None = None
    ) -> tuple[State, list[list[Report]], bool]:
        """Run ``epochs`` epochs on every part, then merge the atoms that no part contradicts.

        Also returns reports by class, and whether every part has had all of its epochs. If only
        some ``folds`` are learned, the others have these epochs later.
        """
        n_parts, n_classes = len(self.parts.sources), state.n_classes
        learned = range(len(state.pools)) if folds is None else folds
        keys = [(f, c) for f in learned for c in range(self.n_concepts or n_classes)]
        tasks = [Task(self.seed, f, c, p, state.epoch) for f, c in keys for p in range(n_parts)]
        found = self._learn(state, tasks, epochs)
        by_key = {key: found[i * n_parts : (i + 1) * n_parts] for i, key in enumerate(keys)}
        if self.n_concepts > n_classes:
            keys = [(f, k) for f in learned for k in range(n_classes)]
            by_key = {(f, k): along_chain(by_key, f, k, n_classes) for f, k in keys}
            tasks = [task for task in tasks if task.label < n_classes]
        candidates = {
            (f, k): suggested(state.pools[f][k], by_key[f, k], self.parts.sources)
            for f, k in keys
            if n_parts > 1 or any(one.was_tried for one in by_key[f, k])
        }
        state = self._agreed(state, tasks, candidates)
        is_whole = all(one.is_whole for one in found)
        had = np.array([max(_epochs(one, epochs) for one in by_key[key]) for key in keys])
        state.epochs = state.epochs.copy()
        state.epochs[list(learned)] += had.reshape(-1, n_classes)
        if folds is None or not is_whole:
            state.epoch += epochs if is_whole else int(had.max())
        reports = [
            summed(
                [one.reports for f in learned for one in by_key[f, k]],
                sum(len(pools[k]) for pools in state.pools),
            )
            for k in range(n_classes)
        ]
        return state, reports, is_whole

    def _learn(self, state: State, tasks: Sequence[Task], epochs: int) -> list[Candidates]:
        n_parts = len(self.parts.sources)
        most = None if n_parts == 1 else max(FEWEST_NEW, MOST_NEW // n_parts)
        shared = [state.shared(f) for f in range(len(state.pools))]

        def tell(found: Candidates) -> None:
            for _ in found.reports:
                self.hooks.on_epoch()

        found: list[Candidates] = self.parts.run(
            learn_part,
            (
                Job(
                    task.part,
                    (state.pools[task.fold][task.label % state.n_classes].atoms, shared[task.fold]),
                    (task, epochs, most, self.recipe, seconds),
                )
                for task, seconds in self.clock.shares(tasks, self.parts.at_a_time)
            ),
            tell,
        )
        return found + [Candidates.none()] * (len(tasks) - len(found))

    def _agreed(
        self, state: State, tasks: Sequence[Task], candidates: dict[tuple[int, int], Pool]
    ) -> State:
        """Add the candidates that no part contradicts."""
        n_parts = len(self.parts.sources)
        checked: list[Refuted] = []
        if n_parts > 1:  # one part alone has checked them itself
            most = -(-SHARED_AT_ONCE // n_parts) if self.share_examples else 0
            checked = self.parts.run(
                check_part,
                (
                    Job(task.part, (candidates[task.fold, task.label].atoms,), (task, most))
                    for task in tasks
                ),
            )
        state = replace(
            state,
            pools=[list(pools) for pools in state.pools],
            refuting=[list(rows) for rows in state.refuting],
        )
        for i, ((f, k), new) in enumerate(candidates.items()):
            refuted = checked[i * n_parts : (i + 1) * n_parts]
            if refuted:
                state.n_refuted += new.drop(np.logical_or.reduce([one.mask for one in refuted]))
                rows = [state.refuting[f][k], *(one.examples for one in refuted)]
                state.refuting[f][k] = distinct(rows, MOST_SHARED)
            pool = state.pools[f][k].copy()
            pool.merge(new)
            if len(pool) > MOST_KNOWN:
                forgetting = Task(self.seed, f, k, 0, state.epoch).random(1)
                pool.keep(sample(stream(forgetting), len(pool), MOST_KNOWN))
            state.pools[f][k] = pool
        return state


def along_chain(
    found: dict[tuple[int, int], list[Candidates]], f: int, k: int, n_classes: int
) -> list[Candidates]:
    """Return what was found for class ``k`` of a chain, which every example of the class has.

    This is what all from a class up to it have in common with those above, and all from a class
    down to it with those below.
    """
    above = [found[f, j] for j in range(k + 1)]
    below = [found[f, n_classes + j] for j in range(k, n_classes)]
    return [one for some in (*above, *below) for one in some]


def _epochs(found: Candidates, asked: int) -> int:
    return asked if found.is_whole else len(found.reports)


def suggested(known: Pool, found: Sequence[Candidates], sources: Sequence[Source]) -> Pool:
    """Return the new atoms of all parts, in the order of the parts, each with its source."""
    pool = Pool(known.n_constants)
    for one, source in zip(found, cycle(sources), strict=False):
        pool.merge(Pool.of(known.n_constants, one.atoms, one.born, sources=[source]))
    return pool


def distinct(rows: Sequence[Rows], most: int) -> Rows:
    """Remove duplicates, keep the order, and keep at most ``most`` rows."""
    everything = np.concatenate(rows)
    _, first = np.unique(everything, axis=0, return_index=True)
    return everything[np.sort(first)[:most]]


def summed(reports: Sequence[Sequence[Report]], n_pool: int) -> list[Report]:
    """Return the epochs of a class over all folds and parts, with examples and seconds added up."""
    joint = []
    for same in zip(*[ours for ours in reports if ours], strict=False):
        one = Report(same[0].epoch, n_pool=n_pool)
        one.n_positive = sum(report.n_positive for report in same)
        one.n_negative = sum(report.n_negative for report in same)
        one.n_atoms = round(sum(report.n_atoms for report in same) / len(same))
        one.n_new = sum(report.n_new for report in same)
        one.seconds = {"learning": sum(report.total_seconds for report in same)}
        joint.append(one)
    return joint


KEPT = 20_000
"""Number of atoms of a class in a model that is not pruned to the fewest."""
TYPICAL = 2048
"""Sample size for the median number of misses of counterexamples."""
SIZES = {2_000: 1.01, 6_000: 1.01, KEPT: 1.05}
"""Numbers of atoms that a class may be pruned to, each with the tolerance of the held-out loss, as
a multiple of the loss of all atoms. Very large pools are slow, so that a small loss is accepted."""
MOST = 100_000
"""Maximum number of atoms of a class if no size is good enough."""
TINY = 1e-4
"""Absolute tolerance of the loss."""


class Judge:
    """Evaluation of the atoms learned without each fold on its rows.

    ``home`` has the rows for evaluation: all of them, or a sample of those in parts.
    """

    def __init__(self, home: Part, clock: Clock) -> None:
        self.home = home
        self.clock = clock
        self.n_jobs = clock.settings.n_jobs
        self._last: tuple[State, HeldOutPredictions] | None = None
        self.held = [home.dealt.held(f) for f in range(home.dealt.n_folds)]
        self.blocks = [home.examples.some(rows).blocks() for rows in self.held]

    def judge(self, state: State) -> HeldOutPredictions:
        """Return predictions on the held-out rows of all folds that have been learned."""
        if self._last is None or self._last[0] is not state:
            self._last = state, self._judged(state)
        return self._last[1]

    def _judged(self, state: State) -> HeldOutPredictions:
        dealt, n_classes = self.home.dealt, state.n_classes
        ratios = [np.zeros((0, n_classes))]
        judged = [np.zeros(0, dtype=np.int64)]
        for f, (rows, blocks) in enumerate(zip(self.held, self.blocks, strict=True)):
            if not len(rows) or not state.epochs[f].all():
                continue
            alone = self.without_calibration(state.pools[f], self.home.without(f))
            found = alone.ratios(blocks, len(rows), self.n_jobs)
            rules = self.home.examples.rules
            found[rules.forbidden_in(blocks, len(rows))] = FORBIDDEN
            here = np.flatnonzero(dealt.fold == f)
            ratios.append(found[np.searchsorted(rows, dealt.example[here])])
            judged.append(here)
        which = np.sort(np.concatenate(judged))
        order = np.argsort(np.concatenate(judged))
        weights = dealt.weight[which]
        return HeldOutPredictions(
            np.concatenate(ratios)[order],
            dealt.label[which],
            weights,
            weights,
            examples=dealt.example[which],
        )

    def fewest(
        self, state: State, seed: int, loss_of: Callable[[HeldOutPredictions], float]
    ) -> int:
        """Return the smallest pool size whose held-out loss is about that of all atoms.

        If there is no time to find out, it is the largest of the usual sizes.
        """
        largest = max(len(pool) for pools in state.pools for pool in pools)
        if largest <= min(SIZES) or not state.epochs.all(axis=1).any():
            return MOST
        loss, start = loss_of(self.judge(state)), self.clock.seconds
        for size, tolerance in SIZES.items():
            if self.clock.late(self.clock.seconds - start):  # one more takes as long as the last
                return KEPT
            start = self.clock.seconds
            pools = [[pruned(pool, size, seed) for pool in pools] for pools in state.pools]
            fewer = State(pools, state.refuting, state.epochs)
            if loss_of(self._judged(fewer)) <= tolerance * loss + TINY:
                return size
        return MOST

    def without_calibration(self, pools: list[Pool], examples: Examples) -> Learned:
        """Return the pools of all classes, learned from ``examples``, as a model."""
        typical = [typical_of(pool, examples, k) for k, pool in enumerate(pools)]
        none = HeldOutPredictions.none(len(pools))
        return Learned(pools, [0] * len(pools), np.array(typical), none.calibrate(), none)

    def fold_atoms(self, state: State) -> list[FoldAtoms]:
        """Return the atoms that were learned without each fold."""
        return [
            FoldAtoms([pool.atoms for pool in pools], rows)
            for pools, rows in zip(state.pools, self.held, strict=True)
        ]


def typical_of(pool: Pool, examples: Examples, k: int) -> float:
    """Return the median number of atoms that counterexamples of a class miss, from a sample."""
    ours = examples.by_class[k]
    n = len(examples) - len(ours)
    if len(pool) == 0 or n == 0:
        return 0.0
    nth = np.arange(0, n, -(-n // TYPICAL))
    # Where the nth row stands that is not of the class, without a list of all that are not.
    nth += np.searchsorted(ours - np.arange(len(ours)), nth, side="right")
    some = examples.variants[0][nth]
    return float(np.median(pool.misses(blocks_of(some, pool.n_constants), len(some))))


def put_together(state: State, known: Sequence[Pool] | None) -> list[Pool]:
    """Merge the atoms of all folds, and those ``known`` before, by class."""
    pools = []
    for k in range(state.n_classes):
        pool = state.pools[0][k].copy()
        pool.merge(*(ours[k] for ours in state.pools[1:]))
        if known is not None:
            pool.merge(known[k])
        pools.append(pool)
    return pools


def drop_refuted(parts: Parts, pools: Sequence[Pool], seed: int, n_concepts: int) -> None:
    """Drop the atoms that any example of any part contradicts.

    Of ordered classes, atoms hold for a class and all above it, or for it and all below it.
    """
    n_parts, n = len(parts.sources), len(pools)
    tasks = [Task(seed, EVERY, c, p, 0) for c in range(n_concepts) for p in range(n_parts)]
    refuted: list[Refuted] = parts.run(
        check_part, (Job(task.part, (pools[task.label % n].atoms,), (task, 0)) for task in tasks)
    )
    masks = [
        np.logical_or.reduce([one.mask for one in refuted[c * n_parts : (c + 1) * n_parts]])
        for c in range(n_concepts)
    ]
    for k, pool in enumerate(pools):
        pool.drop(np.logical_and.reduce(masks[k::n]))


def pruned(pool: Pool, most: int, seed: int) -> Pool:
    """Keep atoms at random, which preserves the share of them that a row misses."""
    if len(pool) <= most:
        return pool
    smaller = pool.copy()
    smaller.keep(sample(stream(np.random.SeedSequence(seed)), len(pool), most))
    return smaller


FIRST_ROUND = 20
"""Number of epochs in the first round, with many rows."""
ROUND_GROWTH = 1.5
"""With many rows, the number of epochs after a round is this multiple of the number before it."""
EXCHANGE = 10
"""Number of epochs between two exchanges of many parts, and between two searches for hard
counterexamples."""
LARGE_EPOCHS, SMALL_EPOCHS = 500, 20
"""Maximum number of epochs of a class: with many rows in all folds together, with few in each."""
MANY_CLASSES = 30
"""With more classes than this each has fewer epochs, so that the time for all of them grows more
slowly than their number."""
GLANCE = 3
"""Number of epochs of a fold in the first round, with few rows; each round doubles it. Strict atoms
are given up after the first round if they add nothing to weighted ones."""


def plan(parts: Parts, home: Part, settings: Settings) -> Plan:
    """Return the plan of :class:`Training`, if nothing ends it early."""
    targets = targets_of(parts, home, settings)
    n_tasks = home.examples.n_concepts * home.dealt.n_folds * len(parts.sources)
    return Plan(len(targets), n_tasks * targets[-1])


def rows_in(parts: Parts) -> int:
    """Return the number of examples in all parts."""
    return sum(source.examples for source in parts.sources)


def targets_of(parts: Parts, home: Part, settings: Settings) -> list[int]:
    """Return the number of epochs of each fold at the end of each round.

    Symmetries that move atoms make few rows stand for many, so more epochs are useful.
    """
    n_classes = home.examples.n_classes
    are_few = is_small(rows_in(parts), n_classes) and home.examples.symmetries is None
    return epochs_of_rounds(are_few, n_classes, home.dealt.n_folds, settings)


def epochs_of_rounds(are_few: bool, n_classes: int, n_folds: int, settings: Settings) -> list[int]:
    """Return the number of epochs at the end of each round, for few examples or many."""
    usual = SMALL_EPOCHS * max(n_folds, 1) if are_few else LARGE_EPOCHS
    epochs = settings.max_epochs or usual
    if settings.max_epochs is None and n_classes > MANY_CLASSES:
        epochs = int(epochs * math.sqrt(math.sqrt(MANY_CLASSES / n_classes)))
    epochs = max(1, epochs // max(n_folds, 1))
    return list(schedule(epochs, are_few))


def schedule(max_epochs: int, are_few: bool = False) -> Iterator[int]:
    """Yield the number of epochs at the end of each round, for few examples or many.

    >>> list(schedule(60)), list(schedule(18, are_few=True))
    ([20, 30, 50, 60], [3, 6, 12, 18])
    """
    target = GLANCE if are_few else FIRST_ROUND
    while target < max_epochs:
        yield target
        target = 2 * target if are_few else EXCHANGE * -(-int(target * ROUND_GROWTH) // EXCHANGE)
    yield max_epochs
