"""The figures of the parity experiment, and the numbers that they draw."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.logic.comparison import error_times_compression, log_grid_symmetries
from atomlearn_paper.charts import COLOURS, curve, in_percent, label, panels
from atomlearn_paper.report import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Points = list[dict[str, Any]]


def line(size: int, symmetries: bool) -> float:
    """A predicted constant ``ε κ`` for square images of this size.

    >>> round(line(7, True), 2), round(line(7, False), 2)
    (36.78, 53.83)
    """
    log = log_grid_symmetries(size, size) if symmetries else 0.0
    return error_times_compression(2 * size * size, log_symmetries=log)


def product(point: dict[str, Any], of: str = "seen") -> float:
    """``ε κ`` at a point: the error times the images for each atom."""
    return float(point["single"]["error"] * point[of] / max(1, point["atoms"]))


def batch_product(point: dict[str, Any]) -> float:
    """The same with the images of the last batch alone."""
    return product(point, "batch")


def settled(
    points: Points, value: Callable[[dict[str, Any]], float] = product, n: int = 5
) -> float:
    """A product at the end: the mean of the last points, which scatter."""
    return float(np.mean([value(point) for point in points[-n:]]))


def draw_votes(points: Points) -> "Figure":
    """Figure 8, right."""
    figure, axes = panels(1, 1, (5.6, 3.5))
    axis = axes[0, 0]
    epochs = [p["epoch"] for p in points]
    curve(axis, epochs, [p["single"]["error"] for p in points], "error, one model", COLOURS[5])
    curve(axis, epochs, [p["votes"]["fpr"] for p in points], "FPR, 5 of 10 votes", COLOURS[0])
    curve(axis, epochs, [p["votes"]["fnr"] for p in points], "FNR, 5 of 10 votes", COLOURS[1])
    in_percent(axis)
    label(axis, "epoch", "")
    return figure


def draw_compression(streams: dict[tuple[int, float], Points]) -> "Figure":
    """Figure 4."""
    figure, axes = panels(1, 2, (5.0, 3.6))
    for k, ((size, noise), points) in enumerate(streams.items()):
        kappa = [p["seen"] / max(1, p["atoms"]) for p in points]
        error = [p["single"]["error"] for p in points]
        for axis in axes[0]:
            name = f"{size} × {size}, {percent(noise, 1)} noise"
            curve(axis, kappa, error, name, COLOURS[k], ".")
            for symmetries, style in ((True, "--"), (False, ":")):
                constant = line(size, symmetries)
                x = np.geomspace(max(constant, 10), max(*kappa, 2 * constant), 40)
                axis.plot(x, constant / x, style, color=COLOURS[k], linewidth=1)
    axes[0, 0].set_xscale("log")
    in_percent(axes[0, 0])
    label(axes[0, 0], "compression κ = R / Z", "error of one model", "a. logarithmic")
    in_percent(axes[0, 1], log=False)
    low = min(p["single"]["error"] for points in streams.values() for p in points)
    axes[0, 1].set_ylim(0, 5 * low)
    label(axes[0, 1], "compression κ = R / Z", "", "b. linear, low errors")
    return figure


def draw_product(streams: dict[tuple[int, float], Points]) -> "Figure":
    """Figure 13."""
    figure, axes = panels(1, 1, (6.0, 3.6))
    axis = axes[0, 0]
    for k, ((size, _), points) in enumerate(streams.items()):
        name = f"{size} × {size}"
        curve(axis, [p["seen"] for p in points], map(product, points), name, COLOURS[k], ".-")
        axis.axhline(line(size, True), color=COLOURS[k], linewidth=1, linestyle="--")
        axis.axhline(line(size, False), color=COLOURS[k], linewidth=1, linestyle=":")
    axis.set_xscale("log")
    label(axis, "images seen, R", "ε κ")
    return figure


def draw_growth(named: dict[str, Points]) -> "Figure":
    """The product by growth."""
    figure, axes = panels(1, 2, (5.0, 3.7))
    for k, (name, points) in enumerate(named.items()):
        seen, colour = [p["seen"] for p in points], (*COLOURS, "#000000")[k]
        curve(axes[0, 0], seen, map(product, points), name, colour)
        curve(axes[0, 1], seen, map(batch_product, points), name, colour)
    for symmetries, style in ((True, "--"), (False, ":")):
        axes[0, 0].axhline(line(7, symmetries), color="#777777", linewidth=1, linestyle=style)
    for axis in axes[0]:
        axis.set_xscale("log")
    axes[0, 0].set_yscale("log")
    axes[0, 1].set_ylim(0, 3)
    label(axes[0, 0], "images seen, R", "ε R / Z")
    label(axes[0, 1], "images seen, R", "ε batch / Z", legend=False)
    return figure
