"""Memory of large arrays: in files if a table is larger than memory, and given back in time."""

import ctypes
import functools
import math
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import NotEnoughDisk
from atomlearn.sets.rows import Rows, width
from atomlearn.typing import Integers

IN_MEMORY = 1 << 28
"""Largest number of bytes of an array that is kept in memory although files are allowed."""
ROWS_AT_ONCE, BYTES_AT_ONCE = 1 << 14, 1 << 23
"""Number of rows that are transposed or compared, and of bytes that are copied, at a time."""

_FOLDER: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def in_files(folder: Path) -> Iterator[None]:
    """Keep large arrays that are made in this block in files of a folder, mapped into memory.

    Whoever made the folder removes it.
    """
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def are_files_allowed() -> bool:
    """Return whether large arrays may be in files."""
    return _FOLDER.get() is not None


def need_disk(n_bytes: int) -> None:
    """Raise an error if arrays of this size in all are to be in files, and the disk is too full."""
    folder = _FOLDER.get()
    if folder is not None and n_bytes > shutil.disk_usage(folder).free:
        raise _full(n_bytes, folder)


def _full(n_bytes: int, folder: Path) -> NotEnoughDisk:
    free = shutil.disk_usage(folder).free
    return NotEnoughDisk(
        f"{n_bytes / 1e9:,.1f} GB are needed for packed rows in {folder}, and {free / 1e9:,.1f} GB "
        "are free: name another folder (folder=, or the variable TMPDIR), or use fewer rows, "
        "max_cuts=5, or fewer columns"
    )


def room(shape: tuple[int, ...], dtype: Any = np.uint64) -> npt.NDArray[Any]:
    """Return an array of zeros, in a file if it is large and files are allowed.

    The file is removed with the last view of the array.
    """
    folder, size = _FOLDER.get(), math.prod(shape) * np.dtype(dtype).itemsize
    if folder is None or size <= IN_MEMORY:
        return np.zeros(shape, dtype=dtype)
    need_disk(size)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            if hasattr(os, "posix_fallocate"):  # a file with holes might be too large for the disk
                os.posix_fallocate(file.fileno(), 0, size)
            file.truncate(size)
        except OSError:
            raise _full(size, folder) from None
        mapped: Any = np.memmap(file, dtype, "r+", shape=shape)
    weakref.finalize(mapped, _remove, Path(file.name)).atexit = False
    return np.asarray(mapped)


def _remove(path: Path) -> None:
    """Remove the file of an array that is not used any more; if in use, it goes with its folder."""
    with suppress(OSError):
        path.unlink()


def rows_at(rows: Rows, which: Integers) -> Rows:
    """Return some rows, copied a few at a time, in a file if they are many."""
    out = room((len(which), *rows.shape[1:]))
    at_once = max(1, BYTES_AT_ONCE // (8 * max(1, rows.shape[1])))
    for start in range(0, len(which), at_once):
        some = slice(start, start + at_once)
        out[some] = rows[which[some]]
    return out


def room_for(n_rows: int, n: int) -> Rows:
    """Return so many empty sets over a universe of ``n``."""
    return room((n_rows, width(n)))


def give_back() -> None:
    """Give memory that is not used any more back to the system, where the C library can.

    The library of Linux keeps freed arrays of up to 32 MB for itself, and a process would look as
    large as everything it has had at some time.
    """
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another system, or another C library
        return bool
    return found
