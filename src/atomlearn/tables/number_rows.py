"""A training table whose target is a number: checked, encoded, and without repetitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from atomlearn.errors import InvalidTable, InvalidTarget
from atomlearn.sets.memory import rows_at
from atomlearn.sets.rows import Rows
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import check_maps
from atomlearn.tables.rules import MOST_TARGET, Statement
from atomlearn.tables.statements import RuleConflict
from atomlearn.tables.training_rows import FEW_DISTINCT, TrainingRows, packed_images
from atomlearn.tables.validation import is_frame, without_arrow
from atomlearn.training.data import Examples, HardRules, groups_of, row_keys
from atomlearn.typing import Bits, Floats, Integers


def numbers_of(y: Any, name: str = "y") -> Any:
    """Return a target as floating-point numbers; an error names it and the first row that is none.

    >>> numbers_of(["1.5", 2]).tolist()
    [1.5, 2.0]
    >>> numbers_of([1.0, "much"])
    Traceback (most recent call last):
    ...
    atomlearn.errors.InvalidTarget: row 1 of y is 'much', which is no number
    """
    if y is None or is_frame(y):
        return y  # scikit-learn says what is wrong, or warns and takes the column
    y = np.asarray(without_arrow(y), dtype=object if isinstance(y, list | tuple) else None)
    if y.dtype.kind == "c":
        return y
    if y.dtype.kind not in "biuf":
        flat = [_number(value, i, name) for i, value in enumerate(y.ravel().tolist())]
        y = np.array(flat, dtype=np.float64).reshape(y.shape)
    y = y.astype(np.float64) + 0.0  # there is one zero
    odd = np.flatnonzero(~np.isfinite(y.ravel()))
    if len(odd):
        what = "NaN" if np.isnan(y.ravel()[odd[0]]) else "infinity"
        raise InvalidTable(
            f"Input {name} contains {what}: row {odd[0]} has no number to learn "
            f"({len(odd):,} such); remove these rows"
        )
    large = np.flatnonzero(np.abs(y.ravel()) > MOST_TARGET)
    if len(large):
        raise InvalidTarget(
            f"row {large[0]} of {name} is {y.ravel()[large[0]]:g}; numbers are from "
            f"{-MOST_TARGET:g} to {MOST_TARGET:g}"
        )
    return y


def _number(value: Any, row: int, name: str) -> float:
    if value is None:
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except (TypeError, ValueError):
        what = repr(value) if isinstance(value, str) else f"a {type(value).__name__}"
        raise InvalidTarget(f"row {row} of {name} is {what}, which is no number") from None


def check_counts(targets: Floats) -> None:
    """Raise an error that names the first negative number, for the Poisson loss."""
    negative = np.flatnonzero(targets < 0)
    if len(negative):
        row = negative[0]
        raise InvalidTarget(
            f"row {row} of y is {targets[row]:g}; with loss='poisson' no number is negative"
        )


@dataclass(frozen=True)
class EncodedNumbers:
    """Examples with numbers to predict, and what rules say of the training rows."""

    examples: Examples
    refused: list[tuple[int, Integers, Floats]]
    """Rules, by number, each with the rows that it contradicts and their numbers."""
    met: Integers | None
    """Number of rows that meet the conditions of each rule, if there are rules."""

    def rule_conflicts(self, rules: Sequence[Statement]) -> list[RuleConflict]:
        """Return the rows that rules contradict."""
        return [RuleConflict(rules[r], where, numbers) for r, where, numbers in self.refused]


def encoded_numbers(
    rows: TrainingRows, encoder: LiteralEncoder, rules: HardRules, symmetries: Any = None
) -> EncodedNumbers:
    """Return the rows as examples: those that rules leave open, each distinct row once.

    Rows are equal if their literals and their numbers are; their weights are added up. Symmetries
    add moved examples.
    """
    packed, targets = encoder.pack(rows.table, extra=1), rows.targets
    met = rules.met_by(packed)
    refused = _contradicted(met, targets, rules)
    is_refused = np.logical_or.reduce([np.zeros(len(targets), np.bool_), *refused.values()])
    if is_refused.all():
        raise InvalidTable("the rules contradict every training row: nothing is left")
    low, high = rules.bounds_by(met)
    decided = (low == high) & ~is_refused
    kept = np.flatnonzero(~is_refused & ~decided)
    if not len(kept):  # rules decide every row
        kept = np.flatnonzero(~is_refused)
    if len(kept) < len(packed):
        packed = rows_at(packed, kept)
    targets = targets[kept]
    first, group = _groups(packed, targets)
    mass = np.bincount(group, rows.weights[kept], len(first)).astype(np.float64)
    copies, scale = mass, 1.0
    if len(first) >= FEW_DISTINCT:
        copies, scale = np.ones(len(first)), float(np.median(mass))
    variants = [rows_at(packed, first)]
    del packed
    if symmetries is not None:
        moved = check_maps(symmetries, rows.table.shape[1])
        variants += packed_images(rows.table[kept[first]], encoder, moved)
    examples = Examples(
        np.stack(variants) if len(variants) > 1 else variants[0][None],
        np.zeros(len(first), dtype=np.int64),
        mass / scale,
        len(encoder.literals_) + 1,
        1,
        rules=rules,
        copies=copies,
        numbers=rows.numbers[kept[first]],
        targets=targets[first],
    )
    found = [(r, rows.numbers[where], rows.targets[where]) for r, where in refused.items()]
    return EncodedNumbers(
        examples,
        [one for one in found if len(one[1])],
        rules.by_statement(met).sum(axis=0) if rules else None,
    )


def _groups(packed: Rows, targets: Floats) -> tuple[Integers, Integers]:
    """Return the first of each set of equal rows, and the set of each, in an order of their own."""
    pair = row_keys(packed, np.random.default_rng(0)), (targets + 0.0).view(np.uint64)
    order = np.lexsort(pair[::-1])
    pair = pair[0][order], pair[1][order]
    differs = np.ones(len(order), dtype=np.bool_)
    differs[1:] = (pair[0][1:] != pair[0][:-1]) | (pair[1][1:] != pair[1][:-1])
    return groups_of(order, differs)


def _contradicted(met: Bits, targets: Floats, rules: HardRules) -> dict[int, Bits]:
    """Return for each rule, by its number, the rows whose numbers contradict it."""
    found: dict[int, Bits] = {}
    for r, one in enumerate(rules.rules):
        broken = met[:, r] & ((targets < one.low) | (targets > one.high))
        found[one.rule] = found[one.rule] | broken if one.rule in found else broken
    return found
