"""Data of the page of a classifier, as plain values.

A model knows a number only by the cuts it lies between. Each such interval is a *state* of the
column, and so is each category; on a page each state is represented by one cell."""

import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.readable import WITHOUT_ROWS
from atomlearn.classifier.sample import classifier_errors
from atomlearn.export.description import describe, json_value, packed
from atomlearn.logic import formulas
from atomlearn.logic.formulas import And, Formula, Has, Not, Or
from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import greys_of
from atomlearn.tables.literals import ColumnName
from atomlearn.tables.numbers import MOST_EXACT, exact_numbers, is_missing
from atomlearn.tables.rules import MonotoneStatement, conjunction
from atomlearn.tables.training_rows import codes_of
from atomlearn.tables.validation import number_column, object_column, read_table
from atomlearn.training.learned import Learned
from atomlearn.training.scores import softmax

if TYPE_CHECKING:
    from atomlearn.classifier.definition import ClassDefinition
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.classifier.scorecard import CardRule
    from atomlearn.logic.definition import Definition

MOST_LISTED = 20_000
"""A page of more atoms than this has no list of them."""
MOST_CONFLICTS = 100
"""A page lists at most this many sets of rows that contradict each other."""
MOST_DEFINED = 40
"""A page defines at most this many classes."""
HARDEST = 24
"""The examples of a page begin with this many of the hardest ones."""
MOST_EXAMPLES = 200
"""A page has at most this many examples."""
MOST_SCORED = 20_000
"""The hardest rows of a table are sought among its first ones, at most this many."""
CONFIDENCES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Each point of the calibration curve is of the rows with a confidence between two of these."""
FEWEST_ROWS = 5
"""A point of the calibration curve needs at least this many rows."""
OFFERED = 20
"""A page of more atoms than this offers a scorecard of at most so many rules."""
LARGEST = sys.float_info.max
"""The largest finite floating-point number."""


def classifier_data(
    classifier: "AlgebraicClassifier",
    rows: Any = None,
    labels: Any = None,
    *,
    definitions: "Sequence[ClassDefinition] | None" = None,
    asked: dict[str, Any] | None = None,
    max_listed: int = MOST_LISTED,
) -> dict[str, Any]:
    """Return the data of the page of a classifier.

    ``rows`` of a table are shown instead of the sample that the model keeps. The ``definitions``
    are by default those of all classes, and none of images. The page begins with the row that is
    ``asked`` about, if there is one. It lists the atoms if there are at most ``max_listed``.
    """
    shape = classifier.image_shape
    if definitions is None:
        most = 0 if shape else MOST_DEFINED
        most *= not classifier.sample_.is_withheld
        definitions = [classifier.definition(label) for label in classifier.classes_[:most]]
    learned, encoder = classifier.learned_, classifier.encoder_
    is_compact = learned.card is not None
    atoms = None if shape or is_compact else _atoms(classifier, max_listed)
    return {
        "kind": "table" if shape is None else "image",
        "model": packed(describe(classifier), keep_order=atoms is not None),
        "texts": [str(literal) for literal in encoder.literals_],
        "cells": [json_cells(cells_of(column)) for column in encoder.columns_],
        "summary": _summary(classifier),
        "scorecard": scorecard_data(classifier) if is_compact else None,
        "monotone": monotone_data(classifier),
        "offer": _offer(classifier),
        "importances": classifier.feature_importances_.round(6).tolist(),
        "examples": [
            {**one, "row": json_cells(one["row"])} for one in examples_of(classifier, rows, labels)
        ],
        "examples_were_held_out": rows is None and not is_compact,
        "confusion": confusion(learned),
        "calibration": calibration(learned),
        "conflicts": list(_conflicts(classifier)),
        "rule_conflicts": [str(one) for one in classifier.rule_conflicts_[:MOST_CONFLICTS]],
        "definitions": [definition_data(one, _drawn(one, shape)) for one in definitions],
        "asked": asked,
        "atoms": atoms,
        "shape": shape,
    }


def asked_row(classifier: "AlgebraicClassifier", about: str, row: Any) -> dict[str, Any]:
    """Return the row that a page begins with: a table of one row, or the number of a kept row."""
    encoder = classifier.encoder_
    if isinstance(row, int):
        cells = rows_of(classifier.first_rows_[row : row + 1], encoder)
    else:
        cells = table_cells(encoder, read_table(classifier, row, reset=False))
    return {"about": about, "row": json_cells(cells[0])}


def monotone_data(estimator: Any) -> list[dict[str, Any]]:
    """Return the monotone statements: text, column, and number of the class, 0 of a number."""
    index = {column.name: j for j, column in enumerate(estimator.encoder_.columns_)}
    labels = estimator.labels_of_rules()
    return [
        {"text": str(one), "column": index[one.column], "k": labels.index(one.label)}
        for one in estimator.rules_
        if isinstance(one, MonotoneStatement)
    ]


def json_cells(cells: list[Any]) -> list[Any]:
    """Return cells for JSON: an integer beyond 2**53 as text, since JavaScript would round it."""
    return [cell if cell is None else json_value(cell) for cell in cells]


def _summary(classifier: "AlgebraicClassifier") -> dict[str, Any]:
    learned = classifier.learned_
    errors = classifier_errors(learned)
    return {
        "rows": int(classifier.sample_.totals.sum()),
        "are_different": bool(classifier.held_out_),  # fit counts equal rows once
        "rows_by_class": classifier.sample_.totals.tolist(),
        "without_rows": WITHOUT_ROWS if classifier.sample_.is_withheld else None,
        "error": classifier.estimated_error_,
        "errors_by_class": None if errors is None else [float(one) for one in errors],
        "evidence": learned.evidence.chosen if learned.card is None else "card",
        "losses": learned.evidence.losses,
        "errors": learned.evidence.errors,
        "atoms": learned.deciding().n_atoms,
        "atoms_by_class": atom_counts(learned),
    }


def scorecard_data(classifier: "AlgebraicClassifier") -> dict[str, Any]:
    """Return what a page says of a compact model beside the ``card`` of its description.

    The rules are in the same order: the text of each condition, and the share of the training rows
    that meet all of them. ``about`` has the sentences below the card, without the ``price``.
    """
    card = classifier.scorecard()
    price = card.price()
    return {
        "title": card._title(),
        "rules": [{"conditions": _conditions(rule), "share": rule.share} for rule in card.rules],
        "about": [one for one in card._about() if one != price],
        "price": price,
    }


def _conditions(rule: "CardRule") -> list[str]:
    """Return the conditions of a rule as text; a pixel is told by its row and column."""
    if any(one.place for literals in rule.literals for one in literals):
        return [" or ".join(map(str, literals)) for literals in rule.literals]
    return [conjunction([clause]) for clause in rule.clauses]


def _offer(classifier: "AlgebraicClassifier") -> dict[str, str] | None:
    """Return what a page of a full model says of scorecards, and the call that makes one."""
    learned = classifier.learned_
    n = learned.deciding().n_atoms
    is_small = n <= OFFERED or len(classifier.classes_) < 2
    if learned.card is not None or is_small or classifier.sample_.is_withheld:
        return None
    return {
        "text": f"{n:,} atoms decide. atomlearn can make a scorecard of at most {OFFERED} rules "
        "of them:",
        "code": f"clf.compact({OFFERED})",
    }


def atom_counts(learned: Learned) -> list[int]:
    """Return the number of atoms that decide on each class."""
    counts = [0] * len(learned.pools)
    for one in learned.deciding().by_class():
        counts[one.k] += len(one.weights)
    return counts


def definition_data(
    definition: "Definition", drawn: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return a definition as a page shows it; ``drawn`` are its clauses as images."""
    return {
        **definition.to_dict(),
        **_form(definition),
        "total": definition.total,
        "held_out": _held_out(definition),
        "python": definition.to_python(),
        "drawn": drawn,
    }


def _drawn(definition: "ClassDefinition", shape: tuple[int, int] | None) -> dict[str, Any] | None:
    """Return the pixels of each clause of a class of images, and how dark they should be."""
    if shape is None:
        return None
    clauses = (clause.literals for clause in definition.clauses)
    greys = greys_of(clauses, definition.encoder.columns_, shape[0] * shape[1])
    pixels = [np.flatnonzero(~np.isnan(one)) for one in greys]
    return {
        "shape": shape,
        "clauses": [
            list(zip(places.tolist(), one[places].round(2).tolist(), strict=True))
            for places, one in zip(pixels, greys, strict=True)
        ],
    }


def _form(definition: "Definition") -> dict[str, Any]:
    """Return the shortest form as parts that are joined by one word, each on its own line."""
    body = definition.shortest
    while isinstance(body, And | Or) and len(body.parts) == 1:
        body = body.parts[0]
    joint = "or" if isinstance(body, Or) else "and"
    parts = body.parts if isinstance(body, And | Or) and body.parts else (body,)
    return {"joint": joint, "parts": [_literals(part) for part in parts]}


def _literals(part: Formula) -> dict[str, Any]:
    """Return a part of a formula as literals that are joined by a word, if it is that flat."""
    if isinstance(part, And | Or) and all(isinstance(one, Has | Not) for one in part.parts):
        joint = "and" if isinstance(part, And) else "or"
        return {"joint": joint, "literals": [formulas.to_text(one) for one in part.parts]}
    return {"joint": "and", "literals": [formulas.to_text(part)]}


def _held_out(definition: "Definition") -> dict[str, Any] | None:
    one = definition.held_out
    if one is None:
        return None
    return {"coverage": one.coverage, "exclusion": one.exclusion, "error": one.error}


def _conflicts(classifier: "AlgebraicClassifier") -> Iterator[dict[str, Any]]:
    for one in classifier.conflicts_[:MOST_CONFLICTS]:
        labels, counts = np.unique(one.labels, return_counts=True)
        yield {
            "rows": one.rows[:10].tolist(),
            "n": len(one.rows),
            "labels": {str(label): int(n) for label, n in zip(labels, counts, strict=True)},
            "kept": json_value(one.kept),
        }


def _atoms(classifier: "AlgebraicClassifier", max_listed: int) -> dict[str, Any] | None:
    """Return the shares of sampled rows that miss each atom, in the order of the description.

    Strict atoms come class by class, then weighted ones.
    """
    deciding, sample = classifier.learned_.deciding(), classifier.sample_
    if deciding.n_atoms > max_listed:
        return None
    strict: list[Any] = []
    weighted = np.zeros((len(deciding.weighted), 2), dtype=object)
    for one in deciding.by_class():
        ours = sample.labels == one.k
        both = [sample.share_missing(one.atoms, among * 1.0) for among in (ours, ~ours)]
        shares: Any = np.stack(both, axis=1).round(4)
        if sample.is_withheld:
            shares = np.full(shares.shape, None)
        if one.is_strict:
            strict.append(shares.tolist())
        else:
            weighted[deciding.weighted.classes == one.k] = shares
    return {"strict": strict, "weighted": weighted.tolist() if len(weighted) else None}


class Example(TypedDict):
    """A row, its label, and the probability of that label, if possible when it was held out."""

    row: list[Any]
    label: Any
    probability: float


def examples_of(
    classifier: "AlgebraicClassifier", rows: Any = None, labels: Any = None
) -> list[Example]:
    """Return the hardest rows, then others, class by class in turn.

    Without ``rows`` they are of the sample that the model keeps, of which only the literals are
    known: a number is then a representative of its interval.
    """
    if rows is None:
        sample = classifier.sample_
        if sample.is_withheld:
            return []
        codes = sample.labels
        own, _ = classifier.sample_.own_chances(classifier.learned_)
        chosen = _chosen(own, codes)
        cells = rows_of(sample.rows[chosen], classifier.encoder_)
    else:
        rows = rows.head(MOST_SCORED) if hasattr(rows, "head") else rows[:MOST_SCORED]
        codes = codes_of(np.asarray(labels)[:MOST_SCORED], classifier.classes_)
        own = classifier.predict_proba(rows)[np.arange(len(codes)), codes]
        chosen = _chosen(own, codes)
        cells = table_cells(classifier.encoder_, read_table(classifier, rows, reset=False)[chosen])
    names = [json_value(label) for label in classifier.classes_]
    return [
        {"row": row, "label": names[codes[i]], "probability": round(float(own[i]), 6)}
        for row, i in zip(cells, chosen.tolist(), strict=True)
    ]


def table_cells(encoder: LiteralEncoder, table: Any) -> list[list[Any]]:
    """Return the rows of a validated table as JSON has them."""
    dense = table.toarray() if hasattr(table, "toarray") else table
    columns = []
    for j, column in enumerate(encoder.columns_):
        if isinstance(column, NumberColumn):
            columns.append([_number(one) for one in number_column(dense, j, column.name).tolist()])
        else:
            values = object_column(dense, j)
            missing = is_missing(values).tolist()
            pairs = zip(values.tolist(), missing, strict=True)
            columns.append([None if absent else json_value(one) for one, absent in pairs])
    return [list(row) for row in zip(*columns, strict=True)]


def _number(number: float | None) -> float | None:
    if number is None or number != number:
        return None
    return int(number) if abs(number) < 1 << 53 and number == int(number) else number


def _chosen(own: npt.NDArray[np.float64], codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return row numbers: the hardest rows, then the others, one of each class in turn."""
    order = np.argsort(own, kind="stable")
    hardest, rest = order[:HARDEST], np.sort(order[HARDEST:])
    turn = np.zeros(len(rest), dtype=np.int64)
    for k in np.unique(codes):
        ours = codes[rest] == k
        turn[ours] = np.arange(ours.sum())
    others = rest[np.argsort(turn, kind="stable")]
    return np.concatenate([hardest, others])[:MOST_EXAMPLES]


def confusion(learned: Learned) -> list[list[float]] | None:
    """Return the weight of the held-out rows of each class (rows) by prediction (columns)."""
    held_out = learned.judged()
    if len(held_out) == 0:
        return None
    n = len(learned.pools)
    predicted = learned.chosen(learned.held_out_scores())
    table = np.zeros((n, n))
    np.add.at(table, (held_out.labels, predicted), held_out.weights)
    return table.round(3).tolist()


def calibration(learned: Learned) -> list[dict[str, Any]]:
    """Return the calibration curve: mean confidence, share of right predictions, weight."""
    held_out = learned.judged()
    if len(held_out) == 0:
        return []
    chances = softmax(learned.held_out_scores())
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == held_out.labels
    interval = np.digitize(sure, CONFIDENCES)
    points = []
    for i in range(len(CONFIDENCES) + 1):
        part = np.flatnonzero(interval == i)
        if len(part) < FEWEST_ROWS:
            continue
        weights = held_out.weights[part]
        points.append(
            {
                "confidence": float(np.average(sure[part], weights=weights)),
                "right": float(np.average(right[part], weights=weights)),
                "rows": len(part),
            }
        )
    return points


def cells_of(column: Column) -> list[Any]:
    """Return one cell for each state of a column; ``None`` for a missing cell is last.

    >>> cells_of(NumberColumn(0, "age", (17.5, 64.5), has_missing=True))
    [10, 40, 90, None]
    """
    missing = [None] if column.has_missing else []
    if not isinstance(column, NumberColumn):
        return [*map(json_value, column.categories), *missing]
    if column.is_boolean:
        return [0, 1, *missing]
    return [*_numbers(column.cuts, column.values), *missing]


def _numbers(cuts: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return one number from each interval between cuts, and every value with its own literal."""
    if any(isinstance(cut, int) for cut in cuts):
        return _large_numbers(cuts, values)
    are_whole = all((2 * cut) % 2 == 1 for cut in cuts) and all(v == int(v) for v in values)
    found = set(map(_plain, values))
    for low, high in pairwise(_ends(cuts, are_whole)):
        number = shortest_between(low, high)
        if number in found and not are_whole:
            number = shortest_between(number, high)  # the interval without the value
        found.add(number)
    return sorted(found)


def _large_numbers(cuts: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return one integer from each interval between cuts too large for floating point.

    There a cut is itself the largest number of its interval.
    """
    step = max(1, int(cuts[-1] - cuts[0]) // len(cuts))
    last = int(cuts[-1]) + step
    found = set(values)
    for low, high in pairwise([int(cuts[0]) - step, *cuts, last]):
        below = range(math.ceil(high) - 1, math.floor(low), -1)
        found.update([n for n in (high, *below[: len(values)]) if n not in values][:1])
    return sorted(found)


def _ends(cuts: Sequence[float], are_whole: bool) -> list[float]:
    """Return the cuts, one number below them and one above."""
    if not cuts:
        return [-0.5, 0.5]
    gap = statistics.median(high - low for low, high in pairwise(cuts)) if len(cuts) > 1 else 0.0
    # Cuts may lie so close that nothing fits beyond the last but a larger step.
    least = cuts[-1] / 100 - cuts[0] / 100 if len(cuts) > 1 else max(abs(cuts[0]), 1.0)
    gap = max(gap, least, 8 * math.ulp(max(map(abs, cuts))))
    low, high = max(cuts[0] - gap, -LARGEST), min(cuts[-1] + gap, LARGEST)
    if low < 0 < cuts[0]:  # what is never negative should not become so
        low = -0.5 if are_whole else 0.0
    return [low, *cuts, high]


def shortest_between(low: float, high: float) -> float:
    """Return the number between these, near the middle, that has the fewest digits.

    >>> shortest_between(2.45, 2.6), shortest_between(3.5, 4.5), shortest_between(17.5, 64.5)
    (2.5, 4, 40)
    >>> shortest_between(1e308, 1.7e308), shortest_between(-1.7e308, 1.7e308)
    (1.3e+308, 0)
    """
    middle = (low + high) / 2
    if math.isinf(middle):
        middle = low / 2 + high / 2
    if not low < middle < high:
        return _plain(high)  # neighbours: a number is not above its own cut
    digits = -math.floor(math.log10(min(high - low, LARGEST)))
    for n in range(digits, digits + 20):
        with suppress(OverflowError):  # the nearest round number may be too large
            rounded = round(middle, n)
            if low < rounded < high:
                return _plain(rounded)
    return middle


def _plain(number: float) -> float:
    """Write a whole number as 4, not as 4.0, if it is exact as a floating-point number."""
    is_whole = abs(number) <= MOST_EXACT and float(number).is_integer()
    return int(number) if is_whole else number


def rows_of(rows: Rows, encoder: LiteralEncoder) -> list[list[Any]]:
    """Return packed rows as cells, which have the same literals."""
    truth = unpack(rows, len(encoder.literals_))
    ends = np.cumsum([0, *(column.n_literals for column in encoder.columns_)])
    bounds = np.searchsorted(encoder.kept_, ends)
    columns = []
    for j, column in enumerate(encoder.columns_):
        kept = encoder.kept_[bounds[j] : bounds[j + 1]] - ends[j]
        columns.append(_column_cells(column, truth[:, bounds[j] : bounds[j + 1]], kept))
    return [list(row) for row in zip(*columns, strict=True)]


def _column_cells(column: Column, truth: Any, kept: Any) -> list[Any]:
    cells = cells_of(column)
    states = _encoded(column, cells)[:, kept]
    weights = 1 << np.arange(states.shape[1], dtype=object)
    every = column.literals()
    # What is compared with another column does not depend on the cell alone.
    weights[[isinstance(every[i].value, ColumnName) for i in kept.tolist()]] = 0
    known: dict[int, Any] = {}
    for cell, key in zip(cells, (states.astype(object) @ weights).tolist(), strict=True):
        known.setdefault(key, cell)
    keys = (truth.astype(object) @ weights).tolist() if len(kept) else [0] * len(truth)
    return [known.get(key) for key in keys]


def _encoded(column: Column, cells: Sequence[Any]) -> Any:
    if isinstance(column, NumberColumn):
        return column.encode(exact_numbers(np.array(cells, dtype=object)))
    values = np.empty(len(cells), dtype=object)
    values[:] = [*column.categories, *([None] if column.has_missing else [])]
    return column.encode(values)
