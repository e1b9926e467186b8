"""Two-level minimisation: an equivalent formula of the fewest and shortest conjunctions.

Small formulas are minimised exactly: a truth table over all states gives every prime implicant
(Quine and McCluskey), and an integer program chooses the fewest that cover it (HiGHS, through
SciPy). Larger ones are made prime and irredundant.

Constants often come in groups of which not every combination occurs: a pixel is black or white and
never both or neither, ``x > 3`` implies ``x > 2``. A group is a variable with a few *states*, each
of which makes some of its literals true. A conjunction of literals leaves each group some states;
one bit a state, it is a *cube*, and then conjunction is ``&`` and implication is inclusion (the
positional notation of two-level minimisers). What never occurs is a don't-care, and costs nothing.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from atomlearn.errors import FormulaTooLarge
from atomlearn.typing import Bits, Integers

Group = tuple[Sequence[Hashable], Bits]
"""Literals, and which of them are true in each state: ``(n_states, n_literals)``."""

Disjunction = frozenset[int]
"""A disjunction of literals, by number."""

MOST_CUBES = 2000
"""Maximum number of conjunctions from the distributive law."""


@dataclass(frozen=True)
class Space:
    """The literals of a formula, and the combinations of them that can occur."""

    literals: tuple[Hashable, ...]
    fields: tuple[int, ...]
    """The bits of the states of each group."""
    group: tuple[int, ...]
    """The group of each literal."""
    states: tuple[int, ...]
    """The states that make each literal true, within the field of its group."""

    @classmethod
    def of(cls, groups: Iterable[Group]) -> "Space":
        """Merge states in which the same literals are true."""
        literals: list[Hashable] = []
        fields: list[int] = []
        group: list[int] = []
        states: list[int] = []
        bit = 0
        for names, truth in groups:
            truth = np.unique(np.asarray(truth, dtype=np.bool_).reshape(-1, len(names)), axis=0)
            for k, name in enumerate(names):
                literals.append(name)
                group.append(len(fields))
                states.append(sum(1 << (bit + int(s)) for s in np.flatnonzero(truth[:, k])))
            fields.append(((1 << len(truth)) - 1) << bit)
            bit += len(truth)
        return cls(tuple(literals), tuple(fields), tuple(group), tuple(states))

    @classmethod
    def free(cls, constants: Iterable[Hashable]) -> "Space":
        """Return a space in which every combination of the constants occurs."""
        return cls.of(([c], np.array([[False], [True]])) for c in constants)

    @classmethod
    def paired(
        cls, constants: Iterable[Hashable], complement: "dict[Hashable, Hashable]"
    ) -> "Space":
        """Return a space in which exactly one of each pair occurs; other constants are free.

        >>> Space.paired(["black", "white"], {"black": "white", "white": "black"}).fields
        (3,)
        """
        groups: list[Group] = []
        done: set[Hashable] = set()
        wanted = list(dict.fromkeys(constants))
        for c in wanted:
            if c in done:
                continue
            other = complement.get(c)
            if other is not None and other in wanted:
                groups.append(([c, other], np.array([[True, False], [False, True]])))
                done.add(other)
            else:
                groups.append(([c], np.array([[False], [True]])))
        return cls.of(groups)

    @cached_property
    def everything(self) -> int:
        """The cube without conditions."""
        return sum(self.fields)

    @cached_property
    def number(self) -> dict[Hashable, int]:
        """The number of each literal."""
        return {literal: i for i, literal in enumerate(self.literals)}

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """The highest bits of all fields, and the lowest."""
        highest = sum(1 << (field.bit_length() - 1) for field in self.fields)
        return highest, sum(field & -field for field in self.fields)

    def inverted(self) -> "Space":
        """Return the same groups with each literal true where it was false, for dual formulas."""
        states = [self.fields[g] & ~s for g, s in zip(self.group, self.states, strict=True)]
        return Space(self.literals, self.fields, self.group, tuple(states))

    def cube(self, literals: Iterable[int]) -> int:
        """Return the conjunction of some literals."""
        out = self.everything
        for i in literals:
            out &= self.states[i] | ~self.fields[self.group[i]]
        return out

    def occurs(self, cube: int) -> bool:
        """Return whether every group has a state left.

        All fields are checked at once: after its highest bit is set and one is subtracted at its
        lowest, a field keeps the highest bit only if another bit was set.
        """
        highest, lowest = self._ends
        return (((cube | highest) - lowest) | cube) & highest == highest

    def clause(self, literals: Iterable[Hashable]) -> Disjunction | None:
        """Return a disjunction without literals that imply another, or ``None`` if always true."""
        numbers = {self.number[literal] for literal in literals}
        union = self.union(numbers)
        if any(union & field == field for field in self.fields):
            return None
        return frozenset(i for i in numbers if not any(self._idle(i, j) for j in numbers))

    def union(self, literals: Iterable[int]) -> int:
        """Return the states that make one of the literals true."""
        out = 0
        for i in literals:
            out |= self.states[i]
        return out

    def terms(self, cube: int) -> tuple[int, ...]:
        """Return the fewest literals whose conjunction is the cube."""
        chosen: list[int] = []
        for field in self.fields:
            wanted = cube & field
            if wanted != field:
                chosen += self._within(field, wanted)
        return tuple(chosen)

    def _idle(self, i: int, j: int) -> bool:
        """Return whether literal ``i`` is redundant in a clause with ``j``."""
        mine, other = self.states[i], self.states[j]
        return i != j and mine & ~other == 0 and (mine != other or j < i)

    def _within(self, field: int, wanted: int) -> list[int]:
        above = [i for i, s in enumerate(self.states) if s & field and wanted & ~s == 0]
        for n in (1, 2):
            for some in combinations(above, n):
                if self.cube(some) & field == wanted:
                    return list(some)
        chosen, left = [], field
        for i in sorted(above, key=lambda i: self.states[i].bit_count()):
            if left & ~self.states[i]:
                chosen.append(i)
                left &= self.states[i]
            if left == wanted:
                break
        return chosen


def absorb(cubes: Iterable[int]) -> list[int]:
    """Return the cubes that lie in no other."""
    kept: list[int] = []
    for cube in sorted(set(cubes), key=lambda c: (-c.bit_count(), c)):
        if not any(cube & ~larger == 0 for larger in kept):
            kept.append(cube)
    return kept


def distribute(clauses: Iterable[Disjunction], space: Space, limit: int = MOST_CUBES) -> list[int]:
    """Return a conjunction of clauses as a disjunction of cubes.

    The distributive law is applied with absorption, and conjunctions that cannot occur are dropped.
    If every group has two states the result has all prime implicants (Nelson's theorem).
    """
    cubes = [space.everything]
    for clause in sorted(clauses, key=lambda c: (len(c), sorted(c))):
        union = space.union(clause)
        implied = [any(c & f and not c & f & ~union for f in space.fields) for c in cubes]
        grown = [
            product
            for cube, done in zip(cubes, implied, strict=True)
            if not done
            for i in sorted(clause)
            if space.occurs(product := cube & space.cube([i]))
        ]
        kept = [cube for cube, done in zip(cubes, implied, strict=True) if done]
        if len(grown) > 4 * limit:
            _too_large(len(grown), limit)
        cubes = absorb(kept + grown)
        if len(cubes) > limit:
            _too_large(len(cubes), limit)
    return cubes


def _too_large(n: int, limit: int) -> None:
    raise FormulaTooLarge(
        f"the distributive law leads to {n:,} conjunctions and more; the limit is {limit:,}: "
        "use the conjunctive form, or a definition of fewer clauses"
    )


Numbers = Integers

MOST_STATES = 1 << 12
MOST_PRODUCTS = 1 << 20
MOST_PRIMES = 2000
"""Limits of the exact minimisation: states, conjunctions and primes."""

NODES = 500
"""Node limit of the integer program. A limit in nodes, not seconds, gives the same formula on every
machine; at the limit the cover is valid but may not be shortest."""

STEPS = 20_000
"""Maximum number of case distinctions before a conjunction counts as not covered."""


class Minimal(NamedTuple):
    """Conjunctions, and whether they are known to be the fewest."""

    cubes: list[int]
    is_exact: bool


def minimise(cubes: Sequence[int], space: Space) -> Minimal:
    """Return the fewest cubes with the same union, and of those the ones with the fewest literals.

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
    """Return whether the other cubes cover every combination of states of the cube.

    This is decided by case distinction; if there are too many cases, the result is false.
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
    """Return the sets of a group's states that conjunctions of literals allow, largest first."""
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
    """Return the largest products of cells that imply the table, as indices into ``cells``."""
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
    """Return the fewest rows that together are true everywhere, of equally many the smallest."""
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
    """Return the combinations of one true state of each side."""
    box = np.ones((), dtype=np.bool_)
    for side in sides:
        box = box[..., None] & np.array(side)
    return box
