"""The kinds of file: a sound one of each, how it is read, and how what was read is used.

What was read is used because that is where damage that a reader let through does harm.
"""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import atomlearn
from atomlearn import Algebra, AlgebraicClassifier, AlgebraicRegressor
from atomlearn.classifier.fitting import TrainingData
from atomlearn.distributed.fitting import Checkpoint
from atomlearn.engine.misses import blocks_of
from atomlearn.engine.pool import Pool, Source
from atomlearn.engine.state import Report
from atomlearn.sets import rows
from atomlearn.training.data import Examples
from atomlearn.training.parts import InMemory, Part
from atomlearn.training.settings import Round
from atomlearn.training.strict import State


class Kind(NamedTuple):
    name: str
    write: Callable[[Path], None]
    read: Callable[[Path], Any]
    use: Callable[[Any], object]


@cache
def sample(name: str) -> bytes:
    """The bytes of a sound file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample"
        KINDS[name].write(path)
        return path.read_bytes()


# -- a model


@cache
def algebra() -> Algebra:
    alg = Algebra(["v", "w", "a", "b", "c", "d", "top left"])
    for text in ("v < a b", "w < b c d", "v !< a c", "w !< c d", "a !< b"):
        alg.add(alg.relation(text))
    return alg


def write_model(path: Path) -> None:
    algebra().freest().save(path)


def use_model(model: Any) -> None:
    if model.n_constants > 1:
        left, right = model.constants[0], model.constants[-1]
        model.holds(left <= right)
        model.discriminant(left, right)
    str(model.atoms[:3])


# -- a classifier


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.empty((40, 3), dtype=object)
    X[:, 0] = rng.normal(size=40)
    X[:, 1] = rng.choice(["red", "green", "blue"], 40)
    X[:, 2] = rng.random(40) < 0.5
    X[::7, 0] = np.nan
    y = np.where((X[:, 1] == "red") | X[:, 2].astype(bool), "yes", "no")
    return X, y


@cache
def classifier() -> AlgebraicClassifier:
    X, y = table()
    fitted = AlgebraicClassifier(
        random_state=0, max_epochs=3, evidence="strict", class_weight={"yes": 2, "no": 1}
    )
    fitted.fit(X, y)
    fitted.keep_rows(X[:5])
    return fitted


def write_classifier(path: Path) -> None:
    classifier().save(path)


@cache
def weighted_classifier() -> AlgebraicClassifier:
    X, y = table()
    return AlgebraicClassifier(random_state=0, max_epochs=3, evidence="weighted").fit(X, y)


def write_weighted(path: Path) -> None:
    weighted_classifier().save(path)


@cache
def compact_classifier() -> AlgebraicClassifier:
    X, y = table()
    return AlgebraicClassifier(random_state=0, max_epochs=3, max_atoms=4).fit(X, y)


def write_compact(path: Path) -> None:
    compact_classifier().save(path)


def use_classifier(loaded: Any) -> None:
    assert loaded.n_jobs is None and loaded.verbose == 0
    n = loaded.n_features_in_
    X = table()[0][:4]
    X = X if n == X.shape[1] else np.zeros((2, n))
    with np.errstate(all="ignore"):
        try:
            loaded.predict_proba(X)
        except ValueError as error:
            # A forged model may want numbers where this table has words, and then says so.
            assert "column" in str(error) or "float" in str(error), error
        if loaded.n_kept_rows:
            loaded.explain_kept(0, max_atoms=2)
        loaded.hardest(1)
        if loaded.learned_.card is not None:
            str(loaded.scorecard())
        loaded.definition(loaded.classes_[0])


# -- a regressor


@cache
def regressor() -> AlgebraicRegressor:
    X, y = table()
    numbers = np.where(y == "yes", 5.0, 1.0) + np.arange(40) / 20
    given = {"max_epochs": 3, "max_atoms": 4, "rules": ["y >= 0", "y <= 9 if x0 > 1"]}
    return AlgebraicRegressor(random_state=0, **given).fit(X, numbers)


def write_regressor(path: Path) -> None:
    regressor().save(path)


def use_regressor(loaded: Any) -> None:
    n = loaded.n_features_in_
    X = table()[0][:4]
    X = X if n == X.shape[1] else np.zeros((2, n))
    with np.errstate(all="ignore"):
        try:
            loaded.predict_interval(X)
            loaded.explain(X[:1])
        except ValueError as error:
            assert "column" in str(error) or "float" in str(error), error
        if loaded.learned_.card is not None:
            str(loaded.scorecard())


# -- a pool


@cache
def pool() -> Pool:
    pool = Pool(7, list(algebra().names))
    pool.learn_from(Source("a hospital", "c0ffee", 100))
    pool.add(rows.from_indices([[0, 1], [0, 2, 3], [4]], 7), epoch=5)
    pool.learn_from(Source("another", "decaf", 50))
    pool.add(rows.from_indices([[0, 3], [5, 6]], 7), epoch=6)
    return pool


def use_pool(loaded: Any) -> None:
    if loaded.names is not None and set(loaded.names) & set(pool().names or ()):
        own = Pool(7, list(algebra().names))
        own.merge(loaded, relations=algebra())
        own.rows()
    if loaded.n_constants < 10_000:
        loaded.rows()
    for k in range(min(3, len(loaded))):
        loaded.provenance(k)


# -- a checkpoint of an exchange between parts


def checkpoint(path: Path) -> Checkpoint:
    fitted = classifier()
    n = len(fitted.encoder_.literals_) + 1
    held = Examples(np.zeros((1, 0, rows.width(n)), np.uint64), np.zeros(0, np.int64),
                    np.zeros(0), n, 2)  # fmt: skip
    part = Part.of(held, 1, np.random.default_rng(0))
    data = TrainingData(
        fitted.classes_,
        fitted.encoder_,
        InMemory(part),
        part,
        np.zeros(2, np.int64),
        np.ones(2),
        [],
    )
    return Checkpoint(path, data, fitted)


def write_exchange(path: Path) -> None:
    fitted = classifier()
    reports = [[Report(1, 10, 10, seconds={"dual": 0.5}, words={"dual": 7})] for _ in range(2)]
    state = State(
        [fitted.learned_.pools],
        [[fitted.sample_.rows[:3], fitted.sample_.rows[3:5]]],
        np.full((1, 2), 10),
        10, 0.6, False, 2, [Round(10, 1.0, 0.1, 0.2, reports)],
    )  # fmt: skip
    checkpoint(path).write(state)


def read_exchange(path: Path) -> Any:
    return checkpoint(path).read()


def use_exchange(state: Any) -> None:
    n = len(classifier().encoder_.literals_) + 1
    shared = state.shared(0)
    blocks = blocks_of(shared.rows, n)
    for one in state.pools[0]:
        one.misses(blocks, len(shared.rows))


# -- relations as text


def write_relations(path: Path) -> None:
    text = 'v < a b   # a "comment"\n\'it\\\'s\' !< "top \\u00e9" b\nw <= a c\nw !< c d\n\nx < x\n'
    path.write_text(text, encoding="utf-8")


KINDS = {
    one.name: one
    for one in (
        Kind("model", write_model, atomlearn.load, use_model),
        Kind("classifier", write_classifier, atomlearn.load, use_classifier),
        Kind("weighted", write_weighted, atomlearn.load, use_classifier),
        Kind("compact", write_compact, atomlearn.load, use_classifier),
        Kind("regressor", write_regressor, atomlearn.load, use_regressor),
        Kind("pool", lambda path: pool().save(path), atomlearn.load, use_pool),
        Kind("exchange", write_exchange, read_exchange, use_exchange),
        Kind("relations", write_relations, Algebra.read, lambda alg: alg.conflicts()),
    )
}

CONTAINERS = tuple(name for name in KINDS if name != "relations")
