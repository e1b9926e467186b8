"""Data of the page of a regressor, as plain values.

The page computes the prediction and its interval from the description of the model, and from the
weighted atoms of the expected size of the error.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.explorer.classifiers import cells_of, json_cells, monotone_data, rows_of
from atomlearn.export.description import atoms_as_json, describe, packed
from atomlearn.tables.literals import rule_text
from atomlearn.training.boosting.losses import ERRORS

if TYPE_CHECKING:
    from atomlearn.regressor.estimator import AlgebraicRegressor

COVERAGE = 0.9
"""The coverage of the intervals of a page."""
MOST_EXAMPLES = 100
"""A page has at most this many training rows."""


def number_data(
    regressor: "AlgebraicRegressor", asked: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the data of the page of a regressor, which begins with the row that is ``asked``."""
    learned, encoder, model = regressor.learned_, regressor.encoder_, regressor.numbers_
    literals, card = regressor._literals(), None
    if learned.card is not None:
        card = regressor.scorecard()
        texts = [str(rule) for rule in card.rules]
    else:
        atoms = learned.deciding().weighted.atoms.each(below=len(literals))
        texts = [rule_text(literals[i] for i in atom) for atom in atoms]
    below, above = model.judged.quantiles(COVERAGE)
    return {
        "kind": "number",
        "model": packed(describe(regressor), keep_order=True),
        "rules": texts,
        "cells": [json_cells(cells_of(column)) for column in encoder.columns_],
        "summary": _summary(regressor),
        "about": [] if card is None else card._about(),
        "monotone": monotone_data(regressor),
        "importances": regressor.feature_importances_.round(6).tolist(),
        "examples": _examples(regressor),
        "interval": {
            "coverage": COVERAGE,
            "below": below if np.isfinite(below) else None,
            "above": above if np.isfinite(above) else None,
            "smallest": model.smallest,
            "offset": float(model.spread.offset[0]),
            "weights": model.spread.weights.tolist(),
            "atoms": atoms_as_json(model.spread.atoms, len(encoder.literals_)),
        },
        "asked": asked,
    }


def _summary(regressor: "AlgebraicRegressor") -> str:
    """Return what a page says at its top."""
    n, error = regressor.learned_.deciding().n_atoms, regressor.estimated_error_
    what = "rules" if regressor.learned_.card is not None else "atoms"
    told = f"{n:,} {what} predict {regressor.target_name_}, from {regressor.n_rows_:,} rows"
    if regressor.estimated_score_ is not None and error is not None:
        told += f"; on held-out rows R² is {regressor.estimated_score_:.2f}, and the "
        told += f"{ERRORS[regressor.loss]} {error:.4g}"
    return f"{told}."


def _examples(regressor: "AlgebraicRegressor") -> list[dict[str, Any]]:
    """Return sampled training rows, of which the literals are known, with their numbers."""
    sample, scale = regressor.sample_, regressor.numbers_.scale
    if sample.is_withheld or sample.targets is None:
        return []
    numbers = sample.targets * scale.unit + scale.center
    cells = rows_of(sample.rows[:MOST_EXAMPLES], regressor.encoder_)
    return [
        {"row": json_cells(row), "about": f"{i + 1}: {number:.6g}", "number": number}
        for i, (row, number) in enumerate(zip(cells, numbers.tolist(), strict=False))
    ]
