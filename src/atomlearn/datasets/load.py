"""MNIST and Fashion-MNIST as arrays. Nothing is downloaded unless asked for."""

from pathlib import Path

from atomlearn.datasets.fetch import find, provide
from atomlearn.datasets.idx import Bytes, read_idx
from atomlearn.datasets.sets import FASHION_MNIST, IMAGES, LABELS, MNIST, DataSet
from atomlearn.errors import DamagedFile

Four = tuple[Bytes, Bytes, Bytes, Bytes]


def load_mnist(folder: str | Path | None = None, *, download: bool = False) -> Four:
    """Load MNIST: training images and labels, test images and labels; images are rows of 784 bytes.

    The four files are looked for in ``folder``, else in the folder that the environment variable
    ``ATOMLEARN_DATA`` names (there, or in its subfolder ``mnist``), else in the user's cache. With
    ``download`` they are downloaded if they are nowhere.

    >>> X, y, X_test, y_test = load_mnist()  # doctest: +SKIP
    >>> X.shape, X_test.shape  # doctest: +SKIP
    ((60000, 784), (10000, 784))
    """
    return _load(MNIST, folder, download)


def load_fashion_mnist(folder: str | Path | None = None, *, download: bool = False) -> Four:
    """Load Fashion-MNIST in the same way; its subfolder is ``fashion-mnist``.

    >>> X, y, X_test, y_test = load_fashion_mnist()  # doctest: +SKIP
    >>> X.shape, X_test.shape  # doctest: +SKIP
    ((60000, 784), (10000, 784))
    """
    return _load(FASHION_MNIST, folder, download)


def _load(dataset: DataSet, folder: str | Path | None, download: bool) -> Four:
    place = provide(dataset) if download and folder is None else find(dataset, folder)
    parts = []
    for split in ("train", "t10k"):
        images = read_idx(place, IMAGES.format(split), 3)
        labels = read_idx(place, LABELS.format(split), 1)
        if images.shape != (len(labels), 28, 28):
            raise DamagedFile(
                f"{place}: {split} has images of shape {images.shape} for {len(labels):,} labels; "
                f"{dataset.title} has one image of 28 × 28 for each"
            )
        parts += [images.reshape(-1, 784), labels]
    train_images, train_labels, test_images, test_labels = parts
    return train_images, train_labels, test_images, test_labels
