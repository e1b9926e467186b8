"""Definitions of classes: every form decides as the clauses do, on tables of all kinds."""

import itertools

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.classifier.definition import space_of, states_of
from atomlearn.datasets import bar_parity, vertical_bars
from atomlearn.logic.formulas import Formula
from atomlearn.tables.columns import CategoryColumn, NumberColumn


def decide(definition, frame):
    """The Python function of a definition, row by row."""
    space = {}
    exec(definition.to_python(), space)
    function = next(value for name, value in space.items() if name.startswith("is_"))
    return [bool(function(row)) for row in frame.to_dict("records")]


def forms(definition):
    found = [definition.cnf, definition.minimal, definition.factored, definition.shortest]
    return found if definition._short_dnf is None else [*found, definition.dnf]


def by_form(form: Formula, encoder, X):
    bits = encoder.transform(X)
    truth = {literal: bits[:, i] for i, literal in enumerate(encoder.literals_)}
    return np.broadcast_to(form.evaluate(truth), len(bits)).tolist()


def test_every_form_decides_as_the_clauses(fitted, iris):
    X, _ = iris
    rng = np.random.default_rng(0)
    anywhere = pd.DataFrame(rng.uniform(0, 8, (500, 4)), columns=X.columns)
    for label in fitted.classes_:
        definition = fitted.definition(label)
        for table in (X, anywhere):
            expected = definition.evaluate(table).tolist()
            for form in forms(definition):
                assert by_form(form, fitted.encoder_, table) == expected
            assert decide(definition, table) == expected


def test_mixed_tables_with_missing_values(mixed):
    X, y = mixed
    classifier = AlgebraicClassifier(random_state=0, max_epochs=10).fit(X, y)
    noisy = AlgebraicClassifier(random_state=0, max_epochs=10).fit(X, np.roll(y, 7))
    frame = X.astype(object).where(X.notna(), None)
    frame["size"] = X["size"]  # numbers are missing as nan
    frame["rooms"] = X["rooms"].astype(float)
    for one, label in itertools.product((classifier, noisy), ("yes", "no")):
        definition = one.definition(label)
        expected = definition.evaluate(X).tolist()
        for form in forms(definition):
            assert by_form(form, one.encoder_, X) == expected
        assert decide(definition, frame) == expected


def test_values_of_a_column_are_all_thought_of():
    x = NumberColumn(0, "x", (1.0, 2.0), has_missing=True)
    assert len(np.unique(states_of(x), axis=0)) == 4  # two cuts, and missing
    colour = CategoryColumn(1, "colour", ("red", "blue"), has_missing=False)
    assert len(states_of(colour)) == 3  # and none of them
    space = space_of([*x.literals(), *colour.literals()], [x, colour])
    above, below = x.literals()[0], x.literals()[1]
    assert space.clause([above, below]) is not None  # may be missing
    plain = NumberColumn(0, "x", (1.0, 2.0), has_missing=False)
    assert space_of(plain.literals(), [plain]).clause(plain.literals()[:2]) is None


def test_sympy_has_the_inequalities(fitted):
    formula = fitted.definition("setosa").to_sympy()
    assert {
        "petal" in str(symbol) or "sepal" in str(symbol) for symbol in formula.free_symbols
    } == {True}


def test_the_absence_of_bars_is_said_in_a_sentence():
    X, y = vertical_bars(3000, shape=(5, 5), noise=0.3)
    classifier = AlgebraicClassifier(random_state=0, image_shape=(5, 5), max_epochs=30).fit(X, y)
    none = classifier.definition(False)
    assert none.sentence == "every column with some row white"
    some = classifier.definition(True, max_clauses=5)
    assert some.is_partial and some.sentence is None
    assert some.conjecture.sentence == "some column with all rows black"
    assert "True looks like: some column with all rows black" in str(some)
    assert some.to_dict()["conjecture"] == "some column with all rows black"


def test_parity_is_conjectured():
    X, y = bar_parity(1500, shape=(4, 4), noise=0.2)
    classifier = AlgebraicClassifier(random_state=0, image_shape=(4, 4), max_epochs=10).fit(X, y)
    told = [classifier.definition(label).conjecture.sentence for label in (False, True)]
    assert told == [
        "an even number of columns with all rows black",
        "an odd number of columns with all rows black",
    ]
    classifier.set_params(image_shape=None)
    assert classifier.definition(True).conjecture is None


def test_numbers_with_many_cuts_are_no_colours(digits):
    X, y = digits[0][:200], digits[1][:200]
    classifier = AlgebraicClassifier(random_state=0, max_epochs=5, image_shape=(8, 8)).fit(X, y)
    assert classifier.definition(3).grid is None


def test_the_hardest_examples(fitted, iris, digits):
    hard = fitted.hardest(4)
    assert [one.probability for one in hard] == sorted(one.probability for one in hard)
    chances = fitted.predict_proba(iris[0])
    own = chances[np.arange(150), np.searchsorted(fitted.classes_, iris[1])]
    assert hard[0].explanation.classes[0].label in fitted.classes_
    for one in hard:
        assert one.label == np.asarray(iris[1])[one.row] and one.was_held_out
        assert str(one).startswith(f"row {one.row}: {one.label}, given {one.probability:.1%} when")
        # The model has learned from the row since: it finds the label more probable now.
        assert one.probability < own[one.row]
        known = {seen.label: seen.probability for seen in one.explanation.classes}
        assert known[one.label] == pytest.approx(own[one.row])
    X, y = digits[0][:200], digits[1][:200]
    classifier = AlgebraicClassifier(random_state=0, max_epochs=5, image_shape=(8, 8)).fit(X, y)
    image = classifier.hardest(1)[0].explanation.image
    distance = np.abs(X.reshape(-1, 8, 8) / 16 - image).mean(axis=(1, 2))
    assert image.shape == (8, 8) and distance.min() < 0.3


def test_the_function_takes_rows_with_none():
    X = pd.DataFrame({"x": [1.0, 2.5, 3.7, None, 0.2] * 8, "z": ["a", None] * 20})
    model = AlgebraicClassifier(random_state=0, max_epochs=2, evidence="strict")
    model.fit(X, np.where(X["x"] > 2, "yes", "no"))
    definition, names = model.definition("yes"), {}
    exec(definition.to_python(), names)
    rows = [{"x": None, "z": None}, {"x": 3.0, "z": None}, {"x": float("nan"), "z": "a"}]
    assert [names["is_yes"](row) for row in rows] == definition.evaluate(rows).tolist()
