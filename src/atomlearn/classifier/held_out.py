"""How definitions do on rows that they were not made from.

Every atom of a class holds for all of its training rows, so a definition looks better on these than
on new ones. Where examples were held out while learning, in turn or for good, definitions are made
again from what was learned without them, and measured on them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from atomlearn.classifier.sample import TrainingSample, holders, subset
from atomlearn.logic.telling import (
    Measure,
    by_gain,
    by_net_gain,
    measure,
    without_idle,
    without_loss,
)
from atomlearn.sets import rows as packed
from atomlearn.sets.lists import Lists, take
from atomlearn.tables.columns import Bits
from atomlearn.training.examples import Examples, HeldOut
from atomlearn.training.learned import Learned

MOST_CLAUSES = 12
"""Definitions of one to so many clauses are measured."""
MOST_WEIGHED = 2000
"""Weighted atoms, the dearest first, that a definition is made of."""

Trim = Callable[[list[int]], list[int]]


class Trial(NamedTuple):
    """Atoms of each class, rows to choose among them by, and examples that had no part in it."""

    atoms: Sequence[Lists]
    sample: TrainingSample
    held: Examples
    strict: bool = True


def trials_of(held_out: Iterable[HeldOut], examples: Examples, strict: bool = True) -> list[Trial]:
    """The trials of what was learned from some of the examples at a time."""
    trials = []
    for one in held_out:
        rest = examples.some(np.setdiff1d(np.arange(len(examples)), one.examples))
        rows = rest.variants[0]
        sample = TrainingSample.empty(rows.shape[1], examples.n_classes)
        sample = sample.extended(rows, rest.labels)
        trials.append(Trial(one.atoms, sample, examples.some(one.examples), strict))
    return trials


def measure_definitions(trials: Sequence[Trial], n_classes: int) -> list[list[Measure]]:
    """For each class, definitions of one clause, of two, ... measured on all trials together."""
    if not trials:
        return []
    # As when errors are estimated: an example counts by its weight, with all labels that it had.
    labelled = [trial.held.unseen(np.zeros((len(trial.held), 0))) for trial in trials]
    labels = np.concatenate([one.labels for one in labelled])
    weights = np.concatenate([one.weights for one in labelled])
    found = []
    for k in range(n_classes):
        truths = [_truths(trial, k) for trial in trials]
        is_true = np.concatenate(truths, axis=1)
        found.append([measure(line, labels == k, weights) for line in is_true])
    return found


def classifier_errors(learned: Learned) -> list[float] | None:
    """For each class, the share of held-out examples of which the classifier wrongly says that
    they are of it, or are not."""
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
    """The atoms of a definition in the order they are chosen, idle ones included; also what leaves
    the idle ones out of the first so many.

    Atoms that are not ``strict`` leave out rows of the class as well, which counts against them.
    """
    missed = ~holders(atoms, sample.columns())
    if strict:
        others = subset(sample.labels != k)
        missed &= others
        chosen = by_gain(missed, np.diff(atoms.starts), others, max_clauses)
        return chosen, lambda some: without_idle(some, missed, others)
    left_out = packed.unpack(missed[:MOST_WEIGHED], len(sample.labels))
    gain = np.where(sample.labels == k, -1.0, 1.0) * sample.weights()
    chosen = by_net_gain(left_out, gain, max_clauses)
    return chosen, lambda some: without_loss(some, left_out, gain)


def _truths(trial: Trial, k: int) -> Bits:
    """Is the definition of one clause, of two, ... true of each held-out example and label?"""
    atoms, held = trial.atoms[k], trial.held
    chosen, trim = chosen_atoms(atoms, k, trial.sample, MOST_CLAUSES, trial.strict)
    which = np.concatenate([np.arange(len(held)), held.dissent.examples])
    truths = np.ones((MOST_CLAUSES, len(which)), dtype=np.bool_)
    if not chosen or not len(held):
        return truths
    empty = TrainingSample.empty(held.variants.shape[2], held.n_classes)
    columns = TrainingSample(held.variants[0], held.labels, empty.totals).columns()
    has = packed.unpack(holders(take(atoms, np.array(chosen)), columns), len(held))
    place = {atom: i for i, atom in enumerate(chosen)}
    for size in range(1, MOST_CLAUSES + 1):
        kept = [place[atom] for atom in trim(chosen[:size])]
        truths[size - 1] = np.logical_and.reduce(has[kept], axis=0)[which]
    return truths
