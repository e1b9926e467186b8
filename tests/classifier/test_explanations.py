"""Explanations and definitions: what they say is true of the rows, exactly."""

import json

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.logic.clauses import Clause
from atomlearn.tables.literals import Literal


@pytest.fixture(scope="module")
def fitted(iris):
    """Decided by strict atoms; explanations by weights are in test_weights.py."""
    return AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict").fit(*iris)


def test_explanation_counts_what_the_classifier_counts(fitted, iris):
    X, _ = iris
    for row in (0, 60, 140):
        told = fitted.explain(X.iloc[row])
        probabilities = fitted.predict_proba(X.iloc[[row]])[0]
        misses = fitted.misses(X.iloc[[row]])[0]
        assert told.label == fitted.predict(X.iloc[[row]])[0]
        for one in told.classes:
            k = int(np.flatnonzero(fitted.classes_ == one.label)[0])
            assert one.misses == misses[k]
            assert one.probability == pytest.approx(probabilities[k])
            assert len(one.missed) <= min(5, misses[k])


def test_missed_atoms_are_false_and_reasons_true(fitted, iris):
    X, _ = iris
    names = fitted.encoder_.get_feature_names_out().tolist()
    for row in range(0, 150, 10):
        true = set(np.array(names)[fitted.encoder_.transform(X.iloc[[row]])[0]])
        told = fitted.explain(X.iloc[row])
        for one in told.classes:
            for atom in one.missed:
                assert not true & {str(literal) for literal in atom.clause.literals}
                assert atom.has == ()
            shares = [atom.telling for atom in one.missed]
            assert shares == sorted(shares, reverse=True) and all(0 <= s <= 1 for s in shares)
        for atom in told.reasons:
            assert atom.has and {str(literal) for literal in atom.has} <= true


def test_rows_in_every_form(fitted, iris):
    X, _ = iris
    as_series, as_frame = fitted.explain(X.iloc[60]), fitted.explain(X.iloc[[60]])
    with pytest.warns(UserWarning, match="feature names"):
        as_array = fitted.explain(X.to_numpy()[60])
    with pytest.warns(UserWarning, match="feature names"):
        as_list = fitted.explain(X.to_numpy()[60].tolist())
    assert str(as_series) == str(as_frame) == str(as_array) == str(as_list)
    with pytest.raises(ValueError, match="one row is explained at a time, not 3"):
        fitted.explain(X[:3])


def test_text_and_plain_values(fitted, iris):
    told = fitted.explain(iris[0].iloc[0], max_atoms=2)
    text = str(told)
    assert text.startswith("setosa (") and "for setosa rather than " in text
    assert "petal" in text
    plain = json.loads(json.dumps(told.to_dict()))
    assert plain["label"] == "setosa" and len(plain["classes"]) == 3
    assert all(len(one["missed"]) <= 2 for one in plain["classes"])


def test_pictures(digits):
    X, y = digits[0][:150], digits[1][:150]
    classifier = AlgebraicClassifier(random_state=0, max_epochs=6, image_shape=(8, 8)).fit(X, y)
    figure = classifier.explain(X[0]).plot()
    assert len(figure.axes) == 4
    classifier.set_params(image_shape=None)
    with pytest.raises(ValueError, match="image_shape"):
        classifier.explain(X[0]).plot()


@pytest.mark.parametrize(("evidence", "coverage"), [("strict", 0.95), ("weighted", 0.8)])
def test_definitions_are_exact(iris, evidence, coverage):
    X, y = iris
    fitted = AlgebraicClassifier(random_state=0, max_epochs=30, evidence=evidence).fit(X, y)
    values = X.to_numpy()
    for label in fitted.classes_:
        definition = fitted.definition(label)
        by_hand = np.ones(len(X), dtype=bool)
        for clause in definition.clauses:
            some = np.zeros(len(X), dtype=bool)
            for literal in clause.literals:
                column = values[:, literal.column]
                some |= (
                    column > literal.value if literal.operator == ">" else (column <= literal.value)
                )
            by_hand &= some
        told = definition.evaluate(X)
        assert (told == by_hand).all()
        assert definition.error == pytest.approx((told != (y == label)).mean(), abs=0.02)
        assert definition.coverage > coverage
        assert definition.is_partial == (definition.total > len(definition.clauses))


def test_few_clauses_make_a_partial_definition(fitted):
    short = fitted.definition("versicolor", max_clauses=1)
    assert len(short.clauses) == 1 and short.is_partial and "  partial: 1 of " in str(short)
    assert fitted.definition("versicolor").error <= short.error
    with pytest.raises(ValueError, match="'lily' is not one of the classes"):
        fitted.definition("lily")


def test_definition_finds_a_planted_rule(mixed):
    X, y = mixed
    definition = AlgebraicClassifier(random_state=0).fit(X, y).definition("yes")
    assert definition.to_dict()["clauses"] == [["colour = red", "smoker = True"]]
    assert definition.error == 0 and definition.total > 1  # of many atoms the one that tells all
    assert (definition.evaluate(X) == (y == "yes")).all()
    assert definition.to_text().splitlines()[:2] == [
        "yes if",
        "      (colour = red or smoker = True)",
    ]
    assert r"\text{colour} = \text{red} \lor \text{smoker} = \text{True}" in definition.to_latex()


def test_latex_is_escaped():
    clause = Clause((Literal(0, "50%_{x}", "!=", "a&b"), Literal(1, "y", "missing", None)))
    assert clause.to_latex() == (
        r"\text{50\%\_\{x\}} \neq \text{a\&b} \lor \text{y} \text{ is missing}"
    )


def test_a_definition_is_a_value(fitted):
    assert fitted.definition("setosa") == fitted.definition("setosa")
    assert fitted.definition("setosa") != fitted.definition("virginica")


def test_definitions_after_batches(iris):
    X, y = iris
    classifier = AlgebraicClassifier(random_state=0)
    for start in range(2):
        classifier.partial_fit(X[start::2], y[start::2], classes=np.unique(y))
    definition = classifier.definition("setosa")
    assert definition.rows_measured > 100 and definition.error < 0.05
