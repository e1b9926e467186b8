"""Forward chaining on many sets at once.

An implication ``right ⊆ S ⇒ left ⊆ S`` is tried on 64 sets with one AND for each member of
``right``, because the sets are kept transposed: for each element, the sets that hold it.
"""

import numpy as np

from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Rows
from atomlearn.sets.transpose import transpose
from atomlearn.sets.words import FULL, ONE, ZERO, lowest


def close_many(sets: Rows, left: Rows, right: Rows, n: int) -> Rows:
    """The closure of each set under the implications ``right[i] ⇒ left[i]``, over ``n`` elements.

    >>> from atomlearn.sets import rows
    >>> left, right = rows.from_indices([[2], [3]], 4), rows.from_indices([[0, 1], [2]], 4)
    >>> closed = close_many(rows.from_indices([[0, 1], [0]], 4), left, right, 4)
    >>> [rows.members(s).tolist() for s in closed]
    [[0, 1, 2, 3], [0]]
    """
    if len(sets) == 0 or len(left) == 0:
        return sets.copy()
    holders = transpose(sets, n)
    return transpose(holders, len(sets)) if chain(holders, left, right) else sets.copy()


@kernel
def chain(holders: Rows, left: Rows, right: Rows) -> bool:
    """Add to the transposed sets what the implications ask for; was anything added?"""
    n_words = right.shape[1]
    fires = np.empty(holders.shape[1], dtype=np.uint64)
    grown = False
    changed = True
    while changed:
        changed = False
        for i in range(right.shape[0]):
            for q in range(fires.shape[0]):
                fires[q] = FULL
            left_over = FULL
            for w in range(n_words):
                word = right[i, w]
                while word != ZERO and left_over != ZERO:
                    c = w * 64 + lowest(word)
                    word &= word - ONE
                    left_over = ZERO
                    for q in range(fires.shape[0]):
                        fires[q] &= holders[c, q]
                        left_over |= fires[q]
                if left_over == ZERO:
                    break
            if left_over == ZERO:
                continue
            for w in range(n_words):
                word = left[i, w]
                while word != ZERO:
                    c = w * 64 + lowest(word)
                    word &= word - ONE
                    for q in range(fires.shape[0]):
                        changed |= fires[q] & ~holders[c, q] != ZERO
                        holders[c, q] |= fires[q]
        grown |= changed
    return grown
