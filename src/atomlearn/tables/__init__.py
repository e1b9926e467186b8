"""Tables for the engine: columns become literals, rows become terms."""

from atomlearn.tables.batches import ArrayBatches, CsvBatches, ParquetBatches, read_batches
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.files import Cells, Table, read_table
from atomlearn.tables.images import (
    check_symmetries,
    column_swaps,
    distortions,
    generated,
    permuted,
    reflections,
    rotations,
    row_swaps,
    translations,
)
from atomlearn.tables.literals import Literal
from atomlearn.tables.rules import Bound, Condition, MonotoneStatement, Rule

__all__ = [
    "ArrayBatches",
    "Bound",
    "Cells",
    "Condition",
    "CsvBatches",
    "Literal",
    "LiteralEncoder",
    "MonotoneStatement",
    "ParquetBatches",
    "Rule",
    "Table",
    "check_symmetries",
    "column_swaps",
    "distortions",
    "generated",
    "permuted",
    "read_batches",
    "read_table",
    "reflections",
    "rotations",
    "row_swaps",
    "translations",
]
