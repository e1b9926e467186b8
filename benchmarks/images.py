"""The images that the benchmarks learn from, as packed terms of black and white pixels."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.bits import rows
from atomlearn.bits.rows import Rows
from atomlearn.classifier.symmetries import permuted, translations
from atomlearn.datasets import load_mnist

BLACK = 25  # a pixel is black above this value, as in earlier measurements of the paper's figures


class Images(NamedTuple):
    pixels: npt.NDArray[np.bool_]
    labels: npt.NDArray[np.uint8]
    test_pixels: npt.NDArray[np.bool_]
    test_labels: npt.NDArray[np.uint8]


def mnist() -> Images:
    X, y, X_test, y_test = load_mnist()
    return Images(X > BLACK, y, X_test > BLACK, y_test)


def n_constants(pixels: npt.NDArray[np.bool_]) -> int:
    return 2 * pixels.shape[1] + 1


def terms(pixels: npt.NDArray[np.bool_]) -> Rows:
    """Black constants, white constants, and room for the constant of the class."""
    return rows.pack(np.hstack([pixels, ~pixels, np.zeros((len(pixels), 1), dtype=bool)]))


def moved(pixels: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
    """The images, and the same moved by one pixel in each direction."""
    return [pixels, *(permuted(pixels, m, blank=False) for m in translations((28, 28)))]
