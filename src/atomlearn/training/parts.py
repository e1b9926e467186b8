"""Parts of the data in memory or on a cluster, and the tasks that run on them.

Data in memory, or in files mapped into it, are one part; with the workers of a cluster, many. The
functions are pure: their result depends on their arguments alone, and all randomness on the seed,
the fold, the class, the part and the epoch. So they may run anywhere, in any order, and again after
a machine was lost, and the model is the same."""

import math
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from atomlearn import interrupts
from atomlearn.engine.concept import Concept, Recipe, Sampler, in_variants
from atomlearn.engine.misses import blocks_of, contradicted, count_misses
from atomlearn.engine.pool import Pool, Source
from atomlearn.engine.state import Positives, Report, examples_of
from atomlearn.sets.random import sample
from atomlearn.sets.rows import Lists, Rows, no_lists, take
from atomlearn.training.data import NEVER, Examples, FoldAssignment, deal, joined, joined_folds
from atomlearn.training.settings import ignore
from atomlearn.typing import Bits, Integers


@dataclass
class Part:
    """Examples, and the folds that their rows are assigned to."""

    examples: Examples
    dealt: FoldAssignment
    _without: dict[int, Examples] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, examples: Examples, n_folds: int, rng: np.random.Generator, most: int | None = None
    ) -> "Part":
        """Assign the rows of a part to folds; about ``most`` are held out, none without folds."""
        return cls(examples, deal(examples, n_folds, rng, most))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_without": {}}  # to be sent without what can be made again

    def with_rules(self) -> "Part":
        """Return the part with a term for each rule that names a class, which its atoms must meet.

        The terms are learned from like examples, and never held out.
        """
        rules, n = self.examples.rules, len(self.examples)
        rows, labels = rules.terms(self.examples.n_constants)
        if len(labels) == 0:
            return self
        new = n + np.arange(len(labels))
        never = np.full(len(labels), NEVER)
        dealt = FoldAssignment(0, new, labels, np.ones(len(labels)), never)
        return Part(self.examples.extended(rows, labels), self.dealt.extended(dealt))

    def without(self, fold: int) -> Examples:
        """Return the examples that are learned from when a fold is held out."""
        if fold not in self._without:
            learned = self.dealt.learned(fold, self.examples)
            every = learned.all()
            some = self.examples if every else self.examples.some(np.flatnonzero(learned))
            self._without[fold] = some
        return self._without[fold]

    def shown(self) -> tuple[Rows, Integers]:
        """Return the rows of all variants, and which of them is each row that was dealt.

        Boosting begins with them, and leaves no row out: copies without a fold are dropped.
        """
        self._without.clear()
        variants, example = self.examples.variants, self.dealt.example
        return variants.reshape(-1, variants.shape[2]), in_variants(variants, example)

    def sample(self, most: int, rng: np.random.Generator) -> "Part":
        """Return at most ``most`` of the examples, with their folds."""
        n = len(self.examples)
        which = np.sort(rng.choice(n, most, replace=False)) if n > most else np.arange(n)
        return self.some(which)

    def some(self, which: Integers) -> "Part":
        """Return some of the examples, with their folds."""
        return Part(self.examples.some(which), self.dealt.some(which, len(self.examples)))

    def source(self, name: str = "") -> Source:
        """Return the provenance of atoms that are learned from the part."""
        value = 0
        for array in (self.examples.variants[0], self.examples.labels, self.examples.weights):
            value = zlib.crc32(np.ascontiguousarray(array).data, value)
        return Source(name, f"{value:08x}", len(self.examples))


def joined_parts(parts: Sequence[Part]) -> Part:
    """Concatenate several parts."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(part.examples) for part in parts]
    dealt = joined_folds([part.dealt for part in parts], sizes)
    return Part(joined([part.examples for part in parts]), dealt)


class Task(NamedTuple):
    """One unit of work: the fold that is held out, the concept, the part, and the first epoch.

    A concept is a class, or one side of a threshold if classes are ordered.
    """

    seed: int
    fold: int
    label: int
    part: int
    epoch: int

    def random(self, purpose: int) -> np.random.SeedSequence:
        """Return a separate seed for each task and purpose."""
        key = (self.fold + 2, self.label, self.part, self.epoch, purpose)
        return np.random.SeedSequence(self.seed, spawn_key=key)


class Candidates(NamedTuple):
    """New atoms that a part suggests."""

    atoms: Lists
    born: npt.NDArray[np.int32]
    reports: list[Report]
    is_whole: bool
    """Whether there were as many epochs as asked for, or nothing to learn from."""

    @classmethod
    def none(cls) -> "Candidates":
        """Return the result of a task for which there was no time."""
        return cls(no_lists(), np.zeros(0, dtype=np.int32), [], False)

    @property
    def was_tried(self) -> bool:
        """Whether there was time to search."""
        return self.is_whole or len(self.reports) > 0


class Refuted(NamedTuple):
    """The candidates of other parts that a part contradicts."""

    bits: npt.NDArray[np.uint8]
    """Packed mask of the contradicted candidates, small because every part sends one."""
    n: int
    examples: Rows
    """The examples that contradict most of the candidates."""

    @property
    def mask(self) -> Bits:
        """Whether each candidate is contradicted."""
        return np.unpackbits(self.bits, count=self.n).astype(np.bool_)


class Shared(NamedTuple):
    """Examples that all parts learn from, each of which contradicted an atom of another part."""

    rows: Rows
    labels: Integers


def learn_part(
    part: Part,
    known: Lists,
    shared: Shared,
    task: Task,
    epochs: int,
    most: int | None,
    recipe: Recipe,
    seconds: float = math.inf,
) -> Candidates:
    """Run some epochs on one part and return new atoms, at most ``most`` of them, at random.

    There is at least one epoch; Ctrl-C ends it after the last whole one. (If atoms are ranked by
    hard counterexamples instead, other parts contradict more of them and learn less: on MNIST in
    eight parts the loss was a tenth higher.)
    """
    examples = part.without(task.fold).extended(*shared)
    n = examples.n_constants
    concept = Concept(n, n - 1, task.random(0), recipe)
    is_positive = examples.examples_of(task.label)
    if examples.rules.ordered:  # some atoms of the class are of the other side of its thresholds
        positives = _relations_of(examples, np.flatnonzero(is_positive))
        refuted = contradicted(known, positives.left_of, positives.right_of)
        known = take(known, np.flatnonzero(~refuted))
    born = np.full(known.n, -1, dtype=np.int32)
    concept.pool = Pool.of(n, known, born)
    concept.epoch, concept.symmetries = task.epoch, examples.symmetries
    reports: list[Report] = []
    is_taught = is_positive.any() and not is_positive.all()  # one side alone teaches nothing
    if is_taught:
        variants, usable = examples.variants, examples.rules.usable(task.label % examples.n_classes)
        if usable is not None:  # of literals that no row has there are no atoms
            variants = variants & usable
        sampler = Sampler(concept, variants, is_positive, data=0)
        reports = run_epochs(sampler, epochs, seconds)
    pool = concept.pool
    pool.drop(pool.born < 0)
    if most is not None:
        pool.keep(sample(concept.rng, len(pool), most))
    return Candidates(pool.atoms, pool.born, reports, len(reports) == epochs or not is_taught)


def run_epochs(sampler: Sampler, epochs: int, seconds: float) -> list[Report]:
    """Run epochs of one class, fewer if its time is over or after Ctrl-C."""
    start = time.monotonic()
    reports: list[Report] = []
    while len(reports) < epochs and not interrupts.requested():
        try:
            reports.append(sampler.run_epoch())
        except KeyboardInterrupt:
            if interrupts.requested():
                break
            raise
        if time.monotonic() - start > seconds:
            break
    return reports


def check_part(part: Part, atoms: Lists, task: Task, most: int) -> Refuted:
    """Return the atoms that this part contradicts, and ``most`` of the contradicting examples."""
    examples = part.without(task.fold)
    n, ordered = examples.n_constants, examples.rules.ordered
    ours = (
        np.flatnonzero(examples.examples_of(task.label))
        if ordered
        else examples.by_class[task.label]
    )
    positives = _relations_of(examples, ours)
    refuted = contradicted(atoms, positives.left_of, positives.right_of)
    rows = examples.variants[0]
    if most == 0:
        return Refuted(np.packbits(refuted), len(refuted), rows[:0])
    rows = rows[ours]
    missed = count_misses(atoms, blocks_of(rows, n), len(rows))
    worst = np.argsort(-missed, kind="stable")[:most]
    return Refuted(np.packbits(refuted), len(refuted), rows[worst[missed[worst] > 0]])


def _relations_of(examples: Examples, which: Integers) -> Positives:
    """Return the positive relations of some examples and their images."""
    variants = examples.variants
    every = in_variants(variants, which)
    rows = variants.reshape(-1, variants.shape[2])
    return examples_of(rows, examples.n_constants, which=every)


OnResult = Callable[[Any], object]


class Job(NamedTuple):
    """Arguments of a function of one part; those ``shared`` by many jobs are sent once."""

    part: int
    shared: tuple[Any, ...]
    own: tuple[Any, ...]


class Parts(Protocol):
    """Parts of the data, wherever they are."""

    sources: Sequence[Source]
    """The provenance of the atoms of each part."""

    @property
    def at_a_time(self) -> int:
        """Number of tasks that run in parallel, as far as it is known."""

    def run(
        self, function: Callable[..., Any], jobs: Iterable[Job], on_result: OnResult = ignore
    ) -> list[Any]:
        """Return the results of ``function(part, *shared, *own)``, in the order of the jobs.

        ``on_result`` is called with each, in any order and from any thread.
        """


class InMemory:
    """All data as one part, in threads or in the processes that joblib is configured to use."""

    def __init__(self, part: Part, n_jobs: int | None = None) -> None:
        self.part = part
        self.n_jobs = n_jobs
        self.sources: Sequence[Source] = [part.source()]

    @property
    def at_a_time(self) -> int:
        """Number of jobs that run at the same time."""
        return int(effective_n_jobs(self.n_jobs))

    def run(
        self, function: Callable[..., Any], jobs: Iterable[Job], on_result: OnResult = ignore
    ) -> list[Any]:
        """Apply the function in threads, which is fast because kernels release the lock."""
        if in_threads(self.n_jobs):
            return run_in_threads(lambda _: self.part, function, jobs, self.n_jobs, on_result)
        with interrupts.waiting():
            results: list[Any] = Parallel(n_jobs=self.n_jobs)(
                delayed(_elsewhere)(function, self.part, job) for job in jobs
            )
        for result in results:
            on_result(result)
        return results


def run_in_threads(
    part_of: Callable[[int], Part],
    function: Callable[..., Any],
    jobs: Iterable[Job],
    n_jobs: int | None,
    on_result: OnResult,
) -> list[Any]:
    """Apply a function to parts that this process can reach."""

    here = copy_context()  # threads begin without one

    def call(job: Job) -> Any:
        return here.copy().run(run, job)

    def run(job: Job) -> Any:
        result = function(part_of(job.part), *job.shared, *job.own)
        on_result(result)
        return result

    results: list[Any] = Parallel(n_jobs=n_jobs, prefer="threads", require="sharedmem")(
        delayed(call)(job) for job in jobs
    )
    return results


def in_threads(n_jobs: int | None) -> bool:
    """Return whether jobs share memory, the default unless ``parallel_config`` says otherwise."""
    backend, _ = get_active_backend(prefer="threads")
    return n_jobs in (None, 1) or bool(getattr(backend, "supports_sharedmem", False))


def _elsewhere(function: Callable[..., Any], part: Part, job: Job) -> Any:
    """Run a job in another process, which on Ctrl-C sends back what it has learned."""
    with interrupts.Deferred() as note:
        result = function(part, *job.shared, *job.own)
        note.kept = True
    return result
