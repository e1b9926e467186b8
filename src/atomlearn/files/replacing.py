"""Atomic writing of files."""

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from atomlearn import interrupts
from atomlearn.files.scratch import HAS_LOCKS, hold, remove_abandoned


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A new binary file, which takes the place of ``path`` when all went well.

    Whoever reads ``path`` meanwhile sees the old file or the new one, never half of it. A link
    stays a link; what is no file at all (a folder, ``/dev/null``) is not replaced. What processes
    that were killed while writing ``path`` have left beside it is removed.
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
    """Is it a pipe, a terminal or ``/dev/null``: something to write to, but not to replace?"""
    return path.exists() and not path.is_file() and not path.is_dir()


def _target(path: str | Path) -> Path:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is not a file that can be replaced")
    return target


def _begin(target: Path, path: str | Path) -> tuple[Path, BinaryIO]:
    """A new file beside the target, held while it is open."""
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
