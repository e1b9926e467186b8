"""Learning one class from examples and counterexamples, batch after batch.

The class is a constant ``v``; an example is a term that holds it (``v < T``), a counterexample one
that does not. What is known between batches is the pool of pins that have ``v``. Where the paper
leaves a choice open, the defaults of :class:`Recipe` are what measured best.
"""

import math
import zlib
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from atomlearn.engine.epoch import NOTHING, PreparedBatch, beginning, prepare, run, split
from atomlearn.engine.misses import Blocks, blocks_of, contradicted, count_misses
from atomlearn.engine.pool import Pool, Source
from atomlearn.engine.protocol import DEFAULT, LETTER, PackedRelations, Protocol
from atomlearn.engine.state import Positives, Report, examples_of
from atomlearn.engine.symmetries import Symmetries
from atomlearn.sets import rows
from atomlearn.sets.random import Seed, Stream, permutation, sample, stream
from atomlearn.sets.rows import Lists, Rows, take, to_lists
from atomlearn.typing import Bits, Integers


@dataclass(frozen=True)
class Recipe:
    """How batches are drawn; sizes are numbers of examples on each side.

    Parameters
    ----------
    first : int, default=100
        Size of the first batch.
    growth : float, default=1.05
        Factor by which batches grow.
    largest : int, default=4000
        Maximum size of a batch.
    hard_after : int, default=20
        Epoch from which some counterexamples are hard ones: those with the fewest misses.
    hard_every : int, default=10
        Hard counterexamples are searched for again after this many epochs.
    hard_share : float, default=0.6
        Share of hard ones among the counterexamples of a batch.
    hard_size : int, default=4000
        Number of hard counterexamples that are kept.
    hard_atoms : int, default=12000
        Number of pins in the sample by which misses are counted.
    candidates : float or None, default=1.0
        Pins offered to the dual for each counterexample; ``None`` offers the whole pool. With few,
        witnesses come from new data too, and the pool does not go stale.
    protocol : Protocol, default=DEFAULT
        How an epoch is run: ours, or to the letter of the paper.
    atomizations : int, default=10
        Number of recent masters that are kept for voting.
    share : float, default=0.7
        Share of a small training set that goes into a batch, so that batches vary.
    negatives : float or None, default=None
        Maximum number of counterexamples in a batch for each example; ``None`` sets no limit. With
        a limit, a batch of a rare class is small, and many classes take little more time than few.
    fewest_negatives : int, default=500
        Number of counterexamples that are allowed whatever the limit.

    Examples
    --------
    >>> Recipe(first=50).growth
    1.05
    """

    first: int = 100
    growth: float = 1.05
    largest: int = 4000
    hard_after: int = 20
    hard_every: int = 10
    hard_share: float = 0.6
    hard_size: int = 4000
    hard_atoms: int = 12_000
    candidates: float | None = 1.0
    protocol: Protocol = DEFAULT
    atomizations: int = 10
    share: float = 0.7
    negatives: float | None = None
    fewest_negatives: int = 500


READABLE = Recipe(
    largest=100_000, growth=1e6, hard_share=0.0, candidates=None,
    protocol=Protocol(dual="greedy"), share=1,
)  # fmt: skip
"""The recipe with all examples in every epoch, for single models that can be read."""

PAPER = Recipe(largest=2000, hard_share=0.0, candidates=None, protocol=LETTER)
"""The recipe with the paper's batches and its procedure to the letter."""


class Concept:
    """A class that is learned batch after batch, with its pool of pins.

    Parameters
    ----------
    n_constants : int
        Number of constants.
    constant : int
        Index of the constant of the class.
    seed : int, Generator or None, default=None
        Random seed; the same seed gives the same pins.
    recipe : Recipe, default=None
        How batches are drawn.
    relations : PackedRelations, default=None
        Relations that are enforced with every batch: rules about the class with partial terms, such
        as ``v < c1 c2``, and relations between other constants. They take precedence over
        counterexamples that contradict them.

    Examples
    --------
    >>> from atomlearn.sets import rows
    >>> images = rows.from_indices([[0, 1], [0, 3], [2, 1], [2, 3]], 5)  # a or not a, b or not b
    >>> labels = np.array([True, True, False, False])
    >>> concept = Concept(n_constants=5, constant=4, seed=0)
    >>> report = concept.learn_batch(images[labels], images[~labels])
    >>> len(concept.pool) > 0
    True
    """

    def __init__(
        self,
        n_constants: int,
        constant: int,
        seed: Seed = None,
        recipe: Recipe | None = None,
        relations: PackedRelations | None = None,
    ) -> None:
        self.constant = constant
        self.relations = relations
        self.n_constants = n_constants
        self.recipe = Recipe() if recipe is None else recipe
        self.rng: Stream = stream(seed)
        self.pool = Pool(n_constants)
        self.masters: deque[Lists] = deque(maxlen=self.recipe.atomizations)
        self.hard: Integers = np.zeros(0, dtype=np.int64)
        self.data = 0
        """A digest of the training set in which ``hard`` are positions."""
        self.epoch = 0
        self.kept = beginning(self.recipe.protocol, n_constants)
        """The singletons and the composite atoms that the next epoch starts from."""
        self.growths = 0
        """Number of times that batches have grown, if they grow when accuracy stalls."""
        self.all_positives: Positives | None = None
        """All examples there will ever be, if known: pins are then checked once, when they are
        added. Otherwise the whole pool is checked against each batch."""
        self.symmetries: Symmetries | None = None
        """Symmetries: maps of constants that keep the class, by which new pins are moved."""

    def learn_batch(self, positives: Rows, negatives: Rows) -> Report:
        """Run one epoch on a batch: drop the pins that it contradicts, and add new ones.

        Parameters
        ----------
        positives : ndarray of uint64
            Packed rows of the examples.
        negatives : ndarray of uint64
            Packed rows of the counterexamples.

        Returns
        -------
        Report
            The figures of the epoch.
        """
        report = Report(self.epoch, len(positives), len(negatives))
        with report.phase("closure"):
            batch = prepare(self._relations(positives, negatives), self.rng)
            report.n_conflicts = len(batch.conflicts)
        with report.phase("pool"):
            if self.all_positives is None:
                report.count("pool", len(self.pool.atoms.constants) * rows.width(len(positives)))
                report.n_dropped = self.pool.drop_contradicted(batch.positives)
            pins = self._candidates(len(negatives))
        master = self._master(batch, pins, report)
        with report.phase("pinning"):
            self.masters.append(master)
            if self.all_positives is not None:
                known = self.all_positives
                report.count("pinning", len(master.constants) * known.left_of.shape[1])
                false = contradicted(master, known.left_of, known.right_of)
                report.n_dropped = int(false.sum())
                master = take(master, np.flatnonzero(~false))
            if self.symmetries is not None:
                known = self.all_positives or batch.positives
                master = self.symmetries.extended(master, known, self.rng)
            report.n_new = self.pool.add_lists(master, self.epoch)
            report.n_pool = len(self.pool)
        self.epoch += 1
        return report

    def batch_size(self, available: int) -> int:
        """Return the number of examples on each side of the next batch.

        Parameters
        ----------
        available : int
            Number of examples to draw from.
        """
        steady = self.recipe.protocol.batches == "steady"
        try:
            wanted = self.recipe.first * self.recipe.growth ** (
                self.epoch if steady else self.growths
            )
        except OverflowError:  # as large as can be
            wanted = math.inf
        most = math.ceil(self.recipe.share * available)
        return int(min(wanted, self.recipe.largest, most))

    def misses(self, blocks: Blocks, n_examples: int) -> npt.NDArray[np.int32]:
        """Count the pins of the pool that each example misses.

        Parameters
        ----------
        blocks : ndarray of uint64
            The examples as packed rows, transposed.
        n_examples : int
            Number of examples.

        Returns
        -------
        ndarray of int32
            The number of misses of each example.
        """
        return self.pool.misses(blocks, n_examples)

    def votes(self, blocks: Blocks, n_examples: int) -> Integers:
        """Count the recent masters that accept each example.

        Parameters
        ----------
        blocks : ndarray of uint64
            The examples as packed rows, transposed.
        n_examples : int
            Number of examples.

        Returns
        -------
        ndarray of int64
            The number of votes for each example.
        """
        votes = np.zeros(n_examples, dtype=np.int64)
        for master in self.masters:
            votes += count_misses(master, blocks, n_examples) == 0
        return votes

    def _master(self, batch: PreparedBatch, pins: Lists, report: Report) -> Lists:
        """Return the atoms of the class in one master of the batch."""
        protocol = self.recipe.protocol
        singles, kept = self.kept
        atoms = run(
            batch, self.rng, report, pins=pins, protocol=protocol, kept=kept, singles=singles
        )
        self.kept = split(atoms) if protocol.master == "kept" else NOTHING
        return to_lists(atoms[(atoms[:, self.constant // 64] & self._bit()) != 0])

    def _candidates(self, n_negatives: int) -> Lists:
        if self.recipe.candidates is None:
            return self.pool.atoms
        return self.pool.sample(self.rng, int(self.recipe.candidates * n_negatives))

    def _relations(self, positives: Rows, negatives: Rows) -> PackedRelations:
        ours = rows.row([self.constant], self.n_constants)
        sides = [
            np.tile(ours, (len(positives), 1)),
            positives,
            np.tile(ours, (len(negatives), 1)),
            negatives,
        ]
        known = self.relations
        if known is not None:
            more = (
                known.positive_left,
                known.positive_right,
                known.negative_left,
                known.negative_right,
            )
            sides = [np.vstack(both) for both in zip(sides, more, strict=True)]
        return PackedRelations(self.n_constants, *sides)

    def _bit(self) -> np.uint64:
        return np.uint64(1) << np.uint64(self.constant % 64)


def in_variants(variants: npt.NDArray[np.uint64], which: Integers) -> Integers:
    """Return the numbers of some examples among the rows of all variants, one after the other."""
    n_variants, n = variants.shape[:2]
    return np.concatenate([which + v * n for v in range(n_variants)])


class Sampler:
    """A sampler that draws the batches of one concept from a training set.

    Parameters
    ----------
    concept : Concept
        The concept to learn.
    variants : ndarray of uint64 of shape (n_variants, n_examples, n_words)
        The packed examples, and the images of them under symmetries of the problem; each draw takes
        any variant.
    is_positive : ndarray of bool
        Whether each example belongs to the class.
    name : str, default=""
        Name of the training set, which is noted for its pins.
    data : int, default=None
        Digest of the training set; it is computed if not given.

    Examples
    --------
    >>> from atomlearn.sets import rows
    >>> images = rows.from_indices([[0, 1], [0, 3], [2, 1], [2, 3]], 5)  # a or not a, b or not b
    >>> labels = np.array([True, True, False, False])
    >>> sampler = Sampler(Concept(5, 4, seed=0), images[None], labels)
    >>> sampler.run_epoch().epoch
    0
    """

    def __init__(
        self,
        concept: Concept,
        variants: npt.NDArray[np.uint64],
        is_positive: Bits,
        name: str = "",
        data: int | None = None,
    ) -> None:
        self.concept = concept
        self.variants = variants
        self.positives, self.negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
        self._negative_blocks: Blocks | None = None
        self._accuracy = 0.0
        if concept.recipe.protocol.pins_checked == "all":
            concept.all_positives = examples_of(
                variants.reshape(-1, variants.shape[2]),
                concept.n_constants,
                concept.constant,
                in_variants(variants, self.positives),
            )
            concept.pool.drop_contradicted(concept.all_positives)
        if data is None:
            data = zlib.crc32(variants.tobytes(), zlib.crc32(self.positives.tobytes()))
        if concept.data != data:
            concept.data, concept.hard = data, concept.hard[:0]
        concept.pool.learn_from(Source(name, f"{data:08x}", len(is_positive)))

    def run_epoch(self) -> Report:
        """Draw a batch and learn from it."""
        concept, recipe = self.concept, self.concept.recipe
        report = Report()
        with report.phase("sampling"):
            due = concept.epoch - recipe.hard_after
            if recipe.hard_share > 0 and due >= 0 and due % recipe.hard_every == 0:
                concept.hard = self._hardest()
            positives = self._draw(self.positives, concept.batch_size(len(self.positives)))
            size = concept.batch_size(len(self.negatives))
            if recipe.negatives is not None:
                allowed = int(recipe.negatives * len(positives))
                size = min(size, max(allowed, recipe.fewest_negatives))
            n_hard = min(int(recipe.hard_share * size), len(concept.hard))
            chosen = np.concatenate(
                [self._some(concept.hard, n_hard), self._some(self.negatives, size - n_hard)]
            )
            negatives = self._pick(np.unique(chosen))
            if recipe.protocol.batches == "stalled":
                self._grow_if_stalled(positives, negatives)
        learned = concept.learn_batch(positives, negatives)
        learned.seconds = {**report.seconds, **learned.seconds}
        return learned

    def _grow_if_stalled(self, positives: Rows, negatives: Rows) -> None:
        """Let batches grow if the last master is no more accurate on this batch than on its own."""
        if not self.concept.masters:
            return
        n = self.concept.n_constants
        are_members = [
            count_misses(self.concept.masters[-1], blocks_of(side, n), len(side)) == 0
            for side in (positives, negatives)
        ]
        accuracy = (are_members[0].mean() + 1 - are_members[1].mean()) / 2
        if accuracy <= self._accuracy:
            self.concept.growths += 1
        self._accuracy = accuracy

    def _some(self, which: Integers, size: int) -> Integers:
        return which[sample(self.concept.rng, len(which), size)]

    def _draw(self, which: Integers, size: int) -> Rows:
        return self._pick(self._some(which, size))

    def _pick(self, which: Integers) -> Rows:
        if len(self.variants) == 1:
            return self.variants[0][which]
        variant = permutation(self.concept.rng, len(which)) % len(self.variants)
        return np.ascontiguousarray(self.variants[variant, which])

    def _hardest(self) -> Integers:
        """Return the counterexamples with the fewest misses of a sample of pins."""
        concept, recipe = self.concept, self.concept.recipe
        if self._negative_blocks is None:
            examples = self.variants[0][self.negatives]
            self._negative_blocks = blocks_of(examples, concept.n_constants)
        pins = concept.pool.sample(concept.rng, recipe.hard_atoms)
        misses = count_misses(pins, self._negative_blocks, len(self.negatives))
        return self.negatives[np.argsort(misses, kind="stable")[: recipe.hard_size]]
