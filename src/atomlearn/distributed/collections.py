"""Dask collections as lists of delayed parts: blocks of rows with their labels."""

from typing import Any, NamedTuple

from atomlearn.errors import MissingExtra, UnfitParts, suggest


class DelayedPart(NamedTuple):
    """Some rows and their labels, to be had where they are needed."""

    X: Any
    y: Any


def need_dask() -> None:
    """Say which extra is missing, if it is."""
    try:
        import dask.array
        import dask.dataframe  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "data on several machines needs Dask: pip install 'atomlearn[dask]'"
        ) from None


def delayed_parts(X: Any, y: Any) -> list[DelayedPart]:
    """The partitions of a data frame, or the blocks of rows of an array, with their labels.

    >>> import dask.array
    >>> X, y = dask.array.zeros((6, 2), chunks=(3, 1)), dask.array.zeros(6, chunks=3)
    >>> [part.X.compute().shape for part in delayed_parts(X, y)]
    [(3, 2), (3, 2)]
    """
    need_dask()
    if isinstance(y, str):
        X, y = _without_target(X, y)
    rows, labels = _rows(X), _labels(y)
    if len(rows) != len(labels):
        raise UnfitParts(
            f"X has {len(rows)} partitions and y has {len(labels)}: partition both alike"
        )
    return [DelayedPart(*both) for both in zip(rows, labels, strict=True)]


def _rows(X: Any) -> list[Any]:
    import dask.array as da
    import dask.dataframe as dd

    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise UnfitParts(f"X must have rows and columns; it has {X.ndim} dimension(s)")
        return list(X.rechunk({1: -1}).to_delayed().ravel())
    if isinstance(X, dd.DataFrame):
        return list(X.to_delayed())
    raise UnfitParts(
        f"X must be a Dask array or data frame, not a {type(X).__name__} "
        "(what fits in memory is learned by AlgebraicClassifier().fit)"
    )


def _labels(y: Any) -> list[Any]:
    import dask.array as da
    import dask.dataframe as dd

    if isinstance(y, da.Array):
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise UnfitParts(f"y must be one column of labels; it has {y.ndim} dimensions")
        return list(y.to_delayed().ravel())
    if isinstance(y, dd.DataFrame) and len(y.columns) == 1:
        y = y[y.columns[0]]
    if isinstance(y, dd.Series):
        return list(y.to_delayed())
    raise UnfitParts(
        f"y must be a Dask array or series, or the name of a column of X, not a {type(y).__name__}"
    )


def _without_target(X: Any, target: str) -> tuple[Any, Any]:
    columns = list(getattr(X, "columns", []))
    if target not in columns:
        raise UnfitParts(f"X has no column {target!r}{suggest(target, columns)}")
    return X[[name for name in columns if name != target]], X[target]
