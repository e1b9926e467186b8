"""The page of the toy problem: Section 2 with its graphs, the definition, Figures 1 to 3."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from atomlearn import Algebra, Model
from atomlearn.sets import rows
from atomlearn_paper import paper
from atomlearn_paper.experiment import Results
from atomlearn_paper.report import ExperimentReport
from atomlearn_paper.toy_graphs import CONSTANTS, draw_graphs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = {"c1": (1, 0), "c2": (0, 0), "c3": (0, 1), "c4": (1, 1)}
"""Row and column of each pixel; c5 to c8 are the same in white."""
MODELS = {
    "freest": "freest",
    "least free": "least free",
    "paper": "to the letter, with the paper's choices",
    "learned": "this library, one epoch",
}


def report(page: ExperimentReport, results: Results) -> None:
    """Fill the page."""
    stages, models = results["step-by-step"]["stages"], results["models"]
    everything = results["all-images"]
    names = CONSTANTS[:5]
    traces = [
        [stage["stage"], "; ".join(" ".join(atom) for atom in stage["atoms"]) or "none",
         *(" ".join(stage["traces"][name]) or "∅" for name in names)]
        for stage in stages
    ]  # fmt: skip
    tables = {
        "traces": (["after", "atoms", *(f"Tr({name})" for name in names)], traces),
        "models": (
            ["model", "atoms of v", "all atoms", "right about the 16 images"],
            [[name, len(models[key]["atoms"]), models[key]["all atoms"], models[key]["right"]]
             for key, name in MODELS.items()],
        ),
    }  # fmt: skip
    figures = {f"stage-{k}": draw_graphs(stage["atoms"]) for k, stage in enumerate(stages, 1)}
    figures |= {
        f"figure-{k}": draw(models[name]["atoms"]) for k, name in enumerate(list(MODELS)[:3], 1)
    }
    figures["four-atoms"] = draw(everything["atoms"])
    freest, least_free = (len(models[name]["atoms"]) for name in list(MODELS)[:2])
    learned, four = sorted(stages[-1]["atoms"], key=_order), everything["atoms"]
    definition = _model(four).definition("v")
    page.fill(
        {
            "tried": results["step-by-step"]["tried"],
            "learned": " and ".join("in " + ", ".join(atom) for atom in learned),
            "learned_verdict": _verdict(sets(learned) == sets(paper.TOY_LEARNED)),
            "freest": freest,
            "least_free": least_free,
            "memories_verdict": _verdict(
                (freest, least_free) == (paper.TOY_FREEST, paper.TOY_LEAST_FREE)
            ),
            "freer": ", ".join("yes" if is_so else "no" for is_so in models["freer"].values()),
            "four": ", ".join(" ".join(sorted(set(atom) - {"v"})) for atom in sorted(four)),
            "four_verdict": _verdict(sets(four) == sets(paper.TOY_EXACT)),
            "exact": everything["exact"],
            "runs": everything["runs"],
            "cnf": definition.cnf,
            "dnf": definition.dnf,
        },
        tables,
        figures,
    )


def _model(atoms: list[list[str]]) -> Model:
    at = [sorted(CONSTANTS.index(name) for name in atom) for atom in sorted(atoms)]
    return Model(Algebra(CONSTANTS), rows.from_indices(at, len(CONSTANTS)))


def sets(atoms: Iterable[Iterable[str]]) -> set[frozenset[str]]:
    """Atoms as sets of names."""
    return {frozenset(atom) for atom in atoms}


def _order(atom: list[str]) -> list[int]:
    return [CONSTANTS.index(name) for name in atom]


def _verdict(same: bool) -> str:
    return "the same" if same else "not the same"


def draw(atoms: list[list[str]]) -> "Figure":
    """Atoms as images of 2 × 2 pixels."""
    from atomlearn.views.pictures import draw_atoms

    black, white = np.zeros((2, len(atoms), 4), dtype=bool)
    for k, atom in enumerate(atoms):
        for name, (row, column) in PLACES.items():
            black[k, 2 * row + column] = name in atom
            white[k, 2 * row + column] = f"c{int(name[1]) + 4}" in atom
    return draw_atoms(black, white, (2, 2), columns=8)
