"""The graphs of ``M`` and ``M*`` as the paper draws them: nodes and edges, transitively closed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from tests.naive.terms import Constant, Relation, Term


@dataclass(frozen=True, order=True)
class Atom:
    """An atom of ``M``; atoms sort by age."""

    number: int
    name: str = field(compare=False)


@dataclass(frozen=True, order=True)
class DualAtom:
    """An atom of ``M*``, ``ζ``; they sort by age."""

    number: int
    name: str = field(compare=False)


@dataclass(frozen=True)
class Dual:
    """``[x]``: a constant of ``M*`` if ``x`` is a term, a dual-of-atom if ``x`` is an atom."""

    of: Term | Atom


Node = Term | Atom | Dual | DualAtom


class Graph:
    """Nodes and directed edges, transitively closed at all times."""

    def __init__(self) -> None:
        self.above: dict[Node, set[Node]] = {}
        self.below: dict[Node, set[Node]] = {}

    def add_node(self, x: Node) -> None:
        """A node without edges."""
        self.above.setdefault(x, set())
        self.below.setdefault(x, set())

    def add_edge(self, x: Node, y: Node) -> None:
        """``x → y`` and all that follows by transitivity."""
        targets = self.above[y] | {y}
        for source in self.below[x] | {x}:
            self.above[source] |= targets
            for target in targets:
                self.below[target].add(source)

    def delete_node(self, x: Node) -> None:
        """The node and its edges go; the edges that went through it stay."""
        for y in self.above.pop(x) - {x}:
            self.below[y].remove(x)
        for y in self.below.pop(x) - {x}:
            self.above[y].remove(x)

    def GL(self, x: Node) -> set[Node]:  # noqa: N802
        """``{y : y → x or y = x}``."""
        return self.below[x] | {x}

    def GU(self, x: Node) -> set[Node]:  # noqa: N802
        """``{y : x → y}``."""
        return set(self.above[x])


class Embedding(Graph):
    """The graphs of ``M`` and ``M*`` for a set ``R`` of relations (paper, sections 2.3 to 2.6).

    ``M`` starts with the atom 0 of all constants; ``M*`` with the atom 0* of all duals, the edges
    of ``M`` reversed, and ``[b] → [a]`` for each positive ``a < b``.
    """

    def __init__(
        self,
        constants: Iterable[Constant],
        positives: Sequence[Relation],
        negatives: Sequence[Relation],
    ) -> None:
        super().__init__()
        self.constants = sorted(constants)
        self.positives, self.negatives = list(positives), list(negatives)
        self.terms: list[Term] = []
        self.born = 0
        for x in [frozenset({c}) for c in self.constants]:
            self.add_term(x)
        for x in chain.from_iterable(self.positives + self.negatives):
            self.add_term(x)
        self.zero = self.add_atom(*(frozenset({c}) for c in self.constants), name="0")
        self.zero_star = self.add_dual_atom(*(Dual(x) for x in self.terms), name="0*")
        for a, b in self.positives:
            self.add_edge(Dual(b), Dual(a))

    def add_term(self, x: Term) -> None:
        """A constant or term and its dual, with an edge from each part and to each whole."""
        if x in self.above:
            return
        self.add_node(x)
        self.add_node(Dual(x))
        for y in self.terms:
            if y < x:
                self.add_edge_and_dual(y, x)
            elif x < y:
                self.add_edge_and_dual(x, y)
        self.terms.append(x)

    def add_edge_and_dual(self, x: Term | Atom, y: Term | Atom) -> None:
        """``x → y`` in ``M`` and ``[y] → [x]`` in ``M*``."""
        self.add_edge(x, y)
        self.add_edge(Dual(y), Dual(x))

    def add_atom(self, *uppers: Term | Atom, name: str = "") -> Atom:
        """A new atom of ``M`` edged to constants or to atoms, with its dual."""
        atom = Atom(self.next_number(), name)
        self.add_node(atom)
        self.add_node(Dual(atom))
        for x in uppers:
            self.add_edge_and_dual(atom, x)
        return atom

    def add_dual_atom(self, *uppers: Dual, name: str = "") -> DualAtom:
        """A new atom of ``M*`` edged to duals of constants or terms."""
        zeta = DualAtom(self.next_number(), name)
        self.add_node(zeta)
        for h in uppers:
            self.add_edge(zeta, h)
        return zeta

    def next_number(self) -> int:
        """Ages of atoms."""
        self.born += 1
        return self.born

    def delete_atoms(self, atoms: Iterable[Atom | DualAtom]) -> None:
        """Atoms go with their duals."""
        for atom in atoms:
            self.delete_node(atom)
            if isinstance(atom, Atom):
                self.delete_node(Dual(atom))

    def A(self) -> set[Atom]:  # noqa: N802
        """``A(M)``."""
        return {x for x in self.above if isinstance(x, Atom)}

    def A_dual(self) -> set[DualAtom]:  # noqa: N802
        """``A(M*)``."""
        return {x for x in self.above if isinstance(x, DualAtom)}

    def GLa(self, x: Node) -> set[Any]:  # noqa: N802
        """``GLᵃ(x)``: the atoms below, of ``M`` or of ``M*`` as ``x`` is of one or the other."""
        atoms = self.A_dual() if isinstance(x, Dual | DualAtom) else self.A()
        return self.GL(x) & atoms

    def dis(self, a: Node, b: Node) -> set[Any]:
        """``GLᵃ(a) \\ GLᵃ(b)``."""
        return self.GLa(a) - self.GLa(b)

    def less(self, a: Node, b: Node) -> bool:
        """``a < b``: the discriminant is empty."""
        return not self.dis(a, b)

    def Tr(self, x: Term | Atom) -> set[DualAtom]:  # noqa: N802
        """``∩ GLᵃ([φ])`` over the atoms ``φ`` of ``x`` (all of ``A(M*)``, if it has none)."""
        return self.A_dual().intersection(*(self.GLa(Dual(phi)) for phi in self.GLa(x)))

    def constants_above(self, atom: Atom) -> Term:
        """``Uᶜ(φ)``: how the second layer writes an atom."""
        return frozenset(c for c in self.constants if frozenset({c}) in self.GU(atom))

    def constants_in(self, zeta: DualAtom) -> Term:
        """``S_ζ``: how the second layer writes a dual atom."""
        return frozenset(c for c in self.constants if Dual(frozenset({c})) in self.GU(zeta))

    def as_sets(self) -> tuple[list[Term], list[Term]]:
        """The atoms and the witnesses of the second layer, oldest first."""
        atoms = [self.constants_above(phi) for phi in sorted(self.A())]
        return atoms, [self.constants_in(zeta) for zeta in sorted(self.A_dual())]
