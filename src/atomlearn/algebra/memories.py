"""The freest and the least-free model, which remember and do not generalise (section 3.4)."""

import numpy as np

from atomlearn.algebra.crossing import full_crossing
from atomlearn.algebra.relations import PackedRelations
from atomlearn.algebra.size import check_size
from atomlearn.sets import rows as bits
from atomlearn.sets.closing import Implications, close_each
from atomlearn.sets.lists import Lists, to_rows
from atomlearn.sets.rows import Rows


def freest(relations: PackedRelations, limit: int | None) -> Rows:
    """One atom for each constant, then Full Crossing of every positive relation.

    Redundant atoms are removed as they arise, which leaves exactly the complements of the
    meet-irreducible closed sets.
    """
    n = relations.n_constants
    check_size(n, n, limit, "the freest model")
    atoms = bits.from_indices([[c] for c in range(n)], n)
    pairs = list(zip(relations.positive_left, relations.positive_right, strict=True))
    for i, (left, right) in enumerate(pairs, start=1):
        what = f"positive relation {i} of {len(pairs)}"
        atoms = full_crossing(atoms, left, right, n, limit, what)
    return atoms


def least_free(rights: Lists, rules: Implications, n: int, limit: int | None) -> Rows:
    """One atom for each right side ``b`` of a negative relation: the complement of its closure."""
    check_size(rights.n, n, limit, "the least-free memory")
    closed = to_rows(close_each(rules, rights), n)
    return np.ascontiguousarray(bits.distinct(bits.complement(closed, n)))
