"""Rules with examples: every prediction obeys every rule, whatever was learned and how."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomlearn import AlgebraicClassifier, load
from atomlearn.distributed import fit, fit_batches
from atomlearn.errors import (
    ContradictoryRules,
    DifferentConstants,
    DoubtfulRule,
    InconsistentRelations,
    InvalidParameter,
    InvalidRule,
    InvalidTable,
)
from atomlearn.tables.batches import ArrayBatches

RULES = ["virginica if petal length > 5 and petal width > 1.8", "not setosa if petal length > 3"]


@pytest.fixture(scope="module")
def flowers(iris):
    X, y = iris
    return X.rename(columns=lambda name: name.removesuffix(" (cm)")), y


def quick(**parameters):
    return AlgebraicClassifier(random_state=0, max_epochs=10, **parameters)


COMPARE = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def is_met(condition, row):
    value = row[condition.column]
    missing = value is None or value != value
    if condition.operator in ("missing", "known"):
        return missing == (condition.operator == "missing")
    return not missing and bool(COMPARE[condition.operator](value, condition.value))


def violations(classifier, X):
    """Predictions that some rule forbids; where rules leave no class possible none counts."""
    said, chances = classifier.predict(X), classifier.predict_proba(X)
    labels = classifier.classes_.tolist()
    found = []
    for i, row in enumerate(X.to_dict("records")):
        forbidden = set()
        for rule in classifier.rules_:
            if all(is_met(condition, row) for condition in rule.conditions):
                others = set(labels) - {rule.label}
                forbidden |= {rule.label} if rule.negated else others
        if len(forbidden) == len(labels):
            continue
        p = dict(zip(labels, chances[i].tolist(), strict=True))
        wrong = said[i] in forbidden or any(p[k] != 0.0 for k in forbidden)
        if wrong or (len(forbidden) == len(labels) - 1 and max(p.values()) != 1.0):
            found.append(i)
    return found


# -- what is promised


def random_table(rng, n):
    X = pd.DataFrame(
        {
            "size": rng.choice([*np.round(rng.normal(size=8), 2), np.nan], n),
            "rooms": rng.integers(0, 6, n),
            "colour": rng.choice(np.array(["red", "green", "blue", None], dtype=object), n),
        }
    )
    return X, rng.choice(["a", "b", "c"], n)


def random_rule(rng, X):
    def condition():
        column = rng.choice(["size", "rooms", "colour"])
        if rng.random() < 0.15:
            return f"{column} is {rng.choice(['missing', 'known'])}"
        if column == "colour":
            return f"colour {rng.choice(['=', '!='])} {rng.choice(['red', 'green', 'pink'])}"
        value = rng.choice(X[column].dropna()) if rng.random() < 0.7 else round(rng.normal(), 1)
        return f"{column} {rng.choice(list(COMPARE))} {value}"

    conditions = " and ".join(condition() for _ in range(rng.integers(1, 4)))
    return f"{'not ' * int(rng.random() < 0.6)}{rng.choice(['a', 'b', 'c'])} if {conditions}"


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.sampled_from(["auto", "strict", "weighted"]))
@settings(max_examples=50, deadline=None)
def test_no_prediction_ever_breaks_a_rule(seed, evidence):
    """50 models and 2,000 rows each: 100,000 predictions."""
    rng = np.random.default_rng(seed)
    X, y = random_table(rng, 60)
    rules = [random_rule(rng, X) for _ in range(rng.integers(1, 4))]
    model = AlgebraicClassifier(random_state=0, max_epochs=5, evidence=evidence, rules=rules)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y)
        except (ContradictoryRules, InvalidTable):
            return
        new, _ = random_table(rng, 2000)
        assert violations(model, new) == []


@pytest.fixture(scope="module")
def noisy_flowers(flowers):
    X, y = flowers
    rng = np.random.default_rng(0)
    return X, np.where(rng.random(len(y)) < 0.15, rng.permutation(y), y)


@pytest.fixture(scope="module")
def many(flowers):
    """Rows that were never seen, all over the place."""
    X, _ = flowers
    rng = np.random.default_rng(1)
    return pd.DataFrame({name: rng.uniform(0, 9, 2000) for name in X.columns})


@pytest.mark.parametrize("evidence", ["strict", "weighted"])
def test_rules_hold_however_it_is_learned_and_kept(noisy_flowers, many, tmp_path, evidence):
    X, y = noisy_flowers
    model = quick(rules=RULES, evidence=evidence).fit(X, y)
    assert violations(model, many) == []
    model.save(tmp_path / "m.atoms")
    again = load(tmp_path / "m.atoms")
    assert again.rules_ == model.rules_ and violations(again, many) == []
    assert np.array_equal(again.predict_proba(many), model.predict_proba(many))
    again.partial_fit(X[:80], y[:80])
    assert violations(again, many) == [] and again.rule_conflicts_
    again.set_params(warm_start=True).fit(X, y)
    assert violations(again, many) == []
    fresh = AlgebraicClassifier(random_state=0, evidence=evidence, rules=RULES)
    fresh.partial_fit(X[::2], y[::2], classes=np.unique(y)).partial_fit(X[1::2], y[1::2])
    assert violations(fresh, many) == []
    again.merge(load(tmp_path / "m.atoms").partial_fit(X[80:], y[80:]))
    assert violations(again, many) == [] and again.rules_ == model.rules_


def test_rules_hold_from_disk_and_on_dask(noisy_flowers, many):
    X, y = noisy_flowers
    named = {name: f"x{j}" for j, name in enumerate(X.columns)}
    rules = list(RULES)
    for name, short in named.items():
        rules = [rule.replace(name, short) for rule in rules]
    order = np.random.default_rng(0).permutation(len(y))
    values, labels = X.to_numpy()[order], y[order]
    told = {"random_state": 0, "max_epochs": 10, "rules": rules}
    from_disk = fit_batches(ArrayBatches(values, labels, rows=75), **told)
    from dask.array import from_array

    on_dask = fit(from_array(values, chunks=(75, 4)), from_array(labels, chunks=75), **told)
    short = many.rename(columns=named)
    for model in (from_disk, on_dask):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert violations(model, short) == []
        assert sum(len(one.rows) for one in model.rule_conflicts_) > 0
        for conflict in model.rule_conflicts_:
            assert np.array_equal(labels[conflict.rows], conflict.labels)


# -- what is reported


def test_rules_that_contradict_each_other(flowers):
    rules = ["virginica if petal length > 5", "setosa if petal width > 1"]
    with pytest.raises(ContradictoryRules, match="for rows that meet both") as raised:
        quick(rules=rules).fit(*flowers)
    assert isinstance(raised.value, InconsistentRelations)
    assert [str(rule) for rule in raised.value.rules] == rules
    (conflict,) = raised.value.conflicts
    assert len(conflict.derivation) == 1
    with pytest.raises(ContradictoryRules):
        quick(rules=["virginica if petal length > 5", "not virginica if petal length > 6"]).fit(
            *flowers
        )
    apart = ["virginica if petal length > 5", "setosa if petal length <= 2"]
    assert len(quick(rules=apart).fit(*flowers).rules_) == 2


def test_rows_that_a_rule_contradicts(flowers):
    X, y = flowers
    model = quick(rules=["virginica if petal length > 5"]).fit(X, y)
    (conflict,) = model.rule_conflicts_
    wrong = np.flatnonzero((X["petal length"] > 5) & (y != "virginica"))
    assert conflict.rows.tolist() == wrong.tolist() and set(conflict.labels) == {"versicolor"}
    assert str(conflict) == (
        "1 row labelled versicolor contradicts 'virginica if petal length > 5': row 83"
    )
    with pytest.raises(InvalidTable, match="every training row of"):
        quick(rules=["setosa if petal length > 3"]).fit(X, y)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (["virginica if petal length > 100"], "no training row meets"),
        (["virginica if petal length > 5 and petal length < 4"], "no row can meet"),
        (
            ["virginica if petal length > 6", "virginica if petal length > 6.5"],
            "'virginica if petal length > 6.5' follows from the other rules",
        ),
        (
            ["not setosa if petal width > 3", "not versicolor if petal width > 3",
             "not virginica if petal width > 2.9"],
            "together leave no class possible",
        ),
    ],
)  # fmt: skip
def test_rules_that_are_probably_not_meant(flowers, rules, said):
    with pytest.warns(DoubtfulRule, match=said):
        quick(rules=rules).fit(*flowers)


def test_a_rule_that_leaves_classes_possible_draws_no_warning(flowers):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DoubtfulRule)
        quick(rules=["not setosa if petal length > 3"]).fit(*flowers)


def test_where_no_class_is_left_something_is_predicted(flowers):
    rules = [f"not {label} if petal width > 3" for label in ("setosa", "versicolor", "virginica")]
    with pytest.warns(DoubtfulRule):
        model = quick(rules=rules).fit(*flowers)
    row = flowers[0].iloc[:1].assign(**{"petal width": 4.0})
    assert np.isfinite(model.predict_proba(row)).all()


@pytest.mark.parametrize(
    ("rules", "error", "said"),
    [
        ("virginica if petal length > 5", InvalidParameter, "list"),
        (["virginica if petal length > big"], InvalidRule, "petal length holds numbers"),
        (["virginica if petal length > 5 or 6"], InvalidRule, "'6' is not a condition"),
        (["virginica if petal lenght > 5"], InvalidRule, "did you mean 'petal length'"),
        (["iris if petal length > 5"], InvalidRule, "not a label"),
    ],
)
def test_what_is_refused(flowers, rules, error, said):
    with pytest.raises(error, match=said):
        quick(rules=rules).fit(*flowers)


def test_categories_and_truth_values(mixed):
    X, y = mixed
    model = quick(rules=["yes if colour = red", "yes if smoker = true"]).fit(X, y)
    wanted = (X["colour"] == "red") | X["smoker"]
    assert (model.predict(X)[wanted] == "yes").all()
    with pytest.raises(InvalidRule, match="colour holds categories: use = or !=, not"):
        quick(rules=["yes if colour > 3"]).fit(X, y)
    with pytest.raises(InvalidRule, match="smoker is true or false: use '= true' or '= false'"):
        quick(rules=["yes if smoker > 3"]).fit(X, y)
    pink = quick(rules=["no if colour = pink"])
    with pytest.warns(DoubtfulRule, match="no training row meets"):
        pink.fit(X, y)
    assert pink.predict(X.assign(colour="pink")).tolist() == ["no"] * len(X)


def test_explanations_and_definitions_name_the_rule(flowers):
    X, y = flowers
    model = quick(rules=RULES).fit(X, y)
    told = model.explain(X.iloc[100])
    assert f"decided by the rule: {RULES[0]}" in str(told)
    assert [str(rule) for rule in told.rules] == RULES
    assert told.to_dict()["rules"] == RULES
    assert "rule" not in str(model.explain(X.iloc[0]))
    assert str(model.definition("virginica")).startswith(f"rule: {RULES[0]}\n")
    assert model.definition("setosa").to_dict()["rules"] == [RULES[1]]


def test_merging_takes_over_the_rules_of_others(flowers, many):
    X, y = flowers
    ours = quick(rules=RULES, evidence="strict").fit(X, y)
    theirs = quick(rules=RULES[:1], evidence="strict").fit(X, y)
    with pytest.raises(DifferentConstants, match="not known here"):
        quick(evidence="strict").fit(X, y).merge(ours)
    ours.merge(theirs)
    assert [str(rule) for rule in ours.rules_] == RULES and violations(ours, many) == []


# -- rules mean what is written, everywhere


def test_a_rule_about_a_label_that_begins_with_not(tmp_path):
    X = pd.DataFrame({"a": np.arange(40) / 10})
    y = np.where((X["a"] > 2) | (X["a"] < 0.5), "x", "not x")
    model = quick(rules=['not "x" if a > 1']).fit(X, y)
    model.save(tmp_path / "m.atoms")
    for one in (model, load(tmp_path / "m.atoms")):
        assert one.rules_[0].label == "x" and one.rules_[0].negated
        assert set(one.predict(X[X["a"] > 1])) == {"not x"}
    with pytest.warns(DoubtfulRule, match="no such row is x"):
        assert quick(rules=["not x if a > 1"]).fit(X, y).rules_ == model.rules_
    other = quick(rules=['"not x" if a > 1']).fit(X, y).rules_[0]
    assert other.label == "not x" and not other.negated


@pytest.mark.parametrize("text", ["1.10", "1.1", "01234", "1e3", "1_0", "7"])
def test_text_is_compared_as_it_is_written(text, tmp_path):
    values = ["1.10", "1.1", "01234", "1e3", "1_0", "b"]
    X = pd.DataFrame({"v": values * 10})
    model = quick(rules=[f"odd if v = {text}"]).fit(X, np.tile(["odd", "even"], 30))
    model.save(tmp_path / "m.atoms")
    asked = pd.DataFrame({"v": [*values, "7", "7.0", "1.100"]})
    for one in (model, load(tmp_path / "m.atoms")):
        chances = one.predict_proba(asked)[:, list(one.classes_).index("odd")]
        assert (chances[asked["v"] == text] == 1).all()
        assert (chances[asked["v"] != text] < 1).all()


@pytest.mark.parametrize("value", [7, 7.5, 10**18 + 1])
def test_an_unseen_number_among_categories_is_a_number(value, tmp_path):
    X = pd.DataFrame({"v": pd.Categorical([1, 2, 3] * 20), "w": np.arange(60.0)})
    model = quick(rules=[f"1 if v = {value}"]).fit(X, np.arange(60) % 2)
    model.save(tmp_path / "m.atoms")
    asked = pd.DataFrame({"v": [value, 1], "w": [0.0, 1.0]})
    for one in (model, load(tmp_path / "m.atoms")):
        assert one.predict_proba(asked)[:, 1].tolist()[0] == 1


def test_rows_that_rules_contradict_are_told_after_loading(flowers, tmp_path):
    X, y = flowers
    model = quick(rules=["not virginica if petal length > 6"]).fit(X, y)
    model.save(tmp_path / "m.atoms")
    ours, theirs = model.rule_conflicts_, load(tmp_path / "m.atoms").rule_conflicts_
    assert len(ours) == 1 and list(map(str, ours)) == list(map(str, theirs))


def test_rules_about_long_integers():
    X = (10**18 + np.arange(40))[:, None]
    model = quick(rules=[f"1 if x0 >= {10**18 + 30}"]).fit(X, np.arange(40) % 2)
    assert (model.predict_proba(X)[:, 1] == 1).tolist() == [i >= 30 for i in range(40)]


RULE_SETS = [
    ["yes if risk > 0.6"],
    ["not yes if age > 60 and job = a", "yes if risk > 0.9 and job = b"],
    ["no if age is missing"],
    ["no if job != c and risk <= 0.2", "not no if risk > 0.8"],
]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_definitions_obey_the_rules_in_every_form(rules):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "risk": rng.random(400),
            "age": np.where(rng.random(400) < 0.05, np.nan, rng.integers(18, 80, 400)),
            "job": rng.choice(["a", "b", "c"], 400),
        }
    )
    model = quick(rules=rules).fit(X, np.where(X["risk"] + rng.random(400) > 1, "yes", "no"))
    assert len(X) == 400
    for k, label in enumerate(model.classes_):
        chances = model.predict_proba(X)[:, k]
        for most in (3, 12, "short"):
            definition = model.definition(label, most)
            told = definition.evaluate(X)
            assert told[chances == 1].all() and not told[chances == 0].any()
            assert ((chances == 1) | (chances == 0)).any()
            space: dict = {}
            exec(definition.to_python(), space)
            function = space[f"is_{label}"]
            assert [function(row) for row in X.to_dict("records")] == told.tolist()
            for form in (definition.cnf, definition.minimal, definition.factored):
                bits = model.encoder_.transform(X)
                literals = zip(model.encoder_.literals_, bits.T, strict=True)
                assert form.evaluate(dict(literals)).tolist() == told.tolist()
        assert "risk" in definition.to_latex() or "age" in definition.to_latex()


def test_a_definition_with_a_rule_is_measured_with_it():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(300), "b": rng.random(300)})
    y = np.where(X["a"] + X["b"] > 1, "yes", "no")
    model = quick(rules=["not yes if b < 0.5"]).fit(X, y)
    definition = model.definition("yes", 1)
    kept = (X["b"] >= 0.5) | (y == "no")
    wrong = (definition.evaluate(X) != (y == "yes"))[kept]
    assert "b ≥ 0.5" in str(definition)
    assert definition.error <= wrong.mean() + 0.05


# -- what a value is


def obeying(rule, cells, **new):
    """A classifier of one column with one rule, and what it says of new cells."""
    X = pd.DataFrame({"v": pd.Series(cells * 6, dtype=new.pop("dtype", None))})
    y = np.resize(["a", "b"], len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = quick(rules=[rule]).fit(X.assign(w=np.arange(len(X)) % 5), y)
        asked = pd.DataFrame({"v": pd.Series(new["asked"], dtype=X["v"].dtype), "w": 1})
        return model, asked, model.predict_proba(asked)[:, 1].tolist()


def test_a_float_is_compared_with_integers_that_no_float_is():
    cells = [10**18 + i for i in range(8)]
    assert 10**18 + 5 < 1.0000000000000001e18
    _, _, chance = obeying("b if v < 1.0000000000000001e+18 and w = 1", cells, asked=cells)
    assert chance == [1.0] * 8
    _, _, chance = obeying("not b if v >= 1e18 and w = 1", cells, asked=cells)
    assert chance == [0.0] * 8


def test_truth_values_among_text():
    """``v = True`` is not the opposite of ``v = False`` where there are other values."""
    cells, asked = ["yes", "no", True, "maybe"], [True, False, "yes", "other"]
    model, X, chance = obeying("not b if v = True", cells, dtype=object, asked=asked)
    assert chance[0] == 0.0 and all(chance[1:])
    names = {}
    exec(model.definition("a").to_python(), names)
    rows = X.to_dict("records")
    assert [names["is_a"](row) for row in rows] == model.definition("a").evaluate(X).tolist()
    _, _, chance = obeying("b if v = False", cells, dtype=object, asked=asked)
    assert chance[1] == 1.0 and max(chance[0], *chance[2:]) < 1.0
    _, _, chance = obeying("b if v != false and w = 1", cells, dtype=object, asked=asked)
    assert [one == 1.0 for one in chance] == [True, False, True, True]


def test_a_definition_excludes_rows_because_a_value_is_missing(mixed):
    X, y = mixed
    model = quick(rules=["not yes if size is missing", "not no if note is known and size > 9"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    definition, names = model.definition("yes"), {}
    exec(definition.to_python(), names)
    asked = X.assign(size=np.nan)
    assert not definition.evaluate(asked).any()
    assert not any(names["is_yes"](row) for row in asked.to_dict("records"))


# -- figures and types beside rules


def by_chance(n=1000):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(n), "b": rng.normal(size=n)})
    return X, np.where(X["a"] < 0.9, "no", np.where(rng.random(n) < 0.5, "yes", "no"))


@pytest.mark.parametrize("n_batches", [0, 1, 4])
def test_the_estimated_error_counts_the_rows_that_rules_decide(n_batches):
    X, y = by_chance()
    model = quick(rules=["no if a < 0.9"])
    for part in np.array_split(np.arange(len(X)), n_batches) if n_batches else ():
        model.partial_fit(X.iloc[part], y[part], classes=["no", "yes"])
    if not n_batches:
        model.fit(X, y)
    assert 0.02 < model.estimated_error_ < 0.07  # half of a tenth of the rows


def test_labels_that_contradict_a_rule_count_as_errors():
    X, y = by_chance()
    wrong = np.where(np.arange(1000) % 4 == 0, "yes", y)  # a quarter of the rows
    model = quick(rules=["no if a < 0.9"]).fit(X, wrong)
    said = 1 - model.score(X, wrong)
    assert model.estimated_error_ == pytest.approx(said, abs=0.05) and said > 0.2


def test_a_class_that_is_never_the_commonest_is_no_contradiction():
    X = pd.DataFrame({"g": ["p", "q", "r"] * 200, "x": np.arange(600) % 5})
    y = np.where(np.random.default_rng(0).random(600) < 0.1, "rare", "common")
    assert quick(rules=["common if g = z"]).fit(X, y).predict(X).tolist() == ["common"] * 600


def test_balanced_weights_are_of_all_rows():
    X, y = by_chance()
    model = quick(rules=["no if a < 0.9"], class_weight="balanced").fit(X, y)
    weights = {one.label: one.class_weight for one in model.explain(X.iloc[0]).classes}
    counts = {label: (y == label).sum() for label in ("no", "yes")}
    assert weights == pytest.approx({k: 1000 / (2 * n) for k, n in counts.items()})


@pytest.mark.parametrize("beside", ["whole", "real", "text", None])
@pytest.mark.parametrize("kind", [bool, "boolean", "category"])
def test_rules_about_truth_values_beside_anything(beside, kind):
    others = {"whole": np.arange(100), "real": np.linspace(0, 1, 100), "text": ["r", "s"] * 50}
    X = pd.DataFrame({"t": pd.Series([True, False] * 50, dtype=kind)})
    if beside:
        X[beside] = others[beside]
    for text in ("t = true", "t = True"):
        model = quick(rules=[f"1 if {text}"]).fit(X, np.arange(100) % 4 // 2)
        assert (model.predict_proba(X)[:, 1] == 1).tolist() == [True, False] * 50


def test_integer_categories_beside_numbers_are_read_from_a_table(tmp_path):
    X = pd.DataFrame({"k": pd.Categorical(np.arange(90) % 3 + 1), "z": np.linspace(0, 1, 90)})
    model = quick(rules=["p if k = 2", "q if k = 9"]).fit(X, ["p", "q"] * 45)
    assert model.encoder_.columns_[0].categories == (1, 2, 3, 9)


def test_rules_cannot_change_while_learning_goes_on(flowers):
    X, y = flowers
    model = quick(rules=RULES, warm_start=True).fit(X, y)
    model.fit(X, y)
    model.rules = [*RULES, "setosa if petal length < 0.5"]
    with pytest.raises(InvalidParameter, match=r"'setosa if petal length < 0\.5' is new"):
        model.fit(X, y)
    with pytest.raises(InvalidParameter, match="is new"):
        model.partial_fit(X, y)


def test_an_explanation_says_that_rules_are_not_obeyed():
    X, _ = by_chance()
    y = np.where(X["a"] < 0.8, "no", np.where(X["b"] > 0, "yes", "no"))
    with pytest.warns(DoubtfulRule, match="leave no class possible"):
        model = quick(rules=["not no if a > 0.9", "not yes if b > 1"]).fit(X, y)
    told = model.explain(pd.DataFrame({"a": [0.95], "b": [2.0]}))
    assert not told.is_obeyed and "excluded by" not in str(told)
    assert "not obeyed, since together the rules leave no class" in str(told)


def test_nothing_lies_between_at_least_and_at_most():
    X = pd.DataFrame({"x": np.arange(100) % 10})
    rules = ["a if x >= 5 and x != 5", "b if x <= 5"]
    assert len(quick(rules=rules).fit(X, ["a", "b"] * 50).rules_) == 2
    with pytest.raises(ContradictoryRules):
        quick(rules=["a if x >= 4 and x != 5", "b if x <= 5"]).fit(X, ["a", "b"] * 50)


def test_a_misspelt_category_is_told():
    X = pd.DataFrame({"city": ["Berlin", "Bonn", "Jena"] * 10, "size": range(30)})
    y = np.where(X["size"] > 14, "yes", "no")
    with pytest.warns(DoubtfulRule, match="'Berln', which no .* 'city'; did you mean 'Berlin'"):
        quick(rules=["no if city = Berln"]).fit(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        quick(rules=["no if city = Paris", "no if city = Bonn and size < 9"]).fit(X, y)
    assert not any("did you mean" in str(one.message) for one in caught)
