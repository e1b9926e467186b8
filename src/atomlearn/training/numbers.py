"""Training of a number: weighted atoms of one score, and how sure the model is of each row.

The folds are those of the classifier: they choose the recipe and the number of rounds, and their
held-out rows measure the error. A second, smaller model of the same kind learns the size of the
held-out errors, so that intervals are wider where the model is less sure. It has the logarithm of
the mean error as its score, and is learned without each fold as well.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from atomlearn import interrupts
from atomlearn.engine.misses import Blocks
from atomlearn.sets.rows import pack, unpack
from atomlearn.training.boosting.ensemble import (
    BoostedFolds,
    EarlierRows,
    WeightedAtoms,
    boost_batch,
    boost_folds,
    no_weighted_atoms,
)
from atomlearn.training.boosting.losses import (
    LOSSES,
    POISSON,
    QUANTILE,
    Loss,
    Scale,
    scale_of,
    start_of,
)
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.data import NEVER, Examples, HardRules
from atomlearn.training.learned import FoldModels, Learned
from atomlearn.training.parts import Part
from atomlearn.training.scores import Evidence
from atomlearn.training.settings import Clock, Hooks, Plan, Round, Settings
from atomlearn.typing import Floats

SPREAD_ROUNDS, SPREAD_ROWS = 60, 20_000
"""Maximum number of rounds and of rows for the model of the size of errors."""
SMALLEST_SPREAD = 0.1
"""Smallest expected error of a row, as a share of the mean error."""
REMEMBERED = 20_000
"""Number of most recent held-out predictions that are kept."""
MOST_LOG = 700.0
"""Logarithms are cut off here, so that what they are of is finite and not zero."""
_GRID = 2.0**40

FindSplits = Callable[..., Splits]


class HeldOutNumbers(NamedTuple):
    """Predictions on held-out rows, as they obey the rules."""

    targets: Floats
    predictions: Floats
    spread: Floats
    """The expected size of the error of each row, by what was learned without the row."""
    weights: Floats

    @classmethod
    def none(cls) -> "HeldOutNumbers":
        """Return predictions on no rows."""
        return cls(*(np.zeros(0) for _ in cls._fields))

    def extended(self, new: "HeldOutNumbers", most: int = REMEMBERED) -> "HeldOutNumbers":
        """Return these predictions and new ones, the most recent ``most`` of them."""
        pairs = zip(self, new, strict=True)
        return HeldOutNumbers(*(np.concatenate(pair)[-most:] for pair in pairs))

    def as_ratios(self) -> "HeldOutNumbers":
        """Return errors as multiples of what is expected, in ascending order, and no row.

        >>> ones = np.ones(2)
        >>> HeldOutNumbers(ones * 5, np.array([1.0, 3.0]), 2 * ones, ones).as_ratios().targets
        array([1., 2.])
        """
        errors = (self.targets - self.predictions) / self.spread
        order = np.argsort(errors, kind="stable")
        zeros, ones = np.zeros(len(order)), np.ones(len(order))
        return HeldOutNumbers(errors[order], zeros, ones, self.weights[order])

    def quantiles(self, coverage: float) -> tuple[float, float]:
        """Return the range of errors, as multiples of what is expected, with this coverage.

        A new row is as likely as any held-out row to have the largest error, so one more row is
        counted, whose error is unbounded (split conformal prediction).
        """
        if not len(self.targets):
            return -np.inf, np.inf
        errors = (self.targets - self.predictions) / self.spread
        order = np.argsort(errors, kind="stable")
        errors, share = errors[order], self.weights[order] / self.weights.mean()
        n, left = share.sum() + 1.0, (1.0 - coverage) / 2.0
        reached = np.cumsum(share)
        high = np.searchsorted(reached, n * (1.0 - left) * (1.0 - 1e-12))
        low = np.searchsorted(np.cumsum(share[::-1]), n * (1.0 - left) * (1.0 - 1e-12))
        most = len(errors)
        return (
            -np.inf if low >= most else float(errors[most - 1 - low]),
            np.inf if high >= most else float(errors[high]),
        )


@dataclass(frozen=True)
class NumberModel:
    """All that is known of a number beside its weighted atoms, which are in :class:`Learned`."""

    name: str
    """Name of the loss."""
    loss: Loss
    scale: Scale
    spread: WeightedAtoms
    """Weighted atoms whose score is the logarithm of the expected size of the error."""
    smallest: float = 0.0
    """Smallest expected size of an error."""
    held_out: HeldOutNumbers = field(default_factory=HeldOutNumbers.none)
    card_held_out: HeldOutNumbers | None = None
    """Predictions of the cards of the folds, if a compact model decides and is measured."""
    losses: tuple[float, ...] = ()
    """Mean held-out loss after each round, on the scale of the loss."""

    @classmethod
    def of(cls, name: str, quantile: float, scale: Scale) -> "NumberModel":
        """Return the model before anything is learned."""
        loss = LOSSES[name]
        loss = loss._replace(quantile=quantile) if name == "quantile" else loss
        return cls(name, loss, scale, no_weighted_atoms(1))

    @property
    def judged(self) -> HeldOutNumbers:
        """The predictions on held-out rows of what decides."""
        return self.held_out if self.card_held_out is None else self.card_held_out

    @property
    def is_log(self) -> bool:
        """Whether the score is the logarithm of the prediction."""
        return self.loss.kind == POISSON

    def predictions(
        self, scores: Floats, rules: HardRules, low: Floats | None, high: Floats | None
    ) -> Floats:
        """Return what scores predict, within the bounds that rules give.

        Scores of logarithms are rounded to a grid that is much coarser than the error of ``exp``,
        so that predictions rise exactly where scores do.
        """
        if self.is_log:
            if rules.signs is not None:
                scores = np.rint(scores * _GRID) / _GRID
            scores = exponential(scores)
        return scores if low is None or high is None else np.clip(scores, low, high)

    def shift(self, scores: Floats, targets: Floats, weights: Floats) -> float:
        """Return what is best added to all scores alike."""
        if self.is_log:
            means = exponential(scores)
            return start_of(self.loss, targets, weights) - float(
                np.log(np.average(means, weights=weights))
            )
        return start_of(self.loss, targets - scores, weights)

    def expected(self, blocks: Blocks, n: int) -> Floats:
        """Return the expected size of the error of transposed rows."""
        return np.maximum(exponential(self.spread.scores(blocks, n)[:, 0]), self.smallest)


def exponential(logs: Any) -> Any:
    """Return what logarithms are of, which is finite.

    >>> bool(0 < exponential(-1e9) < exponential(1e9) < np.inf)
    True
    """
    return np.exp(np.clip(logs, -MOST_LOG, MOST_LOG))


def in_units(atoms: WeightedAtoms, loss: Loss, scale: Scale) -> WeightedAtoms:
    """Return atoms whose weights are in units of the target, or in those of its logarithm."""
    if loss.kind == POISSON:
        return replace(atoms, offset=atoms.offset + np.log(scale.unit))
    found = atoms.scaled(scale.unit)
    return replace(found, offset=found.offset + scale.center)


def plan_numbers(settings: Settings, n_folds: int) -> Plan:
    """Return upper bounds for what progress shows."""
    rounds = settings.max_epochs or 200
    return Plan(1, rounds * (n_folds + 1))


def train_numbers(
    part: Part,
    model: NumberModel,
    seed: int,
    settings: Settings,
    hooks: Hooks,
    find_splits: FindSplits,
) -> tuple[Learned, NumberModel]:
    """Learn a number from examples in folds; their targets are on the scale of the loss."""
    examples, dealt = part.examples, part.dealt
    clock = watched(settings, hooks, dealt.n_folds)
    assert examples.targets is not None
    learned = nothing_known(examples)
    start = np.array([start_of(model.loss, examples.targets, examples.weights)])
    constant = replace(no_weighted_atoms(1), offset=start)
    splits = find_splits(*part.shown())
    held = dealt.fold != NEVER
    is_constant = (examples.targets == examples.targets[0]).all()
    if not splits.n_columns or not held.any() or is_constant:
        return with_atoms(learned, in_units(constant, model.loss, model.scale)), model
    seeds = np.random.SeedSequence(seed, spawn_key=(1,)).spawn(2)
    found = boost_folds(examples, splits, dealt, seeds[0], clock)
    if clock.interrupted and not len(found.atoms):
        raise interrupts.interruption()
    if model.loss.kind == QUANTILE:
        found = _calibrated(found, part, model.loss)
    model = replace(model, losses=tuple(found.losses))
    model = _with_spread(model, examples, part, found, splits, seeds[1], clock)
    parts = [in_units(one.scaled(dealt.n_folds), model.loss, model.scale) for one in found.parts]
    atoms = in_units(found.atoms, model.loss, model.scale)
    learned = with_atoms(learned, atoms, found.loss, clock.interrupted)
    # What was learned without a single fold is known by the rows that are in none.
    where = np.arange(len(dealt)) if dealt.n_folds == 1 else np.flatnonzero(held)
    folds = FoldModels(
        [with_atoms(learned, one) for one in parts],
        [],
        dealt.example[where],
        dealt.label[where],
        dealt.weight[where],
        dealt.fold[where],
    )
    learned = replace(learned, fold_models=folds)
    done = Round(len(found.losses) - 1, clock.seconds, None, found.loss, [[]])
    if not clock.interrupted:
        hooks.on_round(done, lambda: learned)
    return replace(learned, rounds=[done]), model


def _calibrated(found: BoostedFolds, part: Part, loss: Loss) -> BoostedFolds:
    """Shift all scores so that the quantile is right on held-out rows.

    Leaves get the quantile of the rows that they were grown on, which lies too near to the middle.
    """
    assert part.examples.targets is not None
    rows, weights = part.dealt.example[found.held], part.dealt.weight[found.held]
    shift = start_of(loss, part.examples.targets[rows] - found.scores[:, 0], weights)

    def moved(atoms: WeightedAtoms, amount: float) -> WeightedAtoms:
        return replace(atoms, offset=atoms.offset + amount)

    return replace(
        found,
        atoms=moved(found.atoms, shift),
        scores=found.scores + shift,
        parts=[moved(one, shift / len(found.parts)) for one in found.parts],
    )


def watched(settings: Settings, hooks: Hooks, n_pools: int) -> Clock:
    """Return a clock that shows progress: it is asked once for each round of each fold."""
    clock = Clock(settings, n_pools)

    def on_check() -> None:
        hooks.on_check()
        hooks.on_epoch()

    clock.on_check = on_check
    return clock


def nothing_known(examples: Examples) -> Learned:
    """Return the model of a number before anything is learned."""
    return replace(Learned.nothing(examples.n_constants, 1), rules=examples.rules)


def with_atoms(
    learned: Learned, atoms: WeightedAtoms, loss: float | None = None, interrupted: bool = False
) -> Learned:
    """Return a model that these weighted atoms decide."""
    losses = {} if loss is None else {"weighted": loss}
    evidence = Evidence("weighted", losses, {}, 0.0, 1.0)
    return replace(learned, epochs=[1], weighted=atoms, evidence=evidence, interrupted=interrupted)


def _with_spread(
    model: NumberModel,
    examples: Examples,
    part: Part,
    found: BoostedFolds,
    splits: Splits,
    seed: np.random.SeedSequence,
    clock: Clock,
) -> NumberModel:
    """Return the model with held-out predictions, and what the size of their errors depends on."""
    dealt = part.dealt
    assert examples.targets is not None
    rows, weights = dealt.example[found.held], dealt.weight[found.held]
    scale, unit = model.scale, model.scale.unit
    targets = examples.targets[rows] * unit + scale.center
    scores = found.scores[:, 0] * unit + scale.center
    if model.is_log:
        scores = found.scores[:, 0] + np.log(unit)
    low, high = examples.rules.bounds_of(examples.variants[0][rows])
    predictions = model.predictions(scores, examples.rules, low, high)
    errors = np.abs(targets - predictions)
    mean = float(np.average(errors, weights=weights))
    held = HeldOutNumbers(targets, predictions, np.full(len(rows), max(mean, 1e-300)), weights)
    nothing = replace(no_weighted_atoms(1), offset=np.array([np.log(max(mean, 1e-300))]))
    model = replace(model, spread=nothing, smallest=SMALLEST_SPREAD * mean, held_out=held)
    if mean <= 1e-300 or clock.over():
        return model
    step = 1 + len(rows) // SPREAD_ROWS
    some = np.arange(0, len(rows), step)
    own = scale_of(Loss(POISSON), errors, weights)
    # Each held-out row is an example; images under symmetries are not.
    asked = replace(
        examples,
        variants=examples.variants[:1, rows[some]],
        labels=np.zeros(len(some), dtype=np.int64),
        weights=weights[some],
        copies=np.ones(len(some)),
        numbers=None,
        targets=own.to_scale(errors)[some],
        loss=Loss(POISSON),
        rules=HardRules((), 1),
    )
    fold = dealt.fold[found.held][some]
    zeros = np.zeros(len(some), dtype=np.int64)
    there = type(dealt)(dealt.n_folds, np.arange(len(some)), zeros, weights[some], fold)
    few = Clock(replace(clock.settings, max_epochs=SPREAD_ROUNDS))
    few.on_check, few.end = clock.on_check, clock.end
    has = unpack(splits.has, splits.has.shape[1] * 64)
    wanted = splits._replace(has=pack(np.ascontiguousarray(has[:, found.held[some]])))
    spread = boost_folds(asked, wanted, there, seed, few)
    clock.interrupted = clock.interrupted or few.interrupted
    whole = np.full(len(rows), np.log(own.unit) + float(spread.atoms.offset[0]))
    logs = np.full(len(rows), np.nan)
    logs[some[spread.held]] = spread.scores[:, 0] + np.log(own.unit)
    logs = np.where(np.isnan(logs), whole, logs)
    expected = np.maximum(exponential(logs), model.smallest)
    held = HeldOutNumbers(targets, predictions, expected, weights)
    if step > 1:  # the others were learned from
        held = HeldOutNumbers(*(one[some] for one in held))
    atoms = in_units(spread.atoms, Loss(POISSON), own)
    return replace(model, spread=atoms, held_out=held)


def train_number_batch(
    learned: Learned,
    model: NumberModel,
    examples: Examples,
    earlier: EarlierRows,
    seed: int,
    settings: Settings,
    hooks: Hooks,
    find_splits: FindSplits,
) -> tuple[Learned, NumberModel]:
    """Learn from one more batch, whose predictions are kept as held-out ones before."""
    assert examples.targets is not None and learned.weighted is not None
    clock, scale = watched(settings, hooks, 1), model.scale
    blocks, n = examples.blocks(), len(examples)
    low, high = examples.rules.bounds_of(examples.variants[0])
    scores = learned.deciding().scores(blocks, n)[:, 0]
    predictions = model.predictions(scores, examples.rules, low, high)
    targets = examples.targets * scale.unit + scale.center
    new = HeldOutNumbers(targets, predictions, model.expected(blocks, n), examples.weights)
    model = replace(model, held_out=model.held_out.extended(new))
    known = learned.weighted
    if model.is_log:
        known = replace(known, offset=known.offset - np.log(scale.unit))
    else:
        known = replace(known, offset=known.offset - scale.center).scaled(1.0 / scale.unit)
    seeds = np.random.SeedSequence(seed, spawn_key=(1,))
    atoms = boost_batch(known, 1.0, examples, earlier, find_splits, seeds, clock)
    atoms = in_units(atoms, model.loss, scale)
    done = Round(0, clock.seconds, None, None, [[]])
    hooks.on_round(done, lambda: learned)
    found = with_atoms(learned, atoms, interrupted=clock.interrupted)
    return replace(found, rounds=[done], fold_models=None), model
