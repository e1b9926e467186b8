"""Atomic writing of files, and temporary files that never outlive their process for long.

Files in use are locked, and a lock ends with its process however that ends. Files that killed
processes have left are removed by the next process that writes in the same place; where the system
has no such locks, a process removes its own files only."""

import contextlib
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from atomlearn import interrupts

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
PREFIX = "atomlearn-scratch-"


def hold(descriptor: int, path: Path) -> bool:
    """Lock an open file or folder, and return whether it still exists."""
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
    """Create a folder in ``parent`` (by default for temporary files), which is removed at the end.

    Nobody else uses it, so that runs cannot mix. Folders of killed runs in the same place are
    removed, too.
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


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a new binary file, which takes the place of ``path`` if no error occurs.

    A process that reads ``path`` meanwhile sees the old file or the new one, never half of it. A
    link stays a link; anything but a file (a folder, ``/dev/null``) is not replaced. Files that
    processes killed while writing ``path`` have left beside it are removed.
    """
    target = _target(path)
    remove_abandoned(_left_beside(target))
    new, file = _begin(target, path)
    try:
        with interrupts.cleaned_up(lambda: new.unlink(missing_ok=True)), file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                new.chmod(stat.S_IMODE(target.stat().st_mode))
            if not HAS_LOCKS:  # Windows does not rename what is open
                file.close()
            new.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def check_replaceable(path: str | Path) -> None:
    """Raise the OSError that :func:`replacing` would raise, before there is anything to write."""
    new, file = _begin(_target(path), path)
    file.close()
    new.unlink(missing_ok=True)


def is_device(path: Path) -> bool:
    """Return whether it is a pipe, a terminal or ``/dev/null``, which cannot be replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _target(path: str | Path) -> Path:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is not a file that can be replaced")
    return target


def _begin(target: Path, path: str | Path) -> tuple[Path, BinaryIO]:
    """Create a new file beside the target, locked while it is open."""
    while True:
        new = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.new")
        try:
            file = new.open("x+b")
        except OSError as error:
            # The name of a hidden file would say nothing to anyone.
            raise type(error)(error.errno, error.strerror, str(path)) from None
        if hold(file.fileno(), new):
            return new, file
        file.close()


def _left_beside(target: Path) -> Iterator[Path]:
    ours = re.compile(rf"\.{re.escape(target.name[:100])}\.[0-9a-f]{{16}}\.new")
    with contextlib.suppress(OSError):
        for entry in os.scandir(target.parent):
            if ours.fullmatch(entry.name):
                yield Path(entry.path)
