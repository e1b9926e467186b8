"""The page of the toy problem: Section 2 with its graphs, the definition, Figures 1 to 3."""

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.logic.formulas import And, Formula, Has, Or
from atomlearn_paper import paper
from atomlearn_paper.experiment import Results
from atomlearn_paper.report import Claim, Report
from atomlearn_paper.toy_graphs import draw_graphs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = {"c1": (1, 0), "c2": (0, 0), "c3": (0, 1), "c4": (1, 1)}
"""Row and column of each pixel; c5 to c8 are the same in white."""

WORDS = {
    "dual atoms": "2.6: an atom of the dual under each negative example",
    "negative trace constraints": "Algorithm 1: one atom φ in v is enough for the three negatives",
    "positive trace constraints": "Algorithm 2: ε1 in c1 for T1+; ε2 in c3 and ε3 in c4 for T2+",
    "first crossing": "Algorithm 3, v into T1+: φ becomes φ1, in v and c1",
    "second crossing": "Algorithm 3, v into T2+: φ1 becomes φ2 and φ3",
    "reduction": "Algorithm 4: φ2 and φ3 are what the constants need for their traces",
}


def report(page: Report, results: Results) -> None:
    """Write everything down."""
    page.say(
        "Five images of 2 × 2 pixels, two of them with a black vertical bar (v). c1 to c4 are the "
        "pixels in black (bottom left, top left, top right, bottom right), c5 to c8 in white. "
        "The engine's own algorithms are run one at a time; the random choices are those of the "
        f"paper, made by the first of {results['step-by-step']['tried']} seeds that were tried "
        "that makes all of them. The paper's atoms 0 and 0* stand for nothing, and are not drawn."
    )
    embedding(page, results["step-by-step"])
    pinning(page)
    memories(page, results["models"])
    definition(page, results["all-images"])


def embedding(page: Report, found: dict[str, Any]) -> None:
    """Section 2, a picture a step."""
    page.section("Section 2: the embedding")
    for k, stage in enumerate(found["stages"]):
        page.figure(
            f"stage-{k + 1}", draw_graphs(stage["atoms"]), WORDS[stage["stage"]] + ". Left the "
            "master M, right the dual M*; lines go upwards; red lines are the positive relations"
        )  # fmt: skip
    names = ("v", "c1", "c2", "c3", "c4")
    page.table(
        "traces",
        ["after", "atoms", *(f"Tr({name})" for name in names)],
        [[stage["stage"], "; ".join(" ".join(atom) for atom in stage["atoms"]) or "none",
          *(" ".join(stage["traces"][name]) or "∅" for name in names)]
         for stage in found["stages"]],
    )  # fmt: skip
    learned = {frozenset(atom) for atom in found["stages"][-1]["atoms"]}
    same = learned == {frozenset(atom) for atom in paper.TOY_LEARNED}
    page.claim(
        Claim(
            "toy problem: atoms learned from five images", "section 2.7",
            "φ2 in v, c1, c3 and φ3 in v, c1, c4",
            " and ".join("in " + ", ".join(sorted(atom, key=_order)) for atom in
                         sorted(learned, key=lambda a: sorted(map(_order, a)))),
            "the same" if same else "not the same",
        )
    )  # fmt: skip
    page.say(
        "Traces never change from the trace constraints on: compare the rows. Two slips of the "
        "paper: section 2.7 gives Tr(ε2) as {0*, ζ1}, which should be {0*, ζ2} as in 2.6; and "
        "Algorithm 3 as printed keeps the partners ε1, ε2 and ε3, which the text deletes. Here the "
        "reduction drops them."
    )


def _order(name: str) -> tuple[bool, str]:
    return name != "v", name


def pinning(page: Report) -> None:
    """Section 2.9."""
    page.section("Pinning terms")
    every = [f"c{i}" for i in range(1, 9)]
    lines = []
    for name, atom in (("φ2", paper.TOY_LEARNED[1]), ("φ3", paper.TOY_LEARNED[0])):
        rest = [c for c in every if c not in atom]
        lines.append(f"T_{name} = {' ⊙ '.join(rest)}")
        lines += [f"    ¬({c} < T_{name})" for c in sorted(atom, key=_order)]
    page.code("\n".join(lines))
    page.say("The paper prints ¬(c3 < T_φ3) where it must be T_φ2: c3 is a part of T_φ3.")


def memories(page: Report, found: dict[str, Any]) -> None:
    """Figures 1 to 3."""
    page.section("Figures 1 to 3: two memories, and what lies between")
    for k, (name, about) in enumerate((
        ("freest", "the freest model; black with a white border is in both colours of a pixel"),
        ("least free", "the least-free model"),
        ("learned", "a generalising model, from one epoch of Sparse Crossing"),
    )):  # fmt: skip
        page.figure(
            f"figure-{k + 1}", draw(found[name]["atoms"]), f"Figure {k + 1}: atoms of v in {about}"
        )
    page.table(
        "models", ["model", "atoms of v", "all atoms", "right about the 16 images"],
        [[name, len(found[name]["atoms"]), found[name]["all atoms"], found[name]["right"]]
         for name in ("freest", "least free", "learned")],
    )  # fmt: skip
    freest, least = len(found["freest"]["atoms"]), len(found["least free"]["atoms"])
    page.claim(
        Claim(
            "toy problem: atoms of v in the freest and in the least-free model",
            "Figures 1 and 2", f"{paper.TOY_FREEST} and {paper.TOY_LEAST_FREE}",
            f"{freest} and {least}",
            "the same" if (freest, least) == (paper.TOY_FREEST, paper.TOY_LEAST_FREE)
            else "not the same", headline=True,
        ),
        Claim(
            "freedom: the freest model is freer than what is learned, and not the reverse",
            "section 3.4", "yes, no",
            ", ".join("yes" if is_so else "no" for is_so in found["freer"].values()),
            "decided exactly, over all pairs of terms",
        ),
    )  # fmt: skip
    page.say(
        "The paper says that the least-free model answers yes unless the examples imply otherwise. "
        "The model it constructs satisfies them but does not do that in general: with constants a, "
        "b, x and the single relation ¬(a < b), it also separates x from b."
    )


def definition(page: Report, found: dict[str, Any]) -> None:
    """Section 3.1: four atoms, read as a formula."""
    page.section("Section 3.1: the four atoms, and the definition")
    page.figure("four-atoms", draw(found["atoms"]), "atoms of v learned from all sixteen images")
    exact = {frozenset(atom) for atom in paper.TOY_EXACT}
    same = {frozenset(atom) for atom in found["atoms"]} == exact
    page.claim(
        Claim(
            "toy problem: the four atoms from more examples", "section 3.1",
            "c1 c3, c1 c4, c2 c3, c2 c4", ", ".join(
                " ".join(sorted(set(atom) - {"v"})) for atom in sorted(found["atoms"])),
            f"{'the same' if same else 'not the same'}; exactly these four for {found['exact']} of "
            f"{found['runs']} seeds, else with a larger atom among them", headline=True,
        )
    )  # fmt: skip
    clauses = sorted(sorted(set(atom) - {"v"}) for atom in found["atoms"])
    page.say("Each atom is a clause; v < I if the image I has a constant of every atom:")
    page.code(str(formula(clauses)))
    page.say("Multiplied out by the distributive law: one of the two columns, all of it black:")
    page.code(str(multiplied_out(clauses)))


def formula(clauses: list[list[str]]) -> Formula:
    """Atoms as a formula: a constant of each.

    >>> str(formula([["c1", "c3"], ["c2"]]))
    '(c1 or c3) and c2'
    """
    return And(tuple(_any(clause) for clause in clauses))


def _any(clause: list[str]) -> Formula:
    return Or(tuple(Has(c) for c in clause)) if len(clause) > 1 else Has(clause[0])


def multiplied_out(clauses: list[list[str]]) -> Formula:
    """The same as alternatives, without those that contain another.

    >>> str(multiplied_out([["c1", "c3"], ["c1", "c4"], ["c2", "c3"], ["c2", "c4"]]))
    '(c1 and c2) or (c3 and c4)'
    """
    chosen = {frozenset(choice) for choice in product(*clauses)}
    smallest = [one for one in chosen if not any(other < one for other in chosen)]
    return Or(
        tuple(And(tuple(Has(c) for c in sorted(one))) for one in sorted(smallest, key=sorted))
    )


def draw(atoms: list[list[str]]) -> "Figure":
    """Atoms as images of 2 × 2 pixels."""
    from atomlearn.views.pictures import draw_atoms

    black, white = np.zeros((2, len(atoms), 4), dtype=bool)
    for k, atom in enumerate(atoms):
        for name, (row, column) in PLACES.items():
            black[k, 2 * row + column] = name in atom
            white[k, 2 * row + column] = f"c{int(name[1]) + 4}" in atom
    return draw_atoms(black, white, (2, 2), columns=8)
