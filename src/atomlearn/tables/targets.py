"""Labels that can be learned as classes, and numbers that are to be predicted, which cannot."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import type_of_target

from atomlearn.errors import InvalidTable, InvalidTarget
from atomlearn.tables.numbers import is_missing
from atomlearn.typing import Integers

MANY, FEW_ROWS = 50, 5
"""More labels than this that are numbers, and fewer rows of each than that on average, are values
to be predicted rather than classes ..."""
TOO_MANY = 1000
"""... and so are more labels than this, however many rows there are."""

_INSTEAD = (
    "bin it first (as pandas.qcut does, into low, medium and high), use a regressor, or, if each "
    "number does name a class, "
)


def refuse_missing_labels(y: Any) -> None:
    """Name the first row without a label: scikit-learn says of text only that there is one."""
    # In a list of text NumPy would make "nan" of a missing label.
    labels = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if labels.ndim != 1 or labels.dtype.kind not in "Of":
        return
    rows = np.flatnonzero(is_missing(labels))
    if len(rows):
        raise InvalidTable(
            f"Input y contains NaN: row {rows[0]} has no label ({len(rows):,} such); remove these "
            "rows"
        )


def refuse_half_characters(texts: Iterable[Any], what: str) -> None:
    """Refuse text with half of a surrogate pair: it is no character, and no file can hold it."""
    for text in texts:
        try:
            str(text).encode()
        except UnicodeEncodeError:
            raise InvalidTable(
                f"{what}, {text!r}, has half of a character (a lone surrogate): read the table "
                "with the right encoding"
            ) from None


def check_targets(targets: Any, max_classes: int | None) -> None:
    """Refuse what is no column of labels, or looks like a number to be predicted."""
    try:
        kind = type_of_target(targets, input_name="y")
    except TypeError as error:  # labels of bytes
        raise InvalidTarget(str(error)) from None
    if kind not in ("binary", "multiclass") and not kind.startswith("continuous"):
        raise InvalidTarget(
            f"Unknown label type: {kind}. y must be one column of labels, text or whole numbers, "
            "without missing ones"
        )
    check_labels(*np.unique(targets, return_counts=True), max_classes=max_classes)


def check_labels(labels: npt.NDArray[Any], counts: Integers, max_classes: int | None) -> None:
    """The same of the distinct labels and how many rows each has."""
    refuse_half_characters(labels.tolist() if labels.dtype.kind in "UO" else (), "a label")
    n, n_rows = len(labels), int(counts.sum())
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        raise InvalidTarget(
            f"Unknown label type: continuous. y holds numbers with fractions: {_INSTEAD}make it "
            "text"
        )
    if max_classes is not None:
        if n > max_classes:
            raise InvalidTarget(f"y has {n:,} different labels, and max_classes={max_classes:,}")
        return
    if (n > TOO_MANY or (n > MANY and n_rows < FEW_ROWS * n)) and are_numbers(labels):
        raise InvalidTarget(
            f"y looks like a number to be predicted: {n:,} different numbers in {n_rows:,} rows, "
            f"from {labels[0]} on. A classifier would learn each as a class of its own: "
            f"{_INSTEAD}pass max_classes={n} (on the command line --max-classes {n})"
        )


def are_numbers(labels: npt.NDArray[Any]) -> bool:
    """Are all labels numbers, or text that reads as one?

    >>> are_numbers(np.array(["12", "3.5"])), are_numbers(np.array(["12", "b"]))
    (True, False)
    """
    if labels.dtype.kind in "iuf":
        return True
    if labels.dtype.kind == "b":
        return False
    try:
        labels.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True
