"""The file that atomlearn saves everything in: a zip of JSON and plain NumPy arrays, no pickle.

``manifest.json`` names the format, the kind of thing saved, the version of that kind, and the
members, which are JSON (``.json``) or arrays (``.npy``). A reader takes nothing on trust: names,
sizes and types are checked before anything is unpacked, the memory that a file takes is bounded by
its size, and nothing is ever written to disk.

Files are written atomically, and temporary files never outlive their process for long. Files in use
are locked, and a lock ends with its process however that ends. Files that killed
processes have left are removed by the next process that writes in the same place; where the system
has no such locks, a process removes its own files only.
"""

import contextlib
import io
import json
import math
import os
import re
import secrets
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

import atomlearn
from atomlearn import interrupts
from atomlearn.errors import (
    DamagedFile,
    FileFormatError,
    ForeignFile,
    NewerFile,
    NotEnoughMemory,
    UnsafeFile,
)

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


TIMES = 32
"""Allowed memory as a multiple of the file's size."""
FLOOR = 256 << 20
"""Minimum of the allowed memory: sparse atoms are small in a file and large as rows of bits."""
VARIABLE = "ATOMLEARN_MAX_BYTES"
"""The environment variable with the user's own limit."""


class Budget:
    """The memory that a file may still take, which is charged before allocating.

    >>> budget = Budget("m.atoms", 1000)
    >>> budget.spend(10**6, "the names")
    >>> budget.spend(10**12, "the atoms")
    Traceback (most recent call last):
    ...
    atomlearn.errors.UnsafeFile: m.atoms: the atoms would bring the memory it takes to ...
    """

    def __init__(self, path: str, size: float = math.inf) -> None:
        self.path, self.size = path, size
        own = os.environ.get(VARIABLE, "")
        self.allowed = float(own) if own.isdecimal() else max(FLOOR, TIMES * size)
        self.spent = 0

    @classmethod
    def of(cls, path: str | Path) -> "Budget":
        """Return the budget of a file on disk."""
        return cls(str(path), Path(path).stat().st_size)

    def spend(self, n_bytes: int, what: str) -> None:
        """Raise an error if this many more bytes exceed the budget."""
        self.spent += n_bytes
        if self.spent > self.allowed:
            raise UnsafeFile(
                f"{self.path}: {what} would bring the memory it takes to "
                f"{self.spent / 2**20:,.0f} MiB; a file of {self.size:,} bytes may take "
                f"{self.allowed / 2**20:,.0f} MiB. If you trust it, set {VARIABLE} to more"
            )


FORMAT = "atomlearn"
MANIFEST = "manifest.json"
MAX_MEMBERS = 256
MAX_MANIFEST_BYTES = 1 << 20
MAX_RATIO = 100
"""Maximum factor by which a member may grow when unpacked; others are stored uncompressed."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}\.(json|npy)")
_KINDS_OF_NUMBER = "biuf"


class Container:
    """Named members of a file, with its kind and version.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "c.atoms"
    >>> saved = Container("example", 1)
    >>> saved.add_json("names.json", ["a", "b"])
    >>> saved.add_array("sizes.npy", np.array([3, 4]))
    >>> saved.write(path)
    >>> loaded = Container.read(path)
    >>> loaded.kind, loaded.version, loaded.json("names.json")
    ('example', 1, ['a', 'b'])
    >>> loaded.array("sizes.npy", "i", 1)
    array([3, 4])
    """

    def __init__(self, kind: str, version: int, info: Mapping[str, Any] | None = None) -> None:
        self.kind = kind
        self.version = version
        self.info = dict(info or {})
        """More about the content, in the manifest, for people only."""
        self.path = "the file"
        self.budget = Budget(self.path)
        """The memory that reading may still take."""
        self._members: dict[str, bytes] = {}

    def add_json(self, name: str, value: Any) -> None:
        """Add a member that is JSON."""
        self._add(name, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

    def add_array(self, name: str, array: npt.NDArray[Any]) -> None:
        """Add a member that is an array of numbers or truth values."""
        if array.dtype.kind not in _KINDS_OF_NUMBER:
            raise TypeError(f"{name}: only arrays of numbers are saved, not {array.dtype}")
        file = io.BytesIO()
        plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        np.lib.format.write_array(file, plain, version=(1, 0), allow_pickle=False)
        self._add(name, file.getvalue())

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def json(self, name: str) -> Any:
        """Return a member that is JSON."""
        return _parse_json(self._member(name), f"{self.path}: {name}", self.budget)

    def array(self, name: str, kinds: str, ndim: int) -> npt.NDArray[Any]:
        """Return a read-only array member, of one of these ``dtype.kind`` letters."""
        data = self._member(name)
        where = f"{self.path}: {name}"
        shape, fortran, dtype, start = _npy_header(data, where)
        if dtype.kind not in kinds or dtype.kind not in _KINDS_OF_NUMBER or len(shape) != ndim:
            raise DamagedFile(f"{where} is an array of {dtype}, {len(shape)}-dimensional")
        # The header is compared with what there is before anything is allocated.
        if fortran or math.prod(shape) * dtype.itemsize != len(data) - start:
            raise DamagedFile(f"{where} does not have the size that its header states")
        flat = np.frombuffer(data, dtype=dtype, offset=start)
        return flat.reshape(shape)

    def write(self, path: str | Path, check: "Callable[[Container], object] | None" = None) -> None:
        """Write to a file, atomically replacing an older one; equal content gives equal bytes.

        Before it replaces an older one, the file is read again, and ``check`` is called with the
        result, if given. If that raises an error, nothing is replaced, so that a file that cannot
        be loaded is never left behind.
        """
        try:
            self._write(path, check)
        except UnsafeFile:
            # A file may take memory in proportion to its size: one that is not compressed, more.
            self._write(path, check, compressed=False)

    def _write(
        self,
        path: str | Path,
        check: "Callable[[Container], object] | None",
        compressed: bool = True,
    ) -> None:
        manifest = {
            "format": FORMAT,
            "kind": self.kind,
            "version": self.version,
            "written_by": f"atomlearn {atomlearn.__version__}",
            "members": sorted(self._members),
            "info": self.info,
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2).encode()
        with replacing(path) as file:
            with zipfile.ZipFile(file, "w") as archive:
                for name, data in [(MANIFEST, text), *sorted(self._members.items())]:
                    entry = zipfile.ZipInfo(name)  # dated 1980, always
                    entry.external_attr = 0o644 << 16
                    entry.compress_type = _compression(data) if compressed else zipfile.ZIP_STORED
                    archive.writestr(entry, data)
            if check is not None:
                file.flush()
                file.seek(0)
                check(self._from_file(file, str(path)))

    @classmethod
    def read(cls, path: str | Path) -> "Container":
        """Read and check a file; its members are unpacked within limits."""
        with Path(path).open("rb") as file:
            return cls._from_file(file, str(path))

    @classmethod
    def _from_file(cls, file: BinaryIO, path: str) -> "Container":
        start = file.read(4)
        if not start.startswith(b"PK"):
            empty = " (it is empty)" if not start else ""
            raise ForeignFile(f"{path} is not an atomlearn file{empty}")
        budget = Budget(path, os.fstat(file.fileno()).st_size)
        try:
            with zipfile.ZipFile(file) as archive:
                return cls._from_archive(archive, path, budget)
        except FileFormatError:
            raise
        except MemoryError:
            raise NotEnoughMemory(f"{path} needs more memory than there is") from None
        except Exception as error:  # zipfile raises a dozen kinds of them
            raise DamagedFile(f"{path} is damaged or cut short: {error}") from None

    @classmethod
    def _from_archive(cls, archive: zipfile.ZipFile, path: str, budget: Budget) -> "Container":
        entries = archive.infolist()
        if len(entries) > MAX_MEMBERS:
            raise UnsafeFile(f"{path} has {len(entries):,} members; {MAX_MEMBERS} are allowed")
        by_name = {entry.filename: entry for entry in entries}
        if MANIFEST not in by_name:
            raise ForeignFile(f"{path} is a zip, but not of atomlearn: it has no {MANIFEST}")
        _check_sizes(entries, path, budget)
        if by_name[MANIFEST].file_size > MAX_MANIFEST_BYTES:
            raise UnsafeFile(f"{path}: {MANIFEST} is too large")
        text = _unpack(archive, by_name[MANIFEST], path)
        manifest = _parse_json(text, f"{path}: {MANIFEST}", budget)
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise ForeignFile(f"{path} is a zip, but not of atomlearn")
        kind, version = manifest.get("kind"), manifest.get("version")
        if not isinstance(kind, str) or not isinstance(version, int) or isinstance(version, bool):
            raise DamagedFile(f"{path}: {MANIFEST} does not state kind and version")
        info = manifest.get("info")
        container = cls(kind, version, info if isinstance(info, dict) else None)
        container.path, container.budget = path, budget
        members = manifest.get("members")
        if not isinstance(members, list) or sorted([MANIFEST, *map(str, members)]) != sorted(
            entry.filename for entry in entries
        ):
            raise DamagedFile(f"{path} does not have the members that {MANIFEST} lists")
        for name in members:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise UnsafeFile(f"{path} has a member of a name that atomlearn never writes")
            container._members[name] = _unpack(archive, by_name[name], path)
        return container

    def expect(self, kind: str, version: int) -> None:
        """Raise an error unless this is of a kind, and of a version not later than given."""
        if self.kind != kind:
            raise ForeignFile(f"{self.path} holds a {self.kind}, not a {kind}")
        if self.version > version:
            raise NewerFile(
                f"{self.path} is a {kind} of version {self.version}; this atomlearn "
                f"({atomlearn.__version__}) reads versions up to {version}: upgrade atomlearn"
            )
        if self.version < 1:
            raise DamagedFile(f"{self.path} has no such version: {self.version}")

    def _add(self, name: str, data: bytes) -> None:
        if not _NAME.fullmatch(name) or name == MANIFEST or name in self._members:
            raise ValueError(f"{name!r} cannot be the name of a new member")
        self._members[name] = data

    def _member(self, name: str) -> bytes:
        if name not in self._members:
            raise DamagedFile(f"{self.path} has no {name}")
        return self._members[name]


def _check_sizes(entries: list[zipfile.ZipInfo], path: str, budget: Budget) -> None:
    sizes = [entry.file_size for entry in entries]
    budget.spend(sum(sizes) + max(sizes), "what it says it holds")  # one is copied while it grows
    for entry in entries:
        if entry.file_size > (1 << 20) and entry.file_size > MAX_RATIO * entry.compress_size:
            raise UnsafeFile(f"{path} would grow more than {MAX_RATIO} times when unpacked")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnsafeFile(f"{path} is compressed in a way that atomlearn never uses")


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: str) -> bytes:
    """Unpack exactly the declared size; the zip's checksum is verified on the way."""
    with archive.open(entry) as member:
        data = member.read(entry.file_size + 1)
        if len(data) != entry.file_size or member.read(1):
            raise DamagedFile(f"{path}: {entry.filename[:80]!r} is not as large as declared")
    return data


def _npy_header(data: bytes, where: str) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return the shape, order and type of an array, and the position of its content."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0(file, max_header_size=4096)
    except Exception as error:  # NumPy evaluates the header as Python, and Python can fail anyhow
        raise DamagedFile(f"{where} is not an array: {type(error).__name__}: {error}") from None
    if version != (1, 0):
        raise DamagedFile(f"{where} is not an array of version 1.0")
    return *header, file.tell()


def _parse_json(data: bytes, where: str, budget: Budget) -> Any:
    budget.spend(_json_bytes(data), f"the JSON of {where.rpartition(': ')[2]}")
    try:
        value = json.loads(data.decode())
        if b"\\ud" in data.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{where} has JSON that cannot be read: {error}") from None
    return value


def _json_bytes(data: bytes) -> int:
    """Return an upper bound of the memory: each value follows a comma, a colon or a bracket."""
    values = data.count(b",") + data.count(b"[") + data.count(b"{")
    return 5 * len(data) + 64 * values + 120 * data.count(b":")


def _compression(data: bytes) -> int:
    small = len(data) <= 1 << 20 or len(zlib.compress(data)) * MAX_RATIO > 2 * len(data)
    return zipfile.ZIP_DEFLATED if small else zipfile.ZIP_STORED
