"""Whole numbers of few values are told apart one by one, and written as they are."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import AlgebraicClassifier, LiteralEncoder
from atomlearn.classifier.definition import states_of
from atomlearn.classifier.files import _column, _column_as_json
from atomlearn.files.load import Value
from atomlearn.tables.columns import NumberColumn
from atomlearn.tables.literals import Literal
from atomlearn.tables.numbers import exact_numbers


@pytest.fixture
def passengers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"pclass": rng.integers(1, 4, 300), "age": rng.random(300) * 80})
    return X, np.where((X["pclass"] == 2) | (X["age"] < 8), "yes", "no")


def names(X, **given):
    return LiteralEncoder(**given).fit(X).get_feature_names_out().tolist()


def test_every_value_has_its_literals_and_no_cut_says_the_same():
    assert names(pd.DataFrame({"pclass": [1, 2, 3] * 5})) == [
        "pclass = 1",
        "pclass ≠ 1",
        "pclass = 2",
        "pclass ≠ 2",
        "pclass = 3",
        "pclass ≠ 3",
    ]
    five = names(pd.DataFrame({"stars": [1.0, 2.0, 3.0, 4.0, 5.0] * 5}))
    assert {"stars = 5", "stars = 1", "stars > 2", "stars ≤ 3"} <= set(five)
    assert not {"stars > 4", "stars > 1"} & set(five)


@pytest.mark.parametrize(
    "values",
    [[0, 1] * 20, [1.5, 2, 3] * 20, list(range(11)) * 20, list(range(8)) * 4, [1e17, 0, 1] * 20],
)
def test_other_columns_are_only_cut(values):
    assert not any("=" in name for name in names(np.array(values, dtype=float)[:, None]))


def test_missing_values_are_neither_equal_nor_different():
    encoder = LiteralEncoder().fit(np.array([[1.0], [2.0], [3.0], [np.nan]] * 5))
    literals = encoder.get_feature_names_out().tolist()
    (bits,) = encoder.transform([[np.nan]])
    assert [name for name, bit in zip(literals, bits, strict=True) if bit] == ["x0 is missing"]


def test_weights_are_repetitions():
    X = np.array([[1.0], [2.0], [3.0]])
    weighted = LiteralEncoder().fit(X, sample_weight=[5, 5, 5])
    assert weighted.literals_ == LiteralEncoder().fit(np.repeat(X, 5, axis=0)).literals_


NUMBERS = [-1.0, 0.5, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 7.0]
EVERY = [Literal(0, "x", "=", v) for v in (1, 2, 3)]
EVERY += [Literal(0, "x", "!=", v) for v in (1, 2, 3)]
EVERY += [Literal(0, "x", sign, cut) for sign in (">", "<=") for cut in (1.0, 1.5, 2.0, 2.5)]


def holds(literal, x):
    return bool(eval(literal.to_python(), {"row": {"x": x}}))


def test_what_is_implied_is_true():
    implied = [(one, other) for one, other in product(EVERY, EVERY) if one.implies(other)]
    assert all(holds(other, x) for one, other in implied for x in NUMBERS if holds(one, x))


def test_equal_values_imply_cuts_and_cuts_imply_differences():
    def lit(operator, value):
        return Literal(0, "x", operator, value)

    assert lit("=", 3).implies(lit(">", 2.5)) and not lit("=", 2).implies(lit(">", 2.5))
    assert lit("=", 2).implies(lit("<=", 2.0)) and lit(">", 2.5).implies(lit("!=", 2))
    assert lit("<=", 2.5).implies(lit("!=", 3)) and not lit("<=", 3.0).implies(lit("!=", 3))


@given(st.lists(st.sampled_from(NUMBERS), min_size=1), st.sets(st.integers(0, 4)))
def test_bits_are_what_python_says(numbers, values):
    column = NumberColumn(0, "x", (1.5, 2.5), False, values=tuple(sorted(values)))
    bits = column.encode(np.array(numbers))
    assert bits.tolist() == [[holds(one, x) for one in column.literals()] for x in numbers]


def test_all_states_are_known():
    column = NumberColumn(0, "x", (1.5, 2.5), True, values=(1, 2, 3))
    states = {tuple(state) for state in states_of(column).tolist()}
    assert {tuple(bits) for bits in column.encode(np.array([*NUMBERS, np.nan])).tolist()} == states


def test_states_where_a_value_is_a_cut_too():
    """As rules make them: ``x = 2`` and ``x > 2``."""
    column = NumberColumn(0, "x", (1.5, 2.0), False, values=(2, 10**18))
    numbers = exact_numbers(np.array([*NUMBERS, 10**18, 10**18 + 1, 1.9], dtype=object))
    found = {tuple(bits) for bits in column.encode(numbers).tolist()}
    assert found == {tuple(state) for state in states_of(column).tolist()}


def test_sympy_and_latex():
    pytest.importorskip("sympy")
    literal = Literal(0, "pclass", "!=", 3)
    assert str(literal.to_sympy()) == "Ne(pclass, 3)"
    assert literal.to_latex() == r"\text{pclass} \neq 3"


def test_definitions_and_explanations(passengers):
    X, y = passengers
    classifier = AlgebraicClassifier(random_state=0, max_epochs=10).fit(X, y)
    definition = classifier.definition("yes")
    assert "pclass = 2" in str(definition)
    odd = pd.DataFrame({"pclass": [0, 2, 4], "age": [40.0, 40.0, 40.0]})
    assert classifier.predict(odd).tolist() == ["no", "yes", "no"]
    assert "pclass" in str(classifier.explain(odd.iloc[1]))


def test_pixels_are_only_compared(passengers):
    X = passengers[0][["pclass", "pclass"]].to_numpy()
    classifier = AlgebraicClassifier(image_shape=(1, 2), random_state=0, max_epochs=2)
    classifier.fit(X, passengers[1])
    assert {one.operator for one in classifier.encoder_.literals_} == {">", "<="}


def test_columns_in_files():
    column = NumberColumn(0, "x", (1.5, 2.5), True, values=(1, 2, 3))
    told = _column_as_json(column)
    assert _column(0, Value(told, "m.atoms")) == column
    del told["values"]  # as files of older versions are
    assert _column(0, Value(told, "m.atoms")) == NumberColumn(0, "x", (1.5, 2.5), True)
    for large in (1e22, 2.0**53, 10**18, -1.7e308):
        told["values"] = [large]
        (read,) = _column(0, Value(told, "m.atoms")).values
        assert repr(read) == repr(large)
    for values in ([2, 1], [1, 1], [float("inf")], ["1"], 3):
        with pytest.raises(ValueError, match="values"):
            _column(0, Value({**told, "values": values}, "m.atoms"))
