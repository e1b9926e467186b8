"""The paper's graphs of section 2: the master and its dual side by side, laid out in layers."""

from typing import TYPE_CHECKING

from atomlearn_paper.charts import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONSTANTS = ("v", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")
TERMS = {
    "T1+": "c1 c2 c7 c8",
    "T2+": "c3 c4 c5 c6",
    "T1-": "c2 c4 c5 c7",
    "T2-": "c3 c5 c6 c8",
    "T3-": "c4 c5 c6 c7",
}
WITNESSES = {"ζ1": "T1-", "ζ2": "T2-", "ζ3": "T3-"}
LINE, RELATION, ATOM, TERM = "#c4c4c4", "#c62828", "#2b6cb0", "#444444"

Place = dict[str, tuple[float, float]]


def draw_graphs(atoms: list[list[str]]) -> "Figure":
    """``M`` with these atoms, and ``M*`` with the dual atoms of the three negative examples.

    >>> len(draw_graphs([["v", "c1"]]).axes)
    2
    """
    names = [atom_name(atom) for atom in atoms]
    figure, axes = panels(1, 2, (5.6, 3.0))
    master, dual = axes[0]
    edges = [(c, t) for t, text in TERMS.items() for c in text.split()]
    held = [(name, c) for name, atom in zip(names, atoms, strict=True) for c in atom]

    at = _layers([names, list(CONSTANTS), list(TERMS)])
    _lines(master, at, edges, LINE)
    _lines(master, at, held, ATOM)
    _write(master, at, dict.fromkeys(names, ATOM))
    master.set_title("M", fontsize=9)

    at = _layers([list(WITNESSES), list(TERMS), list(CONSTANTS), names])
    _lines(dual, at, edges, LINE)
    _lines(dual, at, [("T1+", "v"), ("T2+", "v")], RELATION)
    _lines(dual, at, [(c, name) for name, c in held], ATOM)
    _lines(dual, at, list(WITNESSES.items()), TERM)
    _write(dual, at, dict.fromkeys(names, ATOM), dual=True)
    dual.set_title("M*", fontsize=9)
    return figure


def atom_name(atom: list[str]) -> str:
    """The paper's name for an atom, by the constants that hold it.

    >>> atom_name(["v", "c1", "c3"]), atom_name(["c7"])
    ('φ2', 'c7')
    """
    known = {"v": "φ", "c1": "ε1", "c3": "ε2", "c4": "ε3", "c1 v": "φ1", "c1 c3 v": "φ2",
             "c1 c4 v": "φ3"}  # fmt: skip
    constants = " ".join(sorted(atom))
    return known.get(constants, constants)


def _layers(layers: list[list[str]]) -> Place:
    """Each layer spread over the same width, the first at the bottom."""
    at = {}
    for y, layer in enumerate(layers):
        for k, name in enumerate(layer):
            at[name] = ((k + 0.5) / len(layer), float(y))
    return at


def _lines(axis: "Axes", at: Place, edges: list[tuple[str, str]], colour: str) -> None:
    for low, high in edges:
        (x1, y1), (x2, y2) = at[low], at[high]
        axis.plot([x1, x2], [y1, y2], color=colour, linewidth=0.9, zorder=1)


def _write(axis: "Axes", at: Place, coloured: dict[str, str], dual: bool = False) -> None:
    for name, (x, y) in at.items():
        shown = f"[{name}]" if dual and name not in WITNESSES else name
        axis.text(
            x, y, shown.replace("-", "−"), ha="center", va="center", fontsize=8, zorder=2,
            color=coloured.get(name, "black"),
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2},
        )  # fmt: skip
    axis.set_xlim(0, 1)
    axis.set_ylim(-0.3, max(y for _, y in at.values()) + 0.3)
    axis.set_axis_off()
