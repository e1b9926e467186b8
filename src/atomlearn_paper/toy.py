"""The toy problem of sections 2 and 3: vertical bars in images of 2 × 2, step by step.

The steps are those of :class:`~atomlearn.engine.Embedding`, with the first seed whose random
choices are those of the paper. The paper's atoms 0 and 0* stand for "nothing" in bits, and are
left out.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.engine import READABLE, Concept, Embedding
from atomlearn.sets import rows
from atomlearn_paper import paper
from atomlearn_paper.charts import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONSTANTS = ("v", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")
"""The class, the pixels in black (bottom left, top left, top right, bottom right), and in white."""
PLACES = {"c1": (1, 0), "c2": (0, 0), "c3": (0, 1), "c4": (1, 1)}
"""Row and column of each pixel; c5 to c8 are the same in white."""
TERMS = {
    "T1+": "c1 c2 c7 c8",
    "T2+": "c3 c4 c5 c6",
    "T1-": "c2 c4 c5 c7",
    "T2-": "c3 c5 c6 c8",
    "T3-": "c4 c5 c6 c7",
}
"""The five images of the paper: two have a bar, three have none."""
SEEDS = 100_000
"""Seeds that are tried at most until one makes the paper's choices."""
RUNS = 40
"""Seeds with which the atoms are learned from all sixteen images."""


def examples() -> Algebra:
    """The five examples as relations."""
    algebra = Algebra(CONSTANTS)
    for name, text in TERMS.items():
        relation = algebra["v"] <= algebra.term(text)
        algebra.add(relation if name.endswith("+") else ~relation)
    return algebra


def model_of(atoms: Iterable[Iterable[str]], algebra: Algebra | None = None) -> Model:
    """A model with these atoms, given as names; of the algebra, or of a new one."""
    at = [sorted(CONSTANTS.index(name) for name in atom) for atom in atoms]
    return Model(algebra or Algebra(CONSTANTS), rows.from_indices(at, len(CONSTANTS)))


def sets(atoms: Iterable[Iterable[str]]) -> set[frozenset[str]]:
    """Atoms as sets of names."""
    return {frozenset(atom) for atom in atoms}


def stages(algebra: Algebra, seed: int) -> Iterator[dict[str, Any]]:
    """Section 2, one algorithm after the other: the atoms and the traces after each."""
    steps = Embedding(algebra, random_state=seed)
    first, second = algebra.positive
    for name, move in (
        ("dual atoms", steps.build_dual),
        ("negative trace constraints", steps.enforce_negative),
        ("positive trace constraints", steps.enforce_positive),
        ("first crossing", lambda: steps.cross(first)),
        ("second crossing", lambda: steps.cross(second)),
        ("reduction", steps.reduce),
    ):
        move()
        atoms = [list(atom.constants) for atom in steps.model.atoms]
        traces = {constant: list(trace) for constant, trace in steps.traces().items()}
        yield {"stage": name, "atoms": atoms, "traces": traces}


def step_by_step(seed: int) -> dict[str, Any]:
    """The stages of the first run, from this seed on, that makes the paper's choices."""
    algebra, enforced = examples(), [["c1"], ["c3"], ["c4"], ["v"]]
    for tried in range(SEEDS):
        found = list(stages(algebra, seed + tried))
        atoms = {stage["stage"]: stage["atoms"] for stage in found}
        if sorted(atoms["positive trace constraints"]) == enforced and (
            sets(atoms["reduction"]) == sets(paper.TOY_LEARNED)
        ):
            return {"tried": tried + 1, "stages": found}
    raise AssertionError("no seed makes the paper's choices")


def images() -> list[tuple[list[int], bool]]:
    """The sixteen images as constants, and whether they have a bar.

    >>> sum(has_bar for _, has_bar in images())
    7
    """
    found = []
    for blacks in product([True, False], repeat=4):
        pixels = [i if black else i + 4 for i, black in enumerate(blacks, 1)]
        found.append((pixels, {1, 2} <= set(pixels) or {3, 4} <= set(pixels)))
    return found


def models(seed: int) -> dict[str, Any]:
    """The freest and the least-free model of the five examples, the paper's own generalising one
    (which the steps above arrive at), and one learned by this library."""
    algebra = examples()
    v = algebra["v"]
    found = {"freest": algebra.freest(), "least free": algebra.least_free(),
             "paper": model_of(paper.TOY_LEARNED, algebra),
             "learned": algebra.learn(random_state=seed)}  # fmt: skip
    result: dict[str, Any] = {}
    for name, model in found.items():
        result[name] = {
            "atoms": [list(atom.constants) for atom in model.atoms_of(v)],
            "all atoms": len(model.atoms),
            "right": sum(model.holds(v <= algebra.term(CONSTANTS[c] for c in pixels)) == has_bar
                         for pixels, has_bar in images()),
            "holds": all(map(model.holds, algebra.relations)),
        }  # fmt: skip
    result["freer"] = {
        "freest than learned": found["freest"].is_freer_than(found["paper"]),
        "learned than freest": found["paper"].is_freer_than(found["freest"]),
    }
    return result


def all_images(seed: int) -> dict[str, Any]:
    """The atoms of ``v`` learned from all sixteen images, by several seeds."""
    pictures = rows.from_indices([pixels for pixels, _ in images()], len(CONSTANTS))
    has_bar = np.array([bar for _, bar in images()])
    runs = []
    for k in range(RUNS):
        concept = Concept(len(CONSTANTS), 0, seed + k, READABLE)
        for _ in range(10):
            concept.learn_batch(pictures[has_bar], pictures[~has_bar])
        model = concept.masters[-1]
        ends = zip(model.starts[:-1], model.starts[1:], strict=True)
        runs.append([[CONSTANTS[c] for c in model.constants[a:b].tolist()] for a, b in ends])
    exact = sum(sets(run) == sets(paper.TOY_EXACT) for run in runs)
    return {"atoms": runs[0], "runs": RUNS, "exact": exact}


def draw(atoms: list[list[str]]) -> "Figure":
    """Atoms as images of 2 × 2 pixels."""
    from atomlearn.views.pictures import draw_atoms

    black, white = np.zeros((2, len(atoms), 4), dtype=bool)
    for k, atom in enumerate(atoms):
        for name, (row, column) in PLACES.items():
            black[k, 2 * row + column] = name in atom
            white[k, 2 * row + column] = f"c{int(name[1]) + 4}" in atom
    return draw_atoms(black, white, (2, 2), columns=8)


# -- the graphs of section 2: the master and its dual side by side, laid out in layers

WITNESSES = {"ζ1": "T1-", "ζ2": "T2-", "ζ3": "T3-"}
"""The dual atoms of the negative examples."""
LINE, RELATION, ATOM, TERM = "#c4c4c4", "#c62828", "#2b6cb0", "#444444"
"""The colours of the lines of a graph."""

Place = dict[str, tuple[float, float]]
"""Where each node of a graph is drawn."""


def draw_graphs(atoms: list[list[str]]) -> "Figure":
    """``M`` with these atoms, and ``M*`` with the dual atoms of the three negative examples.

    >>> len(draw_graphs([["v", "c1"]]).axes)
    2
    """
    names = [atom_name(atom) for atom in atoms]
    figure, axes = panels(1, 2, (5.6, 3.0))
    edges = [(c, t) for t, text in TERMS.items() for c in text.split()]
    held = [(name, c) for name, atom in zip(names, atoms, strict=True) for c in atom]
    layers = ([names, CONSTANTS, TERMS], [WITNESSES, TERMS, CONSTANTS, names])
    lines = (
        [(edges, LINE), (held, ATOM)],
        [(edges, LINE), ([("T1+", "v"), ("T2+", "v")], RELATION),
         ([(c, name) for name, c in held], ATOM), (WITNESSES.items(), TERM)],
    )  # fmt: skip
    for k, title in enumerate(("M", "M*")):
        at = _layers(layers[k])
        for some, colour in lines[k]:
            _lines(axes[0, k], at, some, colour)
        _write(axes[0, k], at, dict.fromkeys(names, ATOM), dual=k == 1)
        axes[0, k].set_title(title, fontsize=9)
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


def _layers(layers: Sequence[Collection[str]]) -> Place:
    """Each layer spread over the same width, the first at the bottom."""
    return {
        name: ((k + 0.5) / len(layer), float(y))
        for y, layer in enumerate(layers)
        for k, name in enumerate(layer)
    }


def _lines(axis: "Axes", at: Place, edges: Iterable[tuple[str, str]], colour: str) -> None:
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
