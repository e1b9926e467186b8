"""The paper's map index: the clauses of a formula in conjunctive normal form, not written down.

``∨_j ∧_i c_ij = ∧_{j→i} ∨_j c_{i(j)j}``: a disjunction has one clause for each choice of a clause
of every part, a conjunction has the clauses of all parts (appendix "Exact atomizations"). So the
number of clauses is a product or a sum, and most questions take one walk through the formula.

Literals are numbered; sets of them are integers used as bit masks.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.bool_]

MOST_SIBLINGS = 512
"""Parts of a conjunction that are held against each other, two by two."""


class Kind(Enum):
    """What a node is: a literal, a conjunction or a disjunction."""

    LITERAL = "literal"
    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, eq=False)
class Node:
    """A formula without negations, and what is known of its clauses."""

    kind: Kind
    parts: tuple["Node", ...]
    literals: int
    """The literals that occur in it."""
    bound: int
    """How many clauses the map index runs over."""
    certain: bool
    """Is it clear that no clause is trivial, double or larger than another?"""
    met: tuple[int, ...]
    """Sets of literals of which every clause has one."""


def literal(number: int) -> Node:
    """One clause of one literal."""
    mask = 1 << number
    return Node(Kind.LITERAL, (), mask, 1, True, (mask,))


NOTHING = Node(Kind.ANY, (), 0, 1, True, ())
"""False: one clause, which nothing satisfies."""
EVERYTHING = Node(Kind.ALL, (), 0, 0, True, ())
"""True: no clause."""


def any_of(parts: Sequence[Node], opposite: Sequence[int]) -> Node:
    """``∨``: a clause is one of each part, joined. ``opposite[i]`` is the literal ``¬i``."""
    if any(part is EVERYTHING for part in parts):
        return EVERYTHING
    parts = [part for part in parts if part is not NOTHING]
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    literals, bound, apart = 0, 1, True
    spoken = 0
    for part in parts:
        about = part.literals | reverted(part.literals, opposite)
        apart = apart and not spoken & about
        spoken |= about
        literals |= part.literals
        bound *= part.bound
    certain = apart and all(part.certain for part in parts)
    met = tuple(dict.fromkeys(mask for part in parts for mask in part.met))
    return Node(Kind.ANY, tuple(parts), literals, bound, certain, met)


def all_of(parts: Sequence[Node]) -> Node:
    """``∧``: the clauses of all parts."""
    if any(part is NOTHING for part in parts):
        return NOTHING
    parts = [part for part in parts if part is not EVERYTHING]
    if len(parts) < 2:
        return parts[0] if parts else EVERYTHING
    literals = 0
    for part in parts:
        literals |= part.literals
    bound = sum(part.bound for part in parts)
    certain = all(part.certain for part in parts) and _are_apart(parts, literals)
    return Node(Kind.ALL, tuple(parts), literals, bound, certain, (literals,))


def odd_of(
    true: Sequence[Node], false: Sequence[Node], opposite: Sequence[int]
) -> tuple[Node, Node]:
    """An odd number of parts is true, and an even number; ``false`` are the parts negated."""
    odd, even = NOTHING, EVERYTHING
    for yes, no in zip(true, false, strict=True):
        odd, even = (
            all_of([any_of([odd, yes], opposite), any_of([even, no], opposite)]),
            all_of([any_of([odd, no], opposite), any_of([even, yes], opposite)]),
        )
    return odd, even


def _are_apart(parts: Sequence[Node], literals: int) -> bool:
    """Is it clear that no clause of a part is part of a clause of another?"""
    if sum(part.literals.bit_count() for part in parts) == literals.bit_count():
        return True  # they have no literal in common
    return (
        len(parts) <= MOST_SIBLINGS
        and len({id(part) for part in parts}) == len(parts)
        and all(_never_within(a, b) for a in parts for b in parts if a is not b)
    )


def _never_within(a: Node, b: Node) -> bool:
    """Is it clear that no clause of ``a`` is part of a clause of ``b``?"""
    return any(not mask & b.literals for mask in a.met)


def reverted(mask: int, opposite: Sequence[int]) -> int:
    """Each literal replaced by its opposite, if it has one (``-1``: it has none)."""
    out = 0
    for i in members(mask):
        if opposite[i] >= 0:
            out |= 1 << opposite[i]
    return out


def members(mask: int) -> list[int]:
    """The numbers in a set, ascending.

    >>> members(0b1010)
    [1, 3]
    """
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def clauses(node: Node) -> Iterator[int]:
    """Every clause that the map index runs over, one at a time."""
    if node.kind is Kind.LITERAL:
        yield node.literals
    elif node.kind is Kind.ALL:
        for part in node.parts:
            yield from clauses(part)
    else:
        yield from _joined(node.parts)


def _joined(parts: tuple[Node, ...]) -> Iterator[int]:
    """One clause of each part, in all ways; a loop, for there may be a part a pixel."""
    joined, choices = [0], [iter([0])]
    while choices:
        clause = next(choices[-1], None)
        if clause is None:
            choices.pop()
            joined.pop()
        elif len(choices) > len(parts):
            yield joined[-1] | clause
        else:
            joined.append(joined[-1] | clause)
            choices.append(clauses(parts[len(choices) - 1]))


def draw(node: Node, rng: random.Random) -> int:
    """One value of the map index at random, as the clause that it gives."""
    if node.kind is Kind.LITERAL:
        return node.literals
    if node.kind is Kind.ANY:
        clause = 0
        for part in node.parts:
            clause |= draw(part, rng)
        return clause
    at = rng.randrange(node.bound)
    for part in node.parts:
        if at < part.bound:
            return draw(part, rng)
        at -= part.bound
    raise AssertionError("the bounds of the parts add up to that of the whole")


def has_clause_within(node: Node, sets: Bits, known: dict[int, Bits] | None = None) -> Bits:
    """For each row of ``sets`` (rows × literals): is some clause part of it?

    That is the formula itself, evaluated where the literals of the set are false and no others.
    """
    known = {} if known is None else known
    if id(node) not in known:
        if node.kind is Kind.LITERAL:
            value = sets[:, node.literals.bit_length() - 1]
        elif node.kind is Kind.ALL:
            value = np.zeros(len(sets), dtype=np.bool_)
            for part in node.parts:
                value = value | has_clause_within(part, sets, known)
        else:
            value = np.ones(len(sets), dtype=np.bool_)
            for part in node.parts:
                value = value & has_clause_within(part, sets, known)
        known[id(node)] = value
    return known[id(node)]


def has_clause_around(node: Node, sets: Bits, known: dict[int, Bits] | None = None) -> Bits:
    """For each row: has some clause all of it? The node has to be ``certain``.

    The part of the set that lies outside the node's literals is the caller's to judge.
    """
    known = {} if known is None else known
    if id(node) not in known:
        value = np.ones(len(sets), dtype=np.bool_)
        if node.kind is Kind.ANY:  # the parts speak of different constants
            for part in node.parts:
                value = value & has_clause_around(part, sets, known)
        elif node.kind is Kind.ALL:
            value = np.zeros(len(sets), dtype=np.bool_)
            for part in node.parts:
                outside = members(node.literals & ~part.literals)
                inside = ~sets[:, outside].any(axis=1)
                value = value | (inside & has_clause_around(part, sets, known))
        known[id(node)] = value
    return known[id(node)]
