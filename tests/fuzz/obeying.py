"""Does a classifier obey its rules, in predictions and in definitions?"""

from collections.abc import Sequence
from typing import Any

from atomlearn import AlgebraicClassifier
from tests.fuzz.rules import Told, possible
from tests.fuzz.tables import Rows

DEFINED = 2
"""Classes whose definitions are tried."""


def violations(
    model: AlgebraicClassifier, told: Sequence[Told], rows: Rows, first: int, end: int
) -> str | None:
    """The first of some rows of which something is said that the rules forbid."""
    X, labels = rows.as_given(first, end), model.classes_.tolist()
    said, chances = model.predict(X).tolist(), model.predict_proba(X).tolist()
    defined = [model.definition(label).evaluate(X).tolist() for label in labels[:DEFINED]]
    for i, row in enumerate(rows.dictionaries(first, end)):
        allowed = possible(told, labels, row)
        if allowed is None:
            continue
        about = f"row {first + i}, {row}, {[str(one.rule()) for one in told]}: "
        if not allowed[labels.index(said[i])]:
            return f"{about}predicted {said[i]!r}"
        only = sum(allowed) == 1
        for label, may, p in zip(labels, allowed, chances[i], strict=True):
            if (not may and p != 0.0) or (may and only and p != 1.0):
                return f"{about}{label!r} has probability {p}"
        for label, may, is_true in zip(labels, allowed, defined, strict=False):
            if (not may and is_true[i]) or (may and only and not is_true[i]):
                return f"{about}the definition of {label!r} is {is_true[i]}"
    return None


def misdefined(
    model: AlgebraicClassifier, told: Sequence[Told], rows: Rows, end: int
) -> str | None:
    """The first row of which a definition says something else as a Python function."""
    X, labels = rows.as_given(0, end), model.classes_.tolist()
    may_miss = {one.name: one.has_missing for one in model.encoder_.columns_}
    for label in labels[:DEFINED]:
        definition = model.definition(label)
        source = definition.to_python()
        names: dict[str, Any] = {}
        exec(source, names)
        function = next(one for name, one in names.items() if name.startswith("is_"))
        for row, is_true in zip(
            rows.dictionaries(0, end), definition.evaluate(X).tolist(), strict=True
        ):
            # The forms agree where a value is missing only if some were in training, and where
            # rules leave a class possible.
            if any(one is None and not may_miss[name] for name, one in row.items()):
                continue
            if possible(told, labels, row) is None:
                continue
            if bool(function(row)) != is_true:
                return f"{row}: {label!r} evaluates to {is_true}, but not by\n{source}"
    return None
