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

from atomlearn.errors import DamagedFile
from atomlearn.formats.container import Container
from atomlearn.learning.lists import Lists, append, no_lists, take
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
    state = {"n_constants": pool.n_constants, "names": names, "sources": _sources_as_json(pool)}
    file.add_json("pool.json", state)
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
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{file.path}: pool.json: {error!r}") from None
        sources = _sources(state.get("sources"), file)
        fits = names is None or (
            isinstance(names, list)
            and len(names) == told
            and all(isinstance(name, str) for name in names)
        )
        if not fits or (n_constants is not None and told != n_constants):
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


def pools_in(file: Container, n_constants: int, n_pools: int) -> list[Pool]:
    """The pools of a file; earlier ones do not tell sources."""

    def need(fits: bool, what: str) -> None:
        if not fits:
            raise DamagedFile(f"{file.path}: {what}")

    starts = file.array("offsets.npy", "i", 1).astype(np.int64)
    constants = file.array("atoms.npy", "i", 1).astype(np.int32)
    fits = len(starts) > 0 and starts[0] == 0 and bool((np.diff(starts) > 0).all())
    need(bool(fits and starts[-1] == len(constants)), "offsets.npy does not fit atoms.npy")
    in_range = len(constants) == 0 or (constants.min() >= 0 and constants.max() < n_constants)
    need(bool(in_range), "an atom has a literal that is not there")
    bounds = file.array("class_offsets.npy", "i", 1).astype(np.int64)
    fits = len(bounds) == n_pools + 1 and bounds[0] == 0 and bounds[-1] == len(starts) - 1
    need(bool(fits and (np.diff(bounds) >= 0).all()), "class_offsets.npy does not fit")
    born = file.array("born.npy", "i", 1).astype(np.int32)
    need(len(born) == len(starts) - 1, "born.npy does not fit")
    source = np.zeros(len(born), dtype=np.int32)
    sources = [[Source()] for _ in range(n_pools)]
    if "sources.json" in file:
        source = file.array("source.npy", "i", 1).astype(np.int32)
        told = file.json("sources.json", list)
        sources = [_sources(ours, file) for ours in told]
    need(len(source) == len(born) and len(sources) == n_pools, "source.npy does not fit")
    pools = []
    for k in range(n_pools):
        which = np.arange(bounds[k], bounds[k + 1])
        in_range = ((source[which] >= 0) & (source[which] < len(sources[k]))).all()
        need(bool(in_range), "an atom is from a source that is not there")
        atoms = take(Lists(starts, constants), which)
        pools.append(Pool.of(n_constants, atoms, born[which], source[which], sources[k]))
    return pools


def _sources_as_json(pool: Pool) -> list[dict[str, Any]]:
    return [asdict(source) for source in pool.sources]


def _sources(told: Any, file: Container) -> list[Source]:
    try:
        sources = [
            Source(str(one["name"]), str(one["digest"]), int(one["examples"])) for one in told
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFile(f"{file.path}: a source of pins is damaged: {error!r}") from None
    if not sources:
        raise DamagedFile(f"{file.path}: there is no source of pins")
    return sources


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
