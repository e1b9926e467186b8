"""The toy problem of sections 2 and 3: vertical bars in images of 2 × 2, step by step.

The engine's own algorithms are run one at a time, with the first seed whose random choices are
those that the paper makes. Pixels: c1 bottom left, c2 top left, c3 top right, c4 bottom right in
black, c5 to c8 the same in white. The paper's atoms 0 and 0* stand for "nothing" in bits, and are
left out.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.engine.concept import READABLE, Concept
from atomlearn.engine.reduction import reduce
from atomlearn.engine.sparse_crossing import cross_until
from atomlearn.engine.state import (
    Dual,
    Master,
    atoms_of,
    constant_traces,
    dual_of,
    master_of,
    positives_of,
)  # fmt: skip
from atomlearn.engine.trace_constraints import HOLD, enforce_negative, enforce_positive
from atomlearn.sets import rows
from atomlearn.sets.random import Stream, stream
from atomlearn.sets.rows import Rows
from atomlearn_paper import paper
from atomlearn_paper.experiment import Experiment, Setting, Step
from atomlearn_paper.toy_graphs import CONSTANTS as NAMES
from atomlearn_paper.toy_graphs import TERMS
from atomlearn_paper.toy_page import report, sets

N = len(NAMES)
POSITIVE, NEGATIVE = ([text for name, text in TERMS.items() if name[-1] == sign] for sign in "+-")
ROOM = 1000
"""More atoms than there will be: crossing never stops in between to reduce."""
SEEDS = 100_000
"""More than are needed to find the paper's choices."""
RUNS = 40


def term_rows(terms: list[str]) -> Rows:
    """Terms, given as names, as packed rows."""
    return rows.from_indices([[NAMES.index(name) for name in text.split()] for text in terms], N)


class Stage(NamedTuple):
    """The algebra after a step."""

    name: str
    atoms: Rows
    traces: Rows


def embed(rng: Stream) -> Iterator[Stage]:
    """Section 2, one algorithm after the other."""
    v, right, denied = rows.row([0], N), term_rows(POSITIVE), term_rows(NEGATIVE)
    left, denied_left = np.tile(v, (2, 1)), np.tile(v, (3, 1))
    positives = positives_of(left, right, N)
    dual = dual_of(denied, N)  # the terms of negative relations, which are closed here
    singles, none = rows.empty(1, N)[0], rows.empty(0, N)
    master = master_of(singles, none, positives, dual)
    traces = constant_traces(master, dual)
    yield _stage("dual atoms", master, dual)
    if enforce_negative(denied_left, denied, dual, singles, traces, rng) != HOLD:
        raise AssertionError("the three examples without a bar are separated by the dual")
    yield _stage("negative trace constraints", master_of(singles, none, positives, dual), dual)
    if enforce_positive(left, right, dual, singles, traces, rng) != HOLD:
        raise AssertionError("the witnesses are closed")
    yield _stage("positive trace constraints", master_of(singles, none, positives, dual), dual)
    for i, name in enumerate(("first crossing", "second crossing")):
        one = positives_of(left[i : i + 1], right[i : i + 1], N)
        master = master_of(singles, none, one, dual)
        _, master, _ = cross_until(ROOM, 0, one, dual, master, rng, ROOM, True)
        yield _stage(name, master, dual)
        singles, none = master.singles, master.atoms[: master.n]
    master = master_of(singles, none, positives, dual)
    yield _stage("reduction", reduce(traces, dual, master, rng), dual)


def _stage(name: str, master: Master, dual: Dual) -> Stage:
    return Stage(name, atoms_of(master), constant_traces(master, dual))


def step_by_step(seed: int) -> dict[str, Any]:
    """The stages of the first run, from this seed on, that makes the paper's choices."""
    for tried in range(SEEDS):
        stages = list(embed(stream(seed + tried)))
        by_name = {stage.name: _names(stage.atoms) for stage in stages}
        enforced = [["v"], ["c1"], ["c3"], ["c4"]]
        if sorted(by_name["positive trace constraints"]) == sorted(enforced) and (
            sets(by_name["reduction"]) == sets(paper.TOY_LEARNED)
        ):
            return {"tried": tried + 1, "stages": [_plain(stage) for stage in stages]}
    raise AssertionError("no seed makes the paper's choices")


def _plain(stage: Stage) -> dict[str, Any]:
    traces = {
        name: [f"ζ{1 + z}" for z in rows.members(trace).tolist()]
        for name, trace in zip(NAMES, stage.traces, strict=True)
    }
    return {"stage": stage.name, "atoms": _names(stage.atoms), "traces": traces}


def _names(atoms: Rows) -> list[list[str]]:
    return [[NAMES[c] for c in rows.members(atom).tolist()] for atom in atoms]


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
    """The freest, the least-free and a generalising model of the five examples, and of all."""
    algebra = Algebra(NAMES)
    v = algebra["v"]
    algebra.add(v <= algebra.term(text) for text in POSITIVE)
    algebra.add(~(v <= algebra.term(text)) for text in NEGATIVE)
    found = {"freest": algebra.freest(), "least free": algebra.least_free(),
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
        }
    result["freer"] = {
        "freest than learned": found["freest"].is_freer_than(found["learned"]),
        "learned than freest": found["learned"].is_freer_than(found["freest"]),
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
