"""Tables on disk: CSV with the standard library, Parquet with pyarrow.

The cells of a CSV file stay text until the type of a column is known: during training the cells
decide it, during prediction the model does, so that a code such as ``007`` is always read alike.
"""

import csv
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import (
    AtomlearnError,
    EmptyFile,
    InvalidTable,
    MissingExtra,
    MixedColumn,
    NotText,
    suggest,
)
from atomlearn.tables.frames import NamedArray
from atomlearn.tables.numbers import has_large_integers, number_in

MISSING = frozenset(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>"])
FEW_TEXT = 0.1
"""Largest share of text cells at which a column was probably meant to be numbers."""
TRUTH = {"true": True, "false": False}


@dataclass(repr=False)
class Table:
    """Named columns; a cell is text (of a CSV file) or a value, ``None`` where it is missing.

    >>> table = Table("t.csv", {"size": ["1", "2"], "colour": ["red", None]}, is_text=True)
    >>> table.columns["colour"]
    ['red', None]
    """

    path: str
    columns: dict[str, list[Any]]
    is_text: bool

    def __repr__(self) -> str:
        return f"<Table: {self.n_rows:,} rows of {len(self.columns):,} columns, {self.path}>"

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values()), []))

    def column(self, name: str) -> list[Any]:
        """The cells of a column; raises an error that suggests another if there is none of this
        name."""
        if name not in self.columns:
            raise InvalidTable(f"{self.path} has no column {name!r}{suggest(name, self.columns)}")
        return self.columns[name]

    def guessed(self, name: str) -> list[Any]:
        """The cells of a column, as numbers or booleans if all of them are."""
        cells = self.column(name)
        if not self.is_text:
            return cells
        known = [cell for cell in cells if cell is not None]
        if all(cell.lower() in TRUTH for cell in known):
            return [None if cell is None else TRUTH[cell.lower()] for cell in cells]
        numbers = {cell: number_in(cell) for cell in set(known)}
        if None not in numbers.values():
            return [None if cell is None else numbers[cell] for cell in cells]
        mixed = Mixed()
        mixed.look(cells, 0)
        mixed.warn(self.path, name)
        return cells

    def labels(self, name: str) -> npt.NDArray[Any]:
        """A column as labels; whole numbers become integers, and none may be missing."""
        cells = self.guessed(name)
        missing = [row for row, cell in enumerate(cells) if cell is None or cell != cell]
        if missing:
            raise InvalidTable(
                f"{self.path}: row {missing[0]} has no {name!r} ({len(missing):,} such): "
                "remove these rows"
            )
        if all(_is_whole(cell) for cell in cells):
            return whole_labels([int(cell) for cell in cells])
        return np.array(cells, dtype=object if isinstance(cells[0], str) else None)

    def rows_and_labels(
        self, target: str, drop: Collection[str] = ()
    ) -> tuple[NamedArray, npt.NDArray[Any]]:
        """The rows to learn from and their labels; columns named in ``drop`` are left out."""
        names = feature_names(self.path, list(self.columns), target, drop)
        return named_rows({name: self.guessed(name) for name in names}), self.labels(target)

    def is_category(self, name: str) -> bool:
        """Does a column have cells that are neither numbers nor booleans?"""
        known = [cell for cell in self.column(name) if cell is not None]
        return not (
            all(cell.lower() in TRUTH for cell in known)
            or all(number_in(cell) is not None for cell in known)
        )

    def numbers(self, name: str) -> list[Any]:
        """The cells of a column as numbers (booleans are 0 and 1); raises an error at the first
        that is not."""
        cells = self.column(name)
        return [self._number(name, row, cell) for row, cell in enumerate(cells)]

    def _number(self, name: str, row: int, cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        if cell.lower() in TRUTH:
            return float(TRUTH[cell.lower()])
        number = number_in(cell)
        if number is None:
            raise InvalidTable(
                f"{self.path}: row {row}: column {name!r} has {cell!r}, but was "
                "numbers when the model was fitted"
            )
        return number


@dataclass
class Mixed:
    """Detects a column that is text because of a few cells, which is usually a mistake."""

    n_known: int = 0
    n_text: int = 0
    row: int = 0
    """The first row with text."""
    cell: str = ""
    """The text in that row."""

    def look(self, cells: list[str | None], first_row: int) -> None:
        """Add cells; ``first_row`` is the number of the first."""
        for i, cell in enumerate(cells):
            if cell is not None:
                self.n_known += 1
                if number_in(cell) is None:
                    self.n_text += 1
                    if self.n_text == 1:
                        self.row, self.cell = first_row + i, cell

    def warn(self, path: str, name: str) -> None:
        """Warn if nearly all cells are numbers."""
        if 0 < self.n_text <= FEW_TEXT * self.n_known:
            warnings.warn(
                f"{path}: column {name!r} is read as text, because {self.n_text:,} of "
                f"{self.n_known:,} cells are not numbers, the first in row {self.row}: "
                f"{self.cell!r} (leave a cell empty where a number is missing)",
                MixedColumn,
                stacklevel=3,
            )


def read_table(path: str | Path) -> Table:
    """Read a CSV or Parquet file.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/t.csv"
    >>> with open(path, "w") as file:
    ...     _ = file.write("size,colour,kind\\n1,red,a\\n2,,b\\n3,blue,a\\n")
    >>> read_table(path).columns["colour"]
    ['red', None, 'blue']
    """
    path = Path(path)
    if path.is_dir():
        raise InvalidTable(f"{path} is a folder: read its Parquet files in batches (--batch-rows)")
    if path.suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path)
    return _read_csv(path)


def matrix(columns: list[list[Any]]) -> npt.NDArray[Any]:
    """Columns as a matrix of numbers if all are numbers, else of objects."""
    are_numbers = all(
        type(cell) in (float, int, type(None)) for column in columns for cell in column
    )
    if are_numbers and not any(map(has_large_integers, columns)):
        # None becomes nan
        return np.array(columns, dtype=np.float64).T.copy()
    out = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out


def named_rows(columns: dict[str, list[Any]]) -> NamedArray:
    """Columns as one array that knows their names."""
    return NamedArray.of(matrix(list(columns.values())), list(columns))


def feature_names(
    path: str | Path, names: list[str], target: str, drop: Collection[str]
) -> list[str]:
    """The columns to learn from: all but ``target`` and ``drop``, which must be there."""
    for name in (target, *drop):
        if name not in names:
            raise InvalidTable(f"{path} has no column {name!r}{suggest(name, names)}")
    kept = [name for name in names if name != target and name not in drop]
    if not kept:
        raise InvalidTable(f"{path} has no column besides {target!r} to learn from")
    return kept


def _read_csv(path: Path) -> Table:
    return next(csv_tables(path, None))


def csv_tables(path: Path, n_rows: int | None) -> Iterator[Table]:
    """A CSV file as tables of at most ``n_rows`` rows."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = file.readline()
            if not header.strip():
                raise EmptyFile(f"{path} has no header line with the names of the columns")
            separator = max(",;\t|", key=header.count)
            file.seek(0)
            lines = csv.reader(file, delimiter=separator)
            names = _names(next(lines), path)
            rows = _csv_rows(lines, len(names), path)
            first = list(islice(rows, n_rows))
            if not first:
                raise InvalidTable(f"{path} has column names but no rows")
            while first:
                columns = [list(column) for column in zip(*first, strict=True)]
                yield Table(str(path), dict(zip(names, columns, strict=True)), is_text=True)
                first = list(islice(rows, n_rows)) if n_rows is not None else []
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text: {error}") from None
    except csv.Error as error:
        raise InvalidTable(f"{path} is not CSV: {error}") from None


def _csv_rows(lines: Any, n_columns: int, path: Path) -> Iterator[list[str | None]]:
    for cells in lines:
        if not cells:
            continue
        if len(cells) != n_columns:
            raise InvalidTable(
                f"{path}:{lines.line_num}: {len(cells)} cells, but the header names "
                f"{n_columns} columns"
            )
        stripped = [cell.strip() for cell in cells]
        yield [None if cell in MISSING else cell for cell in stripped]


def _names(header: list[str], path: Path) -> list[str]:
    names = [name.strip() or f"column {i + 1}" for i, name in enumerate(header)]
    double = [name for name, times in Counter(names).items() if times > 1]
    if double:
        raise InvalidTable(f"{path} has more than one column {min(double)!r}")
    return names


def _read_parquet(path: Path) -> Table:
    with open_parquet(path) as file:
        table = file.read()
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    if not columns or table.num_rows == 0:
        raise InvalidTable(f"{path} has no rows")
    return Table(str(path), columns, is_text=False)


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file; any problem raises an error that names the file."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("Parquet files need pyarrow: pip install 'atomlearn[tables]'") from None
    with path.open("rb"):
        pass  # a missing file is reported like any other
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, AtomlearnError):
            raise
        raise InvalidTable(f"{path} is not a Parquet file: {error}") from None


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell // 1


def whole_labels(labels: list[int]) -> npt.NDArray[Any]:
    """Whole numbers as labels; as text if no type of NumPy's has all of them."""
    found = np.array(labels)
    return found if found.dtype.kind in "iu" else np.array(list(map(str, labels)), dtype=object)
