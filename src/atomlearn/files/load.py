"""Load what atomlearn has saved."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomlearn.errors import DamagedFile, FileFormatError, NewerFile, UnsavableValue
from atomlearn.files.container import Container
from atomlearn.files.reading import reading

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model

READERS = {
    "model": ("atomlearn.algebra.model_files", "VERSION", "get_model"),
    "classifier": ("atomlearn.classifier.files", "VERSION", "get_classifier"),
    "pool": ("atomlearn.engine.pool_files", "VERSION", "get_pool"),
}
"""For each kind: a module, its latest version, and the function that takes the members."""


def load(path: "str | Path") -> "Model | Any":
    """Load a model (or whatever else was saved by atomlearn) from a file.

    The constants of a loaded model are known by name: it can be asked with the relations of any
    algebra that has constants of these names, or with ``model.relation("v < c1 c2")``.

    A file that is not what it should be, whatever is wrong with it, is refused with an error that
    names it. Reading one takes at most 256 MiB or 32 times its size in memory, whichever is more,
    unless the environment variable ``ATOMLEARN_MAX_BYTES`` says otherwise.

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
    """What a container holds."""
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
    """Write a container to a file that :func:`load` reads, and as what was saved.

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
