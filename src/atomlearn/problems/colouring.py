"""Graph colouring: neighbours have different colours.

A choice is a colour of a vertex. Colours are numbered from 1.

>>> colouring = next(solve("a b\\nb c\\nc a", 3, fixed={"a": 1, "b": 2}, random_state=0))
>>> colouring.colours
{'a': 1, 'b': 2, 'c': 3}
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import perm
from typing import Any, ClassVar

from atomlearn.algebra.algebra import Algebra
from atomlearn.engine.protocol import Protocol
from atomlearn.errors import InvalidProblem, suggest
from atomlearn.problems.game import Answer, Choices, PartialSolution, Rules, one_of_each, play
from atomlearn.problems.graphs import Graph, graph
from atomlearn.problems.solving import Schedule, Solver
from atomlearn.sets.random import Seed


def choice(vertex: str, colour: int) -> str:
    """Return the name of a choice.

    >>> choice("a", 2)
    'a:2'
    """
    return f"{vertex}:{colour}"


def _rules(g: Graph, colours: int) -> Rules:
    if colours < 1:
        raise InvalidProblem(f"at least one colour is needed, not {colours}")
    palette = range(1, colours + 1)
    neighbours = {
        choice(v, c): [choice(w, c) for w in g.neighbours(v)] for v in g.vertices for c in palette
    }
    return one_of_each(([choice(v, c) for c in palette] for v in g.vertices), also=neighbours)


def _given(g: Graph, colours: int, fixed: Mapping[Any, int] | None) -> tuple[Rules, list[str]]:
    rule_set = _rules(g, colours)
    given = [choice(str(vertex), colour) for vertex, colour in (fixed or {}).items()]
    for name in given:
        if name not in rule_set.excluded:
            raise InvalidProblem(
                f"{name!r} is not a vertex with a colour from 1 to {colours}"
                f"{suggest(name, rule_set.excluded)}"
            )
    return rule_set, given


def rules(source: Any, colours: int) -> Algebra:
    """Return the rules of a graph: one colour a vertex, and neighbours differ."""
    return Choices(_rules(graph(source), colours)).rule_set()


def algebra(source: Any, colours: int, fixed: Mapping[Any, int] | None = None) -> Algebra:
    """Return the rules and the fixed colours as relations.

    Parameters
    ----------
    source : list of edges, str or networkx graph
        The graph.
    colours : int
        Number of colours.
    fixed : mapping of vertex to int, default=None
        Colours that are given, from 1.

    Returns
    -------
    Algebra
        The relations.

    Examples
    --------
    >>> algebra([("a", "b")], 2).conflicts()
    []
    """
    rule_set, given = _given(graph(source), colours, fixed)
    return Choices(rule_set).algebra(given)


def is_legal(g: Graph, colours: Mapping[str, int]) -> bool:
    """Return whether every vertex has a colour unlike its neighbours', without the algebra."""
    return set(colours) == set(g.vertices) and all(
        len({colours[vertex] for vertex in edge}) == 2 for edge in g.edges
    )


@dataclass(frozen=True, repr=False)
class Colouring(Answer):
    """A colouring; vertices whose colour is unknown are left out."""

    fields: ClassVar[tuple[str, ...]] = ("colours",)

    colours: dict[str, int]
    graph: Graph = field(repr=False)
    fixed: Mapping[str, int] = field(repr=False)

    @property
    def progress(self) -> str:
        """Degree of completeness."""
        return f"{len(self.colours)} of {len(self.graph.vertices)} vertices"

    def solved(self) -> bool:
        """Return whether the colouring is complete, legal, and has the fixed colours."""
        kept = all(self.colours.get(v) == colour for v, colour in self.fixed.items())
        return kept and is_legal(self.graph, self.colours)

    def __str__(self) -> str:
        return " ".join(f"{v}:{self.colours.get(v, '?')}" for v in self.graph.vertices)


def solve(
    source: Any,
    colours: int,
    fixed: Mapping[Any, int] | None = None,
    *,
    random_state: Seed = None,
    max_epochs: int = 100,
    schedule: Schedule | None = None,
    on_epoch: Callable[[Colouring], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[Colouring]:
    """Return an iterator of colourings, as they are found.

    Unless some colours are ``fixed``, the vertices of a clique have the first ones, because colours
    could be renamed: each colouring stands for as many as :func:`renamings` returns.

    Parameters
    ----------
    source : list of edges, str or networkx graph
        The graph.
    colours : int
        Number of colours.
    fixed : mapping of vertex to int, default=None
        Colours that are given, from 1.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same colourings.
    max_epochs : int, default=100
        Maximum number of epochs.
    schedule : Schedule, default=None
        Which epochs are idle, and when choices are inserted.
    on_epoch : callable, default=None
        A function that is called with the colouring of every epoch.
    protocol : {"default", "letter"} or Protocol, default="default"
        How an epoch is run.

    Returns
    -------
    Solver of Colouring
        The iterator.

    Raises
    ------
    ContradictoryGivens
        If the fixed colours contradict the rules.

    Examples
    --------
    >>> print(next(solve([("a", "b"), ("b", "c")], 2, random_state=0)))
    a:2 b:1 c:2
    """
    g = graph(source)
    named = {str(vertex): colour for vertex, colour in (fixed or {}).items()}

    def colouring(shown: PartialSolution) -> Colouring:
        found = {
            v: [c for c in range(1, colours + 1) if choice(v, c) in shown.chosen]
            for v in g.vertices
        }
        known = {v: chosen[0] for v, chosen in found.items() if len(chosen) == 1}
        return Colouring(known, g, named, **shown.origin)

    # Without fixed colours any clique may have the first ones.
    clique = [] if named else named_first(g, colours)
    assumed = [choice(vertex, c) for c, vertex in enumerate(clique, start=1)]
    return Solver(
        play(*_given(g, colours, named), assumed),
        colouring,
        random_state=random_state,
        max_epochs=max_epochs,
        schedule=schedule,
        on_epoch=on_epoch,
        protocol=protocol,
    )


def renamings(source: Any, colours: int, fixed: Mapping[Any, int] | None = None) -> int:
    """Return the number of colourings that each one found by :func:`solve` stands for.

    These are itself and those that differ from it in the names of the colours.

    >>> renamings("a b\\nb c\\nc a", 3), renamings("a b", 3), renamings("a b", 3, fixed={"a": 1})
    (6, 6, 1)
    """
    return 1 if fixed else perm(colours, len(named_first(graph(source), colours)))


def named_first(g: Graph, colours: int) -> list[str]:
    """Return the vertices of a clique, which have the colours 1, 2, ... if none is fixed."""
    return _clique(g)[:colours]


def _clique(g: Graph) -> list[str]:
    """Return a clique, not always the largest."""
    found: list[str] = []
    for vertex in sorted(g.vertices, key=lambda v: -len(g.neighbours(v))):
        if all(g.adjacent(vertex, other) for other in found):
            found.append(vertex)
    return found
