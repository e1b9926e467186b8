"""Splits: of the two sides of a cut every row has exactly one."""

import numpy as np
import pandas as pd

from atomlearn.sets import rows
from atomlearn.sets.rows import take
from atomlearn.tables import LiteralEncoder
from atomlearn.tables.literals import find_splits


def splits_of(frame):
    encoder = LiteralEncoder().fit(frame)
    truths = encoder.transform(frame)
    return encoder, truths, find_splits(encoder.literals_, rows.pack(truths))


def test_a_row_has_exactly_one_side():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80), "y": rng.choice(["a", "b", "c"], 80)})
    frame.loc[rng.random(80) < 0.3, "x"] = np.nan
    _, truths, found = splits_of(frame)
    having = rows.unpack(found.has, len(frame))
    for i, line in enumerate(having):
        first, second = (take(found.sides, np.array([2 * i + s])).constants for s in range(2))
        assert (truths[:, first].any(axis=1) == line).all()
        assert (truths[:, second].any(axis=1) == ~line).all()


def test_numbers_are_compared_though_another_column_says_when_they_are_missing():
    """That a number is missing is then the same literal twice, and must not be left out."""
    x = np.arange(40.0)
    x[::4] = np.nan
    frame = pd.DataFrame({"measured": np.where(np.isnan(x), "no", "yes"), "x": x})
    encoder, _, found = splits_of(frame)
    sides = [encoder.literals_[c] for c in found.sides.constants]
    assert any(one.name == "x" and one.operator == ">" for one in sides)


def test_both_sides_are_of_one_column_though_another_says_the_same_of_these_rows():
    x = np.arange(40.0)
    frame = pd.DataFrame({"x": x, "twice": 2 * x, "low": np.where(x < 20, "yes", "no")})
    frame.loc[x == 7, "low"] = None
    encoder, _, found = splits_of(frame)
    for i in range(len(found.has)):
        both = take(found.sides, np.array([2 * i, 2 * i + 1])).constants
        assert len({encoder.literals_[c].column for c in both}) == 1
