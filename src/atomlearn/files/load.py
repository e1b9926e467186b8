"""Load what atomlearn has saved."""

import math
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import (
    CheckpointMismatch,
    DamagedFile,
    FileFormatError,
    NewerFile,
    NotEnoughMemory,
    UnsavableValue,
)
from atomlearn.files.container import Container
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Lists, Rows
from atomlearn.typing import Floats, Integers

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model

LARGE = 1e100
"""Bound of unrestricted numbers; beyond it sums and products overflow."""
LARGEST = sys.float_info.max
INT32 = 2**31 - 1
INT64 = 2**63 - 1
MOST_EPOCHS = 2**30
"""Largest epoch number; it leaves room for as many again in 32 bits."""

Plain = str | int | float | bool


@contextmanager
def reading(file: Container) -> Iterator["Members"]:
    """Give access to the members of a file; any error meanwhile becomes one that names the file."""
    members = Members(file)
    try:
        yield members
    except (FileFormatError, CheckpointMismatch):
        raise
    except MemoryError:
        raise NotEnoughMemory(f"{file.path} needs more memory than there is") from None
    except Exception as error:  # what no check foresaw is damage too, and never a raw error
        raise DamagedFile(f"{members.where}: {type(error).__name__}: {error}") from None


class Members:
    """The arrays and JSON of one file, validated on access."""

    def __init__(self, file: Container) -> None:
        self.file = file
        self.where = file.path

    def __contains__(self, name: str) -> bool:
        return name in self.file

    def need(self, fits: object, what: str) -> None:
        """Raise an error that names the file unless the condition holds."""
        if not fits:
            raise DamagedFile(f"{self.where}: {what}")

    def json(self, name: str) -> "Value":
        """Return a member that is JSON."""
        self.where = f"{self.file.path}: {name}"
        return Value(self.file.json(name), self.where)

    def integers(
        self, name: str, size: int | None = None, *, low: int = 0, high: int = INT64
    ) -> Integers:
        """Return integers from ``low`` to ``high``, ``size`` of them if given."""
        array = self._array(name, "i", (size,))
        if array.size:
            inside = int(array.min()) >= low and int(array.max()) <= high
            self.need(inside, f"not all numbers are from {low} to {high}")
        return array.astype(np.int64)

    def floats(
        self, name: str, shape: tuple[int | None, ...], *, low: float, high: float
    ) -> Floats:
        """Return numbers from ``low`` to ``high``; a side ``None`` of the shape may be any."""
        array = self._array(name, "f", shape).astype(np.float64)
        inside = (array >= low) & (array <= high)  # not so for nan
        self.need(inside.all(), f"not all numbers are from {low:g} to {high:g}")
        return array

    def words(self, name: str, size: int) -> npt.NDArray[np.uint64]:
        """Return ``size`` words of 64 bits, which may be anything."""
        return self._array(name, "u", (size,)).astype(np.uint64)

    def rows(self, name: str, n: int, n_rows: int | None = None) -> Rows:
        """Return packed rows over ``n`` constants, without a bit beyond them."""
        array = self._array(name, "u", (n_rows, bits.width(n))).astype(np.uint64)
        if n % bits.WORD:
            stray = array[:, -1] & ~bits.full(n)[-1]
            self.need(not stray.any(), f"a row has bits beyond the {n:,} constants")
        return array

    def lists(self, starts: str, members: str, n: int) -> Lists:
        """Return ascending sets of constants below ``n``, and the position at which each begins."""
        constants = self.integers(members, high=min(n - 1, INT32)).astype(np.int32)
        at = self.integers(starts, high=len(constants))
        fits = len(at) > 0 and at[0] == 0 and at[-1] == len(constants)
        self.need(fits, f"it does not fit {members}")
        # All are within bounds by now, so that no difference overflows.
        self.need((at[1:] > at[:-1]).all(), "not in order")
        inside = np.ones(len(constants), dtype=np.bool_)
        inside[at[:-1][at[:-1] < len(constants)]] = False
        self.where = f"{self.file.path}: {members}"
        ascending = (constants[1:] > constants[:-1]) | ~inside[1:]
        self.need(ascending.all(), "the constants of a set are not in order")
        return Lists(at, constants)

    def spend(self, n_bytes: int, what: str) -> None:
        """Charge the budget before allocating this many bytes."""
        self.file.budget.spend(n_bytes, what)

    def _array(self, name: str, kinds: str, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
        self.where = f"{self.file.path}: {name}"
        array = self.file.array(name, kinds, len(shape))
        fits = all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
        wanted = " × ".join("any" if n is None else f"{n:,}" for n in shape)
        self.need(fits, f"an array of shape {array.shape}, not {wanted}")
        self.spend(16 * array.size, name)  # as 64 bits, and what it is compared and copied with
        return array


def is_finite(value: Any) -> bool:
    """Return whether a value is a finite number and no boolean."""
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST


class Value:
    """A JSON value and its position.

    >>> Value({"cuts": [0.5, "x"]}, "m.atoms: model.json")["cuts"].items()[1].number()
    Traceback (most recent call last):
    ...
    atomlearn.errors.DamagedFile: m.atoms: model.json: cuts[1] is not a number from -inf to inf
    """

    __slots__ = ("path", "raw", "where")

    def __init__(self, raw: Any, where: str, path: str = "") -> None:
        self.raw, self.where, self.path = raw, where, path

    def need(self, fits: object, what: str) -> None:
        """Raise an error that names the position unless the condition holds."""
        if not fits:
            place = f"{self.path[:200]} " if self.path else ""
            raise DamagedFile(f"{self.where}: {place}{what}")

    def __getitem__(self, name: str) -> "Value":
        self.need(isinstance(self.raw, dict) and name in self.raw, f"has no {name!r}")
        return Value(self.raw[name], self.where, f"{self.path}.{name}".lstrip("."))

    def given(self, name: str) -> "Value | None":
        """Return a field, unless it is absent or null."""
        self.need(isinstance(self.raw, dict), "is not an object")
        return None if self.raw.get(name) is None else self[name]

    def items(self, size: int | None = None) -> list["Value"]:
        """Return the values of a list, which must have ``size`` values if given."""
        self.need(isinstance(self.raw, list), "is not a list")
        self.need(size is None or len(self.raw) == size, f"does not have {size} values")
        return [Value(one, self.where, f"{self.path}[{i}]") for i, one in enumerate(self.raw)]

    def fields(self) -> dict[str, "Value"]:
        """Return the fields of an object."""
        self.need(isinstance(self.raw, dict), "is not an object")
        return {name: self[name] for name in self.raw}

    def text(self) -> str:
        """Return a text."""
        self.need(isinstance(self.raw, str), "is not text")
        return str(self.raw)

    def one_of(self, known: Sequence[str]) -> str:
        """Return one of these texts."""
        text = self.text()
        self.need(text in known, f"is none of {', '.join(known)}")
        return text

    def texts(self, size: int | None = None) -> list[str]:
        """Return a list of texts."""
        self.need(isinstance(self.raw, list), "is not a list")
        self.need(size is None or len(self.raw) == size, f"does not have {size} values")
        self.need(all(type(one) is str for one in self.raw), "is not a list of texts")
        return list(self.raw)

    def truth(self) -> bool:
        """Return a boolean."""
        self.need(isinstance(self.raw, bool), "is neither true nor false")
        return bool(self.raw)

    def integer(self, low: int = 0, high: int = INT64) -> int:
        """Return an integer from ``low`` to ``high``."""
        fits = type(self.raw) is int and low <= self.raw <= high
        self.need(fits, f"is not an integer from {low} to {high}")
        return int(self.raw)

    def integers(self, size: int, low: int = 0, high: int = INT64) -> Integers:
        """Return ``size`` integers from ``low`` to ``high``."""
        return np.array([one.integer(low, high) for one in self.items(size)], dtype=np.int64)

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a finite number from ``low`` to ``high``."""
        fits = is_finite(self.raw) and low <= self.raw <= high
        self.need(fits, f"is not a number from {low:g} to {high:g}")
        return float(self.raw)

    def ascending(self) -> tuple[float | int, ...]:
        """Return finite, strictly ascending numbers; integers stay integers.

        There may be very many of them, so none gets an object of its own.
        """
        self.need(isinstance(self.raw, list), "is not a list")
        for i, one in enumerate(self.raw):
            if not is_finite(one):
                self.need(False, f"has a value that is not a number, at {i}")
        self.need(all(map(operator.lt, self.raw, self.raw[1:])), "is not in order")
        return tuple(self.raw)

    def numbers(self, size: int, low: float, high: float) -> Floats:
        """Return ``size`` numbers from ``low`` to ``high``."""
        return np.array([one.number(low, high) for one in self.items(size)], dtype=np.float64)

    def plains(self) -> list[Plain]:
        """Return texts, numbers and booleans; there may be very many of them."""
        self.need(isinstance(self.raw, list), "is not a list")
        self.need(
            set(map(type, self.raw)) <= {str, int, float, bool}, "has a value that is not plain"
        )
        return list(self.raw)

    def plain(self) -> Plain:
        """Return a text, a number or a boolean."""
        self.need(type(self.raw) in (str, int, float, bool), "is not a plain value")
        plain: Plain = self.raw
        return plain


READERS = {
    "model": ("atomlearn.algebra.files", "VERSION", "get_model"),
    "classifier": ("atomlearn.classifier.files", "VERSION", "get_classifier"),
    "regressor": ("atomlearn.regressor.files", "VERSION", "get_regressor"),
    "pool": ("atomlearn.engine.pool", "VERSION", "get_pool"),
}
"""For each kind of file: a module, its latest version, and the function that reads the members."""


def load(path: "str | Path") -> "Model | Any":
    """Load a model, a classifier, a regressor or a pool from a file that atomlearn saved.

    The constants of a loaded model are known by name: it can be asked with the relations of any
    algebra that has constants of these names, or with ``model.relation("v < c1 c2")``. Reading a
    file takes at most 256 MiB or 32 times its size in memory, whichever is more, unless the
    environment variable ``ATOMLEARN_MAX_BYTES`` says otherwise.

    Parameters
    ----------
    path : str or Path
        The file to read.

    Returns
    -------
    Model, AlgebraicClassifier, AlgebraicRegressor or Pool
        The object that was saved.

    Raises
    ------
    FileFormatError
        If anything is wrong with the file; the error names it.

    Examples
    --------
    >>> import tempfile
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> path = f"{tempfile.mkdtemp()}/m.atoms"
    >>> alg.freest().save(path)
    >>> load(path) == alg.freest()
    True
    """
    return content(Container.read(path))


def content(container: Container) -> "Model | Any":
    """Return the object that a container holds."""
    if container.kind not in READERS:
        raise NewerFile(
            f"{container.path} holds a {container.kind!r}, which this atomlearn does not know: "
            "upgrade it"
        )
    module_name, version, reader = READERS[container.kind]
    module = import_module(module_name)
    container.expect(container.kind, getattr(module, version))
    with reading(container) as members:
        return getattr(module, reader)(members)


def save(container: Container, path: "str | Path", means_the_same: Callable[[Any], bool]) -> None:
    """Write a container to a file that :func:`load` reads back as what was saved.

    Raises :class:`~atomlearn.errors.UnsavableValue`, and leaves an older file as it is, if there is
    a value in it that could not be loaded.
    """

    def check(written: Container) -> None:
        if not means_the_same(content(written)):
            raise DamagedFile(f"{path} would be read as something else")

    try:
        container.write(path, check)
    except FileFormatError as error:
        raise UnsavableValue(f"it could not be loaded again, and is not saved: {error}") from None
