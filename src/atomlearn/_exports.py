"""Public names of a package that are imported when first used.

``import atomlearn`` and ``atomlearn --help`` stay quick: a package lists its public names, and the
modules behind them load on demand.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


def attach(
    package: str, names: Mapping[str, Iterable[str]], submodules: Iterable[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``names`` maps a module, relative to the package, to the names that the package takes from it.
    Type checkers do not run this: the package imports the same names under ``TYPE_CHECKING``.

    >>> find, _, exported = attach("atomlearn.logic", {"formulas": ["Has", "Not"]})
    >>> exported
    ['Has', 'Not']
    >>> find("Has").__name__
    'Has'
    """
    home = {name: f"{package}.{module}" for module, listed in names.items() for name in listed}
    modules = {name: f"{package}.{name}" for name in submodules}
    exported = sorted([*home, *modules])

    def find(name: str) -> object:
        if name in modules:
            return import_module(modules[name])
        if name in home:
            return getattr(import_module(home[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *exported})

    return find, listed, exported
