"""Weighted atoms, and the boosting that finds them on folds or on one more batch.

Missing a weighted atom adds its weight to the score of a class. Boosting runs without each fold in
turn, all folds round by round together: their rows decide how many rounds are best. Then rounds are
run with all rows, more of them in proportion to the rows, and only these atoms are kept.

For one more batch, rounds continue from the scores that the known atoms give the rows of the batch,
and those of a sample of earlier rows, so that what is new is distinguished from noise in this
batch. A part of the batch is held out and decides when to stop; if no round helps, no atom is
added.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs

from atomlearn.engine.misses import BLOCK, Blocks, blocks_of
from atomlearn.engine.pool import hash_lists
from atomlearn.sets.jit import kernel
from atomlearn.sets.memory import give_back
from atomlearn.sets.rows import SETS_AT_ONCE, Lists, Rows, append, lists_of, no_lists, take, united
from atomlearn.sets.words import FULL, ONE, ZERO, lowest, tail
from atomlearn.training.boosting.losses import ORDERED
from atomlearn.training.boosting.recipe import (
    FEWEST_ROWS,
    BoostingRecipe,
    detailed_recipes,
    recipe_for,
)
from atomlearn.training.boosting.rounds import AT_ONCE, Booster, Trees
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.data import EVERY, Examples, FoldAssignment, by_label, groups_of
from atomlearn.training.scores import has_lost
from atomlearn.training.settings import Clock, run_rounds
from atomlearn.typing import Floats, Integers


@dataclass
class WeightedAtoms:
    """Atoms, the class of each, and the weight that missing it adds to the score of the class."""

    atoms: Lists
    classes: Integers
    weights: Floats
    offset: Floats
    """Score of each class for a row that misses none."""

    @classmethod
    def of(cls, booster: Booster, n_rounds: int, part: float = 1.0) -> "WeightedAtoms":
        """Return the leaves of the first rounds as atoms, with weights multiplied by ``part``.

        The atom of a leaf consists of the sides of the splits not taken.
        """
        rounds, none = booster.rounds[:n_rounds], np.zeros(0, dtype=np.int64)
        sides = booster.splits.sides
        sizes, starts = np.diff(sides.starts), [np.zeros(1, dtype=np.int64)]
        # A few at a time, which takes less memory.
        groups = [rounds[i : i + AT_ONCE] for i in range(0, len(rounds), AT_ONCE)]
        paths = (Trees.joined(some).path for some in groups)
        most = sum(int(sizes[path[path >= 0] ^ 1].sum()) for path in paths)
        constants, end = np.empty(most, dtype=np.int32), 0
        for some in groups:
            trees = Trees.joined(some)
            path, depths = trees.path, trees.depth
            missed = take(sides, path[path >= 0] ^ 1)  # the other side
            atom = np.repeat(np.repeat(np.arange(len(depths)), depths), np.diff(missed.starts))
            atoms = united(atom, missed.constants, len(depths))
            starts.append(end + atoms.starts[1:])
            constants[end : end + len(atoms.constants)] = atoms.constants
            end += len(atoms.constants)
        joint = Lists(np.concatenate(starts), constants[:end])
        classes = np.concatenate([none, *(found.column for found in rounds)])
        weights = part * np.concatenate([np.zeros(0), *(found.weight for found in rounds)])
        if booster.n_classes == 2:  # in favour of the second class is against the first
            classes = (weights < 0).astype(np.int64)
            weights = -np.abs(weights)
        found = cls(joint, classes, weights, part * booster.offset)
        if booster.loss.kind == ORDERED:
            found = found._of_thresholds()
        if not booster.priors:
            return found
        given = [prior.atom for prior, _ in booster.priors]
        signed = np.array([weight for _, weight in booster.priors])
        classes = np.array([prior.k for prior, _ in booster.priors])
        if booster.n_classes == 2:
            classes, signed = np.where(signed > 0, 1 - classes, classes), -np.abs(signed)
        nothing = np.zeros(booster.n_classes)
        return merged([cls(lists_of(given), classes, part * signed, nothing), found])

    def _of_thresholds(self) -> "WeightedAtoms":
        """Return atoms of classes, from those of which ``classes`` are the ones below a threshold.

        What counts for a row to be above a threshold counts for all classes above it, or as much
        against those that are not, whichever are fewer.
        """
        below = self.classes + 1
        is_for = 2 * below >= len(self.offset)
        first, last = np.where(is_for, below, 0), np.where(is_for, len(self.offset), below)
        n = last - first
        which = np.repeat(np.arange(len(self)), n)
        classes = np.arange(len(which)) - np.repeat(np.cumsum(n) - n - first, n)
        weights = np.where(is_for, self.weights, -self.weights)[which]
        return replace(self, atoms=take(self.atoms, which), classes=classes, weights=weights)

    def __len__(self) -> int:
        return len(self.weights)

    def against(self, k: int) -> Lists:
        """Return the atoms that are evidence against class ``k``, most negative weight first."""
        ours = take(self.atoms, self._against[k])
        _, first = np.unique(hash_lists(ours), return_index=True)
        return take(ours, np.sort(first))

    def scaled(self, factor: float) -> "WeightedAtoms":
        """Return the same atoms with weights and offsets multiplied by a factor."""
        return replace(self, weights=factor * self.weights, offset=factor * self.offset)

    def without_offset(self) -> "WeightedAtoms":
        """Return the same atoms with offsets of zero."""
        return replace(self, offset=np.zeros_like(self.offset))

    @cached_property
    def _against(self) -> list[Integers]:
        """Indices of the atoms against each class, the most negative weight first."""
        ours = np.flatnonzero(self.weights < 0)
        ours = ours[np.argsort(self.weights[ours], kind="stable")]
        return [ours[places] for places in by_label(self.classes[ours], len(self.offset))]

    def heaviest(self, most: int) -> "WeightedAtoms":
        """Return at most ``most`` atoms: those whose weights change the scores most."""
        if len(self) <= most:
            return self
        kept = np.sort(np.argsort(-np.abs(self.weights), kind="stable")[:most])
        atoms = take(self.atoms, kept)
        return WeightedAtoms(atoms, self.classes[kept], self.weights[kept], self.offset)

    def scores(self, blocks: Blocks, n_examples: int) -> Floats:
        """Return scores of examples, ``(n_examples, n_classes)``."""
        scores = np.repeat(self.offset[:, None], n_examples, axis=1)
        atoms, shared = self.atoms, np.zeros(len(self), dtype=np.int64)
        if len(blocks) * len(atoms.constants) > FEW_CONSTANTS:
            atoms, shared = self._in_shared_order
        longest = int(np.diff(atoms.starts).max(initial=0))
        held = np.zeros((longest + 1, BLOCK), dtype=np.uint64)
        some = np.empty(BLOCK, dtype=np.int64)
        add_missed(atoms, shared, self.classes, self.weights, blocks, scores, held, some)
        return scores.T

    @cached_property
    def _in_shared_order(self) -> tuple[Lists, Integers]:
        return in_shared_order(self.atoms)


FEW_CONSTANTS = 10_000
"""Up to this number of constants of all atoms, times blocks of examples, atoms are scored without
reordering their constants: that would take longer than it saves, and has to be compiled first."""


@kernel
def add_missed(
    atoms: Lists,
    shared: Integers,
    classes: Integers,
    weights: Floats,
    blocks: Blocks,
    scores: Floats,
    held: Rows,
    some: Integers,
) -> None:
    """Add the weight of each atom to the score of its class, for the examples that miss it.

    ``scores`` are by class and example. Each atom begins with ``shared`` constants of the one
    before: most of them, in one round. The examples that have one of those are computed once.
    ``held`` has room for those of the first 0, 1, ... constants of an atom.
    """
    n_examples = scores.shape[1]
    for b in range(blocks.shape[0]):
        left = ((n_examples + 63) >> 6) - b * BLOCK
        n_words = left if left < BLOCK else BLOCK
        last = tail(n_examples) if b == blocks.shape[0] - 1 else FULL
        for w in range(BLOCK):
            held[0, w] = ZERO
        held[0, n_words - 1] |= ~last  # there are no examples beyond the last
        for k in range(weights.shape[0]):
            own, weight = classes[k], weights[k]
            n = shared[k]
            for p in range(atoms.starts[k] + n, atoms.starts[k + 1]):
                c = atoms.constants[p]
                for w in range(BLOCK):
                    held[n + 1, w] = held[n, w] | blocks[b, c, w]
                n += 1
            # The words that matter are listed first: a branch for each would often be mispredicted.
            n_some = 0
            for w in range(n_words):
                some[n_some] = w
                n_some += 1 if held[n, w] != FULL else 0
            for j in range(n_some):
                missed = ~held[n, some[j]]
                first = (b * BLOCK + some[j]) * 64
                while missed != ZERO:
                    scores[own, first + lowest(missed)] += weight
                    missed &= missed - ONE


def in_shared_order(atoms: Lists) -> tuple[Lists, Integers]:
    """Reorder the constants of each atom to begin with those shared with the atom before.

    Also returns the number of shared constants. Constants that more of the following atoms have
    come first.
    """
    constants, shared = np.empty_like(atoms.constants), np.zeros(atoms.n, dtype=np.int64)
    ends, seen = np.zeros((2, int(atoms.constants.max(initial=-1)) + 1), dtype=np.int64)
    for first in range(0, atoms.n, SETS_AT_ONCE):  # some at a time, which takes less memory
        starts = atoms.starts[first : first + SETS_AT_ONCE + 1]
        ours = slice(starts[0], starts[-1])
        some = Lists(starts - starts[0], atoms.constants[ours])
        until, lasting = np.empty((2, len(some.constants)), dtype=np.int64)
        own = shared[first : first + SETS_AT_ONCE]
        share_order(some, constants[ours], own, until, lasting, ends, seen)
    return Lists(atoms.starts, constants), shared


@kernel
def share_order(
    atoms: Lists,
    constants: npt.NDArray[np.int32],
    shared: Integers,
    until: Integers,
    lasting: Integers,
    ends: Integers,
    seen: Integers,
) -> None:
    """Write the reordered constants of each atom, and how many it shares with the one before.

    ``until`` is for each the last of a run of atoms with it, ``lasting`` the same reordered.
    """
    n_atoms = shared.shape[0]
    for c in range(seen.shape[0]):
        seen[c] = n_atoms + 1
    for k in range(n_atoms - 1, -1, -1):
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            ends[c] = ends[c] if seen[c] == k + 1 else k
            seen[c] = k
            until[p] = ends[c]
    for c in range(seen.shape[0]):
        seen[c] = -1
    for k in range(n_atoms):
        start = atoms.starts[k]
        n = start
        if k > 0:
            q = atoms.starts[k - 1]
            while q < start and lasting[q] >= k:  # those that go on come first
                constants[n], lasting[n] = constants[q], lasting[q]
                seen[constants[n]] = k
                q += 1
                n += 1
        shared[k] = n - start
        for p in range(start, atoms.starts[k + 1]):
            if seen[atoms.constants[p]] == k:
                continue
            q = n
            while q > start + shared[k] and lasting[q - 1] < until[p]:
                constants[q], lasting[q] = constants[q - 1], lasting[q - 1]
                q -= 1
            constants[q], lasting[q] = atoms.constants[p], until[p]
            n += 1


def no_weighted_atoms(n_classes: int) -> WeightedAtoms:
    """Return weighted atoms before the first round: none."""
    none = np.zeros(0)
    return WeightedAtoms(no_lists(), none.astype(np.int64), none, np.zeros(n_classes))


def merged(parts: Sequence[WeightedAtoms]) -> WeightedAtoms:
    """Join all atoms; the weights of equal ones are added up."""
    atoms = parts[0].atoms if len(parts) == 1 else append(*(part.atoms for part in parts))
    classes = np.concatenate([part.classes for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    hashes = hash_lists(atoms)
    order = np.lexsort((classes, hashes))
    differs = (np.diff(hashes[order], prepend=0) != 0) | (np.diff(classes[order], prepend=-1) != 0)
    first, group = groups_of(order, differs)
    total = np.bincount(group, weights, len(first)).astype(np.float64, copy=False)
    order = np.argsort(first, kind="stable")
    offset = np.sum([part.offset for part in parts], axis=0)
    if len(first) < atoms.n:
        atoms = take(atoms, first[order])
    return WeightedAtoms(atoms, classes[first[order]], total[order], offset)


FIRST_STEPS = 2.0
"""Recipes are first compared when the product of rounds and learning rate is this."""
AHEAD, CLEARLY = 0.96, 0.9
"""A recipe is ahead if its loss is then at most this share of the other's, and clearly ahead."""
WORTH, TINY = 0.98, 0.002
"""What takes longer is worth it if the lowest loss is at most this share of the other's, and lower
by this amount."""
FEW_CLASSES, LARGER_AHEAD, LARGER_WORTH = 10, 0.985, 0.99
"""With at most this many classes, larger trees need only these shares of the loss instead of
``AHEAD`` and ``WORTH``: there is time to try trees that are hardly ahead."""
HELD_OUT = 5
"""One row in this many of a batch is held out."""
MAX_ATOMS = 200_000
"""Largest number of weighted atoms after a batch; those of the smallest weights are dropped."""


@dataclass(frozen=True)
class BoostedFolds:
    """Weighted atoms learned with all rows, and the scores of held-out rows without them."""

    atoms: WeightedAtoms
    scores: Floats
    """Scores of the rows ``held`` out, ``(n_rows, n_classes)``."""
    held: Integers
    loss: float
    parts: list[WeightedAtoms]
    """Weighted atoms learned without each fold."""
    losses: Sequence[float] = ()
    """Mean loss of held-out rows before the first round, and after each that was kept."""


def boost_folds(
    examples: Examples,
    splits: Splits,
    dealt: FoldAssignment,
    seed: np.random.SeedSequence,
    clock: Clock,
    rival: float = np.inf,
) -> BoostedFolds:
    """Boost without each fold in turn, then with all rows; ``rival`` is the loss of strict atoms.

    ``splits`` are of the rows that were dealt, followed by their images under each symmetry: these
    are learned from too, but never held out.
    """
    *seeds, last = seed.spawn(dealt.n_folds + 1)
    n_variants = len(examples.variants)
    known = dealt.label if examples.targets is None else examples.targets[dealt.example]
    known = known.astype(np.float64, copy=False)
    target, fold, weight = known, dealt.fold, dealt.weight / n_variants
    if n_variants > 1:
        target, weight = np.tile(target, n_variants), np.tile(weight, n_variants)
        fold = np.tile(fold, n_variants)
    rules, n_rows = examples.rules, len(target)
    priors = rules.priors_of(examples.variants[:, dealt.example]) if rules.soft else []

    def booster(f: int, own: np.random.SeedSequence, recipe: BoostingRecipe) -> Booster:
        held = np.flatnonzero(dealt.fold == f)
        return Booster(
            splits, target, weight, examples.n_classes, fold != f, held, own, recipe,
            signs=rules.signs, priors=priors, loss=examples.loss,
        )  # fmt: skip

    race = _Race(booster, seeds, clock)
    recipe = recipe_for(n_rows, examples.n_classes, clock.settings.max_epochs)
    for n_rounds in (1, AT_ONCE):  # so that all folds have atoms if time is short
        _run_all(race.boosters(recipe, len(seeds)), min(n_rounds, recipe.rounds), clock)
    judges = max(1, len(seeds) // 2)  # of few rows, one fold says little
    other = None  # with the usual trees, which take less time than larger ones
    if splits.n_columns > recipe.many_features:
        other = replace(recipe, only_informative=True)
    elif n_rows >= FEWEST_ROWS:
        other = replace(recipe, share=1.0)
    if other is not None:
        recipe = race.choose_columns(recipe, other, judges)
    recipe = race.choose_leaves(recipe, n_rows, examples.n_classes)
    folds = race.boosters(recipe, len(seeds))
    whole = None  # with cores to spare its rounds are run at the same time
    if effective_n_jobs(clock.settings.n_jobs) > len(folds):
        whole = booster(EVERY, last, recipe)
    losses = _boost(folds, clock, rival, beside=[] if whole is None else [whole])
    n_rounds = recipe.fewest(losses)
    for one in folds:
        one.close()
    part = 1.0 / len(folds)
    parts = [WeightedAtoms.of(one, n_rounds, part) for one in folds]
    held = np.concatenate([one.held for one in folds])
    n_held = len(held) / len(folds)
    order = np.argsort(held, kind="stable")
    scores = np.concatenate([one.held_scores(n_rounds) for one in folds])[order]
    del folds, race  # their rounds take memory
    give_back()
    found = parts  # put together if there is no time for all rows at once
    if not clock.over():
        whole = booster(EVERY, last, recipe) if whole is None else whole
        # With more rows than a fold leaves, overfitting begins later.
        more = min(round(n_rounds * n_rows / (n_rows - n_held)), recipe.rounds)
        _run(whole, more, clock)
        whole.close()
        if len(whole.rounds) >= n_rounds:
            found = [WeightedAtoms.of(whole, more)]
    del whole
    give_back()
    kept, whole_model = losses[: n_rounds + 1], merged(found)
    give_back()
    return BoostedFolds(whole_model, scores, held[order], losses[n_rounds], parts, kept)


class _Race:
    """Boosters of several recipes, which run side by side until it is clear which one is better."""

    def __init__(
        self,
        make: Callable[[int, np.random.SeedSequence, BoostingRecipe], Booster],
        seeds: Sequence[np.random.SeedSequence],
        clock: Clock,
    ) -> None:
        self.make, self.seeds, self.clock = make, seeds, clock
        self.made: dict[BoostingRecipe, list[Booster]] = {}

    def boosters(self, recipe: BoostingRecipe, n_folds: int) -> list[Booster]:
        """Return the boosters of the first folds, with the rounds that they have had so far."""
        made = self.made.setdefault(recipe, [])
        made += [self.make(f, self.seeds[f], recipe) for f in range(len(made), n_folds)]
        return made[:n_folds]

    def choose_leaves(self, recipe: BoostingRecipe, n_rows: int, n_classes: int) -> BoostingRecipe:
        """Choose larger and larger trees, as long as they lower the loss of the first fold."""
        for larger in detailed_recipes(recipe, n_rows, n_classes):
            if larger.max_leaves > recipe.max_leaves:
                some = (LARGER_AHEAD, LARGER_WORTH) if n_classes <= FEW_CLASSES else (AHEAD, WORTH)
                if not self._is_worth_it(larger, recipe, 1, *some, CLEARLY):
                    break
                recipe = larger
        return recipe

    def choose_columns(
        self, usual: BoostingRecipe, other: BoostingRecipe, n_folds: int
    ) -> BoostingRecipe:
        """Choose between recipes that differ in the columns that a tree may use."""
        allowed = [
            {(one.splits.n_columns, recipe.max_features(one.splits.n_columns)) for one in boosters}
            for recipe in (usual, other)
            if (boosters := self.boosters(recipe, n_folds))
        ]
        if allowed[0] == allowed[1] or (0, 0) in allowed[1]:
            return usual
        return other if self._is_worth_it(other, usual, n_folds, AHEAD, WORTH) else usual

    def _is_worth_it(
        self,
        recipe: BoostingRecipe,
        known: BoostingRecipe,
        n_folds: int,
        ahead: float,
        worth: float,
        clearly: float = 0.0,
    ) -> bool:
        """Return whether a recipe is better than one that is known, and forget the worse one.

        If it is ``ahead`` after the first steps, but not ``clearly``, both are run to their ends,
        where it has to be ``worth`` the time. All three are shares of the loss of the known one.
        """
        losses = []
        for one in (known, recipe):
            n_rounds = min(one.rounds, math.ceil(FIRST_STEPS / one.learning_rate))
            boosters = self.boosters(one, n_folds)
            _run_all(boosters, n_rounds, self.clock)
            losses.append(_mean_losses(boosters)[: n_rounds + 1][-1])
        is_worth_it = losses[1] <= clearly * losses[0]
        if not is_worth_it and losses[1] <= ahead * losses[0]:
            both = [self.boosters(one, n_folds) for one in (known, recipe)]
            ends = Parallel(n_jobs=self.clock.settings.n_jobs, require="sharedmem")(
                delayed(_lowest)(one, self.clock) for one in both
            )
            del both
            is_worth_it = ends[1] <= min(worth * ends[0], ends[0] - TINY)
        is_worth_it = is_worth_it and not self.clock.over()
        del self.made[known if is_worth_it else recipe], boosters
        give_back()
        return is_worth_it


def _boost(
    folds: Sequence[Booster],
    clock: Clock,
    rival: float,
    at_once: int = AT_ONCE,
    beside: Sequence[Booster] = (),
) -> list[float]:
    """Run rounds of all folds while that helps, and return the mean loss after each round.

    ``rival`` is the loss of strict atoms: boosting that stays far behind it is given up. As many
    rounds are run of boosters ``beside`` them, which do not affect when to stop.
    """
    recipe = folds[0].recipe

    def next_round() -> bool:
        known = _mean_losses(folds)
        n_rounds = len(known) - 1
        if n_rounds >= recipe.rounds or has_lost(known, recipe.learning_rate, rival):
            return False
        target = min(n_rounds + min(max(1, n_rounds), at_once), recipe.rounds)
        _run_all([*folds, *beside], target, clock)
        return True

    run_rounds(next_round, lambda: _mean_losses(folds), lambda: recipe.stopping, clock.over)
    return _mean_losses(folds)


def _lowest(folds: Sequence[Booster], clock: Clock) -> float:
    """Run rounds of all folds while that helps, and return the lowest mean loss."""
    return min(_boost(folds, clock, np.inf))


def _mean_losses(folds: Sequence[Booster]) -> list[float]:
    """Return the mean loss of held-out rows after each round that all folds have had."""
    n_known = min(len(one.losses) for one in folds)
    known = np.array([one.losses[:n_known] for one in folds])
    mass = np.array([one.weights[one.held].sum() for one in folds])
    return np.average(known, axis=0, weights=mass).tolist()


def _run_all(folds: Sequence[Booster], n_rounds: int, clock: Clock) -> None:
    """Run the boosters of all folds up to ``n_rounds`` rounds."""
    Parallel(n_jobs=clock.settings.n_jobs, require="sharedmem")(
        delayed(_run)(one, n_rounds, clock) for one in folds
    )


def _run(booster: Booster, n_rounds: int, clock: Clock) -> None:
    """Run the booster up to ``n_rounds`` rounds, unless it is ended before."""
    while len(booster.rounds) < n_rounds and not clock.over():
        booster.run_round()


class EarlierRows(NamedTuple):
    """A sample of the rows of earlier batches."""

    rows: Rows
    labels: Integers
    weights: Floats
    """Weights relative to those of the batch: their mean is one."""
    n_seen: int
    """Number of earlier rows that the sample stands for."""
    targets: Floats | None = None
    """The numbers to predict, on the scale of the loss."""

    def share(self, n_new: int) -> float:
        """Return the share of all rows so far that the sample and ``n_new`` rows make up."""
        return min(1.0, (n_new + len(self.labels)) / max(1, n_new + self.n_seen))


def boost_batch(
    known: WeightedAtoms,
    factor: float,
    examples: Examples,
    earlier: EarlierRows,
    find_splits: Callable[[Rows], Splits],
    seed: np.random.SeedSequence,
    clock: Clock,
    rival: float = np.inf,
) -> WeightedAtoms:
    """Return the known atoms and new ones, which correct ``factor`` times the scores of the known.

    ``rival`` is the loss of strict atoms: boosting that stays far behind it is given up.
    """
    n_new = len(examples)
    examples = examples.extended(earlier.rows, earlier.labels, earlier.weights, earlier.targets)
    n_variants = len(examples.variants)
    which = np.concatenate([np.arange(len(examples)), examples.dissent.examples])
    labels = np.concatenate([examples.labels, examples.dissent.labels])
    labels = labels if examples.targets is None else examples.targets
    weights = np.concatenate([examples.weights, examples.dissent.weights])
    step = clock.thinning(n_variants * len(which) * examples.n_classes)
    which, labels, weights = which[::step], labels[::step], weights[::step]
    choosing, own = seed.spawn(2)
    held = np.zeros(len(examples), dtype=np.bool_)
    held[np.random.default_rng(choosing).permutation(n_new)[: n_new // HELD_OUT]] = True
    if not held.any() or (labels == labels[0]).all():  # there is only one class
        return known
    shown = examples.variants[:, which].reshape(-1, examples.variants.shape[2])
    said = known.scores(blocks_of(shown, examples.n_constants), len(shown))
    recipe = recipe_for(len(shown), examples.n_classes, clock.settings.max_epochs)
    booster = Booster(
        find_splits(shown),
        np.tile(labels, n_variants),
        np.tile(weights / n_variants, n_variants),
        examples.n_classes,
        np.tile(~held[which], n_variants),
        np.flatnonzero(held[which]),  # images under symmetries are never held out
        own,
        recipe,
        factor * said if len(known) else None,
        examples.rules.signs,
        examples.rules.priors_of(examples.variants[:, which]),
        examples.loss,
    )
    n_rounds = recipe.fewest(_boost([booster], clock, rival, at_once=1))
    if not len(known):
        return WeightedAtoms.of(booster, n_rounds, 1.0 / factor)
    # A small batch after many others counts by its share of the rows.
    new = WeightedAtoms.of(booster, n_rounds, earlier.share(n_new) / factor)
    return merged([known, new]).heaviest(MAX_ATOMS)
