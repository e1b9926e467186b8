"""Graphs for problems: from edge lists, text or networkx.

As text, a graph is one edge a line, two names separated by blanks or a comma; a line with one name
is a vertex. Text after ``#`` is ignored.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from atomlearn.errors import InvalidProblem


@dataclass(frozen=True, repr=False)
class Graph:
    """A graph of named vertices, with edges without direction."""

    vertices: tuple[str, ...]
    edges: frozenset[frozenset[str]]

    def __repr__(self) -> str:
        return f"<Graph: {len(self.vertices)} vertices, {len(self.edges)} edges>"

    def adjacent(self, one: str, other: str) -> bool:
        """Return whether there is an edge between two vertices."""
        return frozenset((one, other)) in self.edges

    def neighbours(self, vertex: str) -> list[str]:
        """Return the vertices adjacent to one, in order."""
        return [other for other in self.vertices if self.adjacent(vertex, other)]


def graph(source: Any) -> Graph:
    """Return a graph from an edge list, from text, or from a networkx graph.

    >>> graph([("a", "b"), ("b", "c")]).vertices
    ('a', 'b', 'c')
    >>> graph("a b # an edge").adjacent("b", "a")
    True
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, str):
        return _graph((), map(_edge, _lines(source)))
    if hasattr(source, "nodes") and hasattr(source, "edges"):
        return _graph(source.nodes, source.edges)
    return _graph((), source)


def _graph(vertices: Iterable[Any], edges: Iterable[Any]) -> Graph:
    named = {str(vertex): None for vertex in vertices}
    joined = set()
    for edge in edges:
        ends = [str(end) for end in tuple(edge)[:2]]
        named.update(dict.fromkeys(ends))
        if len(ends) == 2 and ends[0] == ends[1]:
            raise InvalidProblem(f"an edge joins two vertices, not {ends[0]!r} with itself")
        if len(ends) == 2:
            joined.add(frozenset(ends))
    if not named:
        raise InvalidProblem("a graph has at least one vertex; one edge a line, as in: a b")
    return Graph(tuple(named), frozenset(joined))


def _lines(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def _edge(line: str) -> list[str]:
    ends = line.replace(",", " ").split()
    if len(ends) > 2:
        raise InvalidProblem(f"one edge a line, two names: {line!r}")
    return ends
