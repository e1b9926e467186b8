"""The parts of a distributed table: a survey of each, and its encoded rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.engine.pool import Source
from atomlearn.errors import InvalidTable, InvalidTarget, UnfitParts
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import Map, permuted
from atomlearn.tables.joined import Distinct, JoinedTable, TableParts, distinct
from atomlearn.tables.number_rows import numbers_of
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.training_rows import RowConflict, TrainingRows
from atomlearn.tables.validation import (
    Kind,
    NamedArray,
    column_kinds,
    column_names,
    declared_kinds,
    read_table,
)
from atomlearn.training.data import HardRules
from atomlearn.training.parts import Part
from atomlearn.typing import Integers

SAMPLED = 50_000
"""Number of rows of all parts together by which cuts and categories are chosen."""
WIDE = 1000
"""With more columns than this, proportionally fewer rows are sampled: they are sent to one machine.
"""


_KINDS = {"number": "numbers", "boolean": "truth values", "category": "text or categories"}


@dataclass(frozen=True)
class Survey:
    """A summary of one part."""

    n_rows: int
    columns: tuple[str, ...] | int
    """The names of the columns, or their number."""
    kinds: tuple[Kind | None, ...]
    """Kind of each column, or ``None`` if all its values are missing here."""
    labels: npt.NDArray[Any]
    counts: Integers
    """Number of rows of each label."""
    some_rows: Any
    some_labels: npt.NDArray[Any]
    names: npt.NDArray[Any] | None = None
    """The names of the columns, if they are text, as estimators keep them."""
    declared: list[str | None] | None = None
    """The declared kind of each column of a data frame."""
    targets: npt.NDArray[Any] | None = None
    """The labels that occur, as ``fit`` in memory has them."""
    codes: Integers | None = None
    """The label of each row, as an index of ``targets``."""
    sizes: tuple[int, ...] = ()
    """Bytes of the counts of each column."""
    values: Sequence[Distinct] = ()
    """The different values of each column by label, if the table is to be learned as a whole."""
    no_labels: Any = None
    """The labels without rows: their name, and the order of their categories."""

    @property
    def weight(self) -> float:
        """Number of rows that each sampled row stands for."""
        return self.n_rows / max(1, len(self.some_labels))

    def head(self) -> "Survey":
        """Return what is small whatever the size of the part, but for the labels."""
        return replace(self, some_rows=None, values=())

    def sample(self) -> Any:
        """Return some of the rows."""
        return self.some_rows

    def values_of(self, columns: Sequence[int]) -> list[Distinct]:
        """Return the different values of some columns; none if there are no rows."""
        return [self.values[j] for j in columns] if self.values else []


def survey(
    X: Any,
    y: Any,
    part: int,
    seed: int,
    most: int,
    as_whole: bool = False,
    are_numbers: bool = False,
) -> Survey:
    """Summarise one part where it is, with a sample of ``most`` rows.

    If the table is to be learned ``as_whole``, the different values of its columns are counted. The
    labels may be numbers to predict.
    """
    interrupts.check()
    try:
        labels = np.asarray(numbers_of(y) if are_numbers else y).ravel()
    except (InvalidTable, InvalidTarget) as error:
        raise UnfitParts(f"partition {part}: {error}") from None
    if getattr(X, "ndim", 2) != 2 or X.shape[0] != len(labels):
        raise UnfitParts(
            f"partition {part} has {X.shape[0]:,} rows and {len(labels):,} labels: "
            "partition X and y alike"
        )
    if labels.dtype.kind in "fO" and is_missing(labels.astype(object)).any():
        raise UnfitParts(f"partition {part} has rows without a label: drop them first")
    given = labels
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())  # text as text, so that parts compare alike
    most = min(most, max(1, most * WIDE // max(1, X.shape[1])))
    found, counts = np.unique(labels, return_counts=True)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(part,)))
    which = np.sort(rng.permutation(len(labels))[:most])
    rows = X.iloc[which] if hasattr(X, "iloc") else X[which]
    names = getattr(X, "columns", getattr(X, "column_names", None))
    columns = int(X.shape[1]) if names is None else tuple(map(str, names))
    listed = [f"x{j}" for j in range(X.shape[1])] if isinstance(columns, int) else columns
    try:
        kinds = column_kinds(X, listed)
        told = Survey(len(labels), columns, tuple(kinds), found, counts, rows, labels[which])
        if not as_whole or not len(labels):
            return told
        told = replace(told, no_labels=y.iloc[:0] if hasattr(y, "iloc") else None)
        return _counted(told, X, given)
    except (InvalidTable, InvalidTarget) as error:
        raise UnfitParts(f"partition {part}: {error}") from None


def _counted(told: Survey, X: Any, labels: npt.NDArray[Any]) -> Survey:
    """Add to a survey what is needed to learn from the table as a whole."""
    reader = LiteralEncoder()  # it reads tables as every estimator does
    table, targets = read_table(reader, X, reset=True, y=labels)
    if targets.dtype.kind == "O":
        found, codes = np.unique(np.array(targets.tolist()), return_inverse=True)
        found = found.astype(object)
    else:
        found, codes = np.unique(targets, return_inverse=True)
    values = tuple(
        distinct(table, j, name, told.kinds[j] == "category", codes)
        for j, name in enumerate(column_names(reader))
    )
    return replace(
        told,
        names=getattr(reader, "feature_names_in_", None),
        declared=declared_kinds(X),
        targets=found,
        codes=codes.astype(np.min_scalar_type(len(found))),
        sizes=tuple(one.size for one in values),
        values=values,
    )


def joined_table(
    surveys: Sequence[Survey],
    most_bytes: int,
    moved: Sequence[Map],
    fetch: Callable[[Sequence[int]], list[list[Distinct]]],
    encode: Callable[[LiteralEncoder, Sequence[Map]], Iterator[npt.NDArray[np.uint64]]],
) -> tuple[JoinedTable, npt.NDArray[Any], list[str | None] | None]:
    """Return a table as a whole, its labels, and the kinds of columns that are declared."""
    told = [one for one in surveys if one.n_rows]
    targets = [one.targets for one in told if one.targets is not None]
    classes = np.unique(np.concatenate(targets))
    places = [np.searchsorted(classes, ours) for ours in targets]
    labels = [place[one.codes] for place, one in zip(places, told, strict=True)]
    kinds = [_common(kinds) for kinds in zip(*(one.kinds for one in told), strict=True)]
    source = TableParts(
        kinds,
        labels,
        places,
        np.sum([one.sizes for one in told], axis=0).tolist(),
        fetch,
        lambda encoder: encode(encoder, moved),
        1 + len(moved),
        most_bytes,
    )
    declared = None
    if all(one.declared is not None for one in told):
        pairs = zip(*(one.declared or () for one in told), strict=True)
        # Categories that differ from part to part are declared in each.
        declared = [kinds[0] if len(set(kinds)) == 1 else None for kinds in pairs]
    return JoinedTable.of(source), classes[np.concatenate(labels)], declared


def _common(kinds: Sequence[Kind | None]) -> Kind:
    """Return the kind of a column that has these in its parts."""
    known = {kind for kind in kinds if kind is not None}
    return next(iter(known)) if len(known) == 1 else "number"


def encode(X: Any, encoder: LiteralEncoder, moved: Sequence[Map], part: int) -> Any:
    """Return the packed rows of a part, and of its rows moved by each map."""
    interrupts.check()
    try:
        table = read_table(encoder, X, reset=False)
        tables = [table, *(permuted(table, one) for one in moved)]
        return np.stack([encoder.pack(one, is_part=True) for one in tables])
    except ValueError as error:
        raise UnfitParts(f"partition {part}: {error}") from None


def sampled(n_parts: int) -> int:
    """Return the sample size of each part."""
    return -(-SAMPLED // max(1, n_parts))


def stacked(rows: Sequence[Any]) -> Any:
    """Return the rows of several parts as one table of the same kind."""
    if type(rows[0]).__module__.startswith("polars"):
        import polars as pl

        return pl.concat(rows, how="vertical_relaxed")
    if hasattr(rows[0], "columns"):
        import pandas as pd

        return pd.concat(rows, ignore_index=True)
    together = np.concatenate(rows)
    if isinstance(rows[0], NamedArray):
        return NamedArray.of(together.view(np.ndarray), rows[0].column_names)
    return together


def check_columns(surveys: Sequence[Survey]) -> None:
    """Raise an error unless all parts have the columns of the first."""
    for part, one in enumerate(surveys):
        if one.columns != surveys[0].columns:
            raise UnfitParts(
                f"partition {part} has {_told(one.columns)}, partition 0 has "
                f"{_told(surveys[0].columns)}{_difference(one.columns, surveys[0].columns)}"
            )


def check_kinds(surveys: Sequence[Survey]) -> None:
    """Raise an error unless each column has numbers (or booleans), or categories, in all parts."""
    first: dict[int, tuple[int, Kind]] = {}
    for part, one in enumerate(surveys):
        for j, kind in enumerate(one.kinds):
            if kind is None or not one.n_rows:
                continue
            where, known = first.setdefault(j, (part, kind))
            if (kind == "category") != (known == "category"):
                name = f"x{j}" if isinstance(one.columns, int) else one.columns[j]
                raise UnfitParts(
                    f"column {name!r} holds {_KINDS[known]} in partition {where} and "
                    f"{_KINDS[kind]} in partition {part}: convert it to the same type in all of "
                    "them, or drop it"
                )


def check_classes(surveys: Sequence[Survey], classes: npt.NDArray[Any], allowed: bool) -> None:
    """Raise an error if a part lacks a class, which it could neither learn nor check for others."""
    for part, one in enumerate(surveys):
        missing = np.setdiff1d(classes, one.labels)
        if len(missing) and one.n_rows and not allowed:
            raise UnfitParts(
                f"partition {part} has no row of {missing.tolist()[:5]}: shuffle the rows over the "
                "partitions, or pass allow_missing=True (such a partition then learns nothing of "
                "that class)"
            )


def all_classes(surveys: Sequence[Survey]) -> npt.NDArray[Any]:
    """Return the labels that occur anywhere."""
    kinds = {one.labels.dtype.kind for one in surveys if one.n_rows}
    if len(kinds & set("US")) and len(kinds - set("US")):
        raise UnfitParts("some partitions have text as labels, others numbers: make them alike")
    return np.unique(np.concatenate([one.labels for one in surveys if one.n_rows]))


def class_counts(surveys: Sequence[Survey], classes: npt.NDArray[Any]) -> Integers:
    """Return the number of rows of each class in all parts."""
    totals = np.zeros(len(classes), dtype=np.int64)
    for one in surveys:
        if one.n_rows:
            totals[np.searchsorted(classes, one.labels)] += one.counts
    return totals


def _told(columns: tuple[str, ...] | int) -> str:
    n = columns if isinstance(columns, int) else len(columns)
    return "1 column" if n == 1 else f"{n} columns"


def _difference(ours: tuple[str, ...] | int, theirs: tuple[str, ...] | int) -> str:
    if isinstance(ours, int) or isinstance(theirs, int):
        return ""
    odd = sorted(set(ours) ^ set(theirs))
    return f"; not in both: {odd[:5]}" if odd else " in another order"


@dataclass(frozen=True)
class Recoding:
    """The encoding of every part, which is the same for all."""

    encoder: LiteralEncoder
    classes: npt.NDArray[Any]
    symmetries: Any
    class_weight: Any
    rules: HardRules
    n_folds: int
    share: float
    """Share of the examples that is sent to the client, for evaluation and weighted atoms."""
    seed: int


@dataclass(frozen=True)
class PartSummary:
    """The summary that a part sends to the client, small whatever the size of the part."""

    sample: Part
    totals: Integers
    """Number of distinct rows of each class."""
    conflicts: list[RowConflict]
    source: Source
    refused: list[tuple[int, Integers, npt.NDArray[Any]]]
    """For each rule, the rows that it contradicts, and their labels."""
    decided: float
    """Weight of the rows that rules classify correctly."""
    contradicted: float
    """Weight of the rows whose labels contradict a rule."""
    left: Integers | None
    """Number of rows of each class that contradict no rule."""
    met: Integers | None
    """Number of rows that meet the conditions of each rule."""


@dataclass(frozen=True)
class Packed:
    """An encoded part, which stays where it is, and its summary for the client."""

    part: Part
    summary: PartSummary


def pack(X: Any, y: Any, recoding: Recoding, number: int, first_row: int) -> Packed:
    """Encode one part, whose first row has the number ``first_row`` among all."""
    interrupts.check()
    targets, classes = np.asarray(y).ravel(), recoding.classes
    try:
        table = read_table(recoding.encoder, X, reset=False)
        numbers = first_row + np.arange(len(targets))
        ones = np.ones(len(targets))
        rows = TrainingRows(table, targets, ones, numbers, recoding.class_weight)
        encoded = rows.encoded(recoding.encoder, classes, recoding.symmetries, recoding.rules)
    except ValueError as error:
        raise UnfitParts(f"partition {number}: {error}") from None
    dealing = np.random.SeedSequence(recoding.seed, spawn_key=(0, number))
    rng = np.random.default_rng(dealing)
    examples = encoded.examples
    part = Part.of(examples, recoding.n_folds, rng)
    return Packed(
        part.with_rules(),
        PartSummary(
            part.sample(int(np.ceil(recoding.share * len(examples))), rng),
            np.bincount(examples.labels, minlength=len(classes)),
            encoded.conflicts,
            part.source(f"partition {number}"),
            encoded.refused,
            encoded.decided,
            encoded.contradicted,
            encoded.left,
            encoded.met,
        ),
    )


def sources_of(summaries: Sequence[PartSummary]) -> list[Source]:
    """Return the provenance of the atoms of each part."""
    return [one.source for one in summaries]
