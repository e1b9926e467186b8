"""Hamiltonian cycles and paths of a graph, from its edges.

A choice is a vertex at a place of the cycle. One vertex a place, one place a vertex, and vertices
in neighbouring places are joined by an edge. The first vertex is at the first place. A path is the
same without an edge from the last place to the first, and begins anywhere.

>>> cycle = next(solve("a b\\nb c\\nc d\\nd a\\na c", random_state=0))
>>> cycle.vertices in (("a", "b", "c", "d"), ("a", "d", "c", "b"))
True
>>> next(solve_path("a b\\nb c\\nc d", start="d", random_state=0)).vertices
('d', 'c', 'b', 'a')
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

from atomlearn.algebra.algebra import Algebra
from atomlearn.engine.protocol import Protocol
from atomlearn.errors import InvalidProblem, suggest
from atomlearn.problems.game import Answer, Choices, PartialSolution, Rules, one_of_each, play
from atomlearn.problems.graphs import Graph, graph
from atomlearn.problems.solving import Schedule, Solver
from atomlearn.sets.random import Seed


def choice(vertex: str, place: int) -> str:
    """Return the name of a choice.

    >>> choice("a", 0)
    'a@1'
    """
    return f"{vertex}@{place + 1}"


def _groups(g: Graph) -> Iterator[list[str]]:
    """Yield the groups of choices: one place a vertex, and one vertex a place."""
    places = range(len(g.vertices))
    yield from ([choice(v, p) for p in places] for v in g.vertices)
    yield from ([choice(v, p) for v in g.vertices] for p in places)


def _rules(g: Graph, closed: bool = True) -> Rules:
    n = len(g.vertices)
    strangers = {v: [w for w in g.vertices if w != v and not g.adjacent(v, w)] for v in g.vertices}

    def beside(place: int) -> list[int]:
        around = (place - 1, place + 1)
        return [p % n for p in around] if closed else [p for p in around if 0 <= p < n]

    apart = {
        choice(v, p): [choice(w, other) for w in strangers[v] for other in beside(p)]
        for v in g.vertices
        for p in range(n)
    }
    return one_of_each(_groups(g), also=apart)


def rules(source: Any) -> Algebra:
    """Return the rules of a graph for a cycle through all its vertices."""
    return Choices(_rules(_checked(source))).rule_set()


def algebra(source: Any) -> Algebra:
    """Return the rules as relations, with the first vertex at the first place.

    Parameters
    ----------
    source : list of edges, str or networkx graph
        The graph.

    Returns
    -------
    Algebra
        The relations.

    Examples
    --------
    >>> algebra([("a", "b"), ("b", "c"), ("c", "a")]).conflicts()
    []
    """
    g = _checked(source)
    return Choices(_rules(g)).algebra([choice(g.vertices[0], 0)])


def is_legal(g: Graph, cycle: tuple[str, ...], closed: bool = True) -> bool:
    """Return whether it is a cycle (or a path) through every vertex, without the algebra."""
    steps = list(pairwise(cycle + cycle[:1] if closed else cycle))
    return sorted(cycle) == sorted(g.vertices) and all(g.adjacent(v, w) for v, w in steps)


@dataclass(frozen=True, repr=False)
class Cycle(Answer):
    """A cycle in which ``?`` is an unknown place."""

    fields: ClassVar[tuple[str, ...]] = ("vertices",)
    closed: ClassVar[bool] = True

    vertices: tuple[str, ...]
    graph: Graph = field(repr=False)

    @property
    def progress(self) -> str:
        """Degree of completeness."""
        known = sum(vertex != "?" for vertex in self.vertices)
        return f"{known} of {len(self.vertices)} places"

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Pairs of neighbouring places, from the first on."""
        return list(pairwise(self.vertices + self.vertices[:1] if self.closed else self.vertices))

    def solved(self) -> bool:
        """Return whether it is complete, and a cycle (or a path) of the graph."""
        return is_legal(self.graph, self.vertices, self.closed)

    def __str__(self) -> str:
        return " - ".join((self.vertices[0], *(after for _, after in self.steps)))


@dataclass(frozen=True)
class HamiltonianPath(Cycle):
    """A path in which ``?`` is an unknown place."""

    closed: ClassVar[bool] = False


def solve(
    source: Any,
    *,
    random_state: Seed = None,
    max_epochs: int = 100,
    schedule: Schedule | None = None,
    on_epoch: Callable[[Cycle], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[Cycle]:
    """Return an iterator of Hamiltonian cycles, as they are found, in both directions.

    Parameters
    ----------
    source : list of edges, str or networkx graph
        The graph.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same cycles.
    max_epochs : int, default=100
        Maximum number of epochs.
    schedule : Schedule, default=None
        Which epochs are idle, and when choices are inserted.
    on_epoch : callable, default=None
        A function that is called with the cycle of every epoch.
    protocol : {"default", "letter"} or Protocol, default="default"
        How an epoch is run.

    Returns
    -------
    Solver of Cycle
        The iterator.

    Examples
    --------
    >>> len(next(solve([("a", "b"), ("b", "c"), ("c", "a")], random_state=0)).vertices)
    3
    """
    g = _checked(source)
    first = choice(g.vertices[0], 0)  # a cycle begins anywhere
    return Solver(
        play(_rules(g), [first], assumed=[first]),
        lambda shown: Cycle(_places(g, shown), g, **shown.origin),
        random_state=random_state,
        max_epochs=max_epochs,
        schedule=schedule,
        on_epoch=on_epoch,
        protocol=protocol,
    )


def solve_path(
    source: Any,
    *,
    start: str | None = None,
    end: str | None = None,
    random_state: Seed = None,
    max_epochs: int = 100,
    schedule: Schedule | None = None,
    on_epoch: Callable[[HamiltonianPath], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[HamiltonianPath]:
    """Return an iterator of Hamiltonian paths, optionally from ``start`` to ``end``."""
    g = _checked(source)
    given = []
    for vertex, place in ((start, 0), (end, len(g.vertices) - 1)):
        if vertex is not None:
            if vertex not in g.vertices:
                raise InvalidProblem(
                    f"the graph has no vertex {vertex!r}{suggest(vertex, g.vertices)}"
                )
            given.append(choice(vertex, place))
    return Solver(
        play(_rules(g, closed=False), given),
        lambda shown: HamiltonianPath(_places(g, shown), g, **shown.origin),
        random_state=random_state,
        max_epochs=max_epochs,
        schedule=schedule,
        on_epoch=on_epoch,
        protocol=protocol,
    )


def _places(g: Graph, shown: PartialSolution) -> tuple[str, ...]:
    def at(place: int) -> str:
        found = [v for v in g.vertices if choice(v, place) in shown.chosen]
        return found[0] if len(found) == 1 else "?"

    return tuple(at(p) for p in range(len(g.vertices)))


def _checked(source: Any) -> Graph:
    g = graph(source)
    if len(g.vertices) < 3:
        raise InvalidProblem("a cycle or path has at least three vertices")
    if "?" in g.vertices:
        raise InvalidProblem("a vertex cannot be named ?")
    return g
