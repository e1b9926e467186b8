"""The pages in Chromium: what a reader does, and that nothing goes wrong meanwhile."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from atomlearn import Algebra, AlgebraicClassifier
from atomlearn.explorer.classifiers import asked_row, classifier_data
from atomlearn.explorer.page import algebra_data
from tests.explorer import browser as web
from tests.explorer import pages

pytestmark = web.needs_browser


@pytest.fixture(scope="module")
def browser():
    with web.started() as browser:
        yield browser


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    return pages.write_all(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def flowers():
    return pages.iris(5)


def shown_probabilities(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    names = page.locator(".answer .bars .name").all_inner_texts()
    values = page.locator(".answer .bars .value").all_inner_texts()
    return {
        name: float(value.strip("%<>")) / 100 for name, value in zip(names, values, strict=True)
    }


def set_number(page, column, value):
    page.locator(f'[data-column="{column}"] input.exact').fill(str(value))


def test_changing_a_row_changes_the_prediction_as_in_python(browser, addresses, flowers):
    clf, X = flowers
    with web.opened(browser, addresses["table"]) as page:
        for i in (0, 60, 120):
            for column in X.columns:
                set_number(page, column, X[column].iloc[i])
            expected = dict(zip(clf.classes_, clf.predict_proba(X.iloc[i : i + 1])[0], strict=True))
            assert shown_probabilities(page) == pytest.approx(expected, abs=6e-4)
        assert page.locator(".rule-met").inner_text() == f"excluded by the rule {pages.RULE}"
        set_number(page, "petal length", 1)
        assert page.locator(".rule-met").count() == 0


def test_the_curve_of_a_monotone_statement_is_drawn(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"debt": rng.integers(0, 20, 200), "income": rng.integers(0, 20, 200)})
    y = np.where(X["debt"] + 4 * rng.normal(size=200) > X["income"], "bad", "good")
    rules = ["bad rises with debt", "bad if debt > income and income < 3"]
    clf = AlgebraicClassifier(random_state=0, max_epochs=5, rules=rules).fit(X, y)
    with web.opened(browser, pages.written(tmp_path, "m", "m", classifier_data(clf))) as page:
        set_number(page, "debt", 12)
        set_number(page, "income", 9)
        expected = clf.predict_proba(pd.DataFrame({"debt": [12], "income": [9]}))[0]
        shown = shown_probabilities(page)
        assert shown == pytest.approx(dict(zip(clf.classes_, expected, strict=True)), abs=6e-4)
        page.wait_for_selector(".curve-of-statement polyline")
        points = page.locator(".curve-of-statement polyline").get_attribute("points").split()
        heights = [float(one.split(",")[1]) for one in points]
        assert len(heights) > 5 and heights == sorted(heights, reverse=True)  # the top is 100 %
        assert page.locator(".curve-of-statement").inner_text().startswith("bad rises with debt")


def test_sliders_examples_missing_values_and_changes_of_mind(browser, addresses, flowers):
    clf, _ = flowers
    examples = classifier_data(clf)["examples"]
    with web.opened(browser, addresses["table"]) as page:
        select = page.get_by_label("example row")
        for i in (0, 5, 40):
            select.select_option(str(i))
            shown = shown_probabilities(page)
            expected = dict(
                zip(clf.classes_, clf.predict_proba([examples[i]["row"]])[0], strict=True)
            )
            assert shown == pytest.approx(expected, abs=6e-4)
        slider = page.get_by_label("petal length, slider")
        before = page.locator('[data-column="petal length"] input.exact').input_value()
        slider.focus()
        page.keyboard.press("Home")
        assert page.locator('[data-column="petal length"] input.exact').input_value() != before
        assert page.locator(".answer h2").inner_text().startswith("setosa")
        page.locator("ul.flips button").first.click()  # the nearest change makes it another class
        page.locator(".answer h2", has_not_text="setosa").wait_for()
        page.get_by_label("petal length is missing").check()
        assert page.locator('[data-column="petal length"] input.exact').is_disabled()


def test_a_page_begins_with_the_row_that_was_asked_about(browser, tmp_path, flowers):
    clf, X = flowers
    asked = asked_row(clf, "Row 70 of iris.csv", X.iloc[70:71])
    address = pages.written(tmp_path, "asked", "Irises", classifier_data(clf, asked=asked))
    with web.opened(browser, address) as page:
        assert page.get_by_label("example row").locator("option:checked").inner_text() == (
            "Row 70 of iris.csv"
        )
        expected = dict(zip(clf.classes_, clf.predict_proba(X.iloc[70:71])[0], strict=True))
        assert shown_probabilities(page) == pytest.approx(expected, abs=6e-4)
        assert pages.RULE in page.locator(".card", has_text="The rules").first.inner_text()
        classes = page.get_by_role("region", name="classes").locator("tbody tr")
        assert classes.count() == 3
        page.get_by_text("as Python").first.click()
        assert "def is_setosa(row):" in page.locator("pre").first.inner_text()


def test_definitions_of_images_are_drawn(browser, addresses):
    told = pages.data_of(Path(addresses["image"].removeprefix("file://")))
    with web.opened(browser, addresses["image"]) as page:
        atoms = page.locator("article canvas.thumb")
        assert atoms.count() == sum(len(one["clauses"]) for one in told["definitions"])
        assert atoms.first.evaluate("one => [one.width, one.height]") == [8, 8]


def amount(text):
    return float(text.replace("−", "-"))


def test_what_is_shown_adds_up(browser, addresses, flowers):
    clf, X = flowers
    with web.opened(browser, addresses["table"]) as page:
        page.get_by_text("Missed atoms, class by class").click()
        for i in (0, 60, 120):
            for column in X.columns:
                set_number(page, column, X[column].iloc[i])
            lines = page.get_by_role("region", name="sums").locator("tbody tr").all()
            cells = [line.locator("td").all_inner_texts() for line in lines]
            for _, *parts, total, _ in cells:
                if total != "excluded":
                    assert sum(map(amount, parts)) == pytest.approx(amount(total), abs=0.02)
            assert cells[0][0] == clf.predict(X.iloc[i : i + 1])[0]
            terms = page.locator("ul.terms .amount").all_inner_texts()
            odds = amount(page.locator('[aria-label="the reasons"] p strong').first.inner_text())
            assert sum(map(amount, terms)) == pytest.approx(odds, abs=0.06)
            for k in range(3):
                page.get_by_label("class").first.select_option(str(k))
                account = page.get_by_role("region", name="what adds up").locator("td.num")
                *parts, total = map(amount, account.all_inner_texts())
                assert sum(parts) == pytest.approx(total, abs=0.1)


def test_sliders_of_the_largest_numbers(browser, tmp_path):
    x = np.array([-1.7e308, -1e308, 1e308, 1.7e308] * 10)
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(x.reshape(-1, 1), x > 0)
    address = pages.written(tmp_path, "large", "Large", classifier_data(clf))
    with web.opened(browser, address) as page:
        slider, exact = page.get_by_label("x0, slider"), page.get_by_label("x0", exact=True)
        for key, sign, answer in (("End", 1, "true"), ("Home", -1, "false")):
            slider.focus()
            page.keyboard.press(key)
            assert 1e308 < sign * float(exact.input_value()) < np.inf
            assert page.locator(".answer h2").inner_text().startswith(answer)


def test_atoms_are_found_by_words(browser, addresses):
    with web.opened(browser, addresses["table"]) as page:
        table = page.get_by_role("region", name="atoms", exact=True)
        everything = table.locator("tbody tr").count()
        page.get_by_label("search atoms").fill("petal width")
        some = table.locator("tbody tr").all_inner_texts()
        assert some and all("petal width" in text for text in some)
        page.get_by_label("search atoms").fill("there is no such atom")
        assert table.locator("tbody tr").count() == 0 < everything


def at(box, share):
    return box["x"] + share[0] * box["width"], box["y"] + share[1] * box["height"]


ONE = [(0.5, 0.15), (0.5, 0.5), (0.5, 0.85)]


def test_drawing_with_the_mouse(browser, addresses):
    with web.opened(browser, addresses["image"]) as page:
        assert page.locator(".answer h2").inner_text() == "Draw something"
        box = page.locator("canvas.pad").bounding_box()
        page.mouse.move(*at(box, ONE[0]))
        page.mouse.down()
        for place in ONE[1:]:
            page.mouse.move(*at(box, place), steps=5)
        page.mouse.up()
        page.locator(".answer h2", has_text=re.compile("^1 ")).wait_for()
        assert sum(shown_probabilities(page).values()) == pytest.approx(1, abs=0.01)
        assert page.locator(".panels figcaption").first.inner_text().startswith("1: ")
        page.get_by_role("button", name="Clear").click()
        page.locator(".answer h2", has_text="Draw something").wait_for()


def test_drawing_with_the_arrow_keys(browser, addresses):
    with web.opened(browser, addresses["image"]) as page:
        pad = page.locator("canvas.pad")
        for _ in range(7):
            pad.press("Shift+ArrowUp")
        assert page.locator(".answer h2").inner_text() == "Draw something"
        for _ in range(14):
            pad.press("ArrowDown")
        page.locator(".answer h2", has_text=re.compile("^1 ")).wait_for()


def test_the_hardest_images_were_improbable_when_they_were_held_out(browser, addresses):
    with web.opened(browser, addresses["image"]) as page:
        assert page.get_by_text("when the image was held out").count() == 1
        for i in (0, 7, 20):
            button = page.locator("button.example").nth(i)
            label, share = button.get_attribute("title").split(": ")
            button.click()
            now = shown_probabilities(page)[label]
            assert float(share.removesuffix("%")) / 100 < now <= 1  # it has learned from it since


def test_drawing_with_a_finger_on_a_phone(browser, addresses):
    with web.opened(browser, addresses["image"], width=390, touch=True) as page:
        box = page.locator("canvas.pad").bounding_box()
        devtools = page.context.new_cdp_session(page)

        def touch(kind, *places):
            points = [dict(zip("xy", at(box, place), strict=True)) for place in places]
            devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", ONE[0])
        for place in ONE[1:]:
            touch("touchMove", place)
        touch("touchEnd")
        page.locator(".answer h2", has_text=re.compile("^1 ")).wait_for()
        assert page.evaluate("scrollY") == 0  # the page stays where it is


def test_a_board_shows_what_follows_and_why(browser, addresses):
    with web.opened(browser, addresses["queens"]) as page:
        board = page.get_by_role("group", name="your board")
        caption = page.locator(".card", has=board).locator("p[aria-live]")
        assert caption.inner_text().startswith("1 given, 0 follow")
        board.locator('[aria-label^="d2 "]').click()
        assert caption.inner_text().startswith("2 given")
        board.locator('[aria-label^="b4 "]').click()  # attacked: it says why
        assert page.locator(".why h3").inner_text() == "Square b4 must be empty, because of"
        assert "a queen on b1" in page.locator(".why").inner_text()
        page.get_by_role("button", name="Place a queen there anyway").click()
        assert caption.inner_text() == "These givens contradict the rules."
        assert "would both follow and be excluded" in page.locator(".why h3").inner_text()
        board.locator('[aria-label^="b4 "]').click()  # taken back
        assert caption.inner_text().startswith("2 given")


def test_the_board_of_each_epoch(browser, addresses):
    with web.opened(browser, addresses["queens"]) as page:
        caption = page.locator("p[aria-live]", has_text="Epoch ")
        assert "6 of 6 queens, solved" in caption.inner_text()
        page.get_by_label("epoch", exact=True).focus()
        page.keyboard.press("Home")
        assert caption.inner_text().startswith("Epoch 1: ")
        page.get_by_role("button", name="Play").click()
        page.locator("p[aria-live]", has_text=re.compile(r"Epoch ([2-9]|1\d): ")).wait_for()


def test_a_sudoku_follows_from_its_givens(browser, addresses):
    with web.opened(browser, addresses["sudoku"]) as page:
        board = page.get_by_role("group", name="your board")
        page.get_by_role("button", name="Clear").click()
        assert "16 cells open" in page.locator(".card").first.inner_text()
        board.locator("button").first.click()
        page.get_by_label("digit 3").click()
        assert board.locator("button").first.inner_text() == "3"
        assert board.locator("button").nth(1).inner_text() == "124"


def test_asking_about_relations(browser, addresses):
    with web.opened(browser, addresses["algebra"]) as page:
        ask = page.get_by_label("relation", exact=True)
        answers = {
            "v < c1 c2 c3 c7 c8": "follows",
            "v !< c1 c2 c7 c8": "contradicted",
            "c5 < c4": "open",
        }
        for text, verdict in answers.items():
            ask.fill(text)
            assert page.locator(".verdict strong").inner_text() == verdict
        ask.fill("v < nobody")
        assert page.get_by_text("there is no constant nobody").is_visible()


def test_choosing_in_the_graph_and_among_the_relations(browser, addresses):
    with web.opened(browser, addresses["algebra"]) as page:
        node = page.locator('svg.graph [data-id="c0"]')
        node.click()
        lit = page.locator("svg.graph .node.lit.atom").count()
        assert page.get_by_text(f"v has {lit} atoms.").is_visible()
        node.click()
        assert page.locator("svg.graph.dimmed").count() == 0
        page.get_by_role("button", name="v !< c3 c5 c6 c8").click()
        assert page.locator(".verdict strong").inner_text() == "follows"


@pytest.mark.parametrize("name", ["table", "image", "queens", "sudoku", "algebra"])
def test_pages_fit_a_phone_in_the_dark(browser, addresses, name):
    with web.opened(browser, addresses[name], width=390, dark=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        red, green, blue = page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        )
        assert max(red, green, blue) < 60
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input, select, button')].filter((one) => "
            "!one.getAttribute('aria-label') && !one.textContent.trim() && !one.labels?.length)"
            ".length"
        )
        assert unnamed == 0


def test_a_phone_shows_the_prediction_beside_the_sliders_and_nothing_is_cut_off(browser, addresses):
    with web.opened(browser, addresses["table"], width=390) as page:
        slider = page.get_by_label("petal length, slider")
        slider.focus()
        for key in ("Home", "End"):
            page.keyboard.press(key)
            answer = page.locator(".answer h2").inner_text()
            glance = page.locator(".glance")
            assert glance.inner_text() == answer
            assert slider.bounding_box()["y"] < glance.bounding_box()["y"] < 900
        weights = page.get_by_role("region", name="atoms", exact=True).locator("td.num").first
        box = weights.bounding_box()
        assert box["x"] + box["width"] < 390
        sums = page.get_by_role("region", name="sums")
        assert sums.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    with web.opened(browser, addresses["algebra"], width=390) as page:
        for node in page.locator("svg.graph .node").all():
            box = node.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    with web.opened(browser, addresses["table"]) as page:
        assert not page.locator(".glance").is_visible()


MARKUP = '<img src=x onerror="document.title=1"></script><b>'


def test_nodes_of_a_graph_do_not_cover_each_other_on_a_phone(browser, tmp_path):
    alg = Algebra([f"somebody {i} of the family" for i in range(12)])
    alg.add(alg[f"somebody {i} of the family"] <= alg["somebody 0 of the family"] for i in (1, 2))
    address = pages.written(tmp_path, "family", "Family", algebra_data(alg))
    with web.opened(browser, address, width=390) as page:
        boxes = [node.bounding_box() for node in page.locator("g.node.constant rect").all()]
        assert len(boxes) == 12
        for a, b in combinations(boxes, 2):
            beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
            assert beside or abs(a["y"] - b["y"]) >= a["height"]


def test_names_are_shown_as_text_and_nothing_can_be_sent(browser, tmp_path):
    alg = Algebra([MARKUP, "b"])
    alg.add(alg[MARKUP] <= alg["b"])
    address = pages.written(tmp_path, "hostile", MARKUP, algebra_data(alg))
    with web.opened(browser, address) as page:
        assert page.title() == page.locator("h1").inner_text() == MARKUP
        assert page.locator("img, b").count() == 0
        assert MARKUP in page.locator("svg.graph title").first.evaluate("one => one.textContent")
    page = browser.new_page()
    page.goto(address)
    broken = page.evaluate(
        """() => new Promise((done) => {
          const tell = (one) => done(one.violatedDirective);
          document.addEventListener("securitypolicyviolation", tell);
          fetch("http://127.0.0.1:9/").catch(() => {});
        })"""
    )
    assert broken == "connect-src"
    page.close()
