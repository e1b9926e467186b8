"""Checks and preparations of ``fit`` before it learns, and its display of progress."""

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from atomlearn import interrupts
from atomlearn.errors import InvalidParameter, nearest
from atomlearn.markup import in_notebook, table
from atomlearn.tables.encoder import LiteralEncoder, check_count, is_whole
from atomlearn.tables.images import Map, distortions, translations
from atomlearn.tables.rules import (
    MonotoneStatement,
    Statement,
    monotone_statements,
    parse_rules,
)
from atomlearn.tables.statements import RuleConflict, conditions_of
from atomlearn.tables.training_rows import RowConflict, TrainingRows, codes_of
from atomlearn.tables.validation import column_names
from atomlearn.training.data import Examples, folds_for
from atomlearn.training.parts import Part, Parts
from atomlearn.training.settings import Current, Hooks, Plan, Round, Settings, ignore
from atomlearn.training.strict import State
from atomlearn.typing import Floats, Integers

if TYPE_CHECKING:
    from rich.console import Console

    from atomlearn.classifier.estimator import AlgebraicClassifier

T = TypeVar("T")

EVIDENCE = ("auto", "strict", "weighted")


def check_common_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise :class:`~atomlearn.errors.InvalidParameter` for a parameter of any estimator."""
    for name in ("max_epochs", "max_classes", "max_cuts"):
        if parameters.get(name) is not None:
            check_count(name, parameters[name])
    limit = parameters["time_limit"]
    if limit is not None and not (_is_finite(limit) and limit > 0):
        raise InvalidParameter(f"time_limit must be positive and finite, in seconds: {limit!r}")
    n_jobs = parameters["n_jobs"]
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise InvalidParameter(f"n_jobs must be a whole number other than 0, not {n_jobs!r}")
    if not isinstance(parameters["verbose"], Integral):
        raise InvalidParameter(f"verbose must be 0 or 1, not {parameters['verbose']!r}")
    _check_seed(parameters["random_state"])
    _check_image_shape(parameters["image_shape"])
    rules = parameters["rules"]
    if rules is not None and not isinstance(rules, list | tuple):
        raise InvalidParameter(f"rules must be a list of rules, not {rules!r}")
    maps = parameters["symmetries"]
    if maps is not None and not hasattr(maps, "__iter__"):
        raise InvalidParameter("symmetries must be a list of maps of columns")


def check_coverage(coverage: Any) -> None:
    """Raise an error unless this is a probability other than 0 and 1."""
    if not (_is_finite(coverage) and 0 < coverage < 1):
        raise InvalidParameter(f"coverage must be between 0 and 1, such as 0.9, not {coverage!r}")


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise :class:`~atomlearn.errors.InvalidParameter` for the first invalid parameter."""
    check_common_parameters(parameters)
    evidence = parameters["evidence"]
    if evidence not in EVIDENCE:
        known, hint = ", ".join(map(repr, EVIDENCE)), nearest(evidence, EVIDENCE)
        raise InvalidParameter(f"evidence must be one of {known}, not {evidence!r}{hint}")
    _check_class_weight(parameters["class_weight"])
    _check_ordered(parameters["ordered"])


def _is_finite(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def _check_seed(seed: Any) -> None:
    if isinstance(seed, str | float) or (isinstance(seed, Integral) and seed < 0):
        raise InvalidParameter(f"random_state must be a whole number from 0 on, not {seed!r}")


def _check_image_shape(shape: Any) -> None:
    if shape is None:
        return
    sides = tuple(shape) if isinstance(shape, list | tuple) else ()
    if len(sides) != 2 or not all(is_whole(side) and side > 0 for side in sides):
        raise InvalidParameter(f"image_shape must be (height, width), such as (28, 28): {shape!r}")


def _check_class_weight(weights: Any) -> None:
    if weights is None or (isinstance(weights, str) and weights == "balanced"):
        return
    if not isinstance(weights, Mapping):
        raise InvalidParameter(f"class_weight must be a dict, 'balanced' or None, not {weights!r}")
    for label, weight in weights.items():
        if not _is_finite(weight) or weight < 0:
            raise InvalidParameter(
                f"class_weight: the weight of {label!r} must be a number from 0 on, not negative, "
                f"infinite or nan: {weight!r}"
            )


def _check_ordered(ordered: Any) -> None:
    if isinstance(ordered, bool) or (isinstance(ordered, str) and ordered == "auto"):
        return
    labels = [] if isinstance(ordered, str) or not hasattr(ordered, "__iter__") else list(ordered)
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InvalidParameter(
            "ordered must be True, False, 'auto', or a list of all labels from the lowest to the "
            f"highest, not {ordered!r}"
        )


LAST = 10
"""Number of the last epochs that a notebook shows."""


class History(list[dict[str, Any]]):
    """A list with a dictionary for each epoch of each class.

    >>> History([{"class": "a", "epoch": 1, "estimated_error": 0.25}])
    <History: 1 epoch of 1 class, estimated error 25.0%>
    """

    def __repr__(self) -> str:
        n, classes = len(self), len({str(one["class"]) for one in self})
        errors = [one["estimated_error"] for one in self if one["estimated_error"] is not None]
        told = f", estimated error {errors[-1]:.1%}" if errors else ""
        return (
            f"<History: {n:,} epoch{'s' * (n != 1)} of {classes:,} "
            f"class{'es' * (classes != 1)}{told}>"
        )

    def _repr_html_(self) -> str:
        if not self:
            return in_notebook("<p>no epoch yet</p>")
        head = list(self[0])
        rows = [[_shown(one[name]) for name in head] for one in self[-LAST:]]
        more = f"<p>the last of {len(self):,} epochs:</p>" if len(self) > LAST else ""
        return in_notebook(more + table(head, rows, numbers=range(1, len(head))))


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


@dataclass
class TrainingData:
    """The encoded parts of a training table, with its classes, rules and conflicts."""

    classes: npt.NDArray[Any]
    encoder: LiteralEncoder
    parts: Parts
    home: Part
    """The rows on which models are evaluated."""
    totals: Integers
    """Number of distinct rows of each class."""
    class_weights: Floats
    conflicts: list[RowConflict]
    rules: list[Statement] = field(default_factory=list)
    rule_conflicts: list[RuleConflict] = field(default_factory=list)
    decided: float = 0.0
    """Weight of the rows that rules classify correctly, relative to that of the others."""
    contradicted: float = 0.0
    """Weight of the rows whose labels contradict a rule, relative to that of the others."""
    left: Integers | None = None
    """Number of rows of each class that contradict no rule, if there are rules."""
    met: Integers | None = None
    """Number of rows that meet the conditions of each rule."""
    n_rows: int = 0
    """Number of rows of the table."""
    state: State | None = None
    """A checkpoint to continue from."""
    on_exchange: Callable[[State], object] = ignore
    """A function that writes the next checkpoints."""
    share_examples: bool = True


def fit_encoder(
    classifier: "AlgebraicClassifier",
    table: Any,
    targets: npt.NDArray[Any],
    weights: Floats,
    declared: Sequence[str | None] | None,
    classes: npt.NDArray[Any],
) -> tuple[LiteralEncoder, list[Statement]]:
    """Choose the literals of a validated table, and read the classifier's rules about them."""
    names = column_names(classifier)
    rules: list[Statement] = []
    if classifier.rules:
        rules = parse_rules(
            classifier.rules, names, classes.tolist(), doubt=True, chain=classifier.names_of_chain()
        )
    if classifier.monotonic_cst is not None:
        rules += monotone_statements(
            classifier.monotonic_cst, names, classes.tolist(), classifier.ordered_
        )
    codes = codes_of(targets, classes)
    return fitted_encoder(classifier, table, weights, declared, codes, rules), rules


def fitted_encoder(
    estimator: Any,
    table: Any,
    weights: Floats,
    declared: Sequence[str | None] | None,
    classes: Integers | Floats,
    rules: Sequence[Statement],
) -> LiteralEncoder:
    """Choose the literals of a validated table, with those that the rules need."""
    return LiteralEncoder(max_cuts=estimator.max_cuts).fit_table(
        table,
        weights,
        estimator,
        declared,
        classes,
        are_pixels=estimator.image_shape is not None or estimator.symmetries is not None,
        conditions=[
            *(conditions_of(rules) if rules else ()),
            *getattr(estimator, "card_conditions_", ()),
        ],
        monotone=[one.column for one in rules if isinstance(one, MonotoneStatement)],
    )


EncodeRows = Callable[[TrainingRows, Any], Examples]
"""Makes examples of rows, with these symmetries."""
MOST_TRIED = 2000
"""Maximum number of images on which moving them is tried."""
WORTH_MOVING = 0.97
"""Images are moved if that lowers the held-out loss to this share of what it was, or less: learning
from moved images takes longer."""
IMAGES_MADE, DISTORTIONS, FEWEST_DISTORTIONS = 40_000, 60, 20
"""Maximum number of images that distortions make of those that are given, and bounds of the number
of distortions. If there would be fewer, none are tried. All images that are given are tried on:
what helps with a part of them may do harm with all."""
TRIED = 8
"""Number of distortions that are tried, which takes less time than all."""


def moves_to_try(estimator: Any, n_columns: int, n_rows: int) -> list[Map] | None:
    """Return the maps that are tried, if there are images and nothing else is asked for.

    Translations come first, and then distortions, if there are few images. Not with a time limit,
    or where strict atoms alone decide.
    """
    given, shape = estimator.symmetries, estimator.image_shape
    if given is not None or shape is None or shape[0] * shape[1] != n_columns:
        return None
    if getattr(estimator, "evidence", "weighted") == "strict" or estimator.time_limit:
        return None
    n = min(DISTORTIONS, IMAGES_MADE // max(1, n_rows))
    return translations(shape) + (distortions(shape, n) if n >= FEWEST_DISTORTIONS else [])


def helpful_symmetries(
    estimator: Any, rows: TrainingRows, loss: Callable[[Part], float], encode: EncodeRows
) -> Any:
    """Return the symmetries that were given; without any, moves of images if they help.

    Weighted atoms are learned from some of the images, as they are, translated, and distorted if
    there are few; the ``loss`` on held-out images decides.
    """
    moves = moves_to_try(estimator, rows.table.shape[1], len(rows.targets))
    if moves is None:
        return estimator.symmetries
    order = np.random.default_rng(0).permutation(len(rows.targets))
    some = rows.some(np.sort(order[:MOST_TRIED]))

    def loss_with(maps: Any) -> float:
        examples, rng = encode(some, maps), np.random.default_rng(0)
        n_folds = folds_for(len(examples), examples.n_classes)
        return loss(Part.of(examples, n_folds, rng))

    n = len(translations(estimator.image_shape))
    candidates = [(moves[:n], moves[:n])]
    if len(moves) > n:
        candidates.append((moves[: n + TRIED], moves))
    best, lowest = None, loss_with(None)
    for tried, every in candidates:
        found = loss_with(tried)
        if found <= WORTH_MOVING * lowest:
            best, lowest = every, found
    return best


class PartsSource(Protocol):
    """A table in parts, wherever these are."""

    def whole(self, estimator: Any, in_one: Callable[..., T]) -> T:
        """Survey all parts, and return what ``in_one`` makes of them, as :meth:`prepare` has it.

        It is an error if the packed rows do not fit into memory.
        """

    def prepare(
        self, classifier: "AlgebraicClassifier", in_one: Callable[..., TrainingData]
    ) -> TrainingData:
        """Survey all parts and encode them where they are, with the classifier's parameters.

        ``in_one(table, targets, declared, y)`` makes one part of a table whose packed rows fit into
        memory; ``y`` is a target without rows, which has its name and the order of its categories.
        """


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """An empty mixin in place of scikit-learn's."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


__all__ = ["CallbackSupportMixin", "callback_tasks", "show_progress", "with_callbacks"]


_FOLLOWED: ContextVar[Callable[[Plan], Hooks] | None] = ContextVar("followed", default=None)
"""Makes the hooks of a page that shows the progress of fits in this context."""


@contextmanager
def followed(make_hooks: Callable[[Plan], Hooks]) -> Iterator[None]:
    """Show the progress of fits in this block by hooks that are made from their plan."""
    token = _FOLLOWED.set(make_hooks)
    try:
        yield
    finally:
        _FOLLOWED.reset(token)


@contextmanager
def show_progress(
    verbose: int, settings: Settings, plan: Plan, console: "Console | None" = None
) -> Iterator[Hooks]:
    """Show the number of epochs and the estimated error on stderr, so that output stays clean.

    Within :func:`followed`, a page shows them instead.
    """
    make_hooks = _FOLLOWED.get()
    if make_hooks is not None:
        yield make_hooks(plan)
        return
    if not verbose:
        yield Hooks()
        return
    from rich.console import Console

    if console is None:
        # While the bar is shown, Rich puts a stream of its own before stderr, and would write to
        # the next one: on the command line that is the one that escapes what Rich writes.
        console = Console(stderr=True, file=getattr(sys.stderr, "rich_proxied_file", None))
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

    ``fitted`` makes the attributes of an estimator that stopped there; ``data`` is passed on to the
    callbacks (``X``, ``y``, ``metadata``).
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
