"""What the page of an algebra shows: constants, relations, and the atoms of a model."""

from typing import Any

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.errors import ModelTooLarge

MOST_ATOMS = 2000
"""Atoms that a page has room for."""


def algebra_data(algebra: Algebra, seed: int | None = 0) -> dict[str, Any]:
    """What the page of some relations needs; a model is learned if they are consistent."""
    data = _constants(list(algebra.names)) | {
        "positive": [[list(r.left.indices), list(r.right.indices)] for r in algebra.positive],
        "negative": [[list(r.left.indices), list(r.right.indices)] for r in algebra.negative],
    }
    if not algebra.relations or algebra.conflicts():
        return data
    try:
        return data | _atoms(algebra.learn(random_state=seed))
    except ModelTooLarge:
        return data


def model_data(model: Model) -> dict[str, Any]:
    """What the page of a model needs: it answers by its atoms alone."""
    return _constants(list(model.names)) | _atoms(model)


def _constants(names: list[str]) -> dict[str, Any]:
    nothing: dict[str, Any] = {"positive": None, "negative": None, "atoms": None, "n_atoms": 0}
    return {"kind": "algebra", "names": names, **nothing}


def _atoms(model: Model) -> dict[str, Any]:
    atoms = sorted((list(atom.indices) for atom in model.atoms), key=lambda one: (len(one), one))
    return {"atoms": atoms if len(atoms) <= MOST_ATOMS else None, "n_atoms": len(atoms)}
