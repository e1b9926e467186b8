"""Vertical bars, 15 × 15 with 10 % noise: the paper's section 3.3.

The exact atoms are known there (section 3.2): one black pixel in each column. So it can be counted
how many of the atoms that were learned are of the exact form.
"""

from dataclasses import fields, replace
from functools import cache
from typing import Any

from atomlearn.datasets import vertical_bars
from atomlearn.engine import PAPER, READABLE, Concept, Recipe, Sampler
from atomlearn.engine.misses import Blocks, blocks_of, count_misses
from atomlearn.logic.comparison import compare
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Has, exists, forall
from atomlearn_paper import paper
from atomlearn_paper.charts import COLOURS, curve, in_percent, label, panels
from atomlearn_paper.expressions import each, mean
from atomlearn_paper.images import Bits, n_constants, rates, terms
from atomlearn_paper.steps import Results

SIDE, NOISE = 15, 0.1
"""The side of the images, and the share of other pixels that are black."""
EPOCHS, MANY, LETTER_EPOCHS = 20, 200, 200
"""Epochs over a training set: usually, in the longer run, and to the letter of the paper."""
RECIPES = {"readable": READABLE, "letter": PAPER}
"""The recipe of each protocol."""
TEST_SEED = 10_000
"""The seed of the test images, which no training set has."""

BySize = dict[int, list[dict[str, Any]]]
"""By the number of examples, what several training sets gave."""


@cache
def test_images(n: int, side: int) -> tuple[Blocks, Bits]:
    """Images that nothing is learned from."""
    images, has_bar = vertical_bars(n, shape=(side, side), noise=NOISE, random_state=TEST_SEED)
    return blocks_of(terms(images), n_constants(images)), has_bar


READINGS: dict[str, dict[str, Any]] = {
    "empty-start": {"start": "empty"},
    "free-every-epoch": {"vocabulary": "all"},
    "free-master-forgotten": {"master": "forgotten"},
    "lazy-dual": {"dual": "lazy"},
    "epsilon-by-the-text": {"renewal": "needed"},
    "as-few-as-possible": {"draws": "fewest"},
    "b-renewed": {"partners": "renewed"},
    "first-strategy": {"strategy": "enforce"},
    "pins-lend-only": {"strategy": "lend"},
}
"""Other readings of the paper: what is changed in the letter."""


def changed_recipe(recipe: Recipe, changed: dict[str, Any]) -> Recipe:
    """A recipe in which some settings, or some switches of its protocol, are changed.

    >>> changed_recipe(PAPER, {"start": "empty", "largest": 500}).largest
    500
    """
    own = {one.name for one in fields(Recipe)}
    ours = {name: value for name, value in changed.items() if name in own}
    others = {name: value for name, value in changed.items() if name not in own}
    return replace(recipe, protocol=replace(recipe.protocol, **others), **ours)


def learn_bars(
    side: int,
    examples: int,
    seed: int,
    epochs: int,
    n_test: int,
    protocol: str = "readable",
    changed: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Some epochs over all examples at once, with a greedy cover: a model small enough to read.

    Or to the letter of the paper, in batches that grow when accuracy stalls; or with some settings
    or switches changed.
    """
    images, labels = vertical_bars(examples, shape=(side, side), noise=NOISE, random_state=seed)
    n = n_constants(images)
    concept = Concept(n, n - 1, seed, changed_recipe(RECIPES[protocol], changed or {}))
    sampler = Sampler(concept, terms(images)[None], labels)
    for _ in range(epochs):
        sampler.run_epoch()
    blocks, has_bar = test_images(n_test, side)
    model = concept.masters[-1]
    said = count_misses(model, blocks, len(has_bar)) == 0
    in_model = compare(model, exact_bars(side, side), n - 1)
    in_pool = compare(concept.pool, exact_bars(side, side), n - 1)
    votes = concept.votes(blocks, len(has_bar))
    return rates(said, has_bar) | {
        "5 of 10": rates(votes >= 5, has_bar),
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
def exact_bars(height: int, width: int, colours: bool = False) -> ExactAtomization:
    """The exact atoms of a bar, some column with all rows black; or with white pixels, too."""
    n = height * width
    bar = exists(range(width), lambda j: forall(range(height), lambda i: Has(i * width + j)))
    return ExactAtomization(bar, [(pixel, n + pixel) for pixel in range(n)] if colours else ())


def by_size(results: Results, kind: str) -> BySize:
    """The results of a kind, by the number of examples, the fewest first."""
    sizes = {int(name.split("-")[1]) for name in results if name.startswith(f"{kind}-")}
    return {n: each(results, f"{kind}-{n}-*") for n in sorted(sizes)}


def columns(many: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Each value of several training sets as a list."""
    return {key: [found[key] for found in many] for key in many[0]}


def draw(by: BySize) -> Any:
    """Error and atoms against examples seen."""
    figure, axes = panels(1, 2, (5.0, 3.5))
    left, right = axes[0]

    def means(key: str) -> list[float]:
        return [mean(found[key] for found in many) for many in by.values()]

    curve(left, list(by), means("error"), "mean", COLOURS[0], "o-")
    for n, many in by.items():
        for found in many:
            left.plot(n, max(found["error"], 1e-5), ".", color=COLOURS[0], alpha=0.35)
    for n, error in ((paper.BARS_EARLY, paper.BARS_EARLY_ERROR),
                     (paper.BARS_LATE, paper.BARS_LATE_ERROR)):  # fmt: skip
        left.plot(n, error, "_", color=COLOURS[1], markersize=14, markeredgewidth=2)
    for key, name, colour, style in (
        ("atoms", "atoms", COLOURS[0], "o-"),
        ("exact", "exact", COLOURS[2], "o-"),
        ("true", "exact, or with more than is needed", COLOURS[2], "o:"),
    ):
        curve(right, list(by), means(key), name, colour, style)
    right.axhline(paper.BARS_ATOMS, color="#777777", linewidth=0.8, label="29.9")
    for axis in (left, right):
        axis.set_xscale("log")
    in_percent(left)
    label(left, "examples", "test error", legend=False)
    label(right, "examples", "atoms of the last model")
    return figure
