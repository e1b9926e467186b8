"""Statements together: compiled for training, and checked against each other.

A rule with "or" becomes several conjunctions. Where a rule contradicts one that comes before it
(``first:``), it is compiled with the negated conditions of that one, so that no row meets both.

A monotone statement becomes the signs that weights may have. Take ``bad rises with debt``: an atom
or rule with the condition ``debt > 5`` may only speak for bad and against other classes, one with
``debt ≤ 5`` only the other way round, and one with both bounds, or with ``debt = 5``, may not be
used. As debt rises, a row can then only gain points for bad and lose points for other classes, so
the probability of bad never falls.

A limit of a number follows for more rows if the number is monotone, and is compiled for these
(:func:`limits`): if ``price rises with size``, then ``price = 0 if size = 0`` is a lower limit
where ``size >= 0`` and an upper one where ``size <= 0``. Limits and sum then both rise with the
size, so that the sum within the limits does."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.algebra.algebra import Algebra
from atomlearn.errors import ContradictoryRules, DoubtfulRule, InvalidRule
from atomlearn.markup import Displayed
from atomlearn.tables.literals import ColumnName, Literal
from atomlearn.tables.numbers import just_below
from atomlearn.tables.rules import (
    MOST_CASES,
    Bound,
    Condition,
    MonotoneStatement,
    Rule,
    Statement,
    negations,
)
from atomlearn.training.boosting.trees import ANY_SIGN, NEGATIVE, POSITIVE, Signs
from atomlearn.training.data import HardRule, HardRules, SoftRule
from atomlearn.typing import Integers

if TYPE_CHECKING:
    from atomlearn.tables.encoder import LiteralEncoder

Case = tuple[Condition, ...]
MOST_STEPS = 10_000
"""Maximum number of combinations of rules that are searched for one that leaves no class possible.
"""


@dataclass(frozen=True, repr=False)
class RuleConflict(Displayed):
    """Training rows that a rule contradicts and that were therefore left out."""

    rule: Statement
    rows: Integers
    labels: npt.NDArray[Any]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:5])) + (", ..." if len(self.rows) > 5 else "")
        labels = ", ".join(map(str, sorted(set(self.labels.tolist()), key=str)))
        one = len(self.rows) == 1
        rows, they = ("row", "contradicts") if one else ("rows", "contradict")
        return f"{len(self.rows)} {rows} labelled {labels} {they} '{self.rule}': {rows} {shown}"


def conditions_of(statements: Sequence[Statement]) -> list[Condition]:
    """Return the simple conditions whose literals the statements need."""
    rules = [one for one in statements if isinstance(one, Rule)]
    simple = [one for rule in rules for case in rule.cases() for one in case]
    negated = [
        other
        for rule in rules
        if rule.rank or rule.weight is not None
        for case in rule.cases()
        for one in case
        for other in negations(one)
    ]
    limited = [
        one
        for rule in rules
        if isinstance(rule.label, Bound)
        for case in effective_cases(rule, statements, 1)
        for limit in limits(rule.label, case, statements)
        for one in limit.case
    ]
    return list(dict.fromkeys([*simple, *negated, *limited]))


class Limit(NamedTuple):
    """Limits of a number, and the conditions under which they follow."""

    case: Case
    low: float
    high: float


def limits(bound: Bound, case: Case, statements: Sequence[Statement]) -> list[Limit]:
    """Return all that follows from a bound under some conditions, and from monotone statements.

    A lower limit also holds for rows with more of what the number rises with, an upper one for rows
    with less. A limit that every row has anyway is left as it is, and so are conditions that
    compare two columns or exclude a value.

    >>> case, rises = (Condition("x", "=", 0.0),), MonotoneStatement("y", "x", True)
    >>> for limit in limits(Bound("y", "=", 0.0), case, [rises]):
    ...     print(*limit)
    (Condition('x >= 0'),) 0.0 inf
    (Condition('x <= 0'),) -inf 0.0
    """
    rises = {one.column: one.rises for one in statements if isinstance(one, MonotoneStatement)}
    always = [
        one.label
        for one in statements
        if isinstance(one, Rule) and isinstance(one.label, Bound) and not one.conditions
    ]
    found: dict[Case, tuple[float, float]] = {}
    if bound.low > -math.inf:
        is_own = bound.low > max((one.low for one in always), default=-math.inf)
        found[_widened(case, rises, True) if is_own else case] = bound.low, math.inf
    if bound.high < math.inf:
        is_own = bound.high < min((one.high for one in always), default=math.inf)
        over = _widened(case, rises, False) if is_own else case
        found[over] = found.get(over, (-math.inf, 0.0))[0], bound.high
    return [Limit(ours, low, high) for ours, (low, high) in found.items()]


def _widened(case: Case, rises: Mapping[str, bool], is_lower: bool) -> Case:
    """Return the conditions of the rows for which a limit of those of a case follows, too."""
    wider = [
        _or_beyond(one, rises[one.column] == is_lower) if one.column in rises else one
        for one in case
    ]
    return tuple(dict.fromkeys(wider))


def _or_beyond(condition: Condition, up: bool) -> Condition:
    """Return the condition of rows with that or more of the column (``up``), or that or less."""
    if isinstance(condition.value, ColumnName):
        return condition
    if condition.operator == "=":
        return Condition(condition.column, ">=" if up else "<=", condition.value)
    if condition.operator in (("<", "<=") if up else (">", ">=")):
        return Condition(condition.column, "known")
    return condition


def compile_rules(
    statements: Sequence[Statement],
    encoder: "LiteralEncoder",
    classes: npt.NDArray[Any],
    check: bool = True,
    ordered: bool = False,
) -> HardRules:
    """Return the statements for training, after checking them; contradictions raise an error.

    The encoder must have been fitted with the conditions of the statements. That more than two
    classes are ``ordered`` is a statement, too.
    """
    labels, literals = classes.tolist(), encoder.literals_
    place = {label: k for k, label in enumerate(labels)}
    of_column: dict[int, list[int]] = {}
    for i, literal in enumerate(literals if statements else ()):
        of_column.setdefault(literal.column, []).append(i)
    hard: list[HardRule] = []
    soft: list[SoftRule] = []
    for r, rule in enumerate(statements):
        if not isinstance(rule, Rule):
            continue
        if isinstance(rule.label, Bound):
            for given in effective_cases(rule, statements, len(labels)):
                (numbers,) = encoder.literal_numbers([given])
                following = [Limit(given, rule.label.low, rule.label.high)]
                if are_possible([literals[i] for i in numbers]):  # nothing follows without rows
                    following = limits(rule.label, given, statements)
                for case, low, high in following:
                    (numbers,) = encoder.literal_numbers([case])
                    follows = tuple(_implied(numbers, literals, of_column))
                    hard.append(HardRule(tuple(numbers), (), None, follows, r, low, high))
            continue
        k = place[rule.label]
        others = tuple(j for j in range(len(labels)) if j != k)
        forbidden, label = ((k,), None) if rule.negated else (others, k)
        for case in effective_cases(rule, statements, len(labels)):
            (numbers,) = encoder.literal_numbers([case])
            if rule.weight is None:
                implied = _implied(numbers, literals, of_column)
                hard.append(HardRule(tuple(numbers), forbidden, label, tuple(implied), r))
            else:
                negated = [other for one in case for other in negations(one)]
                atom = tuple(encoder.literal_numbers([negated])[0])
                soft.append(SoftRule(tuple(numbers), atom, k, rule.negated, rule.weight, r))
    hard = _possible(hard, literals)
    monotone = [one for one in statements if isinstance(one, MonotoneStatement)]
    ordered = ordered and len(labels) > 2
    for one in monotone if ordered else ():
        if one.label != labels[-1]:
            raise InvalidRule(
                f"'{one}': of ordered classes a monotone statement is about all thresholds; say it "
                f"of the highest class, {labels[-1]}, or of the target by its name"
            )
    signs = _signs(monotone, encoder, place) if monotone else None
    compiled = HardRules(hard, len(labels), signs, soft, len(statements), ordered)
    if check:
        checks = _Checks(statements, hard, [[literals[i] for i in one.literals] for one in hard])
        checks.raise_contradictions()
        _check_monotone(statements, compiled, encoder, place)
        checks.warn(len(labels))
        _warn_of_wider(statements)
        _warn_of_meetings(statements, encoder, len(labels))
    return compiled


def effective_cases(rule: Rule, statements: Sequence[Statement], n_classes: int) -> list[Case]:
    """Return the conjunctions of a rule, without the rows where one before it decides."""
    cases = rule.cases()
    for other in rules_before(rule, statements, n_classes):
        for theirs in other.cases():
            outside = [condition for one in theirs for condition in negations(one)]
            cases = [(*case, one) for case, one in product(cases, outside) if _fits(case, one)]
            cases = list(dict.fromkeys(tuple(dict.fromkeys(case)) for case in cases))
            if len(cases) > MOST_CASES:
                raise InvalidRule(
                    f"'{rule}' stands for more than {MOST_CASES:,} conjunctions, because it comes "
                    f"after '{other}': give it fewer conditions"
                )
    return cases


def _warn_of_wider(statements: Sequence[Statement]) -> None:
    """Warn of limits that monotone statements extend to every value of a column."""
    for rule in statements:
        if not (isinstance(rule, Rule) and isinstance(rule.label, Bound)):
            continue
        for case in effective_cases(rule, statements, 1):
            wider = {one for limit in limits(rule.label, case, statements) for one in limit.case}
            for one in sorted(map(str, wider.difference(case))):
                if one.endswith(" is known"):
                    _warn(
                        f"'{rule}' limits {rule.label.target} wherever {one}, because "
                        f"{rule.label.target} rises or falls with it"
                    )


def _warn_of_meetings(
    statements: Sequence[Statement], encoder: "LiteralEncoder", n_classes: int
) -> None:
    """Warn of rules that one row could meet both of, and of which only the first is obeyed."""

    def literals_of(rule: Rule) -> list[list[Literal]]:
        numbers = encoder.literal_numbers(rule.cases())
        return [[encoder.literals_[i] for i in case] for case in numbers]

    for rule in (one for one in statements if isinstance(one, Rule)):
        for other in rules_before(rule, statements, n_classes):
            pairs = product(literals_of(rule), literals_of(other))
            if any(are_possible(ours + theirs) for ours, theirs in pairs):
                _warn(f"where both apply, '{other}' decides, not '{rule}'")


def impossible_together(
    r: int, compiled: HardRules, literals: Sequence[Literal]
) -> tuple[int, ...] | None:
    """Return rules that one row could meet with rule ``r`` and that leave it no class.

    They are empty if there are none, and ``None`` if there are too many combinations to know.
    """
    checks = _Checks(
        (), compiled.rules, [[literals[i] for i in one.literals] for one in compiled.rules]
    )
    ours = [i for i, one in enumerate(compiled.rules) if one.rule == r]
    found = checks.without_class(compiled.n_classes, ours)
    return None if found is None else tuple(sorted({compiled.rules[i].rule for i in found}))


def rules_before(rule: Rule, statements: Sequence[Statement], n_classes: int) -> list[Rule]:
    """Return the rules to which a rule gives way where it contradicts them."""
    return [
        one
        for one in statements
        if isinstance(one, Rule) and one.comes_before(rule) and _leave_nothing(rule, one, n_classes)
    ]


def _leave_nothing(one: Rule, other: Rule, n_classes: int) -> bool:
    """Return whether two rules together exclude every class, or every number."""
    if isinstance(one.label, Bound) and isinstance(other.label, Bound):
        return one.label.excludes(other.label)
    if one.label == other.label:
        return one.negated != other.negated
    return not (one.negated or other.negated) or (n_classes == 2 and one.negated and other.negated)


def _fits(case: Case, condition: Condition) -> bool:
    """Return whether a condition does not plainly exclude one of a conjunction."""
    others = negations(condition)
    return condition in case or not any(one in others for one in case)


def _possible(hard: list[HardRule], literals: Sequence[Literal]) -> list[HardRule]:
    """Drop conjunctions that no row can meet, but for the first of a rule if there is no other."""
    can_be = [are_possible([literals[i] for i in one.literals]) for one in hard]
    whole = {one.rule for one, possible in zip(hard, can_be, strict=True) if possible}
    kept: list[HardRule] = []
    for one, possible in zip(hard, can_be, strict=True):
        is_first = not kept or kept[-1].rule != one.rule
        if possible or (one.rule not in whole and is_first):
            kept.append(one)
    return kept


def _signs(
    statements: Sequence[MonotoneStatement], encoder: "LiteralEncoder", place: dict[Any, int]
) -> Signs:
    """Return the signs that weights may have, by class and literal; the last is no literal."""
    index = {column.name: column for column in encoder.columns_}
    signs = np.full((len(place), len(encoder.literals_) + 1), ANY_SIGN, dtype=np.uint8)
    for one in statements:
        column = index[one.column]
        if not hasattr(column, "cuts"):
            raise InvalidRule(
                f"'{one}': {one.column} holds categories, which do not rise; a monotone statement "
                "needs a column of numbers or truth values"
            )
        for i, literal in enumerate(encoder.literals_):
            way = literal.direction(column.index, column.name)
            if way is None:
                continue
            for k in range(len(place)):
                wanted = way * (1 if one.rises else -1) * (1 if k == place[one.label] else -1)
                signs[k, i] &= 0 if wanted == 0 else POSITIVE if wanted > 0 else NEGATIVE
    return signs


def _check_monotone(
    statements: Sequence[Statement],
    compiled: HardRules,
    encoder: "LiteralEncoder",
    place: dict[Any, int],
) -> None:
    """Raise an error for a monotone statement that contradicts another statement."""
    literals = encoder.literals_
    index = {column.name: column.index for column in encoder.columns_}
    monotone = [one for one in statements if isinstance(one, MonotoneStatement)]
    for i, one in enumerate(monotone):
        for other in monotone[:i]:
            if one.column == other.column and (
                (one.label == other.label) != (one.rises == other.rises)
                if len(place) == 2
                else one.label == other.label and one.rises != other.rises
            ):
                only = "" if one.label == other.label else "of two classes one falls if the other "
                raise ContradictoryRules(
                    (other, one),
                    [],
                    f"{only}{'rises, so ' if only else ''}"
                    f"{'the probability of ' if len(place) > 1 else ''}{one.label} could "
                    f"neither rise nor fall with {one.column}: leave the column out of the table",
                )
        low, high = always_within(compiled.rules)
        every: list[HardRule | SoftRule] = [*compiled.rules, *compiled.soft]
        for conjunction in every:
            if not are_possible([literals[number] for number in conjunction.literals]):
                continue  # no row meets it
            rule = statements[conjunction.rule]
            ways = {
                number: literals[number].direction(index[one.column], one.column)
                for number in conjunction.literals
            }
            for number, way in ways.items():
                k, chain = place[one.label], compiled.ordered
                reason = broken_by(one, way, conjunction, k, low, high, chain)
                if reason:
                    raise ContradictoryRules((one, rule), [], f"{reason} ({literals[number]})")


def always_within(rules: Sequence[HardRule]) -> tuple[float, float]:
    """Return the bounds of a number that hold for every row."""
    always = [rule for rule in rules if not rule.literals]
    low = max((rule.low for rule in always), default=-math.inf)
    return low, min((rule.high for rule in always), default=math.inf)


def broken_by(
    statement: MonotoneStatement,
    way: int | None,
    rule: HardRule | SoftRule,
    k: int,
    low: float = -math.inf,
    high: float = math.inf,
    ordered: bool = False,
) -> str:
    """Return why a condition of a rule contradicts a monotone statement, or nothing.

    A number is always from ``low`` to ``high``, so that only a closer bound counts. Of ordered
    classes, of which ``k`` is the highest, a rule speaks for the higher ones at all thresholds only
    if it excludes the lowest ones, and against them only if it excludes the highest ones.
    """
    if way is None:
        return ""
    above = below = False
    if ordered and isinstance(rule, HardRule):
        n, excluded = len(rule.forbidden), sorted(rule.forbidden)
        against = excluded != list(range(n))
        favours = excluded != list(range(k + 1 - n, k + 1))
    elif ordered and isinstance(rule, SoftRule):
        against = (rule.k, rule.negated) not in ((k, False), (0, True))
        favours = (rule.k, rule.negated) not in ((k, True), (0, False))
    elif isinstance(rule, HardRule):
        above, below = rule.high < high, rule.low > low
        against = k in rule.forbidden or above
        favours = any(j != k for j in rule.forbidden) or below
    else:
        against = (rule.k == k) == rule.negated
        favours = not against
    # As the column goes the way in which the probability rises, a row may only come to meet rules
    # that speak for the class, and cease to meet rules that speak against it.
    way = way if statement.rises else -way
    move = f"as {statement.column} {'rises' if statement.rises else 'falls'}, a row can"
    if against and way >= 0:
        what = "is an upper limit of" if above else "speaks against"
        return f"{move} come to meet the rule, which {what} {statement.label}"
    if favours and way <= 0:
        what = "is a lower limit of" if below else "speaks for"
        return f"{move} cease to meet the rule, which {what} {statement.label}"
    return ""


def _implied(
    numbers: Sequence[int], literals: Sequence[Literal], of_column: dict[int, list[int]]
) -> list[int]:
    """Return the literals that are true for every row that has all of these.

    Of many cuts only the strongest in each direction is compared, since it implies the others, and
    excluded values are compared as a set: a rule may have thousands of conditions.
    """
    found = set(numbers)
    for column, (strongest, without) in _by_column([literals[i] for i in numbers]).items():
        for i in of_column[column]:
            other = literals[i]
            if any(one.implies(other) for one in strongest) or (
                without and (other.operator == "present" or _excludes(other, without))
            ):
                found.add(i)
    return sorted(found)


def _excludes(literal: Literal, without: set[Any]) -> bool:
    return literal.operator == "not in" and without.issuperset(literal.value)


def _by_column(literals: Iterable[Literal]) -> dict[int, tuple[list[Literal], set[Any]]]:
    """Return for each column the strongest literals of each kind, and the excluded values."""
    found: dict[int, tuple[dict[Any, Literal], set[Any]]] = {}
    for one in literals:
        best, without = found.setdefault(one.column, ({}, set()))
        if one.operator == "!=":
            without.add(one.value)
            continue
        is_own = one.operator == "=" or isinstance(one.value, ColumnName)
        kind = (one.operator, one.value) if is_own else one.operator
        if kind not in best or one.implies(best[kind]):
            best[kind] = one
    return {column: (list(best.values()), without) for column, (best, without) in found.items()}


class _Checks:
    """Checks of rules against each other."""

    def __init__(
        self, rules: Sequence[Statement], hard: Sequence[HardRule], literals: list[list[Literal]]
    ) -> None:
        self.rules, self.hard, self.literals = rules, hard, literals
        self.can_be_met = [are_possible(ours) for ours in literals]

    def raise_contradictions(self) -> None:
        """Raise an error for two rules that cannot both hold for a row that meets both."""
        for i, j in self._pairs():
            one, other = self.hard[i], self.hard[j]
            if are_possible(self.literals[i] + self.literals[j]):
                named = self.rules[one.rule]
                assert isinstance(named, Rule)
                algebra = self._algebra(i, j, str(named.label))
                pair = self.rules[one.rule], self.rules[other.rule]
                raise ContradictoryRules(pair, algebra.conflicts(), self._following(i, j))

    def _following(self, i: int, j: int) -> str:
        """Return what two rules say of a number that also rises or falls, if that is why."""
        names = [{one.name for one in self.literals[r]} for r in (i, j)]
        monotone = [
            one
            for one in self.rules
            if isinstance(one, MonotoneStatement) and one.column in names[0] & names[1]
        ]
        if not monotone or self.hard[i].low <= self.hard[j].high:
            return ""
        known = " and ".join(f"'{one}'" for one in monotone)
        first, second = (" and ".join(map(str, self.literals[r])) for r in (i, j))
        return (
            f"because of {known}, {monotone[0].label} is at least {self.hard[i].low:g} where "
            f"{first}, and at most {self.hard[j].high:g} where {second}"
        )

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of conjunctions of which one names a class that the other excludes."""
        for i, one in enumerate(self.hard):
            for j, other in enumerate(self.hard):
                is_other = one.label is not None and one.label in other.forbidden
                if is_other or one.low > other.high:
                    yield i, j

    def _algebra(self, i: int, j: int, label: str) -> Algebra:
        """Return the two rules as relations: a positive one, and a negative one against it.

        ``not k if L`` is ¬(k < everything that a row with L can have). Every row has what stands
        for a rule without conditions.
        """
        algebra = Algebra()
        every = dict.fromkeys(self.literals[i] + self.literals[j])
        always = [] if self.literals[i] else algebra.constants("every row")
        is_bound = isinstance(getattr(self.rules[self.hard[i].rule], "label", None), Bound)
        k = algebra.constants(label if is_bound else f"class {label}")[0]
        constants = dict(zip(every, algebra.constants(*map(str, every)), strict=True))
        first = algebra.term(always + [constants[one] for one in self.literals[i]])
        allowed = [one for one in every if are_possible([one, *self.literals[j]])]
        second = algebra.term(always + [constants[one] for one in allowed])
        algebra.add(k <= first, ~(k <= second))
        return algebra

    def warn(self, n_classes: int) -> None:
        """Warn of redundant rules, and of combinations that leave no class possible."""
        for r, rule in enumerate(self.rules):
            ours = [i for i, one in enumerate(self.hard) if one.rule == r]
            if ours and not any(self.can_be_met[i] for i in ours):
                _warn(f"no row can meet '{rule}': its conditions exclude each other")
            elif ours and all(map(self._follows, ours)):
                _warn(f"'{rule}' follows from the other rules and can be left out")
        empty = sorted({self.hard[i].rule for i in self.without_class(n_classes) or ()})
        if empty:
            listed = ", ".join(f"'{self.rules[r]}'" for r in empty)
            _warn(
                f"{listed} together leave no class possible for rows that meet all of them; there "
                "they are not obeyed"
            )

    def _follows(self, i: int) -> bool:
        """Return whether other rules forbid all that this one forbids, wherever it applies."""
        own = self.hard[i]
        stronger = [
            self.hard[j]
            for j in range(len(self.hard))
            if self.hard[j].rule != own.rule
            and self._covers(j, i)
            and not (self._covers(i, j) and j > i)
        ]
        return (
            set(own.forbidden) <= {k for other in stronger for k in other.forbidden}
            and own.low <= max((other.low for other in stronger), default=-math.inf)
            and own.high >= min((other.high for other in stronger), default=math.inf)
        )

    def _covers(self, j: int, i: int) -> bool:
        """Return whether every row that meets rule ``i`` meets rule ``j``."""
        return all(any(own.implies(one) for own in self.literals[i]) for one in self.literals[j])

    def without_class(
        self, n_classes: int, beginning: Sequence[int] | None = None
    ) -> list[int] | None:
        """Return conjunctions that some row could meet all of and that together forbid every class.

        With a ``beginning``, one of these is among them. ``None`` if the search took too long.
        """
        forbidding = [
            [i for i, one in enumerate(self.hard) if k in one.forbidden and self.can_be_met[i]]
            for k in range(n_classes)
        ]
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        if beginning is not None:
            stack = [(0, (i,)) for i in beginning if self.can_be_met[i]]
        for _ in range(MOST_STEPS):
            if not stack:
                return []
            k, chosen = stack.pop()
            if k == n_classes:
                return sorted(set(chosen))
            if any(k in self.hard[i].forbidden for i in chosen):
                stack.append((k + 1, chosen))
                continue
            for i in forbidding[k]:
                several = sorted({*chosen, i})
                if are_possible([one for r in several for one in self.literals[r]]):
                    stack.append((k + 1, tuple(several)))
        return None


def warn_of_unmet(rules: Sequence[Statement], met: Integers) -> None:
    """Warn of rules whose conditions no training row meets."""
    for rule, count in zip(rules, met.tolist(), strict=True):
        if count == 0 and isinstance(rule, Rule) and rule.weight is None:
            _warn(f"no training row meets the conditions of '{rule}'")


def are_possible(literals: Sequence[Literal]) -> bool:
    """Return whether one row can have all of these literals.

    For statements about single columns it is enough that no two exclude each other.
    """
    for strongest, without in _by_column(literals).values():
        equal = [one for one in strongest if one.operator == "="]
        if len(equal) > 1 or any(one.value in without for one in equal):
            return False
        if without and any(one.operator == "missing" for one in strongest):
            return False
        bounds: dict[str, Any] = {
            one.operator: one.value for one in strongest if not isinstance(one.value, ColumnName)
        }
        low, high = bounds.get(">", -math.inf), bounds.get("<=", math.inf)
        # Between "at least 5" and "at most 5" there is nothing but 5.
        if high in without and just_below(high) <= low:
            return False
        pairs = permutations(strongest, 2)
        if any(one.implies(other.negated()) for one, other in pairs):
            return False
    return True


def _warn(message: str) -> None:
    warnings.warn(message, DoubtfulRule, stacklevel=2)
