"""Scorecards of a number that people write, models side by side, and model cards."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from atomlearn import AlgebraicClassifier, AlgebraicRegressor, load
from atomlearn.errors import FileFormatError, InvalidParameter, InvalidRule
from atomlearn.regressor.scorecard import common_unit
from tests.regressor.conftest import prices

CARD = """rule,price
(offset),100
rooms > 2 and age < 50,62.5
"city in {Ulm, Bonn}",-20
size < 60 or missing,-37.5
"""


def by_hand(X):
    found = 100 + 62.5 * ((X["rooms"] > 2) & (X["age"] < 50)) - 20 * X["city"].isin(["Ulm", "Bonn"])
    return (found - 37.5 * ~(X["size"] >= 60)).to_numpy()


@pytest.fixture(scope="module")
def rows():
    X, y = prices()
    return X, y.rename("price")


@pytest.fixture(scope="module")
def carded(rows):
    return AlgebraicRegressor.from_scorecard(CARD, *rows, random_state=0, max_epochs=20)


def test_a_card_decides_as_it_is_written(carded, rows, tmp_path):
    X, y = rows
    assert carded.predict(X) == pytest.approx(by_hand(X), abs=1e-9)
    error = np.abs(y - by_hand(X)).mean()
    card = carded.scorecard()
    assert card.measured.error == pytest.approx(error) and card.unit == 2.5 / 5
    assert f"On the {len(X):,} rows given it is {error:.4g} off" in str(card)
    assert carded.estimated_score_ == pytest.approx(carded.score(X, y))
    low, high = carded.predict_interval(X, 0.8).T
    assert np.mean((low <= y) & (y <= high)) == pytest.approx(0.8, abs=0.02)
    carded.save(tmp_path / "card.atoms")
    loaded = load(tmp_path / "card.atoms")
    assert (loaded.predict(X) == carded.predict(X)).all() and str(loaded.scorecard()) == str(card)
    loaded.partial_fit(X[:50], y[:50])
    assert loaded.scorecard().rules == card.rules  # stays as it was written


@pytest.mark.parametrize("loss", ["squared", "poisson", "absolute"])
@pytest.mark.parametrize("form", ["text", "csv", "file", "frame", "card", "model"])
def test_cards_come_back_from_all_that_is_written(rows, loss, form, tmp_path):
    X, y = rows[0], np.maximum(rows[1], 0.0)
    reg = AlgebraicRegressor(loss=loss, max_atoms=6, random_state=0, max_epochs=40).fit(X, y)
    card = reg.scorecard()
    card.to_csv(tmp_path / "c.csv")
    source = {
        "text": str(card),
        "csv": card.to_csv(),
        "file": tmp_path / "c.csv",
        "frame": card.to_frame(),
        "card": card,
        "model": reg,
    }[form]
    same = AlgebraicRegressor.from_scorecard(source, X, y, loss=loss, max_epochs=2)
    assert same.predict(X) == pytest.approx(reg.predict(X), rel=1e-9)
    changes = card.compare(same.scorecard())
    assert not (changes.added or changes.removed or changes.changed)


def test_the_price_of_a_change_and_a_new_offset(rows):
    X, y = rows
    old = AlgebraicRegressor.from_scorecard(CARD, X, y, max_epochs=2)
    text = CARD.replace("62.5", "12.5").replace("(offset),100", "(offset),0")
    new, moved = (
        AlgebraicRegressor.from_scorecard(
            text, X, y, original=old, max_epochs=2, recalibrate=recalibrate
        )
        for recalibrate in (False, True)
    )
    cost = new.scorecard().measured.error - old.scorecard().measured.error
    assert cost > 0 and f"it costs {cost:+.4g}" in str(new.scorecard())
    assert abs((y - moved.predict(X)).mean()) <= moved.scorecard().unit / 2
    changes = str(old.scorecard().compare(new.scorecard()))
    assert "changed  +62.5 → +12.5  if rooms > 2 and age < 50" in changes
    assert "offset   100.0 → 0.0" in changes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("price,x\n(offset),1\n", "first line must be 'rule'"),
        ("rule,price\nrooms > 2,1\n", "has no line '\\(offset\\)'"),
        ("rule,price\n(offset),1\nrooms > 2,much\n", "line 3: 'much' is not a number"),
        ("rule,price\n(offset),1\nrooms > 2,× 2\n", "line 3: '× 2' is a factor"),
        (
            "rule,price\n(offset),1\nrooms > 2,1,2\n",
            "line 3: there must be a rule and what it adds",
        ),
        ("rule,price\n(offset),1\nrooms > 2,1e-9\nage > 3,1e9\n", "too far apart"),
        ("Scorecard for price\n\n nothing", "no line with points"),
    ],
)
def test_unreadable_cards(rows, text, message):
    with pytest.raises(FileFormatError, match=message):
        AlgebraicRegressor.from_scorecard(text, *rows)


def test_cards_that_do_not_fit(rows):
    X, y = rows
    with pytest.raises(InvalidRule, match="line 3: there is no column 'room'"):
        AlgebraicRegressor.from_scorecard("rule,price\n(offset),1\nroom > 2,1\n", X, y)
    with pytest.raises(InvalidRule, match="the card contradicts 'price falls with rooms'"):
        AlgebraicRegressor.from_scorecard(CARD, X, y, rules=["price falls with rooms"])
    card = AlgebraicRegressor.from_scorecard(CARD, X, y, max_epochs=2).scorecard()
    with pytest.raises(InvalidParameter, match="rules of this card are added"):
        AlgebraicRegressor.from_scorecard(card, X, np.maximum(y, 0), loss="poisson")


def test_a_card_of_numbers_in_latex_and_its_sizes_drawn(rows):
    pytest.importorskip("matplotlib")
    reg = AlgebraicRegressor(max_atoms=4, random_state=0, max_epochs=20).fit(*rows)
    latex = reg.scorecard().to_latex()
    assert latex.startswith(r"\begin{tabular}{rlr}") and latex.count("& if ") == len(
        reg.scorecard()
    )
    left, right = reg.sizes_.plot().axes
    assert left.get_ylabel() == "mean absolute error on held-out rows"
    assert right.get_ylabel() == "loss on held-out rows"


def test_units_are_those_that_are_printed():
    for amounts in ([12.5, 7.5], [0.03], [300.0, 50.0], [1e-7, 2e-7], [0.0], [3.0, 0.25]):
        unit = common_unit(amounts)
        assert all(abs(one / unit - round(one / unit)) < 1e-9 for one in amounts)
        assert f"{unit:.12e}"[0] in "125"


def test_two_models_on_the_same_rows(rows):
    X, y = rows
    new, truth = prices(300, seed=3)
    full = AlgebraicRegressor(random_state=0).fit(X, y)
    few, more = full.compact(3), full.compact(8)
    found = few.compare(more, new, truth)
    errors = [np.abs(truth - one.predict(new)) for one in (few, more)]
    assert found.first.error == pytest.approx(errors[0].mean())
    assert found.error.mean == pytest.approx(errors[1].mean() - errors[0].mean())
    assert found.error.low < found.error.mean < found.error.high < 0 and found.p_value < 0.01
    assert found.second_nearer == (errors[1] < errors[0]).sum() > found.first_nearer
    apart = np.abs(few.predict(new) - more.predict(new))
    assert found.rows[0].row == np.argmax(apart) and len(found.rows) == 20
    assert len(found.cards.added) == len(more.scorecard()) - found.n_common - len(
        found.cards.changed
    )
    for text in (str(found), found._repr_html_()):
        assert "second less first" in text
    numbers = new[["size", "age", "rooms"]].fillna(0)
    other = Ridge().fit(numbers, truth)
    beside = full.compare(other, new, truth, X_other=numbers)
    assert beside.cards is None and beside.second.n_atoms == 0
    same = full.compare(full, new, truth)
    assert same.rows == () and same.p_value == 1.0 and "no row is predicted" in str(same)


def test_models_that_cannot_be_compared(rows):
    X, y = rows
    with pytest.raises(InvalidParameter, match="a fitted model, not str; read one"):
        AlgebraicRegressor(max_epochs=2).fit(X, y).compare("model.atoms", X, y)
    reg = AlgebraicRegressor(random_state=0, max_epochs=2).fit(X, y)
    clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(X, y > 100)
    with pytest.raises(InvalidParameter, match="predicts classes"):
        reg.compare(clf, X, y)
    with pytest.raises(InvalidParameter, match="predicts a number"):
        clf.compare(reg, X, y > 100)
    with pytest.raises(InvalidParameter, match="X_other has 5 rows"):
        reg.compare(reg, X, y, X_other=X[:5])


@pytest.mark.parametrize("loss", ["squared", "absolute", "poisson", "quantile"])
def test_model_cards(rows, loss, tmp_path):
    X, y = rows[0], np.maximum(rows[1], 0.0)
    rules = ["price rises with size", "price >= 0"]
    reg = AlgebraicRegressor(loss=loss, random_state=0, rules=rules, max_epochs=30).fit(X, y)
    text = reg.to_model_card(X, y, path=tmp_path / "card.md")
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == text
    assert text.startswith("# Model card: price, a number by 4 columns")
    assert f"{reg.estimated_error_:.4g}" in text and "**price \\>= 0**: proved" in text
    assert "inside the 90% interval" in text and "| adds | rule | rows |" in text
    small = reg.compact(4)
    assert small.scorecard().to_markdown().strip() in small.to_model_card()
    reg.save(tmp_path / "m.atoms", rows=False)
    bare = load(tmp_path / "m.atoms").to_model_card()
    assert "Without training rows" in bare and "| adds |" not in bare


def test_nothing_is_measured_without_held_out_rows():
    reg = AlgebraicRegressor().fit(pd.DataFrame({"a": [1.0, 1.0]}), [2.0, 2.0])
    assert "no error is known" in reg.to_model_card()
