"""Validate the docstrings of all public names with numpydoc: python -m tests.docstrings.

Public names are those that docs/api.md lists, with the methods and properties of classes. A class
whose instances are results may describe its fields under ``Attributes`` instead of ``Parameters``.
"""

import inspect
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate

from tests.test_exports import PACKAGES

IGNORED = {
    "ES01",  # a summary that says all needs no more text
    "SA01",  # related names are linked where the text mentions them
}
IGNORED_FOR_METHODS = {"EX01"}  # the example of a class shows its methods
RETURNS = {"RT01", "YD01"}  # not asked for if the summary of a method says what it returns
OF_A_PROBLEM = ("algebra", "solve")
"""Functions that docs/api.md names for the module of each problem."""


class Docstring(Validator):
    """A docstring whose ``Attributes``, or those of a base class, also describe parameters."""

    def __init__(self, obj_name: str) -> None:
        value = self._load_obj(obj_name)
        super().__init__(get_doc_object(value, config={"show_class_members": False}))

    @property
    def signature_parameters(self) -> tuple[str, ...]:
        if inspect.isclass(self.obj) and not _has_parameters(self.obj):
            return ()
        return super().signature_parameters

    @property
    def doc_all_parameters(self) -> dict[str, Any]:
        described = super().doc_all_parameters
        fields = self._doc_parameters(["Attributes"])
        for base in _our_bases(self.obj)[1:]:  # inherited fields are described there
            fields = Docstring(f"{base.__module__}.{base.__qualname__}").doc_all_parameters | fields
        return described | {
            name: fields[name] for name in self.signature_parameters if name in fields
        }


def _our_bases(value: Any) -> list[type]:
    """The class itself and the classes that it inherits from, if it is one."""
    mro = getattr(value, "__mro__", ())
    return [base for base in mro if base.__module__.startswith("atomlearn")]


def _has_parameters(cls: type) -> bool:
    """Whether the class has a constructor of its own, or fields."""
    is_record = hasattr(cls, "__dataclass_fields__") or hasattr(cls, "_fields")
    return is_record or "__init__" in vars(cls)


def exported() -> Iterator[tuple[str, Any]]:
    """The classes and functions that docs/api.md lists, each once, by the name of its module."""
    found = {}
    for package in PACKAGES:
        module = import_module(package)
        for value in [getattr(module, name) for name in module.__all__]:
            if isinstance(value, ModuleType) and package != "atomlearn":
                members = [getattr(value, name, None) for name in OF_A_PROBLEM]
            else:
                members = [value]
            for one in members:
                if inspect.isclass(one) or inspect.isfunction(one):
                    found[f"{one.__module__}.{one.__qualname__}"] = one
    yield from sorted(found.items())


def members(name: str, value: Any) -> Iterator[tuple[str, bool]]:
    """The public methods and properties of a class, and whether the summary says the result."""
    for member in dict.fromkeys(member for base in _our_bases(value) for member in vars(base)):
        if member.startswith("_"):
            continue
        found = inspect.getattr_static(value, member)
        function = getattr(found, "__func__", found)
        if inspect.isfunction(function):
            has_parameters = len(inspect.signature(function).parameters) > 1
            says_it = (function.__doc__ or "").startswith(("Return ", "Yield "))
            yield f"{name}.{member}", says_it or not has_parameters
        elif isinstance(found, property | cached_property):
            yield f"{name}.{member}", True


def problems(name: str, ignored: set[str]) -> list[str]:
    """What numpydoc finds wrong with one docstring."""
    errors = validate(name, validator_cls=Docstring)["errors"]
    return [f"{name}: {code} {text}" for code, text in errors if code not in ignored]


def main() -> None:
    """Print what is wrong, and fail if anything is."""
    found: list[str] = []
    names, methods = dict(exported()), 0
    for name, value in names.items():
        found += problems(name, IGNORED)
        for member, summary_says_it in members(name, value):
            methods += 1
            ignored = IGNORED | IGNORED_FOR_METHODS
            found += problems(member, ignored | RETURNS if summary_says_it else ignored)
    for problem in dict.fromkeys(found):
        print(problem)
    print(f"{len(names)} names, {methods} methods and properties: {len(set(found))} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
