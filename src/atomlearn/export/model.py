"""The model of an exported scorer: the classifier's description with its atoms as they are read.

Literals that imply another of their atom are left out, and so are literals that no atom has. Strict
atoms are in the order in which they are listed: those that other classes miss most first."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.engine.misses import containing
from atomlearn.export.description import describe
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import pack_row
from atomlearn.tables.literals import Literal, weakest
from atomlearn.tables.numbers import Number

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

Atoms = list[list[int]]


@dataclass
class Model:
    """A classifier for a program in another language."""

    labels: list[Any]
    columns: list[dict[str, Any]]
    literals: list[list[Any]]
    """Literals as ``[column, operator, value]``; see :mod:`atomlearn.export.description`."""
    texts: list[str]
    """The literals as text."""
    offsets: list[float]
    """Score of each class before any atom is counted."""
    strict: list[Atoms]
    """The strict atoms of each class; empty if they do not decide."""
    slope: float
    """Factor of the strict cost: with ``m`` missed a class loses ``slope * log(m + 1)``."""
    weighted: Atoms
    weighted_class: list[int]
    weights: list[float]
    rules: list[dict[str, Any]]

    @property
    def n_atoms(self) -> int:
        """Number of atoms of all classes."""
        return sum(map(len, self.strict)) + len(self.weighted)

    def text(self, atom: Sequence[int]) -> str:
        """Return an atom as text."""
        return " or ".join(self.texts[i] for i in atom) if atom else "never"


def model_of(classifier: "AlgebraicClassifier") -> Model:
    """Return everything that an exported program needs."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    told = describe(classifier, exact=True)
    literals = classifier._literals()
    strict = told["strict"] or {"slope": 0.0, "atoms": []}
    weighted = told["weighted"] or {"classes": [], "weights": [], "atoms": None}
    model = Model(
        told["classes"],
        told["columns"],
        told["literals"],
        [str(literal) for literal in literals],
        told["offsets"],
        [
            [atoms[i] for i in order]
            for atoms, order in zip(
                (_lists(atoms, literals) for atoms in strict["atoms"]),
                _telling_first(classifier),
                strict=False,
            )
        ],
        strict["slope"],
        [] if weighted["atoms"] is None else _lists(weighted["atoms"], literals),
        weighted["classes"],
        weighted["weights"],
        told["rules"],
    )
    return _without_idle_literals(model)


def _telling_first(classifier: "AlgebraicClassifier") -> list[list[int]]:
    """Return for each class the order of its strict atoms, those most missed by others first."""
    sample = classifier.sample_
    columns = sample.columns()
    orders = []
    for k, atoms in enumerate(classifier.learned_.deciding().strict):
        missing = ~containing(atoms, columns) & pack_row(sample.labels != k)
        orders.append(np.argsort(-bits.count(missing), kind="stable").tolist())
    return orders


def _lists(atoms: dict[str, list[int]], literals: Sequence[Literal]) -> Atoms:
    starts, constants = atoms["starts"], atoms["constants"]
    return [weakest(constants[a:b], literals) for a, b in pairwise(starts)]


def _without_idle_literals(model: Model) -> Model:
    lists = [*(atom for atoms in model.strict for atom in atoms), *model.weighted]
    lists += [rule["literals"] for rule in model.rules]
    used = sorted({i for one in lists for i in one})
    place = {old: new for new, old in enumerate(used)}

    def moved(atoms: Atoms) -> Atoms:
        return [[place[i] for i in atom] for atom in atoms]

    model.literals = [model.literals[i] for i in used]
    model.texts = [model.texts[i] for i in used]
    model.strict = [moved(atoms) for atoms in model.strict]
    model.weighted = moved(model.weighted)
    for rule in model.rules:
        rule["literals"] = [place[i] for i in rule["literals"]]
    return model


def boundary(value: Number) -> tuple[Number, bool]:
    """Return a cut ``v`` as it is best written: ``x > v``, or ``x >= w`` with a shorter number.

    >>> boundary(0.5), boundary(1.7999999999999998)
    ((0.5, False), (1.8, True))
    """
    if isinstance(value, int):
        return value, False
    above = float(np.nextafter(value, np.inf))
    shorter = len(repr(above)) < len(repr(float(value)))
    return (above, True) if shorter else (float(value), False)
