"""Statements that always hold: monotone ones, richer rules, priorities, beliefs, and the audit."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomlearn import AlgebraicClassifier, load
from atomlearn.distributed import fit, fit_batches
from atomlearn.errors import (
    ContradictoryRules,
    DifferentConstants,
    DoubtfulRule,
    InvalidParameter,
    InvalidRule,
    InvalidTable,
)
from atomlearn.tables import ArrayBatches, MonotoneStatement


def quick(**parameters):
    return AlgebraicClassifier(**{"random_state": 0, "max_epochs": 10, **parameters})


STATED = ("bad rises with debt", "bad falls with income", "bad rises with insured")


@pytest.fixture(scope="module")
def credit():
    """Rows in which the statements are true but for noise; some debts are unknown."""
    rng = np.random.default_rng(0)
    n = 500
    X = pd.DataFrame(
        {
            "debt": rng.normal(size=n).round(1),
            "income": rng.integers(0, 9, n),
            "insured": rng.random(n) < 0.5,
            "home": rng.choice(["rent", "own", "free"], n),
        }
    )
    X.loc[rng.random(n) < 0.05, "debt"] = np.nan
    score = 1.5 * X["debt"].fillna(0) - 0.4 * X["income"] + X["insured"] + (X["home"] == "rent")
    y = np.where(score + rng.logistic(size=n) > -0.5, "bad", "good")
    return X, y


def three(y, X):
    return np.where((y == "bad") & (X["home"] == "rent"), "worst", y)


def violations(model, X, column, label, sign, seed=1):
    """Number of random pairs that differ in one column and break a statement, by predictions."""
    rng = np.random.default_rng(seed)
    low = X.sample(3000, replace=True, random_state=seed).reset_index(drop=True)
    high = low.copy()
    if column == "insured":
        low["insured"], high["insured"] = False, True
    else:
        high[column] = low[column] + rng.exponential(2.0, len(low)).round(1)
    k = model.classes_.tolist().index(label)
    before, after = model.predict_proba(low)[:, k], model.predict_proba(high)[:, k]
    known = low[column].notna()
    return int((sign * (after - before) < 0)[known].sum()), bool((after != before)[known].any())


def all_hold(model, X):
    for column, sign in (("debt", 1), ("income", -1), ("insured", 1)):
        assert violations(model, X, column, "bad", sign)[0] == 0, column
    assert [one.verdict for one in model.check_rules().statements] == ["proved"] * 3


@pytest.mark.parametrize("evidence", ["auto", "strict", "weighted"])
@pytest.mark.parametrize("max_atoms", [None, 8])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_monotone_statements_hold_exactly(credit, evidence, max_atoms, n_classes, tmp_path):
    X, y = credit
    y = y if n_classes == 2 else three(y, X)
    model = quick(rules=list(STATED), evidence=evidence, max_atoms=max_atoms).fit(X, y)
    all_hold(model, X)
    model.save(tmp_path / "m.atoms")
    again = load(tmp_path / "m.atoms")
    assert again.rules_ == model.rules_
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    all_hold(again, X)


def test_without_the_statements_they_are_broken(credit):
    X, y = credit
    free = AlgebraicClassifier(random_state=0, evidence="weighted").fit(X, y)
    assert violations(free, X, "debt", "bad", 1)[0] > 0


def test_they_hold_after_batches_and_merging(credit, tmp_path):
    X, y = credit
    parts = [quick(rules=list(STATED), evidence="weighted").fit(X, y) for _ in range(2)]
    parts[0].partial_fit(X[250:], y[250:])
    all_hold(parts[0], X)
    parts[0].save(tmp_path / "m.atoms")
    other = load(tmp_path / "m.atoms").partial_fit(X[:100], y[:100])
    parts[0].merge(other)
    all_hold(parts[0], X)
    batches = quick(rules=list(STATED))
    for start in (0, 250):
        part = slice(start, start + 250)
        batches.partial_fit(X[part], y[part], classes=["bad", "good"])
    all_hold(batches, X)
    all_hold(parts[0].compact(6), X)


def test_they_hold_from_disk_and_on_dask(credit):
    X, y = credit
    values = X[["debt", "income"]].to_numpy(dtype=float)
    stated = ["bad rises with x0", "bad falls with x1"]
    told = {"random_state": 0, "max_epochs": 5, "rules": stated}
    from dask.array import from_array

    for model in (
        fit_batches(ArrayBatches(values, y, rows=250), **told),
        fit(from_array(values, chunks=(250, 2)), from_array(y, chunks=250), **told),
    ):
        frame = pd.DataFrame(values, columns=["x0", "x1"])
        assert violations(model, frame, "x0", "bad", 1) == (0, True)
        assert violations(model, frame, "x1", "bad", -1) == (0, True)
        assert model.check_rules(values).holds


def test_merging_with_a_model_that_was_not_told(credit):
    X, y = credit
    told, free = quick(rules=list(STATED)).fit(X, y), quick().fit(X, y)
    with pytest.raises(DifferentConstants, match="same monotone statements"):
        told.merge(free)
    with pytest.raises(DifferentConstants, match="same monotone statements"):
        free.merge(told)


def test_monotonic_cst_is_about_the_second_class(credit, tmp_path):
    X, y = credit
    model = quick(monotonic_cst={"debt": -1, "income": 1}, evidence="weighted").fit(X, y)
    assert list(map(str, model.rules_)) == ["good falls with debt", "good rises with income"]
    assert violations(model, X, "debt", "bad", 1) == (0, True)
    array = X[["debt", "income"]].to_numpy()
    listed = quick(monotonic_cst=[-1, 0], evidence="weighted").fit(array, y)
    assert list(map(str, listed.rules_)) == ["good falls with x0"]
    listed.save(tmp_path / "m.atoms")
    assert load(tmp_path / "m.atoms").rules == ["good falls with x0"]
    for wrong, said in (([1], "2 columns"), ([2, 0], "-1, 0 or 1"), ({"x9": 1}, "no column")):
        with pytest.raises(InvalidRule, match=said):
            quick(monotonic_cst=wrong).fit(array, y)
    with pytest.raises(InvalidRule, match="two classes"):
        quick(monotonic_cst={"debt": 1}).fit(X, three(y, X))


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (["bad rises with debt", "bad falls with debt"], "neither rise nor fall with debt"),
        (["bad rises with debt", "good rises with debt"], "one falls if the other rises"),
        (["bad rises with debt", "good if debt > 1"], "come to meet the rule"),
        (["bad rises with debt", "bad if debt < 1"], "cease to meet the rule"),
        (["bad rises with debt", "bad if debt = 1"], "cease to meet"),
        (["bad rises with debt", "bad if debt between 1 and 2"], "cease to meet"),
        (["bad rises with income", "bad if debt > income"], "cease to meet"),
        (["bad rises with debt", "likely: good if debt > 1"], "come to meet"),
    ],
)
def test_statements_that_contradict_each_other(credit, rules, said):
    with pytest.raises(ContradictoryRules, match=said) as caught:
        quick(rules=rules).fit(*credit)
    assert list(map(str, caught.value.rules)) == rules


@pytest.mark.parametrize(
    "rules",
    [
        ["bad rises with debt", "bad if debt > 1 and income < 3"],
        ["bad rises with debt", "good if debt < 0"],
        ["bad falls with income", "bad if debt > income"],
        ["bad rises with debt", "first: good if insured = true", "bad if debt > 2"],
        ["bad rises with debt", "first: bad if debt > 2", "good if insured = true"],
        ["bad rises with debt", "bad if debt is missing"],
    ],
)
def test_statements_and_rules_hold_together(credit, rules):
    X, y = credit
    model = quick(rules=rules).fit(X, y)
    column, sign = ("income", -1) if "income" in rules[0] else ("debt", 1)
    assert violations(model, X, column, "bad", sign)[0] == 0
    audit = model.check_rules(X, y)
    assert audit.holds
    assert {one.verdict for one in audit.statements} == {"proved"}


def test_a_column_is_not_compared_with_itself_or_with_text(credit):
    with pytest.raises(InvalidRule, match="debt is compared with itself"):
        quick(rules=["bad if debt > debt"]).fit(*credit)
    with pytest.raises(InvalidRule, match="home holds no numbers"):
        quick(rules=["bad if debt > home"]).fit(*credit)


def test_a_column_of_text_does_not_rise(credit):
    with pytest.raises(InvalidRule, match="home holds categories, which do not rise"):
        quick(rules=["bad rises with home"]).fit(*credit)


def test_symmetries_would_move_atoms(credit):
    X, y = credit
    with pytest.raises(InvalidParameter, match="monotone statements"):
        quick(rules=["bad rises with x0"], symmetries=[[1, 0]]).fit(
            X[["income", "income"]].to_numpy(), y
        )


def test_a_proof_trusts_nothing(credit):
    """An atom of the wrong sign is found, and so is a card that a person changed."""
    X, y = credit
    model = quick(rules=["bad rises with debt"], evidence="weighted").fit(X, y)
    learned = model.learned_
    assert learned.weighted is not None
    model.learned_ = replace(learned, weighted=learned.weighted.scaled(-1.0))
    audit = model.check_rules(X)
    assert audit.statements[0].verdict == "broken" and not audit.holds
    assert audit.statements[0].n_violations > 0
    assert "It is broken by" in str(audit)


SIDES = st.tuples(
    st.sampled_from(["debt", "income"]), st.sampled_from([">", "<=", ">=", "<"]), st.integers(-2, 6)
).map(lambda one: f"{one[0]} {one[1]} {one[2]}")
ONE = st.one_of(
    SIDES,
    st.sampled_from(
        [
            "home in {rent, own}",
            "home = free",
            "home not in {free}",
            "debt between -1 and 1",
            "debt > income",
            "debt <= income",
            "debt is missing",
            "insured = true",
        ]
    ),
)
EXPRESSIONS = st.recursive(
    ONE,
    lambda inner: st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
        lambda one: f"({one[0]}) {one[1]} ({one[2]})"
    ),
    max_leaves=4,
)


def naive(text, row):
    """Evaluate an expression by Python itself."""
    known = {name: None if value != value else value for name, value in row.items()}

    def number(test, *names):
        return all(known[name] is not None for name in names) and bool(test())

    pieces = {
        "home in {rent, own}": lambda: known["home"] in ("rent", "own"),
        "home = free": lambda: known["home"] == "free",
        "home not in {free}": lambda: known["home"] != "free",
        "debt between -1 and 1": lambda: number(lambda: -1 <= known["debt"] <= 1, "debt"),
        "debt > income": lambda: number(lambda: known["debt"] > known["income"], "debt"),
        "debt <= income": lambda: number(lambda: known["debt"] <= known["income"], "debt"),
        "debt is missing": lambda: known["debt"] is None,
        "insured = true": lambda: bool(known["insured"]),
    }
    if text in pieces:
        return pieces[text]()
    if text.startswith("("):
        depth = 0
        for i, sign in enumerate(text):
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if depth == 0:
                rest = text[i + 1 :].strip()
                first = naive(text[1:i], row)
                if not rest:
                    return first
                join, other = rest.split(" ", 1)
                second = naive(other, row)
                return (first and second) if join == "and" else (first or second)
    name, sign, value = text.split()
    return number(lambda: eval(f"{known[name]} {sign} {value}"), name)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EXPRESSIONS, st.booleans())
def test_rules_mean_what_they_say(credit, text, negated):
    X, y = credit
    rule = f"{'not ' * negated}bad if {text}"
    met = np.array([naive(text, row) for row in X.to_dict("records")])
    model = fitted_quietly(X, y, rule)
    if model is None:  # the rule contradicts all rows of a class
        return
    said = model.predict(X) == "bad"
    assert (said[met] != negated).all()
    audit = model.check_rules(X).statements[0]
    assert (audit.n_rows, audit.n_violations) == (int(met.sum()), 0)


def fitted_quietly(X, y, rule):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return quick(rules=[rule], max_epochs=1, evidence="weighted").fit(X, y)
        except InvalidTable as error:
            assert "contradict every training row" in str(error)
            return None


def test_the_first_rule_decides(credit):
    X, y = credit
    rules = ["first: good if insured = true", "second: bad if debt > 0", "good if home = own"]
    with pytest.warns(DoubtfulRule, match="where both apply, 'first: good if insured = true' dec"):
        model = quick(rules=rules).fit(X, y)
    said = model.predict(X)
    first = X["insured"].to_numpy()
    second = (X["debt"] > 0).to_numpy() & ~first
    third = (X["home"] == "own").to_numpy() & ~first & ~second
    assert (said[first] == "good").all()
    assert (said[second] == "bad").all()
    assert (said[third] == "good").all()
    counts = [one.n_rows for one in model.check_rules(X).statements]
    own = (X["home"] == "own") & ~(X["debt"] > 0)  # the first rule says the same of the others
    assert counts == [first.sum(), second.sum(), own.sum()]


def test_a_rule_gives_way_to_a_comparison_of_columns(credit):
    X, y = credit
    rules = ["first: good if debt > income and income > 1", "bad if debt > 0 and debt <= 5"]
    with pytest.warns(DoubtfulRule, match="where both apply"):
        model = quick(rules=rules).fit(X, y)
    rows = pd.DataFrame({"debt": [3.0, 3.0, 3.0], "income": [2, 4, 1], "insured": True,
                         "home": "own"})  # fmt: skip
    assert model.predict(rows).tolist() == ["good", "bad", "bad"]


def test_rules_of_the_same_rank_must_not_contradict(credit):
    rules = ["first: good if insured = true", "first: bad if debt > 0"]
    with pytest.raises(ContradictoryRules, match="write 'first:'"):
        quick(rules=rules).fit(*credit)


def test_a_likely_rule_is_believed_until_examples_overrule_it():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.integers(0, 10, 400), "z": rng.integers(0, 10, 400)})
    y = np.where(X["z"] > 4, "yes", "no")
    unseen = pd.DataFrame({"x": [50] * 10, "z": range(10)})
    few = X["x"] < 100
    told = quick(rules=["likely 50: yes if x > 20"], evidence="auto").fit(X[few], y[few])
    free = quick(evidence="weighted").fit(X[few], y[few])
    yes = told.classes_.tolist().index("yes")
    assert told.evidence_.chosen == "weighted"
    gained = told.predict_proba(unseen)[:, yes] - free.predict_proba(unseen)[:, yes]
    assert (gained > 0).all()
    wrong = quick(rules=["likely 5: yes if z < 5"]).fit(X, y)
    audit = wrong.check_rules(X, y).statements[0]
    assert audit.verdict == "may be overruled"
    assert audit.n_violations == audit.n_rows == (X["z"] < 5).sum()  # all are overruled
    with pytest.raises(InvalidParameter, match="strict atoms have not"):
        quick(rules=["likely: yes if x > 20"], evidence="strict").fit(X, y)


def test_what_statements_cost(credit):
    X, y = credit
    model = quick(rules=["good if home = rent", "bad rises with debt"]).fit(X, y)
    costs = model.rule_costs(X, y)
    assert costs["statement"].tolist()[-1] == "all statements"
    assert costs["cost"][0] > 0.05  # most who rent are bad
    assert costs["error"][0] == pytest.approx(model.estimated_error_)


def test_labels_that_contradict_a_monotone_statement():
    X = pd.DataFrame({"debt": [1.0, 2.0, 1.0, 2.0] * 5, "home": ["a", "a", "b", "b"] * 5})
    y = np.array(["bad", "good", "good", "bad"] * 5)
    model = quick(rules=["bad rises with debt"]).fit(X, y)
    found = model.check_rules(X, y).statements[0].contradicted
    assert found.tolist() == [i for i in range(20) if i % 4 < 2]


@pytest.mark.filterwarnings("ignore::atomlearn.errors.DoubtfulRule")
def test_rules_that_leave_no_class_are_not_proved(credit, monkeypatch):
    """They are not obeyed where all of them apply, which the proof finds without any row."""
    X, y = credit
    rules = [
        "not bad if income > 6",
        "not good if debt > 1",
        "bad if insured = true and income < 2",
    ]
    model = quick(rules=rules).fit(X, y)
    audit = model.check_rules()
    assert [one.verdict for one in audit.statements] == ["broken", "broken", "proved"]
    assert "also meet 'not good if debt > 1'" in audit.statements[0].proof[0]
    assert not audit.holds
    monkeypatch.setattr("atomlearn.tables.statements.MOST_STEPS", 1)
    assert model.check_rules().statements[0].verdict == "only tested"


@pytest.mark.filterwarnings("ignore::atomlearn.errors.DoubtfulRule")
def test_a_rule_that_leaves_no_class_with_two_others(credit):
    X, y = credit
    rules = ["not bad if income > 1", "not good if income > 2", "not worst if income > 3"]
    verdicts = [
        one.verdict for one in quick(rules=rules).fit(X, three(y, X)).check_rules().statements
    ]
    assert verdicts == ["broken"] * 3


def test_the_page_has_proofs_fingerprints_and_versions(credit, tmp_path):
    X, y = credit
    model = quick(rules=list(STATED), max_atoms=6).fit(X, y)
    page = model.check_rules(X, y).to_html(tmp_path / "audit.html")
    assert (tmp_path / "audit.html").read_text(encoding="utf-8") == page
    for part in ("proved", "SHA-256", "atomlearn ", "bad rises with debt", "The whole model"):
        assert part in page
    first, again = model.check_rules(X), model.check_rules(X)
    names = [name for name in first.facts if "fingerprint" in name]
    assert len(names) == 2 and all(first.facts[name] == again.facts[name] for name in names)
    assert model.check_rules(X[1:]).facts[names[1]] != first.facts[names[1]]


def random_statements(rng, labels):
    """Monotone statements and rules that may contradict each other."""
    stated = [
        f"{rng.choice(labels)} {rng.choice(['rises', 'falls'])} with {column}"
        for column in ("few", "size", "flag")
        if rng.random() < 0.6
    ]
    bound = f"{rng.choice(['>', '<=', '<', '>='])} {round(rng.normal(), 1)}"
    conditions = [f"size {bound}", "few > size", "few between 1 and 2", "kind in {x, y}",
                  "flag = true", "size is missing"]  # fmt: skip
    for _ in range(rng.integers(0, 3)):
        prefix = rng.choice(["", "first: ", "likely: "])
        head = f"{prefix}{rng.choice(['', 'not '])}{rng.choice(labels)}"
        some = rng.choice(conditions, 2)
        stated.append(f"{head} if {some[0]} {rng.choice(['and', 'or'])} {some[1]}")
    return stated


@pytest.mark.parametrize("seed", range(24))
def test_random_statements_hold_or_are_refused(seed):
    """What is not refused is proved, and predictions on rows never seen obey it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 200))
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 4, n),
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(1)),
            "flag": rng.random(n) < 0.4,
            "kind": rng.choice(list("xyz"), n),
        }
    )
    labels = ["a", "b", "c"][: rng.integers(2, 4)]
    y = rng.choice(labels, n)
    stated = random_statements(rng, labels)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = quick(
                rules=stated,
                max_epochs=3,
                max_atoms=[None, 5][rng.integers(2)],
                evidence=rng.choice(["auto", "weighted", "strict"]).item(),
            ).fit(X, y)
    except (ContradictoryRules, InvalidTable, InvalidParameter):
        return
    audit = model.check_rules(X, y)
    assert audit.holds, str(audit)
    rows = X.sample(500, replace=True, random_state=seed).reset_index(drop=True)
    for column in X.columns:
        rows[column] = rng.permutation(rows[column].to_numpy())
    for one in (one for one in model.rules_ if isinstance(one, MonotoneStatement)):
        low, high = rows.copy(), rows.copy()
        if one.column == "flag":
            low["flag"], high["flag"] = False, True
        else:
            high[one.column] = low[one.column] + rng.integers(1, 4, len(low))
        k = model.classes_.tolist().index(one.label)
        change = model.predict_proba(high)[:, k] - model.predict_proba(low)[:, k]
        assert not ((change if one.rises else -change) < 0).any(), str(one)


def test_a_rule_that_leaves_the_only_class_no_row_is_told_as_it_is():
    with pytest.warns(DoubtfulRule):
        clf = AlgebraicClassifier(rules=["not a if x0 > 30"]).fit(
            np.arange(9.0)[:, None], ["a"] * 9
        )
    assert clf.check_rules().statements[0].proof[0].startswith("Rows that meet it would be left")
