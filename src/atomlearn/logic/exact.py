"""Exact atomizations: the atoms of a constant whose meaning is known as a first-order formula.

``v < I`` holds in a model if ``I`` has one of the constants of every atom of ``v``: a conjunction
of disjunctions. A formula in that form *is* the atomization, one atom a clause (appendix "Exact
atomizations" of the paper). Clauses with a constant and its complement are trivial; clauses that
contain another are redundant (Theorem 5, as every constant has an atom of its own). Without these,
what is left is exact, and usually far too large to be listed: it is counted, sampled and asked.

The clauses of a formula in conjunctive normal form are not written down but indexed (the paper's
map index). ``∨_j ∧_i c_ij = ∧_{j→i} ∨_j c_{i(j)j}``: a disjunction has one clause for each choice
of a clause of every part, a conjunction has the clauses of all parts (appendix "Exact
atomizations"). So the number of clauses is a product or a sum, and most questions take one walk
through the formula.

Literals are numbered; sets of them are integers used as bit masks.
"""

import math
import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.errors import ModelTooLarge, UnknownConstant
from atomlearn.logic.formulas import And, Formula, Has, Not, Odd, Or, Pairs, complements
from atomlearn.typing import Bits

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.algebra.model import Model


MOST_SIBLINGS = 512
"""Maximum number of parts of a conjunction that are compared pairwise."""


class Kind(Enum):
    """The kind of a node: a literal, a conjunction or a disjunction."""

    LITERAL = "literal"
    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, eq=False)
class Node:
    """A formula without negations, with facts about its clauses."""

    kind: Kind
    parts: tuple["Node", ...]
    literals: int
    """The literals that occur in it."""
    bound: int
    """Number of clauses that the map index runs over."""
    certain: bool
    """Whether certainly no clause is trivial, repeated or a superset of another."""
    met: tuple[int, ...]
    """Sets of literals that each share a literal with every clause."""


def literal(number: int) -> Node:
    """Return a node with one clause of one literal."""
    mask = 1 << number
    return Node(Kind.LITERAL, (), mask, 1, True, (mask,))


NOTHING = Node(Kind.ANY, (), 0, 1, True, ())
"""The false formula: one clause, which nothing satisfies."""
EVERYTHING = Node(Kind.ALL, (), 0, 0, True, ())
"""The true formula: no clause."""


def any_of(parts: Sequence[Node], opposite: Sequence[int]) -> Node:
    """Return the disjunction ``∨``, whose clauses join one clause of each part.

    ``opposite[i]`` is the literal ``¬i``.
    """
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
    """Return the conjunction ``∧``, which has the clauses of all parts."""
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
    """Return the formulas that an odd and an even number of parts is true.

    ``false`` are the parts negated.
    """
    odd, even = NOTHING, EVERYTHING
    for yes, no in zip(true, false, strict=True):
        odd, even = (
            all_of([any_of([odd, yes], opposite), any_of([even, no], opposite)]),
            all_of([any_of([odd, no], opposite), any_of([even, yes], opposite)]),
        )
    return odd, even


def _are_apart(parts: Sequence[Node], literals: int) -> bool:
    """Return whether certainly no clause of a part is contained in a clause of another."""
    if sum(part.literals.bit_count() for part in parts) == literals.bit_count():
        return True  # they have no literal in common
    return (
        len(parts) <= MOST_SIBLINGS
        and len({id(part) for part in parts}) == len(parts)
        and all(_never_within(a, b) for a in parts for b in parts if a is not b)
    )


def _never_within(a: Node, b: Node) -> bool:
    """Return whether certainly no clause of ``a`` is contained in a clause of ``b``."""
    return any(not mask & b.literals for mask in a.met)


def reverted(mask: int, opposite: Sequence[int]) -> int:
    """Replace each literal by its opposite, if it has one (``-1``: it has none)."""
    out = 0
    for i in members(mask):
        if opposite[i] >= 0:
            out |= 1 << opposite[i]
    return out


def members(mask: int) -> list[int]:
    """Return the numbers in a set, ascending.

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
    """Yield every clause that the map index runs over, one at a time."""
    if node.kind is Kind.LITERAL:
        yield node.literals
    elif node.kind is Kind.ALL:
        for part in node.parts:
            yield from clauses(part)
    else:
        yield from _joined(node.parts)


def _joined(parts: tuple[Node, ...]) -> Iterator[int]:
    """Yield unions of one clause of each part, in a loop: there may be as many parts as pixels."""
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
    """Draw a random value of the map index and return its clause."""
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
    """Return for each row of ``sets`` (rows × literals) whether it contains some clause.

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
    """Return for each row whether some clause contains it; the node has to be ``certain``.

    Literals of the set outside the node are left to the caller.
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


MAX_CLAUSES = 200_000
"""Default limit for enumerating clauses."""

AT_ONCE = 1 << 24
"""Maximum number of truth values in memory at a time."""


class ExactAtomization:
    """The exact atoms of ``h`` where ``(h < I) ⇔ formula``.

    Parameters
    ----------
    formula : Formula
        The meaning of the constant ``h``.
    complementary : iterable of pairs or mapping, default=()
        Pairs of constants of which a term has exactly one, as the black and the white of a pixel:
        each stands for the negation of the other.

    Examples
    --------
    >>> from atomlearn.logic.formulas import exists, forall
    >>> bar = exists(range(2), lambda j: forall(range(3), lambda i: Has(f"c{i}{j}")))
    >>> exact = ExactAtomization(bar)                       # a bar in images of 3 × 2: 9 atoms
    >>> exact.count(), sorted(next(iter(exact)))
    (9, ['c00', 'c01'])
    >>> large = exists(range(15), lambda j: forall(range(15), lambda i: Has((i, j))))
    >>> ExactAtomization(large).count() == 15**15
    True
    """

    def __init__(self, formula: Formula, complementary: Pairs = ()) -> None:
        self.formula = formula
        self.complement = complements(complementary)
        self.constants: tuple[Hashable, ...] = tuple(
            dict.fromkeys(
                name
                for constant in formula.constants()
                for name in (constant, self.complement.get(constant))
                if name is not None
            )
        )
        self._number = {name: i for i, name in enumerate(self.constants)}
        self._opposite = [
            self._number.get(self.complement.get(name), -1) for name in self.constants
        ]
        self._node = self._compiled(formula, False, {})

    def __repr__(self) -> str:
        exactly = "" if self._node.certain else "at most "
        return f"<ExactAtomization: {exactly}{_shown(self.bound)} atoms>"

    @property
    def bound(self) -> int:
        """Upper bound of the number of atoms: the number of values of the map index."""
        return self._node.bound

    def count(self, max_clauses: int = MAX_CLAUSES) -> int:
        """Return the number of atoms, by a closed formula where possible.

        Parameters
        ----------
        max_clauses : int, default=200000
            Maximum number of clauses that may be enumerated.

        Raises
        ------
        ModelTooLarge
            If more clauses would have to be enumerated.
        """
        if self._node.certain:
            return self.bound
        self._check_listable(max_clauses, "counting the exact atoms")
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[frozenset[Hashable]]:
        """Iterate over the atoms."""
        if self._node.certain:
            yield from map(self._names, clauses(self._node))
            return
        seen: set[int] = set()
        for clause in clauses(self._node):
            if clause not in seen:
                seen.add(clause)
                if self._is_atom(clause):
                    yield self._names(clause)

    def sample(self, n: int, random_state: int = 0) -> list[frozenset[Hashable]]:
        """Draw random atoms.

        The draw is uniform where :meth:`count` needs no enumeration; elsewhere a value of the map
        index is drawn and constants that are not needed are removed in random order.

        Parameters
        ----------
        n : int
            Number of atoms.
        random_state : int, default=0
            Random seed.

        Returns
        -------
        list of frozenset
            The atoms, which may repeat.

        Examples
        --------
        >>> exact = ExactAtomization(Has("a") & Has("b") | Has("c"))
        >>> all(atom in exact for atom in exact.sample(5))
        True
        """
        rng = random.Random(random_state)
        if self._node is EVERYTHING:
            return []
        atoms: list[frozenset[Hashable]] = []
        fruitless = 0
        while len(atoms) < n:
            clause = draw(self._node, rng)
            if not self._node.certain:
                if self._is_trivial(clause):
                    fruitless += 1
                    if fruitless > MAX_CLAUSES:
                        return atoms
                    continue
                clause = self._shrunk(clause, rng)
                fruitless = 0
            atoms.append(self._names(clause))
        return atoms

    def contains(self, atom: Iterable[Hashable]) -> bool:
        """Return whether a set of constants is one of the exact atoms.

        Parameters
        ----------
        atom : iterable of hashable
            The set of constants.

        Examples
        --------
        >>> exact = ExactAtomization(Has("a") & Has("b") | Has("c"))
        >>> exact.contains({"a", "c"}), exact.contains({"a"}), exact.contains({"a", "b", "c"})
        (True, False, False)
        """
        names = set(atom)
        if not names <= self._number.keys():
            return False
        return self._is_atom(sum(1 << self._number[name] for name in names))

    __contains__ = contains

    def follow(self, sets: Bits) -> Bits:
        """Return for each set whether it contains some exact atom.

        If it does, every term for which the formula is true shares a constant with the set.

        Parameters
        ----------
        sets : array of bool
            The sets, as rows × :attr:`constants`.
        """
        return np.concatenate(
            [has_clause_within(self._node, part) for part in self._chunks(sets)]
            or [np.zeros(0, dtype=np.bool_)]
        )

    def are_atoms(self, sets: Bits) -> Bits:
        """Return for each set whether it is an exact atom, as :meth:`contains` for many at once.

        Parameters
        ----------
        sets : array of bool
            The sets, as rows × :attr:`constants`.
        """
        trivial = self._trivial(sets)
        found = self.follow(sets) & ~trivial
        which = np.flatnonzero(found)
        rows, columns = np.nonzero(sets[which])
        step = max(1, AT_ONCE // max(1, sets.shape[1]))
        for start in range(0, len(rows), step):
            some = slice(start, start + step)
            smaller = sets[which[rows[some]]]
            smaller[np.arange(len(smaller)), columns[some]] = False
            found[which[rows[some][self.follow(smaller)]]] = False
        return found

    def lie_within_atoms(self, sets: Bits) -> Bits:
        """Return for each set whether some exact atom contains all of it.

        Parameters
        ----------
        sets : array of bool
            The sets, as rows × :attr:`constants`.
        """
        if self._node.certain:
            parts = [has_clause_around(self._node, part) for part in self._chunks(sets)]
            around = np.concatenate(parts or [np.zeros(0, dtype=np.bool_)])
            return around & (self.bound > 0) & ~sets[:, self._unused()].any(axis=1)
        self._check_listable(MAX_CLAUSES, "looking for atoms around others")
        found = np.zeros(len(sets), dtype=np.bool_)
        for atom in self:
            outside = np.ones(len(self.constants), dtype=np.bool_)
            outside[[self._number[name] for name in atom]] = False
            found |= ~sets[:, outside].any(axis=1)
        return found

    def inverse(self) -> "ExactAtomization":
        """Return the inverse problem: the exact atoms of ``¬h``."""
        return ExactAtomization(~self.formula, self.complement)

    def reverted(self, atom: Iterable[Hashable]) -> frozenset[Hashable]:
        """Return an atom with each constant replaced by its complement.

        Parameters
        ----------
        atom : iterable of hashable
            The atom.
        """
        return frozenset(self._complement_of(name) for name in atom)

    def model(
        self,
        algebra: "Algebra",
        constant: str,
        *,
        max_clauses: int = MAX_CLAUSES,
        free: bool = True,
    ) -> "Model":
        """Return the model in which a constant means the formula.

        Parameters
        ----------
        algebra : Algebra
            The constants.
        constant : str
            The constant to be defined.
        max_clauses : int, default=200000
            Maximum number of clauses that may be enumerated.
        free : bool, default=True
            Whether all other constants have an atom of their own.

        Returns
        -------
        Model
            The model, without any other relation if ``free``.

        Raises
        ------
        ModelTooLarge
            If more clauses would have to be enumerated.

        Examples
        --------
        >>> from atomlearn import Algebra
        >>> alg = Algebra(["v", "a", "b", "c"])
        >>> model = ExactAtomization(Has("a") & Has("b") | Has("c")).model(alg, "v")
        >>> model.holds(alg["v"] <= alg.term("a b")), model.holds(alg["v"] <= alg["a"])
        (True, False)
        """
        from atomlearn.sets import rows

        self._check_listable(max_clauses, "listing the exact atoms")
        place = {name: i for i, name in enumerate(algebra.vocabulary.names)}
        absent = [str(name) for name in (constant, *self.constants) if name not in place]
        if absent:
            raise UnknownConstant(f"the algebra has no constant {absent[0]!r}: add it first")
        own = [sorted(place[str(name)] for name in (constant, *atom)) for atom in self]
        alone = [[i] for name, i in place.items() if free and name != constant]
        return algebra.model_of(rows.from_indices(own + alone, len(place)))

    # -- inside

    def _compiled(self, formula: Formula, negated: bool, known: dict[Any, Node]) -> Node:
        """Push negations inward until only complements of constants are left."""
        key = (id(formula), negated)
        if key in known:
            return known[key]
        if isinstance(formula, Has):
            name = self._complement_of(formula.constant) if negated else formula.constant
            node = literal(self._number[name])
        elif isinstance(formula, Not):
            node = self._compiled(formula.part, not negated, known)
        elif isinstance(formula, And | Or):
            parts = [self._compiled(part, negated, known) for part in formula.parts]
            both = isinstance(formula, And) != negated
            node = all_of(parts) if both else any_of(parts, self._opposite)
        elif isinstance(formula, Odd):
            true = [self._compiled(part, False, known) for part in formula.parts]
            false = [self._compiled(part, True, known) for part in formula.parts]
            node = odd_of(true, false, self._opposite)[negated]
        else:
            raise TypeError(f"{formula!r} is not a formula")
        known[key] = node
        return node

    def _complement_of(self, name: Hashable) -> Hashable:
        if name not in self.complement:
            raise UnknownConstant(
                f"what stands for the absence of {name!r}? Name it: complementary=[({name!r}, ...)]"
            )
        return self.complement[name]

    def _names(self, clause: int) -> frozenset[Hashable]:
        return frozenset(self.constants[i] for i in members(clause))

    def _is_trivial(self, clause: int) -> bool:
        return bool(clause & reverted(clause, self._opposite))

    def _is_atom(self, clause: int) -> bool:
        return bool(self.are_atoms(self._row(clause)[None, :])[0])

    def _row(self, clause: int) -> Bits:
        row = np.zeros(len(self.constants), dtype=np.bool_)
        row[members(clause)] = True
        return row

    def _shrunk(self, clause: int, rng: random.Random) -> int:
        order = members(clause)
        rng.shuffle(order)
        for i in order:
            if self.follow(self._row(clause & ~(1 << i))[None, :])[0]:
                clause &= ~(1 << i)
        return clause

    def _trivial(self, sets: Bits) -> Bits:
        paired = [(i, j) for i, j in enumerate(self._opposite) if j > i]
        if not paired:
            return np.zeros(len(sets), dtype=np.bool_)
        left, right = map(list, zip(*paired, strict=True))
        return np.asarray((sets[:, left] & sets[:, right]).any(axis=1))

    def _unused(self) -> list[int]:
        return members(((1 << len(self.constants)) - 1) & ~self._node.literals)

    def _chunks(self, sets: Bits) -> Iterator[Bits]:
        step = max(1, AT_ONCE // max(1, 8 * sets.shape[1]))
        for start in range(0, len(sets), step):
            yield sets[start : start + step]

    def _check_listable(self, max_clauses: int, what: str) -> None:
        if self.bound > max_clauses:
            raise ModelTooLarge(
                f"{what} would go through up to {_shown(self.bound)} clauses; "
                f"max_clauses is {max_clauses:,}: raise it, or "
                "use sample(), contains() or bound",
                estimate=self.bound,
                limit=max_clauses,
            )


def _shown(n: int) -> str:
    """Return a number as text; very large ones as a power of ten."""
    return f"{n:,}" if n < 10**100 else f"about 10^{int((n.bit_length() - 1) * math.log10(2))}"
