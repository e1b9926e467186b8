"""Literals that exclude and imply each other, and conjunctions of them as bit masks.

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

import numpy as np

from atomlearn.errors import FormulaTooLarge
from atomlearn.logic.formulas import Bits

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
        """A space in which every combination of the constants occurs."""
        return cls.of(([c], np.array([[False], [True]])) for c in constants)

    @classmethod
    def paired(
        cls, constants: Iterable[Hashable], complement: "dict[Hashable, Hashable]"
    ) -> "Space":
        """A space in which exactly one of each pair occurs; other constants are free.

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
        """The same groups, each literal true where it was false: for formulas turned inside out."""
        states = [self.fields[g] & ~s for g, s in zip(self.group, self.states, strict=True)]
        return Space(self.literals, self.fields, self.group, tuple(states))

    def cube(self, literals: Iterable[int]) -> int:
        """The conjunction of some literals."""
        out = self.everything
        for i in literals:
            out &= self.states[i] | ~self.fields[self.group[i]]
        return out

    def occurs(self, cube: int) -> bool:
        """Is a state of every group left?

        All fields at once: with its highest bit set a field can spare its lowest, and keeps the
        highest only if another bit was there.
        """
        highest, lowest = self._ends
        return (((cube | highest) - lowest) | cube) & highest == highest

    def clause(self, literals: Iterable[Hashable]) -> Disjunction | None:
        """A disjunction without literals that imply another; ``None`` if it is always true."""
        numbers = {self.number[literal] for literal in literals}
        union = self.union(numbers)
        if any(union & field == field for field in self.fields):
            return None
        return frozenset(i for i in numbers if not any(self._idle(i, j) for j in numbers))

    def union(self, literals: Iterable[int]) -> int:
        """The states that make one of the literals true."""
        out = 0
        for i in literals:
            out |= self.states[i]
        return out

    def terms(self, cube: int) -> tuple[int, ...]:
        """The fewest literals whose conjunction is the cube."""
        chosen: list[int] = []
        for field in self.fields:
            wanted = cube & field
            if wanted != field:
                chosen += self._within(field, wanted)
        return tuple(chosen)

    def _idle(self, i: int, j: int) -> bool:
        """Is literal ``i`` redundant in a clause with ``j``?"""
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
    """The cubes that lie in no other."""
    kept: list[int] = []
    for cube in sorted(set(cubes), key=lambda c: (-c.bit_count(), c)):
        if not any(cube & ~larger == 0 for larger in kept):
            kept.append(cube)
    return kept


def distribute(clauses: Iterable[Disjunction], space: Space, limit: int = MOST_CUBES) -> list[int]:
    """A conjunction of clauses as a disjunction of cubes: the distributive law with absorption.

    Conjunctions that cannot occur vanish. If every group has two states all prime implicants come
    out (Nelson's theorem).
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
