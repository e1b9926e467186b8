"""The master and the dual of a small embedding as graphs in layers, as the paper draws them: SVG.

Lines go upwards. Left ``M``: atoms, constants, terms of the relations. Right ``M*``: its atoms, the
duals of terms and constants, and the duals of the atoms of ``M``; positive relations are red.
"""

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atomlearn.engine.steps import Embedding

WIDTH, HEIGHT, GAP = 460, 90, 40
LINE, RELATION, ATOM = "#c4c4c4", "#c62828", "#2b6cb0"

Edge = tuple[str, str]
Place = dict[str, tuple[float, float]]


def graphs(steps: "Embedding") -> str:
    """Both graphs side by side."""
    constants = list(steps.algebra.names)
    sides = {s for r in steps.algebra.relations for s in (r.left, r.right) if len(s.constants) > 1}
    terms = {" ".join(term.constants): term.constants for term in sorted(sides, key=str)}
    atoms = {f"φ{k}": atom.constants for k, atom in enumerate(steps.model.atoms, 1)}
    held = [(name, c) for name, members in atoms.items() for c in members]
    parts = [(c, name) for name, members in terms.items() for c in members]
    relations = [
        (" ".join(r.right.constants), d) for r in steps.algebra.positive for d in r.left.constants
    ]
    dual = {name: [t for t, inside in terms.items() if set(inside) <= set(term.constants)]
            or list(term.constants) for name, term in steps.dual.items()}  # fmt: skip
    left = _panel(
        "M", 0, [list(atoms), constants, list(terms)],
        [(held, ATOM), (parts, LINE)],
    )  # fmt: skip
    right = _panel(
        "M*", WIDTH + GAP,
        [list(dual), [f"[{t}]" for t in terms], [f"[{c}]" for c in constants],
         [f"[{a}]" for a in atoms]],
        [([(f"[{t}]", f"[{c}]") for c, t in parts], LINE),
         ([(f"[{t}]", f"[{d}]") for t, d in relations], RELATION),
         ([(f"[{c}]", f"[{a}]") for a, c in held], ATOM),
         ([(z, f"[{x}]") for z, above in dual.items() for x in above], LINE)],
    )  # fmt: skip
    size = f'width="{2 * WIDTH + GAP}" height="{4 * HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11" '
        f'text-anchor="middle">{left}{right}</svg>'
    )


def _panel(
    title: str, x: float, layers: list[list[str]], kinds: Iterable[tuple[list[Edge], str]]
) -> str:
    at: Place = {}
    for level, layer in enumerate(layers):
        for k, name in enumerate(layer):
            across = x + (k + 0.5) / len(layer) * WIDTH
            at[name] = across, 4 * HEIGHT - 30 - level * HEIGHT
    drawn = [f'<text x="{x + WIDTH / 2}" y="14" font-size="14">{title}</text>']
    for edges, colour in kinds:
        for low, high in edges:
            if low in at and high in at:
                (x1, y1), (x2, y2) = at[low], at[high]
                drawn.append(
                    f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" '
                    f'stroke="{colour}"/>'
                )
    for name, (across, down) in at.items():
        drawn.append(
            f'<text x="{across:.0f}" y="{down + 4:.0f}" stroke="white" stroke-width="3" '
            f'paint-order="stroke">{html.escape(name)}</text>'
        )
    return "".join(drawn)
