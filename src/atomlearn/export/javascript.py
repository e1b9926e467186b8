"""A classifier as a JavaScript module for Node and browsers: the explorer's scorer with a model."""

from importlib.resources import files
from itertools import accumulate
from typing import Any

from atomlearn.export.model import Atoms, Model
from atomlearn.tables.numbers import has_large_integers
from atomlearn.views.page import as_json

HEAD = """// Scores rows like the atomlearn classifier it was written from. Needs nothing else:
//   import { predict, predictProba, explain } from "./model.mjs";

"""


def javascript_source(model: Model) -> str:
    """The source of the module."""
    code = files("atomlearn.explorer").joinpath("js").joinpath("scorer.js")
    scorer = code.read_text(encoding="utf-8").replace("\nexport ", "\n")
    footer = files("atomlearn.export").joinpath("templates").joinpath("footer.js.txt")
    return (
        f"{HEAD}{scorer}\nconst TEXTS = {as_json(model.texts)};\n"
        f"const MODEL = {_source(_description(model))};\n{footer.read_text(encoding='utf-8')}"
    )


def _source(value: Any) -> str:
    """A value as JavaScript; integers that would be rounded as numbers are of type BigInt."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_json(key)}:{_source(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        is_long = any(isinstance(one, list | dict) for one in value) or has_large_integers(value)
        return f"[{','.join(map(_source, value))}]" if is_long else as_json(value)
    return f"{value}n" if has_large_integers([value]) else as_json(value)


def _description(model: Model) -> dict[str, Any]:
    """The model in the form that scorer.js evaluates; the prior has all offsets."""
    none = [0.0] * len(model.labels)
    strict = {
        "factor": 1.0,
        "slope": model.slope,
        "offset": none,
        "typical": none,
        "atoms": [_flat(atoms) for atoms in model.strict],
    }
    weighted = {
        "factor": 1.0,
        "offset": none,
        "classes": model.weighted_class,
        "weights": model.weights,
        "atoms": _flat(model.weighted),
    }
    return {
        "classes": model.labels,
        "columns": [{"name": one["name"], "kind": one["kind"]} for one in model.columns],
        "literals": model.literals,
        "prior": model.prior,
        "strict": strict if model.strict else None,
        "weighted": weighted if model.weighted else None,
        "rules": model.rules,
    }


def _flat(atoms: Atoms) -> dict[str, list[int]]:
    starts = accumulate((len(atom) for atom in atoms), initial=0)
    return {"starts": list(starts), "constants": [i for atom in atoms for i in atom]}
