"""What the paper prints is consistent with itself where we say so, and not where we say not."""

import pytest

from atomlearn_paper import paper


@pytest.mark.parametrize("digit", range(2, 10))
def test_table_1a_with_the_fpr_column_moved_up_gives_the_printed_errors(digit):
    row = paper.SINGLE[digit]
    assert paper.error_of(digit, row.fpr, row.fnr) == pytest.approx(row.error, abs=1.01e-4)


def test_table_1a_as_printed_does_not():
    off = [
        abs(paper.error_of(d, row.fpr, row.fnr) - row.error) > 0.005
        for d, row in enumerate(paper.SINGLE_AS_PRINTED)
    ]
    assert off[0] is False and sum(off) >= 7


def test_digits_0_and_1_of_table_1a():
    for digit in (0, 1):
        row = paper.SINGLE[digit]
        assert paper.error_of(digit, row.fpr, row.fnr) == pytest.approx(row.error, abs=1.01e-4)


def mean(rows, key):
    return sum(getattr(row, key) for row in rows) / len(rows)


def test_averages():
    assert mean(paper.VOTES, "error") == pytest.approx(0.0168, abs=5e-5)
    assert mean(paper.VOTES, "fpr") == pytest.approx(0.0158, abs=5e-5)
    assert mean(paper.VOTES, "fnr") == pytest.approx(0.0251, abs=5e-5)
    assert mean(paper.SINGLE, "error") == pytest.approx(paper.SINGLE_MEAN.error, abs=5e-5)
    assert mean(paper.MISSES, "error") == pytest.approx(paper.MISSES_MEAN.error, abs=2e-4)


def test_table_2():
    assert sum(row.attempts for row in paper.QUEENS) == 624
    assert sum(row.full for row in paper.QUEENS) == 39
    assert sum(paper.TEST_IMAGES) == 10_000
