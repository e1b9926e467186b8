"""Choose the most discriminating atoms, and measure formulas on examples.

Every example of a class has each of its strict atoms, so any conjunction of these covers the class;
a few atoms, chosen greedily, already exclude nearly all counterexamples."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

import numpy as np

from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Rows
from atomlearn.typing import Bits, Floats, Integers


@dataclass(frozen=True, repr=False)
class Measure:
    """How well a formula describes a class of examples."""

    coverage: float
    """Share of the examples of the class for which the formula is true."""
    exclusion: float
    """Share of the other examples for which it is false."""
    error: float
    """Share of all examples for which it is wrong."""
    examples: int

    def __repr__(self) -> str:
        return (
            f"<Measure: covers {self.coverage:.1%}, excludes {self.exclusion:.1%}, "
            f"error {self.error:.1%} of {self.examples:,}>"
        )


def measure(is_true: Bits, of_class: Bits, weight: Floats | None = None) -> Measure:
    """Measure a formula on examples, which may be weighted.

    >>> measure(np.array([True, True, False]), np.array([True, False, False]))
    <Measure: covers 100.0%, excludes 50.0%, error 33.3% of 3>
    """
    weight = np.ones(len(is_true)) if weight is None else weight
    inside, outside = weight[of_class].sum(), weight[~of_class].sum()
    covered = weight[of_class & is_true].sum()
    kept_out = weight[~of_class & ~is_true].sum()
    total = inside + outside
    return Measure(
        float(covered / inside) if inside else 1.0,
        float(kept_out / outside) if outside else 1.0,
        float(weight[is_true != of_class].sum() / total) if total else 0.0,
        len(is_true),
    )


def most_telling(missed: Rows, sizes: Integers, others: Rows, most: int | None) -> list[int]:
    """Choose atoms that together exclude as many counterexamples as possible, small ones first.

    ``missed`` has the packed set of examples that miss each atom, ``others`` is the set of
    counterexamples.
    """
    return without_idle(by_gain(missed, sizes, others, most), missed, others)


def by_gain(missed: Rows, sizes: Integers, others: Rows, most: int | None) -> list[int]:
    """Choose atoms as :func:`most_telling`, but in the order of choice and with redundant ones."""
    gain = packed.count(missed & others)
    # Gains only shrink as atoms are chosen: what is at the top after a second look is the best.
    queue = list(zip((-gain).tolist(), sizes.tolist(), range(len(sizes)), strict=True))
    heapify(queue)
    chosen: list[int] = []
    left = others.copy()
    while queue and queue[0][0] < 0 and (most is None or len(chosen) < most):
        _, size, atom = queue[0]
        now = -int(packed.count((missed[atom] & left)[None, :])[0])
        if (now, size, atom) > queue[0]:
            heapreplace(queue, (now, size, atom))
            continue
        heappop(queue)
        chosen.append(atom)
        left &= ~missed[atom]
    return chosen


def by_net_gain(missed: Rows, gain: Floats, most: int | None) -> list[int]:
    """Choose atoms greedily by gain until no atom improves the total.

    Excluding an example has a gain or, for examples of the class, a loss.

    >>> missed = packed.from_indices([[0, 1, 2], [0], [1, 2]], 3)
    >>> by_net_gain(missed, np.array([1.0, 1.0, -3.0]), None)
    [1]
    """
    from atomlearn.sets.words import sum_members  # compiled: loaded by who needs it

    left, chosen = gain.copy(), list[int]()
    while len(missed) and (most is None or len(chosen) < most):
        net = sum_members(missed, left)
        best = int(net.argmax())
        if net[best] <= 0:
            break
        chosen.append(best)
        left[packed.unpack(missed[best : best + 1], len(left))[0]] = 0.0
    return chosen


def without_idle(chosen: Sequence[int], missed: Rows, others: Rows) -> list[int]:
    """Drop atoms that exclude no counterexample which the others do not exclude."""
    kept = list(chosen)
    for atom in chosen:
        rest = [a for a in kept if a != atom]
        if not (missed[atom] & others & ~_union(missed, rest)).any():
            kept = rest
    return kept


def without_loss(chosen: Sequence[int], missed: Rows, gain: Floats) -> list[int]:
    """Drop atoms that gain nothing beyond the others, by gains and losses."""
    from atomlearn.sets.words import sum_members

    kept = list(chosen)
    for atom in chosen:
        rest = [a for a in kept if a != atom]
        alone = missed[atom] & ~_union(missed, rest)
        if sum_members(alone[None], gain)[0] <= 0:
            kept = rest
    return kept


def _union(missed: Rows, which: list[int]) -> Rows:
    return np.bitwise_or.reduce(missed[which], axis=0) if which else np.zeros_like(missed[0])
