"""Tables on disk: CSV, read by pyarrow or else by pandas, and Parquet, read by pyarrow.

The cells of a CSV file stay text until the type of a column is known: during training the cells
decide it, during prediction the model does, so that a code such as ``007`` is always read alike.
"""

import csv
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

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
from atomlearn.tables.numbers import has_large_integers, number_in
from atomlearn.tables.validation import NamedArray

MISSING = frozenset(["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>"])
"""Cells of a CSV file that mean a missing value."""
TRUTH = {"true": True, "false": False}
"""Cells of a CSV file that are booleans, in lower case."""
FEW_TEXT = 0.1
"""Largest share of text cells at which a column was probably meant to be numbers."""
WITH_COMMA = re.compile(r"[-+]?\d[\d.]*,\d+")
"""A number with a decimal comma, as 1.234,5 or 0,25."""
DATE = re.compile(r"(\d{4}-\d\d?-\d\d?|\d\d?([./])\d\d?\2\d{2,4})([T ]\d\d?:\d\d.*)?")
"""A date, as 2020-01-31, 31.1.2020 or 1/31/20, with or without a time."""
BLOCK = 16 << 20
"""A CSV file is read in blocks of this many bytes; a row has to fit into one."""


class Cells(NamedTuple):
    """The cells of a column: its distinct values, and which of them each row has.

    Parameters
    ----------
    values : list
        Text, numbers or booleans, and ``None`` for a missing value.
    codes : ndarray of int
        For each row, the index of its cell among the values.

    Examples
    --------
    >>> Cells(["red", None], np.array([0, 1, 0])).to_list()
    ['red', None, 'red']
    """

    values: list[Any]
    codes: npt.NDArray[np.integer[Any]]

    def to_list(self) -> list[Any]:
        """Return the cell of each row."""
        return [self.values[code] for code in self.codes.tolist()]

    def to_array(self, dtype: Any = object) -> npt.NDArray[Any]:
        """Return the cell of each row as an array, with ``nan`` for a missing number.

        Parameters
        ----------
        dtype : dtype, default=object
            The type of the array.
        """
        return np.array(self.values, dtype=dtype)[self.codes]

    def mapped(self, convert: Callable[[Any], Any]) -> "Cells":
        """Return the same cells with other values.

        Parameters
        ----------
        convert : callable
            A function that converts a value.
        """
        return Cells([convert(value) for value in self.values], self.codes)

    def rows_where(self, has: Callable[[Any], bool]) -> npt.NDArray[np.int64]:
        """Return the rows whose cell has a property.

        Parameters
        ----------
        has : callable
            A function that returns whether a value has the property.
        """
        return np.flatnonzero(np.array([has(value) for value in self.values])[self.codes])


@dataclass(repr=False)
class Table:
    """Named columns of a CSV or Parquet file.

    Parameters
    ----------
    path : str
        The file.
    columns : dict of str to Cells
        The columns, in which a missing cell is ``None``.
    is_text : bool
        Whether cells are text (of a CSV file) and not values.

    Examples
    --------
    >>> colours = Cells(["red", None], np.array([0, 1]))
    >>> Table("t.csv", {"colour": colours}, is_text=True).n_rows
    2
    """

    path: str
    columns: dict[str, Cells]
    is_text: bool

    def __repr__(self) -> str:
        return f"<Table: {self.n_rows:,} rows of {len(self.columns):,} columns, {self.path}>"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).codes) if self.columns else 0

    def column(self, name: str) -> Cells:
        """Return the cells of a column.

        Parameters
        ----------
        name : str
            The name of the column.

        Raises
        ------
        InvalidTable
            If there is no such column; the message suggests a similar name.
        """
        if name not in self.columns:
            raise InvalidTable(f"{self.path} has no column {name!r}{suggest(name, self.columns)}")
        return self.columns[name]

    def guessed(self, name: str) -> Cells:
        """Return the cells of a column, as numbers or booleans if all of them are.

        Parameters
        ----------
        name : str
            The name of the column.
        """
        cells = self.column(name)
        if not self.is_text:
            return cells
        typed = _typed(cells)
        if typed is None:
            mixed = Mixed()
            mixed.look(cells, 0)
            mixed.warn(self.path, name)
        return typed or cells

    def labels(self, name: str) -> npt.NDArray[Any]:
        """Return a column as labels; whole numbers become integers, and none may be missing.

        Parameters
        ----------
        name : str
            The name of the column.
        """
        cells = self.guessed(name)
        missing = cells.rows_where(lambda cell: cell is None or cell != cell)
        if len(missing):
            raise InvalidTable(
                f"{self.path}: row {missing[0]} has no {name!r} ({len(missing):,} such): "
                "remove these rows"
            )
        return labels_of(cells)

    def rows_and_labels(
        self, target: str, drop: Collection[str] = ()
    ) -> tuple[NamedArray, npt.NDArray[Any]]:
        """Return the rows to learn from and their labels.

        Parameters
        ----------
        target : str
            The column of the labels.
        drop : collection of str, default=()
            Columns to leave out.
        """
        names = feature_names(self.path, self.columns, target, drop)
        labels = self.labels(target)
        return named_rows({name: self.guessed(name) for name in names}), labels

    def is_category(self, name: str) -> bool:
        """Return whether a column of a CSV file has neither numbers nor booleans.

        Parameters
        ----------
        name : str
            The name of the column.
        """
        return _typed(self.column(name)) is None

    def numbers(self, name: str) -> Cells:
        """Return the cells of a column as numbers; booleans are 0 and 1.

        Parameters
        ----------
        name : str
            The name of the column.

        Raises
        ------
        InvalidTable
            At the first cell that is not a number.
        """
        cells = self.column(name)
        numbers = cells.mapped(_as_number)
        wrong = numbers.rows_where(lambda cell: isinstance(cell, str))
        if len(wrong):
            cell = cells.values[cells.codes[wrong[0]]]
            raise InvalidTable(
                f"{self.path}: row {wrong[0]}: column {name!r} has {cell!r}, but was "
                "numbers when the model was fitted"
            )
        return numbers


def _typed(cells: Cells) -> Cells | None:
    """Return text as booleans or as numbers if all of it is, or ``None`` if it is not."""
    if all(cell is None or cell.lower() in TRUTH for cell in cells.values):
        return cells.mapped(lambda cell: None if cell is None else TRUTH[cell.lower()])
    numbers = cells.mapped(lambda cell: None if cell is None else number_in(cell))
    return numbers if numbers.values.count(None) == cells.values.count(None) else None


def _as_number(cell: Any) -> Any:
    """Return the number that a text is; other text and other values stay as they are."""
    if not isinstance(cell, str):
        return cell
    if cell.lower() in TRUTH:
        return float(TRUTH[cell.lower()])
    number = number_in(cell)
    return cell if number is None else number


@dataclass
class Mixed:
    """A detector of columns that were probably not meant to be text.

    These are numbers with a few other cells, numbers with commas, and dates.
    """

    n_known: int = 0
    n_text: int = 0
    n_commas: int = 0
    n_dates: int = 0
    row: int = 0
    """The first row with text."""
    cell: str = ""
    """The text in that row."""

    def look(self, cells: Cells, first_row: int) -> None:
        """Add cells; ``first_row`` is the number of the first."""
        text = cells.rows_where(lambda cell: cell is not None and number_in(cell) is None)
        if len(text) and self.n_text == 0:
            self.row, self.cell = first_row + int(text[0]), cells.values[cells.codes[text[0]]]
        self.n_known += len(cells.rows_where(lambda cell: cell is not None))
        self.n_text += len(text)
        self.n_commas += len(cells.rows_where(lambda cell: _matches(WITH_COMMA, cell)))
        self.n_dates += len(cells.rows_where(lambda cell: _matches(DATE, cell)))

    def warn(self, path: str, name: str) -> None:
        """Warn if nearly all cells are numbers, or all are numbers with commas, or dates."""
        first = f"the first in row {self.row}: {self.cell!r}"
        if self.n_text == 0:
            return
        if self.n_text == self.n_commas:
            why = f"its numbers have commas, {first} (write decimal points)"
        elif self.n_text == self.n_dates == self.n_known:
            why = (
                f"it holds dates, {first} (turn them into numbers first, such as days since a date "
                "or the day of the week, or leave the column out)"
            )
        elif self.n_text <= FEW_TEXT * self.n_known:
            why = (
                f"{self.n_text:,} of {self.n_known:,} cells are not numbers, {first} (leave a cell "
                "empty where a number is missing)"
            )
        else:
            return
        warnings.warn(
            f"{path}: column {name!r} is read as text, because {why}", MixedColumn, stacklevel=3
        )


def _matches(pattern: re.Pattern[str], cell: str | None) -> bool:
    return cell is not None and pattern.fullmatch(cell) is not None


def feature_names(
    path: str | Path, names: Iterable[str], target: str, drop: Collection[str]
) -> list[str]:
    """Return the columns to learn from: all but ``target`` and ``drop``, which must exist."""
    names = list(names)
    for name in (target, *drop):
        if name not in names:
            raise InvalidTable(f"{path} has no column {name!r}{suggest(name, names)}")
    kept = [name for name in names if name != target and name not in drop]
    if not kept:
        raise InvalidTable(f"{path} has no column besides {target!r} to learn from")
    return kept


def named_rows(columns: dict[str, Cells]) -> NamedArray:
    """Join columns side by side, as numbers if all are numbers and exact, else as objects."""
    cells = list(columns.values())
    kinds = {type(value) for column in cells for value in column.values}
    is_exact = not any(has_large_integers(column.values) for column in cells)
    dtype = np.float64 if kinds <= {float, int, type(None)} and is_exact else object
    rows = np.empty((len(cells[0].codes), len(cells)), dtype=dtype)
    for j, column in enumerate(cells):
        rows[:, j] = column.to_array(dtype)
    return NamedArray.of(rows, list(columns))


def labels_of(cells: Cells) -> npt.NDArray[Any]:
    """Return cells as labels; whole numbers as integers, or as text if no NumPy type fits."""
    values = cells.values
    if not all(_is_whole(value) for value in values):
        return cells.to_array(object if isinstance(values[0], str) else None)
    whole = np.array([int(value) for value in values])
    if whole.dtype.kind not in "iu":
        whole = np.array([str(int(value)) for value in values], dtype=object)
    return whole[cells.codes]


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell // 1


def read_table(path: str | Path) -> Table:
    """Read a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        The file to read.

    Returns
    -------
    Table
        The columns of the file.

    Examples
    --------
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/t.csv"
    >>> with open(path, "w") as file:
    ...     _ = file.write("size,colour,kind\\n1,red,a\\n2,,b\\n3,blue,a\\n")
    >>> read_table(path).column("colour").to_list()
    ['red', None, 'blue']
    """
    path = Path(path)
    if path.is_dir():
        raise InvalidTable(f"{path} is a folder: read its Parquet files in batches (--batch-rows)")
    if not is_parquet(path):
        return next(csv_tables(path, None))
    with open_parquet(path) as file:
        table = file.read()
    if table.num_columns == 0 or table.num_rows == 0:
        raise InvalidTable(f"{path} has no rows")
    every_row = np.arange(table.num_rows)
    columns = {n: Cells(table.column(n).to_pylist(), every_row) for n in table.column_names}
    return Table(str(path), columns, is_text=False)


def is_parquet(path: Path) -> bool:
    """Return whether it is a Parquet file, by its name."""
    return path.suffix.lower() in (".parquet", ".pq")


def csv_tables(path: Path, n_rows: int | None) -> Iterator[Table]:
    """Yield a CSV file as tables of at most ``n_rows`` rows, or as one table."""
    names, separator = _header(path)
    is_empty = True
    parts = _by_pandas if find_spec("pyarrow") is None and find_spec("pandas") else _by_pyarrow
    for columns in parts(path, separator, len(names), n_rows):
        yield Table(str(path), dict(zip(names, columns, strict=True)), is_text=True)
        is_empty = False
    if is_empty:
        raise InvalidTable(f"{path} has column names but no rows")


def _by_pyarrow(
    path: Path, separator: str, n_columns: int, n_rows: int | None
) -> Iterator[list[Cells]]:
    """Yield the columns of each part of a CSV file, read by pyarrow, which refuses ragged rows."""
    arrow = _pyarrow()
    text = {str(j): arrow.large_string() for j in range(n_columns)}
    try:
        with arrow.csv.open_csv(
            path,
            arrow.csv.ReadOptions(column_names=list(text), block_size=BLOCK),
            arrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow.csv.ConvertOptions(column_types=text),
        ) as batches:
            is_sound = False
            for part in _parts(batches, n_rows):
                if not is_sound and "\n" in part.column(n_columns - 1)[-1].as_py():
                    _find_error(path, separator, n_columns)  # pyarrow takes what is left in a quote
                    is_sound = True
                coded = [column.combine_chunks().dictionary_encode() for column in part.columns]
                yield [_cells(one.dictionary.to_pylist(), one.indices.to_numpy()) for one in coded]
    except arrow.ArrowException as error:
        _find_error(path, separator, n_columns)
        raise InvalidTable(f"{path} is not CSV: {error}") from None


def _by_pandas(
    path: Path, separator: str, n_columns: int, n_rows: int | None
) -> Iterator[list[Cells]]:
    """Yield the columns of each part, read by pandas, after a search for ragged rows."""
    import pandas as pd

    _find_error(path, separator, n_columns)
    options = {"sep": separator, "header": 0, "names": range(n_columns), "index_col": False}
    frames = pd.read_csv(path, dtype=str, na_filter=False, chunksize=n_rows, **options)
    for frame in [frames] if n_rows is None else frames:
        if len(frame):
            coded = [pd.factorize(frame[j]) for j in range(n_columns)]
            yield [_cells(texts.tolist(), codes) for codes, texts in coded]


def _cells(texts: list[str], codes: npt.NDArray[np.integer[Any]]) -> Cells:
    """Return cells of text without blanks around it, and missing values as ``None``."""
    stripped = [text.strip() for text in texts]
    return Cells([None if text in MISSING else text for text in stripped], codes)


def _header(path: Path) -> tuple[list[str], str]:
    """Return the names of the columns, and the character that separates cells."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = file.readline()
            if not header.strip():
                raise EmptyFile(f"{path} has no header line with the names of the columns")
            separator = max(",;\t|", key=header.count)
            file.seek(0)
            cells = next(csv.reader(file, delimiter=separator))
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text (save it as UTF-8): {error}") from None
    names = [name.strip() or f"column {j + 1}" for j, name in enumerate(cells)]
    double = [name for name, times in Counter(names).items() if times > 1]
    if double:
        raise InvalidTable(f"{path} has more than one column {min(double)!r}")
    return names, separator


def _parts(batches: Iterable[Any], n_rows: int | None) -> Iterator[Any]:
    """Yield rows after the header, as Arrow tables of ``n_rows`` rows, the last one of fewer."""
    arrow = _pyarrow()
    waiting: Any = None
    for batch in batches:
        rows = arrow.Table.from_batches([batch])
        waiting = rows.slice(1) if waiting is None else arrow.concat_tables([waiting, rows])
        while n_rows is not None and waiting.num_rows >= n_rows:
            yield waiting.slice(0, n_rows)
            waiting = waiting.slice(n_rows)
    if waiting is not None and waiting.num_rows:
        yield waiting


def _find_error(path: Path, separator: str, n_columns: int) -> None:
    """Raise an error that names the line and the fault of a CSV file, if there is one."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for line in file:
            taken.append(line)
            yield line

    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            begin, last, is_open = 1, 1, False
            for cells in csv.reader(lines(), delimiter=separator):
                is_open = len(taken) > 1 and "".join(taken).count('"') % 2 == 1
                if cells and len(cells) != n_columns:
                    why = "; a quote is not closed" if is_open else ""
                    raise InvalidTable(
                        f"{path}:{begin}: {len(cells)} cells, but the header names {n_columns} "
                        f"columns{why}"
                    )
                last, begin = begin, begin + len(taken)
                taken.clear()
            if is_open:
                raise InvalidTable(
                    f"{path}:{last}: a quote is not closed, so that this row has all lines to the "
                    "end of the file"
                )
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text (save it as UTF-8): {error}") from None
    except csv.Error as error:
        raise InvalidTable(f"{path} is not CSV: {error}") from None


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file; any problem raises an error that names the file."""
    arrow = _pyarrow()
    with path.open("rb"):
        pass  # a missing file is reported like any other
    try:
        with arrow.parquet.ParquetFile(path) as file:
            yield file
    except (arrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, AtomlearnError):
            raise
        raise InvalidTable(f"{path} is not a Parquet file: {error}") from None


def _pyarrow() -> Any:
    try:
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(
            "tables in files need pyarrow (or pandas, for CSV): pip install 'atomlearn[tables]'"
        ) from None
    return pyarrow
