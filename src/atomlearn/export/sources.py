"""The source of a scorer in the language asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from atomlearn.errors import InvalidParameter, suggest
from atomlearn.export.c import c_source
from atomlearn.export.javascript import javascript_source
from atomlearn.export.model import Model, model_of
from atomlearn.export.python import python_source
from atomlearn.export.sql import sql_source

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

WRITERS: dict[str, Callable[[Model], str]] = {
    "js": javascript_source,
    "c": c_source,
    "python": python_source,
}
KINDS = ("sql", *WRITERS)
"""The languages."""


def export_source(
    classifier: "AlgebraicClassifier", to: str, *, table: str = "data", key: str = "rowid"
) -> str:
    """The source of a program that scores rows as the classifier does, with reasons.

    ``to`` is one of ``"sql"``, ``"js"``, ``"c"`` and ``"python"``. The SQL is one query (for
    SQLite and DuckDB) over ``table``; the column ``key`` identifies a row.

    >>> from atomlearn import AlgebraicClassifier
    >>> clf = AlgebraicClassifier(random_state=0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> space = {}
    >>> exec(export_source(clf, "python"), space)
    >>> space["predict"]([2.5])
    1
    """
    if to not in KINDS:
        raise InvalidParameter(f"there is no export to {to!r}{suggest(to, KINDS)}")
    model = model_of(classifier)
    return sql_source(model, table, key) if to == "sql" else WRITERS[to](model)
