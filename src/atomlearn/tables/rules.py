"""Rules in plain text: ``virginica if petal length > 5 and petal width > 1.8``.

A rule says that every row that meets its conditions is of a class, or (``not``) that none is. Rules
are checked against each other before anything is learned."""

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from atomlearn.algebra.algebra import Algebra
from atomlearn.errors import ContradictoryRules, DoubtfulRule, FileFormatError, InvalidRule, suggest
from atomlearn.files.load import LARGEST
from atomlearn.markup import Displayed
from atomlearn.tables.literals import Literal
from atomlearn.tables.numbers import MOST_EXACT, just_below, number_in
from atomlearn.training.data import HardRule, HardRules
from atomlearn.typing import Integers

if TYPE_CHECKING:
    from atomlearn.tables.encoder import LiteralEncoder

SIGNS = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<=", "!=": "!=", "≠": "!=", "==": "=",
         ">": ">", "<": "<", "=": "="}  # fmt: skip
_WRITTEN = {">=": "≥", "<=": "≤", "!=": "≠"}
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))
_ESCAPED = {"n": "\n", "r": "\r"}
_AND = re.compile(r"\s+and\s+")
_STATE = re.compile(r"^(?P<column>.*\S)\s+is\s+(?P<state>missing|known)\s*$", re.DOTALL)
_GROUP = re.compile(
    r"^(?P<column>.*?\S)\s+(?P<sign>not in|in)\s*\{(?P<values>[^{}]*)\}\s*$", re.DOTALL
)
_OR_MISSING = re.compile(r"\s+or\s+missing\s*$")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


@dataclass(frozen=True, repr=False)
class Condition:
    """A condition of a rule on one column.

    Parameters
    ----------
    column : str
        The name of the column.
    operator : str
        One of ``> >= < <= = != missing known``; in a scorecard also ``in`` and ``not in``.
    value : float, int, str, tuple or None, default=None
        The number or text to compare with, or several.
    written : str, default=""
        The value as it was written: in a column of text ``1.10`` is not ``1.1``.

    Examples
    --------
    >>> print(Condition("petal length", ">", 5.0))
    petal length > 5
    """

    column: str
    operator: str
    value: Any = None
    written: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.value, bool):
            object.__setattr__(self, "value", str(self.value).lower())
        if self.operator not in ("missing", "known") and not self.written:
            object.__setattr__(self, "written", _value(self.value))

    def __str__(self) -> str:
        if self.operator in ("missing", "known"):
            return f"{_name(self.column)} is {self.operator}"
        if self.operator in ("in", "not in"):
            return f"{_name(self.column)} {self.operator} {{{self.written}}}"
        return f"{_name(self.column)} {self.operator} {self.written}"

    @property
    def told(self) -> str:
        """The condition with the signs of mathematics, which are read as well."""
        if self.operator not in _WRITTEN:
            return str(self)
        return f"{_name(self.column)} {_WRITTEN[self.operator]} {self.written}"

    @property
    def text(self) -> str:
        """Value as text, without quotes."""
        return _unquoted(self.written)

    def __repr__(self) -> str:
        return f"Condition({str(self)!r})"


@dataclass(frozen=True, repr=False)
class Rule:
    """A rule that every prediction obeys.

    Parameters
    ----------
    label : object
        The class.
    negated : bool
        Whether no row that meets the conditions has the label; otherwise every one has.
    conditions : tuple of Condition
        The conditions, which must all be met.

    Examples
    --------
    >>> print(Rule("setosa", True, (Condition("petal length", ">", 3.0),)))
    not setosa if petal length > 3
    """

    label: Any
    negated: bool
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        conditions = " and ".join(map(str, self.conditions))
        return f"{'not ' * self.negated}{_name(str(self.label))} if {conditions}"

    def __repr__(self) -> str:
        return f"Rule({str(self)!r})"


def condition_of(literal: Literal) -> Condition:
    """Return a literal as a condition of a rule.

    >>> print(condition_of(Literal(0, "city", "in", ("Ulm", "Bad Ems"))))
    city in {Ulm, Bad Ems}
    """
    if literal.operator in ("missing", "present"):
        return Condition(literal.name, "missing" if literal.operator == "missing" else "known")
    if literal.operator in (">", "<="):
        sign, value = literal.comparison()
        number = number_in(value)
        assert number is not None
        return Condition(literal.name, SIGNS[sign], number)
    return Condition(literal.name, literal.operator, literal.value)


def joined(clauses: Sequence[Sequence[Condition]]) -> tuple[tuple[Condition, ...], ...]:
    """Join the values that a column must not have: not a, and not b, is not in {a, b}.

    >>> conjunction(joined([[Condition("c", "!=", "a")], [Condition("c", "!=", "b")]]))
    'c not in {a, b}'
    """
    found: dict[Any, tuple[Condition, ...]] = {}
    for i, clause in enumerate(map(tuple, clauses)):
        first, *rest = clause
        is_plain = first.operator in ("!=", "not in") and isinstance(first.value, str | tuple)
        key = (first.column, tuple(rest)) if is_plain else i
        if key in found:
            before = found[key][0]
            values = [one for each in (before, first) for one in _values(each)]
            new = Condition(first.column, "not in", tuple(dict.fromkeys(values)))
            found[key] = (new, *rest)
        else:
            found[key] = clause
    return tuple(found.values())


def _values(condition: Condition) -> tuple[Any, ...]:
    return condition.value if isinstance(condition.value, tuple) else (condition.text,)


def conjunction(clauses: Sequence[Sequence[Condition]]) -> str:
    """Return the conditions of a rule of a scorecard as text; those of one column by "or".

    >>> age = Condition("age", ">", 60.0), Condition("age", "missing")
    >>> conjunction([age]), conjunction([age, [Condition("city", "=", "Ulm")]])
    ('age > 60 or missing', '(age > 60 or missing) and city = Ulm')
    """
    told = [
        " or ".join([first.told, *("missing" for one in rest if one.operator == "missing")])
        for first, *rest in clauses
    ]
    if len(told) > 1:
        told = [
            f"({one})" if len(ours) > 1 else one for one, ours in zip(told, clauses, strict=True)
        ]
    return " and ".join(told)


def parse_conditions(text: str, columns: Sequence[str]) -> tuple[tuple[Condition, ...], ...]:
    """Read the conditions of a rule of a scorecard: those of one column are joined by "or".

    >>> parse_conditions("(age > 60 or missing) and city in {Ulm, Jena}", ["age", "city"])
    ((Condition('age > 60'), Condition('age is missing')), (Condition('city in {Ulm, Jena}'),))
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidRule("it has half of a character (a lone surrogate)")
    return tuple(_Reader(text, columns, (), of_card=True).clauses())


def parse_rules(
    rules: Iterable[str | Rule], columns: Sequence[str], labels: Sequence[Any], doubt: bool = False
) -> list[Rule]:
    """Read rules about these columns and labels; with ``doubt``, warn of ambiguous ones.

    >>> parse_rules(["not yes if age<18"], ["age"], ["no", "yes"])[0].conditions
    (Condition('age < 18'),)
    """
    if isinstance(rules, str | Rule):
        raise InvalidRule(f"rules must be a list of rules, not {rules!r}")
    parsed = []
    for i, rule in enumerate(rules):
        try:
            if any("\ud800" <= character <= "\udfff" for character in str(rule)):
                raise InvalidRule("it has half of a character (a lone surrogate)")
            parsed.append(_Reader(str(rule), columns, labels).rule())
        except InvalidRule as error:
            raise InvalidRule(f"rule {i + 1}, {str(rule)!r}: {error}") from None
        if doubt and isinstance(rule, str) and parsed[-1].negated:
            _warn_of_label(rule, parsed[-1], labels)
    return parsed


def _warn_of_label(text: str, rule: Rule, labels: Sequence[Any]) -> None:
    """Warn how a rule was read that could be about another label."""
    other = f"not {rule.label}"
    if other in map(str, labels) and text.lstrip().startswith(other):
        warnings.warn(
            f"{text!r} is read as: no such row is {rule.label}; for the label write "
            f"{_quote(other)} in quotes",
            DoubtfulRule,
            stacklevel=3,
        )


def read_rules(path: str | Path) -> list[str]:
    """Return the rules of a text file, one a line; ``#`` begins a comment."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path} is not UTF-8 text: {error}") from None
    return [line for _, line in _lines(text)]


def check_rules_file(path: str | Path, columns: Sequence[str], labels: Sequence[Any]) -> None:
    """Raise an error that names line and column of the first rule that cannot be read."""
    text = Path(path).read_text(encoding="utf-8-sig")
    for number, line in _lines(text):
        try:
            _Reader(line, columns, labels).rule()
        except InvalidRule as error:
            raise InvalidRule(f"{path}:{number}: {error}") from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Not splitlines, which would also break at signs that a quoted name may have, such as U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        masked = _masked(line)
        end = masked.find("#")
        line = line if end < 0 else line[:end]
        if line.strip():
            yield number, line.rstrip()


class _Reader:
    """A reader of one rule, which finds positions in a copy of the text with masked quotes."""

    def __init__(
        self, text: str, columns: Sequence[str], labels: Sequence[Any], of_card: bool = False
    ) -> None:
        self.text, self.masked, self.of_card = text, _masked(text), of_card
        self.columns, self.labels, self.known = columns, labels, frozenset(columns)
        self.names = [str(label) for label in labels]

    def rule(self) -> Rule:
        """Return the rule, or raise an error that says what is wrong and where."""
        split = self._split_label()
        head, start = self.text[: split.start()].strip(), split.end()
        negated, label = self._label(head)
        conditions = tuple(self._conditions(start))
        return Rule(label, negated, conditions)

    def _split_label(self) -> re.Match[str]:
        places = list(re.finditer(r"\s+if\s+", self.masked))
        if not places:
            raise InvalidRule("a rule is written 'LABEL if CONDITION and CONDITION ...'")
        for place in places:  # a label may have an "if" in it
            if self._find_label(self.text[: place.start()].strip())[1] is not None:
                return place
        return places[0]

    def _find_label(self, head: str) -> tuple[bool, int | None]:
        # "not" before a label negates it; a label that begins with "not" can be put in quotes.
        for negated, name in ((True, _after_not(head)), (False, head)):
            if name is not None and _unquoted(name) in self.names:
                return negated, self.names.index(_unquoted(name))
        return False, None

    def _label(self, head: str) -> tuple[bool, Any]:
        negated, place = self._find_label(head)
        if place is not None:
            return negated, self.labels[place]
        name = _unquoted(_after_not(head) or head)
        raise InvalidRule(f"{name!r} is not a label{suggest(name, self.names)} (character 1)")

    def clauses(self) -> Iterator[tuple[Condition, ...]]:
        """Yield the conditions of a rule of a scorecard, those of one column together."""
        for first, last in self._pieces(0):
            yield self._clause(first, last)

    def _clause(self, start: int, end: int) -> tuple[Condition, ...]:
        text = self.masked[start:end]
        if self.of_card and text.strip().startswith("(") and text.strip().endswith(")"):
            start, end = start + text.index("(") + 1, start + text.rindex(")")
        ending = _OR_MISSING.search(self.masked[start:end]) if self.of_card else None
        if ending is None:
            return (self._condition(start, end),)
        first = self._condition(start, start + ending.start())
        return first, Condition(first.column, "missing")

    def _conditions(self, start: int) -> Iterator[Condition]:
        for first, last in self._pieces(start):
            yield self._condition(first, last)

    def _pieces(self, start: int) -> Iterator[tuple[int, int]]:
        """Yield the bounds of the conditions that "and" joins."""
        end = len(self.text)
        bounds = [start]
        for place in _AND.finditer(self.masked[start:]):
            bounds += [start + place.start(), start + place.end()]
        bounds.append(end)
        pieces = list(zip(bounds[::2], bounds[1::2], strict=True))
        # The name of a column may have an "and" in it: then a condition is several pieces.
        most = 1 + max(len(_AND.findall(name)) for name in self.columns)
        at = 0
        while at < len(pieces):
            first, last = pieces[at]
            n = 1
            for i in range(most if at + most <= len(pieces) else len(pieces) - at):
                if self._is_condition(first, pieces[at + i][1]):
                    n, last = i + 1, pieces[at + i][1]
                    break
            at += n
            yield first, last

    def _is_condition(self, start: int, end: int) -> bool:
        try:
            self._clause(start, end)
        except InvalidRule:
            return False
        return True

    def _condition(self, start: int, end: int) -> Condition:
        text, masked = self.text[start:end], self.masked[start:end]
        state = _STATE.match(masked)
        if state is not None:
            name = self._column(text[: state.end("column")], start)
            return Condition(name, state["state"])
        group = _GROUP.match(masked) if self.of_card else None
        if group is not None:
            name = self._column(text[: group.end("column")], start)
            first = group.start("values")
            commas = [m.start() for m in re.finditer(",", masked[first : group.end("values")])]
            bounds = [-1, *commas, group.end("values") - first]
            cells = [text[first + a + 1 : first + b].strip() for a, b in pairwise(bounds)]
            if not all(cells):
                raise InvalidRule(f"there is an empty value in {text.strip()!r}")
            return Condition(name, group["sign"], tuple(map(_read_value, cells)))
        sign = _SIGN.search(masked)
        if sign is None:
            raise InvalidRule(
                f"{text.strip()!r} is not a condition: a column, one of > >= < <= = != and a "
                f"value, or 'is missing', 'is known' (character {start + 1})"
            )
        name = self._column(text[: sign.start()], start)
        value = text[sign.end() :].strip()
        if not value:
            raise InvalidRule(f"there is no value after {name} {sign[0]} (character {end + 1})")
        number, operator = _read_value(value), SIGNS[sign[0]]
        # Only numbers are ordered, and 1e2 is 100; but a category may be called 1e2.
        return Condition(name, operator, number, value if operator in ("=", "!=") else "")

    def _column(self, text: str, start: int) -> str:
        name = _unquoted(text.strip())
        if name not in self.known:
            suggestion = suggest(name, self.columns)
            raise InvalidRule(f"there is no column {name!r}{suggestion} (character {start + 1})")
        return name


def _after_not(head: str) -> str | None:
    rest = re.match(r"not\s+(.*)$", head, re.DOTALL)
    return None if rest is None else rest[1].strip()


def _masked(text: str) -> str:
    return _QUOTED.sub(lambda quoted: "\x00" * len(quoted[0]), text)


def _unquoted(text: str) -> str:
    if _QUOTED.fullmatch(text):
        return re.sub(r"\\(.)", lambda one: _ESCAPED.get(one[1], one[1]), text[1:-1])
    return text


def _read_value(text: str) -> Any:
    """Return a number if the text looks like one and is not in quotes."""
    if _QUOTED.fullmatch(text):
        return _unquoted(text)
    number = number_in(text)
    return number if number is not None and abs(number) <= LARGEST else text


def _quote(text: str) -> str:
    """Quote a text; a line break is written as in Python, since a rule of a file is one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"{}"'.format(escaped.replace("\n", "\\n").replace("\r", "\\r"))


def _name(name: str) -> str:
    """Quote a name where it could be read otherwise."""
    plain = re.fullmatch(r"[^\n\r\"'<>=!≤≥≠#]+", name) and name == name.strip()
    words = set(name.split())
    return name if plain and not words & {"and", "if", "is", "not"} else _quote(name)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_value, value))
    if isinstance(value, str):
        is_plain = _read_value(value) == value and _name(value) == value
        is_plain = is_plain and not set(value) & set("{},")
        return value if is_plain else _quote(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < MOST_EXACT:
        return str(int(value))
    return str(value)


MOST_STEPS = 10_000
"""Maximum number of combinations of rules that are searched for one that leaves no class possible.
"""


@dataclass(frozen=True, repr=False)
class RuleConflict(Displayed):
    """Training rows that a rule contradicts and that were therefore left out."""

    rule: Rule
    rows: Integers
    labels: npt.NDArray[Any]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:5])) + (", ..." if len(self.rows) > 5 else "")
        labels = ", ".join(map(str, sorted(set(self.labels.tolist()), key=str)))
        return f"{len(self.rows)} row(s) labelled {labels} contradict '{self.rule}': rows {shown}"


def compile_rules(
    rules: Sequence[Rule], encoder: "LiteralEncoder", classes: npt.NDArray[Any], check: bool = True
) -> HardRules:
    """Return the rules for the engine, after checking them; contradictory ones raise an error.

    The encoder must have been fitted with the conditions of the rules.
    """
    labels = classes.tolist()
    place = {label: k for k, label in enumerate(labels)}
    of_column: dict[int, list[int]] = {}
    for i, literal in enumerate(encoder.literals_ if rules else ()):
        of_column.setdefault(literal.column, []).append(i)
    hard = []
    all_numbers = encoder.literal_numbers([rule.conditions for rule in rules])
    for rule, numbers in zip(rules, all_numbers, strict=True):
        implied = _implied(numbers, encoder.literals_, of_column)
        k = place[rule.label]
        others = tuple(j for j in range(len(labels)) if j != k)
        forbidden, label = ((k,), None) if rule.negated else (others, k)
        hard.append(HardRule(tuple(numbers), forbidden, label, tuple(implied)))
    if check:
        literals = [[encoder.literals_[i] for i in one.literals] for one in hard]
        checks = _Checks(rules, hard, literals)
        checks.raise_contradictions(labels)
        checks.warn(len(labels))
    return HardRules(hard, len(labels))


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
        kind = (one.operator, one.value) if one.operator == "=" else one.operator
        if kind not in best or one.implies(best[kind]):
            best[kind] = one
    return {column: (list(best.values()), without) for column, (best, without) in found.items()}


class _Checks:
    """Checks of rules against each other."""

    def __init__(
        self, rules: Sequence[Rule], hard: Sequence[HardRule], literals: list[list[Literal]]
    ) -> None:
        self.rules, self.hard, self.literals = rules, hard, literals
        self.can_be_met = [_are_possible(ours) for ours in literals]

    def raise_contradictions(self, labels: Sequence[Any]) -> None:
        """Raise an error for two rules that cannot both hold for a row that meets both."""
        for i, j in self._pairs():
            label = self.hard[i].label
            if label is not None and label in self.hard[j].forbidden:
                algebra = self._algebra(i, j, str(labels[label]))
                raise ContradictoryRules((self.rules[i], self.rules[j]), algebra.conflicts())

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of rules that some row could meet both of."""
        n = len(self.rules)
        for i in range(n):
            for j in range(n):
                if i != j and _are_possible(self.literals[i] + self.literals[j]):
                    yield i, j

    def _algebra(self, i: int, j: int, label: str) -> Algebra:
        """Return the two rules as relations: a positive one, and a negative one against it.

        ``not k if L`` is ¬(k < everything that a row with L can have).
        """
        algebra = Algebra()
        every = dict.fromkeys(self.literals[i] + self.literals[j])
        k = algebra.constants(f"class {label}")[0]
        constants = dict(zip(every, algebra.constants(*map(str, every)), strict=True))
        first = algebra.term([constants[one] for one in self.literals[i]])
        allowed = [one for one in every if _are_possible([one, *self.literals[j]])]
        second = algebra.term([constants[one] for one in allowed])
        algebra.add(k <= first, ~(k <= second))
        return algebra

    def warn(self, n_classes: int) -> None:
        """Warn of redundant rules, and of combinations that leave no class possible."""
        for i, rule in enumerate(self.rules):
            if not self.can_be_met[i]:
                _warn(f"no row can meet '{rule}': its conditions exclude each other")
            elif self._follows(i):
                _warn(f"'{rule}' follows from the other rules and can be left out")
        empty = self._nowhere(n_classes)
        if empty:
            listed = ", ".join(f"'{self.rules[i]}'" for i in empty)
            _warn(
                f"{listed} together leave no class possible for rows that meet all of them; there "
                "they are not obeyed"
            )

    def _follows(self, i: int) -> bool:
        """Return whether other rules forbid all that this one forbids, wherever it applies."""
        stronger = [
            self.hard[j].forbidden
            for j in range(len(self.rules))
            if j != i and self._covers(j, i) and not (self._covers(i, j) and j > i)
        ]
        return set(self.hard[i].forbidden) <= {k for ours in stronger for k in ours}

    def _covers(self, j: int, i: int) -> bool:
        """Return whether every row that meets rule ``i`` meets rule ``j``."""
        return all(any(own.implies(one) for own in self.literals[i]) for one in self.literals[j])

    def _nowhere(self, n_classes: int) -> list[int]:
        """Return rules that some row could meet all of and that together forbid every class."""
        forbidding = [
            [i for i, one in enumerate(self.hard) if k in one.forbidden and self.can_be_met[i]]
            for k in range(n_classes)
        ]
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        for _ in range(MOST_STEPS):
            if not stack:
                return []
            k, chosen = stack.pop()
            if k == n_classes:
                return sorted(set(chosen))
            for i in forbidding[k]:
                several = sorted({*chosen, i})
                if _are_possible([one for r in several for one in self.literals[r]]):
                    stack.append((k + 1, tuple(several)))
        return []


def warn_of_unmet(rules: Sequence[Rule], met: Integers) -> None:
    """Warn of rules whose conditions no training row meets."""
    for rule, count in zip(rules, met.tolist(), strict=True):
        if count == 0:
            _warn(f"no training row meets the conditions of '{rule}'")


def _are_possible(literals: Sequence[Literal]) -> bool:
    """Return whether one row can have all of these literals.

    For statements about single columns it is enough that no two exclude each other.
    """
    for strongest, without in _by_column(literals).values():
        equal = [one for one in strongest if one.operator == "="]
        if len(equal) > 1 or any(one.value in without for one in equal):
            return False
        if without and any(one.operator == "missing" for one in strongest):
            return False
        bounds: dict[str, Any] = {one.operator: one.value for one in strongest}
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
