"""The parts of a distributed table: a survey of each, and its encoded rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.engine.pool import Source
from atomlearn.errors import InvalidTable, UnfitParts
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.training_rows import RowConflict, TrainingRows
from atomlearn.tables.validation import Kind, NamedArray, column_kinds, read_table
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

    @property
    def weight(self) -> float:
        """Number of rows that each sampled row stands for."""
        return self.n_rows / max(1, len(self.some_labels))


def survey(X: Any, y: Any, part: int, seed: int, most: int) -> Survey:
    """Summarise one part where it is, with a sample of ``most`` rows."""
    interrupts.check()
    labels = np.asarray(y).ravel()
    if getattr(X, "ndim", 2) != 2 or X.shape[0] != len(labels):
        raise UnfitParts(
            f"partition {part} has {X.shape[0]:,} rows and {len(labels):,} labels: "
            "partition X and y alike"
        )
    if labels.dtype.kind in "fO" and is_missing(labels.astype(object)).any():
        raise UnfitParts(f"partition {part} has rows without a label: drop them first")
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
    except InvalidTable as error:
        raise UnfitParts(f"partition {part}: {error}") from None
    return Survey(len(labels), columns, tuple(kinds), found, counts, rows, labels[which])


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


def pack(
    X: Any, y: Any, recoding: Recoding, number: int, first_row: int, kind: str = "partition"
) -> Packed:
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
            part.source(f"{kind} {number}"),
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
