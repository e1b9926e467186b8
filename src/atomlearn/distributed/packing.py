"""Encode a part where it is: rows as packed terms, with their folds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.engine.pool import Source
from atomlearn.errors import UnfitParts
from atomlearn.tables.distinct_rows import RowConflict
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.table import read_table
from atomlearn.tables.training_rows import TrainingRows
from atomlearn.training.part import Part
from atomlearn.training.rules import HardRules
from atomlearn.typing import Integers


@dataclass(frozen=True)
class Recoding:
    """How every part is encoded; the same for all."""

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
    """What a part sends to the client: little, whatever its size."""

    sample: Part
    totals: Integers
    """Different rows of each class."""
    conflicts: list[RowConflict]
    source: Source
    refused: list[tuple[int, Integers, npt.NDArray[Any]]]
    """Of each rule, the rows that it contradicts, and their labels."""
    decided: float
    """Weight of the rows that rules classify correctly ..."""
    contradicted: float
    """... and of those whose labels contradict a rule."""
    left: Integers | None
    """Rows of each class that contradict no rule."""
    met: Integers | None
    """Rows that meet the conditions of each rule."""


@dataclass(frozen=True)
class Packed:
    """An encoded part, which stays where it is, and its summary for the client."""

    part: Part
    summary: PartSummary


def pack(
    X: Any, y: Any, recoding: Recoding, number: int, first_row: int, kind: str = "partition"
) -> Packed:
    """Encode one part. ``first_row`` is the number that its first row has among all."""
    interrupts.check()
    targets, classes = np.asarray(y).ravel(), recoding.classes
    try:
        table = read_table(recoding.encoder, X, reset=False)
        numbers = first_row + np.arange(len(targets))
        ones = np.ones(len(targets))
        rows = TrainingRows(table, targets, ones, numbers, recoding.class_weight)
        examples = rows.examples(recoding.encoder, classes, recoding.symmetries, recoding.rules)
    except ValueError as error:
        raise UnfitParts(f"partition {number}: {error}") from None
    dealing = np.random.SeedSequence(recoding.seed, spawn_key=(0, number))
    rng = np.random.default_rng(dealing)
    part = Part.of(examples, recoding.n_folds, rng)
    return Packed(
        part.with_rules(),
        PartSummary(
            part.sample(int(np.ceil(recoding.share * len(examples))), rng),
            np.bincount(examples.labels, minlength=len(classes)),
            rows.conflicts(classes),
            part.source(f"{kind} {number}"),
            rows.refused_rows(),
            rows.decided,
            rows.contradicted,
            rows.left,
            rows.met,
        ),
    )


def sources_of(summaries: Sequence[PartSummary]) -> list[Source]:
    """The provenance of the atoms of each part."""
    return [one.source for one in summaries]
