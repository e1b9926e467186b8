"""The toy problem of sections 2 and 3: vertical bars in images of 2 × 2, step by step.

The steps are those of :class:`~atomlearn.engine.Embedding`, with the first seed whose random
choices are those of the paper. Pixels: c1 bottom left, c2 top left, c3 top right, c4 bottom right
in black, c5 to c8 the same in white. The paper's atoms 0 and 0* stand for "nothing" in bits, and
are left out.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.engine.concept import READABLE, Concept
from atomlearn.engine.steps import Embedding
from atomlearn.sets import rows
from atomlearn.sets.rows import Rows
from atomlearn_paper import paper
from atomlearn_paper.experiment import Experiment, Setting, Step
from atomlearn_paper.toy_graphs import CONSTANTS as NAMES
from atomlearn_paper.toy_graphs import TERMS
from atomlearn_paper.toy_page import report, sets

N = len(NAMES)
POSITIVE, NEGATIVE = ([text for name, text in TERMS.items() if name[-1] == sign] for sign in "+-")
SEEDS = 100_000
"""More than are needed to find the paper's choices."""
RUNS = 40


def term_rows(terms: list[str]) -> Rows:
    """Terms, given as names, as packed rows."""
    return rows.from_indices([[NAMES.index(name) for name in text.split()] for text in terms], N)


def examples() -> Algebra:
    """The five examples as relations."""
    algebra = Algebra(NAMES)
    v = algebra["v"]
    algebra.add(v <= algebra.term(text) for text in POSITIVE)
    algebra.add(~(v <= algebra.term(text)) for text in NEGATIVE)
    return algebra


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
             "paper": Model(algebra, term_rows([" ".join(atom) for atom in paper.TOY_LEARNED])),
             "learned": algebra.learn(random_state=seed)}  # fmt: skip
    result: dict[str, Any] = {}
    for name, model in found.items():
        asked = [
            (model.holds(v <= algebra.term(NAMES[c] for c in pixels)), has_bar)
            for pixels, has_bar in images()
        ]
        result[name] = {
            "atoms": [list(atom.constants) for atom in model.atoms_of(v)],
            "all atoms": len(model.atoms),
            "right": sum(said == has_bar for said, has_bar in asked),
            "holds": all(model.holds(relation) for relation in algebra.relations),
        }
    result["freer"] = {
        "freest than learned": found["freest"].is_freer_than(found["paper"]),
        "learned than freest": found["paper"].is_freer_than(found["freest"]),
    }
    return result


def all_images(seed: int) -> dict[str, Any]:
    """The atoms of ``v`` learned from all sixteen images, by several seeds."""
    pictures = rows.from_indices([pixels for pixels, _ in images()], N)
    has_bar = np.array([bar for _, bar in images()])
    runs = []
    for k in range(RUNS):
        concept = Concept(N, 0, seed + k, READABLE)
        for _ in range(10):
            concept.learn_batch(pictures[has_bar], pictures[~has_bar])
        model = concept.masters[-1]
        ends = zip(model.starts[:-1], model.starts[1:], strict=True)
        runs.append([[NAMES[c] for c in model.constants[a:b].tolist()] for a, b in ends])
    exact = sum(sets(run) == sets(paper.TOY_EXACT) for run in runs)
    return {"atoms": runs[0], "runs": RUNS, "exact": exact}


def steps(setting: Setting) -> list[Step]:
    """Three short steps; the quick setting is the full one."""
    given = {"seed": setting.seed}
    return [
        Step("step-by-step", step_by_step, given, 4.0),
        Step("models", models, given, 1.0),
        Step("all-images", all_images, given, 1.0),
    ]


EXPERIMENT = Experiment("toy", "The toy problem, step by step", steps, report)
