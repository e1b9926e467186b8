"""The training loop: strict and weighted atoms of several classes, judged by held-out rows.

Rows are dealt into folds, and everything is learned once for each fold, without its rows. These
then say when to stop, how far to believe a score, and whether strict or weighted atoms predict
better. What was learned without each fold is put together in the end: no row is spared, and nothing
is learned only to be judged.

Data in memory are one part, tables on disk or on a cluster many; the loop is the same.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from atomlearn import interrupts
from atomlearn.engine.pool import Pool
from atomlearn.engine.state import Report
from atomlearn.sets.rows import Rows
from atomlearn.training.boosting.folds import WeightedFolds, learn_weighted
from atomlearn.training.boosting.trees import Alternatives
from atomlearn.training.data import FORBIDDEN, NEVER, SMALL, HeldOut, Unseen
from atomlearn.training.learned import Learned
from atomlearn.training.parts import InMemory, Part, Parts
from atomlearn.training.scores import (
    Evidence,
    adds_nothing,
    given_up,
    sizes_of,
    weigh_evidence,
)
from atomlearn.training.settings import WEIGHED, Clock, Hooks, Plan, Round, Settings, ignore
from atomlearn.training.strict import (
    KEPT,
    Exchange,
    Judge,
    State,
    drop_refuted,
    pruned,
    put_together,
)
from atomlearn.typing import Integers

FIRST_ROUND = 20
ROUND_GROWTH = 1.5
EXCHANGE = 10
"""Epochs between two exchanges of many parts; also how often hard counterexamples are renewed."""
LARGE_EPOCHS = 500
SMALL_EPOCHS = 150
"""Epochs of a class, in all folds together."""
SMALL_CANDIDATES = 0.25
PATIENCE = 2
"""Rounds without progress after which learning stops."""
PROGRESS, SMALLEST_PROGRESS = 0.99, 1e-3
"""A round that does not bring the loss below this part of the best so far, and so much below it,
made no progress."""
NEGATIVES = 10.0
"""Most counterexamples in a batch for each example, of many rows ..."""
MANY_CLASSES = 30
"""... or of more classes than this, each of which has fewer epochs: all together take far less time
than in proportion to their number."""
GLANCE = 3
"""Epochs of a fold after which strict atoms are given up if they add nothing to weighted ones; of
many examples, which are seen in growing batches, that is judged after the first round ..."""
FEW = 250
"""... and of at most so many never: epochs cost little, and the last ones may still help."""

WEIGHED_ROWS = 8000
"""Rows times classes on which weighted atoms are found if there is hardly any time ..."""
HURRIED = 3.0
"""... which is so if this multiple of the time for weighted atoms is more than what is left."""
USUAL_CONSTANTS = 300
"""Constants up to which weighted atoms take no longer."""

FindAlternatives = Callable[[Rows], Alternatives]


def plan(parts: Parts, home: Part, settings: Settings) -> Plan:
    """The plan of :func:`train`, if nothing ends it early."""
    targets = _targets(parts, home, settings)
    n_tasks = home.examples.n_classes * home.dealt.n_folds * len(parts.sources)
    return Plan(len(targets), n_tasks * targets[-1])


def rows_in(parts: Parts) -> int:
    """The number of examples in all parts."""
    return sum(source.examples for source in parts.sources)


def train(
    parts: Parts,
    home: Part,
    seed: int,
    settings: Settings,
    hooks: Hooks | None = None,
    known: Sequence[Pool] | None = None,
    find_alternatives: FindAlternatives | None = None,
    state: State | None = None,
    on_exchange: Callable[[State], object] = ignore,
    share_examples: bool = True,
) -> Learned:
    """Learn all classes from scratch, from a saved ``state``, or in addition to ``known`` atoms.

    Everything is judged by the rows of ``home``, and weighted atoms are made of them: all rows of a
    part in memory, or a sample of those in several parts. Without ``find_alternatives`` all atoms
    are strict. The result depends on the parts and the seed, and on nothing else, unless Ctrl-C or
    a time limit ends it: then it is what is known by then. If that is nothing, KeyboardInterrupt is
    raised.
    """
    return _Training(
        parts,
        home,
        seed,
        settings,
        Hooks() if hooks is None else hooks,
        known,
        find_alternatives,
        state,
        on_exchange,
        share_examples,
    ).run()


class _Training:
    """One call of :func:`train`."""

    def __init__(
        self,
        parts: Parts,
        home: Part,
        seed: int,
        settings: Settings,
        hooks: Hooks,
        known: Sequence[Pool] | None,
        find_alternatives: FindAlternatives | None,
        state: State | None,
        on_exchange: Callable[[State], object],
        share_examples: bool,
    ) -> None:
        n_rows = rows_in(parts)
        examples, dealt = home.examples, home.dealt
        self.parts, self.home, self.seed, self.known = parts, home, seed, known
        self.settings, self.hooks = settings, hooks
        self.clock = Clock(settings, examples.n_classes * dealt.n_folds)
        self.clock.on_check = hooks.on_check
        recipe = settings.recipe
        if n_rows <= SMALL:
            # Few pins in the dual leave room for witnesses from the data, which there is little of.
            recipe = replace(recipe, first=n_rows, hard_share=0.0, candidates=SMALL_CANDIDATES)
        if n_rows > SMALL or examples.n_classes > MANY_CLASSES:
            recipe = replace(recipe, negatives=NEGATIVES)
        self.exchange = Exchange(parts, seed, recipe, self.clock, hooks, share_examples)
        self.on_exchange = on_exchange
        if state is None:
            state = State.nothing(dealt.n_folds, examples.n_classes, examples.n_constants)
        self.state = state
        self.targets = _targets(parts, home, settings)
        self.judge = Judge(home, self.clock)
        can_weigh = (
            find_alternatives is not None
            and examples.n_classes > 1
            # Symmetries that move atoms make strict ones only.
            and (examples.symmetries is None or settings.evidence == "weighted")
            and bool((dealt.fold != NEVER).any())
        )
        self.wants_weighted = can_weigh and settings.evidence != "strict"
        self.wants_strict = not (can_weigh and settings.evidence == "weighted")
        self.may_give_up = n_rows > FEW and not settings.goes_on
        self.find_alternatives = find_alternatives
        self.weighted: WeightedFolds | None = None
        self.taken: Integers | None = None
        """The examples that are learned from, if these are not all."""
        self.reports = self._no_reports()

    def run(self) -> Learned:
        self._thin_out()
        if self.wants_strict:
            self._learn_strict()
        else:
            self._learn_weighted(np.inf)
        learned = self._conclude()
        if self.taken is not None:  # held-out examples are told by their places among all
            learned.unseen = learned.unseen.renumbered(self.taken)
            learned.held_out = [
                HeldOut(atoms, self.taken[rows]) for atoms, rows in learned.held_out
            ]
        learned.rounds, learned.interrupted = self.state.done, self.clock.interrupted
        if learned.interrupted and not learned.is_known:
            raise interrupts.interruption()
        return learned

    def _thin_out(self) -> None:
        """If time is too short for all rows, find weighted atoms on some of them, and nothing else.

        Strict atoms of a first epoch may be no better than chance, and judging them takes time too.
        """
        n_classes = self.home.examples.n_classes
        if not (self.wants_strict and self.wants_weighted) or len(self.parts.sources) > 1:
            return
        if self._seconds_to_weigh() * HURRIED < self.clock.left() or n_classes > MANY_CLASSES:
            return
        if self.clock.left() < self.clock.allowed / 3:
            self.clock.extend()
        each = HURRIED * self._seconds_to_weigh() / len(self.home.examples)
        most = max(WEIGHED_ROWS // n_classes, int(self.clock.left() / each))
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(2,)))
        self.taken = np.sort(rng.permutation(len(self.home.examples))[:most])
        self.home = self.home.some(self.taken)
        self.judge = Judge(self.home, self.clock)
        self.wants_strict = False

    def _learn_strict(self) -> None:
        """Learn round after round until the held-out loss stops improving."""
        try:
            self._compare_with_weighted()  # again, if this goes on from a saved state
            self._glance()
            for target in self.targets:
                if self._is_done() or not self._learn_until(target):
                    break
        except KeyboardInterrupt:  # while waiting, or from a handler of the host's
            self.clock.interrupted = True
        if any(self.reports):  # an interrupted round counts for what it gave; no hook is called
            self._note_round(None, None)

    def _glance(self) -> None:
        """Hold out some of the folds first; if strict atoms add nothing there, give them up.

        Many parts, which have to exchange their atoms on the way, have no such glance.
        """
        n_folds, first = self.home.dealt.n_folds, self.targets[0]
        some, rest = range(n_folds // 2), range(n_folds // 2, n_folds)
        if self.state.epoch > 0 or len(self.parts.sources) > 1:
            return
        if not (self.may_give_up and self.wants_weighted and some):
            return
        self.state, self.reports, is_whole = self.exchange.run(self.state, first, some)
        if not is_whole:
            self.clock.over()  # notes an interruption
            return
        unseen = self.judge.judge(self.state)
        if len(unseen):
            _, self.state.first = unseen.error_and_loss(unseen.calibrate())
            self._compare_with_weighted()
            self._give_up_if_useless(unseen)
        if self.state.adds_nothing:
            self.state.epoch = first
            self._note_round(*self._error_and_loss(unseen))
        elif not self.clock.over():
            self.state, reports, is_whole = self.exchange.run(self.state, first, rest)
            self._add_reports(reports)
            if is_whole:
                self.state.epoch = first
                self._end_round()
                self.on_exchange(self.state)

    def _is_done(self) -> bool:
        if self.state.epoch == 0:
            return False  # there is a first epoch, if only one, so that something is known
        return self.state.adds_nothing or self.state.stale >= PATIENCE or self.clock.over()

    def _learn_until(self, target: int) -> bool:
        """Train up to an epoch and evaluate. False if it was interrupted."""
        if self.state.epoch >= target:
            return True
        while self.state.epoch < target:
            if self.state.epoch > 0 and self.clock.over():
                return False
            epochs = self._epochs_to(target)
            self.state, reports, is_whole = self.exchange.run(self.state, epochs)
            self._add_reports(reports)
            if not is_whole:
                self.clock.over()  # notes an interruption
                return False
            if self.state.epoch == target:
                self._end_round()
            self.on_exchange(self.state)
        return True

    def _epochs_to(self, target: int) -> int:
        """Epochs until the next exchange; one at first, so that all classes know something soon."""
        left = target - self.state.epoch
        if self.state.epoch == 0:
            return 1
        if len(self.parts.sources) == 1:
            return left
        return min(left, EXCHANGE - self.state.epoch % EXCHANGE)

    def _end_round(self) -> None:
        """Evaluate on held-out rows, update the stop rule, and call the hooks."""
        state, unseen = self.state, self.judge.judge(self.state)
        if len(unseen) == 0:  # too few rows to hold any out: nothing tells when to stop
            self._note_round(None, None)
            return
        if not np.isfinite(state.first):
            _, state.first = unseen.error_and_loss(unseen.calibrate())
        self._compare_with_weighted()
        error, loss = self._error_and_loss(unseen)
        enough = min(PROGRESS * state.best, state.best - SMALLEST_PROGRESS)
        state.stale = 0 if loss < enough else state.stale + 1
        state.best = min(state.best, loss)
        self._give_up_if_useless(unseen)
        self._note_round(error, loss)

    def _give_up_if_useless(self, unseen: Unseen) -> None:
        evidence = self._compared(unseen, 0) if self.may_give_up else None
        share = int(self.state.epochs.max()) / self.targets[-1]
        self.state.adds_nothing = evidence is not None and adds_nothing(evidence, share)

    def _error_and_loss(self, unseen: Unseen) -> tuple[float, float]:
        """Error and loss on held-out rows: with weighted atoms, if there are any."""
        evidence = self._evidence(unseen, 0)
        if evidence is None:
            return unseen.error_and_loss(unseen.calibrate(), self.settings.prior)
        best = min(evidence.losses, key=evidence.losses.__getitem__)
        return evidence.errors[best], evidence.losses[best]

    def _compare_with_weighted(self) -> None:
        """Learn weighted atoms, once the loss of strict ones is known."""
        if not self.wants_weighted or self.weighted is not None:
            return
        if np.isfinite(self.state.first) and self._has_time_for_weighted():
            self._learn_weighted(self.state.first)

    def _has_time_for_weighted(self) -> bool:
        """Without a limit, always."""
        return self._seconds_to_weigh() < self.clock.left()

    def _seconds_to_weigh(self) -> float:
        """About how long weighted atoms take: a model without each fold, and two more."""
        examples = self.home.examples
        size = len(examples.variants) * len(examples) * examples.n_classes
        wide = max(1.0, examples.n_constants / USUAL_CONSTANTS)
        return WEIGHED * size * wide * (self.home.dealt.n_folds + 2)

    def _learn_weighted(self, rival: float) -> None:
        assert self.find_alternatives is not None
        examples, dealt = self.home.examples, self.home.dealt
        shown = examples.variants[:, dealt.example]
        alternatives = self.find_alternatives(shown.reshape(-1, shown.shape[2]))
        seed = np.random.SeedSequence(self.seed, spawn_key=(1,))
        found = learn_weighted(examples, alternatives, dealt, seed, self.clock, rival)
        rows = examples.variants[0][dealt.example[found.held]]
        forbidden = examples.rules.forbidden_of(rows)
        self.weighted = replace(found, scores=np.where(forbidden, -FORBIDDEN, found.scores))

    def _note_round(self, error: float | None, loss: float | None) -> None:
        done = Round(self.state.epoch, self.clock.seconds, error, loss, self.reports)
        self.state.done = [*self.state.done, done]
        self.reports = self._no_reports()
        if self.clock.interrupted:
            return
        if self.hooks.on_round(done, self._current) is True:
            self.clock.ended = True

    def _add_reports(self, reports: list[list[Report]]) -> None:
        self.reports = [a + b for a, b in zip(self.reports, reports, strict=True)]

    def _no_reports(self) -> list[list[Report]]:
        return [[] for _ in range(self.home.examples.n_classes)]

    def _current(self) -> Learned:
        """The current model, not pruned."""
        return self._put_together(KEPT)

    def _conclude(self) -> Learned:
        if not self.wants_strict or self.clock.interrupted:
            return self._put_together(KEPT)
        fewest = self.judge.fewest(self.state, self.seed, lambda one: self._error_and_loss(one)[1])
        return self._put_together(fewest)

    def _put_together(self, most: int) -> Learned:
        unseen = self.judge.judge(self.state)
        pools = put_together(self.state, self.known)
        self._drop_refuted(pools)
        pools = [pruned(pool, most, self.seed) for pool in pools]
        learned = replace(
            self.judge.without_calibration(pools, self.home.examples),
            epochs=self.state.epochs.max(axis=0).tolist(),
            calibration=unseen.calibrate(),
            unseen=unseen,
            held_out=self.judge.held_out(self.state),
            prior=self.settings.prior,
            rules=self.home.examples.rules,
        )
        return self._with_evidence(learned)

    def _drop_refuted(self, pools: list[Pool]) -> None:
        try:
            drop_refuted(self.parts, pools, self.seed)
        except KeyboardInterrupt:  # no waiting for other processes any more
            self.clock.interrupted = True
            drop_refuted(InMemory(self.home.with_rules(), n_jobs=1), pools, self.seed)

    def _with_evidence(self, learned: Learned) -> Learned:
        """Add weighted atoms, if they improve the held-out loss."""
        weighted = self.weighted
        evidence = self._evidence(learned.unseen, sum(map(len, learned.pools)))
        if weighted is None or evidence is None:
            return learned
        if evidence.chosen == "strict" and not self.settings.goes_on:
            return replace(learned, evidence=evidence)
        unseen, dealt, held = learned.unseen, self.home.dealt, weighted.held
        if len(unseen) != len(weighted.scores):
            none = np.zeros_like(weighted.scores)
            weight = dealt.weight[held]
            rows = dealt.example[held]
            unseen = Unseen(none, dealt.label[held], weight, weight, examples=rows)
        learned = replace(learned, unseen=replace(unseen, weighted=weighted.scores))
        return _weighted(learned, weighted, evidence)

    def _evidence(self, unseen: Unseen, n_strict: int) -> Evidence | None:
        """The kind of atoms to choose by held-out rows, if there are weighted ones.

        Strict atoms that were not learned without every fold are not chosen.
        """
        weighted, dealt = self.weighted, self.home.dealt
        if weighted is None or len(weighted.scores) == 0:
            return None
        compared = self._compared(unseen, n_strict)
        if compared is not None and len(unseen) == len(weighted.held):
            return compared
        losses = {} if compared is None else compared.losses
        if losses and losses["strict"] < losses["weighted"] and self.clock.over():
            return None  # there was no time for weighted atoms
        label, weight = dealt.label[weighted.held], dealt.weight[weighted.held]
        sizes = sizes_of(n_strict, len(weighted.atoms))
        prior = self.settings.prior
        alone = weigh_evidence(None, weighted.scores, label, weight, sizes, prior)
        return alone if compared is None else given_up(alone, compared)

    def _compared(self, unseen: Unseen, n_strict: int) -> Evidence | None:
        """Compare both kinds on the rows of the folds that have been learned without, if any."""
        weighted, dealt = self.weighted, self.home.dealt
        if weighted is None or not self.wants_strict or len(unseen) == 0:
            return None
        is_learned = np.all(self.state.epochs, axis=1)
        judged = is_learned[dealt.fold[weighted.held]]
        rows = weighted.held[judged]
        if len(rows) != len(unseen):
            return None
        return weigh_evidence(
            unseen.calibrate().scores(unseen.ratios),
            weighted.scores[judged],
            dealt.label[rows],
            dealt.weight[rows],
            sizes_of(n_strict, len(weighted.atoms), self.settings.goes_on),
            self.settings.prior,
        )


def _weighted(learned: Learned, weighted: WeightedFolds, evidence: Evidence) -> Learned:
    """A model in which weighted atoms decide, alone or together with strict ones."""
    learned = replace(learned, weighted=weighted.atoms, evidence=evidence)
    if evidence.chosen == "weighted":
        pools = learned.pools
        learned.show_weighted()
        learned.epochs = [max(epochs, 1) for epochs in learned.epochs]
        learned.held_out = [
            HeldOut([part.pool_of(k, pool).atoms for k, pool in enumerate(pools)], rows)
            for part, (_, rows) in zip(weighted.parts, learned.held_out, strict=True)
        ]
    return learned


def _targets(parts: Parts, home: Part, settings: Settings) -> list[int]:
    """Epochs of each fold at the end of each round.

    Symmetries that move atoms make few rows stand for many, so more epochs go on to teach.
    """
    is_small = rows_in(parts) <= SMALL and home.examples.symmetries is None
    return epochs_of_rounds(is_small, home.examples.n_classes, home.dealt.n_folds, settings)


def epochs_of_rounds(is_small: bool, n_classes: int, n_folds: int, settings: Settings) -> list[int]:
    """The same for few examples (``is_small``) or many."""
    epochs = settings.max_epochs or (SMALL_EPOCHS if is_small else LARGE_EPOCHS)
    if settings.max_epochs is None and n_classes > MANY_CLASSES:
        root = math.sqrt(MANY_CLASSES / n_classes)
        epochs = int(epochs * root * math.sqrt(root))
    epochs = max(1, epochs // max(n_folds, 1))
    if is_small:
        return sorted({min(GLANCE, epochs), max(1, epochs // 3), epochs})
    return list(schedule(epochs))


def schedule(max_epochs: int) -> Iterator[int]:
    """Epochs at the end of each round.

    >>> list(schedule(60))
    [20, 30, 50, 60]
    """
    target = FIRST_ROUND
    while target < max_epochs:
        yield target
        target = EXCHANGE * -(-int(target * ROUND_GROWTH) // EXCHANGE)
    yield max_epochs
