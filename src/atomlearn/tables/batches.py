"""Tables larger than memory, as batches of rows and labels that can be read repeatedly."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.errors import DataNotFound, InvalidTable
from atomlearn.tables.files import (
    Cells,
    Mixed,
    csv_tables,
    feature_names,
    is_parquet,
    labels_of,
    named_rows,
    open_parquet,
)
from atomlearn.tables.numbers import has_large_integers
from atomlearn.tables.validation import NO_TIMES, NamedArray

ROWS = 100_000
"""Default number of rows in a batch."""


class Batch(NamedTuple):
    """Some rows and their labels."""

    X: Any
    y: npt.NDArray[Any]


class ArrayBatches:
    """Batches of two arrays, which may be mapped from disk (``np.load(path, mmap_mode="r")``).

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        The labels.
    rows : int, default=100000
        Number of rows in a batch.

    Examples
    --------
    >>> [len(batch.y) for batch in ArrayBatches(np.zeros((5, 2)), np.zeros(5), rows=2)]
    [2, 2, 1]
    """

    def __init__(self, X: Any, y: Any, rows: int = ROWS) -> None:
        if len(X) != len(y):
            raise InvalidTable(f"there are {len(X):,} rows and {len(y):,} labels")
        self.X, self.y, self.rows = X, y, _checked(rows)

    def __iter__(self) -> Iterator[Batch]:
        for start in range(0, len(self.y), self.rows):
            part = slice(start, start + self.rows)
            yield Batch(np.asarray(self.X[part]), np.asarray(self.y[part]))


class ParquetBatches:
    """Batches of a Parquet file, or of the Parquet files of a folder, ordered by name.

    Parameters
    ----------
    path : str or Path
        The file or folder.
    target : str
        The column of the labels.
    rows : int, default=100000
        Number of rows in a batch.
    drop : collection of str, default=()
        Columns to leave out.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet
    >>> path = f"{tempfile.mkdtemp()}/t.parquet"
    >>> pa.parquet.write_table(pa.table({"size": [1, 2, 3], "kind": ["a", "b", "a"]}), path)
    >>> [list(labels) for _, labels in ParquetBatches(path, "kind", rows=2)]
    [['a', 'b'], ['a']]
    """

    def __init__(
        self, path: str | Path, target: str, rows: int = ROWS, drop: Collection[str] = ()
    ) -> None:
        self.target, self.rows, self.drop = target, _checked(rows), drop
        path = Path(path)
        self.files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
        if not self.files:
            raise InvalidTable(f"the folder {path} has no .parquet files")

    def __iter__(self) -> Iterator[Batch]:
        for path in self.files:
            with open_parquet(path) as file:
                names = list(file.schema_arrow.names)
                kept = [*feature_names(path, names, self.target, self.drop), self.target]
                _refuse_times(path, file.schema_arrow, kept)
                for batch in file.iter_batches(batch_size=self.rows, columns=kept):
                    columns = {name: _cells(batch.column(name)) for name in kept}
                    y = columns.pop(self.target)
                    yield Batch(_side_by_side(list(columns.values()), list(columns)), y)


class CsvBatches:
    """Batches of a CSV file, which is first scanned once for the type of each column.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str
        The column of the labels.
    rows : int, default=100000
        Number of rows in a batch.
    drop : collection of str, default=()
        Columns to leave out.

    Examples
    --------
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/t.csv"
    >>> with open(path, "w") as file:
    ...     _ = file.write("size,colour,kind\\n1,red,a\\n2,,b\\n3,blue,a\\n")
    >>> batches = CsvBatches(path, "kind", rows=2)
    >>> [labels.tolist() for _, labels in batches]
    [['a', 'b'], ['a']]
    """

    def __init__(
        self, path: str | Path, target: str, rows: int = ROWS, drop: Collection[str] = ()
    ) -> None:
        self.path, self.target, self.rows, self.drop = Path(path), target, _checked(rows), drop
        self._is_text: dict[str, bool] | None = None

    def __iter__(self) -> Iterator[Batch]:
        if self._is_text is None:
            self._is_text = self._look()
        for table in csv_tables(self.path, self.rows):
            columns = {
                name: table.column(name) if is_text else table.numbers(name)
                for name, is_text in self._is_text.items()
            }
            labels = columns.pop(self.target)
            yield Batch(named_rows(columns), _labels(labels))

    def _look(self) -> dict[str, bool]:
        """Return for each used column, the target last, whether it has text anywhere."""
        is_text: dict[str, bool] = {}
        mixed: dict[str, Mixed] = {}
        first_row = 0
        for table in csv_tables(self.path, self.rows):
            missing = table.column(self.target).rows_where(lambda cell: cell is None)
            if len(missing):
                row = first_row + int(missing[0])
                raise InvalidTable(f"{self.path}: row {row} has no {self.target!r}")
            names = feature_names(self.path, table.columns, self.target, self.drop)
            for name in (*names, self.target):
                mixed.setdefault(name, Mixed()).look(table.column(name), first_row)
                is_text[name] = is_text.get(name, False) or table.is_category(name)
            first_row += table.n_rows
        for name, seen in mixed.items():
            seen.warn(str(self.path), name)
        return is_text


Batches = ArrayBatches | ParquetBatches | CsvBatches


def read_batches(
    path: str | Path, target: str, rows: int = ROWS, drop: Collection[str] = ()
) -> Batches:
    """Read a CSV file, a Parquet file or a folder of Parquet files in batches.

    Parameters
    ----------
    path : str or Path
        The file or folder.
    target : str
        The column of the labels.
    rows : int, default=100000
        Number of rows in a batch.
    drop : collection of str, default=()
        Columns to leave out.

    Returns
    -------
    CsvBatches or ParquetBatches
        The batches, which can be read repeatedly.

    Examples
    --------
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/t.csv"
    >>> with open(path, "w") as file:
    ...     _ = file.write("size,colour,kind\\n1,red,a\\n2,,b\\n3,blue,a\\n")
    >>> type(read_batches(path, "kind")).__name__
    'CsvBatches'
    """
    path = Path(path)
    if not path.exists():
        raise DataNotFound(f"{path}: there is no such file or folder")
    if path.is_dir() or is_parquet(path):
        return ParquetBatches(path, target, rows, drop)
    return CsvBatches(path, target, rows, drop)


def _cells(column: Any) -> npt.NDArray[Any]:
    """Return an Arrow column as an array; large integers with missing values stay exact."""
    if column.null_count and str(column.type) in ("int64", "uint64"):
        cells = np.array(column.to_pylist(), dtype=object)
        if has_large_integers(cells):
            return cells
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _labels(cells: Cells) -> npt.NDArray[Any]:
    """Return labels as an array; numbers become integers where floating point would round them."""
    return labels_of(cells) if has_large_integers(cells.values) else cells.to_array(None)


def _side_by_side(columns: list[npt.NDArray[Any]], names: list[str]) -> NamedArray:
    kinds = {column.dtype for column in columns}
    is_exact = len(kinds) == 1 or not any(map(has_large_integers, columns))
    if {dtype.kind for dtype in kinds} <= set("biuf") and is_exact:
        return NamedArray.of(np.column_stack(columns), names)
    every_row = np.arange(len(columns[0]))
    cells = [Cells(column.tolist(), every_row) for column in columns]
    return named_rows(dict(zip(names, cells, strict=True)))


def _refuse_times(path: Path, schema: Any, names: list[str]) -> None:
    """Refuse dates: NumPy would silently convert them to numbers."""
    for name in names:
        if str(schema.field(name).type).startswith(("date", "time", "duration")):
            raise InvalidTable(f"{path}: {NO_TIMES.format(name)}")


def _checked(rows: int) -> int:
    if rows < 1:
        raise InvalidTable(f"a batch must have at least one row, not {rows}")
    return rows


def chained(batches: Any) -> Iterator[Batch]:
    """Yield the batches of an iterable of pairs of rows and labels, checked one by one."""
    for i, pair in enumerate(batches):
        try:
            X, y = pair
        except (TypeError, ValueError):
            raise InvalidTable(f"batch {i} is not a pair of rows and labels") from None
        yield Batch(X, y if hasattr(y, "iloc") else np.asarray(y))  # a series has a name
