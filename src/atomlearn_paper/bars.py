"""Vertical bars, 15 × 15 with 10 % noise: the paper's section 3.3.

The exact atoms are known there (section 3.2): one black pixel in each column. So it can be counted
how many of the atoms that were learned are of the exact form.
"""

from functools import cache
from typing import Any

import numpy as np

from atomlearn.datasets import vertical_bars
from atomlearn.engine.concept import PAPER, READABLE, Concept, Sampler
from atomlearn.engine.misses import Blocks, blocks_of, count_misses
from atomlearn.logic.comparison import atoms_needed, chance_to_hold, compare
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Has, exists, forall
from atomlearn_paper import paper
from atomlearn_paper.charts import COLOURS, curve, in_percent, label, panels
from atomlearn_paper.experiment import Experiment, Results, Setting, Step
from atomlearn_paper.images import RATES, Bits, n_constants, rates, terms
from atomlearn_paper.report import ExperimentReport, percent

SIDE, NOISE = 15, 0.1
EPOCHS, MANY, LETTER_EPOCHS = 20, 200, 200
BySide = dict[int, list[dict[str, Any]]]
"""By the number of examples, what several training sets gave."""
RECIPES = {"readable": READABLE, "letter": PAPER}
TEST_SEED = 10_000
"""Training sets have other seeds."""


@cache
def test_images(n: int, side: int) -> tuple[Blocks, Bits]:
    """Images that nothing is learned from."""
    images, has_bar = vertical_bars(n, shape=(side, side), noise=NOISE, random_state=TEST_SEED)
    return blocks_of(terms(images), n_constants(images)), has_bar


def learn_bars(
    side: int, examples: int, seed: int, epochs: int, n_test: int, protocol: str = "readable"
) -> dict[str, Any]:
    """Some epochs over all examples at once, with a greedy cover: a model small enough to read.

    Or to the letter of the paper, in batches that grow when accuracy stalls.
    """
    images, labels = vertical_bars(examples, shape=(side, side), noise=NOISE, random_state=seed)
    n = n_constants(images)
    concept = Concept(n, n - 1, seed, RECIPES[protocol])
    sampler = Sampler(concept, terms(images)[None], labels)
    for _ in range(epochs):
        sampler.run_epoch()
    blocks, has_bar = test_images(n_test, side)
    model = concept.masters[-1]
    said = count_misses(model, blocks, len(has_bar)) == 0
    in_model = compare(model, exact_bars(side), n - 1)
    in_pool = compare(concept.pool, exact_bars(side), n - 1)
    return rates(said, has_bar) | {
        "atoms": in_model.total,
        "exact": in_model.exact,
        "true": in_model.exact + in_model.super_atoms,
        "pool": in_pool.total,
        "exact in the pool": in_pool.exact,
    }


def learn_in_batches(side: int, batch: int, batches: int, seed: int, n_test: int) -> dict[str, Any]:
    """The same by the paper's protocol, with small batches as they come, each seen once."""
    n = 2 * side * side + 1
    concept = Concept(n, n - 1, seed, PAPER)
    for k in range(batches):
        drawn = seed * 1000 + k + 1
        images, labels = vertical_bars(batch, shape=(side, side), noise=NOISE, random_state=drawn)
        packed = terms(images)
        concept.learn_batch(packed[labels], packed[~labels])
    blocks, has_bar = test_images(n_test, side)
    said = count_misses(concept.masters[-1], blocks, len(has_bar)) == 0
    return rates(said, has_bar)


@cache
def exact_bars(side: int) -> ExactAtomization:
    """The exact atoms of a bar: some column with all rows black."""
    return ExactAtomization(
        exists(range(side), lambda j: forall(range(side), lambda i: Has(i * side + j)))
    )


def steps(setting: Setting) -> list[Step]:
    """Training sets of growing size, several of each."""
    sizes = (100, 300, 1000, 3000) if setting.quick else (
        100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)  # fmt: skip
    n_test = 20_000 if setting.quick else 100_000
    found = [
        Step(
            f"examples-{examples}-{k}", learn_bars,
            {"side": SIDE, "examples": examples, "seed": setting.seed + k, "epochs": EPOCHS,
             "n_test": n_test},
            cost=0.5 + examples / 2500,
        )
        for examples in sizes
        for k in range(2 if setting.quick else 5)
    ]  # fmt: skip
    found += [
        Step(
            f"letter-{examples}-{k}", learn_bars,
            {"side": SIDE, "examples": examples, "seed": setting.seed + k,
             "epochs": 40 if setting.quick else LETTER_EPOCHS, "n_test": n_test,
             "protocol": "letter"},
            cost=4.0,
        )
        for examples in (sizes[:3:2] if setting.quick else (300, 1000, 5000, 20_000, 50_000))
        for k in range(1 if setting.quick else 3)
    ]  # fmt: skip
    longer = {"side": SIDE, "examples": sizes[-1], "seed": setting.seed, "epochs": MANY,
              "n_test": n_test}  # fmt: skip
    found.append(Step("longer", learn_bars, longer, 4 + sizes[-1] / 2500))
    given = {"side": SIDE, "batch": 200, "batches": 5, "n_test": n_test}
    return found + [
        Step(f"batches-{k}", learn_in_batches, given | {"seed": setting.seed + k}, 0.5)
        for k in range(3)
    ]


def report(page: ExperimentReport, results: Results) -> None:
    """Fill the page."""
    by, letter = by_size(results, "examples-"), by_size(results, "letter-")
    batches = [found for name, found in results.items() if name.startswith("batches-")]
    head = ["protocol", "examples", "training set", "error %", "FPR %", "FNR %", "atoms", "exact",
            "exact or larger", "pool", "exact in the pool", "ε κ"]  # fmt: skip
    rows = [
        [name, n, k, *(f"{100 * f[key]:.3f}" for key in RATES),
         *(f[key] for key in ("atoms", "exact", "true", "pool", "exact in the pool")),
         f"{f['error'] * n / max(1, f['atoms']):.1f}"]
        for name, found in (("this library", by), ("to the letter", letter))
        for n, many in sorted(found.items()) for k, f in enumerate(many)
    ]  # fmt: skip
    values = measured(by, results["longer"]["exact in the pool"]) | by_the_letter(letter)
    values["batches"] = percent(_mean(batches, "error"), 0)
    page.fill(values, {"bars": (head, rows)}, {"error": draw(by)})


def by_size(results: Results, start: str) -> BySide:
    """The results of a kind, by the number of examples."""
    by: BySide = {}
    for name, found in results.items():
        if name.startswith(start):
            by.setdefault(int(name.split("-")[1]), []).append(found)
    return by


def by_the_letter(by: BySide) -> dict[str, Any]:
    """The same sizes, to the letter."""
    values: dict[str, Any] = {"letter_epochs": LETTER_EPOCHS}
    if early := by.get(paper.BARS_EARLY):
        values["letter_early"] = f"{percent(_mean(early, 'error'), 1)} ({_spread(early)})"
    if late := by.get(paper.BARS_LATE):
        values["letter_late"] = f"{percent(_mean(late, 'error'), 2)} ({_spread(late, 2)})"
        values["letter_exact"] = (
            f"{_mean(late, 'exact'):.0f} of {_mean(late, 'atoms'):.0f} in the last model, "
            f"{_mean(late, 'exact in the pool'):.0f} among the pins"
        )
    return values


def measured(by: BySide, longer: int) -> dict[str, Any]:
    """The values that stand beside the paper's, those of the sizes that were run."""
    sizes = (n for n, many in sorted(by.items()) if any(f["exact in the pool"] for f in many))
    first = next(sizes, None)
    values = {
        "epochs": EPOCHS,
        "many": MANY,
        "wanted": atoms_needed(1 / 1000, chance_to_hold(SIDE, NOISE)),
        "appear": f"after {first:,}" if first else "not within these sizes",
        "appear_verdict": "reproduced" if first and first <= 1000 else "later, or not",
    }
    if early := by.get(paper.BARS_EARLY):
        error, told = _mean(early, "error"), paper.BARS_EARLY_ERROR
        more = f"{100 * (error - told):.1f} points more than the paper's round figure"
        values["early"] = f"{percent(error, 1)} ({_spread(early)})"
        values["early_verdict"] = "reproduced" if error <= 1.2 * told else more
    if late := by.get(paper.BARS_LATE):
        error = _mean(late, "error")
        good = error < paper.BARS_LATE_ERROR
        enough = "reproduced, with more epochs over the same examples"
        values |= {
            "late": f"{percent(error, 3)} ({_spread(late, 3)})",
            "late_verdict": "reproduced" if good else "not reached in the mean",
            "late_exact": _mean(late, "exact"),
            "late_atoms": _mean(late, "atoms"),
            "late_pool": _mean(late, "exact in the pool"),
            "longer": longer,
            "longer_verdict": enough if longer >= 200 else "fewer than hundreds",
        }
    return values


def draw(by: BySide) -> Any:
    """Error and atoms against examples seen."""
    figure, axes = panels(1, 2, (5.0, 3.5))
    sizes = sorted(by)
    left, right = axes[0]
    curve(left, sizes, [_mean(by[n], "error") for n in sizes], "mean", COLOURS[0], "o-")
    for n in sizes:
        for found in by[n]:
            left.plot(n, max(found["error"], 1e-5), ".", color=COLOURS[0], alpha=0.35)
    for n, error in ((paper.BARS_EARLY, paper.BARS_EARLY_ERROR),
                     (paper.BARS_LATE, paper.BARS_LATE_ERROR)):  # fmt: skip
        left.plot(n, error, "_", color=COLOURS[1], markersize=14, markeredgewidth=2)
    curve(right, sizes, [_mean(by[n], "atoms") for n in sizes], "atoms", COLOURS[0], "o-")
    curve(right, sizes, [_mean(by[n], "exact") for n in sizes], "exact", COLOURS[2], "o-")
    true = [_mean(by[n], "true") for n in sizes]
    curve(right, sizes, true, "exact, or with more than is needed", COLOURS[2], "o:")
    right.axhline(paper.BARS_ATOMS, color="#777777", linewidth=0.8, label="29.9")
    for axis in (left, right):
        axis.set_xscale("log")
    in_percent(left)
    label(left, "examples", "test error", legend=False)
    label(right, "examples", "atoms of the last model")
    return figure


def _mean(many: list[dict[str, Any]], key: str) -> float:
    return float(np.mean([found[key] for found in many]))


def _spread(many: list[dict[str, Any]], digits: int = 1) -> str:
    errors = [found["error"] for found in many]
    return f"{100 * min(errors):.{digits}f} to {100 * max(errors):.{digits}f} %"


EXPERIMENT = Experiment("bars", "Vertical bars", steps, report)
