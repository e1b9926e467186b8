"""Images as terms of black and white pixels, and how well something tells them apart."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.datasets import load_mnist
from atomlearn.sets import rows
from atomlearn.sets.rows import Rows

Bits = npt.NDArray[np.bool_]

BLACK = 25
"""A pixel of MNIST is black above this value: the paper's "binary version" leaves it open."""


class Images(NamedTuple):
    """Training and test images, one a row, and their labels."""

    pixels: Bits
    labels: npt.NDArray[np.uint8]
    test_pixels: Bits
    test_labels: npt.NDArray[np.uint8]


def mnist() -> Images:
    """MNIST in black and white."""
    X, y, X_test, y_test = load_mnist()
    return Images(X > BLACK, y, X_test > BLACK, y_test)


def n_constants(pixels: Bits) -> int:
    """Two constants a pixel, and one for the class."""
    return 2 * pixels.shape[1] + 1


def terms(pixels: Bits) -> Rows:
    """Black constants, white constants, and room for the constant of the class."""
    return rows.pack(np.hstack([pixels, ~pixels, np.zeros((len(pixels), 1), dtype=bool)]))


RATES = ("error", "fpr", "fnr")
"""All errors, false positives of the negatives, false negatives of the positives."""


def rates(said: npt.NDArray[Any], true: Bits) -> dict[str, float]:
    """Shares of errors, false positives and false negatives.

    >>> rates(np.array([True, True, False, False]), np.array([True, False, False, True]))
    {'error': 0.5, 'fpr': 0.5, 'fnr': 0.5}
    """
    wrong = said != true
    return {
        "error": float(wrong.mean()),
        "fpr": float(wrong[~true].sum() / max(1, (~true).sum())),
        "fnr": float(wrong[true].sum() / max(1, true.sum())),
    }


def mean_rates(many: list[dict[str, float]]) -> dict[str, float]:
    """The mean of each rate."""
    return {key: float(np.mean([one[key] for one in many])) for key in RATES}


def smooth_cut(misses: npt.NDArray[Any], is_positive: Bits, width: float = 0.2) -> int:
    """The cut-off with the fewest errors, each spread a little on a logarithmic scale.

    The raw minimum hangs on single images where errors are few.

    >>> smooth_cut(np.array([0, 1, 40, 60]), np.array([True, True, False, False])) in range(2, 40)
    True
    """
    at = np.log1p(misses)
    cuts = np.unique(np.round(np.exp(np.linspace(0, np.log(misses.max() + 2), 400))).astype(int))
    spread = 1 / (1 + np.exp((at[None, :] - np.log1p(cuts)[:, None]) / (width / 1.7)))
    errors = (1 - spread[:, is_positive]).sum(axis=1) + spread[:, ~is_positive].sum(axis=1)
    return int(cuts[errors.argmin()])
