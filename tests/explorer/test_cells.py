import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import AlgebraicClassifier
from atomlearn.explorer import explore
from atomlearn.explorer.classifiers import cells_of, rows_of
from atomlearn.explorer.live import LiveTable
from atomlearn.tables.columns import NumberColumn

FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False) | st.floats(
    -sys.float_info.max, math.nextafter(sys.float_info.max, 0)
)
NUMBERS = st.lists(FLOATS, max_size=8, unique=True).map(sorted)


@given(NUMBERS, st.lists(st.integers(-5, 5), max_size=3, unique=True).map(sorted), st.booleans())
def test_each_state_of_a_number_column_has_its_cell(cuts, values, has_missing):
    column = NumberColumn(0, "x", tuple(cuts), has_missing, values=tuple(values))
    cells = cells_of(column)
    assert (cells[-1] is None) == has_missing
    known = [cell for cell in cells if cell is not None]
    between = np.searchsorted(cuts, known, side="left")
    assert set(between) == set(range(len(cuts) + 1))
    assert set(values) <= set(known)


@given(
    st.lists(st.integers(-(2**64), 2**64), min_size=1, max_size=8, unique=True).map(sorted),
    st.lists(st.integers(2**60, 2**60 + 5), max_size=3, unique=True).map(sorted),
)
def test_integers_beyond_floating_point_keep_their_digits(cuts, values):
    cells = cells_of(NumberColumn(0, "x", tuple(cuts), has_missing=False, values=tuple(values)))
    assert cells == sorted(set(cells)) and all(isinstance(cell, int) for cell in cells)
    assert {sum(cut < cell for cut in cuts) for cell in cells} == set(range(len(cuts) + 1))
    assert set(values) <= set(cells)


LARGE = {
    "both ends": [-1.7e308, 1.7e308, 0.0, 1e308],
    "one end": [1e308, 1.2e308, 1.7e308],
    "the largest": [sys.float_info.max, -sys.float_info.max, math.nextafter(1e308, 0), 1e308],
    "the smallest": [5e-324, 1e-323, 0.0, -5e-324],
    "integers": [2**53, 2**53 + 2, 2**62, 2**63 - 1],
}


@pytest.mark.parametrize("kind", LARGE)
def test_pages_of_the_largest_numbers_are_written(kind, tmp_path):
    values = np.array(LARGE[kind])
    X = values[np.random.default_rng(0).integers(len(values), size=60)].reshape(-1, 1)
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, X[:, 0] > np.sort(values)[1])
    explore(clf, tmp_path / "sample.html")
    explore(clf, tmp_path / "rows.html", X=X, y=X[:, 0] > np.sort(values)[1])
    live = LiveTable(clf)
    live.run({})(lambda event: None)
    assert live.data()["summary"]["rows"] == len(clf.sample_.labels)


@pytest.mark.parametrize("evidence", ["strict", "weighted"])
def test_rows_made_of_cells_have_the_same_literals(mixed, evidence):
    X, y = mixed
    rule = ["yes if size = 0.25"]  # a value of a column that is not of whole numbers
    clf = AlgebraicClassifier(random_state=0, max_epochs=2, evidence=evidence, rules=rule)
    with pytest.warns(UserWarning, match="no training row"):
        clf.fit(X, y)
    rows = rows_of(clf.sample_.rows, clf.encoder_)
    table = np.array(rows, dtype=object)
    assert np.array_equal(clf.encoder_.pack(table, extra=1), clf.sample_.rows)
