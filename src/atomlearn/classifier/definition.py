"""A class as a formula over the columns of a table.

The clauses are atoms of the class, chosen so that a few of them exclude nearly all rows of other
classes. Values that a column cannot have at the same time (above 3 and not above 2, red and blue)
are don't-cares of the minimisation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from typing import Literal as OneOf

import numpy as np

from atomlearn.classifier.sample import MOST_CLAUSES, TrainingSample, chosen_atoms
from atomlearn.engine.misses import blocks_of, containing, count_misses
from atomlearn.errors import InvalidParameter
from atomlearn.logic.comparison import (
    Conjecture,
    Grid,
    Measure,
    Place,
    compare,
    conjecture,
    measure,
)
from atomlearn.logic.definition import Definition
from atomlearn.logic.formulas import And, Clause, Formula, Has, Or
from atomlearn.logic.minimise import Group, Space
from atomlearn.markup import escape
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, pack_row, take
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import is_dark, placed
from atomlearn.tables.literals import Literal
from atomlearn.tables.numbers import exact_numbers, just_below
from atomlearn.tables.rules import Statement
from atomlearn.tables.validation import read_table
from atomlearn.training.data import NO_RULES, HardRules
from atomlearn.typing import Bits

MOST_COMPARED = 2000
"""Maximum number of atoms that are compared with the exact ones of a conjecture."""

Short = OneOf["short"]
SHORT: Short = "short"
"""Value of ``max_clauses`` for as few clauses as held-out rows allow."""

MOST_TERMS = 256
"""Maximum number of combinations of rules that leave one class; with more, only rules that name the
class are used."""

DECIDED = {
    "weighted": "weighted atoms",
    "both": "strict and weighted atoms",
    "card": "the points of a scorecard",
}
"""What decides the prediction, if it is not the number of missed strict atoms alone."""


@dataclass(frozen=True, repr=False)
class ClassDefinition(Definition):
    """The formula of a class: a row belongs to it if every clause is true.

    The forms are equivalent for rows that have missing values only in columns where the training
    rows had some, and for which the rules leave a class possible; :meth:`evaluate` is exact for all
    rows. With rules, measures are of rows that no rule decides: the others are right by definition.

    Attributes
    ----------
    encoder : LiteralEncoder
        The encoder of the columns.
    decided_by : {"strict", "weighted", "both"}
        Which atoms decide the prediction. A formula can only summarise weighted ones.
    rules : tuple of Rule
        The rules about the class. Like those about other classes, which exclude rows from it, they
        are part of the formula.
    hard : HardRules
        All rules, for :meth:`evaluate`.
    place : int
        Index of the class among all classes.
    including : tuple of tuples of Literal
        Rows that have all literals of one of these tuples are of the class, by rules.
    excluding : tuple of Clause
        Clauses that rows must meet, because rules exclude all others.
    longer : Measure or None
        For a short form, the measure of the full one on the same rows.

    Examples
    --------
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, ["no", "no", "yes", "no"] * 5
    >>> clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    >>> definition = clf.definition("yes")
    >>> definition.evaluate(X[:4]).tolist()
    [False, False, True, False]
    """

    encoder: LiteralEncoder = field(repr=False, compare=False, kw_only=True)
    decided_by: str = field(default="strict", kw_only=True)
    rules: tuple[Statement, ...] = field(default=(), kw_only=True)
    hard: HardRules = field(default=NO_RULES, repr=False, compare=False, kw_only=True)
    place: int = field(default=0, repr=False, compare=False, kw_only=True)
    including: tuple[tuple[Literal, ...], ...] = field(default=(), repr=False, kw_only=True)
    excluding: tuple[Clause[Literal], ...] = field(default=(), repr=False, kw_only=True)
    longer: Measure | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        return "\n".join([*(f"rule: {rule}" for rule in self.rules), super().__str__()])

    def to_html(self) -> str:
        """Return the formula, its measures and rules as HTML, without a frame."""
        return (
            "".join(f"<p>rule: {escape(str(rule))}</p>" for rule in self.rules) + super().to_html()
        )

    @property
    def price(self) -> float | None:
        """Error of a short form minus that of the full one, on held-out rows if there are any."""
        own = self.held_out or self.measured
        return None if self.longer is None or own is None else own.error - self.longer.error

    def _reliability(self) -> list[str]:
        told = super()._reliability()
        if self.price is not None and self.longer is not None:
            rows = "training" if self.held_out is None else "held-out"
            told.append(
                f"  short form: {100 * self.price:+.1f} points of {rows} error, against "
                f"{self.longer.error:.1%} of up to {MOST_CLAUSES} clauses"
            )
        if self.decided_by in DECIDED:
            told.append(f"  a summary: the classifier decides by {DECIDED[self.decided_by]}")
        return told

    def to_dict(self) -> dict[str, Any]:
        """Return the definition as plain values, for JSON."""
        rules = [str(rule) for rule in self.rules]
        told = {**super().to_dict(), "decided_by": self.decided_by, "rules": rules}
        return told if self.price is None else {**told, "price": self.price}

    @property
    def _which_rows(self) -> str:  # type: ignore[override]
        return " that no rule decides" if self.hard else ""

    @property
    def _conjuncts(self) -> tuple[Clause[Any], ...]:
        return (*self.clauses, *self.excluding)

    def _complete(self, body: Formula) -> Formula:
        terms = [
            Has(ours[0]) if len(ours) == 1 else And(tuple(map(Has, ours)))
            for ours in self.including
        ]
        return Or((*terms, body)) if terms else body

    @cached_property
    def sentence(self) -> str | None:
        """Formula as a sentence, if it is about lines of a grid and no rule is part of it."""
        return None if self.hard else super().sentence

    @property
    def _before(self) -> str:
        used: Any = self.space.literals
        compared = {one.column for one in used if one.operator in (">", "<=")}
        if not any(self.encoder.columns_[j].has_missing for j in compared):
            return ""
        # None cannot be compared with numbers.
        return "row = {k: float('nan') if v is None else v for k, v in row.items()}"

    def evaluate(self, X: Any) -> Bits:
        """Evaluate the formula exactly on each row of a table; rules come first.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of bool
            Whether each row belongs to the class.
        """
        table = read_table(self.encoder, X, reset=False)
        where = {literal: i for i, literal in enumerate(self.encoder.literals_)}
        lists = [[where[literal] for literal in clause.literals] for clause in self.clauses]
        n = len(where)
        starts = np.cumsum([0, *map(len, lists)])
        constants = np.array([c for one in lists for c in one], dtype=np.int32)
        atoms, rows = Lists(starts.astype(np.int64), constants), self.encoder.pack(table)
        is_true = count_misses(atoms, blocks_of(rows, n), table.shape[0]) == 0
        return self.hard.decide(rows, is_true, self.place)


def define_class(
    label: Any,
    k: int,
    atoms: Lists,
    encoder: LiteralEncoder,
    sample: TrainingSample,
    max_clauses: int | Short | None,
    image_shape: tuple[int, int] | None = None,
    held_out: Sequence[Measure] = (),
    classifier_error: float | None = None,
    decided_by: str = "strict",
    rules: Sequence[Statement] = (),
    hard: HardRules = NO_RULES,
) -> ClassDefinition:
    """Choose clauses until no counterexample of the sample is left that more clauses would exclude.

    ``held_out`` are the measures on held-out rows of definitions with one clause, two clauses, and
    more.
    """
    if isinstance(max_clauses, str) and max_clauses != SHORT:
        raise InvalidParameter(f"max_clauses is a number, 'short' or None, not {max_clauses!r}")
    most = MOST_CLAUSES if max_clauses == SHORT else max_clauses
    chosen, trim = chosen_atoms(atoms, k, sample, most, decided_by not in ("weighted", "card"))
    longer = None
    if max_clauses == SHORT and chosen:
        held = list(held_out) or [
            _on_sample(trim(chosen[:n]), k, atoms, sample, hard) for n in range(1, len(chosen) + 1)
        ]
        max_clauses, longer = fewest_clauses(held), held[-1]
        chosen = chosen[:max_clauses]
    n_chosen = len(chosen)
    chosen = trim(chosen)
    literals = placed(encoder.literals_, encoder.columns_, image_shape)
    clauses = tuple(
        Clause.of([literals[c] for c in atoms.members(a, below=len(literals))]) for a in chosen
    )
    including, excluding = _by_rules(hard, k, literals, encoder.columns_)
    mentioned = {literal for ours in including for literal in ours}
    mentioned.update(one for clause in (*clauses, *excluding) for one in clause.literals)
    used = [literal for literal in literals if literal in mentioned]
    used += sorted(mentioned.difference(used), key=str)  # negations that no atom needs
    grid = None if image_shape is None else grid_of(encoder, image_shape)
    return ClassDefinition(
        label,
        clauses,
        measured=_on_sample(chosen, k, atoms, sample, hard),
        held_out=_measured(held_out, n_chosen, None if max_clauses == SHORT else max_clauses),
        longer=longer,
        classifier_error=classifier_error,
        total=atoms.n,
        space=space_of(used, encoder.columns_),
        grid=grid,
        conjecture=None if grid is None else conjectured(grid, k, atoms, encoder, sample),
        argument="row",
        encoder=encoder,
        decided_by=decided_by,
        rules=tuple(rule for rule in rules if rule.label == label),
        hard=hard,
        place=k,
        including=including,
        excluding=excluding,
    )


def _by_rules(
    hard: HardRules, k: int, literals: Sequence[Literal], columns: Sequence[Column]
) -> tuple[tuple[tuple[Literal, ...], ...], tuple[Clause[Literal], ...]]:
    """Return the literals by which rules include rows in class ``k``, and clauses for the excluded.

    A row is of the class if the rules that it meets forbid every other class.
    """
    terms: set[frozenset[int]] = {frozenset()} if hard else set()
    for j in range(hard.n_classes):
        if j != k:
            ours = [frozenset(rule.literals) for rule in hard.rules if j in rule.forbidden]
            joint = {term | one for term in terms for one in ours}
            terms = {one for one in joint if not any(other < one for other in joint)}
            if len(terms) > MOST_TERMS:
                terms = {frozenset(rule.literals) for rule in hard.rules if rule.label == k}
                break
    missing = {
        column.index: Literal(column.index, column.name, "missing", None)
        for column in columns
        if column.has_missing
    }
    clauses = []
    for rule in hard.rules:
        if k in rule.forbidden:
            against = [literals[i].negated() for i in rule.literals]
            # A missing value meets no comparison, but it does meet "is missing".
            compared = [one.column for one in against if one.operator != "present"]
            gone = [missing[column] for column in compared if column in missing]
            clauses.append(Clause.of(list(dict.fromkeys([*against, *gone]))))
    including = [tuple(literals[i] for i in sorted(term)) for term in terms]
    return tuple(sorted(including, key=lambda ours: (len(ours), str(ours)))), tuple(clauses)


def fewest_clauses(measures: Sequence[Measure]) -> int:
    """Return the smallest number of clauses whose error is within one standard error of the lowest.

    >>> errors = [0.2, 0.07, 0.06, 0.06]
    >>> fewest_clauses([Measure(1.0, 1.0, error, 100) for error in errors])
    2
    """
    best = min(measures, key=lambda one: one.error)
    tolerance = float(np.sqrt(best.error * (1 - best.error) / max(1, best.examples)))
    good = [one.error <= best.error + tolerance for one in measures]
    return good.index(True) + 1


def _on_sample(
    chosen: Sequence[int], k: int, atoms: Lists, sample: TrainingSample, hard: HardRules
) -> Measure:
    """Measure how well some atoms together describe the class on the training sample."""
    held = containing(take(atoms, np.array(chosen, dtype=np.int64)), sample.columns())
    true = np.bitwise_and.reduce(held, axis=0) if chosen else pack_row(sample.labels >= 0)
    is_true = hard.decide(sample.rows, packed.unpack(true[None, :], len(sample.labels))[0], k)
    return measure(is_true, sample.labels == k, sample.weights())


def _measured(
    held_out: Sequence[Measure], n_chosen: int, max_clauses: int | None
) -> Measure | None:
    """Return the measure for this number of clauses; beyond those measured, if all were needed."""
    limit = len(held_out) if max_clauses is None else max_clauses
    if not held_out or n_chosen > len(held_out):
        return None
    return held_out[min(limit, len(held_out)) - 1] if limit > 0 else None


def conjectured(
    grid: Grid, k: int, atoms: Lists, encoder: LiteralEncoder, sample: TrainingSample
) -> Conjecture | None:
    """Return a sentence about lines of the image that fits the training sample, if there is one."""
    names: list[Any] = [*encoder.literals_, k]
    truth = packed.unpack(sample.rows, len(encoder.literals_)).T
    some = take(atoms, np.arange(min(MOST_COMPARED, atoms.n)))
    return conjecture(
        grid,
        dict(zip(encoder.literals_, truth, strict=True)),
        sample.labels == k,
        lambda exact: compare(some, exact, k, names),
    )


def space_of(literals: Sequence[Literal], columns: Sequence[Column]) -> Space:
    """Return the literals in one group for each column, with the truth values that it allows.

    >>> x = NumberColumn(0, "x", (1.0, 2.0), has_missing=False)
    >>> space = space_of(x.literals(), [x])
    >>> space.fields[0].bit_count()                                 # up to 1, up to 2, above
    3
    """
    groups: list[Group] = []
    for column in columns:
        every = column.literals()
        ours = [literal for literal in literals if literal.column == column.index]
        if ours:
            groups.append((ours, states_of(column)[:, [every.index(one) for one in ours]]))
    return Space.of(groups)


def states_of(column: Column) -> Bits:
    """Return the truth values of a column's literals, one row for each distinct state."""
    if isinstance(column, NumberColumn):
        # Where a value is also a cut, only the value separates it from a number below.
        below = [just_below(value) for value in column.values]
        missing = [None] if column.has_missing else []
        numbers = [*column.cuts, *column.values, *below, np.inf, *missing]
        states = column.encode(exact_numbers(np.array(numbers, dtype=object)))
        for p in range(len(column.others)):  # greater than the other column, or not, or not known
            first = 2 * (len(column.values) + len(column.cuts) + p)
            states = np.repeat(states, 3, axis=0)
            states[::3, first], states[1::3, first + 1] = True, True
        return states
    none_of_them = object()
    values = [*column.categories, none_of_them, *([None] if column.has_missing else [])]
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return column.encode(cells)


def grid_of(encoder: LiteralEncoder, shape: tuple[int, int]) -> Grid | None:
    """Return the place of each pixel, if every pixel is either dark or light."""
    place: dict[Any, Place] = {}
    for column in encoder.columns_:
        if not isinstance(column, NumberColumn) or column.values:
            return None
        if len(column.cuts) > 1 or column.has_missing:
            return None
        for literal in column.literals():
            i, j = divmod(column.index, shape[1])
            place[literal] = (i, j, "black" if is_dark(literal) else "white")
    return Grid(shape, place)
