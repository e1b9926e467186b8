"""The JavaScript modules of a page as one script.

A page that is opened from disk cannot import modules from other files. They are therefore joined in
the order of their imports; the ``import`` lines and the word ``export`` fall away, so that all
modules share one scope and their top-level names must differ, which is checked.
"""

import re
from functools import cache
from importlib.resources import files

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
DECLARED = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE
)


@cache
def script(main: str) -> str:
    """The module of this name and all that it imports, as one script."""
    joined = "".join(_without_imports(name) for name in _ordered(main))
    names = DECLARED.findall(joined)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"modules declare the same name twice: {', '.join(sorted(twice))}")
    return joined


def sheet() -> str:
    """What the explorer adds to the style of all pages."""
    return files("atomlearn.explorer").joinpath("explorer.css").read_text(encoding="utf-8")


def _ordered(main: str) -> list[str]:
    """Modules, each after those it imports."""
    order: list[str] = []

    def visit(name: str) -> None:
        for imported in IMPORT.findall(_source(name)):
            if imported not in order:
                visit(imported)
        if name not in order:
            order.append(name)

    visit(main)
    return order


def _without_imports(name: str) -> str:
    return re.sub(r"^export ", "", IMPORT.sub("", _source(name)), flags=re.MULTILINE)


def _source(name: str) -> str:
    return files("atomlearn.explorer").joinpath("js", f"{name}.js").read_text(encoding="utf-8")
