"""Progress of a fit: a bar on a terminal, lines elsewhere, and scikit-learn's callbacks."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from atomlearn import interrupts
from atomlearn.training.clock import Settings
from atomlearn.training.hooks import Current, Hooks, Plan, Round

if TYPE_CHECKING:
    from rich.console import Console

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "callback_tasks", "show_progress", "with_callbacks"]


@contextmanager
def show_progress(
    verbose: int, settings: Settings, plan: Plan, console: "Console | None" = None
) -> Iterator[Hooks]:
    """Show epochs done and the estimated error; on stderr, so that output stays clean."""
    if not verbose:
        yield Hooks()
        return
    from rich.console import Console

    console = Console(stderr=True) if console is None else console
    with _bar(console, settings, plan) if console.is_terminal else _lines(plan) as hooks:
        yield hooks


@contextmanager
def _bar(console: "Console", settings: Settings, plan: Plan) -> Iterator[Hooks]:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    start = time.monotonic()
    columns = (
        TextColumn("learning"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with (
        interrupts.cleaned_up(lambda: console.show_cursor(True)),
        Progress(*columns, console=console) as bar,
    ):
        task = bar.add_task("", total=1.0, state="")
        epochs = 0

        def on_epoch() -> None:
            nonlocal epochs
            epochs += 1
            share = epochs / plan.epochs
            if settings.time_limit is not None:
                share = max(share, (time.monotonic() - start) / settings.time_limit)
            bar.update(task, completed=min(share, 1.0))

        def on_round(done: Round, current: Current) -> None:
            bar.update(task, state=_state(done))

        yield Hooks(on_round, on_epoch)
        bar.update(task, completed=1.0)


@contextmanager
def _lines(plan: Plan) -> Iterator[Hooks]:
    """Print one line a round, for log files and notebooks."""
    rounds = 0

    def on_round(done: Round, current: Current) -> None:
        nonlocal rounds
        rounds += 1
        told = f"round {rounds} of at most {plan.rounds}: {_state(done)}, {done.seconds:.1f} s"
        print(f"learning: {told}", file=sys.stderr, flush=True)

    yield Hooks(on_round)


def _state(done: Round) -> str:
    error = "" if done.error is None else f", error about {done.error:.2%}"
    return f"epoch {done.epochs}{error}"


@contextmanager
def callback_tasks(
    estimator: Any,
    plan: Plan,
    hooks: Hooks,
    fitted: Callable[[Current], dict[str, Any]],
    **data: Any,
) -> Iterator[Hooks]:
    """Add scikit-learn's callbacks to the hooks: one task a round, all within the task of fit.

    ``fitted`` makes the attributes of an estimator that stopped there; ``data`` is what the
    callbacks may see (``X``, ``y``, ``metadata``).
    """
    if not hasattr(estimator, "_init_callback_context") or not hasattr(estimator, "_skl_callbacks"):
        yield hooks
        return
    context = estimator._init_callback_context(max_subtasks=plan.rounds)
    context.call_on_fit_task_begin(estimator=estimator, **data)
    task: Any = None

    def begin() -> None:
        nonlocal task
        task = context.subcontext(task_name="round")
        task.call_on_fit_task_begin(estimator=estimator, **data)

    def on_round(done: Round, current: Current) -> bool:
        nonlocal task
        hooks.on_round(done, current)
        if task is None:
            begin()
        stop = task.call_on_fit_task_end(
            estimator=estimator, reconstruction_attributes=lambda: fitted(current), **data
        )
        task = None
        return bool(stop)

    yield Hooks(on_round, hooks.on_epoch, hooks.on_check)
    context.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=lambda: {}, **data)
