"""Model files (``.atoms``).

A container of kind ``model`` with three members: ``constants.json``, the names; ``atoms.npy``, the
indices of the constants that contain the first atom, then of the second, ...; ``offsets.npy``,
where each atom begins, and the end. To read one without atomlearn::

    with zipfile.ZipFile("m.atoms") as z:
        names = json.loads(z.read("constants.json"))
        atoms, offsets = (np.load(io.BytesIO(z.read(f"{m}.npy"))) for m in ("atoms", "offsets"))
    first = [names[i] for i in atoms[offsets[0] : offsets[1]]]
"""

from pathlib import Path

import numpy as np

from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import IndexLists
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.bits import rows as bits
from atomlearn.errors import AtomlearnError, DamagedFile, UnsafeFile
from atomlearn.formats.container import Container

KIND = "model"
VERSION = 1
MAX_BYTES = 8 << 30
"""What the rows of a model read from a file may take in memory."""


def write_model(model: Model, path: str | Path) -> None:
    """Save a model."""
    container = Container(KIND, VERSION, {"constants": model.n_constants, "atoms": model.n_atoms})
    put_model(container, model)
    container.write(path)


def read_model(path: str | Path) -> Model:
    """Load a model."""
    container = Container.read(path)
    container.expect(KIND, VERSION)
    return get_model(container)


def put_model(container: Container, model: Model) -> None:
    """Add the members of a model to a container."""
    sets = [atom.indices for atom in model.atoms]
    lists = IndexLists.from_indices(sets)
    container.add_json("constants.json", list(model.names))
    container.add_array("atoms.npy", lists.members.astype(np.int32))
    container.add_array("offsets.npy", lists.offsets)


def get_model(container: Container) -> Model:
    """The model in a container."""
    where = container.path
    names = container.json("constants.json", list)
    atoms = container.array("atoms.npy", "i", 1).astype(np.int64)
    offsets = container.array("offsets.npy", "i", 1).astype(np.int64)
    sizes = np.diff(offsets)
    if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != len(atoms) or (sizes < 1).any():
        raise DamagedFile(f"{where}: offsets.npy does not fit atoms.npy")
    if len(atoms) and (atoms.min() < 0 or atoms.max() >= len(names)):
        raise DamagedFile(f"{where}: atoms.npy has constants that constants.json does not name")
    if 8 * len(sizes) * bits.width(len(names)) > MAX_BYTES:
        raise UnsafeFile(
            f"{where}: {len(sizes):,} atoms over {len(names):,} constants "
            f"would take more than {MAX_BYTES:,} bytes of memory"
        )
    try:
        vocabulary = Vocabulary(names, by_name=True)
    except AtomlearnError as error:
        raise DamagedFile(f"{where}: constants.json: {error}") from None
    return Model(vocabulary, IndexLists(offsets, atoms).rows(len(names)))
