"""MNIST and its like from a folder of idx files, gzipped or not."""

import gzip
import os
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from atomlearn.errors import DamagedFile, DataNotFound

FOLDER = "ATOMLEARN_DATA"
"""The environment variable with the folder that holds the files."""

Bytes = npt.NDArray[np.uint8]


def load_mnist(folder: str | Path | None = None) -> tuple[Bytes, Bytes, Bytes, Bytes]:
    """Training images and labels, test images and labels; images are rows of 784 bytes.

    The four files of MNIST are looked for in ``folder``, or in the folder that the environment
    variable ``ATOMLEARN_DATA`` names (there, or in its subfolder ``mnist``).
    """
    place = _find(folder)
    parts = []
    for split in ("train", "t10k"):
        parts.append(read_idx(place, f"{split}-images-idx3-ubyte", 3).reshape(-1, 784))
        parts.append(read_idx(place, f"{split}-labels-idx1-ubyte", 1))
    train_images, train_labels, test_images, test_labels = parts
    return train_images, train_labels, test_images, test_labels


def read_idx(folder: Path, name: str, ndim: int) -> Bytes:
    """One idx file of bytes with ``ndim`` dimensions."""
    path = next((p for p in (folder / f"{name}.gz", folder / name) if p.exists()), None)
    if path is None:
        raise DataNotFound(f"{folder} has no {name} (with or without .gz)")
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedFile(f"{path} cannot be unpacked: {error}") from None
    if data[:4] != bytes([0, 0, 8, ndim]):
        raise DamagedFile(f"{path} is not an idx file of bytes in {ndim} dimensions")
    shape = np.frombuffer(data, dtype=">u4", count=ndim, offset=4).astype(np.int64)
    content = np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * ndim)
    if content.size != int(shape.prod()):
        raise DamagedFile(f"{path} is cut short: {content.size:,} bytes of {int(shape.prod()):,}")
    return content.reshape(shape)


def _find(folder: str | Path | None) -> Path:
    named = folder if folder is not None else os.environ.get(FOLDER)
    if named is None:
        raise DataNotFound(f"MNIST is not here: set {FOLDER} to the folder with its four idx files")
    place = Path(named)
    if not place.is_dir():
        raise DataNotFound(
            f"{place} is not a folder; {FOLDER} must name one with MNIST's idx files"
        )
    return place / "mnist" if (place / "mnist").is_dir() else place
