"""Random classifiers, on tables so small that a fit takes a moment."""

import contextlib
import copy
import pickle
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from atomlearn import AlgebraicClassifier
from atomlearn.errors import AtomlearnError
from atomlearn.tables import translations
from tests.fuzz.rules import Told, draw_rules
from tests.fuzz.tables import NAMES, Rows, draw_columns, draw_pixels, draw_rows

LABELS = (
    ("x", "not x", "not not x"),
    (0, 1, 2),
    (2**53 + 1, 2**53 + 2, 2**53),
    (10**18 + 1, 10**18 + 2),
    (2**63 + 1, 2**63 + 2, 5),
    (False, True),
    (-1, 1),
)
TRIES = 4
"""Sets of rules that are tried until one can be learned with."""


@dataclass(frozen=True)
class Case:
    """A fitted classifier, and what its rules were meant to say."""

    model: AlgebraicClassifier
    told: list[Told]
    seen: Rows
    new: Rows
    how: str

    @property
    def labels(self) -> list[Any]:
        return self.model.classes_.tolist()


def draw_case(chance: random.Random, n_new: int) -> Case:
    """A random table, random parameters, rules, and a random way to come by the classifier."""
    is_image = chance.random() < 0.08
    columns, form = draw_pixels(chance) if is_image else draw_columns(chance)
    seen = draw_rows(columns, form, chance.randint(20, 120), False, chance)
    new = draw_rows(columns, form, n_new, True, chance)
    labels = _draw_labels(chance)
    y = _targets(seen, labels, chance)
    params = _parameters(labels, chance)
    if is_image:
        shape = (2, len(columns) // 2)
        params |= {"image_shape": shape}
        if chance.random() < 0.4:
            params |= {"symmetries": translations(shape, 1)}
    weights = None
    if chance.random() < 0.2:
        weights = [chance.choice((0.5, 1.0, 3.0, 1e-3)) for _ in y]
    told: list[Told] = []
    for _ in range(TRIES):
        told = draw_rules(columns, labels, chance)
        model = AlgebraicClassifier(**params, rules=[_written(one, chance) for one in told])
        # Rules that contradict each other, or all rows of a class, are refused.
        with contextlib.suppress(AtomlearnError):
            _fit(model, seen, y, weights)
            break
    else:
        told, model = [], AlgebraicClassifier(**params)
        _fit(model, seen, y, weights)
    how = chance.choice(tuple(WAYS))
    again = draw_rows(columns, form, len(y), False, chance)
    batch = again, _targets(again, model.classes_.tolist(), chance)
    return Case(WAYS[how](model, (seen, y, weights), batch), told, seen, new, how)


def _fit(model: AlgebraicClassifier, seen: Rows, y: Any, weights: Any) -> None:
    model.fit(seen.as_given(), y, sample_weight=weights)


def _written(told: Told, chance: random.Random) -> Any:
    return told.rule() if chance.random() < 0.3 else str(told.rule())


def _draw_labels(chance: random.Random) -> tuple[Any, ...]:
    if chance.random() < 0.5:
        return tuple(chance.sample(NAMES, chance.randint(2, 4)))
    return chance.choice(LABELS)


def _targets(rows: Rows, labels: Any, chance: random.Random) -> Any:
    """Labels that follow from one column, but for some."""
    deciding = chance.choice(list(rows.cells.values()))
    of_value = {one: chance.choice(labels) for one in dict.fromkeys(map(repr, deciding))}
    y = [
        chance.choice(labels) if chance.random() < 0.1 else of_value[repr(one)] for one in deciding
    ]
    y[: 2 * len(labels)] = [*labels, *labels]
    return np.array(y, dtype=np.uint64 if max(map(_size, labels)) >= 2**63 else None)


def _size(label: Any) -> int:
    return label if isinstance(label, int) else 0


def _parameters(labels: Any, chance: random.Random) -> dict[str, Any]:
    params: dict[str, Any] = {
        "random_state": chance.randrange(2**32),
        "evidence": chance.choice(("auto", "strict", "weighted")),
        "max_epochs": chance.choice((1, 2, 3)),
    }
    if chance.random() < 0.2:
        params["max_cuts"] = chance.choice((1, 3, 100))
    if chance.random() < 0.2:
        weights = {label: chance.choice((0.5, 1, 7)) for label in labels}
        params["class_weight"] = chance.choice(("balanced", weights))
    return params


# -- ways by which one may come by a classifier


def _pickled(model: Any, data: Any, batch: Any) -> Any:
    return pickle.loads(pickle.dumps(model))


def _copied(model: Any, data: Any, batch: Any) -> Any:
    return copy.deepcopy(model)


def _fitted_again(model: Any, data: Any, batch: Any) -> Any:
    again = clone(model)
    _fit(again, *data)
    X = data[0].as_given()
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X)), "another model"
    return again


def _gone_on(model: Any, data: Any, batch: Any) -> Any:
    if model.class_weight != "balanced":
        model.partial_fit(batch[0].as_given(), batch[1])
    return model


def _merged(model: Any, data: Any, batch: Any) -> Any:
    other = _gone_on(copy.deepcopy(model), data, batch)
    model.merge(other)
    return model


WAYS = {
    "fit": lambda model, data, batch: model,
    "pickle": _pickled,
    "deepcopy": _copied,
    "clone": _fitted_again,
    "partial_fit": _gone_on,
    "merge": _merged,
}
