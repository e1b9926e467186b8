"""Many categories are grouped by their classes, without telling a row its own label."""

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier, LiteralEncoder
from atomlearn.classifier.definition import states_of
from atomlearn.classifier.files import _column, _column_as_json
from atomlearn.files.load import Value
from atomlearn.tables.columns import CategoryColumn, find_groups
from atomlearn.tables.literals import Literal

CITIES = [f"c{i:02}" for i in range(20)]


@pytest.fixture
def cities():
    """Cities from c15 on are of class 1, mostly."""
    rng = np.random.default_rng(0)
    code = rng.integers(20, size=800)
    y = np.where(rng.random(800) < np.where(code >= 15, 0.9, 0.1), 1, 0)
    return pd.DataFrame({"city": np.array(CITIES)[code]}), y


def groups(X, y, **given):
    column = LiteralEncoder().fit(X, y, **given).columns_[0]
    return [tuple(column.categories[i] for i in group) for group in column.groups]


def test_categories_alike_are_together(cities):
    found = groups(*cities)
    assert tuple(CITIES[15:]) in found and 1 <= len(found) <= 3
    shown = LiteralEncoder().fit(*cities).get_feature_names_out().tolist()
    assert "city in {c15, c16, c17, +2 more}" in shown
    assert "city not in {c15, c16, c17, +2 more}" in shown


def test_three_classes(cities):
    X = cities[0]
    code = X["city"].str[1:].astype(int)
    found = groups(X, np.where(code < 7, "a", np.where(code < 14, "b", "c")))
    kinds = [set(CITIES[:7]), set(CITIES[7:14]), set(CITIES[14:])]
    assert found
    for group in found:  # a part of an order in which each kind is together
        assert sum(0 < len(kind & set(group)) < len(kind) for kind in kinds) <= 1


def test_no_groups_without_labels_of_few_categories_or_by_chance(cities):
    X, y = cities
    few = X["city"].isin(CITIES[8:])
    assert groups(X, None) == [] and groups(X[few], y[few]) == []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        names = pd.DataFrame({"id": [f"k{i}" for i in rng.integers(200, size=1000)]})
        assert groups(names, rng.integers(3, size=1000)) == []


def test_a_category_of_two_rows_is_average(cities):
    X, y = cities
    once = pd.DataFrame({"city": ["new", "new"]})
    found = groups(pd.concat([X, once], ignore_index=True), [*y, 1, 1])
    assert found and not any("new" in group for group in found)


def test_order_and_repetitions_do_not_matter(cities):
    X, y = cities
    rng = np.random.default_rng(1)
    weights, order = rng.integers(0, 3, len(y)), rng.permutation(len(y))
    weighted = groups(X.iloc[order], y[order], sample_weight=weights[order])
    assert weighted == groups(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights)) != []


def test_rows_of_no_category_are_left_aside(cities):
    codes = cities[0]["city"].str[1:].astype(int).to_numpy()
    plain = find_groups(codes, cities[1], np.ones(800), 20)
    more = find_groups(
        np.append(codes, [-1] * 50), np.append(cities[1], [1] * 50), np.ones(850), 20
    )
    assert [one.tolist() for one in plain] == [one.tolist() for one in more] != []


def test_what_a_group_implies():
    def lit(operator, *values):
        return Literal(0, "x", operator, values if "in" in operator else values[0])

    ab, abc = lit("in", "a", "b"), lit("in", "a", "b", "c")
    not_ab, not_abc = lit("not in", "a", "b"), lit("not in", "a", "b", "c")
    known, missing = Literal(0, "x", "present", None), Literal(0, "x", "missing", None)
    every = [ab, abc, not_ab, not_abc, known, missing]
    every += [lit(sign, value) for sign in ("=", "!=") for value in "abcd"]
    cells = ["a", "b", "c", "d", "e", None]

    def holders(literal):
        return {x for x in cells if eval(literal.to_python(), {"row": {"x": x}})}

    told = {(one, other) for one in every for other in every if one.implies(other)}
    true = {(one, other) for one in every for other in every if holders(one) <= holders(other)}
    assert told == true


def test_bits_are_what_python_says_and_all_states_are_known():
    column = CategoryColumn(0, "x", ("a", "b", "c"), True, ((0, 1), (1, 2)))
    cells = np.array(["a", "b", "c", "d", None], dtype=object)
    bits = column.encode(cells)
    assert bits.tolist() == [
        [bool(eval(one.to_python(), {"row": {"x": x}})) for one in column.literals()] for x in cells
    ]
    assert {*map(tuple, bits.tolist())} == {*map(tuple, states_of(column).tolist())}


def test_texts():
    group = Literal(0, "x", "not in", ("a", "b", "c", "d_e"))
    assert str(group) == "x not in {a, b, c, +1 more}"
    assert group.in_full == "x not in {a, b, c, d_e}"
    assert group.to_latex() == r"\text{x} \notin \{\text{a}, \text{b}, \text{c}, \text{+1 more}\}"
    pytest.importorskip("sympy")
    assert str(group.to_sympy()) == group.in_full


def test_definitions_and_explanations(cities):
    X, y = cities
    classifier = AlgebraicClassifier(random_state=0, max_epochs=10).fit(X, y)
    definition = classifier.definition(1)
    assert definition.evaluate(X).shape == (len(y),) and "city" in str(definition)
    assert "city" in str(classifier.explain(X.iloc[0]))
    assert "city in {c15, c16, c17, c18, c19}" in classifier.pool(1).names


def test_columns_in_files():
    column = CategoryColumn(0, "x", ("a", "b", "c"), False, ((0, 1), (1, 2)))
    told = _column_as_json(column)
    assert _column(0, Value(told, "m.atoms")) == column
    del told["groups"]  # as files of older versions are
    assert _column(0, Value(told, "m.atoms")) == CategoryColumn(0, "x", ("a", "b", "c"), False)
    for wrong in ([[]], [[1, 0]], [[0, 0]], [[3]], [["a"]], [1], "a"):
        with pytest.raises(ValueError, match="groups"):
            _column(0, Value({**told, "groups": wrong}, "m.atoms"))
