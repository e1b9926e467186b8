"""What ``make demo`` shows: digits, a table, a chess board and a rule, to try yourself.

Everything learns from rules written here and data that comes with scikit-learn; nothing is fetched.
Each part is a page of its own that computes in the browser; ``index.html`` leads to them, with the
words of ``pages/demo.md``.
"""

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn import AlgebraicClassifier, __version__
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.page import algebra_data, explorer_page, queens_data, write_page
from atomlearn.logic.formulas import html_of
from atomlearn.markup import escape, folded
from atomlearn.tables import translations
from atomlearn.views.page import Page, figure_html
from atomlearn_paper.expressions import filled
from atomlearn_paper.steps import text_of
from atomlearn_paper.toy import examples, images

if TYPE_CHECKING:
    from atomlearn.logic.definition import Definition

FOLDER = Path("demo")
"""Where the pages are written."""

PAGES = {"flowers.html": "Three kinds of iris", "board.html": "Eight queens"}
"""The titles of pages that differ from those of their parts."""

PAIRS = [("c1", "c5"), ("c2", "c6"), ("c3", "c7"), ("c4", "c8")]
"""The constants of each pixel, black and white."""
GRID = [["c2", "c3"], ["c1", "c4"]]
"""Where the pixels are."""

GIVEN = ["b4", "d5"]
"""Queens that are on the board already."""

SURE = 0.97
"""How probable the digit of the picture is: little speaks against it, much against the others."""


def main() -> None:
    """Run the four parts and write the pages."""
    start = time.perf_counter()
    path = write_demo(FOLDER)
    print(f"{time.perf_counter() - start:.0f} seconds; open {path} in a browser")


def write_demo(folder: Path) -> Path:
    """Write all pages; returns the first one."""
    page = Page(f"atomlearn {__version__}: try it")
    page.add(f'<p class="lead">{escape(_texts()[0])}</p>')
    compile_kernels()
    page.add('<div class="columns">')
    for pair in ((learn_digits, solve_queens), (learn_a_table, learn_a_rule)):
        page.add('<div class="stack">')  # a long part leaves no gap beside a short one
        for part in pair:
            part(page, folder)
        page.add("</div>")
    page.add("</div>")
    page.write(folder / "index.html")
    return folder / "index.html"


def compile_kernels() -> None:
    """Learn something small, so that no time shown is that of compiling, which happens once."""
    AlgebraicClassifier(random_state=0, max_epochs=1).fit([[i, i % 7] for i in range(40)],
                                                          [i % 2 for i in range(40)])  # fmt: skip


def learn_digits(page: Page, folder: Path) -> None:
    """Hand-written digits, a classifier with nothing to tune."""
    start = time.perf_counter()
    classifier, X_test, y_test = fitted_digits()
    seconds = time.perf_counter() - start
    error = 1 - classifier.score(X_test, y_test)
    chances = classifier.predict_proba(X_test)
    right = classifier.classes_[chances.argmax(axis=1)] == y_test
    sure = np.where(right, chances.max(axis=1), 0.0)
    shown = int(np.abs(sure - SURE).argmin())
    picture = figure_html(
        classifier.explain(X_test[shown]).plot(),
        f"A {y_test[shown]} that it recognises: the redder a pixel, the more it speaks against the "
        "digit above.",
    )
    values = {"images": classifier.sample_.totals.sum(), "seconds": seconds, "error": error,
              "tested": len(X_test)}  # fmt: skip
    _part(page, folder / "digits.html", classifier_data(classifier), values, picture)


def fitted_digits() -> tuple[AlgebraicClassifier, npt.NDArray[Any], npt.NDArray[Any]]:
    """A classifier of three quarters of scikit-learn's digits, and the others."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    shape = (8, 8)
    # Told of the moves, it need not try which help: a demo should not make one wait.
    moves = translations(shape)
    classifier = AlgebraicClassifier(random_state=0, n_jobs=2, image_shape=shape, symmetries=moves)
    return classifier.fit(X_train, y_train), X_test, y_test


def learn_a_table(page: Page, folder: Path) -> None:
    """Flowers by four lengths: a slider for each."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]
    classifier = AlgebraicClassifier(random_state=0)
    rows = [dict(zip(names, row, strict=True)) for row in iris.data.tolist()]
    classifier.fit(rows, iris.target_names[iris.target])
    rules = [classifier.definition(one, "short") for one in classifier.classes_]
    values = {"flowers": len(iris.data), "error": classifier.estimated_error_ or 0}
    printed = [
        fill(f"{rule.label} if {rule.shortest}", 79, initial_indent="  ", subsequent_indent="    ")
        for rule in rules
    ]
    data = classifier_data(classifier)
    _part(page, folder / "flowers.html", data, values, "".join(map(_rule, rules)), printed)


def solve_queens(page: Page, folder: Path) -> None:
    """The rules of a puzzle in, its solutions out."""
    from atomlearn.problems.queens import Board

    start = time.perf_counter()
    data = queens_data(8, GIVEN, max_epochs=20)
    seconds = time.perf_counter() - start
    solved = {tuple(one["chosen"]): one["epoch"] for one in reversed(data["epochs"])
              if one["solved"]}  # fmt: skip
    boards = [
        Board(8, chosen, frozenset(), tuple(GIVEN), epoch=epoch)
        for chosen, epoch in sorted(solved.items(), key=lambda one: one[1])
    ]
    lines = zip(*(str(board).splitlines() for board in boards), strict=True)
    printed = ["    ".join(line) for line in lines]  # the boards next to each other
    _part(page, folder / "board.html", data, {"seconds": seconds}, boards[0]._html(),
          printed)  # fmt: skip


def learn_a_rule(page: Page, folder: Path) -> None:
    """The paper's first example: what is a vertical bar?"""
    algebra = examples()
    data, given = algebra_data(algebra), "\n".join(map(str, algebra.relations))
    model = algebra.learn(random_state=0)
    v = algebra["v"]
    truth = {algebra.term([f"c{c}" for c in image]): has_bar for image, has_bar in images()}
    right = sum(model.holds(v <= image) == has_bar for image, has_bar in truth.items())
    algebra.add(v <= image if has_bar else ~(v <= image) for image, has_bar in truth.items())
    learned = algebra.learn(random_state=0).definition(v, complementary=PAIRS, grid=GRID)
    five = folded(f"<pre>{escape(given)}</pre>", "the five examples")
    printed = [f"  {line}" for line in str(learned).splitlines()]
    _part(page, folder / "bars.html", data, {"right": right}, _rule(learned) + five, printed)


@cache
def _texts() -> list[str]:
    """The words of the page: what stands above, and the parts."""
    return text_of("demo").split("\n\n## ")


def _part(
    page: Page, path: Path, data: dict[str, Any], values: dict[str, Any], shown: str,
    printed: Sequence[str] = (),
) -> None:  # fmt: skip
    """A part of the page: what it is, where it can be tried, and what came out.

    What came out is ``shown`` on the page and ``printed`` to the terminal.
    """
    text = next(text for text in _texts() if f"({path.name})" in text)
    title, link, *about = filled(text, values).split("\n\n")
    action = link[1 : link.index("]")]
    write_page(explorer_page(PAGES.get(path.name, title), data), path)
    page.console.rule(title)
    for line in (*about, *printed):
        page.console.print(line, highlight=False, markup=False)
    first, *rest = (f"<p>{escape(text)}</p>" for text in about)
    button = f'<p><a class="button" href="{escape(path.name)}">{escape(action)}</a></p>'
    page.add(f'<section class="card"><h2>{escape(title)}</h2>{first}{button}{"".join(rest)}{shown}'
             "</section>")  # fmt: skip


def _rule(definition: "Definition") -> str:
    """A definition without its measures."""
    head = f"<strong>{escape(str(definition.label))}</strong> if"
    return f"<p>{head} {escape(definition.sentence or '')}</p>{html_of(definition.shortest)}"


if __name__ == "__main__":
    main()
