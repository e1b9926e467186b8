"""What is learned while a page looks on: tables batch by batch, boards epoch by epoch."""

import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.errors import InvalidParameter, InvalidProblem, InvalidTable
from atomlearn.explorer.boards import epoch_data, queens_data
from atomlearn.explorer.cells import rows_of
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.problems import queens
from atomlearn.tables.files import Table, matrix, read_table
from atomlearn.tables.frames import NamedArray

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

FIRST_ROWS, BATCH_ROWS = 2000, 300
"""Rows of the first batch, which decides on cuts and categories, and of the others."""
EPOCHS = 2
"""Epochs of a batch."""
MOST_BATCHES = 150
HELD_OUT = 0.2
"""Share of the rows that is never learned from: accuracy is measured on these."""
MOST_ROWS, MOST_CLASSES = 200_000, 100
"""Of a table that is uploaded."""
MOST_EPOCHS, PACE = 200, 0.15
"""Of a board, and the seconds between two of them, so that they can be seen."""


class LiveTable:
    """A classifier that learns in batches, as the paper does, from a table."""

    def __init__(
        self, classifier: "AlgebraicClassifier", rows: Any = None, labels: Any = None
    ) -> None:
        self.lock = threading.Lock()
        self.classifier = classifier
        self.shown = self.next_shown = (rows, labels)
        """Rows on the page of this classifier, and of the one that is to be learned."""
        if rows is None:  # the model keeps a sample of its training rows
            sample, encoder = classifier.sample_, classifier.encoder_
            cells = np.array(rows_of(sample.rows, encoder), dtype=object)
            rows = NamedArray.of(cells, [column.name for column in encoder.columns_])
            labels = classifier.classes_[sample.labels]
        self.rows, self.labels = rows, np.asarray(labels)
        self.uploaded: Table | None = None
        self.told: dict[str, Any] | None = None
        self.image_shape = classifier.image_shape

    def data(self) -> dict[str, Any]:
        """The page of the classifier as it is now."""
        with self.lock:
            if self.told is None:  # seconds, if there are very many atoms
                self.told = classifier_data(self.classifier, *self.shown)
            told = self.told
        return {**told, "live": {"rows": len(self.labels), "uploads": True}}

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Take a table as CSV; says which columns it has."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            path.write_bytes(content)
            try:
                table = read_table(path)
            except InvalidTable as error:
                raise InvalidTable(str(error).replace(str(path), name)) from None
        if table.n_rows > MOST_ROWS:
            raise InvalidTable(f"{name} has {table.n_rows:,} rows; at most {MOST_ROWS:,} are taken")
        self.uploaded = Table(name, table.columns, table.is_text)
        return {"columns": list(table.columns), "rows": table.n_rows}

    def steps(self, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Learn from the table, or from the one that was uploaded if its ``target`` is named."""
        if "target" in asked:
            self._take_uploaded(str(asked["target"]))
        return self._batches()

    def _take_uploaded(self, target: str) -> None:
        table = self.uploaded
        if table is None:
            raise InvalidParameter("no table has been uploaded")
        labels = table.labels(target)
        n_classes = len(np.unique(labels))
        if not 1 < n_classes <= MOST_CLASSES:
            raise InvalidTable(
                f"{target!r} has {n_classes:,} different values: choose a column of 2 to "
                f"{MOST_CLASSES} classes"
            )
        names = [name for name in table.columns if name != target]
        if not names:
            raise InvalidTable(f"{table.path} has no column besides {target!r} to learn from")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.rows = NamedArray.of(matrix([table.guessed(name) for name in names]), names)
        self.labels, self.image_shape = labels, None
        self.next_shown = (self.rows, labels)

    def _batches(self) -> Iterator[dict[str, Any]]:
        from atomlearn.classifier.estimator import AlgebraicClassifier

        rng = np.random.default_rng(0)
        order = rng.permutation(len(self.labels))
        n_held = int(HELD_OUT * len(order))
        held, ours = order[:n_held], order[n_held:]
        classifier = AlgebraicClassifier(
            random_state=0, max_epochs=EPOCHS, image_shape=self.image_shape, evidence="strict"
        )
        rows, labels, classes = self.rows, self.labels, np.unique(self.labels)
        shown = self.next_shown
        for number in range(MOST_BATCHES):
            batch = ours[:FIRST_ROWS] if number == 0 else rng.permutation(ours)[:BATCH_ROWS]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                classifier.partial_fit(rows[batch], labels[batch], classes=classes)
                accuracy = None if n_held == 0 else classifier.score(rows[held], labels[held])
            self.classifier, self.shown, self.told = classifier, shown, None
            learned = classifier.learned_
            latest = {entry["class"]: entry["atoms"] for entry in classifier.history_}
            yield {
                "epoch": max(learned.epochs),
                "accuracy": accuracy,
                "pool": sum(map(len, learned.pools)),
                "atoms": sum(latest.values()),
                "examples": int(classifier.sample_.totals.sum()),
            }


class LiveBoard:
    """A board of queens that is learned anew for the givens of the page."""

    def __init__(self, size: int, given: list[str], seed: int) -> None:
        self.lock = threading.Lock()
        self.size, self.given, self.seed = size, given, seed

    def data(self) -> dict[str, Any]:
        """The page of the board; epochs come as they are learned."""
        told = queens_data(self.size, self.given, self.seed, max_epochs=0)
        return {**told, "live": {"uploads": False}}

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Boards are not uploaded."""
        raise InvalidProblem("a board takes no files")

    def steps(self, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Learn the board with these givens."""
        given = asked.get("given", self.given)
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise InvalidProblem("given must be a list of squares")
        solver = queens.solve(self.size, given[: self.size**2], random_state=self.seed)
        return self._epochs(solver)

    def _epochs(self, solver: Any) -> Iterator[dict[str, Any]]:
        if solver.refutation is not None:
            raise InvalidProblem(str(solver.refutation))
        for _ in range(MOST_EPOCHS):
            solver.step()
            yield {"board": epoch_data(solver.latest)}
            time.sleep(PACE)


class Still:
    """A page on which nothing is learned."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.lock = threading.Lock()
        self.told = told

    def data(self) -> dict[str, Any]:
        """The page."""
        return self.told

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Nothing is uploaded."""
        raise InvalidParameter("this page takes no files")

    def steps(self, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Nothing is learned."""
        raise InvalidParameter("nothing is learned on this page")
