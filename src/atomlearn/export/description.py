"""A fitted model as plain values: all that predictions need, for programs elsewhere.

The description has the columns, the literals, the atoms of each class and how misses become
probabilities. A program that evaluates it:

1. A literal is ``[column, operator, value]``. ``missing`` and ``present`` are about the cell; every
   other literal is false of a missing cell. ``>``, ``<=``, ``=`` and ``!=`` compare numbers, and
   ``=`` of a boolean column is ``cell > 0.5`` or its opposite. In a category column ``=``, ``!=``,
   ``in`` and ``not in`` compare the cell with categories; one that is unknown equals none.
2. The score of class ``k`` begins with ``offsets[k]``.
3. An atom is a list of literals; a row misses it if none of them is true. ``strict.atoms[k]`` are
   the strict atoms of class ``k``: with ``m`` missed, ``strict.slope * log(m + 1)`` is subtracted.
4. ``weighted`` atoms each have a class and a weight: a missed one adds its weight to the score of
   the class. ``strict`` or ``weighted`` may be ``None``.
5. A compact model has a ``card`` instead: a row meets a rule if of each of its ``conditions`` one
   literal is true. A met rule adds ``card.scale`` times its ``points`` of each class.
6. Classes that a rule forbids, all of whose ``literals`` are true, are impossible, unless that
   leaves none. Probabilities are the softmax of the scores.

A regressor has one score and no class: ``number`` has the name of the target, and whether the score
is the logarithm of the prediction (``is_log``). The rules whose ``literals`` are true limit the
prediction by ``low`` and ``high``.

Lists of atoms are ``{"starts": ..., "constants": ...}``: atom ``i`` has the literals
``constants[starts[i]:starts[i + 1]]``. :func:`packed` replaces long lists by compressed text.

A :class:`Model` has the atoms as they are read, for exported programs: literals that imply another
of their atom are left out, and so are literals that no atom has. Strict
atoms are in the order in which they are listed: those that other classes miss most first.
"""

import base64
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from atomlearn.engine.misses import containing
from atomlearn.errors import InvalidParameter, UnsavableValue
from atomlearn.logic.definition import plain
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Lists, pack_row
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.images import placed
from atomlearn.tables.literals import ColumnName, Literal, rule_text, weakest
from atomlearn.tables.numbers import MOST_EXACT, Number
from atomlearn.tables.rules import condition_of, conjunction, joined
from atomlearn.training.compact.card import Card
from atomlearn.training.data import HardRule
from atomlearn.typing import Floats, Integers

VERSION = 2

LARGEST = 1e300
"""Stand-in for infinity, which JSON lacks: the offset of a class of weight zero is minus this."""


def describe(classifier: Any, exact: bool = False) -> dict[str, Any]:
    """Return everything needed to score rows, as plain values ready for JSON.

    Integers beyond 2**53 become text, since most readers of JSON round them, unless all values are
    to stay ``exact``.

    >>> from atomlearn import AlgebraicClassifier
    >>> clf = AlgebraicClassifier(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> told = describe(clf)
    >>> told["classes"], told["literals"][0]
    ([0, 1], [0, '>', 0.0])
    """
    deciding, encoder = classifier.learned_.deciding(), classifier.encoder_
    weighted, n_literals = deciding.weighted, len(encoder.literals_)
    value = plain_value if exact else json_value
    is_number = not hasattr(classifier, "classes_")
    target = (
        {"target": classifier.target_name_, "is_log": classifier.numbers_.is_log}
        if is_number
        else None
    )
    return {
        "version": VERSION,
        "classes": [classifier.target_name_]
        if is_number
        else [value(label) for label in classifier.classes_],
        **({"number": target} if is_number else {}),
        "columns": [_column(column, value) for column in encoder.columns_],
        "literals": [_literal(one, value, encoder.columns_) for one in encoder.literals_],
        "offsets": np.maximum(deciding.offsets, -LARGEST).tolist(),
        "strict": {
            "slope": deciding.slope,
            "typical": deciding.typical.tolist(),
            "atoms": [atoms_as_json(atoms, n_literals) for atoms in deciding.strict],
        }
        if deciding.slope > 0
        else None,
        "weighted": {
            "classes": weighted.classes.tolist(),
            "weights": weighted.weights.tolist(),
            "atoms": atoms_as_json(weighted.atoms, n_literals),
        }
        if len(weighted)
        else None,
        "card": None if deciding.card is None else _card(deciding.card, encoder.literals_),
        "rules": [
            {
                "text": str(classifier.rules_[hard.rule]),
                "negated": hard.label is None,
                "literals": list(map(int, hard.literals)),
                "forbidden": list(map(int, hard.forbidden)),
                **(_limits(hard) if is_number else {}),
            }
            for hard in classifier.learned_.rules.rules
        ],
    }


def _limits(rule: HardRule) -> dict[str, float | None]:
    ends = {"low": float(rule.low), "high": float(rule.high)}
    return {name: one if np.isfinite(one) else None for name, one in ends.items()}


def shown_points(card: Card) -> tuple[Integers, Floats]:
    """Return points and offsets as they are shown: of two classes only the second has any.

    Class weights, or a person, may have given some to both.
    """
    points, offsets = card.points, card.offsets
    if len(offsets) == 2:
        return points - points[:, :1], np.round(offsets - offsets[0], 10)
    return points, offsets


def _card(card: Card, literals: Sequence[Literal]) -> dict[str, Any]:
    all_points, offsets = shown_points(card)
    return {
        "scale": card.scale,
        "offsets": offsets.tolist(),
        "rules": [
            {
                "conditions": [list(condition) for condition in rule],
                "points": points,
                "text": conjunction(
                    joined([[condition_of(literals[i]) for i in one] for one in rule])
                ),
            }
            for rule, points in zip(card.rules, all_points.tolist(), strict=True)
        ],
    }


def packed(description: dict[str, Any], keep_order: bool = False) -> dict[str, Any]:
    """Return the description with long lists as text, for files that should be small.

    Atoms are sorted, unless their order is to be kept. An atom begins with ``shared`` literals of
    the one before it; ``sizes`` has the number of further ones, and ``steps`` the difference of
    each to the one before. These and the ``classes`` are base64 of deflated numbers, of seven bits
    a byte, the lowest first; the high bit says that more follow. The ``weights`` are base64 of
    64-bit floating-point numbers, little-endian.
    """
    out = dict(description)
    if (strict := out["strict"]) is not None:
        lists = [_members(atoms) for atoms in strict["atoms"]]
        out["strict"] = {
            **strict,
            "atoms": [_packed_atoms(one if keep_order else sorted(one)) for one in lists],
        }
    if (weighted := out["weighted"]) is not None:
        members = _members(weighted["atoms"])
        order = list(range(len(members)))
        if not keep_order:
            order.sort(key=members.__getitem__)
        weights = np.array(weighted["weights"], dtype="<f8")[order]
        out["weighted"] = {
            **weighted,
            "atoms": _packed_atoms([members[i] for i in order]),
            "classes": _deflated(np.array(weighted["classes"], dtype=np.int64)[order]),
            "weights": base64.b64encode(weights.tobytes()).decode(),
        }
    return out


def _members(atoms: dict[str, list[int]]) -> list[list[int]]:
    return [atoms["constants"][start:end] for start, end in pairwise(atoms["starts"])]


def _packed_atoms(atoms: list[list[int]]) -> dict[str, Any]:
    shared, sizes, steps = [], [], []
    before: list[int] = []
    for atom in atoms:
        n = 0
        while n < min(len(atom), len(before)) and atom[n] == before[n]:
            n += 1
        shared.append(n)
        sizes.append(len(atom) - n)
        last = atom[n - 1] if n else 0
        for constant in atom[n:]:  # constants ascend within an atom
            steps.append(constant - last)
            last = constant
        before = atom
    lists = {"shared": shared, "sizes": sizes, "steps": steps}
    told = {name: _deflated(np.array(one, dtype=np.int64)) for name, one in lists.items()}
    return {"n": len(atoms), "total": sum(map(len, atoms)), **told}


def _deflated(numbers: Integers) -> str:
    return base64.b64encode(zlib.compress(_seven_bits(numbers), 9)).decode()


def atoms_as_json(atoms: Lists, n_literals: int) -> dict[str, list[int]]:
    """Return the lists without the constant of the class, which no row has."""
    kept = atoms.constants < n_literals
    before = np.concatenate([[0], np.cumsum(kept)])
    return {"starts": before[atoms.starts].tolist(), "constants": atoms.constants[kept].tolist()}


def _seven_bits(numbers: Integers) -> bytes:
    if len(numbers) == 0:
        return b""
    planes, rest = [], numbers
    while True:
        planes.append(rest & 127)
        rest = rest >> 7
        if not rest.any():
            break
    digits = np.stack(planes, axis=1)
    length = 1 + np.max(np.arange(digits.shape[1]) * (digits > 0), axis=1)
    place = np.arange(digits.shape[1])[None, :]
    digits |= np.where(place < length[:, None] - 1, 128, 0)
    return digits[place < length[:, None]].astype(np.uint8).tobytes()


def _column(column: Column, value: Callable[[Any], Any]) -> dict[str, Any]:
    same = {"name": column.name, "has_missing": column.has_missing}
    if isinstance(column, NumberColumn):
        return {"kind": "boolean" if column.is_boolean else "number", **same}
    return {
        "kind": "category",
        **same,
        "categories": [value(one) for one in column.categories],
    }


def _literal(literal: Literal, value: Callable[[Any], Any], columns: Sequence[Column]) -> list[Any]:
    if isinstance(literal.value, ColumnName):
        other = next(one.index for one in columns if one.name == literal.value)
        return [literal.column, f"{literal.operator} column", other]
    if literal.operator in ("missing", "present"):
        return [literal.column, literal.operator, None]
    if literal.operator in ("in", "not in"):
        return [literal.column, literal.operator, [value(one) for one in literal.value]]
    return [literal.column, literal.operator, value(literal.value)]


def json_value(value: Any) -> Any:
    """Return a label or category for JSON; an integer that most readers would round is text."""
    value = plain_value(value)
    return str(value) if isinstance(value, int) and abs(value) > MOST_EXACT else value


def plain_value(value: Any) -> Any:
    """Return a label or category as text, a number or a truth value."""
    value = plain(value)
    if type(value) not in (str, int, float, bool):
        raise UnsavableValue(
            f"{value!r} is a {type(value).__name__}; only text, numbers and truth values can be "
            "written as JSON: map it to one of these before fit"
        )
    return value


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
    card: dict[str, Any] | None = None
    """The scorecard of a compact model, which has no atoms."""
    number: dict[str, Any] | None = None
    """Of a regressor: its target, whether the score is a logarithm, and the rules of its atoms."""

    @property
    def n_atoms(self) -> int:
        """Number of atoms of all classes."""
        return sum(map(len, self.strict)) + len(self.weighted)

    def text(self, atom: Sequence[int]) -> str:
        """Return an atom as text."""
        return " or ".join(self.texts[i] for i in atom) if atom else "never"


def model_of(classifier: Any) -> Model:
    """Return everything that an exported program needs."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    if classifier.learned_.rules.ordered:
        raise InvalidParameter(
            "programs predict the most probable class, and a model of ordered classes the median: "
            "it is not exported; save it, or fit with ordered=False to export"
        )
    told = describe(classifier, exact=True)
    encoder = classifier.encoder_
    literals = placed(encoder.literals_, encoder.columns_, classifier.image_shape)
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
        told["card"],
        told.get("number"),
    )
    if model.number is not None:
        texts = [rule_text(literals[i] for i in one) for one in model.weighted]
        model.number["texts"] = texts
    return _without_idle_literals(model)


def _telling_first(classifier: Any) -> list[list[int]]:
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
    scored = [] if model.card is None else model.card["rules"]
    lists += [condition for rule in scored for condition in rule["conditions"]]
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
    for rule in scored:
        rule["conditions"] = moved(rule["conditions"])
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
