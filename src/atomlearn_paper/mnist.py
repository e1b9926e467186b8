"""MNIST, one digit against the rest: the paper's section 4.

Every digit is learned on its own, for a fixed number of epochs, by two protocols: the paper's to
the letter, and this library's. Some training images are spared: no batch sees them, and cut-offs
are chosen on them. The test set is looked at to report, and once, in a column marked as such, to
choose a cut-off as the paper did.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.engine import PAPER, Concept, Recipe, Report, Sampler
from atomlearn.engine.dual import cover
from atomlearn.engine.epoch import prepare
from atomlearn.engine.misses import Blocks, blocks_of, count_misses
from atomlearn.engine.protocol import switches
from atomlearn.sets import rows
from atomlearn.sets.rows import Lists, Rows, no_lists, to_lists
from atomlearn.tables.images import permuted, translations
from atomlearn_paper import paper
from atomlearn_paper.bars import changed_recipe
from atomlearn_paper.charts import COLOURS, curve, in_percent, label, panels
from atomlearn_paper.expressions import PROTOCOLS, correlation, each, mean, percent, ranged
from atomlearn_paper.images import (
    Bits,
    Images,
    mean_rates,
    mnist,
    n_constants,
    rates,
    smooth_cut,
    terms,
)
from atomlearn_paper.steps import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPARED = {"letter": 0, "default": 5000}
"""Training images of 60,000 that no batch sees: the paper learned from all of them, and chose its
cut-offs on the test set."""

SHOWN = (0, 9)
"""The digits of the paper's Figures 7 and 9."""
DRAWN = 5
"""The digit of the paper's Figure 6."""

SEEDS = 3
"""Seeds with which each digit is learned."""

RECIPES = {"letter": PAPER, "default": Recipe()}
"""The recipe of each protocol."""
FREE_START = {"start": "free", "vocabulary": "needed", "master": "kept"}
"""What the letter starts from, in the protocol of this library."""
IN_FORMAL_PROBLEMS = ("contradicted", "memory", "rules", "focus", "order")
"""Switches of formal problems, which do nothing here."""

ON_TEST = "misses, cut chosen on the test set"
"""The rates by misses with the cut-off that is best on the test set, as the paper chose it."""

Digits = Mapping[str, list[dict[str, Any]]]
"""By protocol, what was found for each digit with the first seed."""


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


@cache
def split(seed: int, n_spared: int = SPARED["default"], translated: bool = False) -> Data:
    """Read MNIST and spare some of it; ``translated`` adds images moved by one pixel."""
    images = mnist()
    order = np.random.default_rng(seed).permutation(len(images.labels))
    spared = np.zeros(len(order), dtype=bool)
    spared[order[: min(n_spared, len(order) // 6)]] = True
    n = n_constants(images.pixels)
    held, test = blocks_of(terms(images.pixels[spared]), n), blocks_of(terms(images.test_pixels), n)
    maps = translations((28, 28)) if translated else ()
    kept = images.pixels[~spared]
    kinds = [kept, *(permuted(kept, one, blank=False) for one in maps)]
    return Data(images, spared, held, test, np.stack([terms(kind) for kind in kinds]))


def learner(
    data: Data, digit: int, seed: int, recipe: Recipe, wrong: float = 0.0
) -> tuple[Watched, Sampler]:
    """A digit about to be learned, with a share of images that are given as another digit."""
    n = n_constants(data.images.pixels)
    concept = Watched(n, n - 1, np.random.SeedSequence([seed, digit]), recipe)
    labels, rng = data.images.labels[~data.spared], np.random.default_rng([seed, 77])
    others = (labels + rng.integers(1, 10, len(labels))) % 10
    given = np.where(rng.random(len(labels)) < wrong, others, labels)
    return concept, Sampler(concept, data.variants, given == digit)


def learn_digit(digit: int, seed: int, epochs: int, protocol: str, every: int) -> dict[str, Any]:
    """One digit by one protocol: everything that the tables and figures need of it."""
    data = split(seed, SPARED[protocol])
    concept, sampler = learner(data, digit, seed, RECIPES[protocol])
    curve = []
    for epoch in range(1, epochs + 1):
        sampler.run_epoch()
        if epoch % every == 0 or epoch == 1:
            curve.append({"epoch": epoch} | along_the_way(concept, data, digit))
    result = {"curve": curve} | evaluate(concept, data, digit) | sizes(concept, data, digit)
    if digit in SHOWN:
        result |= agreement(concept, data, digit)
    if digit == DRAWN:
        result["drawn"] = some_atoms(concept.masters[-1])
    return result


def learn_switched(
    digit: int, seed: int, epochs: int, start: str, changed: dict[str, Any], wrong: float = 0.0
) -> dict[str, Any]:
    """One digit by a protocol in which some switches are changed, or with wrong labels."""
    data = split(seed, SPARED[start])
    recipe = changed_recipe(RECIPES[start], changed)
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
    in_atoms = np.bincount(master.constants, minlength=n)[: n - 1]
    shares = [np.mean(rows.unpack(side, n)[:, : n - 1], axis=0) for side in concept.batch]
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
        "atoms of a pixel, and inverse negatives": correlation(
            in_atoms.tolist(), (1 - shares[1]).tolist()
        ),
        "atoms of a pixel, and positives": correlation(in_atoms.tolist(), shares[0].tolist()),
        "model of the dual": of_dual(concept.pool.atoms),
        "model of a dual without pins": of_dual(no_lists()),
    }


def along_the_way(concept: Watched, data: Data, digit: int) -> dict[str, Any]:
    """The test error of the last model, and of 5 votes of the last ten."""
    true = data.images.test_labels == digit
    said = count_misses(concept.masters[-1], data.test, len(true)) == 0
    votes = concept.votes(data.test, len(true))
    return {
        "single": rates(said, true),
        "votes": rates(votes >= 5, true),
        "pool": len(concept.pool),
        "batch": concept.report.n_positive,
    }


def evaluate(concept: Concept, data: Data, digit: int) -> dict[str, Any]:
    """Single models, votes and misses; what is chosen on spared training images, if there are any.

    The cut-off that is best on the test set is chosen as in the paper.
    """
    true = data.images.test_labels == digit
    singles = [count_misses(m, data.test, len(true)) == 0 for m in concept.masters]
    votes, misses = np.sum(singles, axis=0), concept.misses(data.test, len(true))
    best = best_cut(misses, true)
    pixels = np.concatenate([np.diff(m.starts) - 1 for m in concept.masters])
    found = {
        "atoms": float(np.mean([m.n for m in concept.masters])),
        "pixels an atom": float(pixels.mean()) if len(pixels) else 0.0,
        "pool": len(concept.pool),
        "single": mean_rates([rates(said, true) for said in singles]),
        "5 of 10": rates(votes >= 5, true),
        "7 of 10": rates(votes >= 7, true),
        ON_TEST: rates(misses <= best, true) | {"cut": best},
    }
    if data.spared.any():
        held_true = data.images.labels[data.spared] == digit
        held = concept.votes(data.held, len(held_true))
        needed = min(range(1, len(singles) + 1), key=lambda k: ((held >= k) != held_true).sum())
        cut = smooth_cut(concept.misses(data.held, len(held_true)), held_true)
        found["votes"] = rates(votes >= needed, true) | {"needed": needed}
        found["misses"] = rates(misses <= cut, true) | {"cut": cut}
    return found


def best_cut(misses: npt.NDArray[Any], true: Bits) -> int:
    """The cut-off with the fewest errors, without regard to chance: as the paper chose.

    >>> best_cut(np.array([0, 3, 9, 5]), np.array([True, True, False, False]))
    3
    """
    cuts = np.unique(misses)
    negatives = np.searchsorted(np.sort(misses[~true]), cuts, side="right")
    positives = np.searchsorted(np.sort(misses[true]), cuts, side="right")
    return int(cuts[np.argmin(negatives - positives)])


def agreement(concept: Concept, data: Data, digit: int) -> dict[str, Any]:
    """How many of ten models say yes to each test image, and images to look at (Figure 7); error
    and FPR on the test set against the cut-off (Figure 9)."""
    true = data.images.test_labels == digit
    votes = concept.votes(data.test, len(true))
    misses = concept.misses(data.test, len(true))
    cuts = np.unique(np.geomspace(1, max(2, int(misses.max())), 60).astype(int))
    n = len(concept.masters) + 1
    shown = {}
    for wanted in (10, 5, 0):
        order = np.argsort(np.abs(votes[true] - wanted), kind="stable")[:4]
        pictures = data.images.test_pixels[true][order]
        shown[str(wanted)] = [
            {
                "votes": int(votes[true][i]),
                "image": ["".join(np.where(line, "#", ".")) for line in picture.reshape(28, 28)],
            }
            for i, picture in zip(order, pictures, strict=True)
        ]
    return {
        "yes": np.bincount(votes[true], minlength=n).tolist(),
        "yes to others": np.bincount(votes[~true], minlength=n).tolist(),
        "images": shown,
        "cuts": [{"cut": int(cut)} | rates(misses <= cut, true) for cut in cuts],
    }


def some_atoms(atoms: Lists, n: int = 36) -> list[list[int]]:
    """Atoms to draw, from the smallest to the largest."""
    by_size = np.argsort(np.diff(atoms.starts), kind="stable")
    chosen = by_size[np.linspace(0, len(by_size) - 1, min(n, len(by_size))).astype(int)]
    return [atoms.constants[atoms.starts[k] : atoms.starts[k + 1]].tolist() for k in chosen]


def switched() -> list[tuple[str, str, dict[str, Any]]]:
    """Both protocols, and each with one thing changed: a name, the protocol, what is changed."""
    letter: dict[str, dict[str, Any]] = {
        one.name.replace("_", "-"): {one.name: one.ours}
        for one in switches()
        if one.name not in IN_FORMAL_PROBLEMS
    }
    letter |= {"first-strategy": {"strategy": "enforce"}, "reduction": {"reduction": "negatives"}}
    letter |= {"as-few-as-possible": {"draws": "fewest"}, "b-renewed": {"partners": "renewed"}}
    letter["epsilon-by-the-text"] = {"renewal": "needed"}
    default: dict[str, dict[str, Any]] = {
        "vocabulary": {"vocabulary": "needed"},
        "hard": {"hard_share": 0.0},
        "candidates": {"candidates": None},
        "master": {"master": "kept"},
        "free-start": FREE_START,
    }
    return [
        *((protocol, protocol, {}) for protocol in RECIPES),
        *((f"letter-{name}", "letter", changed) for name, changed in letter.items()),
        *((f"default-{name}", "default", changed) for name, changed in default.items()),
    ]


# -- the page


def by_seed(results: Results, protocol: str, kind: str) -> list[float]:
    """The mean error of ten digits, seed by seed."""
    found = [each(results, f"digit-{d}-{protocol}-*", f"{kind}.error") for d in range(10)]
    return [mean(errors) for errors in zip(*found, strict=True)]


def ten_digits(results: Results, protocol: str, kind: str) -> float:
    """The mean error of ten digits over all seeds."""
    return mean(by_seed(results, protocol, kind))


def with_seeds(results: Results, protocol: str, kind: str) -> str:
    """The mean error of ten digits, and its range over the seeds."""
    errors = by_seed(results, protocol, kind)
    told = f" ({ranged(errors)})" if len(errors) > 1 else ""
    return percent(mean(errors)) + told


def rates_of(results: Results, protocol: str, kind: str) -> list[dict[str, Any]]:
    """The rates of each digit, the mean of its seeds; and last the mean of ten digits."""
    found: list[dict[str, Any]] = []
    for d in range(10):
        many = each(results, f"digit-{d}-{protocol}-*", kind)
        cut = f"{mean(one['cut'] for one in many):.0f}" if "cut" in many[0] else ""
        found.append(mean_rates(many) | {"cut": cut})
    return [*found, mean_rates(found) | {"cut": ""}]


def with_mean(rows: Sequence[paper.Rates]) -> list[paper.Rates]:
    """The rows of a table of the paper, and their mean."""
    return [*rows, paper.Rates(*(mean(column) for column in zip(*rows, strict=True)))]


KINDS = {
    "single": ("one model", paper.SINGLE_MEAN),
    "5 of 10": ("5 of 10 votes", paper.VOTES_MEAN_AS_PRINTED),
    "7 of 10": ("7 of 10 votes", paper.SEVEN_OF_TEN["mean"]),
    ON_TEST: ("misses, cut-off from the TEST SET", paper.MISSES_MEAN),
}
"""The ways to decide that the paper has figures for, each with its name and the paper's mean."""


# -- the figures


def draw_epochs(by: Digits) -> "Figure":
    """Figure 5."""
    figure, axes = panels(1, 2, (5.2, 3.6), sharey=True)
    for axis, (protocol, name) in zip(axes[0], PROTOCOLS.items(), strict=True):
        for d, found in enumerate(by[protocol]):
            epochs = [point["epoch"] for point in found["curve"]]
            curve(axis, epochs, (p["single"]["error"] for p in found["curve"]), str(d))
        in_percent(axis)
        label(axis, "epoch", "test error", name, legend=protocol == "default")
    axes[0, 1].legend(frameon=False, fontsize=7, ncols=2)
    return figure


def draw_drawn(atoms: list[list[int]]) -> "Figure":
    """Figure 6."""
    from atomlearn.views.pictures import draw_atoms

    side = 28
    black, white = np.zeros((2, len(atoms), side * side), dtype=bool)
    for k, constants in enumerate(atoms):
        pixels = np.array([c for c in constants if c < 2 * side * side], dtype=int)
        black[k, pixels[pixels < side * side]] = True
        white[k, pixels[pixels >= side * side] - side * side] = True
    return draw_atoms(black, white, (side, side), columns=9)


def draw_agreement(digits: list[dict[str, Any]]) -> "Figure":
    """Figure 7."""
    figure, axes = panels(2, 13, (0.85, 1.5))
    for row, digit in enumerate((0, 9)):
        found = digits[digit]
        for axis in axes[row]:
            axis.set_axis_off()
        chart = figure.add_subplot(axes[row, 0].get_gridspec()[row, :9])
        chart.bar(range(len(found["yes"])), found["yes"], color=COLOURS[0])
        chart.set_yscale("log")
        chart.set_xticks(range(len(found["yes"])))
        label(chart, "models that say yes" if row else "", f"images of {digit}", legend=False)
        chosen = [image for group in ("10", "5", "0") for image in found["images"][group]][::3]
        for axis, image in zip(axes[row, 9:], chosen, strict=False):
            pixels = [[sign == "#" for sign in line] for line in image["image"]]
            axis.imshow(pixels, cmap="gray_r", interpolation="nearest")
            axis.set_title(f"{image['votes']} of 10", fontsize=8)
    return figure


def draw_false(by: Digits) -> "Figure":
    """Figure 8, left."""
    figure, axes = panels(1, 1, (5.6, 3.4))
    axis = axes[0, 0]
    for k, (protocol, name) in enumerate(PROTOCOLS.items()):
        points = by[protocol][5]["curve"]
        epochs = [point["epoch"] for point in points]
        for kind, style in (("fpr", "-"), ("fnr", "--")):
            line = [point["votes"][kind] for point in points]
            curve(axis, epochs, line, f"{kind.upper()}, {name}", COLOURS[k], style)
    in_percent(axis)
    label(axis, "epoch", "false positives, negatives", legend=False)
    axis.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")
    return figure


def draw_cuts(by: Digits) -> "Figure":
    """Figure 9."""
    figure, axes = panels(2, 2, (4.6, 2.9))
    for row, digit in enumerate((0, 9)):
        for axis, (protocol, name) in zip(axes[row], PROTOCOLS.items(), strict=True):
            found = by[protocol][digit]
            cuts = [point["cut"] for point in found["cuts"]]
            curve(axis, cuts, [p["error"] for p in found["cuts"]], "error", COLOURS[0])
            curve(axis, cuts, [p["fpr"] for p in found["cuts"]], "FPR", COLOURS[1])
            chosen = found["misses"] if "misses" in found else found[ON_TEST]
            axis.axvline(chosen["cut"], color="#777777", linewidth=0.8)
            axis.set_xscale("log")
            in_percent(axis)
            label(axis, "misses cut-off", "", f"digit {digit}, {name}")
    return figure
