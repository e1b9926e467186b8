"""Fit an estimator to parts of a table: ``fit`` for Dask collections, ``fit_batches`` for batches.

A checkpoint is the state of :func:`atomlearn.distributed.fit` between two exchanges.

The packed rows of all parts are joined, in memory or, if they are too many, in files that are
mapped into memory, so that one machine can learn from more data than its memory. A row takes a bit
for each literal, which is far less than it took in the table.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier

from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.fitting import TrainingData, fit_encoder, moves_to_try
from atomlearn.distributed.parts import (
    PartSummary,
    Recoding,
    Survey,
    all_classes,
    check_classes,
    check_columns,
    check_kinds,
    class_counts,
    encode,
    joined_table,
    stacked,
    survey,
)
from atomlearn.distributed.running import DaskRows, connected, delayed_parts
from atomlearn.engine.pool import add_pools, pools_in
from atomlearn.engine.state import Report
from atomlearn.errors import CheckpointMismatch, InvalidParameter, UnfitParts
from atomlearn.files.container import Container, check_replaceable, private_folder
from atomlearn.files.load import MOST_EPOCHS, Members, Value, reading
from atomlearn.sets.memory import in_files
from atomlearn.sets.rows import Rows, width
from atomlearn.tables.batches import chained
from atomlearn.tables.encoder import LiteralEncoder, check_count
from atomlearn.tables.images import Map, check_maps, sorted_out
from atomlearn.tables.joined import Distinct, TooManyRows
from atomlearn.tables.rules import Statement
from atomlearn.tables.statements import RuleConflict, compile_rules
from atomlearn.tables.training_rows import categories_of, chain_of
from atomlearn.tables.validation import check_labels, declared_kinds, read_table
from atomlearn.training.data import folds_for
from atomlearn.training.parts import joined_parts
from atomlearn.training.settings import Round
from atomlearn.training.strict import State
from atomlearn.typing import Floats, Integers

KIND, VERSION = "exchange", 2

T = TypeVar("T")


class Checkpoint:
    """A checkpoint file for one data set and its partition, or none."""

    def __init__(
        self, path: str | Path | None, data: TrainingData, classifier: AlgebraicClassifier
    ) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None:
            check_replaceable(self.path)  # now, and not after the first exchange
        self.n_constants, self.n_classes = len(data.encoder.literals_) + 1, len(data.classes)
        self.n_folds = data.home.dealt.n_folds
        self.max_epochs = classifier.max_epochs
        maps = [] if classifier.symmetries is None else classifier.symmetries
        # All that decides what is learned, but for how long.
        self.about = {
            "seed": str(classifier.seed_),  # first: it also decides on the folds
            "symmetries": [np.asarray(one).tolist() for one in maps],
            "class_weight": repr(classifier.class_weight),
            "rules": [str(rule) for rule in data.rules],
            "data": [asdict(source) for source in data.parts.sources],
            "literals": [str(literal) for literal in data.encoder.literals_],
            "classes": [repr(label) for label in data.classes.tolist()],
            "evidence": classifier.evidence,
            "share_examples": data.share_examples,
        }

    def read(self) -> State | None:
        """Return the content of the file, if it exists.

        Raises an error if it is of other data, or of a run with a larger ``max_epochs``; a run with
        a smaller one can be continued.
        """
        if self.path is None or not self.path.exists():
            return None
        file = Container.read(self.path)
        file.expect(KIND, VERSION)
        with reading(file) as members:
            return self._state(members)

    def _state(self, file: Members) -> State:
        state = file.json("state.json")
        for what, ours in self.about.items():
            saved = state.given(what)
            if saved is None or saved.raw != _digest(ours):
                raise CheckpointMismatch(
                    f"{self.path} is a checkpoint with other {what}: remove it to begin anew, or "
                    "name another file (nothing has been changed)"
                )
        longest = state.given("max_epochs")
        self._check_length(None if longest is None else longest.integer(high=MOST_EPOCHS))
        n = self.n_folds * self.n_classes
        pools, refuting = pools_in(file, self.n_constants, n), self._refuting(file, n)
        epoch = state["epoch"].integer(high=MOST_EPOCHS)
        return State(
            _by_fold(pools, self.n_classes),
            _by_fold(refuting, self.n_classes),
            np.full((self.n_folds, self.n_classes), epoch),
            epoch,
            _loss(state.given("first")),
            state["adds_nothing"].truth(),
            state["refuted"].integer(),
            [_round(one, self.n_classes) for one in file.json("rounds.json").items()],
        )

    def _check_length(self, theirs: int | None) -> None:
        ours = math.inf if self.max_epochs is None else self.max_epochs
        if ours < (math.inf if theirs is None else theirs):
            raise CheckpointMismatch(
                f"{self.path} is a checkpoint of a run with max_epochs={theirs}, which "
                f"max_epochs={self.max_epochs} would cut short: ask for as many, remove it to "
                "begin anew, or name another file (nothing has been changed)"
            )

    def write(self, state: State) -> None:
        """Write the current state, atomically."""
        if self.path is None:
            return
        pools = [pool for ours in state.pools for pool in ours]
        refuting = [rows for ours in state.refuting for rows in ours]
        file = Container(KIND, VERSION, {"epoch": state.epoch, "atoms": sum(map(len, pools))})
        file.add_json(
            "state.json",
            {what: _digest(ours) for what, ours in self.about.items()}
            | {
                "epoch": state.epoch,
                "first": _finite(state.first),
                "adds_nothing": state.adds_nothing,
                "refuted": state.n_refuted,
                "max_epochs": self.max_epochs,
            },
        )
        file.add_json("rounds.json", [asdict(one) for one in state.done])
        add_pools(file, pools)
        file.add_array("refuting.npy", np.concatenate(refuting))
        file.add_array("refuting_sizes.npy", np.array([len(rows) for rows in refuting]))
        file.write(self.path)

    def _refuting(self, file: Members, n: int) -> list[Rows]:
        rows = file.rows("refuting.npy", self.n_constants)
        sizes = file.integers("refuting_sizes.npy", n, high=len(rows))
        file.need(sizes.sum() == len(rows), "it does not fit refuting.npy")
        return np.split(rows, np.cumsum(sizes)[:-1])


def _by_fold(values: list[T], n_classes: int) -> list[list[T]]:
    return [values[i : i + n_classes] for i in range(0, len(values), n_classes)]


def _finite(loss: float) -> float | None:
    return None if math.isinf(loss) else loss


def _loss(saved: Value | None) -> float:
    return math.inf if saved is None else saved.number()


def _digest(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=16).hexdigest()


def _round(saved: Value, n_classes: int) -> Round:
    error, loss, alone = (saved.given(name) for name in ("error", "loss", "alone"))
    return Round(
        saved["epochs"].integer(high=MOST_EPOCHS),
        saved["seconds"].number(low=0),
        None if error is None else error.number(),
        None if loss is None else loss.number(),
        [[_report(one) for one in ours.items()] for ours in saved["reports"].items(n_classes)],
        None if alone is None else alone.number(),
    )


def _report(saved: Value) -> Report:
    report = Report()
    for one in fields(Report):
        if one.type is int:
            setattr(report, one.name, saved[one.name].integer())
    report.seconds = {name: one.number(low=0) for name, one in saved["seconds"].fields().items()}
    report.words = {name: one.integer() for name, one in saved["words"].fields().items()}
    return report


MOST_JOINED = 1 << 35
"""Maximum number of bytes of the packed rows of all parts, with all literals of the columns, that
are joined and learned from as a whole by default: in memory, or in a file that is mapped into it.
With more, each part learns by itself."""
TOO_LARGE = (
    "{what} can be learned from all rows together only, and they take more than {most} bytes "
    "packed, or must not leave their partition: raise max_bytes, or use fewer rows, max_cuts=5, or "
    "fewer columns"
)
HOME_ROWS, HOME_BYTES = 1 << 18, 1 << 27
"""Maximum number of rows, and of bytes, that are sent to the client: models are evaluated on these
rows, and weighted atoms are learned from them."""


class RawParts(Protocol):
    """Rows and labels in parts, wherever they are."""

    def survey(self, seed: int, as_whole: bool, are_numbers: bool) -> list[Survey]:
        """Summarise each part; what is large stays where it is, and can be asked for."""

    def ask(self, function: Callable[[Survey], Any]) -> list[Any]:
        """Apply a function to the survey of each part."""

    def encode(self, encoder: LiteralEncoder, moved: Sequence[Map]) -> Iterator[Any]:
        """Yield the packed rows of the parts that have some, also moved by each map."""


def fit(
    X: Any,
    y: Any,
    *,
    client: Any = None,
    checkpoint: str | Path | None = None,
    allow_missing: bool = False,
    share_examples: bool = True,
    max_bytes: int = MOST_JOINED,
    estimator: Any = None,
    **parameters: Any,
) -> Any:
    """Learn a classifier or a regressor from a Dask array or data frame.

    Workers read and encode their partitions. If the packed rows of all take no more than
    ``max_bytes``, they are sent to the client, a few partitions at a time, and the model is the one
    that ``fit`` gives in memory; what is larger than memory should hold is kept in files, which are
    removed at the end. Otherwise each partition learns by itself, where it is; after every few
    epochs the pins that partitions found are checked against the examples of all others, and
    shared. Then the model depends on the partitions and the seed, not on the number of workers, nor
    on whether some were lost. Numbers and ordered classes are always learned from all rows
    together; more of them is an error.

    Parameters
    ----------
    X : Dask array or data frame
        The rows. Partitions of large tables should be alike: shuffle sorted data.
    y : Dask array, Dask series or str
        The labels or numbers, partitioned like ``X``, or the name of a column of ``X``.
    client : Dask client or str, default=None
        A client or the address of a scheduler; by default Dask's own default, which is the client
        made last, or else threads of this process.
    checkpoint : str or Path, default=None
        A file to which the strict atoms are written after every exchange, or after every round if
        all partitions are learned from as a whole. If it exists, learning continues from it, and
        gives the same model as without an interruption. The data and everything that decides what
        is learned must be the same; ``max_epochs`` may be larger.
    allow_missing : bool, default=False
        Whether a partition may have no row of some class, if partitions learn by themselves.
    share_examples : bool, default=True
        Whether packed rows may be sent to the client or, if these are too many, at most 1,000 rows
        of each class that contradict the pins of other partitions to all of them. Set it to false
        if rows must not leave their partition. A bounded number of rows, to choose cuts, calibrate
        and explain, is sent to the client in any case.
    max_bytes : int, default=32 GiB
        Largest size of the packed rows, a bit for each literal, up to which all partitions are
        learned from as a whole. On disk they take up to five times as much, and in memory there are
        a few numbers for each row and class besides.
    estimator : AlgebraicClassifier or AlgebraicRegressor, default=None
        The estimator to fit; by default a new classifier.
    **parameters : object
        Parameters of the estimator, such as ``random_state``, ``max_epochs`` and ``verbose``.

    Returns
    -------
    AlgebraicClassifier or AlgebraicRegressor
        The fitted estimator.

    Examples
    --------
    >>> from dask.array import from_array
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> order = np.random.default_rng(0).permutation(len(y))
    >>> X, y = from_array(X[order], chunks=75), from_array(y[order], chunks=75)
    >>> clf = fit(X, y, random_state=0, max_epochs=20)
    >>> bool(clf.score(X.compute(), y.compute()) > 0.9)
    True
    """
    parts = delayed_parts(X, y)
    with connected(client) as scheduler, private_folder() as place, in_files(place):
        raw = DaskRows(parts, scheduler)
        source = SurveyedParts(raw, checkpoint, allow_missing, share_examples, max_bytes)
        return with_parameters(estimator, parameters).fit_parts(source)


def with_parameters(estimator: Any, parameters: dict[str, Any]) -> Any:
    """Return the estimator, or a new classifier, with these parameters."""
    estimator = AlgebraicClassifier() if estimator is None else estimator
    return estimator.set_params(**parameters)


@dataclass
class SurveyedParts:
    """Parts that are summarised first, and then all encoded in the same way."""

    raw: RawParts
    checkpoint: str | Path | None = None
    allow_missing: bool = False
    share_examples: bool = True
    max_bytes: int = MOST_JOINED

    def __post_init__(self) -> None:
        check_count("max_bytes", self.max_bytes)

    def prepare(
        self, classifier: AlgebraicClassifier, in_one: Callable[..., TrainingData]
    ) -> TrainingData:
        """Encode all parts in the same way, and join their rows if these are not too many."""
        surveys = self._surveyed(classifier, are_numbers=False)
        classes = _classes(surveys, classifier.max_classes)
        data = self._in_one(classifier, surveys, in_one) if self.share_examples else None
        if data is None:
            if not isinstance(self.raw, DaskRows):
                raise self._too_large("batches")
            chain = chain_of(classes, classifier.ordered, _order_of(surveys))
            if chain is not None:
                raise self._too_large("ordered classes")
            check_classes(surveys, classes, self.allow_missing)
            data = self._apart(self.raw, classifier, surveys, classes)
        saved = Checkpoint(self.checkpoint, data, classifier)
        data.state, data.on_exchange = saved.read(), saved.write
        return data

    def whole(self, estimator: Any, in_one: Callable[..., T]) -> T:
        """Encode all parts in the same way, and join their rows; an error if these are too many."""
        if self.checkpoint is not None:
            raise InvalidParameter("a number is learned without exchanges: leave out checkpoint")
        surveys = self._surveyed(estimator, are_numbers=True)
        data = self._in_one(estimator, surveys, in_one) if self.share_examples else None
        if data is None:
            raise self._too_large("a number")
        return data

    def _too_large(self, what: str) -> UnfitParts:
        return UnfitParts(TOO_LARGE.format(what=what, most=f"{self.max_bytes:,}"))

    def _surveyed(self, estimator: Any, are_numbers: bool) -> list[Survey]:
        surveys = self.raw.survey(estimator.seed_, self.share_examples, are_numbers)
        if not any(one.n_rows for one in surveys):
            raise UnfitParts("there are no rows at all")
        check_columns(surveys)
        check_kinds(surveys)
        return surveys

    def _in_one(
        self, estimator: Any, surveys: Sequence[Survey], in_one: Callable[..., T]
    ) -> T | None:
        """Return all rows as one part, or ``None`` if they are too many."""
        told = [one for one in surveys if one.n_rows]
        if not all(one.sizes for one in told):
            return None
        estimator.n_features_in_ = len(told[0].kinds)
        estimator.__dict__.pop("feature_names_in_", None)
        if told[0].names is not None:
            estimator.feature_names_in_ = told[0].names
        _order_of(told)

        def fetch(columns: Sequence[int]) -> list[list[Distinct]]:
            found = self.raw.ask(partial(Survey.values_of, columns=columns))
            return [ours for ours, one in zip(found, surveys, strict=True) if one.n_rows]

        n_columns = estimator.n_features_in_
        n_rows = sum(one.n_rows for one in told)
        moved = moves_to_try(estimator, n_columns, n_rows)
        moved = moved or check_maps(estimator.symmetries, n_columns)
        if is_classifier(estimator):
            _, moved = sorted_out(moved)
        table = joined_table(surveys, self.max_bytes, moved, fetch, self.raw.encode)
        try:
            return in_one(*table, told[0].no_labels)
        except TooManyRows:
            return None

    def _apart(
        self,
        raw: DaskRows,
        classifier: AlgebraicClassifier,
        surveys: Sequence[Survey],
        classes: npt.NDArray[Any],
    ) -> TrainingData:
        """Choose cuts and categories by some rows of every part, and leave the rows there."""
        rows = [
            replace(one, some_rows=some)
            for one, some in zip(surveys, raw.ask(Survey.sample), strict=True)
            if one.n_rows
        ]
        recoding, rules = _recoding(classifier, classes, rows)
        parts, summaries = raw.pack(recoding, surveys)
        return TrainingData(
            classes,
            recoding.encoder,
            parts,
            joined_parts([one.sample for one in summaries]),
            np.sum([one.totals for one in summaries], axis=0),
            _class_weights(recoding),
            [conflict for one in summaries for conflict in one.conflicts],
            rules,
            _rule_conflicts(rules, summaries),
            sum(one.decided for one in summaries),
            sum(one.contradicted for one in summaries),
            _sum_of([one.left for one in summaries]),
            _sum_of([one.met for one in summaries]),
            n_rows=sum(one.n_rows for one in surveys),
            share_examples=self.share_examples,
        )


def _order_of(surveys: Sequence[Survey]) -> list[Any] | None:
    """Return the categories of labels that are ordered, which are the same in all parts."""
    orders = [categories_of(one.no_labels) for one in surveys if one.n_rows]
    for part, order in enumerate(orders):
        if order != orders[0]:
            raise UnfitParts(
                f"partition {part} has the classes in the order {order}, and the first one "
                f"{orders[0]}: give all the same categories"
            )
    return orders[0]


def _classes(surveys: Sequence[Survey], max_classes: int | None) -> npt.NDArray[Any]:
    classes = all_classes(surveys)
    check_labels(classes, class_counts(surveys, classes), max_classes)
    if len(classes) < 2:
        raise UnfitParts(f"there is only one class, {classes.tolist()}: there is nothing to learn")
    return classes


def _recoding(
    classifier: AlgebraicClassifier, classes: npt.NDArray[Any], surveys: Sequence[Survey]
) -> tuple[Recoding, list[Statement]]:
    """Choose cuts and categories by some rows of every part."""
    sample = stacked([one.some_rows for one in surveys])
    labels = np.concatenate([one.some_labels for one in surveys])
    weights = np.repeat([one.weight for one in surveys], [len(one.some_labels) for one in surveys])
    table, _ = read_table(classifier, sample, reset=True, y=labels)
    # Of the first part: categories that differ from part to part are lost when put together.
    declared = declared_kinds(surveys[0].some_rows)
    encoder, rules = fit_encoder(classifier, table, labels, weights, declared, classes)
    n_rows = sum(one.n_rows for one in surveys)
    _, moved = sorted_out(check_maps(classifier.symmetries, classifier.n_features_in_))
    n_variants = 1 + len(moved)
    most = min(HOME_ROWS, HOME_BYTES // (8 * n_variants * width(len(encoder.literals_) + 1)))
    totals = class_counts(surveys, classes)
    class_weight = classifier.class_weight
    if class_weight == "balanced":
        even = n_rows / (len(totals) * totals)
        class_weight = dict(zip(classes.tolist(), even.tolist(), strict=True))
    recoding = Recoding(
        encoder,
        classes,
        classifier.symmetries,
        class_weight,
        compile_rules(rules, encoder, classes),
        folds_for(n_rows, len(classes)),
        min(1.0, most / n_rows),
        classifier.seed_,
    )
    return recoding, rules


def _rule_conflicts(rules: list[Statement], summaries: Sequence[PartSummary]) -> list[RuleConflict]:
    """Return the rows of all parts that each rule contradicts."""
    found = []
    for r, rule in enumerate(rules):
        ours = [(rows, labels) for one in summaries for s, rows, labels in one.refused if s == r]
        if ours:
            rows, labels = (np.concatenate(column) for column in zip(*ours, strict=True))
            found.append(RuleConflict(rule, rows, labels))
    return found


def _class_weights(recoding: Recoding) -> Floats:
    weights = recoding.class_weight or {}
    return np.array([weights.get(label, 1.0) for label in recoding.classes.tolist()])


def _sum_of(counts: Sequence[Integers | None]) -> Integers | None:
    """Return the counts of all parts together, or ``None`` if there are no rules."""
    known = [one for one in counts if one is not None]
    return np.sum(known, axis=0) if known else None


def fit_batches(
    batches: Iterable[tuple[Any, Any]],
    *,
    folder: str | Path | None = None,
    checkpoint: str | Path | None = None,
    max_bytes: int = MOST_JOINED,
    estimator: Any = None,
    **parameters: Any,
) -> Any:
    """Learn a classifier or a regressor from batches that together do not fit in memory.

    The model is the one that ``fit`` gives in memory. Batches are encoded one after the other; the
    packed rows of all are kept in files that are mapped into memory, if they are large.

    Parameters
    ----------
    batches : iterable of (X, y)
        The batches, which are read twice: :func:`~atomlearn.tables.read_batches` of a file,
        :class:`~atomlearn.tables.ArrayBatches` of arrays mapped from disk, or a list.
    folder : str or Path, default=None
        The folder in which a new folder for packed rows is created, which is removed at the end; by
        default the system's folder for temporary files.
    checkpoint : str or Path, default=None
        A file to which the strict atoms of a classifier are written after every round, as for
        :func:`~atomlearn.distributed.fit`.
    max_bytes : int, default=32 GiB
        Largest size of the packed rows, a bit for each literal; more is an error. On disk they take
        up to five times as much, and in memory there are a few numbers for each row and class
        besides.
    estimator : AlgebraicClassifier or AlgebraicRegressor, default=None
        The estimator to fit; by default a new classifier.
    **parameters : object
        Parameters of the estimator, such as ``random_state`` and ``max_epochs``.

    Returns
    -------
    AlgebraicClassifier or AlgebraicRegressor
        The fitted estimator.

    Examples
    --------
    >>> from atomlearn.datasets import vertical_bars
    >>> from atomlearn.tables.batches import ArrayBatches
    >>> X, y = vertical_bars(3000, shape=(4, 4), noise=0.2, random_state=0)
    >>> clf = fit_batches(ArrayBatches(X, y, rows=1000), random_state=0, max_epochs=20)
    >>> bool(clf.score(X, y) > 0.97)
    True
    """
    if iter(batches) is batches:
        raise UnfitParts(
            "batches can be gone through only once, and are needed twice: pass a list, or an "
            "object whose __iter__ begins anew"
        )
    with private_folder(folder) as place, in_files(place):
        source = SurveyedParts(BatchRows(batches, place), checkpoint, max_bytes=max_bytes)
        return with_parameters(estimator, parameters).fit_parts(source)


class Named(NamedTuple):
    """Labels of which only the name is known."""

    name: str


class Stored(Sequence[Distinct]):
    """The different values of the columns of a batch, in a file that nobody else uses."""

    def __init__(self, values: Sequence[Distinct], path: Path) -> None:
        self.path, self.starts = path, []
        with path.open("wb") as file:
            for one in values:
                self.starts.append(file.tell())
                for array in one:
                    np.save(file, array)

    def __getitem__(self, j: Any) -> Any:
        with self.path.open("rb") as file:
            file.seek(self.starts[j])
            return Distinct(*(np.load(file, allow_pickle=True) for _ in Distinct._fields))

    def __len__(self) -> int:
        return len(self.starts)


@dataclass
class BatchRows:
    """Rows and labels that are read batch after batch."""

    batches: Iterable[tuple[Any, Any]]
    folder: Path
    surveys: list[Survey] = field(default_factory=list)

    def survey(self, seed: int, as_whole: bool, are_numbers: bool) -> list[Survey]:
        """Summarise each batch; the different values of its columns are kept on disk."""
        self.surveys = []
        for p, (X, y) in enumerate(chained(self.batches)):
            told = survey(X, y, p, seed, 1, as_whole, are_numbers)
            if told.no_labels is None and hasattr(self.batches, "target"):  # those of a file
                told = replace(told, no_labels=Named(str(self.batches.target)))
            values = Stored(told.values, self.folder / f"batch-{p}")
            self.surveys.append(replace(told, values=values, some_rows=None))
        return self.surveys

    def ask(self, function: Callable[[Survey], Any]) -> list[Any]:
        """Apply a function to the survey of each batch."""
        return [function(one) for one in self.surveys]

    def encode(self, encoder: LiteralEncoder, moved: Sequence[Map]) -> Iterator[Any]:
        """Yield the packed rows of the batches that have some."""
        for p, X, _ in self._again():
            yield encode(X, encoder, moved, p)

    def _again(self) -> Iterator[tuple[int, Any, Any]]:
        """Yield the batches that have rows, which must be as they were."""
        for p, (X, y) in enumerate(chained(self.batches)):
            if p >= len(self.surveys) or len(y) != self.surveys[p].n_rows:
                raise UnfitParts(f"batch {p} is not the same when it is read a second time")
            if len(y):
                yield p, X, y
