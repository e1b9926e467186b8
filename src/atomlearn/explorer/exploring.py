"""The page of a model from Python."""

from pathlib import Path
from typing import Any

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.errors import InvalidParameter
from atomlearn.explorer.algebras import algebra_data, model_data
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.explorer.page import explorer_page, write_page


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
    model
        A fitted :class:`~atomlearn.AlgebraicClassifier`, a :class:`~atomlearn.Model`, or an
        :class:`~atomlearn.Algebra`, of which a model is learned for the page.
    path
        The HTML file to write.
    X, y
        Rows and their labels to show on the page of a classifier; by default the sample of training
        rows that it keeps, of which only the literals are known.
    title
        The title of the page; by default the name of the file.
    random_state
        Random seed of the model of an algebra.

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
    """What the page of a model shows, as plain values."""
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
