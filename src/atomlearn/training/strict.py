"""Strict atoms: every example of the class has them, and what counts is how many a row misses.

Each fold has atoms of its own, which were learned without its rows and are judged by them. In the
end all are put together, and those that any example contradicts are dropped.
"""

from collections.abc import Callable, Sequence

import numpy as np

from atomlearn.engine.misses import blocks_of
from atomlearn.engine.pool import Pool
from atomlearn.sets.random import sample, stream
from atomlearn.training.clock import Clock
from atomlearn.training.examples import Examples, HeldOut, Unseen
from atomlearn.training.exchange import State
from atomlearn.training.folds import EVERY
from atomlearn.training.learned import Learned
from atomlearn.training.part import Part, Refuted, Task, check_part
from atomlearn.training.parts import Job, Parts
from atomlearn.training.rules import FORBIDDEN

KEPT = 20_000
"""Atoms of a class in a model that is not pruned to the fewest."""
TYPICAL = 2048
"""Sample size for the median miss count of counterexamples."""
SIZES = {2_000: 1.01, 6_000: 1.01, KEPT: 1.05}
"""Numbers of atoms that a class may be pruned to, each with the held-out loss that is accepted, as
a multiple of the loss of all atoms. Very large pools are slow, and worth a little loss."""
MOST = 100_000
"""The limit if no size is good enough."""
TINY = 1e-4
"""Absolute tolerance of the loss."""


class Judge:
    """Evaluates what is learned without each fold on its rows.

    ``home`` has the rows that everything is judged by: all of them, or a sample of those in parts.
    """

    def __init__(self, home: Part, clock: Clock) -> None:
        self.home = home
        self.clock = clock
        self.n_jobs = clock.settings.n_jobs
        self._last: tuple[State, Unseen] | None = None
        self.held = [home.dealt.held(f) for f in range(home.dealt.n_folds)]
        self.blocks = [home.examples.some(rows).blocks() for rows in self.held]

    def judge(self, state: State) -> Unseen:
        """Predictions on the held-out rows of all folds that have been learned."""
        if self._last is None or self._last[0] is not state:
            self._last = state, self._judged(state)
        return self._last[1]

    def _judged(self, state: State) -> Unseen:
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
        return Unseen(
            np.concatenate(ratios)[order],
            dealt.label[which],
            weights,
            weights,
            examples=dealt.example[which],
        )

    def fewest(self, state: State, seed: int, loss_of: Callable[[Unseen], float]) -> int:
        """The smallest pool size whose held-out loss is about as good as that of all atoms.

        If there is no time to find out, it is the largest that is usual.
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
        """The pools of all classes; ``examples`` are what they were learned from."""
        typical = [typical_of(pool, examples, k) for k, pool in enumerate(pools)]
        none = Unseen.none(len(pools))
        return Learned(pools, [0] * len(pools), np.array(typical), none.calibrate(), none)

    def held_out(self, state: State) -> list[HeldOut]:
        """The atoms that were learned without each fold."""
        return [
            HeldOut([pool.atoms for pool in pools], rows)
            for pools, rows in zip(state.pools, self.held, strict=True)
        ]


def typical_of(pool: Pool, examples: Examples, k: int) -> float:
    """The median number of atoms that counterexamples of a class miss, by a sample of these."""
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
    """The atoms of all folds, and those ``known`` before, by class."""
    pools = []
    for k in range(state.n_classes):
        pool = state.pools[0][k].copy()
        pool.merge(*(ours[k] for ours in state.pools[1:]))
        if known is not None:
            pool.merge(known[k])
        pools.append(pool)
    return pools


def drop_refuted(parts: Parts, pools: Sequence[Pool], seed: int) -> None:
    """Drop the atoms that any example of any part contradicts."""
    n_parts = len(parts.sources)
    tasks = [Task(seed, EVERY, k, p, 0) for k in range(len(pools)) for p in range(n_parts)]
    said: list[Refuted] = parts.run(
        check_part, (Job(task.part, (pools[task.label].atoms,), (task, 0)) for task in tasks)
    )
    for k, pool in enumerate(pools):
        pool.drop(np.logical_or.reduce([one.mask for one in said[k * n_parts : (k + 1) * n_parts]]))


def pruned(pool: Pool, most: int, seed: int) -> Pool:
    """Keep atoms at random, which preserves the share of them that a row misses."""
    if len(pool) <= most:
        return pool
    smaller = pool.copy()
    smaller.keep(sample(stream(np.random.SeedSequence(seed)), len(pool), most))
    return smaller
