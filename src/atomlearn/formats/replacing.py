"""Writing a file as a whole or not at all."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to, which takes the place of ``path`` when all went well.

    Whoever reads ``path`` meanwhile sees the old file or the new one, never half of it. A link
    stays a link; what is no file at all (a folder, ``/dev/null``) is not replaced.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is not a file that can be replaced")
    new = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.new")
    try:
        with new.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            new.chmod(stat.S_IMODE(target.stat().st_mode))
        new.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
