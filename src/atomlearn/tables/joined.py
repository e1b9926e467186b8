"""A table in parts that is learned from as a whole: the model is that of the table in one piece.

Cuts and categories depend only on how often each value of a column occurs with each class. So each
part counts its different values, which is exact in any order; the cuts that follow from all counts
are those of the whole table. Then each part encodes its rows with them, and the packed rows, which
are far smaller than the table, are joined in the order of the parts.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.errors import AtomlearnError
from atomlearn.sets import memory
from atomlearn.sets.rows import unpack, width
from atomlearn.tables.numbers import exact_numbers, is_missing
from atomlearn.tables.validation import Kind, number_column, object_column, refuse_unhashable
from atomlearn.typing import Bits, Floats, Integers

if TYPE_CHECKING:
    from atomlearn.tables.encoder import LiteralEncoder

CELLS_AT_ONCE = 1 << 23
"""Number of truth values that are encoded at a time, to bound the memory for unpacked bits."""
TIMES_ON_DISK = 5
"""Files take at most so many times what the packed rows with all literals of the columns take."""
FETCHED = 1 << 27
"""Bytes of counts that are fetched at a time: of some columns from all parts."""


class Distinct(NamedTuple):
    """The different pairs of a value and a label in a column, and how often each occurs."""

    values: npt.NDArray[Any]
    counts: Integers
    labels: Integers

    @property
    def size(self) -> int:
        """Number of bytes, with references to objects but without these."""
        return sum(array.nbytes for array in self)


def distinct(table: Any, j: int, name: str, is_category: bool, labels: Integers) -> Distinct:
    """Count the pairs of a value and a label in a column of a validated table.

    Numbers ascend; categories come in the order of the rows, and missing values are included.
    """
    if is_category:
        values = object_column(table, j)
        cells = values.copy()
        cells[is_missing(values)] = None
        try:
            counted = Counter(zip(cells.tolist(), labels.tolist(), strict=True))
        except TypeError:
            refuse_unhashable(values, name)
            raise
        found = np.empty(len(counted), dtype=object)
        found[:] = [value for value, _ in counted]
        return Distinct(
            found,
            _small(np.fromiter(counted.values(), np.int64, len(counted))),
            _small(np.array([label for _, label in counted], dtype=np.int64)),
        )
    numbers = table[:, j] if table.dtype.kind in "biuf" else number_column(table, j, name)
    missing = is_missing(numbers)
    known, where = np.unique(numbers[~missing], return_inverse=True)
    place = np.full(len(numbers), len(known))
    place[~missing] = where
    n_labels = int(labels.max()) + 1
    pairs, counts = np.unique(place * n_labels + labels, return_counts=True)
    which, label = np.divmod(pairs, n_labels)
    if missing.any():
        absent: Any = None if known.dtype.kind == "O" else np.nan
        known = np.append(known, np.array([absent], dtype=known.dtype))
    return Distinct(known[which], _small(counts), _small(label))


def _small(numbers: Integers) -> Integers:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


class TooManyRows(AtomlearnError):
    """Raised if the packed rows of all parts would take more than is allowed."""


@dataclass
class TableParts:
    """The parts of a table: what is known of them, and how to ask them for more."""

    kinds: Sequence[Kind]
    labels: Sequence[Integers]
    """For each part, the label of each row, as a number among those of all parts."""
    places: Sequence[Integers]
    """For each part, the number among those of all parts that each of its own labels has."""
    sizes: Sequence[int]
    """Bytes of the counts of each column in all parts."""
    fetch: Callable[[Sequence[int]], list[list[Distinct]]]
    """Returns the counts of some columns, for each part."""
    encode: Callable[["LiteralEncoder"], Iterator[npt.NDArray[np.uint64]]]
    """Yields the packed rows of each part: all literals of the rows, then of their variants."""
    n_variants: int
    most_bytes: int
    rows: npt.NDArray[np.uint64] | None = None
    n_literals: int = 0
    _fetched: dict[int, list[Distinct]] = field(default_factory=dict)

    def counts(self, j: int) -> list[Distinct]:
        """Return the counts of a column, with those of the next ones if these are small."""
        if j not in self._fetched:
            reached = np.cumsum(self.sizes[j:])
            columns = range(j, j + max(1, int(np.searchsorted(reached, FETCHED))))
            parts = self.fetch(columns)
            self._fetched = {i: [one[k] for one in parts] for k, i in enumerate(columns)}
        return self._fetched[j]

    def read(self, encoder: "LiteralEncoder") -> None:
        """Have all parts encode their rows with the literals of an encoder, and join them."""
        self._fetched = {}
        self.n_literals = len(encoder.literals_)
        shape = (self.n_variants, sum(map(len, self.labels)), width(self.n_literals))
        if 8 * int(np.prod(shape, dtype=object)) > self.most_bytes:
            raise TooManyRows("the packed rows of all parts are more than fit on one machine")
        if 8 * int(np.prod(shape)) > memory.IN_MEMORY:
            memory.need_disk(TIMES_ON_DISK * 8 * int(np.prod(shape)))
        self.rows = memory.room(shape)
        start = 0
        for part in self.encode(encoder):
            self.rows[:, start : start + part.shape[1]] = part
            start += part.shape[1]


@dataclass(frozen=True)
class JoinedTable:
    """Some rows of a table in parts. An encoder is fitted to it as to a table in one piece."""

    source: TableParts
    n_columns: int
    numbers: Integers
    """The number of each row in the whole table."""
    labels: Integers
    """The label of each row, as a number."""
    variant: int = 0

    @classmethod
    def of(cls, source: TableParts) -> "JoinedTable":
        """Return the table with all rows."""
        labels = np.concatenate(source.labels)
        return cls(source, len(source.kinds), np.arange(len(labels)), labels)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.numbers), self.n_columns

    def __getitem__(self, which: Any) -> "JoinedTable":
        return replace(self, numbers=self.numbers[which], labels=self.labels[which])

    def moved(self, i: int) -> "JoinedTable":
        """Return the same rows, moved by a symmetry."""
        return replace(self, variant=1 + i)

    def column(self, j: int, is_category: bool) -> tuple[npt.NDArray[Any], Floats, Integers]:
        """Return the different values of a column by label, with their number of rows and label.

        Labels are told as indices among those that these rows have.
        """
        present = np.unique(self.labels)
        values, counts, labels = zip(*self.source.counts(j), strict=True)
        weights = np.concatenate(counts).astype(np.float64)
        pairs = zip(self.source.places, labels, strict=True)
        label = np.concatenate([place[ours] for place, ours in pairs])
        found = np.concatenate([one.astype(object) for one in values] if is_category else values)
        ours = np.isin(label, present)
        cells = found[ours] if is_category else exact_numbers(found[ours])
        return cells, weights[ours], np.searchsorted(present, label[ours])

    def chunks(self, kept: Integers | None) -> Iterator[tuple[int, Bits]]:
        """Yield the truth of some literals, or of all, some rows at a time."""
        assert self.source.rows is not None
        rows, n = self.source.rows[self.variant], self.source.n_literals
        step = max(64, CELLS_AT_ONCE // max(1, n))
        for start in range(0, len(self.numbers), step):
            bits = unpack(rows[self.numbers[start : start + step]], n)
            yield start, bits if kept is None else bits[:, kept]
