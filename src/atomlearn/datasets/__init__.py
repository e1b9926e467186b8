"""Data of the paper's experiments: generated bars, and MNIST and Fashion-MNIST where they are."""

from atomlearn.datasets.bars import bar_parity, vertical_bars
from atomlearn.datasets.load import load_fashion_mnist, load_mnist

__all__ = ["bar_parity", "load_fashion_mnist", "load_mnist", "vertical_bars"]
