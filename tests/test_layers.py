"""Imports point inward: a package uses those before it in the list, and none after it."""

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src"

LAYERS = [
    "errors", "interrupts", "typing",
    "markup",  # pieces of HTML, for displays in notebooks
    "sets",  # bits, index lists, random draws
    "files",  # atomic writing, the container, the registry of kinds
    "datasets",
    "engine",  # the paper's algorithms, on rows of bits
    "logic",  # formulas and definitions
    "algebra",  # terms, relations, models: exact, and learned by the engine
    "training",  # several classes, held-out rows
    "views",  # pictures and pages
    "tables",  # rows and columns become literals
    "export",  # classifiers as programs in other languages
    "classifier",
    "regressor",  # uses what the classifier shares
    "problems",
    "distributed",
    "explorer",  # models in the browser
    "atomlearn_paper",  # the experiments of the paper, a package of its own
    "cli",
]  # fmt: skip


def imports_of(path: Path) -> set[str]:
    """Modules of ours that a file imports, also inside functions, but for type checkers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {alias.name for alias in node.names}
            found |= {f"{node.module}.{name}" for name in names}
    return {name for name in found if name.split(".")[0] in ("atomlearn", "atomlearn_paper")}


def layer_of(module: str) -> str:
    package, _, rest = module.partition(".")
    return package if package == "atomlearn_paper" else rest.split(".")[0]


@pytest.mark.parametrize("package", LAYERS)
def test_imports_point_inward(package):
    order = {name: i for i, name in enumerate(LAYERS)}
    root = SOURCES / ("" if package == "atomlearn_paper" else "atomlearn") / package
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root.with_suffix(".py")]
    assert files
    for file in files:
        module = ".".join(file.relative_to(SOURCES).with_suffix("").parts)
        for imported in imports_of(file):
            layer = layer_of(imported)
            if layer not in order:
                continue  # the package itself: its version, names that load when first used
            assert order[layer] <= order[package], f"{module} imports {imported}"


def test_every_package_has_its_layer():
    ours = (SOURCES / "atomlearn").iterdir()
    inside = {one.stem for one in ours if not one.name.startswith("_") and one.name != "py.typed"}
    assert inside == set(LAYERS) - {"atomlearn_paper"}
