"""What ``make demo`` shows: digits, a table, a chess board and a rule, to try yourself.

Everything learns from rules written here and data that comes with scikit-learn; nothing is fetched.
Each part is a page of its own that computes in the browser; ``index.html`` leads to them.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from atomlearn import Algebra, __version__
from atomlearn.explorer.boards import algebra_data, queens_data
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.page import explorer_page, write_page
from atomlearn.logic.formulas import html_of
from atomlearn.markup import escape, folded
from atomlearn.views.page import Page, figure_html
from atomlearn_paper.toy import NEGATIVE, POSITIVE, images

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.logic.definition import Definition

FOLDER = Path("demo")

BARS = [*(f"v < {image}" for image in POSITIVE), *(f"v !< {image}" for image in NEGATIVE)]

PAIRS = [("c1", "c5"), ("c2", "c6"), ("c3", "c7"), ("c4", "c8")]
GRID = [["c2", "c3"], ["c1", "c4"]]
"""Black beside white, and where the pixels are."""

GIVEN = ["b4", "d5"]
"""Queens that are on the board already."""


def main() -> None:
    """Run the four parts and write the pages."""
    start = time.perf_counter()
    path = write_demo(FOLDER)
    print(f"{time.perf_counter() - start:.0f} seconds; open {path} in a browser")


def write_demo(folder: Path) -> Path:
    """Write all pages; returns the first one."""
    page = Page(f"atomlearn {__version__}: try it")
    page.add(
        '<p class="lead">Four models, learned on this machine a moment ago. What they know are '
        "short rules that you can read; the pages behind the buttons compute in your browser and "
        "send nothing anywhere.</p>"
    )
    compile_kernels()
    for pair in ((learn_digits, learn_a_table), (solve_queens, learn_a_rule)):
        page.add('<div class="columns">')
        for part in pair:
            part(page, folder)
        page.add("</div>")
    page.write(folder / "index.html")
    return folder / "index.html"


def compile_kernels() -> None:
    """Learn something small, so that no time shown is that of compiling, which happens once."""
    from atomlearn import AlgebraicClassifier

    AlgebraicClassifier(random_state=0, max_epochs=1).fit([[i, i % 7] for i in range(40)],
                                                          [i % 2 for i in range(40)])  # fmt: skip


def learn_digits(page: Page, folder: Path) -> None:
    """Hand-written digits, a classifier with nothing to tune."""
    start = time.perf_counter()
    classifier, X_test, y_test = fitted_digits()
    seconds = time.perf_counter() - start
    error = 1 - classifier.score(X_test, y_test)
    _write(folder / "digits.html", "Draw a digit", classifier_data(classifier))
    hardest = int(classifier.predict_proba(X_test).max(axis=1).argmin())
    picture = figure_html(
        classifier.explain(X_test[hardest]).plot(),
        f"A {y_test[hardest]} that it is not sure of: in red what speaks against each digit.",
    )
    about = [
        "Draw with mouse or finger and watch the ten digits compete: which one each stroke speaks "
        "against, and by which pixels.",
        f"{classifier.sample_.totals.sum():,} images of 8 × 8 pixels, learned in {seconds:.1f} s "
        f"with nothing tuned; {error:.1%} errors on {len(X_test)} others.",
    ]
    _part(page, "Draw a digit", about, "digits.html", "Draw", picture)


def fitted_digits() -> "tuple[AlgebraicClassifier, npt.NDArray[Any], npt.NDArray[Any]]":
    """A classifier of three quarters of scikit-learn's digits, and the others."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    from atomlearn import AlgebraicClassifier

    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    classifier = AlgebraicClassifier(random_state=0, n_jobs=2, image_shape=(8, 8))
    return classifier.fit(X_train, y_train), X_test, y_test


def learn_a_table(page: Page, folder: Path) -> None:
    """Flowers by four lengths: a slider for each."""
    from sklearn.datasets import load_iris

    from atomlearn import AlgebraicClassifier

    iris = load_iris()
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]
    classifier = AlgebraicClassifier(random_state=0)
    rows = [dict(zip(names, row, strict=True)) for row in iris.data.tolist()]
    classifier.fit(rows, iris.target_names[iris.target])
    _write(folder / "flowers.html", "Three kinds of iris", classifier_data(classifier))
    rules = [classifier.definition(one, "short") for one in classifier.classes_]
    about = [
        "Move a slider and see at once which flower it is, which atoms cost it how much, and the "
        "smallest change that turns one kind into another.",
        f"{len(iris.data)} flowers with four lengths; "
        f"{classifier.estimated_error_ or 0:.1%} errors on held-out ones. Each kind as a rule:",
    ]
    shown = "".join(map(_rule, rules))
    printed = [
        fill(f"{rule.label} if {rule.shortest}", 79, initial_indent="  ", subsequent_indent="    ")
        for rule in rules
    ]
    _part(page, "A table with sliders", about, "flowers.html", "Move the sliders", shown, printed)


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
    _write(folder / "board.html", "Eight queens", data)
    about = [
        "Place a queen and see what follows from the rules at once, and why a square is excluded; "
        "or watch the board take shape epoch by epoch.",
        f"Queens on b4 and d5 are given, and only two boards complete them: both were found in "
        f"{seconds:.1f} s. The algebra is told the rules, not how to search.",
    ]
    _part(page, "A chess board from its rules", about, "board.html", "Place queens",
          boards[0]._html(), _beside(list(map(str, boards))))  # fmt: skip


def learn_a_rule(page: Page, folder: Path) -> None:
    """The paper's first example: what is a vertical bar?"""
    algebra = Algebra(["v", *(f"c{i}" for i in range(1, 9))])
    algebra.add(algebra.relation(line) for line in BARS)
    _write(folder / "bars.html", "A rule from five pictures", algebra_data(algebra))
    model = algebra.learn(random_state=0)
    v = algebra["v"]
    truth = {algebra.term([f"c{c}" for c in image]): has_bar for image, has_bar in images()}
    right = sum(model.holds(v <= image) == has_bar for image, has_bar in truth.items())
    algebra.add(v <= image if has_bar else ~(v <= image) for image, has_bar in truth.items())
    learned = algebra.learn(random_state=0).definition(v, complementary=PAIRS, grid=GRID)
    about = [
        "Images of 2 × 2 pixels, some with a black vertical bar (v); c1 to c4 are black pixels, c5 "
        "to c8 the same in white. Type a relation and see whether it follows, with the proof.",
        f"From five examples the model is right about {right} of all 16 images. From all 16 it "
        "says that",
    ]
    five = folded(f"<pre>{escape(chr(10).join(BARS))}</pre>", "the five examples")
    printed = [f"  {line}" for line in str(learned).splitlines()]
    _part(page, "A rule from five pictures", about, "bars.html", "Ask it", _rule(learned) + five,
          printed)  # fmt: skip


def _part(
    page: Page, title: str, about: list[str], address: str, action: str, shown: str,
    printed: Sequence[str] = (),
) -> None:  # fmt: skip
    """A part of the page: what it is, where it can be tried, and what came out.

    What came out is ``shown`` on the page and ``printed`` to the terminal.
    """
    page.console.rule(title)
    for text in (*about, *printed):
        page.console.print(text, highlight=False, markup=False)
    first, *rest = (f"<p>{escape(text)}</p>" for text in about)
    button = f'<p><a class="button" href="{escape(address)}">{escape(action)}</a></p>'
    page.add(f'<section class="card"><h2>{escape(title)}</h2>{first}{button}{"".join(rest)}{shown}'
             "</section>")  # fmt: skip


def _beside(blocks: list[str]) -> list[str]:
    """Lines of text with the blocks next to each other."""
    return ["    ".join(lines) for lines in zip(*map(str.splitlines, blocks), strict=True)]


def _rule(definition: "Definition") -> str:
    """A definition without its measures."""
    head = f"<strong>{escape(str(definition.label))}</strong> if"
    return f"<p>{head} {escape(definition.sentence or '')}</p>{html_of(definition.shortest)}"


def _write(path: Path, title: str, data: dict[str, Any]) -> None:
    write_page(explorer_page(title, data), path)


if __name__ == "__main__":
    main()
