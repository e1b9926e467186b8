"""The training loop: strict and weighted atoms of several classes, evaluated on held-out rows.

Rows are assigned to folds, and everything is learned once for each fold, without its rows. The rows
of the folds then decide when to stop, calibrate the scores, and choose between strict and weighted
atoms. The atoms learned without each fold are merged in the end: every row is learned from.

Data in memory are one part, tables on a cluster may be many; the loop is the same.

A batch that arrives later (``partial_fit``) is predicted before it is learned from, and these
predictions take the place of the folds: they measure the error, calibrate the scores and choose.
Then the strict atoms that the batch contradicts are dropped, a few epochs add new ones, and more
rounds of boosting are run. The first batch has no such predictions: it is learned in folds."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from atomlearn import interrupts
from atomlearn.engine.concept import Recipe
from atomlearn.engine.misses import blocks_of, typical_misses
from atomlearn.engine.pool import Pool
from atomlearn.engine.state import Report
from atomlearn.sets.memory import rows_at
from atomlearn.sets.rows import Rows
from atomlearn.training.boosting.ensemble import (
    BoostedFolds,
    EarlierRows,
    boost_batch,
    boost_folds,
    no_weighted_atoms,
)
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.data import (
    FORBIDDEN,
    NEVER,
    Examples,
    FoldAtoms,
    HeldOutPredictions,
    folds_for,
    is_small,
)
from atomlearn.training.learned import FoldModels, Learned, count_missed, without_atoms
from atomlearn.training.parts import InMemory, Part, Parts
from atomlearn.training.scores import (
    Calibration,
    Evidence,
    adds_nothing,
    error_and_loss,
    given_up,
    sizes_of,
    weigh_evidence,
)
from atomlearn.training.settings import (
    WEIGHED,
    Clock,
    Hooks,
    Plan,
    Round,
    Settings,
    Stopping,
    ignore,
    run_rounds,
)
from atomlearn.training.strict import (
    EXCHANGE,
    KEPT,
    MANY_CLASSES,
    Exchange,
    Judge,
    State,
    drop_refuted,
    plan,
    pruned,
    put_together,
    rows_in,
    targets_of,
)
from atomlearn.typing import Bits, Floats, Integers

SMALL_CANDIDATES = 0.25
"""Share of pinning terms among the candidates for the dual, with few rows."""
STOPPING = Stopping(patience=1, progress=0.985, smallest=1e-3)
"""Stopping rule of rounds of epochs, each of which takes as long as half of all before, or longer.
"""
PATIENCE = 3
"""Number of rounds that may pass without progress, with many rows and strict atoms ahead."""
NEARLY_EXACT = 0.03
"""Strict atoms that err on no more of the held-out rows than this share are learned as long as they
improve on their own: they may come to describe the classes exactly."""
NEGATIVES = 10.0
"""Maximum number of counterexamples in a batch for each example."""
FEW = 250
"""Never give strict atoms up below this many rows: epochs cost little, and may still help."""
HURRIED_SIZE = 8000
"""Number of rows times classes for boosting if there is hardly any time."""
HURRIED = 3.0
"""There is hardly any time if this multiple of the seconds for boosting exceeds those left."""
USUAL_CONSTANTS = 300
"""Number of constants from which on the time of boosting grows with their number."""

LATER_EPOCHS = 20
"""Number of epochs of each class for a later batch."""
REMEMBERED = 5000
"""Number of most recent held-out predictions that are kept. Once there are this many, a kind of
atoms that does not improve on the other is dropped."""
FEWEST = 50
"""Minimum number of held-out predictions to choose between strict and weighted atoms."""
ENOUGH = 500
"""Minimum number of held-out predictions before labels are doubted."""
DOUBT = 0.05
"""An example is doubted if its label has less than this probability."""
NOISE = 0.02
"""Doubted examples are left out if they are more than this share, which shows noisy labels."""
MAX_ATOMS = 50_000
"""Maximum number of strict atoms of a class after a later batch; some are dropped at random."""
FAR = 20.0
"""Amount by which the log-odds of a class without examples so far are lowered."""

FindSplits = Callable[..., Splits]


class _Comparison(NamedTuple):
    """The last comparison of both kinds of atoms, and what was compared."""

    held_out: HeldOutPredictions
    boosted: BoostedFolds | None
    n_strict: int
    evidence: Evidence | None

    def is_of(
        self, held_out: HeldOutPredictions, boosted: BoostedFolds | None, n_strict: int
    ) -> bool:
        """Return whether this is what was compared."""
        same = self.held_out is held_out and self.boosted is boosted
        return same and self.n_strict == n_strict


class Training:
    """Training of all classes, from scratch, from a saved ``state``, or beside ``known`` atoms.

    Everything is evaluated on the rows of ``home``, and weighted atoms are learned from them: all
    rows of a part in memory, or a sample of those in several parts. Without ``find_splits`` all
    atoms are strict. The result depends on the parts and the seed alone, unless Ctrl-C or a time
    limit ends training: then it is what is known by then. If nothing is known, KeyboardInterrupt is
    raised.
    """

    def __init__(
        self,
        parts: Parts,
        home: Part,
        seed: int,
        settings: Settings,
        hooks: Hooks | None = None,
        known: Sequence[Pool] | None = None,
        find_splits: FindSplits | None = None,
        state: State | None = None,
        on_exchange: Callable[[State], object] = ignore,
        share_examples: bool = True,
    ) -> None:
        hooks = Hooks() if hooks is None else hooks
        n_rows = rows_in(parts)
        examples, dealt = home.examples, home.dealt
        self.parts, self.home, self.seed, self.known = parts, home, seed, known
        self.settings, self.hooks = settings, hooks
        self.clock = Clock(settings, examples.n_classes * dealt.n_folds)
        self.clock.on_check = hooks.on_check
        recipe = replace(settings.recipe, negatives=NEGATIVES)
        if is_small(n_rows, examples.n_classes):
            # Few pins in the dual leave room for witnesses from the data, which there is little of.
            recipe = replace(recipe, first=n_rows, hard_share=0.0, candidates=SMALL_CANDIDATES)
        self.exchange = Exchange(
            parts, seed, recipe, self.clock, hooks, share_examples, examples.n_concepts
        )
        self.on_exchange = on_exchange
        if state is None:
            state = State.nothing(dealt.n_folds, examples.n_classes, examples.n_constants)
        self.state = state
        self.targets = targets_of(parts, home, settings)
        self.judge = Judge(home, self.clock)
        can_weigh = (
            find_splits is not None
            and examples.n_classes > 1
            # Symmetries that move atoms make strict ones only.
            and (examples.symmetries is None or settings.evidence == "weighted")
            and bool((dealt.fold != NEVER).any())
        )
        self.wants_weighted = can_weigh and settings.evidence != "strict"
        self.wants_strict = not (can_weigh and settings.evidence == "weighted")
        self.may_give_up = n_rows > FEW and not settings.expects_more
        self.find_splits = find_splits
        self.boosted: BoostedFolds | None = None
        self._comparison: _Comparison | None = None
        self.taken: Integers | None = None
        """The examples that are learned from, if not all."""
        self.reports = self._no_reports()

    def run(self) -> Learned:
        """Learn until held-out rows, the time limit or the user ends it."""
        self._thin_out()
        if self.wants_strict:
            self._learn_strict()
        else:
            self._boost(np.inf)
        learned = self._with_fold_models(self._conclude())
        if self.taken is not None:  # held-out examples are known by their places among all
            taken = self.taken
            fold_atoms = [FoldAtoms(atoms, taken[rows]) for atoms, rows in learned.fold_atoms]
            learned = replace(
                learned, held_out=learned.held_out.renumbered(taken), fold_atoms=fold_atoms
            )
            if learned.fold_models is not None:
                there = learned.fold_models
                there = there._replace(examples=taken[there.examples])
                learned = replace(learned, fold_models=there)
        learned = replace(learned, rounds=self.state.done, interrupted=self.clock.interrupted)
        if learned.interrupted and not learned.is_known:
            raise interrupts.interruption()
        return learned

    def _thin_out(self) -> None:
        """Learn only weighted atoms, from some of the rows, if time is too short for all.

        Strict atoms of a first epoch may be no better than chance, and evaluating them takes time
        too.
        """
        n_classes = self.home.examples.n_classes
        if not (self.wants_strict and self.wants_weighted) or len(self.parts.sources) > 1:
            return
        if self._seconds_to_boost() * HURRIED < self.clock.left() or n_classes > MANY_CLASSES:
            return
        if self.clock.left() < self.clock.allowed / 3:
            self.clock.extend()
        each = HURRIED * self._seconds_to_boost() / len(self.home.examples)
        most = max(HURRIED_SIZE // n_classes, int(self.clock.left() / each))
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(2,)))
        self.taken = np.sort(rng.permutation(len(self.home.examples))[:most])
        self.home = self.home.some(self.taken)
        self.judge = Judge(self.home, self.clock)
        self.wants_strict = False

    def _learn_strict(self) -> None:
        """Learn round after round until the held-out loss stops improving."""
        try:
            self._compare_with_boosting()  # again, if this goes on from a saved state
            self._glance()
            targets = (target for target in self.targets if self.state.epoch < target)

            def next_round() -> bool:
                target = next(targets, None)
                return target is not None and self._learn_until(target)

            run_rounds(next_round, self._losses, self._stopping, self._is_over)
        except KeyboardInterrupt:  # while waiting, or from a handler of the host's
            self.clock.interrupted = True
        if any(self.reports):  # an interrupted round counts for what it gave; no hook is called
            self._note_round(None, None)

    def _glance(self) -> None:
        """Learn some of the folds first, and give strict atoms up if they add nothing there.

        Many parts, which have to exchange their atoms on the way, skip this.
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
        held_out = self.judge.judge(self.state)
        if len(held_out):
            _, self.state.first = held_out.error_and_loss(held_out.calibrate())
            self._compare_with_boosting()
            self._give_up_if_useless(held_out)
        if self.state.adds_nothing:
            self.state.epoch = first
            self._note_round(*self._error_and_loss(held_out))
        elif not self.clock.over():
            self.state, reports, is_whole = self.exchange.run(self.state, first, rest)
            self._add_reports(reports)
            if is_whole:
                self.state.epoch = first
                self._end_round()
                self.on_exchange(self.state)

    def _stopping(self) -> Stopping:
        """Return the stopping rule: a more patient one if strict atoms are ahead with many rows.

        What boosting does not find, such as a parity, they may begin to describe after a plateau.
        """
        n_classes = self.home.examples.n_classes
        if self.state.epoch == 0 or is_small(rows_in(self.parts), n_classes):
            return STOPPING
        compared = self._compared(self.judge.judge(self.state), 0)
        if compared is None or compared.losses["strict"] >= compared.losses["weighted"]:
            return STOPPING
        return STOPPING._replace(patience=PATIENCE)

    def _losses(self) -> list[float]:
        """Return the losses by which learning stops: of strict atoms alone if they hardly err."""
        alone = [one.alone for one in self.state.done if one.alone is not None]
        return alone if alone and self._are_nearly_exact() else self.state.losses

    def _are_nearly_exact(self) -> bool:
        if not any(map(len, self.state.pools[0])):
            return False
        held_out = self.judge.judge(self.state)
        if len(held_out) == 0:
            return False
        return held_out.error_and_loss(held_out.calibrate())[0] <= NEARLY_EXACT

    def _is_over(self) -> bool:
        if self.state.epoch == 0:
            return False  # there is a first epoch, if only one, so that something is known
        return self.state.adds_nothing or self.clock.over()

    def _learn_until(self, target: int) -> bool:
        """Train up to an epoch and evaluate; return whether it was not interrupted."""
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
        """Return the number of epochs until the next exchange, one at first for a quick start."""
        left = target - self.state.epoch
        if self.state.epoch == 0:
            return 1
        if len(self.parts.sources) == 1:
            return left
        return min(left, EXCHANGE - self.state.epoch % EXCHANGE)

    def _end_round(self) -> None:
        """Evaluate on held-out rows, and call the hooks."""
        state, held_out = self.state, self.judge.judge(self.state)
        if len(held_out) == 0:  # too few rows to hold any out: there is no stopping rule
            self._note_round(None, None)
            return
        if not np.isfinite(state.first):
            _, state.first = held_out.error_and_loss(held_out.calibrate())
        self._compare_with_boosting()
        error, loss = self._error_and_loss(held_out)
        self._give_up_if_useless(held_out)
        self._note_round(error, loss, held_out.error_and_loss(held_out.calibrate())[1])

    def _give_up_if_useless(self, held_out: HeldOutPredictions) -> None:
        is_open = not self.may_give_up or self._are_nearly_exact()
        evidence = None if is_open else self._compared(held_out, 0)
        share = int(self.state.epochs.max()) / self.targets[-1]
        self.state.adds_nothing = evidence is not None and adds_nothing(evidence, share)

    def _error_and_loss(self, held_out: HeldOutPredictions) -> tuple[float, float]:
        """Return error and loss on held-out rows, with weighted atoms if there are any."""
        evidence = self._evidence(held_out, 0)
        if evidence is None:
            return held_out.error_and_loss(
                held_out.calibrate(), self.settings.prior, self.home.examples.rules.ordered
            )
        best = min(evidence.losses, key=evidence.losses.__getitem__)
        return evidence.errors[best], evidence.losses[best]

    def _compare_with_boosting(self) -> None:
        """Learn weighted atoms, once the loss of strict ones is known and if there is time."""
        if not self.wants_weighted or self.boosted is not None:
            return
        if np.isfinite(self.state.first) and self._seconds_to_boost() < self.clock.left():
            self._boost(self.state.first)

    def _seconds_to_boost(self) -> float:
        """Return the approximate time of boosting: a model without each fold, and two more."""
        examples = self.home.examples
        size = len(examples.variants) * len(examples) * examples.n_classes
        wide = max(1.0, examples.n_constants / USUAL_CONSTANTS)
        return WEIGHED * size * wide * (self.home.dealt.n_folds + 2)

    def _boost(self, rival: float) -> None:
        """Learn weighted atoms; ``rival`` is the loss of strict ones."""
        assert self.find_splits is not None
        examples, dealt = self.home.examples, self.home.dealt
        splits = self.find_splits(*self.home.shown())
        seed = np.random.SeedSequence(self.seed, spawn_key=(1,))
        found = boost_folds(examples, splits, dealt, seed, self.clock, rival)
        rows = rows_at(examples.variants[0], dealt.example[found.held])
        forbidden = examples.rules.forbidden_of(rows)
        self.boosted = replace(found, scores=np.where(forbidden, -FORBIDDEN, found.scores))

    def _note_round(
        self, error: float | None, loss: float | None, alone: float | None = None
    ) -> None:
        done = Round(self.state.epoch, self.clock.seconds, error, loss, self.reports, alone)
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
        """Return the current model, not pruned."""
        return self._put_together(KEPT)

    def _conclude(self) -> Learned:
        if not self.wants_strict or self.clock.interrupted:
            return self._put_together(KEPT)
        fewest = self.judge.fewest(self.state, self.seed, lambda one: self._error_and_loss(one)[1])
        return self._put_together(fewest)

    def _with_fold_models(self, learned: Learned) -> Learned:
        """Add the models learned without each fold, if all that decides was learned so."""
        dealt, evidence = self.home.dealt, learned.evidence
        held = np.flatnonzero(dealt.fold != NEVER)
        if dealt.n_folds == 1 and len(held):  # what was learned without it is known by the others
            held = np.arange(len(dealt))
        if not len(held) or (evidence.strict > 0 and not self.state.epochs.all()):
            return learned
        if evidence.strict > 0 and self.clock.late():
            return learned  # their median misses would have to be counted
        if evidence.weighted > 0 and self.boosted is None:
            return learned
        models, boosted = [], self.boosted
        for f in range(dealt.n_folds):
            model = replace(learned, pools=without_atoms(learned.pools), fold_atoms=[], rounds=[])
            if evidence.strict > 0:
                alone = self.judge.without_calibration(self.state.pools[f], self.home.without(f))
                model = replace(model, pools=alone.pools, typical=alone.typical)
            if boosted is not None:
                weighted = boosted.parts[f].scaled(dealt.n_folds)  # each has its share
                model = replace(model, weighted=weighted)
            models.append(replace(model, prior=0.0))
        folds = FoldModels(
            models,
            [None] if boosted is None else [*(one.weighted for one in models), boosted.atoms],
            dealt.example[held],
            dealt.label[held],
            dealt.weight[held],
            dealt.fold[held],
        )
        return replace(learned, fold_models=folds)

    def _put_together(self, most: int) -> Learned:
        held_out = self.judge.judge(self.state)
        pools = put_together(self.state, self.known)
        self._drop_refuted(pools)
        pools = [pruned(pool, most, self.seed) for pool in pools]
        learned = replace(
            self.judge.without_calibration(pools, self.home.examples),
            epochs=self.state.epochs.max(axis=0).tolist(),
            calibration=held_out.calibrate(),
            held_out=held_out,
            fold_atoms=self.judge.fold_atoms(self.state),
            prior=self.settings.prior,
            rules=self.home.examples.rules,
        )
        return self._with_evidence(learned)

    def _drop_refuted(self, pools: list[Pool]) -> None:
        n_concepts = self.home.examples.n_concepts
        try:
            drop_refuted(self.parts, pools, self.seed, n_concepts)
        except KeyboardInterrupt:  # no waiting for other processes any more
            self.clock.interrupted = True
            alone = InMemory(self.home.with_rules(), n_jobs=1)
            drop_refuted(alone, pools, self.seed, n_concepts)

    def _with_evidence(self, learned: Learned) -> Learned:
        """Add weighted atoms, if they improve the held-out loss."""
        boosted = self.boosted
        evidence = self._evidence(learned.held_out, sum(map(len, learned.pools)))
        if boosted is None or evidence is None:
            return learned
        if evidence.chosen == "strict" and not self.settings.expects_more:
            return replace(learned, evidence=evidence)
        held_out, dealt, held = learned.held_out, self.home.dealt, boosted.held
        if len(held_out) != len(boosted.scores):
            none = np.zeros_like(boosted.scores)
            weight = dealt.weight[held]
            rows = dealt.example[held]
            held_out = HeldOutPredictions(none, dealt.label[held], weight, weight, examples=rows)
        learned = replace(
            learned,
            held_out=replace(held_out, weighted=boosted.scores),
            weighted=boosted.atoms,
            evidence=evidence,
        )
        if evidence.chosen != "weighted":
            return learned
        fold_atoms = [
            FoldAtoms([part.against(k) for k in range(learned.n_classes)], rows)
            for part, (_, rows) in zip(boosted.parts, learned.fold_atoms, strict=True)
        ]
        return _without_strict(replace(learned, fold_atoms=fold_atoms))

    def _evidence(self, held_out: HeldOutPredictions, n_strict: int) -> Evidence | None:
        """Choose the kind of atoms by held-out rows, if there are weighted ones.

        Strict atoms that were not learned without every fold are not chosen.
        """
        boosted, dealt = self.boosted, self.home.dealt
        if boosted is None or len(boosted.scores) == 0:
            return None
        compared = self._compared(held_out, n_strict)
        if compared is not None and len(held_out) == len(boosted.held):
            return compared
        losses = {} if compared is None else compared.losses
        if losses and losses["strict"] < losses["weighted"] and self.clock.over():
            return None  # there was no time for weighted atoms
        label, weight = dealt.label[boosted.held], dealt.weight[boosted.held]
        sizes = sizes_of(n_strict, len(boosted.atoms))
        prior, ordered = self.settings.prior, self.home.examples.rules.ordered
        alone = weigh_evidence(None, boosted.scores, label, weight, sizes, prior, ordered)
        return alone if compared is None else given_up(alone, compared)

    def _compared(self, held_out: HeldOutPredictions, n_strict: int) -> Evidence | None:
        """Compare both kinds on the rows of the folds that have been held out so far, if any."""
        last = self._comparison
        if last is None or not last.is_of(held_out, self.boosted, n_strict):
            evidence = self._compare(held_out, n_strict)
            last = self._comparison = _Comparison(held_out, self.boosted, n_strict, evidence)
        return last.evidence

    def _compare(self, held_out: HeldOutPredictions, n_strict: int) -> Evidence | None:
        boosted, dealt = self.boosted, self.home.dealt
        if boosted is None or not self.wants_strict or len(held_out) == 0:
            return None
        is_learned = np.all(self.state.epochs, axis=1)
        judged = is_learned[dealt.fold[boosted.held]]
        rows = boosted.held[judged]
        if len(rows) != len(held_out):
            return None
        return weigh_evidence(
            held_out.calibrate().scores(held_out.ratios),
            boosted.scores[judged],
            dealt.label[rows],
            dealt.weight[rows],
            sizes_of(n_strict, len(boosted.atoms), self.settings.expects_more),
            self.settings.prior,
            self.home.examples.rules.ordered,
        )


def _without_strict(learned: Learned) -> Learned:
    """Drop strict atoms, which are not used; a class with weighted atoms has had an epoch."""
    return replace(
        learned,
        pools=without_atoms(learned.pools),
        typical=np.zeros(learned.n_classes),
        epochs=[max(epochs, 1) for epochs in learned.epochs],
    )


def nothing_learned(examples: Examples, evidence: str = "auto") -> Learned:
    """Return the model before the first batch, of which these are the examples.

    Unless one kind of atoms is asked for, both are learned, and count the same until held-out rows
    choose. With symmetries that move atoms there are strict ones only.
    """
    n_classes = examples.n_classes
    learned = replace(Learned.nothing(examples.n_constants, n_classes), rules=examples.rules)
    none = no_weighted_atoms(n_classes)
    if evidence == "weighted":
        return replace(learned, weighted=none, evidence=Evidence("weighted", {}, {}, 0.0, 1.0))
    if evidence == "auto" and n_classes > 1 and examples.symmetries is None:
        return replace(learned, weighted=none, evidence=Evidence("both", {}, {}, 0.5, 0.5))
    return learned


def plan_part(learned: Learned, examples: Examples, settings: Settings) -> Plan:
    """Return the plan of :func:`train_batch`."""
    if _is_first(learned):
        part = _first_part(examples, 0, settings)
        return plan(InMemory(part), part, settings)
    epochs = min(LATER_EPOCHS, settings.max_epochs or LATER_EPOCHS)
    return Plan(1, examples.n_concepts * epochs)


def train_batch(
    learned: Learned,
    examples: Examples,
    earlier: EarlierRows,
    sample: tuple[Rows, Integers],
    seen: Integers,
    settings: Settings,
    hooks: Hooks,
    find_splits: FindSplits,
    seed: int,
) -> Learned:
    """Learn from one more batch.

    ``sample`` has rows and labels of all batches, ``seen`` the number of rows of each class. Strict
    and weighted atoms are learned side by side, and held-out predictions choose between them anew;
    if there is only one kind, that does not change.
    """
    if _is_first(learned):
        return _train_first(learned, examples, seen, settings, hooks, find_splits, seed)
    most = settings.most_held(examples.n_classes)
    shown = examples
    if most is not None and most < len(examples):  # very many rows and classes: only some
        shown = examples.some(np.arange(most))
    blocks, n = shown.blocks(), len(shown)
    forbidden = learned.rules.forbidden_in(blocks, n)
    ratios = np.where(forbidden, FORBIDDEN, learned.ratios(blocks, n))
    scores = None
    if learned.weighted is not None:
        scores = np.where(forbidden, -FORBIDDEN, learned.weighted.scores(blocks, n))
    held_out = learned.held_out
    if learned.is_known:
        new = shown.held_out(ratios, scores)
        held_out = held_out.extended(new, min(REMEMBERED, most or REMEMBERED))
    clock, rival = Clock(settings, examples.n_classes), np.inf
    if _has_strict(learned):
        calibration = _calibrated(held_out, seen)
        believed = np.arange(len(examples))
        if shown is examples:
            believed = _believed(held_out, calibration, ratios, examples.labels)
        now = replace(
            _learn_strict(learned, examples.some(believed), clock, hooks, seed),
            calibration=calibration,
            held_out=held_out,
            doubted=np.setdiff1d(np.arange(len(examples)), believed),
        )
        now = replace(now, typical=_typical(now, *sample, most))
        if len(held_out):
            rival = held_out.error_and_loss(calibration)[1]
    else:
        none = np.zeros(0, dtype=np.int64)
        now = replace(learned, held_out=held_out, rounds=[], doubted=none)
    if learned.weighted is not None:
        # Beside strict atoms, continue from the weighted scores alone.
        factor = 1.0 if _has_strict(learned) else learned.evidence.weighted or 1.0
        own = np.random.SeedSequence(seed, spawn_key=(1,))
        weighted = boost_batch(
            learned.weighted, factor, examples, earlier, find_splits, own, clock, rival
        )
        epochs = [max(epochs, 1) for epochs in now.epochs]
        now = replace(now, weighted=weighted, epochs=epochs)
    return replace(_chosen(now), interrupted=clock.interrupted)


def _is_first(learned: Learned) -> bool:
    """Return whether nothing is known by which to choose between strict and weighted atoms."""
    return learned.evidence.chosen == "both" and not learned.is_known


def _first_part(examples: Examples, seed: int, settings: Settings) -> Part:
    dealing = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    n_folds = folds_for(len(examples), examples.n_classes)
    return Part.of(examples, n_folds, dealing, settings.most_held(examples.n_classes))


def _train_first(
    nothing: Learned,
    examples: Examples,
    seen: Integers,
    settings: Settings,
    hooks: Hooks,
    find_splits: FindSplits,
    seed: int,
) -> Learned:
    """Train on the first batch, whose folds choose, because no predictions of it were made."""
    part = _first_part(examples, seed, settings)
    expects_more = len(examples) < REMEMBERED
    parts = InMemory(part.with_rules(), settings.n_jobs)
    settings = replace(settings, expects_more=expects_more)
    learned = Training(parts, part, seed, settings, hooks, find_splits=find_splits).run()
    held_out = learned.held_out.thinned(REMEMBERED)
    learned = replace(
        learned, calibration=_calibrated(held_out, seen), held_out=held_out, fold_atoms=[]
    )
    if expects_more and learned.weighted is None:  # too few rows to find any
        return replace(learned, weighted=nothing.weighted, evidence=nothing.evidence)
    return learned


def _learn_strict(
    learned: Learned, examples: Examples, clock: Clock, hooks: Hooks, seed: int
) -> Learned:
    """Drop the atoms that the part contradicts, and add new ones."""
    part = Part.of(examples, 0, np.random.default_rng(0)).with_rules()
    parts = InMemory(part, clock.settings.n_jobs)
    pools = [pool.copy() for pool in learned.pools]
    drop_refuted(parts, pools, seed, examples.n_concepts)
    state = State.nothing(1, examples.n_classes, examples.n_constants)
    state.pools = [pools]
    recipe = Recipe(first=len(examples), candidates=SMALL_CANDIDATES)
    exchange = Exchange(parts, seed, recipe, clock, hooks, n_concepts=examples.n_concepts)
    epochs = min(LATER_EPOCHS, clock.settings.max_epochs or LATER_EPOCHS)
    rounds: list[Round] = []
    try:
        state, reports, _ = exchange.run(state, epochs)
        error = learned.error
        rounds = [Round(epochs, clock.seconds, error, None, reports)] if any(reports) else []
    except KeyboardInterrupt:
        clock.interrupted = True
    clock.over()  # notes an interruption
    taught = np.bincount(examples.labels, minlength=examples.n_classes) > 0
    had = np.where(taught, state.epochs[0], 0)
    now = replace(
        learned,
        pools=[pruned(pool, MAX_ATOMS, seed) for pool in state.pools[0]],
        epochs=[int(a + b) for a, b in zip(learned.epochs, had, strict=True)],
        rounds=rounds,
    )
    if clock.interrupted and not now.is_known:
        raise interrupts.interruption()
    for done in rounds:
        hooks.on_round(done, lambda: now)
    return now


def _typical(learned: Learned, rows: Rows, labels: Integers, most: int | None) -> Floats:
    step = 1 if most is None else max(1, -(-len(rows) // most))
    rows, labels = np.ascontiguousarray(rows[::step]), labels[::step]
    atoms, blocks = [pool.atoms for pool in learned.pools], blocks_of(rows, learned.n_constants)
    return typical_misses(count_missed(atoms, blocks, len(labels)), labels)


def _has_strict(learned: Learned) -> bool:
    """Return whether strict atoms are still learned."""
    return learned.evidence.strict > 0


def _chosen(learned: Learned) -> Learned:
    """Choose by held-out predictions what decides; once there are enough, drop the rest."""
    held_out, weighted = learned.held_out, learned.weighted
    if weighted is None or not _has_strict(learned) or len(held_out) < FEWEST:
        learned = replace(learned, evidence=_measured(learned))
    else:
        strict = learned.calibration.scores(held_out.ratios)
        is_sure = len(held_out) >= REMEMBERED
        sizes = sizes_of(sum(map(len, learned.pools)), len(weighted), expects_more=not is_sure)
        found = weigh_evidence(
            strict, held_out.weighted, held_out.labels, held_out.weights, sizes, learned.prior,
            learned.rules.ordered,
        )  # fmt: skip
        learned = replace(learned, evidence=found)
        if is_sure and found.chosen == "strict":
            learned = replace(learned, weighted=None, held_out=replace(held_out, weighted=None))
    return learned if _has_strict(learned) else _without_strict(learned)


def _measured(learned: Learned) -> Evidence:
    """Return the evidence, with the loss and error of predictions made before learning."""
    evidence, held_out = learned.evidence, learned.held_out
    if len(held_out) == 0:
        return replace(evidence, losses={}, errors={})
    scores = replace(learned, prior=0.0).held_out_scores()
    error, loss = error_and_loss(
        scores, held_out.labels, held_out.weights, learned.prior, learned.rules.ordered
    )
    return replace(evidence, losses={evidence.chosen: loss}, errors={evidence.chosen: error})


def _calibrated(held_out: HeldOutPredictions, seen: Integers) -> Calibration:
    calibration = held_out.calibrate()
    behind = calibration.offset.min() - FAR
    return replace(calibration, offset=np.where(seen > 0, calibration.offset, behind))


def _believed(
    held_out: HeldOutPredictions, calibration: Calibration, ratios: Floats, labels: Integers
) -> Integers:
    """Return all examples or, if labels are noisy, those whose labels are not very improbable."""
    if (
        len(held_out) < ENOUGH
        or _doubted(calibration, held_out.ratios, held_out.labels).mean() <= NOISE
    ):
        return np.arange(len(labels))
    return np.flatnonzero(~_doubted(calibration, ratios, labels))


def _doubted(calibration: Calibration, ratios: Floats, labels: Integers) -> Bits:
    return calibration.probabilities(ratios)[np.arange(len(labels)), labels] < DOUBT
