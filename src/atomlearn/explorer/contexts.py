"""The page of a formal context: its table, its implications, and its concepts as a diagram."""

from typing import Any

from atomlearn.algebra.contexts import Context
from atomlearn.errors import ModelTooLarge
from atomlearn.views.lattices import covers, nodes

MOST_CONCEPTS = 80
"""A lattice of more concepts is not drawn: its lines could not be told apart."""
MOST_OBJECTS = 200
"""Maximum number of objects in the table of the page."""


def context_data(context: Context) -> dict[str, Any]:
    """Return the data of the page of a context."""
    data: dict[str, Any] = {
        "kind": "context",
        "objects": list(context.objects),
        "attributes": list(context.attributes),
        "crosses": context.crosses[:MOST_OBJECTS].astype(int).tolist(),
    }
    try:
        base = context.implications()
        n_concepts = context.n_concepts
    except ModelTooLarge as error:
        return data | {"too_large": str(error), "implications": [], "n_concepts": None, "nodes": []}
    implications = [[list(one.premise), list(one.conclusion)] for one in base]
    data |= {"implications": implications, "n_concepts": n_concepts, "nodes": [], "edges": []}
    if n_concepts > MOST_CONCEPTS:
        return data
    concepts = context.concepts()
    edges = covers(concepts)
    return data | {"nodes": nodes(context, concepts, edges), "edges": edges}
