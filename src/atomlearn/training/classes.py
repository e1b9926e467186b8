"""Learning several classes: strict and weighted atoms, judged by rows that they were not made from.

Rows are dealt into folds, and everything is learned once for each fold, without its rows. These
then say when to stop, how far to believe a score, and whether strict or weighted atoms predict
better. What was learned without each fold is put together in the end: no row is spared, and nothing
is learned only to be judged.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from atomlearn.engine.concept import Concept, Sampler
from atomlearn.engine.guided_crossing import Alternatives
from atomlearn.sets.rows import Rows
from atomlearn.training.evidence import Evidence, adds_nothing, weigh_evidence
from atomlearn.training.examples import Examples, HeldOut, Unseen
from atomlearn.training.folds import FEW_FOLDS, MANY_FOLDS, NEVER, SMALL, deal
from atomlearn.training.rounds import Learned, OnEpoch, OnRound, Rounds, Settings, Verdict
from atomlearn.training.strict import StrictFolds, prune
from atomlearn.training.weighted import WeightedFolds, learn_weighted

FIRST_ROUND = 20
ROUND_GROWTH = 1.5
LARGE_EPOCHS = 500
SMALL_EPOCHS = 150
"""Epochs of a class, in all folds together."""
SMALL_CANDIDATES = 0.25
DOUBT = 0.05
"""An example of a batch is doubted if its label has less than this probability ..."""
NOISE = 0.02
"""... and if there are more such than this share, labels are noisy and the doubted are left out."""
GLANCE = 3
"""Epochs of a fold after which strict atoms are given up if they add nothing to weighted ones; of
many examples, which are seen in growing batches, that is judged after the first round."""
SPARED_SHARE = 0.1
LARGEST_SPARED = 5000
KEPT = 20_000
KEPT_SIZES = (2_000, 6_000, KEPT)
"""Pins a class may be left with: the fewest that predict about as well as all."""
MOST_KEPT = 100_000
"""If that is none of these."""
AS_GOOD = 1.01


@dataclass(frozen=True)
class Plan:
    """At most how many rounds, and how many epochs of all classes together, there will be."""

    rounds: int
    epochs: int


def plan(n_examples: int, n_classes: int, settings: Settings) -> Plan:
    """What :func:`learn_classes` is going to do, if nothing ends it early."""
    targets = _targets(n_examples, settings)
    folds = MANY_FOLDS if n_examples <= SMALL else FEW_FOLDS
    return Plan(len(targets), n_classes * folds * targets[-1])


def learn_classes(
    examples: Examples,
    seed: np.random.SeedSequence,
    settings: Settings,
    on_round: OnRound | None = None,
    on_epoch: OnEpoch | None = None,
    known: Sequence[Concept] | None = None,
    find_alternatives: Callable[[Rows], Alternatives] | None = None,
) -> Learned:
    """Learn all classes, or go on with those ``known``. Ctrl-C ends it, with what is known then;
    if that is nothing, by KeyboardInterrupt.

    Weighted atoms are made of what ``find_alternatives`` gives; without it all atoms are strict.
    """
    rounds, n_classes = Rounds(settings, on_round, on_epoch), examples.n_classes
    learned = _Learning(examples, seed, rounds, known, find_alternatives).learned()
    for done in rounds.done:  # those of all folds, class by class
        done.reports = [list(chain(*done.reports[k::n_classes])) for k in range(n_classes)]
    learned.rounds, learned.interrupted = rounds.done, rounds.interrupted
    if learned.interrupted and not learned.is_known:
        raise KeyboardInterrupt
    return learned


class _Learning:
    """One call of :func:`learn_classes`."""

    def __init__(
        self,
        examples: Examples,
        seed: np.random.SeedSequence,
        rounds: Rounds,
        known: Sequence[Concept] | None,
        find_alternatives: Callable[[Rows], Alternatives] | None,
    ) -> None:
        self.examples, self.rounds, self.known = examples, rounds, known
        dealing, self.strict_seed, self.weighted_seed = seed.spawn(3)
        self.dealt = deal(examples, np.random.default_rng(dealing))
        self.settings = self._settings(rounds.settings)
        forced = rounds.settings.evidence
        can_weigh = (
            find_alternatives is not None
            and examples.n_classes > 1
            and bool((self.dealt.fold != NEVER).any())
        )
        self.wants_weighted = can_weigh and forced != "strict"
        self.wants_strict = not (can_weigh and forced == "weighted")
        self.find_alternatives = find_alternatives
        self.weighted: WeightedFolds | None = None

    def learned(self) -> Learned:
        if not self.wants_strict:
            self._weigh(np.inf)
        return self._strict()

    def _strict(self) -> Learned:
        seeds = self.strict_seed.spawn(self.dealt.n_folds * self.examples.n_classes)
        strict = StrictFolds(self.examples, self.dealt, seeds, self.settings, self.known)
        samplers = strict.samplers
        if self.wants_strict:
            targets = _targets(len(self.examples), self.settings)
            samplers = self.rounds.learn(samplers, targets, lambda now: self._verdict(strict, now))
        judged = strict.judge(samplers)
        most = _fewest(strict, samplers, judged) if self.wants_strict else KEPT
        return self._with_evidence(strict.together(samplers, judged, most))

    def _verdict(self, strict: StrictFolds, samplers: list[Sampler]) -> Verdict:
        judged = strict.judge(samplers)
        if len(judged.unseen) == 0:
            return Verdict(None, None, lambda: strict.together(samplers, judged, KEPT))
        error, loss = judged.unseen.error_and_loss(judged.calibration)
        if self.wants_weighted and self.weighted is None:
            self._weigh(loss)
        evidence = self._evidence(judged)
        return Verdict(
            error,
            loss,
            lambda: self._with_evidence(strict.together(samplers, judged, KEPT)),
            evidence is not None and adds_nothing(evidence),
        )

    def _weigh(self, rival: float) -> None:
        assert self.find_alternatives is not None
        alternatives = self.find_alternatives(self.examples.variants[0][self.dealt.example])
        self.weighted = learn_weighted(
            self.examples, alternatives, self.dealt, self.weighted_seed, self.rounds, rival
        )

    def _with_evidence(self, learned: Learned) -> Learned:
        """The same with weighted atoms, if held-out rows favour them."""
        weighted, evidence = self.weighted, self._evidence(learned)
        if weighted is None or evidence is None:
            return learned
        if evidence.chosen != "strict":
            learned = replace(learned, unseen=self._unseen(learned.unseen, weighted))
        return _applied(learned, weighted, evidence)

    def _evidence(self, learned: Learned) -> Evidence | None:
        """What held-out rows say of strict atoms and of weighted ones, if there are any."""
        weighted, strict = self.weighted, None
        if weighted is None or len(weighted.scores) == 0:
            return None
        if self.wants_strict and len(learned.unseen) == len(weighted.scores):
            strict = learned.calibration.scores(learned.unseen.ratios)
        n_strict = sum(len(concept.pool) for concept in learned.concepts)
        sizes = {"strict": n_strict, "weighted": len(weighted.atoms)}
        return weigh_evidence(
            strict,
            weighted.scores,
            self.dealt.label[weighted.held],
            self.dealt.weight[weighted.held],
            {**sizes, "both": sum(sizes.values())},
        )

    def _unseen(self, strict: Unseen, weighted: WeightedFolds) -> Unseen:
        """What both said of the rows that were held out."""
        if len(strict) == len(weighted.scores):
            return replace(strict, weighted=weighted.scores)
        weights = self.dealt.weight[weighted.held]
        labels, ratios = self.dealt.label[weighted.held], np.zeros_like(weighted.scores)
        return Unseen(ratios, labels, weights, weights, weighted.scores)

    def _settings(self, settings: Settings) -> Settings:
        if len(self.examples) > SMALL:
            return settings
        # Few pins in the dual leave room for witnesses from the data, which there is little of.
        recipe = replace(
            settings.recipe,
            first=len(self.examples),
            hard_share=0.0,
            candidates=SMALL_CANDIDATES,
        )
        return replace(settings, recipe=recipe)


def _applied(learned: Learned, weighted: WeightedFolds, evidence: Evidence) -> Learned:
    """What the choice leaves: pools that do not decide are replaced by the atoms that do."""
    if evidence.chosen == "strict":
        return replace(learned, evidence=evidence)
    if evidence.chosen == "weighted":
        concepts = learned.concepts
        for k, concept in enumerate(concepts):
            concept.pool = weighted.atoms.pool_of(k, concept.pool)
            concept.epoch = max(concept.epoch, 1)
        held_out = [
            HeldOut(
                [part.pool_of(k, one.pool).atoms for k, one in enumerate(learned.concepts)], rows
            )
            for part, (_, rows) in zip(weighted.parts, learned.held_out, strict=True)
        ]
        return replace(
            learned,
            weighted=weighted.atoms,
            evidence=evidence,
            typical=np.zeros(len(concepts)),
            held_out=held_out,
        )
    return replace(learned, weighted=weighted.atoms, evidence=evidence)


def _fewest(strict: StrictFolds, samplers: list[Sampler], judged: Learned) -> int:
    """How many pins of a class predict the rows of the folds about as well as all."""
    largest = max(len(sampler.concept.pool) for sampler in samplers)
    if len(judged.unseen) == 0 or largest <= KEPT_SIZES[0]:
        return MOST_KEPT
    _, loss = judged.unseen.error_and_loss(judged.calibration)
    pools = [sampler.concept.pool for sampler in samplers]
    found = MOST_KEPT
    for size in KEPT_SIZES:
        for sampler, pool in zip(samplers, pools, strict=True):
            sampler.concept.pool = pool.copy()
            prune(sampler, size)
        fewer = strict.judge(samplers)
        if fewer.unseen.error_and_loss(fewer.calibration)[1] <= AS_GOOD * loss + 1e-4:
            found = size
            break
    for sampler, pool in zip(samplers, pools, strict=True):
        sampler.concept.pool = pool
    return found


def _targets(n_examples: int, settings: Settings) -> list[int]:
    """Epochs of each fold at the end of each round."""
    if n_examples <= SMALL:
        epochs = max(1, (settings.max_epochs or SMALL_EPOCHS) // MANY_FOLDS)
        return sorted({min(GLANCE, epochs), max(1, epochs // 3), epochs})
    return list(schedule(max(1, (settings.max_epochs or LARGE_EPOCHS) // FEW_FOLDS)))


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
