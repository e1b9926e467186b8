"""A bounded sample of the training rows, and the measures of definitions on held-out rows.

Every strict atom of a class holds for all of its training rows, so a definition looks better on
these than on new rows. Definitions are therefore made again from what was learned without some
rows, and measured on those.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from atomlearn.engine.misses import blocks_of, containing
from atomlearn.errors import RowsNotKept
from atomlearn.logic.comparison import (
    Measure,
    by_gain,
    by_net_gain,
    measure,
    without_idle,
    without_loss,
)
from atomlearn.sets import rows as packed
from atomlearn.sets.memory import rows_at
from atomlearn.sets.rows import Lists, Rows, pack_row, take
from atomlearn.sets.words import transpose
from atomlearn.training.boosting.ensemble import EarlierRows
from atomlearn.training.data import Examples, FoldAtoms, by_label, row_keys
from atomlearn.training.learned import Learned
from atomlearn.training.settings import Clock
from atomlearn.typing import Bits, Floats, Integers

LARGEST = 2000
"""Maximum number of rows that are kept in total."""
FEWEST = 20
"""Minimum number of rows that are kept for each class."""


@dataclass(frozen=True, repr=False)
class TrainingSample:
    """Distinct training rows: for each class those with the smallest hash keys.

    A key depends on the row alone. So the sample is uniform, does not depend on the order of the
    rows, and can be extended at any time.
    """

    rows: Rows
    labels: Integers
    totals: Integers
    """Number of rows of each class that were seen."""
    numbers: Integers
    """The number of each row in the table as given, in all batches together; -1 if unknown."""
    chances: Floats
    """The probability of its label when the row was held out; ``nan`` if it never was."""
    targets: Floats | None = None
    """The number to predict of each row, on the scale of the loss; then there is one class."""

    def __repr__(self) -> str:
        return f"<TrainingSample: {len(self.rows):,} rows of {len(self.totals):,} classes>"

    @classmethod
    def empty(cls, width: int, n_classes: int) -> "TrainingSample":
        """Return an empty sample."""
        none = np.zeros(0, dtype=np.int64)
        rows, totals = np.zeros((0, width), np.uint64), np.zeros(n_classes, np.int64)
        return cls(rows, none, totals, none, none.astype(np.float64))

    @property
    def is_withheld(self) -> bool:
        """Whether the model was saved without the rows that it was learned from."""
        return len(self.rows) == 0 and int(self.totals.sum()) > 0

    def need(self, what: str) -> None:
        """Raise an error if the rows are needed and are not there."""
        if self.is_withheld:
            raise RowsNotKept(
                f"{what} needs training rows, and this model was saved without them (rows=False): "
                "use the model as it was fitted, or save it with rows"
            )

    def without_rows(self) -> "TrainingSample":
        """Return the sample with the number of rows of each class only."""
        empty = TrainingSample.empty(self.rows.shape[1], len(self.totals))
        return replace(empty, totals=self.totals)

    def extended(
        self,
        rows: Rows,
        labels: Integers,
        numbers: Integers | None = None,
        chances: Floats | None = None,
        targets: Floats | None = None,
    ) -> "TrainingSample":
        """Return the sample with more rows; of equal rows the newer one counts.

        Rows with different numbers to predict are not equal.
        """
        n_classes, n = len(self.totals), len(labels)
        totals = self.totals + np.bincount(labels, minlength=n_classes)
        quota = max(FEWEST, LARGEST // n_classes)
        numbers = np.full(n, -1) if numbers is None else numbers
        chances = np.full(n, np.nan) if chances is None else chances
        rows = np.concatenate([rows, self.rows]) if len(self.rows) else rows
        labels = np.concatenate([labels, self.labels])
        keys = row_keys(rows, np.random.default_rng(0))
        if targets is not None:
            known = np.zeros(0) if self.targets is None else self.targets
            targets = np.concatenate([targets, known])
            pairs = np.stack([keys, (targets + 0.0).view(np.uint64)], axis=1)
            keys = row_keys(pairs, np.random.default_rng(1))
        _, order = np.unique(keys, return_index=True)  # ascending, the newer of equal ones
        which = np.concatenate([order[ours[:quota]] for ours in by_label(labels[order], n_classes)])
        return TrainingSample(
            rows[which],
            labels[which],
            totals,
            np.concatenate([numbers, self.numbers])[which],
            np.concatenate([chances, self.chances])[which],
            None if targets is None else targets[which],
        )

    def weights(self) -> Floats:
        """Return row weights by which a class counts by its rows seen, not by those sampled."""
        drawn = np.bincount(self.labels, minlength=len(self.totals))
        weights: Floats = (self.totals / np.maximum(drawn, 1))[self.labels]
        return weights

    def earlier(self) -> EarlierRows:
        """Return the sample in the form of the rows that came before a batch."""
        weights = self.weights()
        mean = weights.mean() if len(weights) else 1.0
        n_seen = int(self.totals.sum())
        return EarlierRows(self.rows, self.labels, weights / mean, n_seen, self.targets)

    def columns(self) -> Rows:
        """Return for each constant the packed set of the rows that have it."""
        return self._columns

    def share_missing(self, atoms: Lists, weights: Floats) -> Floats:
        """Return the weighted share of the rows that miss each atom; a class has one weight."""
        missing = ~containing(atoms, self.columns())
        share = np.zeros(len(missing))
        for k in range(len(self.totals)):
            ours = self.labels == k
            if ours.any():
                share += weights[ours][0] * packed.count(missing & pack_row(ours))
        return share / max(float(weights.sum()), 1e-300)

    def own_chances(self, learned: Learned) -> tuple[Floats, Bits]:
        """Return the probability of the label of each row, and which rows were held out for it."""
        blocks = blocks_of(self.rows, learned.n_constants)
        now = learned.probabilities(blocks, len(self.rows))[np.arange(len(self.rows)), self.labels]
        was_held_out = ~np.isnan(self.chances)
        if learned.card is not None:  # the chances are those of the full model
            was_held_out = np.zeros_like(was_held_out)
        return np.where(was_held_out, self.chances, now), was_held_out

    @cached_property
    def _columns(self) -> Rows:
        return transpose(self.rows, self.rows.shape[1] * 64)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_columns"}


MOST_CLAUSES = 12
"""Maximum number of clauses of the definitions that are measured."""
MOST_WEIGHED = 2000
"""Maximum number of weighted atoms, those with the highest cost, that a definition is chosen from.
"""

Trim = Callable[[list[int]], list[int]]


class Trial(NamedTuple):
    """Atoms of each class, the rows by which clauses are chosen, and the held-out examples."""

    atoms: Sequence[Lists]
    sample: TrainingSample
    held: Examples
    strict: bool = True


def trials_of(
    held_out: Sequence[FoldAtoms], examples: Examples, strict: bool = True
) -> list[Trial]:
    """Return one trial for each model that was learned without some of the examples.

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
        rest = np.setdiff1d(np.arange(len(examples)), one.examples)
        rows = rows_at(examples.variants[0], rest)
        sample = TrainingSample.empty(rows.shape[1], examples.n_classes)
        sample = sample.extended(rows, examples.labels[rest])
        trials.append(Trial(one.atoms, sample, shared.some(one.examples), strict))
    return trials


def measure_definitions(
    trials: Sequence[Trial], n_classes: int, clock: Clock | None = None
) -> list[list[Measure]]:
    """Measure the definitions of each class with one clause, two clauses, and more over all trials.

    A class has no measures if there was no time for it.
    """
    if not trials:
        return []
    # As when errors are estimated: an example counts by its weight, with all labels that it had.
    labelled = [trial.held.held_out(np.zeros((len(trial.held), 0))) for trial in trials]
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
    """Return for each class the share of held-out examples that the classifier gets wrong.

    An example is wrong if it is wrongly included in the class or wrongly excluded.
    """
    held_out = learned.judged()
    if len(held_out) == 0:
        return None
    predicted = learned.chosen(learned.held_out_scores())
    share = held_out.weights / held_out.weights.sum()
    return [
        float(share[(predicted == k) != (held_out.labels == k)].sum())
        for k in range(learned.n_classes)
    ]


def chosen_atoms(
    atoms: Lists, k: int, sample: TrainingSample, max_clauses: int | None, strict: bool = True
) -> tuple[list[int], Trim]:
    """Choose the atoms of a definition, in order; also return a function that prunes them.

    The function drops redundant ones from the first ``n``. Weighted atoms (not ``strict``) also
    exclude rows of the class, which counts against them.
    """
    missed = ~containing(atoms, sample.columns())
    if strict:
        others = pack_row(sample.labels != k)
        missed &= others
        chosen = by_gain(missed, np.diff(atoms.starts), others, max_clauses)
        return chosen, lambda some: without_idle(some, missed, others)
    missed = missed[:MOST_WEIGHED] & pack_row(np.ones(len(sample.labels), dtype=np.bool_))
    gain = np.where(sample.labels == k, -1.0, 1.0) * sample.weights()
    chosen = by_net_gain(missed, gain, max_clauses)
    return chosen, lambda some: without_loss(some, missed, gain)


def _truths(trial: Trial, k: int, columns: Rows) -> Bits:
    """Evaluate definitions of one clause, two clauses, and more on each held-out example and label.

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
