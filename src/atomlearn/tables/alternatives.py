"""The two sides of each cut: complementary sets of literals."""

from collections.abc import Sequence

import numpy as np

from atomlearn.engine.guided_crossing import Alternatives
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Rows, to_lists
from atomlearn.sets.words import transpose
from atomlearn.tables.literals import Literal


def find_alternatives(literals: Sequence[Literal], examples: Rows) -> Alternatives:
    """Pairs of sets of literals of which each row has exactly one.

    A missing value may be on either side: ``x > 3`` against ``x ≤ 3`` or missing, and ``x ≤ 3``
    against ``x > 3`` or missing.
    """
    n, n_literals = len(examples), len(literals)
    having = transpose(examples, n_literals)
    everything = packed.full(n)
    place = {line.tobytes(): i for i, line in enumerate(having)}
    missing = {one.column: i for i, one in enumerate(literals) if one.operator == "missing"}
    first, sides, columns = [], [], []
    for i, literal in enumerate(literals):
        rest = everything & ~having[i]
        other = place.get(rest.tobytes())
        absent = missing.get(literal.column)
        if other is not None and i < other:
            found = [[i], [other]]
        elif other is None and absent is not None:
            other = place.get((rest & ~having[absent]).tobytes())
            if other is None:
                continue
            found = [[i], sorted((other, absent))]
        else:
            continue
        first.append(i)
        sides += found
        columns.append(literal.column)
    lists = to_lists(packed.from_indices(sides, n_literals + 1))
    group = np.unique(np.array(columns, dtype=np.int64), return_inverse=True)[1]
    has = np.ascontiguousarray(having[first])
    return Alternatives(has, lists, group.astype(np.int64))
