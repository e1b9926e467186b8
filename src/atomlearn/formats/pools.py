"""Pool files (``.atoms``, kind ``pool``): pins to share, each with the data and epoch it is from.

``pool.json`` has the names of the constants and the sources. Pin ``k`` has the constants
``pool_constants.npy[pool_starts.npy[k]:pool_starts.npy[k + 1]]``; ``pool_born.npy`` tells its epoch
and ``pool_source.npy`` its source. Checkpoints hold their pools in the same members.
"""

from dataclasses import asdict
from pathlib import Path

import numpy as np

from atomlearn.errors import DamagedFile
from atomlearn.formats.container import Container
from atomlearn.learning.lists import Lists
from atomlearn.learning.pinning import Pool, Source

KIND, VERSION = "pool", 1


def write_pool(pool: Pool, path: str | Path) -> None:
    """Save a pool."""
    file = Container(KIND, VERSION, {"pins": len(pool), "constants": pool.n_constants})
    add_pool(file, pool)
    file.write(path)


def get_pool(file: Container) -> Pool:
    """The pool in a container."""
    return pool_in(file, None)


def add_pool(file: Container, pool: Pool) -> None:
    """Add the members of a pool to a file."""
    names = None if pool.names is None else list(pool.names)
    sources = [asdict(source) for source in pool.sources]
    file.add_json(
        "pool.json", {"n_constants": pool.n_constants, "names": names, "sources": sources}
    )
    add_lists(file, "pool", pool.atoms)
    file.add_array("pool_born.npy", pool.born)
    file.add_array("pool_source.npy", pool.source)


def pool_in(file: Container, n_constants: int | None) -> Pool:
    """The pool of a file, over so many constants; older checkpoints do not tell sources."""
    names, sources = None, [Source()]
    if "pool.json" in file:
        state = file.json("pool.json", dict)
        try:
            told, names = int(state["n_constants"]), state["names"]
            sources = [
                Source(str(one["name"]), str(one["digest"]), int(one["examples"]))
                for one in state["sources"]
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{file.path}: pool.json: {error!r}") from None
        fits = names is None or (
            isinstance(names, list)
            and len(names) == told
            and all(isinstance(name, str) for name in names)
        )
        if not fits or not sources or (n_constants is not None and told != n_constants):
            raise DamagedFile(f"{file.path}: pool.json does not fit the pins")
        n_constants = told
    if n_constants is None:
        raise DamagedFile(f"{file.path} has no pool.json")
    atoms = lists_in(file, "pool", n_constants)
    born = file.array("pool_born.npy", "i", 1).astype(np.int32)
    source = np.zeros(len(born), dtype=np.int32)
    if "pool_source.npy" in file:
        source = file.array("pool_source.npy", "i", 1).astype(np.int32)
    n = len(atoms.starts) - 1
    in_range = len(source) == 0 or (source.min() >= 0 and source.max() < len(sources))
    if len(born) != n or len(source) != n or not in_range:
        raise DamagedFile(f"{file.path}: the pool has other dates or sources than pins")
    return Pool.of(n_constants, atoms, born, source, sources, names)


def add_lists(file: Container, name: str, atoms: Lists) -> None:
    """Add the members of a list of atoms."""
    file.add_array(f"{name}_starts.npy", atoms.starts)
    file.add_array(f"{name}_constants.npy", atoms.constants)


def lists_in(file: Container, name: str, n_constants: int) -> Lists:
    """A list of atoms of a file."""
    starts = file.array(f"{name}_starts.npy", "i", 1).astype(np.int64)
    constants = file.array(f"{name}_constants.npy", "i", 1).astype(np.int32)
    in_order = len(starts) > 0 and starts[0] == 0 and bool((np.diff(starts) >= 0).all())
    if not in_order or starts[-1] != len(constants):
        raise DamagedFile(f"{file.path}: the atoms of {name} do not fit together")
    if len(constants) and (constants.min() < 0 or constants.max() >= n_constants):
        raise DamagedFile(f"{file.path}: {name} has an atom in a constant that is not there")
    inside = np.ones(len(constants), dtype=np.bool_)
    inside[starts[:-1][starts[:-1] < len(constants)]] = False
    if len(constants) and (np.diff(constants)[inside[1:]] <= 0).any():
        raise DamagedFile(f"{file.path}: the constants of an atom of {name} are not in order")
    return Lists(starts, constants)
