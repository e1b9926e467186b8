"""Statements, explanations, scorecards and intervals of a number."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import atomlearn
from atomlearn import AlgebraicClassifier, AlgebraicRegressor
from atomlearn.errors import ContradictoryRules, DoubtfulRule, InvalidRule
from atomlearn.tables.rules import Bound, parse_rules
from atomlearn.training.compact.numbers import round_unit
from atomlearn.training.numbers import HeldOutNumbers
from tests.regressor.conftest import prices

RULES = [
    "price = 0 if size = 0",
    "price <= 150 if rooms < 2 and city = Ulm",
    "price >= 0",
    "price rises with size",
    "y falls with age",
]


def fit(given, loss="squared", **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulRule)
        return fit_plainly(given, loss=loss, **more)


def fit_plainly(given, **more):
    X, y = prices()
    reg = AlgebraicRegressor(random_state=0, rules=given, **more)
    return reg.fit(X, np.maximum(y, 0.0).rename("price"))


@pytest.fixture(scope="module", params=["squared", "poisson", "absolute"])
def obedient(request):
    return fit(RULES, request.param), fit(RULES[2:], request.param)


def random_rows(n=3000):
    rng = np.random.default_rng(9)
    return pd.DataFrame(
        {
            "size": rng.choice([0.0, 1.0, 33.3, 90.0, 250.0, -5.0, np.nan], n),
            "age": rng.uniform(-10, 200, n),
            "rooms": rng.integers(0, 9, n),
            "city": rng.choice(["Bonn", "Jena", "Ulm", "Rom"], n),
        }
    )


def breaks(X, predictions):
    wrong = (X["size"] == 0) & (predictions != 0)
    wrong |= (X.rooms < 2) & (X.city == "Ulm") & (predictions > 150)
    return (wrong | (predictions < 0)).sum()


def test_rules_hold_on_every_row(obedient):
    ruled, _ = obedient
    X = random_rows()
    for reg in (ruled, ruled.compact(6)):
        assert breaks(X, reg.predict(X)) == 0
        ends = reg.predict_interval(X, 0.8)
        assert breaks(X, ends[:, 0]) == breaks(X, ends[:, 1]) == 0
        audit = reg.check_rules(X)
        assert audit.holds and {one.verdict for one in audit.statements} == {"proved"}
        assert all(one.n_violations == 0 for one in audit.statements)
    assert ruled.rule_conflicts_ or ruled.loss  # those that the table has are listed


def test_monotone_statements_hold_on_every_row(obedient):
    ruled, monotone = obedient
    X = random_rows(500)
    for reg in (ruled, monotone, monotone.compact(6)):
        for name, way in (("size", 1), ("age", -1)):
            steps = [reg.predict(X.assign(**{name: value})) for value in np.linspace(-20, 300, 60)]
            assert (way * np.diff(steps, axis=0) >= 0).all()
        assert {one.verdict for one in reg.check_rules(X).statements} == {"proved"}
    spelt = fit(None, monotonic_cst={"size": 1, "age": -1})
    assert {str(one) for one in spelt.rules_} == {"price rises with size", "price falls with age"}


def test_a_broken_model_is_not_proved(obedient):
    _, monotone = obedient
    weighted = monotone.learned_.weighted
    turned = AlgebraicRegressor.__new__(AlgebraicRegressor)
    turned.__dict__.update(monotone.__dict__)
    turned.learned_ = replace(
        monotone.learned_, weighted=replace(weighted, weights=-weighted.weights)
    )
    assert "broken" in {one.verdict for one in turned.check_rules().statements}


@pytest.mark.parametrize(
    "rules",
    [
        ["price = 0 if size = 0", "price >= 5 if age > 3"],
        ["price <= 3", "price > 3 if city = Ulm"],
        ["price > 3", "price <= 3 if city = Ulm"],
        ["price = 3", "price = 4"],
        ["price rises with size", "price = 0 if size = 9", "price = 5 if size = 3"],
        ["price rises with size", "price >= 5 if size != 9"],
        ["price rises with size", "price >= 5 if size < age"],
        ["price rises with size", "price falls with size"],
    ],
)
def test_contradictions_are_refused(rules):
    with pytest.raises(ContradictoryRules, match="contradict each other") as caught:
        fit(rules)
    assert len(caught.value.rules) == 2


@pytest.mark.parametrize(
    ("rule", "limits"),
    [
        ("price = 30 if size = 50", [(50, 30, 30), (60, 30, np.inf), (40, -np.inf, 30)]),
        ("price <= 40 if size > 50", [(250, -np.inf, 40), (0, -np.inf, 40)]),
        ("price >= 40 if size <= 50 and age < 9", [(250, 40, np.inf), (0, 40, np.inf)]),
        ("price = 30 if size = 50 or size = 70", [(50, 30, 30), (60, 30, 30), (71, 30, np.inf)]),
        ("price = 30 if garden = true", [(0, 30, 30), (90, 30, 30)]),
        ("price = 30 if garden = 1", [(0, 30, 30), (90, 30, 30)]),
    ],
)
def test_what_follows_from_a_limit_and_a_monotone_statement_is_obeyed(tmp_path, rule, limits):
    X, y = prices()
    X["garden"] = np.arange(len(X)) % 2 == 0
    rules = [rule, "price rises with size", "price rises with garden"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulRule)
        reg = AlgebraicRegressor(random_state=0, rules=rules, max_epochs=40).fit(X, y)
    rows = random_rows(300).assign(age=3.0, garden=True)
    reg.save(tmp_path / "ruled.atoms")
    for one in (reg, reg.compact(5), atomlearn.load(tmp_path / "ruled.atoms")):
        for size, low, high in limits:
            found = one.predict(rows.assign(size=float(size)))
            assert found.min() >= low and found.max() <= high
        steps = [one.predict(rows.assign(size=float(size))) for size in range(-20, 260, 7)]
        assert (np.diff(steps, axis=0) >= 0).all()
        assert (one.predict(rows) >= one.predict(rows.assign(garden=False))).all()
        assert {one.verdict for one in one.check_rules(rows).statements} == {"proved"}
    removed = replace(reg.learned_.rules, rules=reg.learned_.rules.rules[1:])
    reg.learned_ = replace(reg.learned_, rules=removed)
    assert reg.check_rules().statements[0].verdict == "broken"


def test_nothing_follows_from_a_rule_that_no_row_can_meet():
    with pytest.warns(DoubtfulRule, match="no row can meet"):
        reg = fit_plainly(["price = 900 if size > 90 and size < 5", "price rises with size"])
    assert reg.predict(random_rows()).max() < 900 and reg.check_rules().holds


def test_explanations_say_from_what_a_limit_follows():
    reg = fit(["price = 90 if size = 50", "price rises with size"], max_epochs=40)
    rows = random_rows(1).assign(size=50.0), random_rows(1).assign(size=49.0, age=0.0)
    told = [[str(rule) for rule in reg.explain(row).rules] for row in rows]
    assert told == [["price = 90 if size = 50"],
                    ["price = 90 if size = 50", "price rises with size"]]  # fmt: skip
    assert "a rule limits it: price rises with size" in str(reg.explain(rows[1]))


def test_a_limit_that_reaches_every_value_is_a_warning():
    with pytest.warns(DoubtfulRule, match="limits price wherever size is known"):
        fit_plainly(["price <= 90 if size > 50", "price rises with size"])


def test_a_rule_that_gives_way_everywhere_is_not_broken():
    audit = fit(["first: price >= 0", "price <= -3 if size > 9"]).check_rules(prices()[0])
    assert audit.holds
    assert audit.statements[1].proof[0] == "It never applies."


def test_a_bound_of_all_rows_makes_room_for_a_rule():
    reg = fit(["price >= 0", "price rises with size", "price <= 0 if size <= 0"], max_epochs=9)
    assert reg.check_rules().holds


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("prise <= 3 if size > 2", "a rule about a number is written"),
        ("price <= 3 if sizes > 2", "there is no column 'sizes'"),
        ("price != 3 if size > 2", "not 3"),
        ("likely: price <= 3 if size > 2", "cannot be overruled"),
        ("price <= much", "a rule about a number is written"),
    ],
)
def test_unreadable_rules(rule, message):
    with pytest.raises(InvalidRule, match=message):
        fit([rule])


def test_rules_read_back_as_themselves():
    texts = [
        "price <= 100 if rooms < 2",
        "price >= 0",
        "first: price = 0 if size = 0 or age is missing",
        "price < -1.5 if city in {Ulm, Bonn}",
    ]
    columns = ["rooms", "size", "age", "city"]
    read = parse_rules(texts, columns, (), target="price")
    assert [str(one) for one in read] == texts
    assert parse_rules([str(one) for one in read], columns, (), target="price") == read
    assert parse_rules(["target > 3"], columns, (), target="price")[0].label == Bound(
        "price", ">", 3.0
    )
    low = Bound("price", ">", 3.0).low
    assert low > 3.0 and Bound("price", "<", 3.0).high < 3.0
    assert str(parse_rules(["price >= -0"], columns, (), target="price")[0].label.low) == "0.0"


def test_rows_that_contradict_a_rule_are_listed():
    X, y = prices()
    y = y.copy()
    odd = np.flatnonzero(X["size"] == 0)[0]
    y.iloc[odd] = 77.0
    reg = AlgebraicRegressor(random_state=0, max_epochs=5, rules=RULES[:1]).fit(X, y)
    conflict = reg.rule_conflicts_[0]
    assert conflict.rows.tolist() == [odd] and conflict.labels.tolist() == [77.0]
    assert str(reg.rules_[0]) in str(conflict)
    audited = reg.check_rules(X, y).statements[0]
    assert audited.contradicted.tolist() == [odd]


@pytest.mark.parametrize("loss", ["squared", "poisson", "absolute", "quantile"])
def test_explanations_add_up(loss, flats):
    X, y = flats[0], np.maximum(flats[1], 0.0)
    reg = AlgebraicRegressor(loss=loss, random_state=0, max_epochs=60).fit(X, y)
    for model in (reg, reg.compact(7)):
        frame = model.atoms_frame()
        for i in range(25):
            told, row = model.explain(X.iloc[i]), X.iloc[[i]]
            total = told.offset + sum(one.amount for one in told.terms)
            wanted = np.exp(total) if loss == "poisson" else total
            assert wanted == pytest.approx(model.predict(row)[0], rel=1e-9, abs=1e-9)
            assert told.prediction == model.predict(row)[0]
            assert len(str(told).splitlines()) <= 14 and told.to_dict()["target"] == "price"
            assert {one.rule for one in told.terms} <= set(map(str, frame["rule"])) or (
                model is not reg
            )
        assert "price" in told._repr_html_()
        assert len(frame) == 1 + model.learned_.deciding().n_atoms


def test_a_rule_that_limits_a_prediction_is_named():
    reg = fit(["price <= 200 if size > 100"], max_epochs=40)
    row = pd.DataFrame({"size": [200.0], "age": [3.0], "rooms": [6], "city": ["Bonn"]})
    told = reg.explain(row)
    assert told.prediction == 200.0 and told.total > 200
    assert [str(one) for one in told.rules] == ["price <= 200 if size > 100"]
    assert "a rule limits it" in str(told)


def test_the_scorecard_is_the_model(fitted, flats):
    X, _ = flats
    card = fitted.compact(6).scorecard()
    assert len(card) <= 6 and card.unit == round_unit(fitted.numbers_)
    small, frame = fitted.compact(6), card.to_frame()
    for i in range(20):
        told = small.explain(X.iloc[i])
        met = [one.rule for one in told.terms]
        by_hand = frame["adds"].iloc[-1] + frame.loc[frame["rule"].isin(met), "adds"].sum()
        assert by_hand == pytest.approx(small.predict(X.iloc[[i]])[0], abs=1e-9)
    assert all(abs(one / card.unit - round(one / card.unit)) < 1e-9 for one in card.amounts)
    text = str(card)
    assert "Scorecard for price" in text and "off on average" in text
    assert card.to_csv().startswith("rule,price") and "<table" in card.to_html()
    sizes = fitted.sizes_
    assert sizes["atoms"].is_monotonic_increasing and sizes["model"].iloc[-1] == "full"
    assert sizes["error"].iloc[-1] < sizes["error"].iloc[0]
    assert fitted.compact(6, rounding=10).scorecard().unit == 10
    with pytest.raises(ValueError, match="which is no scorecard"):
        fitted.scorecard()


def test_compact_models_are_honest_about_their_error(fitted):
    X, y = prices(2000, seed=3)
    small = fitted.compact(6)
    assert small.estimated_score_ == pytest.approx(small.score(X, y), abs=0.08)
    assert small.compact(None).estimated_error_ == fitted.estimated_error_


def test_intervals_cover():
    X_new, y_new = prices(3000, seed=7)
    inside = {coverage: [] for coverage in (0.5, 0.8, 0.9)}
    for seed in range(3):
        reg = AlgebraicRegressor(random_state=0, max_epochs=40).fit(*prices(seed=seed))
        for coverage, found in inside.items():
            for model in (reg, reg.compact(6)):
                low, high = model.predict_interval(X_new, coverage).T
                found.append(np.mean((low <= y_new) & (y_new <= high)))
    for coverage, found in inside.items():
        assert np.mean(found) == pytest.approx(coverage, abs=0.04)
    width = high - low
    assert width[X_new["size"] > 150].mean() > 1.5 * width[X_new["size"] < 50].mean()


def test_quantiles_of_errors_are_those_of_conformal_prediction():
    errors = np.arange(1.0, 20.0)  # 19 rows: one of 20 is beyond the largest
    held = HeldOutNumbers(errors, np.zeros(19), np.ones(19), np.ones(19))
    assert held.quantiles(0.9) == (1.0, 19.0)
    assert held.quantiles(0.8) == (2.0, 18.0)
    assert held.quantiles(0.95) == (-np.inf, np.inf)
    assert HeldOutNumbers.none().quantiles(0.5) == (-np.inf, np.inf)


def test_sets_of_classes_cover():
    rng = np.random.default_rng(0)

    def rows(n):
        X = rng.normal(size=(n, 3))
        return X, np.argmax(X + rng.normal(size=(n, 3)), axis=1)

    X_new, y_new = rows(3000)
    found = []
    for seed in range(3):
        clf = AlgebraicClassifier(random_state=seed, evidence="weighted", max_epochs=40)
        clf.fit(*rows(400))
        sets = clf.predict_set(X_new, coverage=0.9)
        assert sets.shape == (3000, 3) and sets.any(axis=1).all()
        assert sets[np.arange(3000), clf.predict_proba(X_new).argmax(axis=1)].all()
        found.append(sets[np.arange(3000), y_new].mean())
    assert np.mean(found) == pytest.approx(0.9, abs=0.03)
    assert clf.predict_set(X_new, 0.5).sum() < sets.sum() < clf.predict_set(X_new, 0.99).sum()
    ruled = AlgebraicClassifier(random_state=0, max_epochs=5, rules=["not 0 if x0 < 0"])
    sets = ruled.fit(*rows(300)).predict_set(X_new, 0.999)
    assert not sets[X_new[:, 0] < 0, 0].any()
