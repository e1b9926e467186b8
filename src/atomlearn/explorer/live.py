"""Live learning on a page: tables round by round, boards epoch by epoch."""

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from atomlearn.errors import AtomlearnError, InvalidParameter, InvalidProblem, InvalidTable
from atomlearn.explorer.classifiers import classifier_data, rows_of
from atomlearn.explorer.page import epoch_data, queens_data
from atomlearn.problems import queens
from atomlearn.tables.files import Table, read_table
from atomlearn.tables.validation import NamedArray
from atomlearn.training.settings import Current, Hooks, Plan, Round

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

MOST_ROWS = 200_000
"""A table that is uploaded may have at most this many rows."""
MOST_CLASSES = 100
"""A table that is uploaded may have at most this many classes."""
MOST_EPOCHS = 200
"""Learning a board ends after this many epochs."""
PACE = 0.15
"""Seconds between two epochs of a board, so that each can be seen."""
BETWEEN = 0.2
"""Seconds between two reports of progress."""
MOST_EVENTS = 5000
"""At most this many events are kept for pages that connect later."""

Report = Callable[[dict[str, Any] | None], None]
"""A function that reports an event, or ``None``, and waits while the run is stopped.

An event of the kind ``progress`` is kept only until the next one. Raises :class:`Replaced` once
another run has begun.
"""
Learn = Callable[[Report], None]
"""A function that learns, and calls ``report`` wherever it may wait or be abandoned."""


class Replaced(Exception):
    """Another run has begun, so that this one must end."""


class Live(Protocol):
    """A page for the server, with learning that is watched on it."""

    def data(self) -> dict[str, Any]:
        """Return the current data of the page, with a ``title`` if it has its own."""
        ...

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Take a table, and return its columns and its number of rows."""
        ...

    def run(self, asked: dict[str, Any]) -> Learn:
        """Return the function that learns what is asked for, or raise an error."""
        ...


class Source(NamedTuple):
    """A table to learn from."""

    kind: str
    """Origin of the table: ``"sample"`` of the rows that a model keeps, ``"data"`` given beside it,
    or ``"upload"``."""
    name: str
    """The file that it came from, if there is one."""
    rows: Any
    labels: npt.NDArray[Any]
    image_shape: tuple[int, int] | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the page that describe the table."""
        return {"kind": self.kind, "name": self.name, "rows": len(self.labels)}


class LiveTable:
    """A classifier, and a table from which :meth:`~atomlearn.AlgebraicClassifier.fit` learns anew.

    The model is that of ``AlgebraicClassifier(random_state=seed).fit(rows, labels)``: the page only
    displays the progress. If the classifier is compact, so is what is learned.
    """

    def __init__(
        self,
        classifier: "AlgebraicClassifier",
        rows: Any = None,
        labels: Any = None,
        *,
        name: str = "",
        seed: int = 0,
    ) -> None:
        self.lock = threading.Lock()
        self.classifier, self.seed = classifier, seed
        self.shown = (rows, labels)
        """Rows that the page shows, unless they are those of the model's own sample."""
        kind = "data"
        if rows is None:  # the model keeps a sample of its training rows
            sample, encoder = classifier.sample_, classifier.encoder_
            sample.need("the live page without --data")
            cells = np.array(rows_of(sample.rows, encoder), dtype=object)
            rows = NamedArray.of(cells, [column.name for column in encoder.columns_])
            labels, kind = classifier.classes_[sample.labels], "sample"
        self.source = Source(kind, name, rows, np.asarray(labels), classifier.image_shape)
        self.learned: Source | None = None
        """The table that the classifier was learned from, if it was learned here."""
        self.number = 0
        """Number of classifiers that have been learned here."""
        self.uploaded: Table | None = None
        self.page: dict[str, Any] | None = None
        """The data of the page, if it has been made since the last fit."""

    def data(self) -> dict[str, Any]:
        """Return the page of the classifier as it is now."""
        with self.lock:
            if self.page is None:  # takes seconds if there are very many atoms
                self.page = classifier_data(self.classifier, *self.shown)
            page, learned, number = dict(self.page), self.learned, self.number
        if learned is not None:
            rows = {"rows": len(learned.labels), "are_different": False}
            page["summary"] = page["summary"] | rows
            if learned.kind == "upload":
                page["title"] = Path(learned.name).stem
        live = {"uploads": True, "source": self.source.to_dict(), "model": number}
        return {**page, "live": live}

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Take a table as CSV, and return its columns."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "table.csv"
                path.write_bytes(content)
                try:
                    table = read_table(path)
                except AtomlearnError as error:  # where it is kept is nobody's concern
                    raise InvalidTable(str(error).replace(str(path), name)) from None
        except OSError as error:
            raise InvalidTable(f"{name} could not be stored: {error.strerror}") from None
        if table.n_rows > MOST_ROWS:
            raise InvalidTable(f"{name} has {table.n_rows:,} rows; at most {MOST_ROWS:,} are taken")
        self.uploaded = Table(name, table.columns, table.is_text)
        return {"columns": list(table.columns), "rows": table.n_rows}

    def run(self, asked: dict[str, Any]) -> Learn:
        """Learn from the table, or from the one that was uploaded if its ``target`` is named."""
        if "target" in asked:
            self.source = self._taken(str(asked["target"]))
        source = self.source
        return lambda report: self._learn(source, report)

    def _taken(self, target: str) -> Source:
        """Return the table that was uploaded."""
        table = self.uploaded
        if table is None:
            raise InvalidParameter("no table has been uploaded")
        rows, labels = table.rows_and_labels(target)
        n_classes = len(np.unique(labels))
        if not 1 < n_classes <= MOST_CLASSES:
            raise InvalidTable(
                f"{target!r} has {n_classes:,} different values: choose a column of 2 to "
                f"{MOST_CLASSES} classes"
            )
        return Source("upload", table.path, rows, labels, None)

    def _learn(self, source: Source, report: Report) -> None:
        from atomlearn.classifier.estimator import AlgebraicClassifier
        from atomlearn.classifier.fitting import followed

        report({"source": source.to_dict()})
        watch = Watch(report)
        classifier = AlgebraicClassifier(
            random_state=self.seed,
            image_shape=source.image_shape,
            max_atoms=self.classifier.max_atoms,  # what is learned anew of a scorecard is one
            max_points=self.classifier.max_points,
        )
        with followed(watch.hooks):
            classifier.fit(source.rows, source.labels)
        with self.lock:
            self.classifier, self.learned, self.page = classifier, source, None
            self.shown = (None, None) if source.kind == "sample" else (source.rows, source.labels)
            self.number += 1
            number = self.number
        report(
            {
                "summary": self.data()["summary"],
                "source": source.to_dict(),
                "model": number,
                "seconds": watch.seconds,
            }
        )


class Watch:
    """A reporter of a running fit: each round, and the progress."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.start = self.last = time.monotonic()
        self.waited = 0.0
        self.n_rounds = self.n_epochs = 0

    @property
    def seconds(self) -> float:
        """Time since the beginning in seconds, without pauses."""
        return time.monotonic() - self.start - self.waited

    def hooks(self, plan: Plan) -> Hooks:
        """Return the hooks of the training loop."""

        def on_round(done: Round, current: Current) -> None:
            self.n_rounds += 1
            self._report({"round": self.n_rounds, "epochs": done.epochs, "error": done.error})

        def on_epoch() -> None:
            self.n_epochs += 1
            on_check()

        def on_check() -> None:
            if time.monotonic() - self.last < BETWEEN:
                return
            self.last = time.monotonic()
            self._report({"kind": "progress", "share": self.n_epochs / max(plan.epochs, 1)})

        return Hooks(on_round, on_epoch, on_check)

    def _report(self, event: dict[str, Any]) -> None:
        seconds, before = self.seconds, time.monotonic()
        self.report({**event, "seconds": seconds})
        self.waited += time.monotonic() - before


class LiveBoard:
    """A board of queens that is learned anew for the givens of the page."""

    def __init__(self, size: int, given: list[str], seed: int) -> None:
        self.size, self.given, self.seed = size, given, seed

    def data(self) -> dict[str, Any]:
        """Return the page of the board; epochs are added as they are learned."""
        page = queens_data(self.size, self.given, self.seed, max_epochs=0)
        return {**page, "live": {"uploads": False}}

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Raise an error: boards are not uploaded."""
        raise InvalidProblem("a board takes no files")

    def run(self, asked: dict[str, Any]) -> Learn:
        """Return the function that learns the board with these givens."""
        given = asked.get("given", self.given)
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise InvalidProblem("given must be a list of squares")
        solver = queens.solve(self.size, given[: self.size**2], random_state=self.seed)
        if solver.refutation is not None:
            raise InvalidProblem(str(solver.refutation))

        def learn(report: Report) -> None:
            for _ in range(MOST_EPOCHS):
                solver.step()
                report({"board": epoch_data(solver.latest)})
                time.sleep(PACE)

        return learn


class Still:
    """A page on which nothing is learned."""

    def __init__(self, page: dict[str, Any]) -> None:
        self.page = page

    def data(self) -> dict[str, Any]:
        """Return the page."""
        return self.page

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Raise an error: nothing is uploaded."""
        raise InvalidParameter("this page takes no files")

    def run(self, asked: dict[str, Any]) -> Learn:
        """Raise an error: nothing is learned."""
        raise InvalidParameter("nothing is learned on this page")


class Session:
    """A session that learns one run at a time in its own thread."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.state = "idle"
        self._changed = threading.Condition()
        self._learning = threading.Lock()
        self._events: list[tuple[int, dict[str, Any]]] = []
        self._n_events = 0
        self._run = 0

    def begin(self, asked: dict[str, Any]) -> None:
        """Start a run; a running one ends when it next reports something."""
        learn = self.live.run(asked)
        with self._changed:
            self._run += 1
            self._set("learning")
            run = self._run
            self._changed.notify_all()
        threading.Thread(target=self._follow, args=(run, learn), daemon=True).start()

    def stop(self) -> None:
        """Pause the run when it next reports something."""
        with self._changed:
            if self.state == "learning":
                self._set("stopped")

    def go_on(self) -> None:
        """Continue a run that was stopped."""
        with self._changed:
            if self.state == "stopped":
                self._set("learning")
                self._changed.notify_all()

    def events(self, after: int) -> list[tuple[int, dict[str, Any]]]:
        """Return the events after the one of this number, each with its number."""
        with self._changed:
            return [one for one in self._events if one[0] > after]

    def _follow(self, run: int, learn: Learn) -> None:
        ended = "failed: an error that was not expected; the terminal shows it"
        try:
            with self._learning:  # wait until the run before this one has ended
                self._report(run, None)
                learn(lambda event: self._report(run, event))
            ended = "done"
        except Replaced:
            return
        except (AtomlearnError, ValueError) as error:
            ended = f"failed: {error}"
        finally:
            with self._changed:
                if run == self._run:
                    self._set(ended)

    def _report(self, run: int, event: dict[str, Any] | None) -> None:
        with self._changed:
            if event is not None and run == self._run:
                self._add({"kind": "step", "run": run, **event})
            self._changed.wait_for(lambda: run != self._run or self.state != "stopped")
            if run != self._run:
                raise Replaced

    def _set(self, state: str) -> None:
        self.state = state
        self._add({"kind": "state", "run": self._run, "state": state})

    def _add(self, event: dict[str, Any]) -> None:
        if self._events and self._events[-1][1]["kind"] == "progress":
            self._events.pop()
        self._n_events += 1
        self._events.append((self._n_events, event))
        del self._events[:-MOST_EVENTS]
