"""Temporary files and folders: held while they are in use, and removed by whoever comes next if the
process that made them was killed.

What is in use is locked, and a lock ends with its process however that ends. Where the system has
no such locks, nothing is removed but one's own.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from atomlearn import interrupts

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
PREFIX = "atomlearn-scratch-"


def hold(descriptor: int, path: Path) -> bool:
    """Lock an open file or folder; returns whether it still exists."""
    if not HAS_LOCKS:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False  # it is being removed
    except OSError:
        return True  # no locks in this place
    with contextlib.suppress(OSError):
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    return False


def remove_abandoned(paths: Iterable[Path]) -> None:
    """Remove temporary files and folders of processes that have ended."""
    if not HAS_LOCKS:
        return
    for path in paths:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(path)
            finally:
                os.close(descriptor)


@contextlib.contextmanager
def private_folder(parent: str | Path | None = None) -> Iterator[Path]:
    """A new folder in ``parent`` (the system's for temporary files, if none), removed at the end.

    Nobody else uses it, so that runs cannot mix. Folders of killed runs in the same place go, too.
    """
    place = Path(tempfile.gettempdir() if parent is None else parent)
    place.mkdir(parents=True, exist_ok=True)
    remove_abandoned(place.glob(f"{PREFIX}*"))
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        descriptor = os.open(path, os.O_RDONLY) if HAS_LOCKS else -1
        if descriptor < 0 or hold(descriptor, path):
            break
        os.close(descriptor)
    try:
        with interrupts.cleaned_up(lambda: _remove(path)):
            yield path
    finally:
        _remove(path)
        if descriptor >= 0:
            os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
