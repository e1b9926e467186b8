"""Pictures of the pages, to be looked at: ``python -m tests.explorer.screenshots [folder]``.

Each kind of page at 1200 and at 390 pixels, light and dark, after something was done on it, and the
pages of ``make demo`` and ``make docs``, if they are there. A page that is wider than the window is
reported.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_diabetes

from atomlearn import AlgebraicRegressor
from atomlearn.algebra.contexts import Context
from atomlearn.explorer.classifiers import asked_row, classifier_data
from atomlearn.explorer.numbers import number_data
from atomlearn.explorer.page import context_data
from tests.explorer import browser as web
from tests.explorer import pages

THREE = [(0.3, 0.25), (0.5, 0.2), (0.68, 0.3), (0.6, 0.45), (0.45, 0.5), (0.65, 0.6), (0.68, 0.75),
         (0.5, 0.83), (0.3, 0.78)]  # fmt: skip

EAGER = "document.querySelectorAll('iframe').forEach((frame) => { frame.loading = 'eager'; })"


def do_something(page, name):
    """Draw, place a queen, ask."""
    if name == "image":
        box = page.locator("canvas.pad").bounding_box()
        places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in THREE]
        page.mouse.move(*places[0])
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(*place, steps=6)
        page.mouse.up()
    elif name == "queens":
        board = page.get_by_role("group", name="your board")
        board.locator('[aria-label^="g3 "]').click()
        board.locator('[aria-label^="c5 "]').click()
    elif name == "algebra":
        page.get_by_label("relation", exact=True).fill("v < c1 c2 c3 c7 c8")
    page.wait_for_timeout(300)


def more_pages(folder: Path) -> dict[str, str]:
    """Pages of cards, of a row, of numbers and of concepts, and those that are printed and sent."""
    data = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    reg = AlgebraicRegressor(random_state=0, rules=["target rises with bmi"]).fit(*data)
    reg.evaluate(*data).to_html(folder / "number-evaluation.html")
    context = Context.read(Path("docs/examples/water.cxt"))
    clf, X = pages.iris()
    card, labels = clf.compact(6), clf.predict(X)
    card.scorecard().to_html(folder / "scorecard.html")
    clf.check_rules(X).to_html(folder / "audit.html")
    clf.evaluate(X, labels, costs={("virginica", "setosa"): 3}).to_html(folder / "evaluation.html")
    asked = asked_row(clf, "Row 70", X[70:71])
    return {
        "card": pages.written(folder, "card", "Irises", classifier_data(card)),
        "explanation": pages.written(
            folder, "explanation", "Irises", classifier_data(clf, asked=asked)
        ),
        **{
            name: (folder / f"{name}.html").as_uri()
            for name in ("scorecard", "audit", "evaluation", "number-evaluation")
        },
        "number": pages.written(folder, "number", "Diabetes", number_data(reg)),
        "context": pages.written(folder, "context", "Water", context_data(context)),
    }


def pages_of_the_site() -> dict[str, str]:
    """Every page of ./site but the reference of single names, of which a few stand for all."""
    found = {}
    for path in sorted(Path("site").rglob("*.html")):
        name = path.relative_to("site").with_suffix("").as_posix()
        is_single = name.startswith("reference/packages/generated/")
        if is_single and not name.endswith(("atomlearn.Algebra", "AlgebraicClassifier")):
            continue
        if not name.startswith(("_", "explorer/", "genindex", "py-modindex", "search")):
            found[f"site-{name.replace('/', '-')}"] = path.resolve().as_uri()
    return found


def main(folder: Path, only: str = "") -> None:
    """Write the pages and their pictures to a folder; ``only`` those with this in their name."""
    folder.mkdir(parents=True, exist_ok=True)
    addresses = pages_of_the_site()
    if not only.startswith("site"):
        addresses |= pages.write_all(folder, quick=False) | more_pages(folder)
        demo = sorted(Path("demo").glob("*.html"))
        addresses |= {f"demo-{path.stem}": path.resolve().as_uri() for path in demo}
    with web.started() as browser:
        for name, address in addresses.items():
            if only not in name:
                continue
            is_site = name.startswith("site-")
            for width in (1200, 390):
                for dark in (False, True):
                    with web.opened(
                        browser, address, width=width, dark=dark, strict=not is_site
                    ) as page:
                        do_something(page, name)
                        if page.locator("iframe").count():  # those below the window wait otherwise
                            page.evaluate(EAGER)
                            page.wait_for_timeout(6000)
                        path = folder / f"{name}-{width}-{'dark' if dark else 'light'}.png"
                        page.screenshot(path=path, full_page=True)
                        wide = page.evaluate("document.documentElement.scrollWidth")
                        print(path, f"is {wide} pixels wide" if wide > width else "", flush=True)


if __name__ == "__main__":
    if web.why_not():
        sys.exit(web.why_not())
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"), *sys.argv[2:3])
