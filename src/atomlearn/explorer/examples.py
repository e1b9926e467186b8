"""Examples for a page: the hardest ones first, then some of each class."""

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from atomlearn.explorer.cells import rows_of
from atomlearn.export.description import json_value
from atomlearn.tables.columns import NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.training_rows import codes_of
from atomlearn.tables.validation import number_column, object_column, read_table

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

HARDEST = 24
MOST = 200
"""Examples of a page."""
MOST_SCORED = 20_000
"""Rows of a table among which the hardest are sought."""


class Example(TypedDict):
    """A row, its label, and the probability of that label: if the row was held out, then."""

    row: list[Any]
    label: Any
    probability: float


def examples_of(
    classifier: "AlgebraicClassifier", rows: Any = None, labels: Any = None
) -> list[Example]:
    """The hardest rows, then others, class by class in turn.

    Without ``rows`` they are of the sample that the model keeps, of which only the literals are
    known: a number is then one that stands for its interval.
    """
    if rows is None:
        sample = classifier.sample_
        codes = sample.labels
        own, _ = classifier._sample_chances()
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
    """The rows of a validated table as JSON has them."""
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
    """The hardest, then the others, one of each class in turn."""
    order = np.argsort(own, kind="stable")
    hardest, rest = order[:HARDEST], np.sort(order[HARDEST:])
    turn = np.zeros(len(rest), dtype=np.int64)
    for k in np.unique(codes):
        ours = codes[rest] == k
        turn[ours] = np.arange(ours.sum())
    others = rest[np.argsort(turn, kind="stable")]
    return np.concatenate([hardest, others])[:MOST]
