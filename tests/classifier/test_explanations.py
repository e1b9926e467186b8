"""Explanations and definitions: what they say is true of the rows, exactly."""

import json
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.datasets import load_digits, load_iris
from typer.testing import CliRunner

from atomlearn import AlgebraicClassifier
from atomlearn.cli import app
from atomlearn.logic.formulas import Clause
from atomlearn.tables.columns import NumberColumn
from atomlearn.tables.images import greys_of
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
            assert len(one.missed) + sum(atom.alike for atom in one.missed) <= misses[k]
            assert len(one.missed) <= 3


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
            costs = [atom.cost for atom in one.missed]
            assert costs == sorted(costs, reverse=True) and all(cost > 0 for cost in costs)
            assert all(0 <= atom.telling <= 1 for atom in one.missed)
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
    classes = classifier.explain(X[0]).classes
    assert all((one.pixels >= 0).all() and one.pixels.any() for one in classes[1:4])
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


def test_what_a_row_is_because_it_misses_an_atom(noisy, by_evidence):
    gains, colours = [], 0
    for row in range(20):
        told = by_evidence["weighted"].explain(noisy[0].iloc[row], max_atoms=20)
        gains += [line for line in str(told).splitlines() if "gains" in line]
        for atom in (atom for one in told.classes for atom in one.missed):
            if f"colour = {noisy[0]['colour'].iloc[row]}" in atom.facts:
                colours += 1
                assert any(literal.name == "colour" for literal in atom.clause.literals)
            assert not set(map(str, atom.clause.literals)) & set(atom.facts)
    assert gains and all("true of" in line for line in gains) and colours


def test_the_row_that_is_explained(mixed):
    X, y = mixed
    fitted = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    values = dict(fitted.explain(X.iloc[0]).values)
    assert list(values) == list(X.columns)
    assert values["colour"] == X["colour"].iloc[0] and values["size"] == f"{X['size'].iloc[0]:.6g}"
    kept = dict(fitted._explain_packed(fitted.encoder_.pack(X.iloc[:1].to_numpy())[0], 1).values)
    assert kept["colour"] == f"= {X['colour'].iloc[0]}"
    assert re.search("[<>≤]", kept["size"])  # a range
    facts = {fact for row in range(30) for one in fitted.explain(X.iloc[row], 20).classes
             for atom in one.missed for fact in atom.facts}  # fmt: skip
    assert "smoker = False" in facts and not any("≠ True" in fact for fact in facts)


def test_pixels_are_told_by_row_and_column(digits):
    X, y = digits[0][:150], digits[1][:150]
    images = AlgebraicClassifier(random_state=0, max_epochs=6, image_shape=(8, 8)).fit(X, y)
    atoms = images.atoms_frame().drop("offset")["atom"]
    texts = [str(images.explain(X[0])), str(images.definition(0)), *atoms]
    assert all("row " in text and ", column " in text for text in texts)
    assert not any(re.search(r"\bx\d", text) for text in texts)
    pixel = images.encoder_.literals_[0]
    told = images._literals()[0]
    assert told == pixel
    assert str(told).startswith(f"row {pixel.column // 8 + 1}, column {pixel.column % 8 + 1} ")
    assert "row['x" in images.definition(0).to_python()  # code is about the table as it is


def test_shades_of_a_pixel():
    """At most 15.5 of 16 is nearly anything, and not white."""
    column = NumberColumn(0, "x0", tuple(np.arange(16) + 0.5), False)
    above, below = column.literals()[0::2], column.literals()[1::2]
    greys = greys_of([[one] for one in (*above, *below)], [column], 1).ravel()
    assert greys[15] == 1.0 and greys[16] == 0.0  # > 15.5 and ≤ 0.5
    assert greys[31] == pytest.approx(15 / 32) and greys[0] == pytest.approx(17 / 32)
    assert (np.diff(greys[:16]) > 0).all() and (np.diff(greys[16:]) > 0).all()


def test_short_definitions_and_their_price(iris):
    X, y = iris
    fitted = AlgebraicClassifier(random_state=0).fit(X, y)
    for label in fitted.classes_:
        short, full = fitted.definition(label, "short"), fitted.definition(label)
        assert 1 <= len(short.clauses) <= len(full.clauses)
        assert short.price == pytest.approx(short.held_out.error - full.held_out.error)
        assert f"{100 * short.price:+.1f} points of held-out error" in str(short)
        assert short.to_dict()["price"] == short.price and "price" not in full.to_dict()
        lowest = min(one.error for one in fitted.held_out_[list(fitted.classes_).index(label)])
        assert short.held_out.error <= lowest + np.sqrt(lowest * (1 - lowest) / 150) + 1e-9
    fitted.held_out_ = []  # as after partial_fit
    short = fitted.definition("virginica", "short")
    assert short.held_out is None and short.price >= 0 and "training error" in str(short)


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
    assert definition.rows_measured > 100 and definition.held_out is None


# -- what is shown adds up


def tables():
    """Tables of several kinds: two classes and more, categories, missing values, overlap."""
    rng = np.random.default_rng(0)
    X, y = load_iris(return_X_y=True, as_frame=True)
    yield X, y
    n = 300
    mixed = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 80, n)),
            "job": rng.choice(["a", "b", "c"], n),
            "rich": rng.random(n) < 0.4,
        }
    )
    yield mixed, np.where(mixed["rich"] ^ (rng.random(n) < 0.2), "yes", "no")
    digits, labels = load_digits(return_X_y=True)
    yield digits[:200], labels[:200]


PARAMETERS = [
    {"evidence": "strict"},
    {"evidence": "weighted"},
    {"evidence": "auto"},
    {"evidence": "weighted", "class_weight": "balanced"},
    {"evidence": "strict", "class_weight": "odd"},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("table", range(3))
def test_probabilities_follow_from_what_is_shown(table, parameters, tmp_path):
    X, y = list(tables())[table]
    if parameters.get("class_weight") == "odd":
        parameters = {
            **parameters,
            "class_weight": {k: 1.0 + i for i, k in enumerate(np.unique(y))},
        }
    model = AlgebraicClassifier(random_state=0, max_epochs=4, **parameters).fit(X, y)
    rows = np.random.default_rng(1).choice(len(X), 12, replace=False)
    asked = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    wanted = model.predict_proba(asked)
    order = {label: k for k, label in enumerate(model.classes_.tolist())}
    told = [model.explain(asked[i : i + 1]) for i in range(len(rows))]

    explained = np.zeros_like(wanted)
    as_values = np.zeros_like(wanted)
    for i, one in enumerate(told):
        for seen in one.classes:
            parts = seen.offset - (seen.strict_cost or 0.0) - (seen.cost or 0.0)
            assert f"offset {seen.offset:.2f}" in str(seen)
            assert f"score {parts:.2f}" in str(seen)
            explained[i, order[seen.label]] = parts
        for plain in one.to_dict()["classes"]:
            costs = plain.get("strict_cost", 0.0) + plain.get("cost", 0.0)
            as_values[i, order[plain["label"]]] = plain["offset"] - costs
    assert softmax(explained, axis=1) == pytest.approx(wanted, abs=1e-9)
    assert softmax(as_values, axis=1) == pytest.approx(wanted, abs=1e-9)

    frame = model.atoms_frame()
    assert softmax(scores_by(frame, model, asked), axis=1) == pytest.approx(wanted, abs=1e-9)

    model.save(tmp_path / "m.atoms")
    printed = CliRunner().invoke(app, ["show", str(tmp_path / "m.atoms"), "--json"])
    shown = json.loads(printed.stdout)
    found = softmax(scores_of(shown["model"], model.encoder_.transform(asked)), axis=1)
    assert found == pytest.approx(wanted, abs=1e-9)
    assert [one["offset"] for one in shown["classes"]] == pytest.approx(
        frame.loc["offset", "weight"].tolist()
    )
    text = CliRunner().invoke(app, ["show", str(tmp_path / "m.atoms")]).stdout
    assert all(f"offset {one['offset']:.4g}" in text for one in shown["classes"])
    assert "highest score" in text


def scores_by(frame, model, X):
    """Scores from the data frame of atoms, which are read as text."""
    bits = model.encoder_.transform(X)
    literals = {str(one): bits[:, i] for i, one in enumerate(model._literals())}
    scores = np.zeros((len(bits), len(model.classes_)))
    for k, label in enumerate(model.classes_):
        ours = frame[frame["class"] == label]
        n_missed = np.zeros(len(bits))
        for kind, text, weight in zip(ours.index, ours["atom"], ours["weight"], strict=True):
            if kind == "offset":
                scores[:, k] += weight
                continue
            missed = ~np.any([literals[one] for one in text.split(" or ")], axis=0)
            if kind == "strict":
                n_missed += missed * round(weight / frame.attrs["strict_weight"][label])
            else:
                scores[:, k] += weight * missed
        scores[:, k] -= frame.attrs["slope"] * np.log(n_missed + 1)
    return scores


def scores_of(model, bits):
    """Scores from the description that ``show --json`` prints."""
    scores = np.tile(model["offsets"], (len(bits), 1))

    def missed(atoms):
        for start, end in pairwise(atoms["starts"]):
            yield ~bits[:, atoms["constants"][start:end]].any(axis=1)

    if (strict := model["strict"]) is not None:
        for k, atoms in enumerate(strict["atoms"]):
            m = sum(missed(atoms), np.zeros(len(bits)))
            scores[:, k] -= strict["slope"] * np.log(m + 1)
    if (weighted := model["weighted"]) is not None:
        each = zip(weighted["classes"], weighted["weights"], missed(weighted["atoms"]), strict=True)
        for k, weight, mask in each:
            scores[:, k] += weight * mask
    return scores


def test_the_class_weight_is_told():
    X, y = load_iris(return_X_y=True)
    model = AlgebraicClassifier(random_state=0, class_weight={0: 1, 1: 3, 2: 1}).fit(X, y)
    assert "(class weight 3)" in str(model.explain(X[60]))
    assert {one.label: one.class_weight for one in model.explain(X[60]).classes}[
        1
    ] == pytest.approx(3)
