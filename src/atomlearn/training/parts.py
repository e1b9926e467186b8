"""Parts of the data in memory, on disk or on a cluster: one interface to run tasks on them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from atomlearn import interrupts
from atomlearn.engine.pool import Source
from atomlearn.training.hooks import ignore
from atomlearn.training.part import Part

OnResult = Callable[[Any], object]


class Job(NamedTuple):
    """Arguments of a function of one part; what is ``shared`` by many jobs is sent once."""

    part: int
    shared: tuple[Any, ...]
    own: tuple[Any, ...]


class Parts(Protocol):
    """Parts of the data, wherever they are."""

    sources: Sequence[Source]
    """One for each part."""

    @property
    def at_a_time(self) -> int:
        """Number of tasks that run in parallel, as far as it is known."""

    def run(
        self, function: Callable[..., Any], jobs: Iterable[Job], on_result: OnResult = ignore
    ) -> list[Any]:
        """The results of ``function(part, *shared, *own)``, in the order of the jobs.

        ``on_result`` is told of each, in any order and from any thread.
        """


class InMemory:
    """All data as one part, in threads or in whatever processes joblib is told to use."""

    def __init__(self, part: Part, n_jobs: int | None = None) -> None:
        self.part = part
        self.n_jobs = n_jobs
        self.sources: Sequence[Source] = [part.source()]

    @property
    def at_a_time(self) -> int:
        """Jobs that run at the same time."""
        return int(effective_n_jobs(self.n_jobs))

    def run(
        self, function: Callable[..., Any], jobs: Iterable[Job], on_result: OnResult = ignore
    ) -> list[Any]:
        """Apply the function; kernels release the interpreter's lock, so threads are quick."""
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

    def call(job: Job) -> Any:
        result = function(part_of(job.part), *job.shared, *job.own)
        on_result(result)
        return result

    results: list[Any] = Parallel(n_jobs=n_jobs, prefer="threads", require="sharedmem")(
        delayed(call)(job) for job in jobs
    )
    return results


def in_threads(n_jobs: int | None) -> bool:
    """Do jobs share memory? They do unless the user chose otherwise by ``parallel_config``."""
    backend, _ = get_active_backend(prefer="threads")
    return n_jobs in (None, 1) or bool(getattr(backend, "supports_sharedmem", False))


def _elsewhere(function: Callable[..., Any], part: Part, job: Job) -> Any:
    """In another process. A terminal sends Ctrl-C there too: what it has learned is sent back."""
    with interrupts.Deferred() as note:
        result = function(part, *job.shared, *job.own)
        note.kept = True
    return result
