"""Strict atoms: every example of the class has them, and what counts is how many a row misses.

Each fold has concepts of its own, which never see its rows and are judged by them. In the end their
pools are put together, and pins that any example contradicts are dropped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.engine.concept import Concept, Sampler
from atomlearn.sets.random import sample
from atomlearn.training.examples import Examples, HeldOut, Unseen
from atomlearn.training.folds import Dealt
from atomlearn.training.rounds import Learned, Settings, has_learned, uncalibrated

Integers = npt.NDArray[np.int64]


class StrictFolds:
    """Concepts for every fold and class, ``samplers[f * n_classes + k]``."""

    def __init__(
        self,
        examples: Examples,
        dealt: Dealt,
        seeds: Sequence[np.random.SeedSequence],
        settings: Settings,
        known: Sequence[Concept] | None = None,
    ) -> None:
        self.examples = examples
        self.dealt = dealt
        self.settings = settings
        self.known = known
        self.held = [dealt.held(f) for f in range(dealt.n_folds)]
        self.blocks = [examples.some(rows).blocks() for rows in self.held]
        self.samplers: list[Sampler] = []
        own = iter(seeds)
        for f in range(dealt.n_folds):
            rest = examples.some(np.flatnonzero(dealt.learned(f, examples)))
            self.samplers += make_samplers(rest, own, settings)

    def judge(self, samplers: list[Sampler]) -> Learned:
        """What is known of the rows of each fold without them, and the calibration that fits it."""
        n, dealt = self.examples.n_classes, self.dealt
        ratios = np.zeros((len(dealt), n))
        judged = np.zeros(len(dealt), dtype=np.bool_)
        for f, (rows, blocks) in enumerate(zip(self.held, self.blocks, strict=True)):
            ours = samplers[f * n : (f + 1) * n]
            if len(rows) and all(map(has_learned, ours)):
                alone = uncalibrated(ours, self.settings.n_jobs)
                found = alone.ratios(blocks, len(rows), self.settings.n_jobs)
                here = np.flatnonzero(dealt.fold == f)
                ratios[here] = found[np.searchsorted(rows, dealt.example[here])]
                judged[here] = True
        weights = dealt.weight[judged]
        unseen = Unseen(ratios[judged], dealt.label[judged], weights, weights)
        return replace(self._nothing(samplers[:n]), calibration=unseen.calibrate(), unseen=unseen)

    def together(self, samplers: list[Sampler], judged: Learned, most: int) -> Learned:
        """The pins of all folds that no example contradicts, at most so many of a class."""
        n = self.examples.n_classes
        concepts = []
        for k in range(n):
            ours = [one.concept for one in samplers[k::n] if one.concept.epoch > 0]
            first, *others = ours or [samplers[k].concept]
            whole = Concept(first.n_constants, first.constant, 0, first.recipe)
            whole.rng, whole.epoch = first.rng.copy(), first.epoch
            whole.pool = first.pool.copy()
            whole.pool.merge(*(other.pool for other in others))
            if self.known is not None:  # which have seen the rows that the folds are judged by
                whole.pool.merge(self.known[k].pool)
                whole.epoch += self.known[k].epoch
            concepts.append(whole)
        union = make_samplers(self.examples, iter(()), self.settings, concepts)
        for sampler in union:
            prune(sampler, most)
        learned = uncalibrated(union, self.settings.n_jobs)
        held_out = [
            HeldOut([one.concept.pool.atoms for one in samplers[f * n : (f + 1) * n]], rows)
            for f, rows in enumerate(self.held)
        ]
        return replace(
            learned, calibration=judged.calibration, unseen=judged.unseen, held_out=held_out
        )

    def _nothing(self, samplers: list[Sampler]) -> Learned:
        n = self.examples.n_classes
        none = Unseen.none(n)
        concepts = [sampler.concept for sampler in samplers]
        return Learned(concepts, np.zeros(n), none.calibrate(), [], none)


def prune(sampler: Sampler, most: int) -> None:
    """Keep pins at random: the share of them that a row misses stays what it is."""
    concept = sampler.concept
    if len(concept.pool) > most:
        concept.pool.keep(sample(concept.rng.copy(), len(concept.pool), most))


def make_samplers(
    examples: Examples,
    seeds: Iterator[np.random.SeedSequence],
    settings: Settings,
    known: Sequence[Concept] | None = None,
) -> list[Sampler]:
    """A concept for each class, new or known; its constant comes after those of the examples."""
    samplers = []
    for k in range(examples.n_classes):
        if known is None:
            interrupts.check()
            concept = Concept(
                examples.n_constants, examples.n_constants - 1, next(seeds), settings.recipe
            )
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
