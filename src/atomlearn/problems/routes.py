"""Cycles and paths in a graph, with a choice for each edge.

At every vertex of a cycle exactly two edges are chosen; at one that a path may leave out, two or
none. A path is a cycle through one vertex more, the *hub*, which is joined to its ends. These rules
also allow several cycles side by side. When an epoch shows one that is too small, the relations
that reject it are added to the rules: not all its edges, and, where every vertex has to be visited,
at least two of the edges that leave it. So the rules grow with what was seen, and nothing is
searched.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeVar

from atomlearn.problems.game import Answer, PartialSolution
from atomlearn.problems.graphs import Graph
from atomlearn.problems.refuting import Refutation
from atomlearn.problems.solving import Solver
from atomlearn.problems.stated import Puzzle, Rule, over_open, play

A = TypeVar("A", bound=Answer)
Edge = tuple[str, str]

HUB = "*"
"""Joins the ends of a path, so that it is a cycle."""


def edge_name(one: str, other: str) -> str:
    """Return the name of an edge.

    >>> edge_name("a", "b")
    'a-b'
    """
    return f"({one})-{other}" if one.startswith("!") else f"{one}-{other}"


class Routes:
    """The edges of a graph as choices, and the rules of its cycles.

    Parameters
    ----------
    g : Graph
        The graph; with ``ends`` also the hub, joined to them, or to every vertex for ``None``.
    ends : sequence of str or None, default=()
        The ends of a path that are known; two, one, or ``None`` for a path that begins anywhere.
        Empty for a cycle.
    every : bool, default=True
        Whether every vertex has to be visited.
    """

    def __init__(self, g: Graph, ends: Sequence[str | None] = (), *, every: bool = True) -> None:
        self.hub = HUB
        while self.hub in g.vertices:
            self.hub += HUB
        self.every, self.closed = every, not ends
        self.vertices = g.vertices if self.closed else (self.hub, *g.vertices)
        order = {vertex: i for i, vertex in enumerate(self.vertices)}
        pairs = [tuple(sorted(edge, key=order.__getitem__)) for edge in g.edges]
        if not self.closed:
            reached = set(ends) if None not in ends else set(g.vertices)
            pairs += [(self.hub, vertex) for vertex in g.vertices if vertex in reached]
        pairs.sort(key=lambda pair: (order[pair[0]], order[pair[1]]))
        self.edges: dict[str, Edge] = {}
        self.names: dict[frozenset[str], str] = {}
        for one, other in pairs:
            name = edge_name(one, other)
            while name in self.edges:  # vertices with hyphens: a-b and c, a and b-c
                name += "'"
            self.edges[name] = one, other
            self.names[frozenset((one, other))] = name
        self.at: dict[str, list[str]] = {vertex: [] for vertex in self.vertices}
        for name, edge in self.edges.items():
            for vertex in edge:
                self.at[vertex].append(name)
        self.ends = tuple(end for end in ends if end is not None)
        given = frozenset(self.names[frozenset((self.hub, end))] for end in self.ends)
        self.puzzle = Puzzle(tuple(self.edges), (), tuple(self._rules()), given)

    def _rules(self) -> Iterator[Rule]:
        for vertex, edges in self.at.items():
            around = frozenset(edges)
            no = frozenset(f"!{edge}" for edge in edges)
            for one, other in combinations(edges, 2):
                both = frozenset((one, other))
                rest = no - {f"!{one}", f"!{other}"}
                if rest:
                    yield rest, both
                if self.every or vertex == self.hub:
                    yield both, rest
                else:
                    yield frozenset((other,)), rest | {one}
                    yield frozenset((one,)), rest | {other}
            for edge in edges:
                alone = no - {f"!{edge}"}
                contradiction = frozenset((edge, f"!{edge}"))
                yield (contradiction if self.every else frozenset((f"!{edge}",))), alone
            if not around and self.every and self.edges:
                some = next(iter(self.edges))
                yield frozenset((some, f"!{some}")), frozenset()

    def walk(self, chosen: Iterable[str], start: str) -> list[str]:
        """Return the vertices along chosen edges from one on, back to it or until they end."""
        joined = self._joined(chosen)
        found = [start]
        while onward := [v for v in joined.get(found[-1], []) if v not in found[-2:]]:
            if onward[0] in found:  # back at the start, or a vertex with more than two edges
                break
            found.append(onward[0])
        return found

    def cycles(self, chosen: Iterable[str]) -> list[list[str]]:
        """Return the vertices of each closed cycle of the chosen edges."""
        names = list(chosen)
        joined = self._joined(names)
        seen: set[str] = set()
        found = []
        for start in joined:
            if start in seen or any(len(near) > 2 for near in joined.values()):
                continue
            around = self.walk(names, start)
            seen.update(around)
            if len(around) > 2 and start in joined[around[-1]]:
                found.append(around)
        return found

    def too_small(self, cycle: list[str]) -> bool:
        """Return whether a cycle is not the one that is wanted."""
        return len(cycle) < len(self.vertices) if self.every else self.hub not in cycle

    def rejecting(self, cycle: list[str]) -> tuple[Rule, ...]:
        """Return the rules that reject a cycle which is too small."""
        steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        ring = [self.names[frozenset(step)] for step in steps]
        rules: list[Rule] = [(frozenset((f"!{edge}",)), frozenset(ring) - {edge}) for edge in ring]
        if self.every:
            inside = set(cycle)
            leaving = [n for n, (v, w) in self.edges.items() if (v in inside) != (w in inside)]
            no = frozenset(f"!{name}" for name in leaving)
            for one, other in combinations(leaving, 2):
                rules.append((frozenset((one, other)), no - {f"!{one}", f"!{other}"}))
        return tuple(rules)

    def _joined(self, chosen: Iterable[str]) -> dict[str, list[str]]:
        joined: dict[str, list[str]] = {}
        for name in chosen:
            one, other = self.edges[name]
            joined.setdefault(one, []).append(other)
            joined.setdefault(other, []).append(one)
        return joined


class RouteSolver(Solver[A]):
    """A solver that adds relations against every cycle it is shown which is too small."""

    def __init__(
        self, routes: Routes, answer: Callable[[PartialSolution], A], **options: Any
    ) -> None:
        super().__init__(play(routes.puzzle, refuse=False), answer, **options)
        self.routes = routes
        self.rejected: set[frozenset[str]] = set()
        """The vertices of the cycles that were rejected."""
        known = self.game.chosen | {f"!{name}" for name in self.game.excluded}
        self._known = frozenset(known)
        self._open = routes.puzzle.among(self._known)
        if self.refutation is not None:  # in the words of the graph, without the hub
            self.refutation = Refutation(routes.ends)

    def step(self) -> A | None:
        """Run one epoch, learn from what it shows, and return its answer if it is a solution."""
        answer = super().step()
        self._learn()
        return answer

    def _learn(self) -> None:
        latest: Any = self.latest
        new: list[Rule] = []
        for cycle in self.routes.cycles(latest.chosen):
            if self.routes.too_small(cycle) and frozenset(cycle) not in self.rejected:
                self.rejected.add(frozenset(cycle))
                new.extend(self.routes.rejecting(cycle))
        if not new:
            return
        added = replace(self.routes.puzzle, rules=tuple(new)).among(self._known)
        self._open = replace(self._open, rules=(*self._open.rules, *added.rules))
        game = replace(
            over_open(self._open), chosen=self.game.chosen, excluded=self.game.excluded,
            setting=self.game.setting,
        )  # fmt: skip
        if game.algebra.conflicts():
            # All cycles would be too small: a proof that there is none.
            self.refutation = Refutation(self.routes.ends)
        else:
            self.game = game
