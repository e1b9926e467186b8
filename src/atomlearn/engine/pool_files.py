"""Pools in files: pins, each with the data and epoch it is from.

Pin ``k`` has the constants ``atoms.npy[offsets.npy[k]:offsets.npy[k + 1]]``; ``born.npy`` tells its
epoch and ``source.npy`` its source in ``sources.json``. A file may have several pools over the same
constants: ``class_offsets.npy`` has the first pin of each. A pool to share (``.atoms``, kind
``pool``) is the only one of its file, and ``pool.json`` has the names of its constants.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from atomlearn.engine.pool import Pool, Source
from atomlearn.files.container import Container
from atomlearn.files.load import save
from atomlearn.files.reading import INT32, Members, Value
from atomlearn.sets.lists import Lists, append, no_lists, take

KIND, VERSION = "pool", 1


def write_pool(pool: Pool, path: str | Path) -> None:
    """Write a pool to a file."""
    file = Container(KIND, VERSION, {"pins": len(pool), "constants": pool.n_constants})
    names = None if pool.names is None else list(pool.names)
    file.add_json("pool.json", {"n_constants": pool.n_constants, "names": names})
    add_pools(file, [pool])
    save(file, path, lambda read: len(read) == len(pool) and read.names == pool.names)


def get_pool(file: Members) -> Pool:
    """Read a pool."""
    state = file.json("pool.json")
    n_constants = state["n_constants"].integer(high=INT32)
    names = state.given("names")
    file.spend(n_constants // 8, f"a row over {n_constants:,} constants")
    (pool,) = pools_in(file, n_constants, 1)
    return pool if names is None else pool.copy(names=names.texts(n_constants))


def add_pools(file: Container, pools: Sequence[Pool]) -> None:
    """Add several pools over the same constants: all atoms, and where those of each begin."""
    atoms = no_lists()
    for pool in pools:
        atoms = append(atoms, pool.atoms)
    file.add_array("atoms.npy", atoms.constants)
    file.add_array("offsets.npy", atoms.starts)
    file.add_array("class_offsets.npy", np.cumsum([0, *map(len, pools)]))
    file.add_array("born.npy", np.concatenate([pool.born for pool in pools]))
    file.add_array("source.npy", np.concatenate([pool.source for pool in pools]))
    file.add_json("sources.json", [[asdict(source) for source in pool.sources] for pool in pools])


def pools_in(file: Members, n_constants: int, n_pools: int) -> list[Pool]:
    """The pools of a file; older files have no sources."""
    atoms = file.lists("offsets.npy", "atoms.npy", n_constants)
    n = atoms.n
    born = file.integers("born.npy", n, high=INT32).astype(np.int32)
    source = np.zeros(n, dtype=np.int32)
    sources = [[Source()] for _ in range(n_pools)]
    if "sources.json" in file:
        sources = [_sources(ours) for ours in file.json("sources.json").items(n_pools)]
        source = file.integers("source.npy", n, high=INT32).astype(np.int32)
    bounds = file.integers("class_offsets.npy", n_pools + 1, high=n)
    in_order = bounds[0] == 0 and bounds[-1] == n and (bounds[1:] >= bounds[:-1]).all()
    file.need(in_order, "it does not fit offsets.npy")
    pools = []
    for k in range(n_pools):
        which = np.arange(bounds[k], bounds[k + 1])
        known = (source[which] < len(sources[k])).all()
        file.need(known, "an atom is from a source that sources.json does not have")
        pools.append(
            Pool.of(n_constants, take(atoms, which), born[which], source[which], sources[k])
        )
    return pools


def _sources(told: Value) -> list[Source]:
    sources = [
        Source(one["name"].text(), one["digest"].text(), one["examples"].integer())
        for one in told.items()
    ]
    told.need(sources, "is empty: there is no source of pins")
    return sources


def add_lists(file: Container, name: str, atoms: Lists) -> None:
    """Add the members of a list of atoms."""
    file.add_array(f"{name}_starts.npy", atoms.starts)
    file.add_array(f"{name}_constants.npy", atoms.constants)
