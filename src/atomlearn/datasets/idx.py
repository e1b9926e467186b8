"""Idx files, gzipped or not: reading, writing, verifying."""

import gzip
import hashlib
import math
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from atomlearn.datasets.sets import FILES, LARGEST, SIZES, DataSet
from atomlearn.errors import DamagedFile, DataNotFound, UnsafeFile
from atomlearn.files.replacing import replacing

Bytes = npt.NDArray[np.uint8]


def path_of(folder: Path, name: str) -> Path | None:
    """An idx file of a folder, packed or not."""
    return next((p for p in (folder / f"{name}.gz", folder / name) if p.is_file()), None)


def has_all(folder: Path) -> bool:
    """Are all four files there?"""
    return all(path_of(folder, name) is not None for name in FILES)


def unpacked(path: Path) -> bytes:
    """The content of a file, gzipped or not, up to a size limit."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data: bytes = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedFile(f"{path} cannot be unpacked: {error}") from None
    if len(data) > LARGEST:
        raise UnsafeFile(f"{path} holds more than {LARGEST:,} bytes: it is not of a data set here")
    return data


def read_idx(folder: Path, name: str, ndim: int) -> Bytes:
    """One idx file of bytes with ``ndim`` dimensions."""
    path = path_of(folder, name)
    if path is None:
        raise DataNotFound(f"{folder} has no {name} (with or without .gz)")
    return parsed(unpacked(path), ndim, str(path))


def parsed(data: bytes, ndim: int, where: str) -> Bytes:
    """The array in the bytes of an idx file; ``where`` names it if something is wrong.

    >>> parsed(idx_bytes(np.eye(2, dtype=np.uint8)), 2, "here").tolist()
    [[1, 0], [0, 1]]
    """
    if data[:4] != bytes([0, 0, 8, ndim]) or len(data) < 4 + 4 * ndim:
        raise DamagedFile(f"{where} is not an idx file of bytes in {ndim} dimensions")
    shape = np.frombuffer(data, dtype=">u4", count=ndim, offset=4).tolist()
    content = np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * ndim)
    if content.size != math.prod(shape):
        raise DamagedFile(f"{where} is cut short: {content.size:,} bytes of {math.prod(shape):,}")
    return content.reshape(shape)


def idx_bytes(array: Bytes) -> bytes:
    """An array of bytes as an idx file."""
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    return header + np.ascontiguousarray(array, dtype=np.uint8).tobytes()


def write_packed(folder: Path, name: str, data: bytes) -> None:
    """Write the bytes of an idx file, gzipped; the same bytes make the same file."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / f"{name}.gz") as file:
        file.write(gzip.compress(data, 6, mtime=0))


def verify(dataset: DataSet, folder: Path) -> None:
    """Raise :class:`DamagedFile` unless the four files are those of the data set."""
    for name in FILES:
        path = path_of(folder, name)
        if path is None:
            raise DataNotFound(f"{folder} has no {name} (with or without .gz)")
        data = unpacked(path)
        array = parsed(data, 3 if "images" in name else 1, str(path))
        n = SIZES[name.split("-")[0]]
        expected = (n, 28, 28) if "images" in name else (n,)
        if array.shape != expected:
            raise DamagedFile(f"{path} has shape {array.shape}; {dataset.title} has {expected}")
        # By content if its checksum is known, else as published, packed.
        known = dataset.unpacked.get(name)
        found = data if known is not None else path.read_bytes()
        if hashlib.sha256(found).hexdigest() != (known or dataset.packed.get(name)):
            raise DamagedFile(
                f"{path} is not that of {dataset.title}: its checksum is another. Delete it and "
                f"run `atomlearn data {dataset.name}`"
                + ("" if known else ", or put the .gz file there as it was published")
            )


def copy_packed(path: Path, folder: Path, name: str) -> None:
    """Copy a file to a folder, gzipped."""
    if path.suffix != ".gz":
        write_packed(folder, name, unpacked(path))
        return
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / f"{name}.gz") as file:
        file.write(path.read_bytes())
