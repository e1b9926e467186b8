"""A training table prepared for the engine: labels as numbers, weights, distinct rows.

Duplicate rows are merged, and contradictions between them resolved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from atomlearn.errors import InvalidParameter, InvalidTable, NotEnoughMemory, nearest, suggest
from atomlearn.markup import Displayed
from atomlearn.sets.memory import ROWS_AT_ONCE, are_files_allowed, rows_at
from atomlearn.sets.random import seed_sequence
from atomlearn.sets.rows import Rows, width
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import Map, believed_symmetries, check_maps, permuted, sorted_out
from atomlearn.tables.joined import JoinedTable
from atomlearn.tables.rules import Statement
from atomlearn.tables.statements import RuleConflict
from atomlearn.tables.validation import are_numbers, refusing
from atomlearn.training.boosting.losses import LOG_LOSS, ORDERED_LOG_LOSS
from atomlearn.training.data import (
    NO_RULES,
    Dissent,
    Examples,
    HardRules,
    groups_of,
    row_keys,
)
from atomlearn.typing import Bits, Floats, Integers

FEW_DISTINCT = 50
"""With fewer distinct rows than this, a weight is taken for a number of rows."""


@dataclass(frozen=True, repr=False)
class RowConflict(Displayed):
    """Rows with the same literals and different labels; the label with the most weight is kept."""

    rows: Integers
    labels: npt.NDArray[Any]
    kept: Any

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:5])) + (", ..." if len(self.rows) > 5 else "")
        labels = ", ".join(map(str, sorted(set(self.labels.tolist()))))
        return f"rows {shown} look the same but are labelled {labels}; kept as {self.kept}"


@dataclass(frozen=True)
class DistinctRows:
    """The distinct rows in an order that does not depend on how they were given."""

    first: Integers
    """Index of each row in the table."""
    labels: Integers
    weights: Floats
    """Weight of the rows with the label that was kept."""
    copies: Floats
    """Number of times that such a row recurs: it is held out as often, each time in another fold.
    """
    dissent: Dissent
    scale: float
    """The number by which weights were divided."""
    conflicts: list[RowConflict]


def distinct_rows(
    packed: Rows,
    labels: Integers,
    weights: Floats,
    class_weights: Floats,
) -> DistinctRows:
    """Merge equal rows; their label is that of most weight, or of the commoner class if tied.

    Weights are relative to the median of all rows. A larger weight does not make a row recur: if it
    were held out in one fold and learned from in another, no error could be estimated. Only with
    few distinct rows, most of which recur, a weight is taken for a number of rows.
    """
    n_classes = len(class_weights)
    first, group = _groups(packed)
    # The labels that each distinct row has, and what they weigh: not a table with a column for each
    # of perhaps thousands of classes.
    pairs, whose = np.unique(group * n_classes + labels, return_inverse=True)
    where, other = np.divmod(pairs, n_classes)
    mass: Floats = np.bincount(whose, weights, len(pairs)).astype(np.float64)
    common = np.bincount(other, mass, n_classes)
    best = np.lexsort((-other, common[other], mass * class_weights[other], where))
    best = best[np.searchsorted(where[best], np.arange(len(first)), side="right") - 1]
    label, kept = other[best], mass[best]
    disputed = np.flatnonzero(np.bincount(where[mass > 0], minlength=len(first)) > 1)
    conflicts = _conflicts(disputed, group, labels, label) if len(disputed) else []
    rest = np.setdiff1d(np.flatnonzero(mass), best)
    scale, copies = 1.0, mass
    if len(first) >= FEW_DISTINCT:
        scale = float(np.median(kept))
        counts = np.bincount(whose[weights > 0], minlength=len(pairs))
        copies = np.floor(counts / np.median(counts[best]))
    dissent = Dissent(where[rest], other[rest], mass[rest] / scale, copies[rest])
    return DistinctRows(first, label, kept / scale, copies[best], dissent, scale, conflicts)


def _groups(packed: Rows) -> tuple[Integers, Integers]:
    """Return the first index of each distinct row, and which of these each row is.

    Rows are ordered by a key of 64 bits, and, should two rows ever share one, by themselves.
    """
    keys = row_keys(packed, np.random.default_rng(0))
    order = np.argsort(keys, kind="stable")
    keys, differs = keys[order], _differs(packed, order)
    if (differs[1:] > (keys[1:] != keys[:-1])).any():
        whole = np.ascontiguousarray(packed).view([("", np.uint64)] * packed.shape[1]).ravel()
        order = np.argsort(whole, kind="stable")
        differs = _differs(packed, order)
    return groups_of(order, differs)


def _differs(packed: Rows, order: Integers) -> Bits:
    """Return which rows, in an order, differ from the one before them."""
    differs = np.ones(len(order), dtype=np.bool_)
    for start in range(1, len(order), ROWS_AT_ONCE):
        rows = packed[order[start - 1 : start + ROWS_AT_ONCE]]
        differs[start : start + ROWS_AT_ONCE] = (rows[1:] != rows[:-1]).any(axis=1)
    return differs


def _conflicts(
    disputed: Integers,
    group: Integers,
    labels: Integers,
    kept: Integers,
) -> list[RowConflict]:
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.stack([disputed, disputed + 1]))
    return [
        RowConflict(order[start:stop], labels[order[start:stop]], int(kept[g]))
        for g, start, stop in zip(disputed, *bounds, strict=True)
    ]


LEAST_WEIGHT, MOST_WEIGHT = 1e-50, 1e50
"""Bounds of weights; beyond these they could not be added up and squared."""


@dataclass(frozen=True)
class TrainingRows:
    """The rows of positive weight, and their numbers in the table."""

    table: Any
    targets: npt.NDArray[Any]
    weights: Floats
    numbers: Integers
    """The number of each row in the table as given."""
    class_weight: Any = None

    def encoded(
        self,
        encoder: LiteralEncoder,
        classes: npt.NDArray[Any],
        symmetries: Any,
        rules: HardRules = NO_RULES,
    ) -> "EncodedRows":
        """Return the rows as examples, with equal ones merged and contradictions resolved.

        Rows that a rule contradicts are left out, and those that rules decide; the rest is to be
        learned. Symmetries that are no permutations add moved examples.
        """
        refuse_too_large(self.table.shape[0], len(encoder.literals_))
        packed = encoder.pack(self.table, extra=1)
        labels, n_classes = codes_of(self.targets, classes), len(classes)
        class_weights = self.class_weights(classes)
        met = rules.met_by(packed)
        refused = _contradicted(met, labels, rules)
        is_refused = np.logical_or.reduce([np.zeros(len(labels), np.bool_), *refused.values()])
        if is_refused.all():
            raise InvalidTable("the rules contradict every training row: nothing is left")
        # Of a class that rules decide in every row, these rows are kept.
        decided = np.zeros(len(labels), dtype=np.bool_)
        if rules:
            decided = rules.forbidden_by(met).sum(axis=1) == rules.n_classes - 1
            decided &= ~is_refused & np.isin(labels, labels[~is_refused & ~decided])
        kept = np.flatnonzero(~is_refused & ~decided)
        if len(kept) < len(packed):
            packed = rows_at(packed, kept)
        numbers = self.numbers[kept]
        distinct = distinct_rows(packed, labels[kept], self.weights[kept], class_weights)
        first = rows_at(packed, distinct.first)
        del packed
        variants, believed = [first], None
        if symmetries is not None:
            moving, moved = sorted_out(check_maps(symmetries, self.table.shape[1]))
            variants += packed_images(self.table[kept[distinct.first]], encoder, moved)
            if moving and rules.signs is not None:
                raise InvalidParameter(
                    "symmetries that are permutations would move atoms to other columns, for which "
                    "the monotone statements do not hold: leave out one or the other"
                )
            believed = believed_symmetries(encoder, moving, first, distinct.labels, n_classes)
        examples = Examples(
            np.stack(variants) if len(variants) > 1 else first[None],
            distinct.labels,
            distinct.weights,
            len(encoder.literals_) + 1,
            n_classes,
            distinct.dissent,
            believed,
            rules,
            distinct.copies,
            numbers[distinct.first],
            loss=ORDERED_LOG_LOSS if rules.ordered else LOG_LOSS,
        )
        return EncodedRows(
            examples,
            class_weights,
            [
                RowConflict(numbers[one.rows], classes[one.labels], classes[one.kept])
                for one in distinct.conflicts
            ],
            [
                (r, self.numbers[where], self.targets[where])
                for r, where in refused.items()
                if where.any()
            ],
            float(self.weights[decided].sum()) / distinct.scale,
            float(self.weights[is_refused].sum()) / distinct.scale,
            np.bincount(labels[~is_refused], minlength=n_classes) if rules else None,
            rules.by_statement(met).sum(axis=0) if rules else None,
        )

    def some(self, which: Integers) -> "TrainingRows":
        """Return some of the rows."""
        return replace(
            self,
            table=self.table[which],
            targets=self.targets[which],
            weights=self.weights[which],
            numbers=self.numbers[which],
        )

    def class_weights(self, classes: npt.NDArray[Any]) -> Floats:
        """Return the factors of the odds of each class."""
        if self.class_weight is None:
            return np.ones(len(classes))
        if isinstance(self.class_weight, Mapping):
            return _weights_of(classes, self.class_weight)
        with refusing():
            return compute_class_weight(self.class_weight, classes=classes, y=self.targets)


def packed_images(table: Any, encoder: LiteralEncoder, maps: Sequence[Map]) -> list[Rows]:
    """Return the rows of a table, moved by each map, as packed literals."""
    dense = table.toarray() if hasattr(table, "toarray") else table
    return [
        encoder.pack(
            table.moved(i) if isinstance(table, JoinedTable) else permuted(dense, one), extra=1
        )
        for i, one in enumerate(maps)
    ]


def _contradicted(met: Bits, labels: Integers, rules: HardRules) -> dict[int, Bits]:
    """Return for each rule, by its number, the rows whose labels contradict it."""
    found: dict[int, Bits] = {}
    for r, one in enumerate(rules.rules):
        broken = met[:, r] & np.isin(labels, one.forbidden)
        found[one.rule] = found[one.rule] | broken if one.rule in found else broken
    return found


@dataclass(frozen=True)
class EncodedRows:
    """A training table as examples, with the conflicts that were found."""

    examples: Examples
    class_weights: Floats
    conflicts: list[RowConflict]
    """Rows that have equal literals but different labels."""
    refused: list[tuple[int, Integers, npt.NDArray[Any]]]
    """Rules, by number, each with the rows that it contradicts and their labels."""
    decided: float
    """Weight of the rows that rules classify correctly, relative to that of the others."""
    contradicted: float
    """Weight of the rows whose labels contradict a rule, relative to that of the others."""
    left: Integers | None
    """Number of rows of each class that contradict no rule, if there are rules."""
    met: Integers | None
    """Number of rows that meet the conditions of each rule, if there are rules."""

    def rule_conflicts(self, rules: Sequence[Statement]) -> list[RuleConflict]:
        """Return the rows that rules contradict."""
        return [RuleConflict(rules[r], *rest) for r, *rest in self.refused]


def read_training(table: Any, targets: Any, sample_weight: Any, class_weight: Any) -> TrainingRows:
    """Validate weights, and drop rows of weight zero."""
    with refusing():
        weights = _check_sample_weight(sample_weight, table, dtype=np.float64)
    if (weights < 0).any():
        raise InvalidTable("Negative values in data passed to `sample_weight`")
    counted = weights > 0
    odd = np.flatnonzero(counted & ((weights < LEAST_WEIGHT) | (weights > MOST_WEIGHT)))
    if len(odd):
        raise InvalidTable(
            f"sample_weight of row {odd[0]} is {weights[odd[0]]:g}; a weight is 0, or from "
            f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
        )
    if isinstance(class_weight, Mapping):
        labels, codes = np.unique(targets, return_inverse=True)
        counted &= _weights_of(labels, class_weight)[codes] > 0
    if not counted.any():
        raise InvalidTable("all sample weights are zero: nothing is left to learn from")
    if counted.all():
        return TrainingRows(table, targets, weights, np.arange(len(weights)), class_weight)
    numbers = np.flatnonzero(counted)
    return TrainingRows(table[counted], targets[counted], weights[counted], numbers, class_weight)


def _weights_of(labels: npt.NDArray[Any], class_weight: Mapping[Any, float]) -> Floats:
    """Return the weight of each label, 1 if it has none.

    As in scikit-learn, but a label that is text stays text: ``"1000"`` is not 1000. Rows of a label
    of weight zero are left out, so that it may be missing.
    """
    told = labels.tolist()
    others = [label for label in told if label not in class_weight]
    unknown = [one for one, weight in class_weight.items() if weight and one not in told]
    if others and unknown:
        hint = nearest(unknown[0], others)
        raise InvalidTable(
            f"The classes, {others}, are not in class_weight, which has a weight for "
            f"{unknown[0]!r}, no class{hint}"
        )
    return np.array([class_weight.get(label, 1.0) for label in told], dtype=np.float64)


def codes_of(targets: Any, classes: npt.NDArray[Any], all_present: bool = False) -> Integers:
    """Return labels as indices into ``classes``, or raise an error that names what is not one."""
    found, where = np.unique(targets, return_inverse=True)
    position = {label: i for i, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise InvalidTable(
            f"y has labels that are not among the classes: {unknown[:5]}"
            f"{suggest(unknown[0], classes.tolist())}"
        )
    if all_present and len(found) < len(classes):
        absent = [label for label in classes.tolist() if label not in set(found.tolist())]
        raise InvalidTable(
            f"y has no row of {absent[:5]}: warm_start needs all classes (partial_fit does not)"
        )
    return np.array([position[label] for label in found.tolist()], dtype=np.int64)[where]


def chain_of(
    labels: npt.NDArray[Any], ordered: Any, categories: Sequence[Any] | None = None
) -> npt.NDArray[Any] | None:
    """Return the labels in ascending order, or ``None`` if they are not ordered.

    The order is that of the list ``ordered``, of the ``categories`` of an ordered column, or of
    numbers.

    >>> chain_of(np.array(["high", "low"]), ["low", "mid", "high"]).tolist()
    ['low', 'high']
    >>> chain_of(np.array(["10", "9"]), True).tolist()
    ['9', '10']
    """
    if ordered is False or (isinstance(ordered, str) and categories is None):
        return None
    if not isinstance(ordered, bool | str):
        categories = list(ordered)
    if categories is not None:
        place = {label: k for k, label in enumerate(categories)}
        unknown = [label for label in labels.tolist() if label not in place]
        if unknown:
            raise InvalidTable(
                f"y has a label that has no place in the order of the classes: {unknown[0]!r}"
                f"{suggest(unknown[0], list(categories))}"
            )
        return labels[np.argsort([place[label] for label in labels.tolist()])]
    if labels.dtype.kind != "b" and not are_numbers(labels):
        example = ", ".join(repr(str(label)) for label in labels[:3].tolist())
        raise InvalidTable(
            "ordered=True needs labels that are numbers, or an ordered categorical of pandas: "
            "text has no order of its own. Give all labels from the lowest to the highest, as in "
            f"ordered=[{example}] if that is their order (on the command line --order)"
        )
    return labels[np.argsort(labels.astype(np.float64), kind="stable")]


def categories_of(y: Any) -> list[Any] | None:
    """Return the categories of an ordered categorical column of pandas, from the lowest on."""
    dtype = getattr(y, "dtype", None)
    is_ordered = bool(getattr(dtype, "ordered", False)) and hasattr(dtype, "categories")
    return list(dtype.categories) if dtype is not None and is_ordered else None


def check_some_left(left: Integers, classes: npt.NDArray[Any]) -> None:
    """Raise an error unless every class has a row that no rule contradicts."""
    lost = classes[left == 0].tolist()
    if lost:
        raise InvalidTable(f"the rules contradict every training row of {lost[:5]}")


def class_number(label: Any, classes: npt.NDArray[Any]) -> int:
    """Return the index of one label among the classes."""
    found = np.flatnonzero(classes == label)
    if len(found) != 1:
        raise InvalidTable(f"{label!r} is not one of the classes{suggest(label, classes.tolist())}")
    return int(found[0])


def root_seed(random_state: Any) -> int:
    """Return one number that fixes everything random."""
    sequence = seed_sequence(random_state)
    if isinstance(sequence.entropy, int) and not sequence.spawn_key:
        return sequence.entropy
    return int.from_bytes(sequence.generate_state(4).tobytes(), "little")


TIMES_PACKED = 4
"""Learning takes at most so many times the memory of the packed rows, besides what does not depend
on their number. Tests measure it."""


def refuse_too_large(n_rows: int, n_literals: int) -> None:
    """Raise an error if a table is too large to be learned from in memory."""
    needed, free = TIMES_PACKED * n_rows * 8 * width(n_literals + 1), available_memory()
    if free is not None and needed > free and not are_files_allowed():
        raise NotEnoughMemory(
            f"{n_rows:,} rows of {n_literals:,} literals need up to {needed / 1e9:,.1f} GB of "
            f"memory to be learned from, and {free / 1e9:,.1f} GB are available: use "
            "atomlearn.distributed.fit_batches, which reads batches from disk, or fewer rows"
        )


def available_memory() -> int | None:
    """Return the bytes that can be had without swapping, or ``None`` if the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    sizes = dict(line.split(":") for line in lines)
    return 1024 * int(sizes["MemAvailable"].split()[0]) if "MemAvailable" in sizes else None
