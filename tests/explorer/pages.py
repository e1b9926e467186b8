"""One small page of each kind, for tests and screenshots."""

import json
import re
import warnings
from pathlib import Path

from sklearn.datasets import load_digits, load_iris

from atomlearn import Algebra, AlgebraicClassifier
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.page import (
    algebra_data,
    explorer_page,
    queens_data,
    sudoku_data,
    write_page,
)

RULE = "not setosa if petal length > 3"


def iris(max_epochs=None):
    """A classifier of irises with a rule, and its table."""
    data = load_iris(as_frame=True)
    X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    clf = AlgebraicClassifier(random_state=0, max_epochs=max_epochs, rules=[RULE])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clf.fit(X, data.target_names[data.target]), X


def digits(n=400, **parameters):
    """A classifier of digits of 8 × 8 pixels."""
    X, y = load_digits(return_X_y=True)
    clf = AlgebraicClassifier(random_state=0, image_shape=(8, 8), **parameters)
    return clf.fit(X[:n], y[:n])


def bars():
    """The paper's vertical bars of 2 × 2 pixels."""
    alg = Algebra(["v", *(f"c{i}" for i in range(1, 9))])
    for text in ("v < c1 c2 c7 c8", "v < c3 c4 c5 c6"):
        alg.add(alg.relation(text))
    for text in ("c2 c4 c5 c7", "c3 c5 c6 c8", "c4 c5 c6 c7"):
        alg.add(alg.relation(f"v !< {text}"))
    return alg


def data_of(path: Path):
    """What a page that was written shows."""
    html = path.read_text(encoding="utf-8")
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return json.loads(text)


def written(folder: Path, name: str, title: str, data) -> str:
    """Write a page; its address."""
    path = folder / f"{name}.html"
    write_page(explorer_page(title, data), path)
    return path.as_uri()


def write_all(folder: Path, quick: bool = True) -> dict[str, str]:
    """The addresses of all pages."""
    few = 5 if quick else None
    clf = digits(max_epochs=20 if quick else None)
    found = {
        "table": ("Irises", classifier_data(iris(few)[0])),
        "image": ("Digits", classifier_data(clf, definitions=list(map(clf.definition, range(10))))),
        "queens": ("Queens", queens_data(6, ["b1"], max_epochs=14) if quick
                   else queens_data(8, ["b4", "d5"])),
        "sudoku": ("Sudoku", sudoku_data("1... ..3. .4.. ...2")),
        "algebra": ("Vertical bars", algebra_data(bars())),
    }  # fmt: skip
    return {name: written(folder, name, *one) for name, one in found.items()}
