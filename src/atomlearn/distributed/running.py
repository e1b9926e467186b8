"""Run tasks on parts with Dask.

Dask collections as lists of delayed parts: blocks of rows with their labels.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np

from atomlearn import interrupts
from atomlearn.distributed.parts import (
    Packed,
    PartSummary,
    Recoding,
    Survey,
    encode,
    pack,
    sampled,
    sources_of,
    survey,
)
from atomlearn.engine.pool import Source
from atomlearn.errors import MissingExtra, SchedulerUnreachable, UnfitParts, WorkersLost, suggest
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import Map
from atomlearn.training.parts import Job, OnResult
from atomlearn.training.settings import ignore


class DelayedPart(NamedTuple):
    """Some rows and their labels, computed where they are needed."""

    X: Any
    y: Any


def need_dask() -> None:
    """Raise an error that names the extra to install, if Dask is missing."""
    try:
        import dask.array
        import dask.dataframe  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "data on several machines needs Dask: pip install 'atomlearn[dask]'"
        ) from None


def delayed_parts(X: Any, y: Any) -> list[DelayedPart]:
    """Return the partitions of a data frame, or the blocks of rows of an array, with their labels.

    >>> import dask.array
    >>> X, y = dask.array.zeros((6, 2), chunks=(3, 1)), dask.array.zeros(6, chunks=3)
    >>> [part.X.compute().shape for part in delayed_parts(X, y)]
    [(3, 2), (3, 2)]
    """
    need_dask()
    if isinstance(y, str):
        X, y = _without_target(X, y)
    rows, labels = _rows(X), _labels(y)
    if len(rows) != len(labels):
        raise UnfitParts(
            f"X has {len(rows)} partitions and y has {len(labels)}: partition both alike"
        )
    return [DelayedPart(*both) for both in zip(rows, labels, strict=True)]


def _rows(X: Any) -> list[Any]:
    import dask.array as da
    import dask.dataframe as dd

    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise UnfitParts(f"X must have rows and columns; it has {X.ndim} dimension(s)")
        return list(X.rechunk({1: -1}).to_delayed().ravel())
    if isinstance(X, dd.DataFrame):
        return list(X.to_delayed())
    raise UnfitParts(
        f"X must be a Dask array or data frame, not a {type(X).__name__} "
        "(what fits in memory is learned by AlgebraicClassifier().fit)"
    )


def _labels(y: Any) -> list[Any]:
    import dask.array as da
    import dask.dataframe as dd

    if isinstance(y, da.Array):
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise UnfitParts(f"y must be one column of labels; it has {y.ndim} dimensions")
        return list(y.to_delayed().ravel())
    if isinstance(y, dd.DataFrame) and len(y.columns) == 1:
        y = y[y.columns[0]]
    if isinstance(y, dd.Series):
        return list(y.to_delayed())
    raise UnfitParts(
        f"y must be a Dask array or series, or the name of a column of X, not a {type(y).__name__}"
    )


def _without_target(X: Any, target: str) -> tuple[Any, Any]:
    columns = list(getattr(X, "columns", []))
    if target not in columns:
        raise UnfitParts(f"X has no column {target!r}{suggest(target, columns)}")
    return X[[name for name in columns if name != target]], X[target]


SECONDS_TO_CONNECT = 10
SECONDS_TO_LOOK = 0.5
"""Seconds between checks for an interruption while waiting for workers."""
LARGE_GRAPH = "1 GB"
"""Size of a graph from which Dask warns; pins are part of the graph and exceed the default of 10
MB."""
_WARNING = "distributed.admin.large-graph-warning-threshold"


class Scheduler:
    """Dask's scheduler as the user has set it up: a client, its address, or the default."""

    def __init__(self, client: Any = None) -> None:
        self.client = client

    def compute(self, values: Sequence[Any]) -> list[Any]:
        """Compute all values, in order."""
        return self._call("compute", values)

    def persist(self, values: Sequence[Any]) -> list[Any]:
        """Compute the values and keep them on the workers."""
        return self._call("persist", values)

    def n_threads(self) -> int:
        """Return the number of tasks that run in parallel."""
        client = self._cluster()
        threads = os.cpu_count() if client is None else sum(client.nthreads().values())
        return threads or 1

    def _cluster(self) -> Any:
        """Return the client, if tasks do not run in this process."""
        from dask.base import get_scheduler

        client = getattr(get_scheduler(scheduler=self.client), "__self__", None)
        return client if hasattr(client, "nthreads") else None

    def _compute(self, what: str, values: Sequence[Any]) -> list[Any]:
        import dask

        client = self._cluster()
        if what == "persist" or client is None:  # threads here look themselves whether to stop
            options = {} if self.client is None else {"scheduler": self.client}
            return list(getattr(dask, what)(*values, **options))
        from distributed import wait

        futures = client.compute(list(values))
        try:
            while True:
                interrupts.check()
                with suppress(TimeoutError):
                    wait(futures, timeout=SECONDS_TO_LOOK)
                    return list(client.gather(futures))
        except KeyboardInterrupt:
            client.cancel(futures)
            raise

    def _call(self, what: str, values: Sequence[Any]) -> list[Any]:
        import dask

        # Only if it is there: a setting of what is imported later would take its defaults away.
        quiet = {_WARNING: LARGE_GRAPH} if "distributed" in sys.modules else {}
        with dask.config.set(quiet):
            try:
                return self._compute(what, values)
            except Exception as error:
                if type(error).__name__ == "KilledWorker":
                    raise WorkersLost(
                        f"{error}: probably a partition does not fit in a worker's memory; use "
                        "smaller partitions. A checkpoint, if one was asked for, has what was "
                        "learned so far."
                    ) from error
                raise


@contextmanager
def connected(client: Any) -> Iterator[Scheduler]:
    """Connect to a scheduler, given a client, the address of one, or nothing."""
    if not isinstance(client, str):
        status = getattr(client, "status", "running")
        if status != "running":
            raise SchedulerUnreachable(f"the Dask client is {status}: connect it, or make another")
        yield Scheduler(client)
        return
    from distributed import Client

    try:
        own = Client(client, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SchedulerUnreachable(
            f"no Dask scheduler answers at {client} ({type(error).__name__}): is it running, and "
            "is the address right?"
        ) from None
    with own:
        yield Scheduler(own)


class DaskRows:
    """Rows and labels of Dask collections."""

    def __init__(self, parts: Sequence[DelayedPart], scheduler: Scheduler) -> None:
        self.parts = parts
        self.scheduler = scheduler
        self.surveys: list[Any] = []
        """What each part has told, with its worker."""
        self.have_rows: list[int] = []

    def survey(self, seed: int, as_whole: bool, are_numbers: bool) -> list[Survey]:
        """Summarise each part; its sample and its values stay with its worker."""
        import dask

        look, most = dask.delayed(survey, pure=False), sampled(len(self.parts))
        self.surveys = self.scheduler.persist(
            [
                look(part.X, part.y, p, seed, most, as_whole, are_numbers)
                for p, part in enumerate(self.parts)
            ]
        )
        heads: list[Survey] = self.ask(Survey.head)
        self.have_rows = [p for p, one in enumerate(heads) if one.n_rows]
        return heads

    def ask(self, function: Callable[[Survey], Any]) -> list[Any]:
        """Apply a function to the survey of each part."""
        import dask

        call = dask.delayed(function, pure=False)
        return self.scheduler.compute([call(one) for one in self.surveys])

    def encode(self, encoder: LiteralEncoder, moved: Sequence[Map]) -> Iterator[Any]:
        """Yield the packed rows of the parts that have some."""
        import dask

        self.surveys = []  # the workers need not keep them any longer
        make, shared = dask.delayed(encode, pure=False), [encoder, list(moved)]
        how = [dask.delayed(one, pure=False, traverse=False) for one in shared]
        at_once = self.scheduler.n_threads()  # all parts together might not fit into memory
        for start in range(0, len(self.have_rows), at_once):
            some = self.have_rows[start : start + at_once]
            yield from self.scheduler.compute([make(self.parts[p].X, *how, p) for p in some])

    def pack(
        self, recoding: Recoding, surveys: Sequence[Survey]
    ) -> tuple["DaskParts", list[PartSummary]]:
        """Encode the parts that have rows; the workers keep them."""
        import dask

        self.surveys = []

        make, tell = dask.delayed(pack, pure=False), dask.delayed(_summary, pure=False)
        how = dask.delayed(recoding, pure=False, traverse=False)
        first = np.cumsum([0, *(one.n_rows for one in surveys)])
        packed = self.scheduler.persist(
            [
                make(part.X, part.y, how, p, int(first[p]))
                for p, part in enumerate(self.parts)
                if surveys[p].n_rows
            ]
        )
        summaries: list[PartSummary] = self.scheduler.compute([tell(one) for one in packed])
        return DaskParts(packed, sources_of(summaries), self.scheduler), summaries


class DaskParts:
    """Encoded parts on the workers."""

    def __init__(
        self, packed: Sequence[Any], sources: Sequence[Source], scheduler: Scheduler
    ) -> None:
        self.packed = packed
        self.sources = sources
        self.scheduler = scheduler

    @property
    def at_a_time(self) -> int:
        """Number of threads of all workers."""
        return self.scheduler.n_threads()

    def run(
        self, function: Callable[..., Any], jobs: Iterable[Job], on_result: OnResult = ignore
    ) -> list[Any]:
        """Apply the function to each part, where it is."""
        import dask

        apply = dask.delayed(_apply, pure=False)
        nodes: dict[int, Any] = {}
        calls = []
        for job in jobs:
            for one in job.shared:
                if id(one) not in nodes:  # a node of its own: sent once
                    nodes[id(one)] = dask.delayed(one, pure=False, traverse=False)
            shared = [nodes[id(one)] for one in job.shared]
            calls.append(apply(self.packed[job.part], function, job.own, *shared))
        results = self.scheduler.compute(calls) if calls else []
        for result in results:
            on_result(result)
        return results


def _summary(packed: Packed) -> PartSummary:
    return packed.summary


def _apply(packed: Packed, function: Callable[..., Any], own: tuple[Any, ...], *shared: Any) -> Any:
    return function(packed.part, *shared, *own)
