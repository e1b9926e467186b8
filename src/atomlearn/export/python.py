"""A classifier as a Python module without imports but ``math``."""

from collections.abc import Iterable
from importlib.resources import files
from string import Template
from typing import Any

from atomlearn.export.model import Model


def template(name: str) -> Template:
    """A program with places for a model."""
    folder = files("atomlearn.export").joinpath("templates")
    return Template(folder.joinpath(name).read_text(encoding="utf-8"))


def python_source(model: Model) -> str:
    """The source of the module."""
    rules = [(rule["text"], rule["literals"], rule["forbidden"]) for rule in model.rules]
    weighted = zip(model.weighted_class, model.weights, model.weighted, strict=True)
    return template("scorer.py.txt").substitute(
        columns=_list((one["name"], one["kind"]) for one in model.columns),
        labels=_list(model.labels),
        literals=_list(tuple(one) for one in model.literals),
        texts=_list(model.texts),
        prior=repr(model.prior),
        slope=repr(model.slope),
        strict=_list(model.strict),
        weighted=_list(weighted),
        rules=_list(rules),
    )


def _list(values: Iterable[Any]) -> str:
    """A list with one value a line."""
    lines = "".join(f"    {value!r},\n" for value in values)
    return f"[\n{lines}]" if lines else "[]"
