"""Data sets of the paper: generated bars, MNIST and Fashion-MNIST."""

from atomlearn.datasets.images import bar_parity, load_fashion_mnist, load_mnist, vertical_bars

__all__ = ["bar_parity", "load_fashion_mnist", "load_mnist", "vertical_bars"]
