"""Pool files (``.atoms``, kind ``pool``): pins to share, each with the data and epoch it is from.

``pool.json`` has the names of the constants and the sources. Pin ``k`` has the constants
``pool_constants.npy[pool_starts.npy[k]:pool_starts.npy[k + 1]]``; ``pool_born.npy`` tells its epoch
and ``pool_source.npy`` its source. Checkpoints hold their pools in the same members.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from atomlearn.engine.pool import Pool, Source
from atomlearn.files.container import Container
from atomlearn.files.reading import INT32, Members, Value
from atomlearn.sets.lists import Lists, append, no_lists, take

KIND, VERSION = "pool", 1


def write_pool(pool: Pool, path: str | Path) -> None:
    """Write a pool to a file."""
    file = Container(KIND, VERSION, {"pins": len(pool), "constants": pool.n_constants})
    add_pool(file, pool)
    file.write(path)


def get_pool(file: Members) -> Pool:
    """Read a pool."""
    return pool_in(file, None)


def add_pool(file: Container, pool: Pool) -> None:
    """Add the members of a pool to a file."""
    names = None if pool.names is None else list(pool.names)
    state = {"n_constants": pool.n_constants, "names": names, "sources": _sources_as_json(pool)}
    file.add_json("pool.json", state)
    add_lists(file, "pool", pool.atoms)
    file.add_array("pool_born.npy", pool.born)
    file.add_array("pool_source.npy", pool.source)


def pool_in(file: Members, n_constants: int | None) -> Pool:
    """The pool of a file over ``n_constants``; older checkpoints have no sources."""
    names, sources = None, [Source()]
    if n_constants is None or "pool.json" in file:
        state = file.json("pool.json")
        n_told = state["n_constants"].integer(high=INT32)
        state.need(n_constants in (None, n_told), f"is of {n_told:,} constants, not {n_constants}")
        told = state.given("names")
        names = None if told is None else told.texts(n_told)
        sources = _sources(state["sources"])
        file.spend(n_told // 8, f"a row over {n_told:,} constants")
        n_constants = n_told
    atoms = lists_in(file, "pool", n_constants)
    n = len(atoms.starts) - 1
    born = file.integers("pool_born.npy", n, high=INT32).astype(np.int32)
    source = np.zeros(n, dtype=np.int32)
    if "pool_source.npy" in file:
        source = file.integers("pool_source.npy", n, high=len(sources) - 1).astype(np.int32)
    return Pool.of(n_constants, atoms, born, source, sources, names)


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
    file.add_json("sources.json", [_sources_as_json(pool) for pool in pools])


def pools_in(file: Members, n_constants: int, n_pools: int) -> list[Pool]:
    """The pools of a file; older files have no sources."""
    atoms = Lists(*file.lists("offsets.npy", "atoms.npy", n_constants))
    n = len(atoms.starts) - 1
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


def _sources_as_json(pool: Pool) -> list[dict[str, Any]]:
    return [asdict(source) for source in pool.sources]


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


def lists_in(file: Members, name: str, n_constants: int) -> Lists:
    """A list of atoms of a file."""
    starts, constants = f"{name}_starts.npy", f"{name}_constants.npy"
    return Lists(*file.lists(starts, constants, n_constants, empty=True))
