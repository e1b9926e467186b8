"""What the page of a classifier shows, as plain values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.explorer.cells import cells_of
from atomlearn.explorer.examples import examples_of
from atomlearn.explorer.held_out import calibration, confusion
from atomlearn.export.description import describe, json_value, packed
from atomlearn.logic import formulas
from atomlearn.logic.formulas import And, Formula, Has, Not, Or

if TYPE_CHECKING:
    from atomlearn.classifier.definition import ClassDefinition
    from atomlearn.classifier.estimator import AlgebraicClassifier

MOST_LISTED = 20_000
"""Models of more atoms are shown without a list of them."""
MOST_CONFLICTS = 100
MOST_DEFINED = 40
"""Classes that are defined."""


def classifier_data(
    classifier: "AlgebraicClassifier", rows: Any = None, labels: Any = None
) -> dict[str, Any]:
    """What the page of a classifier needs; ``rows`` of a table are shown instead of the sample."""
    shape = classifier.image_shape
    learned, encoder = classifier.learned_, classifier.encoder_
    atoms = None if shape else _atoms(classifier)
    return {
        "kind": "table" if shape is None else "image",
        "model": packed(describe(classifier), keep_order=atoms is not None),
        "texts": [str(literal) for literal in encoder.literals_],
        "cells": [_told_cells(cells_of(column)) for column in encoder.columns_],
        "summary": _summary(classifier),
        "importances": classifier.feature_importances_.round(6).tolist(),
        "examples": [
            {**one, "row": _told_cells(one["row"])} for one in examples_of(classifier, rows, labels)
        ],
        "examples_were_held_out": rows is None,
        "confusion": confusion(learned),
        "calibration": calibration(learned),
        "conflicts": list(_conflicts(classifier)),
        "definitions": [] if shape else list(_definitions(classifier)),
        "atoms": atoms,
        "shape": shape,
    }


def _told_cells(cells: list[Any]) -> list[Any]:
    """Cells for JSON: an integer beyond 2**53 as text, since JavaScript would round it."""
    return [cell if cell is None else json_value(cell) for cell in cells]


def _summary(classifier: "AlgebraicClassifier") -> dict[str, Any]:
    learned = classifier.learned_
    return {
        "rows": int(classifier.sample_.totals.sum()),
        "are_different": bool(classifier.held_out_),  # fit counts equal rows once
        "rows_by_class": classifier.sample_.totals.tolist(),
        "error": classifier.estimated_error_,
        "evidence": learned.evidence.chosen,
        "losses": learned.evidence.losses,
        "errors": learned.evidence.errors,
        "atoms": learned.deciding().n_atoms,
    }


def _definitions(classifier: "AlgebraicClassifier") -> Iterator[dict[str, Any]]:
    for label in classifier.classes_[:MOST_DEFINED]:
        one = classifier.definition(label)
        yield {**one.to_dict(), **_form(one), "total": one.total, "held_out": _held_out(one)}


def _form(definition: "ClassDefinition") -> dict[str, Any]:
    """The shortest form as parts that are joined by one word, each on a line of its own."""
    body = definition.shortest
    while isinstance(body, And | Or) and len(body.parts) == 1:
        body = body.parts[0]
    joint = "or" if isinstance(body, Or) else "and"
    parts = body.parts if isinstance(body, And | Or) and body.parts else (body,)
    return {"joint": joint, "parts": [_literals(part) for part in parts]}


def _literals(part: Formula) -> dict[str, Any]:
    """A part of a formula as literals that are joined by a word, if it is that flat."""
    if isinstance(part, And | Or) and all(isinstance(one, Has | Not) for one in part.parts):
        joint = "and" if isinstance(part, And) else "or"
        return {"joint": joint, "literals": [formulas.to_text(one) for one in part.parts]}
    return {"joint": "and", "literals": [formulas.to_text(part)]}


def _held_out(definition: "ClassDefinition") -> dict[str, Any] | None:
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


def _atoms(classifier: "AlgebraicClassifier") -> dict[str, Any] | None:
    """Shares of sampled rows that miss each atom, in the order of the description: strict atoms
    class by class, then weighted ones."""
    learned = classifier.learned_
    found = list(learned.deciding().by_class())
    if sum(len(one.weights) for one in found) > MOST_LISTED:
        return None
    columns, sample = classifier.sample_.columns(), classifier.sample_
    listed: dict[str, Any] = {"strict": [], "weighted": None}
    n_weighted = 0 if learned.weighted is None else len(learned.weighted)
    shares = np.zeros((n_weighted, 2))
    strict = learned.evidence.strict > 0
    for one in found:
        ours = sample.labels == one.k
        both = np.stack(
            [classifier._share_missing(one.atoms, columns, among * 1.0) for among in (ours, ~ours)],
            axis=1,
        ).round(4)
        if strict and len(listed["strict"]) == one.k:
            listed["strict"].append(both.tolist())
        else:
            assert learned.weighted is not None
            shares[learned.weighted.classes == one.k] = both
            listed["weighted"] = shares.tolist()
    return listed
