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

from atomlearn.algebra.model import Model
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.files.budget import VARIABLE, Budget
from atomlearn.files.container import Container
from atomlearn.files.reading import Members
from atomlearn.sets import rows as bits
from atomlearn.sets.lists import lists_of, to_rows

KIND = "model"
VERSION = 1


def write_model(model: Model, path: str | Path) -> None:
    """Write a model to a file."""
    container = Container(KIND, VERSION, {"constants": model.n_constants, "atoms": model.n_atoms})
    lists = lists_of([atom.indices for atom in model.atoms])
    container.add_json("constants.json", list(model.names))
    container.add_array("atoms.npy", lists.constants)
    container.add_array("offsets.npy", lists.starts)
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
    atoms = file.lists("offsets.npy", "atoms.npy", n)
    file.spend(_row_bytes(atoms.n, n), f"{atoms.n:,} atoms over {n:,} constants")
    vocabulary = Vocabulary(names, by_name=True)
    return Model(vocabulary, to_rows(atoms, n))


def _row_bytes(n_atoms: int, n_constants: int) -> int:
    """What the atoms take as rows: three times, as they are sorted to find those given twice."""
    return 24 * n_atoms * bits.width(n_constants)
