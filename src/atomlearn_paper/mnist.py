"""MNIST, one digit against the rest: the paper's section 4.

Every digit is learned on its own, for a fixed number of epochs, by two protocols: the paper's to
the letter, and this library's. Some training images are spared: no batch sees them, and cut-offs
are chosen on them. The test set is looked at to report, and once, in a column marked as such, to
choose a cut-off as the paper did.
"""

from dataclasses import fields, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine.concept import PAPER, Concept, Recipe, Sampler
from atomlearn.engine.dual import cover
from atomlearn.engine.epoch import prepare
from atomlearn.engine.misses import Blocks, blocks_of, count_misses
from atomlearn.engine.protocol import switches
from atomlearn.engine.state import Report
from atomlearn.sets import rows
from atomlearn.sets.rows import Lists, Rows, no_lists, to_lists
from atomlearn_paper.experiment import Experiment, Setting, Step
from atomlearn_paper.images import (
    Bits,
    Images,
    mean_rates,
    mnist,
    moved,
    n_constants,
    rates,
    smooth_cut,
    terms,
)  # fmt: skip
from atomlearn_paper.mnist_page import report

SPARED = 5000
"""Training images of 60,000 that no batch sees."""

SHOWN = (0, 9)
"""The digits of the paper's Figures 7 and 9."""
DRAWN = 5
"""The digit of the paper's Figure 6."""

SEEDS = 3
SEVERAL = (0, 5, 8, 9)
"""Digits that are learned with all seeds, the others with the first; for the sake of time."""

RECIPES = {"letter": PAPER, "default": Recipe()}
IN_CLASSES = ("contradicted", "focus", "order")
"""Switches of formal problems, which do nothing here."""


class Watched(Concept):
    """A concept that remembers its last batch."""

    def learn_batch(self, positives: Rows, negatives: Rows) -> Report:
        """One epoch."""
        self.batch, self.report = (positives, negatives), super().learn_batch(positives, negatives)
        return self.report


class Data(NamedTuple):
    """MNIST made ready, and which training images are spared."""

    images: Images
    spared: Bits
    held: Blocks
    test: Blocks
    variants: npt.NDArray[np.uint64]

    @property
    def n_constants(self) -> int:
        """Black, white, and the class."""
        return n_constants(self.images.pixels)


@cache
def split(seed: int, translated: bool = False) -> Data:
    """Read MNIST and spare some of it; ``translated`` adds images moved by one pixel."""
    images = mnist()
    order = np.random.default_rng(seed).permutation(len(images.labels))
    spared = np.zeros(len(order), dtype=bool)
    spared[order[: min(SPARED, len(order) // 6)]] = True
    kinds = moved(images.pixels[~spared]) if translated else [images.pixels[~spared]]
    n = n_constants(images.pixels)
    held, test = blocks_of(terms(images.pixels[spared]), n), blocks_of(terms(images.test_pixels), n)
    return Data(images, spared, held, test, np.stack([terms(kind) for kind in kinds]))


def learner(
    data: Data, digit: int, seed: int, recipe: Recipe, wrong: float = 0.0
) -> tuple[Watched, Sampler]:
    """A digit about to be learned, with a share of ``wrong`` labels."""
    n = data.n_constants
    concept = Watched(n, n - 1, np.random.SeedSequence([seed, digit]), recipe)
    is_digit = data.images.labels[~data.spared] == digit
    flipped = np.random.default_rng([seed, 77]).random(len(is_digit)) < wrong
    return concept, Sampler(concept, data.variants, is_digit ^ flipped)


def learn_digit(digit: int, seed: int, epochs: int, protocol: str, every: int) -> dict[str, Any]:
    """One digit by one protocol: everything that the tables and figures need of it."""
    data = split(seed)
    concept, sampler = learner(data, digit, seed, RECIPES[protocol])
    curve = []
    for epoch in range(1, epochs + 1):
        sampler.run_epoch()
        if epoch % every == 0 or epoch == 1:
            curve.append({"epoch": epoch} | along_the_way(concept, data, digit))
    result = {"curve": curve} | evaluate(concept, data, digit) | sizes(concept, data, digit)
    if digit in SHOWN:
        result |= agreement(concept, data, digit) | cut_curve(concept, data, digit)
    if digit == DRAWN:
        result["drawn"] = some_atoms(concept.masters[-1])
    return result


def learn_switched(
    digit: int, seed: int, epochs: int, start: str, changed: dict[str, Any], wrong: float = 0.0
) -> dict[str, Any]:
    """One digit by a protocol in which some switches are changed, or with wrong labels."""
    data = split(seed)
    recipe = RECIPES[start]
    own = {f.name for f in fields(Recipe)}
    ours = {name: value for name, value in changed.items() if name in own}
    others = {name: value for name, value in changed.items() if name not in own}
    recipe = replace(recipe, protocol=replace(recipe.protocol, **others), **ours)
    concept, sampler = learner(data, digit, seed, recipe, wrong)
    for _ in range(epochs):
        sampler.run_epoch()
    return evaluate(concept, data, digit) | sizes(concept, data, digit)


def sizes(concept: Watched, data: Data, digit: int) -> dict[str, Any]:
    """What the paper says of the last batch: its negatives, its dual, its atoms."""
    positives, negatives = concept.batch
    n, master = concept.n_constants, concept.masters[-1]
    missed = count_misses(master, blocks_of(negatives, n), len(negatives))
    pixels = np.diff(master.starts) - 1
    batch = prepare(concept._relations(positives, negatives), concept.rng.copy())
    true = data.images.test_labels == digit

    def of_dual(pins: Lists) -> dict[str, float]:
        dual = cover(batch.left, batch.closed, pins, n, concept.rng.copy(), "every")
        atoms = to_lists(rows.complement(dual, n))
        return rates(count_misses(atoms, data.test, len(true)) == 0, true)

    return {
        "misses of negatives": np.bincount(missed, minlength=2)[:30].tolist(),
        "witnesses": concept.report.n_witnesses,
        "all atoms": concept.report.n_atoms,
        "atoms of v": master.n,
        "pixels": np.bincount(pixels).tolist(),
        "constants used": len(np.unique(master.constants)),
        "model of the dual": of_dual(concept.pool.atoms),
        "model of a dual without pins": of_dual(no_lists()),
    }


def along_the_way(concept: Concept, data: Data, digit: int) -> dict[str, Any]:
    """The test error of the last model, and of 5 votes of the last ten."""
    true = data.images.test_labels == digit
    said = count_misses(concept.masters[-1], data.test, len(true)) == 0
    votes = concept.votes(data.test, len(true))
    return {
        "single": rates(said, true),
        "votes": rates(votes >= 5, true),
        "pool": len(concept.pool),
    }


def evaluate(concept: Concept, data: Data, digit: int) -> dict[str, Any]:
    """Single models, votes and misses; what is chosen is chosen on spared training images."""
    true, held_true = data.images.test_labels == digit, data.images.labels[data.spared] == digit
    singles = [count_misses(m, data.test, len(true)) == 0 for m in concept.masters]
    votes, held_votes = np.sum(singles, axis=0), concept.votes(data.held, len(held_true))
    needed = min(range(1, len(singles) + 1), key=lambda k: ((held_votes >= k) != held_true).sum())
    misses = concept.misses(data.test, len(true))
    cut = smooth_cut(concept.misses(data.held, len(held_true)), held_true)
    best = best_cut(misses, true)
    pixels = np.concatenate([np.diff(m.starts) - 1 for m in concept.masters])
    return {
        "atoms": float(np.mean([m.n for m in concept.masters])),
        "pixels an atom": float(pixels.mean()) if len(pixels) else 0.0,
        "pool": len(concept.pool),
        "single": mean_rates([rates(said, true) for said in singles]),
        "5 of 10": rates(votes >= 5, true),
        "7 of 10": rates(votes >= 7, true),
        "votes": rates(votes >= needed, true) | {"needed": needed},
        "misses": rates(misses <= cut, true) | {"cut": cut},
        "misses, cut chosen on the test set": rates(misses <= best, true) | {"cut": best},
    }


def best_cut(misses: npt.NDArray[Any], true: Bits) -> int:
    """The cut-off with the fewest errors, without regard to chance: as the paper chose.

    >>> best_cut(np.array([0, 3, 9, 5]), np.array([True, True, False, False]))
    3
    """
    cuts = np.unique(misses)
    negatives = np.searchsorted(np.sort(misses[~true]), cuts, side="right")
    positives = np.searchsorted(np.sort(misses[true]), cuts, side="right")
    return int(cuts[np.argmin(negatives - positives)])


def cut_curve(concept: Concept, data: Data, digit: int, points: int = 60) -> dict[str, Any]:
    """Figure 9: error and FPR on the test set against the cut-off."""
    true = data.images.test_labels == digit
    misses = concept.misses(data.test, len(true))
    cuts = np.unique(np.geomspace(1, max(2, int(misses.max())), points).astype(int))
    return {"cuts": [{"cut": int(cut)} | rates(misses <= cut, true) for cut in cuts]}


def agreement(concept: Concept, data: Data, digit: int) -> dict[str, Any]:
    """Figure 7: how many of ten models say yes to each test image, and images to look at."""
    true = data.images.test_labels == digit
    votes = concept.votes(data.test, len(true))
    n = len(concept.masters) + 1
    shown = {}
    for wanted in (10, 5, 0):
        order = np.argsort(np.abs(votes[true] - wanted), kind="stable")[:4]
        pictures = data.images.test_pixels[true][order]
        shown[str(wanted)] = [
            {"votes": int(votes[true][i]), "image": rows_of_text(picture)}
            for i, picture in zip(order, pictures, strict=True)
        ]
    return {
        "yes": np.bincount(votes[true], minlength=n).tolist(),
        "yes to others": np.bincount(votes[~true], minlength=n).tolist(),
        "images": shown,
    }


def rows_of_text(pixels: Bits) -> list[str]:
    """A small image as lines of text.

    >>> rows_of_text(np.array([True, False, False, True]))
    ['#.', '.#']
    """
    side = round(len(pixels) ** 0.5)
    return ["".join("#" if black else "." for black in row) for row in pixels.reshape(side, side)]


def some_atoms(atoms: Lists, n: int = 36) -> list[list[int]]:
    """Atoms to draw, from the smallest to the largest."""
    by_size = np.argsort(np.diff(atoms.starts), kind="stable")
    chosen = by_size[np.linspace(0, len(by_size) - 1, min(n, len(by_size))).astype(int)]
    return [atoms.constants[atoms.starts[k] : atoms.starts[k + 1]].tolist() for k in chosen]


def switched() -> dict[str, tuple[str, dict[str, Any]]]:
    """What is changed, one thing at a time, and in which protocol."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for one in switches():
        if one.name not in IN_CLASSES:
            name = one.name.replace("_", "-")
            found[f"letter-{name}"] = "letter", {one.name: one.ours}
    found["letter-first-strategy"] = "letter", {"strategy": "enforce"}
    found["letter-reduction"] = "letter", {"reduction": "negatives"}
    ours: dict[str, dict[str, Any]] = {
        "vocabulary": {"vocabulary": "needed"},
        "hard": {"hard_share": 0.0},
        "candidates": {"candidates": None},
    }
    for name, changed in ours.items():
        found[f"default-{name}"] = "default", changed
    return found


def steps(setting: Setting) -> list[Step]:
    """Ten digits by two protocols, three seeds; one digit with switches and wrong labels."""
    epochs, every, seeds = (40, 5, 1) if setting.quick else (200, 10, SEEDS)
    found = [
        Step(
            f"digit-{digit}-{protocol}-{k}",
            learn_digit,
            {"digit": digit, "seed": setting.seed + k, "epochs": epochs, "protocol": protocol,
             "every": every if k == 0 else epochs},
            cost=epochs * 0.04,
        )
        for k in range(seeds) for protocol in RECIPES
        for digit in (range(10) if k == 0 else SEVERAL)
    ]  # fmt: skip
    given = {"digit": DRAWN, "epochs": 20 if setting.quick else 40}
    for k in range(seeds):
        mine = given | {"seed": setting.seed + k}
        found += [
            Step(f"switch-{name}-{k}", learn_switched, mine | {"start": start, "changed": changed},
                 epochs * 0.03)
            for name, (start, changed) in
            ({p: (p, {}) for p in RECIPES} | switched()).items()
        ]  # fmt: skip
        found += [
            Step(f"wrong-{share}-{start}-{k}", learn_switched,
                 mine | {"start": start, "changed": {}, "wrong": share}, epochs * 0.03)
            for share in (0.01, 0.05) for start in RECIPES
        ]  # fmt: skip
    return found


EXPERIMENT = Experiment(
    "mnist", "Hand-written digits, one against the rest", steps, report, "mnist"
)
