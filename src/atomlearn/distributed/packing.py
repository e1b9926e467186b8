"""A part made ready where it is: rows as packed terms, some of them spared."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.pool import Source
from atomlearn.errors import UnfitParts
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.rows import RowConflict
from atomlearn.tables.table import read_table
from atomlearn.tables.training_rows import TrainingRows
from atomlearn.training.examples import Examples


@dataclass(frozen=True)
class Recoding:
    """How every part is encoded; the same for all."""

    encoder: LiteralEncoder
    classes: npt.NDArray[Any]
    symmetries: Any
    class_weight: Any
    share: float
    """Of the rows, how many are spared."""
    seed: int


@dataclass(frozen=True)
class Told:
    """What a part sends home: little, whatever its size."""

    held: Examples
    sample: TrainingSample
    conflicts: list[RowConflict]
    digest: str
    part: int
    n_rows: int


@dataclass(frozen=True)
class Packed:
    """A part as it is learned from; it stays where it is."""

    examples: Examples
    told: Told


def pack(X: Any, y: Any, recoding: Recoding, part: int, first_row: int) -> Packed:
    """Encode one part. ``first_row`` is the number that its first row has among all."""
    interrupts.check()
    targets = np.asarray(y).ravel()
    rng = np.random.default_rng(np.random.SeedSequence(recoding.seed, spawn_key=(part,)))
    # Spared row by row, not by what they are: a row that is there often is met often later, too.
    spared = rng.random(len(targets)) < recoding.share
    if spared.all():
        spared[:] = False
    try:
        table = read_table(recoding.encoder, X, reset=False)
        rest = _some_rows(table, targets, ~spared, first_row, recoding)
        examples = rest.examples(recoding.encoder, recoding.classes, recoding.symmetries)
        others = _some_rows(table, targets, spared, first_row, recoding)
        held = others.examples(recoding.encoder, recoding.classes, None)
    except ValueError as error:
        raise UnfitParts(f"partition {part}: {error}") from None
    sample = TrainingSample.empty(examples.variants.shape[2], len(recoding.classes))
    told = Told(
        held,
        sample.extended(examples.variants[0], examples.labels),
        rest.conflicts(recoding.classes),
        _digest(examples, held),
        part,
        len(targets),
    )
    return Packed(examples, told)


def _some_rows(
    table: Any, targets: Any, which: npt.NDArray[np.bool_], first_row: int, recoding: Recoding
) -> TrainingRows:
    numbers = np.flatnonzero(which)
    return TrainingRows(
        table[numbers],
        targets[numbers],
        np.ones(len(numbers)),
        first_row + numbers,
        recoding.class_weight,
    )


def _digest(*parts: Examples) -> str:
    """Tells data apart."""
    value = 0
    for part in parts:
        for array in (part.variants[0], part.labels, part.weights):
            value = zlib.crc32(array.tobytes(), value)
    return f"{value:08x}"


def sources_of(told: Sequence[Told], kind: str) -> list[Source]:
    """What the pins of each part will be said to be from."""
    return [Source(f"{kind} {one.part}", one.digest, one.n_rows) for one in told]
