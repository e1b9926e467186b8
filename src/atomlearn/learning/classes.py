"""Learning several classes, one concept each, until nothing is gained any more.

Classes learn in rounds, apart from each other and so in parallel; after each round examples that no
batch has seen tell how well the classes are told apart, and when to stop. A large set spares
some examples for that; a small one is learned without each third in turn and then whole.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs

from atomlearn.learning.calibration import Calibration, Floats, Labels, calibrate, log_ratio
from atomlearn.learning.concept import Concept, Indices, Recipe, Sampler
from atomlearn.learning.misses import Blocks, blocks_of
from atomlearn.learning.progress import Report

FIRST_ROUND = 20
ROUND_GROWTH = 1.5
PATIENCE = 2
"""Rounds without progress after which learning stops."""
PROGRESS = 0.99
"""A round that does not bring the loss below this part of the best so far made no progress."""
SMALL = 5000
"""Sets of at most so many examples are learned whole."""
SMALL_EPOCHS = 150
SMALL_CANDIDATES = 0.25
FOLD_EPOCHS = 50
FOLDS = 3
DOUBT = 0.05
"""An example is doubted if the others give its label less than this probability ..."""
NOISE = 0.02
"""... and if there are more such than this share, labels are noisy and the doubted are left out."""
SPARED_SHARE = 0.1
LARGEST_SPARED = 5000
KEPT = 20_000
"""Pins a class is left with for prediction: those that hard counterexamples miss most."""


@dataclass(frozen=True)
class Examples:
    """Distinct examples as packed terms: ``(n_variants, n, words)``, with labels and weights."""

    variants: npt.NDArray[np.uint64]
    labels: Labels
    weights: Floats
    n_constants: int
    n_classes: int

    def __len__(self) -> int:
        return len(self.labels)

    def some(self, which: Indices) -> "Examples":
        """Some of the examples."""
        return replace(
            self,
            variants=np.ascontiguousarray(self.variants[:, which]),
            labels=self.labels[which],
            weights=self.weights[which],
        )

    def blocks(self) -> Blocks:
        """The examples themselves, transposed for counting misses."""
        return blocks_of(self.variants[0], self.n_constants)


@dataclass(frozen=True)
class Settings:
    """How long to learn, and on how many cores."""

    max_epochs: int | None = None
    time_limit: float | None = None
    n_jobs: int | None = None
    recipe: Recipe = field(default_factory=Recipe)


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
    interrupted: bool = False

    def misses(self, blocks: Blocks, n: int) -> npt.NDArray[np.int32]:
        """Missed atoms by example and class."""
        return np.stack([concept.misses(blocks, n) for concept in self.concepts], axis=1)

    def ratios(self, blocks: Blocks, n: int) -> Floats:
        """Misses relative to those of a typical counterexample, as logarithms."""
        return log_ratio(self.misses(blocks, n), self.typical)


OnRound = Callable[[Round], None]


class Rounds:
    """The loop that all learning of classes goes through: rounds, a clock, and Ctrl-C."""

    def __init__(self, settings: Settings, on_round: OnRound | None) -> None:
        self.settings = settings
        self.on_round = on_round
        self.start = time.monotonic()
        self.interrupted = False
        self.done: list[Round] = []

    def learn(
        self, samplers: list[Sampler], targets: Sequence[int], held: Examples | None = None
    ) -> list[Sampler]:
        """Bring all classes to each target in turn; with ``held`` examples, while it helps."""
        blocks = None if held is None else held.blocks()
        best, stale = math.inf, 0
        for target in targets:
            if self.over():
                break
            samplers, reports = self._round(samplers, target)
            error = loss = None
            if held is not None and blocks is not None:
                learned = conclude(samplers, held, blocks)
                error, loss = held_error(learned, held, blocks)
                stale = 0 if loss < PROGRESS * best else stale + 1
                best = min(best, loss)
            self._finish(Round(target, time.monotonic() - self.start, error, loss, reports))
            if stale >= PATIENCE:
                break
        return samplers

    def over(self) -> bool:
        """Has the user or the clock ended it?"""
        limit = self.settings.time_limit
        return self.interrupted or (limit is not None and time.monotonic() - self.start > limit)

    def _round(
        self, samplers: list[Sampler], target: int
    ) -> tuple[list[Sampler], list[list[Report]]]:
        n_jobs = self.settings.n_jobs
        seconds = None
        if self.settings.time_limit is not None:
            left = self.settings.time_limit - (time.monotonic() - self.start)
            seconds = left / math.ceil(len(samplers) / effective_n_jobs(n_jobs))
        try:
            # Kernels release the interpreter's lock, so threads will do, and nothing is copied.
            results = Parallel(n_jobs=n_jobs, prefer="threads")(
                delayed(learn_until)(sampler, target, seconds) for sampler in samplers
            )
        except KeyboardInterrupt:
            self.interrupted = True
            return samplers, [[] for _ in samplers]
        return [sampler for sampler, _ in results], [reports for _, reports in results]

    def _finish(self, done: Round) -> None:
        self.done.append(done)
        if self.on_round is not None:
            self.on_round(done)


def learn_classes(
    examples: Examples,
    seed: np.random.SeedSequence,
    settings: Settings,
    on_round: OnRound | None = None,
) -> Learned:
    """Learn all classes. Ctrl-C ends it early, with what is known by then."""
    rounds = Rounds(settings, on_round)
    if len(examples) > SMALL:
        learned = learn_sparing(examples, seed, rounds)
    else:
        learned = learn_folded(examples, seed, rounds)
    learned.rounds, learned.interrupted = rounds.done, rounds.interrupted
    return learned


def learn_sparing(examples: Examples, seed: np.random.SeedSequence, rounds: Rounds) -> Learned:
    """Learn from most examples; stop and calibrate by the others."""
    split, *seeds = seed.spawn(1 + examples.n_classes)
    n_spared = min(LARGEST_SPARED, int(SPARED_SHARE * len(examples)))
    order = np.random.default_rng(split).permutation(len(examples))
    held = examples.some(np.sort(order[:n_spared]))
    samplers = make_samplers(examples.some(np.sort(order[n_spared:])), seeds, rounds.settings)
    samplers = rounds.learn(samplers, list(schedule(rounds.settings.max_epochs or 500)), held)
    for sampler in samplers:
        sampler.thin(KEPT)
    return conclude(samplers, held, held.blocks())


def learn_folded(examples: Examples, seed: np.random.SeedSequence, rounds: Rounds) -> Learned:
    """Calibrate by the parts that are left out in turn, then learn from everything."""
    # Few pins in the dual leave room for witnesses from the data, which there is little of.
    recipe = replace(
        rounds.settings.recipe, first=len(examples), hard_share=0.0, candidates=SMALL_CANDIDATES
    )
    settings = replace(rounds.settings, recipe=recipe)
    epochs = settings.max_epochs or SMALL_EPOCHS
    split, *seeds = seed.spawn(1 + (FOLDS + 1) * examples.n_classes)
    part = folds(examples, np.random.default_rng(split))
    ratios = np.zeros((len(examples), examples.n_classes))
    known = np.zeros(len(examples), dtype=np.bool_)
    for f in range(FOLDS):
        held = examples.some(np.flatnonzero(part == f))
        rest = examples.some(np.flatnonzero(part != f))
        if len(held) == 0 or rounds.over():
            continue
        own = seeds[f * examples.n_classes : (f + 1) * examples.n_classes]
        samplers = make_samplers(rest, own, settings)
        samplers = rounds.learn(samplers, [min(FOLD_EPOCHS, max(1, epochs // 3))])
        blocks = held.blocks()
        ratios[part == f] = uncalibrated(samplers).ratios(blocks, len(held))
        known[part == f] = True
    fitted = calibrate(ratios[known], examples.labels[known], examples.weights[known])
    believed = examples.some(believable(fitted, ratios, known, examples))
    samplers = make_samplers(believed, seeds[-examples.n_classes :], settings)
    rounds.interrupted = False  # what was learned so far was for the calibration only
    samplers = rounds.learn(samplers, [max(1, epochs // 3), epochs])
    for sampler in samplers:
        sampler.thin(KEPT)
    return replace(uncalibrated(samplers), calibration=fitted)


def believable(
    fitted: Calibration, ratios: Floats, known: npt.NDArray[np.bool_], examples: Examples
) -> Indices:
    """All examples, or, if labels are noisy, those that the others do not contradict."""
    own = fitted.probabilities(ratios)[np.arange(len(examples)), examples.labels]
    believed = ~known | (own >= DOUBT)
    if (~believed).mean() <= NOISE:
        return np.arange(len(examples))
    for k in range(examples.n_classes):
        if not believed[examples.labels == k].any():
            believed |= examples.labels == k
    return np.flatnonzero(believed)


def learn_until(
    sampler: Sampler, target: int, seconds: float | None
) -> tuple[Sampler, list[Report]]:
    """Run the epochs of one class up to a number, or until its time is over (one at least)."""
    start = time.monotonic()
    reports = []
    while sampler.concept.epoch < target:
        reports.append(sampler.run_epoch())
        if seconds is not None and time.monotonic() - start > seconds:
            break
    return sampler, reports


def schedule(max_epochs: int) -> Iterator[int]:
    """Epochs at the end of each round.

    >>> list(schedule(60))
    [20, 30, 45, 60]
    """
    target = FIRST_ROUND
    while target < max_epochs:
        yield target
        target = int(target * ROUND_GROWTH)
    yield max_epochs


def make_samplers(
    examples: Examples, seeds: Sequence[np.random.SeedSequence], settings: Settings
) -> list[Sampler]:
    """A concept for each class; its constant comes after those of the examples."""
    samplers = []
    for k, seed in enumerate(seeds):
        concept = Concept(examples.n_constants, examples.n_constants - 1, seed, settings.recipe)
        samplers.append(Sampler(concept, examples.variants, examples.labels == k))
    return samplers


def folds(examples: Examples, rng: np.random.Generator) -> Labels:
    """A part from ``0`` to ``FOLDS - 1`` for each example; a class's only example is in none."""
    part = np.full(len(examples), -1)
    for k in range(examples.n_classes):
        ours = np.flatnonzero(examples.labels == k)
        if len(ours) > 1:
            part[rng.permutation(ours)] = np.arange(len(ours)) % FOLDS
    return part


def conclude(samplers: Sequence[Sampler], held: Examples, blocks: Blocks) -> Learned:
    """What has been learned so far, calibrated on unseen examples."""
    learned = uncalibrated(samplers)
    ratios = learned.ratios(blocks, len(held))
    return replace(learned, calibration=calibrate(ratios, held.labels, held.weights))


def uncalibrated(samplers: Sequence[Sampler]) -> Learned:
    """What has been learned so far, with the default calibration."""
    typical = np.array([sampler.typical_misses() for sampler in samplers])
    fitted = calibrate(np.zeros((0, len(samplers))), np.zeros(0, dtype=np.int64), np.zeros(0))
    return Learned([sampler.concept for sampler in samplers], typical, fitted, [])


def held_error(learned: Learned, held: Examples, blocks: Blocks) -> tuple[float, float]:
    """Share of wrong answers, and mean loss, on unseen examples."""
    p = learned.calibration.probabilities(learned.ratios(blocks, len(held)))
    weights = held.weights / held.weights.sum()
    wrong = p.argmax(axis=1) != held.labels
    own = p[np.arange(len(held)), held.labels]
    return float((weights * wrong).sum()), float(-(weights * np.log(own + 1e-12)).sum())
