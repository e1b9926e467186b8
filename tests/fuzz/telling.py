"""All that a classifier, a model or a pool says, as digests that two processes can compare."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from atomlearn import AlgebraicClassifier, Model
from atomlearn.engine.pool import Pool
from tests.fuzz.tables import Rows

EXPLAINED, DEFINED = 2, 2
"""Rows that are explained and classes that are defined: both take their time."""

Digests = dict[str, str]


def tell(thing: Any, rows: Rows | None = None) -> Digests:
    """A digest of each kind of thing that is said."""
    if isinstance(thing, AlgebraicClassifier):
        assert rows is not None
        said = _of_classifier(thing, rows)
    elif isinstance(thing, Model):
        said = _of_model(thing)
    else:
        said = _of_pool(thing)
    return {what: _digest(one) for what, one in said.items()}


def _digest(said: Any) -> str:
    if isinstance(said, np.ndarray) and said.dtype != object:
        data = f"{said.dtype.kind}{said.shape}".encode() + said.tobytes()
    else:
        data = json.dumps(said, default=repr).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def _of_classifier(model: AlgebraicClassifier, rows: Rows) -> dict[str, Any]:
    X, labels = rows.as_given(), model.classes_.tolist()
    explained = [model.explain(one) for one in single_rows(rows, EXPLAINED)]
    definitions = [model.definition(label) for label in labels[:DEFINED]]
    pools = [pool.atoms for pool in model.learned_.pools]
    params = {name: one for name, one in model.get_params().items() if name != "rules"}
    return {
        "classes": [model.classes_.dtype.kind, labels],
        "probabilities": model.predict_proba(X),
        "scores": model.decision_function(X),
        "predictions": model.predict(X).tolist(),
        "explanations": [[str(one), one.to_dict()] for one in explained],
        "definitions": [[str(one), one.to_dict(), one.to_python()] for one in definitions],
        "definitions evaluated": np.array([one.evaluate(X) for one in definitions]),
        "rules": [repr(rule) for rule in model.rules_],
        "rule values": [[repr(one.value) for one in rule.conditions] for rule in model.rules_],
        "literals": [[one.in_full, repr(one.value)] for one in model.encoder_.literals_],
        "strict atoms": [[one.starts.tolist(), one.constants.tolist()] for one in pools],
        "atoms": model.atoms_frame().to_csv(),
        "importances": model.feature_importances_,
        "hard rows": [str(one) for one in model.hardest(1)],
        "error": [model.estimated_error_, repr(model.evidence_)],
        "parameters": sorted((name, _plain(one)) for name, one in params.items()),
    }


def _plain(value: Any) -> str:
    if isinstance(value, dict):  # class weights
        value = {label: float(weight) for label, weight in value.items()}
    elif isinstance(value, list):
        value = [np.asarray(one).tolist() for one in value]
    return repr(value)


def single_rows(rows: Rows, n: int) -> Sequence[Any]:
    """The first rows, one by one, as they are best given."""
    if rows.form in ("numbers", "objects"):
        return list(rows.as_given(0, n))
    return rows.dictionaries(0, n)


def _of_model(model: Model) -> dict[str, Any]:
    names = list(model.names)
    definitions = [model.definition(one) for one in model.constants[:DEFINED]]
    pairs = [(a, b) for a in model.constants for b in model.constants]
    return {
        "names": names,
        "atoms": [sorted(atom.constants) for atom in model.atoms],
        "text": str(model),
        "relations": [model.holds(a <= b) for a, b in pairs],
        "definitions": [[str(one), one.to_dict(), one.to_python()] for one in definitions],
        "definitions evaluated": [one.evaluate(np.tri(len(names))).tolist() for one in definitions],
    }


def _of_pool(pool: Pool) -> dict[str, Any]:
    return {
        "names": pool.names,
        "atoms": [pool.atoms.starts.tolist(), pool.atoms.constants.tolist()],
        "origins": [str(pool.provenance(k)) for k in range(len(pool))],
        "text": [len(pool), pool.n_constants, repr(pool)],
    }
