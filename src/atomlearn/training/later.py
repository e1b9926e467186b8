"""Incremental training (``partial_fit``): one more part of the data, which arrives later.

A part is new when it comes, so that what is said of it beforehand measures the error and
calibrates; then its examples drop the atoms they contradict, and a few epochs add new ones.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from atomlearn.engine.concept import Recipe
from atomlearn.engine.misses import blocks_of, typical_misses
from atomlearn.sets.rows import Rows
from atomlearn.training.calibration import Calibration, Floats, Labels
from atomlearn.training.clock import Clock, Settings
from atomlearn.training.evidence import Evidence, loss_and_error
from atomlearn.training.examples import Examples, Unseen
from atomlearn.training.exchange import Exchange, State
from atomlearn.training.hooks import Hooks, Plan, Round
from atomlearn.training.learned import Learned
from atomlearn.training.loop import SMALL_CANDIDATES, FindAlternatives
from atomlearn.training.part import Part
from atomlearn.training.parts import InMemory
from atomlearn.training.rules import FORBIDDEN, HardRules
from atomlearn.training.strict import drop_refuted, pruned
from atomlearn.training.weighted_batch import learn_weighted_batch, no_weighted_atoms

EPOCHS = 20
"""Epochs of each class for a part."""
REMEMBERED = 5000
"""Number of most recent held-out examples that are used for the calibration."""
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


def nothing_learned(
    n_constants: int, n_classes: int, evidence: str = "auto", rules: HardRules | None = None
) -> Learned:
    """Before the first part. Unless weighted atoms are asked for, they are strict."""
    learned = Learned.nothing(n_constants, n_classes)
    learned.rules = learned.rules if rules is None else rules
    if evidence == "weighted":
        learned.weighted = no_weighted_atoms(n_classes)
        learned.evidence = Evidence("weighted", {}, {}, 0.0, 1.0)
    return learned


def plan_part(n_classes: int, settings: Settings) -> Plan:
    """The plan of :func:`train_later`."""
    return Plan(1, n_classes * min(EPOCHS, settings.max_epochs or EPOCHS))


def train_later(
    learned: Learned,
    examples: Examples,
    sample: tuple[Rows, Labels],
    seen: npt.NDArray[np.int64],
    settings: Settings,
    hooks: Hooks,
    find_alternatives: FindAlternatives,
    seed: int,
) -> Learned:
    """Learn from one part more; ``sample`` has some rows of all parts, ``seen`` rows by class.

    Strict and weighted atoms go on as far as they decide; which of them do stays as it is.
    """
    blocks, n = examples.blocks(), len(examples)
    forbidden = learned.rules.forbidden_in(blocks, n)
    ratios = np.where(forbidden, FORBIDDEN, learned.ratios(blocks, n))
    said = None if learned.weighted is None else learned.weighted.scores(blocks, n)
    told = None if said is None else np.where(forbidden, -FORBIDDEN, said)
    unseen = _with_part(learned, ratios, told, examples)
    clock = Clock(settings)
    if learned.evidence.strict > 0:
        calibration = _calibrated(unseen, seen)
        believed = _believed(unseen, calibration, ratios, examples.labels)
        now = replace(
            _learn_strict(learned, examples.some(believed), clock, hooks, seed),
            calibration=calibration,
            unseen=unseen,
            doubted=np.setdiff1d(np.arange(n), believed),
        )
        now.typical = _typical(now, *sample)
    else:
        none = np.zeros(0, dtype=np.int64)
        now = replace(learned, unseen=unseen, rounds=[], doubted=none)
    if said is not None and learned.weighted is not None and learned.evidence.weighted > 0:
        factor = learned.evidence.weighted
        own = np.random.SeedSequence(seed, spawn_key=(1,))
        now.weighted = learn_weighted_batch(
            learned.weighted, factor, factor * said, examples, find_alternatives, own, clock
        )
        now.evidence = _measured(now)
        now.show_weighted()
        now.epochs = [max(epochs, 1) for epochs in now.epochs]
    now.interrupted = clock.interrupted
    return now


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
        raise KeyboardInterrupt
    for done in rounds:
        hooks.on_round(done, lambda: now)
    return now


def _typical(learned: Learned, rows: Rows, labels: Labels) -> Floats:
    misses = learned.misses(blocks_of(rows, learned.n_constants), len(labels))
    return typical_misses(misses, labels)


def _measured(learned: Learned) -> Evidence:
    """The evidence, with the loss and error of predictions made before learning."""
    evidence, unseen = learned.evidence, learned.unseen
    if len(unseen) == 0:
        return replace(evidence, losses={}, errors={})
    scores = replace(learned, prior=0.0).unseen_scores()
    loss, error = loss_and_error(scores, unseen.labels, unseen.weights)
    return replace(evidence, losses={evidence.chosen: loss}, errors={evidence.chosen: error})


def _with_part(learned: Learned, ratios: Floats, said: Floats | None, examples: Examples) -> Unseen:
    """Predictions on the part before learning from it, appended to the earlier ones."""
    old = learned.unseen
    if not any(map(len, learned.pools)):
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


def _calibrated(unseen: Unseen, seen: npt.NDArray[np.int64]) -> Calibration:
    calibration = unseen.calibrate()
    behind = calibration.offset.min() - FAR
    return replace(calibration, offset=np.where(seen > 0, calibration.offset, behind))


def _believed(
    unseen: Unseen, calibration: Calibration, ratios: Floats, labels: Labels
) -> npt.NDArray[np.int64]:
    """Indices of all examples or, if labels are noisy, of those that are not very improbable."""
    if len(unseen) < ENOUGH or _doubted(calibration, unseen.ratios, unseen.labels).mean() <= NOISE:
        return np.arange(len(labels))
    return np.flatnonzero(~_doubted(calibration, ratios, labels))


def _doubted(calibration: Calibration, ratios: Floats, labels: Labels) -> npt.NDArray[np.bool_]:
    return calibration.probabilities(ratios)[np.arange(len(labels)), labels] < DOUBT
