"""CSV files: the same cells as by the csv module of Python, and errors that name the line."""

import csv
import io
import re
import sys
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomlearn.errors import EmptyFile, InvalidTable, MixedColumn, NotText
from atomlearn.tables.batches import CsvBatches
from atomlearn.tables.files import MISSING, csv_tables, read_table

CELLS = st.text(st.sampled_from(list('a1.é"\n ;,|\t\u3000')), max_size=4) | st.sampled_from(
    ["NA", "007", "<NA>", "true", "9007199254740993"]
)


@pytest.fixture(params=["pyarrow", "pandas"])
def reader(request, monkeypatch):
    """Read by pyarrow, or by pandas as if pyarrow were not installed."""
    if request.param == "pandas":
        monkeypatch.setitem(sys.modules, "pyarrow", None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_cells_are_those_that_were_written(reader, tmp_path_factory, data):
    n = data.draw(st.integers(2, 4))
    rows = data.draw(st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=8))
    separator, end = data.draw(st.sampled_from(",;|\t")), data.draw(st.sampled_from(["\n", "\r\n"]))
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end)
    writer.writerows([[f"x{j}" for j in range(n)], *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    bom = data.draw(st.sampled_from(["", "\ufeff"]))
    path.write_bytes((bom + text.getvalue()).encode())
    expected = [[None if c.strip() in MISSING else c.strip() for c in row] for row in rows]
    table = read_table(path)
    assert list(table.columns) == [f"x{j}" for j in range(n)]
    assert list(map(list, zip(*map(cells_of, table.columns.values()), strict=True))) == expected
    n_rows = data.draw(st.integers(1, 9))
    parts = [cells_of(part.column("x0")) for part in csv_tables(path, n_rows)]
    assert all(len(part) == n_rows for part in parts[:-1]) and 0 < len(parts[-1]) <= n_rows
    assert [cell for part in parts for cell in part] == [row[0] for row in expected]


def cells_of(column):
    return column.to_list()


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ("a,b\n1,2\n3\n", InvalidTable, "t.csv:3: 1 cells, but the header names 2 columns"),
        ('a,b\n1,2\n3,"4\n5,6\n', InvalidTable, "t.csv:3: a quote is not closed"),
        (
            'a,b\n1,2\n"3,4\n5,6\n',
            InvalidTable,
            "t.csv:3: 1 cells, but the header names 2 columns; a quote",
        ),
        ("a,b\n1,2\n\n3,4,5\n", InvalidTable, "t.csv:4: 3 cells"),
        ('a,b\n"1\n1",2\n3\n', InvalidTable, "t.csv:4: 1 cells"),
        ("a,b\n1,2\n  \n", InvalidTable, "t.csv:3: 1 cells"),
        ("a;b\n", InvalidTable, "has column names but no rows"),
        (" \n1\n", EmptyFile, "no header line"),
        (b"a,b\n1,2\n1,\xff\n", NotText, "not UTF-8"),
        (b"a\xff,b\n1,2\n", NotText, "not UTF-8"),
    ],
)
def test_what_is_no_table(reader, tmp_path, content, error, says):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(error, match=says.replace(".", r"\.")):
        read_table(path)
    with pytest.raises(error, match=says.replace(".", r"\.")):
        list(CsvBatches(path, "b", rows=2))


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["1,5", "68", "-1.234,25"], "its numbers have commas, the first in row 1: '1,5'"),
        (["2020-01-31", "2020-2-1 10:30", "2020-02-02T10:30:00Z"], "it holds dates, .*2020-01-31"),
        (["31.1.2020", "1.2.20", ""], "it holds dates, the first in row 1: '31.1.2020'"),
        (["1,5", "red", "2,5"], None),
        (["2020-01-31", "later", "2020-02-01"], None),
        (["1.2.3", "1/2", "a,b"], None),
    ],
)
def test_numbers_and_dates_that_become_text_are_told(reader, tmp_path, cells, says):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n;x\n" + "".join(f"{cell};x\n" for cell in cells))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for one in (read_table(path).guessed("a"), next(iter(CsvBatches(path, "b", rows=2)))):
            assert one is not None
    told = [str(one.message) for one in caught if one.category is MixedColumn]
    assert len(told) == (2 if says else 0)
    for one in told:
        assert re.search(f"t.csv: column 'a' is read as text, because {says}", one)


def test_line_ends_of_old_machines_and_columns_without_a_name(reader, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,\r1,x\r2,y\r")
    table = read_table(tmp_path / "t.csv")
    assert {n: c.to_list() for n, c in table.columns.items()} == {
        "a": ["1", "2"],
        "column 2": ["x", "y"],
    }


def test_a_table_without_columns_to_learn_from(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,x\n")
    with pytest.raises(InvalidTable, match="no column besides 'y'"):
        list(CsvBatches(tmp_path / "t.csv", "y", drop=["a"]))
