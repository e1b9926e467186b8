"""Forward chaining on many sets at once.

An implication ``right ⊆ S ⇒ left ⊆ S`` is tried on 64 sets with one AND for each member of
``right``, because the sets are kept transposed: for each element, the bitset of the sets that hold it.
"""

import numpy as np

from atomlearn.bits.jit import kernel
from atomlearn.bits.rows import Rows
from atomlearn.bits.transpose import transpose
from atomlearn.bits.words import ONE, ZERO, lowest


def close_many(sets: Rows, left: Rows, right: Rows, n: int) -> Rows:
    """The closure of each set under the implications ``right[i] ⇒ left[i]``, over ``n`` elements.

    >>> from atomlearn.bits import rows
    >>> left, right = rows.from_indices([[2], [3]], 4), rows.from_indices([[0, 1], [2]], 4)
    >>> closed = close_many(rows.from_indices([[0, 1], [0]], 4), left, right, 4)
    >>> [rows.members(s).tolist() for s in closed]
    [[0, 1, 2, 3], [0]]
    """
    if len(sets) == 0 or len(left) == 0:
        return sets.copy()
    holders = transpose(sets, n)
    chain(holders, left, right)
    return transpose(holders, len(sets))


@kernel
def chain(holders, left, right):  # type: ignore[no-untyped-def]
    """Close 64 sets a column, column by column, until no implication adds anything."""
    n_words = right.shape[1]
    for column in range(holders.shape[1]):
        changed = True
        while changed:
            changed = False
            for i in range(right.shape[0]):
                fires = ~ZERO
                for w in range(n_words):
                    word = right[i, w]
                    while word != ZERO and fires != ZERO:
                        fires &= holders[w * 64 + lowest(word), column]
                        word &= word - ONE
                    if fires == ZERO:
                        break
                if fires == ZERO:
                    continue
                for w in range(n_words):
                    word = left[i, w]
                    while word != ZERO:
                        c = w * 64 + lowest(word)
                        if fires & ~holders[c, column] != ZERO:
                            holders[c, column] |= fires
                            changed = True
                        word &= word - ONE
