"""Compact models: what is read is what decides, whatever was done to the model before."""

import json
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

import atomlearn
from atomlearn import AlgebraicClassifier, AlgebraicRegressor
from atomlearn.errors import FileFormatError, InvalidParameter, InvalidRule, InvalidTable
from atomlearn.export.description import describe
from tests.models import mixed


def quick(**parameters):
    return AlgebraicClassifier(random_state=0, max_epochs=4, **parameters)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def full():
    return quick().fit(*mixed(600))


@pytest.fixture(scope="module")
def card(full):
    return full.compact(8)


def met_by_hand(condition, cell):
    """Whether a cell meets a condition as it is written."""
    is_missing = cell is None or cell != cell
    if condition.operator in ("missing", "known"):
        return is_missing == (condition.operator == "missing")
    if is_missing:
        return False
    value = condition.value
    if isinstance(cell, bool | np.bool_):
        return (str(bool(cell)).lower() == condition.text.lower()) == (condition.operator == "=")
    return {
        ">": lambda: cell > value,
        ">=": lambda: cell >= value,
        "<": lambda: cell < value,
        "<=": lambda: cell <= value,
        "=": lambda: cell == value,
        "!=": lambda: cell != value,
        "in": lambda: cell in value,
        "not in": lambda: cell not in value,
    }[condition.operator]()


def by_hand(card, X):
    """The probabilities that a person with the printed card comes to."""
    said = []
    for row in X.to_dict("records"):
        sums = np.array(card.offsets)
        for rule in card.rules:
            if all(any(met_by_hand(one, row[one.column]) for one in c) for c in rule.clauses):
                sums = sums + rule.points
        scores = np.exp(card.scale * (sums - sums.max()))
        said.append(scores / scores.sum())
    return np.array(said)


def strange(X):
    """The same rows with missing values in every column, and categories never seen."""
    X = X.astype(object).copy()
    rng = np.random.default_rng(5)
    for name in X:
        X.loc[rng.random(len(X)) < 0.2, name] = None
    if "job" in X:
        X.loc[rng.random(len(X)) < 0.2, "job"] = "z"
    return X.reset_index(drop=True)


@pytest.mark.parametrize("size", [1, 3, 8, 20])
def test_what_is_printed_is_what_decides(full, size):
    card = full.compact(size)
    assert 1 <= len(card.scorecard()) <= size
    X, _ = mixed(600)
    np.testing.assert_allclose(card.predict_proba(X), by_hand(card.scorecard(), X), atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        odd = strange(X)
        odd["rich"] = odd["rich"].astype("boolean")
        odd["age"], odd["income"] = odd["age"].astype(float), odd["income"].astype(float)
        said = card.predict_proba(odd)
    plain = odd.astype(object).where(odd.notna(), None)
    np.testing.assert_allclose(said, by_hand(card.scorecard(), plain), atol=1e-9)


def test_three_classes_are_read_as_they_decide(iris):
    X, y = iris
    clf = quick(max_atoms=6).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), by_hand(clf.scorecard(), X), atol=1e-9)
    assert (clf.predict(X) == y).mean() > 0.9


def test_fit_and_compact_make_the_same_card(full):
    X, y = mixed(600)
    fitted = quick(max_atoms=8).fit(X, y)
    assert str(fitted.scorecard()) == str(full.compact(8).scorecard())
    assert fitted.estimated_error_ == full.compact(8).estimated_error_
    back = fitted.compact(None)
    np.testing.assert_array_equal(back.predict_proba(X), full.predict_proba(X))
    assert back.estimated_error_ == full.estimated_error_


def test_points_and_scale_have_the_digits_that_are_shown(card):
    shown = card.scorecard()
    assert all(isinstance(one, int) and abs(one) <= 5 for r in shown.rules for one in r.points)
    assert float(f"{shown.scale:.3g}") == shown.scale
    assert all(round(one, 1) == one for one in shown.offsets)
    assert len({str(rule) for rule in shown.rules}) == len(shown)  # nothing twice


def test_max_points_bounds_the_points(full):
    points = [p for rule in full.compact(8, max_points=2).scorecard().rules for p in rule.points]
    assert max(map(abs, points)) == 2


def test_explanations_add_up(card):
    X, _ = mixed(600)
    said = card.predict_proba(X[:40])
    for i in range(40):
        told = card.explain(X.iloc[[i]])
        points = np.array([points for points, _ in told.lines()]).sum(axis=0)
        np.testing.assert_allclose(points, told.sums, atol=1e-9)
        scores = card.scorecard().scale * np.array(told.sums)
        chances = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(chances, said[i], atol=1e-9)
        assert told.label == card.predict(X.iloc[[i]])[0]
        by_label = {one.label: one.probability for one in told.classes}
        assert by_label[card.classes_[1]] == pytest.approx(said[i, 1])
        assert all(f"if {card.scorecard().rules[r]}" in str(told) for r in told.met)
        assert json.loads(json.dumps(told.to_dict()))["sums"]
        assert str(told.label) in told.to_html()


def test_sizes_are_of_compact_models_and_the_full_one(full):
    sizes = full.sizes_
    assert sizes["model"].tolist().count("full") == 1
    assert sizes[sizes["model"] == "compact"]["atoms"].is_monotonic_increasing
    assert {"error", "error_se", "log_loss", "log_loss_se"} <= set(sizes.columns)
    own = sizes[sizes["model"] == "full"].iloc[0]
    assert own["error"] == pytest.approx(full.estimated_error_)
    assert own["atoms"] == full.learned_.deciding().n_atoms
    card = full.compact(8)
    row = card.sizes_[card.sizes_["atoms"] == len(card.scorecard())].iloc[0]
    assert row["error"] == card.estimated_error_


def test_the_curve_is_drawn(full):
    pytest.importorskip("matplotlib")
    assert len(full.sizes_.plot().axes) == 2
    assert full.compact(4).scorecard().plot().axes


def test_sizes_can_be_sent_and_copied(full):
    again = pickle.loads(pickle.dumps(full.sizes_))
    assert (
        again.equals(full.sizes_)
        and len(again.plot().axes) == 2
        and type(again) is type(full.sizes_)
    )


def test_auto_is_no_larger_than_it_needs_to_be(full):
    auto, sizes = full.compact(), full.sizes_
    cards = sizes[sizes["model"] == "compact"]
    best = cards.loc[cards["log_loss"].idxmin()]
    close = cards[cards["log_loss"] <= best["log_loss"] + best["log_loss_se"]]
    assert len(auto.scorecard()) == close["atoms"].min()


@pytest.mark.parametrize("seed", range(4))
def test_the_error_said_of_a_card_is_honest(seed):
    """For labels by chance any knowledge of held-out rows would show as less error."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, size=(400, 6)).astype(float), rng.integers(0, 2, 400)
    card = quick(max_atoms=20).fit(X, y)
    spread = (0.25 / 400) ** 0.5
    assert card.estimated_error_ > 0.5 - 3.5 * spread


def test_an_exact_definition_is_found_and_decides():
    """Who wins at tic-tac-toe: eight lines of three."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    rng = np.random.default_rng(0)
    X = rng.choice(list("xob"), size=(3000, 9), p=[0.45, 0.35, 0.2])
    y = np.array(["no", "yes"])[
        [int(any((row[list(one)] == "x").all() for one in lines)) for row in X]
    ]
    frame = pd.DataFrame(X, columns=[f"square {i}" for i in range(9)])
    clf = AlgebraicClassifier(max_atoms=12, random_state=0).fit(frame[:2000], y[:2000])
    card = clf.scorecard()
    assert card.is_exact and len(card) == 8 and "a definition" in str(card)
    assert (clf.predict(frame[2000:]) == y[2000:]).all()
    assert {rule.size for rule in card.rules} == {3}
    assert clf.definition("no", None).evaluate(frame).tolist() == (y == "no").tolist()


def test_hard_rules_are_obeyed_and_shown():
    X, y = mixed(600)
    clf = quick(max_atoms=6, rules=["no if age < 30"]).fit(X, y)
    young = (X["age"] < 30).to_numpy()
    assert (clf.predict(X[young]) == "no").all()
    assert (clf.predict_proba(X[young])[:, 0] == 1).all()
    assert "Always obeyed: no if age < 30" in str(clf.scorecard())
    assert "decided by the rule" in str(clf.explain(X[young].iloc[[0]]))


@pytest.mark.parametrize("weights", [{"yes": 5, "no": 1}, {"yes": 10, "no": 0.5}])
def test_class_weights_move_the_offsets(weights):
    X, y = mixed(600)
    even, more = (quick(max_atoms=6, class_weight=w).fit(X, y) for w in (None, weights))
    assert (more.predict(X) == "yes").mean() > (even.predict(X) == "yes").mean()
    card = more.scorecard()
    assert card.offsets[0] == 0  # of two classes only the points of the second are shown
    np.testing.assert_allclose(more.predict_proba(X), by_hand(card, X), atol=1e-9)
    assert describe(more)["card"]["offsets"] == list(card.offsets)  # what pages and programs show
    again = AlgebraicClassifier.from_scorecard(card.to_csv(), X, y, random_state=0)
    np.testing.assert_allclose(more.predict_proba(X), again.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("parameters", [{}, {"max_atoms": 5}, {"max_atoms": "auto"}])
def test_what_is_saved_means_the_same(parameters, tmp_path):
    X, y = mixed(400)
    clf = quick(**parameters).fit(X, y)
    clf.save(tmp_path / "m.atoms")
    again = atomlearn.load(tmp_path / "m.atoms")
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert str(again.compact(4).scorecard()) == str(clf.compact(4).scorecard())
    assert again.estimated_error_ == clf.estimated_error_
    assert again.get_params() == clf.get_params()
    pd.testing.assert_frame_equal(pd.DataFrame(again.sizes_), pd.DataFrame(clf.sizes_))
    if parameters:
        assert again.scorecard() == clf.scorecard()
        assert str(again.scorecard()) == str(clf.scorecard())
        assert again.explain(X.iloc[[0]]).to_dict() == clf.explain(X.iloc[[0]]).to_dict()


def test_another_process_makes_the_same_card(card, tmp_path):
    card.compact(None).save(tmp_path / "full.atoms")
    code = "import atomlearn, sys; print(atomlearn.load(sys.argv[1]).compact(8).scorecard())"
    command = [sys.executable, "-c", code, str(tmp_path / "full.atoms")]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    assert out.stdout.rstrip("\n") == str(card.scorecard())


def test_a_card_is_renewed_batch_by_batch(tmp_path):
    X, y = mixed(900)
    clf = quick(max_atoms=5)
    seen = []
    for start in range(0, 900, 300):
        clf.partial_fit(X[start : start + 300], y[start : start + 300], classes=["no", "yes"])
        assert len(clf.scorecard()) <= 5
        seen.append(clf.learned_.card_size.n_rows)
    assert seen[0] < seen[1] < seen[2]  # each batch is predicted before it is learned from
    assert 0.05 < clf.estimated_error_ < 0.4
    clf.save(tmp_path / "m.atoms")
    again = atomlearn.load(tmp_path / "m.atoms")
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))


def test_merged_cards_are_made_anew(tmp_path):
    X, y = mixed(900)
    base = quick(max_atoms=5, evidence="weighted").fit(X[:300], y[:300])
    base.save(tmp_path / "m.atoms")
    other = atomlearn.load(tmp_path / "m.atoms").partial_fit(X[300:600], y[300:600])
    base.merge(other)
    assert len(base.scorecard()) <= 5 and base.estimated_error_ is None
    np.testing.assert_allclose(base.predict_proba(X), by_hand(base.scorecard(), X), atol=1e-9)


def test_jobs_do_not_change_the_card(full):
    X, y = mixed(600)
    assert str(quick(max_atoms=8, n_jobs=2).fit(X, y).scorecard()) == str(
        full.compact(8).scorecard()
    )


def test_a_cluster_makes_cards_too():
    from dask.array import from_array

    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    blocks = from_array(X[order], chunks=(60, -1)), from_array(y[order], chunks=60)
    clf = atomlearn.distributed.fit(*blocks, random_state=0, max_epochs=4, max_atoms=4)
    assert len(clf.scorecard()) <= 4 and clf.score(X, y) > 0.85


def test_rules_about_pixels_are_pictures():
    pytest.importorskip("matplotlib")
    X, y = load_digits(return_X_y=True)
    clf = quick(max_atoms=15, image_shape=(8, 8)).fit(X[:500], y[:500])
    card = clf.scorecard()
    assert "row " in str(card) and card.plot().axes and "<img" in card.to_html()
    assert clf.explain(X[0]).plot().axes
    again = AlgebraicClassifier.from_scorecard(card.to_csv(), X[:300], y[:300], max_epochs=2)
    np.testing.assert_allclose(again.predict_proba(X), clf.predict_proba(X), atol=1e-9)


def test_there_is_no_card_without_max_atoms(full):
    with pytest.raises(InvalidParameter, match="compact"):
        full.scorecard()
    for wrong in (0, -1, 2.5, "few", True):
        with pytest.raises(InvalidParameter, match="max_atoms"):
            full.compact(wrong)
        with pytest.raises(InvalidParameter, match="max_atoms"):
            quick(max_atoms=wrong).fit(*mixed(60))
    with pytest.raises(InvalidParameter, match="max_points"):
        full.compact(5, max_points=0)


@pytest.mark.parametrize("form", ["csv", "text", "frame", "card", "file"])
def test_a_card_reads_back_as_itself(card, form, tmp_path):
    X, y = mixed(600)
    shown = card.scorecard()
    if form == "file":
        shown.to_csv(tmp_path / "card.csv")
    source = {
        "csv": shown.to_csv(),
        "text": str(shown),
        "frame": shown.to_frame(),
        "card": shown,
        "file": tmp_path / "card.csv",
    }[form]
    again = AlgebraicClassifier.from_scorecard(source, X, y, random_state=0, max_epochs=2)
    np.testing.assert_allclose(again.predict_proba(X), card.predict_proba(X), atol=1e-9)
    comparison = shown.compare(again.scorecard())
    assert not comparison.added and not comparison.removed and not comparison.changed


def test_what_an_expert_changes_is_taken_and_its_cost_is_said(card, tmp_path):
    X, y = mixed(900)
    shown = card.scorecard()
    rest = "\n".join(shown.to_csv().splitlines()[:-2])
    edited = f'{rest}\n"age > 44 and job in {{a, b}}",-5\nincome ≤ 0.25 or missing,2\n'
    clf = AlgebraicClassifier.from_scorecard(
        edited, X[600:], y[600:], original=shown, random_state=0, max_epochs=2
    )
    np.testing.assert_allclose(clf.predict_proba(X), by_hand(clf.scorecard(), X), atol=1e-9)
    told = shown.compare(clf.scorecard())
    assert {str(rule) for rule in told.added} == {
        "age > 44 and job in {a, b}",
        "income ≤ 0.25 or missing",
    }
    assert len(told.removed) == 2 and "added" in str(told)
    assert clf.estimated_error_ == pytest.approx((clf.predict(X[600:]) != y[600:]).mean())
    before = (card.predict(X[600:]) != y[600:]).mean()
    assert clf.scorecard().before.error == pytest.approx(before)
    assert "it costs" in str(clf.scorecard())
    assert "Error on the rows given with the card" in clf.to_model_card()
    clf.save(tmp_path / "m.atoms")
    again = atomlearn.load(tmp_path / "m.atoms")
    assert str(again.scorecard()) == str(clf.scorecard())
    assert "held-out rows" in clf.compact(2).scorecard().price()  # which nobody has changed
    clf.partial_fit(X[:300], y[:300])  # what a person wrote stays
    assert [str(rule) for rule in clf.scorecard().rules] == [
        str(rule) for rule in again.scorecard().rules
    ]


def test_a_card_is_recalibrated_only_on_demand(card):
    X, y = mixed(600)
    csv = card.scorecard().to_csv().replace("(offset),", "(offset),9")
    as_it_is, anew = (
        AlgebraicClassifier.from_scorecard(csv, X, y, recalibrate=flag, max_epochs=2)
        for flag in (False, True)
    )
    assert as_it_is.scorecard().offsets[1] != anew.scorecard().offsets[1]
    assert anew.estimated_error_ < as_it_is.estimated_error_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense\n", "first line"),
        ("rule,maybe\n(scale),1\n", "'maybe' is not one of the classes"),
        ("rule,yes\nage > 3,1\n", "has no line '\\(scale\\)'"),
        ("rule,yes\n(scale),0\n", "line 2: the scale"),
        ("rule,yes\n(scale),1\nage > 3,1.5\n", "line 3: points must be whole"),
        ("rule,yes\n(scale),1\nage > 3,many\n", "line 3: 'many' is not a number"),
        ("rule,yes\n(scale),1\nagee > 3,1\n", "line 3: there is no column 'agee'; did you mean"),
        ("rule,yes\n(scale),1\nage,1\n", "line 3: 'age' is not a condition"),
        ("rule,yes\n(scale),1\nage > 3\n", "line 3: there must be a rule and 1 number"),
        ("rule,yes\n(scale),1\njob in {a, b},1\n", "with a comma stands in quotes"),
        ("rule,yes\n(scale),1\njob > 3,1\n", "job holds categories"),
        ("rule,yes\n(scale),1\nage in {1},1\n", "age holds numbers"),
        ("rule,yes\n(scale),nan\n", "line 2: 'nan' is not a number"),
        ("Scorecard of nothing\nat all\n", "has no line with points"),
    ],
)
def test_bad_cards_are_refused_with_their_line(text, message):
    with pytest.raises((FileFormatError, InvalidRule), match=message):
        AlgebraicClassifier.from_scorecard(text, *mixed(60), max_epochs=1)


def test_cards_of_other_classes_are_not_compared(card, iris):
    other = quick(max_atoms=2).fit(*iris).scorecard()
    with pytest.raises(InvalidRule, match="different classes"):
        card.scorecard().compare(other)


def test_a_card_is_compared_with_a_model_and_nothing_else(card):
    assert str(card.scorecard().compare(card)) == str(card.scorecard().compare(card.scorecard()))
    with pytest.raises(InvalidParameter, match="compared with a Scorecard or its model, not str"):
        card.scorecard().compare("card.csv")


def test_a_card_and_rows_without_labels(card):
    X, y = mixed(60)
    with pytest.raises(InvalidTable, match="row 0 has no label"):
        AlgebraicClassifier.from_scorecard(card.scorecard().to_csv(), X, [None, *y[1:]])


def test_no_card_at_all(card):
    for source in ("", " \n"):
        with pytest.raises(FileFormatError, match="neither"):
            AlgebraicClassifier.from_scorecard(source, *mixed(60))


def test_all_forms_name_every_rule(card):
    shown = card.scorecard()
    frame = shown.to_frame()
    assert frame["rule"].tolist() == [*map(str, shown.rules), "(offset)"]
    assert frame.attrs["scale"] == shown.scale
    html, latex, markdown = shown.to_html(), shown.to_latex(), shown.to_markdown()
    assert html.startswith("<!doctype html") or html.startswith("<!DOCTYPE html")
    assert latex.count(r"\\") >= len(shown) and r"\begin{tabular}" in latex
    assert markdown.count("\n| ") == len(shown) + 2
    assert shown._repr_html_() and repr(shown).startswith("<Scorecard")
    assert json.loads(json.dumps(shown.to_dict()))["scale"] == shown.scale


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda text: text.strip() == text and text not in ("target",)
)


@settings(max_examples=25)
@given(
    st.lists(NAMES, min_size=2, max_size=2, unique=True),
    st.lists(NAMES, min_size=4, max_size=5, unique=True),
)
def test_any_names_and_categories_read_back(names, categories):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({names[0]: rng.choice(categories, 120), names[1]: rng.normal(size=120)})
    y = (X[names[0]] == categories[0]).to_numpy() ^ (X[names[1]] > 0.4).to_numpy()
    clf = AlgebraicClassifier(random_state=0, max_epochs=1, max_atoms=6).fit(X, y)
    for form in (clf.scorecard().to_csv(), clf.scorecard()):
        again = AlgebraicClassifier.from_scorecard(form, X, y, max_epochs=1)
        np.testing.assert_allclose(again.predict_proba(X), clf.predict_proba(X), atol=1e-9)


def test_one_class_and_one_row_are_no_error():
    X, _ = mixed(50)
    assert quick(max_atoms=3).fit(X, np.zeros(50)).predict(X).tolist() == [0.0] * 50
    constant = quick(max_atoms=3).fit(np.zeros((20, 2)), np.arange(20) % 2)
    assert len(constant.predict(np.zeros((3, 2)))) == 3


def test_importances_and_atoms_are_those_of_the_card(card):
    frame = card.atoms_frame()
    assert np.isclose(card.feature_importances_.sum(), 1.0)
    assert set(frame.loc["weighted"]["class"]) == {"yes"}  # of two classes one has points
    total = frame.loc["weighted"]["weight"].abs().sum() / card.scorecard().scale
    points = [abs(p) for rule in card.scorecard().rules for p in rule.points]
    assert total == pytest.approx(sum(points))


def test_a_larger_table_with_two_classes():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    clf = quick(max_atoms=5).fit(X[::2], y[::2])
    assert clf.score(X[1::2], y[1::2]) > 0.88
    np.testing.assert_allclose(clf.predict_proba(X), by_hand(clf.scorecard(), X), atol=1e-9)


@pytest.mark.parametrize(
    ("estimator", "rule"),
    [(AlgebraicClassifier, "not 1 if x0 > 9"), (AlgebraicRegressor, "y >= 0 if x0 > 9")],
)
@pytest.mark.filterwarnings("ignore::atomlearn.errors.DoubtfulRule")
def test_a_card_of_a_constant_column(estimator, rule):
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    assert len(estimator(max_atoms=5, random_state=0, rules=[rule]).fit(X, y).scorecard()) == 0


def test_a_rule_for_the_only_class():
    X = np.arange(20.0)[:, None]
    clf = AlgebraicClassifier(rules=["a if x0 > 3"]).fit(X, ["a"] * 20)
    assert clf.predict(X).tolist() == ["a"] * 20
