"""A progress bar for a fit: epochs done, the current estimate of the error, the time."""

from collections.abc import Iterator
from contextlib import contextmanager

from atomlearn.learning.classes import OnRound, Round, Settings


@contextmanager
def show_progress(verbose: int, settings: Settings, n_classes: int) -> Iterator[OnRound | None]:
    """A hook for :func:`~atomlearn.learning.classes.learn_classes`, if progress is wanted."""
    if not verbose:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as bar:
        task = bar.add_task(f"learning {n_classes} classes", total=None, state="")

        def on_round(done: Round) -> None:
            error = "" if done.error is None else f", error about {done.error:.2%}"
            bar.update(task, state=f"epoch {done.epochs}{error}")

        yield on_round
        bar.update(task, total=1, completed=1)
