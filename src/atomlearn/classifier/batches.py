"""Learning batch after batch, as the paper does: the pool carries what is known.

A batch is new when it comes, so that what is said of it beforehand measures the error and
calibrates; then its positives drop the pins they contradict, and a few epochs add new ones.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.progress import Hooks
from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.concept import Concept, Recipe, Sampler
from atomlearn.engine.guided_crossing import Alternatives
from atomlearn.engine.misses import blocks_of, typical_misses
from atomlearn.sets.random import seed_sequence
from atomlearn.sets.rows import Rows
from atomlearn.training.calibration import Calibration, Floats, Labels
from atomlearn.training.classes import DOUBT, NOISE, SMALL_CANDIDATES
from atomlearn.training.evidence import Evidence, loss_and_error
from atomlearn.training.examples import Examples, Unseen
from atomlearn.training.rounds import Learned, Rounds, Settings
from atomlearn.training.weighted_batch import learn_weighted_batch, no_weighted_atoms

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


def nothing_learned(n_constants: int, n_classes: int, seed: int, evidence: str = "auto") -> Learned:
    """A new concept for each class. Unless weighted atoms are asked for, they are strict."""
    concepts = [
        Concept(n_constants, n_constants - 1, own) for own in seed_sequence(seed).spawn(n_classes)
    ]
    none = Unseen.none(n_classes)
    learned = Learned(concepts, np.zeros(n_classes), none.calibrate(), [], none)
    if evidence == "weighted":
        learned.weighted = no_weighted_atoms(n_classes)
        learned.evidence = Evidence("weighted", {}, {}, 0.0, 1.0)
    return learned


def learn_batch(
    learned: Learned,
    examples: Examples,
    sample: TrainingSample,
    settings: Settings,
    hooks: Hooks,
    find_alternatives: Callable[[Rows], Alternatives],
    seed: np.random.SeedSequence,
) -> Learned:
    """Learn from one batch; ``sample`` already has it.

    Strict and weighted atoms go on as far as they decide; which of them do stays as it is.
    """
    blocks, n = examples.blocks(), len(examples)
    ratios = learned.ratios(blocks, n)
    said = None if learned.weighted is None else learned.weighted.scores(blocks, n)
    unseen = _with_batch(learned, ratios, said, examples)
    rounds = Rounds(settings, hooks.on_round, hooks.on_epoch)
    if learned.evidence.strict > 0:
        now = _learn_strict(learned, unseen, ratios, examples, sample, rounds)
    else:
        now = replace(learned, unseen=unseen, rounds=[], doubted=np.zeros(0, dtype=np.int64))
    if learned.weighted is None or said is None or learned.evidence.weighted == 0:
        return now
    factor = learned.evidence.weighted
    weighted = learn_weighted_batch(
        learned.weighted, factor, factor * said, examples, find_alternatives, seed, rounds
    )
    evidence = _measured(replace(now, evidence=learned.evidence))
    now = replace(now, weighted=weighted, evidence=evidence, interrupted=rounds.interrupted)
    now.show_weighted()
    for concept in now.concepts:
        concept.epoch = max(concept.epoch, 1)
    return now


def _measured(learned: Learned) -> Evidence:
    """What decides, with its loss and error on what was said of batches before they were known."""
    evidence, unseen = learned.evidence, learned.unseen
    if len(unseen) == 0:
        return replace(evidence, losses={}, errors={})
    scores = replace(learned, prior=0.0).unseen_scores()
    loss, error = loss_and_error(scores, unseen.labels, unseen.weights)
    return replace(evidence, losses={evidence.chosen: loss}, errors={evidence.chosen: error})


def _learn_strict(
    learned: Learned,
    unseen: Unseen,
    ratios: Floats,
    examples: Examples,
    sample: TrainingSample,
    rounds: Rounds,
) -> Learned:
    """Drop the pins that the batch contradicts, and add new ones."""
    calibration = _calibrated(unseen, sample)
    believed = _believed(unseen, calibration, ratios, examples.labels)
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


def _with_batch(
    learned: Learned, ratios: Floats, said: Floats | None, examples: Examples
) -> Unseen:
    """What is said of the batch before it is learned from, after the earlier ones."""
    old = learned.unseen
    if not any(len(concept.pool) for concept in learned.concepts):
        return old
    new = examples.unseen(ratios, said)
    if new.weighted is not None and old.weighted is None:
        return new
    both = None
    if new.weighted is not None and old.weighted is not None:
        both = np.concatenate([old.weighted, new.weighted])[-REMEMBERED:]
    return Unseen(
        np.concatenate([old.ratios, new.ratios])[-REMEMBERED:],
        np.concatenate([old.labels, new.labels])[-REMEMBERED:],
        np.concatenate([old.weights, new.weights])[-REMEMBERED:],
        np.concatenate([old.shares, new.shares])[-REMEMBERED:],
        both,
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
