"""Learning several classes, one concept each, until nothing is gained any more.

Classes learn in rounds, apart from each other and so in parallel; after each round examples that no
batch has seen tell how well the classes are told apart, and when to stop. A large set spares
some examples for that; a small one is learned without each third in turn and then whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from atomlearn.learning.calibration import Calibration, Floats, Labels
from atomlearn.learning.concept import Concept, Indices, Sampler
from atomlearn.learning.examples import Examples, HeldOut
from atomlearn.learning.lists import Lists
from atomlearn.learning.rounds import (
    Learned,
    OnEpoch,
    OnRound,
    Rounds,
    Settings,
    conclude,
    has_learned,
    is_as_good,
    thin,
    uncalibrated,
)

FIRST_ROUND = 20
ROUND_GROWTH = 1.5
LARGE_EPOCHS = 500
SMALL = 5000
"""Sets of at most so many examples are learned whole."""
SMALL_EPOCHS = 150
SMALL_CANDIDATES = 0.25
FOLD_EPOCHS = 50
FOLDS = 3
HASTY_EPOCHS = 10
"""When learning is ended while it is still about the calibration."""
DOUBT = 0.05
"""An example is doubted if the others give its label less than this probability ..."""
NOISE = 0.02
"""... and if there are more such than this share, labels are noisy and the doubted are left out."""
SPARED_SHARE = 0.1
LARGEST_SPARED = 5000
KEPT = 20_000
"""Pins a class is left with for prediction: those that hard counterexamples miss most."""
SMALL_KEPT = 100_000
"""The same for a small set, whose counterexamples are too few to choose well by."""


@dataclass(frozen=True)
class Plan:
    """At most how many rounds, and how many epochs of all classes together, there will be."""

    rounds: int
    epochs: int


def plan(n_examples: int, n_classes: int, settings: Settings) -> Plan:
    """What :func:`learn_classes` is going to do, if nothing ends it early."""
    if n_examples > SMALL:
        targets = list(schedule(settings.max_epochs or LARGE_EPOCHS))
        return Plan(len(targets), n_classes * targets[-1])
    epochs = settings.max_epochs or SMALL_EPOCHS
    return Plan(FOLDS + 2, n_classes * (FOLDS * fold_epochs(epochs) + epochs))


def learn_classes(
    examples: Examples,
    seed: np.random.SeedSequence,
    settings: Settings,
    on_round: OnRound | None = None,
    on_epoch: OnEpoch | None = None,
    known: Sequence[Concept] | None = None,
) -> Learned:
    """Learn all classes, or go on with those ``known``. Ctrl-C ends it, with what is known then;
    if that is nothing, by KeyboardInterrupt.

    To go on with the same seed keeps the same examples unseen.
    """
    rounds = Rounds(settings, on_round, on_epoch)
    if len(examples) > SMALL:
        learned = learn_sparing(examples, seed, rounds, known)
    else:
        learned = learn_folded(examples, seed, rounds, known)
    learned.rounds, learned.interrupted = rounds.done, rounds.interrupted
    if learned.interrupted and not learned.is_known:
        raise KeyboardInterrupt
    return learned


def learn_sparing(
    examples: Examples,
    seed: np.random.SeedSequence,
    rounds: Rounds,
    known: Sequence[Concept] | None = None,
) -> Learned:
    """Learn from most examples; stop and calibrate by the others."""
    split, *seeds = seed.spawn(1 + examples.n_classes)
    n_spared = min(LARGEST_SPARED, int(SPARED_SHARE * len(examples)))
    order = np.argsort(row_keys(examples.variants[0], np.random.default_rng(split)), kind="stable")
    spared = np.sort(order[:n_spared])
    held = examples.some(spared)
    rest = examples.some(np.sort(order[n_spared:]))
    samplers = make_samplers(rest, seeds, rounds.settings, known)
    targets = list(schedule(rounds.settings.max_epochs or LARGE_EPOCHS))
    samplers = rounds.learn(samplers, targets, held)
    n_jobs = rounds.settings.n_jobs
    if not all(map(has_learned, samplers)):  # too early to calibrate
        return uncalibrated(samplers, n_jobs)
    learned = pruned(samplers, held, n_jobs)
    return replace(learned, held_out=[HeldOut(atoms_of(samplers), spared)])


def pruned(samplers: Sequence[Sampler], held: Examples, n_jobs: int | None) -> Learned:
    """What was learned, with fewer pins if these are as good."""
    blocks = held.blocks()
    everything = conclude(samplers, held, blocks, n_jobs)
    if all(len(sampler.concept.pool) <= KEPT for sampler in samplers):
        return everything
    pools = [sampler.concept.pool.copy() for sampler in samplers]
    thin(samplers, KEPT, n_jobs)
    fewer = conclude(samplers, held, blocks, n_jobs)
    if is_as_good(fewer, everything):
        return fewer
    for sampler, pool in zip(samplers, pools, strict=True):
        sampler.concept.pool = pool
    return everything


def learn_folded(
    examples: Examples,
    seed: np.random.SeedSequence,
    rounds: Rounds,
    known: Sequence[Concept] | None = None,
) -> Learned:
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
    unseen = np.zeros(len(examples), dtype=np.bool_)
    in_part: list[Concept] | None = None
    held_out = []
    for f in range(FOLDS):
        rounds.time_share = (f + 1) / (2 * FOLDS)  # half the time for the calibration
        held = examples.some(np.flatnonzero(part == f))
        rest = examples.some(np.flatnonzero(part != f))
        if len(held) == 0 or rounds.over():
            continue
        own = seeds[f * examples.n_classes : (f + 1) * examples.n_classes]
        samplers = make_samplers(rest, own, settings)
        samplers = rounds.learn(samplers, [fold_epochs(epochs)])
        concepts = [sampler.concept for sampler in samplers]
        if rounds.interrupted or not all(map(has_learned, samplers)):
            # Some classes have been learned longer than others: of no use for the calibration, but
            # better to go on with than nothing.
            known = known or in_part or concepts
            break
        in_part = concepts
        ratios[part == f] = uncalibrated(samplers).ratios(held.blocks(), len(held))
        unseen[part == f] = True
        held_out.append(HeldOut(atoms_of(samplers), np.flatnonzero(part == f)))
    told = examples.some(np.flatnonzero(unseen)).unseen(ratios[unseen])
    fitted = told.calibrate()
    if len(told):
        rounds.error, _ = told.error_and_loss(fitted)
    believed = believable(fitted, ratios, unseen, examples)
    samplers = make_samplers(examples.some(believed), seeds[-examples.n_classes :], settings, known)
    rounds.time_share = 1.0
    targets = [min(HASTY_EPOCHS, epochs)] if rounds.over() else [max(1, epochs // 3), epochs]
    samplers = rounds.learn(samplers, targets, calibration=fitted)
    if in_part is not None:  # a class that was not reached: what it learned in parts
        for k, sampler in enumerate(samplers):
            if not has_learned(sampler):
                samplers[k] = sampler_of(examples.some(believed), k, in_part[k])
    thin(samplers, SMALL_KEPT, settings.n_jobs)
    doubted = np.setdiff1d(np.arange(len(examples)), believed)
    learned = uncalibrated(samplers)
    return replace(learned, calibration=fitted, unseen=told, doubted=doubted, held_out=held_out)


def atoms_of(samplers: Sequence[Sampler]) -> list[Lists]:
    """The atoms of each class, as they are now."""
    return [sampler.concept.pool.atoms for sampler in samplers]


def believable(
    fitted: Calibration, ratios: Floats, unseen: npt.NDArray[np.bool_], examples: Examples
) -> Indices:
    """All examples, or, if labels are noisy, those that the others do not contradict."""
    if not unseen.any():
        return np.arange(len(examples))
    own = fitted.probabilities(ratios)[np.arange(len(examples)), examples.labels]
    believed = ~unseen | (own >= DOUBT)
    if (~believed).mean() <= NOISE:
        return np.arange(len(examples))
    for k in range(examples.n_classes):
        if not believed[examples.labels == k].any():
            believed |= examples.labels == k
    return np.flatnonzero(believed)


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


def fold_epochs(epochs: int) -> int:
    """Epochs that are enough to calibrate."""
    return min(FOLD_EPOCHS, max(1, epochs // 3))


def make_samplers(
    examples: Examples,
    seeds: Sequence[np.random.SeedSequence],
    settings: Settings,
    known: Sequence[Concept] | None = None,
) -> list[Sampler]:
    """A concept for each class, new or known; its constant comes after those of the examples."""
    samplers = []
    for k, seed in enumerate(seeds):
        if known is None:
            concept = Concept(examples.n_constants, examples.n_constants - 1, seed, settings.recipe)
        else:
            concept = known[k]
            concept.recipe = settings.recipe
            concept.hard = np.zeros(0, dtype=np.int64)
        samplers.append(sampler_of(examples, k, concept))
    return samplers


def sampler_of(examples: Examples, k: int, concept: Concept) -> Sampler:
    """What a class learns from; made ready when its turn comes, for there may be thousands."""
    concept.symmetries = examples.symmetries
    return Sampler(concept, examples.variants, partial(np.equal, examples.labels, k))


def row_keys(rows: npt.NDArray[np.uint64], rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    """A random number for each row that depends on nothing but the row."""
    factors = rng.integers(1 << 63, size=rows.shape[1], dtype=np.uint64)
    keys = (rows * (factors * np.uint64(2) + np.uint64(1))).sum(axis=1, dtype=np.uint64)
    keys ^= keys >> np.uint64(32)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    return keys ^ (keys >> np.uint64(29))


def folds(examples: Examples, rng: np.random.Generator) -> Labels:
    """A part from ``0`` to ``FOLDS - 1`` for each example; a class's only example is in none."""
    part = np.full(len(examples), -1)
    for k in range(examples.n_classes):
        ours = np.flatnonzero(examples.labels == k)
        if len(ours) > 1:
            part[rng.permutation(ours)] = np.arange(len(ours)) % FOLDS
    return part
