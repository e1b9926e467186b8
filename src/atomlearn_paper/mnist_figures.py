"""The figures of the MNIST experiment: the paper's Figures 5 to 9."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn_paper.charts import COLOURS, curve, in_percent, label, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROTOCOLS = {"letter": "to the letter", "default": "this library"}

Digits = Mapping[str, list[dict[str, Any]]]
"""By protocol, what was found for each digit."""


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
            axis.axvline(found["misses"]["cut"], color="#777777", linewidth=0.8)
            axis.set_xscale("log")
            in_percent(axis)
            label(axis, "misses cut-off", "", f"digit {digit}, {name}")
    return figure
