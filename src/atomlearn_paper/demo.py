"""What ``make demo`` shows: a rule, hand-written digits and a chess board, learned while you wait.

Everything learns from rules written here and data that comes with scikit-learn; nothing is fetched.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn import Algebra, __version__
from atomlearn.views.page import Page
from atomlearn_paper.toy import NEGATIVE, POSITIVE, images

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from atomlearn.classifier.estimator import AlgebraicClassifier

FOLDER = Path("demo")

BARS = [*(f"v < {image}" for image in POSITIVE), *(f"v !< {image}" for image in NEGATIVE)]

PAIRS = [("c1", "c5"), ("c2", "c6"), ("c3", "c7"), ("c4", "c8")]
GRID = [["c2", "c3"], ["c1", "c4"]]
"""Black beside white, and where the pixels are."""


def main() -> None:
    """Run the three parts and write the page."""
    page = Page(f"atomlearn {__version__}")
    start = time.perf_counter()
    learn_a_rule(page)
    learn_digits(page)
    solve_queens(page)
    path = FOLDER / "index.html"
    page.write(path)
    page.console.rule()
    page.console.print(f"{time.perf_counter() - start:.0f} seconds; pictures are in {path}")


def learn_a_rule(page: Page) -> None:
    """The paper's first example: what is a vertical bar?"""
    page.section("A rule from five pictures")
    page.say(
        "Images of 2 × 2 pixels; c1 to c4 are black pixels, c5 to c8 the same in white (columns "
        "first). Two images have a vertical bar (v), three have none:"
    )
    page.code("\n".join(BARS))
    algebra = Algebra(["v", *(f"c{i}" for i in range(1, 9))])
    algebra.add(algebra.relation(line) for line in BARS)
    model = algebra.learn(random_state=0)
    page.say("Atoms of v in one model of them; an image has a bar if it meets every one:")
    v = algebra["v"]
    page.code("\n".join(str(atom) for atom in model.atoms_of(v)))
    truth = {algebra.term([f"c{c}" for c in image]): has_bar for image, has_bar in images()}
    right = sum(model.holds(v <= image) == has_bar for image, has_bar in truth.items())
    page.say(f"From these five examples it is right about {right} of all 16 images. It says that")
    page.code(str(model.definition(v, complementary=PAIRS, grid=GRID)))
    algebra.add(v <= image if has_bar else ~(v <= image) for image, has_bar in truth.items())
    page.say("and after all 16 images that")
    page.code(str(algebra.learn(random_state=0).definition(v, complementary=PAIRS, grid=GRID)))


def learn_digits(page: Page) -> None:
    """Hand-written digits, a classifier with nothing to tune."""
    page.section("Hand-written digits")
    start = time.perf_counter()
    classifier, X_test, y_test = fitted_digits()
    seconds = time.perf_counter() - start
    error = 1 - classifier.score(X_test, y_test)
    page.say(
        f"Images of 8 × 8 pixels, learned in {seconds:.1f} s, nothing tuned; error on "
        f"{len(X_test)} others: {error:.1%}."
    )
    chances = classifier.predict_proba(X_test).max(axis=1)
    page.say("The two that it is least certain of, with the pixels that speak against each digit:")
    for i in np.argsort(chances)[:2]:
        page.picture(classifier.explain(X_test[i]).plot(), f"a {y_test[i]}")
    page.say(
        "A digit is what its atoms say: each atom is a few pixels, dark (black) or not (white), "
        "of which every example has at least one. Some atoms of the digit 5:"
    )
    page.picture(draw_some_atoms(classifier, 5), "atoms of the digit 5")


def fitted_digits() -> "tuple[AlgebraicClassifier, npt.NDArray[Any], npt.NDArray[Any]]":
    """A classifier of three quarters of scikit-learn's digits, and the others."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    from atomlearn import AlgebraicClassifier

    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    classifier = AlgebraicClassifier(random_state=0, n_jobs=2, image_shape=(8, 8))
    return classifier.fit(X_train, y_train), X_test, y_test


def draw_some_atoms(classifier: "AlgebraicClassifier", digit: int, n: int = 18) -> "Figure":
    """Some atoms of a class as small images."""
    from atomlearn.tables.images import greys_of
    from atomlearn.views.pictures import draw_greys

    atoms = classifier.learned_.pools[digit].atoms
    literals = classifier.encoder_.literals_
    chosen = np.linspace(0, len(atoms.starts) - 2, n).astype(int)
    constants = [atoms.constants[atoms.starts[k] : atoms.starts[k + 1]].tolist() for k in chosen]
    named = [[literals[c] for c in one if c < len(literals)] for one in constants]
    return draw_greys(greys_of(named, classifier.encoder_.columns_, 64), (8, 8))


def solve_queens(page: Page) -> None:
    """The rules of a puzzle in, its solutions out."""
    from atomlearn.problems import queens

    page.section("A chess board from its rules")
    page.say(
        "Eight queens that do not attack each other, with queens on b4 and d5 already there: only "
        "two boards complete it. The algebra is told the rules, not how to search."
    )
    start = time.perf_counter()
    for board in queens.solve(8, queens=["b4", "d5"], random_state=0, max_epochs=60):
        page.say(f"Epoch {board.epoch}, {time.perf_counter() - start:.1f} s:")
        page.code(str(board))


if __name__ == "__main__":
    main()
