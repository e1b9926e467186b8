"""Encode tables as terms: a row becomes the set of its true literals.

Identifiers are detected and warned of, because a model that learns them memorises the rows.
Measurements repeat by chance: of ``n`` values drawn evenly from ``m`` possible ones, about ``n² /
2m`` pairs are equal, and more if they are drawn unevenly. Whole numbers that hardly ever repeat
where they should are identifiers, one for each row.

Columns whose categories all were unseen in training are warned of, because they nearly always have
another type."""

import copy
import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Integral, Number
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from atomlearn.errors import InvalidParameter, InvalidRule, InvalidTable, UnseenCategories
from atomlearn.sets import rows as packed
from atomlearn.sets.memory import room_for
from atomlearn.sets.rows import Rows
from atomlearn.sets.words import transpose
from atomlearn.tables.columns import CategoryColumn, Column, CutShare, NumberColumn
from atomlearn.tables.joined import CELLS_AT_ONCE, JoinedTable
from atomlearn.tables.literals import Literal
from atomlearn.tables.numbers import Numbers, is_missing
from atomlearn.tables.rules import Condition
from atomlearn.tables.validation import (
    column_kind,
    column_names,
    declared_kinds,
    number_column,
    object_column,
    read_table,
    refuse_half_characters,
    refusing,
)
from atomlearn.typing import Bits, Floats, Integers, Objects

FEWEST_ROWS = 100
"""Tables with fewer rows are not checked for identifiers."""
EXPECTED = 20.0
"""A column is only checked if at least this many pairs of equal values are expected by chance."""
REPEATED = 0.1
"""An identifier has at most this share of the repetitions that are expected by chance."""
OF_ROWS = 0.01
"""An identifier repeats a value in at most this share of the rows."""
_NAMED = re.compile(r"(?:^|[\W_])(?:(?i:id|uid|identifier|key))$|[a-z](?:Id|ID|Key)$")


def is_identifier(values: Numbers, name: str = "", n_rows: int | None = None) -> bool:
    """Return whether (nearly) every row of a column of numbers has its own whole number.

    For numbers of very many digits this cannot be decided; then the ``name`` of the column decides.
    Of ``n_rows`` rows the different values are enough.

    >>> is_identifier(np.arange(1000.0, 1200.0)), is_identifier(np.arange(200.0) % 90)
    (True, False)
    """
    n = len(values) if n_rows is None else n_rows
    if n < FEWEST_ROWS or is_missing(values[:10]).any() or not _whole(values[:10]):
        return False
    if is_missing(values).any() or not _whole(values):
        return False
    distinct = np.unique(values)
    low, high = distinct[[0, -1]].tolist()  # integers of any length are subtracted exactly
    repeated = n - len(distinct)
    if repeated > OF_ROWS * n or high - low < (1 - OF_ROWS) * (n - 1):
        return False
    if _NAMED.search(name):
        return True
    possible = (high - low) / float(np.diff(distinct).min()) + 1  # identifiers may go in steps
    expected = n * (n - 1) / (2 * possible)
    return bool(expected >= EXPECTED and repeated <= REPEATED * expected)


def warn_of_identifier(values: Numbers, name: str, n_rows: int) -> None:
    """Warn if the numbers of a column seem to name its rows."""
    if is_identifier(values, name, n_rows):
        warnings.warn(
            f"column {name!r} has a different whole number in every row, or nearly so: drop the "
            "column if it is an identifier",
            stacklevel=3,
        )


def _whole(values: Numbers) -> bool:
    return values.dtype.kind in "iu" or bool((values % 1 == 0).all())


MANY_ROWS = 10
"""With at least this many rows it is no chance that all values are new, if they are of a known
type."""


class UnseenColumns:
    """A detector of columns with only unseen categories, which reads a table part by part."""

    def __init__(self) -> None:
        self._new: dict[int, list[Any]] = {}
        self._columns: dict[int, CategoryColumn] = {}
        self._known: set[int] = set()

    def look(self, column: CategoryColumn, values: Objects, encoded: Bits) -> None:
        """Add some cells of a column, and their literals."""
        n = len(column.categories)
        if n == 0 or column.index in self._known:
            return
        if encoded[:, :n].any():
            self._known.add(column.index)
            self._new.pop(column.index, None)
            return
        new = values[~is_missing(values)].tolist()
        if new:
            self._columns[column.index] = column
            self._new.setdefault(column.index, []).extend(new)

    def warn(self, stacklevel: int = 2) -> None:
        """Warn of each column in which every known value is new."""
        for index, new in self._new.items():
            column = self._columns[index]
            was = {type_name(category) for category in column.categories}
            now = {type_name(value) for value in new}
            if was.isdisjoint(now):
                why = (
                    f"it was learned from {_listed(was)} such as {column.categories[0]!r} and now "
                    f"has {_listed(now)} such as {new[0]!r}: convert it to what it was"
                )
            elif len(new) >= MANY_ROWS:
                why = f"learned were values such as {column.categories[0]!r}, now {new[0]!r}"
            else:
                continue
            warnings.warn(
                f"column {column.name!r}: none of its {len(new):,} values was seen in training, so "
                f"it does not help; {why}",
                UnseenCategories,
                stacklevel=stacklevel + 1,
            )


def type_name(value: Any) -> str:
    """Return the name of a value's type: text, numbers, truth values, or that of the class.

    >>> type_name("10"), type_name(10), type_name(True)
    ('text', 'numbers', 'truth values')
    """
    if isinstance(value, bool | np.bool_):
        return "truth values"
    if isinstance(value, str):
        return "text"
    return "numbers" if isinstance(value, Number | np.number) else type(value).__name__


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))


BUDGET = 2048
"""Total number of cuts over all number columns."""

USUAL_CUTS, MOST_CUTS = 15, 63
"""Maximum number of quantile cuts, and of tree cuts, of each number column: with few rows, and with
many."""

MOST_FOR_NUMBERS = 128
"""Maximum number of cuts of each number column if a number is to be predicted, half of them a
tree's: what rises steadily needs many steps."""

ROWS_A_CUT = 100
"""Minimum number of rows for each tree cut, and for each of more than the usual number of cuts.
With fewer rows there are more quantiles instead: a tree cut that has seen few labels makes them
look more predictable than they are."""

FEW_CLASSES = 7
"""With more classes than this, more rows are needed for more cuts, in proportion."""

CATEGORY_BUDGET = 4096
"""Total number of categories over all category columns."""

FEWEST_CATEGORIES, MOST_CATEGORIES = 16, 256
"""Bounds of the maximum number of categories of each category column."""


class LiteralEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode numbers, categories, booleans and missing values as literals.

    Numbers are cut at quantiles and, if the labels ``y`` are given to ``fit``, where a small
    decision tree on that column alone would cut. Each cut gives two literals, above it and not
    above it. Whole numbers of at most ten values also have a literal for each value: ``pclass =
    3``. With labels, more than a dozen categories are also grouped: ``city in {Bonn, Jena, Ulm}``.
    Literals that are always true, always false, or the same as another on all training rows are
    left out, so that constant and repeated columns cost nothing.

    Parameters
    ----------
    max_cuts : int, default=None
        Maximum number of cuts of each number column; with labels, half of them are a tree's.
        ``None`` is 15 and with labels 15 more, a tree's as far as there are 100 rows for each;
        fewer if there are very many columns.

    Attributes
    ----------
    columns_ : list of NumberColumn and CategoryColumn
        The cuts or categories of each column.
    literals_ : list of Literal
        The literals, in the order of the output.

    Examples
    --------
    >>> encoder = LiteralEncoder().fit([[1.0], [2.0], [4.0]])
    >>> encoder.get_feature_names_out().tolist()
    ['x0 > 1', 'x0 ≤ 1', 'x0 > 2', 'x0 ≤ 2']
    >>> encoder.transform([[3.0]]).astype(int)
    array([[1, 0, 1, 0]])

    Most rows are zero, so that quantiles see nothing else; the classes change before 6.5:

    >>> gain = [[0.0]] * 50 + [[4.5]] * 5 + [[6.5]] * 5
    >>> LiteralEncoder(max_cuts=2).fit(gain).get_feature_names_out().tolist()
    ['x0 > 2', 'x0 ≤ 2']
    >>> aware = LiteralEncoder(max_cuts=2).fit(gain, [0] * 55 + [1] * 5)
    >>> aware.get_feature_names_out().tolist()
    ['x0 > 2', 'x0 ≤ 2', 'x0 > 6', 'x0 ≤ 6']
    """

    def __init__(self, *, max_cuts: int | None = None) -> None:
        self.max_cuts = max_cuts

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "LiteralEncoder":
        """Choose cuts and categories, and drop uninformative literals.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,), default=None
            Class labels; other targets (numbers to predict, several columns) are ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        LiteralEncoder
            The fitted encoder.
        """
        table = read_table(self, X, reset=True)
        classes = _class_codes(y, table.shape[0])
        with refusing():
            weights = _check_sample_weight(sample_weight, table, dtype=np.float64)
        if not (weights > 0).any():
            raise InvalidTable("all sample weights are zero: nothing is left to learn from")
        counted = weights > 0
        return self.fit_table(
            table[counted],
            weights[counted],
            self,
            declared_kinds(X),
            None if classes is None else classes[counted],
        )

    def fit_table(
        self,
        table: Any,
        weights: Floats,
        owner: BaseEstimator,
        declared: Sequence[str | None] | None = None,
        classes: Integers | Floats | None = None,
        are_pixels: bool = False,
        conditions: Sequence[Condition] = (),
        monotone: Sequence[str] = (),
    ) -> "LiteralEncoder":
        """Fit the encoder to a validated table.

        Parameters
        ----------
        table : array or sparse matrix
            The validated table.
        weights : ndarray of float
            Weights of the rows.
        owner : BaseEstimator
            The estimator that validated the table and knows the names of the columns.
        declared : sequence of str or None, default=None
            Declared kind of each column: categories or truth values.
        classes : ndarray of int or float, default=None
            Class of each row, as numbers. For a number to predict, its position in the range of
            all, from 0 to 1 (:func:`positions`): cuts are where its variance falls most.
        are_pixels : bool, default=False
            Whether columns are pixels, or are moved by symmetries; they then only get cuts.
        conditions : sequence of Condition, default=()
            Conditions of rules, whose literals are always kept.
        monotone : sequence of str, default=()
            Names of columns that monotone statements are about. They have cuts only, and no
            literals for single values, which such statements could not use.

        Returns
        -------
        LiteralEncoder
            The fitted encoder.
        """
        self.n_features_in_ = owner.n_features_in_
        if hasattr(owner, "feature_names_in_"):
            self.feature_names_in_ = owner.feature_names_in_
        names = column_names(owner)
        self.columns_: list[Column] = self._columns(
            table, weights, names, declared, classes, are_pixels, frozenset(monotone)
        )
        asked: set[Literal] = set()
        for j, ours in _by_column(conditions, names).items():
            self.columns_[j] = self.columns_[j].with_conditions(ours)
            asked.update(self.columns_[j].literals_of(ours))
        for others in self._compared().values():
            for other in (self.columns_[i] for i in others):
                if not isinstance(other, NumberColumn) or other.is_boolean:
                    raise InvalidRule(f"{other.name} holds no numbers: it cannot be compared")
        everything = (literal for column in self.columns_ for literal in column.literals())
        needed = [i for i, literal in enumerate(everything) if literal in asked] if asked else []
        if isinstance(table, JoinedTable):
            self.choose(np.arange(sum(column.n_literals for column in self.columns_)))
            table.source.read(self)
        self.choose(np.union1d(self._telling(table), np.array(needed, dtype=np.int64)))
        return self

    def literal_numbers(self, rules: Sequence[Sequence[Condition]]) -> list[list[int]]:
        """Return the indices in ``literals_`` of the conditions of some rules.

        Parameters
        ----------
        rules : sequence of sequences of Condition
            The conditions of each rule.
        """
        names = [column.name for column in self.columns_]
        place = {literal: i for i, literal in enumerate(self.literals_)}
        found: dict[Condition, int] = {}
        for j, ours in _by_column([one for rule in rules for one in rule], names).items():
            literals = self.columns_[j].literals_of(ours)
            found |= {one: place[literal] for one, literal in zip(ours, literals, strict=True)}
        return [sorted({found[one] for one in rule}) for rule in rules]

    def choose(self, kept: Integers) -> None:
        """Keep only some literals of the columns.

        Parameters
        ----------
        kept : ndarray of int
            Indices among all literals of the columns.
        """
        ends = np.cumsum([0, *(column.n_literals for column in self.columns_)])
        bounds = np.searchsorted(kept, ends)
        self.kept_ = kept
        self.literals_: list[Literal] = []
        for j in np.flatnonzero(np.diff(bounds)).tolist():
            every = self.columns_[j].literals()
            ours = kept[bounds[j] : bounds[j + 1]] - ends[j]
            self.literals_ += [every[i] for i in ours.tolist()]

    def renamed(self, names: Any) -> "LiteralEncoder":
        """Return the same encoder with other names of the columns.

        Parameters
        ----------
        names : array-like of str
            A name for each column.

        Returns
        -------
        LiteralEncoder
            The encoder.
        """
        listed = [str(name) if isinstance(name, str) else name for name in names]
        wrong = next((name for name in listed if not isinstance(name, str)), None)
        if wrong is not None:
            raise InvalidTable(f"the name of a column is text, not {wrong!r}")
        if len(listed) != len(self.columns_):
            raise InvalidTable(
                f"there are {len(self.columns_):,} columns, and {len(listed):,} names"
            )
        if len(set(listed)) < len(listed):
            twice = next(name for name in listed if listed.count(name) > 1)
            raise InvalidTable(f"two columns would have the name {twice!r}")
        refuse_half_characters(listed, "the name of a column")
        other = copy.copy(self)
        other.columns_ = [
            replace(column, name=name) for column, name in zip(self.columns_, listed, strict=True)
        ]
        other.choose(self.kept_)
        return other

    def transform(self, X: Any) -> Bits:
        """Return the truth of each literal for each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        return packed.unpack(self.pack(read_table(self, X, reset=False)), len(self.literals_))

    def pack(self, table: Any, extra: int = 0, is_part: bool = False) -> Rows:
        """Return the literals of a validated table as packed rows.

        Parameters
        ----------
        table : array or sparse matrix
            The validated table.
        extra : int, default=0
            Number of further constants to leave room for.
        is_part : bool, default=False
            Whether it is a part of the table that the encoder was fitted to; then no warning is
            given of columns in which no value is a known one.
        """
        n = len(self.literals_) + extra
        out = room_for(table.shape[0], n)
        words = packed.width(len(self.literals_))
        unseen = UnseenColumns()
        for start, bits in self._chunks(table, self.kept_, unseen):
            by_literal = packed.pack(bits.T)
            out[start : start + len(bits), :words] = transpose(by_literal, len(bits))
        if not is_part:
            unseen.warn(stacklevel=4)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Objects:
        """Return the literals as text.

        Parameters
        ----------
        input_features : object, default=None
            Ignored; present by convention.
        """
        check_is_fitted(self)
        return np.array([str(literal) for literal in self.literals_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _columns(
        self,
        table: Any,
        weights: Floats,
        names: list[str],
        declared: Sequence[str | None] | None,
        classes: Integers | Floats | None,
        are_pixels: bool,
        monotone: frozenset[str],
    ) -> list[Column]:
        empty = np.zeros(table.shape[1], dtype=np.bool_)
        if sparse.issparse(table):
            table = table.tocsc()  # read column by column
            table.sum_duplicates()
            empty = np.diff(table.indptr) == 0
        indices = range(table.shape[1])
        told = [None] * len(indices) if declared is None else declared
        kinds: Sequence[str] = [
            told[j]
            or (
                table.source.kinds[j]
                if isinstance(table, JoinedTable)
                else column_kind(table, j, names[j])
            )
            for j in indices
        ]
        n_categories = kinds.count("category")
        n_numbers = len(kinds) - n_categories
        share = self._share(table.shape[0], n_numbers, classes, not are_pixels)
        most = int(
            np.clip(CATEGORY_BUDGET // max(1, n_categories), FEWEST_CATEGORIES, MOST_CATEGORIES)
        )

        levels = None if classes is None else _levels(classes)
        if isinstance(table, JoinedTable):
            first = np.unique(table.labels, return_index=True)[1]

        def column(j: int) -> Column:
            own, groups, targets = weights, levels, classes
            is_category, is_boolean = kinds[j] == "category", kinds[j] == "boolean"
            if empty[j]:  # of a million sparse columns most are
                return NumberColumn(j, names[j], (), False, is_boolean)
            if isinstance(table, JoinedTable):
                assert levels is not None and classes is not None
                values, own, labels = table.column(j, is_category)
                groups, targets = levels[first][labels], classes[first][labels]
            elif is_category:
                values = object_column(table, j)
            else:
                values = number_column(table, j, names[j])
            if is_category:
                return CategoryColumn.fit(j, names[j], values, own, most, groups)
            if not are_pixels:
                warn_of_identifier(values, names[j], table.shape[0])
            cuts = replace(share, values=False) if names[j] in monotone else share
            return NumberColumn.fit(j, names[j], values, own, cuts, is_boolean, targets)

        return [column(j) for j in indices]

    def _share(
        self, n_rows: int, n_numbers: int, classes: Integers | Floats | None, are_named: bool
    ) -> CutShare:
        n_labels = 0 if classes is None else len(classes)
        if self.max_cuts is not None:
            most = check_count("max_cuts", self.max_cuts)
            tree = most // 2 if n_labels else 0
            return CutShare(most - tree, tree, are_named)
        room = max(1, BUDGET // max(1, n_numbers))
        is_number = classes is not None and classes.dtype.kind == "f"
        n_classes = 1 if classes is None or is_number else int(classes.max(initial=0)) + 1
        rows_a_cut = ROWS_A_CUT * max(1.0, n_classes / FEW_CLASSES)
        most = min(max(USUAL_CUTS, int(n_rows / rows_a_cut)), MOST_CUTS)
        quantiles = min(room, max(USUAL_CUTS, min(most, room // 2)))
        are_named = are_named and quantiles >= USUAL_CUTS
        if n_labels == 0:
            return CutShare(quantiles, 0, are_named)
        if is_number:
            most = min(room, MOST_FOR_NUMBERS)
            return CutShare(most - most // 2, most // 2, are_named)
        more = min(room - quantiles, most)
        tree = min(more, n_labels // ROWS_A_CUT)
        return CutShare(quantiles + more - tree, tree, are_named)

    def _chunks(
        self,
        table: Any,
        kept: Integers | None = None,
        unseen: UnseenColumns | None = None,
    ) -> Iterator[tuple[int, Bits]]:
        """Yield the truth of all or some (ascending) literals, a part of the table at a time."""
        if isinstance(table, JoinedTable):
            yield from table.chunks(kept)
            return
        ends = np.cumsum([0, *(column.n_literals for column in self.columns_)])
        if kept is None:
            kept = np.arange(ends[-1])
        bounds = np.searchsorted(kept, ends)
        # Those that are constant, or the same as another, cost nothing.
        telling = np.flatnonzero(np.diff(bounds))
        compared = self._compared()
        is_sparse = sparse.issparse(table)
        read = np.union1d(telling, [i for ours in compared.values() for i in ours]).astype(np.int64)
        place = {int(j): i for i, j in enumerate(read)} if is_sparse else {}
        n_columns = len(read) if is_sparse else table.shape[1]
        chunk = max(64, CELLS_AT_ONCE // max(1, len(kept), n_columns))
        for start in range(0, table.shape[0], chunk):
            part = table[start : start + chunk]
            if is_sparse:
                part = part[:, read].toarray()
            # Column by column, in and out: both lie in memory that way.
            part = np.asfortranarray(part)
            bits = np.zeros((part.shape[0], len(kept)), dtype=np.bool_, order="F")
            for j in telling.tolist():
                column = self.columns_[j]
                ours = slice(bounds[j], bounds[j + 1])
                if isinstance(column, NumberColumn):
                    numbers = [
                        number_column(part, place.get(i, i), self.columns_[i].name)
                        for i in (j, *compared.get(j, ()))
                    ]
                    encoded = column.encode(numbers[0], numbers[1:])
                else:
                    values = object_column(part, place.get(j, j))
                    encoded = column.encode(values)
                    if unseen is not None:
                        unseen.look(column, values, encoded)
                is_whole = bounds[j + 1] - bounds[j] == column.n_literals
                bits[:, ours] = encoded if is_whole else encoded[:, kept[ours] - ends[j]]
            yield start, bits

    def _compared(self) -> dict[int, list[int]]:
        """Return the columns that a column is compared with, by index."""
        pairs = {
            j: column.others
            for j, column in enumerate(self.columns_)
            if isinstance(column, NumberColumn) and column.others
        }
        index = {column.name: j for j, column in enumerate(self.columns_)} if pairs else {}
        return {j: [index[name] for name in others] for j, others in pairs.items()}

    def _telling(self, table: Any) -> Integers:
        """Return the literals that are neither constant nor equal to an earlier one in training.

        The literal for a missing value is kept in any case: without it ``x > 3`` and ``x ≤ 3``
        would not be alternatives, and no weighted atom could have them.
        """
        ends = np.cumsum([column.n_literals for column in self.columns_], dtype=np.int64)
        n_literals = int(ends[-1]) if len(ends) else 0
        missing = {
            int(end) - 2
            for end, column in zip(ends, self.columns_, strict=True)
            if column.has_missing
        }
        digests = [hashlib.blake2b(digest_size=16) for _ in range(n_literals)]
        total = np.zeros(n_literals, dtype=np.int64)
        for _, bits in self._chunks(table):
            octets = np.packbits(np.ascontiguousarray(bits.T), axis=1)
            for digest, line in zip(digests, octets, strict=True):
                digest.update(line.tobytes())
            total += bits.sum(axis=0)
        seen: set[bytes] = set()
        kept = []
        for i, digest in enumerate(digests):
            key = digest.digest()
            if 0 < total[i] < table.shape[0] and (key not in seen or i in missing):
                seen.add(key)
                kept.append(i)
        return np.array(kept, dtype=np.int64)


def _by_column(conditions: Sequence[Condition], names: Sequence[str]) -> dict[int, list[Condition]]:
    """Return conditions by the index of their column."""
    index = {name: j for j, name in enumerate(names)} if conditions else {}
    groups: dict[int, list[Condition]] = {}
    for condition in dict.fromkeys(conditions):
        groups.setdefault(index[condition.column], []).append(condition)
    return groups


def _class_codes(y: Any, n_rows: int) -> Integers | None:
    """Return class labels as numbers, or ``None`` if the target is not of classes."""
    if y is None:
        return None
    y = np.asarray(y)
    with refusing():
        check_consistent_length(y, range(n_rows))
        if type_of_target(y) not in ("binary", "multiclass"):
            return None
    return np.unique(np.ravel(y), return_inverse=True)[1].astype(np.int64)


OUTER = 0.01
"""Share of the rows on either side whose numbers are taken for the lowest and the highest."""
FEW_LEVELS = 4
"""Number of intervals of a number by which categories are grouped."""


GRID = 2.0**30
"""Number of steps of positions from 0 to 1."""


def positions(targets: Floats, weights: Floats) -> Floats:
    """Return the position of each number in the range of all, from 0 to 1; outliers are cut off.

    Parameters
    ----------
    targets : ndarray of float
        The numbers to predict.
    weights : ndarray of float
        Weights of the rows.

    Returns
    -------
    ndarray of float
        The positions, by which :meth:`LiteralEncoder.fit_table` chooses cuts.

    Examples
    --------
    >>> positions(np.array([10.0, 20.0, 30.0]), np.ones(3))
    array([0. , 0.5, 1. ])
    """
    order = np.argsort(targets, kind="stable")
    reached = np.cumsum(weights[order])
    ends = np.searchsorted(reached, np.array([OUTER, 1 - OUTER]) * reached[-1])
    low, high = targets[order[np.minimum(ends, len(order) - 1)]]
    if low == high:
        low, high = float(targets.min()), float(targets.max())
    scale = max(abs(low), abs(high), 1e-300)  # the difference might overflow
    width = high / scale - low / scale
    if width == 0:
        return np.zeros(len(targets))
    places = np.clip((targets / scale - low / scale) / width, 0.0, 1.0)
    # Rounded, so that sums of them are exact, whatever their order.
    return np.asarray(np.rint(places * GRID) / GRID)


def _levels(places: Integers | Floats) -> Integers:
    """Return the interval of each position, of several with about as many rows each.

    Classes stay as they are.
    """
    if places.dtype.kind == "i":
        return places.astype(np.int64, copy=False)
    edges = np.unique(np.quantile(places, np.arange(1, FEW_LEVELS) / FEW_LEVELS, method="lower"))
    return np.asarray(np.searchsorted(edges, places), dtype=np.int64)


def check_count(name: str, value: Any) -> int:
    """Validate a whole number of at least one."""
    if not is_whole(value) or value < 1:
        raise InvalidParameter(f"{name} must be at least 1 and whole, not {value!r}")
    return int(value)


def is_whole(value: Any) -> bool:
    """Return whether the value is an integer and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)
