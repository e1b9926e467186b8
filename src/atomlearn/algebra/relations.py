"""Relations between terms: ``a <= b`` ("a is contained in b") and its negation."""

from dataclasses import dataclass

from atomlearn.bits.rows import Rows


@dataclass(frozen=True, eq=False)
class PackedRelations:
    """All relations of an algebra as bit rows: what a learning engine takes.

    Each side is ``(n_relations, width(n_constants))``, C-contiguous: row ``i`` of ``positive_left``
    and ``positive_right`` are the two terms of the ``i``-th positive relation.
    """

    n_constants: int
    positive_left: Rows
    positive_right: Rows
    negative_left: Rows
    negative_right: Rows
