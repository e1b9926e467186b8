"""Compact models on a page: their points decide as in Python, and the rules that are met show."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from atomlearn import AlgebraicClassifier
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.live import LiveTable
from atomlearn.export.description import describe, packed
from tests.explorer import browser as web
from tests.explorer import node, pages
from tests.explorer.test_reasons import REASONS
from tests.explorer.test_scorer import SCORE, cells

RULES = ["not 0 if width > 1.5", "1 if colour = red and depth is missing"]


@pytest.fixture(scope="module")
def noisy():
    """Three classes that overlap, in a frame with missing values."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(240, 3)), columns=["width", "height", "depth"])
    frame["colour"] = rng.choice(["red", "green", "blue"], 240)
    frame.loc[::5, "depth"] = np.nan
    score = frame["width"] + (frame["colour"] == "red") + frame["depth"].isna()
    return frame, np.digitize(score + 0.5 * rng.normal(size=240), [0.0, 1.0])


@pytest.fixture(scope="module")
def odd(noisy):
    """Rows with missing values where training had none, and with a category it has not seen."""
    rng = np.random.default_rng(1)
    frame = noisy[0].copy()
    for name in frame.columns:
        frame[name] = frame[name].astype(object).where(rng.random(len(frame)) > 0.2, None)
    frame.loc[rng.random(len(frame)) < 0.2, "colour"] = "violet"
    return frame


def compact(X, y, **parameters):
    parameters = {"max_epochs": 4, "random_state": 0, "max_atoms": 8} | parameters
    return AlgebraicClassifier(**parameters).fit(X, y)


@pytest.fixture(scope="module")
def fitted(noisy):
    X, y = noisy
    images, digits = load_digits(return_X_y=True)
    found = {
        "two": (compact(X, np.where(y > 0, "yes", "no")), X),
        "three": (compact(X, y, class_weight={0: 1, 1: 5, 2: 0.3}), X),
        "rules": (compact(X, y, rules=RULES), X),
        "image": (compact(images[:300], digits[:300], image_shape=(8, 8)), images[:300]),
    }
    assert all(clf.learned_.card is not None for clf, _ in found.values())
    return found


@node.needs_node
@pytest.mark.filterwarnings("ignore::atomlearn.errors.UnseenCategories")
@pytest.mark.parametrize("form", [describe, lambda clf: packed(describe(clf))], ids=["", "packed"])
def test_probabilities_of_cards_are_those_of_python(fitted, odd, tmp_path, form):
    rows = [(kind, clf, X) for kind, (clf, X) in fitted.items()]
    rows += [(f"odd {kind}", fitted[kind][0], odd) for kind in ("two", "three", "rules")]
    data = [{"model": form(clf), "rows": cells(clf, X)} for _, clf, X in rows]
    for (kind, clf, X), ours in zip(rows, node.run(SCORE, data, tmp_path), strict=True):
        expected = clf.predict_proba(X)
        assert np.abs(np.array(ours) - expected).max() < 1e-9, kind
        assert expected.max() > expected.min()
    assert (fitted["rules"][0].predict_proba(odd) == 0).any()


@node.needs_node
def test_a_condition_is_met_by_one_of_its_literals(noisy, tmp_path):
    clf = compact(*noisy)
    literals = [str(one) for one in clf.encoder_.literals_]
    either = (literals.index("depth is missing"), literals.index("colour = red"))
    points = np.array([[1, -2, 3]])
    card = replace(clf.learned_.card, rules=((either,),), points=points)
    clf.learned_ = replace(clf.learned_, card=card)
    X = noisy[0]
    (found,) = node.run(SCORE, [{"model": describe(clf), "rows": cells(clf, X)}], tmp_path)
    assert np.abs(np.array(found) - clf.predict_proba(X)).max() < 1e-9
    met = X["depth"].isna() | (X["colour"] == "red")
    assert len(np.unique(np.array(found)[met], axis=0)) == 1


@node.needs_node
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["two", "three", "rules"])
def test_changes_of_mind_are_those_of_the_card(fitted, kind, tmp_path):
    clf, _ = fitted[kind]
    told = classifier_data(clf)
    rows = [example["row"] for example in told["examples"][:40]]
    data = {"model": describe(clf), "cells": told["cells"], "rows": rows}
    names = [column.name for column in clf.encoder_.columns_]
    after, claimed = [], []
    for row, found in zip(rows, node.run(REASONS, data, tmp_path), strict=True):
        assert found["same"] == pytest.approx(found["scores"], abs=1e-9, nan_ok=True)
        for flip in found["flips"][:3]:
            changed = list(row)
            for column, cell in flip["changes"]:
                changed[column] = cell
            after.append(changed)
            scores = [-np.inf if score is None else score for score in flip["scores"]]
            claimed.append(clf.classes_[int(np.argmax(scores))])
    assert len(claimed) > 20
    assert clf.predict(pd.DataFrame(after, columns=names).astype(object)).tolist() == claimed


def test_the_data_of_a_page_has_the_card(fitted):
    for clf, _ in fitted.values():
        told, card = classifier_data(clf), clf.scorecard()
        shown = told["scorecard"]
        assert [" and ".join(one["conditions"]) for one in shown["rules"]] == [
            str(rule).replace("(", "").replace(")", "") for rule in card.rules
        ]
        assert [rule.share for rule in card.rules] == [one["share"] for one in shown["rules"]]
        assert shown["price"] == card.price() and "held-out rows" in shown["price"]
        assert all(one in str(card) for one in shown["about"])
        assert told["model"]["card"]["rules"][0]["points"] == list(card.rules[0].points)
        assert told["model"]["strict"] is told["model"]["weighted"] is told["atoms"] is None
        assert told["summary"]["evidence"] == "card" and told["summary"]["atoms"] == len(card)
        assert told["offer"] is None and not told["examples_were_held_out"]
        assert np.sum(told["confusion"]) > 0 and told["calibration"]
        assert sum(told["importances"]) == pytest.approx(1, abs=1e-4)


def test_a_page_of_a_full_model_offers_a_card(noisy, fitted):
    full = fitted["three"][0].compact(None)
    told = classifier_data(full)
    n = full.learned_.deciding().n_atoms
    assert told["scorecard"] is None and told["offer"]["code"] == "clf.compact(20)"
    assert told["offer"]["text"].startswith(f"{n:,} atoms decide. ")
    one = AlgebraicClassifier(max_epochs=2).fit(noisy[0], np.zeros(len(noisy[0])))
    assert classifier_data(one)["offer"] is None


def test_what_is_learned_live_from_a_card_is_a_card(fitted):
    live = LiveTable(fitted["two"][0])
    assert live.data()["scorecard"]["rules"]
    live.run({})(lambda event: None)
    told = live.data()
    assert told["live"]["model"] == 1 and 1 <= len(told["scorecard"]["rules"]) <= 8


@pytest.fixture(scope="module")
def browser():
    if web.why_not():
        pytest.skip(web.why_not())
    with web.started() as browser:
        yield browser


def points(text):
    return float(text.replace("−", "-"))


def card_rows(page):
    """The points of each rule, whether it is met, and the sums and probabilities."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    return page.evaluate(
        """() => {
          const table = document.querySelector("table.scorecard");
          const cells = (row) => [...row.querySelectorAll("td.points")].map((one) => one.innerText);
          const line = (row) => [row.classList.contains("met"), cells(row)];
          return {
            rules: [...table.tBodies[0].rows].map(line),
            totals: [...table.tFoot.rows].map(cells),
          };
        }"""
    )


@pytest.mark.parametrize("kind", ["two", "rules"])
@pytest.mark.filterwarnings("ignore")
def test_the_rules_that_a_row_meets_add_up_on_the_page(browser, fitted, kind, tmp_path):
    clf, X = fitted[kind]
    address = pages.written(tmp_path, kind, kind, classifier_data(clf))
    with web.opened(browser, address) as page:
        assert page.locator("section h2").first.inner_text().startswith("Scorecard")
        assert page.get_by_text("Missed atoms").count() == 0
        for i in (0, 3, 7):
            for column in ("width", "height", "depth"):
                value, box = X[column].iloc[i], f"{column} is missing"
                page.get_by_label(box).set_checked(bool(np.isnan(value)))
                if not np.isnan(value):
                    page.locator(f'[data-column="{column}"] input.exact').fill(str(value))
            page.get_by_label("colour").select_option(label=X["colour"].iloc[i])
            found, explained = card_rows(page), clf.explain(X.iloc[i : i + 1])
            assert [is_met for is_met, _ in found["rules"]] == [
                *(r in explained.met for r in range(len(explained.card))), True,
            ]  # fmt: skip
            sums = [points(one) for one in found["totals"][0]]
            met = np.array(
                [[points(one) for one in row] for is_met, row in found["rules"] if is_met]
            )
            assert met.sum(axis=0) == pytest.approx(sums)
            assert sums == pytest.approx([explained.sums[k] for k in explained.card.shown])
            chances = [float(one.strip("%<>")) / 100 for one in found["totals"][1]]
            expected = clf.predict_proba(X.iloc[i : i + 1])[0][explained.card.shown]
            assert chances == pytest.approx(expected, abs=6e-4)


def test_the_rules_that_an_image_meets_are_marked(browser, fitted, tmp_path):
    clf, _ = fitted["image"]
    address = pages.written(tmp_path, "image", "Digits", classifier_data(clf))
    with web.opened(browser, address) as page:
        lines = page.locator("table.scorecard tbody tr")
        assert lines.count() == len(clf.scorecard()) + 1
        assert page.locator("table.scorecard canvas").count() == len(clf.scorecard())
        assert page.locator("table.scorecard tr.met").count() == 1  # only what always counts
        page.locator("button.example").nth(3).click()
        page.locator("table.scorecard tr.met").nth(1).wait_for()


@pytest.mark.parametrize("kind", ["two", "three", "image", "many"])
@pytest.mark.filterwarnings("ignore")
def test_cards_fit_a_phone_and_names_are_text(browser, fitted, noisy, kind, tmp_path):
    markup = '<img src=x onerror="document.title=1">'
    if kind == "many":
        X = pd.DataFrame({markup: np.arange(300) % 15, "x": np.arange(300) % 7})
        clf = compact(X, [f"{markup} {i % 15}" for i in range(300)])
    else:
        clf, _ = fitted[kind]
    address = pages.written(tmp_path, kind, kind, classifier_data(clf))
    for width in (390, 1200):
        with web.opened(browser, address, width=width, dark=True) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("table.scorecard").is_visible()
            assert page.locator("img, [style*=url]").count() == 0
            if kind == "many":
                assert page.locator("table.scorecard .entry", has_text=markup).count() > 0


def test_a_full_model_shows_the_offer(browser, fitted, tmp_path):
    told = classifier_data(fitted["three"][0].compact(None))
    with web.opened(browser, pages.written(tmp_path, "full", "Full", told)) as page:
        assert page.locator(".offer code").inner_text() == "clf.compact(20)"
        assert page.locator("table.scorecard").count() == 0
