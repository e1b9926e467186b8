"""Figures of what was learned: atoms as images, misses on an example, votes, compression.

Each function returns a Matplotlib figure that is not registered with pyplot; a notebook displays
it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import MissingExtra
from atomlearn.logic.comparison import compression, error_times_compression

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

CELL = 6
"""Each pixel of an atom is drawn with this many dots a side, so that there is room for a border."""
BLACK, WHITE, NONE = 0.0, 1.0, 0.72
"""Grey values of black pixels, of white pixels, and of pixels that are not in the atom."""
RED = (0.85, 0.05, 0.05)
"""Colour of pixels that are missed."""
NOT_IN_ATOM = (0.80, 0.87, 0.95)
"""Colour of pixels that are not in an atom: pale blue, because a grey would mean a darkness."""


def draw_atoms(
    black: npt.ArrayLike,
    white: npt.ArrayLike,
    shape: tuple[int, int],
    titles: Sequence[str] | None = None,
    columns: int | None = None,
) -> "Figure":
    """Draw atoms as images, as in the paper's figures.

    A pixel is black or white if the atom has that constant, black with a white border if it has
    both, and grey if it has neither.

    Parameters
    ----------
    black : array-like of bool of shape (n_atoms, n_pixels)
        The black pixels of each atom.
    white : array-like of bool of shape (n_atoms, n_pixels)
        The white pixels of each atom.
    shape : tuple of int
        Height and width.
    titles : sequence of str, default=None
        A title for each atom.
    columns : int, default=None
        Number of panels in a row.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> figure = draw_atoms([[True, False]], [[True, False]], (1, 2))
    >>> len(figure.axes)
    1
    """
    black = np.atleast_2d(np.asarray(black, dtype=np.bool_))
    white = np.atleast_2d(np.asarray(white, dtype=np.bool_))
    images = [atom_image(b, w, shape) for b, w in zip(black, white, strict=True)]
    return _panels(images, titles, columns)


def atom_image(black: Bits, white: Bits, shape: tuple[int, int]) -> Floats:
    """Return one atom as grey values, ``CELL`` dots for each pixel."""
    middle = np.where(black, BLACK, np.where(white, WHITE, NONE)).reshape(shape)
    border = np.where(black & white, WHITE, middle.ravel()).reshape(shape)
    image: Floats = np.kron(border, np.ones((CELL, CELL))).astype(np.float64)
    inner = np.zeros((CELL, CELL), dtype=np.bool_)
    inner[1:-1, 1:-1] = True
    mask = np.tile(inner, shape)
    image[mask] = np.kron(middle, np.ones((CELL, CELL)))[mask]
    return image


def draw_greys(
    greys: npt.ArrayLike,
    shape: tuple[int, int],
    titles: Sequence[str] | None = None,
    columns: int | None = None,
) -> "Figure":
    """Draw atoms over pixels with shades of grey.

    Parameters
    ----------
    greys : array-like of shape (n_atoms, n_pixels)
        The pixels of each atom: 1 is dark, 0 light, ``nan`` not in the atom.
    shape : tuple of int
        Height and width.
    titles : sequence of str, default=None
        A title for each atom.
    columns : int, default=None
        Number of panels in a row.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> len(draw_greys([[1.0, 0.5, 0.0, float("nan")]], (2, 2)).axes)
    1
    """
    values = np.atleast_2d(np.asarray(greys, dtype=np.float64))
    painted = []
    for one in values:
        grey = np.repeat((1 - one)[:, None], 3, axis=1)
        grey[np.isnan(one)] = NOT_IN_ATOM
        painted.append(grey.reshape(*shape, 3))
    return _panels(painted, titles, columns)


def draw_images(
    images: npt.ArrayLike,
    shape: tuple[int, int],
    titles: Sequence[str] | None = None,
    columns: int | None = None,
) -> "Figure":
    """Draw examples side by side.

    Parameters
    ----------
    images : array-like of shape (n_images, n_pixels)
        The images; large values are dark.
    shape : tuple of int
        Height and width.
    titles : sequence of str, default=None
        A title for each image.
    columns : int, default=None
        Number of panels in a row.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> len(draw_images(np.eye(4), (2, 2), titles=["a", "b", "c", "d"], columns=2).axes)
    4
    """
    values = np.atleast_2d(np.asarray(images, dtype=np.float64))
    scale = max(float(values.max(initial=0.0)), 1e-9)
    return _panels([1 - one.reshape(shape) / scale for one in values], titles, columns)


def draw_misses(
    image: npt.ArrayLike, missed: Sequence[npt.ArrayLike], titles: Sequence[str] | None = None
) -> "Figure":
    """Draw the misses of an example on it, one panel for each class.

    Parameters
    ----------
    image : array-like of shape (height, width)
        The example.
    missed : sequence of array-like
        For each class, how much is missed at each pixel: the redder, the more, on one scale.
    titles : sequence of str, default=None
        A title for each class.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> len(draw_misses(np.eye(3), [np.ones((3, 3)), np.zeros((3, 3))], ["1", "7"]).axes)
    2
    """
    values = np.asarray(image, dtype=np.float64)
    grey = 1 - 0.75 * values / max(float(values.max(initial=0.0)), 1e-9)
    painted = []
    weights = [np.asarray(one, dtype=np.float64).reshape(values.shape) for one in missed]
    most = max([1e-9, *(float(one.max(initial=0.0)) for one in weights)])
    for weight in weights:
        share = (0.85 * weight / most)[..., None]
        painted.append((1 - share) * grey[..., None] + share * np.array(RED))
    return _panels(painted, titles, None)


def draw_agreement(
    votes: Mapping[str, npt.ArrayLike], n_atomizations: int, title: str = ""
) -> "Figure":
    """Draw how many of several models accept the examples of each group.

    A well-learned class has its own examples on the right and the others on the left.

    Parameters
    ----------
    votes : mapping of str to array-like
        For each group of examples (``"digit 0"``, ``"others"``), the number of models that accept
        each example.
    n_atomizations : int
        Number of models.
    title : str, default=""
        The title.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> len(draw_agreement({"bars": [9, 10, 10], "no bars": [0, 0, 1]}, 10).axes)
    1
    """
    figure, axes = new_figure(1, 1, (6.0, 3.2))
    axis = axes[0, 0]
    places = np.arange(n_atomizations + 1)
    width = 0.8 / max(1, len(votes))
    for i, (name, counts) in enumerate(votes.items()):
        counts = np.asarray(counts, dtype=np.int64)
        share = np.bincount(counts, minlength=n_atomizations + 1) / max(1, len(counts))
        offset = (i - (len(votes) - 1) / 2) * width
        axis.bar(places + offset, 100 * share, width, label=f"{name} ({len(counts):,})")
    axis.set_xticks(places)
    axis.set_yscale("symlog", linthresh=0.1)
    axis.set_ylim(0, 130)
    axis.set_xlabel(f"atomizations of {n_atomizations} that agree")
    axis.set_ylabel("% of the examples")
    axis.set_title(title)
    axis.legend(frameon=False)
    return figure


def draw_compression(
    measured: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    predicted: Mapping[str, float],
    title: str = "",
) -> "Figure":
    """Draw error against compression on logarithmic axes, beside the theoretical prediction.

    Parameters
    ----------
    measured : mapping of str to pairs of array-like
        Compression κ and error of each series.
    predicted : mapping of str to float
        The constant ``ε κ`` of each line (:func:`~atomlearn.logic.error_times_compression`).
    title : str, default=""
        The title.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> len(draw_compression({"7×7": ([10, 100], [0.4, 0.2])}, {"random picking": 36.8}).axes)
    1
    """
    figure, axes = new_figure(1, 1, (6.0, 4.0))
    axis = axes[0, 0]
    largest, smallest = 0.0, np.inf
    for name, (kappa, error) in measured.items():
        x, y = np.asarray(kappa, dtype=np.float64), np.asarray(error, dtype=np.float64)
        shown = (x > 0) & (y > 0)
        axis.plot(x[shown], y[shown], ".", label=name, markersize=5)
        largest = max(largest, float(x[shown].max(initial=0.0)))
        smallest = min(smallest, float(x[shown].min(initial=np.inf)))
    if largest > 0:
        for name, constant in predicted.items():
            ends = np.array([max(smallest, constant), max(largest, 2 * constant)])  # below 1
            axis.plot(ends, constant / ends, "-", linewidth=1, label=name)
        axis.set_xscale("log")
        axis.set_yscale("log")
    axis.set_xlabel("compression κ = relations / atoms")
    axis.set_ylabel("error")
    axis.set_title(title)
    if measured or predicted:
        axis.legend(frameon=False, fontsize=8)
    return figure


def compressions(
    history: Iterable[Mapping[str, Any]], n_examples: int | None = None
) -> dict[str, tuple[Floats, Floats]]:
    """Return for each class the compression and error after each epoch that has an error estimate.

    Relations are the examples seen so far, at most ``n_examples`` (repeated examples are no new
    relations); atoms are those of the epoch's own model.

    >>> epochs = [{"class": "v", "examples": 50, "atoms": 5, "estimated_error": 0.1}] * 3
    >>> compressions(epochs, n_examples=100)["v"][0].tolist()
    [10.0, 20.0, 20.0]
    """
    seen: dict[str, int] = {}
    points: dict[str, list[tuple[float, float]]] = {}
    for epoch in history:
        name = str(epoch["class"])
        seen[name] = seen.get(name, 0) + epoch["examples"]
        relations = seen[name] if n_examples is None else min(seen[name], n_examples)
        if epoch["estimated_error"] is not None and epoch["atoms"]:
            kappa = compression(relations, epoch["atoms"])
            points.setdefault(name, []).append((kappa, epoch["estimated_error"]))
    return {
        name: (np.array([k for k, _ in own]), np.array([e for _, e in own]))
        for name, own in points.items()
    }


def draw_sizes(sizes: Mapping[str, Sequence[Any]]) -> "Figure":
    """Draw error and loss on held-out rows against the number of atoms.

    Parameters
    ----------
    sizes : mapping of str to sequence
        The columns of ``sizes_``: model, atoms, error, error_se, and log_loss, log_loss_se of
        classes or loss, loss_se of a number.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> row = {"atoms": [5], "error": [0.1], "error_se": [0.01], "log_loss": [0.3]}
    >>> len(draw_sizes({"model": ["compact"], "log_loss_se": [0.02], **row}).axes)
    2
    """
    figure, axes = new_figure(1, 2, (9.0, 3.6))
    is_full = np.array([one == "full" for one in sizes["model"]])
    atoms = np.asarray(sizes["atoms"], dtype=np.float64)
    labels = {"error": "error", "log_loss": "log-loss"}
    if "loss" in sizes:  # of a number
        labels = {"error": "mean absolute error", "loss": "loss"}
    for axis, (name, label) in zip(axes[0], labels.items(), strict=True):
        value, spread = (np.asarray(sizes[key], dtype=np.float64) for key in (name, f"{name}_se"))
        some = ~is_full
        axis.errorbar(atoms[some], value[some], spread[some], fmt="o-", capsize=2, label="compact")
        for i in np.flatnonzero(is_full):
            text = f"full model, {int(atoms[i]):,} atoms"
            axis.axhline(value[i], color="#888888", linestyle="--", linewidth=1, label=text)
            axis.axhspan(value[i] - spread[i], value[i] + spread[i], color="#888888", alpha=0.15)
        axis.set_xscale("log")
        shown = sorted({int(one) for one in atoms[some]})
        axis.set_xticks(shown, [str(one) for one in shown])
        axis.minorticks_off()
        axis.set_ylim(bottom=0)
        axis.set_xlabel("atoms that decide")
        axis.set_ylabel(f"{label} on held-out rows")
        axis.legend(frameon=False, fontsize=8)
    return figure


def draw_points(
    rules: Sequence[str], points: Sequence[Sequence[float]], labels: Sequence[str]
) -> "Figure":
    """Draw the points of the rules of a scorecard as bars.

    Parameters
    ----------
    rules : sequence of str
        The rules.
    points : sequence of sequences of float
        The points of each rule for each class.
    labels : sequence of str
        The classes.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> len(draw_points(["age > 60"], [[2]], ["yes"]).axes)
    1
    """
    n, n_labels = max(len(rules), 1), len(labels)
    figure, axes = new_figure(1, 1, (8.0, 0.6 + 0.16 * n * (n_labels + 1)))
    axis = axes[0, 0]
    place, height = np.arange(len(rules)), 0.8 / max(n_labels, 1)
    for k, label in enumerate(labels):
        values = np.array([one[k] for one in points], dtype=np.float64)
        axis.barh(place + (k - (n_labels - 1) / 2) * height, values, height, label=label)
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_yticks(place, [one if len(one) <= 60 else f"{one[:57]}..." for one in rules])
    axis.tick_params(axis="y", labelsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("points")
    axis.legend(frameon=False, fontsize=8)
    return figure


def plot_history(
    history: Iterable[Mapping[str, Any]],
    n_constants: int,
    *,
    n_examples: int | None = None,
    paired: bool = True,
    log_symmetries: float = 0.0,
) -> "Figure":
    """Plot the error of each epoch against its compression, and the theoretical prediction.

    The prediction is for one model with a small error; a classifier uses all atoms it has found,
    and lies below it.

    Parameters
    ----------
    history : iterable of dict
        The attribute ``history_`` of a classifier.
    n_constants : int
        Number of literals of the classifier.
    n_examples : int, default=None
        Number of training examples, if they were repeated.
    paired : bool, default=True
        Whether constants exclude each other two by two.
    log_symmetries : float, default=0.0
        Logarithm of the number of symmetries of the problem.

    Returns
    -------
    matplotlib Figure
        The figure.

    Examples
    --------
    >>> epochs = [{"class": "v", "examples": 50, "atoms": 5, "estimated_error": 0.1}] * 3
    >>> len(plot_history(epochs, 20).axes)
    1
    """
    predicted = {"random picking": error_times_compression(n_constants, paired=paired)}
    if log_symmetries:
        constant = error_times_compression(
            n_constants, paired=paired, log_symmetries=log_symmetries
        )
        predicted["random picking, with symmetries"] = constant
    return draw_compression(compressions(history, n_examples), predicted)


def _panels(
    images: Sequence[Floats], titles: Sequence[str] | None, columns: int | None
) -> "Figure":
    n = max(1, len(images))
    across = min(n, columns or min(n, 9))
    down = -(-n // across)
    height = 1.5 if titles else 1.3
    figure, axes = new_figure(down, across, (1.35 * across, height * down))
    for i, image in enumerate(images):
        axis = axes.ravel()[i]
        axis.set_xticks([])
        axis.set_yticks([])
        axis.spines[:].set_color("#888888")
        axis.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        if titles:
            axis.set_title(titles[i], fontsize=8)
    for axis in axes.ravel()[len(images) :]:
        axis.remove()
    return figure


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple["Figure", Any]:
    """Return an empty figure, and its axes by row and column."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'atomlearn[plot]'") from None
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)
