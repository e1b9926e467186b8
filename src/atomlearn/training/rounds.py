"""Rounds of epochs for several classes at once: the loop, its clock, its hooks, and Ctrl-C.

A signal is looked at between epochs, and between crossings of a long one. Threads look for
themselves; for other processes the loop stops waiting, and goes on from what it knew before.
"""

import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from atomlearn import interrupts
from atomlearn.engine.concept import Concept, Indices, Recipe, Sampler
from atomlearn.engine.misses import Blocks
from atomlearn.engine.report import Report
from atomlearn.training.calibration import Calibration, Floats, log_ratio, softmax
from atomlearn.training.evidence import Evidence
from atomlearn.training.examples import Examples, HeldOut, Unseen
from atomlearn.training.weighted_atoms import WeightedAtoms

PATIENCE = 2
"""Rounds without progress after which learning stops."""
PROGRESS = 0.99
"""A round that does not bring the loss below this part of the best so far made no progress."""

GRACE = 1.0
"""Seconds beyond the time limit in which classes without an epoch may still get one."""

T = TypeVar("T")

WORSE, TINY = 1.05, 1e-4
"""By how much more loss fewer pins are still as good as all."""


@dataclass(frozen=True)
class Settings:
    """How long to learn, and on how many cores."""

    max_epochs: int | None = None
    time_limit: float | None = None
    n_jobs: int | None = None
    recipe: Recipe = field(default_factory=Recipe)
    evidence: str = "auto"
    """Which atoms: ``"strict"``, ``"weighted"``, or whatever held-out rows favour."""


@dataclass
class Round:
    """What was known after so many epochs of every class; the error is of unseen examples."""

    epochs: int
    seconds: float
    error: float | None
    loss: float | None
    reports: list[list[Report]]


@dataclass
class Learned:
    """The classes as learned: a concept each, what is typical of it, and the calibration."""

    concepts: list[Concept]
    typical: Floats
    calibration: Calibration
    rounds: list[Round]
    unseen: Unseen
    interrupted: bool = False
    doubted: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Examples that were left out because their labels are not to be believed."""
    held_out: list[HeldOut] = field(default_factory=list)
    """What was learned without some examples, for other measures than the error."""
    weighted: WeightedAtoms | None = None
    evidence: Evidence = field(default_factory=Evidence)
    prior: Floats | float = 0.0
    """Added to the scores: the logarithm of the class weights."""

    def scores(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Log-probabilities of the classes, up to a constant for each example."""
        scores = np.zeros((n, len(self.concepts))) + self.prior
        if self.evidence.strict > 0:
            ratios = self.ratios(blocks, n, n_jobs)
            scores += self.evidence.strict * self.calibration.scores(ratios)
        if self.weighted is not None and self.evidence.weighted > 0:
            scores += self.evidence.weighted * self.weighted.scores(blocks, n)
        return scores

    def probabilities(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Calibrated probabilities of the classes."""
        return softmax(self.scores(blocks, n, n_jobs))

    def unseen_scores(self) -> Floats:
        """The same scores of the unseen examples, as they were before these were learned from."""
        scores = np.zeros((len(self.unseen), len(self.concepts))) + self.prior
        if self.evidence.strict > 0:
            scores += self.evidence.strict * self.calibration.scores(self.unseen.ratios)
        if self.unseen.weighted is not None and self.evidence.weighted > 0:
            scores += self.evidence.weighted * self.unseen.weighted
        return scores

    def show_weighted(self) -> None:
        """If weighted atoms alone decide: let the pools be those that speak against each class."""
        if self.weighted is not None and self.evidence.strict == 0:
            self.typical = np.zeros(len(self.concepts))
            for k, concept in enumerate(self.concepts):
                concept.pool = self.weighted.pool_of(k, concept.pool)

    @property
    def is_known(self) -> bool:
        """Has any class had an epoch?"""
        return any(concept.epoch > 0 for concept in self.concepts)

    @property
    def error(self) -> float | None:
        """Share of wrong answers on unseen examples, if there were any."""
        if self.evidence.errors:
            return self.evidence.errors[self.evidence.chosen]
        return self.unseen.error_and_loss(self.calibration)[0] if len(self.unseen) else None

    @property
    def loss(self) -> float:
        """Mean log-loss on unseen examples."""
        if self.evidence.losses:
            return self.evidence.losses[self.evidence.chosen]
        return self.unseen.error_and_loss(self.calibration)[1]

    def misses(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> npt.NDArray[np.int32]:
        """Missed atoms by example and class."""
        counts = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(concept.misses)(blocks, n) for concept in self.concepts
        )
        return np.stack(counts, axis=1)

    def ratios(self, blocks: Blocks, n: int, n_jobs: int | None = None) -> Floats:
        """Misses relative to those of a typical counterexample, as logarithms."""
        return log_ratio(self.misses(blocks, n, n_jobs), self.typical)


Current = Callable[[], Learned]
"""What is known so far, worked out when asked for."""

OnRound = Callable[[Round, Current | None], object]
"""Called after each round; ``None`` instead of what is known while that is for the calibration
only. Returning ``True`` ends the learning."""

OnEpoch = Callable[[], None]
"""Called after each epoch of each class, from any thread; not if classes learn in processes."""


@dataclass(frozen=True)
class Verdict:
    """How good what is known is, on rows that it was not learned from."""

    error: float | None
    loss: float | None = None
    current: Current | None = None
    is_hopeless: bool = False
    """Is it not worth going on?"""


Judge = Callable[[list[Sampler]], Verdict]


class Rounds:
    """The loop that all learning of classes goes through."""

    def __init__(
        self, settings: Settings, on_round: OnRound | None = None, on_epoch: OnEpoch | None = None
    ) -> None:
        self.settings = settings
        self.on_round = on_round
        self.on_epoch = on_epoch
        self.start = time.monotonic()
        self.time_share = 1.0
        """The part of the time limit that may be used up by now."""
        self.error: float | None = None
        """What is known of the error from earlier rounds."""
        self.interrupted = False
        self.ended = False
        self.done: list[Round] = []
        self._pace: list[float] = []

    def learn(
        self, samplers: list[Sampler], targets: Sequence[int], judge: "Judge | None" = None
    ) -> list[Sampler]:
        """Give all classes so many epochs, target by target; with a ``judge``, while it helps.

        There is always a first round, if only of one epoch, so that something is known; but not
        much beyond the time limit, nor after Ctrl-C.
        """
        before = [sampler.concept.epoch for sampler in samplers]
        best, stale = math.inf, 0
        for i, target in enumerate(targets):
            if i > 0 and self.over():
                break
            try:
                samplers, reports = self._round(samplers, [epoch + target for epoch in before])
                if interrupts.requested():
                    self._note_interruption(target, reports)
                    break
                verdict = Verdict(self.error)
                if judge is not None and all(map(has_learned, samplers)):
                    verdict = judge(samplers)
                if verdict.loss is not None:
                    stale = 0 if verdict.loss < PROGRESS * best else stale + 1
                    best = min(best, verdict.loss)
                seconds = time.monotonic() - self.start
                done = Round(target, seconds, verdict.error, verdict.loss, reports)
                self.finish(done, verdict.current)
                if verdict.is_hopeless:
                    break
            except KeyboardInterrupt:  # while waiting, or from a handler of the host's
                self._note_interruption(target, [])
                samplers = [apart(sampler) for sampler in samplers]
            if stale >= PATIENCE:
                break
        return samplers

    def over(self) -> bool:
        """Has the user, a hook or the clock ended it?"""
        self.interrupted = self.interrupted or interrupts.requested()
        return self.interrupted or self.ended or self._seconds_left() < 0

    def out_of_time(self) -> bool:
        """Is it too late even for a first epoch?"""
        return self._seconds_left(GRACE) < 0

    def _note_interruption(self, target: int, reports: list[list[Report]]) -> None:
        """An interrupted round counts for what it gave; no hook is called."""
        self.interrupted = True
        if any(reports):
            seconds = time.monotonic() - self.start
            self.done.append(Round(target, seconds, self.error, None, reports))

    def _seconds_left(self, grace: float = 0.0) -> float:
        if self.settings.time_limit is None:
            return math.inf
        allowed = self.time_share * (self.settings.time_limit + grace)
        return allowed - (time.monotonic() - self.start)

    def shares(self, order: Sequence[T], at_a_time: int) -> Iterator[tuple[T, float | None]]:
        """Each of some jobs with the seconds it may take, worked out when its turn has come;
        ``None`` if that is too late.
        """
        for i, job in enumerate(order):
            seconds = self._seconds_left() / math.ceil((len(order) - i) / at_a_time)
            yield job, None if self.out_of_time() else seconds

    def _shares(self, order: Sequence[int]) -> Iterator[tuple[int, float | None]]:
        return self.shares(order, effective_n_jobs(self.settings.n_jobs))

    def _round(
        self, samplers: list[Sampler], targets: list[int]
    ) -> tuple[list[Sampler], list[list[Report]]]:
        here = in_threads(self.settings.n_jobs)
        reports: list[list[Report]] = [[] for _ in samplers]
        for until in passes(samplers, targets, here):
            order = self._longest_first(samplers)
            gains = (self._here if here else self._elsewhere)(samplers, until, order)
            for k, gain in zip(order, gains, strict=True):
                reports[k] += gain.reports
            if self.over():
                break
        self._pace = [sum(report.total_seconds for report in ours[-10:]) for ours in reports]
        return samplers, reports

    def _here(self, samplers: list[Sampler], targets: list[int], order: list[int]) -> list["Gain"]:
        """In threads: kernels release the interpreter's lock, and nothing is copied."""
        gains: list[Gain] = Parallel(n_jobs=self.settings.n_jobs, prefer="threads")(
            delayed(learn_until)(samplers[k], targets[k], seconds, self.on_epoch)
            for k, seconds in self._shares(order)
        )
        return gains

    def _elsewhere(
        self, samplers: list[Sampler], targets: list[int], order: list[int]
    ) -> list["Gain"]:
        """In other processes; ours take over what they have learned."""
        with interrupts.waiting():
            gains: list[Gain] = Parallel(n_jobs=self.settings.n_jobs)(
                delayed(learn_apart)(
                    samplers[k].variants, samplers[k].without_data(), targets[k], seconds
                )
                for k, seconds in self._shares(order)
            )
        for k, gain in zip(order, gains, strict=True):
            samplers[k].take_over(gain.concept)
        return gains

    def _longest_first(self, samplers: list[Sampler]) -> list[int]:
        """Classes by what an epoch of them took of late: so that no core is left with a long one.

        Those that had fewer epochs, for lack of time, come first. What is learned does not depend
        on the order, unless there is a time limit.
        """
        pace = self._pace if len(self._pace) == len(samplers) else [0.0] * len(samplers)
        return sorted(range(len(samplers)), key=lambda k: (samplers[k].concept.epoch, -pace[k]))

    def finish(self, done: Round, current: Current | None) -> None:
        """Note what a round has given, and tell whoever wants to know."""
        self.done.append(done)
        if self.on_round is not None and self.on_round(done, current) is True:
            self.ended = True


class Gain(NamedTuple):
    """What a round gave one class."""

    concept: Concept
    reports: list[Report]


def in_threads(n_jobs: int | None) -> bool:
    """Do jobs share memory? They do unless the user chose otherwise by ``parallel_config``."""
    backend, _ = get_active_backend(prefer="threads")
    return n_jobs in (None, 1) or bool(getattr(backend, "supports_sharedmem", False))


def passes(samplers: Sequence[Sampler], targets: list[int], here: bool) -> Iterator[list[int]]:
    """In how many steps classes come to their targets.

    New classes advance together, so that all know something if they are interrupted early; what
    they learn is the same. Where concepts have to travel it is only one step more.
    """
    if all(sampler.concept.epoch == 0 for sampler in samplers):
        step = 1
        while step < max(targets, default=0):
            yield [min(step, target) for target in targets]
            step = 2 * step if here else max(targets)
    yield targets


def learn_until(
    sampler: Sampler, target: int, seconds: float | None, on_epoch: OnEpoch | None = None
) -> Gain:
    """Run the epochs of one class up to a number, or until its time is over (one at least).

    ``None`` seconds are too few even for one. Ctrl-C ends it with the last whole epoch.
    """
    start = time.monotonic()
    reports: list[Report] = []
    if seconds is None or not is_taught(sampler):
        return Gain(sampler.concept, reports)
    while sampler.concept.epoch < target and not interrupts.requested():
        try:
            reports.append(sampler.run_epoch())
        except KeyboardInterrupt:
            if interrupts.requested():
                break
            raise
        if on_epoch is not None:
            on_epoch()
        if time.monotonic() - start > seconds:
            break
    return Gain(sampler.concept, reports)


def is_taught(sampler: Sampler) -> bool:
    """Are there examples and counterexamples? One side alone teaches nothing."""
    return len(sampler.positives) > 0 and len(sampler.negatives) > 0


def has_learned(sampler: Sampler) -> bool:
    """Has the class had an epoch, or is there nothing to have one on?"""
    return sampler.concept.epoch > 0 or not is_taught(sampler)


def learn_apart(
    variants: npt.NDArray[np.uint64], light: Sampler, target: int, seconds: float | None
) -> Gain:
    """The same in another process. The examples come as an argument of their own, so that they are
    mapped into memory (loky) or sent (Dask) once for all classes.
    """
    # A terminal sends Ctrl-C to this process too: what it has learned is sent back.
    with interrupts.Deferred() as note:
        gain = learn_until(light.with_data(variants), target, seconds)
        note.kept = True
    gain.concept.all_positives = None
    return gain


def apart(sampler: Sampler) -> Sampler:
    """The same knowledge, out of reach of a thread that is still to notice an interruption."""
    ours, concept = copy.copy(sampler), copy.copy(sampler.concept)
    concept.pool = concept.pool.copy()
    concept.rng = concept.rng.copy()
    concept.masters = concept.masters.copy()
    ours.concept = concept
    sampler.concept.epoch = 1 << 30  # ends the loop of that thread
    return ours


def conclude(
    samplers: Sequence[Sampler], held: Examples, blocks: Blocks, n_jobs: int | None = None
) -> Learned:
    """What has been learned so far, calibrated on unseen examples."""
    learned = uncalibrated(samplers, n_jobs)
    unseen = held.unseen(learned.ratios(blocks, len(held), n_jobs))
    return replace(learned, calibration=unseen.calibrate(), unseen=unseen)


def uncalibrated(samplers: Sequence[Sampler], n_jobs: int | None = None) -> Learned:
    """What has been learned so far, with the default calibration."""
    typical = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(sampler.typical_misses)() for sampler in samplers
    )
    none = Unseen.none(len(samplers))
    concepts = [sampler.concept for sampler in samplers]
    return Learned(concepts, np.array(typical), none.calibrate(), [], none)


def thin(samplers: Sequence[Sampler], size: int, n_jobs: int | None = None) -> None:
    """Leave each class with its most telling pins."""
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(sampler.thin)(size) for sampler in samplers
    )


def is_as_good(fewer: Learned, all_pins: Learned) -> bool:
    """Do fewer pins tell unseen examples apart about as well?

    Nearly always; where every pin has its own counterexamples, as for even and odd bars, they may
    not.
    """
    if len(all_pins.unseen) == 0:
        return True
    losses = [one.unseen.error_and_loss(one.calibration)[1] for one in (fewer, all_pins)]
    return losses[0] <= WORSE * losses[1] + TINY
