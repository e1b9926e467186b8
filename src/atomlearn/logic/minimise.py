"""Two-level minimisation: an equivalent formula of the fewest and shortest conjunctions.

Small formulas are minimised exactly: a truth table over all states gives every prime implicant
(Quine and McCluskey), and an integer program chooses the fewest that cover it (HiGHS, through
SciPy). Larger ones are made prime and irredundant.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.logic.cubes import Space, absorb
from atomlearn.logic.formulas import Bits

Numbers = npt.NDArray[np.int64]

MOST_STATES = 1 << 12
MOST_PRODUCTS = 1 << 20
MOST_PRIMES = 2000
"""Limits of the exact minimisation: states, conjunctions and primes."""

NODES = 500
"""Node limit of the integer program. A limit in nodes, not seconds, gives the same formula on every
machine; at the limit the cover is valid but may not be shortest."""

STEPS = 20_000
"""Case distinctions before a conjunction counts as not covered."""


class Minimal(NamedTuple):
    """Conjunctions, and whether they are known to be the fewest."""

    cubes: list[int]
    is_exact: bool


def minimise(cubes: Sequence[int], space: Space) -> Minimal:
    """The fewest cubes, of those the fewest literals, with the same union.

    >>> space = Space.paired("ab" "AB", {"a": "A", "A": "a", "b": "B", "B": "b"})
    >>> number = space.number
    >>> cubes = [space.cube([number[x], number[y]]) for x, y in ("ab", "aB", "Ab")]
    >>> shorter, is_exact = minimise(cubes, space)
    >>> sorted(space.literals[i] for cube in shorter for i in space.terms(cube)), is_exact
    (['a', 'b'], True)
    """
    cubes = absorb(cubes)
    used = [g for g, field in enumerate(space.fields) if any(c & field != field for c in cubes)]
    if len(cubes) < 2:
        return Minimal(cubes, True)
    sizes = [space.fields[g].bit_count() for g in used]
    if np.prod(sizes, dtype=float) <= MOST_STATES:
        cells = [_cells(space, g) for g in used]
        if np.prod([len(one) for one in cells], dtype=float) <= MOST_PRODUCTS:
            found = _exactly(cubes, space, used, cells)
            if found is not None:
                return found
    return Minimal(irredundant(cubes, space), False)


def irredundant(cubes: Sequence[int], space: Space) -> list[int]:
    """Remove literals that are not needed, then cubes that the others cover."""
    grown = list(cubes)
    for k, cube in enumerate(grown):
        for i in space.terms(cube):
            field = space.fields[space.group[i]]
            rest = [j for j in space.terms(cube) if j != i and space.group[j] == space.group[i]]
            wider = (cube | field) & space.cube(rest)
            if covered(wider, grown, space):
                cube = wider
        grown[k] = cube
    kept = absorb(grown)
    for cube in sorted(kept, key=lambda c: (c.bit_count(), c)):
        rest = [other for other in kept if other != cube]
        if covered(cube, rest, space):
            kept = rest
    return kept


def covered(cube: int, cubes: Sequence[int], space: Space) -> bool:
    """Do the other cubes cover every combination of states of the cube?

    Decided by case distinction; if there are too many cases, the answer is no.
    """
    steps = [STEPS]

    def inside(part: int, among: list[int]) -> bool:
        steps[0] -= 1
        if steps[0] < 0:
            return False
        if any(part & ~c == 0 for c in among):
            return True
        if not among:
            return False
        split = among[0]
        field = next(f for f in space.fields if part & f & ~split)
        halves = part & ~(field & ~split), part & ~(field & split)
        # Of those that meet the part, the halves differ in one field only.
        return all(inside(half, [c for c in among if c & half & field]) for half in halves)

    return inside(cube, [c for c in cubes if space.occurs(c & cube)])


def _cells(space: Space, group: int) -> list[int]:
    """What conjunctions of literals leave of a group's states: at first all, never none."""
    field = space.fields[group]
    found = {field}
    for i, s in enumerate(space.states):
        if space.group[i] == group:
            found |= {cell & s for cell in found}
        if len(found) > 1024:
            break
    return sorted(found - {0}, key=lambda cell: (-cell.bit_count(), cell))


def _exactly(
    cubes: Sequence[int], space: Space, used: list[int], cells: list[list[int]]
) -> Minimal | None:
    if any(len(one) > 1024 for one in cells):
        return None
    bits = [_bits(space.fields[g]) for g in used]
    table = np.zeros([len(b) for b in bits], dtype=np.bool_)
    for cube in cubes:
        table |= _box([[bool(cube >> b & 1) for b in own] for own in bits])
    primes = _primes(table, bits, cells)
    if len(primes) > MOST_PRIMES:
        return None
    products = [
        sum(cell[i] for cell, i in zip(cells, prime, strict=True)) for prime in primes.tolist()
    ]
    rest = space.everything & ~sum(space.fields[g] for g in used)
    products = [product | rest for product in products]
    boxes = [_box([[bool(p >> b & 1) for b in own] for own in bits])[table] for p in products]
    sizes = np.array([len(space.terms(product)) for product in products])
    chosen, is_exact = _cover(np.array(boxes).reshape(len(products), -1), sizes)
    return Minimal([products[i] for i in chosen], is_exact)


def _primes(table: Bits, bits: list[list[int]], cells: list[list[int]]) -> Numbers:
    """The largest products of cells that imply the table, as places in ``cells``."""
    implied = table
    for axis, (own, choices) in enumerate(zip(bits, cells, strict=True)):
        parts = [
            implied.take([k for k, b in enumerate(own) if cell >> b & 1], axis=axis).all(axis=axis)
            for cell in choices
        ]
        implied = np.stack(parts, axis=axis)
    prime = implied.copy()
    for axis, choices in enumerate(cells):
        for k, cell in enumerate(choices):
            larger = [m for m, c in enumerate(choices) if c != cell and cell & ~c == 0]
            here = (slice(None),) * axis + (k,)
            prime[here] &= ~implied.take(larger, axis=axis).any(axis=axis)
    return np.argwhere(prime)


def _cover(boxes: Bits, sizes: Numbers) -> tuple[list[int], bool]:
    """The fewest rows that together are true everywhere; of equally many those of least size."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    columns = np.unique(boxes, axis=1)
    only = columns.sum(axis=0) == 1
    essential = np.flatnonzero(columns[:, only].any(axis=1))
    left = columns[:, ~columns[essential].any(axis=0)]
    if left.shape[1] == 0:
        return essential.tolist(), True
    useful = np.flatnonzero(left.any(axis=1))
    cost = 1 + sizes[useful] / (1 + sizes.sum())
    result = milp(
        cost,
        integrality=np.ones(len(useful)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(csr_array(left[useful].T.astype(float)), lb=1),
        options={"node_limit": NODES, "mip_rel_gap": 0.0},
    )
    if result.x is None:
        return _greedily(columns), False
    picked = useful[np.round(result.x).astype(bool)]
    return sorted([*essential.tolist(), *picked.tolist()]), result.status == 0


def _greedily(columns: Bits) -> list[int]:
    left, chosen = np.ones(columns.shape[1], dtype=np.bool_), []
    while left.any():
        chosen.append(int(columns[:, left].sum(axis=1).argmax()))
        left &= ~columns[chosen[-1]]
    return sorted(chosen)


def _bits(field: int) -> list[int]:
    return [b for b in range(field.bit_length()) if field >> b & 1]


def _box(sides: list[list[bool]]) -> Bits:
    """The combinations of one true state of each side."""
    box = np.ones((), dtype=np.bool_)
    for side in sides:
        box = box[..., None] & np.array(side)
    return box
