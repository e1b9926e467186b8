"""Every package exports what the documentation names, and nothing else."""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REFERENCE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
PACKAGES = re.findall(r"^## (atomlearn\S*)$", REFERENCE, re.MULTILINE)


def documented(package: str) -> set[str]:
    """The names in the first column of the table under the heading of a package."""
    section = REFERENCE.split(f"\n## {package}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def imported(text: str) -> set[tuple[str, str]]:
    """Names that code in a page imports from atomlearn, and dotted names that it mentions."""
    found = set()
    for module, names in re.findall(r"from (atomlearn[\w.]*) import ([\w, ]+)", text):
        found |= {(module, name.strip()) for name in names.split(",")}
    for dotted in re.findall(r"`(atomlearn(?:\.\w+)+)", text):
        module, _, name = dotted.rpartition(".")
        found.add((module, name))
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_exports_are_those_of_the_reference(package):
    assert set(import_module(package).__all__) == documented(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exported_name_can_be_imported(package):
    module = import_module(package)
    folder = Path(str(module.__file__)).parent
    for name in module.__all__:
        value = getattr(module, name)
        assert name in dir(module)
        if not isinstance(value, ModuleType):  # else the submodule would hide it once imported
            assert not (folder / f"{name}.py").exists()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_import_from_packages_and_not_from_modules_inside(page):
    for module, name in sorted(imported(page.read_text(encoding="utf-8"))):
        if module.startswith("atomlearn.problems."):  # a module for each problem: queens.solve
            assert hasattr(import_module(module), name), f"{module}.{name}"
            continue
        assert name in import_module(module).__all__, f"{module}.{name}"


def test_type_checkers_see_the_names_that_load_when_first_used():
    for package in ("atomlearn", "atomlearn.algebra", "atomlearn.logic"):
        module = import_module(package)
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        assert set(re.findall(r"import \w+ as (\w+)", source)) == set(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_class_and_function_has_an_example(package):
    module = import_module(package)
    values = [getattr(module, name) for name in module.__all__]
    without = [value for value in values if callable(value) and ">>>" not in (value.__doc__ or "")]
    assert without == []
