"""Learning batch after batch, as the paper does: the pool carries what is known.

A batch is new when it comes, so that what is said of it beforehand measures the error and
calibrates; then its positives drop the pins they contradict, and a few epochs add new ones.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from atomlearn.bits.random import seed_sequence
from atomlearn.classifier.progress import Hooks
from atomlearn.classifier.sample import TrainingSample
from atomlearn.learning.calibration import Calibration, Floats, Labels
from atomlearn.learning.classes import DOUBT, NOISE, SMALL_CANDIDATES
from atomlearn.learning.concept import Concept, Recipe, Sampler
from atomlearn.learning.examples import Examples, Unseen
from atomlearn.learning.misses import blocks_of, typical_misses
from atomlearn.learning.rounds import Learned, Rounds, Settings

EPOCHS = 20
"""Epochs of each class for a batch."""
REMEMBERED = 5000
"""Unseen examples that calibrate: the last ones."""
ENOUGH = 500
"""Unseen examples from which on labels may be doubted."""
MOST_PINS = 50_000
"""Pins a class may have: those that hard counterexamples miss most."""
FAR = 20.0
"""By how much a class without examples so far is behind the others, as a logarithm."""


def nothing_learned(n_constants: int, n_classes: int, seed: int) -> Learned:
    """A new concept for each class."""
    concepts = [
        Concept(n_constants, n_constants - 1, own) for own in seed_sequence(seed).spawn(n_classes)
    ]
    none = Unseen.none(n_classes)
    return Learned(concepts, np.zeros(n_classes), none.calibrate(), [], none)


def learn_batch(
    learned: Learned, examples: Examples, sample: TrainingSample, settings: Settings, hooks: Hooks
) -> Learned:
    """Learn from one batch; ``sample`` already has it."""
    ratios = learned.ratios(examples.blocks(), len(examples))
    unseen = _with_batch(learned, ratios, examples)
    calibration = _calibrated(unseen, sample)
    believed = _believed(unseen, calibration, ratios, examples.labels)
    rounds = Rounds(settings, hooks.on_round, hooks.on_epoch)
    concepts = _learn_concepts(learned.concepts, examples.some(believed), rounds)
    if rounds.interrupted and not any(concept.epoch for concept in concepts):
        raise KeyboardInterrupt
    blocks = blocks_of(sample.rows, examples.n_constants)
    misses = np.stack([one.misses(blocks, len(sample.labels)) for one in concepts], axis=1)
    typical = typical_misses(misses, sample.labels)
    doubted = np.setdiff1d(np.arange(len(examples)), believed)
    return Learned(concepts, typical, calibration, rounds.done, unseen, rounds.interrupted, doubted)


def _learn_concepts(concepts: list[Concept], examples: Examples, rounds: Rounds) -> list[Concept]:
    """A few epochs of each class that the batch has examples and counterexamples of."""
    concepts = list(concepts)
    active, samplers = [], []
    for k, concept in enumerate(concepts):
        is_positive = examples.labels == k
        if not is_positive.any():
            continue  # without examples nothing would contradict what counterexamples suggest
        concept.recipe = Recipe(first=len(examples), candidates=SMALL_CANDIDATES)
        concept.hard = np.zeros(0, dtype=np.int64)
        concept.symmetries = examples.symmetries
        sampler = Sampler(concept, examples.variants, is_positive)  # drops contradicted pins
        if not is_positive.all():
            active.append(k)
            samplers.append(sampler)
    if samplers:
        epochs = min(EPOCHS, rounds.settings.max_epochs or EPOCHS)
        for k, sampler in zip(active, rounds.learn(samplers, [epochs]), strict=True):
            sampler.thin(MOST_PINS)
            concepts[k] = sampler.concept
        for done in rounds.done:
            by_class = dict(zip(active, done.reports, strict=True))
            done.reports = [by_class.get(k, []) for k in range(len(concepts))]
    return concepts


def _with_batch(learned: Learned, ratios: Floats, examples: Examples) -> Unseen:
    """What is said of the batch before it is learned from, after the earlier ones."""
    old = learned.unseen
    if not any(len(concept.pool) for concept in learned.concepts):
        return old
    new = examples.unseen(ratios)
    return Unseen(
        np.concatenate([old.ratios, new.ratios])[-REMEMBERED:],
        np.concatenate([old.labels, new.labels])[-REMEMBERED:],
        np.concatenate([old.weights, new.weights])[-REMEMBERED:],
        np.concatenate([old.shares, new.shares])[-REMEMBERED:],
    )


def _calibrated(unseen: Unseen, sample: TrainingSample) -> Calibration:
    calibration = unseen.calibrate()
    behind = calibration.offset.min() - FAR
    return replace(calibration, offset=np.where(sample.totals > 0, calibration.offset, behind))


def _believed(
    unseen: Unseen, calibration: Calibration, ratios: Floats, labels: Labels
) -> npt.NDArray[np.int64]:
    """All of the batch, or, if labels have turned out noisy, what is not very improbable."""
    if len(unseen) < ENOUGH or _doubted(calibration, unseen.ratios, unseen.labels).mean() <= NOISE:
        return np.arange(len(labels))
    return np.flatnonzero(~_doubted(calibration, ratios, labels))


def _doubted(calibration: Calibration, ratios: Floats, labels: Labels) -> npt.NDArray[np.bool_]:
    return calibration.probabilities(ratios)[np.arange(len(labels)), labels] < DOUBT
