"""Algebraic Machine Learning: readable models, and statements that always hold."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.4.0"

if TYPE_CHECKING:
    from atomlearn import algebra as algebra
    from atomlearn import classifier as classifier
    from atomlearn import datasets as datasets
    from atomlearn import distributed as distributed
    from atomlearn import engine as engine
    from atomlearn import errors as errors
    from atomlearn import explorer as explorer
    from atomlearn import export as export
    from atomlearn import logic as logic
    from atomlearn import problems as problems
    from atomlearn import regressor as regressor
    from atomlearn import tables as tables
    from atomlearn import views as views
    from atomlearn.algebra.algebra import Algebra as Algebra
    from atomlearn.algebra.model import Atom as Atom
    from atomlearn.algebra.model import Model as Model
    from atomlearn.algebra.relations import Conflict as Conflict
    from atomlearn.algebra.relations import QueryResult as QueryResult
    from atomlearn.algebra.relations import Relation as Relation
    from atomlearn.algebra.terms import Constant as Constant
    from atomlearn.algebra.terms import Term as Term
    from atomlearn.classifier.estimator import AlgebraicClassifier as AlgebraicClassifier
    from atomlearn.errors import AtomlearnError as AtomlearnError
    from atomlearn.errors import InconsistentRelations as InconsistentRelations
    from atomlearn.errors import ModelTooLarge as ModelTooLarge
    from atomlearn.files.load import load as load
    from atomlearn.regressor.estimator import AlgebraicRegressor as AlgebraicRegressor
    from atomlearn.tables.encoder import LiteralEncoder as LiteralEncoder


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


__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "algebra.algebra": ["Algebra"],
        "algebra.model": ["Atom", "Model"],
        "algebra.relations": ["Conflict", "QueryResult", "Relation"],
        "algebra.terms": ["Constant", "Term"],
        "classifier.estimator": ["AlgebraicClassifier"],
        "errors": ["AtomlearnError", "InconsistentRelations", "ModelTooLarge"],
        "files.load": ["load"],
        "regressor.estimator": ["AlgebraicRegressor"],
        "tables.encoder": ["LiteralEncoder"],
    },
    submodules=[
        "algebra",
        "classifier",
        "datasets",
        "distributed",
        "engine",
        "errors",
        "explorer",
        "export",
        "logic",
        "problems",
        "regressor",
        "tables",
        "views",
    ],
)
