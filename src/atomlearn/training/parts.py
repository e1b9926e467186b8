"""What is done with one part of data that is held apart from the others.

Each function is pure: what it returns depends on its arguments alone, all randomness on the seed,
the class, the part and the epoch. So it may run anywhere, again after a machine was lost, and in
any order, and the model is the same.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.concept import Concept, Recipe, Sampler
from atomlearn.engine.discriminant import contradicted
from atomlearn.engine.misses import blocks_of, count_misses
from atomlearn.engine.pool import Pool
from atomlearn.engine.report import Report
from atomlearn.sets.lists import Lists
from atomlearn.sets.random import sample
from atomlearn.sets.rows import Rows
from atomlearn.training.examples import Examples
from atomlearn.training.rounds import is_taught, learn_until


class Task(NamedTuple):
    """Which class is learned from which part, and from which epoch on."""

    seed: int
    label: int
    part: int
    epoch: int

    def random(self, purpose: int) -> np.random.SeedSequence:
        """Randomness that no other task, and nothing else of this one, has."""
        return np.random.SeedSequence(
            self.seed, spawn_key=(self.label, self.part, self.epoch, purpose)
        )


class Found(NamedTuple):
    """Pins that a part suggests."""

    atoms: Lists
    born: npt.NDArray[np.int32]
    reports: list[Report]
    is_whole: bool = True
    """Were there as many epochs as asked for, or is there nothing to learn from?"""


class Checked(NamedTuple):
    """What a part says of pins that others suggest."""

    refused_bits: npt.NDArray[np.uint8]
    """Packed, because it travels from every part: does some example of the class contradict?"""
    n: int
    refuting: Rows
    """The examples that contradict most of them."""

    @property
    def refused(self) -> npt.NDArray[np.bool_]:
        """The same for each pin."""
        return np.unpackbits(self.refused_bits, count=self.n).astype(np.bool_)


class Shared(NamedTuple):
    """Examples that all parts know of: each has contradicted what another part believed."""

    rows: Rows
    labels: npt.NDArray[np.int64]


def learn_part(
    examples: Examples,
    known: Lists,
    shared: Shared,
    task: Task,
    epochs: int,
    most: int,
    recipe: Recipe,
    seconds: float | None = math.inf,
) -> Found:
    """Some epochs on one part, with the pins known so far; of the new ones ``most``, at random.

    Fewer, if ``seconds`` are over (as for a class of one part), or after Ctrl-C.

    (Those that hard counterexamples miss most are oftener contradicted by other parts, and teach
    less: on MNIST in eight parts the loss was a tenth higher.)
    """
    sampler = _sampler(examples.extended(*shared), known, task, recipe, purpose=0)
    pool = sampler.concept.pool
    reports = learn_until(sampler, task.epoch + epochs, seconds).reports
    is_whole = len(reports) == epochs or not is_taught(sampler)
    pool.drop(pool.born < 0)
    pool.keep(sample(sampler.concept.rng, len(pool), most))
    return Found(pool.atoms, pool.born, reports, is_whole)


def check_part(examples: Examples, atoms: Lists, task: Task, most: int) -> Checked:
    """Which of the atoms this part contradicts, and by which of its examples (``most`` of them)."""
    n = examples.n_constants
    rows = np.ascontiguousarray(examples.variants[:, examples.labels == task.label])
    positives = Concept(n, n - 1, 0).positives_of(rows.reshape(-1, rows.shape[2]))
    refused = contradicted(atoms, positives.left_of, positives.right_of)
    missed = count_misses(atoms, blocks_of(rows[0], n), rows.shape[1])
    worst = np.argsort(-missed, kind="stable")[:most]
    return Checked(np.packbits(refused), len(refused), rows[0][worst[missed[worst] > 0]])


def rank_part(examples: Examples, atoms: Lists, task: Task) -> npt.NDArray[np.int64]:
    """How many hard counterexamples of this part miss each atom."""
    sampler = _sampler(examples, atoms, task, Recipe(), purpose=1)
    return sampler.missed_by_hard()


def _sampler(examples: Examples, known: Lists, task: Task, recipe: Recipe, purpose: int) -> Sampler:
    n = examples.n_constants
    concept = Concept(n, n - 1, task.random(purpose), recipe)
    born = np.full(len(known.starts) - 1, -1, dtype=np.int32)
    concept.pool = Pool.of(n, known, born)
    concept.epoch, concept.symmetries = task.epoch, examples.symmetries
    return Sampler(concept, examples.variants, examples.labels == task.label, data=0)
