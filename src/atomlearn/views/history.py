"""The course of learning: error against compression, beside the theoretical prediction."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn.logic.comparison import compression, error_times_compression
from atomlearn.views.pictures import draw_compression

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]


def compressions(
    history: Iterable[Mapping[str, Any]], n_examples: int | None = None
) -> dict[str, tuple[Floats, Floats]]:
    """For each class, compression and error after each epoch that has an error estimate.

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


def plot_history(
    history: Iterable[Mapping[str, Any]],
    n_constants: int,
    *,
    n_examples: int | None = None,
    paired: bool = True,
    log_symmetries: float = 0.0,
) -> "Figure":
    """Plot the error of each epoch against its compression, and the theoretical prediction.

    ``history`` is ``history_`` of a classifier, ``n_constants`` the number of its literals. The
    prediction is for one model with a small error; a classifier uses all atoms it has found, and
    lies below it.

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
