"""Pages of the explorer, made while the site is built, and embedded in it."""

import shutil
from pathlib import Path
from typing import Any

from sklearn.datasets import load_digits, load_iris
from sphinx.application import Sphinx

from atomlearn import Algebra, AlgebraicClassifier
from atomlearn.explorer import explore
from atomlearn.explorer.page import explorer_page, queens_data, write_page

BARS = """v < c1 c2 c7 c8
v < c3 c4 c5 c6
v !< c2 c4 c5 c7
v !< c3 c5 c6 c8
v !< c4 c5 c6 c7
"""


def iris(path: Path) -> None:
    """A classifier of a table."""
    data = load_iris(as_frame=True)
    X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    y = data.target_names[data.target]
    explore(AlgebraicClassifier(random_state=0).fit(X, y), path, X=X, y=y, title="Iris")


def digits(path: Path) -> None:
    """A classifier of images: a pad to draw on."""
    X, y = load_digits(return_X_y=True)
    clf = AlgebraicClassifier(random_state=0, image_shape=(8, 8), max_epochs=10).fit(X, y)
    explore(clf, path, X=X[:200], y=y[:200], title="Digits of 8 × 8 pixels")


def relations(path: Path) -> None:
    """Relations, and a model of them."""
    alg = Algebra(["v", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"])
    alg.add(alg.relation(line) for line in BARS.splitlines())
    explore(alg, path, title="Vertical bars of 2 × 2 pixels")


def queens(path: Path) -> None:
    """A board on which queens can be placed, as it was learned epoch by epoch."""
    data = queens_data(8, ["b4", "d5"], 0, 30)
    write_page(explorer_page("Eight queens, two of them given", data), path)


PAGES = (iris, digits, queens, relations)


def write_pages(app: Sphinx) -> None:
    """Write the pages that are not there yet, and copy the results of the paper's experiments."""
    source = Path(app.srcdir)
    folder = source / "_extra"
    for page in PAGES:
        path = folder / "explorer" / f"{page.__name__}.html"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            page(path)
    shutil.copytree(
        source / "results",
        folder / "results",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("*.md", "claims.html", "steps"),  # claims are a page
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages when the build begins."""
    (Path(app.srcdir) / "_extra").mkdir(exist_ok=True)  # or Sphinx says that it is missing
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
