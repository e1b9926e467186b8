"""Model files (``.atoms``).

A container of kind ``model`` with three members: ``constants.json``, the names; ``atoms.npy``, the
indices of the constants that contain the first atom, then of the second, ...; ``offsets.npy``,
where each atom begins, and the end. To read one without atomlearn::

    with zipfile.ZipFile("m.atoms") as z:
        names = json.loads(z.read("constants.json"))
        atoms, offsets = (np.load(io.BytesIO(z.read(f"{m}.npy"))) for m in ("atoms", "offsets"))
    first = [names[i] for i in atoms[offsets[0] : offsets[1]]]
"""

import warnings
from pathlib import Path

import numpy as np

from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import IndexLists
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.files.budget import VARIABLE, Budget
from atomlearn.files.container import Container
from atomlearn.files.reading import Members
from atomlearn.sets import rows as bits

KIND = "model"
VERSION = 1


def write_model(model: Model, path: str | Path) -> None:
    """Write a model to a file."""
    container = Container(KIND, VERSION, {"constants": model.n_constants, "atoms": model.n_atoms})
    sets = [atom.indices for atom in model.atoms]
    lists = IndexLists.from_indices(sets)
    container.add_json("constants.json", list(model.names))
    container.add_array("atoms.npy", lists.members.astype(np.int32))
    container.add_array("offsets.npy", lists.offsets)
    container.write(path)
    budget, needed = Budget.of(path), _row_bytes(model.n_atoms, model.n_constants)
    if needed > budget.allowed // 2:  # the other half is for the names and lists
        warnings.warn(
            f"{path} is a small file of a large model: whoever loads it has to set {VARIABLE} to "
            f"{2 * needed}",
            stacklevel=3,
        )


def get_model(file: Members) -> Model:
    """Read a model."""
    names = file.json("constants.json").texts()
    n = len(names)
    offsets, atoms = file.lists("offsets.npy", "atoms.npy", n)
    n_atoms = len(offsets) - 1
    file.spend(_row_bytes(n_atoms, n), f"{n_atoms:,} atoms over {n:,} constants")
    vocabulary = Vocabulary(names, by_name=True)
    return Model(vocabulary, IndexLists(offsets, atoms.astype(np.int64)).rows(n))


def _row_bytes(n_atoms: int, n_constants: int) -> int:
    """What the atoms take as rows: three times, as they are sorted to find those given twice."""
    return 24 * n_atoms * bits.width(n_constants)
