import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import AlgebraicClassifier
from atomlearn.explorer.cells import cells_of, rows_of
from atomlearn.tables.columns import NumberColumn

NUMBERS = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), max_size=8, unique=True).map(sorted)


@given(NUMBERS, st.lists(st.integers(-5, 5), max_size=3, unique=True).map(sorted), st.booleans())
def test_each_state_of_a_number_column_has_its_cell(cuts, values, has_missing):
    column = NumberColumn(0, "x", tuple(cuts), has_missing, values=tuple(values))
    cells = cells_of(column)
    assert (cells[-1] is None) == has_missing
    known = [cell for cell in cells if cell is not None]
    between = np.searchsorted(cuts, known, side="left")
    assert set(between) == set(range(len(cuts) + 1))
    assert set(values) <= set(known)


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
