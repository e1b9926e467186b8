"""Data of the paper's experiments: generated bars, and MNIST from a folder."""

from atomlearn.datasets.bars import bar_parity, vertical_bars
from atomlearn.datasets.idx import load_mnist

__all__ = ["bar_parity", "load_mnist", "vertical_bars"]
