"""Curves for the pages; pictures of atoms and boards come from the library itself."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from atomlearn.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#718096")
"""The colours of curves, in their order."""


def check_matplotlib() -> None:
    """Raise :class:`MissingExtra` now, and not after an hour of learning."""
    if find_spec("matplotlib") is None:
        raise MissingExtra("figures need matplotlib: pip install 'atomlearn[plot]'")


def panels(
    rows: int, columns: int, size: tuple[float, float] = (5.0, 3.4), **shared: Any
) -> tuple["Figure", Any]:
    """A figure of panels, each of this size in inches, and its axes as a table.

    >>> figure, axes = panels(1, 2)
    >>> axes.shape
    (1, 2)
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def curve(
    axis: "Axes",
    x: Sequence[float],
    y: Iterable[float],
    label: str,
    colour: str | None = None,
    style: str = "-",
) -> None:
    """One line; zeros are left out, since most axes here are logarithmic."""
    points = [(a, b) for a, b in zip(x, y, strict=True) if b > 0]
    axis.plot(
        [a for a, _ in points], [b for _, b in points], style,
        label=label, color=colour, linewidth=1.3, markersize=3.5,
    )  # fmt: skip


def label(axis: "Axes", x: str, y: str, title: str = "", legend: bool = True) -> None:
    """Names for the axes, faint lines to read values by, and a legend."""
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.set_title(title, fontsize=10)
    axis.grid(True, which="major", color="#e2e2e2", linewidth=0.6)
    axis.set_axisbelow(True)
    if legend:
        axis.legend(frameon=False, fontsize=8)


def in_percent(axis: "Axes", log: bool = True) -> None:
    """An axis of shares written as percent."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if log:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.yaxis.set_minor_formatter(NullFormatter())
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
