"""Hamiltonian cycles and paths of a graph, from its edges.

A choice is an edge (:mod:`~atomlearn.problems.routes`): two at every vertex, and never a cycle that
leaves out others. A path is the same with one more vertex, which is joined to its ends.

>>> cycle = next(solve("a b\\nb c\\nc d\\nd a\\na c", random_state=0))
>>> cycle.vertices in (("a", "b", "c", "d"), ("a", "d", "c", "b"))
True
>>> next(solve_path("a b\\nb c\\nc d", start="d", random_state=0)).vertices
('d', 'c', 'b', 'a')
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

from atomlearn.algebra.algebra import Algebra
from atomlearn.engine.protocol import Protocol
from atomlearn.errors import InvalidProblem, suggest
from atomlearn.problems.game import Answer, PartialSolution
from atomlearn.problems.graphs import Graph, graph
from atomlearn.problems.routes import Routes, RouteSolver
from atomlearn.problems.solving import Schedule, Solver
from atomlearn.problems.stated import StatedChoices
from atomlearn.sets.random import Seed


def rules(source: Any) -> Algebra:
    """Return the rules of a graph for a cycle: two edges at every vertex."""
    return StatedChoices(Routes(_checked(source)).puzzle).rule_set()


def algebra(source: Any) -> Algebra:
    """Return the rules as relations, and that the solution is made of edges.

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
    return StatedChoices(Routes(_checked(source)).puzzle).algebra(())


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
    chosen: tuple[str, ...] = field(default=(), repr=False)
    """The edges that are chosen, by name."""

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
    max_epochs: int = 5000,
    schedule: Schedule | None = None,
    on_epoch: Callable[[Cycle], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[Cycle]:
    """Return an iterator of Hamiltonian cycles, as they are found, each in one direction.

    Parameters
    ----------
    source : list of edges, str or networkx graph
        The graph.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same cycles.
    max_epochs : int, default=5000
        Maximum number of epochs, which take milliseconds.
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
    return _solver(
        g, Routes(g), Cycle, None,
        random_state=random_state, max_epochs=max_epochs, schedule=schedule, on_epoch=on_epoch,
        protocol=protocol,
    )  # fmt: skip


def solve_path(
    source: Any,
    *,
    start: str | None = None,
    end: str | None = None,
    random_state: Seed = None,
    max_epochs: int = 5000,
    schedule: Schedule | None = None,
    on_epoch: Callable[[HamiltonianPath], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[HamiltonianPath]:
    """Return an iterator of Hamiltonian paths, optionally from ``start`` to ``end``."""
    g = _checked(source)
    for vertex in (start, end):
        if vertex is not None and vertex not in g.vertices:
            raise InvalidProblem(f"the graph has no vertex {vertex!r}{suggest(vertex, g.vertices)}")
    return _solver(
        g, Routes(g, (start, end)), HamiltonianPath, start or end,
        random_state=random_state, max_epochs=max_epochs, schedule=schedule, on_epoch=on_epoch,
        protocol=protocol,
    )  # fmt: skip


def _solver(
    g: Graph, routes: Routes, kind: Any, anchor: str | None, **options: Any
) -> RouteSolver[Any]:
    """Return the solver whose answers are read off from the chosen edges."""

    def answer(shown: PartialSolution) -> Any:
        chosen = tuple(name for name in routes.edges if name in shown.chosen)
        found = routes.walk(chosen, routes.vertices[0])
        if not routes.closed:
            found = found[1:]
            if anchor is not None and anchor in found[-1:]:
                found.reverse()
        known = tuple(found) + ("?",) * (len(g.vertices) - len(found))
        return kind(known, g, chosen, **shown.origin)

    return RouteSolver(routes, answer, **options)


def _checked(source: Any) -> Graph:
    g = graph(source)
    if len(g.vertices) < 3:
        raise InvalidProblem("a cycle or path has at least three vertices")
    if "?" in g.vertices:
        raise InvalidProblem("a vertex cannot be named ?")
    return g
