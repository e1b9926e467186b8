"""Incremental training (``partial_fit``): one more part of the data, which arrives later.

Each part is predicted before it is learned from. These predictions are held out: they measure the
error, calibrate the scores, and choose between strict and weighted atoms. Then the strict atoms
that the part contradicts are dropped, a few epochs add new ones, and more rounds of weighted atoms
are run. The first part has no such predictions: it is learned in folds, as a whole table is.
"""

from dataclasses import replace

import numpy as np

from atomlearn import interrupts
from atomlearn.engine.concept import Recipe
from atomlearn.engine.misses import blocks_of, typical_misses
from atomlearn.sets.rows import Rows
from atomlearn.training.boosting.folds import Earlier, learn_weighted_batch, no_weighted_atoms
from atomlearn.training.data import FORBIDDEN, Examples, Unseen, folds_for
from atomlearn.training.learned import Learned
from atomlearn.training.loop import SMALL_CANDIDATES, FindAlternatives, plan, train
from atomlearn.training.parts import InMemory, Part
from atomlearn.training.scores import (
    Calibration,
    Evidence,
    loss_and_error,
    sizes_of,
    weigh_evidence,
)
from atomlearn.training.settings import Clock, Hooks, Plan, Round, Settings
from atomlearn.training.strict import Exchange, State, drop_refuted, pruned
from atomlearn.typing import Bits, Floats, Integers

EPOCHS = 20
"""Epochs of each class for a part."""
REMEMBERED = 5000
"""Number of most recent held-out examples that are used for the calibration; once there are so
many, the kind of atoms that is of no use beside the other is dropped."""
FEWEST = 50
"""Held-out examples that are needed to choose between strict and weighted atoms."""
ENOUGH = 500
"""Held-out examples from which on labels may be doubted."""
DOUBT = 0.05
"""An example is doubted if its label has less than this probability ..."""
NOISE = 0.02
"""... and if there are more such than this share, labels are noisy and the doubted are left out."""
MOST_ATOMS = 50_000
"""Atoms a class may have; beyond that some are forgotten, at random."""
FAR = 20.0
"""How much lower the log-odds of a class without examples so far are."""


def nothing_learned(examples: Examples, evidence: str = "auto") -> Learned:
    """Before the first part, of which these are the examples.

    Unless one kind of atoms is asked for, both are learned, and count the same until held-out rows
    choose. Symmetries that move atoms make strict ones only.
    """
    n_classes = examples.n_classes
    learned = replace(Learned.nothing(examples.n_constants, n_classes), rules=examples.rules)
    if evidence == "weighted":
        learned.weighted = no_weighted_atoms(n_classes)
        learned.evidence = Evidence("weighted", {}, {}, 0.0, 1.0)
    elif evidence == "auto" and n_classes > 1 and examples.symmetries is None:
        learned.weighted = no_weighted_atoms(n_classes)
        learned.evidence = Evidence("both", {}, {}, 0.5, 0.5)
    return learned


def plan_part(learned: Learned, examples: Examples, settings: Settings) -> Plan:
    """The plan of :func:`train_later`."""
    if _is_first(learned):
        part = _first_part(examples, 0, settings)
        return plan(InMemory(part), part, settings)
    return Plan(1, examples.n_classes * min(EPOCHS, settings.max_epochs or EPOCHS))


def train_later(
    learned: Learned,
    examples: Examples,
    earlier: Earlier,
    sample: tuple[Rows, Integers],
    seen: Integers,
    settings: Settings,
    hooks: Hooks,
    find_alternatives: FindAlternatives,
    seed: int,
) -> Learned:
    """Learn from one part more; ``sample`` has some rows of all parts, ``seen`` rows by class.

    Strict and weighted atoms go on side by side, and held-out rows choose between them anew; if
    there is one kind only, it stays so.
    """
    if _is_first(learned):
        return _train_first(learned, examples, seen, settings, hooks, find_alternatives, seed)
    most = settings.most_held(examples.n_classes)
    shown = examples
    if most is not None and most < len(examples):  # of very many rows and classes, only some
        shown = examples.some(np.arange(most))
    blocks, n = shown.blocks(), len(shown)
    forbidden = learned.rules.forbidden_in(blocks, n)
    ratios = np.where(forbidden, FORBIDDEN, learned.ratios(blocks, n))
    said = None
    if learned.weighted is not None:
        said = np.where(forbidden, -FORBIDDEN, learned.weighted.scores(blocks, n))
    unseen = _with_part(learned, ratios, said, shown, min(REMEMBERED, most or REMEMBERED))
    clock, rival = Clock(settings, examples.n_classes), np.inf
    if _has_strict(learned):
        calibration = _calibrated(unseen, seen)
        believed = np.arange(len(examples))
        if shown is examples:
            believed = _believed(unseen, calibration, ratios, examples.labels)
        now = replace(
            _learn_strict(learned, examples.some(believed), clock, hooks, seed),
            calibration=calibration,
            unseen=unseen,
            doubted=np.setdiff1d(np.arange(len(examples)), believed),
        )
        now.typical = _typical(now, *sample, most)
        if len(unseen):
            rival = unseen.error_and_loss(calibration)[1]
    else:
        none = np.zeros(0, dtype=np.int64)
        now = replace(learned, unseen=unseen, rounds=[], doubted=none)
    if learned.weighted is not None:
        # Beside strict atoms they go on from what they say alone, as they do if they have no say.
        factor = 1.0 if _has_strict(learned) else learned.evidence.weighted or 1.0
        own = np.random.SeedSequence(seed, spawn_key=(1,))
        now.weighted = learn_weighted_batch(
            learned.weighted, factor, examples, earlier, find_alternatives, own, clock, rival
        )
        now.epochs = [max(epochs, 1) for epochs in now.epochs]
    now = _chosen(now)
    now.interrupted = clock.interrupted
    return now


def _is_first(learned: Learned) -> bool:
    """Is there nothing yet by which to choose between strict and weighted atoms?"""
    return learned.evidence.chosen == "both" and not learned.is_known


def _first_part(examples: Examples, seed: int, settings: Settings) -> Part:
    dealing = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    n_folds = folds_for(len(examples) * len(examples.variants))
    return Part.of(examples, n_folds, dealing, settings.most_held(examples.n_classes))


def _train_first(
    nothing: Learned,
    examples: Examples,
    seen: Integers,
    settings: Settings,
    hooks: Hooks,
    find_alternatives: FindAlternatives,
    seed: int,
) -> Learned:
    """Nothing was said of the first part beforehand: its folds choose, as for a whole table."""
    part = _first_part(examples, seed, settings)
    goes_on = len(examples) < REMEMBERED
    parts = InMemory(part.with_rules(), settings.n_jobs)
    settings = replace(settings, goes_on=goes_on)
    learned = train(parts, part, seed, settings, hooks, find_alternatives=find_alternatives)
    unseen = learned.unseen.thinned(REMEMBERED)
    learned = replace(learned, calibration=_calibrated(unseen, seen), unseen=unseen, held_out=[])
    if goes_on and learned.weighted is None:  # too few rows to find any
        return replace(learned, weighted=nothing.weighted, evidence=nothing.evidence)
    return learned


def _learn_strict(
    learned: Learned, examples: Examples, clock: Clock, hooks: Hooks, seed: int
) -> Learned:
    """Drop the atoms that the part contradicts, and add new ones."""
    part = Part.of(examples, 0, np.random.default_rng(0)).with_rules()
    parts = InMemory(part, clock.settings.n_jobs)
    pools = [pool.copy() for pool in learned.pools]
    drop_refuted(parts, pools, seed)
    state = State.nothing(1, examples.n_classes, examples.n_constants)
    state.pools = [pools]
    recipe = Recipe(first=len(examples), candidates=SMALL_CANDIDATES)
    exchange = Exchange(parts, seed, recipe, clock, hooks)
    epochs = min(EPOCHS, clock.settings.max_epochs or EPOCHS)
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
        pools=[pruned(pool, MOST_ATOMS, seed) for pool in state.pools[0]],
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
    misses = learned.misses(blocks_of(rows, learned.n_constants), len(labels))
    return typical_misses(misses, labels)


def _has_strict(learned: Learned) -> bool:
    """Are strict atoms still learned? If weighted ones alone decide, their place is taken."""
    return learned.evidence.strict > 0


def _chosen(learned: Learned) -> Learned:
    """Let held-out rows choose what decides; once there are enough, the rest is dropped."""
    unseen, weighted = learned.unseen, learned.weighted
    if weighted is None or not _has_strict(learned) or len(unseen) < FEWEST:
        learned = replace(learned, evidence=_measured(learned))
    else:
        strict = learned.calibration.scores(unseen.ratios)
        is_sure = len(unseen) >= REMEMBERED
        sizes = sizes_of(sum(map(len, learned.pools)), len(weighted), goes_on=not is_sure)
        found = weigh_evidence(
            strict, unseen.weighted, unseen.labels, unseen.weights, sizes, learned.prior
        )
        learned = replace(learned, evidence=found)
        if is_sure and found.chosen == "strict":
            learned = replace(learned, weighted=None, unseen=replace(unseen, weighted=None))
    learned.show_weighted()
    return learned


def _measured(learned: Learned) -> Evidence:
    """The evidence, with the loss and error of predictions made before learning."""
    evidence, unseen = learned.evidence, learned.unseen
    if len(unseen) == 0:
        return replace(evidence, losses={}, errors={})
    scores = replace(learned, prior=0.0).unseen_scores()
    loss, error = loss_and_error(scores, unseen.labels, unseen.weights, learned.prior)
    return replace(evidence, losses={evidence.chosen: loss}, errors={evidence.chosen: error})


def _with_part(
    learned: Learned, ratios: Floats, said: Floats | None, examples: Examples, most: int
) -> Unseen:
    """Predictions on the part before learning from it, appended to the earlier ones."""
    old = learned.unseen
    if not learned.is_known:
        return old
    new = examples.unseen(ratios, said)
    if new.weighted is not None and old.weighted is None:
        return new
    both = None
    if new.weighted is not None and old.weighted is not None:
        both = np.concatenate([old.weighted, new.weighted])[-most:]
    return Unseen(
        np.concatenate([old.ratios, new.ratios])[-most:],
        np.concatenate([old.labels, new.labels])[-most:],
        np.concatenate([old.weights, new.weights])[-most:],
        np.concatenate([old.shares, new.shares])[-most:],
        both,
    )


def _calibrated(unseen: Unseen, seen: Integers) -> Calibration:
    calibration = unseen.calibrate()
    behind = calibration.offset.min() - FAR
    return replace(calibration, offset=np.where(seen > 0, calibration.offset, behind))


def _believed(
    unseen: Unseen, calibration: Calibration, ratios: Floats, labels: Integers
) -> Integers:
    """Indices of all examples or, if labels are noisy, of those that are not very improbable."""
    if len(unseen) < ENOUGH or _doubted(calibration, unseen.ratios, unseen.labels).mean() <= NOISE:
        return np.arange(len(labels))
    return np.flatnonzero(~_doubted(calibration, ratios, labels))


def _doubted(calibration: Calibration, ratios: Floats, labels: Integers) -> Bits:
    return calibration.probabilities(ratios)[np.arange(len(labels)), labels] < DOUBT
