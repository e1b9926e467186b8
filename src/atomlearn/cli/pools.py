"""Print a pool for ``atomlearn show``: its pins, and the data each comes from."""

from typing import TYPE_CHECKING

from atomlearn.algebra.text import write_names
from atomlearn.cli.output import counted, print_json

if TYPE_CHECKING:
    from atomlearn.engine.pool import Pool


def show_pool(pool: "Pool", max_atoms: int, as_json: bool) -> None:
    """Print at most ``max_atoms`` pins (0: all), oldest first."""
    shown = range(min(max_atoms or len(pool), len(pool)))
    pins = [(_names(pool, k), *pool.provenance(k)) for k in shown]
    if as_json:
        told = [
            {"constants": names, "epoch": epoch, "source": source.name, "digest": source.digest}
            for names, source, epoch in pins
        ]
        print_json({"kind": "pool", "constants": pool.n_constants, "n_pins": len(pool),
                    "pins": told})  # fmt: skip
        return
    print(f"{counted(len(pool), 'pin')} over {counted(pool.n_constants, 'constant')}")
    for source in pool.sources:
        print(f"from {source.name or 'data without a name'}, {counted(source.examples, 'example')}")
    for names, source, epoch in pins:
        whence = f" of {source.name}" if source.name else ""
        print(f"  {write_names(names)}   (epoch {epoch}{whence})")
    if len(pins) < len(pool):
        print(f"... and {len(pool) - len(pins):,} more (--max-atoms 0 lists all)")


def _names(pool: "Pool", k: int) -> list[str]:
    constants = pool.atoms.constants[pool.atoms.starts[k] : pool.atoms.starts[k + 1]].tolist()
    return [str(c) if pool.names is None else pool.names[c] for c in constants]
