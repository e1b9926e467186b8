"""Some models in digests, so that moving code can be told from changing models.

``python -m tests.models`` makes them and writes ``tests/models.json``: run it only for a change
that is meant to change models, and say so in the commit.
"""

import hashlib
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from atomlearn import Algebra, AlgebraicClassifier, distributed
from atomlearn.problems import queens
from atomlearn.tables import translations
from atomlearn.tables.batches import ArrayBatches

STORED = Path(__file__).with_suffix(".json")
DIGITS = 4
"""Decimals of weights and probabilities that count: the last ones differ between machines."""


def digest(*parts: Any) -> str:
    """A digest of arrays and plain values."""
    state = hashlib.sha256()
    for part in parts:
        array = np.asarray(part)
        if array.dtype.kind == "f":
            array = np.round(array, DIGITS) + 0.0  # without the sign of a zero
        state.update(json.dumps(array.tolist(), default=str).encode())
    return state.hexdigest()[:16]


def classifier_digest(classifier: AlgebraicClassifier, X: Any) -> str:
    """What a classifier has learned, and what it says of some rows."""
    learned, parts = classifier.learned_, []
    for k in range(learned.n_classes):
        atoms = learned.deciding().against(k)
        parts += [atoms.starts, atoms.constants]
    if learned.weighted is not None:
        weighted = learned.weighted
        parts += [weighted.atoms.starts, weighted.atoms.constants, weighted.classes]
    literals = [literal.in_full for literal in classifier.encoder_.literals_]
    return digest(literals, learned.evidence.chosen, *parts, classifier.predict_proba(X[:20]))


def mixed(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories and truth values, some of them missing."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 80, n)),
            "job": rng.choice(["a", "b", "c", "d"], n),
            "rich": rng.random(n) < 0.4,
            "income": rng.normal(size=n).round(2),
        }
    )
    noise = rng.random(n) < 0.15
    return X, np.where(X["rich"] ^ (X["job"] == "a") ^ noise, "yes", "no")


def fitted(X: Any, y: Any, **parameters: Any) -> str:
    return classifier_digest(AlgebraicClassifier(random_state=0, **parameters).fit(X, y), X)


def in_batches() -> str:
    X, y = mixed()
    classifier = AlgebraicClassifier(random_state=0, max_epochs=5)
    for part in np.array_split(np.arange(len(X)), 3):
        classifier.partial_fit(X.iloc[part], y[part], classes=["no", "yes"])
    return classifier_digest(classifier, X)


def on_disk() -> str:
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    batches = ArrayBatches(X[order], y[order], rows=50)
    return classifier_digest(distributed.fit_batches(batches, random_state=0, max_epochs=5), X)


def partitions() -> str:
    """In threads of this process; on any cluster it is the same model."""
    from dask.array import from_array

    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    blocks = from_array(X[order], chunks=(60, -1)), from_array(y[order], chunks=60)
    return classifier_digest(distributed.fit(*blocks, random_state=0, max_epochs=5), X)


def many_classes() -> str:
    rng = np.random.default_rng(0)
    y = np.arange(800) % 40
    X = rng.normal(size=(40, 6))[y] + 0.4 * rng.normal(size=(800, 6))
    return fitted(X, y, max_epochs=4)


def relations() -> Algebra:
    """The paper's vertical bars of 2 × 2 pixels."""
    alg = Algebra(["v", *(f"c{i}" for i in range(1, 9))])
    for text in ("v < c1 c2 c7 c8", "v < c3 c4 c5 c6", "v !< c2 c4 c5 c7", "v !< c3 c5 c6 c8"):
        alg.add(alg.relation(text))
    return alg


def atoms_of(model: Any) -> str:
    return digest(sorted(" ".join(sorted(atom.constants)) for atom in model.atoms))


def epochs() -> str:
    found = [epoch.model for epoch, _ in zip(relations().epochs(random_state=0), range(5))]  # noqa: B905
    return digest(*(atoms_of(model) for model in found))


def boards() -> str:
    solved = queens.solve(8, queens=["b4", "d5"], random_state=0, max_epochs=40)
    return digest(*(str(board) for board in solved))


def digits(n: int = 250) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X[:n], y[:n]


MODELS: dict[str, Callable[[], str]] = {
    "a small table": lambda: fitted(*load_iris(return_X_y=True)),
    "two classes": lambda: fitted(*load_breast_cancer(return_X_y=True), max_epochs=10),
    "strict atoms": lambda: fitted(*mixed(), evidence="strict", max_epochs=10),
    "weighted atoms": lambda: fitted(*mixed(), evidence="weighted", class_weight="balanced"),
    "digits": lambda: fitted(*digits(), image_shape=(8, 8), max_epochs=5),
    "compact": lambda: fitted(*mixed(), max_atoms=6, max_epochs=10),
    "compact, several classes": lambda: fitted(*load_iris(return_X_y=True), max_atoms="auto"),
    "symmetries": lambda: fitted(*digits(), symmetries=translations((8, 8)), max_epochs=3),
    "rules": lambda: fitted(*mixed(), rules=["no if age < 30", "not yes if job = d"], max_epochs=8),
    "batches": in_batches,
    "batches on disk": on_disk,
    "partitions of Dask": partitions,
    "many classes": many_classes,
    "relations": lambda: atoms_of(relations().learn(random_state=0)),
    "epochs": epochs,
    "queens": boards,
}


def digests() -> dict[str, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: make() for name, make in MODELS.items()}


if __name__ == "__main__":
    STORED.write_text(json.dumps(digests(), indent=2) + "\n", encoding="utf-8")
    print(STORED.read_text(encoding="utf-8"))
