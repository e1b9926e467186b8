"""A part made ready where it is: rows as packed terms, some of them spared."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.encoder import LiteralEncoder
from atomlearn.classifier.rows import RowConflict
from atomlearn.classifier.sample import TrainingSample
from atomlearn.classifier.tables import read_table
from atomlearn.classifier.training import TrainingRows
from atomlearn.errors import UnfitParts
from atomlearn.learning.classes import row_keys
from atomlearn.learning.pinning import Source
from atomlearn.learning.rounds import Examples


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
    targets = np.asarray(y).ravel()
    try:
        table = read_table(recoding.encoder, X, reset=False)
        n = len(targets)
        rows = TrainingRows(
            table, targets, np.ones(n), first_row + np.arange(n), recoding.class_weight
        )
        everything = rows.examples(recoding.encoder, recoding.classes, recoding.symmetries)
    except ValueError as error:
        raise UnfitParts(f"partition {part}: {error}") from None
    packed = everything.variants[0]
    # Spared by what they are, not by where they stand: equal rows are spared together.
    rng = np.random.default_rng(recoding.seed)
    spared = row_keys(packed, rng) < np.uint64(min(recoding.share, 1.0) * 2.0**64 * (1 - 2.0**-40))
    rest = everything.some(np.flatnonzero(~spared))
    sample = TrainingSample.empty(packed.shape[1], len(recoding.classes))
    told = Told(
        everything.some(np.flatnonzero(spared)),
        sample.extended(rest.variants[0], rest.labels),
        rows.conflicts(recoding.classes),
        f"{zlib.crc32(packed.tobytes(), zlib.crc32(everything.labels.tobytes())):08x}",
        part,
        n,
    )
    return Packed(rest, told)


def sources_of(told: Sequence[Told], kind: str) -> list[Source]:
    """What the pins of each part will be said to be from."""
    return [Source(f"{kind} {one.part}", one.digest, one.n_rows) for one in told]
