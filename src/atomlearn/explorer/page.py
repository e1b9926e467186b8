"""The page of a model: data, modules and style in one file that needs no server or network.

A page that is opened from disk cannot import modules from other files. The JavaScript modules are
therefore joined in the order of their imports; the ``import`` lines and the word ``export`` fall
away, so that all modules share one scope and their top-level names must differ, which is checked.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import atomlearn
from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.errors import InvalidParameter
from atomlearn.explorer.boards import algebra_data, model_data
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.files.writing import replacing
from atomlearn.markup import escape
from atomlearn.views.page import document

BODY = """<header class="top"><h1>{title}</h1></header>
<main id="explorer"><p class="muted" id="loading">Loading the model …</p>
<noscript><p>This page computes predictions in the browser: please allow JavaScript.</p></noscript>
</main>
<footer class="muted small">Made with atomlearn {version}. {sends}</footer>"""
STILL = "This page is one file and sends nothing anywhere."
SERVED = "This page talks to the program that serves it, on this machine, and to nobody else."
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
DECLARED = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE
)


def explore(
    model: Any,
    path: str | Path,
    *,
    X: Any = None,
    y: Any = None,
    title: str | None = None,
    random_state: int = 0,
) -> None:
    """Write a page on which a model can be explored: one file that needs no server or network.

    Parameters
    ----------
    model : AlgebraicClassifier, Model or Algebra
        A fitted classifier, a model, or an algebra, of which a model is learned for the page.
    path : str or Path
        The HTML file to write.
    X : array-like or data frame, default=None
        Rows to show on the page of a classifier; by default the sample of training rows that it
        keeps, of which only the literals are known.
    y : array-like, default=None
        Labels of the rows.
    title : str, default=None
        The title of the page; by default the name of the file.
    random_state : int, default=0
        Random seed of the model of an algebra.

    Examples
    --------
    >>> import tempfile
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> path = Path(tempfile.mkdtemp()) / "page.html"
    >>> explore(alg, path)
    >>> path.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    path = Path(path)
    write_page(explorer_page(title or path.stem, page_data(model, X, y, random_state)), path)


def page_data(model: Any, X: Any = None, y: Any = None, random_state: int = 0) -> dict[str, Any]:
    """Return the content of the page of a model, as plain values."""
    if isinstance(model, Algebra | Model):
        if X is not None or y is not None:
            raise InvalidParameter("X and y are for the page of a classifier")
        if isinstance(model, Algebra):
            return algebra_data(model, random_state)
        return model_data(model)
    if not hasattr(model, "learned_"):
        raise InvalidParameter(
            f"a fitted classifier, a model or an algebra can be explored, not {model!r}"
        )
    if (X is None) != (y is None):
        raise InvalidParameter("rows to show need their labels: give both X and y")
    if X is None:
        return classifier_data(model)
    return classifier_data(model, X, y)


def explorer_page(title: str, data: dict[str, Any], connect: str = "'none'") -> str:
    """Return the HTML of a page; ``data["kind"]`` selects the modules that show it."""
    sends = STILL if connect == "'none'" else SERVED
    body = BODY.format(title=escape(title), version=atomlearn.__version__, sends=sends)
    shown = {**data, "title": title}
    return document(
        title, body, styles=[sheet()], scripts=[script("main")], data=shown, connect=connect
    )


def write_page(html: str, path: Path) -> None:
    """Write a page to a file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(html.encode())


@cache
def script(main: str) -> str:
    """Return the module of this name and all modules that it imports, as one script."""
    joined = "".join(_without_imports(name) for name in _ordered(main))
    names = DECLARED.findall(joined)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"modules declare the same name twice: {', '.join(sorted(twice))}")
    return joined


def sheet() -> str:
    """Return the style of the explorer in addition to that of all pages."""
    return files("atomlearn.explorer").joinpath("explorer.css").read_text(encoding="utf-8")


def _ordered(main: str) -> list[str]:
    """Return the modules in an order in which each follows those it imports."""
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
