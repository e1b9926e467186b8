"""Algebraic Machine Learning: rules and examples in, readable atoms out.

Names load when first used, so that ``import atomlearn`` and ``atomlearn --help`` are quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_WHERE = {
    "Algebra": "atomlearn.algebra.algebra",
    "AlgebraicClassifier": "atomlearn.classifier.estimator",
    "Atom": "atomlearn.algebra.atoms",
    "Conflict": "atomlearn.algebra.conflicts",
    "Constant": "atomlearn.algebra.terms",
    "LiteralEncoder": "atomlearn.tables.encoder",
    "Model": "atomlearn.algebra.model",
    "QueryResult": "atomlearn.algebra.answers",
    "Relation": "atomlearn.algebra.relations",
    "Term": "atomlearn.algebra.terms",
    "load": "atomlearn.files.load",
    "AtomlearnError": "atomlearn.errors",
    "InconsistentRelations": "atomlearn.errors",
    "ModelTooLarge": "atomlearn.errors",
}

__all__ = [
    "Algebra",
    "AlgebraicClassifier",
    "Atom",
    "AtomlearnError",
    "Conflict",
    "Constant",
    "InconsistentRelations",
    "LiteralEncoder",
    "Model",
    "ModelTooLarge",
    "QueryResult",
    "Relation",
    "Term",
    "__version__",
    "load",
]

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.algebra.answers import QueryResult
    from atomlearn.algebra.atoms import Atom
    from atomlearn.algebra.conflicts import Conflict
    from atomlearn.algebra.model import Model
    from atomlearn.algebra.relations import Relation
    from atomlearn.algebra.terms import Constant, Term
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.errors import AtomlearnError, InconsistentRelations, ModelTooLarge
    from atomlearn.files.load import load
    from atomlearn.tables.encoder import LiteralEncoder


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'atomlearn' has no attribute {name!r}")
    value: object = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
