"""Data sets of the paper: generated bars, MNIST and Fashion-MNIST."""

from atomlearn.datasets.bars import bar_parity, vertical_bars
from atomlearn.datasets.load import load_fashion_mnist, load_mnist

__all__ = ["bar_parity", "load_fashion_mnist", "load_mnist", "vertical_bars"]
