"""Measure definitions on held-out rows.

Every strict atom of a class holds for all of its training rows, so a definition looks better on
these than on new rows. Definitions are therefore made again from what was learned without some
rows, and measured on those.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from atomlearn.classifier.sample import TrainingSample, subset
from atomlearn.engine.misses import containing
from atomlearn.logic.telling import (
    Measure,
    by_gain,
    by_net_gain,
    measure,
    without_idle,
    without_loss,
)
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, Rows, take
from atomlearn.sets.words import transpose
from atomlearn.training.clock import Clock
from atomlearn.training.examples import Examples, HeldOut
from atomlearn.training.learned import Learned
from atomlearn.typing import Bits

MOST_CLAUSES = 12
"""Definitions of up to this many clauses are measured."""
MOST_WEIGHED = 2000
"""Weighted atoms with the highest cost that a definition is chosen from."""

Trim = Callable[[list[int]], list[int]]


class Trial(NamedTuple):
    """Atoms of each class, the rows by which clauses are chosen, and the held-out examples."""

    atoms: Sequence[Lists]
    sample: TrainingSample
    held: Examples
    strict: bool = True


def trials_of(held_out: Sequence[HeldOut], examples: Examples, strict: bool = True) -> list[Trial]:
    """One trial for each model that was learned without some of the examples.

    An example that is held out several times, because it recurs, has a part of its weight in each.
    """
    trials = []
    times = np.zeros(len(examples))
    for one in held_out:
        times[one.examples] += 1
    times = np.maximum(times, 1)
    dissent = examples.dissent
    shared = replace(
        examples,
        weights=examples.weights / times,
        dissent=dissent._replace(weights=dissent.weights / times[dissent.examples]),
    )
    for one in held_out:
        rest = examples.some(np.setdiff1d(np.arange(len(examples)), one.examples))
        rows = rest.variants[0]
        sample = TrainingSample.empty(rows.shape[1], examples.n_classes)
        sample = sample.extended(rows, rest.labels)
        trials.append(Trial(one.atoms, sample, shared.some(one.examples), strict))
    return trials


def measure_definitions(
    trials: Sequence[Trial], n_classes: int, clock: Clock | None = None
) -> list[list[Measure]]:
    """For each class, the measures of definitions of one clause, of two, ... over all trials.

    A class has none if there was no time for it.
    """
    if not trials:
        return []
    # As when errors are estimated: an example counts by its weight, with all labels that it had.
    labelled = [trial.held.unseen(np.zeros((len(trial.held), 0))) for trial in trials]
    labels = np.concatenate([one.labels for one in labelled])
    weights = np.concatenate([one.weights for one in labelled])
    held = [trial.held.variants[0] for trial in trials]
    columns = [transpose(rows, rows.shape[1] * 64) for rows in held]
    found: list[list[Measure]] = []
    for k in range(n_classes):
        if clock is not None and clock.late():
            found.append([])
            continue
        each = [_truths(trial, k, having) for trial, having in zip(trials, columns, strict=True)]
        truths = np.concatenate(each, axis=1)
        ours: list[Measure] = []
        for size, line in enumerate(truths):  # most definitions have no more than a few clauses
            same = size > 0 and np.array_equal(line, truths[size - 1])
            ours.append(ours[-1] if same else measure(line, labels == k, weights))
        found.append(ours)
    return found


def classifier_errors(learned: Learned) -> list[float] | None:
    """For each class, the share of held-out examples that the classifier wrongly includes or
    excludes."""
    unseen = learned.unseen
    if len(unseen) == 0:
        return None
    said = learned.unseen_scores().argmax(axis=1)
    share = unseen.weights / unseen.weights.sum()
    return [
        float(share[(said == k) != (unseen.labels == k)].sum()) for k in range(len(learned.pools))
    ]


def chosen_atoms(
    atoms: Lists, k: int, sample: TrainingSample, max_clauses: int | None, strict: bool = True
) -> tuple[list[int], Trim]:
    """The atoms of a definition in the order they are chosen, and a function that drops redundant
    ones from the first ``n``.

    Weighted atoms (not ``strict``) also exclude rows of the class, which counts against them.
    """
    missed = ~containing(atoms, sample.columns())
    if strict:
        others = subset(sample.labels != k)
        missed &= others
        chosen = by_gain(missed, np.diff(atoms.starts), others, max_clauses)
        return chosen, lambda some: without_idle(some, missed, others)
    missed = missed[:MOST_WEIGHED] & subset(np.ones(len(sample.labels), dtype=np.bool_))
    gain = np.where(sample.labels == k, -1.0, 1.0) * sample.weights()
    chosen = by_net_gain(missed, gain, max_clauses)
    return chosen, lambda some: without_loss(some, missed, gain)


def _truths(trial: Trial, k: int, columns: Rows) -> Bits:
    """Evaluate the definitions of one clause, of two, ... on each held-out example and label.

    ``columns`` are the held-out examples, transposed.
    """
    atoms, held = trial.atoms[k], trial.held
    chosen, trim = chosen_atoms(atoms, k, trial.sample, MOST_CLAUSES, trial.strict)
    which = np.concatenate([np.arange(len(held)), held.dissent.examples])
    truths = np.ones((MOST_CLAUSES, len(which)), dtype=np.bool_)
    if not chosen or not len(held):
        return truths
    has = packed.unpack(containing(take(atoms, np.array(chosen)), columns), len(held))
    place = {atom: i for i, atom in enumerate(chosen)}
    for size in range(1, MOST_CLAUSES + 1):
        if size > len(chosen):
            truths[size - 1] = truths[size - 2]
            continue
        kept = [place[atom] for atom in trim(chosen[:size])]
        is_true = np.logical_and.reduce(has[kept], axis=0)
        truths[size - 1] = held.rules.decide(held.variants[0], is_true, k)[which]
    return truths
