"""The lattice of a formal context: where each concept stands, and its picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from atomlearn.algebra.contexts import Concept, Context
from atomlearn.views.pictures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 8
ASIDE = (0.0, 0.02, -0.02, 0.035, -0.035, 0.05, -0.05, 0.07, -0.07)
"""Shares of the width by which every other layer may be moved."""


def draw_lattice(context: Context) -> "Figure":
    """Draw the concepts of a context, larger ones above.

    An attribute is written above the largest concept that has it, and an object below the smallest.

    Parameters
    ----------
    context : Context
        The context; few concepts are readable.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> figure = draw_lattice(Context(["dog", "oak"], ["lives", "moves"], [[1, 1], [1, 0]]))
    >>> sorted(text.get_text() for text in figure.axes[0].texts)
    ['dog', 'lives', 'moves', 'oak']
    """
    concepts = context.concepts()
    edges = covers(concepts)
    places = nodes(context, concepts, edges)
    layers = len({one["y"] for one in places})
    figure, axes = new_figure(1, 1, (9.0, 1.2 + 1.1 * layers))
    axis = axes[0][0]
    for lower, upper in edges:
        ends = (places[lower], places[upper])
        axis.plot([one["x"] for one in ends], [-one["y"] for one in ends], color="#999999", lw=1)
    axis.scatter(
        [one["x"] for one in places], [-one["y"] for one in places], s=60, color="#1f4e79", zorder=2
    )
    for one in places:
        for names, shift, side, colour in (
            ("attributes", 8, "bottom", "#1f4e79"),
            ("objects", -8, "top", "#333333"),
        ):
            if one[names]:
                axis.annotate(
                    "\n".join(one[names]), (one["x"], -one["y"]), (0, shift), ha="center", va=side,
                    textcoords="offset points", color=colour, fontsize=9,
                    bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.8},
                )  # fmt: skip
    axis.margins(0.08, 0.12)
    axis.set_axis_off()
    return figure


def covers(concepts: Sequence[Concept]) -> list[tuple[int, int]]:
    """Return pairs (lower, upper) of concepts with no other between them."""
    extents = [frozenset(concept.extent) for concept in concepts]
    found = []
    for i, lower in enumerate(extents):
        above = [j for j, upper in enumerate(extents) if lower < upper]
        found += [(i, j) for j in above if not any(extents[k] < extents[j] for k in above)]
    return found


def nodes(
    context: Context, concepts: Sequence[Concept], edges: list[tuple[int, int]]
) -> list[dict[str, Any]]:
    """Return each concept with its place, from 0 to 1, and the names that are written at it.

    An attribute is written at the largest concept that has it, an object at the smallest.
    """
    up: dict[int, list[int]] = {i: [] for i in range(len(concepts))}
    down: dict[int, list[int]] = {i: [] for i in range(len(concepts))}
    for lower, upper in edges:
        up[lower].append(upper)
        down[upper].append(lower)
    layer: dict[int, int] = {}
    for i in sorted(up, key=lambda i: -len(concepts[i].extent)):
        layer[i] = max((layer[j] + 1 for j in up[i]), default=0)
    place = _places(layer, up, down)
    at: dict[int, tuple[list[str], list[str]]] = {i: ([], []) for i in up}
    for name in context.attributes:
        at[max(_having(concepts, "intent", name), key=lambda i: len(concepts[i].extent))][0].append(
            name
        )
    for name in context.objects:
        at[min(_having(concepts, "extent", name), key=lambda i: len(concepts[i].extent))][1].append(
            name
        )
    last = max(layer.values(), default=0) or 1
    return [
        {
            "x": place[i],
            "y": layer[i] / last,
            "extent": list(concepts[i].extent),
            "intent": list(concepts[i].intent),
            "attributes": at[i][0],
            "objects": at[i][1],
        }
        for i in up
    ]


def _having(concepts: Sequence[Concept], side: str, name: str) -> list[int]:
    return [i for i, concept in enumerate(concepts) if name in getattr(concept, side)]


def _places(
    layer: dict[int, int], up: dict[int, list[int]], down: dict[int, list[int]]
) -> dict[int, float]:
    """Return places from left to right, each layer ordered by the mean of its neighbours."""
    layers: dict[int, list[int]] = {}
    for i, k in layer.items():
        layers.setdefault(k, []).append(i)
    place = {i: (n + 0.5) / len(row) for row in layers.values() for n, i in enumerate(row)}
    for turn in range(ROUNDS):
        near = up if turn % 2 == 0 else down
        for k in sorted(layers, reverse=turn % 2 == 1):
            row = layers[k]
            mean = {
                i: sum(place[j] for j in near[i]) / len(near[i]) if near[i] else place[i]
                for i in row
            }
            row.sort(key=mean.__getitem__)
            place.update({i: (n + 0.5) / len(row) for n, i in enumerate(row)})
    last = max(layers, default=0)
    moved = (
        {i: x + aside * (layer[i] % 2 == 1 and layer[i] < last) for i, x in place.items()}
        for aside in ASIDE
    )
    return max(moved, key=lambda places: _room(places, layers, layer, down))


def _room(
    place: dict[int, float],
    layers: dict[int, list[int]],
    layer: dict[int, int],
    down: dict[int, list[int]],
) -> float:
    """Return the smallest distance between a dot and a line that passes its layer."""
    room = 1.0
    lines = [(i, j) for i, below in down.items() for j in below]
    for i, j in lines:
        for k in range(layer[i] + 1, layer[j]):
            share = (k - layer[i]) / (layer[j] - layer[i])
            x = place[i] + share * (place[j] - place[i])
            room = min([room, *(abs(place[n] - x) for n in layers[k])])
    return room
